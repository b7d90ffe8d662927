/* vocabulary.h -- the words in which simulations are described: those of kernels/base/vocabulary.h, and here solvers,
 * integrators and design quantities. Each thing has one name, which engines, models and scenes share; the words of
 * scene files for them are in host/scene/words.c. Simulations rely on the order within each list. */
#ifndef PIOLA_SOLVERS_VOCABULARY_H
#define PIOLA_SOLVERS_VOCABULARY_H

#include "kernels/base/vocabulary.h"

/* ---- meshes: solvers, motion ----------------------------------------------------------------------------------- */

/* How implicit steps of meshes solve their linear equations; AUTO decides by the rule of fem_direct.c. */
typedef enum { PIO_SOLVE_PCG, PIO_SOLVE_DIRECT, PIO_SOLVE_AUTO } pio_solve;
/* What computes the products of matrix and vector in iterative solvers: Piola's own kernels, or a library
 * (PIO_CUSPARSE, CUDA). */
typedef enum { PIO_OWN_PRODUCT, PIO_CUSPARSE } pio_product_choice;
/* What iterative solvers are preconditioned with; AUTO decides by the rule of fem_multigrid.c. */
typedef enum {
    PIO_PRECONDITIONER_AUTO,
    PIO_PRECONDITIONER_JACOBI,
    PIO_PRECONDITIONER_MULTIGRID
} pio_preconditioner_choice;
/* How meshes move in time: without inertia; implicit, Newmark's with beta = 1/4 and gamma = 1/2; explicit. The
 * reversible ones are those of their names on a lattice, whose steps have an exact inverse. MODAL: no motion but free
 * vibrations about rest, where step number k leads to the shape of mode k + 1 (solvers/fem/fem_modal.c). */
typedef enum {
    PIO_STATIC,
    PIO_BACKWARD_EULER,
    PIO_BDF2,
    PIO_NEWMARK,
    PIO_LEAPFROG,
    PIO_REVERSIBLE_LEAPFROG,
    PIO_REVERSIBLE_EULER,
    PIO_MODAL
} pio_integrator;
/* Of which dilatation the strain of an element is made: that of F at each point, or its projection on polynomials of a
 * lower degree, which does not lock where a material hardly changes its volume (kernels/fem/fem_dilatation.h). */
typedef enum { PIO_DILATATION_STANDARD, PIO_DILATATION_PROJECTED } pio_dilatation;
/* When Newton's matrix is made of tangents without their negative part: where the matrix turns out not to be positive
 * definite, never, always. The adjoint's never is. */
typedef enum { PIO_PROJECT_AUTO, PIO_PROJECT_NEVER, PIO_PROJECT_ALWAYS } pio_projection;

/* Where fields of stress and strain of a mesh are: means of elements, means around nodes, integration points. Bits. */
typedef enum { PIO_STRESS_AT_ELEMENTS = 1, PIO_STRESS_AT_NODES = 2, PIO_STRESS_AT_POINTS = 4 } pio_stress_place;

/* ---- what is designed ------------------------------------------------------------------------------------------ */

/* What a design entry drives. POSITION: of particles, or the rest positions of nodes. VELOCITY and DISPLACED (of
 * nodes): at the start. LAW_PARAMETER_0..4: the parameters of the law, in their form. YIELD_0..2: those of the plastic
 * law. From gravity on it is not a property of particles or elements; amplitudes, frequencies and phases of control
 * have one component per channel, CONTROL_VALUES are some of control_values; LOAD and SUPPORT name one value of a
 * mesh's description, OBSTACLE_... one obstacle's among particles. */
typedef enum {
    PIO_POSITION,
    PIO_VELOCITY,
    PIO_LAW_PARAMETER_0,
    PIO_LAW_PARAMETER_1,
    PIO_LAW_PARAMETER_2,
    PIO_LAW_PARAMETER_3,
    PIO_LAW_PARAMETER_4,
    PIO_DENSITY,
    PIO_THICKNESS,
    PIO_RELATIVE_DENSITY, /* the part of the volume of an element or a particle that is filled, 0 .. 1 */
    PIO_CHOICE,           /* of meshes: the part of what is filled that is the element's own material, 0 .. 1 */
    PIO_EXPANSION,        /* of meshes: 1/K */
    PIO_TEMPERATURE,      /* of meshes: above that without stress, K */
    PIO_MASS_DAMPING,
    PIO_STIFFNESS_DAMPING,
    PIO_DISPLACED,
    PIO_VISCOSITY, /* of solids that are particles */
    PIO_YIELD_0,
    PIO_YIELD_1,
    PIO_YIELD_2,
    PIO_GRAVITY,
    PIO_AMPLITUDE,
    PIO_FREQUENCY,
    PIO_PHASE,
    PIO_LOAD,
    PIO_SUPPORT,
    PIO_NAMED_CONSTANT,    /* of meshes: the constant `which` of the programs of values that vary */
    PIO_OBSTACLE_POSITION, /* of the obstacle `which`, as what follows */
    PIO_OBSTACLE_ROTATION,
    PIO_OBSTACLE_FRICTION,
    PIO_OBSTACLE_FRICTION_VELOCITY,
    PIO_OBSTACLE_SEPARATION_VELOCITY,
    PIO_OBSTACLE_STIFFNESS,
    PIO_OBSTACLE_DISTANCE,
    PIO_OBSTACLE_SCALE,
    PIO_OBSTACLE_SHIFT,          /* at the points of its motion, along axis `component`, m */
    PIO_OBSTACLE_ANGLE,          /* likewise its angles, rad */
    PIO_FLIP,                    /* of particles: the one number desc.flip */
    PIO_FRICTION,                /* likewise desc.friction */
    PIO_REGULARISATION_VELOCITY, /* likewise desc.regularisation_velocity */
    PIO_WALL_FRICTION,  /* likewise that of wall `which` of the grid, 2 axis + side, see pio_grid_desc.wall_friction */
    PIO_PAIR_STIFFNESS, /* of meshes: the one number desc.fem->pairs.stiffness */
    PIO_PAIR_DISTANCE,  /* likewise its distance, as what follows */
    PIO_PAIR_FRICTION,
    PIO_PAIR_FRICTION_VELOCITY,
    PIO_CONTROL_VALUES
} pio_quantity;

#endif
