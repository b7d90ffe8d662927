/* bench_fem_case.h -- a benchmark case without a scene: a clamped cube (2D: square) of one material that a force
 * pushes sideways at its far side.
 *
 * Side 1 m, `cells` cells per axis, fixed where x = 0; a total force on x = 1 across it, in one load step. The
 * objective is the mean deflection of that side; the design entries are the force and the moduli of every element. If
 * all of them are scaled by one factor no node moves, so that  sum c dJ/dc + F dJ/dF = 0. */
#ifndef PIOLA_HOST_BENCH_FEM_CASE_H
#define PIOLA_HOST_BENCH_FEM_CASE_H

#include "host/mesh/mesh.h"
#include "solvers/driver/driver.h"

typedef struct {
    pio_element_type type;      /* type of elements; 2 triangles or 6 tetrahedra fill a cell */
    int cells;                  /* cells per axis */
    pio_hyper_law law;          /* with E = 1000 Pa, nu = 0.3, or the constants that are equivalent at small strain */
    double force;               /* N; in 2D N/m of thickness */
    double tolerance;           /* relative tolerance of Newton's residual and of the adjoint solve */
    int threads;                /* number of threads; 0: OpenMP's default */
    bool timing;                /* with timers of kernels */
    pio_product_choice product; /* which products of matrix and vector */
    pio_preconditioner_choice preconditioner;
} pio_bench_fem_case_options;

enum { PIO_BENCH_FEM_CASE_MODULI = 3, PIO_BENCH_FEM_CASE_SAMPLES = 3 };

typedef struct {
    pio_engine_desc desc; /* its pointers point into this struct: create it in place, do not move it */
    pio_fem_desc fem;     /* the model of finite elements, to which `desc` points */
    pio_mesh mesh;        /* nodes and elements */
    pio_block_desc block; /* the one block of elements */
    pio_load_desc load;   /* the force on the far side */
    /* Arrays to which `desc` and `fem` point, with their shapes and units. */
    double values[3], curve_t, curve_value, support_value, *rest, *law_parameters, *density, *thickness, *weight, *z;
    int32_t curve_start[2], support_curve, *law, *parameter_form, *constrained_node, *constrained_axis,
        *constrained_support, *vertices, *owner, *index;
    pio_observation_desc observation;                      /* mean displacement of the far side, m */
    pio_sample_weight sample_weight;                       /* weight of its sample */
    pio_design_desc design[1 + PIO_BENCH_FEM_CASE_MODULI]; /* the force, then each modulus */
    int64_t variables; /* number of variables of all designs; they start at `z`, in the design's units */
} pio_bench_fem_case;

/* Creates the case; on failure *out is empty. Returns PIOLA_NO_MEMORY, and the errors of pio_mesh_box(). */
piola_status pio_bench_fem_case_create(pio_bench_fem_case *out, const pio_bench_fem_case_options *options,
                                       piola_error *error);
/* Frees what a case holds; an empty one is allowed. */
void pio_bench_fem_case_free(pio_bench_fem_case *bench_case);

/* Returns |sum c dJ/dc + F dJ/dF| / |F dJ/dF| of a gradient [variables]. */
double pio_bench_fem_case_defect(const pio_bench_fem_case *bench_case, const double *gradient);

/* Returns J, the mean deflection along the force, m, of the samples [PIO_BENCH_FEM_CASE_SAMPLES], and writes its
 * derivatives to samples_bar [PIO_BENCH_FEM_CASE_SAMPLES], which may be NULL. */
double pio_bench_fem_case_objective(const double *samples, double *samples_bar);

#endif
