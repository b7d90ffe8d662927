/* mpm_feedback.c -- networks that drive channels of control of particles: what they read of the motion, their stage of
 * a step, its adjoint. */
#include "solvers/mpm/mpm.h"

#include <stdlib.h>

/* Rest volume of the particles of a body or a channel, m^3, of the numbers that the device has. */
static double volume_of(const pio_engine_desc *desc, int number, int by_channel)
{
    const pio_particles_desc *p = &desc->particles;
    const int32_t *is = by_channel ? p->channel : p->body;
    double sum = 0;
    for (int64_t i = 0; is && i < p->n; i++)
        if (is[i] == number) sum += (double)(real)p->volume[i];
    return sum;
}

piola_status mpm_networks_accept(const pio_engine_desc *desc, piola_error *error)
{
    const piola_status rc = sim_networks_accept(desc, error);
    if (rc) return rc;
    if (desc->n_networks && desc->reversible)
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "a network sees velocities that an inverse step does not know yet; apic would be right, or signals");
    for (int i = 0; i < desc->n_networks; i++)
        for (int j = 0; j < desc->networks[i].n_inputs; j++) {
            const pio_input_desc *in = &desc->networks[i].inputs[j];
            if (sim_input_is_mean(in->kind) && (!(volume_of(desc, in->of, in->of_channel) > 0) ||
                                                (in->from >= 0 && !(volume_of(desc, in->from, in->from_channel) > 0))))
                return sim_fail(error, PIOLA_BAD_DATA, "network %d, input %d: a mean over no particles", i, j);
        }
    return PIOLA_OK;
}

/* Particles, or (number -1) none. */
static mpm_set set_of(const pio_engine_desc *desc, int number, int by_channel)
{
    if (number < 0) return (mpm_set){-1, 0, 1};
    return (mpm_set){number, by_channel, volume_of(desc, number, by_channel)};
}

static mpm_sight sight_of(const pio_engine_desc *desc, const pio_input_desc *d)
{
    mpm_sight in = {.kind = (int)d->kind, .of = {-1, 0, 1}, .from = {-1, 0, 1}};
    if (!sim_input_is_mean(d->kind)) return in;
    in.axis = d->axis;
    in.of = set_of(desc, d->of, d->of_channel);
    in.from = set_of(desc, d->from, d->from_channel);
    return in;
}

int mpm_networks_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    if (!sim_networks_begin(&sim->networks.all, desc)) return 0;
    if (!desc->n_networks) return 1;
    sim->networks.host_sights = calloc((size_t)sim->networks.all.n_inputs, sizeof *sim->networks.host_sights);
    if (!sim->networks.host_sights) return 0;
    int input = 0;
    for (int i = 0; i < desc->n_networks; i++)
        for (int j = 0; j < desc->networks[i].n_inputs; j++)
            sim->networks.host_sights[input++] = sight_of(desc, &desc->networks[i].inputs[j]);
    return 1;
}

void mpm_networks_adj_begin(mpm_sim *sim)
{
    if (sim->networks.past)
        pio_queue_zero(&sim->base.queue, sim->networks.past_bar,
                       sizeof *sim->networks.past_bar * (size_t)sim->control.n_channels);
}

void mpm_networks_upload(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    sim_networks_upload(&sim->networks.all, q);
    if (sim->networks.all.n_inputs)
        pio_queue_upload(q, sim->networks.sights, sim->networks.host_sights,
                         sizeof *sim->networks.sights * (size_t)sim->networks.all.n_inputs);
}

/* clang-format off */
#define SENSE_ARGS .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), \
    .box = sim->grid.box, .body = sim->particles.body
#define NETWORK_ARGS .of = sim_network_set(&sim->networks.all, sim->control.n_channels, sim->control.parameters, \
    sim->control.values), .step = sim->step, .past = sim->networks.past

void mpm_networks_step(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const sim_networks *all = &sim->networks.all;
    if (!all->n_networks) return;
    for (int j = 0; j < all->n_inputs; j++)
        if (sim_input_is_mean((pio_network_input)all->host_inputs[j].kind))
            pio_sum(q, mpm_sense, sim->particles.n, &sim->step->particles, all->means + j, SENSE_ARGS,
                    .input = sim->networks.sights + j);
    pio_map(q, mpm_network, all->n_networks, NULL, NETWORK_ARGS, .activation = sim->control.activation,
            .rate = sim->control.rate);
}

void mpm_networks_step_adj(mpm_sim *sim, const mpm_state *bar)
{
    pio_queue *q = &sim->base.queue;
    const sim_networks *all = &sim->networks.all;
    if (!all->n_networks) return;
    pio_map(q, mpm_network_adj, all->n_networks, NULL,
            .fwd = {NETWORK_ARGS}, .activation_bar = sim->control.activation_bar,
            .bar = sim_network_set_bar(all, sim->control.parameters_bar, sim->control.values_bar),
            .rate_bar = sim->control.rate_bar, .past_bar = sim->networks.past_bar);
    pio_map(q, mpm_sense_adj, sim->particles.n, &sim->step->particles,
            .fwd = {SENSE_ARGS, .input = sim->networks.sights}, .inputs = all->n_inputs,
            .means_bar = all->means_bar, .bar = *bar);
}
/* clang-format on */
