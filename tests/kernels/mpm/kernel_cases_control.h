/* kernel_cases_control.h -- the control stage, and the fibres that it drives for the case of mpm_p2g. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_CONTROL_H
#define PIOLA_TESTS_KERNEL_CASES_CONTROL_H

#include "kernels/mpm/mpm_control.h"
#include "tests/kernels/mpm/kernel_cases_sample.h"

enum { FIBRE_CHANNELS = 3 };

/* Fibres of the solids, none for every seventh: unit vectors at rest, with activations of either sign. */
static void sample_fibres(case_io *io, sample *t)
{
    int *channel = HOST(io, int, t->n);
    case_array *fibre = case_uniform(io, CASE_CONSTANT, "fibre", DIM, FIBRE_CHANNELS, -1, 1);
    for (int i = 0; i < t->n; i++)
        channel[i] = law_is_fluid(t->law[i]) || i % 7 == 2 ? -1 : (int)(FIBRE_CHANNELS * case_unit("channel", i));
    for (int c = 0; c < FIBRE_CHANNELS; c++) {
        double *n = fibre->value + c, square = 0;
        for (int a = 0; a < DIM; a++) square += n[a * FIBRE_CHANNELS] * n[a * FIBRE_CHANNELS];
        for (int a = 0; a < DIM; a++) n[a * FIBRE_CHANNELS] /= sqrt(square);
    }
    t->matter.channels = FIBRE_CHANNELS;
    t->matter.channel = PUSH(io, int, channel, t->n);
    t->matter.fibre = (real *)case_upload(io, fibre, CASE_FIELD);
    t->matter.activation = REALS(io, "activation", 1, FIBRE_CHANNELS, -2e4, 3e4);
}

/* The gradient of activations: the sum of the contributions of each channel's particles. Others are not set. */
static void sum_contributions(case_io *io, const sample *t, const real *contribution)
{
    wide *activation_bar = NEW(io, wide, FIBRE_CHANNELS, CASE_SET);
    for (int c = 0; c < FIBRE_CHANNELS; c++) {
        design_sum_args s;
        s.index = t->matter.channel;
        s.group = c;
        s.n = t->n;
        s.stored = 1;
        s.component = 0;
        s.bar = contribution;
        LAUNCH_SUM(io, design_sum, t->n, NULL, &s, activation_bar + c);
    }
    case_gradient(io, "activation", CASE_WIDE, 1, FIBRE_CHANNELS, activation_bar);
}

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

/* Amplitude, frequency, phase and knots are inputs of their own. */
static void case_mpm_control(case_io *io)
{
    const int n = case_size(io, 700);
    int *signal = HOST(io, int, n);
    mpm_step *step = HOST(io, mpm_step, 1);
    const case_array *given[CONTROL_PARAMETERS];
    given[CONTROL_AMPLITUDE] = case_uniform(io, CASE_INPUT, "amplitude", 1, n, -2e4, 5e4);
    given[CONTROL_FREQUENCY] = case_uniform(io, CASE_INPUT, "frequency", 1, n, 0.5, 20);
    given[CONTROL_PHASE] = case_uniform(io, CASE_INPUT, "phase", 1, n, -3, 3);
    wide *all = HOST(io, wide, field_size(n, CONTROL_PARAMETERS));
    for (int k = 0; k < CONTROL_PARAMETERS; k++) {
        const wide *one = (const wide *)case_pack(io, given[k], CASE_WIDE);
        for (int c = 0; c < n; c++) all[control_at(n, k, c)] = one[c];
    }
    step->index = 41;
    step->h = R(0.004);
    mpm_control_args a;
    const int values = sample_knots(&a.knots, io, n, signal);
    a.channels = n;
    a.step = PUSH(io, mpm_step, step, 1);
    a.signal = PUSH(io, int, signal, n);
    a.parameters = PUSH(io, wide, all, field_size(n, CONTROL_PARAMETERS));
    a.values = WIDES(io, "knot", 1, values, -2e4, 5e4);
    a.activation = NEW_FIELD(io, 1, n, CASE_SET);
    a.rate = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, mpm_control, n, NULL, &a);
    case_out(io, "activation", CASE_FIELD, 1, n, a.activation);
    case_out(io, "rate", CASE_WIDE, 1, n, a.rate);
    if (!case_adjoint(io)) return;
    mpm_control_adj_args b;
    b.fwd = a;
    b.activation_bar = COTANGENT(io, wide, "activation");
    b.rate_bar = COTANGENT(io, wide, "rate");
    b.parameters_bar = NEW(io, wide, field_size(n, CONTROL_PARAMETERS), CASE_ADDED);
    b.values_bar = NEW(io, wide, values, CASE_ADDED);
    LAUNCH(io, mpm_control_adj, n, NULL, &b);
    case_gradient_of(io, "amplitude", CASE_WIDE, 1, n,
                     case_components(b.parameters_bar, CONTROL_PARAMETERS, CONTROL_AMPLITUDE));
    case_gradient_of(io, "frequency", CASE_WIDE, 1, n,
                     case_components(b.parameters_bar, CONTROL_PARAMETERS, CONTROL_FREQUENCY));
    case_gradient_of(io, "phase", CASE_WIDE, 1, n,
                     case_components(b.parameters_bar, CONTROL_PARAMETERS, CONTROL_PHASE));
    case_gradient(io, "knot", CASE_WIDE, 1, values, b.values_bar);
}
#define case_mpm_control_adj case_mpm_control

static void case_mpm_control_observe(case_io *io)
{
    static const char *const names[] = {"effort", "smoothness", NULL};
    const int smoothness = case_variant(io, names), channels = case_size(io, 600);
    double *channel_weight = HOST(io, double, channels);
    for (int c = 0; c < channels; c++) channel_weight[c] = c % 5 ? case_unit("channel weight", c) : 0;
    mpm_control_observe_args a;
    a.channels = channels;
    a.activation = REALS(io, "activation", 1, channels, -3, 3);
    a.rate = WIDES(io, "rate", 1, channels, -3, 3);
    if (!smoothness) a.rate = NULL;
    a.channel_weight = PUSH(io, double, channel_weight, channels);
    a.weight = 0.3;
    a.sample = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH(io, mpm_control_observe, 1, NULL, &a);
    case_out(io, "sample", CASE_WIDE, 1, 1, a.sample);
    if (!case_adjoint(io)) return;
    mpm_control_observe_adj_args b;
    b.fwd = a;
    b.sample_bar = COTANGENT(io, wide, "sample");
    wide *activation_bar = NEW(io, wide, channels, CASE_ADDED), *rate_bar = NEW(io, wide, channels, CASE_ADDED);
    b.bar = smoothness ? rate_bar : activation_bar;
    LAUNCH(io, mpm_control_observe_adj, channels, NULL, &b);
    case_gradient(io, "activation", CASE_WIDE, 1, channels, activation_bar);
    case_gradient(io, "rate", CASE_WIDE, 1, channels, rate_bar);
}
#define case_mpm_control_observe_adj case_mpm_control_observe

#endif
