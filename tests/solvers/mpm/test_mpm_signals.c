/* test_mpm_signals.c -- are signals by knots what they say, effort and smoothness their integrals, and do they drive
 * steps that can be reversed? */
#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, KNOTS = 6, CORNERS = 4 };

static const double across[3] = {1, 0.2, 0}, upright[3] = {0.1, 1, 0.2};

/* A channel, and what drives it: knots or a network (else NULL), with their values. */
typedef struct {
    const pio_channel_desc *channel;
    const pio_knots_desc *knots;
    const pio_network_desc *network;
    double *values;
    int n_values;
} driven;

/* One particle in free flight whose channel does nothing but be observed; returns effort and smoothness. */
static void integrals_of(const driven *signal, int64_t steps, double dt, double out[2])
{
    static const double channel_weight[1] = {1};
    static mpm_case c;
    double samples[2];
    pio_sweep_result result;
    piola_error error;
    const pio_sweep nothing = {0};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e4, 0.3}, .density = 1000};
    const double middle[3] = {0.53, 0.54, 0.52};
    case_init(&c, 12, 12, 12, 0.1, dt, steps);
    case_particle(&c, &b, middle, 1e-4);
    case_channel(&c, signal->channel, -1, upright);
    c.desc.knots = signal->knots;
    c.desc.control_values = signal->values;
    c.desc.n_control_values = signal->n_values;
    c.desc.networks = signal->network;
    c.desc.n_networks = signal->network != NULL;
    for (int k = 0; k < 2; k++) {
        const int o = case_observe(&c, k ? PIO_SMOOTHNESS : PIO_EFFORT, -1, 1);
        c.observation[o].channel_weight = channel_weight;
        for (int64_t s = 1; s <= steps; s++) case_sample(&c, o, s, 0, dt);
    }
    pio_sim *sim = case_create(&c, 0, 1);
    if (pio_forward(&piola_engine, sim, steps, &(pio_sweep_arrays){.samples = samples}, &nothing, &result, &error))
        fail_msg("%s", error.message);
    memcpy(out, samples, sizeof samples);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void integrals(const pio_channel_desc *channel, const pio_knots_desc *knots, double *values, int n_values,
                      int64_t steps, double dt, double out[2])
{
    integrals_of(&(driven){channel, knots, NULL, values, n_values}, steps, dt, out);
}

/* Over whole periods, the sum over steps of a sine's square is exactly that of the integral: A^2 T/2, and w^2 of it. */
static void effort_and_smoothness_of_a_sine_are_their_integrals(void **unused)
{
    const double A = 700, f = 5, dt = 4e-3, T = 200 * dt, w = 2 * 3.141592653589793 * f;
    const pio_channel_desc sine = {PIO_SINE, A, f, 0.4};
    double found[2];
    (void)unused;
    integrals(&sine, NULL, NULL, 0, 200, dt, found);
    case_below("effort of a sine / (A^2 T/2) - 1", found[0] / (A * A * T / 2) - 1, 1e-12, 1e-5);
    case_below("smoothness of a sine / (A^2 w^2 T/2) - 1", found[1] / (A * A * w * w * T / 2) - 1, 1e-12, 1e-5);
}

/* Of knots q_k = q_0 + k d both signals are straight lines: of the piecewise one from q_0 on, of the spline from
 * q_1. */
static void knots_on_a_line_give_a_line(void **unused)
{
    enum { N = 7, STEPS = 120 };
    const double dt = 4e-3, T = STEPS * dt, q0 = -300, d = 250;
    double values[N], found[2];
    (void)unused;
    for (int k = 0; k < N; k++) values[k] = q0 + k * d;
    for (int cubic = 0; cubic < 2; cubic++) {
        const pio_channel_desc channel = {cubic ? PIO_SPLINE : PIO_PIECEWISE, 0, 0, 0};
        const pio_knots_desc knots = {0, N, 0, T};
        const double rise = d * (N - (cubic ? 3 : 1)) / T;
        double effort = 0;
        for (int s = 0; s < STEPS; s++) effort += dt * pow(q0 + cubic * d + rise * s * dt, 2);
        integrals(&channel, &knots, values, N, STEPS, dt, found);
        case_below(cubic ? "spline: effort / that of the line - 1" : "piecewise: effort / that of the line - 1",
                   found[0] / effort - 1, 1e-12, 1e-5);
        case_below(cubic ? "spline: smoothness / (rate^2 T) - 1" : "piecewise: smoothness / (rate^2 T) - 1",
                   found[1] / (rise * rise * T) - 1, 1e-12, 1e-5);
    }
}

/* Four periods have twice the effort of two, and splines twice the smoothness: the rate of lines jumps at their
 * corners, and on which side of one a step is, that begins there, is a matter of rounding. */
static void periodic_knots_begin_again(void **unused)
{
    enum { N = 5, STEPS = 201 };
    const double dt = 4e-3;
    double values[N] = {300, -200, 450, 100, -350}, two[2], four[2];
    (void)unused;
    for (int cubic = 0; cubic < 2; cubic++) {
        const pio_channel_desc channel = {cubic ? PIO_SPLINE : PIO_PIECEWISE, 0, 0, 0};
        const pio_knots_desc knots = {0, N, 1, STEPS * dt / 2};
        integrals(&channel, &knots, values, N, STEPS, dt, two);
        integrals(&channel, &knots, values, N, 2 * STEPS, dt, four);
        case_below(cubic ? "spline: effort of four periods / (2 that of two) - 1"
                         : "lines: effort of four periods / (2 that of two) - 1",
                   four[0] / (2 * two[0]) - 1, 1e-11, 1e-4);
        if (cubic) case_below("spline: smoothness likewise", four[1] / (2 * two[1]) - 1, 1e-11, 1e-4);
    }
}

/* A network that sees a clock alone is a signal of time, a = A tanh(w_0 sin + w_1 cos + b): its smoothness is the sum
 * of the squares of differences, which nears the integral of the squares of rates with the time step. */
static void smoothness_of_a_network_is_that_of_its_differences(void **unused)
{
    const double A = 700, f = 5, phase = 0.4, T = 0.8, w = 2 * 3.141592653589793 * f;
    const pio_channel_desc channel = {PIO_NETWORK, A, 0, 0};
    const pio_input_desc clock[2] = {{.kind = PIO_INPUT_SINE, .from = -1}, {.kind = PIO_INPUT_COSINE, .from = -1}};
    const pio_network_desc network = {.outputs = 1, .n_inputs = 2, .inputs = clock, .n_clocks = 1, .clocks = 3};
    const pio_knots_desc none = {0};
    double values[5] = {0.8, -0.5, 0.3, f, phase}, found[2], away[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const int64_t steps = k ? 1600 : 200;
        const double dt = T / (double)steps;
        double differences = 0, rates = 0, before = 0;
        for (int64_t s = 0; s < steps; s++) {
            const double angle = w * (double)s * dt + phase;
            const double y = tanh(values[0] * sin(angle) + values[1] * cos(angle) + values[2]);
            const double rate = A * (1 - y * y) * w * (values[0] * cos(angle) - values[1] * sin(angle));
            if (s) differences += pow((A * y - before) / dt, 2) * dt;
            rates += rate * rate * dt;
            before = A * y;
        }
        integrals_of(&(driven){&channel, &none, &network, values, 5}, steps, dt, found);
        case_below("smoothness of a network / that of its differences - 1", found[1] / differences - 1, 1e-11, 1e-5);
        away[k] = found[1] / rates - 1;
        print_message("  %d steps: / the integral of the squares of its rates - 1: %.3e\n", (int)steps, away[k]);
    }
    assert_true(fabs(away[0]) < 0.02);
    assert_true(fabs(away[1]) < fabs(away[0]) / 4);
}

/* Signals of time are known in inverse steps: these have the gradient of stored states, effort
 * and smoothness among it. */
static void knots_drive_steps_that_can_be_reversed(void **unused)
{
    enum { STEPS = 40 };
    static mpm_case own;
    static pio_knots_desc knots[2];
    static double values[KNOTS + CORNERS];
    static mpm_taylor t;
    static double h[CASE_VARIABLES], again[CASE_VARIABLES];
    static double channel_weight[2] = {0.5, 1};
    mpm_case *c = &own;
    const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000};
    const double lo[3] = {0.5, 0.5, 0.4}, hi[3] = {0.9, 0.8, 0.6};
    const pio_channel_desc bent = {PIO_SPLINE, 0, 0, 0}, corners = {PIO_PIECEWISE, 0, 0, 0};
    (void)unused;
    case_init(c, 16, 13, 11, 0.1, 2e-3, STEPS);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++) c->desc.grid.wall[a][side] = PIO_WALL_PENALTY;
    c->desc.reversible = 1;
    c->desc.penalty = 1e4;
    case_block(c, &body, lo, hi, 2, 0.2);
    case_channel(c, &bent, 0, across);
    case_channel(c, &corners, -1, upright);
    knots[0] = (pio_knots_desc){0, KNOTS, 0, STEPS * 2e-3};
    knots[1] = (pio_knots_desc){KNOTS, CORNERS, 1, 0.0171};
    for (int i = 0; i < KNOTS + CORNERS; i++) values[i] = 4e3 * case_random(c);
    c->desc.knots = knots;
    c->desc.control_values = values;
    c->desc.n_control_values = KNOTS + CORNERS;
    case_sample(c, case_observe_distance(c, 0, 1, 0.1), STEPS, 0, 10);
    for (int k = 0; k < 2; k++) {
        const int o = case_observe(c, k ? PIO_SMOOTHNESS : PIO_EFFORT, -1, 1);
        c->observation[o].channel_weight = channel_weight;
        c->square[1 + k] = 0;
        c->linear[1 + k] = (k ? 3e-13 : 1e-8) / STEPS;
        for (int64_t s = 1; s <= STEPS; s++) case_sample(c, o, s, 0, 1);
    }
    case_design_values(c, 0, KNOTS + CORNERS, 1e3, 2e3);
    mpm_taylor_begin(&t, c, 1);
    for (int i = 0; i < 2; i++) {
        mpm_taylor_random(&t, h, 0, c->variables);
        mpm_taylor_direction(&t, "knots", h);
    }
    pio_schedule back = pio_schedule_reverse(STEPS, 1);
    case_gradient(c, t.sim, &back, t.z, again);
    pio_schedule_end(&back);
    assert_memory_equal(again, t.z_bar, sizeof *again * (size_t)c->variables);
    mpm_taylor_end(&t, "knots, reversible");
    case_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effort_and_smoothness_of_a_sine_are_their_integrals),
        cmocka_unit_test(smoothness_of_a_network_is_that_of_its_differences),
        cmocka_unit_test(knots_on_a_line_give_a_line),
        cmocka_unit_test(periodic_knots_begin_again),
        cmocka_unit_test(knots_drive_steps_that_can_be_reversed), /* differences need double precision */
    };
    const size_t count = sizeof tests / sizeof *tests - (case_is_f32() ? 1 : 0);
    return _cmocka_run_group_tests("signals", tests, count, NULL, NULL);
}
