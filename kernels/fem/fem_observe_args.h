/* fem_observe_args.h -- what launches pass to the kernels of fem_observe.h. */
#ifndef PIOLA_KERNELS_FEM_OBSERVE_ARGS_H
#define PIOLA_KERNELS_FEM_OBSERVE_ARGS_H

#include "kernels/base/base.h"
#include "kernels/base/vocabulary.h"

/* Terms of an observation of a mesh, see fem_observe.h: one for each node. */
typedef struct {
    int type, axis;   /* a pio_observable, PIO_DISPLACEMENT for velocities too; component */
    const real *rest; /* [nodes][DIM] X m */
    const real *u;    /* [nodes][DIM] m, or velocities m/s */
    /* [nodes][DIM] reactions of the supports, external (compliance) forces N, or momenta N s */
    const real *force;
    const real *weight;         /* [nodes][DIM] w, of kinetic energy the first of each node */
    const int *marker;          /* [nodes] row of `points`, or -1 */
    const double *points;       /* [rows][DIM] Y m; NaN: no point at this time */
    const double *point_weight; /* [rows] q >= 0; NULL: 1 */
    double markers;             /* P */
    const real *past;           /* [nodes][DIM] distance: u0 m; NULL where its weight is 0 */
    double past_weight;         /* s, in [0, 1) */
} fem_observe_args;

/* Adds weight y to the sample (one item). */
typedef struct {
    const wide *sum; /* [1] y, the sum of the terms */
    double weight;   /* of the step in the sample */
    wide *sample;    /* [1]; added to */
} fem_observe_add_args;

/* The adjoint of fem_observe: one item for each node. */
typedef struct {
    fem_observe_args o;     /* as of fem_observe */
    const wide *sample_bar; /* [1] dJ/dsample */
    double weight;          /* of the step in the sample */
    real *u_bar;            /* [nodes][DIM]; added to */
    real *force_bar;        /* [nodes][DIM] of the forces that the observation reads; added to */
    real *rest_bar;         /* [nodes][DIM]; added to */
    real *past_bar;         /* [nodes][DIM] of `past`; added to where there is one */
} fem_observe_adj_args;

#endif
