/* mpm_observe.c -- observations on the device: the contributions of states to samples, and their adjoint. */
#include "solvers/mpm/mpm.h"

#include <math.h>

/* Where the front is, roughly, into o->place: the smooth maximum with so small a sharpness that exp() can neither
 * overflow nor vanish anywhere in the box, taken about the middle of it. It lies within ln(n)/600 of the box's length
 * of the front. */
static void place_front(mpm_sim *sim, const mpm_observation *o)
{
    pio_queue *q = &sim->base.queue;
    const int axis = o->desc.axis;
    const double length = sim->grid.box.nodes[axis] * (double)sim->grid.box.dx;
    mpm_observe_args a = mpm_observe_args_of(sim, o, 0, 0);
    a.place = NULL;
    a.ref = sim->grid.box.origin[axis] + length / 2;
    a.sharpness = fmin(a.sharpness, 600 / length);
    mpm_observe_sum(sim, &a, sim->base.scalar);
    pio_queue_zero(q, o->place, sizeof *o->place);
    pio_map(q, mpm_observe_add, 1, NULL, .o = a, .sum = sim->base.scalar, .weight = 1, .sample = o->place);
}

static void observe_sample(mpm_sim *sim, const pio_sample_weight *t, int adjoint)
{
    const mpm_observation *o = &sim->observe.observations[t->observation];
    if (o->desc.type == PIO_DENSITY_MISFIT || o->desc.type == PIO_SEPARATION) {
        (o->desc.type == PIO_SEPARATION ? mpm_observe_separation : mpm_observe_density)(sim, t, adjoint);
        return;
    }
    if (sim_is_of_control(o->desc.type)) {
        if (!adjoint) mpm_observe_control(sim, t); /* else the adjoint of the step before does it */
        return;
    }
    if (o->desc.type == PIO_FRONT) (o->desc.quantile > 0 ? mpm_observe_quantile : place_front)(sim, o);
    for (int c = 0; c < o->desc.components; c++) {
        const mpm_observe_args a = t->past > 0 ? mpm_observe_args_between(sim, t, 1 - sim->particles.current)
                                               : mpm_observe_args_of(sim, o, t->sample, c);
        const int at = o->first + t->sample * o->desc.components + c;
        mpm_observe_sum(sim, &a, sim->base.scalar);
        if (!adjoint)
            mpm_observe_put(sim, &a, t->weight, at);
        else
            mpm_observe_sum_adj(sim, &a, sim->base.scalar, sim->base.samples_bar + at, t->weight);
    }
}

static void observe_all(mpm_sim *sim, int64_t index, int adjoint)
{
    for (int i = sim_first_sample_weight(&sim->base, index);
         i < sim->base.n_sample_weights && sim->base.sample_weights[i].step == index; i++)
        if (!adjoint || !(sim->base.sample_weights[i].past > 0)) /* else the adjoint of the step before does it */
            observe_sample(sim, &sim->base.sample_weights[i], adjoint);
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
    sim_norm(&sim->base, index, which, bar->offset, bar->velocity, field_size(sim->particles.n, DIM));
    if (which == NORM_WITH_SOURCES && index == sim->base.index)
        sim_norm(&sim->base, index, NORM_OF_STATE, NULL, sim->particles.state[sim->particles.current].velocity,
                 field_size(sim->particles.n, DIM));
}
