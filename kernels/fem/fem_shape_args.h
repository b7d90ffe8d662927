/* fem_shape_args.h -- what launches pass to the kernels of fem_shape.h. */
#ifndef PIOLA_KERNELS_FEM_SHAPE_ARGS_H
#define PIOLA_KERNELS_FEM_SHAPE_ARGS_H

#include "kernels/base/base.h"

/* Sets X = X0 + s n: one item for each node. */
typedef struct {
    const int *index;      /* [nodes] number of the node's value, or -1: it stays */
    const wide *value;     /* [groups] s, m */
    const real *direction; /* [nodes][DIM] n, unit vectors */
    const real *reference; /* [nodes][DIM] X0, m */
    real *rest;            /* [nodes][DIM] X, m; set where there is a value */
} fem_along_args;

/* Sets s_bar = n . X_bar; every node with a value has one of its own. One item for each node. */
typedef struct {
    const int *index;      /* [nodes] number of the node's value, or -1 */
    const real *direction; /* [nodes][DIM] n, unit vectors */
    const real *rest_bar;  /* [nodes][DIM] X_bar */
    wide *value_bar;       /* [groups] s_bar, J's unit per m; set */
} fem_along_adj_args;

#endif
