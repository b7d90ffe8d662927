/* Room host/model: makes the description for an engine from a scene: particles or elements, observations, designs,
 * objective. */
/* model.h -- the description of a scene for an engine: particles, grid, samples and design variables, as one
 * pio_engine_desc. Particles are numbered body after body; `dim` is the dimension, 2 or 3. */
#ifndef PIOLA_HOST_MODEL_H
#define PIOLA_HOST_MODEL_H

#include "host/scene/scene.h"
#include "solvers/engine/engine.h"

typedef struct pio_lattice pio_lattice; /* see model_lattice.h */

/* One target path of one design entry. Its variables are [groups][components]. */
typedef struct {
    const char *path, *unit;       /* text of the path, materials.soft.E; SI unit, Pa */
    const scene_path *target;      /* what the path names */
    const scene_design *design;    /* the entry of the scene */
    int first, groups, components; /* index of its first variable among all; numbers of groups and components */
    double *initial;               /* [groups * components] values at the start, SI */
    double lower, upper;           /* bounds of the values, SI; infinite when absent */
    double least, most;            /* range of values for optimisers, SI: the bounds, else that of the quantity */
    double rate_unit;              /* change of its normalised variables that learning rates count as 1 */
    pio_filter_desc *filter;       /* between its variables and its values, or NULL */
    const char *item;              /* control: name of a component: knot, weight; else NULL */
    int engine_first;              /* index of its first variable among those of the engine */
    bool tied;                     /* its variables are those of the first target of the entry */
    pio_lattice *lattice;          /* between its variables, control points, and the engine's, nodes; or NULL */
} pio_parameter;

/* The samples of one observation. */
typedef struct {
    const char *name;               /* name of the observation */
    int first, samples, components; /* index of its first value among all; its values are [samples][components] */
    double *time;                   /* [samples] s; the middle of a window */
} pio_output;

typedef struct pio_model_fem pio_model_fem;

typedef struct pio_model {
    const pio_scene *scene;        /* must outlive the model */
    pio_engine_desc desc;          /* its pointers point into this model */
    pio_parameter *parameters;     /* [n_parameters], in the order of desc.designs */
    int n_parameters, n_variables; /* numbers of targets, and of variables of all */
    pio_output *outputs;           /* [n_outputs], in the order of scene.observe */
    int n_outputs, n_samples;      /* numbers of observations, and of values of all */
    double *z0, *lower, *upper;    /* [n_variables] normalised start and bounds */
    double *unit;                  /* [n_variables] change of z that learning rates count as 1: see model_design.c */
    int n_engine;                  /* number of variables of the engine: see engine_variables.h */
    double *engine_z0;             /* [n_engine] those of z0 */
    int64_t steps;                 /* number of time steps */
    int64_t *frames;               /* [n_frames] step of every state frame: 0, ..., steps */
    int64_t n_frames;              /* number of frames */
    int64_t *body_first;           /* [bodies + 1] particles of body b are body_first[b] .. body_first[b+1]-1 */
    /* Of n particles: [n][dim] m, [n][dim] m/s, [n] m^3 (2D: m^2), [n] kg/m^3 and [n][PIO_LAW_CONSTANTS] parameters of
     * the law; [bodies][dim][dim] velocity gradient of the rotation at the start, 1/s. */
    double *position, *velocity, *volume, *density, *law_parameters, *spin;
    int32_t *plasticity;      /* [n] pio_plastic_law; NULL: nothing is plastic */
    double *yield;            /* [n][PIO_PLASTIC_CONSTANTS] parameters of the plastic law; NULL as plasticity */
    int32_t *field;           /* [n] velocity field; NULL: there is one */
    double *relative_density; /* [n] 1 of what is full; NULL: everything is */
    int32_t *interpolation;   /* [n] that of its body, or -1; NULL likewise */
    pio_interpolation *interpolations;    /* [bodies]; NULL likewise */
    double *viscosity;                    /* [n] of solids, Pa s; NULL: none is viscous or could become so */
    int32_t *law, *parameter_form, *body; /* [n] pio_law; 1: parameters are mu, lambda; number of the body */
    pio_sample_weight *sample_weights;    /* [desc.n_sample_weights] sample weights, by step */
    pio_observation_desc *observations;   /* [n_outputs] descriptions of observations */
    pio_design_desc *designs;             /* [n_parameters] descriptions of designs */
    pio_obstacle_desc *obstacles;         /* [desc.n_obstacles] descriptions of obstacles */
    pio_model_fem *fem;                   /* meshes; NULL: particles */
    unsigned char **groups;               /* [groups of the scene][n] 1: the particle is in the group */
    struct pio_model_control *control;    /* control, see model_control.c; NULL: no actuators */
    char **warnings;                      /* [n_warnings] texts, without those of meshes */
    int n_warnings;                       /* number of texts */
} pio_model;

/* Makes the model of a scene, which reads the files that the scene names. *out is NULL on failure: PIOLA_BAD_DATA with
 * the place in the scene or in a file, PIOLA_NO_INPUT, PIOLA_REFUSED, PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_model_create(pio_model **out, const pio_scene *scene, piola_error *error);
/* Frees a model, which may be NULL. */
void pio_model_free(pio_model *model);
/* Writes warning number i, which begins with the name of its subject, into out[size]. Returns false past the last. */
bool pio_model_warning(const pio_model *model, int i, char *out, size_t size);
/* Adds a warning (model_warning.c); those beyond 64 are dropped. */
void pio_model_warn(pio_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the warnings about control and obstacles (model_warning.c). */
void pio_model_check(pio_model *model);
/* Frees the warnings (model_warning.c). */
void pio_model_warnings_free(pio_model *model);
/* Explains why an engine rejected the description: PIOLA_BAD_DATA of meshes are bodies that can move freely, which is a
 * fault of the scene's key `boundary`. Any other status stays as it is. Returns rc. */
piola_status pio_model_explain_rejection(const pio_model *model, piola_status rc, piola_error *error);
/* FEM: sets the tolerances that the scene does not give, as fits the precision of the computation; a new model has
 * those of the scene's precision. */
void pio_model_precision(pio_model *model, bool f32);
/* Returns the relative tolerance of f32 or f64, the default of both solves. */
double pio_fem_tolerance(bool f32);
/* Returns the number of items that a design or a field has values of: particles; or with `nodal` nodes, else elements
 * (model_query.c). */
int64_t pio_model_items(const pio_model *model, bool nodal);
/* Returns the material of a particle or an element (model_query.c). */
const scene_material *pio_model_material(const pio_model *model, int64_t item);
/* Returns the number of the body of a particle or an element (model_query.c). */
int32_t pio_model_body(const pio_model *model, int64_t item);

/* Applies the designs' filters to z [n_variables], which a design without filter leaves as it is; out is not z. */
void pio_model_filtered(const pio_model *model, const double *z, double *out);
/* Adds the adjoint of pio_model_filtered() to z_bar, both [n_variables]. */
void pio_model_filtered_adj(const pio_model *model, const double *filtered_bar, double *z_bar);
/* Computes the values [n_variables], SI, of the designs for normalised variables z [n_variables]. */
void pio_model_values(const pio_model *model, const double *z, double *values);
/* Returns how far z can go from z0 along `side` (1 or -1) times `direction` [n_variables] before a value reaches an end
 * of its quantity's own range, in units of the direction; infinite where there is none. An end at which the value
 * begins does not count. */
double pio_model_distance_to_end(const pio_model *model, const double *direction, int side);
/* Writes the name of variable v into out[size]: "materials.soft.E", "bodies.ball.velocity.x",
 * "materials.soft.E[particle 17]". */
void pio_model_variable_name(const pio_model *model, int v, char *out, size_t size);

/* Makes the channels, networks and knots of the description (model_control.c). Returns PIOLA_BAD_DATA if an actuator
 * has no particles or elements or two share one, or PIOLA_NO_MEMORY. */
piola_status pio_model_control(pio_model *model, piola_error *error);
/* Frees the control of a model, which may be NULL. */
void pio_model_control_free(struct pio_model_control *control);
/* Sets desc->channel_weight [channels], which the caller frees: 1 for the channels whose control the observation
 * counts, else 0. Returns PIOLA_NO_MEMORY without memory for that. */
piola_status pio_model_channel_weights(const pio_model *model, int observation, pio_observation_desc *desc,
                                       piola_error *error);
/* Adds to the message of an error about the time step of a driven particle which control drives it. */
void pio_model_control_advice(const pio_model *model, piola_error *error);
/* Returns the index of the first number that a design path of control names, among the control values or the
 * channels. */
int32_t pio_model_control_which(const pio_model *model, const scene_path *path);

/* Fills the bodies with particles, with all their properties: a part of pio_model_create() (model_particles.c). Returns
 * PIOLA_BAD_DATA at the geometry that cannot be filled, and the other errors of pio_model_create(). */
piola_status pio_model_particles(pio_model *model, piola_error *error);
/* Checks that no two velocity fields between which a potential acts have bodies too thin for it: a part of
 * pio_model_create() (model_thin.c). Returns PIOLA_BAD_DATA at the key of the model, PIOLA_NO_MEMORY, or
 * PIOLA_INTERRUPTED. */
piola_status pio_model_thin(const pio_model *model, piola_error *error);
/* Makes parameters, descriptions and start of designs: a part of pio_model_create() (model_design.c). Returns
 * PIOLA_BAD_DATA at the entry that governs nothing or is wrong, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_model_designs(pio_model *model, piola_error *error);
/* Makes observations and sample weights: a part of pio_model_create() (model_observe.c). Returns PIOLA_BAD_DATA at the
 * entry or the file that is wrong, and the other errors of pio_model_create(). */
piola_status pio_model_observations(pio_model *model, piola_error *error);
/* Reads the measured places of a distance into its description and times (model_points.c). Returns PIOLA_BAD_DATA at
 * the row that is wrong, and the other errors of pio_model_create(). */
piola_status pio_model_points(pio_model *model, int observation, piola_error *error);
/* Makes the obstacles: a part of pio_model_create() (model_obstacle.c). Returns PIOLA_BAD_DATA at a surface that is
 * wrong, and the other errors of pio_model_create(). */
piola_status pio_model_obstacles(pio_model *model, piola_error *error);

#endif
