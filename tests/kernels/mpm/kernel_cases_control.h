/* kernel_cases_control.h -- the control stage, and the fibres that it drives for the case of mpm_p2g. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_CONTROL_H
#define PIOLA_TESTS_KERNEL_CASES_CONTROL_H

#include "kernels/mpm/mpm_control.h"
#include "tests/kernels/control/kernel_cases_signal.h"
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

/* Amplitude, frequency, phase and knots are inputs of their own. */
static void case_mpm_control(case_io *io)
{
    const int n = case_size(io, 700);
    int values;
    mpm_step *step = HOST(io, mpm_step, 1);
    const control_signals s = sample_signals(io, n, &values);
    step->index = 41;
    step->h = R(0.004);
    mpm_control_args a;
    a.channels = n;
    a.step = PUSH(io, mpm_step, step, 1);
    a.signal = s.signal;
    a.parameters = s.parameters;
    a.knots = s.knots;
    a.values = s.values;
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
    signal_gradients(io, n, values, b.parameters_bar, b.values_bar);
}
#define case_mpm_control_adj case_mpm_control

#endif
