/* fem_start.c -- the state that a motion starts from, and its adjoint. Newmark's has an acceleration, by the equation
 * of motion. */
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_network.h"
#include "solvers/fem/fem_pairs_friction.h"
#include "solvers/fem/fem_sink.h"
#include "solvers/fem/fem_vary.h"

/* clang-format off */
static fem_start_constrained_args constrained_args(const fem_sim *f)
{
    return (fem_start_constrained_args){.node = f->supports.node, .axis = f->supports.axis,
                                        .support = f->supports.support,
                                 .value = f->supports.earlier_value ? f->supports.earlier_value : f->supports.value,
                                 .next_value = f->supports.earlier_value ? f->supports.value : NULL,
                                 .curve = f->supports.curve,
                                 .first = f->curves.initial_factor, .next = f->curves.factor, .h = f->stepping.dt,
                                 .u = f->state.u, .v = fem_state(f, f->state.u, STATE_V)};
}

/* Constrained unknowns, with the curves' factors at time 0 and after one step. */
static void start_constrained(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    fem_curves(f, fem_whole(-1), f->curves.initial_factor);
    if (f->supports.earlier_value)
        pio_queue_copy(q, f->supports.earlier_value, f->supports.value,
                       sizeof *f->supports.value * (size_t)f->supports.n_supports);
    fem_curves(f, fem_whole(0), f->curves.factor);
    if (!f->supports.n_constrained) return;
    const fem_start_constrained_args a = constrained_args(f);
    PIO_LAUNCH(q, KERNEL_fem_start_constrained,
               q->backend->kernels.fem_start_constrained(q->stream, f->supports.n_constrained, NULL,
            &a));
}

/* ---- the acceleration that the equation of motion gives ----------------------------------------------------- */

/* rhs = f_ext - f_int - C v of the current state, where free */
static void unbalanced(fem_sim *f)
{
    fem_internal(f, f->state.u, f->forces.internal);
    fem_combine(f, 1, f->forces.external, -1, f->forces.internal, f->newton.rhs);
    pio_queue_zero(&f->base.queue, f->motion.drag, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    fem_damping_force(f, fem_state(f, f->state.u, STATE_V), f->motion.drag);
    fem_combine(f, 1, f->newton.rhs, -1, f->motion.drag, f->newton.rhs);
    fem_condense(f, f->newton.rhs);
}

static void mass_matrix(fem_sim *f)
{
    pio_queue_zero(&f->base.queue, f->matrix.block_out,
            sizeof(real) * DIM * DIM * (size_t)(f->matrix.element_blocks + f->matrix.face_blocks));
    fem_inertial_matrix(f, 1, 0);
    fem_assemble_matrix(f);
    f->matrix.constant.valid = 0;
}

static piola_status outcome(piola_status rc, piola_error *error)
{
    if (!rc || !error) return rc;
    const piola_error said = *error;
    return sim_fail(error, rc, "the initial acceleration: %.1900s", said.message);
}

/* Solves for an acceleration: what was learnt of other matrices does not count for M, and the reverse. */
static piola_status solve(fem_sim *f, real *a, piola_error *error)
{
    const int by_factor = f->linear.standby.by_factor;
    double residual;
    int32_t iterations;
    f->linear.standby.by_factor = f->linear.direct_first;
    f->linear.multigrid.skipped = 1;
    const piola_status rc =
        fem_solve_adjoint(f, f->newton.rhs, a, f->linear.adjoint_tolerance, &iterations, &residual, error);
    f->linear.multigrid.skipped = 0;
    fem_tie_nodes(f, a);
    f->linear.standby.by_factor = by_factor;
    return rc;
}

/* M a0 = f_ext(0) - f_int(u0) - C v0 where free, a0 = 0 where constrained */
static piola_status acceleration(fem_sim *f, piola_error *error)
{
    real *a = fem_state(f, f->state.u, STATE_A);
    fem_external(f, fem_whole(-1), f->state.u);
    unbalanced(f);
    mass_matrix(f);
    pio_queue_zero(&f->base.queue, a, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    return outcome(solve(f, a, error), error);
}

piola_status fem_acceleration_adj(fem_sim *f, fem_span span, real *u_bar, real *v_bar, int parameters,
                                  piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    real *a_bar = fem_state(f, f->adjoint.u_bar, STATE_A);
    fem_external(f, span, f->state.u);
    mass_matrix(f);
    pio_queue_copy(q, f->newton.rhs, a_bar, bytes);
    fem_condense(f, f->newton.rhs);
    pio_queue_zero(q, f->newton.lambda, bytes);
    const piola_status rc = solve(f, f->newton.lambda, error);
    if (rc) return rc;
    fem_combine(f, -1, f->newton.lambda, 0, f->newton.lambda, f->newton.y);
    fem_internal_adj(f, f->state.u, f->newton.y, u_bar, v_bar, parameters);
    fem_follow_adj(f, f->state.u, f->newton.lambda, u_bar);
    fem_damping_force(f, f->newton.y, v_bar); /* C is symmetric */
    if (!parameters) return PIOLA_OK;
    fem_control_adj(f);
    fem_damping_force_adj(f, fem_state(f, f->state.u, STATE_V), f->newton.y, NULL);
    fem_mass_force_adj(f, fem_state(f, f->state.u, STATE_A), f->newton.y, NULL);
    fem_combine(f, 1, f->forces.external_bar, 1, f->newton.lambda, f->forces.external_bar);
    pio_queue_zero(q, a_bar, bytes);
    return PIOLA_OK;
}

/* ---- before and after ------------------------------------------------------------------------------------- */

piola_status fem_start_motion(fem_sim *f, piola_error *error)
{
    if (f->damping.beta)
        pio_map(&f->base.queue, fem_damping, f->mesh.elements, NULL, .m = fem_matter_of(f),
                .plane = f->mesh.plane, .beta = f->damping.beta, .out = f->damping.k);
    start_constrained(f);
    fem_tie_nodes(f, f->state.u);
    fem_tie_nodes(f, fem_state(f, f->state.u, STATE_V));
    fem_networks_evaluate(f, 0);
    piola_status overlaps = fem_contact_start(f, error);
    if (!overlaps) overlaps = fem_sink_start(f, error);
    if (!overlaps) overlaps = fem_pairs_start(f, error);
    fem_pairs_friction_start(f);
    if (overlaps) return overlaps;
    if (f->motion.integrator == PIO_NEWMARK) return acceleration(f, error);
    if (fem_leaps(f)) {
        const piola_status rc = fem_leapfrog_start(f, error);
        if (rc) return rc;
    }
    if (f->motion.integrator == PIO_REVERSIBLE_EULER) fem_nodal_masses(f);
    if (f->lattice.state) fem_lattice_begin(f);
    return sim_failed(&f->base, error);
}

/* At state 0, before the adjoint of the external forces: theirs are in external_bar. */
piola_status fem_start_motion_adj(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    if (f->motion.integrator == PIO_NEWMARK) {
        const piola_status rc =
            fem_acceleration_adj(f, fem_whole(-1), f->adjoint.u_bar, fem_state(f, f->adjoint.u_bar, STATE_V), 1, error);
        if (rc) return outcome(rc, error);
    }
    fem_networks_evaluate_adj(f);
    fem_tie_nodes_adj(f, f->adjoint.u_bar);
    fem_tie_nodes_adj(f, fem_state(f, f->adjoint.u_bar, STATE_V));
    fem_curves(f, fem_whole(0), f->curves.factor);
    if (f->supports.n_constrained) {
        pio_map(q, fem_start_constrained_adj, f->supports.n_constrained, NULL,
                .fwd = constrained_args(f), .u_bar = f->adjoint.u_bar, .v_bar = fem_state(f, f->adjoint.u_bar, STATE_V),
                .contribution = f->supports.contribution, .next_contribution = f->supports.later_contribution);
        fem_supports_sum(f);
        if (f->supports.later_contribution) {
            fem_vary_supports_adj(f, f->supports.later_contribution);
            fem_curves(f, fem_whole(-1), f->curves.initial_factor);
        }
        fem_vary_supports_adj(f, f->supports.contribution);
    }
    if (f->damping.beta)
        pio_map(q, fem_damping_adj, f->mesh.elements, NULL,
                .fwd = {.m = fem_matter_of(f), .plane = f->mesh.plane, .beta = f->damping.beta},
                .out_bar = f->damping.k_bar,
                .k_bar = f->materials.k_bar, .beta_bar = f->damping.beta_bar);
    return sim_failed(&f->base, error);
}
/* clang-format on */
