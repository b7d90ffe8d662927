/* Room solvers/fem: the engine of meshes: Newton's method, time integrators, adjoint solves. */
/* fem.h -- the FEM simulation: its device arrays, one implicit step in each direction, observations and design. */
#ifndef PIOLA_SOLVERS_FEM_H
#define PIOLA_SOLVERS_FEM_H

#include "solvers/fem/fem_sim.h"

/* Returns a whole step. */
static inline fem_span fem_whole(int64_t step)
{
    return (fem_span){step, 0, 1};
}

/* Returns whether the integrator is one of the explicit ones. */
static inline int fem_leaps(const fem_sim *f)
{
    return f->motion.integrator == PIO_LEAPFROG || f->motion.integrator == PIO_REVERSIBLE_LEAPFROG;
}

/* Returns a vector [nodes][DIM] of a state, or of its cotangents, in `block`; NULL where the run has none. */
static inline real *fem_state(const fem_sim *f, real *block, int which)
{
    return f->state.vector_at[which] < 0 ? NULL
                                         : block + (size_t)f->state.vector_at[which] * DIM * (size_t)f->mesh.nodes;
}

/* Returns the FEM simulation that `sim` is. */
static inline fem_sim *fem_of(pio_sim *sim)
{
    return (fem_sim *)sim; /* base is its first member */
}

/* ---- creation, memory, slots ------------------------------------------------------------------------------------ */

/* The member create of pio_engine (fem_create.c). Returns PIOLA_BAD_DATA for a description that cannot be,
 * PIOLA_INTERNAL for one of another build, PIOLA_NO_MEMORY, PIOLA_INTERRUPTED, PIOLA_UNAVAILABLE after an error of the
 * device, and the errors of fem_choose_solver() and fem_choose_product(). */
piola_status fem_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error);
/* The member measure of pio_engine. Returns PIOLA_BAD_DATA, PIOLA_NO_MEMORY without host memory, or any other of the
 * errors of fem_create(). */
piola_status fem_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error);
/* The member destroy of pio_engine. */
void fem_destroy(pio_sim *sim);

/* Lays out, or measures, all device memory of `f` in its arena (fem_memory.c). */
void fem_layout(fem_sim *f, const pio_engine_desc *desc);
/* The member memory_out of pio_engine. Returns PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE as sim_memory_out() does. */
piola_status fem_memory_out(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error);
/* The member memory_in of pio_engine. Returns PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE as sim_memory_in() does. */
piola_status fem_memory_in(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error);
/* Returns whether a design's index is one of nodes, and not of elements. */
int fem_nodal(pio_quantity quantity);

/* Finds out whether the constants are those of few runs of elements; returns 0 without memory (fem_rows.c). */
int fem_rows_find(fem_sim *f, const pio_engine_desc *desc);
/* Uploads the constants of each run, or of each element. */
void fem_rows_upload(fem_sim *f, const pio_fem_desc *m);
/* Returns the run of an element, or the element itself. */
int fem_row_of(const fem_sim *f, int element);
/* Checks the constants on the device, after the shapes of the elements. */
void fem_rows_check(fem_sim *f);

/* Uploads the description and the structure of the matrix (fem_upload.c). Returns PIOLA_INTERRUPTED, PIOLA_NO_MEMORY
 * without host memory, PIOLA_UNAVAILABLE after an error of the device, and the errors of pio_bsr_structure() and
 * pio_bsr_use(). */
piola_status fem_upload(fem_sim *f, const pio_engine_desc *desc, piola_error *error);
/* Returns PIOLA_INTERRUPTED if setting up is to stop, otherwise PIOLA_OK. */
piola_status fem_stopped(const fem_sim *f, piola_error *error);

/* Decides which vectors a state and a slot have, and the bytes of a slot (fem_slot.c). */
void fem_state_layout(fem_sim *f, const pio_engine_desc *desc);
/* The member save of pio_engine. Returns PIOLA_INTERNAL if there is no such slot, or PIOLA_UNAVAILABLE after an error
 * of the device. */
piola_status fem_slot_save(fem_sim *f, int64_t slot, piola_error *error);
/* The member load of pio_engine. Returns PIOLA_INTERNAL if the slot holds no state, or PIOLA_UNAVAILABLE after an error
 * of the device. */
piola_status fem_slot_load(fem_sim *f, int64_t slot, piola_error *error);
/* The member state_out of pio_engine. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_slot_out(fem_sim *f, void *bytes, piola_error *error);
/* The member state_in of pio_engine. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_slot_in(fem_sim *f, const void *bytes, int64_t step, piola_error *error);

/* ---- vectors, curves, supports ---------------------------------------------------------------------------------- */

/* Returns the elements of one type with a quadrature rule, for kernels (fem_vector.c). */
fem_block fem_block_of(const fem_sim *f, const fem_element_block *p, int rule);
/* Returns the constants of all elements, for kernels. */
fem_matter fem_matter_of(const fem_sim *f);
/* Sets out = a x + b y, vectors [nodes][DIM]. */
void fem_combine(fem_sim *f, double a, const real *x, double b, const real *y, real *out);
/* Sets x [nodes][DIM] to 0 at constrained unknowns, or with keep_constrained at all others. */
void fem_mask_constrained(fem_sim *f, int keep_constrained, real *x);
/* Sets x [nodes][DIM] to 0. */
void fem_zero_points(fem_sim *f, real *x);
/* Adds to out [nodes][DIM] at each node what its element degrees of freedom have in `in`, [element_dofs][DIM]. */
void fem_add_element_dofs(fem_sim *f, const real *in, real *out);
/* Sets factor [curves] to the values of the time curves at the end of a span, and obstacles to where they are then. */
void fem_curves(fem_sim *f, fem_span span, double *factor);
/* Adds to supports.value_bar the sums of supports.contribution over the unknowns that each support constrains. */
void fem_supports_sum(fem_sim *f);
/* Adds the cotangents u1_bar [nodes][DIM] of the constrained unknowns to those of the supports' values. */
void fem_supports_adj(fem_sim *f, const real *u1_bar);

/* ---- forces ----------------------------------------------------------------------------------------------------- */

/* Sets what the elements of a block give to their nodes, with the kernel for their dilatation (fem_vector.c). */
void fem_element_forces(fem_sim *f, const fem_force_args *a);
/* Sets and adds their cotangents. */
void fem_element_forces_adj(fem_sim *f, const fem_force_adj_args *a);

/* Sets out [vertices][DIM] to what the vertices have of `in` [nodes][DIM], by the map of surface.h (fem_faces.c). */
void fem_to_vertices(fem_sim *f, const real *in, real *out);
/* Returns the factor of a load, device memory; NULL: 1. */
const wide *fem_factor_of(const fem_sim *f, const fem_load *l);
/* Returns the faces of a load, for kernels, with vertices at these places [vertices][DIM], m. */
fem_face_args fem_faces_of(const fem_sim *f, const fem_load *l, const real *places);
/* Adds to out [nodes][DIM] `scale` times the sums of `in`, such as faces.dof_out, at the nodes. */
void fem_add_faces(fem_sim *f, const real *in, double scale, real *out);
/* Adds a load's contributions to the cotangents of its value and of the thickness. */
void fem_value_adj(fem_sim *f, const fem_load *l);

/* Sets out [nodes][DIM] to the internal forces, N, in displacement u, springs and contact included
 * (fem_forces.c). */
void fem_internal(fem_sim *f, const real *u, real *out);
/* The same without contact. */
void fem_elastic(fem_sim *f, const real *u, real *out);
/* The adjoint of fem_internal() with cotangents y of the nodal forces: adds to u_bar, to v_bar, the cotangents of the
 * velocities that friction depends on, and with `parameters` to those of constants, thickness, rest positions,
 * stiffnesses and obstacles. v_bar NULL: friction is left out. */
void fem_internal_adj(fem_sim *f, const real *u, const real *y, real *u_bar, real *v_bar, int parameters);
/* Computes the internal forces into `out` and their adjoint without parameters in one pass. */
void fem_internal_both(fem_sim *f, const real *u, const real *y, real *u_bar, real *out);
/* Sets time and external forces, N, to those at the end of a span, in displacement u. */
void fem_external(fem_sim *f, fem_span span, const real *u);
/* Its adjoint: from forces.external_bar, which is then zeroed, to all that the forces depend on except u. */
void fem_external_adj(fem_sim *f, const real *u);

/* Checks ties (fem_tie.c). Returns PIOLA_BAD_DATA where tied nodes are not possible, or PIOLA_NO_MEMORY. */
piola_status fem_tie_check(const pio_fem_desc *mesh, piola_error *error);
/* Computes what tied nodes stand for, before the graph of the matrix is made. Returns 0 without memory. */
int fem_tie_begin(fem_sim *f, const pio_fem_desc *mesh);
/* Takes the memory of contact with obstacles, or measures it (fem_memory.c). */
void fem_contact_layout(fem_sim *f, const pio_engine_desc *desc);
void fem_tie_layout(fem_sim *f); /* Takes the memory of ties, or measures it. */
/* Uploads ties and the weights of the matrix. Returns PIOLA_NO_MEMORY without host memory. */
piola_status fem_tie_upload(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);
/* Sets x [nodes][DIM] of displacements, rates or solutions at tied nodes from their masters; without ties this and the
 * next do nothing. */
void fem_tie_nodes(fem_sim *f, real *x);
/* Its adjoint: adds x [nodes][DIM] of forces or cotangents at tied nodes to their masters, and clears it there. */
void fem_tie_nodes_adj(fem_sim *f, real *x);
/* The same, and sets it to 0 at constrained unknowns. */
void fem_condense(fem_sim *f, real *x);

/* Computes the areas, m^2, over which total forces are spread, once the rest positions are known (fem_total.c). */
void fem_areas(fem_sim *f);
/* Its adjoint, at the end of an adjoint sweep: cotangents of rest positions and thickness by way of the areas. */
void fem_areas_adj(fem_sim *f);

/* Computes the tractions of moments, once the rest positions are known (fem_couple.c). */
void fem_couples(fem_sim *f);
/* From the cotangents of a moment's tractions, in l->couple_bar, to those of the rest positions of its faces, added to
 * rest_bar [element dofs of loads][DIM], and to couples_bar. Of other loads nothing. */
void fem_couple_load_adj(fem_sim *f, const fem_load *l, real *rest_bar);
/* The rest of its adjoint, at the end of an adjoint sweep: moments, rest positions and thickness. */
void fem_couples_adj(fem_sim *f);

/* Returns whether a load depends on the displacement (fem_follow.c). */
int fem_follower(const fem_load *l);
/* Returns whether a load is of springs. */
int fem_spring_load(const fem_load *l);
void fem_places(fem_sim *f, const real *u); /* Sets X, u and X + u of the vertices. */
/* Sets external = dead + followers in displacement u. Without followers this and the next three do nothing. */
void fem_follow(fem_sim *f, const real *u);
/* Adds to u_bar (df_ext/du)^T y. */
void fem_follow_adj(fem_sim *f, const real *u, const real *y, real *u_bar);
/* Subtracts from out (df_ext/du) du. */
void fem_follow_times(fem_sim *f, const real *u, const real *du, real *out);
/* Sets the followers' element matrices of the Jacobian. */
void fem_follow_stiffness(fem_sim *f, const real *u);
/* Adds the forces of the springs to out. */
void fem_springs(fem_sim *f, const real *u, real *out);
/* Its adjoint, as fem_internal_adj(). */
void fem_springs_adj(fem_sim *f, const real *u, const real *y, real *u_bar, int parameters);
/* Sets the springs' element matrices of the Jacobian. */
void fem_spring_stiffness(fem_sim *f);

/* ---- implicit steps --------------------------------------------------------------------------------------------- */

/* Runs a step from the current state (fem_step.c). Returns, of an implicit step, the errors of fem_solve(), and
 * PIOLA_UNAVAILABLE after an error of the device; faults of an explicit step are found by check(). */
piola_status fem_forward(fem_sim *f, piola_error *error);
/* Runs its adjoint: cotangents of state index + 1 become those of state `index`. Returns, of an implicit step, the
 * errors of fem_solve_adj() and, where the step has parts, of fem_solve(); PIOLA_UNAVAILABLE after an error of the
 * device. */
piola_status fem_adjoint_step(fem_sim *f, piola_error *error);

/* Solves for the state at the end of the span, which u becomes (fem_newton.c). Returns PIOLA_NUMERICAL with step and
 * residual if there is no solution within the allowed iterations, PIOLA_INTERRUPTED, PIOLA_NO_MEMORY if the residual
 * log is too short, or the other errors of fem_solve_newton(). */
piola_status fem_solve(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error);
/* Computes how large rounding alone can make a residual, once the constants are known (fem_rounding.c). Returns
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_measure_rounding(fem_sim *f, piola_error *error);
/* Evaluates the residual of the trial displacement, newton.rhs, N, and its norm. */
typedef piola_status fem_evaluation(void *context, double *residual);
/* Corrects the trial displacement, where rounding has ended its iteration with the residual newton.rhs, while the norm
 * of the residual is at most `allowed`, N, and records what error is left, or INFINITY if it cannot be solved for.
 * With `allowed` 0 the error is recorded alone. Returns PIOLA_INTERRUPTED, PIOLA_UNAVAILABLE after an error of the
 * device, or the errors of evaluate(). */
piola_status fem_find_hidden_error(fem_sim *f, fem_span span, pio_step_record *record, double allowed,
                                   fem_evaluation *evaluate, void *context, piola_error *error);

/* Computes the element matrices of stiffness at u, springs included (fem_jacobian.c). */
void fem_tangents(fem_sim *f, const real *u);
/* Assembles the matrix from all element matrices, constrained unknowns as unit rows and columns. */
void fem_assemble_matrix(fem_sim *f);
/* Computes the Jacobian of the span's end at u. */
void fem_jacobian(fem_sim *f, fem_span span, const real *u);
/* Likewise from tangents without their negative part. */
void fem_projected_jacobian(fem_sim *f, fem_span span, const real *u);

/* Solves K x = b with the assembled Jacobian for a Newton direction, which may be inexact (fem_linear.c). *indefinite
 * counts factors that were of no use. Returns PIOLA_NUMERICAL if there is no direction, PIOLA_INTERRUPTED,
 * PIOLA_UNAVAILABLE after an error of the device, and PIOLA_NO_MEMORY or PIOLA_INTERNAL of a library of direct solves.
 */
piola_status fem_solve_newton(fem_sim *f, const real *b, real *x, double tolerance, int32_t *iterations,
                              int32_t *indefinite, piola_error *error);
/* Solves K^T x = b for an adjoint from x = 0, K being the matrix as it is assembled, until |b - K^T x|/|b|, which
 * *residual is set to, is within the tolerance. Returns PIOLA_NUMERICAL, with the failure PIOLA_FAILED_ADJOINT, if that
 * is not reached, otherwise as fem_solve_newton() PIOLA_INTERRUPTED, PIOLA_UNAVAILABLE, PIOLA_NO_MEMORY or
 * PIOLA_INTERNAL. */
piola_status fem_solve_adjoint(fem_sim *f, const real *b, real *x, double tolerance, int32_t *iterations,
                               double *residual, piola_error *error);

/* Vectors that GMRES keeps before it restarts, where the Jacobian is general. */
enum { FEM_RESTART = 100 };
/* Chooses the linear solver from the graph, before there is memory (fem_direct.c). Returns PIOLA_UNAVAILABLE if a
 * direct solver is requested and the device has none, PIOLA_NO_MEMORY if the requested one needs more memory than is
 * allowed, PIOLA_INTERRUPTED, and the other errors of pio_direct_analyse(). */
piola_status fem_choose_solver(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);
/* Analyses the matrix for a direct solver of at most `most` bytes, from its graph on the host. Returns the errors of
 * pio_direct_analyse(). */
piola_status fem_direct_analyse(fem_sim *f, const pio_direct_table *table, const pio_direct_blocks *blocks, double most,
                                piola_error *error);
/* Sets up what goes on where a linear solve of `auto` fails (fem_standby.c). */
void fem_standby_begin(fem_sim *f, const pio_fem_desc *mesh);
/* Gets a direct solver ready, unless there is one, with memory of its own. Returns PIOLA_NO and why if there can be
 * none: the device has no library, or solver.direct_memory is too little; PIOLA_NO_MEMORY with the bytes if it takes
 * more than is left of the budget, or the device has no more, PIOLA_INTERRUPTED, and PIOLA_UNAVAILABLE. */
piola_status fem_standby_ready(fem_sim *f, piola_error *error);
/* Counts a solve in which the other solver goes on, by a factor or not, and how the one before it failed. */
void fem_standby_count(fem_sim *f, int by_factor, piola_failure failed, int iterations);
/* Appends to the message of a solve that failed which setting would help. `other`: what another solver said, or
 * NULL. */
void fem_standby_advise(const fem_sim *f, int adjoint, const piola_error *other, piola_error *error);
/* Frees the direct solver and its memory. */
void fem_standby_free(fem_sim *f);
/* The member solver_change of pio_engine. */
void fem_solver_change(const pio_sim *sim, pio_solver_change *change);
/* As fem_solve_newton(), by a factor of K. Returns PIOLA_NO if K is not positive definite or is singular to rounding,
 * otherwise the errors of pio_direct_factor() and pio_direct_solve(). */
piola_status fem_direct_newton(fem_sim *f, const real *b, real *x, int32_t *solves, piola_error *error);
/* As fem_solve_adjoint(), by a factor of K. Returns PIOLA_NO if Cholesky's method cannot factor K, otherwise the errors
 * of pio_direct_factor() and pio_direct_solve(). */
piola_status fem_direct_adjoint(fem_sim *f, const real *b, real *x, double tolerance, int32_t *solves, double *residual,
                                piola_error *error);
/* Finds the library of direct solves and its name; see the member direct of pio_engine. Returns PIOLA_UNAVAILABLE, and
 * why, if there is none. */
piola_status fem_direct_library(const pio_backend *backend, int32_t device, const pio_direct_table **table,
                                char name[128], piola_error *error);

/* Returns the name of the method by which systems are solved iteratively (fem_direct.c). */
const char *fem_iterative_name(const fem_sim *f);
/* Chooses whose products are used, from the graph and before there is memory (fem_product.c). Returns PIOLA_UNAVAILABLE
 * if a library is requested and the device has none, or the errors of pio_product_predict(). */
piola_status fem_choose_product(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);

/* Chooses the preconditioner of iterative solvers, from the graph and before there is memory, and plans its levels
 * (fem_multigrid.c). Returns PIOLA_NO_MEMORY without host memory, or PIOLA_INTERRUPTED. */
piola_status fem_choose_preconditioner(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);
/* Returns about how many products of the matrix with a vector its setup and a solve by it cost, in the time that
 * elimination would take for their operations. */
double fem_multigrid_products(const fem_sim *f);
/* Does without it, as a factor solves. */
void fem_multigrid_drop(fem_sim *f);
/* Takes its memory from the arena, or measures it. */
void fem_multigrid_layout(fem_sim *f);
/* Uploads its levels, when the structure of the matrix is there. Returns PIOLA_NO_MEMORY without host memory, or
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_multigrid_begin(fem_sim *f, const pio_fem_desc *mesh, piola_error *error);
/* Frees what the host has of it. */
void fem_multigrid_free_plan(fem_sim *f);
/* Declares its numbers to be of the past: a step or an adjoint begins. */
void fem_multigrid_expire(fem_sim *f);
/* Counts the pressures of nearly incompressible elements, from the description (fem_pressure.c). */
void fem_pressure_plan(fem_sim *f, const pio_fem_desc *mesh);
/* Takes their memory. */
void fem_pressure_layout(fem_sim *f);
/* Assembles the matrix at hand without what the pressures carry, or with it again (fem_jacobian.c); without pressures,
 * nothing. */
void fem_pressure_reduce(fem_sim *f, int reduced);
/* Sets whether the matrix at hand without what the pressures carry is positive definite, as far as the preconditioner
 * knows. Returns the errors of fem_multigrid_ready(). */
piola_status fem_pressure_definite(fem_sim *f, int *definite, piola_error *error);
/* Solves K x = b, symmetric, from x [nodes][DIM] = 0 with the pressures as unknowns, refined to the tolerance of |b - K
 * x|/|b|. `result` has the iterations of all solves. Returns the errors of fem_multigrid_ready(), pio_krylov_solve()
 * and pio_refine_solve(). */
piola_status fem_pressure_solve(fem_sim *f, const real *b, real *x, double tolerance, int max_iterations,
                                pio_krylov_result *result, piola_error *error);
/* Makes its numbers anew where the rule of fem_multigrid.c says so, for the assembled matrix. *which: PIO_MULTIGRID, or
 * PIO_BLOCK_JACOBI where it is not used, or the matrix is not positive definite on one of its levels. Returns
 * PIOLA_NUMERICAL if a diagonal block is singular or not finite, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_multigrid_ready(fem_sim *f, pio_preconditioner *which, piola_error *error);
/* Counts the iterations of a solve by it, to a tolerance. */
void fem_multigrid_took(fem_sim *f, int iterations, double tolerance);

/* Solves the adjoint of a span: cotangents of the state at its end, `known`, become those of the state u at its
 * beginning (fem_adjoint.c). Returns the errors of fem_solve_adjoint(). */
piola_status fem_solve_adj(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error);

/* ---- motion ----------------------------------------------------------------------------------------------------- */

/* Returns how rates depend on displacements at the end of a span (fem_dynamics.c). */
fem_rate_set fem_rates_at(const fem_sim *f, fem_span span);
/* Sets rate when the span ends in displacement u1. */
void fem_set_rates(fem_sim *f, fem_span span, const real *u1);
/* Likewise rate, inertia and drag of the nodes. */
void fem_inertial(fem_sim *f, fem_span span, const real *u1);
/* The trial displacement becomes the state, with the rates that fem_inertial() found last. */
void fem_accept(fem_sim *f);
/* Computes the acceleration of `known`, the end of a span from u, where slots leave it out. */
void fem_known_acceleration(fem_sim *f, fem_span span);
/* From cotangents of the rates at the end of a span, `known`, to those of its displacement and, in previous_bar, of
 * the state before. */
void fem_history_adj(fem_sim *f, fem_span span);

/* Adds M a, N, to out (fem_mass.c). */
void fem_mass_force(fem_sim *f, const real *a, real *out);
/* Adds C v, N, to out. */
void fem_damping_force(fem_sim *f, const real *v, real *out);
/* The adjoint of fem_mass_force() with cotangents y of the forces. */
void fem_mass_force_adj(fem_sim *f, const real *a, const real *y, real *a_bar);
/* The adjoint of fem_damping_force() with cotangents y of the forces. */
void fem_damping_force_adj(fem_sim *f, const real *v, const real *y, real *v_bar);
/* Adds the weight of lumped masses, N, to the external forces. */
void fem_lumped_weight(fem_sim *f);
/* Its adjoint with cotangents external_bar. */
void fem_lumped_weight_adj(fem_sim *f);
/* Its adjoint for all steps of an explicit integrator. */
void fem_node_weights_adj(fem_sim *f);
/* Adds ca M + cv C to the element blocks. */
void fem_inertial_matrix(fem_sim *f, double ca, double cv);

/* Computes the constants of damping and the initial state before a run (fem_start.c). Returns PIOLA_NUMERICAL if the
 * time step is certain to be unstable or the initial acceleration cannot be solved for, PIOLA_UNAVAILABLE after an
 * error of the device, and the other errors of fem_solve_adjoint(). */
piola_status fem_start_motion(fem_sim *f, piola_error *error);
/* Its adjoint at the end of an adjoint sweep. Returns the errors of fem_acceleration_adj(). */
piola_status fem_start_motion_adj(fem_sim *f, piola_error *error);
/* Newmark's: from the cotangent of the acceleration at the end of a span, which the equation of motion gives, adds to
 * u_bar and v_bar those of displacement and velocity. With `parameters` also those of all else that it depends on, and
 * its own is then zero. Returns the errors of fem_solve_adjoint(). */
piola_status fem_acceleration_adj(fem_sim *f, fem_span span, real *u_bar, real *v_bar, int parameters,
                                  piola_error *error);

/* Runs an explicit step (fem_leapfrog.c). Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_leapfrog(fem_sim *f, int64_t step, piola_error *error);
/* Runs its adjoint. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_leapfrog_adj(fem_sim *f, int64_t step, piola_error *error);
/* Computes the nodal masses before a run. Returns PIOLA_NUMERICAL if the time step is certain to be unstable, or
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_leapfrog_start(fem_sim *f, piola_error *error);
/* Computes the lumped masses of the nodes, kg. */
void fem_nodal_masses(fem_sim *f);
/* The adjoint of masses and weights at the end of an adjoint sweep. */
void fem_leapfrog_end(fem_sim *f);
/* Sets rhs to the force, N, on the current state, number `state`, whose external forces `external` becomes. */
void fem_leap_force(fem_sim *f, int64_t state);
/* Returns the time over which the kick of a step accelerates, s. */
double fem_leap_kick(const fem_sim *f, int64_t step);

/* ---- reversible integrators ------------------------------------------------------------------------------------- */

/* Returns whether an integrator's state is on a lattice (fem_lattice.c). */
int fem_on_lattice(pio_integrator integrator);
/* Checks that it can run a description. Returns PIOLA_BAD_DATA, and what would be right, if not. */
piola_status fem_lattice_check(const pio_engine_desc *desc, piola_error *error);
/* Returns the tolerance to which Newton's method goes on where `requested` is the caller's. */
double fem_goal(const fem_sim *f, double requested);
/* Returns the goal of Newton's method once it has taken some iterations of a step. */
double fem_goal_after(const fem_sim *f, int iterations);
/* Sets the quanta from the description. */
void fem_lattice_scale(fem_sim *f, const pio_engine_desc *desc);
/* Lays out the lattice's memory. */
void fem_lattice_layout(fem_sim *f, const pio_engine_desc *desc);
/* Uploads the list of free unknowns; constrained [nodes]: bits of constrained axes. Returns PIOLA_NO_MEMORY without
 * host memory. */
piola_status fem_lattice_upload(fem_sim *f, const int *constrained, piola_error *error);
/* Rounds the initial state to the lattice. */
void fem_lattice_begin(fem_sim *f);
/* Computes the state's numbers, m and m/s, from the lattice. */
void fem_lattice_numbers(fem_sim *f);
/* Sets the constrained unknowns to their values at a span's end. */
void fem_lattice_constrained(fem_sim *f, fem_span end);
/* Adds sign Q(h v) to u, where Q rounds to the lattice and h is the length of the span. */
void fem_lattice_move(fem_sim *f, fem_span span, int sign);
/* Returns the lattice with this state, for kernels. */
fem_lattice fem_lattice_of(const fem_sim *f, int64_t *state);
/* Returns the span whose end is this one's beginning; at time 0 that of step -1. */
fem_span fem_span_before(const fem_sim *f, fem_span span);
/* Returns the block that slots hold: the lattice's state, or the state. */
void *fem_truth(fem_sim *f);
/* Stores the current state as that of the step's beginning. */
void fem_keep_origin(fem_sim *f);
/* Makes the state of the step's beginning the current one. */
void fem_take_origin(fem_sim *f);
/* Notes that the current state is in a slot now. */
void fem_was_saved(fem_sim *f);
/* Computes what depends on a state that came from a slot (`kept`) or from elsewhere. */
void fem_was_put(fem_sim *f, int kept);

/* Runs a step of the reversible leapfrog from the current state (fem_reversible_leapfrog.c). Returns PIOLA_UNAVAILABLE
 * after an error of the device. */
piola_status fem_leap_forward(fem_sim *f, int64_t step, piola_error *error);
/* Runs the inverse of the step that led to the current state. Returns PIOLA_USAGE at the first state, or
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_leap_inverse_step(fem_sim *f, piola_error *error);

/* Rounds the end of a span that Newton's method has found to the lattice, and records what rounding took away
 * (fem_reversible_euler.c). */
void fem_euler_accept(fem_sim *f, fem_span span);
/* Runs the inverse of the step that led to the current state, from the record. Returns PIOLA_USAGE if the step is not
 * in the residual log, PIOLA_NO_MEMORY if that was too short, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_euler_inverse_step(fem_sim *f, piola_error *error);
/* Computes the acceleration at the span's end, m/s^2, for the adjoint. */
void fem_euler_rates(fem_sim *f, fem_span span);
/* Returns PIOLA_NO_MEMORY if the residual log was too short, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_euler_check(fem_sim *f, piola_error *error);

/* ---- design, frames; for observations see fem_observe.h ---------------------------------------------------------- */

/* Computes the cotangents that frames show, unless they are ready (fem_frames.c). Returns, of Newmark's, the errors of
 * fem_acceleration_adj(), and PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_frame_adj(fem_sim *f, piola_error *error);
/* Applies z to constants, loads and shape (fem_parameters.c). Returns the errors of fem_morph(). */
piola_status fem_design_apply(fem_sim *f, piola_error *error);
/* Computes z_bar from the gradients. Returns the errors of fem_morph_adj(). */
piola_status fem_design_adj(fem_sim *f, piola_error *error);
/* Applies filters of the host to z, or their adjoint to z_bar in place. Returns PIOLA_NO_MEMORY or PIOLA_NUMERICAL. */
piola_status fem_host_filters(fem_sim *f, const double *z, double *z_bar, piola_error *error);

/* Sets the rest positions to those of the description (fem_morph.c). */
void fem_morph_begin(fem_sim *f);
/* Moves the nodes that follow, once the designs have moved the others; nothing where no node follows. Returns
 * PIOLA_NUMERICAL if their places cannot be solved for, PIOLA_INTERRUPTED, or PIOLA_UNAVAILABLE after an error of the
 * device. */
piola_status fem_morph(fem_sim *f, piola_error *error);
/* Its adjoint: cotangents of all rest positions become those of the positions that do not follow. Returns
 * PIOLA_NUMERICAL, PIOLA_INTERRUPTED or PIOLA_UNAVAILABLE as fem_morph() does. */
piola_status fem_morph_adj(fem_sim *f, piola_error *error);

/* ---- fields and faults ------------------------------------------------------------------------------------------ */

/* The member components of pio_engine (fem_fields.c). */
int32_t fem_components(const pio_sim *sim, const char *field);
/* The member items of pio_engine. */
int64_t fem_items(const pio_sim *sim, const char *field);
/* The member read of pio_engine. Returns PIOLA_USAGE if there is no such field, or the state was kept without its
 * acceleration, PIOLA_UNAVAILABLE after an error of the device, and for cotangents the errors of fem_frame_adj(). */
piola_status fem_read(pio_sim *sim, const char *field, double *values, piola_error *error);
/* The member read_device of pio_engine. Returns the errors of fem_read(), or PIOLA_NO_MEMORY. */
piola_status fem_read_device(pio_sim *sim, const char *field, double **values, piola_error *error);
/* The member field of pio_engine. */
int fem_field_name(const pio_sim *sim, int32_t i, char name[64]);

/* Describes the fault in the step block, of the start or of an explicit step (fem_fault.c). Returns PIOLA_NUMERICAL for
 * it, PIOLA_UNAVAILABLE after an error of the device, and PIOLA_OK if there is none. */
piola_status fem_check_fault(pio_sim *sim, piola_error *error);
/* After a failure in the current step: returns that of an element that is inside out at u, or one of no item. */
piola_failure fem_failed_inside_out(fem_sim *f, const real *u);
/* Likewise: that of the node where r, forces [nodes][DIM], is the largest or not a number. */
piola_failure fem_failed_at_node(fem_sim *f, piola_failure_kind kind, const real *r, double residual);

#endif
