/* kernel_cases_feedback.h -- networks that see bodies and drive channels of control. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEEDBACK_H
#define PIOLA_TESTS_KERNEL_CASES_FEEDBACK_H

#include "tests/kernels/mpm/kernel_cases_control.h"

/* The place of a body, the velocity of driven particles less a body's; a third input is no mean. */
static void case_mpm_sense(case_io *io)
{
    enum { BODIES = 3, INPUTS = 3 };
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_state(io, &t, CASE_CONSTANT);
    sample_laws(io, &t);
    memset(&t.matter, 0, sizeof t.matter);
    t.matter.n = t.n;
    t.matter.volume = CONSTANTS(io, "volume", 1, t.n, 1, 2);
    int *body = HOST(io, int, t.n), *channel = HOST(io, int, t.n);
    for (int i = 0; i < t.n; i++) {
        body[i] = (int)(BODIES * case_unit("body", i));
        channel[i] = (int)(3 * case_unit("channel", i)) - 1;
    }
    t.matter.channel = PUSH(io, int, channel, t.n);
    mpm_input *input = HOST(io, mpm_input, INPUTS);
    for (int j = 0; j < INPUTS; j++) {
        const int velocity = j == 1;
        input[j].kind = j == 0 ? PIO_INPUT_POSITION : velocity ? PIO_INPUT_VELOCITY : PIO_INPUT_SINE;
        input[j].axis = velocity ? 0 : DIM - 1;
        input[j].of.number = j < 2 ? 1 : -1;
        input[j].of.by_channel = velocity;
        input[j].of.volume = 0.3 * t.n;
        input[j].from.number = velocity ? 2 : -1;
        input[j].from.by_channel = 0;
        input[j].from.volume = 0.5 * t.n;
    }
    mpm_sense_adj_args b;
    mpm_sense_args *a = &b.fwd;
    a->s = t.s;
    a->matter = t.matter;
    a->box = t.box;
    a->body = PUSH(io, int, body, t.n);
    const mpm_input *inputs = PUSH(io, mpm_input, input, INPUTS);
    wide *means = NEW(io, wide, INPUTS, CASE_SET);
    for (int j = 0; j < INPUTS; j++) {
        a->input = inputs + j;
        LAUNCH_SUM(io, mpm_sense, t.n, NULL, a, means + j);
    }
    case_out(io, "mean", CASE_WIDE, 1, INPUTS, means);
    if (!case_adjoint(io)) return;
    a->input = inputs;
    b.inputs = INPUTS;
    b.means_bar = COTANGENT(io, wide, "mean");
    b.bar = sample_new_state(io, t.n, CASE_ADDED);
    LAUNCH(io, mpm_sense_adj, t.n, NULL, &b);
    case_gradient(io, "offset", CASE_FIELD, DIM, t.n, b.bar.offset);
    case_gradient(io, "velocity", CASE_FIELD, DIM, t.n, b.bar.velocity);
}
#define case_mpm_sense_adj case_mpm_sense

/* Networks of two hidden layers, one with more units than a team has lanes, and of none. */
typedef struct {
    int networks, inputs, channels, weights, units, clocks;
} network_sizes;

static network_sizes sample_networks(case_io *io, mpm_network_args *a)
{
    static const int layers[2] = {3, 1}, width[2][4] = {{7, 41, 5, 4}, {5, 3, 0, 0}};
    network_sizes n;
    memset(&n, 0, sizeof n);
    n.networks = case_size(io, 18);
    mpm_network_shape *shape = HOST(io, mpm_network_shape, n.networks);
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
    mpm_input *input = HOST(io, mpm_input, n.inputs);
    for (int j = 0; j < n.inputs; j++) {
        input[j].kind = j % 4;
        input[j].offset = 0.3;
        input[j].scale = 1.5;
    }
    for (int i = 0; i < n.networks; i++)
        for (int j = 0; j < shape[i].inputs; j++) input[shape[i].input + j].clock = j / 4 % shape[i].clocks;
    a->networks = PUSH(io, mpm_network_shape, shape, n.networks);
    a->inputs = PUSH(io, mpm_input, input, n.inputs);
    return n;
}

/* The first step has none before it. */
typedef enum { NO_RATES, RATES, FIRST_RATES } network_rates;

static void sample_rates(case_io *io, mpm_network_args *a, network_rates rates)
{
    const int n = a->channels;
    wide *past = HOST(io, wide, 2 * n);
    a->past = a->rate = NULL;
    if (rates == NO_RATES) return;
    if (rates == RATES)
        memcpy(past, case_pack(io, case_uniform(io, CASE_INPUT, "before", 1, n, -2, 2), CASE_WIDE),
               sizeof *past * (size_t)n);
    a->past = PUSH(io, wide, past, 2 * n);
    a->rate = NEW(io, wide, n, CASE_SET);
}

static void case_mpm_network(case_io *io)
{
    static const char *const names[] = {"no rates", "rates", "rates of the first step", NULL};
    const network_rates rates = (network_rates)case_variant(io, names);
    mpm_step *step = HOST(io, mpm_step, 1);
    step->index = rates == NO_RATES ? 41 : rates == RATES;
    step->h = R(0.004);
    mpm_network_adj_args b;
    mpm_network_args *a = &b.fwd;
    const network_sizes n = sample_networks(io, a);
    a->channels = n.channels;
    a->step = PUSH(io, mpm_step, step, 1);
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
    a->activation = NEW_FIELD(io, 1, n.channels, CASE_SET);
    sample_rates(io, a, rates);
    LAUNCH(io, mpm_network, n.networks, NULL, a);
    case_out(io, "activation", CASE_FIELD, 1, n.channels, a->activation);
    if (a->past) case_out(io, "past", CASE_WIDE, 1, n.channels, a->past + step->index * n.channels);
    if (a->past) case_out(io, "rate", CASE_WIDE, 1, n.channels, a->rate);
    if (!case_adjoint(io)) return;
    b.activation_bar = COTANGENT(io, wide, "activation");
    b.past_bar = a->past ? COTANGENT(io, wide, "past") : NULL;
    b.rate_bar = a->past ? COTANGENT(io, wide, "rate") : NULL;
    b.unit_bar = NEW(io, wide, n.units, CASE_SET);
    b.means_bar = NEW(io, wide, n.inputs, CASE_SET);
    b.parameters_bar = NEW(io, wide, field_size(n.channels, CONTROL_PARAMETERS), CASE_ADDED);
    b.values_bar = NEW(io, wide, n.weights + 2 * n.clocks, CASE_ADDED);
    LAUNCH(io, mpm_network_adj, n.networks, NULL, &b);
    case_gradient_of(io, "limit", CASE_WIDE, 1, n.channels,
                     case_components(b.parameters_bar, CONTROL_PARAMETERS, CONTROL_AMPLITUDE));
    case_gradient(io, "mean", CASE_WIDE, 1, n.inputs, b.means_bar);
    case_gradient(io, "weight", CASE_WIDE, 1, n.weights, b.values_bar);
    case_gradient(io, "clock", CASE_WIDE, 1, 2 * n.clocks, b.values_bar + n.weights);
    if (rates == RATES) case_gradient(io, "before", CASE_WIDE, 1, n.channels, b.past_bar);
}
#define case_mpm_network_adj case_mpm_network

#endif
