/* bsr.h -- a matrix of DIM x DIM blocks on the device (layout: kernels/linear/bsr.h), and the operator over it.
 *
 *     pio_bsr_layout(&A, arena, rows, blocks);              with no memory to measure, then again to take
 *     pio_bsr_structure(&A, queue, row_start, column, e);   once
 *     pio_bsr_use(&A, table, ordinal, e);                   where a library is to make the products; then
 *     pio_product_free
 *     ... kernels fill A.value ...                          for each assembly:
 *     pio_bsr_invert_diagonal(&A, e);                           where block-Jacobi is wanted
 *     pio_linop op = pio_bsr_operator(&A, PIO_SPD, PIO_BLOCK_JACOBI);   valid while A is
 *
 * Where the pattern of some blocks changes from assembly to assembly, they are beside the matrix: products and
 * residuals have them, those with A^T transposed, preconditioners and factors do not. */
#ifndef PIOLA_SOLVERS_BSR_H
#define PIOLA_SOLVERS_BSR_H

#include "kernels/backend/queue.h"
#include "solvers/linear/linop.h"
#include "solvers/linear/product.h"

struct pio_amg; /* amg.h */

/* What an operator is preconditioned with: nothing; the inverted diagonal blocks; bsr.multigrid. */
typedef enum { PIO_UNPRECONDITIONED, PIO_BLOCK_JACOBI, PIO_MULTIGRID } pio_preconditioner;

typedef struct {
    pio_queue *queue;
    int rows, blocks; /* number of block rows, and of stored blocks */
    /* on the device */
    int *row_start;      /* [rows + 1] */
    int *column;         /* [blocks] column of each block, ascending within a row */
    int *mirror;         /* [blocks] index of block (j,i), for block (i,j) */
    int *diagonal;       /* [rows] index of block (i,i) */
    real *value;         /* [blocks][DIM][DIM] */
    real *inverse;       /* [rows][DIM][DIM] of the diagonal blocks */
    uint64_t *fault;     /* [2] lowest row whose diagonal block is singular; BLOCK_RIGHT, which is where it begins */
    pio_product product; /* zeros: products are made by the kernels of kernels/linear/bsr.h */
    bsr_beside beside;   /* blocks beside it, the caller's; zeros: there are none */
    struct pio_amg *multigrid; /* its multilevel preconditioner, the caller's; NULL: there is none */
} pio_bsr;

/* Takes the device memory from the arena, or measures it. DIM * rows must fit an int. */
void pio_bsr_layout(pio_bsr *bsr, pio_arena *arena, int rows, int blocks);

/* Sets the structure from host arrays row_start [rows + 1] and column [blocks]. Returns PIOLA_BAD_DATA with the row and
 * column where it is not ascending, lacks the diagonal, or has (i,j) without (j,i), PIOLA_NO_MEMORY without host
 * memory, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status pio_bsr_structure(pio_bsr *bsr, pio_queue *queue, const int *row_start, const int *column,
                               piola_error *error);

/* Lets a library compute the products from now on, except those with A^T where it has none. Returns the errors of
 * pio_product_begin(). */
piola_status pio_bsr_use(pio_bsr *bsr, const pio_product_table *table, int ordinal, piola_error *error);

/* Computes the inverses of the diagonal blocks (one download). Returns PIOLA_NUMERICAL with the lowest row whose block
 * is singular to the precision of `real`, or not finite, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status pio_bsr_invert_diagonal(pio_bsr *bsr, piola_error *error);

/* The same in two parts: launches the inversion, after which *bsr->fault on the device says which block is singular. */
void pio_bsr_invert_begin(pio_bsr *bsr);
/* Returns what *bsr->fault means, as pio_bsr_invert_diagonal() does: PIOLA_NUMERICAL or PIOLA_UNAVAILABLE. */
piola_status pio_bsr_invert_end(pio_bsr *bsr, uint64_t fault, piola_error *error);

/* Sets y [rows][DIM] = |A| |x|, entry by entry: what rounding of x by eps changes A x by, over eps. */
void pio_bsr_magnitude(const pio_bsr *bsr, const real *x, real *y);

/* Returns the operator of the matrix, of which the caller promises that it is of this kind, with a preconditioner that
 * is ready. */
pio_linop pio_bsr_operator(pio_bsr *bsr, pio_linop_kind kind, pio_preconditioner preconditioner);

#endif
