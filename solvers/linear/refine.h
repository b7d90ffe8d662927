/* refine.h -- A x = b to more digits than x has: what an iterative solve has reached, where rounding lets it come no
 * further, is corrected by solves for its residual.
 *
 * A Krylov method ends where |b - A x| is about eps |A| |x|, which in a slender or a very uneven body is far above the
 * tolerance. As direct.h does for a factor, the solution is carried as high + low, its residual r is computed as if in
 * twice the digits, and A d = r/|r| is solved anew from d = 0, by the same method, as far as it is needed or rounding
 * allows (Wilkinson 1963, chapter 3). What a solve can reach of a right-hand side of length 1 is a factor by which
 * each correction makes the residual smaller. */
#ifndef PIOLA_SOLVERS_REFINE_H
#define PIOLA_SOLVERS_REFINE_H

#include "solvers/linear/bsr.h"
#include "solvers/linear/krylov.h"

/* Device workspace. */
typedef struct {
    int64_t unknowns;
    wide *high, *low, *r, *square; /* [unknowns] x as the sum of two numbers, its residual; [1] |r|^2 */
    real *b, *d;                   /* [unknowns] right-hand side and solution of a correction */
} pio_refine;

/* Takes the device memory from the arena, or measures it. */
void pio_refine_layout(pio_refine *w, pio_arena *arena, int64_t unknowns);

/* Solves A d = b from the d [unknowns] given, by a Krylov method whose tolerance and most iterations these are, and
 * returns its status. */
typedef piola_status pio_refine_solver(void *context, const real *b, real *d, double tolerance, int max_iterations,
                                       pio_krylov_result *result, piola_error *error);

typedef struct {
    const pio_bsr *matrix;
    int transposed;     /* 1: A^T x = b */
    const real *b;      /* device [unknowns] */
    real *x;            /* device [unknowns]: what a solve has reached; then the corrected one */
    double tolerance;   /* of |b - A x|/|b|, in (0, 1) */
    int max_iterations; /* of all solves together, what `result` has already included */
    pio_refine_solver *solver;
    void *context;
} pio_refine_request;

/* Corrects x until its residual, that of x before it is rounded to `real`, is within the tolerance. `result` is that of
 * the solve that ended with KRYLOV_STAGNATED; iterations are added to it, stop and residual set anew. Returns
 * PIOLA_NUMERICAL if a correction fails for another reason than rounding, the iterations are spent, or the residual
 * does not even halve, and PIOLA_INTERRUPTED or PIOLA_UNAVAILABLE as the solver does. */
piola_status pio_refine_solve(const pio_refine *w, pio_queue *queue, const pio_refine_request *request,
                              pio_krylov_result *result, piola_error *error);

#endif
