/* cut.c -- the command piola, but it can be cut at a place: built with the sources of the command as piola_cut, whose
 * calls of the driver and of the clock the linker leads here.
 *
 *   PIOLA_CUT   run and grad poll after every step; the run is interrupted at poll number PIOLA_CUT (from 1), or killed
 *               at poll number -PIOLA_CUT
 *
 * By its clock a step takes TICK longer than it does: a checkpoint is written after every step if the scene wants that
 * often, and steps of equations count as slow, whose memory is copied before they begin. */
#include "host/base/fail.h"
#include "solvers/driver/driver.h"
#include "solvers/engine/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const double TICK = 10; /* s; less than the default of output.checkpoint.every, 5 min */
static int64_t polls;          /* so far */

/* The driver's own functions, by the names that the linker gives them. */
piola_status __real_pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const pio_sweep_arrays *arrays,
                                const pio_sweep *sweep, pio_sweep_result *result, piola_error *error);
piola_status __real_pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule,
                                 const pio_sweep_arrays *arrays, const pio_sweep *sweep, pio_sweep_result *result,
                                 piola_error *error);
double __real_pio_clock(void); /* s */
/* What is called in their places. */
piola_status __wrap_pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const pio_sweep_arrays *arrays,
                                const pio_sweep *sweep, pio_sweep_result *result, piola_error *error);
piola_status __wrap_pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule,
                                 const pio_sweep_arrays *arrays, const pio_sweep *sweep, pio_sweep_result *result,
                                 piola_error *error);
double __wrap_pio_clock(void);

/* The function of the session, which on_progress calls where the run is not cut. */
static piola_status (*session_progress)(void *context, int back, int64_t done, int64_t total, piola_error *error);

static piola_status on_progress(void *context, int back, int64_t done, int64_t total, piola_error *error)
{
    const char *text = getenv("PIOLA_CUT");
    const long cut = text ? strtol(text, NULL, 10) : 0;
    const piola_status rc = session_progress(context, back, done, total, error);
    polls++;
    if (cut == -polls) raise(SIGKILL);
    if (rc || cut != polls) return rc;
    return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by a test at step %lld of %lld", (long long)done,
                    (long long)total);
}

/* Returns a sweep like this one that polls after every step, if it writes checkpoints, and can be cut. */
static pio_sweep cut_sweep(const pio_sweep *sweep)
{
    pio_sweep mine = *sweep;
    if (!getenv("PIOLA_CUT") || !sweep->on_progress) return mine;
    session_progress = sweep->on_progress;
    mine.on_progress = on_progress;
    if (sweep->on_place) mine.check_every = 1;
    return mine;
}

piola_status __wrap_pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const pio_sweep_arrays *arrays,
                                const pio_sweep *sweep, pio_sweep_result *result, piola_error *error)
{
    const pio_sweep mine = cut_sweep(sweep);
    return __real_pio_forward(engine, sim, steps, arrays, &mine, result, error);
}

piola_status __wrap_pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule,
                                 const pio_sweep_arrays *arrays, const pio_sweep *sweep, pio_sweep_result *result,
                                 piola_error *error)
{
    const pio_sweep mine = cut_sweep(sweep);
    return __real_pio_gradient(engine, sim, schedule, arrays, &mine, result, error);
}

double __wrap_pio_clock(void)
{
    return __real_pio_clock() + TICK * (double)polls;
}
