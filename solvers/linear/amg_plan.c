/* amg_plan.c -- the hierarchy of a preconditioner on the host; see amg.h. */
#include "solvers/linear/amg.h"

#include <stdlib.h>
#include <string.h>

/* Rows couple strongly above these: on level 0, where the coupling of a row with itself is that of all elements around
 * it, and below, where it is that with the neighbour it couples with most. */
static const double FINE = 0.12, COARSE = 0.25;
static const double STALLED = 0.8; /* a next level that is not smaller is none */

void pio_amg_plan_free(pio_amg_plan *plan)
{
    for (int l = 0; l < PIO_AMG_LEVELS; l++) pio_amg_step_free(&plan->step[l]);
    *plan = (pio_amg_plan){0};
}

static int *copied(const int *from, size_t n)
{
    int *to = malloc(sizeof *to * (n + 1));
    if (to) memcpy(to, from, sizeof *to * n);
    return to;
}

/* Corners couple as their nodes do, whose blocks are among those of the matrix. */
static int couple_corners(pio_amg_step *s, const pio_amg_source *source)
{
    const pio_amg_pattern *a = &source->pattern;
    s->coupling = calloc((size_t)s->row_start[s->coarse] + 1, sizeof *s->coupling);
    if (!s->coupling) return 0;
    for (int c = 0; c < s->coarse; c++) {
        int at = a->row_start[source->node[c]];
        const int end = a->row_start[source->node[c] + 1];
        for (int k = s->row_start[c]; k < s->row_start[c + 1]; k++) {
            const int wanted = source->node[s->column[k]];
            while (at < end && a->column[at] < wanted) at++;
            if (at < end && a->column[at] == wanted) s->coupling[k] = a->coupling[at];
        }
    }
    return 1;
}

/* From nodes to corners. */
static int to_corners(pio_amg_plan *plan, const pio_amg_source *source)
{
    pio_amg_step *s = &plan->step[0];
    const size_t rows = (size_t)source->pattern.rows;
    *s = (pio_amg_step){.rows = source->pattern.rows,
                        .coarse = source->corners,
                        .p_start = copied(source->p_start, rows + 1),
                        .p_column = copied(source->p_column, (size_t)source->p_start[rows])};
    plan->corners = 1;
    plan->node = source->node;
    if (!s->p_start || !s->p_column) {
        pio_amg_step_free(s);
        return 0;
    }
    return pio_amg_given(s, &source->pattern) && couple_corners(s, source);
}

static void add_level(pio_amg_plan *plan, int size)
{
    const pio_amg_step *s = &plan->step[plan->levels - 1];
    plan->rows[plan->levels] = s->coarse;
    plan->size[plan->levels] = size;
    plan->blocks[plan->levels] = s->row_start[s->coarse];
    plan->levels++;
}

/* Which corners cannot move. */
static unsigned char *corners_left_out(const pio_amg_source *source)
{
    unsigned char *out = malloc((size_t)source->corners + 1);
    for (int c = 0; out && c < source->corners; c++) out[c] = source->left_out[source->node[c]];
    return out;
}

/* Aggregates of the last level, and the level after it. Returns 1; 0 without memory, -1 if there is to be none. */
static int coarsen(pio_amg_plan *plan, const pio_amg_source *source, const unsigned char *left_out, int first)
{
    const int l = plan->levels - 1;
    pio_amg_step *s = &plan->step[l];
    pio_amg_pattern a = source->pattern;
    if (l > 0) {
        const pio_amg_step *before = s - 1;
        a = (pio_amg_pattern){.rows = before->coarse,
                              .blocks = plan->blocks[l],
                              .row_start = before->row_start,
                              .column = before->column,
                              .coupling = before->coupling};
    }
    if (!pio_amg_aggregate(s, &a, first ? left_out : NULL, first ? FINE : COARSE)) return 0;
    if (s->coarse == 0 || s->coarse > STALLED * s->rows) {
        pio_amg_step_free(s);
        return -1;
    }
    if (!pio_amg_smoothed(s, &a)) return 0;
    add_level(plan, AMG_MODES);
    return 1;
}

int pio_amg_plan_make(pio_amg_plan *plan, const pio_amg_source *source)
{
    *plan = (pio_amg_plan){.levels = 1};
    plan->rows[0] = source->pattern.rows;
    plan->size[0] = DIM;
    plan->blocks[0] = source->pattern.blocks;
    unsigned char *of_corners = NULL;
    int rc = 1, first = 1;
    if (source->corners) {
        of_corners = corners_left_out(source);
        rc = of_corners && to_corners(plan, source);
        if (rc) add_level(plan, DIM);
    }
    while (rc == 1 && plan->levels < PIO_AMG_LEVELS &&
           (int64_t)plan->rows[plan->levels - 1] * plan->size[plan->levels - 1] > AMG_DENSE) {
        rc = coarsen(plan, source, of_corners ? of_corners : source->left_out, first);
        first = 0;
    }
    free(of_corners);
    if (rc == 0) pio_amg_plan_free(plan);
    return rc != 0;
}
