/* Room solvers/fem: the engine of meshes: Newton's method, time integrators, adjoint solves. */
/* fem.h -- the FEM simulation: its device arrays, one implicit step in each direction, observations and design. */
#ifndef PIOLA_SOLVERS_FEM_H
#define PIOLA_SOLVERS_FEM_H

#include "solvers/fem/fem_sim.h"

/* The part-th of `parts` equal parts of a step, 0 .. parts-1. */
typedef struct {
    int64_t step;
    int part, parts;
} fem_span;

static inline fem_span fem_whole(int64_t step)
{
    return (fem_span){step, 0, 1};
}

/* Is it one of the explicit integrators? */
static inline int fem_leaps(const fem_sim *f)
{
    return f->motion.integrator == PIO_LEAPFROG || f->motion.integrator == PIO_REVERSIBLE_LEAPFROG;
}

/* A vector of a state, of its cotangents and so on; NULL where the run has none. */
static inline real *fem_state(const fem_sim *f, real *block, int which)
{
    return f->state.vector_at[which] < 0 ? NULL
                                         : block + (size_t)f->state.vector_at[which] * DIM * (size_t)f->mesh.nodes;
}

static inline fem_sim *fem_of(pio_sim *sim)
{
    return (fem_sim *)sim; /* base is its first member */
}

/* fem_create.c */
piola_status fem_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error);
piola_status fem_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error);
void fem_destroy(pio_sim *sim);

/* fem_memory.c: lay out (measure) all device memory of `f` in its arena. */
void fem_layout(fem_sim *f, const pio_engine_desc *desc);
/* See pio_engine. */
piola_status fem_memory_out(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error);
piola_status fem_memory_in(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error);
/* Is a design's index one of nodes, or of elements? */
int fem_nodal(pio_quantity quantity);

/* fem_rows.c: are constants those of few runs of elements? 0 without memory. Upload them; the row of an element, or the
 * element itself; look at constants once shapes were looked at. */
int fem_rows_find(fem_sim *f, const pio_engine_desc *desc);
void fem_rows_upload(fem_sim *f, const pio_fem_desc *m);
int fem_row_of(const fem_sim *f, int element);
void fem_rows_check(fem_sim *f);

/* fem_vector.c: one part with a rule; constants of all elements. out = a x + b y of vectors [nodes][DIM]; x = 0 where
 * held, or
 * (keep_held) where free; x = 0; out [nodes][DIM] += at each node what its corners have in `in`, [corners][DIM]. */
fem_block fem_block_of(const fem_sim *f, const fem_part *p, int rule);
fem_matter fem_matter_of(const fem_sim *f);
void fem_combine(fem_sim *f, double a, const real *x, double b, const real *y, real *out);
void fem_held(fem_sim *f, int keep_held, real *x);
void fem_zero_points(fem_sim *f, real *x);
void fem_add_corners(fem_sim *f, const real *in, real *out);
/* factor [curves]: those at the end of a span. */
void fem_curves(fem_sim *f, fem_span span, double *factor);
/* supports.value_bar += the sums of supports.contribution over the unknowns that each support constrains. */
void fem_supports_sum(fem_sim *f);
/* From cotangents u1_bar of the held unknowns to those of the supports' values. */
void fem_supports_adj(fem_sim *f, const real *u1_bar);

/* fem_faces.c: sets out [vertices][DIM] to what the vertices have of `in` [nodes][DIM], by the map of surface.h. */
void fem_to_vertices(fem_sim *f, const real *in, real *out);
/* A load's factor, device memory, NULL: 1; its faces at these places of vertices; out += scale times the
 * sums of faces.dof_out at the nodes; from a load's shares to its value's cotangent and the thickness's. */
const wide *fem_factor_of(const fem_sim *f, const fem_load *l);
fem_face_args fem_faces_of(const fem_sim *f, const fem_load *l, const real *places);
void fem_add_faces(fem_sim *f, const real *in, double scale, real *out);
void fem_value_adj(fem_sim *f, const fem_load *l);

/* fem_forces.c: forces of the state u, springs included; their adjoint with cotangents y of the nodal forces
 * (parameters 0: no cotangents of constants, thickness, rest positions and stiffnesses); time and external forces at
 * the end of a span, in displacement u; from forces.external_bar, then zeroed, to all that they depend on but u. */
void fem_internal(fem_sim *f, const real *u, real *out);
void fem_internal_adj(fem_sim *f, const real *u, const real *y, real *u_bar, int parameters);
void fem_internal_both(fem_sim *f, const real *u, const real *y, real *u_bar, real *out);
void fem_external(fem_sim *f, fem_span span, const real *u);
void fem_external_adj(fem_sim *f, const real *u);

/* fem_total.c: areas over which total forces are spread, once the rest positions are known; when the sweep back has all
 * cotangents of values, what they are to rest positions and thickness by way of the areas. */
void fem_areas(fem_sim *f);
void fem_areas_adj(fem_sim *f);

/* fem_follow.c: loads that depend on the displacement. Nothing is done where there are none. */
int fem_follower(const fem_load *l);
int fem_spring_load(const fem_load *l);
void fem_places(fem_sim *f, const real *u); /* X, u and X + u of the vertices */
/* external = dead + followers in displacement u; u_bar += (df_ext/du)^T y; out -= (df_ext/du) du; the Jacobian's
 * pairs. */
void fem_follow(fem_sim *f, const real *u);
void fem_follow_adj(fem_sim *f, const real *u, const real *y, real *u_bar);
void fem_follow_times(fem_sim *f, const real *u, const real *du, real *out);
void fem_follow_pairs(fem_sim *f, const real *u);
/* out += forces of the springs; their adjoint, as fem_internal_adj; the Jacobian's pairs. */
void fem_springs(fem_sim *f, const real *u, real *out);
void fem_springs_adj(fem_sim *f, const real *u, const real *y, real *u_bar, int parameters);
void fem_spring_stiffness(fem_sim *f);

/* fem_slot.c: which vectors a state and a slot have, and the bytes of a slot; the current state to and from a slot or
 * the host. */
void fem_state_layout(fem_sim *f, const pio_engine_desc *desc);
piola_status fem_slot_save(fem_sim *f, int64_t slot, piola_error *error);
piola_status fem_slot_load(fem_sim *f, int64_t slot, piola_error *error);
piola_status fem_slot_out(fem_sim *f, void *bytes, piola_error *error);
piola_status fem_slot_in(fem_sim *f, const void *bytes, int64_t step, piola_error *error);

/* fem_step.c: a step from the current state, and its adjoint: cotangents of state index + 1 become those of state
 * `index`. */
piola_status fem_forward(fem_sim *f, piola_error *error);
piola_status fem_adjoint_step(fem_sim *f, piola_error *error);

/* fem_newton.c: u becomes the state at the end of the span; PIOLA_NUMERICAL with step and residual. */
piola_status fem_solve(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error);
/* fem_rounding.c: how far rounding alone can take a residual from zero, once the constants are known; by about how much
 * it has put the trial off, into the record, where rhs is the residual that it left. */
piola_status fem_measure_rounding(fem_sim *f, piola_error *error);
piola_status fem_measure_doubt(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error);

/* fem_jacobian.c: stiffnesses of pairs of corners at u, springs included; then the matrix of all pairs, held unknowns
 * as unit rows and columns. */
void fem_tangents(fem_sim *f, const real *u);
void fem_assemble_pairs(fem_sim *f);
/* The Jacobian of the span's end at u; the same of tangents without their negative part. */
void fem_jacobian(fem_sim *f, fem_span span, const real *u);
void fem_projected_jacobian(fem_sim *f, fem_span span, const real *u);

/* fem_dynamics.c: how rates depend on displacements at the end of a span; what acts on nodes when it ends in
 * displacement u1, into rate, inertia and drag. */
fem_rate_set fem_rates_at(const fem_sim *f, fem_span span);
void fem_inertial(fem_sim *f, fem_span span, const real *u1);
/* The acceleration of `known`, the end of a span from u, where slots leave it out; elsewhere it is there. */
void fem_known_acceleration(fem_sim *f, fem_span span);
/* From cotangents of the rates at the end of a span, `known`, to those of its displacement and, in previous_bar, of
 * the state before. */
void fem_history_adj(fem_sim *f, fem_span span);

/* fem_mass.c: out += the forces of rates a and v, M a and C v, and their adjoints with cotangents y of the forces;
 * external forces += the weight of lumped masses, its adjoint with external_bar, that of all steps of an explicit
 * integrator; element blocks += ca M + cv C. */
void fem_mass_force(fem_sim *f, const real *a, real *out);
void fem_damping_force(fem_sim *f, const real *v, real *out);
void fem_mass_force_adj(fem_sim *f, const real *a, const real *y, real *a_bar);
void fem_damping_force_adj(fem_sim *f, const real *v, const real *y, real *v_bar);
void fem_lumped_weight(fem_sim *f);
void fem_lumped_weight_adj(fem_sim *f);
void fem_node_weights_adj(fem_sim *f);
void fem_inertial_matrix(fem_sim *f, double ca, double cv);

/* fem_start.c: before a run: constants of damping, the initial state; after the sweep back: their adjoint. */
piola_status fem_start_motion(fem_sim *f, piola_error *error);
piola_status fem_start_motion_adj(fem_sim *f, piola_error *error);
/* Newmark's: from the cotangent of the acceleration at the end of a span, which the equation of motion gives, u_bar and
 * v_bar += those of displacement and velocity. With parameters those of all else that it depends on too, and its own is
 * zero then. */
piola_status fem_acceleration_adj(fem_sim *f, fem_span span, real *u_bar, real *v_bar, int parameters,
                                  piola_error *error);

/* fem_leapfrog.c: the explicit step, its adjoint, and masses at the nodes before and after. */
piola_status fem_leapfrog(fem_sim *f, int64_t step, piola_error *error);
piola_status fem_leapfrog_adj(fem_sim *f, int64_t step, piola_error *error);
piola_status fem_leapfrog_start(fem_sim *f, piola_error *error);
void fem_nodal_masses(fem_sim *f);
void fem_leapfrog_end(fem_sim *f);
/* rhs = the force on the current state, number `state`, whose external forces `external` becomes; the kick of a step,
 * s. */
void fem_leap_force(fem_sim *f, int64_t state);
double fem_leap_kick(const fem_sim *f, int64_t step);

/* fem_lattice.c: motions whose state is on a lattice. Is this one? May it be? Its quanta, from the description; its
 * memory; the lattice of the state that a run starts from; the numbers of the lattice's state; held unknowns at a
 * span's end; u += sign Q(h v). */
int fem_on_lattice(pio_integrator integrator);
piola_status fem_lattice_check(const pio_engine_desc *desc, piola_error *error);
double fem_goal(const fem_sim *f, double asked); /* of Newton's method, where so much is asked of it */
void fem_lattice_scale(fem_sim *f, const pio_engine_desc *desc);
void fem_lattice_layout(fem_sim *f, const pio_engine_desc *desc);
piola_status fem_lattice_upload(fem_sim *f, const int *held, piola_error *error);
void fem_lattice_begin(fem_sim *f);
void fem_lattice_numbers(fem_sim *f);
void fem_lattice_held(fem_sim *f, fem_span end);
void fem_lattice_move(fem_sim *f, fem_span span, int sign);
fem_lattice fem_lattice_of(const fem_sim *f, int64_t *state);
/* The span whose end is this one's beginning; at time 0 that of step -1. */
fem_span fem_span_before(const fem_sim *f, fem_span span);
/* The state's block, which slots hold, and that of the step's beginning; in a state that was put there the copies are
 * made anew. */
void *fem_truth(fem_sim *f);
void fem_keep_origin(fem_sim *f);
void fem_take_origin(fem_sim *f);
/* The current state is in a slot now, or came from one (`kept`) or from elsewhere. */
void fem_was_saved(fem_sim *f);
void fem_was_put(fem_sim *f, int kept);

/* fem_reversible_leapfrog.c: the step from the current state; the current state becomes the one before. */
piola_status fem_leap_forward(fem_sim *f, int64_t step, piola_error *error);
piola_status fem_leap_inverse_step(fem_sim *f, piola_error *error);

/* fem_reversible_euler.c: after Newton's method has found the end of a span, its place on the lattice, and the record
 * of what rounding took away; a step taken back; the end's acceleration, for the adjoint. */
void fem_euler_accept(fem_sim *f, fem_span span);
piola_status fem_euler_inverse_step(fem_sim *f, piola_error *error);
void fem_euler_rates(fem_sim *f, fem_span span);
/* PIOLA_NO_MEMORY where the tape was too short. */
piola_status fem_euler_check(fem_sim *f, piola_error *error);

/* fem_adjoint.c: cotangents of the state at the span's end, `known`, become those of the state u at its beginning. */
piola_status fem_solve_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error);

/* Vectors that GMRES keeps before it begins anew, where the Jacobian is general. */
enum { FEM_RESTART = 100 };
/* fem_linear.c: K x = b with the assembled Jacobian; a Newton direction may be inexact, an adjoint may not. *indefinite
 * counts factors that were of no use. */
piola_status fem_solve_newton(fem_sim *f, const real *b, real *x, double tolerance, int32_t *iterations,
                              int32_t *indefinite, piola_error *error);
piola_status fem_solve_adjoint(fem_sim *f, const real *b, real *x, int32_t *iterations, double *residual,
                               piola_error *error);

/* fem_upload.c: PIOLA_INTERRUPTED where setting up is to stop; the description goes to the device; the matrix gets its
 * structure. */
piola_status fem_stopped(const fem_sim *f, piola_error *error);
piola_status fem_upload(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);

/* fem_direct.c: which solver, from the graph and before there is memory; then K x = b by its factor. PIOLA_NO of a
 * Newton direction: K is not positive definite. */
piola_status fem_choose_solver(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);
piola_status fem_direct_newton(fem_sim *f, const real *b, real *x, int32_t *solves, piola_error *error);
piola_status fem_direct_adjoint(fem_sim *f, const real *b, real *x, int32_t *solves, double *residual,
                                piola_error *error);
piola_status fem_direct_library(const pio_backend *backend, int32_t device, const pio_direct_table **table,
                                char name[128], piola_error *error);

/* fem_product.c: whose products, from the graph and before there is memory. */
piola_status fem_choose_product(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);

/* fem_observe.c: add, or add the cotangents of, all observations that touch state number `index`. */
void fem_observe_step(fem_sim *f, int64_t index);
void fem_observe_step_adj(fem_sim *f, int64_t index);
/* What the adjoint of a step has to do with observations between its ends: before it, with u and `known` the two
 * states, cotangents of both; after it, those of the first join u_bar. */
void fem_observe_between_adj(fem_sim *f);
void fem_observe_before_adj(fem_sim *f, int64_t index);

/* Sums of squares of the cotangents of displacements and velocities, and of these themselves, of state number `index`;
 * see sim_norms.c. */
void fem_adjoint_norm(fem_sim *f, int64_t index, int which);

/* fem_amount.c: the same for one touch of an observation of elements. */
int fem_of_elements(pio_observable type);
void fem_observe_amount(fem_sim *f, const fem_observation *o, const pio_touch *t);
void fem_observe_amount_adj(fem_sim *f, const fem_observation *o, const pio_touch *t);

/* fem_frames.c: the cotangents of frames, unless they are ready. */
piola_status fem_frame_adj(fem_sim *f, piola_error *error);

/* fem_parameters.c: z to constants, loads and shape, and gradients back to z. */
piola_status fem_design_apply(fem_sim *f, piola_error *error);
piola_status fem_design_adj(fem_sim *f, piola_error *error);

/* fem_morph.c: rest positions are as described; those of nodes that follow, once the designs have moved the others;
 * cotangents of all rest positions become those of the positions that do not follow. Nothing happens where no node
 * follows. */
void fem_morph_begin(fem_sim *f);
piola_status fem_morph(fem_sim *f, piola_error *error);
piola_status fem_morph_adj(fem_sim *f, piola_error *error);

/* fem_fields.c */
int32_t fem_components(const pio_sim *sim, const char *field);
int64_t fem_items(const pio_sim *sim, const char *field);
piola_status fem_read(pio_sim *sim, const char *field, double *values, piola_error *error);

/* fem_fault.c: what the step block says before the first step. After a failure in the current step: the element that is
 * inside out at u; the node where r, forces on nodes, is the largest or not a number. Where there is none, a failure of
 * no item. */
piola_status fem_check_fault(pio_sim *sim, piola_error *error);
piola_failure fem_failed_inside_out(fem_sim *f, const real *u);
piola_failure fem_failed_at_node(fem_sim *f, piola_failure_kind kind, const real *r, double residual);

#endif
