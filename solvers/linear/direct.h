/* direct.h -- A x = b by elimination, with a library behind the table of kernels/backend/direct.h, for a block matrix.
 *
 *     pio_direct_analyse(&d, &choice, &blocks, e);           once per pattern, on the host
 *     pio_direct_layout(&d, arena, columns);                 with no memory to measure, then again to take
 *     pio_direct_begin(&d, queue, &matrix, e);               once
 *     pio_direct_factor(&d, 0, &negative, e);                after each assembly
 *     pio_direct_solve(&d, &request, &result, e);            as often as wanted
 *     pio_direct_free(&d);
 *
 * Cholesky takes positive definite operators, LDL^T symmetric ones, LU and QR any: another pairing is an error, as in
 * linop.h. The matrix never leaves the device; each measured residual brings one number to the host. */
#ifndef PIOLA_SOLVERS_DIRECT_H
#define PIOLA_SOLVERS_DIRECT_H

#include "solvers/linear/bsr.h"

typedef struct {
    const pio_direct_table *table; /* NULL: there is no direct solver */
    pio_queue *queue;
    const pio_bsr *matrix;
    pio_linear_method method;
    /* unknowns; stored numbers; 1: the lower triangle alone is stored; right-hand sides at once, at most */
    int unknowns, entries, lower, columns;
    int factored;                 /* 0: nothing; 1: A; 2: A^T, by a library whose factors of A do not solve with it */
    void *factor;                 /* the library's */
    pio_direct_forecast forecast; /* what the analysis predicts */
    int *pattern;                 /* host: start [unknowns + 1], then column [entries], until pio_direct_begin */
    /* on the device */
    int *start;                               /* [unknowns + 1] first entry of each row */
    wide *value;                              /* [entries] */
    wide *r, *high, *low;                     /* [columns][unknowns] residual; x as the sum of two numbers */
    wide *square;                             /* [columns] squares of lengths */
    int64_t analyses, factorisations, solves; /* number of calls of the library */
} pio_direct;

typedef struct {
    int transposed, columns; /* 1: A^T x = b; number of right-hand sides */
    const real *b;           /* device [columns][unknowns] */
    real *x;                 /* device [columns][unknowns], set */
    double tolerance;        /* of |b - A x|/|b|, reached by refinement; 0: the residual is not measured */
} pio_direct_request;

typedef struct {
    /* |b - A x|/|b| of x before it is rounded to `real`, of the worst column; 0 where it is not measured */
    double relative;
    int solves; /* with the factor: 1, and one for each refinement */
} pio_direct_result;

enum { PIO_DIRECT_REFINEMENTS = 5 };

/* Returns the best method that the library has for operators of this kind. A symmetric operator is factored by Cholesky
 * where there is no LDL^T: that it is not positive definite is then an error of pio_direct_factor(). */
pio_linear_method pio_direct_method(const pio_direct_table *table, pio_linop_kind kind);
/* Returns the name of a method, such as "Cholesky". */
const char *pio_direct_method_name(pio_linear_method method);

/* How a matrix is to be factored. */
typedef struct {
    const pio_direct_table *table; /* the library */
    int ordinal;                   /* number of the device */
    pio_linear_method method;
    pio_linop_kind kind; /* of the matrix, the caller's promise */
    double most;         /* bytes that the factor may take */
} pio_direct_choice;

/* The pattern of a matrix of DIM x DIM blocks; host arrays as of pio_bsr_structure. */
typedef struct {
    int rows;             /* number of block rows */
    const int *row_start; /* [rows + 1] first block of each row */
    const int *column;    /* [row_start[rows]] ascending within a row */
} pio_direct_blocks;

/* Analyses a pattern on the host. Returns PIOLA_BAD_DATA for a wrong pairing, a method that the library does not have,
 * or too many entries, PIOLA_NO_MEMORY with the predicted bytes if they are more than allowed, or the error of the
 * library. */
piola_status pio_direct_analyse(pio_direct *d, const pio_direct_choice *choice, const pio_direct_blocks *blocks,
                                piola_error *error);

/* Takes the device memory beside the library's from the arena, or measures it, for `columns` right-hand sides. */
void pio_direct_layout(pio_direct *d, pio_arena *arena, int columns);
/* Uploads the pattern and frees it on the host. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status pio_direct_begin(pio_direct *d, pio_queue *queue, const pio_bsr *matrix, piola_error *error);

/* Factors the matrix as it is now. *negative: number of pivots below zero, if the method counts them. `transposed`: the
 * next solves are with A^T. Returns PIOLA_NUMERICAL if it is singular, or by Cholesky not positive definite,
 * PIOLA_UNAVAILABLE after an error of the device, and PIOLA_NO_MEMORY or PIOLA_INTERNAL of the library. */
piola_status pio_direct_factor(pio_direct *d, int transposed, int *negative, piola_error *error);

/* Solves with the factor and refines. Returns PIOLA_NUMERICAL if the residual stays above the tolerance,
 * PIOLA_UNAVAILABLE after an error of the device, PIOLA_INTERNAL without a factor for this request, or PIOLA_NO_MEMORY.
 */
piola_status pio_direct_solve(pio_direct *d, const pio_direct_request *request, pio_direct_result *result,
                              piola_error *error);

/* Frees the factor and the pattern. */
void pio_direct_free(pio_direct *d);

#endif
