/* fem_shape.h -- rest positions as design variables: nodes that move along a direction of their own. */
#ifndef PIOLA_KERNELS_FEM_SHAPE_H
#define PIOLA_KERNELS_FEM_SHAPE_H

#include "kernels/fem/fem.h"

/* X = X0 + s n */
typedef struct {
    const int *index;      /* [nodes] number of the node's value, or -1: it stays */
    const wide *value;     /* [groups] s, m */
    const real *direction; /* [nodes][DIM] n, unit vectors */
    const real *reference; /* [nodes][DIM] X0, m */
    real *rest;            /* [nodes][DIM] X, m; set where there is a value */
} fem_along_args;

PIO_FN void fem_along(int i, const fem_along_args *a)
{
    if (a->index[i] < 0) return;
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->rest[at] = a->reference[at] + R(a->value[a->index[i]]) * a->direction[at];
    }
}

/* s_bar = n . X_bar; every node with a value has one of its own */
typedef struct {
    const int *index;      /* [nodes] */
    const real *direction; /* [nodes][DIM] */
    const real *rest_bar;  /* [nodes][DIM] */
    wide *value_bar;       /* [groups]; set */
} fem_along_adj_args;

PIO_FN void fem_along_adj(int i, const fem_along_adj_args *a)
{
    wide sum = W(0);
    if (a->index[i] < 0) return;
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        sum += W(a->rest_bar[at]) * W(a->direction[at]);
    }
    a->value_bar[a->index[i]] = sum;
}

#endif
