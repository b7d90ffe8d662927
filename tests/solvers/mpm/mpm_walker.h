/* mpm_walker.h -- bodies whose channels of control a network with two clocks, a spline and corners drive. */
#ifndef PIOLA_TESTS_MPM_WALKER_H
#define PIOLA_TESTS_MPM_WALKER_H

#include "tests/solvers/mpm/mpm_taylor.h"

#include <string.h>

enum { FREQUENCY_DESIGN = 2 }; /* its number, see design() */
enum { INPUTS = 7, CLOCKS = 2, HIDDEN_0 = 5, HIDDEN_1 = 4, OUTPUTS = 2, CHANNELS = 4, KNOTS = 6, CORNERS = 4 };
enum {
    WEIGHTS = (INPUTS + 1) * HIDDEN_0 + (HIDDEN_0 + 1) * HIDDEN_1 + (HIDDEN_1 + 1) * OUTPUTS,
    FREQUENCIES = WEIGHTS + KNOTS + CORNERS, /* then phases */
    VALUES = FREQUENCIES + 2 * CLOCKS
};

/* What a case points to. */
typedef struct {
    mpm_case c;
    pio_knots_desc knots[CHANNELS];
    double values[VALUES], channel_weight[2][CHANNELS];
    pio_network_desc network;
    pio_input_desc input[INPUTS];
} walker;

static const double across[3] = {1, 0.2, 0}, upright[3] = {0.1, 1, 0.2};

/* ---- a case with everything -------------------------------------------------------------------------------- */

static inline void inputs(walker *w)
{
    const pio_input_desc list[INPUTS] = {
        {.kind = PIO_INPUT_SINE, .clock = 0, .from = -1},
        {.kind = PIO_INPUT_COSINE, .clock = 0, .from = -1},
        {.kind = PIO_INPUT_POSITION, .of = 0, .of_channel = 1, .from = -1, .axis = 0, .offset = 0.5, .scale = 0.02},
        {.kind = PIO_INPUT_VELOCITY, .of = 1, .from = -1, .axis = 1, .scale = 0.3},
        {.kind = PIO_INPUT_POSITION, .of = 1, .from = 0, .axis = 1, .offset = 0, .scale = 0.02},
        {.kind = PIO_INPUT_VELOCITY, .of = 1, .of_channel = 1, .from = 2, .axis = CASE_DIM - 1, .scale = 0.5},
        {.kind = PIO_INPUT_COSINE, .clock = 1, .from = -1}};
    const double clock[2 * CLOCKS] = {3, 7, 0.3, -0.8};
    memcpy(w->values + FREQUENCIES, clock, sizeof clock);
    memcpy(w->input, list, sizeof list);
    w->network = (pio_network_desc){.first = 0,
                                    .outputs = OUTPUTS,
                                    .n_inputs = INPUTS,
                                    .inputs = w->input,
                                    .n_clocks = CLOCKS,
                                    .clocks = FREQUENCIES,
                                    .hidden = 2,
                                    .width = {HIDDEN_0, HIDDEN_1}};
    w->c.desc.networks = &w->network;
    w->c.desc.n_networks = 1;
}

/* Three solids stand on a sticky floor: a network drives two, a spline the third; corners that are periodic drive
 * none. */
static inline void walk(walker *w, int fine, int64_t steps)
{
    mpm_case *c = &w->c;
    const double dx = 0.1 / fine;
    case_init(c, 16 * fine + 2, 11 * fine + 2, 8 * fine + 2, dx, 2e-3 / fine, steps);
    case_wall(c, 1, 0, PIO_WALL_STICKY, 2 * fine);
    c->desc.gravity[1] = -9.81;
    const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000};
    const double lo[3][3] = {{0.3, 0.2, 0.3}, {0.7, 0.2, 0.3}, {1.1, 0.2, 0.3}};
    const double hi[3][3] = {{0.6, 0.5, 0.5}, {1.0, 0.5, 0.5}, {1.3, 0.5, 0.5}};
    for (int b = 0; b < 3; b++) case_block(c, &body, lo[b], hi[b], 2, 0.2);
    const pio_channel_desc network = {PIO_NETWORK, 6e3, 0, 0}, bent = {PIO_SPLINE, 0, 0, 0},
                           corners = {PIO_PIECEWISE, 0, 0, 0};
    case_channel(c, &network, 0, across);
    case_channel(c, &network, 1, upright);
    case_channel(c, &bent, 2, across);
    case_channel(c, &corners, -1, upright);
    memset(w->knots, 0, sizeof w->knots);
    w->knots[2] = (pio_knots_desc){WEIGHTS, KNOTS, 0, (double)steps * c->desc.dt};
    w->knots[3] = (pio_knots_desc){WEIGHTS + KNOTS, CORNERS, 1, 0.0117};
    for (int i = 0; i < FREQUENCIES; i++) w->values[i] = i < WEIGHTS ? 0.8 * case_random(c) : 4e3 * case_random(c);
    inputs(w);
    c->desc.knots = w->knots;
    c->desc.control_values = w->values;
    c->desc.n_control_values = VALUES;
}

/* Mean places at the end and half-way, effort and smoothness of all; of sizes about 1. */
static inline void observe(walker *w)
{
    mpm_case *c = &w->c;
    const int64_t N = c->desc.steps;
    for (int body = 0; body < 3; body++) {
        const int x = case_observe(c, PIO_MEAN_POSITION, body, 2);
        case_sample(c, x, N, 0, 1);
        case_sample(c, x, (N + 1) / 2, 1, 1);
    }
    for (int k = 0; k < 2; k++) {
        const int o = case_observe(c, k ? PIO_SMOOTHNESS : PIO_EFFORT, -1, 1), first = 6 * CASE_DIM + k;
        for (int i = 0; i < CHANNELS; i++) w->channel_weight[k][i] = 0.5 + 0.3 * i;
        c->observation[o].channel_weight = w->channel_weight[k];
        c->square[first] = 0;
        c->linear[first] = (k ? 3e-12 : 1e-7) / (double)N;
        for (int64_t s = 1; s <= N; s++) case_sample(c, o, s, 0, 1);
    }
}

static inline void design(walker *w)
{
    mpm_case *c = &w->c;
    case_design_values(c, 0, WEIGHTS, 0.1, 0.5);
    case_design_values(c, WEIGHTS, KNOTS + CORNERS, 1e3, 2e3);
    case_design_values(c, FREQUENCIES, CLOCKS, 4, 0.5);
    case_design_values(c, FREQUENCIES + CLOCKS, CLOCKS, 0.2, 0.5);
    case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 6e3, 1e3);
    case_design(c, PIO_VELOCITY, 1, CASE_SCALAR, 0, 0.1, 0.3);
    case_design(c, PIO_POSITION, 0, CASE_SCALAR, 0, 0, 0.02);
}

#endif
