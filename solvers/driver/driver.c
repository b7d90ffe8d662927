/* driver.c -- see driver.h. */
#include "solvers/driver/driver.h"

#include "solvers/engine/clock.h"
#include "solvers/engine/fail.h"

#include <math.h>
#include <stdlib.h>

enum { CHECK_EVERY = 64 }; /* default number of steps between checks for faults and interruptions */

typedef struct {
    const pio_engine *engine;
    pio_sim *sim;
    const pio_sweep *sweep;
    pio_sweep_result *result;
    piola_error *error;
    int64_t slots;          /* of the first tier */
    int64_t first;          /* state where adjoint sweeps end */
    int64_t steps, reached; /* of the run; furthest state so far */
    int64_t frame;          /* next frame of the forward run; in an adjoint sweep the last one done, descending */
    int64_t sweep_number;   /* of the present adjoint sweep; -1: in the forward run */
    int64_t sweeps;         /* number of adjoint sweeps */
    double *samples, *samples_bar, *value_bar, *z_bar;
    int64_t passed;         /* steps of the present sweep whose adjoint is done */
    double started, turned; /* times, s, at which the run began; the first adjoint sweep, 0: not yet */
    pio_device_calls calls_started, calls_turned; /* at those times */
    int64_t check_every;
    int64_t done, position; /* see pio_place */
    /* After a resumption, of each slot of the first and then of the second tier: the state that the schedule put there,
     * -1: none; and whether it is there. NULL: all are. */
    int64_t all_slots, *content;
    char *present;
} driver;

static piola_status state_frame(driver *d)
{
    const pio_sweep *s = d->sweep;
    if (d->frame >= s->n_frames || s->frames[d->frame] != d->reached) return PIOLA_OK;
    const piola_status rc = d->engine->check(d->sim, d->error); /* no faulty state in a file */
    if (rc) return rc;
    d->frame++;
    return s->on_state ? s->on_state(s->context, d->frame - 1, d->reached, d->error) : PIOLA_OK;
}

/* Returns an error if the cotangents have overflowed. */
static piola_status check_adjoint(driver *d)
{
    return d->engine->check_adjoint ? d->engine->check_adjoint(d->sim, d->error) : PIOLA_OK;
}

static piola_status adjoint_frame(driver *d, int64_t step)
{
    const pio_sweep *s = d->sweep;
    if (d->sweep_number < d->sweeps - 1 || d->frame == 0 || s->frames[d->frame - 1] != step) return PIOLA_OK;
    const piola_status rc = check_adjoint(d); /* none that overflowed in a file */
    if (rc) return rc;
    d->frame--;
    return s->on_adjoint ? s->on_adjoint(s->context, d->frame, step, d->error) : PIOLA_OK;
}

/* The adjoint of the step that led to state `step` is done. */
static piola_status passed_frame(driver *d, int64_t step)
{
    const pio_sweep *s = d->sweep;
    if (d->sweep_number < d->sweeps - 1 || d->frame >= s->n_frames || s->frames[d->frame] != step) return PIOLA_OK;
    return s->on_passed ? s->on_passed(s->context, d->frame, step, d->error) : PIOLA_OK;
}

/* Sets the seconds until now, with those of an interrupted run. */
static void set_seconds(const driver *d, double *forward, double *adjoint)
{
    const pio_place *before = d->sweep->resumed;
    const double ended = pio_clock();
    *forward = (before ? before->forward_seconds : 0) + (d->turned > 0 ? d->turned : ended) - d->started;
    *adjoint = (before ? before->adjoint_seconds : 0) + (d->turned > 0 ? ended - d->turned : 0);
}

static pio_device_calls calls_of(const driver *d)
{
    pio_device_calls calls;
    d->engine->calls(d->sim, &calls);
    return calls;
}

static pio_device_calls calls_between(pio_device_calls from, pio_device_calls to)
{
    return (pio_device_calls){.launches = to.launches - from.launches,
                              .copies = to.copies - from.copies,
                              .waits = to.waits - from.waits,
                              .graphs = to.graphs - from.graphs};
}

/* Sets what the two directions gave the device to do. */
static void set_calls(const driver *d)
{
    const pio_device_calls ended = calls_of(d), turned = d->turned > 0 ? d->calls_turned : ended;
    d->result->forward_calls = calls_between(d->calls_started, turned);
    d->result->adjoint_calls = calls_between(turned, ended);
}

static pio_place place_of(const driver *d)
{
    pio_place p = {.done = d->done,
                   .position = d->position,
                   .reached = d->reached,
                   .frame = d->frame,
                   .sweep = d->sweep_number,
                   .passed = d->passed,
                   .forward_steps = d->result->forward_steps,
                   .adjoint_steps = d->result->adjoint_steps,
                   .inverse_steps = d->result->inverse_steps,
                   .residual_log_bytes = d->result->residual_log_bytes,
                   .state = d->engine->step(d->sim)};
    set_seconds(d, &p.forward_seconds, &p.adjoint_seconds);
    return p;
}

/* Calls on_progress, and on_place to save the place. */
static piola_status report_progress(driver *d, int back, int64_t done, int64_t total)
{
    const pio_sweep *s = d->sweep;
    const piola_status rc = s->on_progress ? s->on_progress(s->context, back, done, total, d->error) : PIOLA_OK;
    if (!s->on_place || (back && done == total) || (rc && rc != PIOLA_INTERRUPTED)) return rc;
    const pio_place place = place_of(d);
    const piola_status kept = s->on_place(s->context, &place, rc == PIOLA_INTERRUPTED, d->error);
    return kept ? kept : rc;
}

/* Runs steps that were run before: nothing can be new but an interruption, or a fault of where states are stored.
 * `forward`: they belong to a Forward of the schedule. */
static piola_status repeat(driver *d, int64_t from, int64_t to, int forward)
{
    piola_status rc = PIOLA_OK;
    for (int64_t stop; !rc && from < to; from = stop) {
        stop = to - from > d->check_every ? from + d->check_every : to;
        rc = d->engine->advance(d->sim, stop - from, d->error);
        d->result->forward_steps += stop - from;
        if (rc || stop - from < d->check_every) continue;
        if (forward) d->position = stop;
        rc = d->engine->check(d->sim, d->error);
        if (!rc) rc = report_progress(d, 1, d->passed, d->steps - d->first);
    }
    return rc;
}

/* Runs steps from .. to-1, new ones in pieces that end at frames and checks. */
static piola_status run(driver *d, int64_t from, int64_t to)
{
    const pio_sweep *s = d->sweep;
    if (to <= d->reached) return repeat(d, from, to, 1);
    while (from < to) {
        int64_t stop = (from / d->check_every + 1) * d->check_every;
        if (d->frame < s->n_frames && s->frames[d->frame] < stop) stop = s->frames[d->frame];
        if (stop > to) stop = to;
        piola_status rc = d->engine->advance(d->sim, stop - from, d->error);
        d->result->forward_steps += stop - from;
        from = d->reached = d->position = stop;
        if (!rc && stop % d->check_every == 0) rc = d->engine->check(d->sim, d->error);
        if (!rc) rc = state_frame(d);
        if (!rc && stop % d->check_every == 0) rc = report_progress(d, 0, stop, d->steps);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* At the last state: faults, samples, objective. */
static piola_status evaluate(driver *d)
{
    const pio_sweep *s = d->sweep;
    piola_status rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = d->engine->samples(d->sim, d->samples, d->error);
    if (!rc && s->objective)
        rc = s->objective(s->context, d->sweep_number, d->samples, &d->result->J, d->samples_bar, d->error);
    return rc;
}

/* ---- continuing from the place of another process
 * --------------------------------------------------------------------- */

static piola_status put(driver *d, int64_t slot, int64_t state)
{
    if (slot < d->slots) return d->engine->save(d->sim, slot, d->error);
    return d->sweep->on_keep(d->sweep->context, slot - d->slots, state, d->error);
}

static piola_status take(driver *d, int64_t slot, int64_t state)
{
    if (slot < d->slots) return d->engine->load(d->sim, slot, d->error);
    return d->sweep->on_fetch(d->sweep->context, slot - d->slots, state, d->error);
}

static void note(driver *d, const pio_action *a, int present)
{
    if (!d->content || (a->kind != PIO_STORE && a->kind != PIO_DISCARD)) return;
    d->content[a->slot] = a->kind == PIO_STORE ? a->from : -1;
    d->present[a->slot] = (char)(a->kind == PIO_STORE && present);
}

/* Finds which states the schedule had stored at this place. */
static piola_status replay(driver *d, pio_schedule *schedule, const pio_place *p)
{
    d->all_slots = schedule->slots + schedule->kept;
    d->content = malloc(sizeof *d->content * ((size_t)d->all_slots + 1));
    d->present = calloc((size_t)d->all_slots + 1, 1);
    if (!d->content || !d->present)
        return sim_fail(d->error, PIOLA_NO_MEMORY, "no host memory for the numbers of %lld states",
                        (long long)d->all_slots);
    for (int64_t i = 0; i < d->all_slots; i++) d->content[i] = -1;
    for (int64_t i = 0; i < p->done; i++) {
        const pio_action a = schedule->next(schedule);
        if (a.kind == PIO_DONE)
            return sim_fail(d->error, PIOLA_INTERNAL, "the schedule ends before the place that was kept");
        note(d, &a, 0);
    }
    return PIOLA_OK;
}

/* State 0 is the current one and is stored where the schedule has it. A run of inverse steps is compared with its first
 * state at the end, which cannot be computed again then. */
static piola_status keep_first(driver *d, int reversed)
{
    piola_status rc = PIOLA_OK;
    if (reversed && d->first > 0) rc = d->engine->advance(d->sim, d->first, d->error);
    const int64_t state = reversed ? d->first : 0;
    for (int64_t i = 0; i < d->all_slots && !rc; i++) {
        if (d->content[i] != state) continue;
        rc = put(d, i, state);
        d->present[i] = 1;
    }
    return rc;
}

/* Continues at a place. `schedule`: NULL of a run without adjoint sweeps. */
static piola_status resume(driver *d, pio_schedule *schedule)
{
    const pio_sweep *s = d->sweep;
    const pio_place *p = s->resumed;
    piola_status rc = PIOLA_OK;
    if (schedule) rc = replay(d, schedule, p);
    if (schedule && !rc) rc = keep_first(d, schedule->reversed);
    if (!rc) rc = s->on_resume(s->context, d->error);
    if (!rc && d->engine->step(d->sim) != p->state)
        rc = sim_fail(d->error, PIOLA_INTERNAL, "state %lld was kept, and state %lld is there", (long long)p->state,
                      (long long)d->engine->step(d->sim));
    d->done = p->done;
    d->position = p->position;
    d->reached = p->reached;
    d->frame = p->frame;
    d->sweep_number = p->sweep;
    d->passed = p->passed;
    d->result->forward_steps = p->forward_steps;
    d->result->adjoint_steps = p->adjoint_steps;
    d->result->inverse_steps = p->inverse_steps;
    d->result->residual_log_bytes = p->residual_log_bytes;
    if (rc || p->sweep < 0) return rc;
    d->turned = d->started;
    d->calls_turned = d->calls_started;
    rc = d->engine->samples(d->sim, d->samples, d->error);
    if (rc || !s->objective) return rc;
    return s->objective(s->context, p->sweep, d->samples, &d->result->J, d->samples_bar, d->error);
}

/* Returns the first of the states from .. to that the schedule has stored and that is missing; to + 1: there is
 * none. */
static int64_t next_missing(const driver *d, int64_t from, int64_t to)
{
    int64_t next = to + 1;
    for (int64_t i = 0; i < d->all_slots; i++)
        if (!d->present[i] && d->content[i] >= from && d->content[i] < next) next = d->content[i];
    return next;
}

/* Makes a state the current one by a run from the nearest before it, in which missing states are stored. */
static piola_status make_again(driver *d, int64_t state)
{
    const pio_sweep *s = d->sweep;
    int64_t from = d->engine->step(d->sim) <= state ? d->engine->step(d->sim) : -1, at = -1;
    for (int64_t i = 0; i < d->all_slots; i++)
        if (d->present[i] && d->content[i] <= state && d->content[i] > from) from = d->content[at = i];
    const int64_t other = s->nearest ? s->nearest(s->context, from, state) : -1;
    piola_status rc = PIOLA_OK;
    if (other > from)
        rc = s->on_nearest(s->context, from = other, d->error);
    else if (at >= 0)
        rc = take(d, at, from);
    else if (from < 0)
        rc = sim_fail(d->error, PIOLA_INTERNAL, "state %lld cannot be computed again: none before it is stored",
                      (long long)state);
    while (!rc && from < state) {
        const int64_t to = next_missing(d, from + 1, state);
        rc = repeat(d, from, to, 0);
        for (int64_t i = 0; i < d->all_slots && !rc; i++) {
            if (d->present[i] || d->content[i] != to) continue;
            rc = put(d, i, to);
            d->present[i] = 1;
        }
        from = to;
    }
    return rc;
}

static piola_status begin(driver *d, const double *z, pio_schedule *schedule)
{
    d->calls_started = calls_of(d);
    piola_status rc = d->engine->start(d->sim, z, d->error);
    if (!rc) rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = d->sweep->resumed ? resume(d, schedule) : state_frame(d);
    return rc;
}

/* ---- actions ------------------------------------------------------------------------------------------------ */

piola_status pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const pio_sweep_arrays *arrays,
                         const pio_sweep *sweep, pio_sweep_result *result, piola_error *error)
{
    driver d = {.engine = engine,
                .sim = sim,
                .sweep = sweep,
                .result = result,
                .error = error,
                .steps = steps,
                .sweep_number = -1,
                .check_every = sweep->check_every > 0 ? sweep->check_every : CHECK_EVERY,
                .started = pio_clock(),
                .samples = arrays->samples};
    *result = (pio_sweep_result){0};
    piola_status rc = begin(&d, arrays->z, NULL);
    if (!rc) rc = run(&d, d.position, steps);
    if (!rc) rc = report_progress(&d, 0, steps, steps);
    if (!rc) rc = evaluate(&d);
    set_seconds(&d, &result->forward_seconds, &result->adjoint_seconds);
    set_calls(&d);
    return rc;
}

/* Ends an adjoint sweep: its gradient. */
static piola_status end_sweep(driver *d)
{
    piola_status rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = check_adjoint(d);
    if (!rc) rc = d->engine->adjoint_end(d->sim, d->value_bar, d->z_bar, d->error);
    if (!rc && d->first == 0) rc = passed_frame(d, 0); /* else the adjoint of the step before it is not known */
    if (!rc && d->sweep->on_gradient) rc = d->sweep->on_gradient(d->sweep->context, d->sweep_number, d->error);
    return rc;
}

static piola_status turn(driver *d)
{
    piola_status rc = d->sweep_number < 0 ? report_progress(d, 0, d->steps, d->steps) : PIOLA_OK;
    if (rc) return rc;
    d->sweep_number++;
    rc = evaluate(d);
    if (!rc && d->engine->residual_log_bytes)
        rc = d->engine->residual_log_bytes(d->sim, &d->result->residual_log_bytes, d->error);
    if (rc) return rc;
    if (d->sweep_number == 0) {
        d->turned = pio_clock();
        d->calls_turned = calls_of(d);
    }
    d->passed = 0;
    rc = d->engine->adjoint_begin(d->sim, d->samples_bar, d->error);
    if (!rc) rc = adjoint_frame(d, d->steps);
    return !rc && d->steps == 0 ? end_sweep(d) : rc;
}

static piola_status inverse_step(driver *d)
{
    if (!d->engine->inverse_step) return sim_fail(d->error, PIOLA_USAGE, "this integrator's steps have no inverse");
    d->result->inverse_steps++;
    return d->engine->inverse_step(d->sim, d->error);
}

static piola_status adjoint_step(driver *d, int64_t step)
{
    piola_status rc = d->engine->adjoint_step(d->sim, d->error);
    if (rc == PIOLA_NUMERICAL && check_adjoint(d)) return rc; /* what could not be solved had overflowed before */
    d->result->adjoint_steps++;
    d->passed = d->steps - step;
    if (!rc) rc = passed_frame(d, step + 1);
    if (!rc) rc = adjoint_frame(d, step);
    if (!rc && step % d->check_every == 0) rc = check_adjoint(d);
    if (!rc && step % d->check_every == 0) {
        d->done++; /* this action is */
        rc = report_progress(d, 1, d->steps - step, d->steps - d->first);
        d->done--;
    }
    return !rc && step == d->first ? end_sweep(d) : rc;
}

static piola_status move(driver *d, const pio_action *a)
{
    if (a->kind == PIO_RESTORE)
        return d->content && !d->present[a->slot] ? make_again(d, a->from) : take(d, a->slot, a->from);
    const piola_status rc = put(d, a->slot, a->from);
    note(d, a, 1);
    if (rc || a->slot >= d->slots || d->sweep_number < 0) return rc;
    return d->engine->check(d->sim, d->error); /* it fails if there was no room */
}

/* Verifies the state to which the inverse steps have led. */
static piola_status verify(driver *d, const pio_action *a)
{
    int64_t words = 0;
    piola_status rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = d->engine->differs(d->sim, a->slot, &words, d->error);
    if (rc || !words) return rc;
    rc = sim_fail(
        d->error, PIOLA_NUMERICAL,
        "the reversed steps did not lead to the state where the run began: %lld words of state %lld differ, so its "
        "gradient is not known; strategy: checkpoint reverses no step",
        (long long)words, (long long)a->from);
    if (d->error) d->error->failure = (piola_failure){.kind = PIOLA_FAILED_REVERSAL, .step = a->from, .residual = NAN};
    return rc;
}

/* Before a Forward: what comes after it may save the state to which it leads. */
static void announce(const driver *d, const pio_action *after)
{
    if (after->kind != PIO_STORE || after->slot >= d->slots || !d->engine->will_save) return;
    d->engine->will_save(d->sim, after->slot, after->from);
}

static piola_status act(driver *d, const pio_action *a)
{
    switch (a->kind) {
    case PIO_FORWARD:
        return run(d, a->from, a->to);
    case PIO_STORE:
    case PIO_RESTORE:
        return move(d, a);
    case PIO_TURN:
        return turn(d);
    case PIO_PREVIOUS_STATE:
        return d->engine->previous_state(d->sim, d->error);
    case PIO_INVERSE_STEP:
        return inverse_step(d);
    case PIO_VERIFY:
        return verify(d, a);
    case PIO_ADJOINT_STEP:
        if (d->sweep_number >= 0) return adjoint_step(d, a->from);
        return sim_fail(d->error, PIOLA_INTERNAL, "the schedule has an adjoint step before a turn");
    case PIO_DISCARD:
        note(d, a, 0);
        break;
    case PIO_DONE:
        break;
    }
    return PIOLA_OK;
}

piola_status pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule,
                          const pio_sweep_arrays *arrays, const pio_sweep *sweep, pio_sweep_result *result,
                          piola_error *error)
{
    driver d = {.engine = engine,
                .sim = sim,
                .sweep = sweep,
                .result = result,
                .error = error,
                .slots = schedule->slots,
                .first = schedule->first,
                .steps = schedule->steps,
                .sweep_number = -1,
                .sweeps = schedule->sweeps,
                .check_every = sweep->check_every > 0 ? sweep->check_every : CHECK_EVERY,
                .started = pio_clock(),
                .position = -1,
                .samples = arrays->samples,
                .samples_bar = arrays->samples + arrays->n_samples,
                .value_bar = arrays->value_bar,
                .z_bar = arrays->z_bar};
    *result = (pio_sweep_result){0};
    schedule->at = 0;
    piola_status rc = begin(&d, arrays->z, schedule);
    pio_action a = rc ? (pio_action){.kind = PIO_DONE} : schedule->next(schedule);
    while (!rc && a.kind != PIO_DONE) {
        const pio_action after = schedule->next(schedule);
        if (a.kind == PIO_FORWARD && d.position >= 0) a.from = d.position;
        if (a.kind == PIO_FORWARD) announce(&d, &after);
        rc = act(&d, &a);
        d.position = -1;
        d.done++;
        a = after;
    }
    set_seconds(&d, &result->forward_seconds, &result->adjoint_seconds);
    set_calls(&d);
    free(d.content);
    free(d.present);
    return rc;
}
