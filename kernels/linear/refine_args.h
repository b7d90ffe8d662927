/* refine_args.h -- what launches pass to the kernels of refine.h: one item for each unknown. */
#ifndef PIOLA_KERNELS_REFINE_ARGS_H
#define PIOLA_KERNELS_REFINE_ARGS_H

#include "kernels/base/base.h"

/* The start of a solution in twofold precision. */
typedef struct {
    const real *x;    /* [unknowns] what a solve has reached */
    wide *high, *low; /* [unknowns] the sum of the two; set */
} refine_begin_args;

/* A residual as a right-hand side of length 1. */
typedef struct {
    const wide *r;      /* [unknowns] residual */
    const wide *square; /* [1] |r|^2, > 0 */
    real *b;            /* [unknowns] r/|r|; set */
} refine_scale_args;

/* A correction of a solution in twofold precision. */
typedef struct {
    const real *d;      /* [unknowns] the correction for a right-hand side of length 1 */
    const wide *square; /* [1] |r|^2, by which it is too small */
    wide *high, *low;   /* [unknowns] x, the sum of the two; changed */
    real *x;            /* [unknowns] the sum as the fields have it; set */
} refine_add_args;

#endif
