/* trial.h -- a block of one material in free flight, made without a scene: what self-tests and benchmarks run.
 *
 * A cube (2D: a square) of `cells` cells per axis, 1 cm each, filled at random (the same numbers everywhere) and listed
 * cell by cell, with random velocities of up to 0.1 m/s on top of a common one, under gravity, far from the walls. */
#ifndef PIOLA_HOST_TRIAL_H
#define PIOLA_HOST_TRIAL_H

#include "host/run/engines.h"
#include "solvers/driver/driver.h"

typedef struct {
    int dimension; /* 2 or 3 */
    int cells;     /* per axis */
    int per_cell;  /* particles */
    pio_law law;
    int64_t steps;
    int threads;  /* 0: what OpenMP offers */
    bool adjoint; /* room for cotangents and every state */
    bool timing;  /* per-kernel timers */
    double spin;  /* 1/s, about the centre in the plane of the first two axes */
} pio_trial_options;

/* Samples: the mean position and then the mean velocity at the end, `dimension` numbers each. The one design entry is
 * the common velocity, `dimension` variables in m/s; the start is `velocity`. */
typedef struct {
    pio_engine_desc desc; /* its pointers point into this trial: create it in place, do not move it */
    double duration;      /* s */
    double velocity[3];   /* m/s, common to all particles at the start; the mean of what they have */
    double *position, *speed, *volume, *density, *given;
    int32_t *law, *zero;
    double spin[9];
    pio_observation_desc observations[2];
    pio_touch touches[2];
    pio_design_desc design;
} pio_trial;

enum { PIO_TRIAL_SAMPLES = 6 };

/* On failure the trial is empty: free it all the same. */
piola_status pio_trial_create(pio_trial *out, const pio_trial_options *options, piola_error *error);
void pio_trial_free(pio_trial *trial);

/* An objective for pio_sweep: the first coordinate of the mean position. Its context, a double *, or NULL, gets the CPU
 * time of the process in s when it is called, which is at the turn from forward to back. */
piola_status pio_trial_objective(void *context, int64_t sweep, const double *samples, double *J, double *samples_bar,
                                 piola_error *error);

double pio_cpu_clock(void); /* s, of all threads of the process */

#endif
