/* Room solvers/engine: the table that an engine offers to the host, and what simulations of both methods share. */
/* engine.h -- what an engine (device x precision x dimension, one loadable module) offers: a table of functions.
 *
 * The host sees this and never `real`: numbers cross as double, particles in id order, vectors as [n][components]. The
 * module exports one such table per method. */
#ifndef PIOLA_SOLVERS_ENGINE_H
#define PIOLA_SOLVERS_ENGINE_H

#include "piola_status.h"
#include "solvers/engine/engine_fem.h"
#include "solvers/engine/engine_mpm.h"
#include "solvers/engine/engine_obstacle.h"
#include "solvers/engine/vocabulary.h"

enum { PIO_ENGINE_VERSION = 18 };

/* The weight of one step in one sample of one observation: sample += weight y(step). An observed distance at a time
 * between two steps is that of the interpolated positions, (1 - past) x(step) + past x(step - 1). The mean of the two
 * distances would be too large by past (1 - past) times the square of the displacement between the steps. */
typedef struct {
    int64_t step;                /* number of the state, 0 .. desc.steps */
    int32_t observation, sample; /* index of the observation; of its sample */
    double weight;               /* factor of the value in the sample, 1 */
    double past;                 /* weight of the state before, of distances alone: 0 <= past < 1; step >= 1 unless 0 */
} pio_sample_weight;

/* A quantity that is observed over time. */
typedef struct {
    pio_observable type;               /* what is observed */
    int32_t body, components, samples; /* the body of particles; values are [samples][components] */
    /* contact force, gap: number of the obstacle, or -1: of the surfaces of `body`, and of body `other`, which may be
     * the same, or -1: of any */
    int32_t obstacle, other;
    int32_t axis;          /* front: the axis along which it advances */
    double sharpness;      /* front: of the smooth maximum, or of the quantile's smooth step, 1/m */
    double quantile;       /* front: this fraction of the mass lies below it, in (0, 1); 0: the smooth maximum */
    const int32_t *marker; /* distance: [n] row of `points` of each particle or node, or -1; NULL: see row_start */
    int32_t rows;          /* distance: number of measured points */
    const double *points;  /* distance: [samples][rows][dim] m; NaN: no point in this sample */
    /* distance: [samples][rows] weight of each point, >= 0 and of each sample some above 0; NULL: 1 */
    const double *point_weight;
    /* frequency: step k is mode k, and a sample weight at step k that of its frequency; it has no other tables.
     * displacement, velocity, reaction and its moment, angular momentum: [nodes][dim] weight of each unknown, 1;
     * kinetic energy, contact pressure: the first of each; volume, mass, strain energy, fields: [elements] weight, 1 */
    const double *weight;
    pio_measure measure; /* fields over elements; contact pressure, of which there is no maximum */
    double power, size;  /* p-norm: exponent p >= 2; a typical value in the field's unit, which no value depends on */
    double center[3];    /* moment, angular momentum: the centre, m */
    /* fields at a point: number of elements that have it, the value being the mean of those in them; 0: they are over
     * elements */
    int32_t places;
    const int32_t *place_element; /* [places] these elements */
    const double *place_xi;       /* [places][3] the point in the reference element of each */
    /* distance, in place of `marker`: the nodes on which the points depend. [rows + 1] where those of each row begin;
     * [start[rows]] nodes, and the values of their shape functions; NULL: see marker. */
    const int32_t *row_start, *row_node;
    const double *row_shape; /* likewise */
    /* the transpose: [nodes + 1]; [start[rows]] rows, ascending for each node */
    const int32_t *node_start, *node_row;
    const double *node_shape; /* likewise */
    /* Particles: [n] 1: is observed, as at least one is; 0: is not; NULL: those of `body` are. Separation: not NULL,
     * and 2: belongs to the other part. */
    const int32_t *member;
    const double *field; /* shape: [nodes of the grid] signed distance, m; density: target, kg/m^3, some above 0 */
    int32_t outside;     /* shape: 1: points inside have distance 0 */
    /* effort, smoothness: [channels] weight of each; a sample weight w at state s >= 1 adds w times the value in the
     * step that led there */
    const double *channel_weight;
} pio_observation_desc;

/* A map between the variables of one design, out = H z + c, by rows of H and of its transpose as sparse matrices, or by
 * a function of the host where H is an inverse. */
typedef struct pio_filter_desc {
    const int32_t *start, *from; /* [variables + 1] first entry of each row; [start[variables]] column of each entry */
    const double *weight;        /* [start[variables]] value of each entry */
    const int32_t *transposed_start, *transposed_from; /* likewise of the transpose */
    const double *transposed_weight;                   /* likewise */
    const double *offset;                              /* [variables] c; NULL: 0 */
    /* NULL, or in place of all lists and of c: sets out = H z + c, or with `transposed` H^T z, both [variables] of the
     * host. It is called from start() and from adjoint_end(), and what it points to must stay until then. Returns
     * PIOLA_NUMERICAL where the equations were not solved, or PIOLA_NO_MEMORY. */
    piola_status (*apply)(const struct pio_filter_desc *filter, int transposed, const double *z, double *out,
                          piola_error *error);
    const void *context; /* of that function, one block of memory; NULL with lists */
} pio_filter_desc;

/* One entry of the design vector: which values its variables z determine. */
typedef struct {
    pio_quantity quantity;      /* what the values are; their unit is that of the quantity */
    int32_t components, groups; /* variables: groups * components, group-major; control: channels, 1 */
    const int32_t *index;       /* [n] group of each particle, node or element, or -1; NULL for gravity and control */
    int32_t each; /* 1: every particle, node or element is a group of its own, or with `member` one of a few */
    /* of elements: [groups + 1]; [member_start[groups]] elements of each group, ascending; NULL: see each and index */
    const int32_t *member_start, *member;
    int32_t logarithmic; /* 1: value = exp(a + b z); 0: a + b z */
    double a, b;         /* of that map, in the value's unit, or in its logarithm */
    /* [variables] each: where z = start, the value is `reference` to the bit; both NULL: the map alone is used */
    const double *start, *reference;
    double base[3]; /* position, velocity: the value in the reference state, m or m/s */
    /* load: number of its value; constant, obstacle: its number; support, control values: the first of as many as there
     * are components */
    int32_t which;
    int32_t component; /* vectors but support: the first of as many components of the vector as there are here */
    const pio_filter_desc *filter; /* of a field: value = map(H z + c), and `start` is not read; NULL: z */
    /* With a filter, above 0: the sharpness beta of its projection, value = map(P(H z + c)), design_project; 0: there
     * is none. What project() sets takes its place. */
    double sharpness;
    double threshold; /* of the projection, 0 < threshold < 1, in z */
    /* of rest positions with one component and `each`: nodes move by the value times their unit vector, [nodes][dim];
     * NULL: all components */
    const double *direction;
} pio_design_desc;

/* Linear solves in which `auto` went on with another solver, and how the first of them failed. */
typedef struct {
    int32_t solves;     /* number of them */
    int32_t failure;    /* piola_failure_kind of the first */
    int32_t iterations; /* that it took */
    int32_t by_factor;  /* 1: a direct solver went on, 0: an iterative one */
    double residual;    /* relative, at which it stopped */
} pio_takeover;

/* How one implicit step went. With a direct solver, iterations are solves with a factor. Of modal analysis, how one
 * mode was found: `residual` is relative to max(eigenvalue, |shift|) |M phi|, linear_iterations of the first are the
 * solves of all, and only these and the last members are set. */
typedef struct {
    int32_t newton_iterations;         /* of Newton's method, all parts together */
    int32_t linear_iterations;         /* of its linear solves, all together */
    int32_t adjoint_iterations;        /* of the linear solves of the adjoint step */
    int32_t parts;                     /* equal parts into which the step was divided */
    int32_t projected;                 /* Newton iterations with a projected matrix */
    int32_t indefinite;                /* factorisations that showed Newton's matrix to be not positive definite */
    double residual, adjoint_residual; /* relative; what elements leave, the largest of the parts */
    double adjoint_error; /* of the adjoint where rounding ended its corrections: the last one, relative; otherwise 0 */
    double forces;        /* N: what `residual` is relative to. Of several parts, the largest of either */
    /* Norm of the adjoint solution, that is dJ/d(force out of balance), unit of J per N; the largest of the parts. */
    double adjoint;
    /* Where rounding of internal forces and not the tolerance ended the iteration: the norm of K^-1 r, about the error
     * of the displacement, and the larger norm of u before and after, m; of several parts those of the largest K^-1 r.
     * INFINITY: K is not positive definite. Otherwise 0. */
    double displacement_error, displacement;
    pio_takeover takeover, adjoint_takeover; /* in the step; in its adjoint */
    /* With which solver the step began, the step ended, and its adjoint ended: 1: by a factor, 0: by iterations. */
    int32_t began_by_factor, ended_by_factor, adjoint_by_factor;
    double eigenvalue, frequency; /* of the mode, 1/s^2 and Hz; 0: a rigid motion */
    /* Modes that were found below the frequency counted_at, Hz, which lies in a gap behind the modes that were wanted;
     * eigenvalues there by the negative pivots of a factor. They are equal, or the run has failed. */
    int32_t modes_found, modes_counted;
    double counted_at; /* Hz */
} pio_step_record;

/* Where `auto` went on with another linear solver than the one of pio_engine_bytes, in the last run and its sweeps. */
typedef struct {
    int64_t forward, adjoint; /* number of linear solves, of steps and of their adjoints; the rest counts as forward */
    char why[320];            /* the first of them, in words; "": there is none */
    size_t bytes;             /* that the direct solver takes beside `total` */
    size_t needed;            /* what it would take, more than standby_memory; 0: that was enough */
} pio_solver_change;

/* Norms, as roots of sums of squares, of the cotangents of state `step` in the last adjoint sweep: [0] as the adjoint
 * of the next step left them, [1] with the contributions of the samples that observe this state. Also the norms of
 * those numbers of the state that rounding is relative to: positions in cells for particles, displacements for meshes.
 */
typedef struct {
    int64_t step;                    /* number of the state */
    double position[2], velocity[2]; /* unit of J per m, and per m/s */
    double place, speed;             /* m, m/s */
} pio_adjoint_norm;

/* Contact of meshes with obstacles and with each other in the last run, over all its states. */
typedef struct {
    int64_t points;       /* nodes of outer faces; 0: nothing can touch */
    int64_t began, ended; /* how often one came within reach of a barrier, and left it */
    double gap;           /* least distance of a node from an obstacle, m */
    int rough;            /* an obstacle may have friction; of those that press, over all states: */
    /* at less than a third of the friction velocity, up to three times it, and beyond */
    int64_t stuck, between, slid;
    int64_t pairs, room; /* surfaces: the most pairs at a time that were near; those that there can be; 0: none */
    int64_t met, parted; /* how often a node of a surface came within reach of another, and left it */
    double nearest;      /* least distance between surfaces, m; where they never met their contact's distance */
    int rubs;            /* surfaces may have friction between them */
    int64_t rub_stuck, rub_between, rub_slid; /* of pairs that press, as stuck, between and slid of nodes */
} pio_contact_report;

/* A kind of kinks (points where the derivative jumps), and the tolerance within which they were counted as near. */
typedef struct {
    const char *what, *unit; /* description; unit of the tolerance */
    double tolerance;        /* in `unit`; the larger, the more are counted */
    const char *advice;      /* what to do about them, to be shown to the user; NULL: they need not be reported */
} pio_kinks;

/* The description of a simulation, of particles or of a mesh. */
typedef struct {
    uint32_t size;                /* of this struct, as the caller was built */
    int32_t device, threads;      /* number of the device; threads of a CPU */
    int32_t timing;               /* 1: per-kernel timers are on */
    pio_grid_desc grid;           /* particles: the background grid */
    pio_particles_desc particles; /* particles: their state and materials */
    double dt, cfl, gravity[3];   /* s; particles: largest fraction of a cell in a step; m/s^2 */
    int32_t reversible;           /* particles: 1: the integrator with an exact inverse step */
    double damping;               /* of the reversible integrator, 1/s, >= 0: v' = -damping v */
    /* Its penalty walls, 1/s^2: at depth d in a wall a particle gets the outward acceleration penalty * r(d), with
     * r = d^2/(2 w) up to half a spacing w, and d - w/2 beyond. */
    double penalty;
    int64_t steps;                                       /* of the run */
    int32_t n_observations, n_sample_weights, n_designs; /* numbers of observations, weights and entries */
    const pio_observation_desc *observations;            /* [n_observations] */
    const pio_sample_weight *sample_weights;             /* [n_sample_weights] ascending in step */
    const pio_design_desc *designs;                      /* [n_designs] */
    /* Adjoint sweeps end at this state and drop its cotangents, as states before it are constants; 0: the start. */
    int64_t first;
    int64_t slots;        /* states that save() can hold; >= 0 */
    int32_t adjoint;      /* 1: memory for cotangents is taken */
    int64_t residual_log; /* bytes of the residual log that inverse steps need; 0: there is none */
    /* Particles: number of active nodes whose velocities a slot can hold. A state is then stored as the step that led
     * to it, cut before its end, and loading it computes that end again (kernels/mpm/mpm_slot.h). Whole states are
     * stored where they are no larger, and for 0. */
    int64_t slot_nodes;
    /* Particles, of whole states: 1: a slot has room for the sums at nodes of the step that its state begins, and for
     * where the particles of each cell begin, so that the adjoint of that step need not compute them again. */
    int32_t slot_sums;
    int32_t n_channels;               /* number of channels; 0: no control */
    const pio_channel_desc *channels; /* [n_channels] control of particles or elements */
    /* Polled by the calling thread where an implicit step reads a scalar of its own anyway, and now and then by create
     * and measure: returns the reason to stop now, in words, or NULL. A call that is stopped ends with
     * PIOLA_INTERRUPTED, and the next call is start(). NULL: never. */
    const char *(*interrupted)(void);
    /* Meshes: 1: only start() and check() will be called; memory that only steps need may be left out, and advance()
     * may fail. */
    int32_t start_only;
    const pio_fem_desc *fem;            /* NULL: grid, particles, cfl and channels describe an MPM simulation */
    int32_t n_obstacles;                /* number of them; 0: obstacles is not read */
    const pio_obstacle_desc *obstacles; /* [n_obstacles] */
    /* Particles: the FLIP ratio, 0 .. 1: the fraction of the difference between its own velocity and the grid's that a
     * particle keeps in a step (kernels/mpm/mpm_flip.h); 0: APIC. Not of the reversible integrator. */
    double flip;
    int32_t n_control_values, n_networks; /* numbers of control values and of networks */
    const double *control_values;     /* [n_control_values] knots Pa, weights, clocks; each of one channel or network */
    const pio_knots_desc *knots;      /* [n_channels]; NULL: no channel has any */
    const pio_network_desc *networks; /* [n_networks] */
    /* Several velocity fields: the coefficient of Coulomb's friction between them, >= 0; the regularisation velocity,
     * m/s >= PIO_LEAST_VELOCITY: the velocity of approach from which contact on the grid acts in full, or the sliding
     * speed at which friction of fields that repel each other has 0.7 of its size, which is read only with friction. */
    double friction, regularisation_velocity;
    /* How they act on each other: at nodes of the grid; or by a potential of the places of particles of solids
     * (kernels/mpm/mpm_repel.h), with friction of its forces (kernels/mpm/mpm_rub.h). */
    pio_contact_model contact_model;
    double contact_stiffness; /* of that potential, Pa > 0 */
    double contact_distance;  /* over which it sets in, m > 0, at most a spacing of the grid */
} pio_engine_desc;

/* Memory that a simulation takes, in bytes, and what it runs on. */
typedef struct {
    size_t state;        /* of one saved state */
    size_t beside_state; /* of what a slot of slot_sums has room for beside it */
    size_t memory;       /* of memory_out() */
    size_t residual_log; /* desc.residual_log with which all steps can be reversed, as far as known before they run */
    size_t fixed;        /* everything except saved states */
    size_t library;      /* what libraries of direct solves and of products predict, beside the arena */
    size_t total;        /* the whole arena and the libraries' */
    size_t context;      /* the driver's own memory, not counted in total */
    size_t free;         /* what the device has free before anything is taken, and `kept` is left */
    size_t kept;         /* what is left to the driver, for code of kernels and local memory; not counted in total */
    size_t cache;        /* the device's last-level cache; 0: unknown */
    char device[128], driver[64];     /* names of the device and of its driver */
    char solver[64], solver_why[320]; /* of linear equations, and why this one; "": there are none to solve */
    char product[128]; /* whose products it iterates with: "own", or a library's name and version; "" as above */
    /* Particles: desc.slot_nodes as it is used, 0: states are stored whole; active nodes at the start, 0: unknown. */
    int64_t slot_nodes, start_nodes;
    int64_t stress_points; /* meshes: integration points that fields of stress have; 0: none are wanted there */
} pio_engine_bytes;

/* What a simulation gives its device to do, and how often it waits for it. */
typedef struct {
    int64_t launches; /* of kernels, and of products and direct solves by a library */
    int64_t copies;   /* copies and fills of device memory */
    int64_t waits;    /* of the host for the device */
    int64_t graphs;   /* launches of whole CUDA graphs, of which the launches and copies are counted above */
} pio_device_calls;

typedef struct pio_sim pio_sim;

/* The table of an engine. Functions that return piola_status fill `error` when that is not PIOLA_OK; PIOLA_UNAVAILABLE
 * is an error of the device in any of them. */
typedef struct {
    uint32_t version, size;               /* PIO_ENGINE_VERSION; size of this struct */
    const char *device, *precision, *isa; /* "cpu" "f32" "x86-64-v4" */
    int32_t dimension;                    /* 2 or 3 */
    /* Returns PIOLA_OK with the names of device and driver if this machine can run the engine, or PIOLA_UNAVAILABLE and
     * why. */
    piola_status (*probe)(int32_t device, char name[128], char driver[64], piola_error *error);
    /* Sets the bytes that create() would take, without taking them. Returns the errors of create(). */
    piola_status (*measure)(const pio_engine_desc *desc, pio_engine_bytes *bytes, piola_error *error);
    /* Creates a simulation, and sets the bytes that it takes. Returns PIOLA_BAD_DATA or PIOLA_INTERNAL where the
     * description cannot be, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
    piola_status (*create)(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes, piola_error *error);
    /* Frees a simulation, which may be NULL. */
    void (*destroy)(pio_sim *sim);
    /* Applies the design vector z [variables], sets state 0, zeroes the samples and observes state 0. Returns, of
     * meshes, PIOLA_NUMERICAL where what must be solved for that cannot be, or the time step is certain to be unstable,
     * and PIOLA_INTERRUPTED. */
    piola_status (*start)(pio_sim *sim, const double *z, piola_error *error);
    /* Enqueues `steps` steps from the current state and observes each; not past state desc.steps where rates of a
     * network are observed, of which only so many are stored. Returns PIOLA_NUMERICAL where an implicit step fails, or
     * PIOLA_INTERRUPTED within it; all other faults of steps are found by check(). */
    piola_status (*advance)(pio_sim *sim, int64_t steps, piola_error *error);
    /* Waits for the steps. Returns PIOLA_NUMERICAL with step, item and value if a step failed, or PIOLA_NO_MEMORY
     * where kept states or the residual log need more room than they have. */
    piola_status (*check)(pio_sim *sim, piola_error *error);
    /* State number `state` will be saved in this slot as soon as it is there: the step that leads to it may write it
     * where it will stay. A hint: what the slot holds is lost then, and no bit depends on it. NULL: it would be of no
     * use. */
    void (*will_save)(pio_sim *sim, int64_t slot, int64_t state);
    /* Copies the current state, with its step number, into a slot, 0 .. desc.slots - 1. Returns PIOLA_INTERNAL for any
     * other slot, or where states are stored as steps and the step that led to this one is not in memory. */
    piola_status (*save)(pio_sim *sim, int64_t slot, piola_error *error);
    /* Makes the state in a slot the current one. Returns PIOLA_INTERNAL if the slot holds none. */
    piola_status (*load)(pio_sim *sim, int64_t slot, piola_error *error);
    /* Copies the current state to the host, `state` of pio_engine_bytes of bytes. Where states are stored as steps, it
     * returns the errors of check(). */
    piola_status (*state_out)(pio_sim *sim, void *bytes, piola_error *error);
    /* Makes such a state, number `step`, the current one. Rates of networks are differences to the previous step of
     * this simulation. */
    piola_status (*state_in)(pio_sim *sim, const void *bytes, int64_t step, piola_error *error);
    /* Copies bytes at .. at + n - 1 of all that the simulation holds except saved states, `memory` of pio_engine_bytes
     * of them, to the host; between two calls that succeeded, in ascending order without gaps. Returns
     * PIOLA_NO_MEMORY without host memory. */
    piola_status (*memory_out)(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error);
    /* Puts them into a simulation of the same description, after its start() with the same z; it then continues where
     * the other one was, except for its slots, which stay as they are. Returns PIOLA_NO_MEMORY without host memory. */
    piola_status (*memory_in)(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error);
    /* Returns the least desc.slot_nodes that the steps run so far need, where check() returned PIOLA_NO_MEMORY for want
     * of them; otherwise 0. NULL: states are always whole. */
    int64_t (*nodes_needed)(const pio_sim *sim);
    /* Begins an adjoint sweep at the current, last, state, with dJ/dsamples [n_samples]. Returns PIOLA_INTERNAL without
     * memory for cotangents. */
    piola_status (*adjoint_begin)(pio_sim *sim, const double *samples_bar, piola_error *error);
    /* Just after adjoint_begin(): makes the state before the last step, which is still in memory, the current one.
     * Returns PIOLA_INTERNAL where it is not. */
    piola_status (*previous_state)(pio_sim *sim, piola_error *error);
    /* The inverse of a step, of reversible integrators: the current state n becomes state n - 1, to the bit. An
     * adjoint_step() of that step may follow, in a sweep that has begun before or begins later. Steps are recorded
     * after a state that is in a slot. PIOLA_USAGE where steps have no inverse, or NULL; PIOLA_NO_MEMORY from check()
     * where the log was too short. */
    piola_status (*inverse_step)(pio_sim *sim, piola_error *error);
    /* Counts the words of 32 bits in which the current state and that in a slot differ. Returns PIOLA_INTERNAL if the
     * slot holds none, or PIOLA_USAGE where states cannot be compared. */
    piola_status (*differs)(pio_sim *sim, int64_t slot, int64_t *words, piola_error *error);
    /* Sets the bytes of the residual log that are in use. NULL: there is never one. */
    piola_status (*residual_log_bytes)(pio_sim *sim, int64_t *bytes, piola_error *error);
    /* The adjoint of the step that leaves the current state: cotangents of the next state become those of this one.
     * Returns, of meshes, PIOLA_NUMERICAL where the adjoint solve fails, and PIOLA_INTERRUPTED. */
    piola_status (*adjoint_step)(pio_sim *sim, piola_error *error);
    /* Ends the sweep at state desc.first: gradients per particle, and of the design vector: value_bar and z_bar
     * [variables], in units of J per unit of the value and of z; each may be NULL. Returns PIOLA_INTERNAL at any other
     * state, and of meshes the errors of adjoint_step(). */
    piola_status (*adjoint_end)(pio_sim *sim, double *value_bar, double *z_bar, piola_error *error);
    /* Reads the samples [n_samples]: observation after observation, [samples][components] of each. */
    piola_status (*samples)(pio_sim *sim, double *values, piola_error *error);
    /* Reads the values [variables] that the last start() made of the design vector, the same bits that the run uses. */
    piola_status (*values)(pio_sim *sim, double *values, piola_error *error);
    /* Returns the number of components of a field; 0: there is no field of this name. Fields of particles: position,
     * those of mpm_fields.def, mass, J, F, pressure (of the law, without activation); adj_position, adj_velocity
     * (cotangents of the current state); after adjoint_end grad_position, grad_velocity, grad_parameter_0..4 (as
     * many as the laws have constants), grad_density, where solids are viscous grad_viscosity and where they are
     * plastic grad_yield_0..2; the design's value fields parameter_0..4, density, viscosity, yield_0..2. For meshes see
     * fem_fields.c; adj_displacement and adj_velocity are cotangents of the current state (fem_frames.c), adj_force is
     * that of external forces at the end of the step of the last adjoint_step(), and after adjoint_end that of forces
     * at the start. */
    int32_t (*components)(const pio_sim *sim, const char *field);
    /* Reads a field, [items][components]. Returns PIOLA_USAGE if there is none of this name, or this state has none;
     * for cotangents of meshes also the errors of adjoint_step(). */
    piola_status (*read)(pio_sim *sim, const char *field, double *values, piola_error *error);
    /* Reads a field as read() does into memory of its own on the device, which it sets *values to, also where that is
     * the host: no value of the device travels through the host, and all is complete. The device has number
     * desc.device. Returns the errors of read(), or PIOLA_NO_MEMORY; *values is then NULL. */
    piola_status (*read_device)(pio_sim *sim, const char *field, double **values, piola_error *error);
    /* Returns memory of read_device(), with its number of bytes: 8 for each value. Any thread may call it, also after
     * destroy(). */
    void (*release)(double *values, size_t bytes);
    /* Sets the name of field i of those that read() has now, in no order; returns 0 past the last. */
    int (*field)(const pio_sim *sim, int32_t i, char name[64]);
    /* Returns the number of the current state. */
    int64_t (*step)(const pio_sim *sim);
    /* Returns the number of items of a field: particles, nodes or elements; 0: there is no field of this name. */
    int64_t (*items)(const pio_sim *sim, const char *field);
    /* Sets the record of step number `step` of the last sweep; returns 0 where nothing was solved. */
    int (*record)(const pio_sim *sim, int64_t step, pio_step_record *record);
    /* 1: following runs divide their steps into parts as the last run did, with more iterations of Newton's method, and
     * fail where that is not enough; 0: every run decides anew. NULL where no step is divided. */
    void (*repeat)(pio_sim *sim, int on);
    /* Sets the tolerance, no larger than the description's, to which Newton's method continues in following runs where
     * it can; initially the description's, or less where the integrator makes use of it. NULL where nothing is solved.
     */
    void (*goal)(pio_sim *sim, double tolerance);
    /* Sets the sharpness of the projection of design entry number `design` in following runs; initially the
     * description's. */
    void (*project)(pio_sim *sim, int32_t design, double sharpness);
    /* Sets name and version of the library of direct solves that this device has. PIOLA_UNAVAILABLE and why there is
     * none. */
    piola_status (*direct)(int32_t device, char name[128], piola_error *error);
    /* Likewise of the library of products of matrix and vector. */
    piola_status (*product)(int32_t device, char name[128], piola_error *error);
    /* Sets name, calls and seconds of timer number i; returns 0 past the last. */
    int (*timer)(const pio_sim *sim, int32_t i, const char **name, int64_t *calls, double *seconds);
    /* Zeroes all timers. */
    void (*timer_reset)(pio_sim *sim);
    /* Sets what the simulation has given its device to do since it was created. */
    void (*calls)(const pio_sim *sim, pio_device_calls *calls);
    /* Sets the norms of the last adjoint sweep in the order of steps, and returns their number, for which `norms` has
     * room (NULL: it is only returned): the observed states and some thousands at most besides. 0 of a static run,
     * whose states do not depend on one another, and of a simulation without memory for cotangents. */
    int64_t (*adjoint_norms)(pio_sim *sim, pio_adjoint_norm *norms);
    /* Waits for the adjoint steps. PIOLA_NUMERICAL with PIOLA_FAILED_GRADIENT and the first step of the sweep at which
     * the cotangents were too large for a norm: in f32 where one is not finite, in f64 beyond about 1e154. NULL: the
     * driver does not call it. */
    piola_status (*check_adjoint)(pio_sim *sim, piola_error *error);
    /* Sets the changes of the linear solver. NULL where nothing is solved. */
    void (*solver_change)(const pio_sim *sim, pio_solver_change *change);
    /* Describes kinks of kind number i and returns how often the last gradient passed near one; -1 past the last kind.
     * NULL: there are none. */
    int64_t (*kinks)(pio_sim *sim, int32_t i, pio_kinks *kinks);
    /* Sets how bodies and obstacles met in the last run. NULL: nothing is reported. */
    piola_status (*contact)(pio_sim *sim, pio_contact_report *report, piola_error *error);
} pio_engine;

extern const pio_engine piola_engine;     /* particles: MPM */
extern const pio_engine piola_engine_fem; /* meshes: FEM */

#endif
