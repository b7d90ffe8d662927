/* fem_moment_args.h -- what launches pass to the kernels of fem_moment.h. */
#ifndef PIOLA_KERNELS_FEM_MOMENT_ARGS_H
#define PIOLA_KERNELS_FEM_MOMENT_ARGS_H

#include "kernels/base/base.h"

/* Terms of a moment, see fem_moment.h: one for each node. */
typedef struct {
    int axis;             /* 3D: 0 .. 2, about which; 2D: 0 */
    double center[3];     /* c m */
    const real *rest, *u; /* [nodes][DIM] X and u, m */
    const real *force;    /* [nodes][DIM] f: N, or momenta N s */
    const real *weight;   /* [nodes][DIM] w, 1 */
} fem_moment_args;

/* The adjoint of fem_moment: one item for each node. */
typedef struct {
    fem_moment_args fwd;                /* as of fem_moment */
    const wide *sample_bar;             /* [1] dJ/dsample */
    double scale;                       /* of the step in the sample */
    real *u_bar, *rest_bar, *force_bar; /* [nodes][DIM]; added to */
} fem_moment_adj_args;

#endif
