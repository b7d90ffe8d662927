/* kernel_cases_feedback.h -- networks that see bodies and drive channels of control. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEEDBACK_H
#define PIOLA_TESTS_KERNEL_CASES_FEEDBACK_H

#include "tests/kernels/control/kernel_cases_network.h"
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
    mpm_sight *input = HOST(io, mpm_sight, INPUTS);
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
    const mpm_sight *inputs = PUSH(io, mpm_sight, input, INPUTS);
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

/* The first step has none before it. */
typedef enum { NO_RATES, RATES, FIRST_RATES } network_rates;

static void sample_rates(case_io *io, mpm_network_args *a, network_rates rates)
{
    const int n = a->of.channels;
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
    const network_sizes n = sample_networks(io, &a->of);
    a->step = PUSH(io, mpm_step, step, 1);
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
    b.bar = sample_networks_bar(io, &n);
    LAUNCH(io, mpm_network_adj, n.networks, NULL, &b);
    network_gradients(io, &n, &b.bar);
    if (rates == RATES) case_gradient(io, "before", CASE_WIDE, 1, n.channels, b.past_bar);
}
#define case_mpm_network_adj case_mpm_network

#endif
