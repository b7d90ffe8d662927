/* mpm_sim.h -- the data of a simulation of particles, in one struct for each concern. The heading of a struct names the
 * source file that owns it. Arrays are device memory, where nothing else is said; n are the particles. */
#ifndef PIOLA_SOLVERS_MPM_SIM_H
#define PIOLA_SOLVERS_MPM_SIM_H

#include "kernels/mpm/mpm_bend.h"
#include "kernels/mpm/mpm_feedback.h"
#include "kernels/mpm/mpm_quantile_args.h"
#include "kernels/mpm/mpm_slot.h"
#include "solvers/engine/obstacles.h"
#include "solvers/engine/sim_network.h"

/* One observation, and its tables. */
typedef struct {
    pio_observation_desc desc; /* host pointers are not kept */
    int first;                 /* number of its first sample among all samples */
    int *marker;               /* [n] the marker of each particle */
    double *points;            /* [samples][rows][DIM] given points, m */
    double *markers;           /* host [samples] sum of the weights of given points */
    double *point_weight;      /* [samples][rows] weight of each point; NULL: all are 1 */
    int *member;               /* [n] which particles are observed; NULL: those of the body */
    double *total;             /* [2] mass of what is observed, kg; of a separation that of the other body too */
    real *field;               /* [nodes] of a shape or a target density; NULL of the others */
    double size;               /* of a density: the sum of the target's squares */
    double *mean, *mean_bar;   /* [2][DIM] of a separation: both means; cotangents */
    /* of a front: [1] where it is, roughly, m; of its quantile [QUANTILE_NUMBERS] the search for it */
    double *place;
    int *left;              /* [1] of a quantile: over how many particles the search sums */
    double *channel_weight; /* [channels] of effort and smoothness: the weight of each channel */
} mpm_observation;

/* One design. */
typedef struct {
    pio_design_desc desc;
    int first;  /* number of its first variable among all variables */
    int *index; /* [n] the group of each particle */
    /* its filter: rows, and those of the transpose; NULL: there is none */
    int *start, *from, *transposed_start, *transposed_from;
    double *weight, *transposed_weight;
    double *filtered;  /* [variables] H z, and in the adjoint sweep its cotangent; NULL likewise */
    double *projected; /* [variables] P(H z), likewise; NULL: no projection */
} mpm_design;

/* What the other state, the lists and the grid's velocities are: of the step that led to the current state, without
 * (KEPT) what a compact slot leaves out, or whole. */
typedef enum { BEHIND_NOTHING, BEHIND_KEPT, BEHIND_ALL } mpm_behind;

/* mpm_step.c, mpm_stage.c: the grid of a step, which particles are in which cell, and the transfer between both. */
typedef struct {
    mpm_box box;
    int nodes;          /* numbers of nodes of all velocity fields, BLOCK_NODES for each block */
    int blocks;         /* of all velocity fields */
    int max_blocks;     /* most that can have an occupied cell */
    mpm_lists lists;    /* particles by cell, occupied blocks, active nodes */
    real *tiles;        /* [max_blocks][TILE_NODES][QUAD] what a block's particles give to the nodes of its tile */
    real *node_sums;    /* [nodes][DIM + 1] mass, kg, and momentum, kg m/s */
    real *velocity;     /* [nodes][DIM] m/s; of the reversible integrator [DIM + 1], what a stage needs at nodes */
    real *velocity_bar; /* [nodes][DIM] its cotangents; NULL: no gradient */
    real *node_bar;     /* [nodes][DIM + 1] cotangents of node_sums; NULL: no gradient */
} mpm_sim_grid;

/* mpm_create.c: what a step block begins with, and which fields are watched. */
typedef struct {
    double dt;           /* s */
    double cfl;          /* largest part of a cell to travel in one step */
    double gravity[DIM]; /* m/s^2 */
    pio_watch watch[5];  /* fields in which the NaN watch searches */
} mpm_sim_stepping;

/* mpm_step.c, mpm_memory.c: the particles and their states. */
typedef struct {
    int n;                    /* how many there are */
    int has_solid, has_fluid; /* some are of a solid, of a fluid */
    int *body;                /* [n] number of the body of each */
    mpm_state state[2];       /* the current one and the other */
    mpm_state bar[2];         /* cotangents, likewise; NULL: no gradient */
    int current, current_bar; /* which of the two is current */
} mpm_sim_particles;

/* mpm_parameters.c: constants of the particles. Cotangents are NULL in runs without a gradient. */
typedef struct {
    int constants;                     /* of each particle: as many as one of the laws has */
    int one_law;                       /* 1 + the law of all particles; 0: they differ */
    unsigned laws;                     /* bits of the laws of all */
    int has_viscosity;                 /* of solids */
    int *law;                          /* [n] a pio_law */
    int *parameter_form;               /* [n] which constants the parameters are, see hyper_from_parameters */
    real *volume;                      /* [n] at rest, m^3 */
    real *density, *density_bar;       /* [n] kg/m^3; cotangents */
    real *mass, *mass_bar;             /* [n] kg; cotangents */
    real *parameters, *parameters_bar; /* [n][constants] as the description has them; cotangents */
    real *k, *k_bar;                   /* [n][constants] as the laws take them; cotangents */
    real *viscosity, *viscosity_bar;   /* [n] of solids, Pa s; cotangents. NULL: none is viscous */
    int n_interpolations;              /* 0: all particles are full, and what follows is NULL */
    int *interpolation;                /* [n] number of its interpolation, or -1: it is full */
    pio_interpolation *interpolations; /* [n_interpolations] */
    real *relative, *relative_bar;     /* [n] relative densities, 1 of what is full; cotangents */
    real *damping;                     /* [n] viscosity that counts, Pa s; NULL also where none is viscous */
} mpm_sim_material;

/* mpm_parameters.c: the state at the start, and that of the description, from which designs make it. */
typedef struct {
    real *spin;                      /* [bodies][DIM][DIM] angular velocity matrix of each body, 1/s */
    int *cell, *reference_cell;      /* [n] base nodes; of the description */
    real *offset, *reference_offset; /* [n][DIM] offsets from the base nodes, in cells; of the description */
    real *velocity;                  /* [n][DIM] m/s */
    real *reference_velocity;        /* [n][DIM] of the description, m/s */
    real *position_bar;              /* [n][DIM] cotangents of the places; NULL: no gradient */
    real *velocity_bar;              /* [n][DIM] cotangents of the velocities; NULL: no gradient */
} mpm_sim_initial;

/* mpm_slot.c, mpm_in_place.c: what saved states leave out, and where whole ones are. */
typedef struct {
    int node_room;     /* active nodes that a compact slot has room for; 0: slots hold whole states */
    int nodes_needed;  /* the room that the last check() needed; 0: it was enough */
    int solids;        /* particles of solids */
    int *rank;         /* [n] number among its kind; NULL: all are of one kind, or slots are whole */
    mpm_behind behind; /* what is there of the step that led to the current state */
    int has_sums;      /* a slot has room for more than its state (slot_sums of pio_engine_desc) */
    int in_order;      /* the current state is stored in the order of the lists */
    /* state whose lists the grid has, and whose sums at nodes are in own_sums; -1: of none */
    int64_t listed, summed;
    int64_t coming_slot, coming_state; /* which state will be saved where, -1: unknown */
    int64_t home[2];                   /* slot in which each of the two states is, -1: it is one of `own` */
    mpm_state own[2];                  /* the two states that are in no slot */
    real *own_sums;                    /* [nodes][DIM + 1] as node_sums, in no slot */
    unsigned char *held;               /* host [n_slots] what a slot has beside its state */
} mpm_sim_slots;

/* mpm_contact.c: contact between velocity fields. Where there is one field, or bodies
 * repel each other, all pointers are NULL, but for the last with friction. */
typedef struct {
    int on_grid;                    /* several fields exchange momentum at nodes */
    double friction;                /* coefficient of Coulomb's law */
    double regularisation_velocity; /* velocity of approach from which contact acts in full, m/s;
                                       where bodies repel each other, that of friction */
    real *free_velocity;            /* [nodes][DIM] before contact, m/s */
    real *node_volume;              /* [nodes] of the material at rest, m^3 */
    real *node_volume_bar;          /* [nodes] its cotangents */
    real *mass_bar, *volume_bar;    /* [nodes], [nodes][DIM + 1] see mpm_contact_adj */
    real *contribution;             /* [2][nodes] terms of parameters_bar */
    double *parameters_bar;         /* [2] cotangents of friction and regularisation velocity */
} mpm_sim_contact;

/* mpm_repel.c: velocity fields whose bodies repel each other by a potential, in place of contact; see
 * kernels/mpm/mpm_repel_args.h. Where they do not all pointers are NULL, and without a gradient the last two. */
typedef struct {
    int used;
    double stiffness, distance; /* Pa; m */
    real *first, *second;       /* [n][fields] */
    real *force;                /* [n][DIM] N */
    real *force_bar, *bent;     /* [n][DIM], [n][fields] */
} mpm_sim_repulsion;

/* mpm_rub.c: their friction; see kernels/mpm/mpm_rub_args.h. Where they have none all pointers are NULL, and without a
 * gradient those of cotangents. */
typedef struct {
    int used;
    real *sum, *slope;                  /* [n][fields], [n][fields][DIM] of mpm_repel_fill */
    real *load;                         /* [n] N, in id order */
    real *rate, *before;                /* [nodes] m/s^2, [nodes][DIM] m/s */
    real *seen;                         /* [n][DIM + 1] */
    real *given;                        /* [n][fields][DIM] N s */
    real *impulse, *impulses;           /* [n][DIM], [nodes][DIM] N s */
    real *impulses_bar, *mass_bar;      /* [nodes][DIM], [nodes] */
    real *impulse_bar;                  /* [n][DIM] */
    real *meet_bar;                     /* [n][fields][DIM + 1] */
    real *load_bar, *slope_bar;         /* [n][fields], [n][fields][DIM] */
    real *contribution;                 /* [n][2] terms of the cotangents of friction and friction velocity */
    real *seen_bar, *seen_node_bar;     /* [n][DIM + 1], [nodes][DIM + 1] */
    real *node_load_bar, *own_load_bar; /* [nodes], [n] */
} mpm_sim_rub;

/* mpm_wall.c: what walls of the grid do along themselves. Where none does, or there is no gradient, pointers are
 * NULL. */
typedef struct {
    double friction[DIM][2];  /* coefficient of each wall, lower and upper of each axis */
    double friction_velocity; /* e of kernels/mpm/mpm_wall.h, m/s */
    real *free_bar;           /* [nodes][DIM] cotangents of p/m + h g */
    real *contribution;       /* [nodes][BOX_WALLS] terms of friction_bar */
    double *friction_bar;     /* [BOX_WALLS] cotangents of the coefficients */
} mpm_sim_walls;

/* mpm_flip.c: FLIP. Where it is not used all pointers are NULL. */
typedef struct {
    int used;           /* the ratio is above 0, or a design sets it */
    double ratio;       /* of FLIP, 0 .. 1; the rest is PIC */
    real *momentum;     /* [nodes][DIM] without forces, kg m/s */
    real *node_bar;     /* [nodes][DIM] cotangents of the nodes' velocities, then of `momentum` */
    real *contribution; /* [n] terms of ratio_bar */
    double *ratio_bar;  /* [1] */
} mpm_sim_flip;

/* mpm_control.c: channels of control, which drive particles. Where there are none all pointers are NULL. */
typedef struct {
    int n_channels;
    int *channel;                        /* [n] that drives the particle; -1: none does. NULL: no particle is driven */
    int *signal;                         /* [n_channels] a pio_signal */
    real *fibre;                         /* [DIM][n_channels] unit direction at rest */
    real *activation;                    /* [n_channels] of this step, Pa */
    double *activation_bar;              /* [n_channels] its cotangents */
    real *contribution;                  /* [n] terms of activation_bar */
    double *parameters, *parameters_bar; /* [CONTROL_PARAMETERS][n_channels] amplitude, frequency, phase; cotangents */
    control_knots *knots;                /* [n_channels] where its knots are among the values */
    double *rate, *rate_bar;             /* [n_channels] of activations, Pa/s; NULL: no observation uses it */
    int n_values;                        /* knots, weights and clocks; 0: values are NULL */
    double *values, *values_bar;         /* [n_values]; cotangents */
} mpm_sim_control;

/* mpm_feedback.c: feedback controllers. Where there are none all pointers are NULL. */
typedef struct {
    sim_networks all;
    mpm_sight *sights, *host_sights; /* [inputs] what each sees, on the device, on the host */
    double *past;                    /* [steps][n_channels] activations of past steps, Pa; NULL: no rate is observed */
    double *past_bar;                /* [n_channels] cotangents of those of the step before; NULL likewise */
} mpm_sim_networks;

/* mpm_obstacle.c: obstacles; see kernels/mpm/mpm_obstacle.h. Where there are none all pointers are NULL. */
typedef struct {
    sim_obstacles all;
    int separating;                       /* one that acts on the grid is separating */
    int sliding;                          /* one of them has friction: what touches it may slide */
    int on_grid, pushing;                 /* one of them acts on the grid; how many have a potential */
    int impulses;                         /* fields of impulses: theirs, their levers, and bodies' */
    int *number;                          /* host [all.n] of the field of impulses of each; of others -1 */
    int *push_number;                     /* the same on the device */
    real *radius;                         /* [n particles] in id order, m: see kernels/mpm/mpm_push_args.h */
    real *push, *push_bar;                /* [impulses] fields [nodes][DIM] N s; cotangents */
    real *pushed_sums;                    /* [nodes][DIM + 1] of the grid with the impulses; NULL: there are none */
    real *force_bar, *direction_bar;      /* [n particles][DIM] cotangents, see kernels/mpm/mpm_push_args.h; NULL: no
                                             design moves these */
    real *velocity_before;                /* [nodes][DIM] before obstacles act, m/s; NULL: no gradient */
    real *contribution;                   /* [nodes][OBSTACLE_PARAMETERS] terms of pose_bar; NULL: no gradient */
    real *centroid_moment, *centroid_bar; /* [nodes][DIM] see kernels/mpm/mpm_centroid.h; cotangents */
} mpm_sim_obstacles;

/* mpm_kinks.c: how often a gradient went near a kink of the motion. */
typedef struct {
    double *counts; /* [KINKS] so far; NULL: there is nothing to count */
    int wall_bends; /* a wall of the grid can separate, or has friction */
} mpm_sim_kinks;

/* mpm_plastic.c: plastic flow. Where there is none all pointers are NULL. */
typedef struct {
    int used;
    int *law;                /* [n] a pio_plastic_law */
    real *yield, *yield_bar; /* [n][PIO_PLASTIC_CONSTANTS] constants; cotangents */
    uint64_t *near; /* [2] particles times steps near a change of branch: of this run, of that of the last gradient */
} mpm_sim_plastic;

/* mpm_reversible.c: the integrator whose steps can be reversed to the bit. Where it is not used its pointers
 * are NULL. */
typedef struct {
    int used;
    mpm_lattice lattice; /* the state; state[0] and state[1] are derived from it and differ in velocities alone */
    mpm_state other;     /* cells and offsets at the other end of the last step, where an observation is between both */
    int64_t *velocity_ahead;    /* [n][DIM] velocities there, in quanta, after the step was computed again */
    double penalty;             /* stiffness of penalty walls, 1/s^2 */
    double damping;             /* rate, 1/s */
    int64_t gamma;              /* factor of velocities in a step, in units of mpm_reversible.c */
    int64_t record_every;       /* steps from one record of bits that damping drops to the next; 0: there are none */
    uint32_t *residual_log;     /* [log_records][n][DIM] these bits; NULL: there is no log */
    int64_t log_records;        /* records that the log has room for */
    int log_short;              /* the log had no room for a record */
    uint32_t *last_record;      /* [n][DIM] the last record that is not in the log */
    int64_t last_record_number; /* which one that is, from 1 on; 0: there is none */
    int fresh; /* lists and grid are of the step that begins with the current state, the other velocity of its end */
} mpm_sim_reversible;

/* mpm_target.c: densities at the nodes of states that are observed. NULL: none is. */
typedef struct {
    mpm_lists lists; /* of the observed state */
    mpm_step *step;  /* [1] with its counts of cells and nodes */
    real *sums;      /* [max_blocks][TILE_NODES] what a block's particles give to the nodes of its tile, kg */
    real *rest;      /* [nodes] density minus the target's, kg/m^3 */
} mpm_sim_targets;

/* mpm_observe.c. */
typedef struct {
    int n_observations;
    mpm_observation *observations; /* host [n_observations] */
} mpm_sim_observe;

/* mpm_parameters.c. */
typedef struct {
    int n_designs;
    mpm_design *designs; /* host [n_designs] */
} mpm_sim_design;

typedef struct {
    pio_sim base;   /* the first member, see mpm_of() */
    mpm_step *step; /* [1] what changes from step to step */
    mpm_sim_grid grid;
    mpm_sim_stepping stepping;
    mpm_sim_particles particles;
    mpm_sim_material material;
    mpm_sim_initial initial;
    mpm_sim_slots slots;
    mpm_sim_contact contact;
    mpm_sim_repulsion repulsion;
    mpm_sim_rub rub;
    mpm_sim_walls walls;
    mpm_sim_flip flip;
    mpm_sim_control control;
    mpm_sim_networks networks;
    mpm_sim_obstacles obstacles;
    mpm_sim_kinks kinks;
    mpm_sim_plastic plastic;
    mpm_sim_reversible reversible;
    mpm_sim_targets targets;
    mpm_sim_observe observe;
    mpm_sim_design design;
} mpm_sim;

#endif
