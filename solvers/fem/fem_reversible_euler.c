/* fem_reversible_euler.c -- backward Euler whose steps have an exact inverse, by coding residuals.
 *
 * The state is on a lattice (fem_lattice.c), Q rounds to it. Newton's method finds v1 from the state's numbers; then
 *
 *     v1 := Q(v1),   u1 = u0 + Q(h v1)                                   on the lattice, f the forces of u1 and v1 at
 *     the span's end
 *     v0 = v1 - Q(h f/m) + r,   u0 = u1 - Q(h v1)                        so that v0 and u0 need r alone
 *
 * r is a whole number of quanta, small since the step solves m (v1 - v0)/h = f: it holds what Newton's method left, and
 * what rounding did to the forces, which is (k h^2/m)/2 quanta and more for a stiffness k. It goes into the residual
 * log (residual_log.h). That many bits have to go somewhere: a step maps differences of velocities by
 * (1 + h^2 K/m)^-1, so that log2 det(1 + h^2 K/m) bits of the state are lost in it (Maclaurin, Duvenaud and Adams 2015
 * keep those of a decaying momentum). Constrained unknowns are functions of time and cost none. C v is among the
 * forces, v1 being known in an inverse step. A span of a step that was halved has a record of its own.
 *
 * The adjoint is that of backward Euler at the rounded state, Q being differentiated as the identity; with u0 and u1 at
 * hand it is one assembly and one solve. */
#include "solvers/fem/fem.h"

/* rhs = the forces of the lattice's numbers at the end of a span */
static void forces(fem_sim *f, fem_span span)
{
    fem_external(f, span, f->state.u);
    fem_internal(f, f->state.u, f->forces.internal);
    fem_combine(f, 1, f->forces.external, -1, f->forces.internal, f->newton.rhs);
    pio_queue_zero(&f->base.queue, f->motion.drag, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    fem_damping_force(f, fem_state(f, f->state.u, STATE_V), f->motion.drag);
    fem_combine(f, 1, f->newton.rhs, -1, f->motion.drag, f->newton.rhs);
}

/* clang-format off */
/* out = v - Q(h f/m), the forces being in rhs */
static void without_forces(fem_sim *f, fem_span span, const int64_t *v, int64_t *out)
{
    pio_map(&f->base.queue, fem_lattice_kick, f->mesh.nodes, NULL,
            .constrained = f->supports.constrained, .mass = f->motion.mass, .force = f->newton.rhs,
            .per_speed = f->lattice.per_speed, .h = f->stepping.dt / span.parts, .sign = -1,
            .v = v, .out = out, .step = f->step);
}

static void sum(fem_sim *f, const int64_t *x, int sign, const int64_t *y, int64_t *out)
{
    pio_map(&f->base.queue, fem_lattice_sum, f->mesh.nodes, NULL, .x = x, .y = y, .sign = sign, .out = out);
}

void fem_euler_accept(fem_sim *f, fem_span span)
{
    pio_queue *q = &f->base.queue;
    const fem_lattice s = fem_lattice_of(f, f->lattice.state);
    const size_t vector = DIM * (size_t)f->mesh.nodes;
    int64_t *r = f->lattice.residual, *v0 = f->lattice.residual + vector;
    if (f->lattice.recording) pio_queue_copy(q, v0, s.v, sizeof *v0 * vector);
    pio_map(q, fem_lattice_round, f->mesh.nodes, NULL,
            .constrained = f->supports.constrained, .per = f->lattice.per_speed, .x = fem_state(f, f->state.u, STATE_V),
            .out = s.v, .step = f->step);
    fem_lattice_move(f, span, 1);
    fem_lattice_constrained(f, span);
    fem_lattice_numbers(f);
    forces(f, span); /* those of the state, whether they are recorded or not */
    if (!f->lattice.recording) return;
    without_forces(f, span, s.v, r);
    sum(f, v0, -1, r, r);
    pio_residual_log_push(&f->lattice.residual_log, q, r, span.step);
}

static void span_back(fem_sim *f, fem_span span)
{
    const fem_lattice s = fem_lattice_of(f, f->lattice.state);
    pio_residual_log_pop(&f->lattice.residual_log, &f->base.queue, f->lattice.residual);
    forces(f, span);
    fem_lattice_move(f, span, -1);
    without_forces(f, span, s.v, s.v);
    sum(f, s.v, 1, f->lattice.residual, s.v);
    fem_lattice_constrained(f, fem_span_before(f, span));
    fem_lattice_numbers(f);
}

piola_status fem_euler_inverse_step(fem_sim *f, piola_error *error)
{
    pio_sim *s = &f->base;
    pio_residual_log *log = &f->lattice.residual_log;
    const piola_status rc = log->checked ? PIOLA_OK : fem_euler_check(f, error);
    if (rc) return rc;
    log->checked = 1;
    if (log->next != s->index || log->first >= s->index)
        return sim_fail(error, PIOLA_USAGE, "the step that led to state %lld is not in the residual log, which has "
                                            "those from state %lld to %lld",
                        (long long)s->index, (long long)log->first, (long long)log->next);
    const int parts = f->stepping.records[s->index - 1].parts;
    for (int part = parts - 1; part >= 0; part--) span_back(f, (fem_span){s->index - 1, part, parts});
    log->next = --s->index;
    return sim_failed(s, error);
}

/* a1 = (v1 - v0)/h, which the state does not hold: v1 of the known state, v0 of the current one. */
void fem_euler_rates(fem_sim *f, fem_span span)
{
    const double rate = span.parts / f->stepping.dt;
    fem_combine(f, rate, fem_state(f, f->adjoint.known, STATE_V), -rate, fem_state(f, f->state.u, STATE_V),
            fem_state(f, f->adjoint.known,
                                                                                                        STATE_A));
}
/* clang-format on */

piola_status fem_euler_check(fem_sim *f, piola_error *error)
{
    rice_log t;
    if (!f->lattice.residual_log.capacity) return PIOLA_OK;
    pio_residual_log_state(&f->lattice.residual_log, &f->base.queue, &t);
    if (f->base.queue.error.code) return sim_failed(&f->base, error);
    if (t.fails < 0) return PIOLA_OK;
    const double steps = (double)(t.fails - f->lattice.residual_log.first + 1);
    const double all = (double)(f->lattice.residual_log.capacity + t.missing) / steps * (double)f->base.steps;
    return sim_fail(
        error, PIOLA_NO_MEMORY,
        "step %lld: the residual log is too short for what the step must remember: %lld of its %lld bytes are in "
        "use, and all %lld steps would need about %.0f bytes at this rate; a larger budget, fewer steps, or "
        "checkpoints would be right",
        (long long)t.fails, (long long)t.used, (long long)f->lattice.residual_log.capacity, (long long)f->base.steps,
        all);
}
