/* mpm_observe_sum.c -- one component of an observation: what kernels know of it, its sum over particles, and the
 * adjoint of that. */
#include "solvers/mpm/mpm.h"

mpm_observe_args mpm_observe_args_of(const mpm_sim *sim, const mpm_observation *o, int sample, int axis)
{
    const pio_observation_desc *d = &o->desc;
    const int distance = d->type == PIO_DISTANCE;
    return (mpm_observe_args){.s = sim->particles.state[sim->particles.current],
                              .matter = mpm_matter_of(sim),
                              .box = sim->grid.box,
                              .body = o->member ? o->member : sim->particles.body,
                              .type = d->type == PIO_SEPARATION ? PIO_MEAN_POSITION : (int)d->type,
                              .field = o->field,
                              .outside = d->outside,
                              .of = o->member ? 1 : d->body,
                              .axis = d->type == PIO_FRONT ? d->axis : axis,
                              .total = o->total,
                              .relative = sim->material.relative,
                              .sharpness = d->sharpness,
                              .quantile = d->quantile,
                              .place = o->place,
                              .marker = o->marker,
                              .points = distance ? o->points + (ptrdiff_t)sample * d->rows * DIM : NULL,
                              .point_weight = o->point_weight ? o->point_weight + (ptrdiff_t)sample * d->rows : NULL,
                              .markers = distance ? o->markers[sample] : 1};
}

/* Of a distance between state[past] and the other one, the end of the step from it: what lies there at place p lay in
 * state[past] at the p-th place of the step's lists. */
mpm_observe_args mpm_observe_args_between(const mpm_sim *sim, const pio_sample_weight *t, int past)
{
    mpm_observe_args a = mpm_observe_args_of(sim, &sim->observe.observations[t->observation], t->sample, 0);
    a.s = sim->particles.state[1 - past];
    a.past = sim->particles.state[past];
    a.past_at = sim->grid.lists.order;
    if (sim->reversible.used) { /* which keeps particles where they are */
        a.s = past == sim->particles.current ? sim->reversible.other : sim->particles.state[sim->particles.current];
        a.past = past == sim->particles.current ? sim->particles.state[sim->particles.current] : sim->reversible.other;
        a.past_at = a.s.id;
    }
    a.past_weight = t->past;
    return a;
}

/* clang-format off */
#define OBSERVE_ARGS .s = a.s, .matter = a.matter, .box = a.box, .body = a.body, .type = a.type, .of = a.of, \
    .axis = a.axis, \
    .total = a.total, .relative = a.relative, .ref = a.ref, .sharpness = a.sharpness, .place = a.place, \
    .quantile = a.quantile, .marker = a.marker, .points = a.points, \
    .point_weight = a.point_weight, .markers = a.markers, .past = a.past, .past_at = a.past_at, \
    .past_weight = a.past_weight, \
    .field = a.field, .outside = a.outside
/* clang-format on */

void mpm_observe_sum(mpm_sim *sim, const mpm_observe_args *args, double *sum)
{
    const mpm_observe_args a = *args;
    pio_sum(&sim->base.queue, mpm_observe, sim->particles.n, &sim->step->particles, sum, OBSERVE_ARGS);
}

void mpm_observe_quantile(mpm_sim *sim, const mpm_observation *o)
{
    pio_queue *q = &sim->base.queue;
    const mpm_observe_args a = mpm_observe_args_of(sim, o, 0, 0);
    double *slope = sim->base.scalar, *beyond = o->place + QUANTILE_BEYOND;
    pio_map(q, mpm_quantile_begin, 1, NULL, .box = sim->grid.box, .axis = a.axis, .sharpness = a.sharpness,
            .step = sim->step, .search = o->place, .particles = o->left);
    for (int k = 0; k < QUANTILE_STEPS; k++) {
        pio_sum(q, mpm_quantile_beyond, sim->particles.n, o->left, beyond, OBSERVE_ARGS);
        pio_sum(q, mpm_observe, sim->particles.n, o->left, slope, OBSERVE_ARGS);
        pio_map(q, mpm_quantile_step, 1, NULL, .quantile = a.quantile, .sharpness = a.sharpness, .total = a.total,
                .beyond = beyond, .slope = slope, .search = o->place, .particles = o->left);
    }
}

void mpm_observe_sum_adj(mpm_sim *sim, const mpm_observe_args *args, const double *sum, const double *bar,
                         double weight)
{
    const mpm_observe_args a = *args;
    pio_map(&sim->base.queue, mpm_observe_adj, sim->particles.n, NULL, .o = a, .sum = sum, .sample_bar = bar,
            .weight = weight, .bar = sim->particles.bar[sim->particles.current_bar], .mass_bar = sim->material.mass_bar,
            .relative_bar = sim->material.relative_bar);
}

void mpm_observe_put(mpm_sim *sim, const mpm_observe_args *args, double weight, int at)
{
    const mpm_observe_args a = *args;
    pio_map(&sim->base.queue, mpm_observe_add, 1, NULL, .o = a, .sum = sim->base.scalar, .weight = weight,
            .sample = sim->base.samples + at);
}

void mpm_observe_totals(mpm_sim *sim)
{
    for (int i = 0; i < sim->observe.n_observations; i++) {
        const mpm_observation *o = &sim->observe.observations[i];
        mpm_observe_args a = mpm_observe_args_of(sim, o, 0, 0);
        if (sim_is_of_control(o->desc.type)) continue;
        pio_sum(&sim->base.queue, mpm_observe_mass, sim->particles.n, NULL, o->total, OBSERVE_ARGS);
        if (o->desc.type != PIO_SEPARATION) continue;
        a.of = 2; /* the other part */
        pio_sum(&sim->base.queue, mpm_observe_mass, sim->particles.n, NULL, o->total + 1, OBSERVE_ARGS);
    }
}
