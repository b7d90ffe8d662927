/* mpm_feedback.c -- networks that drive channels of control: what their description must hold, their stage of a step,
 * its adjoint. */
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_UNITS = 4096 }; /* of a layer */

_Static_assert((int)PIO_NETWORK_HIDDEN + 1 == (int)NETWORK_LAYERS, "one number of layers");

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

static piola_status check_input(const pio_engine_desc *desc, int network, int j, piola_error *error)
{
    const pio_input_desc *in = &desc->networks[network].inputs[j];
    const int mean = in->kind >= PIO_INPUT_POSITION, clocks = desc->networks[network].n_clocks;
    if ((int)in->kind < 0 || in->kind > PIO_INPUT_VELOCITY || (mean && (in->axis < 0 || in->axis >= DIM)))
        return sim_fail(error, PIOLA_BAD_DATA, "network %d, input %d: there is no kind %d along axis %d", network, j,
                        (int)in->kind, (int)in->axis);
    if (!mean && (in->clock < 0 || in->clock >= clocks))
        return sim_fail(error, PIOLA_BAD_DATA, "network %d, input %d: clock %d is none of the %d", network, j,
                        (int)in->clock, clocks);
    if (mean && (!isfinite(in->offset) || !isfinite(in->scale) || !(in->scale > 0)))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "network %d, input %d: the offset %g must be finite, the scale %g above 0", network, j,
                        in->offset, in->scale);
    if (mean && (!(volume_of(desc, in->of, in->of_channel) > 0) ||
                 (in->from >= 0 && !(volume_of(desc, in->from, in->from_channel) > 0))))
        return sim_fail(error, PIOLA_BAD_DATA, "network %d, input %d: a mean over no particles", network, j);
    return PIOLA_OK;
}

static piola_status check_network(const pio_engine_desc *desc, int i, piola_error *error)
{
    const pio_network_desc *k = &desc->networks[i];
    int good = k->hidden >= 0 && k->hidden <= PIO_NETWORK_HIDDEN && k->n_inputs >= 1 && k->inputs;
    for (int l = 0; good && l <= k->hidden + 1; l++)
        good = sim_network_width(k, l) >= 1 && sim_network_width(k, l) <= MOST_UNITS;
    if (!good)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "network %d: up to %d hidden layers, and 1 to %d units in each and inputs, would be right", i,
                        PIO_NETWORK_HIDDEN, MOST_UNITS);
    if (k->first < 0 || k->first + k->outputs > desc->n_channels)
        return sim_fail(error, PIOLA_BAD_DATA, "network %d: channels %d to %d are not all among the %d", i,
                        (int)k->first, (int)k->first + (int)k->outputs - 1, (int)desc->n_channels);
    if (k->weights < 0 || sim_network_weights(k) > desc->n_control_values - k->weights)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "network %d: %d weights from %d on are not all among the %d control values", i,
                        sim_network_weights(k), (int)k->weights, (int)desc->n_control_values);
    if (k->n_clocks < 0 || k->clocks < 0 || 2 * (int64_t)k->n_clocks > desc->n_control_values - k->clocks)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "network %d: frequencies and phases of %d clocks from %d on are not all among the %d control "
                        "values",
                        i, (int)k->n_clocks, (int)k->clocks, (int)desc->n_control_values);
    piola_status rc = PIOLA_OK;
    for (int j = 0; !rc && j < k->n_inputs; j++) rc = check_input(desc, i, j, error);
    return rc;
}

piola_status mpm_networks_accept(const pio_engine_desc *desc, piola_error *error)
{
    if (desc->n_networks < 0 || (desc->n_networks && !desc->networks))
        return sim_fail(error, PIOLA_BAD_DATA, "%d networks: there are none", (int)desc->n_networks);
    if (desc->n_networks && desc->reversible)
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "a network sees velocities that an inverse step does not know yet; apic would be right, or signals");
    for (int i = 0; i < desc->n_networks; i++) {
        const piola_status rc = check_network(desc, i, error);
        if (rc) return rc;
    }
    for (int c = 0; c < desc->n_channels; c++) {
        int networks = 0;
        for (int i = 0; i < desc->n_networks; i++)
            networks += c >= desc->networks[i].first && c < desc->networks[i].first + desc->networks[i].outputs;
        if (networks != (desc->channels[c].signal == PIO_NETWORK))
            return sim_fail(error, PIOLA_BAD_DATA, "channel %d: it is the output of %d networks", c, networks);
    }
    return PIOLA_OK;
}

/* Particles, or (number -1) none. */
static mpm_set set_of(const pio_engine_desc *desc, int number, int by_channel)
{
    if (number < 0) return (mpm_set){-1, 0, 1};
    return (mpm_set){number, by_channel, volume_of(desc, number, by_channel)};
}

static mpm_input input_of(const pio_engine_desc *desc, const pio_input_desc *d)
{
    mpm_input in = {.kind = (int)d->kind, .clock = d->clock, .of = {-1, 0, 1}, .from = {-1, 0, 1}};
    if (d->kind < PIO_INPUT_POSITION) return in;
    in.axis = d->axis;
    in.of = set_of(desc, d->of, d->of_channel);
    in.from = set_of(desc, d->from, d->from_channel);
    in.offset = d->offset;
    in.scale = d->scale;
    return in;
}

int mpm_networks_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    for (int i = 0; i < desc->n_networks; i++) sim->networks.n_inputs += desc->networks[i].n_inputs;
    sim->networks.n_networks = desc->n_networks;
    sim->networks.host_shapes = calloc((size_t)sim->networks.n_networks + 1, sizeof *sim->networks.host_shapes);
    sim->networks.host_inputs = calloc((size_t)sim->networks.n_inputs + 1, sizeof *sim->networks.host_inputs);
    if (!sim->networks.host_shapes || !sim->networks.host_inputs) return 0;
    int input = 0;
    for (int i = 0; i < desc->n_networks; i++) {
        const pio_network_desc *d = &desc->networks[i];
        mpm_network_shape *k = &sim->networks.host_shapes[i];
        *k = (mpm_network_shape){.first = d->first,
                                 .outputs = d->outputs,
                                 .inputs = d->n_inputs,
                                 .input = input,
                                 .layers = d->hidden + 1,
                                 .weights = d->weights,
                                 .clocks = d->n_clocks,
                                 .clock = d->clocks,
                                 .unit = sim->networks.n_units};
        for (int l = 0; l <= k->layers; l++) {
            k->width[l] = sim_network_width(d, l);
            sim->networks.n_units += k->width[l];
        }
        for (int j = 0; j < d->n_inputs; j++) sim->networks.host_inputs[input++] = input_of(desc, &d->inputs[j]);
    }
    return 1;
}

int mpm_networks_have_rates(const pio_engine_desc *desc)
{
    for (int o = 0; o < desc->n_observations; o++)
        for (int c = 0; desc->observations[o].type == PIO_SMOOTHNESS && c < desc->n_channels; c++)
            if (desc->channels[c].signal == PIO_NETWORK && desc->observations[o].channel_weight[c] > 0) return 1;
    return 0;
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
    if (!sim->networks.n_networks) return;
    pio_queue_upload(q, sim->networks.shapes, sim->networks.host_shapes,
                     sizeof *sim->networks.shapes * (size_t)sim->networks.n_networks);
    pio_queue_upload(q, sim->networks.inputs, sim->networks.host_inputs,
                     sizeof *sim->networks.inputs * (size_t)sim->networks.n_inputs);
}

/* clang-format off */
#define SENSE_ARGS .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), \
    .box = sim->grid.box, .body = sim->particles.body
#define NETWORK_ARGS .channels = sim->control.n_channels, .step = sim->step, .networks = sim->networks.shapes, \
    .inputs = sim->networks.inputs, .means = sim->networks.means, .parameters = sim->control.parameters, \
    .values = sim->control.values, .units = sim->networks.units, .past = sim->networks.past

void mpm_networks_step(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->networks.n_networks) return;
    for (int j = 0; j < sim->networks.n_inputs; j++)
        if (sim->networks.host_inputs[j].kind >= PIO_INPUT_POSITION)
            pio_sum(q, mpm_sense, sim->particles.n, &sim->step->particles, sim->networks.means + j, SENSE_ARGS,
                    .input = sim->networks.inputs + j);
    pio_map(q, mpm_network, sim->networks.n_networks, NULL, NETWORK_ARGS, .activation = sim->control.activation,
            .rate = sim->control.rate);
}

void mpm_networks_step_adj(mpm_sim *sim, const mpm_state *bar)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->networks.n_networks) return;
    pio_map(q, mpm_network_adj, sim->networks.n_networks, NULL,
            .fwd = {NETWORK_ARGS}, .activation_bar = sim->control.activation_bar, .unit_bar = sim->networks.units_bar,
            .means_bar = sim->networks.means_bar, .parameters_bar = sim->control.parameters_bar,
            .values_bar = sim->control.values_bar, .rate_bar = sim->control.rate_bar,
            .past_bar = sim->networks.past_bar);
    pio_map(q, mpm_sense_adj, sim->particles.n, &sim->step->particles,
            .fwd = {SENSE_ARGS, .input = sim->networks.inputs}, .inputs = sim->networks.n_inputs,
            .means_bar = sim->networks.means_bar, .bar = *bar);
}
/* clang-format on */
