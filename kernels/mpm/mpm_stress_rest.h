/* mpm_stress_rest.h -- the stress of particles that only some scenes have, and its adjoint. In all lanes: Hencky's
 * law by series (series.h), which is that of plastic solids, fibres, viscous solids and plasticity. Other laws are in
 * mpm_stress_invariants.h and mpm_stress_spectral.h. What is added to the stress of the law is first a plain function
 * of one particle, which tests hold the lanes against. */
#ifndef PIOLA_KERNELS_MPM_STRESS_REST_H
#define PIOLA_KERNELS_MPM_STRESS_REST_H

#include "kernels/mpm/mpm_stress_spectral.h"

/* ---- one particle ----------------------------------------------------------------------------------------------- */

/* Returns the stress of the fibres of stored particle p, fibre_tau, Pa; 0 where it has none. */
PIO_FN mat activation_tau(const mpm_state *s, const mpm_matter *m, int p)
{
    const int channel = m->channel[s->id[p]];
    if (channel < 0) return mat_diag(R(0));
    return fibre_tau(mat_load(s->F, m->n, p), vec_load(m->fibre, m->channels, channel), m->activation[channel]);
}

/* Returns by what factor plastic flow has opened or packed stored particle p: its volume is det F times this. It is 1
 * for one that is not plastic. */
PIO_FN real p2g_swelling(const mpm_state *s, const mpm_matter *m, int p)
{
    const int plastic = m->plasticity ? m->plasticity[s->id[p]] : PIO_ELASTIC;
    if (plastic == PIO_ELASTIC) return R(1);
    return exp(plastic_log_volume(plastic, s->e33 ? s->e33[p] : R(0), s->hardening[p]));
}

/* Returns the viscous stress of stored particle p, a solid, Pa; 0 for fluids. eta is multiplied by the swelling, since
 * its J is that of the volume. */
PIO_FN mat solid_viscous_tau(const mpm_state *s, const mpm_matter *m, int p)
{
    const int id = s->id[p];
    if (law_is_fluid(m->law[id])) return mat_diag(R(0));
    return viscous_tau(mat_load(s->F, m->n, p), mat_load(s->C, m->n, p), m->viscosity[id] * p2g_swelling(s, m, p));
}

/* Returns 1 where yield_tau of particle number `id` is not 0: in 2D of plastic ones, in 3D of snow alone. */
PIO_FN int has_yield_tau(const mpm_matter *m, int id)
{
    return m->plasticity[id] != PIO_ELASTIC && (m->plasticity[id] == PIO_SNOW || HYPER_THIRD);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------ */

/* Adds `more` to the stress of lane j where `there` is 1. */
PIO_FN void p2g_add(p2g_lanes *x, int j, int there, mat more)
{
    lane_mat_choose(x->tau, j, there, mat_axpby(R(1), lane_mat(x->tau, j), R(1), more));
}

/* Sets the stress of the lanes of Hencky's law, tau = 2 mu e + lambda tr e I; `more` is 1 in those of them that are
 * beyond reach. */
PIO_FN void p2g_hencky(p2g_lanes *x)
{
    FULL_LANES(j)
    {
        const hencky_series s = hencky_series_of(lane_mat(x->F, j));
        const mat e = hencky_series_strain(s);
        const real mu = x->k[0][LANE(j)], lambda = x->k[1][LANE(j)];
        const int there = x->law[0][LANE(j)] == PIO_HYPER_HENCKY, within = hencky_in_reach(s);
        lane_mat_put(x->own, j, mat_axpby(R(2) * mu, e, R(1), mat_diag(lambda * mat_trace(e))));
        x->more[0][LANE(j)] = there & !within;
    }
    FULL_LANES(j)
    {
        const int there = (x->law[0][LANE(j)] == PIO_HYPER_HENCKY) & !x->more[0][LANE(j)];
        lane_mat_choose(x->tau, j, there, lane_mat(x->own, j));
    }
}

/* The fibres of each lane. */
typedef struct {
    PER_LANE(int, channel, 1);
    PER_LANE(real, n, DIM);
    PER_LANE(real, a, 1); /* activation, Pa */
    PER_LANE(real, a_bar, 1);
} p2g_fibres;

/* Loads the fibres of a batch; those of the first channel where a lane has none. */
PIO_FN void p2g_load_fibres(const mpm_matter *m, p2g_lanes *x, p2g_fibres *f)
{
    FULL_LANES(j) f->channel[0][LANE(j)] = m->channel[x->id[0][LANE(j)]];
    FULL_LANES(j)
    {
        const int channel = f->channel[0][LANE(j)] < 0 ? 0 : f->channel[0][LANE(j)];
        lane_vec_put(f->n, j, vec_load(m->fibre, m->channels, channel));
        f->a[0][LANE(j)] = m->activation[channel];
    }
}

/* Adds activation_tau to the stress of the lanes. */
PIO_FN void p2g_activation(const mpm_matter *m, p2g_lanes *x)
{
    p2g_fibres f;
    p2g_load_fibres(m, x, &f);
    FULL_LANES(j)
    p2g_add(x, j, f.channel[0][LANE(j)] >= 0, fibre_tau(lane_mat(x->F, j), lane_vec(f.n, j), f.a[0][LANE(j)]));
}

/* What viscous and plastic lanes have besides. */
typedef struct {
    PER_LANE(int, law, 1);       /* a pio_plastic_law */
    PER_LANE(real, a, 1);        /* hardening */
    PER_LANE(real, third, 1);    /* third elastic strain; 0 in 3D */
    PER_LANE(real, swelling, 1); /* p2g_swelling */
    PER_LANE(real, eta, 1);      /* viscosity, Pa s */
    PER_LANE(real, eta_bar, 1);
    PER_LANE(real, a_bar, 1);
    PER_LANE(real, third_bar, 1);
    PER_LANE(real, lambda_bar, 1);
    PER_LANE(real, hardens, 1); /* y_2 of snow */
    PER_LANE(real, hardens_bar, 1);
} p2g_plastic;

/* Loads what plastic particles of a batch have; returns the bits of their laws, on CUDA that of the own lane. */
PIO_FN unsigned p2g_load_plastic(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x,
                                 p2g_plastic *y)
{
    unsigned laws = 0;
    FULL_LANES(j)
    {
        y->law[0][LANE(j)] = m->plasticity ? m->plasticity[x->id[0][LANE(j)]] : PIO_ELASTIC;
        y->a[0][LANE(j)] = y->third[0][LANE(j)] = R(0);
    }
    FULL_LANES(j) laws |= 1u << y->law[0][LANE(j)];
    if (!m->plasticity) return laws;
    lanes_load(y->a, s->hardening, m->n, 1, t);
    if (s->e33) lanes_load(y->third, s->e33, m->n, 1, t);
    return laws;
}

/* Loads C and the viscosity of a batch, and sets the swelling. */
PIO_FN void p2g_load_viscous(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x, p2g_plastic *y)
{
    p2g_load_plastic(s, m, t, x, y);
    lanes_load(x->C, s->C, m->n, DIM * DIM, t);
    FULL_LANES(j) y->eta[0][LANE(j)] = m->viscosity[x->id[0][LANE(j)]];
    FULL_LANES(j)
    {
        const int law = y->law[0][LANE(j)];
        const real swelling = real_exp(plastic_log_volume(law, y->third[0][LANE(j)], y->a[0][LANE(j)]));
        y->swelling[0][LANE(j)] = law == PIO_ELASTIC ? R(1) : swelling;
    }
}

/* Adds solid_viscous_tau to the stress of the lanes. */
PIO_FN void p2g_viscous(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    p2g_plastic y;
    p2g_load_viscous(s, m, t, x, &y);
    FULL_LANES(j)
    {
        const real eta = y.eta[0][LANE(j)] * y.swelling[0][LANE(j)];
        p2g_add(x, j, !law_is_fluid(x->law[0][LANE(j)]), viscous_tau(lane_mat(x->F, j), lane_mat(x->C, j), eta));
    }
}

/* Loads y_2 of a batch. */
PIO_FN void p2g_load_snow(const mpm_matter *m, p2g_lanes *x, p2g_plastic *y)
{
    FULL_LANES(j) y->hardens[0][LANE(j)] = m->yield[field_at(m->n, PIO_PLASTIC_CONSTANTS, 2, x->id[0][LANE(j)])];
}

/* Returns the stress at rest of lane j, snow: that of the fixed corotated law. */
PIO_FN mat p2g_snow_tau(p2g_lanes *x, int j)
{
    const mat F = lane_mat(x->F, j);
    return mat_mul_t(fixed_corotated_P_of(F, lane_mat(x->rot, j), p2g_constants(x, j)), F);
}

/* Adds yield_tau to the stress of the lanes. */
PIO_FN void p2g_yield(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    p2g_plastic y;
    const unsigned laws = p2g_load_plastic(s, m, t, x, &y);
    if (HYPER_THIRD) {
        FULL_LANES(j)
        {
            const int law = y.law[0][LANE(j)];
            const mat more = mat_diag(x->k[1][LANE(j)] * y.third[0][LANE(j)]);
            p2g_add(x, j, (law != PIO_ELASTIC) & (law != PIO_SNOW), more);
        }
    }
    if (!(laws >> PIO_SNOW & 1)) return;
    p2g_load_snow(m, x, &y);
    FULL_LANES(j)
    {
        const real more = snow_hardening_by(y.hardens[0][LANE(j)], y.a[0][LANE(j)]) - R(1);
        p2g_add(x, j, y.law[0][LANE(j)] == PIO_SNOW, mat_scale(more, p2g_snow_tau(x, j)));
    }
}

/* Sets, after p2g_stress, the stress of the other lanes, and what is added to any. */
PIO_FN void p2g_rest(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    const unsigned laws = batch_laws(x);
    p2g_invariants(laws, x);
    if (laws & law_bit(PIO_HYPER_HENCKY)) p2g_hencky(x);
    if (laws & ~(lane_laws() | invariant_laws())) p2g_spectral(s, m, t, x);
    if (m->channel) p2g_activation(m, x);
    if (m->viscosity) p2g_viscous(s, m, t, x);
    if (m->plasticity) p2g_yield(s, m, t, x);
}

/* ---- adjoint ---------------------------------------------------------------------------------------------------- */

/* Adjoint of p2g_hencky: sets the cotangents of F, and adds to those of the constants. */
PIO_FN void p2g_hencky_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j), tau_bar = mat_symmetric(lane_mat(bar->tau, j));
        const hencky_series s = hencky_series_of(F);
        const mat e = hencky_series_strain(s);
        const real mu = x->k[0][LANE(j)], lambda = x->k[1][LANE(j)], trace = mat_trace(tau_bar);
        const mat e_bar = mat_axpby(R(2) * mu, tau_bar, R(1), mat_diag(lambda * trace));
        lane_mat_put(bar->own, j, hencky_series_adj(s, F, e_bar));
        bar->k_own[0][LANE(j)] = R(2) * mat_ddot(e, tau_bar);
        bar->k_own[1][LANE(j)] = mat_trace(e) * trace;
    }
    FULL_LANES(j)
    {
        const int there = (x->law[0][LANE(j)] == PIO_HYPER_HENCKY) & !x->more[0][LANE(j)];
        lane_mat_choose(bar->F, j, there, lane_mat(bar->own, j));
    }
    LANES (j, t->m) {
        if (x->law[0][LANE(j)] != PIO_HYPER_HENCKY || x->more[0][LANE(j)]) continue;
        for (int c = 0; c < 2; c++)
            a->k_bar[field_at(a->matter.n, a->matter.constants, c, x->id[0][LANE(j)])] += bar->k_own[c][LANE(j)];
    }
}

/* Adjoint of p2g_activation: adds to the cotangents of F, and sets those of activations. An activation of 0 leaves
 * every bit of them. */
PIO_FN void p2g_activation_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    p2g_fibres f;
    p2g_load_fibres(&a->matter, x, &f);
    FULL_LANES(j)
    {
        mat F_bar = lane_mat(bar->F, j);
        f.a_bar[0][LANE(j)] =
            fibre_tau_adj(lane_mat(x->F, j), lane_vec(f.n, j), f.a[0][LANE(j)], lane_mat(bar->tau, j), &F_bar);
        lane_mat_put(bar->own, j, F_bar);
    }
    FULL_LANES(j) lane_mat_choose(bar->F, j, f.channel[0][LANE(j)] >= 0, lane_mat(bar->own, j));
    LANES (j, t->m)
        if (f.channel[0][LANE(j)] >= 0) a->activation_bar[x->id[0][LANE(j)]] = f.a_bar[0][LANE(j)];
}

/* Adds the cotangents of hardening and the third strain of plastic lanes. */
PIO_FN void p2g_add_plastic(const mpm_p2g_adj_args *a, const lane_items *t, p2g_plastic *y)
{
    lanes_add(a->bar.hardening, a->matter.n, 1, t, y->a_bar);
    if (a->bar.e33) lanes_add(a->bar.e33, a->matter.n, 1, t, y->third_bar);
}

/* Adjoint of p2g_viscous: adds to the cotangents of F, C and viscosity, and of hardening and e33 through the
 * swelling. */
PIO_FN void p2g_viscous_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    p2g_plastic y;
    p2g_load_viscous(&a->s, &a->matter, t, x, &y);
    lanes_load(bar->own, a->bar.C, a->matter.n, DIM * DIM, t);
    FULL_LANES(j)
    {
        const int solid = !law_is_fluid(x->law[0][LANE(j)]), law = y.law[0][LANE(j)];
        const real swelling = y.swelling[0][LANE(j)], eta = y.eta[0][LANE(j)] * swelling;
        mat F_bar = lane_mat(bar->F, j), C_bar = lane_mat(bar->own, j);
        real third_bar = R(0), a_bar = R(0);
        const real eta_bar =
            viscous_tau_adj(lane_mat(x->F, j), lane_mat(x->C, j), eta, lane_mat(bar->tau, j), &F_bar, &C_bar);
        plastic_log_volume_adj(law, eta * eta_bar, &third_bar, &a_bar);
        lane_mat_choose(bar->F, j, solid, F_bar);
        lane_mat_choose(bar->own, j, solid, C_bar);
        y.eta_bar[0][LANE(j)] = solid ? swelling * eta_bar : R(0);
        y.third_bar[0][LANE(j)] = solid & (law != PIO_ELASTIC) ? third_bar : R(0);
        y.a_bar[0][LANE(j)] = solid & (law != PIO_ELASTIC) ? a_bar : R(0);
    }
    lanes_store(a->bar.C, a->matter.n, DIM * DIM, t, bar->own);
    if (a->matter.plasticity) p2g_add_plastic(a, t, &y);
    LANES (j, t->m) a->viscosity_bar[x->id[0][LANE(j)]] += y.eta_bar[0][LANE(j)];
}

/* Adjoint of the stress that p2g_yield adds to the lanes of snow: adds to the cotangents of F, hardening and
 * constants. */
PIO_FN void p2g_snow_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar, p2g_plastic *y)
{
    const int n = a->matter.n;
    p2g_load_snow(&a->matter, x, y);
    FULL_LANES(j)
    {
        const int there = y->law[0][LANE(j)] == PIO_SNOW;
        const mat tau_bar = lane_mat(bar->tau, j);
        const real hardens = y->hardens[0][LANE(j)], Jp = real_exp(y->a[0][LANE(j)]);
        const real s = snow_hardening_by(hardens, y->a[0][LANE(j)]), s_bar = mat_ddot(tau_bar, p2g_snow_tau(x, j)) * s;
        y->hardens_bar[0][LANE(j)] = there ? s_bar * (R(1) - Jp) : R(0);
        y->a_bar[0][LANE(j)] = there ? -s_bar * hardens * Jp : R(0);
        lane_mat_put(bar->own, j, mat_scale(s - R(1), tau_bar));
    }
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j), tau_bar = lane_mat(bar->own, j);
        law_constants k_bar;
        k_bar.k[0] = k_bar.k[1] = k_bar.k[2] = R(0);
        lane_mat_put(bar->own, j,
                     fixed_corotated_tau_adj(F, lane_mat(x->rot, j), p2g_constants(x, j), tau_bar, &k_bar));
        bar->k_own[0][LANE(j)] = k_bar.k[0];
        bar->k_own[1][LANE(j)] = k_bar.k[1];
    }
    FULL_LANES(j)
    {
        const mat both = mat_axpby(R(1), lane_mat(bar->F, j), R(1), lane_mat(bar->own, j));
        lane_mat_choose(bar->F, j, y->law[0][LANE(j)] == PIO_SNOW, both);
    }
    lanes_add(a->bar.hardening, n, 1, t, y->a_bar);
    LANES (j, t->m) {
        const int id = x->id[0][LANE(j)];
        if (y->law[0][LANE(j)] != PIO_SNOW) continue;
        for (int c = 0; c < 2; c++) a->k_bar[field_at(n, a->matter.constants, c, id)] += bar->k_own[c][LANE(j)];
        a->yield_bar[field_at(n, PIO_PLASTIC_CONSTANTS, 2, id)] += y->hardens_bar[0][LANE(j)];
    }
}

/* Adjoint of p2g_yield: adds to the cotangents of F, hardening, e33 and constants. */
PIO_FN void p2g_yield_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    p2g_plastic y;
    const unsigned laws = p2g_load_plastic(&a->s, &a->matter, t, x, &y);
    if (HYPER_THIRD) {
        FULL_LANES(j)
        {
            const int law = y.law[0][LANE(j)], there = (law != PIO_ELASTIC) & (law != PIO_SNOW);
            const real trace = mat_trace(lane_mat(bar->tau, j));
            y.third_bar[0][LANE(j)] = there ? x->k[1][LANE(j)] * trace : R(0);
            y.lambda_bar[0][LANE(j)] = there ? y.third[0][LANE(j)] * trace : R(0);
        }
        if (a->bar.e33) lanes_add(a->bar.e33, a->matter.n, 1, t, y.third_bar);
        LANES (j, t->m)
            a->k_bar[field_at(a->matter.n, a->matter.constants, 1, x->id[0][LANE(j)])] += y.lambda_bar[0][LANE(j)];
    }
    if (laws >> PIO_SNOW & 1) p2g_snow_adj(a, t, x, bar, &y);
}

/* Adjoint of p2g_rest, after p2g_stress_adj. */
PIO_FN void p2g_rest_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    const unsigned laws = batch_laws(x);
    p2g_invariants_adj(a, laws, t, x, bar);
    if (laws & law_bit(PIO_HYPER_HENCKY)) p2g_hencky_adj(a, t, x, bar);
    if (laws & ~(lane_laws() | invariant_laws())) p2g_spectral_adj(a, t, x, bar);
    if (a->matter.channel) p2g_activation_adj(a, t, x, bar);
    if (a->matter.viscosity) p2g_viscous_adj(a, t, x, bar);
    if (a->matter.plasticity) p2g_yield_adj(a, t, x, bar);
}

#endif
