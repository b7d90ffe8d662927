/* fem_standby.c -- who goes on where a linear solve of `auto` fails.
 *
 * The choice of fem_direct.c is one of work. Where what it chose does not solve a system, the other solver does:
 *
 *     iterations fail    a factor goes on, and solves the rest of this step and the steps after it
 *     a factor fails     iterations go on, in this solve alone
 *
 * How a step begins is therefore a matter of the steps before it, which its record has: a step that is taken again,
 * from whichever state was kept, begins as it did the first time, fails where it did, and has the same bits. The
 * adjoint of a step begins with a factor where the step ended with one, or the adjoint of the step after it did.
 *
 * Nothing is prepared for that: most runs never need it, and the analysis of a large body takes long. The direct solver
 * has memory of its own, as much as the run's budget leaves; one that needs more is an error that says how much, never
 * another solver: no bit depends on the budget. */
#include "solvers/fem/fem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fem_standby_begin(fem_sim *f, const pio_fem_desc *m)
{
    fem_sim_standby *s = &f->linear.standby;
    s->automatic = m->linear == PIO_SOLVE_AUTO;
    s->direct_memory = m->direct_memory;
    s->memory = m->standby_memory;
    s->arena = (pio_arena){.backend = f->base.arena.backend};
    s->count = &s->elsewhere;
}

void fem_standby_free(fem_sim *f)
{
    pio_direct_free(&f->linear.direct);
    pio_arena_destroy(&f->linear.standby.arena);
}

/* ---- a direct solver on demand ---------------------------------------------------------------------------- */

/* The graph of the matrix from the device; the host has dropped its own. */
static piola_status analyse(fem_sim *f, const pio_direct_table *table, piola_error *error)
{
    const size_t rows = (size_t)f->mesh.nodes + 1, blocks = (size_t)f->matrix.graph.blocks;
    int *graph = malloc(sizeof *graph * (rows + blocks));
    if (!graph) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for a graph of %zu blocks", blocks);
    pio_queue_download(&f->base.queue, graph, f->matrix.bsr.row_start, sizeof *graph * rows);
    pio_queue_download(&f->base.queue, graph + rows, f->matrix.bsr.column, sizeof *graph * blocks);
    piola_status rc = sim_failed(&f->base, error);
    const pio_direct_blocks pattern = {.rows = f->mesh.nodes, .row_start = graph, .column = graph + rows};
    if (!rc) rc = fem_direct_analyse(f, table, &pattern, f->linear.standby.direct_memory, error);
    free(graph);
    return rc;
}

/* Memory beside the arena of the simulation, which is accessible from now on. */
static piola_status allocate(fem_sim *f, piola_error *error)
{
    fem_sim_standby *s = &f->linear.standby;
    pio_arena measured = {.backend = f->base.arena.backend};
    pio_direct_layout(&f->linear.direct, &measured, 1);
    s->bytes = measured.used + f->linear.direct.forecast.bytes;
    if (s->memory > 0 && (double)s->bytes > s->memory) {
        s->needed = s->bytes;
        return sim_fail(
            error, PIOLA_NO_MEMORY,
            "a direct solver needs %zu bytes beside the run, and %.0f are left; a larger gradient.memory.budget or "
            "solver.linear_iterations would be right",
            s->needed, s->memory);
    }
    const int code = pio_arena_create(&s->arena, f->base.arena.backend, measured.used);
    if (code)
        return sim_fail(
            error, PIOLA_NO_MEMORY,
            "a direct solver needs %zu bytes beside the run: %s; a larger solver.linear_iterations would be right",
            s->bytes, f->base.arena.backend->error_text(code));
    pio_arena_open(&s->arena);
    pio_direct_layout(&f->linear.direct, &s->arena, 1);
    return pio_direct_begin(&f->linear.direct, &f->base.queue, &f->matrix.bsr, error);
}

piola_status fem_standby_ready(fem_sim *f, piola_error *error)
{
    const pio_direct_table *table;
    char name[128];
    piola_error said = {0};
    if (f->linear.direct.table) return PIOLA_OK;
    if (f->pairs.on) return sim_fail(error, PIOLA_NO, "no factor follows the pattern where surfaces touch each other");
    if (fem_direct_library(f->base.arena.backend, f->base.ordinal, &table, name, &said))
        return sim_fail(error, PIOLA_NO, "%.1500s", said.message);
    piola_status rc = fem_stopped(f, error);
    if (rc) return rc;
    rc = analyse(f, table, &said);
    if (rc == PIOLA_UNAVAILABLE) return sim_fail(error, rc, "%.1500s", said.message);
    if (rc == PIOLA_NO_MEMORY)
        return sim_fail(error, PIOLA_NO, "%.1500s by solver.direct_memory; a larger one would be right", said.message);
    if (rc) return sim_fail(error, PIOLA_NO, "%.1500s", said.message);
    rc = allocate(f, error);
    if (rc) fem_standby_free(f);
    return rc;
}

/* ---- counts and words ------------------------------------------------------------------------------------- */

void fem_standby_count(fem_sim *f, int by_factor, piola_failure failed, int iterations)
{
    pio_takeover *t = f->linear.standby.count;
    if (t->solves++) return;
    t->failure = (int32_t)failed.kind;
    t->iterations = iterations;
    t->by_factor = by_factor;
    t->residual = failed.residual;
}

void fem_standby_advise(const fem_sim *f, int adjoint, const piola_error *other, piola_error *error)
{
    const fem_sim_standby *s = &f->linear.standby;
    if (!error) return;
    const piola_error said = *error;
    const int limit =
        said.failure.kind == PIOLA_FAILED_LINEAR_LIMIT || (other && other->failure.kind == PIOLA_FAILED_LINEAR_LIMIT);
    const char *helps[] = {s->automatic || f->pairs.on ? NULL : "'solver.linear: auto'",
                           limit ? "a larger solver.linear_iterations" : NULL,
                           adjoint ? "a larger solver.adjoint_tolerance" : NULL,
                           sizeof(real) == sizeof(float) ? "f64" : NULL};
    char words[160] = "";
    for (int k = 0; k < 4; k++)
        if (helps[k])
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", words[0] ? " or " : "", helps[k]);
    sim_fail_as(error, said.status, said.failure, "%.900s%s%.600s; %s would be right", said.message, other ? "; " : "",
                other ? other->message : "", words[0] ? words : "smaller load steps");
}

static const char *reason(int32_t failure)
{
    switch ((piola_failure_kind)failure) {
    case PIOLA_FAILED_LINEAR_LIMIT:
        return "the limit";
    case PIOLA_FAILED_STAGNATION:
        return "it falls no further";
    case PIOLA_FAILED_NOT_FINITE:
        return "numbers are not finite";
    default:
        return "the matrix does not permit it";
    }
}

/* The first takeover of a run: of its steps in their order, of adjoints in theirs, or of what is solved beside them. */
static const pio_takeover *first(const fem_sim *f, int64_t *step, int *adjoint)
{
    const pio_step_record *r = f->stepping.records;
    *adjoint = 0;
    for (*step = 0; *step < f->base.steps; ++*step)
        if (r[*step].takeover.solves) return &r[*step].takeover;
    *adjoint = 1;
    for (*step = f->base.steps - 1; *step >= 0; --*step)
        if (r[*step].adjoint_takeover.solves) return &r[*step].adjoint_takeover;
    *adjoint = 0;
    return f->linear.standby.elsewhere.solves ? &f->linear.standby.elsewhere : NULL;
}

void fem_solver_change(const pio_sim *sim, pio_solver_change *change)
{
    const fem_sim *f = (const fem_sim *)sim;
    const fem_sim_standby *s = &f->linear.standby;
    char where[64] = "at the start or at the end";
    int64_t step;
    int adjoint;
    *change =
        (pio_solver_change){.forward = s->elsewhere.solves, .bytes = s->arena.base ? s->bytes : 0, .needed = s->needed};
    for (int64_t k = 0; k < sim->steps; k++) {
        change->forward += f->stepping.records[k].takeover.solves;
        change->adjoint += f->stepping.records[k].adjoint_takeover.solves;
    }
    const pio_takeover *t = first(f, &step, &adjoint);
    if (!t) return;
    if (step >= 0) snprintf(where, sizeof where, "step %lld%s", (long long)step, adjoint ? ", its adjoint" : "");
    const char *iterative = fem_iterative_name(f);
    snprintf(change->why, sizeof change->why,
             "%s: %s stopped at a residual of %.2g after %d %s (%s); a solve by %s went on", where,
             t->by_factor ? iterative : s->factor, t->residual, (int)t->iterations,
             t->by_factor ? "iterations" : "solves", reason(t->failure), t->by_factor ? s->factor : iterative);
}
