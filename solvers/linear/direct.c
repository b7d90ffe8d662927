/* direct.c -- see direct.h. */
#include "solvers/linear/direct.h"
#include "solvers/engine/sim.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    pio_factor_kind kind;
} methods[] = {[PIO_CHOLESKY] = {"Cholesky", PIO_FACTOR_CHOLESKY},
               [PIO_LDLT] = {"LDL^T", PIO_FACTOR_LDLT},
               [PIO_LU] = {"LU", PIO_FACTOR_LU},
               [PIO_QR] = {"QR", PIO_FACTOR_QR}};

static int direct(pio_linear_method method)
{
    return method == PIO_CHOLESKY || method == PIO_LDLT || method == PIO_LU || method == PIO_QR;
}

const char *pio_direct_method_name(pio_linear_method method)
{
    return direct(method) ? methods[method].name : "no direct method";
}

static int has(const pio_direct_table *table, pio_linear_method method)
{
    return direct(method) && (table->kinds >> methods[method].kind & 1u);
}

pio_linear_method pio_direct_method(const pio_direct_table *table, pio_linop_kind kind)
{
    if (kind == PIO_SPD) return PIO_CHOLESKY;
    if (kind == PIO_SYMMETRIC) return has(table, PIO_LDLT) ? PIO_LDLT : PIO_CHOLESKY;
    return has(table, PIO_LU) ? PIO_LU : PIO_QR;
}

/* Returns the status of a library's outcome, with its message in `error`. */
static piola_status outcome_status(pio_direct_outcome outcome, const char *message, piola_error *error)
{
    static const piola_status status[] = {[PIO_DIRECT_OK] = PIOLA_OK,
                                          [PIO_DIRECT_SINGULAR] = PIOLA_NUMERICAL,
                                          [PIO_DIRECT_INDEFINITE] = PIOLA_NUMERICAL,
                                          [PIO_DIRECT_NO_MEMORY] = PIOLA_NO_MEMORY,
                                          [PIO_DIRECT_UNAVAILABLE] = PIOLA_UNAVAILABLE,
                                          [PIO_DIRECT_FAILED] = PIOLA_INTERNAL};
    if (!outcome) return PIOLA_OK;
    const piola_failure_kind kind = outcome == PIO_DIRECT_SINGULAR ? PIOLA_FAILED_SINGULAR : PIOLA_FAILED_NOT;
    return sim_fail_as(error, status[outcome], sim_failure(kind), "%s", message);
}

/* ---- analysis ------------------------------------------------------------------------------------------- */

/* Rows of single numbers from rows of blocks; of block (i,j) the lower triangle has all, a triangle, or nothing. */
static piola_status spread_pattern(pio_direct *d, const pio_direct_blocks *blocks, piola_error *error)
{
    const int rows = blocks->rows, *row_start = blocks->row_start, *column = blocks->column;
    int64_t entries = 0;
    for (int i = 0; i < rows; i++)
        for (int k = row_start[i]; k < row_start[i + 1]; k++)
            entries += !d->lower || column[k] < i ? DIM * DIM : column[k] == i ? DIM * (DIM + 1) / 2 : 0;
    if (entries + (int64_t)rows * DIM >= INT_MAX)
        return sim_fail(error, PIOLA_BAD_DATA, "a direct solver takes up to %d entries and this matrix has %lld",
                        INT_MAX, (long long)entries);
    d->unknowns = rows * DIM;
    d->entries = (int)entries;
    d->pattern = malloc(sizeof *d->pattern * ((size_t)d->unknowns + 1 + (size_t)entries));
    if (!d->pattern)
        return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for a pattern of %lld entries", (long long)entries);
    int *start = d->pattern, *out = start + d->unknowns + 1, at = 0;
    for (int r = 0; r < d->unknowns; r++) {
        const int i = r / DIM;
        start[r] = at;
        for (int k = row_start[i]; k < row_start[i + 1]; k++)
            for (int c = column[k] * DIM; c < (column[k] + 1) * DIM && (!d->lower || c <= r); c++) out[at++] = c;
    }
    start[d->unknowns] = at;
    return PIOLA_OK;
}

piola_status pio_direct_analyse(pio_direct *d, const pio_direct_choice *choice, const pio_direct_blocks *blocks,
                                piola_error *error)
{
    const pio_direct_table *table = choice->table;
    const pio_linear_method method = choice->method;
    const double most = choice->most;
    char message[PIO_DIRECT_TEXT] = "";
    *d = (pio_direct){.table = table, .method = method};
    piola_status rc = pio_linop_accepts(method, choice->kind, error);
    if (rc) return rc;
    if (!has(table, method))
        return sim_fail(error, PIOLA_BAD_DATA, "this library has no %s", pio_direct_method_name(method));
    d->lower = table->lower && (method == PIO_CHOLESKY || method == PIO_LDLT);
    rc = spread_pattern(d, blocks, error);
    if (rc) return rc;
    const pio_direct_pattern pattern = {d->unknowns, d->pattern, d->pattern + d->unknowns + 1};
    rc = outcome_status(table->analyse(choice->ordinal, methods[method].kind, &pattern, (size_t)most, &d->factor,
                                       &d->forecast, message),
                        message, error);
    d->analyses++;
    if (!rc && (double)d->forecast.bytes > most)
        rc = sim_fail(error, PIOLA_NO_MEMORY, "a factorisation of %d unknowns needs %zu bytes, and %.0f are allowed",
                      d->unknowns, d->forecast.bytes, most);
    if (rc) pio_direct_free(d);
    return rc;
}

void pio_direct_layout(pio_direct *d, pio_arena *arena, int columns)
{
    const size_t vector = (size_t)d->unknowns * (size_t)columns;
    d->columns = columns;
    TAKE(arena, d->start, (size_t)d->unknowns + 1);
    TAKE(arena, d->value, d->entries);
    TAKE(arena, d->r, vector);
    TAKE(arena, d->high, vector);
    TAKE(arena, d->low, vector);
    TAKE(arena, d->square, columns);
}

piola_status pio_direct_begin(pio_direct *d, pio_queue *queue, const pio_bsr *matrix, piola_error *error)
{
    d->queue = queue;
    d->matrix = matrix;
    pio_queue_upload(queue, d->start, d->pattern, sizeof *d->start * ((size_t)d->unknowns + 1));
    free(d->pattern);
    d->pattern = NULL;
    return queue->error.code ? sim_fail(error, PIOLA_UNAVAILABLE, "%s", queue->error.message) : PIOLA_OK;
}

void pio_direct_free(pio_direct *d)
{
    if (d->factor) d->table->release(d->factor);
    free(d->pattern);
    *d = (pio_direct){0};
}

/* ---- factors -------------------------------------------------------------------------------------------- */

static int factors_transpose(const pio_direct *d)
{
    return !d->table->transposes && (d->method == PIO_LU || d->method == PIO_QR);
}

piola_status pio_direct_factor(pio_direct *d, int transposed, int *negative, piola_error *error)
{
    pio_queue *q = d->queue;
    const pio_bsr *a = d->matrix;
    char message[PIO_DIRECT_TEXT] = "";
    pio_direct_outcome outcome = PIO_DIRECT_OK;
    const int transpose = transposed && factors_transpose(d);
    *negative = 0;
    d->factored = 0;
    pio_map(q, direct_expand, a->rows, NULL, .row_start = a->row_start, .column = a->column, .mirror = a->mirror,
            .value = a->value, .start = d->start, .lower = d->lower, .transposed = transpose, .out = d->value);
    if (pio_queue_begin(q)) {
        outcome = d->table->factorise(d->factor, q->stream, d->value, negative, message);
        pio_queue_end(q, KERNEL_DIRECT, __FILE__, __LINE__, 0);
    }
    d->factorisations++;
    if (q->error.code) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
    if (outcome == PIO_DIRECT_INDEFINITE)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_NEGATIVE_CURVATURE),
            "Cholesky: %d pivots are not above zero: the operator is not positive definite; LDL^T would be "
            "right",
            *negative);
    if (!outcome) d->factored = 1 + transpose;
    return outcome_status(outcome, message, error);
}

/* ---- solves --------------------------------------------------------------------------------------------- */

/* r = b - A x of every column */
static void residuals(pio_direct *d, const pio_direct_request *w)
{
    const pio_bsr *a = d->matrix;
    for (int c = 0; c < w->columns; c++) {
        const size_t at = (size_t)c * (size_t)d->unknowns;
        pio_map(d->queue, direct_residual, a->rows, NULL, .row_start = a->row_start, .column = a->column,
                .mirror = a->mirror, .value = a->value, .transposed = w->transposed, .b = w->b + at,
                .high = d->high + at, .low = d->low + at, .r = d->r + at);
        if (w->tolerance > 0) pio_sum(d->queue, direct_square, d->unknowns, NULL, d->square + c, .r = d->r + at);
    }
}

/* x += A^-1 r */
static pio_direct_outcome correct(pio_direct *d, const pio_direct_request *w, char *message)
{
    pio_queue *q = d->queue;
    pio_direct_outcome outcome = PIO_DIRECT_OK;
    const int transposed = w->transposed && !factors_transpose(d);
    if (pio_queue_begin(q)) {
        outcome = d->table->solve(d->factor, q->stream, transposed, w->columns, d->r, message);
        pio_queue_end(q, KERNEL_DIRECT, __FILE__, __LINE__, 0);
    }
    d->solves++;
    if (!outcome)
        pio_map(q, direct_add, d->unknowns * w->columns, NULL, .d = d->r, .high = d->high, .low = d->low, .x = w->x);
    return outcome;
}

/* The largest |r|/|b|, where `first` are the lengths of the columns of b; NaN stays. */
static double worst(pio_direct *d, const pio_direct_request *w, double *first, int begins)
{
    double most = 0;
    for (int c = 0; c < w->columns; c++) {
        double square = 0;
        pio_queue_download(d->queue, &square, d->square + c, sizeof square);
        if (begins) first[c] = square;
        const double relative = square > 0 ? sqrt(square / first[c]) : square;
        if (!(relative <= most)) most = relative;
    }
    return most;
}

/* Refined while the residual halves at least. */
static piola_status refine(pio_direct *d, const pio_direct_request *w, double *first, pio_direct_result *result,
                           piola_error *error)
{
    char message[PIO_DIRECT_TEXT] = "";
    double before = INFINITY;
    residuals(d, w);
    if (w->tolerance > 0) worst(d, w, first, 1);
    for (;;) {
        const pio_direct_outcome outcome = correct(d, w, message);
        result->solves++;
        if (outcome) return outcome_status(outcome, message, error);
        if (!(w->tolerance > 0)) break;
        residuals(d, w);
        result->relative = worst(d, w, first, 0);
        if (d->queue->error.code || result->relative <= w->tolerance) break;
        if (result->solves > PIO_DIRECT_REFINEMENTS || !(result->relative <= before / 2)) {
            piola_failure failure =
                sim_failure(isfinite(result->relative) ? PIOLA_FAILED_STAGNATION : PIOLA_FAILED_NOT_FINITE);
            failure.residual = result->relative;
            return sim_fail_as(error, PIOLA_NUMERICAL, failure,
                               "%s: |b - A x| / |b| is %.4g after %d solves, not %.4g, and falls no further",
                               pio_direct_method_name(d->method), result->relative, result->solves, w->tolerance);
        }
        before = result->relative;
    }
    return d->queue->error.code ? sim_fail(error, PIOLA_UNAVAILABLE, "%s", d->queue->error.message) : PIOLA_OK;
}

piola_status pio_direct_solve(pio_direct *d, const pio_direct_request *w, pio_direct_result *result, piola_error *error)
{
    const size_t bytes = sizeof(wide) * (size_t)d->unknowns * (size_t)w->columns;
    *result = (pio_direct_result){0};
    if (w->columns < 1 || w->columns > d->columns)
        return sim_fail(error, PIOLA_INTERNAL, "%d right-hand sides, and there is room for %d", w->columns, d->columns);
    if (d->factored != 1 + (w->transposed && factors_transpose(d)))
        return sim_fail(error, PIOLA_INTERNAL, "the matrix was not factorised for this solve");
    double *first = malloc(sizeof *first * (size_t)w->columns);
    if (!first) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d numbers", w->columns);
    pio_queue_zero(d->queue, d->high, bytes);
    pio_queue_zero(d->queue, d->low, bytes);
    const piola_status rc = refine(d, w, first, result, error);
    free(first);
    return rc;
}
