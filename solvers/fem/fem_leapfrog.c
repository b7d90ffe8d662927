/* fem_leapfrog.c -- the explicit step of a mesh, the leapfrog with lumped masses m, whose velocities are those of the
 * middle of a span
 * (Hairer, Lubich and Wanner 2006, I.1.4; the same as Stoermer's and Verlet's method):
 *
 *     v(t0 + h/2) = v(t0 - h/2) + h (f_ext(t0) - f_int(u0) - C v(t0 - h/2))/m,   u(t0 + h) = u(t0) + h v(t0 + h/2)
 *
 * The first kick is that of half a span, from the velocity at time 0: places are of the second order, exact under a
 * constant force. The velocity of a state, which is observed and written, is that at h/2 before its time. Damping comes
 * late by h/2: it is of the first order. Held unknowns go where the end of the step puts them. The step is stable while
 * h omega <= 2 for every frequency omega. */
#include "solvers/fem/fem.h"

#include <math.h>

enum { POWER_ITERATIONS = 40 };

static size_t point_bytes(const fem_sim *f)
{
    return sizeof(real) * DIM * (size_t)f->nodes;
}

double fem_leap_kick(const fem_sim *f, int64_t step)
{
    return step ? f->dt : f->dt / 2;
}

/* clang-format off */
/* drag = C v; nothing where there is no damping. */
static int drags(fem_sim *f)
{
    if (!f->alpha && !f->beta) return 0;
    pio_queue_zero(&f->base.queue, f->drag, point_bytes(f));
    fem_damping_force(f, fem_state(f, f->u, STATE_V), f->drag);
    return 1;
}

void fem_leap_force(fem_sim *f, int64_t state)
{
    if (f->external_of != state) fem_external(f, fem_whole(state - 1), f->u);
    fem_internal(f, f->u, f->f_int);
    fem_combine(f, 1, f->f_ext, -1, f->f_int, f->rhs);
    if (drags(f)) fem_combine(f, 1, f->rhs, -1, f->drag, f->rhs);
}

static fem_leap_args leap_args(const fem_sim *f, int64_t step)
{
    real *v = fem_state(f, f->u, STATE_V);
    return (fem_leap_args){.held = f->held, .h = f->dt, .kick = fem_leap_kick(f, step), .mass = f->mass,
                           .force = f->rhs,
                           .target = f->trial, .u = f->u, .v = v, .u1 = f->u, .v1 = v, .step = f->step};
}

piola_status fem_leapfrog(fem_sim *f, int64_t step, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_leap_args a = leap_args(f, step);
    fem_leap_force(f, step);
    fem_curves(f, fem_whole(step), f->factor);
    pio_queue_zero(q, f->lambda, point_bytes(f));
    if (f->n_held)
        pio_map(q, fem_prescribe, f->n_held, NULL, .node = f->held_node, .axis = f->held_axis,
                .support = f->held_support, .value = f->support_value, .curve = f->support_curve, .factor = f->factor,
                .u = f->lambda, .du = f->trial);
    PIO_LAUNCH(q, KERNEL_fem_leap, q->backend->kernels.fem_leap(q->stream, f->nodes, NULL, &a));
    fem_external(f, fem_whole(step), f->u);
    return sim_failed(&f->base, error);
}

/* Are the external forces of this state observed? */
static int forces_seen(const fem_sim *f, int64_t state)
{
    const pio_sim *s = &f->base;
    for (int i = sim_first_touch(s, state); i < s->n_touches && s->touches[i].step == state; i++)
        if (f->observations[s->touches[i].observation].desc.type == PIO_COMPLIANCE) return 1;
    return 0;
}

/* Cotangents of the end, `known`, become those of the beginning, u its state. Forces that were observed at the end go
 * first. The internal forces are made with their adjoint, of the same stresses. */
piola_status fem_leapfrog_adj(fem_sim *f, int64_t step, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    real *v = fem_state(f, f->u, STATE_V), *v_bar = fem_state(f, f->u_bar, STATE_V);
    fem_curves(f, fem_whole(step), f->factor);
    if (forces_seen(f, step + 1)) fem_external_adj(f, f->known);
    pio_map(q, fem_leap_adj, f->nodes, NULL, .fwd = leap_args(f, step), .u1_bar = f->u_bar, .v1_bar = v_bar,
            .u_bar = f->u_bar, .v_bar = v_bar, .force_bar = f->lambda, .target_bar = f->du);
    fem_supports_adj(f, f->du);
    fem_combine(f, -1, f->lambda, 0, f->lambda, f->y);
    fem_internal_both(f, f->u, f->y, f->u_bar, f->f_int);
    fem_damping_force_adj(f, v, f->y, v_bar);
    if (f->external_of == step)
        fem_curves(f, fem_whole(step - 1), f->factor);
    else
        fem_external(f, fem_whole(step - 1), f->u);
    fem_combine(f, 1, f->f_ext, -1, f->f_int, f->rhs);
    if (drags(f)) fem_combine(f, 1, f->rhs, -1, f->drag, f->rhs);
    pio_map(q, fem_leap_mass, f->nodes, NULL, .mass = f->mass, .force = f->rhs, .force_bar = f->lambda,
            .mass_bar = f->mass_bar);
    fem_follow_adj(f, f->u, f->lambda, f->u_bar);
    fem_combine(f, 1, f->f_ext_bar, 1, f->lambda, f->f_ext_bar);
    fem_external_adj(f, f->u);
    pio_queue_copy(q, f->known, f->u, point_bytes(f));
    return sim_failed(&f->base, error);
}

/* ---- before and after ------------------------------------------------------------------------------------- */

/* An estimate of the largest omega^2, never above it: |A x|/|x| for A = m^-1/2 K m^-1/2, after some x = A x/|A x|. */
static double largest_square(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    real *x = f->y, *Kx = f->lambda;
    double square = 0;
    fem_tangents(f, f->u);
    fem_assemble_pairs(f);
    const pio_linop op = pio_bsr_operator(&f->matrix, PIO_SYMMETRIC, 0);
    pio_map(q, point_set, f->nodes, NULL, .value = 0, .noise = 1, .x = x);
    fem_held(f, 0, x);
    for (int i = 0; i <= POWER_ITERATIONS; i++) {
        pio_sum(q, point_dot, f->nodes, NULL, f->scalars, .x = x, .y = x);
        pio_queue_download(q, &square, f->scalars, sizeof square);
        if (!(square > 0) || i == POWER_ITERATIONS) break;
        fem_combine(f, 1 / sqrt(square), x, 0, x, x);
        pio_map(q, point_over_root, f->nodes, NULL, .x = x, .m = f->mass, .out = x);
        op.apply(op.context, x, Kx);
        fem_held(f, 0, Kx);
        pio_map(q, point_over_root, f->nodes, NULL, .x = Kx, .m = f->mass, .out = x);
    }
    return sqrt(square);
}

/* Masses at the nodes. */
void fem_nodal_masses(fem_sim *f)
{
    pio_queue_zero(&f->base.queue, f->mass, point_bytes(f));
    pio_map(&f->base.queue, point_set, f->nodes, NULL, .value = 1, .noise = 0, .x = f->ones);
    fem_mass_force(f, f->ones, f->mass);
}

/* The same; a time step that is sure to be unstable is refused. */
piola_status fem_leapfrog_start(fem_sim *f, piola_error *error)
{
    fem_nodal_masses(f);
    const double omega = sqrt(largest_square(f));
    if (f->dt * omega > 2)
        return sim_fail_as(error, PIOLA_NUMERICAL, sim_failure(PIOLA_FAILED_TIME_STEP),
                        "a time step of %.6g s is unstable: the leapfrog's must be less than 2/omega = %.6g s at "
                        "rest, omega "
                        "the highest frequency of the mesh; a shorter step, or an implicit integrator, would be right",
                        f->dt, 2 / omega);
    return sim_failed(&f->base, error);
}

void fem_leapfrog_end(fem_sim *f)
{
    fem_node_weights_adj(f);
    fem_mass_force_adj(f, f->ones, f->mass_bar, NULL);
}
/* clang-format on */
