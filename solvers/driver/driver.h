/* Room solvers/driver: runs a simulation forward and back as a schedule of actions says, and knows no solver. */
/* driver.h -- the driver: runs a simulation forward, or forward and back as a schedule says. Knows no solver. */
#ifndef PIOLA_SOLVERS_DRIVER_H
#define PIOLA_SOLVERS_DRIVER_H

#include "solvers/engine/engine.h"
#include "solvers/driver/schedule.h"

/* Where a sweep is, between two calls of the engine. With the simulation's memory (memory_out() of engine.h) it is all
 * that a process needs that goes on from there: states that were kept are made again when they are needed. */
typedef struct {
    int64_t done;     /* actions of the schedule that are done */
    int64_t position; /* state that the Forward at hand has come to; -1: at an action's beginning */
    int64_t reached, frame, sweep, passed;                      /* as adjoint.c counts: sweep is -1 on the way out */
    int64_t forward_steps, adjoint_steps, inverse_steps, taped; /* those of pio_sweep_result so far */
    double forward_seconds, adjoint_seconds;                    /* likewise */
    int64_t state;                                              /* number of the current state */
} pio_place;

/* What surrounds a sweep. Any function may be NULL. A status other than PIOLA_OK ends the sweep with it. */
typedef struct {
    void *context;
    const int64_t *frames; /* state numbers, ascending, at which on_state (and on_adjoint, on_passed) are called */
    int64_t n_frames;
    piola_status (*on_state)(void *context, int64_t frame, int64_t step, piola_error *error);
    piola_status (*on_adjoint)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* After the adjoint of the step that ended at a frame; of state 0, after adjoint_end. */
    piola_status (*on_passed)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* The current state, number `step`, to and from place number `place` of the second tier of a schedule that has
     * one. */
    piola_status (*on_keep)(void *context, int64_t place, int64_t step, piola_error *error);
    piola_status (*on_fetch)(void *context, int64_t place, int64_t step, piola_error *error);
    /* Now and then: progress, interruption. `done` of `total` steps of this sweep (back: 1). */
    piola_status (*on_progress)(void *context, int back, int64_t done, int64_t total, piola_error *error);
    /* After on_progress: the place at hand can be kept. `stopping`: on_progress has just said PIOLA_INTERRUPTED, *error
     * says why, and the sweep ends with that once this returns PIOLA_OK. */
    piola_status (*on_place)(void *context, const pio_place *place, int stopping, piola_error *error);
    int64_t check_every; /* steps between on_progress; 0: as many as suit short steps */
    /* To go on from there, or NULL: from the start. on_resume puts the memory in, in a simulation that has just
     * started; frames that lie before are there. Of the schedule's states state 0 alone is there. */
    const pio_place *resumed;
    piola_status (*on_resume)(void *context, piola_error *error);
    /* Where a state has to be made again: the number of the last state beyond `from` and up to `to` that can be had
     * otherwise, or -1; and this state, to be the current one. */
    int64_t (*nearest)(void *context, int64_t from, int64_t to);
    piola_status (*on_nearest)(void *context, int64_t step, piola_error *error);
    /* Samples to the objective J, and when samples_bar is not NULL the derivative that sweep number `sweep` back begins
     * with: of J in the last one, before it of other functions of the samples. */
    piola_status (*objective)(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                              piola_error *error);
    /* Told after sweep number `sweep`: its gradient is in value_bar and z_bar. */
    piola_status (*on_gradient)(void *context, int64_t sweep, piola_error *error);
} pio_sweep;

typedef struct {
    double J;
    int64_t forward_steps, adjoint_steps, inverse_steps; /* run in all, recomputation included; taken back */
    int64_t taped;                                       /* bytes of the tape in use at the last turn */
    double forward_seconds, adjoint_seconds;
} pio_sweep_result;

/* The numbers that a sweep reads and sets, on the host. */
typedef struct {
    const double *z;   /* [variables] the design, as start() of the engine takes it */
    double *samples;   /* [n_samples] the observations, set; for pio_gradient [2 n_samples], their derivatives behind */
    int64_t n_samples; /* read by pio_gradient alone */
    /* The gradient of J, of the last sweep back, set by pio_gradient; each may be NULL. */
    double *value_bar; /* [variables] by the values that kernels use, J's unit per that of the value */
    double *z_bar;     /* [variables] by z, J's unit */
} pio_sweep_arrays;

/* Run `steps` steps from the design and evaluate the objective. Errors: those of the engine and of the functions of
 * `sweep`. */
piola_status pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const pio_sweep_arrays *arrays,
                         const pio_sweep *sweep, pio_sweep_result *result, piola_error *error);

/* Forward, and back as often as the schedule sweeps; frames of the adjoint are those of the last sweep. Errors: those
 * of pio_forward, and PIOLA_INTERNAL for a schedule that reverses before it turns. */
piola_status pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule,
                          const pio_sweep_arrays *arrays, const pio_sweep *sweep, pio_sweep_result *result,
                          piola_error *error);

#endif
