/* fem_tie_args.h -- what launches pass to the kernels of fem_tie.h. */
#ifndef PIOLA_KERNELS_FEM_TIE_ARGS_H
#define PIOLA_KERNELS_FEM_TIE_ARGS_H

#include "kernels/base/base.h"

/* Sets each tied node to u = sum_k w_k u_k of its masters: one item for each tied node. */
typedef struct {
    const int *node;    /* [tied nodes] their numbers */
    const int *start;   /* [tied nodes + 1] where the masters of each begin, and the last end */
    const int *master;  /* [start[tied nodes]] nodes, which are not tied */
    const real *weight; /* [start[tied nodes]] w_k */
    real *x;            /* [nodes][DIM] a nodal vector; set at tied nodes */
} fem_tie_args;

/* x_k += sum over its tied nodes of w_k x: one item for each master; fem_tie_clear follows. */
typedef struct {
    const int *node;    /* [masters] their numbers */
    const int *start;   /* [masters + 1] where the tied nodes of each begin, and the last end */
    const int *tied;    /* [start[masters]] nodes that are tied to it, ascending */
    const real *weight; /* [start[masters]] w_k */
    real *x;            /* [nodes][DIM] forces, or cotangents; added to at masters */
} fem_tie_adj_args;

/* Sets a nodal vector to 0 at tied nodes: one item for each of them. */
typedef struct {
    const int *node; /* [tied nodes] their numbers */
    real *x;         /* [nodes][DIM]; set to 0 at tied nodes */
} fem_tie_clear_args;

#endif
