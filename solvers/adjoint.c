/* adjoint.c -- see adjoint.h. */
#include "solvers/adjoint.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { CHECK_EVERY = 64 }; /* steps between looks at the fault and the clock */

typedef struct {
    const pio_engine *engine;
    pio_sim *sim;
    const pio_sweep *sweep;
    pio_sweep_result *result;
    piola_error *error;
    int64_t slots;          /* of the first tier */
    int64_t first;          /* where sweeps back end */
    int64_t steps, reached; /* furthest state so far */
    int64_t frame;          /* next one, ascending on the way out; the last one done, descending on the way back */
    int64_t sweep_number;   /* of the sweep back at hand; -1 on the way out */
    int64_t sweeps;
    double *samples, *samples_bar, *value_bar, *z_bar;
    int64_t passed; /* steps of the sweep at hand that are reversed */
    double turned;  /* when the sweep back began */
} driver;

static piola_status fail(driver *d, piola_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static piola_status fail(driver *d, piola_status status, const char *format, ...)
{
    va_list list;
    if (!d->error) return status;
    *d->error = (piola_error){.status = status};
    va_start(list, format);
    vsnprintf(d->error->message, sizeof d->error->message, format, list);
    va_end(list);
    return status;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static piola_status state_frame(driver *d)
{
    const pio_sweep *s = d->sweep;
    if (d->frame >= s->n_frames || s->frames[d->frame] != d->reached) return PIOLA_OK;
    const piola_status rc = d->engine->check(d->sim, d->error); /* no faulty state in a file */
    if (rc) return rc;
    d->frame++;
    return s->on_state ? s->on_state(s->context, d->frame - 1, d->reached, d->error) : PIOLA_OK;
}

/* Are the cotangents still numbers? */
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

/* The sweep back has left state `step` behind. */
static piola_status passed_frame(driver *d, int64_t step)
{
    const pio_sweep *s = d->sweep;
    if (d->sweep_number < d->sweeps - 1 || d->frame >= s->n_frames || s->frames[d->frame] != step) return PIOLA_OK;
    return s->on_passed ? s->on_passed(s->context, d->frame, step, d->error) : PIOLA_OK;
}

/* Steps that were run before: nothing of them is new but an interruption, or a fault of what states are kept in. */
static piola_status repeat(driver *d, int64_t from, int64_t to)
{
    const pio_sweep *s = d->sweep;
    piola_status rc = PIOLA_OK;
    for (int64_t stop; !rc && from < to; from = stop) {
        stop = to - from > CHECK_EVERY ? from + CHECK_EVERY : to;
        rc = d->engine->advance(d->sim, stop - from, d->error);
        if (rc || stop - from < CHECK_EVERY) continue;
        rc = d->engine->check(d->sim, d->error);
        if (!rc && s->on_progress) rc = s->on_progress(s->context, 1, d->passed, d->steps - d->first, d->error);
    }
    return rc;
}

/* Steps from .. to-1, new ones in pieces that end at frames and looks. */
static piola_status run(driver *d, int64_t from, int64_t to)
{
    const pio_sweep *s = d->sweep;
    d->result->forward_steps += to - from;
    if (to <= d->reached) return repeat(d, from, to);
    while (from < to) {
        int64_t stop = (from / CHECK_EVERY + 1) * CHECK_EVERY;
        if (d->frame < s->n_frames && s->frames[d->frame] < stop) stop = s->frames[d->frame];
        if (stop > to) stop = to;
        piola_status rc = d->engine->advance(d->sim, stop - from, d->error);
        from = d->reached = stop;
        if (!rc && stop % CHECK_EVERY == 0) {
            rc = d->engine->check(d->sim, d->error);
            if (!rc && s->on_progress) rc = s->on_progress(s->context, 0, stop, d->steps, d->error);
        }
        if (!rc) rc = state_frame(d);
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
    if (!rc && d->sweep_number <= 0 && s->on_progress) rc = s->on_progress(s->context, 0, d->steps, d->steps, d->error);
    return rc;
}

static piola_status begin(driver *d, const double *z)
{
    piola_status rc = d->engine->start(d->sim, z, d->error);
    if (!rc) rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = state_frame(d);
    return rc;
}

piola_status pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const double *z, double *samples,
                         const pio_sweep *sweep, pio_sweep_result *result, piola_error *error)
{
    driver d = {.engine = engine,
                .sim = sim,
                .sweep = sweep,
                .result = result,
                .error = error,
                .steps = steps,
                .sweep_number = -1,
                .samples = samples};
    const double started = now();
    *result = (pio_sweep_result){0};
    piola_status rc = begin(&d, z);
    if (!rc) rc = run(&d, 0, steps);
    if (!rc) rc = evaluate(&d);
    result->forward_seconds = now() - started;
    return rc;
}

/* After a sweep back: its gradient. */
static piola_status end_sweep(driver *d)
{
    piola_status rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = check_adjoint(d);
    if (!rc) rc = d->engine->reverse_end(d->sim, d->value_bar, d->z_bar, d->error);
    if (!rc && d->first == 0) rc = passed_frame(d, 0); /* else the adjoint of the step before it is not known */
    if (!rc && d->sweep->on_gradient) rc = d->sweep->on_gradient(d->sweep->context, d->sweep_number, d->error);
    return rc;
}

static piola_status turn(driver *d)
{
    d->sweep_number++;
    piola_status rc = evaluate(d);
    if (!rc && d->engine->taped) rc = d->engine->taped(d->sim, &d->result->taped, d->error);
    if (rc) return rc;
    if (d->sweep_number == 0) d->turned = now();
    d->passed = 0;
    rc = d->engine->reverse_begin(d->sim, d->samples_bar, d->error);
    if (!rc) rc = adjoint_frame(d, d->steps);
    return !rc && d->steps == 0 ? end_sweep(d) : rc;
}

static piola_status unstep(driver *d)
{
    if (!d->engine->unstep) return fail(d, PIOLA_USAGE, "this integrator's steps cannot be taken back");
    d->result->unsteps++;
    return d->engine->unstep(d->sim, d->error);
}

static piola_status reverse(driver *d, int64_t step)
{
    const pio_sweep *s = d->sweep;
    piola_status rc = d->engine->reverse(d->sim, d->error);
    if (rc == PIOLA_NUMERICAL && check_adjoint(d)) return rc; /* what could not be solved had overflowed before */
    d->result->reverse_steps++;
    d->passed = d->steps - step;
    if (!rc) rc = passed_frame(d, step + 1);
    if (!rc) rc = adjoint_frame(d, step);
    if (!rc && step % CHECK_EVERY == 0) rc = check_adjoint(d);
    if (!rc && s->on_progress && step % CHECK_EVERY == 0)
        rc = s->on_progress(s->context, 1, d->steps - step, d->steps - d->first, d->error);
    return !rc && step == d->first ? end_sweep(d) : rc;
}

static piola_status move(driver *d, const pio_action *a)
{
    const pio_sweep *s = d->sweep;
    const int store = a->kind == PIO_STORE;
    if (a->slot < d->slots) {
        const piola_status rc = (store ? d->engine->save : d->engine->load)(d->sim, a->slot, d->error);
        return rc || !store || d->sweep_number < 0 ? rc : d->engine->check(d->sim, d->error); /* was there room? */
    }
    return (store ? s->on_keep : s->on_fetch)(s->context, a->slot - d->slots, a->from, d->error);
}

/* A run that was taken back has come to its beginning. */
static piola_status verify(driver *d, const pio_action *a)
{
    int64_t words = 0;
    piola_status rc = d->engine->check(d->sim, d->error);
    if (!rc) rc = d->engine->differs(d->sim, a->slot, &words, d->error);
    if (rc || !words) return rc;
    rc = fail(d, PIOLA_NUMERICAL,
              "the run that was taken back did not come to its beginning: %lld words of state %lld differ, so its "
              "gradient is not known; strategy: checkpoint needs no step taken back",
              (long long)words, (long long)a->from);
    if (d->error) d->error->failure = (piola_failure){.kind = PIOLA_FAILED_REVERSAL, .step = a->from, .residual = NAN};
    return rc;
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
    case PIO_BACK:
        return d->engine->back(d->sim, d->error);
    case PIO_UNSTEP:
        return unstep(d);
    case PIO_VERIFY:
        return verify(d, a);
    case PIO_REVERSE:
        if (d->sweep_number >= 0) return reverse(d, a->from);
        return fail(d, PIOLA_INTERNAL, "the schedule reverses before it turns");
    case PIO_DISCARD:
    case PIO_DONE:
        break;
    }
    return PIOLA_OK;
}

piola_status pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule, const double *z,
                          double *samples, int64_t n_samples, const pio_sweep *sweep, double *value_bar, double *z_bar,
                          pio_sweep_result *result, piola_error *error)
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
                .samples = samples,
                .samples_bar = samples + n_samples,
                .value_bar = value_bar,
                .z_bar = z_bar};
    const double started = now();
    *result = (pio_sweep_result){0};
    schedule->at = 0;
    piola_status rc = begin(&d, z);
    while (!rc) {
        const pio_action a = schedule->next(schedule);
        if (a.kind == PIO_DONE) break;
        rc = act(&d, &a);
    }
    const double ended = now();
    result->forward_seconds = (d.turned > 0 ? d.turned : ended) - started;
    result->reverse_seconds = d.turned > 0 ? ended - d.turned : 0;
    return rc;
}
