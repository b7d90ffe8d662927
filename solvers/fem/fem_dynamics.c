/* fem_dynamics.c -- motion of a mesh in time: the rates at the end of a span, their adjoint, and the forces that they
 * make.
 *
 *     M a1 + C v1 + f_int(u1) = f_ext(t1),   v1 and a1 linear in u1 and in the history
 *
 *     backward Euler   v1 = (u1 - u0)/h                        a1 = (v1 - v0)/h
 *     BDF2             v1 = c (u1 - u0) - e (u0 - u(-1))       a1 likewise from v; the first span as Euler's
 *     Newmark          a1 = 4 (u1 - u0 - h v0)/h^2 - a0        v1 = v0 + h (a0 + a1)/2      (Newmark 1959, beta 1/4,
 *     gamma 1/2)
 *
 * With Newmark's rule, constrained unknowns have the rates of backward Euler: the formulas of Euler and BDF2 depend on
 * few past displacements, and do not oscillate. Free unknowns are affected by this choice only through consistent
 * masses and damping, which couple them to the constrained ones.
 *
 * with c = (1 + 2 w)/((1 + w) h), e = w^2/((1 + w) h) for a span h after one of h/w (Hairer, Norsett and Wanner 1993,
 * III.5). */
#include "solvers/fem/fem_friction.h"

/* ---- rates ------------------------------------------------------------------------------------------------ */

static double length_of(const fem_sim *f, int64_t step)
{
    return f->stepping.dt / (double)(f->stepping.records[step].parts > 0 ? f->stepping.records[step].parts : 1);
}

fem_rate_set fem_rates_at(const fem_sim *f, fem_span span)
{
    const double h = f->stepping.dt / span.parts;
    fem_rate_set r = {.v = {.d = 0}};
    if (f->contact.rubs) r.v = r.constrained_v = (fem_rate){.d = 1 / h};
    if (f->motion.integrator == PIO_STATIC || fem_leaps(f)) return r;
    if (fem_is_modal(f)) {
        r.a.d = -f->modal.shift; /* the matrix K - shift M */
        return r;
    }
    if (f->motion.integrator == PIO_NEWMARK) {
        r.v = (fem_rate){.d = 2 / h, .v = -1};
        r.a = (fem_rate){.d = 4 / (h * h), .v = -4 / h, .a = -1};
        r.constrained_v = (fem_rate){.d = 1 / h};
        r.constrained_a = (fem_rate){.d = 1 / (h * h), .v = -1 / h};
        return r;
    }
    if (f->motion.integrator == PIO_BACKWARD_EULER || f->motion.integrator == PIO_REVERSIBLE_EULER ||
        (span.step == 0 && span.part == 0)) {
        r.v = (fem_rate){.d = 1 / h};
        r.a = (fem_rate){.d = 1 / (h * h), .v = -1 / h};
    } else {
        const double w = span.part ? 1 : h / length_of(f, span.step - 1);
        const double c = (1 + 2 * w) / ((1 + w) * h), e = w * w / ((1 + w) * h);
        r.v = (fem_rate){.d = c, .p = -e};
        r.a = (fem_rate){.d = c * c, .p = -c * e, .v = -(c + e), .w = e}; /* c (v1 - v0) - e (v0 - v(-1)) */
    }
    r.constrained_v = r.v;
    r.constrained_a = r.a;
    return r;
}

/* clang-format off */
void fem_set_rates(fem_sim *f, fem_span span, const real *u1)
{
    const fem_rate_set r = fem_rates_at(f, span);
    pio_map(&f->base.queue, fem_rates, f->mesh.nodes, NULL,
            .r = r, .constrained = f->supports.constrained, .u1 = u1, .u = f->state.u,
            .vel = fem_state(f, f->state.u, STATE_V),
            .acc = f->motion.integrator == PIO_NEWMARK ? fem_state(f, f->state.u, STATE_A) : NULL,
            .past = fem_state(f, f->state.u,
                                                                                                        STATE_PAST),
            .rate = fem_state(f, f->state.u, STATE_RATE), .v1 = f->motion.rate,
            .a1 = f->motion.rate + DIM * (size_t)f->mesh.nodes);
    fem_tie_nodes(f, f->motion.rate);
    fem_tie_nodes(f, f->motion.rate + DIM * (size_t)f->mesh.nodes);
}

const real *fem_slip_velocity(const fem_sim *f, const real *u)
{
    if (!fem_has_friction(f) || fem_leaps(f)) return NULL;
    if (u == f->state.u || u == f->adjoint.known) return fem_state(f, (real *)(uintptr_t)u, STATE_V);
    return f->motion.rate;
}

void fem_known_acceleration(fem_sim *f, fem_span span)
{
    const size_t vector = DIM * (size_t)f->mesh.nodes;
    if (!f->state.omits_acceleration) return;
    fem_set_rates(f, span, f->adjoint.known);
    pio_queue_copy(&f->base.queue, fem_state(f, f->adjoint.known, STATE_A), f->motion.rate + vector,
            sizeof(real) * vector);
}

/* From cotangents of the known state's rates (in u_bar's block) to those of its displacement, and of the state before;
 * the vectors that were only shifted hand theirs on. */
void fem_history_adj(fem_sim *f, fem_span span)
{
    pio_queue *q = &f->base.queue;
    const fem_rate_set r = fem_rates_at(f, span);
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    real *past_bar = fem_state(f, f->adjoint.u_bar, STATE_PAST), *rate_bar = fem_state(f, f->adjoint.u_bar, STATE_RATE);
    pio_queue_zero(q, f->adjoint.previous_bar, bytes * (size_t)f->state.n_vectors);
    fem_tie_nodes_adj(f, fem_state(f, f->adjoint.u_bar, STATE_V));
    if (fem_moves(f)) fem_tie_nodes_adj(f, fem_state(f, f->adjoint.u_bar, STATE_A));
    pio_map(q, fem_rates_adj, f->mesh.nodes, NULL,
            .r = r, .constrained = f->supports.constrained, .v1_bar = fem_state(f, f->adjoint.u_bar, STATE_V),
            .a1_bar = fem_state(f, f->adjoint.u_bar,
                                                                                                    STATE_A),
            .u1_bar = f->adjoint.u_bar, .u_bar = f->adjoint.previous_bar,
            .vel_bar = fem_state(f, f->adjoint.previous_bar, STATE_V),
            .acc_bar = fem_state(f, f->adjoint.previous_bar, STATE_A),
            .past_bar = fem_state(f, f->adjoint.previous_bar, STATE_PAST),
            .rate_bar = fem_state(f, f->adjoint.previous_bar, STATE_RATE));
    if (past_bar) fem_combine(f, 1, f->adjoint.previous_bar, 1, past_bar, f->adjoint.previous_bar);
    if (rate_bar) {
        real *v_bar = fem_state(f, f->adjoint.previous_bar, STATE_V);
        fem_combine(f, 1, v_bar, 1, rate_bar, v_bar);
    }
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

void fem_inertial(fem_sim *f, fem_span span, const real *u1)
{
    const size_t vector = DIM * (size_t)f->mesh.nodes;
    fem_set_rates(f, span, u1);
    pio_queue_zero(&f->base.queue, f->motion.inertia, sizeof(real) * vector);
    pio_queue_zero(&f->base.queue, f->motion.drag, sizeof(real) * vector);
    fem_mass_force(f, f->motion.rate + vector, f->motion.inertia);
    fem_damping_force(f, f->motion.rate, f->motion.drag);
}
/* clang-format on */

void fem_accept(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const size_t vector = DIM * (size_t)f->mesh.nodes, bytes = sizeof(real) * vector;
    real *v = fem_state(f, f->state.u, STATE_V), *a = fem_state(f, f->state.u, STATE_A),
         *past = fem_state(f, f->state.u, STATE_PAST), *rate = fem_state(f, f->state.u, STATE_RATE);
    if (past) pio_queue_copy(q, past, f->state.u, bytes);
    if (rate) pio_queue_copy(q, rate, v, bytes);
    pio_queue_copy(q, f->state.u, f->newton.trial, bytes);
    if (v) pio_queue_copy(q, v, f->motion.rate, bytes);
    if (a) pio_queue_copy(q, a, f->motion.rate + vector, bytes);
}
