/* Room host/model: makes a scene into the description of an engine: particles or elements, observations, designs,
 * objective. */
/* model.h -- a scene made ready for an engine: particles, grid, samples and design variables, as one
 * pio_engine_desc. */
#ifndef PIOLA_HOST_MODEL_H
#define PIOLA_HOST_MODEL_H

#include "host/scene/scene.h"
#include "solvers/engine/engine.h"

/* One target path of one design entry. Its variables are [groups][components]. */
typedef struct {
    const char *path, *unit;  /* materials.soft.E, Pa */
    const scene_path *target; /* what the path names */
    const scene_design *design;
    int first, groups, components; /* of its variables among all */
    double *initial;               /* [groups * components] values, SI */
    double lower, upper;           /* bounds of the values; infinite when absent */
    double least, most;            /* what an optimiser keeps them between: the bounds, else the quantity's own range */
    double rate_unit;              /* the change of its z that learning rates count as 1 */
    pio_filter_desc *filter;       /* between its variables and its values, or NULL */
    const char *item;              /* of control, what a component is called: knot, weight; else NULL */
} pio_parameter;

typedef struct {
    const char *name;
    int first, samples, components; /* of its values among all: [samples][components] */
    double *time;                   /* [samples] s; the middle of a window */
} pio_output;

typedef struct pio_model_fem pio_model_fem;

typedef struct pio_model {
    const pio_scene *scene;
    pio_engine_desc desc;      /* its pointers point into this model */
    pio_parameter *parameters; /* [n_parameters], in the order of desc.designs */
    int n_parameters, n_variables;
    pio_output *outputs; /* [n_outputs], in the order of scene.observe */
    int n_outputs, n_samples;
    double *z0, *lower, *upper; /* [n_variables] normalised start and bounds */
    double *unit;               /* [n_variables] the change of z that learning rates count as 1: see model_design.c */
    int64_t steps;
    int64_t *frames; /* [n_frames] step of every state frame: 0, ..., steps */
    int64_t n_frames;
    int64_t *body_first; /* [bodies + 1] particles of body b are body_first[b] .. body_first[b+1]-1 */
    double *position, *velocity, *volume, *density, *given, *spin;
    int32_t *plasticity; /* with `yield`; NULL: nothing is plastic */
    double *yield;
    int32_t *field;    /* [n] velocity field; NULL: one */
    double *viscosity; /* [n] of solids; NULL: none is viscous or could become so */
    int32_t *law, *lame, *body;
    pio_touch *touches;
    pio_observation_desc *observations;
    pio_design_desc *designs;
    pio_obstacle_desc *obstacles;      /* [desc.n_obstacles] */
    pio_model_fem *fem;                /* NULL: particles */
    unsigned char **groups;            /* [groups of the scene][particles] 1: is in it */
    struct pio_model_control *control; /* model_control.c; NULL: no actuators */
    char **warnings;                   /* [n_warnings] but those of meshes */
    int n_warnings;
} pio_model;

piola_status pio_model_create(pio_model **out, const pio_scene *scene, piola_error *error);
void pio_model_free(pio_model *model);
/* Warning number i, with the name of what it is about in front; false past the last. */
bool pio_model_warning(const pio_model *model, int i, char *out, size_t size);
/* model_warning.c: add one; add those about control and obstacles. */
void pio_model_warn(pio_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pio_model_check(pio_model *model);
void pio_model_warnings_free(pio_model *model);
/* What an engine said of the description: of a mesh, bad data are loose bodies, a fault of the scene's boundary.
 * Returns rc. */
piola_status pio_model_refused(const pio_model *model, piola_status rc, piola_error *error);
/* FEM: tolerances that the scene does not tell, as fits the precision that computes; a new model has those of the
 * scene's. */
void pio_model_precision(pio_model *model, bool f32);
double pio_fem_tolerance(bool f32);
/* model_query.c: items of what a design entry changes, or of a field of the model: particles; nodes or elements. */
int64_t pio_model_items(const pio_model *model, bool nodal);
/* Of a particle or an element: its material, and the number of its body. */
const scene_material *pio_model_material(const pio_model *model, int64_t item);
int32_t pio_model_body(const pio_model *model, int64_t item);

/* What the designs' filters make of z: z itself where there is none; out is not z. */
void pio_model_filtered(const pio_model *model, const double *z, double *out);
/* z_bar += the transpose of that, of a cotangent. */
void pio_model_filtered_adj(const pio_model *model, const double *filtered_bar, double *z_bar);
/* Values of the variables for z. */
void pio_model_values(const pio_model *model, const double *z, double *values);
/* Name of variable v: "materials.soft.E", "bodies.ball.velocity.x", "materials.soft.E[particle 17]". */
void pio_model_variable_name(const pio_model *model, int v, char *out, size_t size);

/* model_control.c: channels, networks and knots of the description; shares of an observation's control in them, to be
 * freed; where what a design path of control names begins, among the control values or the channels. */
piola_status pio_model_control(pio_model *model, piola_error *error);
void pio_model_control_free(struct pio_model_control *control);
piola_status pio_model_control_share(const pio_model *model, int observation, pio_observation_desc *desc,
                                     piola_error *error);
/* Where an engine refused the time step of a particle that is driven, say so behind the message. */
void pio_model_control_advice(const pio_model *model, piola_error *error);
int32_t pio_model_control_which(const pio_model *model, const scene_path *path);

/* model_particles.c, model_design.c and model_observe.c: the parts of pio_model_create. */
piola_status pio_model_particles(pio_model *model, piola_error *error);
piola_status pio_model_designs(pio_model *model, piola_error *error);
piola_status pio_model_observations(pio_model *model, piola_error *error);
/* model_obstacle.c: obstacles of the scene. */
piola_status pio_model_obstacles(pio_model *model, piola_error *error);

#endif
