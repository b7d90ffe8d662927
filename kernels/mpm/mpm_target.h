/* mpm_target.h -- observations of particles against a target density on the grid, and of the distance of two sets.
 *
 *   density     y = sum_i (rho_i - rho_i*)^2 / sum_i rho_i*^2,   rho_i = sum_p w_ip m_p / dx^d     over all nodes
 *   separation  y = |c_1 - c_2|                                  of two mean positions
 *
 * with the quadratic B-splines of the transfers, so that y has a continuous derivative in the positions. */
#ifndef PIOLA_KERNELS_MPM_TARGET_H
#define PIOLA_KERNELS_MPM_TARGET_H

#include "kernels/mpm/mpm_target_args.h"
#include "kernels/mpm/mpm_deposit.h"

/* ---- density ------------------------------------------------------------------------------------------------- */

/* Sets rho_i - rho_i*, kg/m^3, at a node. */
PIO_FN void mpm_density_rest(int node, const mpm_density_rest_args *a)
{
    a->rest[node] = box_per_volume(&a->box) * deposit_at(&a->l, &a->box, a->sums, node) - a->target[node];
}

/* Returns the term of a node in y, (rho_i - rho_i*)^2 over the sum of rho_i*^2. */
PIO_FN wide mpm_density(int node, const mpm_density_args *a)
{
    return W(a->rest[node]) * W(a->rest[node]) / W(a->size);
}

/* ---- separation ---------------------------------------------------------------------------------------------- */

/* Returns |c_1 - c_2|, m, of two means [2][DIM]. */
PIO_FN wide separation_length(const wide *mean)
{
    wide sum = W(0);
    for (int a = 0; a < DIM; a++) sum += (mean[a] - mean[DIM + a]) * (mean[a] - mean[DIM + a]);
    return sqrt(sum);
}

/* Adds weight |c_1 - c_2| to the sample; the one item is 0. */
PIO_FN void mpm_separation(int i, const mpm_separation_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * separation_length(a->mean);
}

/* Adjoint of mpm_separation: sets the cotangents of both means, +- weight sample_bar (c_1 - c_2)/|c_1 - c_2|, 0 where
 * that is 0/0; the one item is 0. */
PIO_FN void mpm_separation_adj(int i, const mpm_separation_adj_args *b)
{
    const wide *mean = b->fwd.mean;
    const wide length = separation_length(mean);
    (void)i;
    for (int a = 0; a < DIM; a++) {
        const wide along = length > W(0) ? (mean[a] - mean[DIM + a]) / length : W(0);
        b->mean_bar[a] = W(b->fwd.weight) * *b->sample_bar * along;
        b->mean_bar[DIM + a] = -b->mean_bar[a];
    }
}

#endif
