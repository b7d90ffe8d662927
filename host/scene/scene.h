/* Room host/scene: what a scene file means: its tables of keys, defaults, rules and names. */
/* scene.h -- a scene file, decoded: plain values in SI units, every reference still a name.
 *
 * What engines have names for is named in solvers/engine/vocabulary.h; the enumerations here are of scenes alone.
 * The table in scene_table.c drives decoding, defaults, ranges, units, the JSON Schema and the reference in the manual.
 * Vectors have 3 entries; a 2D scene gives 2 and the third is 0. A time of -1 means "not given". */
#ifndef PIOLA_HOST_SCENE_H
#define PIOLA_HOST_SCENE_H

#include "host/optimize/optimizer.h"
#include "piola.h"
#include "solvers/engine/vocabulary.h"

#include <stdio.h>

typedef enum { SCENE_MPM, SCENE_FEM } scene_method;
typedef enum { SCENE_F32, SCENE_F64 } scene_precision;
typedef enum { SCENE_BOX, SCENE_BALL, SCENE_CYLINDER, SCENE_CLOSED_MESH, SCENE_POINTS } scene_shape;
typedef enum { SCENE_REGULAR, SCENE_JITTERED } scene_fill;
/* Of FEM: shapes that are meshed. */
typedef enum { SCENE_MESH_BOX, SCENE_MESH_QUADRILATERAL, SCENE_MESH_PLATE, SCENE_MESH_FILE } scene_mesh;
typedef enum { SCENE_APIC, SCENE_REVERSIBLE } scene_mpm_integrator;
typedef enum { SCENE_PLANE_STRAIN, SCENE_PLANE_STRESS } scene_plane;
typedef enum { SCENE_CONSISTENT, SCENE_LUMPED } scene_mass;
typedef enum { SCENE_FIXED, SCENE_PRESCRIBED } scene_support;
/* How a load is stated; host/model/model_fem_loads.c makes it one of the fewer kinds that an engine has. */
typedef enum {
    SCENE_TRACTION,
    SCENE_PRESSURE,
    SCENE_FORCE,
    SCENE_POINT_FORCE,
    SCENE_FOLLOWER_PRESSURE,
    SCENE_BODY_FORCE,
    SCENE_FOUNDATION,
    SCENE_SPRINGS
} scene_load_type;
typedef enum { SCENE_OUTSIDE, SCENE_SURFACE } scene_side;
typedef enum { SCENE_LINEAR, SCENE_LOG } scene_transform;
typedef enum { SCENE_CONE } scene_filter;
typedef enum { SCENE_ALONG_ALL, SCENE_ALONG_X, SCENE_ALONG_Y, SCENE_ALONG_Z, SCENE_ALONG_NORMAL } scene_along;
typedef enum { SCENE_MESH_STAYS, SCENE_MESH_ELASTIC } scene_mesh_update;
typedef enum {
    SCENE_PER_TARGET,
    SCENE_PER_BODY,
    SCENE_PER_PARTICLE,
    SCENE_PER_NODE,
    SCENE_PER_GROUP /* MPM */
} scene_per;        /* FEM: particle is element */
typedef enum { SCENE_TARGET, SCENE_MISFIT, SCENE_MINIMIZE, SCENE_MAXIMIZE, SCENE_SMOOTHNESS } scene_term_type;
typedef enum { SCENE_OF_ZERO, SCENE_OF_INITIAL } scene_relative;
/* Inputs of a network as they are stated: a phase becomes two of pio_input, a mean one for each axis. */
typedef enum { SCENE_INPUT_PHASE, SCENE_INPUT_POSITION, SCENE_INPUT_VELOCITY } scene_input_type;
typedef enum { SCENE_AUTO, SCENE_STORE, SCENE_CHECKPOINT, SCENE_REVERSE } scene_strategy;

typedef struct {
    double *v;
    size_t n;
} scene_numbers;
typedef struct {
    char **v;
    size_t n;
} scene_strings;

typedef struct {
    double spacing;        /* m, > 0 */
    double min[3], max[3]; /* m, box of the domain; whole numbers of cells are not required: max is rounded up */
    pio_wall wall[3][2]; /* [axis][0 lower, 1 upper]; `walls: slip`, or `walls: {x_min: sticky, ..., default: slip}` */
    double wall_stiffness; /* of penalty walls, 1/s^2; 0: there are none */
} scene_grid;

typedef struct {
    char *name;
    pio_law model;
    bool lame;                                                /* given as mu, lambda instead of E, nu */
    double E, nu;                                             /* Pa, - */
    double mu, lambda;                                        /* Pa */
    double bulk, gamma;                                       /* Pa (fluids, mooney_rivlin, ogden), - (tait only) */
    double viscosity;                                         /* Pa.s, >= 0 */
    double density;                                           /* kg/m3, > 0 */
    double c10, c01;                                          /* Pa (mooney_rivlin) */
    double mu1, alpha1, mu2, alpha2;                          /* Pa, - (ogden) */
    double mass_damping, stiffness_damping;                   /* FEM: 1/s, s */
    pio_plastic_law plasticity;                               /* particles */
    double yield_stress, hardening_modulus;                   /* Pa (von_mises, herschel_bulkley), Pa (von_mises) */
    double friction_angle, cohesion;                          /* rad, Pa (drucker_prager) */
    double consistency, exponent;                             /* Pa s^exponent, - (herschel_bulkley) */
    double critical_compression, critical_stretch, hardening; /* snow */
} scene_material;

typedef struct {
    char *name;
    scene_shape shape;
    double min[3], max[3];    /* box, m */
    double center[3];         /* ball, cylinder, m */
    double radius;            /* ball, cylinder, m */
    double height;            /* cylinder, m; in 2D a cylinder is refused with a hint to use ball */
    int axis;                 /* cylinder: 0 x, 1 y, 2 z */
    scene_mesh mesh;          /* FEM: what is meshed, instead of shape */
    pio_element_type element; /* FEM, but for files */
    scene_numbers elements;   /* FEM: counts per axis */
    scene_numbers corners;    /* quadrilateral: x0 y0 x1 y1 ... counter-clockwise, m */
    double size;              /* plate, m */
    double thickness;         /* plate in 3D, m */
    char *file;               /* Gmsh file; MPM: closed mesh, points */
    double scale;             /* of its lengths; NaN: not given, 1 */
    double volume;            /* points: of all together, m^3 (2D: m^2); NaN: a column tells it */
} scene_geometry;

typedef enum { SCENE_GROUP_BOX, SCENE_GROUP_SHAPE, SCENE_GROUP_FILE } scene_group_type;
/* Particles of a body, by where they start or by their numbers. */
typedef struct {
    char *name, *body;
    scene_group_type type;
    double min[3], max[3]; /* box, m */
    char *geometry;        /* shape */
    char *file;            /* table with a column particle: numbers within the body, from 0 */
} scene_group;

/* A part of a mesh: of a body, by the name of a group or by a box. */
typedef struct {
    char *group;           /* NULL: the box */
    double min[3], max[3]; /* m; NaN where not given */
} scene_where;

typedef struct {
    scene_where on;
    char *material;
} scene_region;

typedef struct {
    char *name, *geometry, *material;
    double position[3];         /* m, added to the geometry's place; default 0 */
    double displacement[3];     /* FEM: at the start, m */
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s about the body's centroid; 2D: only the third is used (a scalar in the file) */
    int particles_per_cell;     /* a square (2D) or a cube (3D) number for `regular`; any for `jittered` */
    scene_fill fill;
    bool of_points;        /* its geometry is: nothing fills it */
    double thickness;      /* FEM, 2D: m */
    scene_region *regions; /* FEM: groups of elements with a material of their own */
    size_t n_regions;
} scene_body;

typedef struct {
    char *name, *body;
    scene_where on;
    scene_support type;
    scene_strings axes;  /* of x, y, z; empty: all */
    scene_numbers value; /* displacement, m: one number, or one for each of the axes */
    char *curve;         /* its course in time; NULL: 0 to 1 over the duration */
} scene_boundary;

typedef struct {
    char *name, *body;
    scene_where on;
    scene_load_type type;
    /* traction Pa, force N, body force N/m3, springs N/m: a vector; pressure Pa: one number; foundation N/m3: one or
     * a vector */
    scene_numbers value;
    char *curve;
} scene_load;

/* MPM: what bodies meet besides the grid's walls. */
typedef struct {
    char *name;
    pio_obstacle_type type;
    pio_wall behaviour;         /* sticky, slip or separate */
    double position[3];         /* m */
    double rotation[3];         /* rad, a rotation vector; 2D: the third alone */
    double normal[3];           /* plane, of any length; in its own frame */
    double size[3];             /* box, m */
    double radius;              /* ball, cylinder, m */
    double height;              /* cylinder, m */
    int axis;                   /* cylinder: 0 x, 1 y, 2 z */
    char *file;                 /* mesh: a closed surface of triangles */
    double scale;               /* mesh: of its lengths */
    double resolution;          /* mesh: m */
    double friction;            /* - */
    double friction_velocity;   /* m/s */
    double separation_velocity; /* m/s, of separate */
    double width;               /* m */
    char *motion_file;          /* of the numbers below; NULL: none */
    scene_numbers time;         /* motion: s, increasing; empty: it stands still */
    scene_numbers shift[3];     /* m, one for each time, or empty: 0 */
    scene_numbers angle;        /* rad, likewise */
    double turns[3];            /* axis of the angle in 3D, of any length */
} scene_obstacle;

typedef struct {
    char *name;
    scene_numbers time, value; /* s, - */
    char *file;                /* CSV of columns time, value instead, or NULL */
} scene_curve;

typedef struct {
    char *name;
    pio_observable type;
    char *body;
    scene_numbers at;        /* s: one sample each; also made from `every: 20 ms` (every multiple in (0, duration]) */
    double every;            /* s; 0 when absent */
    double over[2];          /* s: one sample, the mean over the window; {-1, -1} when absent */
    char *points_file;       /* distance: CSV of columns time, particle, x, y[, z]; samples are its times */
    int axis;                /* front */
    double sharpness;        /* front, 1/m */
    scene_where on;          /* displacement, volume, ...: a part of the body; group NULL and no box: all of it */
    char *boundary;          /* reaction: whose */
    double power;            /* stress: p of its norm */
    char *group;             /* MPM: of the body's particles; NULL: all */
    char *geometry;          /* shape distance: from which shape */
    scene_side side;         /* shape distance: of what is outside, or from the surface */
    char *from, *from_group; /* separation: the other body, and a group of it or NULL */
    char *grid_file;         /* density misfit: CSV of columns i, j[, k], density */
    scene_strings control;   /* effort, smoothness: of which; empty: all */
} scene_observe;

/* Active fibres of a body, of a group of it, or of the part of these that lies in a box at the start. */
typedef struct {
    char *name, *body;
    char *group;     /* NULL: the whole body */
    double fibre[3]; /* a direction */
    scene_where on;  /* NaN: all of it */
} scene_actuator;

typedef struct {
    scene_input_type type;
    double frequency, phase; /* phase: Hz, rad */
    char *of, *relative_to;  /* names of bodies or actuators; NULL: its own place at the start, velocities: rest */
    double scale;            /* m or m/s */
} scene_input;

typedef struct {
    char *name;
    pio_signal type;
    scene_strings actuators;            /* a network drives several, the others one */
    double amplitude, frequency, phase; /* Pa, Hz, rad */
    scene_numbers knots;                /* Pa */
    double period;                      /* s; 0: the duration, and no second time */
    scene_numbers hidden;               /* network: units of its layers */
    scene_input *inputs;
    size_t n_inputs;
    scene_numbers limit; /* Pa, one for each of the actuators */
    double weight_scale; /* of the weights at the start */
    char *weights_file, *weights_dataset;
    scene_numbers weights;  /* [layer][rows][columns + 1], see pio_network_desc */
    scene_numbers clock[2]; /* network: frequencies Hz, and phases rad, of its inputs of type phase */
} scene_control;

/* Whose quantity a design changes. */
typedef enum {
    SCENE_OWNER_ALL, /* the scene itself: gravity and the like */
    SCENE_OWNER_MATERIAL,
    SCENE_OWNER_BODY,
    SCENE_OWNER_CONTROL,
    SCENE_OWNER_LOAD,
    SCENE_OWNER_BOUNDARY,
    SCENE_OWNER_OBSTACLE,
    SCENE_OWNERS
} scene_owner;

/* A target of a design, parsed: see design_path.h. */
typedef struct scene_path {
    scene_owner owner;
    int32_t index;                /* of the owner in its list; 0 of the scene */
    pio_quantity quantity;        /* what the engine changes */
    int32_t component;            /* of lists of control: the first among the owner's control values; else 0 */
    const char *key;              /* of the quantity; NULL: the path names nothing, and the scene is refused */
    const struct design_row *row; /* of the table of design paths */
} scene_path;

typedef struct {
    char *name;
    scene_strings target;  /* paths: materials.NAME.E, bodies.NAME.velocity, gravity ... */
    scene_path *path;      /* [target.n] what they name */
    scene_numbers initial; /* SI; empty: the scene's own value */
    double bounds[2];      /* SI, same for every component; -inf, inf when absent */
    scene_transform transform;
    scene_per per;
    scene_filter filter;
    double filter_radius; /* FEM, m; 0: no filter */
    scene_where on;       /* rest positions: of which nodes; group NULL and no box: of all */
    scene_along along;    /* rest positions: in which directions */
    scene_mesh_update mesh_update;
    scene_strings groups; /* per group: which; none: all of the bodies that the target governs */
} scene_design;

typedef struct {
    scene_term_type type;
    char *of;              /* observe name */
    int component;         /* -1: all; 0..2 from `of: head.x` */
    scene_numbers value;   /* target */
    double weight;         /* default 1 */
    char *data_file;       /* misfit: CSV with a header line */
    char *time_column;     /* misfit: default "time" */
    scene_strings columns; /* misfit: one per component of `of` */
    double sigma;          /* misfit: in the unit of the observation, default 1 */
} scene_term;

typedef struct {
    char *of;        /* observe name */
    int component;   /* -1: all */
    double min, max; /* SI, or multiples of the value at the start; infinite when absent */
    scene_relative relative_to;
} scene_constraint;

/* Bodies that share a velocity field. */
typedef struct {
    scene_strings bodies;
} scene_field;

typedef struct {
    bool is_given; /* the scene has an optimizer */
    pio_optimizer_type type;
    int max_iterations;
    double learning_rate;           /* adam, gradient_descent: see model_design.c */
    double stop_objective;          /* stop when J <= this; -inf when absent */
    double stop_relative_objective; /* stop when |dJ|/|J| over one iteration <= this; 0 when absent */
    double stop_gradient;           /* stop when the projected gradient (normalised variables) <= this; 0 when absent */
    double feasibility;             /* the violation of a constraint, in shares of its bound, that is none */
} scene_optimizer;

typedef struct {
    char *directory;            /* default "out/<name>" */
    double states_every;        /* s; default duration/50 */
    scene_strings state_fields; /* default: velocity, J */
    double adjoint_every;       /* s; 0: no adjoint frames */
    double checkpoint_every;    /* s of wall-clock time */
} scene_output;

/* Is it an explicit integrator, which solves nothing? */
static inline bool scene_leaps(pio_integrator integrator)
{
    return integrator == PIO_LEAPFROG || integrator == PIO_REVERSIBLE_LEAPFROG;
}

/* scene_load.c: the file, and what it says of itself. */
typedef struct {
    char *path;                  /* as given */
    char *text;                  /* verbatim */
    char *name;                  /* of the scene */
    char *description;           /* NULL: none */
    struct scene_source *source; /* where each key stood; private to scene_*.c */
} scene_input_file;

/* scene_table.c and scene_table_fem_method.c: `time`. */
typedef struct {
    double dt;        /* s */
    double duration;  /* s */
    double cfl_limit; /* MPM: largest part of a cell that a particle or a wave may travel in one step */
    int load_steps;   /* FEM, static: steps over the duration */
} scene_time;

/* scene_table.c: what only MPM has of `method` and `time`. */
typedef struct {
    scene_grid grid;
    scene_mpm_integrator integrator;
    double damping; /* 1/s, of the reversible integrator */
    double flip;    /* 0 .. 1, of APIC: share of what the grid does not resolve that particles keep */
} scene_mpm;

/* scene_table_fem_method.c: what only FEM has of `method` and `time`, and `solver`. */
typedef struct {
    pio_integrator integrator;
    scene_mass mass;
    scene_plane plane;                          /* in 2D */
    double newton_tolerance, adjoint_tolerance; /* relative residuals; NaN: as fits the precision */
    int newton_iterations, linear_iterations;   /* at most, of a step and of a linear solve */
    int halvings;                               /* of a step, at most */
    pio_projection projection;                  /* where the negative part of the tangents is left out */
    pio_solve linear;                           /* how linear systems are solved */
    double direct_memory;                       /* bytes that elimination may take */
    pio_product_choice product;                 /* which matrix-vector product */
} scene_fem;

/* scene_table_contact.c: `contact` of MPM, between velocity fields. */
typedef struct {
    scene_field *fields; /* bodies that none of them names share one more; none: one field for all */
    size_t n_fields;
    double friction; /* Coulomb's coefficient */
    double onset;    /* m/s, velocity of approach from which on contact acts in full */
} scene_contact;

/* scene_table_gradient.c: `gradient`. */
typedef struct {
    int check_directions;           /* random directions of `piola check` */
    double check_tolerance;         /* largest relative difference that passes */
    double memory_budget;           /* bytes; 0: nine tenths of what the device has free */
    double memory_disk;             /* bytes; 0: none */
    scene_strategy memory_strategy; /* which states are kept */
    double window;                  /* s, the end of the run over which the adjoint goes back; 0: all of it */
} scene_gradient;

/* Lists have the names of their keys in the file, and stand before their lengths. */
typedef struct pio_scene {
    scene_input_file input;
    int64_t seed;              /* of all random numbers */
    int dimension;             /* 2 or 3 */
    scene_method method;       /* which of mpm and fem counts */
    scene_precision precision; /* f32, of FEM f64, where the file has none */
    scene_time time;
    scene_mpm mpm;
    scene_fem fem;
    double gravity[3]; /* m/s^2 */

    /* What there is and what acts on it: scene_table_material.c, scene_table_bodies.c, scene_table_obstacle.c and
     * scene_table_control.c; of FEM, scene_table_fem.c. */
    scene_material *materials;
    size_t n_materials;
    scene_geometry *geometry;
    size_t n_geometry;
    scene_body *bodies;
    size_t n_bodies;
    scene_group *groups; /* MPM */
    size_t n_groups;
    scene_boundary *boundary; /* FEM */
    size_t n_boundary;
    scene_obstacle *obstacles; /* MPM */
    size_t n_obstacles;
    scene_load *loads; /* FEM */
    size_t n_loads;
    scene_curve *curves; /* FEM */
    size_t n_curves;
    scene_actuator *actuators; /* MPM */
    size_t n_actuators;
    scene_control *control; /* MPM */
    size_t n_control;
    scene_contact contact; /* MPM */

    /* What is measured, changed and minimised: scene_table_observe.c; of FEM, scene_table_fem.c. */
    scene_observe *observe;
    size_t n_observe;
    scene_design *design;
    size_t n_design;
    scene_term *objective;
    size_t n_objective;
    scene_constraint *constraints;
    size_t n_constraints;
    scene_gradient gradient;
    scene_optimizer optimizer;
    scene_output output;
} pio_scene;

void pio_scene_free(pio_scene *scene);

/* Report a fault found later at `path` ("bodies[0].geometry", "time.dt", ...): fills `error` with the whole
 * `file:line:col: error: ...` line and source excerpt; returns PIOLA_BAD_DATA. */
piola_status pio_scene_fault(const pio_scene *scene, piola_error *error, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Bad data of a file become a fault of the key that names it. Returns rc. */
piola_status pio_scene_attribute_error(const pio_scene *scene, piola_status rc, piola_error *error, const char *path);

/* JSON Schema (draft-07) of a scene file; the key reference as a Markdown table; the scene with every default
 * filled in, as JSON (keys as in the file, SI values). */
void pio_scene_schema(FILE *to);
void pio_scene_reference(FILE *to);
void pio_scene_resolved(const pio_scene *scene, FILE *to);

/* File number i that the scene was read from (itself, its includes, its tables), and the SHA-256 of its bytes; NULL
 * past the last. */
const char *pio_scene_input(const pio_scene *scene, size_t i, const char **sha256);

/* A path of an input file named in the scene: relative to the scene's folder, refused (PIOLA_REFUSED) when it leaves it
 * and is not allowed. */
piola_status pio_scene_file(const pio_scene *scene, const char *relative, char *out, size_t size, piola_error *error);

#endif
