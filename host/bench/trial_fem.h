/* trial_fem.h -- a clamped cube (2D: square) of one material, pushed sideways at its far side, made without a scene:
 * what
 * benchmarks of FEM run.
 *
 * Side 1 m, `cells` cells per axis, fixed where x = 0; a total force on x = 1 across it, in one load step. The
 * objective is the mean deflection of that side; the design entries are the force and the moduli of every element. They
 * scale together
 * without moving a node, so that  sum c dJ/dc + F dJ/dF = 0  (PHYSICS.md section 7). */
#ifndef PIOLA_HOST_TRIAL_FEM_H
#define PIOLA_HOST_TRIAL_FEM_H

#include "host/mesh/mesh.h"
#include "solvers/driver/driver.h"

typedef struct {
    pio_element_type type; /* of cells; simplices: 2 or 6 of them fill a cell of the lattice */
    int cells;             /* per axis */
    pio_hyper_law law;     /* E = 1000 Pa, nu = 0.3, or the constants that are like them at small strain */
    double force;          /* N; in 2D N per m of thickness */
    double tolerance;      /* of Newton's residual and of the adjoint solve */
    int threads;           /* 0: what OpenMP offers */
    bool timing;           /* per-kernel timers */
    pio_product_choice product;
} pio_fem_trial_options;

enum { PIO_FEM_TRIAL_MODULI = 3, PIO_FEM_TRIAL_SAMPLES = 3 };

typedef struct {
    pio_engine_desc desc; /* its pointers point into this trial: create it in place, do not move it */
    pio_fem_desc fem;
    pio_mesh mesh;
    pio_block_desc block;
    pio_load_desc load;
    double values[3], curve_t, curve_value, support_value, *rest, *given, *density, *thickness, *weight, *z;
    int32_t curve_start[2], support_curve, *law, *lame, *held_node, *held_axis, *held_support, *vertices, *owner,
        *index;
    pio_observation_desc observation;
    pio_touch touch;
    pio_design_desc design[1 + PIO_FEM_TRIAL_MODULI]; /* the force, then each modulus */
    int64_t variables;                                /* of all designs; z: where they start, value = z */
} pio_fem_trial;

/* On failure the trial is empty: free it all the same. */
piola_status pio_fem_trial_create(pio_fem_trial *out, const pio_fem_trial_options *options, piola_error *error);
void pio_fem_trial_free(pio_fem_trial *trial);

/* |sum c dJ/dc + F dJ/dF| / |F dJ/dF| of a gradient [variables]. */
double pio_fem_trial_defect(const pio_fem_trial *trial, const double *gradient);

/* J, the mean deflection along the force in m, of the samples, and its derivatives: room for PIO_FEM_TRIAL_SAMPLES. */
double pio_fem_trial_objective(const double *samples, double *samples_bar);

#endif
