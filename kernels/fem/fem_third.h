/* fem_third.h -- elements in 2D whose third stretch is not 1: rings and sheets (pio_plane_state). Their laws
 * are those of hyperelastic_third.h, lane by lane.
 *
 * Everything is as of a body in space whose F has F33 beside its part in the plane, with N_a/r for the slopes of shape
 * functions that go with it: of a ring, with L33 = sum_a y_a,x N_a/r and G33 = F33 - 1,
 *     f_a = sum_q V (P g_a + P33 N_a/r e_x),    X_bar_a = sum_q V (M g_a + M33 N_a/r e_x),
 *     M = (P : L + P33 L33) I - G^T dP - L^T P,   M33 = P : L + P33 L33 - G33 dP33 - L33 P33
 * and of a sheet, whose P33 is 0, without P33 and M33. */
#ifndef PIOLA_KERNELS_FEM_THIRD_H
#define PIOLA_KERNELS_FEM_THIRD_H

#include "kernels/fem/fem_batch.h"
#include "kernels/material/hyperelastic_heat.h"

#if PIO_DIM == 2

/* Returns `third` of hyperelastic_heat.h where sum_a u_a,x N_a/r is `ring`, and e the thermal strain: of a sheet that
 * which P33 = 0 leaves. */
PIO_FN real fem_third_of(int plane, int law, mat F, real ring, hyper_constants k, real e)
{
    if (plane == PIO_PLANE_STRESS) return hyper_third_free(law, heat_elastic(law, F, e), k);
    return heat_elastic_third(law, hyper_diagonal(law) + ring, e);
}

/* A quadrature point of a batch: what the laws are given, and what they return. */
typedef struct {
    pack_mat F, L;  /* F of the displacement, or grad u (hyper_diagonal); grad y */
    pack ring, L33; /* sum_a u_a,x N_a/r and that of y; of sheets L33 is the change of `third` along L, and set */
    pack third;     /* of hyperelastic_heat.h; set */
    pack_mat P, dP; /* Pa; set */
    pack P33, dP33; /* of rings, else 0 */
} third_batch;

/* Returns the law of lane j. */
PIO_FN int third_law(const fem_matter *m, const fem_block *b, const fem_batch *t, int j)
{
    return m->law[b->first + fem_batch_item(t, j)];
}

/* Sets F, third and the stress of a point of a batch at displacement u. */
PIO_OUTLINE_FN void third_batch_stress(const fem_matter *m, const fem_block *b, fem_batch *t, const fem_batch_point *p,
                                       const fem_batch_nodes *u, third_batch *x)
{
    const int nodes = b->rule.nodes;
    x->F = fem_batch_deformation(t, p, u, nodes);
    x->ring = fem_batch_ring_gradient(p, u, nodes);
    x->P = x->F;
    x->P33 = pack_of(R(0));
    for (int j = 0; j < PACK; j++) {
        const int law = third_law(m, b, t, j);
        const hyper_constants k = fem_batch_constants(t, j);
        const mat F = pack_mat_lane(&x->F, j);
        const real e = pack_lanes(&t->heat)[j];
        const real third = fem_third_of(t->plane, law, F, pack_lanes(&x->ring)[j], k, e);
        const third_stress r = heat_third_P(law, F, third, k, e);
        pack_lanes(&x->third)[j] = third;
        pack_mat_lane_put(&x->P, j, r.P);
        if (t->plane == PIO_AXISYMMETRIC) pack_lanes(&x->P33)[j] = r.P33;
    }
}

/* Sets L and the derivative of the stress along y, where third_batch_stress has set the stress. */
PIO_OUTLINE_FN void third_batch_along(const fem_matter *m, const fem_block *b, fem_batch *t, const fem_batch_point *p,
                                      const fem_batch_nodes *y, third_batch *x)
{
    const int nodes = b->rule.nodes, sheet = t->plane == PIO_PLANE_STRESS;
    x->L = fem_batch_gradient(p, y, nodes);
    x->L33 = fem_batch_ring_gradient(p, y, nodes);
    x->dP = x->L;
    x->dP33 = pack_of(R(0));
    for (int j = 0; j < PACK; j++) {
        const int law = third_law(m, b, t, j);
        const hyper_constants k = fem_batch_constants(t, j);
        const mat F = pack_mat_lane(&x->F, j), L = pack_mat_lane(&x->L, j);
        const real third = pack_lanes(&x->third)[j], e = pack_lanes(&t->heat)[j];
        if (sheet) pack_lanes(&x->L33)[j] = hyper_third_along(law, heat_elastic(law, F, e), third, L, k);
        const third_stress r = heat_third_dP(law, F, third, L, pack_lanes(&x->L33)[j], k, e);
        pack_mat_lane_put(&x->dP, j, r.P);
        if (!sheet) pack_lanes(&x->dP33)[j] = r.P33;
    }
}

/* Adds V (P : L + P33 L33) by the constants to their cotangents. */
PIO_OUTLINE_FN void third_batch_theta(const fem_matter *m, const fem_block *b, fem_batch *t, const fem_batch_point *p,
                                      third_batch *x, pack k_bar[PIO_LAW_CONSTANTS])
{
    pack volume = p->volume;
    for (int j = 0; j < PACK; j++) {
        const real V = pack_lanes(&volume)[j];
        hyper_constants bar;
        third_stress P_bar;
        P_bar.P = mat_scale(V, pack_mat_lane(&x->L, j));
        P_bar.P33 = V * pack_lanes(&x->L33)[j];
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar.k[c] = R(0);
        heat_third_theta(third_law(m, b, t, j), pack_mat_lane(&x->F, j), pack_lanes(&x->third)[j], P_bar,
                         fem_batch_constants(t, j), pack_lanes(&t->heat)[j], &bar);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) pack_lanes(&k_bar[c])[j] += bar.k[c];
    }
}

/* Adds V (P : L + P33 L33) by the thermal strains to their cotangents. */
PIO_OUTLINE_FN void third_batch_heat(const fem_matter *m, const fem_block *b, fem_batch *t, const fem_batch_point *p,
                                     third_batch *x, pack *heat_bar)
{
    pack volume = p->volume;
    for (int j = 0; j < PACK; j++) {
        third_stress along;
        along.P = pack_mat_lane(&x->L, j);
        along.P33 = pack_lanes(&x->L33)[j];
        pack_lanes(heat_bar)[j] +=
            pack_lanes(&volume)[j] * heat_third_slope(t->plane, third_law(m, b, t, j), pack_mat_lane(&x->F, j),
                                                      pack_lanes(&x->third)[j], along, fem_batch_constants(t, j),
                                                      pack_lanes(&t->heat)[j]);
    }
}

/* Adds the forces of the stress of a point. */
PIO_FN void third_batch_add(pack *sums, int nodes, const fem_batch_point *p, const third_batch *x)
{
    fem_batch_add(sums, nodes, p, x->P);
    fem_batch_add_ring(sums, nodes, p, x->P33);
}

/* Adds the cotangents of rest positions by a point, with G = grad u, and returns P : L + P33 L33. */
PIO_FN pack third_batch_rest(pack *sums, int nodes, const fem_batch_point *p, const third_batch *x, pack_mat G)
{
    const pack one = pack_of(R(1)), PL = pack_mat_ddot(x->P, x->L) + x->P33 * x->L33;
    const pack_mat GdP = pack_mat_mul(pack_mat_transpose(G), x->dP), LP = pack_mat_mul(pack_mat_transpose(x->L), x->P);
    if (!sums) return PL;
    fem_batch_add(sums, nodes, p, pack_mat_axpby(one, pack_mat_axpby(one, pack_mat_diag(PL), -one, GdP), -one, LP));
    fem_batch_add_ring(sums, nodes, p, PL - x->ring * x->dP33 - x->L33 * x->P33);
    return PL;
}

#endif
#endif
