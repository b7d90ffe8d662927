/* bsr.c -- see bsr.h. */
#include "solvers/linear/bsr.h"
#include "solvers/linear/amg.h"
#include "solvers/engine/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void pio_bsr_layout(pio_bsr *bsr, pio_arena *arena, int rows, int blocks)
{
    bsr->rows = rows;
    bsr->blocks = blocks;
    TAKE(arena, bsr->row_start, (size_t)rows + 1);
    TAKE(arena, bsr->column, blocks);
    TAKE(arena, bsr->mirror, blocks);
    TAKE(arena, bsr->diagonal, rows);
    TAKE(arena, bsr->value, (size_t)blocks * DIM * DIM);
    TAKE(arena, bsr->inverse, (size_t)rows * DIM * DIM);
    TAKE(arena, bsr->fault, 2);
}

/* ---- structure ------------------------------------------------------------------------------------------- */

/* Rows begin where the row before ends, and columns ascend within each. */
static piola_status check_rows(const pio_bsr *bsr, const int *row_start, const int *column, piola_error *error)
{
    if (row_start[0] != 0 || row_start[bsr->rows] != bsr->blocks)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "row_start goes from %d to %d; 0 and %d, the number of blocks, are right", row_start[0],
                        row_start[bsr->rows], bsr->blocks);
    for (int i = 0; i < bsr->rows; i++) /* all of them before an entry is read */
        if (row_start[i] < 0 || row_start[i + 1] < row_start[i] || row_start[i + 1] > bsr->blocks)
            return sim_fail(error, PIOLA_BAD_DATA, "block row %d begins at entry %d and ends before entry %d", i,
                            row_start[i], row_start[i + 1]);
    for (int i = 0; i < bsr->rows; i++)
        for (int k = row_start[i]; k < row_start[i + 1]; k++) {
            if (column[k] < 0 || column[k] >= bsr->rows)
                return sim_fail(error, PIOLA_BAD_DATA, "block row %d has an entry in column %d of %d", i, column[k],
                                bsr->rows);
            if (k > row_start[i] && column[k] <= column[k - 1])
                return sim_fail(error, PIOLA_BAD_DATA,
                                "block row %d: column %d comes after column %d; ascending is right", i, column[k],
                                column[k - 1]);
        }
    return PIOLA_OK;
}

/* Row after row, the entries (j,i) of a row j are met in the order in which they lie: `next` is how far. */
static piola_status find_mirrors(const pio_bsr *bsr, const int *row_start, const int *column, int *next, int *mirror,
                                 int *diagonal, piola_error *error)
{
    for (int i = 0; i < bsr->rows; i++) {
        next[i] = row_start[i];
        diagonal[i] = -1;
    }
    for (int i = 0; i < bsr->rows; i++)
        for (int k = row_start[i]; k < row_start[i + 1]; k++) {
            const int j = column[k], m = next[j]++;
            if (m >= row_start[j + 1] || column[m] != i) {
                const int row = m < row_start[j + 1] && column[m] < i ? column[m] : j; /* of the entry that lacks */
                return sim_fail(
                    error, PIOLA_BAD_DATA,
                    "the structure is not symmetric: there is no block in row %d, column %d for that in row "
                    "%d, column %d",
                    row, row == j ? i : j, row == j ? i : j, row);
            }
            mirror[k] = m;
            if (i == j) diagonal[i] = k;
        }
    for (int i = 0; i < bsr->rows; i++)
        if (diagonal[i] < 0) return sim_fail(error, PIOLA_BAD_DATA, "block row %d has no block on the diagonal", i);
    return PIOLA_OK;
}

piola_status pio_bsr_structure(pio_bsr *bsr, pio_queue *q, const int *row_start, const int *column, piola_error *error)
{
    const size_t rows = (size_t)bsr->rows, blocks = (size_t)bsr->blocks;
    piola_status rc = check_rows(bsr, row_start, column, error);
    if (rc) return rc;
    int *mirror = malloc(sizeof *mirror * (blocks + 2 * rows + 1)), *diagonal = mirror + blocks;
    if (!mirror) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for a matrix of %zu blocks", blocks);
    bsr->queue = q;
    rc = find_mirrors(bsr, row_start, column, diagonal + rows, mirror, diagonal, error);
    if (!rc) {
        const uint64_t right = BLOCK_RIGHT;
        pio_queue_upload(q, bsr->fault + 1, &right, sizeof right);
        pio_queue_upload(q, bsr->row_start, row_start, sizeof *row_start * (rows + 1));
        pio_queue_upload(q, bsr->column, column, sizeof *column * blocks);
        pio_queue_upload(q, bsr->mirror, mirror, sizeof *mirror * blocks);
        pio_queue_upload(q, bsr->diagonal, diagonal, sizeof *diagonal * rows);
        if (pio_queue_failed(q)) rc = sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
    }
    free(mirror);
    return rc;
}

piola_status pio_bsr_use(pio_bsr *bsr, const pio_product_table *table, int ordinal, piola_error *error)
{
    const pio_product_matrix matrix = {.rows = bsr->rows,
                                       .blocks = bsr->blocks,
                                       .dim = DIM,
                                       .bits = 8 * (int)sizeof(real),
                                       .row_start = bsr->row_start,
                                       .column = bsr->column,
                                       .value = bsr->value};
    return pio_product_begin(&bsr->product, table, ordinal, bsr->queue, &matrix, error);
}

/* ---- block-Jacobi ---------------------------------------------------------------------------------------- */

/* "[1 0; 0 1]", from host memory */
static void print_block(char *text, size_t size, const real *m)
{
    size_t at = 0;
    for (int i = 0; i < DIM * DIM && at < size; i++) {
        const int n = snprintf(text + at, size - at, "%s%.6g", i == 0 ? "[" : i % DIM ? " " : "; ", (double)m[i]);
        if (n > 0) at += (size_t)n;
    }
    if (at < size) snprintf(text + at, size - at, "]");
}

void pio_bsr_invert_begin(pio_bsr *bsr)
{
    pio_queue *q = bsr->queue;
    const real threshold = (real)(16 * (sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON));
    pio_queue_copy(q, bsr->fault, bsr->fault + 1, sizeof *bsr->fault);
    pio_map(q, bsr_invert_diagonal, bsr->rows, NULL, .diagonal = bsr->diagonal, .value = bsr->value,
            .threshold = threshold, .inverse = bsr->inverse, .fault = bsr->fault);
}

piola_status pio_bsr_invert_diagonal(pio_bsr *bsr, piola_error *error)
{
    pio_queue *q = bsr->queue;
    uint64_t fault = BLOCK_RIGHT;
    pio_bsr_invert_begin(bsr);
    pio_queue_download(q, &fault, bsr->fault, sizeof fault);
    if (q->error.code) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
    return pio_bsr_invert_end(bsr, fault, error);
}

piola_status pio_bsr_invert_end(pio_bsr *bsr, uint64_t fault, piola_error *error)
{
    pio_queue *q = bsr->queue;
    if (fault == BLOCK_RIGHT) return PIOLA_OK;
    const int row = (int)(fault >> 1), singular = (fault & 1) == BLOCK_SINGULAR;
    int entry = 0;
    real block[DIM * DIM] = {0};
    char text[256];
    pio_queue_download(q, &entry, bsr->diagonal + row, sizeof entry);
    pio_queue_download(q, block, bsr->value + (ptrdiff_t)entry * DIM * DIM, sizeof block);
    if (pio_queue_failed(q)) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
    print_block(text, sizeof text, block);
    sim_fail(error, PIOLA_NUMERICAL,
             singular ? "the diagonal block %s of node %d is singular: nothing holds this node in some direction"
                      : "the diagonal block %s of node %d is not finite",
             text, row);
    if (error)
        error->failure = (piola_failure){.kind = singular ? PIOLA_FAILED_SINGULAR : PIOLA_FAILED_NOT_FINITE,
                                         .of = PIOLA_FAILED_NODE,
                                         .item = row,
                                         .step = -1,
                                         .residual = (double)NAN};
    return PIOLA_NUMERICAL;
}

/* ---- the operator ---------------------------------------------------------------------------------------- */

/* Adds what the blocks beside the matrix have, where *limit is not 0; NULL: always. */
static int apply_beside(const pio_bsr *a, const int *limit, int transposed, const real *x, real *y)
{
    if (a->beside.items)
        pio_map(a->queue, bsr_beside_apply, a->beside.items, limit, .b = a->beside, .transposed = transposed, .x = x,
                .y = y);
    return a->queue->error.code;
}

static int apply(void *context, const void *x, void *y)
{
    const pio_bsr *a = context;
    if (a->product.table) {
        const int code = pio_product_apply(&a->product, a->queue, 0, x, y);
        return code ? code : apply_beside(a, NULL, 0, x, y);
    }
    pio_map(a->queue, bsr_apply, BSR_TEAMS(a->rows), NULL, .rows = a->rows, .row_start = a->row_start,
            .column = a->column, .value = a->value, .x = x, .y = y);
    return apply_beside(a, NULL, 0, x, y);
}

static int apply_active(void *context, const int *rows, const void *x, void *y)
{
    const pio_bsr *a = context;
    if (a->product.table) return apply(context, x, y);
    /* all rows, or none: as a limit of teams, too */
    pio_map(a->queue, bsr_apply, BSR_TEAMS(a->rows), rows, .rows = a->rows, .row_start = a->row_start,
            .column = a->column, .value = a->value, .x = x, .y = y);
    return apply_beside(a, rows, 0, x, y);
}

static int apply_transposed(void *context, const void *x, void *y)
{
    const pio_bsr *a = context;
    if (a->product.table && a->product.table->transposes) {
        const int code = pio_product_apply(&a->product, a->queue, 1, x, y);
        return code ? code : apply_beside(a, NULL, 1, x, y);
    }
    pio_map(a->queue, bsr_apply_transposed, a->rows, NULL, .row_start = a->row_start, .column = a->column,
            .mirror = a->mirror, .value = a->value, .x = x, .y = y);
    return apply_beside(a, NULL, 1, x, y);
}

void pio_bsr_magnitude(const pio_bsr *a, const real *x, real *y)
{
    pio_map(a->queue, bsr_magnitude, a->rows, NULL, .row_start = a->row_start, .column = a->column, .value = a->value,
            .x = x, .y = y);
    if (a->beside.items) pio_map(a->queue, bsr_beside_magnitude, a->beside.items, NULL, .b = a->beside, .x = x, .y = y);
}

static int jacobi(void *context, const void *x, void *y)
{
    const pio_bsr *a = context;
    pio_map(a->queue, bsr_jacobi, a->rows, NULL, .inverse = a->inverse, .x = x, .y = y);
    return a->queue->error.code;
}

static int jacobi_transposed(void *context, const void *x, void *y)
{
    const pio_bsr *a = context;
    pio_map(a->queue, bsr_jacobi, a->rows, NULL, .inverse = a->inverse, .transposed = 1, .x = x, .y = y);
    return a->queue->error.code;
}

/* The preconditioner of a symmetric matrix is symmetric; that of another one serves its transposed, too. */
static int multigrid(void *context, const void *x, void *y)
{
    const pio_bsr *a = context;
    return pio_amg_apply(a->multigrid, x, y);
}

pio_linop pio_bsr_operator(pio_bsr *bsr, pio_linop_kind kind, pio_preconditioner preconditioner)
{
    static int (*const forward[])(void *, const void *, void *) = {NULL, jacobi, multigrid};
    static int (*const transposed[])(void *, const void *, void *) = {NULL, jacobi_transposed, multigrid};
    return (pio_linop){.kind = kind,
                       .unknowns = (int64_t)bsr->rows * DIM,
                       .context = bsr,
                       .apply = apply,
                       .apply_transposed = apply_transposed,
                       .precondition = forward[preconditioner],
                       .precondition_transposed = transposed[preconditioner],
                       .apply_active = apply_active,
                       .inverse = preconditioner == PIO_BLOCK_JACOBI ? bsr->inverse : NULL};
}
