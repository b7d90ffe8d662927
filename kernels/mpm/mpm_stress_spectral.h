/* mpm_stress_spectral.h -- the stress of solids by their principal stretches, Ogden's law, and Hencky's beyond the
 * reach of its series, and its adjoint: spectral_P and spectral_dP of hyperelastic_spectral.h, on a CPU in all lanes
 * of a batch. With F = U diag(sigma) V^T and e_i = ln sigma_i,
 *     tau = U diag(tau_i(e)) U^T,   F_bar = tau_bar^T P + U B V^T,   A = U^T tau_bar F V
 * where B is that of the head of hyperelastic_spectral.h for this A. */
#ifndef PIOLA_KERNELS_MPM_STRESS_SPECTRAL_H
#define PIOLA_KERNELS_MPM_STRESS_SPECTRAL_H

#include "kernels/mpm/mpm_stress_invariants.h"

/* Returns 1 where the stress of lane j is not set by p2g_stress or p2g_invariants, nor within reach of p2g_hencky. */
PIO_FN int p2g_is_spectral(p2g_lanes *x, int j)
{
    const int law = x->law[0][LANE(j)], other = !(law_bit(law) & (lane_laws() | invariant_laws()));
    return other & ((law != PIO_HYPER_HENCKY) | x->more[0][LANE(j)]);
}

/* Lanes that are threads compute side by side anyhow, and for dual numbers a law has no principal directions. */
#if PIO_LANE_LOOPS && !defined(PIO_DUAL)

/* What these lanes compute with. */
typedef struct {
    int quadratic;                        /* 1: the volumetric energy of some lanes is the quadratic one */
    PER_LANE(int, there, 1);              /* the lane's law is one of these */
    PER_LANE(real, kappa, 1);             /* of that energy, Pa, and 0 in k; 0 in other lanes */
    PER_LANE(real, k, PIO_LAW_CONSTANTS); /* constants of the law */
    PER_LANE(real, k_bar, PIO_LAW_CONSTANTS);
    PER_LANE(real, U, DIM *DIM); /* F V, and then U */
    PER_LANE(real, V, DIM *DIM);
    PER_LANE(real, sigma, DIM);
    PER_LANE(real, e, DIM);
    PER_LANE(real, J, 1);
    PER_LANE(real, t, DIM);       /* tau_i, Pa */
    PER_LANE(real, dt, DIM *DIM); /* dtau_i/de_j, Pa */
    PER_LANE(real, q, DIM *DIM);  /* of principal_stress, Pa */
    PER_LANE(real, A, DIM *DIM);
    PER_LANE(real, B, DIM *DIM);
} spectral_lanes;

/* Returns the constants of lane j. */
PIO_FN hyper_constants spectral_constants(spectral_lanes *y, int j)
{
    hyper_constants k;
    PIO_UNROLL_ALL
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k.k[c] = y->k[c][LANE(j)];
    return k;
}

/* Sets which lanes of a batch these laws have, and their constants; returns 0 where there are none. */
PIO_FN int spectral_load(const mpm_matter *m, p2g_lanes *x, spectral_lanes *y)
{
    int any = 0, quadratic = 0;
    FULL_LANES(j)
    {
        const int there = p2g_is_spectral(x, j);
        y->there[0][LANE(j)] = there;
        any |= there;
        quadratic |= there & hyper_is_quadratic(x->law[0][LANE(j)]);
    }
    y->quadratic = quadratic;
    if (!any) return 0;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) {
        if (c < m->constants) {
            FULL_LANES(j) y->k[c][LANE(j)] = m->k[field_at(m->n, m->constants, c, x->id[0][LANE(j)])];
        } else {
            FULL_LANES(j) y->k[c][LANE(j)] = R(0);
        }
    }
    if (!quadratic) return 1;
    FULL_LANES(j)
    {
        const int own = !hyper_is_quadratic(x->law[0][LANE(j)]);
        const real kappa = y->k[4][LANE(j)];
        y->kappa[0][LANE(j)] = own ? R(0) : kappa;
        y->k[4][LANE(j)] = own ? kappa : R(0);
    }
    return 1;
}

/* Sets the decomposition of F in the lanes, its logarithms and J. */
PIO_FN void spectral_turns(p2g_lanes *x, spectral_lanes *y)
{
    int left = 1;
    FULL_LANES(j)
    {
        lane_mat_put(y->U, j, lane_mat(x->F, j));
        lane_mat_put(y->V, j, mat_diag(R(1)));
    }
    for (int sweep = 0; sweep < SVD_SWEEPS && left; sweep++) {
        left = 0;
        FULL_LANES(j)
        {
            mat G = lane_mat(y->U, j), V = lane_mat(y->V, j);
            const int turned = svd_sweep(&G, &V);
            lane_mat_put(y->U, j, G);
            lane_mat_put(y->V, j, V);
            left |= turned & y->there[0][LANE(j)];
        }
    }
    FULL_LANES(j)
    {
        const mat_svd s = svd_end(lane_mat(y->U, j), lane_mat(y->V, j));
        const mat F = lane_mat(x->F, j);
        lane_mat_put(y->U, j, s.U);
        lane_vec_put(y->sigma, j, s.sigma);
        y->J[0][LANE(j)] = mat_det(F, mat_cofactor(F));
    }
    for (int c = 0; c < DIM; c++) {
        FULL_LANES(j) y->e[c][LANE(j)] = real_log(y->sigma[c][LANE(j)]);
    }
}

/* Sets tau_i of the lanes: Ogden's, or Hencky's where a lane's law is that. */
PIO_FN void spectral_tau(p2g_lanes *x, spectral_lanes *y)
{
    FULL_LANES(j) lane_vec_put(y->t, j, ogden_tau(lane_vec(y->e, j), y->J[0][LANE(j)], spectral_constants(y, j)));
    FULL_LANES(j)
    {
        const vec t = hencky_tau(lane_vec(y->e, j), spectral_constants(y, j));
        const int hencky = x->law[0][LANE(j)] == PIO_HYPER_HENCKY;
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) {
            const real ogden = y->t[i][LANE(j)];
            y->t[i][LANE(j)] = hencky ? t.x[i] : ogden;
        }
    }
}

/* Adds to tau_i what the quadratic energy contributes in the lanes that have it. */
PIO_FN void spectral_quadratic_tau(p2g_lanes *x, spectral_lanes *y)
{
    FULL_LANES(j)
    {
        const int there = hyper_is_quadratic(x->law[0][LANE(j)]);
        const real more = quadratic_tau(y->kappa[0][LANE(j)], y->J[0][LANE(j)]);
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) {
            const real own = y->t[i][LANE(j)];
            y->t[i][LANE(j)] = there ? own + more : own;
        }
    }
}

/* Adds the same to dtau_i/de_j. */
PIO_FN void spectral_quadratic_slopes(p2g_lanes *x, spectral_lanes *y)
{
    FULL_LANES(j)
    {
        const int there = hyper_is_quadratic(x->law[0][LANE(j)]);
        const real more = quadratic_slope(y->kappa[0][LANE(j)], y->J[0][LANE(j)]);
        PIO_UNROLL
        for (int n = 0; n < DIM * DIM; n++) {
            const real own = y->dt[n][LANE(j)];
            y->dt[n][LANE(j)] = there ? own + more : own;
        }
    }
}

/* Sets the stress of these lanes, Pa. */
PIO_FN void p2g_spectral(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    spectral_lanes y;
    (void)s, (void)t;
    if (!spectral_load(m, x, &y)) return;
    spectral_turns(x, &y);
    spectral_tau(x, &y);
    if (y.quadratic) spectral_quadratic_tau(x, &y);
    FULL_LANES(j)
    {
        const mat U = lane_mat(y.U, j);
        lane_mat_put(x->own, j, mat_mul_t(mat_mul(U, mat_diagonal(lane_vec(y.t, j))), U));
    }
    FULL_LANES(j) lane_mat_choose(x->tau, j, y.there[0][LANE(j)], lane_mat(x->own, j));
}

/* Sets the quotient of i and j in the lanes as Ogden's law has it; the numbers are known to the compiler. */
PIO_FN void spectral_quotient(spectral_lanes *y, const int i, const int j)
{
    FULL_LANES(k)
    {
        const real q = ogden_quotient(lane_vec(y->e, k), i, j, spectral_constants(y, k));
        y->q[DIM * i + j][LANE(k)] = y->q[DIM * j + i][LANE(k)] = q;
    }
}

/* Sets dtau_i/de_j and the quotients of the lanes. */
PIO_FN void spectral_slopes(p2g_lanes *x, spectral_lanes *y)
{
    FULL_LANES(j) lane_mat_put(y->q, j, mat_diag(R(0)));
    FULL_LANES(j)
    lane_mat_put(y->dt, j, ogden_slopes(lane_vec(y->e, j), y->J[0][LANE(j)], spectral_constants(y, j)));
    spectral_quotient(y, 0, 1);
    if (DIM == 3) spectral_quotient(y, 0, DIM - 1);
    if (DIM == 3) spectral_quotient(y, 1, DIM - 1);
    FULL_LANES(j)
    lane_mat_choose(y->dt, j, x->law[0][LANE(j)] == PIO_HYPER_HENCKY,
                    hencky_stress(lane_vec(y->e, j), spectral_constants(y, j)).dt);
    FULL_LANES(j)
    lane_mat_choose(y->q, j, x->law[0][LANE(j)] == PIO_HYPER_HENCKY,
                    hencky_stress(lane_vec(y->e, j), spectral_constants(y, j)).q);
}

/* Sets A of the lanes, and B. */
PIO_FN void spectral_applied(p2g_lanes *x, p2g_bar *bar, spectral_lanes *y)
{
    FULL_LANES(j)
    {
        const mat P_bar = mat_mul(lane_mat(bar->tau, j), lane_mat(x->F, j));
        lane_mat_put(y->A, j, mat_t_mul(lane_mat(y->U, j), mat_mul(P_bar, lane_mat(y->V, j))));
    }
    FULL_LANES(j)
    {
        principal_stress p;
        p.t = lane_vec(y->t, j);
        p.dt = lane_mat(y->dt, j);
        p.q = lane_mat(y->q, j);
        const spectral_numbers n = spectral_numbers_of(lane_vec(y->sigma, j), lane_vec(y->e, j), &p);
        lane_mat_put(y->B, j, spectral_B(&n, lane_mat(y->A, j)));
    }
}

/* Sets the cotangents of the constants of the lanes. */
PIO_FN void spectral_lane_constants(p2g_lanes *x, spectral_lanes *y)
{
    FULL_LANES(j)
    {
        const mat A = lane_mat(y->A, j);
        hyper_constants k_bar;
        vec w;
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) w.x[i] = A.m[i][i] / y->sigma[i][LANE(j)];
        k_bar.k[0] = k_bar.k[1] = k_bar.k[2] = k_bar.k[3] = k_bar.k[4] = R(0);
        ogden_constants(lane_vec(y->e, j), y->J[0][LANE(j)], w, spectral_constants(y, j), &k_bar);
        PIO_UNROLL_ALL
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) y->k_bar[c][LANE(j)] = k_bar.k[c];
    }
    FULL_LANES(j)
    {
        const mat A = lane_mat(y->A, j);
        const int hencky = x->law[0][LANE(j)] == PIO_HYPER_HENCKY;
        hyper_constants k_bar;
        vec w;
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) w.x[i] = A.m[i][i] / y->sigma[i][LANE(j)];
        k_bar.k[0] = k_bar.k[1] = R(0);
        hencky_constants(lane_vec(y->e, j), w, &k_bar);
        PIO_UNROLL
        for (int c = 0; c < 2; c++) {
            const real ogden = y->k_bar[c][LANE(j)];
            y->k_bar[c][LANE(j)] = hencky ? k_bar.k[c] : ogden;
        }
    }
}

/* Sets the cotangent of kappa of the quadratic energy in the lanes that have it. */
PIO_FN void spectral_quadratic_constant(p2g_lanes *x, spectral_lanes *y)
{
    FULL_LANES(j)
    {
        const int there = hyper_is_quadratic(x->law[0][LANE(j)]);
        const mat A = lane_mat(y->A, j);
        real w = R(0);
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) w += A.m[i][i] / y->sigma[i][LANE(j)];
        const real own = y->k_bar[4][LANE(j)], kappa_bar = quadratic_tau(R(1), y->J[0][LANE(j)]) * w;
        y->k_bar[4][LANE(j)] = there ? kappa_bar : own;
    }
}

/* Adjoint of p2g_spectral: sets the cotangents of F of these lanes, and adds to those of the constants. */
PIO_FN void p2g_spectral_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    spectral_lanes y;
    if (!spectral_load(&a->matter, x, &y)) return;
    spectral_turns(x, &y);
    spectral_tau(x, &y);
    spectral_slopes(x, &y);
    if (y.quadratic) spectral_quadratic_tau(x, &y);
    if (y.quadratic) spectral_quadratic_slopes(x, &y);
    spectral_applied(x, bar, &y);
    FULL_LANES(j)
    {
        const mat V = lane_mat(y.V, j);
        vec p;
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) p.x[i] = y.t[i][LANE(j)] / y.sigma[i][LANE(j)];
        const mat U = lane_mat(y.U, j), P = mat_mul_t(mat_mul(U, mat_diagonal(p)), V);
        const mat turned = mat_mul_t(mat_mul(U, lane_mat(y.B, j)), V);
        lane_mat_put(bar->own, j, mat_axpby(R(1), mat_t_mul(lane_mat(bar->tau, j), P), R(1), turned));
    }
    FULL_LANES(j) lane_mat_choose(bar->F, j, y.there[0][LANE(j)], lane_mat(bar->own, j));
    spectral_lane_constants(x, &y);
    if (y.quadratic) spectral_quadratic_constant(x, &y);
    LANES (j, t->m) {
        if (!y.there[0][LANE(j)]) continue;
        const int law = x->law[0][LANE(j)], own = law == PIO_HYPER_HENCKY ? 2 : PIO_LAW_CONSTANTS;
        for (int c = 0; c < own; c++)
            a->k_bar[field_at(a->matter.n, a->matter.constants, c, x->id[0][LANE(j)])] += y.k_bar[c][LANE(j)];
    }
}

#else

/* Sets the stress of these lanes, Pa. */
PIO_FN void p2g_spectral(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    LANES (j, t->m)
        if (p2g_is_spectral(x, j))
            lane_mat_put(x->tau, j, particle_tau(s, m, t->item[LANE(j)], x->id[0][LANE(j)], mat_diag(R(0))));
}

/* Adjoint of particle_tau for lane j, one of these: sets the cotangent of F, and adds to those of its constants. */
PIO_FN void p2g_law_adj(const mpm_p2g_adj_args *a, p2g_lanes *x, p2g_bar *bar, int j)
{
    const int id = x->id[0][LANE(j)], law = x->law[0][LANE(j)];
    const hyper_constants k = matter_constants(&a->matter, id);
    const mat F = lane_mat(x->F, j);
    hyper_constants k_bar = constants_zero();
    mat F_bar = mat_diag(R(0));
    solid_tau_adj(law, F, k, solid_P(law, F, k), lane_mat(bar->tau, j), &F_bar, &k_bar);
    lane_mat_put(bar->F, j, F_bar);
    constants_add(a->k_bar, a->matter.n, a->matter.constants, id, k_bar);
}

/* Adjoint of p2g_spectral: sets the cotangents of F of these lanes, and adds to those of the constants. */
PIO_FN void p2g_spectral_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    LANES (j, t->m)
        if (p2g_is_spectral(x, j)) p2g_law_adj(a, x, bar, j);
}
#endif

#endif
