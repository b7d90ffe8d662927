/* bsr_args.h -- what launches pass to the kernels of bsr.h. */
#ifndef PIOLA_KERNELS_BSR_ARGS_H
#define PIOLA_KERNELS_BSR_ARGS_H

#include "kernels/base/base.h"

/* Block rows of a team of bsr_apply: as many as have their DIM*DIM entries on lanes of their own. */
enum { BSR_ROWS = TEAM_LANES / (DIM * DIM) };
#define BSR_TEAMS(rows) (((rows) + BSR_ROWS - 1) / BSR_ROWS)

/* Blocks beside a matrix A, which couple rows that its structure does not: those of groups of rows. Place p
 * is row number p % size of group p / size; an item is a row that has places. What a row of a group has with itself is
 * part of A. */
typedef struct {
    int items, size;         /* rows that are of groups, 0: there are none; rows of each group */
    const int *row;          /* [items] block row of each, each once */
    const int *item;         /* [rows] number of the item that each block row is, or -1 */
    const int *start, *list; /* [items + 1], [places] the places of each item, in the order in which they are added */
    const int *member;       /* [places] the item at each place */
    const real *value;       /* [places][size][DIM][DIM] blocks of the place with each place of its group */
} bsr_beside;

/* The product y = A x: a team for each BSR_ROWS block rows. */
typedef struct {
    int rows;             /* block rows of A; read by bsr_apply alone */
    const int *row_start; /* [rows + 1] where the blocks of each row begin, and the last end */
    const int *column;    /* [blocks] block column, ascending within a row */
    const int *mirror;    /* [blocks] where block (j,i) of (i,j) is; read by the transposed product alone */
    const real *value;    /* [blocks][DIM][DIM] entries of A */
    const real *x;        /* [rows][DIM] the vector to multiply */
    real *y;              /* [rows][DIM] the product; set, not x */
} bsr_apply_args;
/* The product y = A^T x: one item for each block row. */
typedef bsr_apply_args bsr_apply_transposed_args;

/* The product y = |A| |x|: likewise. */
typedef bsr_apply_args bsr_magnitude_args;

/* Adds B x to y, with the blocks B beside a matrix; or |B| |x|: one item for each item of B. */
typedef struct {
    bsr_beside b;   /* the blocks */
    int transposed; /* 1: B^T in place of B; bsr_beside_magnitude does not read it */
    const real *x;  /* [rows][DIM] the vector to multiply */
    real *y;        /* [rows][DIM]; added to, not x */
} bsr_beside_apply_args;
typedef bsr_beside_apply_args bsr_beside_magnitude_args;

/* How a diagonal block is wrong: its determinant is too small, or an entry is not finite. */
enum { BLOCK_SINGULAR, BLOCK_NOT_FINITE };

#define BLOCK_RIGHT UINT64_MAX /* no block is wrong */

/* Inverses of the diagonal blocks: one item for each block row. */
typedef struct {
    const int *diagonal; /* [rows] number of block (i,i) */
    const real *value;   /* [blocks][DIM][DIM] entries of A */
    real threshold;      /* least |det| relative to Hadamard's bound, > 0: some roundings of `real` */
    real *inverse;       /* [rows][DIM][DIM]; set, zero where the block is wrong */
    uint64_t *fault;     /* [1] BLOCK_RIGHT, or lowered to the lowest block_fault */
} bsr_invert_diagonal_args;

/* The block-Jacobi preconditioner: one item for each block row. */
typedef struct {
    const real *inverse; /* [rows][DIM][DIM] D^-1, by bsr_invert_diagonal */
    int transposed;      /* 1: D^-T in place of D^-1 */
    const real *x;       /* [rows][DIM] the vector to multiply */
    real *y;             /* [rows][DIM] the product; set, may be x */
} bsr_jacobi_args;

#endif
