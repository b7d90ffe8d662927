/* fem_fibre_case.h -- bodies whose elements have fibres, driven by a channel of every signal. */
#ifndef PIOLA_TESTS_FEM_FIBRE_CASE_H
#define PIOLA_TESTS_FEM_FIBRE_CASE_H

#include "tests/solvers/fem/fem_case.h"

#include <stdlib.h>

enum { FIBRE_CHANNELS = 4, FIBRE_PIECES = 3, FIBRE_SPLINE = 5, FIBRE_VALUES = FIBRE_PIECES + FIBRE_SPLINE };

/* What a case of the FEM engine needs besides: who drives whom, and by what. */
typedef struct {
    pio_channel_desc channel[FIBRE_CHANNELS];
    pio_knots_desc knots[FIBRE_CHANNELS];
    double values[FIBRE_VALUES], fibre[FIBRE_CHANNELS * FEM_DIM], weight[FIBRE_CHANNELS];
    int32_t driven[4096]; /* [elements] */
} fibre_case;

/* Gives each element a channel, but every fifth none; signals of about `size` Pa change over the time of the run. */
static inline void fibre_drive(fem_case *c, fibre_case *b, double size)
{
    static const double along[FIBRE_CHANNELS][3] = {{1, 0, 0}, {0.6, 0.8, 0}, {0, 1, 0}, {0.8, -0.6, 0}};
    const double T = c->desc.dt * (double)c->desc.steps;
    if (c->elements > (int)(sizeof b->driven / sizeof *b->driven)) abort();
    for (int e = 0; e < c->elements; e++) b->driven[e] = e % 5 == 4 ? -1 : e % 5;
    for (int k = 0; k < FIBRE_CHANNELS; k++) {
        b->channel[k] = (pio_channel_desc){.signal = (pio_signal)k};
        b->knots[k] = (pio_knots_desc){0};
        b->weight[k] = 0.5 + 0.25 * k;
        for (int a = 0; a < FEM_DIM; a++) b->fibre[k * FEM_DIM + a] = along[k][a];
    }
    b->channel[PIO_CONSTANT].amplitude = 0.7 * size;
    b->channel[PIO_SINE] =
        (pio_channel_desc){.signal = PIO_SINE, .amplitude = size, .frequency = 0.7 / T, .phase = 0.4};
    b->knots[PIO_PIECEWISE] = (pio_knots_desc){0, FIBRE_PIECES, 0, T};
    b->knots[PIO_SPLINE] = (pio_knots_desc){FIBRE_PIECES, FIBRE_SPLINE, 1, 0.8 * T};
    for (int k = 0; k < FIBRE_VALUES; k++) b->values[k] = size * (k % 3 ? 0.9 : -0.5) * (1 + 0.1 * k);
    c->desc.n_channels = FIBRE_CHANNELS;
    c->desc.channels = b->channel;
    c->desc.knots = b->knots;
    c->desc.n_control_values = FIBRE_VALUES;
    c->desc.control_values = b->values;
    c->fem.channel = b->driven;
    c->fem.fibre = b->fibre;
}

/* Observes effort and smoothness, in every step. */
static inline void fibre_observe(fem_case *c, const fibre_case *b, double size)
{
    for (int k = 0; k < 2; k++) {
        const int first = c->samples, o = fem_case_observe(c, k ? PIO_SMOOTHNESS : PIO_EFFORT, 1);
        c->observation[o].channel_weight = b->weight;
        c->linear[first] /= 100 * size * size; /* about as much as displacements */
        c->square[first] = 0;
        if (k) c->linear[first] *= c->desc.dt * c->desc.dt;
        for (int64_t s = 1; s <= c->desc.steps; s++) fem_case_sample(c, o, s, 0, 0.3);
    }
}

/* Designs amplitudes of the first two channels, frequency and phase of the sine, and all knots. */
static inline void fibre_design(fem_case *c, const fibre_case *b, double size)
{
    const pio_channel_desc *sine = &b->channel[PIO_SINE];
    const int pair = fem_case_design(c, PIO_AMPLITUDE, -1, FEM_SCALAR, fem_linear(size, 0.2 * size), 0);
    c->design[pair].components = 2;
    fem_case_design(c, PIO_FREQUENCY, -1, FEM_SCALAR, fem_linear(sine->frequency, 0.1 * sine->frequency), PIO_SINE);
    fem_case_design(c, PIO_PHASE, -1, FEM_SCALAR, fem_linear(sine->phase, 0.2), PIO_SINE);
    const int knots = fem_case_design(c, PIO_CONTROL_VALUES, -1, FEM_SCALAR, fem_linear(0.4 * size, 0.2 * size), 0);
    c->design[knots].components = FIBRE_VALUES;
    c->variables += 1 + FIBRE_VALUES - 1;
}

#endif
