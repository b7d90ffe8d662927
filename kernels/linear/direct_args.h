/* direct_args.h -- what launches pass to the kernels of direct.h. */
#ifndef PIOLA_KERNELS_DIRECT_ARGS_H
#define PIOLA_KERNELS_DIRECT_ARGS_H

#include "kernels/linear/bsr_args.h"

/* The matrix in compressed sparse rows of single numbers: one item for each block row. */
typedef struct {
    const int *row_start, *column, *mirror; /* as of bsr_apply */
    const real *value;                      /* [blocks][DIM][DIM] entries of A */
    const int *start;                       /* [rows DIM + 1] where the rows of single numbers begin */
    int lower, transposed;                  /* 1: the lower triangle alone; 1: A^T in place of A */
    wide *out;                              /* [start[rows DIM]] entries; set: columns ascend within a row */
} direct_expand_args;

/* The residual of a solution in twofold precision: one item for each block row. */
typedef struct {
    const int *row_start, *column, *mirror; /* as of bsr_apply */
    const real *value;                      /* [blocks][DIM][DIM] entries of A */
    int transposed;                         /* 1: A^T in place of A */
    bsr_beside beside;                      /* blocks beside A, which count as its own */
    const real *b;                          /* [rows][DIM] right-hand side */
    const wide *high, *low;                 /* [rows][DIM] x, the sum of the two */
    wide *r;                                /* [rows][DIM] residual; set */
} direct_residual_args;

/* A correction of a solution in twofold precision: one item for each unknown. */
typedef struct {
    const wide *d;    /* [unknowns] the correction */
    wide *high, *low; /* [unknowns] x, the sum of the two; changed */
    real *x;          /* [unknowns] the sum as the fields have it; set */
} direct_add_args;

/* Terms of the squared norm of a residual, one for each unknown. */
typedef struct {
    const wide *r; /* [unknowns] residual */
} direct_square_args;

#endif
