/* mpm_observe.c -- observations on the device: which steps touch which samples, forwards and back. */
#include "solvers/mpm/mpm.h"

#include <math.h>

_Static_assert((int)PIO_FRONT == (int)OBSERVE_FRONT, "kinds of observations have one order");

mpm_observe_args mpm_observe_args_of(const mpm_sim *sim, const mpm_observation *o, int sample, int axis)
{
    const pio_observation_desc *d = &o->desc;
    const int distance = d->type == PIO_DISTANCE;
    return (mpm_observe_args){.s = sim->state[sim->current],
                              .matter = mpm_matter_of(sim),
                              .box = sim->box,
                              .body = o->member ? o->member : sim->body,
                              .type = d->type == PIO_SHAPE        ? OBSERVE_SHAPE
                                      : d->type == PIO_SEPARATION ? OBSERVE_MEAN_POSITION
                                                                  : (int)d->type,
                              .field = o->field,
                              .outside = d->outside,
                              .of = o->member ? 1 : d->body,
                              .axis = d->type == PIO_FRONT ? d->axis : axis,
                              .total = o->total,
                              .sharpness = d->sharpness,
                              .place = o->place,
                              .marker = o->marker,
                              .points = distance ? o->points + (ptrdiff_t)sample * d->rows * DIM : NULL,
                              .point_weight = o->point_weight ? o->point_weight + (ptrdiff_t)sample * d->rows : NULL,
                              .markers = distance ? o->markers[sample] : 1};
}

/* clang-format off */
#define OBSERVE_ARGS .s = a.s, .matter = a.matter, .box = a.box, .body = a.body, .type = a.type, .of = a.of, .axis = a.axis, \
    .total = a.total, .ref = a.ref, .sharpness = a.sharpness, .place = a.place, .marker = a.marker, .points = a.points, \
    .point_weight = a.point_weight, .markers = a.markers, .past = a.past, .past_at = a.past_at, .past_share = a.past_share, \
    .field = a.field, .outside = a.outside
/* clang-format on */

/* Of a distance between state[past] and the other one, the end of the step from it: what lies there at place p lay in state[past]
 * at the p-th place of the step's lists. */
static mpm_observe_args args_between(const mpm_sim *sim, const pio_touch *t, int past)
{
    mpm_observe_args a = mpm_observe_args_of(sim, &sim->observations[t->observation], t->sample, 0);
    a.s = sim->state[1 - past];
    a.past = sim->state[past];
    a.past_at = sim->lists.order;
    if (sim->reversible) { /* which keeps particles where they are */
        a.s = past == sim->current ? sim->other : sim->state[sim->current];
        a.past = past == sim->current ? sim->state[sim->current] : sim->other;
        a.past_at = a.s.id;
    }
    a.past_share = t->past;
    return a;
}

void mpm_observe_sum(mpm_sim *sim, const mpm_observe_args *args, double *sum)
{
    const mpm_observe_args a = *args;
    pio_sum(&sim->base.queue, mpm_observe, sim->n, &sim->step->particles, sum, OBSERVE_ARGS);
}

void mpm_observe_sum_adj(mpm_sim *sim, const mpm_observe_args *args, const double *sum, const double *bar,
                         double weight)
{
    const mpm_observe_args a = *args;
    pio_map(&sim->base.queue, mpm_observe_adj, sim->n, NULL, .o = a, .sum = sum, .sample_bar = bar, .weight = weight,
            .bar = sim->bar[sim->current_bar], .mass_bar = sim->mass_bar);
}

void mpm_observe_put(mpm_sim *sim, const mpm_observe_args *args, double weight, int at)
{
    const mpm_observe_args a = *args;
    pio_map(&sim->base.queue, mpm_observe_add, 1, NULL, .o = a, .sum = sim->base.scalar, .weight = weight,
            .sample = sim->base.samples + at);
}

void mpm_observe_totals(mpm_sim *sim)
{
    for (int i = 0; i < sim->n_observations; i++) {
        const mpm_observation *o = &sim->observations[i];
        mpm_observe_args a = mpm_observe_args_of(sim, o, 0, 0);
        if (mpm_is_of_control(o->desc.type)) continue;
        pio_sum(&sim->base.queue, mpm_observe_mass, sim->n, NULL, o->total, OBSERVE_ARGS);
        if (o->desc.type != PIO_SEPARATION) continue;
        a.of = 2; /* the other part */
        pio_sum(&sim->base.queue, mpm_observe_mass, sim->n, NULL, o->total + 1, OBSERVE_ARGS);
    }
}

/* Where the front is, roughly, into o->place: the smooth maximum with so small a sharpness that exp() can neither overflow nor
 * vanish anywhere in the box, taken about the middle of it. It lies within ln(n)/600 of the box's length of the front. */
static void place_front(mpm_sim *sim, const mpm_observation *o)
{
    pio_queue *q = &sim->base.queue;
    const int axis = o->desc.axis;
    const double length = sim->box.nodes[axis] * (double)sim->box.dx;
    mpm_observe_args a = mpm_observe_args_of(sim, o, 0, 0);
    a.place = NULL;
    a.ref = sim->box.origin[axis] + length / 2;
    a.sharpness = fmin(a.sharpness, 600 / length);
    pio_sum(q, mpm_observe, sim->n, &sim->step->particles, sim->base.scalar, OBSERVE_ARGS);
    pio_queue_zero(q, o->place, sizeof *o->place);
    pio_map(q, mpm_observe_add, 1, NULL, .o = a, .sum = sim->base.scalar, .weight = 1, .sample = o->place);
}

static void observe_touch(mpm_sim *sim, const pio_touch *t, int reverse)
{
    const mpm_observation *o = &sim->observations[t->observation];
    if (o->desc.type == PIO_DENSITY_MISFIT || o->desc.type == PIO_SEPARATION) {
        (o->desc.type == PIO_SEPARATION ? mpm_separation_touch : mpm_density_touch)(sim, t, reverse);
        return;
    }
    if (mpm_is_of_control(o->desc.type)) {
        if (!reverse) mpm_observe_control(sim, t); /* else the adjoint of the step before does it */
        return;
    }
    if (o->desc.type == PIO_FRONT) place_front(sim, o);
    for (int c = 0; c < o->desc.components; c++) {
        const mpm_observe_args a =
            t->past > 0 ? args_between(sim, t, 1 - sim->current) : mpm_observe_args_of(sim, o, t->sample, c);
        const int at = o->first + t->sample * o->desc.components + c;
        mpm_observe_sum(sim, &a, sim->base.scalar);
        if (!reverse)
            mpm_observe_put(sim, &a, t->weight, at);
        else
            mpm_observe_sum_adj(sim, &a, sim->base.scalar, sim->base.samples_bar + at, t->weight);
    }
}

static void observe_all(mpm_sim *sim, int64_t index, int reverse)
{
    for (int i = sim_first_touch(&sim->base, index); i < sim->base.n_touches && sim->base.touches[i].step == index; i++)
        if (!reverse || !(sim->base.touches[i].past > 0)) /* else the adjoint of the step before does it */
            observe_touch(sim, &sim->base.touches[i], reverse);
}

void mpm_observe_step(mpm_sim *sim, int64_t index)
{
    observe_all(sim, index, 0);
}
void mpm_observe_step_adj(mpm_sim *sim, int64_t index)
{
    observe_all(sim, index, 1);
}

void mpm_adjoint_norm(mpm_sim *sim, const mpm_state *bar, int64_t index, int which)
{
    sim_norm(&sim->base, index, which, bar->offset, bar->velocity, field_size(sim->n, DIM));
    if (which == NORM_WITH_SOURCES && index == sim->base.index)
        sim_norm(&sim->base, index, NORM_OF_STATE, NULL, sim->state[sim->current].velocity, field_size(sim->n, DIM));
}

/* Cotangents of the current state, with which the step begins, into past_bar; or (NULL) of the other one, its end, into the bar at
 * hand. */
static void between_adj(mpm_sim *sim, real *past_bar)
{
    pio_sim *s = &sim->base;
    const int64_t end = s->index + 1;
    for (int i = sim_first_touch(s, end); i < s->n_touches && s->touches[i].step == end; i++) {
        const pio_touch *t = &s->touches[i];
        const mpm_observation *o = &sim->observations[t->observation];
        if (!(t->past > 0)) continue;
        const mpm_observe_args a = args_between(sim, t, sim->current);
        pio_map(&s->queue, mpm_observe_adj, sim->n, NULL, .o = a, .sum = s->scalar,
                .sample_bar = s->samples_bar + o->first + t->sample, .weight = t->weight,
                .bar = sim->bar[sim->current_bar], .mass_bar = sim->mass_bar, .past_bar = past_bar);
    }
}

void mpm_observe_between_adj(mpm_sim *sim)
{
    if (!sim_looks_back(&sim->base, sim->base.index + 1)) return;
    if (!sim->reversible) mpm_move(sim);
    between_adj(sim, NULL);
    mpm_adjoint_norm(sim, &sim->bar[sim->current_bar], sim->base.index + 1, NORM_WITH_SOURCES);
}

void mpm_observe_before_adj(mpm_sim *sim)
{
    between_adj(sim, sim->bar[1 - sim->current_bar].offset);
}
