/* fem_sim.h -- the data of a mesh's simulation, in one struct for each concern. The heading of a struct names the
 * source file that owns it. Arrays are device memory, where nothing else is said. */
#ifndef PIOLA_SOLVERS_FEM_SIM_H
#define PIOLA_SOLVERS_FEM_SIM_H

#include "kernels/backend/eigen.h"
#include "solvers/linear/amg.h"
#include "solvers/linear/bsr.h"
#include "solvers/linear/direct.h"
#include "solvers/fem/fem_pairs_sim.h"
#include "solvers/fem/fem_sink_sim.h"
#include "solvers/fem/fem_pairs_friction_sim.h"
#include "solvers/fem/fem_tables.h"
#include "solvers/fem/fem_topology.h"
#include "solvers/linear/krylov.h"
#include "solvers/linear/refine.h"
#include "solvers/engine/obstacles.h"
#include "solvers/engine/sim.h"
#include "solvers/fem/fem_network_sim.h"
#include "solvers/fem/residual_log.h"

/* One of `parts` equal parts of a step, number `part`, 0 .. parts-1. */
typedef struct {
    int64_t step;    /* number of the step */
    int part, parts; /* 0, 1: the whole step */
} fem_span;

/* The vectors of a state, [nodes][DIM] each; a run has n_vectors of them, one after another. */
enum {
#define FIELD(letter, name, when, kept, unit, meaning) STATE_##letter,
#include "kernels/fem/fem_fields.def"
#undef FIELD
    STATES
};
/* Where the level of the residual log is among the scalars that Newton's method downloads. */
enum { FEM_RESIDUAL_LOG_LEVEL = 13 };

/* fem_forces.c: the elements in blocks of one type, the rest positions, and what elements give to their nodes. An
 * element degree of freedom is one node of one element: it has DIM numbers, and they are numbered over all blocks. */
typedef struct {
    int nodes, elements;                     /* how many there are */
    int element_dofs;                        /* nodes of elements, each element counting its own */
    int n_blocks, plane;                     /* blocks of elements of one type; of all elements, see fem_block */
    fem_element_block *block;                /* host [n_blocks] */
    fem_rule rule[RULES][PIO_ELEMENT_TYPES]; /* quadrature, of the types that occur */
    real *rest;                              /* [nodes][DIM] rest positions X of this design, m */
    real *reference;                         /* [nodes][DIM] rest positions X of the description, m */
    real *rest_bar;                          /* [nodes][DIM] cotangents of X, of all steps so far */
    int *dof_start, *dof_list; /* [nodes + 1], [element_dofs] the element degrees of freedom of each node */
    real *dof_out, *dof_rest;  /* [element_dofs][DIM] what the elements give to nodes and rest_bar; in block_out */
    real *dof_force; /* [element_dofs][DIM] forces, N, while dof_out has cotangents; of leapfrogs, else NULL */
} fem_sim_mesh;

/* fem_create.c: what is known of a simulation only while it is created. */
typedef struct {
    int start_only;             /* it only provides its initial state: there is no matrix */
    fem_element_dofs at_node;   /* host; the element degrees of freedom of each node */
    fem_element_dofs at_vertex; /* host; those of the faces of loads, of each vertex */
    fem_stand_in stand_in;      /* host; of tied nodes; empty where there are none */
} fem_sim_setup;

/* fem_slot.c: the state, which is n_vectors vectors [nodes][DIM], and what a slot holds of it. */
typedef struct {
    int n_vectors, n_kept;  /* vectors of the state; those of them that a slot holds */
    int vector_at[STATES];  /* number of a vector in the state; -1: the state has none */
    int kept_at[STATES];    /* number of a vector in a slot; -1: a slot has none */
    int omits_acceleration; /* slots hold less than the state: the acceleration is made again */
    int no_acceleration;    /* that of the current state is not there yet */
    real *u;                /* [n_vectors][nodes][DIM] the current state; displacement, m, is first */
    real *origin; /* [n_vectors][nodes][DIM] the state at the beginning of the last step; leapfrogs store it where an
                   * observation needs it */
} fem_sim_state;

/* fem_step.c: the size of steps, how they are cut into parts, and their records. */
typedef struct {
    double dt;                /* s */
    double gravity[DIM];      /* m/s^2, of the description */
    int halvings;             /* how often a step may be halved */
    int repeat;               /* steps are cut as the last run cut them */
    pio_step_record *records; /* host [steps] */
} fem_sim_stepping;

/* fem_dynamics.c, fem_mass.c, fem_leapfrog.c: inertia and the integrator of time. All pointers of a static run are
 * NULL. */
typedef struct {
    pio_integrator integrator;
    int lumped;                  /* masses are lumped at nodes */
    real *initial_u, *initial_v; /* [nodes][DIM] of the description, m and m/s */
    real *rate;                  /* [2][nodes][DIM] velocity, m/s, and acceleration, m/s^2, at the end of a step */
    real *inertia, *drag;        /* [nodes][DIM] M a and C v, N */
    /* of explicit integrators, and of those on a lattice; of others NULL */
    real *ones;       /* [nodes][DIM] 1 everywhere */
    real *mass;       /* [nodes][DIM] lumped mass, kg */
    real *mass_bar;   /* [nodes][DIM] its cotangents; of leapfrogs */
    real *weight_bar; /* [nodes][DIM] cotangents of the weight m g, of all steps so far; of leapfrogs */
} fem_sim_motion;

/* fem_mass.c: Rayleigh damping C = alpha M + beta K0, constant in each element. NULL where the description has no
 * alpha, or no beta, and no design of it. */
typedef struct {
    int has_alpha, has_beta;    /* there may be an alpha, a beta */
    real *alpha, *beta;         /* [elements] 1/s, s */
    real *alpha_bar, *beta_bar; /* [elements] their cotangents */
    int *law;                   /* [elements] PIO_HYPER_LINEAR, the law of K0 */
    real *k, *k_bar;            /* [elements][PIO_LAW_CONSTANTS] beta times the moduli at rest, Pa s; cotangents */
} fem_sim_damping;

/* fem_modal.c: modal analysis, whose stiffness is that of damping with beta = 1. Of motions all is NULL and 0. */
typedef struct {
    int modes, free;              /* modes that are wanted; unknowns that no support constrains */
    int ready;                    /* shapes and records are those of this design */
    int found, counted;           /* see pio_step_record */
    int solves;                   /* with factors, of all modes */
    double repeated;              /* see pio_fem_desc */
    double shift;                 /* s of the matrix K - s M that is assembled, 1/s^2 */
    double below_all, counted_at; /* a shift below all eigenvalues; one behind those that are wanted, 1/s^2 */
    const pio_eigen_table *table; /* the library of eigenproblems */
    real *shape;                  /* [modes][nodes][DIM] phi, kg^-1/2 */
} fem_sim_modal;

/* fem_rows.c: constants of the laws. With rows, law, parameters, k and density are those of `rows` runs of elements
 * with equal constants; else of each element. */
typedef struct {
    int rows;                          /* runs of elements, where there is nothing but a start; else 0 */
    int *row_first;                    /* host [rows] the first element of each run */
    int *law, *parameter_form;         /* [elements] a pio_hyper_law; what the parameters are, see fem_constants */
    real *parameters, *parameters_bar; /* [elements][PIO_LAW_CONSTANTS] as the description has them; cotangents */
    real *k, *k_bar;                   /* [elements][PIO_LAW_CONSTANTS] as the laws take them; cotangents */
    real *density, *density_bar;       /* [elements] kg/m^3 of the material; cotangents */
    real *actual, *actual_bar; /* [elements] kg/m^3 with relative densities; cotangents. Without them density's own */
    int n_interpolations;      /* 0: no element has a relative density */
    int *interpolation;        /* [elements] number of its interpolation, or -1. NULL: likewise */
    pio_interpolation *interpolations;                /* [n_interpolations] */
    real *relative, *relative_bar;                    /* [elements] relative density; cotangents. NULL: all are 1 */
    int has_choice;                                   /* elements choose between two materials */
    real *choice, *choice_bar;                        /* [elements] their choice; cotangents. NULL: all are 1 */
    int has_thickness, has_heat;                      /* each element has a thickness; may have a thermal strain */
    real *thickness, *thickness_bar;                  /* [elements] m; cotangents. NULL: all are 1 */
    real *expansion, *temperature, *heat;             /* [elements] alpha, 1/K; Delta T, K; e. NULL: no heat */
    real *expansion_bar, *temperature_bar, *heat_bar; /* [elements] cotangents. NULL: likewise */
} fem_sim_materials;

/* fem_forces.c: forces on the nodes. */
typedef struct {
    real *internal;      /* [nodes][DIM] of the elements' stresses, and of springs, N */
    real *external;      /* [nodes][DIM] of the loads, N */
    real *external_bar;  /* [nodes][DIM] cotangents of the external forces */
    int64_t external_of; /* number of the state whose forces `external` holds; -1: of none */
    real *dead;          /* [nodes][DIM] external forces without follower loads, N; NULL: there are none */
    real *spring;        /* [nodes][DIM] of the springs, N; NULL: there are none */
} fem_sim_forces;

/* fem_follow.c, fem_total.c, fem_couple.c: loads and their values. */
typedef struct {
    int n_loads, n_values;       /* several loads may share a value */
    int has_followers;           /* some load depends on the displacement */
    int has_springs;             /* some load is of springs */
    int has_totals;              /* some load is a total force */
    int has_moments;             /* some load is a moment */
    int weightless;              /* gravity is 0, and no design */
    fem_load *load;              /* host [n_loads] */
    double *values, *values_bar; /* [n_values][3] in the units of their loads; cotangents */
    wide *areas; /* [n_values] m^2 at rest of the faces of a total force; of others 0. NULL: there are none */
    wide *couples, *couples_bar; /* [n_values][COUPLE_NUMBERS] of moments; cotangents. NULL: there are none */
    real *gravity_contribution;  /* [elements][DIM] terms of the cotangent of gravity; NULL: weightless */
} fem_sim_loads;

/* fem_control.c: channels of control, which drive fibres of elements. Where there are none all pointers are NULL. */
typedef struct {
    int n_channels, n_values;            /* channels; values of their knots */
    int has_rates;                       /* an observation uses rates */
    double t;                            /* s, at which activations were set last */
    int *channel;                        /* [elements] that drives each; -1: none does. NULL: no element is driven */
    int *signal;                         /* [n_channels] a pio_signal */
    real *fibre;                         /* [n_channels][DIM] unit direction at rest */
    real *activation;                    /* [n_channels] at t, Pa */
    double *activation_bar;              /* [n_channels] their cotangents so far */
    real *contribution;                  /* [elements] terms of activation_bar */
    double *parameters, *parameters_bar; /* [n_channels][CONTROL_PARAMETERS] amplitude, frequency, phase; cotangents */
    control_knots *knots;                /* [n_channels] where its knots are among the values */
    double *rate, *rate_bar;             /* [n_channels] of activations at t, Pa/s; cotangents. NULL: none is used */
    double *values, *values_bar;         /* [n_values]; cotangents */
} fem_sim_control;

/* fem_faces.c: surface vertices, on which loads act, and what faces give to them. An element degree of freedom here is
 * one vertex of one face of one load. */
typedef struct {
    surface_map gather, scatter; /* from nodes to vertices, and its transpose */
    real *rest;                  /* [vertices][DIM] X, m */
    real *u, *place;             /* [vertices][DIM] u and X + u, m; NULL: no load depends on them */
    real *force;                 /* [vertices][DIM] N */
    int element_dofs;            /* vertices of faces, each face counting its own */
    int *dof_start, *dof_list;   /* [nodes + 1], [element_dofs] the element degrees of freedom of each vertex */
    real *dof_out;               /* [element_dofs][DIM] what the faces give to their vertices */
    real *dof_rest;              /* [element_dofs][DIM] what springs give to rest_bar; NULL: there are none */
} fem_sim_faces;

/* Outer faces of one type that touch obstacles. */
typedef struct {
    pio_contact_desc desc; /* host pointers are not kept */
    fem_rule rule;
    int first_element_node;   /* number of its first element node among those of all these faces */
    int *vertex, *owner;      /* [n][nodes] nodes; [n] element behind each face */
    real *thick_contribution; /* [n] of its faces to the cotangent of their owners' thickness, or NULL */
} fem_contact_faces;

/* fem_contact.c: obstacles, and the nodes of outer faces that touch them, each a point of contact. Without obstacles
 * all is NULL and 0. */
typedef struct {
    sim_obstacles obstacles;   /* poses are those at the end of `span` */
    fem_span span;             /* of which all forces of contact are */
    double passed;             /* poses are those after this fraction of the span; 1 but for moves within a solve */
    int moving, points;        /* some obstacle moves; number of points */
    int rough, rubs;           /* some obstacle may have friction; this or surfaces, and the run is static */
    int n_faces, element_dofs; /* sets of faces; nodes of faces, each face counting its own */
    int first_node_pair;       /* number of the matrix block of the first point among all element blocks */
    int *point;                /* host [points] node of each; until the simulation is created */
    fem_element_dofs at_point; /* host; likewise */
    fem_contact_faces *faces;  /* host [n_faces] */
    int *node, *start, *list;  /* [points], [points + 1], [element_dofs] nodes of faces at each point */
    int64_t *zero;             /* [1] 0: times of poses are counted from the beginning of the run */
    real *share, *share_rest;  /* [element_dofs] area at rest, m^2; [element_dofs][DIM] cotangents of X */
    real *area, *area_bar;     /* [points] m^2; cotangents */
    real *force;               /* [nodes][DIM] dPhi/du, N */
    real *contribution;        /* [points][OBSTACLE_PARAMETERS] of an adjoint */
    uint64_t *keys;            /* [CONTACT_KEYS] limits and the least gap, see contact_key */
    uint64_t *found;           /* [2] the key of the least gap of an observation, and its point */
    real *gap;                 /* [points] least distance from an obstacle, m */
    int *nearest, *touching;   /* [points] that obstacle; 1: within reach of a barrier */
    int *counts;               /* [2] points that came within reach, and left */
    uint64_t *slides;          /* [3] how fast pressed points slid, see fem_friction_watch; NULL: without friction */
    double square;             /* leapfrog: about the largest omega^2 of the elements, 1/s^2 */
} fem_sim_contact;
enum { CONTACT_LIMIT, CONTACT_LEAST, CONTACT_NEEDED, CONTACT_STIFFER, CONTACT_PAIRS_STIFFER, CONTACT_KEYS };

/* fem_vector.c: piecewise linear functions of time, which scale loads and supports. */
typedef struct {
    int n_curves;
    int *start;             /* [n_curves + 1] the first point of each curve */
    double *t, *value;      /* [points] s, and the factor there */
    double *factor;         /* [n_curves] at the end of the step */
    double *initial_factor; /* [n_curves] at time 0; NULL: the run is static */
} fem_sim_curves;

/* fem_vary.c: values that vary in space and time. */
typedef struct {
    int n, in_time;                        /* values that vary; some of them in time */
    int supports_in_time;                  /* so do some of supports */
    fem_span span;                         /* at whose end those that vary in time are set */
    int set;                               /* they are */
    fem_varying *list;                     /* host [n] */
    expression_programs programs;          /* their programs, and constants */
    wide *constant, *constant_bar;         /* [constants]; [designed] cotangents */
    int n_programs, n_constants, designed; /* numbers of programs, of constants, and of those that designs change */
    wide *contribution;                    /* [designed][most items] of items to constant_bar */
} fem_sim_varies;

/* fem_vector.c: supports, each a prescribed displacement of its constrained unknowns. */
typedef struct {
    int n_supports, n_constrained; /* supports; unknowns that they constrain */
    int plain;                     /* the first so many do not vary */
    int *constrained;              /* [nodes] bits of the constrained axes */
    int *node, *axis, *support;    /* [n_constrained] where each is, and whose */
    int *curve;                    /* [n_supports] number of the curve that scales the value; -1: none does */
    double *value, *value_bar;     /* [n_supports] displacement, m; cotangents */
    real *contribution;            /* [n_constrained] terms of value_bar */
    /* [n_supports] values at an earlier time; [n_constrained] terms of cotangents at the later one. NULL: no support
     * varies in time, or nothing moves. */
    double *earlier_value;
    real *later_contribution;
} fem_sim_supports;

/* fem_tie.c: nodes that are tied to others. */
typedef struct {
    int n, masters, entries; /* tied nodes; nodes that they are tied to; masters of all tied nodes together */
    int *node, *start;       /* [n] numbers; [n + 1] where the masters of each begin */
    int *master;             /* [entries] nodes */
    real *weight;            /* [entries] of these */
    int *master_node, *master_start, *tied; /* [masters], [masters + 1], [entries] the tied nodes of each */
    real *tied_weight;                      /* [entries] their weights */
} fem_sim_ties;

/* fem_newton.c: settings of Newton's method and the vectors that it works on, which other solves use in turn. */
typedef struct {
    double tolerance;          /* of the relative residual */
    double goal;               /* the tolerance, or less where runs are to be compared */
    double rounding;           /* of the norm of the residual, N */
    int iterations;            /* of a step at most */
    pio_projection projection; /* when the tangents' negative part is left out */
    real *trial;               /* [nodes][DIM] displacement at hand, m */
    real *du;                  /* [nodes][DIM] its change by an iteration, m */
    real *rhs;                 /* [nodes][DIM] residual, N */
    real *lambda, *y;          /* [nodes][DIM] solution and scratch of a linear solve, also of the adjoint */
    real *external_before;     /* [nodes][DIM] external forces where a line search began, N; NULL: no load follows */
    double *scalars;           /* [24] sums that are downloaded together */
} fem_sim_newton;

/* fem_jacobian.c: a Jacobian that does not depend on the displacement, which is assembled, and factorised, once as long
 * as the rates stay the same. */
typedef struct {
    int possible;  /* all laws are linear, and no load follows */
    int valid;     /* it is in the matrix */
    int factored;  /* the factor is that of it */
    int negative;  /* pivots of the factor below zero */
    double ca, cv; /* K + ca M + cv C */
} fem_constant_matrix;

/* fem_jacobian.c: the Jacobian. An element block is the DIM x DIM block of two degrees of freedom of one element, or of
 * one face of a load that depends on the displacement. NULL where the simulation is only started. */
typedef struct {
    pio_bsr bsr;
    pio_linop_kind kind;                         /* symmetric, or general with follower loads */
    int projected;                               /* it is assembled without its negative part */
    fem_constant_matrix constant;                /* whether it needs to be assembled again */
    fem_span span;                               /* of which it is the Jacobian */
    const real *at;                              /* [nodes][DIM] the displacement that it is the Jacobian at, m */
    int element_blocks, face_blocks;             /* blocks of elements; of faces, which are numbered behind them */
    fem_graph graph;                             /* host; after creation only the number of blocks is left */
    int *block_row, *block_start, *block_source; /* [blocks], [blocks + 1], [sources] see fem_graph */
    real *block_weight;                          /* [sources] their factors; NULL: no node is tied */
    real *block_out;                             /* [element_blocks + face_blocks][DIM * DIM] N/m */
} fem_sim_matrix;

/* fem_standby.c: who goes on where a linear solve of `auto` fails. */
typedef struct {
    int automatic;                /* the scene leaves the choice to the program */
    int by_factor;                /* the next solve is by the factor */
    int unmet;                    /* the step has directions whose iterations ended above their tolerance */
    double direct_memory, memory; /* bytes: of a factor at most; of all beside the arena at most, 0: any */
    pio_arena arena;              /* of a direct solver that took over */
    size_t bytes, needed;         /* what that takes; what it would take and must not, or 0 */
    char factor[64];              /* name, version and method of the direct solver that the device has */
    pio_takeover *count;          /* where takeovers are counted */
    pio_takeover elsewhere;       /* outside steps: at the start and at the end of sweeps */
} fem_sim_standby;

/* fem_multigrid.c: the multilevel preconditioner. */
typedef struct {
    int chosen;  /* it is used */
    int skipped; /* not for the matrix at hand, which needs none */
    pio_amg amg;
    pio_amg_plan plan;              /* host; until the simulation is created */
    int corners;                    /* corners of elements that have nodes beside them; 0: elements have none */
    int *node, *p_start, *p_column; /* host; as of pio_amg_source, until the simulation is created */
    int fresh, right;               /* its numbers are of this step; they may be used */
    int of_projected;               /* they are of a projected matrix */
    int negative;                   /* those of the matrix at hand, not projected, were not right */
    int slow;                       /* the last solve took too many iterations */
    double first_rate;              /* iterations for a digit of the first solve with these numbers; below 0: unknown */
} fem_sim_multigrid;

/* fem_pressure.c: the pressures of nearly incompressible elements in linear solves. */
typedef struct {
    int count;                  /* pressures; 0: there are none */
    int reduced;                /* the matrix is assembled without what they carry */
    int opened;                 /* B and the next two belong to the matrix at hand */
    real *moduli;               /* [elements] kappa', Pa */
    real *B;                    /* [pressures][nodes of their element][DIM] N/m, block after block */
    real *compliance, *inverse; /* [pressures] N/m, and m/N */
    real *right, *solution;     /* [unknowns + pressures] of a solve: N, and m */
} fem_sim_pressure;

/* fem_linear.c, fem_direct.c, fem_product.c: how linear systems are solved. */
typedef struct {
    int iterations;           /* of a Krylov method at most */
    double adjoint_tolerance; /* relative, of solves of the adjoint */
    int indefinite;           /* the last direction met negative curvature */
    int stagnated;            /* the last direction is not solved for to its tolerance */
    pio_krylov krylov;
    pio_refine refine; /* of solves by it */
    pio_direct direct; /* its table is NULL where Krylov methods alone have solved */
    int direct_first;  /* it was chosen before the run */
    fem_sim_standby standby;
    fem_sim_multigrid multigrid;
    fem_sim_pressure pressure;
    char solver[64], solver_why[320];
    const pio_product_table *product_table; /* of a library; NULL: the products of own kernels */
    char product[128];
} fem_sim_linear;

/* fem_adjoint.c: cotangents of states, [n_vectors][nodes][DIM] as these. NULL in runs without a gradient. */
typedef struct {
    real *known;        /* [n_vectors][nodes][DIM] the state at the end of the step, whose cotangents u_bar has */
    real *u_bar;        /* [n_vectors][nodes][DIM] cotangents of the state */
    real *previous_bar; /* [n_vectors][nodes][DIM] those of the state before, while they are made; of leapfrogs NULL */
    real *between_bar;  /* [nodes][DIM] of u before a step, from observations between its ends; NULL: there are none */
} fem_sim_adjoint;

/* fem_frames.c: cotangents as frames show them. NULL in runs without a gradient. */
typedef struct {
    real *u_bar;     /* [2][nodes][DIM] of displacement and velocity; of a static run [1] */
    real *force_bar; /* [nodes][DIM] external_bar of the step of the last adjoint_step(); of leapfrogs NULL */
    int ready;       /* u_bar is that of the current state */
} fem_sim_frames;

/* fem_morph.c: the elastic body by which nodes follow a design of rest positions. NULL where no node does. */
typedef struct {
    int *fixed;           /* [nodes] bits of the axes that do not follow */
    int *law;             /* [elements] PIO_HYPER_LINEAR */
    real *parameters, *k; /* [elements][PIO_LAW_CONSTANTS] as in fem_sim_materials */
} fem_sim_morph;

/* fem_lattice.c, fem_reversible_euler.c: motions whose state is whole numbers. Of others all is NULL and 0. */
typedef struct {
    int64_t *state;              /* [n_kept][nodes][DIM] the state, in quanta, of which state.u is a copy */
    int64_t *origin;             /* [n_kept][nodes][DIM] that of the beginning of the step */
    double per_metre, per_speed; /* quanta in 1 m, in 1 m/s */
    int *free_list;              /* [unknowns that are not constrained] their numbers */
    double *factor_before;       /* [n_curves] at the beginning of a span */
    int64_t *residual;           /* [2][nodes][DIM] residuals of a step, and scratch */
    int recording;               /* residuals of the steps go into the log */
    pio_residual_log residual_log;
} fem_sim_lattice;

/* fem_stress.c: fields of stress and strain, of which one at a time is computed. NULL where none can be read. */
typedef struct {
    int places;   /* pio_stress_place, or-ed */
    int points;   /* integration points of all elements, block after block */
    int *element; /* [element_dofs] the element of each element node */
    real *volume; /* [elements] at rest, m^3 */
    real *mean;   /* [elements][FEM_TENSOR] means over elements */
    real *node;   /* [nodes][FEM_TENSOR] means around nodes; NULL: they are not wanted */
    real *at;     /* [points][FEM_TENSOR] values at integration points; likewise */
} fem_sim_stress;

/* fem_observe.c, fem_observe_integral.c, fem_observe_field.c. */
typedef struct {
    int n_observations;
    fem_observation *observations; /* host [n_observations] */
    wide *sums;                    /* [2 (PROBE_NUMBERS + 1)] of which means and norms are made, and their cotangents */
    uint64_t *found;               /* [2] of the largest value: its key, and its element; NULL: none is observed */
    wide *top;                     /* [elements] the largest value in each; likewise */
    int *best;                     /* [elements] its point; likewise */
} fem_sim_observe;

/* fem_parameters.c. */
typedef struct {
    int n_designs;
    fem_design *designs; /* host [n_designs] */
    double *filtered;    /* [variables] H z, and in the adjoint sweep its cotangent where there is no projection; NULL:
                          * no design has a filter */
} fem_sim_design;

typedef struct {
    pio_sim base;   /* the first member, see fem_of() */
    fem_step *step; /* [1] what changes from step to step */
    fem_sim_setup setup;
    fem_sim_mesh mesh;
    fem_sim_state state;
    fem_sim_stepping stepping;
    fem_sim_motion motion;
    fem_sim_damping damping;
    fem_sim_modal modal;
    fem_sim_materials materials;
    fem_sim_forces forces;
    fem_sim_loads loads;
    fem_sim_varies varies;
    fem_sim_control control;
    fem_sim_networks networks;
    fem_sim_faces faces;
    fem_sim_contact contact;
    fem_sim_sink sink;
    fem_sim_pairs pairs;
    fem_sim_pairs_friction rubs;
    fem_sim_curves curves;
    fem_sim_supports supports;
    fem_sim_ties ties;
    fem_sim_newton newton;
    fem_sim_matrix matrix;
    fem_sim_linear linear;
    fem_sim_adjoint adjoint;
    fem_sim_frames frames;
    fem_sim_morph morph;
    fem_sim_lattice lattice;
    fem_sim_stress stress;
    fem_sim_observe observe;
    fem_sim_design design;
} fem_sim;

/* Returns whether states have velocities. */
static inline int fem_moves(const fem_sim *f)
{
    return f->motion.integrator != PIO_STATIC && f->motion.integrator != PIO_MODAL;
}

/* Returns whether states have velocities, of a motion or for friction alone. */
static inline int fem_has_rates(const fem_sim *f)
{
    return fem_moves(f) || f->contact.rubs;
}

/* Returns whether the run is modal analysis, whose state number k is the shape of mode k. */
static inline int fem_is_modal(const fem_sim *f)
{
    return f->motion.integrator == PIO_MODAL;
}

#endif
