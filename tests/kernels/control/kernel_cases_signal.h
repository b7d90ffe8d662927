/* kernel_cases_signal.h -- signals of time and what is observed of them. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_SIGNAL_H
#define PIOLA_TESTS_KERNEL_CASES_SIGNAL_H

#include "kernels/control/control.h"
#include "kernels/backend/table.h"
#include "tests/kernels/base/kernel_cases.h"

/* Of a quarter of the channels each: constant, sine, piecewise, spline. Knots of some last over many periods, of some
 * they are over at the time of the case. Returns how many knots there are. */
static int sample_knots(const control_knots *knots[1], case_io *io, int n, int *signal)
{
    control_knots *k = HOST(io, control_knots, n);
    int values = 0;
    for (int c = 0; c < n; c++) {
        signal[c] = c % 4;
        k[c].first = values;
        k[c].count = signal[c] == PIO_PIECEWISE ? 2 + c / 4 % 4 : signal[c] == PIO_SPLINE ? 4 + c / 4 % 4 : 0;
        k[c].periodic = c / 4 % 3 == 0;
        k[c].span = 0.03 + 0.4 * case_unit("span", c);
        values += k[c].count;
    }
    knots[0] = PUSH(io, control_knots, k, n);
    return values;
}

/* The signals of n channels: amplitude, frequency, phase and knots are inputs of their own. */
static control_signals sample_signals(case_io *io, int n, int *values)
{
    int *signal = HOST(io, int, n);
    const case_array *given[CONTROL_PARAMETERS];
    given[CONTROL_AMPLITUDE] = case_uniform(io, CASE_INPUT, "amplitude", 1, n, -2e4, 5e4);
    given[CONTROL_FREQUENCY] = case_uniform(io, CASE_INPUT, "frequency", 1, n, 0.5, 20);
    given[CONTROL_PHASE] = case_uniform(io, CASE_INPUT, "phase", 1, n, -3, 3);
    wide *all = HOST(io, wide, field_size(n, CONTROL_PARAMETERS));
    for (int k = 0; k < CONTROL_PARAMETERS; k++) {
        const wide *one = (const wide *)case_pack(io, given[k], CASE_WIDE);
        for (int c = 0; c < n; c++) all[control_at(n, k, c)] = one[c];
    }
    control_signals s;
    *values = sample_knots(&s.knots, io, n, signal);
    s.channels = n;
    s.signal = PUSH(io, int, signal, n);
    s.parameters = PUSH(io, wide, all, field_size(n, CONTROL_PARAMETERS));
    s.values = WIDES(io, "knot", 1, *values, -2e4, 5e4);
    return s;
}

/* Their gradients. */
static void signal_gradients(case_io *io, int n, int values, const wide *parameters_bar, const wide *values_bar)
{
    case_gradient_of(io, "amplitude", CASE_WIDE, 1, n,
                     case_components(parameters_bar, CONTROL_PARAMETERS, CONTROL_AMPLITUDE));
    case_gradient_of(io, "frequency", CASE_WIDE, 1, n,
                     case_components(parameters_bar, CONTROL_PARAMETERS, CONTROL_FREQUENCY));
    case_gradient_of(io, "phase", CASE_WIDE, 1, n, case_components(parameters_bar, CONTROL_PARAMETERS, CONTROL_PHASE));
    case_gradient(io, "knot", CASE_WIDE, 1, values, values_bar);
}

static void case_control_signal(case_io *io)
{
    const int n = case_size(io, 700);
    int values;
    control_signal_args a;
    a.of = sample_signals(io, n, &values);
    a.t = 41 * 0.004;
    a.activation = NEW_FIELD(io, 1, n, CASE_SET);
    a.rate = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, control_signal, n, NULL, &a);
    case_out(io, "activation", CASE_FIELD, 1, n, a.activation);
    case_out(io, "rate", CASE_WIDE, 1, n, a.rate);
    if (!case_adjoint(io)) return;
    control_signal_adj_args b;
    b.fwd = a;
    b.activation_bar = COTANGENT(io, wide, "activation");
    b.rate_bar = COTANGENT(io, wide, "rate");
    b.parameters_bar = NEW(io, wide, field_size(n, CONTROL_PARAMETERS), CASE_ADDED);
    b.values_bar = NEW(io, wide, values, CASE_ADDED);
    LAUNCH(io, control_signal_adj, n, NULL, &b);
    signal_gradients(io, n, values, b.parameters_bar, b.values_bar);
}
#define case_control_signal_adj case_control_signal

static void case_control_observe(case_io *io)
{
    static const char *const names[] = {"effort", "smoothness", NULL};
    const int smoothness = case_variant(io, names), channels = case_size(io, 600);
    double *channel_weight = HOST(io, double, channels);
    for (int c = 0; c < channels; c++) channel_weight[c] = c % 5 ? case_unit("channel weight", c) : 0;
    control_observe_args a;
    a.channels = channels;
    a.activation = REALS(io, "activation", 1, channels, -3, 3);
    a.rate = WIDES(io, "rate", 1, channels, -3, 3);
    if (!smoothness) a.rate = NULL;
    a.channel_weight = PUSH(io, double, channel_weight, channels);
    a.weight = 0.3;
    a.sample = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH(io, control_observe, 1, NULL, &a);
    case_out(io, "sample", CASE_WIDE, 1, 1, a.sample);
    if (!case_adjoint(io)) return;
    control_observe_adj_args b;
    b.fwd = a;
    b.sample_bar = COTANGENT(io, wide, "sample");
    wide *activation_bar = NEW(io, wide, channels, CASE_ADDED), *rate_bar = NEW(io, wide, channels, CASE_ADDED);
    b.bar = smoothness ? rate_bar : activation_bar;
    LAUNCH(io, control_observe_adj, channels, NULL, &b);
    case_gradient(io, "activation", CASE_WIDE, 1, channels, activation_bar);
    case_gradient(io, "rate", CASE_WIDE, 1, channels, rate_bar);
}
#define case_control_observe_adj case_control_observe

#endif
