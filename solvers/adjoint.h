/* adjoint.h -- the driver: runs a simulation forward, or forward and back as a schedule says. Knows no solver. */
#ifndef PIOLA_SOLVERS_ADJOINT_H
#define PIOLA_SOLVERS_ADJOINT_H

#include "solvers/engine.h"
#include "solvers/schedule.h"

/* What surrounds a sweep. Any function may be NULL. A status other than PIOLA_OK ends the sweep with it. */
typedef struct {
    void *context;
    const int64_t *frames; /* state numbers, ascending, at which on_state (and on_adjoint, on_passed) are called */
    int64_t n_frames;
    piola_status (*on_state)(void *context, int64_t frame, int64_t step, piola_error *error);
    piola_status (*on_adjoint)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* After the adjoint of the step that ended at a frame; of state 0, after reverse_end. */
    piola_status (*on_passed)(void *context, int64_t frame, int64_t step, piola_error *error);
    /* The current state, number `step`, to and from place number `place` of the second tier of a schedule that has one. */
    piola_status (*on_keep)(void *context, int64_t place, int64_t step, piola_error *error);
    piola_status (*on_fetch)(void *context, int64_t place, int64_t step, piola_error *error);
    /* Now and then: progress, interruption. `done` of `total` steps of this sweep (back: 1). */
    piola_status (*on_progress)(void *context, int back, int64_t done, int64_t total, piola_error *error);
    /* Samples to the objective J, and when samples_bar is not NULL the derivative that sweep number `sweep` back begins with: of
     * J in the last one, before it of other functions of the samples. */
    piola_status (*objective)(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                              piola_error *error);
    /* Told after sweep number `sweep`: its gradient is in value_bar and z_bar. */
    piola_status (*on_gradient)(void *context, int64_t sweep, piola_error *error);
} pio_sweep;

typedef struct {
    double J;
    int64_t forward_steps, reverse_steps, unsteps; /* run in all, recomputation included; taken back */
    int64_t taped;                                 /* bytes of the tape in use at the last turn */
    double forward_seconds, reverse_seconds;
} pio_sweep_result;

/* Run `steps` steps from the design z and evaluate the objective. samples: workspace [n_samples]. */
piola_status pio_forward(const pio_engine *engine, pio_sim *sim, int64_t steps, const double *z, double *samples,
                         const pio_sweep *sweep, pio_sweep_result *result, piola_error *error);

/* Forward, and back as often as the schedule sweeps; frames of the adjoint are those of the last sweep, and its gradient is left
 * in value_bar and z_bar [variables] (may be NULL). samples: workspace [2 n_samples]. */
piola_status pio_gradient(const pio_engine *engine, pio_sim *sim, pio_schedule *schedule, const double *z,
                          double *samples, int64_t n_samples, const pio_sweep *sweep, double *value_bar, double *z_bar,
                          pio_sweep_result *result, piola_error *error);

#endif
