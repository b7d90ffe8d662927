/* fem_network_case.h -- bodies whose fibres are driven by a sine and by a network that reads how they move. */
#ifndef PIOLA_TESTS_FEM_NETWORK_CASE_H
#define PIOLA_TESTS_FEM_NETWORK_CASE_H

#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A clock, the mean velocity of all nodes, and the mean place of some less that of others, along all axes. */
enum {
    LOOP_OUTPUTS = 2,
    LOOP_CHANNELS = 1 + LOOP_OUTPUTS,
    LOOP_HIDDEN = 4,
    LOOP_INPUTS = 2 + 2 * FEM_DIM,
    LOOP_WEIGHTS = LOOP_HIDDEN * (LOOP_INPUTS + 1) + LOOP_OUTPUTS * (LOOP_HIDDEN + 1),
    LOOP_VALUES = LOOP_WEIGHTS + 2,
    LOOP_NODES = 2048
};

typedef struct {
    pio_channel_desc channel[LOOP_CHANNELS];
    pio_network_desc network;
    pio_input_desc input[LOOP_INPUTS];
    double values[LOOP_VALUES], fibre[LOOP_CHANNELS * FEM_DIM], weight[LOOP_CHANNELS], node[2][LOOP_NODES];
    int32_t driven[4096]; /* [elements] */
} loop_case;

/* Means of all nodes' velocities, and of the places of even nodes less those of odd ones. */
static inline void loop_inputs(const fem_case *c, loop_case *b, double velocity, double length)
{
    if (c->n > LOOP_NODES) abort();
    for (int i = 0; i < c->n; i++) {
        b->node[0][i] = 1.0 / c->n;
        b->node[1][i] = (i % 2 ? -2.0 : 2.0) / c->n;
    }
    memset(b->input, 0, sizeof b->input);
    b->input[0] = (pio_input_desc){.kind = PIO_INPUT_SINE, .from = -1};
    b->input[1] = (pio_input_desc){.kind = PIO_INPUT_COSINE, .from = -1};
    for (int a = 0; a < FEM_DIM; a++) {
        b->input[2 + a] = (pio_input_desc){
            .kind = PIO_INPUT_VELOCITY, .axis = a, .from = -1, .scale = velocity, .node_weight = b->node[0]};
        b->input[2 + FEM_DIM + a] = (pio_input_desc){
            .kind = PIO_INPUT_POSITION, .axis = a, .from = -1, .scale = length, .node_weight = b->node[1]};
    }
}

/* Gives each element a channel, but every fourth none; activations are about `size` Pa. */
static inline void loop_drive(fem_case *c, loop_case *b, double size, double velocity, double length)
{
    static const double along[LOOP_CHANNELS][3] = {{1, 0, 0}, {0.6, 0.8, 0}, {0, 1, 0}};
    const double T = c->desc.dt * (double)c->desc.steps;
    if (c->elements > (int)(sizeof b->driven / sizeof *b->driven)) abort();
    for (int e = 0; e < c->elements; e++) b->driven[e] = e % 4 == 3 ? -1 : e % 4;
    for (int k = 0; k < LOOP_CHANNELS; k++) {
        b->channel[k] = (pio_channel_desc){.signal = k ? PIO_NETWORK : PIO_SINE, .amplitude = size * (1 + 0.2 * k)};
        b->weight[k] = 0.5 + 0.25 * k;
        for (int a = 0; a < FEM_DIM; a++) b->fibre[k * FEM_DIM + a] = along[k][a];
    }
    b->channel[0].frequency = 0.7 / T;
    loop_inputs(c, b, velocity, length);
    b->network = (pio_network_desc){.first = 1,
                                    .outputs = LOOP_OUTPUTS,
                                    .n_inputs = LOOP_INPUTS,
                                    .inputs = b->input,
                                    .hidden = 1,
                                    .width = {LOOP_HIDDEN},
                                    .n_clocks = 1,
                                    .clocks = LOOP_WEIGHTS};
    for (int k = 0; k < LOOP_WEIGHTS; k++) b->values[k] = 0.8 * fem_case_random(c);
    b->values[LOOP_WEIGHTS] = 0.9 / T;
    b->values[LOOP_WEIGHTS + 1] = 0.4;
    c->desc.n_channels = LOOP_CHANNELS;
    c->desc.channels = b->channel;
    c->desc.n_control_values = LOOP_VALUES;
    c->desc.control_values = b->values;
    c->desc.n_networks = 1;
    c->desc.networks = &b->network;
    c->fem.channel = b->driven;
    c->fem.fibre = b->fibre;
}

/* Observes effort and smoothness, in every step. */
static inline void loop_observe(fem_case *c, const loop_case *b, double size)
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

/* Designs amplitudes, which are limits of the network, and all its weights and clocks. */
static inline void loop_design(fem_case *c, double size, double frequency)
{
    const int limits = fem_case_design(c, PIO_AMPLITUDE, -1, FEM_SCALAR, fem_linear(size, 0.2 * size), 0);
    c->design[limits].components = LOOP_CHANNELS;
    const int weights = fem_case_design(c, PIO_CONTROL_VALUES, -1, FEM_SCALAR, fem_linear(0.1, 0.3), 0);
    c->design[weights].components = LOOP_WEIGHTS;
    fem_case_design(c, PIO_CONTROL_VALUES, -1, FEM_SCALAR, fem_linear(frequency, 0.1 * frequency), LOOP_WEIGHTS);
    fem_case_design(c, PIO_CONTROL_VALUES, -1, FEM_SCALAR, fem_linear(0.4, 0.2), LOOP_WEIGHTS + 1);
    c->variables += LOOP_CHANNELS - 1 + LOOP_WEIGHTS - 1;
}

#endif
