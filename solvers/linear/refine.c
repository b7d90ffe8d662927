/* refine.c -- see refine.h. */
#include "solvers/linear/refine.h"
#include "solvers/engine/sim.h"

#include <math.h>

static const double LOOSEST = 0.1, TIGHTEST = sizeof(real) == 4 ? 1e-3 : 1e-6; /* tolerance of a correction */

void pio_refine_layout(pio_refine *w, pio_arena *arena, int64_t unknowns)
{
    *w = (pio_refine){.unknowns = unknowns};
    TAKE(arena, w->high, unknowns);
    TAKE(arena, w->low, unknowns);
    TAKE(arena, w->r, unknowns);
    TAKE(arena, w->square, 1);
    TAKE(arena, w->b, unknowns);
    TAKE(arena, w->d, unknowns);
}

/* r = b - A (high + low), and returns |r|/|b|. */
static double measure(const pio_refine *w, pio_queue *q, const pio_refine_request *t, double rhs)
{
    const pio_bsr *a = t->matrix;
    double square = 0;
    pio_map(q, direct_residual, a->rows, NULL, .row_start = a->row_start, .column = a->column, .mirror = a->mirror,
            .value = a->value, .transposed = t->transposed, .beside = a->beside, .b = t->b, .high = w->high,
            .low = w->low, .r = w->r);
    pio_sum(q, direct_square, (int)w->unknowns, NULL, w->square, .r = w->r);
    pio_queue_download(q, &square, w->square, sizeof square);
    return square > 0 ? sqrt(square) / rhs : square; /* NaN stays */
}

/* Adds the solution for the residual, which has come down to `relative`. */
static piola_status correct(const pio_refine *w, pio_queue *q, const pio_refine_request *t, double relative,
                            pio_krylov_result *result, piola_error *error)
{
    const double tolerance = fmin(fmax(0.5 * t->tolerance / relative, TIGHTEST), LOOSEST);
    const int n = (int)w->unknowns, left = t->max_iterations - result->iterations;
    pio_krylov_result of_one = {0};
    if (left < 1) {
        const piola_failure failure = {.kind = PIOLA_FAILED_LINEAR_LIMIT, .step = -1, .residual = relative};
        return sim_fail_as(error, PIOLA_NUMERICAL, failure,
                           "a solve and its corrections have not converged in %d iterations: |b - A x| / |b| is %.4g, "
                           "not %.4g",
                           result->iterations, relative, t->tolerance);
    }
    pio_map(q, refine_scale, n, NULL, .r = w->r, .square = w->square, .b = w->b);
    pio_queue_zero(q, w->d, sizeof *w->d * (size_t)n);
    const piola_status rc = t->solver(t->context, w->b, w->d, tolerance, left, &of_one, error);
    result->iterations += of_one.iterations;
    result->restarts += of_one.restarts;
    result->downloads += of_one.downloads;
    result->stop = of_one.stop;
    if (rc && of_one.stop != KRYLOV_STAGNATED) return rc;
    if (rc && error) *error = (piola_error){0}; /* what it has reached helps */
    pio_map(q, refine_add, n, NULL, .d = w->d, .square = w->square, .high = w->high, .low = w->low, .x = t->x);
    return PIOLA_OK;
}

piola_status pio_refine_solve(const pio_refine *w, pio_queue *q, const pio_refine_request *t, pio_krylov_result *result,
                              piola_error *error)
{
    double before = INFINITY;
    pio_map(q, refine_begin, (int)w->unknowns, NULL, .x = t->x, .high = w->high, .low = w->low);
    for (int corrections = 0;; corrections++) {
        const double relative = measure(w, q, t, result->rhs);
        if (q->error.code) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
        result->relative = relative;
        result->residual = relative * result->rhs;
        result->stop = KRYLOV_CONVERGED;
        if (relative <= t->tolerance) return PIOLA_OK;
        result->stop = KRYLOV_STAGNATED;
        if (!(relative <= before / 2)) {
            const piola_failure_kind kind = isfinite(relative) ? PIOLA_FAILED_STAGNATION : PIOLA_FAILED_NOT_FINITE;
            const piola_failure failure = {.kind = kind, .step = -1, .residual = relative};
            return sim_fail_as(error, PIOLA_NUMERICAL, failure,
                               "an iterative solve stagnates after %d corrections and %d iterations: |b - A x| / |b| "
                               "is %.4g, not %.4g, and falls no further",
                               corrections, result->iterations, relative, t->tolerance);
        }
        before = relative;
        const piola_status rc = correct(w, q, t, relative, result, error);
        if (rc) return rc;
    }
}
