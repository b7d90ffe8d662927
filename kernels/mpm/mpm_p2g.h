/* mpm_p2g.h -- particles to grid, and its adjoint. MLS-MPM with APIC (Hu et al. 2018, eq. 29; Jiang et al. 2015):
 *
 *     A_p = m_p C_p - h V_p (4/dx^2) tau_p                                            [kg/s]
 *     m_i = sum_p w_ip m_p,    p_i = sum_p w_ip (m_p v_p + A_p (x_i - x_p))           [kg], [kg m/s]
 *
 * In units of the grid, x_i - x_p = dx (o - f): an affine field b + B o with B = dx A_p, b = m_p v_p - B f. A cell sums
 * its particles, in the order of ids, into its own 3^d nodes; then each node sums its 3^d cells in a fixed order. */
#ifndef PIOLA_KERNELS_MPM_P2G_H
#define PIOLA_KERNELS_MPM_P2G_H

#include "kernels/mpm/mpm_p2g_args.h"
#include "kernels/mpm/mpm_sort.h"
#include "kernels/mpm/mpm_transfer.h"

typedef struct {
    transfer_batch t;
} mpm_p2g_shared;

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

/* Adds a stress tau, Pa, of stored particle p, which is j of the batch, to its affine field:  B += (stress V) tau, b -=
 * (stress V) tau f,  with `stress` -4 h/dx. */
PIO_FN void p2g_add(const mpm_p2g_args *a, transfer_batch *t, int j, int p, real stress, mat tau)
{
    const mat B = mat_scale(stress * a->matter.volume[a->s.id[p]], tau);
    const vec b = mat_apply(B, vec_load(a->s.offset, a->matter.n, p));
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        t->b[j][c] -= b.x[c];
        PIO_UNROLL
        for (int d = 0; d < DIM; d++) t->B[j][c][d] += B.m[c][d];
    }
}

/* Adds the stress of its fibres, fibre_tau, to the affine field of stored particle p, which is j of the batch. */
PIO_FN void p2g_activate(const mpm_p2g_args *a, transfer_batch *t, int j, int p, real stress)
{
    const int n = a->matter.n, channel = a->matter.channel[a->s.id[p]];
    if (channel < 0) return;
    const vec fibre = vec_load(a->matter.fibre, a->matter.channels, channel);
    p2g_add(a, t, j, p, stress, fibre_tau(mat_load(a->s.F, n, p), fibre, a->matter.activation[channel]));
}

/* Returns by what factor plastic flow has opened or packed stored particle p: its volume is det F times this. It is 1
 * for one that is not plastic. */
PIO_FN real p2g_swelling(const mpm_state *s, const mpm_matter *m, int p)
{
    const int plastic = m->plasticity ? m->plasticity[s->id[p]] : PIO_ELASTIC;
    if (plastic == PIO_ELASTIC) return R(1);
    return exp(plastic_log_volume(plastic, s->e33 ? s->e33[p] : R(0), s->hardening[p]));
}

/* Adds the viscous stress of a solid to the affine field of stored particle p, which is j of the batch; eta is
 * multiplied by the swelling, since its J is that of the volume. */
PIO_FN void p2g_viscous(const mpm_p2g_args *a, transfer_batch *t, int j, int p, real stress)
{
    const int n = a->matter.n, id = a->s.id[p];
    if (law_is_fluid(a->matter.law[id])) return;
    const real eta = a->matter.viscosity[id] * p2g_swelling(&a->s, &a->matter, p);
    p2g_add(a, t, j, p, stress, viscous_tau(mat_load(a->s.F, n, p), mat_load(a->s.C, n, p), eta));
}

/* Adds yield_tau to the affine field of stored particle p, which is j of the batch. In 3D only that of snow is not
 * 0. */
PIO_FN void p2g_yield(const mpm_p2g_args *a, transfer_batch *t, int j, int p, real stress)
{
    const int plastic = a->matter.plasticity[a->s.id[p]];
    if (plastic == PIO_ELASTIC || (plastic != PIO_SNOW && !HYPER_THIRD)) return;
    p2g_add(a, t, j, p, stress, yield_tau(&a->s, &a->matter, p, a->step->h));
}

/* Sets the contribution of occupied cell number `slot` to its nodes: a particle for each lane, then a node for each
 * lane. */
PIO_FN void mpm_p2g(int slot, mpm_p2g_shared *sh, const mpm_p2g_args *a)
{
    const int cell = a->l.cell_list[slot], n = a->matter.n, end = a->l.start[cell + 1];
    const real stress = -a->step->h * R(4) * a->box.inv_dx;
    PER_LANE(real, sum, DIM + 1);
    LANES (q, STENCIL_PAD)
        for (int c = 0; c <= DIM; c++) sum[c][LANE(q)] = R(0);
    for (int first = a->l.start[cell]; first < end; first += TEAM_LANES) {
        const int m = end - first < TEAM_LANES ? end - first : TEAM_LANES;
        LANES (j, m) {
            const int p = a->l.order[first + j], id = a->s.id[p];
            const vec f = vec_load(a->s.offset, n, p), v = vec_load(a->s.velocity, n, p);
            const mat C = mat_load(a->s.C, n, p);
            const mat tau = particle_tau(&a->s, &a->matter, p, id, C);
            const real mass = a->matter.mass[id];
            const mat B = mat_axpby(mass * a->box.dx, C, stress * a->matter.volume[id], tau);
            batch_put(&sh->t, j, f, vec_axpby(mass, v, R(-1), mat_apply(B, f)), B, mass);
        }
        if (a->matter.channel) { /* a lane has the same particles as above */
            LANES (j, m) p2g_activate(a, &sh->t, j, a->l.order[first + j], stress);
        }
        if (a->matter.viscosity) {
            LANES (j, m) p2g_viscous(a, &sh->t, j, a->l.order[first + j], stress);
        }
        if (a->matter.plasticity) {
            LANES (j, m) p2g_yield(a, &sh->t, j, a->l.order[first + j], stress);
        }
        TEAM_SYNC();
        for (int j = 0; j < m; j++)
            LANES (q, STENCIL_PAD) {
                const real w = lane_weight(q, sh->t.f[j]);
                sum[0][LANE(q)] += w * sh->t.m[j];
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) sum[1 + c][LANE(q)] += w * batch_field(&sh->t, j, c, q);
            }
        TEAM_SYNC();
    }
    real *out = a->sums + (ptrdiff_t)slot * (DIM + 1) * STENCIL_PAD;
    LANES (q, STENCIL_PAD)
        for (int c = 0; c <= DIM; c++) out[c * STENCIL_PAD + q] = sum[c][LANE(q)];
}

/* Sets the sums of a node, [components][nodes], over its cells in the order of q; `components` is a constant at both
 * calls, so that the compiler can unroll. */
PIO_FN void node_sum(const mpm_node_sum_args *a, int node, const int components)
{
    int index[DIM], most[3] = {0, 0, 0};
    node_index(&a->box, node, index);
    for (int c = 0; c < DIM; c++) most[3 - DIM + c] = index[c] < 2 ? index[c] : 2; /* cells exist from base 0 on */
    real sum[DIM + 1];
    for (int c = 0; c < components; c++) sum[c] = R(0);
    for (int i = 0; i <= most[0]; i++)
        for (int j = 0; j <= most[1]; j++) {
            const int row = node - i * (DIM == 3 ? a->box.stride[0] : 0) - j * a->box.stride[DIM - 2];
            for (int k = 0; k <= most[2]; k++) {
                const int slot = a->l.cell_slot[row - k];
                if (a->l.cell_slot[row - k + 1] == slot) continue;
                const real *in = a->sums + (ptrdiff_t)slot * components * STENCIL_PAD + 9 * i + 3 * j + k;
                for (int c = 0; c < components; c++) sum[c] += in[c * STENCIL_PAD];
            }
        }
    for (int c = 0; c < components; c++) a->out[field_at(a->nodes, components, c, node)] = sum[c];
}

/* Sets the sums of active node i over the contributions of its cells. */
PIO_FN void mpm_node_sum(int i, const mpm_node_sum_args *a)
{
    if (a->components == DIM + 1)
        node_sum(a, a->l.node_list[i], DIM + 1);
    else
        node_sum(a, a->l.node_list[i], DIM);
}

/* ---- adjoint: one cell reads the cotangents of its nodes; each particle adds to its own ------------------------
 *     b_bar = sum_o w_o p_bar_o,  B_bar = sum_o w_o p_bar_o o^T - b_bar f^T
 *     v_bar += m b_bar;  C_bar += m dx B_bar;  tau_bar = -h V (4/dx) B_bar
 *     m_bar += sum_o w_o m_bar_o + b_bar . v + dx B_bar : C
 *     f_bar += slope(p_bar, m_bar; b, B) - B^T b_bar */

typedef struct {
    node_vectors y;
    real z[STENCIL_PAD];
} mpm_p2g_adj_shared;

/* Adds to the cotangents of offset, v, C, F or J, mass and constants of stored particle p, by the formulas above; what
 * fibres, viscosity and plasticity add to tau has adjoints of its own. sh has those of the nodes. */
PIO_FN void p2g_particle_adj(const mpm_p2g_adj_args *a, const mpm_p2g_adj_shared *sh, int p)
{
    const int n = a->matter.n, id = a->s.id[p], law = a->matter.law[id];
    const real stress = -a->step->h * R(4) * a->box.inv_dx * a->matter.volume[id], mass = a->matter.mass[id];
    const vec f = vec_load(a->s.offset, n, p), v = vec_load(a->s.velocity, n, p);
    const mat C = mat_load(a->s.C, n, p);
    const hyper_constants k = matter_constants(&a->matter, id);
    const mat B = mat_axpby(mass * a->box.dx, C, stress, particle_tau(&a->s, &a->matter, p, id, C));
    const vec b = vec_axpby(mass, v, R(-1), mat_apply(B, f));
    const spline w = spline_at(f);

    vec b_bar;
    mat B_bar;
    stencil_moments(&sh->y, &w, &b_bar, &B_bar);
    B_bar = mat_axpby(R(1), B_bar, R(-1), mat_outer(b_bar, f));
    const vec slope = stencil_slope(&sh->y, sh->z, mass, &w, b, B);
    const vec f_bar = vec_axpby(R(1), slope, R(-1), mat_t_apply(B, b_bar));

    real m_bar = vec_dot(b_bar, v) + a->box.dx * mat_ddot(B_bar, C);
    for (int q = 0; q < STENCIL; q++) {
#if PIO_DIM == 3
        m_bar += w.w[0][q / 9] * w.w[1][q / 3 % 3] * w.w[2][q % 3] * sh->z[q];
#else
        m_bar += w.w[0][q / 3] * w.w[1][q % 3] * sh->z[q];
#endif
    }

    mat C_bar = mat_scale(mass * a->box.dx, B_bar);
    const mat tau_bar = mat_scale(stress, B_bar);
    hyper_constants k_bar = constants_zero();
    if (law_is_fluid(law)) {
        fluid_state x, x_bar;
        x.J = a->s.J[p];
        x.C = C;
        x_bar.J = a->bar.J[p];
        x_bar.C = C_bar;
        fluid_tau_adj(law, x, k, tau_bar, &x_bar, &k_bar);
        a->bar.J[p] = x_bar.J;
        C_bar = x_bar.C;
    } else {
        mat F_bar = mat_load(a->bar.F, n, p);
        const mat F = mat_load(a->s.F, n, p);
        solid_tau_adj(law, F, k, solid_P(law, F, k), tau_bar, &F_bar, &k_bar);
        mat_store(a->bar.F, n, p, F_bar);
    }
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), vec_load(a->bar.offset, n, p), R(1), f_bar));
    vec_store(a->bar.velocity, n, p, vec_axpby(R(1), vec_load(a->bar.velocity, n, p), mass, b_bar));
    mat_store(a->bar.C, n, p, mat_axpby(R(1), mat_load(a->bar.C, n, p), R(1), C_bar));
    a->mass_bar[id] += m_bar;
    constants_add(a->k_bar, n, a->matter.constants, id, k_bar);
}

/* Adjoint of p2g_add: returns tau_bar, J's unit per Pa, and adds to the cotangent of the offset of stored particle p.
 * The contribution of tau is B, b = -B f, without mass and motion. */
PIO_FN mat p2g_add_adj(const mpm_p2g_adj_args *a, const mpm_p2g_adj_shared *sh, int p, mat tau)
{
    const int n = a->matter.n;
    const real stress = -a->step->h * R(4) * a->box.inv_dx * a->matter.volume[a->s.id[p]];
    const vec f = vec_load(a->s.offset, n, p);
    const mat B = mat_scale(stress, tau);
    const spline w = spline_at(f);
    vec b_bar;
    mat B_bar;
    stencil_moments(&sh->y, &w, &b_bar, &B_bar);
    B_bar = mat_axpby(R(1), B_bar, R(-1), mat_outer(b_bar, f));
    const vec slope = stencil_slope(&sh->y, NULL, R(0), &w, vec_scale(R(-1), mat_apply(B, f)), B);
    const vec f_bar = vec_axpby(R(1), slope, R(-1), mat_t_apply(B, b_bar));
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), vec_load(a->bar.offset, n, p), R(1), f_bar));
    return mat_scale(stress, B_bar);
}

/* Adjoint of p2g_activate for stored particle p: adds to the cotangents of its offset and F, and sets that of its
 * activation. */
PIO_FN void p2g_activate_adj(const mpm_p2g_adj_args *a, const mpm_p2g_adj_shared *sh, int p)
{
    const int n = a->matter.n, id = a->s.id[p], channel = a->matter.channel[id];
    if (channel < 0) return;
    const vec fibre = vec_load(a->matter.fibre, a->matter.channels, channel);
    const real act = a->matter.activation[channel];
    const mat F = mat_load(a->s.F, n, p), tau_bar = p2g_add_adj(a, sh, p, fibre_tau(F, fibre, act));
    mat F_bar = mat_load(a->bar.F, n, p);
    a->activation_bar[id] = fibre_tau_adj(F, fibre, act, tau_bar, &F_bar);
    mat_store(a->bar.F, n, p, F_bar);
}

/* Adjoint of ln p2g_swelling for stored particle p: adds to the cotangents of its hardening and e33; log_bar is dJ/d of
 * that logarithm. */
PIO_FN void p2g_swelling_adj(const mpm_p2g_adj_args *a, int p, real log_bar)
{
    const int plastic = a->matter.plasticity ? a->matter.plasticity[a->s.id[p]] : PIO_ELASTIC;
    real third_bar = R(0), a_bar = R(0);
    if (plastic == PIO_ELASTIC) return;
    plastic_log_volume_adj(plastic, log_bar, &third_bar, &a_bar);
    if (a->bar.e33) a->bar.e33[p] += third_bar;
    a->bar.hardening[p] += a_bar;
}

/* Adjoint of p2g_viscous for stored particle p: adds to the cotangents of its offset, F, C and viscosity, and of its
 * hardening and e33 through the swelling. */
PIO_FN void p2g_viscous_adj(const mpm_p2g_adj_args *a, const mpm_p2g_adj_shared *sh, int p)
{
    const int n = a->matter.n, id = a->s.id[p];
    if (law_is_fluid(a->matter.law[id])) return;
    const real swelling = p2g_swelling(&a->s, &a->matter, p), eta = a->matter.viscosity[id] * swelling;
    const mat F = mat_load(a->s.F, n, p), C = mat_load(a->s.C, n, p);
    const mat tau_bar = p2g_add_adj(a, sh, p, viscous_tau(F, C, eta));
    mat F_bar = mat_load(a->bar.F, n, p), C_bar = mat_load(a->bar.C, n, p);
    const real eta_bar = viscous_tau_adj(F, C, eta, tau_bar, &F_bar, &C_bar);
    a->viscosity_bar[id] += swelling * eta_bar;
    p2g_swelling_adj(a, p, eta * eta_bar);
    mat_store(a->bar.F, n, p, F_bar);
    mat_store(a->bar.C, n, p, C_bar);
}

/* Adjoint of p2g_yield for stored particle p: adds to the cotangents of its offset, F, hardening, e33 and constants. */
PIO_FN void p2g_yield_adj(const mpm_p2g_adj_args *a, const mpm_p2g_adj_shared *sh, int p)
{
    const mpm_matter *m = &a->matter;
    const int n = m->n, id = a->s.id[p], plastic = m->plasticity[id];
    if (plastic == PIO_ELASTIC || (plastic != PIO_SNOW && !HYPER_THIRD)) return;
    const plastic_matter y = plastic_matter_of(m, id, a->step->h);
    const mat F = mat_load(a->s.F, n, p), tau_bar = p2g_add_adj(a, sh, p, yield_tau(&a->s, m, p, a->step->h));
    plastic_matter y_bar = plastic_matter_zero();
    plastic_strain x, x_bar;
    x.F = F;
    x.third = a->s.e33 ? a->s.e33[p] : R(0);
    x.a = a->s.hardening[p];
    x_bar.F = mat_load(a->bar.F, n, p);
    x_bar.third = a->bar.e33 ? a->bar.e33[p] : R(0);
    x_bar.a = a->bar.hardening[p];
    plastic_tau_adj(plastic, x, &y, tau_bar, &x_bar, &y_bar);
    mat_store(a->bar.F, n, p, x_bar.F);
    a->bar.hardening[p] = x_bar.a;
    if (a->bar.e33) a->bar.e33[p] = x_bar.third;
    plastic_matter_add(m, id, &y_bar, a->k_bar, a->yield_bar);
}

/* Adds the cotangents of the particles of occupied cell number `slot`, which reads those of its nodes. */
PIO_FN void mpm_p2g_adj(int slot, mpm_p2g_adj_shared *sh, const mpm_p2g_adj_args *a)
{
    const int cell = a->l.cell_list[slot], first = a->l.start[cell], end = a->l.start[cell + 1];
    LANES (q, STENCIL) {
        const int node = cell + stencil_node(&a->box, q);
        sh->z[q] = a->node_bar[field_at(a->nodes, DIM + 1, 0, node)];
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) sh->y.y[c][q] = a->node_bar[field_at(a->nodes, DIM + 1, 1 + c, node)];
    }
    TEAM_SYNC();
    LANES (j, end - first) p2g_particle_adj(a, sh, a->l.order[first + j]);
    if (a->matter.channel) {
        LANES (j, end - first) p2g_activate_adj(a, sh, a->l.order[first + j]);
    }
    if (a->matter.viscosity) {
        LANES (j, end - first) p2g_viscous_adj(a, sh, a->l.order[first + j]);
    }
    if (a->matter.plasticity) {
        LANES (j, end - first) p2g_yield_adj(a, sh, a->l.order[first + j]);
    }
}

#endif
