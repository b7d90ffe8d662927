/* piola_problem.h -- a scene inside a program: a part of piola.h, which includes it, with the units and errors that it
 * states. */
#ifndef PIOLA_PROBLEM_H
#define PIOLA_PROBLEM_H

#include "piola.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scene on a device. Threads may use different problems at the same time; only piola_interrupt() may be called while
 * another call uses the same problem. No function here handles a signal, sets a locale of the process or prints. */
typedef struct piola_problem piola_problem;

/* Loads the scene, of the file options->scene or of options->text, and prepares it on the device, with memory for
 * gradients. It writes, removes and prints nothing, except the file options->log_json; the scene's first fault is in
 * `error`. Problems of one engine compute with the number of threads of the last one opened. options->directory is the
 * folder for states that are kept on disk, and nothing else goes there. Of commands alone are jobs, resume,
 * accept_machine, dry_run, json, quiet, verbose, require_progress and command_line: PIOLA_USAGE if one of them is not
 * its default. The errors of piola_grad(). On failure *out is NULL. */
piola_status piola_open(piola_problem **out, const piola_options *options, piola_error *error);
/* Frees a problem, which may be NULL. */
void piola_close(piola_problem *problem);

/* Ends the call that runs on this problem, except piola_open(), with PIOLA_INTERRUPTED soon: between two steps, within
 * an implicit step, or between two sweeps of a solver; a factorisation is completed first. Nothing that was computed
 * can be read then, and the next call gives the bits that it would have given otherwise. If no call runs, or it is just
 * ending, nothing happens, to later calls either. Any thread and signal handlers may call it, until piola_close(). */
void piola_interrupt(piola_problem *problem);

/* ---- the design --------------------------------------------------------------------------------------------- */

/* Returns the number of design variables of the scene. */
size_t piola_variables(const piola_problem *problem);
/* Returns the name of design variable i in name[size], cut to fit, and its starting value in SI units in *start; each
 * may be NULL. PIOLA_USAGE if there is no variable of this number. */
piola_status piola_variable(const piola_problem *problem, size_t i, char *name, size_t size, double *start,
                            piola_error *error);

/* A target of the scene's design: a quantity that the design changes. Its values are variables first .. first + groups
 * components - 1, [groups][components]. Elements that an entry of the design fixes are no variables. */
typedef struct piola_design_info {
    char name[120];                   /* name of the entry in the scene's `design` */
    char path[240];                   /* of the quantity: "materials.soft.E" */
    char unit[32];                    /* SI unit of the values, "" if they have none */
    char per[32];                     /* what has values of its own, as in the scene: "target", "element", ... */
    size_t first, groups, components; /* number of its first variable; shape of its values */
    int filtered;                     /* 1: its variables are those before a filter */
    int logarithmic;                  /* 1: values must be above 0, and `transform` is log */
    int tied; /* 1: its variables are those of the first target of its entry, which comes before */
} piola_design_info;

/* Returns the number of targets of the design, tied ones included. */
size_t piola_designs(const piola_problem *problem);
/* Describes target i of the design. PIOLA_USAGE if there is none of this number. */
piola_status piola_design(const piola_problem *problem, size_t i, piola_design_info *info, piola_error *error);
/* Returns the bounds of the values, SI, in lower[variables] and upper[variables], each of which may be NULL; `size` is
 * the number of doubles in each. They are those of the scene, or else the ends of the quantity's own range; where that
 * end is not legal itself, a value between it and the start. Infinite: there is none. piola_evaluate() does not
 * enforce them. PIOLA_USAGE if one has no room. */
piola_status piola_bounds(const piola_problem *problem, double *lower, double *upper, size_t size, piola_error *error);

/* ---- evaluations -------------------------------------------------------------------------------------------- */

/* Returns whether the scene has an objective, without which there is no J. */
bool piola_has_objective(const piola_problem *problem);
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
    char unit[32];              /* SI unit of the values, "" if they have none */
    size_t samples, components; /* shape of its values */
} piola_observation_info;

/* Returns the number of observations of the scene. */
size_t piola_observations(const piola_problem *problem);
/* Describes observation i. PIOLA_USAGE if there is none of this number. */
piola_status piola_observation(const piola_problem *problem, size_t i, piola_observation_info *info,
                               piola_error *error);
/* Returns the number of values of all observations, which are numbered [observation][sample][component]. */
size_t piola_samples(const piola_problem *problem);
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

/* ---- derivatives of observations ---------------------------------------------------------------------------- */

/* Cotangents of what an evaluation returns: the derivatives of a function f of J and of the observations. */
typedef struct piola_cotangents {
    double J;              /* df/dJ, 1 per unit of J; 0 where the scene has no objective */
    const double *samples; /* [n_samples] df/dy of all values y of the observations, 1 per unit of y; NULL: 0 */
    size_t n_samples;      /* number of doubles there; the first piola_samples() of them are read */
} piola_cotangents;

/* Simulates with `values` as piola_evaluate() does, and returns df/dvalues = bar->J dJ/dvalues + sum_k bar->samples[k]
 * dy_k/dvalues in gradient[variables], 1 per unit of the value; `size` is the number of doubles in it. It takes one
 * adjoint sweep. Observations and constraints can then be read, as well as fields of gradients, which are those of f.
 * With df/dJ = 1 alone it has the bits of piola_evaluate(). PIOLA_USAGE, before anything is computed: a buffer is too
 * small, a number cannot be, or df/dJ is not 0 and the scene has no objective; the errors of piola_evaluate(). */
piola_status piola_pullback(piola_problem *problem, const double *values, const piola_cotangents *bar, double *gradient,
                            size_t size, piola_error *error);
/* Simulates with `values` as piola_evaluate() does, and returns the derivatives of all values of the observations in
 * jacobian[samples][variables], of which each row takes an adjoint sweep; `size` is the number of doubles in it.
 * Observations and constraints can then be read. PIOLA_USAGE, before anything is computed: the buffer is too small, a
 * value cannot be, or the scene has no observations; the errors of piola_evaluate(), after which rows may have been
 * written. */
piola_status piola_jacobian(piola_problem *problem, const double *values, double *jacobian, size_t size,
                            piola_error *error);

/* ---- steps -------------------------------------------------------------------------------------------------- */

/* Returns the number of time steps of the scene, of a static one that of its load steps, or of its modes. */
size_t piola_steps(const piola_problem *problem);
/* Begins a run of single steps with `values` [variables] in SI units (NULL: the start): state 0, of which piola_read()
 * reads fields. Another evaluation ends the run. The errors of piola_evaluate(). */
piola_status piola_begin(piola_problem *problem, const double *values, piola_error *error);
/* Runs n further steps. piola_read() then reads fields of the new state, and after the last step of the scene
 * observations and constraints can be read, too; all have the bits of piola_evaluate(). PIOLA_USAGE, and nothing is
 * done, beyond the last step or without a run; the errors of piola_evaluate(), which end the run. */
piola_status piola_step(piola_problem *problem, size_t n, piola_error *error);
/* Returns the number of the state of which piola_read() reads fields: in a run of single steps the current one, after
 * another evaluation the last; 0 if nothing was computed. */
size_t piola_step_number(const piola_problem *problem);
/* Returns the time of that state, s; in a scene without time, one of load steps or modes, its number. */
double piola_time(const piola_problem *problem);

/* ---- fields, by name, on particles, nodes or elements -----------------------------------------------------
 *
 * Particles have position velocity C F J pressure mass and, after a gradient, grad_position grad_velocity grad_density
 * grad_parameter_0..4 (as many as the laws have constants), where solids are viscous grad_viscosity, and where they are
 * plastic grad_yield_0..2. Meshes have displacement velocity reaction and more on nodes, stress and more on elements:
 * docs/reference/fields.md. Derivatives with respect to constants of laws have the names of snapshots, too, such as
 * grad_E, and are 0 where the law has no such constant. */

/* A field of a problem has values [items][components] in SI units. */
typedef struct piola_field_info {
    char name[64];            /* such as "velocity" or "grad_E" */
    char unit[40];            /* SI unit of the values, of derivatives per that of J ("1/Pa"); "" if they have none */
    size_t items, components; /* shape of its values */
} piola_field_info;

/* Returns the number of fields, those of derivatives included. Fields that have two names are counted once, and
 * parameters by number (parameter_0) are not counted. */
size_t piola_fields(const piola_problem *problem);
/* Describes field i. PIOLA_USAGE if there is none of this number. */
piola_status piola_field(const piola_problem *problem, size_t i, piola_field_info *info, piola_error *error);
/* Returns the number of items (particles, nodes or elements) of a field; 0 if there is no field of that name. */
size_t piola_items(const piola_problem *problem, const char *field);
/* Returns the number of components of a field; 0 if there is no field of that name. */
size_t piola_components(const piola_problem *problem, const char *field);
/* Reads a field after an evaluation or in a run of single steps, values[items][components] in the scene's order and in
 * SI units. `size` is the number of doubles in `values`. PIOLA_USAGE if they are too few, if there is no such field, if
 * nothing was evaluated, or if a field of gradients is read after an evaluation without them. After derivatives the run
 * is simulated once more for a field of the last state, with the errors of piola_evaluate(). PIOLA_NO_MEMORY. */
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
