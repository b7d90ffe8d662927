/* fem_leapfrog.c -- the explicit step of a mesh, the leapfrog with lumped masses m, whose velocities are those of the
 * middle of a span
 * (Hairer, Lubich and Wanner 2006, I.1.4; the same as Stoermer's and Verlet's method):
 *
 *     v(t0 + h/2) = v(t0 - h/2) + h (f_ext(t0) - f_int(u0) - C v(t0 - h/2))/m,   u(t0 + h) = u(t0) + h v(t0 + h/2)
 *
 * The first kick is that of half a span, from the velocity at time 0: positions are of the second order, exact under a
 * constant force. The velocity of a state, which is observed and written, is that at h/2 before its time. Damping comes
 * late by h/2: it is of the first order. Friction is that of the normal force at t0 and the velocity at t0 + h/2
 * (fem_friction.h), first between surfaces (fem_pairs_friction.h) and then at obstacles. Constrained unknowns go where
 * the end of the step puts them. The step is stable while h omega <= 2 for every frequency omega. */
#include "solvers/fem/fem_friction.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_network.h"
#include "solvers/fem/fem_pairs_friction.h"

#include <math.h>

enum { POWER_ITERATIONS = 40 };

static size_t point_bytes(const fem_sim *f)
{
    return sizeof(real) * DIM * (size_t)f->mesh.nodes;
}

double fem_leap_kick(const fem_sim *f, int64_t step)
{
    return step ? f->stepping.dt : f->stepping.dt / 2;
}

/* clang-format off */
/* drag = C v; nothing where there is no damping. */
static int drags(fem_sim *f)
{
    if (!f->damping.alpha && !f->damping.beta) return 0;
    pio_queue_zero(&f->base.queue, f->motion.drag, point_bytes(f));
    fem_damping_force(f, fem_state(f, f->state.u, STATE_V), f->motion.drag);
    return 1;
}

void fem_leap_force(fem_sim *f, int64_t state)
{
    if (f->forces.external_of != state) fem_external(f, fem_whole(state - 1), f->state.u);
    fem_activate(f, fem_whole(state - 1));
    fem_internal(f, f->state.u, f->forces.internal);
    fem_combine(f, 1, f->forces.external, -1, f->forces.internal, f->newton.rhs);
    if (drags(f)) fem_combine(f, 1, f->newton.rhs, -1, f->motion.drag, f->newton.rhs);
}

static fem_leap_args leap_args(const fem_sim *f, int64_t step)
{
    real *v = fem_state(f, f->state.u, STATE_V);
    return (fem_leap_args){.constrained = f->supports.constrained, .h = f->stepping.dt, .kick = fem_leap_kick(f, step),
                           .mass = f->motion.mass, .force = f->newton.rhs,
                           .target = f->newton.trial, .u = f->state.u, .v = v, .u1 = f->state.u, .v1 = v,
                           .step = f->step};
}

piola_status fem_leapfrog(fem_sim *f, int64_t step, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_leap_args a = leap_args(f, step);
    fem_leap_force(f, step);
    fem_pairs_friction_leaps(f, fem_leap_kick(f, step));
    fem_friction_leaps(f, fem_leap_kick(f, step));
    fem_curves(f, fem_whole(step), f->curves.factor);
    pio_queue_zero(q, f->newton.lambda, point_bytes(f));
    if (f->supports.n_constrained)
        pio_map(q, fem_prescribe, f->supports.n_constrained, NULL, .node = f->supports.node, .axis = f->supports.axis,
                .support = f->supports.support, .value = f->supports.value, .curve = f->supports.curve,
                .factor = f->curves.factor, .u = f->newton.lambda, .du = f->newton.trial);
    pio_map_with(q, fem_leap, f->mesh.nodes, NULL, &a);
    fem_contact_leaped(f, f->stepping.dt);
    fem_pairs_leaped(f, f->stepping.dt);
    fem_external(f, fem_whole(step), f->state.u);
    return sim_failed(&f->base, error);
}

/* Returns 1 if the external forces of this state are observed, as compliance is. */
static int forces_seen(const fem_sim *f, int64_t state)
{
    const pio_sim *s = &f->base;
    for (int i = sim_first_sample_weight(s, state); i < s->n_sample_weights && s->sample_weights[i].step == state; i++)
        if (f->observe.observations[s->sample_weights[i].observation].desc.type == PIO_COMPLIANCE) return 1;
    return 0;
}

/* newton.lambda, cotangents of all forces, become those of forces without friction. */
static void friction_adj(fem_sim *f, int64_t step)
{
    const double kick = fem_leap_kick(f, step);
    if (!f->contact.rough && !f->rubs.on) return;
    fem_leap_force(f, step);
    fem_pairs_friction_leaps(f, kick);
    fem_friction_leaps_adj(f, kick);
    fem_pairs_friction_leaps_adj(f, kick);
}

/* Cotangents of the end, `known`, become those of the beginning, u its state. Forces that were observed at the end go
 * first. The internal forces are made with their adjoint, of the same stresses. */
piola_status fem_leapfrog_adj(fem_sim *f, int64_t step, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    real *v = fem_state(f, f->state.u, STATE_V), *v_bar = fem_state(f, f->adjoint.u_bar, STATE_V);
    fem_networks_go_back(f);
    fem_curves(f, fem_whole(step), f->curves.factor);
    if (forces_seen(f, step + 1)) fem_external_adj(f, f->adjoint.known);
    pio_map(q, fem_leap_adj, f->mesh.nodes, NULL, .fwd = leap_args(f, step), .u1_bar = f->adjoint.u_bar,
            .v1_bar = v_bar, .u_bar = f->adjoint.u_bar, .v_bar = v_bar, .force_bar = f->newton.lambda,
            .target_bar = f->newton.du);
    fem_supports_adj(f, f->newton.du);
    if (f->forces.external_of == step)
        fem_curves(f, fem_whole(step - 1), f->curves.factor);
    else
        fem_external(f, fem_whole(step - 1), f->state.u);
    friction_adj(f, step);
    fem_combine(f, -1, f->newton.lambda, 0, f->newton.lambda, f->newton.y);
    fem_activate(f, fem_whole(step - 1));
    fem_internal_both(f, f->state.u, f->newton.y, f->adjoint.u_bar, f->forces.internal);
    fem_control_adj(f);
    fem_networks_evaluate_adj(f);
    fem_damping_force_adj(f, v, f->newton.y, v_bar);
    fem_combine(f, 1, f->forces.external, -1, f->forces.internal, f->newton.rhs);
    if (drags(f)) fem_combine(f, 1, f->newton.rhs, -1, f->motion.drag, f->newton.rhs);
    pio_map(q, fem_leap_mass, f->mesh.nodes, NULL, .mass = f->motion.mass, .force = f->newton.rhs,
            .force_bar = f->newton.lambda, .mass_bar = f->motion.mass_bar);
    fem_follow_adj(f, f->state.u, f->newton.lambda, f->adjoint.u_bar);
    fem_combine(f, 1, f->forces.external_bar, 1, f->newton.lambda, f->forces.external_bar);
    fem_external_adj(f, f->state.u);
    pio_queue_copy(q, f->adjoint.known, f->state.u, point_bytes(f));
    return sim_failed(&f->base, error);
}

/* ---- before and after ------------------------------------------------------------------------------------- */

/* An estimate of the largest omega^2, never above it: |A x|/|x| for A = m^-1/2 K m^-1/2, after some x = A x/|A x|. */
static double largest_square(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    real *x = f->newton.y, *Kx = f->newton.lambda;
    double square = 0;
    fem_tangents(f, f->state.u);
    fem_assemble_matrix(f);
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_SYMMETRIC, 0);
    pio_map(q, point_set, f->mesh.nodes, NULL, .value = 0, .noise = 1, .x = x);
    fem_mask_constrained(f, 0, x);
    for (int i = 0; i <= POWER_ITERATIONS; i++) {
        pio_sum(q, point_dot, f->mesh.nodes, NULL, f->newton.scalars, .x = x, .y = x);
        pio_queue_download(q, &square, f->newton.scalars, sizeof square);
        if (!(square > 0) || i == POWER_ITERATIONS) break;
        fem_combine(f, 1 / sqrt(square), x, 0, x, x);
        pio_map(q, point_over_root, f->mesh.nodes, NULL, .x = x, .m = f->motion.mass, .out = x);
        op.apply(op.context, x, Kx);
        fem_mask_constrained(f, 0, Kx);
        pio_map(q, point_over_root, f->mesh.nodes, NULL, .x = Kx, .m = f->motion.mass, .out = x);
    }
    return sqrt(square);
}

/* Masses at the nodes. */
void fem_nodal_masses(fem_sim *f)
{
    pio_queue_zero(&f->base.queue, f->motion.mass, point_bytes(f));
    pio_map(&f->base.queue, point_set, f->mesh.nodes, NULL, .value = 1, .noise = 0, .x = f->motion.ones);
    fem_mass_force(f, f->motion.ones, f->motion.mass);
}

/* The same; a time step that is sure to be unstable is an error. */
piola_status fem_leapfrog_start(fem_sim *f, piola_error *error)
{
    fem_nodal_masses(f);
    const double omega = sqrt(largest_square(f));
    f->contact.square = omega * omega;
    if (f->stepping.dt * omega > 2)
        return sim_fail_as(error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_TIME_STEP),
                        "a time step of %.6g s is unstable: the leapfrog's must be less than 2/omega = %.6g s at "
                        "rest, omega "
                        "the highest frequency of the mesh; a shorter step, or an implicit integrator, would be right",
                        f->stepping.dt, 2 / omega);
    return sim_failed(&f->base, error);
}

void fem_leapfrog_end(fem_sim *f)
{
    fem_node_weights_adj(f);
    fem_mass_force_adj(f, f->motion.ones, f->motion.mass_bar, NULL);
}
/* clang-format on */
