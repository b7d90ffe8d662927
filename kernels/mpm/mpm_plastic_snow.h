/* mpm_plastic_snow.h -- snow in all lanes of a batch (snow_map of plasticity_map.h), and its adjoint. Stretches come
 * from Jacobi's rotations in all lanes at a time; a lane whose columns are orthogonal keeps every bit while others go
 * on, so that what it computes depends on its own particle alone. */
#ifndef PIOLA_KERNELS_MPM_PLASTIC_SNOW_H
#define PIOLA_KERNELS_MPM_PLASTIC_SNOW_H

#include "kernels/mpm/mpm_plastic_lanes.h"

/* Returns 1 where lane j is snow that is computed in all lanes. Dual numbers take another way, lane by lane: principal
 * directions have no derivative where stretches meet. */
PIO_FN int plastic_is_snow(plastic_lanes *x, int j)
{
#ifdef PIO_DUAL
    (void)x, (void)j;
    return 0;
#else
    return x->law[0][LANE(j)] == PIO_SNOW;
#endif
}

/* Returns 1 where lane j is computed together with others. */
PIO_FN int plastic_in_lanes(plastic_lanes *x, int j)
{
    return plastic_by_series(x, j) | plastic_is_snow(x, j);
}

/* Lowers the fault where hardened snow of the batch is too stiff for the time step: waves in it are faster by the root
 * of its hardening. */
PIO_FN void plastic_check_waves(const mpm_plastic_args *a, const lane_items *t, plastic_lanes *x)
{
    const mpm_matter *m = &a->matter;
    const int together = numbers_together(x->id[0], TEAM_LANES, m->n);
    int any = 0;
    lanes_load_of(x->mass, m->mass, m->n, 1, x->id[0], together);
    lanes_load_of(x->volume, m->volume, m->n, 1, x->id[0], together);
    FULL_LANES(j)
    {
        const plastic_matter y = plastic_lane_matter(x, j);
        const real modulus = snow_hardening(x->a[0][LANE(j)], &y) * (y.lambda + R(2) * y.mu);
        const real cfl = x->h * a->inv_dx * sqrt(modulus * x->volume[0][LANE(j)] / x->mass[0][LANE(j)]);
        const int fast = (x->law[0][LANE(j)] == PIO_SNOW) & !(cfl <= a->step->cfl);
        x->more[0][LANE(j)] = fast;
        any |= fast;
    }
    if (!any) return;
    LANES (j, t->m)
        if (x->more[0][LANE(j)])
            atomic_min_u64(&a->step->fault, fault_key(a->step->index, x->id[0][LANE(j)], FAULT_HARDENED));
}

#ifndef PIO_DUAL
/* Sets F V and V of the decomposition of F in the lanes of snow. */
PIO_FN void plastic_turns(plastic_lanes *x)
{
    int left = 1;
    FULL_LANES(j)
    {
        lane_mat_put(x->G, j, lane_mat(x->F, j));
        lane_mat_put(x->V, j, mat_diag(R(1)));
    }
    for (int sweep = 0; sweep < SVD_SWEEPS && left; sweep++) {
        left = 0;
        FULL_LANES(j)
        {
            mat G = lane_mat(x->G, j), V = lane_mat(x->V, j);
            const int turned = svd_sweep(&G, &V);
            lane_mat_put(x->G, j, G);
            lane_mat_put(x->V, j, V);
            left |= turned & plastic_is_snow(x, j);
        }
    }
}

/* Clamps the stretches of the lanes of snow: sets U, sigma, F', a', the outcome and its margin. Returns 1 where F of
 * some lane changes, on CUDA of the own. */
PIO_FN int plastic_clamps(plastic_lanes *x)
{
    int deforms = 0;
    plastic_turns(x);
    FULL_LANES(j)
    {
        const mat_svd s = svd_end(lane_mat(x->G, j), lane_mat(x->V, j));
        const plastic_matter m = plastic_lane_matter(x, j);
        const int there = plastic_is_snow(x, j), flow = x->flow[0][LANE(j)];
        const real margin = x->margin[0][LANE(j)], a_to = x->to[2][LANE(j)];
        real a = x->a[0][LANE(j)];
        vec to = s.sigma;
        lane_mat_put(x->G, j, s.U);
        lane_vec_put(x->sigma, j, s.sigma);
        const plastic_outcome w = snow_clamp(&to, &a, &m);
        const int own = there & (w.branch == FLOW_LIMIT);
        lane_mat_put(x->F_to, j, principal_turn(s, mat_diagonal(to)));
        x->flow[0][LANE(j)] = there ? w.branch : flow;
        x->margin[0][LANE(j)] = there ? w.margin : margin;
        x->to[2][LANE(j)] = there ? a : a_to;
        x->deforms[0][LANE(j)] = own;
        deforms |= own;
    }
    return deforms;
}

/* Maps the trial deformation of the lanes of snow back to the elastic domain; returns 1 where F of some lane changes,
 * on CUDA of the own. */
PIO_FN int plastic_snow(plastic_lanes *x)
{
    const int deforms = plastic_clamps(x);
    if (deforms) {
        FULL_LANES(j) lane_mat_choose(x->F, j, x->deforms[0][LANE(j)], lane_mat(x->F_to, j));
    }
    return deforms;
}

/* Adjoint of plastic_snow: the cotangents of F' in the lanes of snow become those of F, and those of both limits are
 * added. That of a' is that of a. */
PIO_FN void plastic_snow_adj(const mpm_plastic_adj_args *b, const lane_items *t, plastic_lanes *x, plastic_bar *bar)
{
    if (!plastic_clamps(x)) return;
    FULL_LANES(j) lane_mat_put(bar->F_to, j, mat_mul(lane_mat(bar->F, j), lane_mat(x->V, j)));
    FULL_LANES(j)
    {
        const plastic_matter m = plastic_lane_matter(x, j);
        const mat B = mat_t_mul(lane_mat(x->G, j), lane_mat(bar->F_to, j));
        plastic_matter m_bar = plastic_matter_zero();
        lane_mat_put(bar->e, j, snow_clamp_adj(lane_vec(x->sigma, j), &m, B, bar->a[0][LANE(j)], &m_bar));
        bar->k[0][LANE(j)] = bar->k[1][LANE(j)] = R(0);
        PIO_UNROLL
        for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) bar->y[c][LANE(j)] = m_bar.y[c];
    }
    FULL_LANES(j)
    lane_mat_put(bar->F_to, j, mat_mul_t(mat_mul(lane_mat(x->G, j), lane_mat(bar->e, j)), lane_mat(x->V, j)));
    FULL_LANES(j) lane_mat_choose(bar->F, j, x->deforms[0][LANE(j)], lane_mat(bar->F_to, j));
    LANES (j, t->m)
        if (x->deforms[0][LANE(j)]) plastic_constants_adj(b, x, bar, j);
}
#else
/* Returns 0: no lane is computed here. */
PIO_FN int plastic_snow(plastic_lanes *x)
{
    (void)x;
    return 0;
}

/* Does nothing: no lane is computed here. */
PIO_FN void plastic_snow_adj(const mpm_plastic_adj_args *b, const lane_items *t, plastic_lanes *x, plastic_bar *bar)
{
    (void)b, (void)t, (void)x, (void)bar;
}
#endif

#endif
