/* vocabulary.h -- the names of what kernels distinguish: elements, laws, walls, obstacles, signals, loads, observables.
 * Each thing has one name here, which kernels, engines, models and scenes share; what no kernel distinguishes is in
 * solvers/engine/vocabulary.h, and the words of scene files are in host/scene/words.c. Kernels and simulations rely on
 * the order within each list. */
#ifndef PIOLA_KERNELS_VOCABULARY_H
#define PIOLA_KERNELS_VOCABULARY_H

#include <stdint.h>

/* Elements of meshes, nodes in the order of VTK's cell types; lines, and in 3D triangles and quadrilaterals, are
 * faces. */
typedef enum pio_element_type {
    PIO_POINT1,
    PIO_LINE2,
    PIO_LINE3,
    PIO_TRI3,
    PIO_TRI6,
    PIO_QUAD4,
    PIO_QUAD8,
    PIO_QUAD9,
    PIO_TET4,
    PIO_TET10,
    PIO_HEX8,
    PIO_HEX20,
    PIO_HEX27,
    PIO_ELEMENT_TYPES
} pio_element_type;
/* Hyperelastic laws, see kernels/material/hyperelastic.h, and after them the fluids of particles, see
 * kernels/material/law.h. */
typedef enum {
    PIO_HYPER_LINEAR,
    PIO_HYPER_ST_VENANT,
    PIO_HYPER_FIXED_COROTATED,
    PIO_HYPER_NEO_HOOKEAN,
    PIO_HYPER_NEO_HOOKEAN_ISO,
    PIO_HYPER_STABLE_NEO_HOOKEAN,
    PIO_HYPER_MOONEY_RIVLIN,
    PIO_HYPER_OGDEN,
    PIO_HYPER_HENCKY,
    PIO_HYPER_LAWS
} pio_hyper_law;
typedef enum { PIO_LINEAR_FLUID = PIO_HYPER_LAWS, PIO_TAIT, PIO_LAWS } pio_fluid_law;
typedef int32_t pio_law; /* one of either; of laws of solids that have the choice, with PIO_VOLUME_QUADRATIC or not */
/* The bit of a law whose volumetric energy is the quadratic one, see kernels/material/hyperelastic_volume.h. */
enum { PIO_VOLUME_QUADRATIC = 16 };
enum { PIO_LAW_CONSTANTS = 5 }; /* most that a law has */
/* Plastic laws of particles, see kernels/material/plasticity.h; snow is of fixed corotated solids, the others of
 * Hencky's. */
typedef enum {
    PIO_ELASTIC,
    PIO_VON_MISES,
    PIO_DRUCKER_PRAGER,
    PIO_HERSCHEL_BULKLEY,
    PIO_SNOW,
    PIO_PLASTIC_LAWS
} pio_plastic_law;
enum { PIO_PLASTIC_CONSTANTS = 3 }; /* most that a plastic law has */

/* ---- meshes: what a body in 2D is of one in space -------------------------------------------------------------- */

/* A slice whose third direction does not stretch, F33 = 1; a sheet, with F33 such that no stress is across it; a ring,
 * whose section lies in the plane of radius x and axis y, F33 = 1 + u_x/x. */
typedef enum { PIO_PLANE_STRAIN, PIO_PLANE_STRESS, PIO_AXISYMMETRIC } pio_plane_state;

/* ---- meshes: elements that are filled in part ------------------------------------------------------------------- */

/* Which fraction s of the strain energy of its material an element of relative density r stores, see
 * fem_interpolate_args: SIMP s = least + (1 - least) r^power, RAMP s = least + (1 - least) r/(1 + power (1 - r)). */
typedef enum { PIO_SIMP, PIO_RAMP } pio_interpolation_type;
/* An interpolation of the stiffness. */
typedef struct {
    pio_interpolation_type type; /* which formula */
    double power;                /* SIMP: p >= 1; RAMP: q >= 0 */
    double least;                /* s of an element that is empty, 0 < least <= 1; 0 where it is mixed */
    int mixed;                   /* 1: the rest of the element is another material of the same law; 0: it is empty */
    int other_form;              /* mixed: form of its parameters, as of elements */
    double other[PIO_LAW_CONSTANTS]; /* mixed: its parameters */
    double other_density;            /* mixed: of it, kg/m^3 */
    int chosen;      /* 1: what is filled is a choice between the element's material and a second one of the same law */
    int second_form; /* chosen: form of the parameters of the second one */
    double second[PIO_LAW_CONSTANTS]; /* chosen: its parameters */
    double second_density;            /* chosen: of it, kg/m^3 */
} pio_interpolation;

/* ---- meshes: fields of stress and strain, see kernels/fem/fem_stress.h ----------------------------------------- */

/* Tensors first; those after PIO_POINT_VOLUME are of observations alone, see kernels/material/hyper_field.h. */
typedef enum {
    PIO_CAUCHY_STRESS,
    PIO_GREEN_STRAIN,
    PIO_VON_MISES_STRESS,
    PIO_VOLUME_RATIO,
    PIO_ENERGY_DENSITY,
    PIO_STRESS_FIELDS,
    PIO_POINT_POSITION = PIO_STRESS_FIELDS, /* where an integration point is at rest, and its part of the volume */
    PIO_POINT_VOLUME,
    PIO_PRINCIPAL_STRESS,       /* the largest first */
    PIO_ROTATION,               /* rad: in 2D an angle, in 3D a rotation vector */
    PIO_RELATIVE_DENSITY_FIELD, /* relative density r of the element; from here on of elements, not of points */
    PIO_GREYNESS,               /* 4 r (1 - r) */
    PIO_OWN_FRACTION            /* r c: the part of the volume that is the element's own material, c its choice */
} pio_stress_field;

/* ---- particles: walls, shapes, control ------------------------------------------------------------------------- */

/* STICKY_SEPARATE: SEPARATE, and what is pressed against it sticks, see kernels/mpm/mpm_wall.h; of walls of the grid
 * alone. PENALTY: no condition on the grid but a force on particles, see pio_engine_desc.penalty; of the reversible
 * integrator alone. */
typedef enum { PIO_WALL_STICKY, PIO_WALL_SLIP, PIO_WALL_SEPARATE, PIO_WALL_STICKY_SEPARATE, PIO_WALL_PENALTY } pio_wall;

/* How an obstacle acts: GRID by a condition on the grid's velocities, POTENTIAL by forces that follow from places. */
typedef enum { PIO_CONTACT_GRID, PIO_CONTACT_POTENTIAL } pio_contact_model;

/* Signals of time, and NETWORK: the output of a network that reads positions and velocities, see pio_network_desc. */
typedef enum { PIO_CONSTANT, PIO_SINE, PIO_PIECEWISE, PIO_SPLINE, PIO_NETWORK } pio_signal;
/* Inputs of a network: sin or cos(2 pi frequency t + phase) of a clock; a mean place or velocity of particles. PHASE is
 * of scenes alone: a clock, which becomes its sine and its cosine. */
typedef enum {
    PIO_INPUT_SINE,
    PIO_INPUT_COSINE,
    PIO_INPUT_POSITION,
    PIO_INPUT_VELOCITY,
    PIO_INPUT_PHASE
} pio_network_input;
enum { PIO_NETWORK_HIDDEN = 4 }; /* most hidden layers */
/* Shapes of obstacles, up to CLOSED_MESH, which kernels know by its distances at the points of a lattice; and shapes
 * that particles fill, from BALL on, of which POINTS are the particles themselves. */
typedef enum { PIO_PLANE, PIO_BALL, PIO_BOX, PIO_CYLINDER, PIO_CLOSED_MESH, PIO_POINTS } pio_shape_type;

/* ---- values that vary, see kernels/base/expression.h ------------------------------------------------------------ */

/* Operations of a program. The first ones have no operands: a number of the program, a named constant, the coordinates
 * at rest, the time, the value of a table at the coordinates, or of a curve at the time. LESS and AT_MOST are 1 or 0,
 * SELECT is its second operand where the first is not 0, else its third. */
typedef enum {
    PIO_OP_NUMBER,
    PIO_OP_CONSTANT,
    PIO_OP_X,
    PIO_OP_Y,
    PIO_OP_Z,
    PIO_OP_TIME,
    PIO_OP_LINEAR_TABLE, /* of the table whose numbers begin there, see kernels/base/expression.h */
    PIO_OP_NEAREST_TABLE,
    PIO_OP_CURVE,  /* of the curve of time whose numbers begin there, likewise */
    PIO_OP_NEGATE, /* of one operand, as those up to ABS */
    PIO_OP_SQRT,
    PIO_OP_EXP,
    PIO_OP_LOG,
    PIO_OP_SIN,
    PIO_OP_COS,
    PIO_OP_TANH,
    PIO_OP_ABS,
    PIO_OP_ADD, /* of two operands, as those up to AT_MOST */
    PIO_OP_SUBTRACT,
    PIO_OP_MULTIPLY,
    PIO_OP_DIVIDE,
    PIO_OP_POWER,
    PIO_OP_MIN,
    PIO_OP_MAX,
    PIO_OP_LESS,
    PIO_OP_AT_MOST,
    PIO_OP_SELECT, /* of three */
    PIO_OPS
} pio_operation;
/* Most operations of a program. One is an integer: the operation, and from bit 8 on the index of its number, constant,
 * table or curve, or in 8 bits each the numbers of the operations before it that are its operands. */
enum { PIO_PROGRAM_OPS = 64 };

/* ---- loads and observables ------------------------------------------------------------------------------------- */

/* FOLLOWER: a pressure on the deformed faces. SPRINGS: along the axes; FOUNDATION: springs along the normal at rest.
 * FORCE, a total over faces, POINT_FORCE, shared by nodes, and MOMENT, that of tractions over faces, are of scenes
 * alone: engines know them as tractions. */
typedef enum {
    PIO_TRACTION,
    PIO_PRESSURE,
    PIO_FOLLOWER,
    PIO_SPRINGS,
    PIO_FOUNDATION,
    PIO_BODY_FORCE,
    PIO_FORCE,
    PIO_POINT_FORCE,
    PIO_MOMENT
} pio_load_kind;
/* What is observed of particles, and from DISPLACEMENT on of meshes; MEAN_VELOCITY, KINETIC_ENERGY and DISTANCE serve
 * both. */
typedef enum {
    PIO_MEAN_POSITION,
    PIO_MEAN_VELOCITY,
    PIO_KINETIC_ENERGY,
    PIO_DISTANCE,
    PIO_FRONT,
    PIO_SHAPE,          /* the mean square distance from a shape */
    PIO_DENSITY_MISFIT, /* of the mass density on the grid */
    PIO_SEPARATION,     /* the distance between two mean positions */
    PIO_EFFORT,         /* of control: the integral over time of the square of activations */
    /* likewise of their rates; of a network's channels those are differences between steps, 0 in step 0 */
    PIO_SMOOTHNESS,
    PIO_DISPLACEMENT,
    PIO_REACTION,
    PIO_COMPLIANCE,
    PIO_REACTION_MOMENT,
    PIO_ANGULAR_MOMENTUM,
    PIO_EIGENFREQUENCY,   /* of modal analysis; no kernel computes it */
    PIO_CONTACT_FORCE,    /* on a mesh: of an obstacle, or of surfaces of meshes */
    PIO_GAP,              /* least distance of a mesh from one of these */
    PIO_CONTACT_PRESSURE, /* mean or norm over the surface of a mesh, by all of these */
    PIO_VOLUME,           /* from here on of elements */
    PIO_MASS,
    PIO_STRAIN_ENERGY,
    PIO_OF_CAUCHY_STRESS, /* from here on fields, at a point or over elements: a pio_stress_field each */
    PIO_OF_GREEN_STRAIN,
    PIO_OF_VON_MISES,
    PIO_OF_J,
    PIO_OF_ENERGY_DENSITY,
    PIO_OF_PRINCIPAL_STRESS,
    PIO_OF_ROTATION,
    PIO_OF_RELATIVE_DENSITY,
    PIO_OF_GREYNESS,
    PIO_OF_OWN_FRACTION /* of meshes */
} pio_observable;
/* What a field over elements becomes: its mean by volume at rest, its largest value, its p-norm. */
typedef enum { PIO_MEAN, PIO_MAXIMUM, PIO_PNORM } pio_measure;

#endif
