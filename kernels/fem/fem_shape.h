/* fem_shape.h -- rest positions as design variables: nodes that move along a direction of their own. */
#ifndef PIOLA_KERNELS_FEM_SHAPE_H
#define PIOLA_KERNELS_FEM_SHAPE_H

#include "kernels/fem/fem_shape_args.h"
#include "kernels/fem/fem.h"

/* Sets the rest position X = X0 + s n of a node that has a value, m. */
PIO_FN void fem_along(int i, const fem_along_args *a)
{
    if (a->index[i] < 0) return;
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->rest[at] = a->reference[at] + R(a->value[a->index[i]]) * a->direction[at];
    }
}

/* Sets the cotangent s_bar = n . X_bar of a node's value. */
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
