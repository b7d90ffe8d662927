/* bench_memory.h -- measuring what a gradient costs when it keeps fewer states than there are steps. */
#ifndef PIOLA_HOST_BENCH_MEMORY_H
#define PIOLA_HOST_BENCH_MEMORY_H

#include "host/run/plan.h"
#include "host/bench/trial.h"
#include "host/bench/trial_fem.h"

enum { PIO_MEMORY_ROWS = 8, PIO_MEMORY_REPETITIONS = 3 };

/* One way to keep states. Times are s of wall time, the best of PIO_MEMORY_REPETITIONS. */
typedef struct {
    int64_t slots, kept; /* states in memory, and more on disk */
    pio_plan plan;
    double gradient, predicted; /* time of the gradient; of the plan's cost by measured costs */
} pio_memory_row;

typedef struct {
    const char *method, *integrator; /* "mpm", "fem"; as scenes name it */
    bool compact;                    /* states are kept in compact slots */
    int64_t items;                   /* particles, or nodes */
    int64_t steps;
    pio_engine_bytes bytes; /* without kept states */
    pio_step_costs costs;
    double forward; /* s, of a run */
    pio_memory_row rows[PIO_MEMORY_ROWS];
    int n_rows;
    bool same; /* every row's gradient has the same bits */
} pio_memory_case;

/* A block of particles in free flight (trial.h), with whole or compact states, and a clamped cube that a force starts
 * to swing
 * (trial_fem.h) with lumped masses, each by an integrator: `steps` steps, of implicit ones ten times as long. Rows:
 * every state kept,
 * then checkpoints, the last with as many on disk; of reversible integrators every state, 20 checkpoints, and reversal.
 * `folder`: for those on disk. */
typedef enum { PIO_MEMORY_WHOLE, PIO_MEMORY_COMPACT, PIO_MEMORY_REVERSIBLE, PIO_MEMORY_PARTICLES } pio_memory_particles;
piola_status pio_bench_memory_mpm(pio_memory_case *c, const pio_engine_module *engine, pio_trial_options options,
                                  pio_memory_particles what, const char *folder, piola_error *error);
piola_status pio_bench_memory_fem(pio_memory_case *c, const pio_engine_module *engine, pio_fem_trial_options options,
                                  pio_integrator integrator, int64_t steps, const char *folder, piola_error *error);

#endif
