/* engine_fem.h -- what meshes are described with: elements, loads, ties, values that vary. */
#ifndef PIOLA_SOLVERS_ENGINE_FEM_H
#define PIOLA_SOLVERS_ENGINE_FEM_H

#include "solvers/engine/vocabulary.h"

#include <stdint.h>

/* Elements of one type. */
typedef struct {
    pio_element_type type; /* shape and order of each */
    int32_t n;             /* number of elements */
    const int32_t *nodes;  /* [n][nodes of the type] in the order of VTK */
    /* of which their strain is made; linear simplices have one dilatation each, and no use for a projection of it */
    pio_dilatation dilatation;
} pio_block_desc;

/* A load on faces of one type. A traction or springs may also act on points: then the value is a force in N, or a
 * stiffness in N/m. A body force acts on elements of one block, which are its owners. */
typedef struct {
    pio_load_kind kind;    /* traction, pressure and so on, which say the unit of `scale` */
    pio_element_type type; /* of the faces, points, or elements of a body force */
    int32_t n;             /* number of faces, points or elements */
    /* [n][nodes of the type], in an order that makes normals point outward; NULL: body force */
    const int32_t *vertices;
    const int32_t *owner; /* [n] element behind the face */
    int32_t value;        /* index of its value */
    int32_t curve;        /* of its time curve; -1: constant, of springs and of values that vary */
    double scale;         /* Pa (springs: N/m^3, body force: N/m^3) per unit of the value */
    /* 1, of tractions on faces: the value is a total force, N, spread evenly over the area at rest of all loads that
     * share this value, as the designs move it; all these loads have total = 1 */
    int32_t total;
    /* 1, of tractions on faces: the value is the moment of the traction about the centroid at rest of all faces that
     * share this value, as the designs move them, N m: a vector, in 2D one number. The traction is a x (X - c), whose
     * resultant is 0; see kernels/fem/fem_couple.h. All these loads have moment = 1, and values that do not vary */
    int32_t moment;
} pio_load_desc;

/* Outer faces of one type, which touch obstacles and each other; see kernels/fem/fem_contact.h. */
typedef struct {
    pio_element_type type;   /* of the faces */
    int32_t n;               /* number of faces */
    const int32_t *vertices; /* [n][nodes of the type], in an order that makes normals point outward */
    const int32_t *owner;    /* [n] element behind the face */
} pio_contact_desc;

/* Contact of surfaces with each other, of all faces that touch; see kernels/fem/fem_pairs.h. */
typedef struct {
    double stiffness, distance;         /* K, Pa, > 0; h, m, > 0. distance 0: there is none, and nothing else is read */
    double friction, friction_velocity; /* mu, >= 0, of the leapfrog alone; e, m/s, at least PIO_LEAST_VELOCITY */
    int32_t itself;                     /* 1: a body touches itself, too; 0: bodies touch each other alone */
    int32_t room;                       /* pairs that there can be at a time, >= 1 */
    const int32_t *body;                /* [nodes] number of the body that each node is of */
} pio_pairs_desc;

/* Nodes that are tied to others: the displacement of each is u = sum_k weight_k u_k over its masters, which are tied to
 * nothing. No unknown of a tied node is constrained. */
typedef struct {
    int32_t n;             /* number of tied nodes */
    const int32_t *node;   /* [n] ascending */
    const int32_t *start;  /* [n + 1] where the masters of each begin */
    const int32_t *master; /* [start[n]] nodes */
    const double *weight;  /* [start[n]] of each, whose sum is 1 for each tied node */
} pio_tie_desc;

/* Programs of values that vary in space and time, one after another: see kernels/base/expression.h. */
typedef struct {
    int32_t n;                   /* number of programs */
    const int32_t *start, *code; /* [n + 1] where the operations of each begin; the operations */
    int32_t n_numbers;           /* number of numbers */
    const double *numbers;       /* [n_numbers] that stand in programs, in SI units */
    int32_t n_constants;         /* number of named constants */
    int32_t n_designed;          /* of the first so many, derivatives are wanted */
    const double *constants;     /* [n_constants] in SI units */
} pio_program_desc;

/* Values that vary, in place of those of the description: of a load at its integration points, of constrained unknowns,
 * of elements in the middle of their nodes, of nodes. A program's coordinates are those at rest, as designs move them;
 * its time is that of the end of the step. */
typedef struct {
    pio_quantity quantity; /* PIO_LOAD, PIO_SUPPORT; of elements: a law's parameter to PIO_TEMPERATURE; PIO_DISPLACED
                            * or PIO_VELOCITY, to which those of the description are added */
    /* number of the load; first support: that and those behind it have one of the unknowns each, in their order */
    int32_t which;
    int32_t components;   /* numbers in a value */
    int32_t program[3];   /* [components] the program of each; -1: it is a number */
    double number[3];     /* [components] numbers, in SI units */
    int32_t in_time;      /* 1: a program has the time; loads and supports alone */
    int32_t n;            /* of what is not a load: number of items */
    const int32_t *items; /* [n] constrained unknowns, elements of one block, or nodes, ascending; a load: NULL */
} pio_vary_desc;

/* A mesh, its materials, loads and supports, and how its equations are solved. */
typedef struct {
    int64_t n;                    /* number of nodes */
    const double *rest;           /* [n][dim] positions at rest, m */
    int32_t n_blocks;             /* number of blocks; elements are numbered block after block */
    const pio_block_desc *blocks; /* [n_blocks] */
    const int32_t *law;           /* [elements] a pio_law of solids */
    /* [elements] 1: parameters are mu, lambda; plus 2: plane stress, of the linear law in 2D */
    const int32_t *parameter_form;
    pio_plane_state plane; /* 2D; in plane stress elements of the linear law have the 2 of parameter_form. 3D: 0 */
    const double *law_parameters;          /* [elements][5] see hyper_from_parameters */
    const double *density, *thickness;     /* [elements] kg/m^3; m, NULL in 3D */
    const double *expansion, *temperature; /* [elements] 1/K; K above that without stress; NULL: nothing is heated */
    const double *relative_density;        /* [elements] 0 .. 1, see fem_interpolate_args; NULL: 1 */
    const double *choice;                  /* [elements] 0 .. 1, likewise; NULL: 1 */
    const int32_t *interpolation; /* [elements] number of its interpolation, or -1: it is full; likewise NULL */
    int32_t n_interpolations;     /* number of interpolations */
    const pio_interpolation *interpolations; /* [n_interpolations] how stiffness follows the relative density */
    int32_t n_loads, n_values;               /* numbers of loads and of their values; loads may share one */
    const pio_load_desc *loads;              /* [n_loads] */
    const double *values;  /* [n_values][3] of loads; pressures and foundations use the first number */
    int32_t n_constrained; /* number of constrained unknowns, each listed once */
    /* [n_constrained] node, axis 0 .. dim-1 and support of each */
    const int32_t *constrained_node, *constrained_axis, *constrained_support;
    int32_t n_supports;                  /* number of supports, each with one value */
    const double *support_value;         /* [n_supports] prescribed displacement, m */
    const int32_t *support_curve;        /* [n_supports] its time curve, or -1: constant */
    int32_t n_curves;                    /* number of time curves: piecewise linear, constant outside */
    const int32_t *curve_start;          /* [n_curves + 1] first point of each */
    const double *curve_t, *curve_value; /* points: time s, ascending; factor, 1 */
    double newton_tolerance;             /* of the residual, relative to the forces */
    int32_t newton_iterations;           /* at most, per solve */
    double adjoint_tolerance;            /* of the adjoint solve's residual, relative */
    int32_t linear_iterations;           /* at most, per linear solve */
    pio_solve linear;                    /* iterative or direct */
    double direct_memory;                /* bytes that a direct solver may take beside the arena */
    /* Bytes beside `total` that a direct solver may take with which `auto` goes on where its iterations fail; 0: as
     * many as direct_memory allows. */
    double standby_memory;
    pio_product_choice product;               /* who computes products of matrix and vector */
    pio_preconditioner_choice preconditioner; /* of iterative solvers */
    int32_t halvings;                         /* of a step that fails, at most: 0 .. 20 */
    /* when the tangents in Newton's matrix lose their negative part: `always` costs iterations; never in the adjoint */
    pio_projection projection;
    pio_integrator integrator;             /* static, or how the mesh moves in time */
    int32_t lumped;                        /* 1: lumped masses; the leapfrog's always are */
    const double *alpha, *beta;            /* [elements] Rayleigh's damping alpha M + beta K0, 1/s and s; NULL: 0 */
    const double *displacement, *velocity; /* [n][dim] initial, m and m/s, of free unknowns; NULL: 0 */
    /* [n] bits of axes along which a node moves as in an elastic body whose other nodes the designs move; NULL: none */
    const int32_t *follows;
    const double *follow_parameters; /* [elements][5] E and nu of that body; its unit of E does not matter */
    int32_t stress_places;           /* pio_stress_place, or-ed: where fields of stress can be read; 0: nowhere */
    pio_program_desc programs;       /* of values that vary */
    int32_t n_varies;                /* number of values that vary */
    const pio_vary_desc *varies;     /* [n_varies]; a node has one unknown at most of each that is of supports */
    int32_t plain_supports;          /* the first so many supports do not vary; those behind have one unknown each */
    pio_tie_desc ties;               /* nodes that follow others */
    /* [elements] channel that drives the fibres of each, or -1; NULL: none has any. Not of modal analysis */
    const int32_t *channel;
    const double *fibre;              /* [channels][dim] unit direction of a channel's fibres at rest */
    int32_t n_contacts;               /* number of sets of faces that touch; 0 where nothing does */
    const pio_contact_desc *contacts; /* [n_contacts] */
    pio_pairs_desc pairs;             /* contact of these faces with each other */
    double repeated; /* modal: largest relative difference of eigenvalues that count as repeated, 0 <= repeated < 1 */
} pio_fem_desc;

#endif
