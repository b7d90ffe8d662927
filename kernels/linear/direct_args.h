/* direct_args.h -- what launches pass to the kernels of direct.h. */
#ifndef PIOLA_KERNELS_DIRECT_ARGS_H
#define PIOLA_KERNELS_DIRECT_ARGS_H

#include "kernels/base/base.h"

/* The matrix in compressed sparse rows of single numbers: one item for each block row. */
typedef struct {
    const int *row_start, *column, *mirror; /* as of bsr_apply */
    const real *value;                      /* [blocks][DIM][DIM] */
    const int *start;                       /* [rows DIM + 1] where the rows of single numbers begin */
    int lower, transposed;                  /* the lower triangle alone; A^T */
    wide *out;                              /* [start[rows DIM]] set: columns ascend within a row */
} direct_expand_args;

/* The residual of a solution in twofold precision: one item for each block row. */
typedef struct {
    const int *row_start, *column, *mirror;
    const real *value;      /* [blocks][DIM][DIM] */
    int transposed;         /* A^T for A */
    const real *b;          /* [rows][DIM] */
    const wide *high, *low; /* [rows][DIM] x */
    wide *r;                /* [rows][DIM] set */
} direct_residual_args;

/* A correction of a solution in twofold precision: one item for each unknown. */
typedef struct {
    const wide *d;    /* [unknowns] */
    wide *high, *low; /* [unknowns] changed */
    real *x;          /* [unknowns] set: the sum as the fields have it */
} direct_add_args;

/* Terms of the squared norm of a residual, one for each unknown. */
typedef struct {
    const wide *r; /* [unknowns] */
} direct_square_args;

#endif
