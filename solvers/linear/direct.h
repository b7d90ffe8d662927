/* direct.h -- A x = b by elimination, with a library behind the table of kernels/backend/direct.h, for a block matrix.
 *
 *     pio_direct_analyse(&d, &choice, &blocks, e);           once per pattern, on the host
 *     pio_direct_layout(&d, arena, columns);                 with no memory to measure, then again to take
 *     pio_direct_begin(&d, queue, &matrix, e);               once
 *     pio_direct_factor(&d, 0, &negative, e);                after each assembly
 *     pio_direct_solve(&d, &request, &result, e);            as often as wanted
 *     pio_direct_free(&d);
 *
 * Cholesky takes positive definite operators, LDL^T symmetric ones, LU and QR any: another pairing is refused, as in
 * linop.h. The matrix never leaves the device; each measured residual brings one number to the host. */
#ifndef PIOLA_SOLVERS_DIRECT_H
#define PIOLA_SOLVERS_DIRECT_H

#include "solvers/linear/bsr.h"

typedef struct {
    const pio_direct_table *table; /* NULL: there is no direct solver */
    pio_queue *queue;
    const pio_bsr *matrix;
    pio_linear_method method;
    int unknowns, entries, lower, columns;
    int factored; /* 0: nothing; 1: A; 2: A^T, by a library whose factors of A do not solve with it */
    void *factor;
    pio_direct_forecast forecast;
    int *pattern; /* host: start [unknowns + 1], then column [entries], until pio_direct_begin */
    /* on the device */
    int *start;                               /* [unknowns + 1] */
    wide *value;                              /* [entries] */
    wide *r, *high, *low;                     /* [columns][unknowns] */
    wide *square;                             /* [columns] */
    int64_t analyses, factorisations, solves; /* calls of the library */
} pio_direct;

typedef struct {
    int transposed, columns;
    const real *b;    /* device [columns][unknowns] */
    real *x;          /* device [columns][unknowns] set */
    double tolerance; /* of |b - A x|/|b|, reached by refinement; 0: the residual is not measured */
} pio_direct_request;

typedef struct {
    /* |b - A x|/|b| of x before it is rounded to `real`, of the worst column; 0 where it is not measured */
    double relative;
    int solves; /* with the factor: 1, and one for each refinement */
} pio_direct_result;

enum { PIO_DIRECT_REFINEMENTS = 5 };

/* The best method that the library has for operators of this kind. A symmetric one without LDL^T is tried by Cholesky:
 * the
 * caller promises that it is positive definite, and is told where it is not. */
pio_linear_method pio_direct_method(const pio_direct_table *table, pio_linop_kind kind);
const char *pio_direct_method_name(pio_linear_method method);

/* By what a matrix is to be factored. */
typedef struct {
    const pio_direct_table *table; /* the library */
    int ordinal;                   /* of the device */
    pio_linear_method method;
    pio_linop_kind kind; /* of the matrix, the caller's promise */
    double most;         /* bytes that the factor may take */
} pio_direct_choice;

/* Where a matrix has blocks of DIM x DIM; host arrays as of pio_bsr_structure. */
typedef struct {
    int rows;
    const int *row_start; /* [rows + 1] */
    const int *column;    /* [row_start[rows]] ascending within a row */
} pio_direct_blocks;

/* Analyse a pattern. PIOLA_BAD_DATA for a wrong pairing or a method that the library does not have, PIOLA_NO_MEMORY
 * with the bytes predicted where they are more than are allowed. */
piola_status pio_direct_analyse(pio_direct *d, const pio_direct_choice *choice, const pio_direct_blocks *blocks,
                                piola_error *error);

/* Memory beside the library's, for `columns` right-hand sides at once. */
void pio_direct_layout(pio_direct *d, pio_arena *arena, int columns);
piola_status pio_direct_begin(pio_direct *d, pio_queue *queue, const pio_bsr *matrix, piola_error *error);

/* The matrix as it is now. PIOLA_NUMERICAL where it is singular, or by Cholesky not positive definite; *negative:
 * pivots below
 * zero, as far as the method tells them. `transposed`: to solve with A^T next. */
piola_status pio_direct_factor(pio_direct *d, int transposed, int *negative, piola_error *error);

/* PIOLA_NUMERICAL where the residual stays above the tolerance. */
piola_status pio_direct_solve(pio_direct *d, const pio_direct_request *request, pio_direct_result *result,
                              piola_error *error);

void pio_direct_free(pio_direct *d);

#endif
