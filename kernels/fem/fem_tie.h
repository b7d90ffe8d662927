/* fem_tie.h -- nodes that are tied to others, u_s = sum_k w_k u_k = T u, with fixed weights.
 *
 * The unknowns are those of all other nodes: forces on tied nodes act on their masters, f_k += w_k f_s = T^T f, and the
 * matrix is T^T K T (fem_assemble). Cotangents of displacements go as forces do. */
#ifndef PIOLA_KERNELS_FEM_TIE_H
#define PIOLA_KERNELS_FEM_TIE_H

#include "kernels/fem/fem_tie_args.h"
#include "kernels/linear/bsr.h"

/* Sets tied node number i. */
PIO_FN void fem_tie(int i, const fem_tie_args *a)
{
    vec sum = vec_zero();
    for (int j = a->start[i]; j < a->start[i + 1]; j++)
        sum = vec_axpby(R(1), sum, a->weight[j], point_load(a->x, a->master[j]));
    point_store(a->x, a->node[i], sum);
}

/* Adds to master number i what its tied nodes have. */
PIO_FN void fem_tie_adj(int i, const fem_tie_adj_args *a)
{
    vec sum = point_load(a->x, a->node[i]);
    for (int j = a->start[i]; j < a->start[i + 1]; j++)
        sum = vec_axpby(R(1), sum, a->weight[j], point_load(a->x, a->tied[j]));
    point_store(a->x, a->node[i], sum);
}

/* Clears tied node number i. */
PIO_FN void fem_tie_clear(int i, const fem_tie_clear_args *a)
{
    point_store(a->x, a->node[i], vec_zero());
}

#endif
