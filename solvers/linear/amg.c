/* amg.c -- see amg.h. */
#include "solvers/linear/amg.h"
#include "solvers/engine/sim.h"

#include <stdlib.h>

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* From a level to the next. */
static void take_step(pio_amg_level *l, pio_arena *arena, const pio_amg_step *s, int places, int corners)
{
    const size_t rows = (size_t)l->rows, next = (size_t)l->next_rows, modes = (size_t)AMG_MODES * AMG_MODES;
    l->p_blocks = s->p_start[s->rows];
    l->ap_blocks = s->ap_start[s->rows];
    TAKE(arena, l->p_start, rows + 1);
    TAKE(arena, l->p_column, l->p_blocks);
    TAKE(arena, l->t_start, next + 1);
    TAKE(arena, l->t_row, l->p_blocks);
    TAKE(arena, l->t_entry, l->p_blocks);
    TAKE(arena, l->ap_start, rows + 1);
    TAKE(arena, l->ap_column, l->ap_blocks);
    TAKE(arena, l->p, (size_t)l->p_blocks * (size_t)l->size * (size_t)l->next_size + AMG_SPARE);
    if (!s->aggregate) return;
    TAKE(arena, l->aggregate, rows);
    TAKE(arena, l->member_start, next + 1);
    TAKE(arena, l->member, rows);
    TAKE(arena, l->center, next * DIM);
    TAKE(arena, l->basis, next * modes);
    TAKE(arena, l->modes, next * modes);
    if (!places) return;
    TAKE(arena, l->place, rows * DIM);
    TAKE(arena, l->constrained, rows);
    if (corners) TAKE(arena, l->node, rows);
}

/* Whether a matrix is copied for the preconditioner, in fewer digits than its own. */
static int copies(void)
{
    return sizeof(narrow) != sizeof(real);
}

static void take_level(pio_amg *amg, pio_arena *arena, const pio_amg_plan *plan, int at)
{
    pio_amg_level *l = &amg->level[at];
    const size_t square = (size_t)plan->size[at] * (size_t)plan->size[at];
    *l = (pio_amg_level){.rows = plan->rows[at], .size = plan->size[at], .blocks = plan->blocks[at]};
    const size_t rows = (size_t)l->rows, blocks = (size_t)l->blocks;
    if (at + 1 < plan->levels) {
        l->next_rows = plan->rows[at + 1];
        l->next_size = plan->size[at + 1];
    }
    if (at > 0) {
        TAKE(arena, l->row_start, rows + 1);
        TAKE(arena, l->column, blocks);
        TAKE(arena, l->mirror, blocks);
        TAKE(arena, l->diagonal, rows);
        TAKE(arena, l->value, blocks * square);
    }
    if (copies()) TAKE(arena, l->narrowed, blocks * square);
    TAKE(arena, l->inverse, rows * square);
    TAKE(arena, l->coefficients, AMG_COEFFICIENTS);
    TAKE(arena, l->lambda, 1);
    for (int v = 0; v < 5; v++) TAKE(arena, l->vector[v], rows * (size_t)l->size + AMG_SPARE);
    if (l->next_rows) take_step(l, arena, &plan->step[at], at == plan->corners, plan->corners);
}

void pio_amg_layout(pio_amg *amg, pio_arena *arena, const pio_amg_plan *plan, int64_t room)
{
    const int last = plan->levels - 1, n = plan->rows[last] * plan->size[last];
    *amg = (pio_amg){.levels = plan->levels, .dense = n <= AMG_DENSE};
    for (int l = 0; l < plan->levels; l++) {
        take_level(amg, arena, plan, l);
        const pio_amg_level *v = &amg->level[l];
        const int64_t tentative = v->aggregate || plan->step[l].aggregate ? (int64_t)v->rows * v->size * AMG_MODES : 0;
        const int64_t needed = tentative + (int64_t)v->ap_blocks * v->size * v->next_size + AMG_SPARE;
        if (needed > amg->scratch_numbers) amg->scratch_numbers = needed;
    }
    if (amg->scratch_numbers > room) TAKE(arena, amg->scratch, amg->scratch_numbers);
    if (amg->dense) {
        TAKE(arena, amg->inverse[0], (size_t)n * (size_t)n);
        TAKE(arena, amg->inverse[1], (size_t)n * (size_t)n);
        TAKE(arena, amg->own, n);
    }
    TAKE(arena, amg->dots, 2 * AMG_LANCZOS + 1);
    TAKE(arena, amg->square, 1);
    TAKE(arena, amg->fault, 2);
}

/* ---- the plan goes to the device ------------------------------------------------------------------------------ */

static void upload(pio_queue *q, int *to, const int *from, int n)
{
    pio_queue_upload(q, to, from, sizeof *from * (size_t)n);
}

/* Where (j,i) and (i,i) are in a symmetric pattern. Rows in turn meet the blocks (j,i) of a row j in their order. */
static void find_mirrors(const pio_amg_step *s, int *next, int *mirror, int *diagonal)
{
    for (int i = 0; i < s->coarse; i++) next[i] = s->row_start[i];
    for (int i = 0; i < s->coarse; i++)
        for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            mirror[k] = next[s->column[k]]++;
            if (s->column[k] == i) diagonal[i] = k;
        }
}

/* The matrix of level l, made by the step before it. Returns 0 without host memory. */
static int upload_matrix(pio_queue *q, const pio_amg_level *l, const pio_amg_step *before)
{
    int *mirror = malloc(sizeof *mirror * ((size_t)l->blocks + 2 * (size_t)l->rows + 1));
    if (!mirror) return 0;
    int *diagonal = mirror + l->blocks;
    find_mirrors(before, diagonal + l->rows, mirror, diagonal);
    upload(q, l->row_start, before->row_start, l->rows + 1);
    upload(q, l->column, before->column, l->blocks);
    upload(q, l->mirror, mirror, l->blocks);
    upload(q, l->diagonal, diagonal, l->rows);
    free(mirror);
    return 1;
}

static void upload_step(pio_queue *q, const pio_amg_level *l, const pio_amg_step *s)
{
    upload(q, l->p_start, s->p_start, l->rows + 1);
    upload(q, l->p_column, s->p_column, l->p_blocks);
    upload(q, l->t_start, s->t_start, l->next_rows + 1);
    upload(q, l->t_row, s->t_row, l->p_blocks);
    upload(q, l->t_entry, s->t_entry, l->p_blocks);
    upload(q, l->ap_start, s->ap_start, l->rows + 1);
    upload(q, l->ap_column, s->ap_column, l->ap_blocks);
    if (!l->aggregate) return;
    upload(q, l->aggregate, s->aggregate, l->rows);
    upload(q, l->member_start, s->member_start, l->next_rows + 1);
    upload(q, l->member, s->member, s->member_start[s->coarse]);
}

/* Nodes are the means of their corners; what cannot move is no one's. Returns 0 without host memory. */
static int upload_means(pio_queue *q, const pio_amg_level *l, const pio_amg_plan *plan, const int *constrained)
{
    const pio_amg_step *s = &plan->step[0];
    narrow *p = calloc((size_t)l->p_blocks * DIM * DIM + 1, sizeof *p);
    if (!p) return 0;
    for (int i = 0; i < s->rows; i++)
        for (int e = s->p_start[i]; e < s->p_start[i + 1]; e++)
            for (int c = 0; c < DIM; c++) {
                const int held = (constrained[i] | constrained[plan->node[s->p_column[e]]]) >> c & 1;
                if (!held)
                    p[((size_t)e * DIM + (size_t)c) * DIM + (size_t)c] =
                        1 / (narrow)(s->p_start[i + 1] - s->p_start[i]);
            }
    pio_queue_upload(q, l->p, p, sizeof *p * (size_t)l->p_blocks * DIM * DIM);
    free(p);
    return 1;
}

/* Which axes of rows are held, and of corners which nodes they are. Returns 0 without host memory. */
static int upload_rows(pio_queue *q, const pio_amg_level *l, const pio_amg_plan *plan, const int *constrained)
{
    int *of_corners = malloc(sizeof *of_corners * ((size_t)l->rows + 1));
    if (!of_corners) return 0;
    for (int i = 0; i < l->rows; i++) of_corners[i] = constrained[plan->corners ? plan->node[i] : i];
    upload(q, l->constrained, of_corners, l->rows);
    if (plan->corners) upload(q, l->node, plan->node, l->rows);
    free(of_corners);
    return 1;
}

piola_status pio_amg_begin(pio_amg *amg, pio_queue *q, const pio_amg_plan *plan, pio_bsr *matrix,
                           const int *constrained, piola_error *error)
{
    const uint64_t right = BLOCK_RIGHT;
    int ok = 1;
    amg->queue = q;
    amg->matrix = matrix;
    amg->level[0].row_start = matrix->row_start;
    amg->level[0].column = matrix->column;
    amg->level[0].mirror = matrix->mirror;
    amg->level[0].diagonal = matrix->diagonal;
    amg->level[0].value = matrix->value;
    pio_queue_upload(q, amg->fault + 1, &right, sizeof right);
    for (int at = 0; ok && at < amg->levels; at++) {
        pio_amg_level *l = &amg->level[at];
        if (!copies()) l->narrowed = (narrow *)l->value;
        if (at > 0) ok = upload_matrix(q, l, &plan->step[at - 1]);
        if (ok && l->next_rows) upload_step(q, l, &plan->step[at]);
        if (ok && l->next_rows && !l->aggregate) ok = upload_means(q, l, plan, constrained);
        if (ok && l->constrained) ok = upload_rows(q, l, plan, constrained);
    }
    if (!ok) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for a preconditioner of %d rows", matrix->rows);
    return pio_queue_failed(q) ? sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message) : PIOLA_OK;
}

/* ---- setup ---------------------------------------------------------------------------------------------------- */

/* Where a matrix of displacements has sums of rows: in a copy of its own. */
static const int *sums_of(const pio_amg_level *l)
{
    return copies() && l->size == DIM ? l->diagonal : NULL;
}

/* clang-format off */
static amg_matrix matrix_of(const pio_amg_level *l)
{
    return (amg_matrix){.rows = l->rows, .size = l->size, .row_start = l->row_start, .column = l->column,
                        .diagonal = sums_of(l), .value = l->narrowed};
}

static void residual(pio_queue *q, const pio_amg_level *l, const narrow *v, const narrow *r, narrow *out)
{
    pio_map(q, amg_residual, AMG_TEAMS(l->rows, l->size), NULL, .a = matrix_of(l), .v = v, .r = r, .out = out);
}

static void copy_matrix(const pio_amg *amg, const pio_amg_level *l)
{
    pio_map(amg->queue, amg_narrow, l->rows, NULL, .size = l->size, .row_start = l->row_start,
            .mirror = l == amg->level && amg->symmetric ? NULL : l->mirror, .diagonal = sums_of(l),
            .value = l->value, .out = l->narrowed);
}

/* The digits of the preconditioner, D^-1, and the largest eigenvalue of D^-1 A. */
static void examine(const pio_amg *amg, const pio_amg_level *l)
{
    pio_queue *q = amg->queue;
    const int n = l->rows * l->size;
    narrow *r = l->vector[0], *z = l->vector[1], *p = l->vector[2], *ap = l->vector[3];
    if (copies()) copy_matrix(amg, l);
    pio_map(q, amg_invert, l->rows, NULL, .size = l->size, .diagonal = l->diagonal, .value = l->value,
            .inverse = l->inverse, .fault = amg->fault);
    pio_map(q, amg_lanczos_begin, l->rows, NULL, .size = l->size, .inverse = l->inverse, .r = r, .z = z, .p = p);
    pio_sum(q, amg_dot, n, NULL, amg->dots, .a = r, .b = z);
    for (int k = 0; k < AMG_LANCZOS; k++) {
        wide *dots = amg->dots + 2 * (ptrdiff_t)k;
        residual(q, l, p, NULL, ap);
        pio_sum(q, amg_dot, n, NULL, dots + 1, .a = p, .b = ap);
        pio_map(q, amg_lanczos_advance, l->rows, NULL, .size = l->size, .inverse = l->inverse, .dots = dots, .q = ap,
                .r = r, .z = z);
        pio_sum(q, amg_dot, n, NULL, dots + 2, .a = r, .b = z);
        pio_map(q, amg_lanczos_direction, n, NULL, .dots = dots, .z = z, .p = p);
    }
    pio_map(q, amg_lanczos_end, 1, NULL, .dots = amg->dots, .lambda = l->lambda, .coefficients = l->coefficients);
}

/* P of a level, from the modes of its rows. */
static void interpolate(const pio_amg *amg, int at, const real *rest, const real *u, real *tentative)
{
    pio_queue *q = amg->queue;
    const pio_amg_level *l = &amg->level[at];
    const wide *place = l->place ? l->place : (l - 1)->center, *modes = l->place ? NULL : (l - 1)->modes;
    if (l->place) pio_map(q, amg_place, l->rows, NULL, .node = l->node, .constrained = l->constrained,
                .rest = rest, .u = u, .place = l->place);
    pio_map(q, amg_modes, l->next_rows, NULL, .size = l->size, .member_start = l->member_start, .member = l->member,
            .place = place, .constrained = l->constrained, .modes = modes, .center = l->center, .basis = l->basis,
            .coarse_modes = l->modes);
    pio_map(q, amg_tentative, l->rows, NULL, .size = l->size, .aggregate = l->aggregate, .place = place,
            .constrained = l->constrained, .modes = modes, .center = l->center, .basis = l->basis,
            .tentative = tentative);
    pio_map(q, amg_smooth, l->rows, NULL, .size = l->size, .row_start = l->row_start, .column = l->column,
            .value = l->value, .inverse = l->inverse, .lambda = l->lambda, .aggregate = l->aggregate,
            .tentative = tentative, .p_start = l->p_start, .p_column = l->p_column, .p = l->p);
}

/* P^T A P. */
static void coarsen(const pio_amg *amg, int at, real *ap)
{
    pio_queue *q = amg->queue;
    const pio_amg_level *l = &amg->level[at], *next = l + 1;
    pio_map(q, amg_multiply, l->rows, NULL, .size = l->size, .next_size = l->next_size, .row_start = l->row_start,
            .column = l->column, .value = l->value, .p_start = l->p_start, .p_column = l->p_column, .p = l->p,
            .ap_start = l->ap_start, .ap_column = l->ap_column, .ap = ap);
    pio_map(q, amg_galerkin, l->next_rows, NULL, .size = l->size, .next_size = l->next_size, .t_start = l->t_start,
            .t_row = l->t_row, .t_entry = l->t_entry, .p = l->p, .ap_start = l->ap_start, .ap_column = l->ap_column,
            .ap = ap, .next_start = next->row_start, .next_column = next->column, .next = next->value);
}

piola_status pio_amg_refresh(pio_amg *amg, const real *rest, const real *u, real *scratch, int *right,
                             piola_error *error)
{
    pio_queue *q = amg->queue;
    uint64_t fault = BLOCK_RIGHT;
    real *room = amg->scratch ? amg->scratch : scratch;
    pio_queue_copy(q, amg->fault, amg->fault + 1, sizeof *amg->fault);
    for (int at = 0; at < amg->levels; at++) {
        const pio_amg_level *l = &amg->level[at];
        const int last = at + 1 == amg->levels;
        if (!last || !amg->dense) examine(amg, l);
        if (last) break;
        real *tentative = room + (int64_t)l->ap_blocks * l->size * l->next_size;
        if (l->aggregate) interpolate(amg, at, rest, u, tentative);
        coarsen(amg, at, room);
    }
    if (amg->dense) {
        const pio_amg_level *l = &amg->level[amg->levels - 1];
        const int n = l->rows * l->size;
        pio_map(q, amg_dense, l->rows, NULL, .rows = l->rows, .size = l->size, .row_start = l->row_start,
                .column = l->column, .value = l->value, .dense = amg->inverse[n & 1], .own = amg->own);
        for (int k = 0; k < n; k++)
            pio_map(q, amg_eliminate, n, NULL, .n = n, .k = k, .from = amg->inverse[(n - k) & 1], .own = amg->own,
                    .to = amg->inverse[(n - k - 1) & 1], .fault = amg->fault);
    }
    pio_queue_download(q, &fault, amg->fault, sizeof fault);
    *right = fault == BLOCK_RIGHT;
    return q->error.code ? sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message) : PIOLA_OK;
}

/* ---- the cycle ------------------------------------------------------------------------------------------------ */

/* What a step of the smoother reads, and where the step and the new x go; see amg_smoothen_args. */
typedef struct {
    const narrow *v, *r, *x;
    narrow *d, *x_out;
} step_of;

static void smoothen(pio_queue *q, const pio_amg_level *l, int second, step_of s)
{
    pio_map(q, amg_smoothen, AMG_TEAMS(l->rows, l->size), NULL, .a = matrix_of(l), .inverse = l->inverse,
            .coefficients = l->coefficients, .second = second, .v = s.v, .r = s.r, .x = s.x, .r_out = l->vector[1],
            .d = s.d, .x_out = s.x_out);
}

/* From the b of a level, vector[0], to its x, which is returned. */
static narrow *cycle(const pio_amg *amg, int at)
{
    pio_queue *q = amg->queue;
    const pio_amg_level *l = &amg->level[at], *next = l + 1;
    narrow *b = l->vector[0], *r = l->vector[1], *d = l->vector[2], *other = l->vector[3], *x = l->vector[4];
    if (at + 1 == amg->levels && amg->dense) {
        const int n = l->rows * l->size;
        pio_map(q, amg_coarsest, n, NULL, .n = n, .inverse = amg->inverse[0], .b = b, .x = x);
        return x;
    }
    pio_map(q, amg_open, l->rows, NULL, .size = l->size, .inverse = l->inverse, .coefficients = l->coefficients,
            .b = b, .d = d);
    smoothen(q, l, 1, (step_of){.v = d, .r = b, .x = d, .d = other, .x_out = x});
    if (l->next_rows) {
        residual(q, l, other, r, r);
        pio_map(q, amg_restrict, l->next_rows, NULL, .size = l->size, .next_size = l->next_size,
                .t_start = l->t_start, .t_row = l->t_row, .t_entry = l->t_entry, .p = l->p, .r = r,
                .b = next->vector[0]);
        const narrow *e = cycle(amg, at + 1);
        pio_map(q, amg_prolong, l->rows, NULL, .size = l->size, .next_size = l->next_size, .p_start = l->p_start,
                .p_column = l->p_column, .p = l->p, .e = e, .x = x);
    }
    smoothen(q, l, 0, (step_of){.v = x, .r = b, .x = x, .d = d, .x_out = other});
    smoothen(q, l, 1, (step_of){.v = d, .r = r, .x = other, .d = x, .x_out = other});
    return other;
}

int pio_amg_apply(pio_amg *amg, const real *x, real *y)
{
    pio_queue *q = amg->queue;
    const pio_amg_level *l = &amg->level[0];
    const int n = l->rows * l->size;
    pio_sum(q, krylov_dot, n, NULL, amg->square, .a = x, .b = x);
    pio_map(q, amg_enter, n, NULL, .r = x, .square = amg->square, .b = l->vector[0]);
    const narrow *solution = cycle(amg, 0);
    pio_map(q, amg_leave, n, NULL, .x = solution, .square = amg->square, .y = y);
    return q->error.code;
}
/* clang-format on */
