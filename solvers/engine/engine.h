/* Room solvers/engine: the table that an engine offers to the host, and what simulations of both methods share. */
/* engine.h -- what an engine (device x precision x dimension, one loadable module) offers: a table of functions.
 *
 * The host sees this and never `real`: numbers cross as double, particles in id order, vectors as [n][components]. The
 * module exports one such table per method. */
#ifndef PIOLA_SOLVERS_ENGINE_H
#define PIOLA_SOLVERS_ENGINE_H

#include "piola.h"
#include "solvers/engine/engine_mpm.h"
#include "solvers/engine/vocabulary.h"

enum { PIO_ENGINE_VERSION = 4 };

/* Share of one step in one sample of one observation: sample += weight y(step). A distance at a time between two steps
 * is that of the places between theirs, (1 - past) x(step) + past x(step - 1): no mean of the two distances, which is
 * too large by past (1 - past) times the square of the way. */
typedef struct {
    int64_t step;
    int32_t observation, sample;
    double weight;
    double past; /* of distances, and then step >= 1 unless it is 0; 0 <= past < 1 */
} pio_touch;

typedef struct {
    pio_observable type;
    int32_t body, components, samples; /* values are [samples][components] */
    int32_t axis;                      /* front */
    double sharpness;                  /* front, 1/m */
    const int32_t *marker;             /* distance: [n] row of `points`, or -1 */
    int32_t rows;                      /* distance */
    const double *points;              /* distance: [samples][rows][dim] m; NaN: no point in this sample */
    const double *point_weight;        /* distance: [samples][rows] >= 0, of each sample's points some above; NULL: 1 */
    const double
        *weight;        /* displacement, velocity, reaction: [nodes][dim] share of each unknown, 1; kinetic energy: the
                             first of each node; volume, mass, strain energy, stress: [elements] share of each, 1 */
    double power, size; /* stress: p >= 2; a stress of its size, Pa, on which no value depends */
    /* particles: [n] 1: is observed, some are; 0: is not; NULL: those of `body` are. Separation: 2: is of the other
     * part; not NULL */
    const int32_t *member;
    const double *field; /* shape: [nodes of the grid] signed distance, m; density: target, kg/m^3, some above 0 */
    int32_t outside;     /* shape: what is inside has distance 0 */
    /* effort, smoothness: [channels] how much of each counts; a touch of weight w at state s adds w times the value
     * in the step that led there, s >= 1 */
    const double *share;
} pio_observation_desc;

/* Rows of a linear map between the variables of one design, and of its transpose. */
typedef struct {
    const int32_t *start, *from; /* [variables + 1], [start[variables]] */
    const double *weight;        /* [start[variables]] */
    const int32_t *turned_start, *turned_from;
    const double *turned_weight;
} pio_filter_desc;

typedef struct {
    pio_quantity quantity;
    int32_t components, groups; /* variables: groups * components, group-major; control: channels, 1 */
    const int32_t *index;       /* [n] group of each particle, or -1; NULL for gravity and control */
    int32_t each;               /* every particle is a group of its own */
    int32_t logarithmic;        /* value = exp(a + b z), else a + b z */
    double a, b;
    const double *start,
        *described; /* [variables]: z = start has the value `described` to the bit; both NULL: T alone */
    double base[3]; /* position, velocity: the value at which particles are as described */
    /* load: number of its value; support, and control: the first of as many as there are components; an obstacle's
     * number */
    int32_t which;
    const pio_filter_desc *filter; /* of meshes: value = T(H z), `start` then being of no use; NULL: H = 1 */
    /* of rest positions with one component, `each`: nodes move by value times their [nodes][dim] unit vector; NULL:
     * all components */
    const double *direction;
} pio_design_desc;

/* ---- meshes -------------------------------------------------------------------------------------------------- */

typedef struct {
    pio_element_type type;
    int32_t n;
    const int32_t *nodes; /* [n][nodes of the type] */
} pio_block_desc;

/* A load on faces of one type; a traction or springs also on points: then a force in N, a stiffness in N/m. A body
 * force acts on elements of one block, which are its owners. */
typedef struct {
    pio_load_kind kind;
    pio_element_type type;
    int32_t n;
    const int32_t *vertices; /* [n][nodes of the type] outward by their order; NULL for a body force */
    const int32_t *owner;    /* [n] element behind the face */
    int32_t value, curve;    /* numbers of its value and of its time curve; a curve of -1: constant */
    double scale;            /* Pa (springs: N/m^3, body force: N/m^3) per unit of the value */
    /* 1, of tractions on faces: the value is a force, N, spread evenly over the area at rest, wherever a design
     * moves the nodes, of all loads that share this value, all of them total */
    int32_t total;
} pio_load_desc;

typedef struct {
    int64_t n;          /* nodes */
    const double *rest; /* [n][dim] m */
    int32_t n_blocks;   /* elements are numbered block after block */
    const pio_block_desc *blocks;
    const int32_t *law;      /* [elements] pio_hyper_law */
    const int32_t *lame;     /* [elements] 1: constants are mu, lambda; plus 2: plane stress, of the linear law in 2D */
    const double *given;     /* [elements][5] see hyper_from_parameters */
    const double *density;   /* [elements] kg/m^3 */
    const double *thickness; /* [elements] m; NULL in 3D */
    int32_t n_loads, n_values;
    const pio_load_desc *loads;
    const double *values; /* [n_values][3] of loads; pressures and foundations have one number */
    int32_t n_held;       /* prescribed unknowns, each once */
    const int32_t *held_node, *held_axis, *held_support;
    int32_t n_supports;
    const double *support_value;  /* [n_supports] m */
    const int32_t *support_curve; /* [n_supports] or -1: constant */
    int32_t n_curves;
    const int32_t *curve_start;          /* [n_curves + 1] */
    const double *curve_t, *curve_value; /* piecewise linear, constant outside; t ascending, s */
    double newton_tolerance;             /* of the residual, relative to the forces */
    int32_t newton_iterations;           /* at most */
    double adjoint_tolerance;            /* of the adjoint solve's residual, relative */
    int32_t linear_iterations;           /* at most */
    pio_solve linear;
    double direct_memory; /* bytes that a direct solver may take beside the arena */
    pio_product_choice product;
    int32_t halvings; /* of a step that fails, at most: 0 .. 20 */
    pio_projection projection;
    pio_integrator integrator;
    int32_t lumped;                        /* the masses; the leapfrog's are lumped anyhow */
    const double *alpha, *beta;            /* [elements] Rayleigh's damping alpha M + beta K0, 1/s and s; NULL: 0 */
    const double *displacement, *velocity; /* [n][dim] at the start, m and m/s; NULL: 0. Not of held unknowns */
    /* [n] bits of axes along which a node rests where an elastic body would take it whose other nodes the designs move;
     * NULL: none */
    const int32_t *follows;
    const double *follow_given; /* [elements][5] E and nu of that body; its unit of E does not matter */
} pio_fem_desc;

/* How one implicit step went. Of a direct solver, iterations are solves with a factor. */
typedef struct {
    int32_t newton_iterations, linear_iterations, adjoint_iterations;
    int32_t parts;                     /* equal parts that it was taken in */
    int32_t projected;                 /* Newton iterations with a projected matrix */
    int32_t indefinite;                /* factors of Newton's matrix that showed it to be not positive definite */
    double residual, adjoint_residual; /* relative */
    double forces;                     /* N: what `residual` is relative to. Of several parts, the largest of either */
    /* unit of J per N: norm of the adjoint solution, of what a force out of balance does to J; the largest */
    double adjoint;
    /* m: where rounding of internal forces and not the tolerance ended it, the norm of K^-1 r, by about which they put
     * the displacement off, and of the displacement; of several parts those of the largest K^-1 r. INFINITY: K is not
     * positive definite. Else 0. */
    double doubt, displacement;
} pio_step_record;

/* Of the last sweep back: how large the cotangents of state `step` were, as roots of sums of squares, [0] as the
 * adjoint of the step after left them, [1] with what the samples observe of this state itself. Unit of J per m, and per
 * m/s. And how large the numbers of the state are that rounding is relative to, likewise: of particles their places in
 * cells, of meshes the displacements. */
typedef struct {
    int64_t step;
    double position[2], velocity[2];
    double place, speed; /* m, m/s */
} pio_adjoint_norm;

/* Kinks: what they are, and within which tolerance, with its unit, they were counted as near. */
typedef struct {
    const char *what, *unit;
    double tolerance;
    const char *advice; /* NULL, or: a person is to be told of them, with this */
} pio_kinks;

typedef struct {
    uint32_t size; /* of this struct: who built the caller */
    int32_t device, threads;
    int32_t timing; /* per-kernel timers on */
    pio_grid_desc grid;
    pio_particles_desc particles;
    double dt, cfl, gravity[3];
    int32_t reversible; /* particles: the integrator whose steps can be taken back to the bit */
    double damping;     /* of it, 1/s: v' = -damping v; >= 0 */
    double penalty; /* its walls, 1/s^2: at depth d in a wall a particle gets the acceleration penalty * r(d) out of it,
                     * r = d^2/(2 w) up to half a spacing w, d - w/2 beyond */
    int64_t steps;
    int32_t n_observations, n_touches, n_designs;
    const pio_observation_desc *observations;
    const pio_touch *touches; /* ascending in step */
    const pio_design_desc *designs;
    /* sweeps back end at this state and drop its cotangents: what was before is a constant; 0: at the start */
    int64_t first;
    int64_t slots;   /* states that save() can hold; >= 0 */
    int32_t adjoint; /* room for cotangents */
    int64_t tape;    /* bytes for what steps that will be taken back must remember; 0: none will be */
    /* Particles: room that a slot has for velocities of active nodes. A state is then kept as the step that led to it,
     * cut before its end, and loading it makes that end again (kernels/mpm/mpm_slot.h). Whole states are kept where
     * they are no larger, and for 0. */
    int64_t slot_nodes;
    int32_t n_channels;
    const pio_channel_desc *channels;
    /* Asked where an implicit step looks at a scalar of its own anyway, and now and then by create and measure, by the
     * thread that called: why to stop now, in words, then the call ends with PIOLA_INTERRUPTED and the next is start();
     * or NULL. NULL: never. */
    const char *(*interrupted)(void);
    /* Meshes: 1: start() and check() alone will be called; what only steps need may be left out, and advance() may be
     * refused. */
    int32_t start_only;
    const pio_fem_desc *fem; /* NULL: grid, particles, cfl and channels describe an MPM simulation */
    int32_t n_obstacles;     /* of particles; 0: obstacles is not read */
    const pio_obstacle_desc *obstacles;
    /* Particles: the share, 0 .. 1, of its own velocity's difference from the grid's that a particle keeps in a step
     * (kernels/mpm/mpm_flip.h); 0: APIC. Not of the reversible integrator. */
    double flip;
    int32_t n_control_values, n_networks;
    const double *control_values; /* [n_control_values] knots Pa, weights, clocks; each of one channel or network */
    const pio_knots_desc *knots;  /* [n_channels]; NULL: no channel has any */
    const pio_network_desc *networks;
    /* Several velocity fields: Coulomb's friction between them, >= 0; the velocity of approach, m/s >= PIO_LEAST_ONSET,
     * from which on contact acts in full. */
    double friction, onset;
} pio_engine_desc;

typedef struct {
    size_t state;   /* of one saved state */
    size_t memory;  /* of memory_out() */
    size_t tape;    /* what desc.tape must be for all steps to be taken back, so far as it is known before they run */
    size_t fixed;   /* everything but saved states */
    size_t library; /* what libraries of direct solves and of products predict, beside the arena */
    size_t total;   /* the whole arena and the libraries' */
    size_t context; /* the driver's own memory, not counted */
    size_t free;    /* what the device has free before anything is taken */
    size_t cache;   /* the device's last-level cache; 0: it is not told */
    char device[128], driver[64];
    char solver[64], solver_why[320]; /* of linear equations, and why this one; "": there are none to solve */
    char product[128]; /* whose products it iterates with: "own", or a library's name and version; "" as above */
    /* Particles: desc.slot_nodes as it is used, 0: states are kept whole; active nodes as described, 0: not known. */
    int64_t slot_nodes, start_nodes;
} pio_engine_bytes;

typedef struct pio_sim pio_sim;

typedef struct {
    uint32_t version, size;
    const char *device, *precision, *isa; /* "cpu" "f32" "x86-64-v4" */
    int32_t dimension;
    /* 0 when this machine can run the engine, else PIOLA_UNAVAILABLE and why. */
    piola_status (*probe)(int32_t device, char name[128], char driver[64], piola_error *error);
    /* Bytes that create() would take, without taking them. */
    piola_status (*measure)(const pio_engine_desc *desc, pio_engine_bytes *bytes, piola_error *error);
    piola_status (*create)(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes, piola_error *error);
    void (*destroy)(pio_sim *sim);
    /* Apply the design vector z [variables], make state 0, zero the samples, observe state 0. */
    piola_status (*start)(pio_sim *sim, const double *z, piola_error *error);
    /* Enqueue `steps` steps from the current state, observing each; up to state desc.steps where a network's rates are
     * observed, which have a tape of so many. Faults are found by check(). */
    piola_status (*advance)(pio_sim *sim, int64_t steps, piola_error *error);
    /* Wait; PIOLA_NUMERICAL with step, particle and value if a step failed. */
    piola_status (*check)(pio_sim *sim, piola_error *error);
    /* The current state (with its step number) to and from a slot. */
    piola_status (*save)(pio_sim *sim, int64_t slot, piola_error *error);
    piola_status (*load)(pio_sim *sim, int64_t slot, piola_error *error);
    /* The same as bytes on the host, `state` of pio_engine_bytes of them; `step`: its number. Rates of networks are
     * differences to what this simulation did in the step before. */
    piola_status (*state_out)(pio_sim *sim, void *bytes, piola_error *error);
    piola_status (*state_in)(pio_sim *sim, const void *bytes, int64_t step, piola_error *error);
    /* Between two calls that were told well: all that the simulation holds but kept states, `memory` of
     * pio_engine_bytes of them, of which these are numbers at .. at + n - 1. In ascending order without gaps. They go
     * into a simulation of the same description, after its start() with the same z: it is then where the other one was,
     * but for its slots, which stay as they are. */
    piola_status (*memory_out)(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error);
    piola_status (*memory_in)(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error);
    /* Where check() says PIOLA_NO_MEMORY for want of desc.slot_nodes: how many there must be at least, by what has run
     * so far; else 0. NULL: states are always whole. */
    int64_t (*nodes_needed)(const pio_sim *sim);
    /* Begin the sweep back at the current (last) state, with dJ/dsamples. */
    piola_status (*adjoint_begin)(pio_sim *sim, const double *samples_bar, piola_error *error);
    /* Just after that: the state before the last step, which is still there, becomes the current one. */
    piola_status (*previous_state)(pio_sim *sim, piola_error *error);
    /* With a tape, where the integrator is reversible: the current state n becomes state n - 1, to the bit; else NULL
     * or PIOLA_USAGE. A reverse() of that step may follow, before or after the turn. Steps are recorded that follow a
     * state which a slot has. PIOLA_NO_MEMORY from check() where the tape was too short. */
    piola_status (*inverse_step)(pio_sim *sim, piola_error *error);
    /* Words of 32 bits in which the current state and that in a slot differ. */
    piola_status (*differs)(pio_sim *sim, int64_t slot, int64_t *words, piola_error *error);
    /* Bytes of the tape that are in use. NULL where there is never one. */
    piola_status (*taped)(pio_sim *sim, int64_t *bytes, piola_error *error);
    /* The adjoint of the step that leaves the current state: cotangents of the next state become those of this one. */
    piola_status (*adjoint_step)(pio_sim *sim, piola_error *error);
    /* At state desc.first: gradients per particle, and of the design vector: value_bar and z_bar [variables] (may be
     * NULL). */
    piola_status (*adjoint_end)(pio_sim *sim, double *value_bar, double *z_bar, piola_error *error);
    piola_status (*samples)(pio_sim *sim, double *values, piola_error *error);
    /* [variables] the values that the design vector of the last start() has, to the bit those that the run is of. */
    piola_status (*values)(pio_sim *sim, double *values, piola_error *error);
    /* Components of a field by name, 0 if there is none of that name. Fields of particles: position, those of
     * mpm_fields.def, mass, J, F, pressure (of the law, without activation); adj_position, adj_velocity (cotangents of
     * the current state); after adjoint_end grad_position, grad_velocity, grad_given_0..2, grad_density, and where
     * solids are viscous grad_viscosity; the design's value fields given_0..2, density, viscosity. Of meshes see
     * fem_fields.c; adj_displacement and adj_velocity are cotangents of the current state (fem_frames.c), adj_force is
     * that of external forces at the end of the step that was reversed last, and after adjoint_end that of forces at
     * the start. */
    int32_t (*components)(const pio_sim *sim, const char *field);
    piola_status (*read)(pio_sim *sim, const char *field, double *values, piola_error *error);
    int64_t (*step)(const pio_sim *sim);
    /* Items of a field: particles, nodes or elements; 0 if there is none of that name. */
    int64_t (*items)(const pio_sim *sim, const char *field);
    /* Step number `step` of the last sweep; returns 0 where nothing was solved. */
    int (*record)(const pio_sim *sim, int64_t step, pio_step_record *record);
    /* 1: the runs that follow cut their steps into parts as the last run did, with more iterations of Newton's method,
     * and fail where that is not enough; 0: every run anew. NULL where nothing is cut. */
    void (*repeat)(pio_sim *sim, int on);
    /* To which tolerance, no larger than the description's, Newton's method goes on in the runs that follow where it
     * can; at first the description's, or less where the integrator has a use for it. NULL where nothing is solved. */
    void (*goal)(pio_sim *sim, double tolerance);
    /* The library of direct solves that this device has: its name and version, or PIOLA_UNAVAILABLE and why there is
     * none. */
    piola_status (*direct)(int32_t device, char name[128], piola_error *error);
    /* The same of products. */
    piola_status (*product)(int32_t device, char name[128], piola_error *error);
    /* Timer number i: name, calls and seconds; returns 0 past the last. */
    int (*timer)(const pio_sim *sim, int32_t i, const char **name, int64_t *calls, double *seconds);
    void (*timer_reset)(pio_sim *sim);
    /* Norms of the last sweep back, in the order of steps: `norms` has room for as many as there are, which is what it
     * returns
     * (NULL: it returns that alone). Some thousands at most besides the states that are observed. 0 of a static run,
     * whose states do not depend on one another, and of a simulation without room for cotangents. */
    int64_t (*adjoint_norms)(pio_sim *sim, pio_adjoint_norm *norms);
    /* Wait; PIOLA_NUMERICAL, PIOLA_FAILED_GRADIENT and the step where the cotangents first were too large for a norm,
     * going back: in f32 where one is not finite, in f64 beyond about 1e154. NULL: the driver does not ask. */
    piola_status (*check_adjoint)(pio_sim *sim, piola_error *error);
    /* Of the last gradient, kinks of kind number i near which it went, and how often; -1 past the last kind. NULL:
     * there are none. */
    int64_t (*kinks)(pio_sim *sim, int32_t i, pio_kinks *kinks);
} pio_engine;

extern const pio_engine piola_engine;     /* particles: MPM */
extern const pio_engine piola_engine_fem; /* meshes: FEM */

#endif
