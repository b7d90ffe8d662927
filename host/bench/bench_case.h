/* bench_case.h -- a benchmark case without a scene, also for self-tests: a block of one material in free flight.
 *
 * A cube (2D: a square) of `cells` cells per axis, 1 cm each, filled at random (the same numbers everywhere) and listed
 * cell by cell or in random order, with random velocities of up to 0.1 m/s on top of a common one, under gravity, far
 * from the walls. */
#ifndef PIOLA_HOST_BENCH_CASE_H
#define PIOLA_HOST_BENCH_CASE_H

#include "host/run/engines.h"
#include "solvers/driver/driver.h"

typedef struct {
    int dimension; /* 2 or 3 */
    int cells;     /* cells per axis */
    int per_cell;  /* particles per cell */
    pio_law law;   /* law of the material */
    int64_t steps; /* number of steps */
    int threads;   /* number of threads; 0: OpenMP's default */
    bool adjoint;  /* with memory for cotangents and every state */
    bool timing;   /* with timers of kernels */
    bool loose;    /* the box has three times as many cells per axis as the block, and a margin of 6 otherwise */
    bool shuffled; /* particles are listed in random order, not cell by cell */
    double spin;   /* angular velocity about the centre in the plane of the first two axes, 1/s */
    pio_plastic_law plasticity; /* plastic law of the material; it needs a `law` of its own, pio_bench_case_law() */
    double viscosity;           /* of a solid, Pa s; 0: none */
    bool fibres;                /* the material is a solid with fibres, which contract */
} pio_bench_case_options;

/* Its samples are the mean position and then the mean velocity at the end, `dimension` numbers each. The one design
 * entry is the common velocity, `dimension` variables in m/s, which starts at `velocity`. */
typedef struct {
    pio_engine_desc desc; /* its pointers point into this struct: create it in place, do not move it */
    double duration;      /* s */
    double velocity[3];   /* mean velocity of the particles at the start, m/s */
    /* [n][dimension] m; [n][dimension] m/s; [n] m^3 (2D: m^2); [n] kg/m^3; [n][PIO_LAW_CONSTANTS] constants */
    double *position, *speed, *volume, *density, *law_parameters;
    double *yield, *viscosity;            /* [n][PIO_PLASTIC_CONSTANTS] of the plastic law; [n] Pa s; NULL: none */
    int32_t *law, *zero;                  /* [n] law of each particle; [n] zeros */
    int32_t *plasticity;                  /* [n] plastic law of each particle; NULL: none */
    pio_channel_desc channel;             /* the activation of the fibres */
    double fibre[3];                      /* their direction */
    double spin[9];                       /* matrix of the angular velocity, 1/s, in the first dimension^2 numbers */
    pio_observation_desc observations[2]; /* mean position, mean velocity */
    pio_sample_weight sample_weights[2];  /* weights of their samples */
    pio_design_desc design;               /* the common velocity */
} pio_bench_case;

enum { PIO_BENCH_CASE_SAMPLES = 6 };

/* Returns the law of a material that is to be of `law`, or of a plastic law, which needs an elastic one of its own. */
pio_law pio_bench_case_law(pio_law law, pio_plastic_law plasticity);

/* Creates the case. Returns PIOLA_NO_MEMORY if there is no memory for it; *out is then empty. */
piola_status pio_bench_case_create(pio_bench_case *out, const pio_bench_case_options *options, piola_error *error);
/* Frees what a case holds; an empty one is allowed. */
void pio_bench_case_free(pio_bench_case *bench_case);

/* Computes the objective of a pio_sweep: the first coordinate of the mean position, m. Its context is NULL or points to
 * a double that receives the CPU time of the process, s, when it is called: at the end of the forward sweep. Always
 * returns PIOLA_OK. */
piola_status pio_bench_case_objective(void *context, int64_t sweep, const double *samples, double *J,
                                      double *samples_bar, piola_error *error);

/* Returns the CPU time of all threads of the process, s. */
double pio_cpu_clock(void);

#endif
