/* bench_memory.h -- measurements of gradients that keep fewer states than there are steps. */
#ifndef PIOLA_HOST_BENCH_MEMORY_H
#define PIOLA_HOST_BENCH_MEMORY_H

#include "host/run/plan.h"
#include "host/bench/bench_case.h"
#include "host/bench/bench_fem_case.h"

enum { PIO_MEMORY_ROWS = 8, PIO_MEMORY_REPETITIONS = 3 };

/* One strategy of keeping states. Times are wall times in s, the least of PIO_MEMORY_REPETITIONS. */
typedef struct {
    int64_t slots, kept;        /* states in memory, and further ones on disk */
    pio_plan plan;              /* plan with so many states */
    double gradient, predicted; /* time of the gradient, measured and predicted from the measured step costs */
} pio_memory_row;

typedef struct {
    const char *method, *integrator;      /* "mpm" or "fem"; name of the integrator in scenes */
    bool compact;                         /* states are kept in compact slots */
    int64_t items;                        /* particles, or nodes */
    int64_t steps;                        /* number of steps */
    pio_engine_bytes bytes;               /* memory of the simulation without kept states */
    pio_step_costs costs;                 /* costs of a step, measured */
    double forward;                       /* s of a run without gradient */
    pio_memory_row rows[PIO_MEMORY_ROWS]; /* [n_rows] strategies of keeping states */
    int n_rows;                           /* number of rows */
    bool same;                            /* the gradients of all rows have the same bits */
} pio_memory_case;

/* States of particles: whole; in compact slots; whole, with the reversible integrator. */
typedef enum { PIO_MEMORY_WHOLE, PIO_MEMORY_COMPACT, PIO_MEMORY_REVERSIBLE, PIO_MEMORY_PARTICLES } pio_memory_particles;

/* Measures a block of particles in free flight (bench_case.h). Rows: every state kept, then checkpoints, the last with
 * as many on disk; of the reversible integrator every state, 20 checkpoints, and the inverse steps. `folder` is for
 * states on disk. Returns PIOLA_NO_MEMORY, PIOLA_IO, and the errors of the engine. */
piola_status pio_bench_memory_mpm(pio_memory_case *c, const pio_engine_module *engine, pio_bench_case_options options,
                                  pio_memory_particles what, const char *folder, piola_error *error);
/* Measures a clamped cube with lumped masses that a force sets in motion (bench_fem_case.h), with the same rows:
 * `steps` steps of the integrator, ten times as long if it is implicit. Returns PIOLA_NO_MEMORY, PIOLA_IO, and the
 * errors of the engine. */
piola_status pio_bench_memory_fem(pio_memory_case *c, const pio_engine_module *engine,
                                  pio_bench_fem_case_options options, pio_integrator integrator, int64_t steps,
                                  const char *folder, piola_error *error);

#endif
