/* fem_step.c -- a step of a mesh in each direction, with its record.
 *
 * Where Newton's method finds no equilibrium at the end of a step, the step is taken again in 2, 4, ... equal parts.
 * How many is recorded, and repeated by every later run of the step: in the adjoint sweep, and in runs that a check
 * compares (engine.h, repeat). A static step's parts are a path to the same equilibrium; a motion's, and those
 * with friction, change what is computed, so its adjoint goes through every part. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_modal.h"
#include "solvers/fem/fem_network.h"
#include "solvers/fem/fem_observe.h"

/* From the step's beginning, parts 0 .. parts-1 of `of`. */
static piola_status take_parts(fem_sim *f, int parts, int of, pio_step_record *record, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (int part = 0; !rc && part < parts; part++) {
        const fem_span span = {f->base.index, part, of};
        rc = fem_solve(f, span, record, error);
        if (!rc && f->lattice.state) fem_euler_accept(f, span);
    }
    return rc;
}

/* Adds to the message into how many parts the step was divided when it failed, and whether that was prescribed. */
static piola_status outcome(const fem_sim *f, piola_status rc, int parts, int repeated, piola_error *error)
{
    if (rc != PIOLA_NUMERICAL || !error) return rc;
    const piola_error said = *error;
    if (repeated && f->stepping.repeat)
        return sim_fail_as(error, rc, said.failure,
                           "%.1800s (this run repeats the %d part%s of the recorded run with a slightly different "
                           "design, and may not divide the step again)",
                           said.message, parts, parts == 1 ? "" : "s");
    if (parts == 1) return rc;
    return sim_fail_as(error, rc, said.failure, "%.1900s (the step was taken in %d parts%s)", said.message, parts,
                       repeated ? ", as in the run that it repeats" : "");
}

/* With which linear solver the step from the current state begins: see fem_standby.c. */
static int begins_by_factor(const fem_sim *f, int repeated)
{
    const pio_step_record *record = &f->stepping.records[f->base.index];
    if (f->linear.direct_first) return 1;
    if (repeated) return record->began_by_factor;
    return f->base.index > 0 && record[-1].ended_by_factor;
}

/* Takes the step in 1, 2, 4, ... parts, or as the run did that it repeats. */
static piola_status divided_step(fem_sim *f, int by_factor, int repeated, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    pio_step_record *record = &f->stepping.records[f->base.index];
    const int most = repeated ? record->parts : 1 << f->stepping.halvings;
    int parts = repeated ? record->parts : 1;
    for (;;) {
        *record = (pio_step_record){.parts = parts, .began_by_factor = by_factor};
        f->linear.standby.by_factor = by_factor;
        f->linear.standby.count = &record->takeover;
        if (error) *error = (piola_error){0};
        const piola_status rc = take_parts(f, parts, parts, record, error);
        record->ended_by_factor = f->linear.standby.by_factor;
        if (rc != PIOLA_NUMERICAL || 2 * parts > most) return outcome(f, rc, parts, repeated, error);
        fem_take_origin(f);
        if (f->lattice.recording) pio_residual_log_rewind(&f->lattice.residual_log, q);
        parts *= 2;
    }
}

/* Takes a step that has failed once more, with directions by a factor. */
static piola_status step_by_factor(fem_sim *f, int repeated, piola_error *error)
{
    const piola_error failed = error ? *error : (piola_error){.status = PIOLA_NUMERICAL};
    const pio_step_record *record = &f->stepping.records[f->base.index];
    const int iterations = record->linear_iterations;
    const double residual = record->residual;
    piola_error said = {0};
    piola_status rc = fem_standby_ready(f, &said);
    if (rc == PIOLA_NO) return PIOLA_NUMERICAL; /* as `error` says */
    if (rc) return sim_fail(error, rc, "%.900s; %.900s", failed.message, said.message);
    fem_take_origin(f);
    if (f->lattice.recording) pio_residual_log_rewind(&f->lattice.residual_log, &f->base.queue);
    rc = divided_step(f, 1, repeated, error);
    if (rc == PIOLA_NUMERICAL)
        return sim_fail_as(error, rc, failed.failure, "%.1800s (as with directions by a factor)", failed.message);
    if (!rc)
        fem_standby_count(f, 1, (piola_failure){.kind = PIOLA_FAILED_STAGNATION, .residual = residual}, iterations);
    return rc;
}

/* A step that fails by directions of `auto` whose iterations have not come to their tolerance is taken once more, with
 * directions by a factor. */
static piola_status implicit_step(fem_sim *f, piola_error *error)
{
    fem_sim_standby *s = &f->linear.standby;
    pio_step_record *record = &f->stepping.records[f->base.index];
    const int repeated = (f->base.turned || f->stepping.repeat) && record->parts > 0;
    const int by_factor = begins_by_factor(f, repeated);
    const pio_takeover before = record->takeover;
    fem_keep_origin(f);
    f->lattice.recording = f->lattice.residual_log.kept && f->lattice.residual_log.next == f->base.index;
    if (f->lattice.recording) pio_residual_log_mark(&f->lattice.residual_log, &f->base.queue);
    s->unmet = 0;
    piola_status rc = divided_step(f, by_factor, repeated, error);
    if (rc == PIOLA_NUMERICAL && s->automatic && s->unmet && !by_factor && !(f->base.turned && repeated))
        rc = step_by_factor(f, repeated, error);
    if (f->base.turned && repeated)
        record->takeover = before; /* one that was for the whole step does not happen again */
    s->count = &s->elsewhere;
    return rc;
}

piola_status fem_forward(fem_sim *f, piola_error *error)
{
    piola_status rc;
    if (fem_is_modal(f)) return fem_modal_step(f, error);
    if (fem_leaps(f)) {
        const int64_t end = f->base.index + 1;
        if (end == f->base.steps || sim_uses_previous_state(&f->base, end)) fem_keep_origin(f);
        f->stepping.records[f->base.index] = (pio_step_record){.parts = 1};
        rc = (f->lattice.state ? fem_leap_forward : fem_leapfrog)(f, f->base.index, error);
    } else {
        fem_networks_evaluate(f, f->base.index + 1);
        rc = implicit_step(f, error);
    }
    if (!rc) f->base.index++;
    if (!rc && fem_leaps(f)) {
        fem_networks_evaluate(f, f->base.index);
        fem_networks_recall(f, f->base.index);
    }
    if (!rc) f->state.no_acceleration = 0;
    if (!rc && f->lattice.recording) f->lattice.residual_log.next = f->base.index;
    f->lattice.recording = 0; /* parts that the adjoint takes again are recorded already */
    return rc;
}

static piola_status span_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    if (f->motion.integrator == PIO_REVERSIBLE_EULER) fem_euler_rates(f, span);
    return fem_solve_adj(f, span, record, error);
}

/* The states between parts are computed again for each part, from the step's beginning: no memory, and time as the
 * square of the parts. */
static piola_status motion_adj(fem_sim *f, pio_step_record *record, piola_error *error)
{
    fem_sim_standby *s = &f->linear.standby;
    piola_status rc = PIOLA_OK;
    fem_keep_origin(f);
    int by_factor = s->by_factor;
    for (int part = record->parts - 1; !rc && part >= 0; part--) {
        pio_step_record again = {0};
        fem_take_origin(f);
        s->by_factor = record->began_by_factor;
        s->count = &again.takeover;
        rc = take_parts(f, part, record->parts, &again, error);
        s->by_factor = by_factor;
        s->count = &record->adjoint_takeover;
        if (!rc) rc = span_adj(f, (fem_span){f->base.index, part, record->parts}, record, error);
        by_factor = s->by_factor;
    }
    return rc;
}

piola_status fem_adjoint_step(fem_sim *f, piola_error *error)
{
    fem_sim_standby *s = &f->linear.standby;
    pio_step_record *record = &f->stepping.records[f->base.index];
    const fem_span span = fem_whole(f->base.index);
    record->adjoint_iterations = 0;
    record->adjoint = record->adjoint_residual = record->adjoint_error = 0;
    if (fem_is_modal(f)) return fem_modal_adj(f, error);
    fem_observe_between_adj(f);
    if (fem_leaps(f)) return fem_leapfrog_adj(f, f->base.index, error);
    const int last = f->base.index + 1 == f->base.steps;
    record->adjoint_takeover = (pio_takeover){0};
    s->by_factor = f->linear.direct_first || record->ended_by_factor || (!last && record[1].adjoint_by_factor);
    s->count = &record->adjoint_takeover;
    const piola_status rc =
        !fem_has_rates(f) || record->parts <= 1 ? span_adj(f, span, record, error) : motion_adj(f, record, error);
    record->adjoint_by_factor = s->by_factor;
    s->count = &s->elsewhere;
    fem_networks_evaluate_adj(f);
    fem_networks_go_back(f);
    return rc;
}
