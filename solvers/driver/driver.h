/* Room solvers/driver: runs a simulation and its adjoint sweeps in the order of a schedule, for any solver. */
/* driver.h -- the driver: runs a simulation, and adjoint sweeps in the order of a schedule, for any engine. */
#ifndef PIOLA_SOLVERS_DRIVER_H
#define PIOLA_SOLVERS_DRIVER_H

#include "solvers/engine/engine.h"
#include "solvers/driver/schedule.h"

/* The position of a run in its schedule, between two calls of the engine. With the simulation's memory (memory_out() of
 * engine.h) it is all that another process needs to continue: stored states are computed again when needed. */
typedef struct {
    int64_t done;     /* number of actions of the schedule that are done */
    int64_t position; /* state that the present Forward has reached; -1: at an action's beginning */
    /* furthest state; next frame of the forward run, or last one done in a sweep; number of the sweep, -1: the forward
     * run; steps of this sweep whose adjoint is done */
    int64_t reached, frame, sweep, passed;
    int64_t forward_steps, adjoint_steps, inverse_steps, residual_log_bytes; /* those of pio_sweep_result so far */
    double forward_seconds, adjoint_seconds;                                 /* likewise, s */
    int64_t state;                                                           /* number of the current state */
} pio_place;

/* Functions that the driver calls during a run. Any may be NULL. A status other than PIOLA_OK ends the run with it. */
typedef struct {
    void *context;         /* first argument of the functions */
    const int64_t *frames; /* state numbers, ascending, at which on_state (and on_adjoint, on_passed) are called */
    int64_t n_frames;      /* number of frames */
    /* Called in the forward run when frame number `frame`, the state number `step`, is the current state. */
    piola_status (*on_state)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* Called in the last adjoint sweep when the cotangents of that state are known. */
    piola_status (*on_adjoint)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* Called after the adjoint of the step that led to a frame; for state 0, after adjoint_end(). */
    piola_status (*on_passed)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* Stores the current state, number `step`, in slot `slot` of the schedule's second tier. */
    piola_status (*on_keep)(void *context, int64_t slot, int64_t step, piola_error *error);
    /* Makes that state the current one. */
    piola_status (*on_fetch)(void *context, int64_t slot, int64_t step, piola_error *error);
    /* Called now and then to show progress, and to interrupt with PIOLA_INTERRUPTED: `done` of `total` steps of the
     * forward run, or of this adjoint sweep (`back` is 1). */
    piola_status (*on_progress)(void *context, int back, int64_t done, int64_t total, piola_error *error);
    /* Called after on_progress, to save the place. `stopping`: on_progress has just returned PIOLA_INTERRUPTED with the
     * reason in *error, and the run ends with that once this returns PIOLA_OK. */
    piola_status (*on_place)(void *context, const pio_place *place, int stopping, piola_error *error);
    int64_t check_every; /* steps between checks, each with on_progress; 0: a number for short steps */
    /* The place from which to continue; NULL: the run begins at the start. Frames before it are done. */
    const pio_place *resumed;
    /* Restores the memory of the simulation, which has just started. */
    piola_status (*on_resume)(void *context, piola_error *error);
    /* Called where a state must be computed again: returns the number of the last state beyond `from` and up to `to`
     * that on_nearest can supply, or -1. */
    int64_t (*nearest)(void *context, int64_t from, int64_t to);
    /* Makes that state the current one. */
    piola_status (*on_nearest)(void *context, int64_t step, piola_error *error);
    /* Computes the objective J from the samples, and when samples_bar is not NULL the derivative dJ/dsamples with which
     * adjoint sweep number `sweep` begins: of J in the last sweep, of other functions of the samples before it. */
    piola_status (*objective)(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                              piola_error *error);
    /* Called after sweep number `sweep`, when its gradient is in value_bar and z_bar. */
    piola_status (*on_gradient)(void *context, int64_t sweep, piola_error *error);
} pio_sweep;

typedef struct {
    double J;                                            /* the objective */
    int64_t forward_steps, adjoint_steps, inverse_steps; /* number that were run, recomputation included */
    int64_t residual_log_bytes;                          /* bytes of the residual log in use at the last turn */
    double forward_seconds, adjoint_seconds;             /* wall time of the forward run; of the adjoint sweeps, s */
    pio_device_calls forward_calls, adjoint_calls;       /* what they gave the device to do, since a resumption */
} pio_sweep_result;

/* The host arrays that a run reads and sets. */
typedef struct {
    const double *z;   /* [variables] the design, as start() of the engine takes it */
    double *samples;   /* [n_samples] the observations, set; for pio_gradient [2 n_samples], followed by dJ/dsamples */
    int64_t n_samples; /* read by pio_gradient alone */
    /* The gradient of J, of the last adjoint sweep, set by pio_gradient; each may be NULL. */
    double *value_bar; /* [variables] by the values that kernels use, J's unit per that of the value */
    double *z_bar;     /* [variables] by z, J's unit */
} pio_sweep_arrays;

/* Runs `steps` steps from the design and evaluates the objective. Returns the errors of the engine (PIOLA_NUMERICAL if
 * a step fails) and of the functions of `sweep` (PIOLA_INTERRUPTED of on_progress). When continuing from a place, also
 * PIOLA_INTERNAL if another state is there. */
piola_status pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const pio_sweep_arrays *arrays,
                         const pio_sweep *sweep, pio_sweep_result *result, piola_error *error);

/* Runs the schedule: forward, and as many adjoint sweeps as it has; frames of the adjoint are those of the last sweep.
 * Returns the errors of pio_forward(), PIOLA_NUMERICAL if inverse steps did not lead back to their first state,
 * PIOLA_USAGE if the engine has no inverse steps, PIOLA_INTERNAL for a schedule with an adjoint step before the first
 * turn, or that ends before the place from which to continue, and PIOLA_NO_MEMORY. */
piola_status pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule,
                          const pio_sweep_arrays *arrays, const pio_sweep *sweep, pio_sweep_result *result,
                          piola_error *error);

#endif
