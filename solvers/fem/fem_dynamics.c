/* fem_dynamics.c -- inertia and damping of a mesh: rates, forces, their share of the Jacobian, the initial state, and adjoints.
 *
 *     M a1 + C v1 + f_int(u1) = f_ext(t1),   v1 and a1 linear in u1 and in the history
 *
 *     backward Euler   v1 = (u1 - u0)/h                        a1 = (v1 - v0)/h
 *     BDF2             v1 = c (u1 - u0) - e (u0 - u(-1))       a1 likewise from v; the first span as Euler's
 *     Newmark          a1 = 4 (u1 - u0 - h v0)/h^2 - a0        v1 = v0 + h (a0 + a1)/2      (Newmark 1959, beta 1/4, gamma 1/2)
 *
 * Held unknowns have Euler's rates where Newmark's are those of the free (kernels/fem/fem_inertia.h says why): the formulas of Euler and
 * BDF2 depend on few past displacements, and do not ring. The free are not disturbed by the choice but through consistent masses and
 * damping that couple them to the held.
 *
 * with c = (1 + 2 w)/((1 + w) h), e = w^2/((1 + w) h) for a span h after one of h/w (Hairer, Norsett and Wanner 1993, III.5). */
#include "solvers/fem/fem.h"

#include <math.h>

/* ---- rates ------------------------------------------------------------------------------------------------ */

static double length_of(const fem_sim *f, int64_t step)
{
    return f->dt / (double)(f->records[step].parts > 0 ? f->records[step].parts : 1);
}

fem_rates_pair fem_rates_at(const fem_sim *f, fem_span span)
{
    const double h = f->dt / span.parts;
    fem_rates_pair r = {.v = {.d = 0}};
    if (f->integrator == PIO_STATIC || fem_leaps(f)) return r;
    if (f->integrator == PIO_NEWMARK) {
        r.v = (fem_rate){.d = 2 / h, .v = -1};
        r.a = (fem_rate){.d = 4 / (h * h), .v = -4 / h, .a = -1};
        r.held_v = (fem_rate){.d = 1 / h};
        r.held_a = (fem_rate){.d = 1 / (h * h), .v = -1 / h};
        return r;
    }
    if (f->integrator == PIO_BACKWARD_EULER || f->integrator == PIO_REVERSIBLE_EULER ||
        (span.step == 0 && span.part == 0)) {
        r.v = (fem_rate){.d = 1 / h};
        r.a = (fem_rate){.d = 1 / (h * h), .v = -1 / h};
    } else {
        const double w = span.part ? 1 : h / length_of(f, span.step - 1);
        const double c = (1 + 2 * w) / ((1 + w) * h), e = w * w / ((1 + w) * h);
        r.v = (fem_rate){.d = c, .p = -e};
        r.a = (fem_rate){.d = c * c, .p = -c * e, .v = -(c + e), .w = e}; /* c (v1 - v0) - e (v0 - v(-1)) */
    }
    r.held_v = r.v;
    r.held_a = r.a;
    return r;
}

/* clang-format off */
static void rates(fem_sim *f, fem_span span, const real *u1)
{
    const fem_rates_pair r = fem_rates_at(f, span);
    pio_map(&f->base.queue, fem_rates, f->nodes, NULL,
            .r = r, .held = f->held, .u1 = u1, .u = f->u, .vel = fem_state(f, f->u, STATE_V),
            .acc = f->integrator == PIO_NEWMARK ? fem_state(f, f->u, STATE_A) : NULL, .past = fem_state(f, f->u, STATE_PAST),
            .rate = fem_state(f, f->u, STATE_RATE), .v1 = f->rate, .a1 = f->rate + DIM * (size_t)f->nodes);
}

void fem_known_acceleration(fem_sim *f, fem_span span)
{
    const size_t vector = DIM * (size_t)f->nodes;
    if (!f->remade) return;
    rates(f, span, f->known);
    pio_queue_copy(&f->base.queue, fem_state(f, f->known, STATE_A), f->rate + vector, sizeof(real) * vector);
}

/* From cotangents of the known state's rates (in u_bar's block) to those of its displacement, and of the state before; the
 * vectors that were only shifted hand theirs on. */
void fem_history_adj(fem_sim *f, fem_span span)
{
    pio_queue *q = &f->base.queue;
    const fem_rates_pair r = fem_rates_at(f, span);
    const size_t bytes = sizeof(real) * DIM * (size_t)f->nodes;
    real *past_bar = fem_state(f, f->u_bar, STATE_PAST), *rate_bar = fem_state(f, f->u_bar, STATE_RATE);
    pio_queue_zero(q, f->earlier_bar, bytes * (size_t)f->n_state);
    pio_map(q, fem_rates_adj, f->nodes, NULL,
            .r = r, .held = f->held, .v1_bar = fem_state(f, f->u_bar, STATE_V), .a1_bar = fem_state(f, f->u_bar, STATE_A),
            .u1_bar = f->u_bar, .u_bar = f->earlier_bar, .vel_bar = fem_state(f, f->earlier_bar, STATE_V),
            .acc_bar = fem_state(f, f->earlier_bar, STATE_A), .past_bar = fem_state(f, f->earlier_bar, STATE_PAST),
            .rate_bar = fem_state(f, f->earlier_bar, STATE_RATE));
    if (past_bar) fem_combine(f, 1, f->earlier_bar, 1, past_bar, f->earlier_bar);
    if (rate_bar) {
        real *v_bar = fem_state(f, f->earlier_bar, STATE_V);
        fem_combine(f, 1, v_bar, 1, rate_bar, v_bar);
    }
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

static void add_corners(fem_sim *f, const real *in, real *out)
{
    pio_map(&f->base.queue, fem_node_sum, f->nodes, NULL,
            .start = f->corner_start, .corner = f->corner_list, .in = in, .scale = 1, .out = out);
    pio_halo(&f->base.queue, out);
}

/* out += M x, each element's times its factor */
static void mass_times(fem_sim *f, const real *factor, const real *x, real *out)
{
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++)
        pio_map(&f->base.queue, fem_inertia, p->n, NULL,
                .b = fem_block_of(f, p, RULE_MASS), .lumped = f->lumped, .density = f->density, .factor = factor, .x = x,
                .out = f->corner_out);
    add_corners(f, f->corner_out, out);
}

static void mass_times_adj(fem_sim *f, const real *factor, real *factor_bar, const real *x, const real *y, real *x_bar)
{
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++)
        pio_map(&f->base.queue, fem_inertia_adj, p->n, NULL,
                .fwd = {.b = fem_block_of(f, p, RULE_MASS), .lumped = f->lumped, .density = f->density, .factor = factor, .x = x},
                .y = y, .x_bar = f->corner_out, .rest_bar = f->corner_rest, .density_bar = f->density_bar,
                .factor_bar = factor_bar, .thick_bar = f->thickness ? f->thick_bar : NULL);
    if (x_bar) add_corners(f, f->corner_out, x_bar);
    add_corners(f, f->corner_rest, f->rest_bar);
}

static fem_matter damping_matter(const fem_sim *f)
{
    return (fem_matter){.elements = f->elements, .law = f->damp_law, .k = f->damp_k, .density = f->density};
}

void fem_mass_force(fem_sim *f, const real *a, real *out)
{
    mass_times(f, NULL, a, out);
}

void fem_damping_force(fem_sim *f, const real *v, real *out)
{
    if (f->alpha) mass_times(f, f->alpha, v, out);
    if (!f->beta) return;
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++)
        pio_map(&f->base.queue, fem_force, p->n, NULL,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = damping_matter(f), .u = v, .out = f->corner_out);
    add_corners(f, f->corner_out, out);
}

void fem_mass_force_adj(fem_sim *f, const real *a, const real *y, real *a_bar)
{
    mass_times_adj(f, NULL, NULL, a, y, a_bar);
}

void fem_damping_force_adj(fem_sim *f, const real *v, const real *y, real *v_bar)
{
    if (f->alpha) mass_times_adj(f, f->alpha, f->alpha_bar, v, y, v_bar);
    if (!f->beta) return;
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++)
        pio_map(&f->base.queue, fem_force_adj, p->n, NULL,
                .fwd = {.b = fem_block_of(f, p, RULE_STIFFNESS), .m = damping_matter(f), .u = v}, .y = y,
                .u_bar = f->corner_out, .rest_bar = f->corner_rest, .k_bar = f->damp_bar,
                .thick_bar = f->thickness ? f->thick_bar : NULL);
    if (v_bar) add_corners(f, f->corner_out, v_bar);
    add_corners(f, f->corner_rest, f->rest_bar);
}

/* Gravity acts on the masses that move: where these are lumped, f_ext += M g, so that a body at rest within itself falls so. */
void fem_lumped_weight(fem_sim *f)
{
    if (fem_leaps(f)) {
        pio_map(&f->base.queue, fem_node_weight, f->nodes, NULL, .step = f->step, .mass = f->mass, .out = f->f_ext);
        return;
    }
    pio_map(&f->base.queue, point_uniform, f->nodes, NULL, .step = f->step, .axis = -1, .out = f->drag);
    fem_mass_force(f, f->drag, f->f_ext);
}

static void gravity_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (int c = 0; c < DIM; c++) {
        pio_map(q, point_uniform, f->nodes, NULL, .step = f->step, .axis = c, .out = f->drag);
        pio_sum(q, point_dot, f->nodes, NULL, f->base.scalar, .x = f->inertia, .y = f->drag);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->base.gravity_bar + c);
    }
}

/* The leapfrog's weights are the same in every step: their cotangents are added up, and fem_leapfrog_end takes them all. */
void fem_lumped_weight_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (fem_leaps(f)) {
        fem_combine(f, 1, f->weight_bar, 1, f->f_ext_bar, f->weight_bar);
        return;
    }
    pio_map(q, point_uniform, f->nodes, NULL, .step = f->step, .axis = -1, .out = f->drag);
    pio_queue_zero(q, f->inertia, sizeof(real) * DIM * (size_t)f->nodes);
    fem_mass_force_adj(f, f->drag, f->f_ext_bar, f->inertia);
    gravity_adj(f);
}

void fem_node_weights_adj(fem_sim *f)
{
    pio_map(&f->base.queue, fem_node_weight_adj, f->nodes, NULL, .fwd = {.step = f->step, .mass = f->mass},
            .out_bar = f->weight_bar, .mass_bar = f->mass_bar, .gravity_share = f->inertia);
    gravity_adj(f);
}

void fem_inertial(fem_sim *f, fem_span span, const real *u1)
{
    const size_t vector = DIM * (size_t)f->nodes;
    rates(f, span, u1);
    pio_queue_zero(&f->base.queue, f->inertia, sizeof(real) * vector);
    pio_queue_zero(&f->base.queue, f->drag, sizeof(real) * vector);
    fem_mass_force(f, f->rate + vector, f->inertia);
    fem_damping_force(f, f->rate, f->drag);
}

/* pairs += ca M + cv C */
void fem_inertial_matrix(fem_sim *f, double ca, double cv)
{
    pio_queue *q = &f->base.queue;
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++) {
        pio_map(q, fem_mass_pairs, p->n, NULL,
                .b = fem_block_of(f, p, RULE_MASS), .lumped = f->lumped, .density = f->density, .alpha = f->alpha, .ca = ca,
                .cv = cv, .pair = p->pair, .pairs = p->pairs, .first_pair = p->first_pair, .out = f->pair_out);
        if (f->beta && cv > 0)
            pio_map(q, fem_damping_pairs, p->n, NULL,
                    .b = fem_block_of(f, p, RULE_STIFFNESS), .m = damping_matter(f), .cv = cv, .pair = p->pair,
                    .pairs = p->pairs, .first_pair = p->first_pair, .out = f->pair_out);
    }
}

/* ---- before and after ------------------------------------------------------------------------------------- */

static fem_start_held_args held_args(const fem_sim *f)
{
    return (fem_start_held_args){.node = f->held_node, .axis = f->held_axis, .support = f->held_support,
                                 .value = f->support_value, .curve = f->support_curve, .first = f->first_factor,
                                 .next = f->factor, .h = f->dt, .u = f->u, .v = fem_state(f, f->u, STATE_V)};
}

/* Held unknowns, with the curves' factors at time 0 and after one step. */
static void start_held(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    fem_curves(f, fem_whole(-1), f->first_factor);
    fem_curves(f, fem_whole(0), f->factor);
    if (!f->n_held) return;
    const fem_start_held_args a = held_args(f);
    PIO_LAUNCH(q, KERNEL_fem_start_held, q->backend->kernels.fem_start_held(q->stream, f->n_held, NULL, &a));
}

/* rhs = f_ext - f_int - C v of the current state, where free */
static void unbalanced(fem_sim *f)
{
    fem_internal(f, f->u, f->f_int);
    fem_combine(f, 1, f->f_ext, -1, f->f_int, f->rhs);
    pio_queue_zero(&f->base.queue, f->drag, sizeof(real) * DIM * (size_t)f->nodes);
    fem_damping_force(f, fem_state(f, f->u, STATE_V), f->drag);
    fem_combine(f, 1, f->rhs, -1, f->drag, f->rhs);
    fem_held(f, 0, f->rhs);
}

static void mass_matrix(fem_sim *f)
{
    pio_queue_zero(&f->base.queue, f->pair_out, sizeof(real) * DIM * DIM * (size_t)(f->pairs + f->load_pairs));
    fem_inertial_matrix(f, 1, 0);
    fem_assemble_pairs(f);
}

static piola_status told(piola_status rc, piola_error *error)
{
    if (!rc || !error) return rc;
    const piola_error said = *error;
    return sim_fail(error, rc, "the initial acceleration: %.1900s", said.message);
}

/* M a0 = f_ext(0) - f_int(u0) - C v0 where free, a0 = 0 where held */
static piola_status acceleration(fem_sim *f, piola_error *error)
{
    double residual;
    int32_t iterations;
    real *a = fem_state(f, f->u, STATE_A);
    fem_external(f, fem_whole(-1), f->u);
    unbalanced(f);
    mass_matrix(f);
    pio_queue_zero(&f->base.queue, a, sizeof(real) * DIM * (size_t)f->nodes);
    return told(fem_solve_adjoint(f, f->rhs, a, &iterations, &residual, error), error);
}

piola_status fem_acceleration_adj(fem_sim *f, fem_span span, real *u_bar, real *v_bar, int parameters,
                                  piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->nodes;
    double residual;
    int32_t iterations;
    real *a_bar = fem_state(f, f->u_bar, STATE_A);
    fem_external(f, span, f->u);
    mass_matrix(f);
    pio_queue_copy(q, f->rhs, a_bar, bytes);
    fem_held(f, 0, f->rhs);
    pio_queue_zero(q, f->lambda, bytes);
    const piola_status rc = fem_solve_adjoint(f, f->rhs, f->lambda, &iterations, &residual, error);
    if (rc) return rc;
    fem_combine(f, -1, f->lambda, 0, f->lambda, f->y);
    fem_internal_adj(f, f->u, f->y, u_bar, parameters);
    fem_follow_adj(f, f->u, f->lambda, u_bar);
    fem_damping_force(f, f->y, v_bar); /* C is symmetric */
    if (!parameters) return PIOLA_OK;
    fem_damping_force_adj(f, fem_state(f, f->u, STATE_V), f->y, NULL);
    fem_mass_force_adj(f, fem_state(f, f->u, STATE_A), f->y, NULL);
    fem_combine(f, 1, f->f_ext_bar, 1, f->lambda, f->f_ext_bar);
    pio_queue_zero(q, a_bar, bytes);
    return PIOLA_OK;
}

piola_status fem_start_motion(fem_sim *f, piola_error *error)
{
    if (f->beta)
        pio_map(&f->base.queue, fem_damping, f->elements, NULL, .m = fem_matter_of(f), .beta = f->beta, .out = f->damp_k);
    start_held(f);
    if (f->integrator == PIO_NEWMARK) return acceleration(f, error);
    if (fem_leaps(f)) {
        const piola_status rc = fem_leapfrog_start(f, error);
        if (rc) return rc;
    }
    if (f->integrator == PIO_REVERSIBLE_EULER) fem_nodal_masses(f);
    if (f->lattice) fem_lattice_begin(f);
    return sim_failed(&f->base, error);
}

/* At state 0, before the adjoint of the external forces: theirs are in f_ext_bar. */
piola_status fem_start_motion_adj(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    if (f->integrator == PIO_NEWMARK) {
        const piola_status rc =
            fem_acceleration_adj(f, fem_whole(-1), f->u_bar, fem_state(f, f->u_bar, STATE_V), 1, error);
        if (rc) return told(rc, error);
    }
    fem_curves(f, fem_whole(0), f->factor);
    if (f->n_held) {
        pio_map(q, fem_start_held_adj, f->n_held, NULL,
                .fwd = held_args(f), .u_bar = f->u_bar, .v_bar = fem_state(f, f->u_bar, STATE_V), .share = f->held_share);
        for (int s = 0; s < f->n_supports; s++) {
            pio_sum(q, design_sum, f->n_held, NULL, f->base.scalar,
                    .n = f->n_held, .stored = 1, .index = f->held_support, .group = s, .bar = f->held_share);
            pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->support_bar + s);
        }
    }
    if (f->beta)
        pio_map(q, fem_damping_adj, f->elements, NULL,
                .fwd = {.m = fem_matter_of(f), .beta = f->beta}, .out_bar = f->damp_bar, .k_bar = f->k_bar,
                .beta_bar = f->beta_bar);
    return sim_failed(&f->base, error);
}
/* clang-format on */
