/* Room host/scene: what a scene file means: its tables of keys, defaults, rules and names. */
/* scene.h -- a scene file, decoded: plain values in SI units, every reference still a name.
 *
 * What engines have names for is named in solvers/engine/vocabulary.h; the enumerations here are of scenes alone.
 * The table in scene_table.c drives decoding, defaults, ranges, units, the JSON Schema and the reference in the manual.
 * Vectors have 3 entries, in 2D the third is 0. Strings and lists belong to the scene. MPM, FEM: of one method. */
#ifndef PIOLA_HOST_SCENE_H
#define PIOLA_HOST_SCENE_H

#include "host/optimize/optimizer.h"
#include "host/scene/scene_lattice.h"
#include "host/scene/scene_map.h"
#include "host/scene/scene_material.h"
#include "host/scene/scene_path.h"
#include "host/scene/scene_touch.h"
#include "host/scene/scene_values.h"
#include "solvers/engine/vocabulary.h"
#include <stdio.h>

typedef enum { SCENE_MPM, SCENE_FEM } scene_method_type;
typedef enum { SCENE_F32, SCENE_F64 } scene_precision;
typedef enum { SCENE_REGULAR, SCENE_JITTERED, SCENE_CUT } scene_fill;
typedef enum { SCENE_MESH_BOX, SCENE_MESH_QUADRILATERAL, SCENE_MESH_PLATE, SCENE_MESH_FILE } scene_mesh; /* FEM */
/* MPM; engines have the flag `reversible` (docs/decisions/037-one-vocabulary.md). */
typedef enum { SCENE_APIC, SCENE_REVERSIBLE } scene_mpm_integrator;
typedef enum { SCENE_CONSISTENT, SCENE_LUMPED } scene_mass;
typedef enum { SCENE_FIXED, SCENE_PRESCRIBED, SCENE_ROTATION } scene_support;
typedef enum { SCENE_OUTSIDE, SCENE_SURFACE } scene_side;
typedef enum { SCENE_LINEAR, SCENE_LOG } scene_transform;
typedef enum { SCENE_CONE, SCENE_HELMHOLTZ } scene_filter;
typedef enum {
    SCENE_TARGET,
    SCENE_ABSOLUTE,
    SCENE_MISFIT,
    SCENE_MINIMIZE,
    SCENE_MAXIMIZE,
    SCENE_INTEGRAL,
    SCENE_PNORM,
    SCENE_PRIOR,
    SCENE_SMOOTHNESS,
    SCENE_TOTAL_VARIATION
} scene_term_type;
typedef enum { SCENE_OF_ZERO, SCENE_OF_INITIAL } scene_relative;
typedef enum { SCENE_AUTO, SCENE_STORE, SCENE_CHECKPOINT, SCENE_REVERSE } scene_strategy;

typedef struct {
    double *v; /* [n] numbers, in SI units */
    size_t n;  /* number of them; 0: not given */
} scene_numbers;
typedef struct {
    char **v; /* [n] texts */
    size_t n; /* number of them; 0: not given */
} scene_strings;

typedef struct {
    double spacing;        /* edge of a cell, m, > 0 */
    double min[3], max[3]; /* m, box of the domain; whole numbers of cells are not required: max is rounded up */
    pio_wall wall[3][2]; /* [axis][0 lower, 1 upper]; `walls: slip`, or `walls: {x_min: sticky, ..., default: slip}` */
    double wall_stiffness;                              /* of penalty walls, 1/s^2; 0: there are none */
    double wall_friction[3][2], wall_friction_velocity; /* of each wall, 0: none; at which it has 0.7 of that, m/s */
} scene_grid;

typedef struct {
    char *name;               /* name of the geometry */
    pio_shape_type shape;     /* MPM: what is filled */
    double min[3], max[3];    /* box: corners, m */
    double center[3];         /* ball, cylinder: centre, m */
    double radius;            /* ball, cylinder; plate: of its hole, m */
    double height;            /* cylinder: length along the axis, m; in 2D a cylinder is a fault, a ball is a disc */
    int axis;                 /* cylinder: 0 x, 1 y, 2 z */
    scene_mesh mesh;          /* FEM: what is meshed, instead of shape */
    pio_element_type element; /* FEM: kind of element, except of a file */
    scene_numbers elements;   /* FEM: cells along each axis */
    scene_numbers corners;    /* quadrilateral: x0 y0 x1 y1 ... counter-clockwise, m */
    double size;              /* plate: edge of the quarter, m */
    double thickness;         /* plate in 3D, m; 0 in 2D */
    char *file;               /* name of a Gmsh file; MPM: of a closed mesh, or of points */
    double scale;             /* factor of the file's lengths; FEM: NaN where not given, which is 1 */
    double volume;            /* points: of all together, m^3 (2D: m^2); NaN: the table has a column volume */
} scene_geometry;

typedef enum { SCENE_GROUP_BOX, SCENE_GROUP_SHAPE, SCENE_GROUP_FILE } scene_group_type;
/* Particles of a body, by where they start or by their numbers. */
typedef struct {
    char *name, *body;     /* name of the group; name of its body */
    scene_group_type type; /* which of the following selects the particles */
    double min[3], max[3]; /* box: corners, m */
    char *geometry;        /* shape: name of a geometry, which is not moved with the body */
    char *file;            /* file: table with a column particle: numbers within the body, from 0 */
} scene_group;

typedef struct {
    scene_where on; /* which elements of the body */
    char *material; /* name of their material */
} scene_region;

typedef struct {
    char *name, *geometry, *material; /* names of the body, of its geometry and of its material */
    double position[3];               /* added to the geometry's position, m; default 0 */
    double displacement[3];           /* FEM: of free nodes at the start, m */
    double velocity[3];               /* at the start, m/s */
    char *displacement_text[3];       /* FEM: expressions instead, or NULL */
    char *velocity_text[3];           /* FEM: likewise */
    double angular_velocity[3]; /* rad/s about the body's centroid; 2D: only the third is used (a scalar in the file) */
    int particles_per_cell;     /* MPM: a square (2D) or a cube (3D) number for `regular`; any for `jittered` */
    scene_fill fill;            /* MPM: how the shape is filled */
    bool of_points;             /* MPM: its geometry is a list of points, which is not filled */
    double thickness;           /* FEM in 2D, m */
    char *thickness_text;       /* FEM: an expression instead, or NULL */
    double temperature;         /* FEM: above that without stress, K */
    char *temperature_text;     /* FEM: an expression instead, or NULL */
    double relative_density;    /* 0 .. 1; NaN: all of it is filled, and nothing is interpolated */
    char *relative_density_text;     /* FEM: an expression instead, or NULL */
    pio_interpolation interpolation; /* how its stiffness follows the relative density */
    char *other;                     /* FEM: name of the material of the rest; NULL: it is empty */
    char *second;              /* FEM: name of the material that what is filled may be instead of its own; NULL: none */
    double choice;             /* FEM: 0 .. 1, which part of what is filled is its own material; NaN: all of it */
    pio_dilatation dilatation; /* FEM: of its elements */
    scene_region *regions;     /* FEM: [n_regions] groups of elements with a material of their own; the last counts */
    size_t n_regions;          /* number of regions */
} scene_body;

/* FEM: constrained displacements. */
typedef struct {
    char *name, *body;   /* name of the boundary; name of the body */
    scene_where on;      /* which of its nodes */
    scene_support type;  /* fixed at 0, at the value, or turned */
    scene_strings axes;  /* constrained axes, of x, y, z; all where the file has none */
    scene_numbers value; /* displacement, m: one number, or one for each of the axes */
    char **value_text;   /* [value.n] expressions instead, or NULL where there is a number; NULL: numbers alone */
    char *curve;         /* name of the curve that multiplies the value or angle; NULL: as of loads */
    double angle;        /* rotation, rad */
    char *angle_text;    /* rotation: an expression instead, or NULL */
    double center[3];    /* rotation: a place that stays, m */
    double axis[3];      /* rotation in 3D: its direction, of any length above 0 */
} scene_boundary;

/* FEM: nodes of a body that follow the faces of another. */
typedef struct {
    char *name, *body; /* name of the tie; name of the body that follows */
    scene_where on;    /* which of its outer faces */
    char *to;          /* name of the body that it is tied to */
    scene_where to_on; /* which of its outer faces; NaN and no group: all */
    double gap;        /* how far the two may be from each other at rest, m; NaN: see scene_table_fem.c */
} scene_tie;

/* FEM: what acts on bodies. */
typedef struct {
    char *name, *body;  /* name of the load; name of the body */
    scene_where on;     /* which of its faces, nodes or elements; NaN and no group: the whole body (body_force) */
    pio_load_kind type; /* kind of load, which says what the value is */
    /* traction Pa, force N, body force N/m3, springs N/m: a vector; pressure Pa: one number; foundation N/m3: one or
     * a vector */
    scene_numbers value;
    char **value_text; /* [value.n] expressions instead, or NULL where there is a number; NULL: numbers alone */
    char *curve;       /* name of the curve that multiplies the value; NULL: static 0 to 1 over the duration, else 1 */
} scene_load;

/* Rigid bodies with a prescribed motion. */
typedef struct {
    char *name;                 /* name of the obstacle */
    pio_shape_type type;        /* its shape */
    pio_wall behaviour;         /* sticky, slip or separate */
    pio_contact_model model;    /* how it acts */
    double position[3];         /* of its origin, m */
    double rotation[3];         /* rad, a rotation vector; 2D: the third alone */
    double normal[3];           /* plane: out of the solid side, of any length; in its own frame */
    double size[3];             /* box: edges, m */
    double radius, height;      /* ball, cylinder; cylinder, m */
    int axis;                   /* cylinder: 0 x, 1 y, 2 z */
    char *file;                 /* mesh: name of the file of a closed surface of triangles */
    double scale, resolution;   /* of the lengths above or the file's, plane: 1; mesh: spacing of its distances, m */
    double friction;            /* Coulomb's coefficient */
    double friction_velocity;   /* sliding velocity at which friction has 0.7 of its size, m/s */
    double separation_velocity; /* separate: normal velocity over which contact sets in, m/s */
    double width;               /* distance over which its condition grows smoothly, m */
    double stiffness, distance; /* of its potential, Pa; over which that sets in, m */
    char *motion_file;          /* table that the numbers below are read from; NULL: none */
    scene_numbers time;         /* of the motion: s, increasing; empty: it does not move */
    scene_numbers shift[3];     /* [axis] m, one for each time, or empty: 0 */
    scene_numbers angle;        /* rad, one for each time, or empty: 0 */
    double turns[3];            /* 3D: direction of the axis of the angle, of any length */
} scene_obstacle;

/* FEM: a factor of loads and supports as a function of time. */
typedef struct {
    char *name;                /* name of the curve */
    scene_numbers time, value; /* s, increasing; factors at these times, linear between them */
    char *file;                /* table with columns time, value instead, or NULL */
} scene_curve;

typedef struct {
    char *name;          /* name of the observation */
    pio_observable type; /* what is measured */
    char *body, *other;  /* names of the body and, of contact, of the other one; NULL where there is none */
    scene_numbers at;    /* s: one sample each; also made from `every: 20 ms` (every multiple in (0, duration]) */
    double every;        /* s; 0 when absent */
    double over[2];      /* s: one sample, the mean over the window; {-1, -1} when absent */
    char *points_file;   /* distance: table of time, particle or node, x, y[, z][, weight]; samples are its times */
    int axis;            /* front: 0 x, 1 y, 2 z */
    double sharpness, quantile; /* front: 1/m; the fraction of the mass below it, 0: the smooth maximum */
    scene_where on;             /* FEM: a part of the body; group NULL and no box: all of it */
    char *boundary, *obstacle;  /* names: of reactions and their moments; of contact forces and gaps. NULL in others */
    double point[3], center[3]; /* FEM, m: a point of the body at rest, NaN: a part is observed; centre of moments */
    pio_measure measure;        /* fields of stress and strain: what is taken of their values over a part */
    double power;               /* p of a p-norm */
    scene_numbers mode;      /* frequency: of one mode, or the first and the last of those whose mean it is, from 1 */
    char *group;             /* MPM: name of a group of the body's particles; NULL: all */
    char *geometry;          /* shape distance: name of the geometry */
    scene_side side;         /* shape distance: of what is outside, or from the surface */
    char *from, *from_group; /* separation: names of the other body, and of a group of it or NULL */
    char *grid_file;         /* density misfit: table of columns i, j[, k], density (kg/m3) */
    scene_strings control;   /* effort, smoothness: names of entries of control; empty: all */
} scene_observe;

/* Active fibres of a body, of a group of it, or of the part of these that lies in a box at the start. */
typedef struct {
    char *name, *body; /* name of the actuator; name of the body */
    char *group;       /* name of the group; NULL: the whole body */
    double fibre[3];   /* direction of the fibres at the start, of any length above 0 */
    scene_where on;    /* box; NaN: all of it */
} scene_actuator;

typedef struct {
    pio_network_input type;  /* a phase, or a mean over particles */
    double frequency, phase; /* phase: Hz, rad */
    char *of, *relative_to;  /* names of bodies or actuators; NULL: its own position at the start, velocities: rest */
    double scale;            /* length, m, or velocity, m/s, that counts as 1 */
} scene_input;

/* What drives actuators. */
typedef struct {
    char *name;                         /* name of the entry */
    pio_signal type;                    /* a signal of time, or a network */
    scene_strings actuators;            /* their names: a network drives several, the others one */
    double amplitude, frequency, phase; /* constant (amplitude alone), sine: Pa, Hz, rad */
    scene_numbers knots;                /* piecewise linear, spline: activations, Pa */
    double period;                      /* of the knots, s; 0: they span the duration once */
    scene_numbers hidden;               /* network: units of each hidden layer */
    scene_input *inputs;                /* network: [n_inputs] inputs */
    size_t n_inputs;                    /* number of inputs */
    scene_numbers limit;                /* network: greatest activation, Pa, one for each of the actuators */
    double weight_scale;                /* network: of its random weights at the start */
    /* Network: HDF5 file of its weights, NULL: random weights; dataset in it, NULL: that of a gradient of Piola's. */
    char *weights_file, *weights_dataset;
    scene_numbers weights;  /* network: [layer][rows][columns + 1], see pio_network_desc */
    scene_numbers clock[2]; /* network: frequencies, Hz, and phases, rad, of its inputs of type phase */
} scene_control;

typedef struct {
    char *name;                    /* name of the entry */
    scene_strings target;          /* paths: materials.NAME.E, bodies.NAME.velocity, gravity ... */
    scene_strings targets;         /* the same list where its paths share their variables, else empty */
    scene_path *path;              /* [target.n] what they name */
    scene_numbers initial;         /* SI; empty: the scene's own value */
    double bounds[2];              /* SI, same for every component; -inf, inf when absent */
    scene_transform transform;     /* of values to variables */
    scene_per per;                 /* what has a value each */
    scene_filter filter;           /* kind of filter */
    double filter_radius;          /* m; no filter unless > 0 */
    double sharpness;              /* of the projection at first; no projection unless > 0 */
    double sharpest;               /* at the end; NaN: it stays as it is */
    double threshold;              /* of the projection */
    int double_every;              /* evaluations of the optimiser after which the sharpness doubles; 0: never */
    scene_where on;                /* rest positions: of which nodes; group NULL and no box: of all */
    scene_along along;             /* rest positions: in which directions */
    scene_mesh_update mesh_update; /* rest positions: whether the other nodes follow */
    scene_lattice lattice;         /* rest positions: the control points */
    scene_strings groups;          /* per group: their names; empty: all of the bodies that the target governs */
    scene_design_map map;          /* FEM: of fields of elements: which are fixed, and which tied */
} scene_design;

typedef struct {
    scene_term_type type;  /* how the term is made of the observation */
    char *of;              /* name of the observation, or of the design entry: pio_term_of_design() */
    int component;         /* -1: all; else number of the word behind the dot in pio_component_words */
    scene_numbers value;   /* target, absolute: wanted values, one per component, SI */
    scene_numbers mean;    /* prior: expected values, one or one per component, SI; empty: those at the start */
    double width;          /* absolute: SI; total_variation: of normalised variables; below it terms are quadratic */
    double weight;         /* factor in the sum, >= 0; default 1 */
    double power;          /* pnorm: its exponent; default 8 */
    char *data_file;       /* misfit: table with a header line */
    char *time_column;     /* misfit: name of its column of times, s; default "time" */
    scene_strings columns; /* misfit: names of columns, one per component of `of`, SI */
    double sigma;          /* misfit, prior: standard deviation, SI; misfit: default 1 */
} scene_term;

typedef struct {
    char *of;                   /* name of the observation */
    int component;              /* -1: all; else number of the word behind the dot in pio_component_words */
    double min, max;            /* SI, or multiples of the value at the start; infinite when absent */
    scene_relative relative_to; /* which of the two */
} scene_constraint;

/* MPM: bodies that share a velocity field. */
typedef struct {
    scene_strings bodies; /* their names */
} scene_field;

/* scene_load.c: the file and its general keys. */
typedef struct {
    char *path;                  /* name of the file, as the caller gave it */
    char *text;                  /* its text, verbatim */
    char *name;                  /* of the scene */
    char *description;           /* free text; NULL: none */
    struct scene_source *source; /* position of each key in its file; private to scene_*.c */
} scene_input_file;

/* scene_table.c: keys of the whole scene. */
typedef struct {
    int64_t seed;      /* of all random numbers, >= 0 */
    double gravity[3]; /* acceleration, m/s^2 */
} scene_common;

/* scene_table.c and scene_table_fem_method.c: what every `method` has. */
typedef struct {
    scene_method_type type;    /* which of mpm and fem counts */
    int dimension;             /* 2 or 3 */
    scene_precision precision; /* of fields; without a key f32, in FEM f64 */
} scene_method;

/* scene_table.c and scene_table_fem_method.c: `time`. */
typedef struct {
    double dt;        /* time step, s; FEM static: duration/load_steps */
    double duration;  /* simulated time, s */
    double cfl_limit; /* MPM: greatest fraction of a cell that a particle or an elastic wave may travel in one step */
    int load_steps;   /* FEM static: number of steps over the duration */
    int modes;        /* FEM modal: number of modes; dt is then 1 and the duration as many */
    double repeated;  /* FEM modal: relative difference of eigenvalues that count as repeated */
} scene_time;

/* scene_table.c: what only MPM has of `method` and `time`. */
typedef struct {
    scene_grid grid;                 /* background grid */
    scene_mpm_integrator integrator; /* APIC or reversible */
    double damping;                  /* reversible: rate at which velocities decay, 1/s */
    double flip;                     /* APIC: FLIP ratio, 0 to 1 */
} scene_mpm;

/* scene_table_fem_method.c: what only FEM has of `method` and `time`, and `solver`. */
typedef struct {
    pio_integrator integrator;                  /* static, or in time */
    scene_mass mass;                            /* consistent or lumped mass matrix */
    pio_plane_state plane;                      /* 2D: plane strain, plane stress, or axisymmetric */
    double newton_tolerance, adjoint_tolerance; /* greatest relative residuals; NaN: as fits the precision */
    int newton_iterations, linear_iterations;   /* greatest number in a step, and in a linear solve */
    int halvings;                               /* greatest number of halvings of a step that fails */
    pio_projection projection;                  /* when tangents lose their negative part */
    pio_solve linear;                           /* method of linear solves */
    double direct_memory;                       /* greatest memory of a factorisation, bytes */
    pio_product_choice product;                 /* whose matrix-vector products pcg uses */
    pio_preconditioner_choice preconditioner;   /* of pcg and what replaces it */
} scene_fem;

/* scene_table_material.c: `materials`. */
typedef struct {
    scene_material *v; /* [n] materials, at least one */
    size_t n;          /* number of them */
} scene_materials;

/* scene_table_bodies.c, and of FEM scene_table_fem.c: what there is. */
typedef struct {
    scene_geometry *geometry; /* [n_geometry] shapes or meshes, at least one */
    size_t n_geometry;        /* number of them */
    scene_body *bodies;       /* [n_bodies] bodies, at least one */
    size_t n_bodies;          /* number of them */
    scene_group *groups;      /* MPM: [n_groups] groups of particles */
    size_t n_groups;          /* number of them */
} scene_matter;

/* scene_table_fem.c: what constrains and loads the meshes of FEM. */
typedef struct {
    scene_boundary *boundary; /* [n_boundary] supports */
    size_t n_boundary;        /* number of them */
    scene_load *loads;        /* [n_loads] loads */
    size_t n_loads;           /* number of them */
    scene_curve *curves;      /* [n_curves] functions of time */
    size_t n_curves;          /* number of them */
    scene_tie *ties;          /* [n_ties] */
    size_t n_ties;            /* number of them */
} scene_loading;

/* scene_table_obstacle.c: `obstacles` of MPM. */
typedef struct {
    scene_obstacle *v; /* [n] obstacles */
    size_t n;          /* number of them */
} scene_obstacles;

/* scene_table_control.c: what moves the bodies of MPM from within. */
typedef struct {
    scene_actuator *actuators; /* [n_actuators] actuators */
    size_t n_actuators;        /* number of them */
    scene_control *control;    /* [n_control] signals and networks */
    size_t n_control;          /* number of them */
} scene_actuation;

/* scene_table_contact.c: `contact` of MPM, between velocity fields. */
typedef struct {
    scene_field *fields;     /* [n_fields]; bodies that none of them names share one more; none: one field for all */
    size_t n_fields;         /* number of fields */
    pio_contact_model model; /* how fields act on each other */
    double friction, friction_velocity, regularisation_velocity, stiffness, distance; /* as in the table; m/s, Pa, m */
} scene_contact;

/* scene_table_observe.c, and of FEM scene_table_fem.c: what is measured, changed and minimised. */
typedef struct {
    scene_observe *observe;        /* [n_observe] observations */
    size_t n_observe;              /* number of them */
    scene_design *design;          /* [n_design] design variables */
    size_t n_design;               /* number of them */
    scene_term *objective;         /* [n_objective] terms, whose sum is J */
    size_t n_objective;            /* number of them */
    scene_constraint *constraints; /* [n_constraints] bounds of observations */
    size_t n_constraints;          /* number of them */
} scene_goal;

/* scene_table_gradient.c: `gradient`. */
typedef struct {
    int check_directions;           /* random directions of `piola check` */
    double check_tolerance;         /* greatest relative difference that passes */
    double memory_budget;           /* bytes; 0: nine tenths of what the device has free */
    double memory_disk;             /* bytes; 0: none */
    scene_strategy memory_strategy; /* which states are kept */
    double window;                  /* s, the end of the run over which the adjoint sweep goes; 0: all of it */
} scene_gradient;

/* scene_table.c: `optimizer`. */
typedef struct {
    bool is_set;                    /* the file has the key optimizer */
    pio_optimizer_type type;        /* the method */
    pio_jacobian jacobian;          /* levenberg_marquardt: rows by adjoint sweeps, or columns by differences */
    int max_iterations;             /* stop after so many */
    int multi_start;                /* number of starts within the bounds of the design; 1: the design's own */
    double learning_rate;           /* adam, gradient_descent: size of a step, see model_design.c */
    double stop_objective;          /* stop when J <= this; -inf when absent */
    double stop_relative_objective; /* stop when |dJ|/|J| over one iteration <= this; 0 when absent */
    double stop_gradient;           /* stop when the projected gradient (normalised variables) <= this; 0 when absent */
    double feasibility; /* greatest violation of a constraint, as a fraction of its bound, that is allowed */
} scene_optimizer;

/* scene_table.c, and of FEM scene_table_fem_method.c: `output`. */
typedef struct {
    char *directory;                                     /* folder of results; default "out/<name>" */
    double states_every;                                 /* s; default duration/50 */
    scene_strings state_fields, state_per, gradient_per; /* default: MPM velocity, J, FEM none; FEM: element; element */
    double adjoint_every, checkpoint_every;              /* s, 0: no adjoint frames; s of wall-clock time */
} scene_output;

/* What a scene file says, in one struct for each file that has its table; the heading of each struct names the file.
 * Lists have the names of their keys in the file, and stand before their lengths. */
typedef struct pio_scene {
    scene_input_file input;    /* the file */
    scene_common common;       /* seed and gravity */
    scene_method method;       /* mpm or fem, dimension and precision */
    scene_time time;           /* steps */
    scene_mpm mpm;             /* MPM: discretisation */
    scene_fem fem;             /* FEM: discretisation and solver */
    scene_materials materials; /* what bodies are made of */
    scene_matter matter;       /* shapes, bodies and groups */
    scene_loading loading;     /* FEM: supports, loads and curves */
    scene_constants constants; /* FEM: named numbers of expressions */
    scene_tables tables;       /* FEM: values at points, of expressions */
    scene_obstacles obstacles; /* rigid bodies with a prescribed motion */
    scene_actuation actuation; /* actuators and what drives them */
    scene_contact contact;     /* MPM: contact between velocity fields */
    scene_touch touch;         /* FEM: contact between outer faces */
    scene_goal goal;           /* observations, design, objective and constraints */
    scene_gradient gradient;   /* how gradients are computed and checked */
    scene_optimizer optimizer; /* how the design is improved */
    scene_output output;       /* what is written */
} pio_scene;

/* Frees a scene and all that belongs to it; it may be NULL. */
void pio_scene_free(pio_scene *scene);

/* Reports a fault found later at `path` ("bodies[0].geometry", "time.dt", ...): fills `error`, which may be NULL, with
 * the whole `file:line:col: error: ...` line and source excerpt; returns PIOLA_BAD_DATA. */
piola_status pio_scene_fault(const pio_scene *scene, piola_error *error, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Attributes bad data of a file to the key at `path` that names it: with PIOLA_BAD_DATA the message of `error` gets the
 * key's position. Any other status, and a NULL `error`, stay as they are. Returns rc. */
piola_status pio_scene_attribute_error(const pio_scene *scene, piola_status rc, piola_error *error, const char *path);

/* Prints the JSON Schema (draft-07) of scenes and studies. */
void pio_scene_schema(FILE *to);
/* Prints the reference of their keys as Markdown tables. */
void pio_scene_reference(FILE *to);
/* Prints the scene with every default filled in, as JSON (keys as in the file, SI values). */
void pio_scene_resolved(const pio_scene *scene, FILE *to);

/* Returns the name of file number i that the scene was read from (itself, its includes, its tables), and in *sha256 the
 * SHA-256 of its bytes; NULL past the last. */
const char *pio_scene_input(const pio_scene *scene, size_t i, const char **sha256);

/* Makes the path of an input file named in the scene: relative to the scene's folder, in out[size]. Returns
 * PIOLA_REFUSED if it leaves that folder and is not allowed, or PIOLA_NO_INPUT if there is no such file. */
piola_status pio_scene_file(const pio_scene *scene, const char *relative, char *out, size_t size, piola_error *error);

#endif
