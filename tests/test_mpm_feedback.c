/* test_mpm_feedback.c -- is the adjoint of networks of control the derivative through the loop in which what bodies do feeds what
 * drives them, and is nothing hidden between steps? */
#include "tests/mpm_taylor.h"
#include "solvers/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };
enum { INPUTS = 6, HIDDEN_0 = 5, HIDDEN_1 = 4, OUTPUTS = 2, CHANNELS = 4, KNOTS = 6, CORNERS = 4 };
enum {
    WEIGHTS = (INPUTS + 1) * HIDDEN_0 + (HIDDEN_0 + 1) * HIDDEN_1 + (HIDDEN_1 + 1) * OUTPUTS,
    VALUES = WEIGHTS + KNOTS + CORNERS
};

/* What a case points to. */
typedef struct {
    mpm_case c;
    pio_knots_desc knots[CHANNELS];
    double values[VALUES], share[2][CHANNELS];
    pio_network_desc network;
    pio_input_desc input[INPUTS];
} walker;

static const double across[3] = {1, 0.2, 0}, upright[3] = {0.1, 1, 0.2};

/* ---- a case with everything -------------------------------------------------------------------------------- */

static void inputs(walker *w)
{
    const pio_input_desc list[INPUTS] = {
        {.kind = PIO_INPUT_SINE, .frequency = 3, .phase = 0.3, .from = -1},
        {.kind = PIO_INPUT_COSINE, .frequency = 3, .phase = 0.3, .from = -1},
        {.kind = PIO_INPUT_POSITION, .of = 0, .of_channel = 1, .from = -1, .axis = 0, .offset = 0.5, .scale = 0.02},
        {.kind = PIO_INPUT_VELOCITY, .of = 1, .from = -1, .axis = 1, .scale = 0.3},
        {.kind = PIO_INPUT_POSITION, .of = 1, .from = 0, .axis = 1, .offset = 0, .scale = 0.02},
        {.kind = PIO_INPUT_VELOCITY, .of = 1, .of_channel = 1, .from = 2, .axis = D - 1, .scale = 0.5}};
    memcpy(w->input, list, sizeof list);
    w->network = (pio_network_desc){.first = 0,
                                    .outputs = OUTPUTS,
                                    .n_inputs = INPUTS,
                                    .inputs = w->input,
                                    .hidden = 2,
                                    .width = {HIDDEN_0, HIDDEN_1}};
    w->c.desc.networks = &w->network;
    w->c.desc.n_networks = 1;
}

/* Three solids stand on a sticky floor: a network drives two, a spline the third; corners that are periodic drive none. */
static void walk(walker *w, int fine, int64_t steps)
{
    mpm_case *c = &w->c;
    const double dx = 0.1 / fine;
    case_init(c, 16 * fine + 2, 11 * fine + 2, 8 * fine + 2, dx, 2e-3 / fine, steps);
    case_wall(c, 1, 0, PIO_WALL_STICKY, 2 * fine);
    c->desc.gravity[1] = -9.81;
    const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN, .given = {2e4, 0.3}, .density = 1000};
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
    for (int i = 0; i < VALUES; i++) w->values[i] = i < WEIGHTS ? 0.8 * case_random(c) : 4e3 * case_random(c);
    inputs(w);
    c->desc.knots = w->knots;
    c->desc.control_values = w->values;
    c->desc.n_control_values = VALUES;
}

/* Mean places at the end and half-way, effort and smoothness of all; of sizes about 1. */
static void observe(walker *w)
{
    mpm_case *c = &w->c;
    const int64_t N = c->desc.steps;
    for (int body = 0; body < 3; body++) {
        const int x = case_observe(c, PIO_MEAN_POSITION, body, 2);
        case_touch(c, x, N, 0, 1);
        case_touch(c, x, (N + 1) / 2, 1, 1);
    }
    for (int k = 0; k < 2; k++) {
        const int o = case_observe(c, k ? PIO_SMOOTHNESS : PIO_EFFORT, -1, 1), first = 6 * D + k;
        for (int i = 0; i < CHANNELS; i++) w->share[k][i] = 0.5 + 0.3 * i;
        c->observation[o].share = w->share[k];
        c->square[first] = 0;
        c->linear[first] = (k ? 3e-12 : 1e-7) / (double)N;
        for (int64_t s = 1; s <= N; s++) case_touch(c, o, s, 0, 1);
    }
}

static void design(walker *w)
{
    mpm_case *c = &w->c;
    case_design_values(c, 0, WEIGHTS, 0.1, 0.5);
    case_design_values(c, WEIGHTS, KNOTS + CORNERS, 1e3, 2e3);
    case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 6e3, 1e3);
    case_design(c, PIO_VELOCITY, 1, CASE_SCALAR, 0, 0.1, 0.3);
    case_design(c, PIO_POSITION, 0, CASE_SCALAR, 0, 0, 0.02);
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

static void adjoint_is_the_derivative_through_the_loop(void **unused)
{
    static walker w;
    static mpm_taylor t;
    (void)unused;
    walk(&w, 1, 60);
    observe(&w);
    design(&w);
    mpm_taylor_begin(&t, &w.c, 1);
    mpm_taylor_all(&t);
    mpm_taylor_end(&t, "weights, knots, limits, start");
    case_free(&w.c);
}

/* Of one to three steps: nothing can hide in a long sum. A network feels its own effect from the second step on. */
static void adjoint_is_the_derivative_of_the_first_steps(void **unused)
{
    (void)unused;
    for (int64_t steps = 1; steps <= 3; steps++) {
        static walker w;
        static mpm_taylor t;
        static double h[CASE_VARIABLES];
        char name[40];
        walk(&w, 1, steps);
        observe(&w);
        design(&w);
        const int v = case_observe(&w.c, PIO_KINETIC_ENERGY, 0, 1);
        case_touch(&w.c, v, steps, 0, 1);
        mpm_taylor_begin(&t, &w.c, 1);
        for (int d = 0; d < w.c.desc.n_designs; d++) {
            mpm_taylor_random(&t, h, case_design_first(&w.c, d), case_design_count(&w.c, d));
            snprintf(name, sizeof name, "%d steps, design %d", (int)steps, d);
            mpm_taylor_direction(&t, name, h);
        }
        mpm_taylor_end(&t, name);
        case_free(&w.c);
    }
}

static int no_loop(pio_stream stream, int n, const int *limit, const mpm_sense_adj_args *args)
{
    (void)stream, (void)n, (void)limit, (void)args;
    return 0;
}

static int no_effort(pio_stream stream, int n, const int *limit, const mpm_control_observe_adj_args *args)
{
    (void)stream, (void)n, (void)limit, (void)args;
    return 0;
}

static int no_later_rates(pio_stream stream, int n, const int *limit, const mpm_network_adj_args *args)
{
    mpm_network_adj_args a = *args;
    double nothing[CHANNELS] = {0};
    a.past_bar = nothing;
    return pio_backend_cpu.kernels.mpm_network_adj(stream, n, limit, &a);
}

/* The same test says no to a gradient that takes what the network sees as given, forgets what an effort costs, or that the rate of the
 * step after depends on this one. */
static void a_gradient_without_the_loop_the_effort_or_later_rates_is_told(void **unused)
{
    static const char *const what[] = {"as it is", "without the loop", "without the effort", "without later rates"};
    for (int wrong = 0; wrong < 4; wrong++) {
        static walker w;
        static mpm_taylor t;
        static double h[CASE_VARIABLES];
        static pio_backend backend;
        walk(&w, 1, 30);
        observe(&w);
        design(&w);
        mpm_taylor_begin(&t, &w.c, 1);
        backend = *t.sim->queue.backend;
        if (wrong == 1) backend.kernels.mpm_sense_adj = no_loop;
        if (wrong == 2) backend.kernels.mpm_control_observe_adj = no_effort;
        if (wrong == 3) backend.kernels.mpm_network_adj = no_later_rates;
        const pio_backend *right = t.sim->queue.backend;
        t.sim->queue.backend = &backend;
        case_gradient(&w.c, t.sim, NULL, t.z, t.z_bar);
        t.sim->queue.backend = right;
        t.quiet = 1;
        mpm_taylor_gradient(&t, h, 0, WEIGHTS + KNOTS + CORNERS);
        const pio_taylor_verdict verdict = mpm_taylor_direction(&t, "weights and knots", h);
        print_message("  %s: %s\n", what[wrong], pio_taylor_verdict_name(verdict));
        assert_int_equal(verdict == PIO_TAYLOR_PASSED, wrong == 0);
        if (wrong) assert_int_equal(verdict, PIO_TAYLOR_FAILED);
        piola_engine.destroy(t.sim);
        case_free(&w.c);
    }
    (void)unused;
}

/* ---- bits ---------------------------------------------------------------------------------------------------- */

static const double *z_of(const mpm_case *c)
{
    static double z[CASE_VARIABLES];
    for (int i = 0; i < c->variables; i++) z[i] = 0.3 * sin(1 + 2 * i);
    return z;
}

static uint64_t whole_run(mpm_case *c, pio_sim *sim, pio_schedule *schedule)
{
    static double z_bar[CASE_VARIABLES];
    const double J = case_gradient(c, sim, schedule, z_of(c), z_bar);
    uint64_t h = case_hash(case_hash_gradients(sim, c->n), &J, sizeof J);
    h = case_hash(h, z_bar, sizeof *z_bar * (size_t)c->variables);
    print_message("  J, dJ/dz and fields: %016llx\n", (unsigned long long)h);
    return h;
}

static void any_number_of_threads_gives_the_same_bits(void **unused)
{
    static const int threads[] = {1, 2, 3};
    static walker w;
    uint64_t first = 0;
    (void)unused;
    walk(&w, D == 2 ? 8 : 4, 6);
    observe(&w);
    design(&w);
    print_message("  %d particles\n", (int)w.c.n);
    assert_true(w.c.n > 4096); /* the backend runs less than that on one thread, whatever it is told */
    for (int i = 0; i < 3; i++) {
        pio_sim *sim = case_create(&w.c, 6, threads[i]);
        const uint64_t h = whole_run(&w.c, sim, NULL);
        if (i == 0) first = h;
        assert_true(h == first);
        piola_engine.destroy(sim);
    }
    case_free(&w.c);
}

/* Keeps state 0 alone and runs from there to each step to be reversed. */
static pio_action from_start(pio_schedule *s)
{
    const int64_t at = s->at++ - 3, step = s->steps - 1 - at / 3;
    if (at == -3) return (pio_action){PIO_STORE, 0, 0, 0};
    if (at == -2) return (pio_action){PIO_FORWARD, 0, s->steps, -1};
    if (at == -1) return (pio_action){PIO_TURN, s->steps, s->steps, -1};
    if (step < 0) return (pio_action){PIO_DONE, 0, 0, -1};
    if (at % 3 == 0) return (pio_action){PIO_RESTORE, 0, 0, 0};
    if (at % 3 == 1) return (pio_action){PIO_FORWARD, 0, step, -1};
    return (pio_action){PIO_REVERSE, step, step, -1};
}

/* Slots that hold whole states, and those that leave out what a step makes again. */
static void recomputed_states_give_the_same_gradient_bits(void **unused)
{
    uint64_t first = 0;
    (void)unused;
    for (int compact = 0; compact < 2; compact++) {
        static walker w;
        walk(&w, 1, 20);
        observe(&w);
        design(&w);
        if (compact) w.c.desc.slot_nodes = 2000;
        pio_schedule s = {.name = "from the start", .steps = 20, .slots = 1, .sweeps = 1, .next = from_start};
        pio_sim *sim = case_create(&w.c, 20, 1);
        const uint64_t all = whole_run(&w.c, sim, NULL), recomputed = whole_run(&w.c, sim, &s);
        if (!compact) first = all;
        assert_true(all == recomputed && all == first);
        piola_engine.destroy(sim);
        case_free(&w.c);
    }
}

static void go(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

/* J of a run whose weights change by e times h in the state `first`. */
static double changed_run(walker *w, pio_sim *sim, int64_t first, double e, const double *h)
{
    static double samples[256];
    piola_error error;
    double J = 0;
    assert_int_equal(piola_engine.start(sim, z_of(&w->c), &error), PIOLA_OK);
    go(sim, first);
    for (int i = 0; i < WEIGHTS; i++) mpm_of(sim)->values[i] += e * h[i];
    go(sim, w->c.desc.steps - first);
    assert_int_equal(piola_engine.samples(sim, samples, &error), PIOLA_OK);
    for (int k = 0; k < w->c.samples; k++)
        J += w->c.linear[k] * samples[k] + w->c.square[k] * samples[k] * samples[k] / 2;
    return J;
}

/* The rate in the first step of a window is that to an activation before, which is a constant. Every sweep begins alike. */
static void a_window_has_the_derivative_of_its_own_steps(void **unused)
{
    enum { STEPS = 20, FIRST = 8 };
    static walker w;
    static double z_bar[CASE_VARIABLES], again[CASE_VARIABLES], h[WEIGHTS];
    double slope = 0;
    (void)unused;
    walk(&w, 1, STEPS);
    observe(&w);
    design(&w);
    w.c.desc.first = FIRST;
    pio_schedule all = pio_schedule_window(pio_schedule_store_all(STEPS - FIRST, 1), FIRST);
    pio_schedule few = pio_schedule_window(pio_schedule_checkpoint(STEPS - FIRST, 2, 0, 1), FIRST);
    pio_sim *sim = case_create(&w.c, STEPS, 1);
    case_gradient(&w.c, sim, &all, z_of(&w.c), z_bar);
    case_gradient(&w.c, sim, &few, z_of(&w.c), again);
    assert_memory_equal(again, z_bar, sizeof *again * (size_t)w.c.variables);
    for (int i = 0; i < WEIGHTS; i++) h[i] = case_random(&w.c);
    for (int i = 0; i < WEIGHTS; i++) slope += z_bar[i] / 0.5 * h[i]; /* value = a + 0.5 z */
    const double e = 1e-4, one = changed_run(&w, sim, FIRST, e, h) - changed_run(&w, sim, FIRST, -e, h),
                 two = changed_run(&w, sim, FIRST, 2 * e, h) - changed_run(&w, sim, FIRST, -2 * e, h);
    case_below("difference of a window / its gradient - 1", (8 * one - two) / (12 * e) / slope - 1, 1e-8, 0);
    pio_schedule_end(&all);
    pio_schedule_end(&few);
    piola_engine.destroy(sim);
    case_free(&w.c);
}

static void a_restart_from_a_checkpoint_gives_the_same_bits(void **unused)
{
    static walker w;
    piola_error error;
    pio_engine_bytes bytes;
    (void)unused;
    walk(&w, 1, 40);
    pio_sim *sim = case_create(&w.c, 1, 1);
    assert_int_equal(piola_engine.measure(&w.c.desc, &bytes, &error), PIOLA_OK);
    void *state = malloc(bytes.state);
    assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
    go(sim, 17);
    assert_int_equal(piola_engine.state_out(sim, state, &error), PIOLA_OK);
    go(sim, 23);
    const uint64_t end = case_hash_state(sim, w.c.n);
    piola_engine.destroy(sim);
    sim = case_create(&w.c, 1, 1);
    assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
    assert_int_equal(piola_engine.state_in(sim, state, 17, &error), PIOLA_OK);
    go(sim, 23);
    const uint64_t again = case_hash_state(sim, w.c.n);
    print_message("  %016llx, by another simulation from step 17 %016llx\n", (unsigned long long)end,
                  (unsigned long long)again);
    assert_true(end == again);
    piola_engine.destroy(sim);
    free(state);
    case_free(&w.c);
}

/* ---- what is refused --------------------------------------------------------------------------------------- */

static void refused(walker *w, const char *what)
{
    pio_engine_bytes bytes;
    piola_error error = {0};
    assert_int_equal(piola_engine.measure(&w->c.desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    if (!strstr(error.message, what)) fail_msg("'%s' does not say '%s'", error.message, what);
}

static void wrong_knots_and_values_are_refused(void **unused)
{
    static walker w;
    (void)unused;
    walk(&w, 1, 10);
    observe(&w);
    design(&w);
    piola_engine.destroy(case_create(&w.c, 0, 1)); /* right as it is, and the description is filled in */
    w.knots[2].count = 3;
    refused(&w, "channel 2: 3 knots; its signal has at least 4");
    w.knots[2].count = KNOTS + CORNERS + 1;
    refused(&w, "are not all among the 79 control values");
    w.knots[2].count = KNOTS + 1;
    refused(&w, "channel 3: control value 75 is another's, too");
    w.knots[2].count = KNOTS;
    w.knots[2].span = 0;
    refused(&w, "channel 2: its knots span 0 s");
    w.knots[2].span = 1;
    w.values[3] = (double)INFINITY;
    refused(&w, "control value 3: inf must be finite");
    w.values[3] = 1;
    w.c.design[1].components = KNOTS + CORNERS + 1;
    refused(&w, "design 1 of control: 1 x 11 values from 69 on, for 79 values");
    w.c.design[1].components = KNOTS + CORNERS;
    w.share[1][0] = -1;
    refused(&w, "the share -1 of channel 0 must be 0 or above");
    w.share[1][0] = 1;
    w.c.touch[0].step = 0;
    refused(&w, "at the end of a step would be right");
    case_free(&w.c);
}

static void wrong_networks_are_refused(void **unused)
{
    static walker w;
    (void)unused;
    walk(&w, 1, 10);
    piola_engine.destroy(case_create(&w.c, 0, 1));
    w.network.hidden = 5;
    refused(&w, "network 0: up to 4 hidden layers");
    w.network.hidden = 2;
    w.network.first = 3;
    refused(&w, "network 0: channels 3 to 4 are not all among the 4");
    w.network.first = 1;
    refused(&w, "channel 0: it is the output of 0 networks");
    w.network.first = 0;
    w.network.weights = 20;
    refused(&w, "network 0: 69 weights from 20 on are not all among the 79");
    w.network.weights = 0;
    w.input[2].axis = D;
    refused(&w, "network 0, input 2: there is no kind 2 along axis");
    w.input[2].axis = 0;
    w.input[2].scale = 0;
    refused(&w, "the scale 0 above 0");
    w.input[2].scale = 1;
    w.input[2].of = 3;
    refused(&w, "network 0, input 2: a mean over no particles");
    w.input[2].of = 0;
    case_wall(&w.c, 1, 0, PIO_WALL_PENALTY, 2);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++) w.c.desc.grid.wall[a][side] = PIO_WALL_PENALTY;
    w.c.desc.reversible = 1;
    w.c.desc.penalty = 1e4;
    refused(&w, "apic would be right, or signals");
    case_free(&w.c);
}

/* h sqrt((lambda + 2 mu + |q|)/rho)/dx of the largest knot q, and of a network's limit: with these it is 0.7. */
static void too_strong_a_knot_or_limit_is_a_fault_of_the_time_step(void **unused)
{
    const double h = 2e-3, dx = 0.1, modulus = 2e4 * 0.7 / (1.3 * 0.4), q = pow(0.7 * dx / h, 2) * 1000 - modulus;
    (void)unused;
    for (int limit = 0; limit < 2; limit++) {
        static walker w;
        piola_error error = {0};
        walk(&w, 1, 10);
        if (limit)
            w.c.channels[1].amplitude = q;
        else
            w.values[WEIGHTS + 2] = -q;
        pio_sim *sim = case_create(&w.c, 0, 1);
        assert_int_equal(piola_engine.start(sim, NULL, &error), PIOLA_OK);
        assert_int_equal(piola_engine.check(sim, &error), PIOLA_NUMERICAL);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, "cross 0.7 cells in one time step"));
        piola_engine.destroy(sim);
        case_free(&w.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(recomputed_states_give_the_same_gradient_bits),
        cmocka_unit_test(a_restart_from_a_checkpoint_gives_the_same_bits),
        cmocka_unit_test(wrong_knots_and_values_are_refused),
        cmocka_unit_test(wrong_networks_are_refused),
        cmocka_unit_test(too_strong_a_knot_or_limit_is_a_fault_of_the_time_step),
        /* differences need double precision; the last four */
        cmocka_unit_test(a_window_has_the_derivative_of_its_own_steps),
        cmocka_unit_test(adjoint_is_the_derivative_through_the_loop),
        cmocka_unit_test(adjoint_is_the_derivative_of_the_first_steps),
        cmocka_unit_test(a_gradient_without_the_loop_the_effort_or_later_rates_is_told),
    };
    const size_t count = sizeof tests / sizeof *tests - (case_is_f32() ? 4 : 0);
    return _cmocka_run_group_tests("feedback", tests, count, NULL, NULL);
}
