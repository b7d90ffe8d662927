/* test_mpm_feedback.c -- is the adjoint of networks of control the derivative through the loop in which what bodies do
 * feeds what drives them, and is nothing hidden between steps? */
#include "tests/solvers/mpm/mpm_walker.h"
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    mpm_taylor_end(&t, "weights, knots, clocks, limits, start");
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
        case_sample(&w.c, v, steps, 0, 1);
        mpm_taylor_begin(&t, &w.c, 1);
        for (int d = 0; d < w.c.desc.n_designs; d++) {
            if (d == FREQUENCY_DESIGN) continue; /* up to the time 2 h these do less than differences can resolve */
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

static int no_effort(pio_stream stream, int n, const int *limit, const control_observe_adj_args *args)
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

static int late_clocks(pio_stream stream, int n, const int *limit, const mpm_network_adj_args *args)
{
    mpm_network_adj_args a = *args;
    mpm_step late = *a.fwd.step;
    late.index++;
    a.fwd.step = &late;
    return pio_backend_cpu.kernels.mpm_network_adj(stream, n, limit, &a);
}

/* The same test says no to a gradient that takes what the network sees as given, forgets what an effort costs, or that
 * the rate of the step after depends on this one, or whose clocks are a step late. */
static void a_gradient_without_the_loop_the_effort_later_rates_or_time_is_found(void **unused)
{
    static const char *const what[] = {"as it is", "without the loop", "without the effort", "without later rates",
                                       "with late clocks"};
    for (int wrong = 0; wrong < 5; wrong++) {
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
        if (wrong == 2) backend.kernels.control_observe_adj = no_effort;
        if (wrong == 3) backend.kernels.mpm_network_adj = no_later_rates;
        if (wrong == 4) backend.kernels.mpm_network_adj = late_clocks;
        const pio_backend *right = t.sim->queue.backend;
        t.sim->queue.backend = &backend;
        case_gradient(&w.c, t.sim, NULL, t.z, t.z_bar);
        t.sim->queue.backend = right;
        t.quiet = 1;
        mpm_taylor_gradient(&t, h, wrong == 4 ? FREQUENCIES : 0, wrong == 4 ? 2 * CLOCKS : VALUES);
        const pio_taylor_verdict verdict = mpm_taylor_direction(&t, "weights, knots and clocks", h);
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
    walk(&w, CASE_DIM == 2 ? 8 : 4, 6);
    observe(&w);
    design(&w);
    print_message("  %d particles\n", (int)w.c.n);
    assert_true(w.c.n > 4096); /* the backend runs less than that on one thread, whatever number is requested */
    for (int i = 0; i < 3; i++) {
        pio_sim *sim = case_create(&w.c, 6, threads[i]);
        const uint64_t h = whole_run(&w.c, sim, NULL);
        if (i == 0) first = h;
        assert_true(h == first);
        piola_engine.destroy(sim);
    }
    case_free(&w.c);
}

/* Keeps state 0 alone and runs from there to each step whose adjoint is next. */
static pio_action from_start(pio_schedule *s)
{
    const int64_t at = s->at++ - 3, step = s->steps - 1 - at / 3;
    if (at == -3) return (pio_action){PIO_STORE, 0, 0, 0};
    if (at == -2) return (pio_action){PIO_FORWARD, 0, s->steps, -1};
    if (at == -1) return (pio_action){PIO_TURN, s->steps, s->steps, -1};
    if (step < 0) return (pio_action){PIO_DONE, 0, 0, -1};
    if (at % 3 == 0) return (pio_action){PIO_RESTORE, 0, 0, 0};
    if (at % 3 == 1) return (pio_action){PIO_FORWARD, 0, step, -1};
    return (pio_action){PIO_ADJOINT_STEP, step, step, -1};
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
    for (int i = 0; i < WEIGHTS; i++) mpm_of(sim)->control.values[i] += e * h[i];
    go(sim, w->c.desc.steps - first);
    assert_int_equal(piola_engine.samples(sim, samples, &error), PIOLA_OK);
    for (int k = 0; k < w->c.samples; k++)
        J += w->c.linear[k] * samples[k] + w->c.square[k] * samples[k] * samples[k] / 2;
    return J;
}

/* The rate in the first step of a window is that to an activation before, which is a constant. Every sweep begins
 * alike. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(recomputed_states_give_the_same_gradient_bits),
        cmocka_unit_test(a_restart_from_a_checkpoint_gives_the_same_bits),
        /* differences need double precision; the last four */
        cmocka_unit_test(a_window_has_the_derivative_of_its_own_steps),
        cmocka_unit_test(adjoint_is_the_derivative_through_the_loop),
        cmocka_unit_test(adjoint_is_the_derivative_of_the_first_steps),
        cmocka_unit_test(a_gradient_without_the_loop_the_effort_later_rates_or_time_is_found),
    };
    const size_t count = sizeof tests / sizeof *tests - (case_is_f32() ? 4 : 0);
    return _cmocka_run_group_tests("feedback", tests, count, NULL, NULL);
}
