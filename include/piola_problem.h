/* piola_problem.h -- a scene inside a program: a part of piola.h, which includes it, with the units and errors that it
 * states. */
#ifndef PIOLA_PROBLEM_H
#define PIOLA_PROBLEM_H

#include "piola.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scene on a device. It must not be used by two threads at the same time. */
typedef struct piola_problem piola_problem;

/* Loads the scene and prepares it on the device, with memory for gradients. It writes, removes and prints nothing,
 * except the file options->log_json; the scene's first fault is in `error`. PIOLA_USAGE if options->dry_run is set; the
 * errors of piola_grad(). On failure *out is NULL. */
piola_status piola_open(piola_problem **out, const piola_options *options, piola_error *error);
/* Frees a problem, which may be NULL. */
void piola_close(piola_problem *problem);

/* Returns the number of design variables of the scene. */
size_t piola_variables(const piola_problem *problem);
/* Returns the name of design variable i in name[size], cut to fit, and its starting value in SI units in *start; each
 * may be NULL. PIOLA_USAGE if there is no variable of this number. */
piola_status piola_variable(const piola_problem *problem, size_t i, char *name, size_t size, double *start,
                            piola_error *error);

/* Simulates with `values` [variables] in SI units (NULL: the start) and returns J and, unless `gradient` is NULL,
 * dJ/dvalues in gradient[variables], J's unit per that of the value; `size` is the number of doubles in `gradient`. The
 * values of a design with a filter are those before it. If the scene keeps states on disk, they go into its folder.
 * PIOLA_USAGE, before anything is computed: a gradient has no room, a value cannot be, or the scene has no objective
 * and J or the gradient is wanted. PIOLA_NUMERICAL, PIOLA_NO_MEMORY, PIOLA_INTERRUPTED, PIOLA_IO, PIOLA_CANNOT_CREATE
 * and PIOLA_UNAVAILABLE of the simulation. */
piola_status piola_evaluate(piola_problem *problem, const double *values, double *J, double *gradient, size_t size,
                            piola_error *error);

/* An observation of the scene has values [samples][components] in SI units at times [samples] in s (the middle of a
 * window). */
typedef struct piola_observation_info {
    char name[120];             /* name in the scene's `observe` */
    size_t samples, components; /* shape of its values */
} piola_observation_info;
/* Returns the number of observations of the scene. */
size_t piola_observations(const piola_problem *problem);
/* Describes observation i. PIOLA_USAGE if there is none of this number. */
piola_status piola_observation(const piola_problem *problem, size_t i, piola_observation_info *info,
                               piola_error *error);
/* Reads observation i of the last evaluation: times[samples] in s and values[samples][components] in SI units, each of
 * which may be NULL. `n_times` and `n_values` are the numbers of doubles in them. PIOLA_USAGE, and nothing is written,
 * if one has no room, if there is no observation of this number, or if nothing was evaluated. */
piola_status piola_read_observation(const piola_problem *problem, size_t i, double *times, size_t n_times,
                                    double *values, size_t n_values, piola_error *error);

/* Returns the number of constraints of the scene, inequalities c <= 0 in which c is relative to the bound. */
size_t piola_constraints(const piola_problem *problem);
/* Returns the name of constraint i in name[size], cut to fit, and its value in the last evaluation in *c; each may be
 * NULL. PIOLA_USAGE if there is none of this number, or if nothing was evaluated. */
piola_status piola_constraint(const piola_problem *problem, size_t i, char *name, size_t size, double *c,
                              piola_error *error);
/* Returns dc/dvalues of constraint i in gradient[variables], 1 per unit of the value; `size` is the number of doubles
 * in it. The last evaluation must have been one with a gradient, which takes an adjoint sweep for each constraint.
 * PIOLA_USAGE if it was not, if the gradient has no room, or if there is no constraint of this number. */
piola_status piola_constraint_gradient(const piola_problem *problem, size_t i, double *gradient, size_t size,
                                       piola_error *error);

/* ---- fields, by name, on particles, nodes or elements -----------------------------------------------------
 *
 * Particles have position velocity C F J pressure mass and, after a gradient, grad_position grad_velocity grad_density
 * grad_parameter_0..4 (as many as the laws have constants), where solids are viscous grad_viscosity, and where they are
 * plastic grad_yield_0..2. Meshes have displacement velocity reaction and more on nodes, stress and more on elements:
 * docs/reference/fields.md. */

/* Returns the number of items (particles, nodes or elements) of a field; 0 if there is no field of that name. */
size_t piola_items(const piola_problem *problem, const char *field);
/* Returns the number of components of a field; 0 if there is no field of that name. */
size_t piola_components(const piola_problem *problem, const char *field);
/* Reads a field after an evaluation, values[items][components] in the scene's order and in SI units. `size` is the
 * number of doubles in `values`. PIOLA_USAGE if they are too few, if there is no such field, if nothing was evaluated,
 * or if a field of gradients is read after an evaluation without them. After a gradient the run is simulated once more
 * for a field of the last state, with the errors of piola_evaluate(). */
piola_status piola_read(piola_problem *problem, const char *field, double *values, size_t size, piola_error *error);
/* Returns the number of particles of the scene. */
size_t piola_particles(const piola_problem *problem);
/* Returns the number of nodes of the scene. */
size_t piola_nodes(const piola_problem *problem);
/* Returns the number of elements of the scene. */
size_t piola_elements(const piola_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
