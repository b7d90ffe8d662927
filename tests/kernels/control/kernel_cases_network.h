/* kernel_cases_network.h -- networks that drive channels of control, and what is recalled of them. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_NETWORK_H
#define PIOLA_TESTS_KERNEL_CASES_NETWORK_H

#include "kernels/control/network.h"
#include "tests/kernels/control/kernel_cases_signal.h"

/* Networks of two hidden layers, one with more units than a team has lanes, and of none. */
typedef struct {
    int networks, inputs, channels, weights, units, clocks;
} network_sizes;

static network_sizes sample_shapes(case_io *io, network_set *a)
{
    static const int layers[2] = {3, 1}, width[2][4] = {{7, 41, 5, 4}, {5, 3, 0, 0}};
    network_sizes n;
    memset(&n, 0, sizeof n);
    n.networks = case_size(io, 18);
    network_shape *shape = HOST(io, network_shape, n.networks);
    for (int i = 0; i < n.networks; i++) {
        const int k = i % 2, last = layers[k];
        shape[i].first = n.channels;
        shape[i].outputs = width[k][last];
        shape[i].inputs = width[k][0];
        shape[i].input = n.inputs;
        shape[i].layers = last;
        shape[i].weights = n.weights;
        shape[i].clocks = 2 - k;
        shape[i].clock = 2 * n.clocks; /* and after all weights */
        shape[i].unit = n.units;
        for (int l = 0; l <= last; l++) {
            shape[i].width[l] = width[k][l];
            n.units += width[k][l];
            if (l) n.weights += width[k][l] * (width[k][l - 1] + 1);
        }
        n.channels += shape[i].outputs;
        n.inputs += shape[i].inputs;
        n.clocks += shape[i].clocks;
    }
    for (int i = 0; i < n.networks; i++) shape[i].clock += n.weights;
    network_input *input = HOST(io, network_input, n.inputs);
    for (int j = 0; j < n.inputs; j++) {
        input[j].kind = j % 4;
        input[j].offset = 0.3;
        input[j].scale = 1.5;
    }
    for (int i = 0; i < n.networks; i++)
        for (int j = 0; j < shape[i].inputs; j++) input[shape[i].input + j].clock = j / 4 % shape[i].clocks;
    a->shape = PUSH(io, network_shape, shape, n.networks);
    a->input = PUSH(io, network_input, input, n.inputs);
    return n;
}

/* The same with their means, limits and values, which are inputs of the case. */
static network_sizes sample_networks(case_io *io, network_set *a)
{
    const network_sizes n = sample_shapes(io, a);
    a->channels = n.channels;
    a->means = WIDES(io, "mean", 1, n.inputs, -1, 1);
    case_array *limit = case_uniform(io, CASE_INPUT, "limit", 1, n.channels, 0.5, 2);
    const wide *limits = (const wide *)case_pack(io, limit, CASE_WIDE);
    wide *parameters = HOST(io, wide, field_size(n.channels, CONTROL_PARAMETERS));
    for (int c = 0; c < n.channels; c++) parameters[control_at(n.channels, CONTROL_AMPLITUDE, c)] = limits[c];
    a->parameters = PUSH(io, wide, parameters, field_size(n.channels, CONTROL_PARAMETERS));
    wide *values = HOST(io, wide, n.weights + 2 * n.clocks);
    memcpy(values, case_pack(io, case_uniform(io, CASE_INPUT, "weight", 1, n.weights, -0.6, 0.6), CASE_WIDE),
           sizeof *values * (size_t)n.weights);
    memcpy(values + n.weights, case_pack(io, case_uniform(io, CASE_INPUT, "clock", 1, 2 * n.clocks, -3, 7), CASE_WIDE),
           sizeof *values * (size_t)(2 * n.clocks));
    a->values = PUSH(io, wide, values, n.weights + 2 * n.clocks);
    a->units = NEW(io, wide, n.units, CASE_SET);
    return n;
}

/* Their cotangents. */
static network_set_bar sample_networks_bar(case_io *io, const network_sizes *n)
{
    network_set_bar b;
    b.units_bar = NEW(io, wide, n->units, CASE_SET);
    b.means_bar = NEW(io, wide, n->inputs, CASE_SET);
    b.parameters_bar = NEW(io, wide, field_size(n->channels, CONTROL_PARAMETERS), CASE_ADDED);
    b.values_bar = NEW(io, wide, n->weights + 2 * n->clocks, CASE_ADDED);
    return b;
}

/* Their gradients. */
static void network_gradients(case_io *io, const network_sizes *n, const network_set_bar *b)
{
    case_gradient_of(io, "limit", CASE_WIDE, 1, n->channels,
                     case_components(b->parameters_bar, CONTROL_PARAMETERS, CONTROL_AMPLITUDE));
    case_gradient(io, "mean", CASE_WIDE, 1, n->inputs, b->means_bar);
    case_gradient(io, "weight", CASE_WIDE, 1, n->weights, b->values_bar);
    case_gradient(io, "clock", CASE_WIDE, 1, 2 * n->clocks, b->values_bar + n->weights);
}

static void case_control_network(case_io *io)
{
    control_network_adj_args b;
    control_network_args *a = &b.fwd;
    const network_sizes n = sample_networks(io, &a->of);
    a->t = 41 * 0.004;
    a->activation = NEW(io, wide, n.channels, CASE_SET);
    LAUNCH(io, control_network, n.networks, NULL, a);
    case_out(io, "activation", CASE_WIDE, 1, n.channels, a->activation);
    if (!case_adjoint(io)) return;
    b.activation_bar = COTANGENT(io, wide, "activation");
    b.bar = sample_networks_bar(io, &n);
    LAUNCH(io, control_network_adj, n.networks, NULL, &b);
    network_gradients(io, &n, &b.bar);
}
#define case_control_network_adj case_control_network

/* Channels of networks among others, whose activations and rates were 0 and stay so. */
static void case_control_recall(case_io *io)
{
    static const char *const names[] = {"rates", "no rates", "rates of the first state", NULL};
    enum { RATED, UNRATED, FIRST };
    const int variant = case_variant(io, names), n = case_size(io, 700);
    int *signal = HOST(io, int, n);
    for (int c = 0; c < n; c++) signal[c] = c % 3 ? PIO_NETWORK : PIO_SINE;
    control_recall_adj_args b;
    control_recall_args *a = &b.fwd;
    a->signal = PUSH(io, int, signal, n);
    a->now = WIDES(io, "now", 1, n, -2, 2);
    a->before = variant == RATED ? WIDES(io, "before", 1, n, -2, 2) : NULL;
    a->h = 0.25;
    a->activation = PUSH(io, real, HOST(io, real, field_size(n, 1)), field_size(n, 1));
    a->rate = variant == UNRATED ? NULL : PUSH(io, wide, HOST(io, wide, n), n);
    LAUNCH(io, control_recall, n, NULL, a);
    case_out(io, "activation", CASE_FIELD, 1, n, a->activation);
    if (a->rate) case_out(io, "rate", CASE_WIDE, 1, n, a->rate);
    if (!case_adjoint(io)) return;
    b.activation_bar = COTANGENT(io, wide, "activation");
    b.rate_bar = a->rate ? COTANGENT(io, wide, "rate") : NULL;
    b.now_bar = NEW(io, wide, n, CASE_ADDED);
    b.before_bar = NEW(io, wide, n, CASE_ADDED);
    LAUNCH(io, control_recall_adj, n, NULL, &b);
    case_gradient(io, "now", CASE_WIDE, 1, n, b.now_bar);
    if (variant == RATED) case_gradient(io, "before", CASE_WIDE, 1, n, b.before_bar);
}
#define case_control_recall_adj case_control_recall

#endif
