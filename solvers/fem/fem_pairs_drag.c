/* fem_pairs_drag.c -- friction between surfaces that touch each other, among the internal forces of implicit steps: at
 * the velocities that the rule of time makes of the displacement at the end of the step, as at obstacles. */
#include "solvers/fem/fem_pairs_friction.h"

/* clang-format off */
static fem_pair_drag_args drag_of(const fem_sim *f, const real *u, const real *v)
{
    return (fem_pair_drag_args){.fwd = fem_pairs_of(f, u, f->pairs.out), .rub = f->rubs.rub, .v = v};
}

void fem_pairs_drag(fem_sim *f, const real *u, const real *v)
{
    const fem_sim_pairs *s = &f->pairs;
    const fem_pair_drag_args a = drag_of(f, u, v);
    if (f->rubs.on && v) pio_map_with(&f->base.queue, fem_pair_drag, s->room, &s->found->count, &a);
}

void fem_pairs_drag_adj(fem_sim *f, const real *u, const real *y, fem_friction_bars bar)
{
    const fem_sim_pairs *s = &f->pairs;
    const fem_sim_pairs_friction *r = &f->rubs;
    const real *v = fem_slip_velocity(f, u);
    if (!r->on || !v || !bar.v) return;
    pio_map(&f->base.queue, fem_pair_drag_adj, s->room, &s->found->count, .fwd = drag_of(f, u, v), .pairs = s->room,
            .y = y, .u_bar = s->out, .rest_bar = bar.parameters ? s->rest_out : NULL, .area_bar = s->area_out,
            .grip_bar = s->grip_out, .rub_bar = r->rub_out, .velocity_bar = r->velocity_out);
    fem_pairs_add(f, r->velocity_out, bar.v);
    if (bar.parameters) fem_pairs_friction_parameters_adj(f);
}

void fem_pairs_drag_blocks(fem_sim *f, const real *u, int projected)
{
    const fem_sim_pairs *s = &f->pairs;
    const real *v = fem_slip_velocity(f, u);
    if (!f->rubs.on || !v) return;
    pio_map(&f->base.queue, fem_pair_drag_matrix, s->room, &s->found->count, .fwd = drag_of(f, u, v),
            .rate = fem_rates_at(f, f->contact.span).v.d, .projected = projected,
            .constrained = f->supports.constrained, .value = s->value);
}

void fem_pairs_drag_potential(fem_sim *f, fem_span span, double *energy)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    if (!f->rubs.on) return;
    fem_pairs_find(f, f->newton.trial);
    pio_sum(q, fem_pair_drag_work, s->room, &s->found->count, f->base.scalar,
            .fwd = fem_pairs_of(f, f->newton.trial, NULL), .rub = f->rubs.rub, .v = f->motion.rate,
            .rate = fem_rates_at(f, span).v.d);
    pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = energy);
}
/* clang-format on */
