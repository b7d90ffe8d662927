/* mpm_stress.h -- the stress of the particles of a batch, and its adjoint: the laws of most scenes, which are computed
 * in all lanes, and each lane keeps what its own law gives. Other laws, and what is added to the stress, are in
 * mpm_stress_rest.h. */
#ifndef PIOLA_KERNELS_MPM_STRESS_H
#define PIOLA_KERNELS_MPM_STRESS_H

#include "kernels/mpm/mpm_p2g_args.h"
#include "kernels/mpm/mpm_team.h"

/* Returns the Kirchhoff stress of the law of stored particle p, Pa, which is number `id`; that of fibres is added where
 * there are any. C, 1/s, is read for fluids alone, whose viscosity needs it. The constants of the neo-Hookean law are
 * read where it is written out. */
PIO_FN mat particle_tau(const mpm_state *s, const mpm_matter *m, int p, int id, mat C)
{
    const int law = m->law[id];
    if (law_is_fluid(law)) return fluid_tau(law, s->J[p], C, matter_constants(m, id));
    const mat F = mat_load(s->F, m->n, p);
    if (law == PIO_HYPER_NEO_HOOKEAN) return mat_mul_t(neo_hookean_P(F, matter_lame_parameters(m, id)), F);
    return mat_mul_t(solid_P(law, F, matter_constants(m, id)), F);
}

/* Returns what plasticity adds to particle_tau of stored particle p, a plastic one, Pa. The stress does not depend on
 * the time step h. */
PIO_FN mat yield_tau(const mpm_state *s, const mpm_matter *m, int p, real h)
{
    const int id = s->id[p];
    const plastic_matter y = plastic_matter_of(m, id, h);
    return plastic_tau(m->plasticity[id], mat_load(s->F, m->n, p), s->e33 ? s->e33[p] : R(0), s->hardening[p], &y);
}

/* What p2g computes with, of each lane. */
typedef struct {
    int ids_together; /* 1: the ids of all lanes ascend by one */
    PER_LANE(int, id, 1);
    PER_LANE(int, law, 1);
    PER_LANE(real, mass, 1);            /* kg */
    PER_LANE(real, volume, 1);          /* m^3 */
    PER_LANE(real, k, FLUID_CONSTANTS); /* the first constants of the law */
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);        /* m/s */
    PER_LANE(real, C, DIM *DIM);   /* 1/s */
    PER_LANE(real, F, DIM *DIM);   /* where there are solids */
    PER_LANE(real, J, 1);          /* where there are fluids */
    PER_LANE(real, rot, DIM *DIM); /* rotation of F, where a law needs it */
    PER_LANE(int, more, 1);        /* steps of its iteration are left */
    PER_LANE(real, p, 1);          /* pressure of fluids, Pa */
    PER_LANE(real, tau, DIM *DIM); /* Pa */
    PER_LANE(real, own, DIM *DIM); /* that of a law, before the lanes choose: what is not computed for a choice is
                                    * rounded alike in every kernel */
    PER_LANE(real, b, QUAD);       /* the affine field, kg m/s; 0 beyond DIM */
    PER_LANE(real, B, DIM *DIM);
} p2g_lanes;

/* Returns the bits of the laws of a batch; on CUDA that of the own lane. */
PIO_FN unsigned batch_laws(p2g_lanes *x)
{
    unsigned laws = 0;
    FULL_LANES(j) laws |= law_bit(x->law[0][LANE(j)]);
    return laws;
}

/* Returns the first constants of lane j: mu and lambda of a solid, Pa, those of a fluid. */
PIO_FN law_constants p2g_constants(p2g_lanes *x, int j)
{
    law_constants k;
    PIO_UNROLL
    for (int c = 0; c < FLUID_CONSTANTS; c++) k.k[c] = x->k[c][LANE(j)];
    return k;
}

/* Loads of the particles of a batch what their stress depends on. */
PIO_FN void p2g_load(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    if (s->F) lanes_load(x->F, s->F, m->n, DIM * DIM, t);
    lanes_load_ids(x->id[0], s->id, t);
    x->ids_together = numbers_together(x->id[0], TEAM_LANES, m->n);
    if (m->one_law) {
        FULL_LANES(j) x->law[0][LANE(j)] = m->one_law - 1;
    } else {
        FULL_LANES(j) x->law[0][LANE(j)] = m->law[x->id[0][LANE(j)]];
    }
    if (m->constants == 2) {
        lanes_load_of(x->k, m->k, m->n, 2, x->id[0], x->ids_together);
        FULL_LANES(j) x->k[2][LANE(j)] = R(0);
        return;
    }
    FULL_LANES(j)
    {
        PIO_UNROLL
        for (int c = 0; c < FLUID_CONSTANTS; c++)
            x->k[c][LANE(j)] = c < m->constants ? m->k[field_at(m->n, m->constants, c, x->id[0][LANE(j)])] : R(0);
    }
}

/* Loads the rest, once their stress is set: on CUDA these would be registers of each lane meanwhile. */
PIO_FN void p2g_load_motion(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    lanes_load(x->f, s->offset, m->n, DIM, t);
    lanes_load(x->v, s->velocity, m->n, DIM, t);
    lanes_load(x->C, s->C, m->n, DIM * DIM, t);
    lanes_load_of(x->mass, m->mass, m->n, 1, x->id[0], x->ids_together);
    lanes_load_of(x->volume, m->volume, m->n, 1, x->id[0], x->ids_together);
}

/* Sets the rotations of F in the lanes of fixed corotated solids, as polar_rotation does: a lane that needs no more
 * steps keeps what it has. */
PIO_FN void p2g_rotations(p2g_lanes *x)
{
#if PIO_DIM == 2
    FULL_LANES(j) lane_mat_put(x->rot, j, polar_rotation(lane_mat(x->F, j)));
#else
    int left = 1;
    FULL_LANES(j)
    {
        lane_mat_put(x->rot, j, lane_mat(x->F, j));
        x->more[0][LANE(j)] = x->law[0][LANE(j)] == PIO_HYPER_FIXED_COROTATED;
    }
    for (int k = 0; k < POLAR_STEPS && left; k++) {
        left = 0;
        FULL_LANES(j)
        {
            const int on = x->more[0][LANE(j)];
            int more;
            const mat next = polar_step(lane_mat(x->rot, j), &more);
            lane_mat_choose(x->rot, j, on, next);
            x->more[0][LANE(j)] = on & more;
            left |= on & more;
        }
    }
    FULL_LANES(j) lane_mat_put(x->rot, j, polar_last(lane_mat(x->rot, j)));
#endif
}

/* Sets the stress of the lanes of solids whose law is computed in all of them; `laws` are those of the batch. */
PIO_FN void p2g_solid_stress(unsigned laws, p2g_lanes *x)
{
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j);
        lane_mat_put(x->tau, j, mat_mul_t(neo_hookean_P(F, p2g_constants(x, j)), F));
    }
    if (!(laws & law_bit(PIO_HYPER_FIXED_COROTATED))) return;
    p2g_rotations(x);
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j), P = fixed_corotated_P_of(F, lane_mat(x->rot, j), p2g_constants(x, j));
        lane_mat_put(x->own, j, mat_mul_t(P, F));
    }
    FULL_LANES(j)
    lane_mat_choose(x->tau, j, x->law[0][LANE(j)] == PIO_HYPER_FIXED_COROTATED, lane_mat(x->own, j));
}

/* Returns the constants of lane j as those of a law. */
PIO_FN hyper_constants p2g_all_constants(p2g_lanes *x, int j)
{
    hyper_constants k = constants_zero();
    PIO_UNROLL
    for (int c = 0; c < FLUID_CONSTANTS; c++) k.k[c] = x->k[c][LANE(j)];
    return k;
}

/* Loads J and C, and sets the pressure and the stress of the lanes of fluids. A power is computed lane by lane. */
PIO_FN void p2g_fluid_stress(const mpm_state *s, int n, unsigned laws, const lane_items *t, p2g_lanes *x)
{
    lanes_load(x->J, s->J, n, 1, t);
    lanes_load(x->C, s->C, n, DIM * DIM, t);
    FULL_LANES(j) x->p[0][LANE(j)] = x->k[0][LANE(j)] * (R(1) - x->J[0][LANE(j)]);
    if (laws & law_bit(PIO_TAIT)) {
        FULL_LANES(j)
        if (x->law[0][LANE(j)] == PIO_TAIT)
            x->p[0][LANE(j)] = fluid_pressure(PIO_TAIT, x->J[0][LANE(j)], p2g_all_constants(x, j));
    }
    FULL_LANES(j)
    {
        const mat tau = fluid_tau_of(x->J[0][LANE(j)], x->p[0][LANE(j)], lane_mat(x->C, j), x->k[2][LANE(j)]);
        lane_mat_put(x->own, j, tau);
    }
    FULL_LANES(j) lane_mat_choose(x->tau, j, law_is_fluid(x->law[0][LANE(j)]), lane_mat(x->own, j));
}

/* Sets the stress of the lanes whose law is computed in all of them. */
PIO_FN void p2g_stress(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    const unsigned laws = batch_laws(x);
    if (s->F) {
        p2g_solid_stress(laws, x);
    } else {
        FULL_LANES(j) lane_mat_put(x->tau, j, mat_diag(R(0)));
    }
    if (s->J && laws & (law_bit(PIO_LINEAR_FLUID) | law_bit(PIO_TAIT))) p2g_fluid_stress(s, m->n, laws, t, x);
}

/* ---- adjoint ---- */

/* The cotangents of each lane. */
typedef struct {
    PER_LANE(real, b, DIM);
    PER_LANE(real, B, DIM *DIM);
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);
    PER_LANE(real, C, DIM *DIM);
    PER_LANE(real, F, DIM *DIM); /* where there are solids */
    PER_LANE(real, tau, DIM *DIM);
    PER_LANE(real, k, FLUID_CONSTANTS);
    PER_LANE(real, J, 1);          /* where there are fluids; 0 for solids */
    PER_LANE(real, own, DIM *DIM); /* of a law, before the lanes choose: of F of a solid, of C of a fluid */
    PER_LANE(real, k_own, FLUID_CONSTANTS);
    PER_LANE(real, mass, 1);
} p2g_bar;

/* Sets the cotangents of the constants of lane j to those of a law where `there` is 1. */
PIO_FN void p2g_choose_constants(p2g_bar *bar, int j, int there)
{
    PIO_UNROLL
    for (int c = 0; c < FLUID_CONSTANTS; c++) {
        const real old = bar->k[c][LANE(j)], own = bar->k_own[c][LANE(j)];
        bar->k[c][LANE(j)] = there ? own : old;
    }
}

/* Adjoint of p2g_solid_stress: sets the cotangents of F and of the constants. */
PIO_FN void p2g_solid_adj(unsigned laws, p2g_lanes *x, p2g_bar *bar)
{
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j);
        const law_constants k = p2g_constants(x, j);
        law_constants k_bar;
        k_bar.k[0] = k_bar.k[1] = k_bar.k[2] = R(0);
        lane_mat_put(bar->F, j, neo_hookean_tau_adj(F, k, neo_hookean_P(F, k), lane_mat(bar->tau, j), &k_bar));
        PIO_UNROLL
        for (int c = 0; c < FLUID_CONSTANTS; c++) bar->k[c][LANE(j)] = k_bar.k[c];
    }
    if (!(laws & law_bit(PIO_HYPER_FIXED_COROTATED))) return;
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j), rot = lane_mat(x->rot, j);
        law_constants k_bar;
        k_bar.k[0] = k_bar.k[1] = k_bar.k[2] = R(0);
        lane_mat_put(bar->own, j, fixed_corotated_tau_adj(F, rot, p2g_constants(x, j), lane_mat(bar->tau, j), &k_bar));
        PIO_UNROLL
        for (int c = 0; c < FLUID_CONSTANTS; c++) bar->k_own[c][LANE(j)] = k_bar.k[c];
    }
    FULL_LANES(j)
    lane_mat_choose(bar->F, j, x->law[0][LANE(j)] == PIO_HYPER_FIXED_COROTATED, lane_mat(bar->own, j));
    FULL_LANES(j) p2g_choose_constants(bar, j, x->law[0][LANE(j)] == PIO_HYPER_FIXED_COROTATED);
}

/* Adjoint of p2g_fluid_stress, fluid_tau_adj in the lanes: sets the cotangents of J, of the constants, and `own`, that
 * of C. */
PIO_FN void p2g_fluid_adj(unsigned laws, p2g_lanes *x, p2g_bar *bar)
{
    FULL_LANES(j)
    {
        const real linear = x->law[0][LANE(j)] == PIO_LINEAR_FLUID ? R(1) : R(0);
        const mat C = lane_mat(x->C, j), tau_bar = lane_mat(bar->tau, j);
        const mat D = mat_axpby(R(1), C, R(1), mat_transpose(C));
        const mat both = mat_axpby(R(1), tau_bar, R(1), mat_transpose(tau_bar));
        const real J = x->J[0][LANE(j)], eta = x->k[2][LANE(j)], trace = mat_trace(tau_bar),
                   shear = mat_ddot(D, tau_bar);
        const real p_bar = -J * trace, J_bar = eta * shear - x->p[0][LANE(j)] * trace;
        lane_mat_put(bar->own, j, mat_scale(J * eta, both));
        bar->J[0][LANE(j)] = J_bar - linear * x->k[0][LANE(j)] * p_bar;
        bar->k_own[0][LANE(j)] = linear * (R(1) - J) * p_bar;
        bar->k_own[1][LANE(j)] = R(0);
        bar->k_own[2][LANE(j)] = J * shear;
    }
    FULL_LANES(j) lane_mat_choose(bar->own, j, !law_is_fluid(x->law[0][LANE(j)]), mat_diag(R(0)));
    FULL_LANES(j) p2g_choose_constants(bar, j, law_is_fluid(x->law[0][LANE(j)]));
    FULL_LANES(j)
    {
        const real J_bar = bar->J[0][LANE(j)];
        bar->J[0][LANE(j)] = law_is_fluid(x->law[0][LANE(j)]) ? J_bar : R(0);
    }
    if (!(laws & law_bit(PIO_TAIT))) return;
    FULL_LANES(j)
    {
        if (x->law[0][LANE(j)] != PIO_TAIT) continue;
        const real J = x->J[0][LANE(j)], p_bar = -J * mat_trace(lane_mat(bar->tau, j));
        hyper_constants k_bar = constants_zero();
        real J_bar = R(0);
        fluid_pressure_adj(PIO_TAIT, J, p2g_all_constants(x, j), p_bar, &J_bar, &k_bar);
        bar->J[0][LANE(j)] += J_bar;
        bar->k[0][LANE(j)] += k_bar.k[0];
        bar->k[1][LANE(j)] += k_bar.k[1];
    }
}

/* Adds the cotangents of constants of the lanes whose law is computed in all of them. */
PIO_FN void p2g_constants_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    const int constants = a->matter.constants < FLUID_CONSTANTS ? a->matter.constants : FLUID_CONSTANTS;
    LANES (j, t->m) {
        if (!(law_bit(x->law[0][LANE(j)]) & lane_laws())) continue;
        for (int c = 0; c < constants; c++)
            a->k_bar[field_at(a->matter.n, a->matter.constants, c, x->id[0][LANE(j)])] += bar->k[c][LANE(j)];
    }
}

/* Adjoint of p2g_stress: sets or adds to the cotangents of what the stress of the lanes depends on. */
PIO_FN void p2g_stress_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    const unsigned laws = batch_laws(x), fluids = law_bit(PIO_LINEAR_FLUID) | law_bit(PIO_TAIT);
    if (a->s.F) p2g_solid_adj(laws, x, bar);
    if (a->s.J && laws & fluids) {
        if (!a->s.F) {
            FULL_LANES(j) bar->k[0][LANE(j)] = bar->k[1][LANE(j)] = bar->k[2][LANE(j)] = R(0);
        }
        p2g_fluid_adj(laws, x, bar);
        lanes_add(a->bar.J, a->matter.n, 1, t, bar->J);
        lanes_add(a->bar.C, a->matter.n, DIM * DIM, t, bar->own);
    }
    if (a->s.F && laws & fluids) {
        FULL_LANES(j) lane_mat_choose(bar->F, j, law_is_fluid(x->law[0][LANE(j)]), mat_diag(R(0)));
    }
    p2g_constants_adj(a, t, x, bar);
}

#endif
