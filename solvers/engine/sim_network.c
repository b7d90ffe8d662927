/* sim_network.c -- networks that drive channels of control: what their description must hold, and their arrays. */
#include "solvers/engine/sim_network.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_UNITS = 4096 }; /* of a layer */

_Static_assert((int)PIO_NETWORK_HIDDEN + 1 == (int)NETWORK_LAYERS, "one number of layers");

static piola_status check_input(const pio_engine_desc *desc, int network, int j, piola_error *error)
{
    const pio_input_desc *in = &desc->networks[network].inputs[j];
    const int mean = sim_input_is_mean(in->kind), clocks = desc->networks[network].n_clocks;
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

piola_status sim_networks_accept(const pio_engine_desc *desc, piola_error *error)
{
    if (desc->n_networks < 0 || (desc->n_networks && !desc->networks))
        return sim_fail(error, PIOLA_BAD_DATA, "%d networks: there are none", (int)desc->n_networks);
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

static network_input input_of(const pio_input_desc *d)
{
    network_input in = {.kind = (int)d->kind, .clock = d->clock};
    if (!sim_input_is_mean(d->kind)) return in;
    in.axis = d->axis;
    in.offset = d->offset;
    in.scale = d->scale;
    return in;
}

int sim_networks_begin(sim_networks *n, const pio_engine_desc *desc)
{
    for (int i = 0; i < desc->n_networks; i++) n->n_inputs += desc->networks[i].n_inputs;
    n->n_networks = desc->n_networks;
    if (!n->n_networks) return 1;
    n->host_shapes = calloc((size_t)n->n_networks, sizeof *n->host_shapes);
    n->host_inputs = calloc((size_t)n->n_inputs, sizeof *n->host_inputs);
    if (!n->host_shapes || !n->host_inputs) return 0;
    int input = 0;
    for (int i = 0; i < desc->n_networks; i++) {
        const pio_network_desc *d = &desc->networks[i];
        network_shape *k = &n->host_shapes[i];
        *k = (network_shape){.first = d->first,
                             .outputs = d->outputs,
                             .inputs = d->n_inputs,
                             .input = input,
                             .layers = d->hidden + 1,
                             .weights = d->weights,
                             .clocks = d->n_clocks,
                             .clock = d->clocks,
                             .unit = n->n_units};
        for (int l = 0; l <= k->layers; l++) {
            k->width[l] = sim_network_width(d, l);
            n->n_units += k->width[l];
        }
        for (int j = 0; j < d->n_inputs; j++) n->host_inputs[input++] = input_of(&d->inputs[j]);
    }
    return 1;
}

void sim_networks_layout(sim_networks *n, pio_arena *arena, int adjoint)
{
    if (!n->n_networks) return;
    TAKE(arena, n->shapes, n->n_networks);
    TAKE(arena, n->inputs, n->n_inputs);
    TAKE(arena, n->means, n->n_inputs);
    TAKE(arena, n->units, n->n_units);
    if (!adjoint) return;
    TAKE(arena, n->means_bar, n->n_inputs);
    TAKE(arena, n->units_bar, n->n_units);
}

void sim_networks_upload(const sim_networks *n, pio_queue *q)
{
    if (!n->n_networks) return;
    pio_queue_upload(q, n->shapes, n->host_shapes, sizeof *n->shapes * (size_t)n->n_networks);
    pio_queue_upload(q, n->inputs, n->host_inputs, sizeof *n->inputs * (size_t)n->n_inputs);
}

void sim_networks_free(sim_networks *n)
{
    free(n->host_shapes);
    free(n->host_inputs);
}

int sim_networks_have_rates(const pio_engine_desc *desc)
{
    for (int o = 0; o < desc->n_observations; o++)
        for (int c = 0; desc->observations[o].type == PIO_SMOOTHNESS && c < desc->n_channels; c++)
            if (desc->channels[c].signal == PIO_NETWORK && desc->observations[o].channel_weight[c] > 0) return 1;
    return 0;
}
