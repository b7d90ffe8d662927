/* bsr_args.h -- what launches pass to the kernels of bsr.h. */
#ifndef PIOLA_KERNELS_BSR_ARGS_H
#define PIOLA_KERNELS_BSR_ARGS_H

#include "kernels/base/base.h"

/* The product y = A x: one item for each block row. */
typedef struct {
    const int *row_start; /* [rows + 1] */
    const int *column;    /* [blocks] */
    const int *mirror;    /* [blocks]; read by the transposed product alone */
    const real *value;    /* [blocks][DIM][DIM] */
    const real *x;        /* [rows][DIM] */
    real *y;              /* [rows][DIM]; set, not x */
} bsr_apply_args;
typedef bsr_apply_args bsr_apply_transposed_args;

typedef bsr_apply_args bsr_magnitude_args;

enum { BLOCK_SINGULAR, BLOCK_NOT_FINITE };

#define BLOCK_RIGHT UINT64_MAX /* no block is wrong */

/* Inverses of the diagonal blocks: one item for each block row. */
typedef struct {
    const int *diagonal; /* [rows] entry (i,i) */
    const real *value;   /* [blocks][DIM][DIM] */
    real threshold;      /* least |det| relative to Hadamard's bound, > 0: some roundings of `real` */
    real *inverse;       /* [rows][DIM][DIM]; set, zero where the block is wrong */
    uint64_t *fault;     /* [1] BLOCK_RIGHT, or lowered to the lowest block_fault */
} bsr_invert_diagonal_args;

/* The block-Jacobi preconditioner: one item for each block row. */
typedef struct {
    const real *inverse; /* [rows][DIM][DIM] */
    int transposed;
    const real *x; /* [rows][DIM] */
    real *y;       /* [rows][DIM]; set, may be x */
} bsr_jacobi_args;

#endif
