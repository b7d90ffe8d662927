/* test_plan.c -- a plan stays within its budget, uses it, and costs what its actions cost at given step costs. */
#include "host/run/plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const size_t fixed = 1000, state = 256;

static pio_plan_request request_of(scene_strategy strategy, int64_t steps, int64_t sweeps, double budget)
{
    return (pio_plan_request){
        .strategy = strategy, .steps = steps, .sweeps = sweeps, .fixed = fixed, .state = state, .budget = budget};
}

static pio_plan made(scene_strategy strategy, int64_t steps, int64_t sweeps, double budget)
{
    const pio_plan_request r = request_of(strategy, steps, sweeps, budget);
    pio_plan plan;
    piola_error error;
    if (pio_plan_make(&plan, &r, &error)) fail_msg("%s", error.message);
    print_message("  %d steps, %d sweeps, %.0f bytes: %s, %d states, %d steps forward, %d stored, %d restored, %zu "
                  "bytes\n",
                  (int)steps, (int)sweeps, budget, plan.strategy == SCENE_CHECKPOINT ? "checkpoint" : "store",
                  (int)plan.slots, (int)plan.forward_steps, (int)plan.stores, (int)plan.restores, plan.bytes);
    return plan;
}

static void auto_stores_where_all_states_fit_and_checkpoints_where_they_do_not(void **unused)
{
    (void)unused;
    const double all = 1000 + 100 * 256;
    pio_plan plan = made(SCENE_AUTO, 100, 1, all);
    assert_int_equal(plan.strategy, SCENE_STORE);
    assert_int_equal(plan.slots, 100);
    assert_int_equal(plan.forward_steps, 100);
    plan = made(SCENE_AUTO, 100, 1, all - 1);
    assert_int_equal(plan.strategy, SCENE_CHECKPOINT);
    assert_int_equal(plan.slots, 99);
    plan = made(SCENE_AUTO, 100, 3, all); /* several sweeps also keep the last state */
    assert_int_equal(plan.strategy, SCENE_CHECKPOINT);
    plan = made(SCENE_AUTO, 100, 3, all + 256);
    assert_int_equal(plan.strategy, SCENE_STORE);
    assert_int_equal(plan.forward_steps, 100);
    plan = made(SCENE_CHECKPOINT, 100, 1, 1e12); /* the requested strategy, with no more states than it can use */
    assert_int_equal(plan.strategy, SCENE_CHECKPOINT);
    assert_int_equal(plan.slots, 100);
}

static void a_window_is_planned_as_a_run_of_its_length_with_steps_forward_before_it(void **unused)
{
    (void)unused;
    const double budgets[] = {1000 + 100 * 256, 1000 + 9 * 256};
    for (int k = 0; k < 2; k++)
        for (int64_t sweeps = 1; sweeps <= 3; sweeps += 2) {
            pio_plan_request r = request_of(SCENE_AUTO, 40, sweeps, budgets[k]);
            pio_plan alone, window;
            piola_error error;
            assert_int_equal(pio_plan_make(&alone, &r, &error), PIOLA_OK);
            r.first = 500;
            assert_int_equal(pio_plan_make(&window, &r, &error), PIOLA_OK);
            print_message(
                "  40 steps, %d sweeps: %d states, %d steps forward; with 500 before them %d states, %d steps\n",
                (int)sweeps, (int)alone.slots, (int)alone.forward_steps, (int)window.slots, (int)window.forward_steps);
            assert_int_equal(window.forward_steps, alone.forward_steps + 500);
            alone.forward_steps = window.forward_steps;
            assert_memory_equal(&alone, &window, sizeof alone); /* states, bytes and adjoint steps are the same */
        }
}

static void a_plan_uses_its_budget_and_never_exceeds_it(void **unused)
{
    (void)unused;
    for (double budget = 1256; budget < 1000 + 101 * 256; budget += 97) {
        const pio_plan_request r = request_of(SCENE_AUTO, 100, 1, budget);
        pio_plan plan;
        piola_error error;
        assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_OK);
        assert_true((double)plan.bytes <= budget);
        assert_true(plan.slots == 100 || (double)plan.bytes + 256 > budget);
        assert_int_equal(plan.adjoint_steps, 100);
        if (plan.strategy == SCENE_CHECKPOINT)
            assert_int_equal(plan.forward_steps, pio_checkpoint_advances(100, plan.slots, 0) + 1);
    }
}

static void a_budget_that_holds_no_gradient_is_refused_with_the_bytes_that_would_do(void **unused)
{
    piola_error error;
    pio_plan plan;
    pio_plan_request r = request_of(SCENE_AUTO, 100, 1, 1255);
    (void)unused;
    assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_NO_MEMORY);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "needs 1256 bytes"));
    r.budget = 1256; /* these bytes are enough */
    assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_OK);
    r = request_of(SCENE_STORE, 100, 1, 26599);
    assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_NO_MEMORY);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "needs 26600 bytes"));
    assert_non_null(strstr(error.message, "checkpoint, 1256 bytes"));
    r.budget = 26600;
    assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_OK);
    r = request_of(SCENE_AUTO, 1, 1, 1000); /* one step: no state needs to be kept */
    assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_OK);
    assert_int_equal(plan.slots, 0);
}

static void the_cost_is_that_of_the_actions_at_given_costs(void **unused)
{
    const pio_step_costs costs = {.forward = 2, .adjoint = 5, .store = 0.25, .restore = 0.5};
    (void)unused;
    const pio_plan all = made(SCENE_STORE, 10, 1, 1e6);
    /* 10 steps, 10 stored, 10 restored, 10 adjoints */
    print_message("  store: %g\n", pio_plan_cost(&all, &costs, 10));
    assert_true(fabs(pio_plan_cost(&all, &costs, 10) - (10 * 2 + 10 * 0.25 + 10 * 0.5 + 10 * 5) / 20.0) < 1e-14);
    const pio_plan three = made(SCENE_AUTO, 10, 1, 1000 + 3 * 256);
    /* 15 steps (binomial checkpointing) and the last */
    const double cost = (16 * 2 + (double)three.stores * 0.25 + (double)three.restores * 0.5 + 10 * 5) / 20;
    print_message("  3 states: %g, %g expected\n", pio_plan_cost(&three, &costs, 10), cost);
    assert_true(fabs(pio_plan_cost(&three, &costs, 10) - cost) < 1e-14);
    assert_true(three.stores >= 3 && three.restores >= 3 && three.restores < 10);
}

/* Compares the costs of all numbers of states on disk. */
static void as_many_states_go_to_disk_as_save_time(void **unused)
{
    static const double price[] = {0.01, 1, 20, 300};
    (void)unused;
    for (int slots = 1; slots <= 5; slots += 2)
        for (size_t k = 0; k < sizeof price / sizeof *price; k++)
            for (int room = 0; room <= 400; room += 50) {
                const pio_step_costs costs = {.forward = 1, .adjoint = 2, .write = price[k], .read = 0.5 * price[k]};
                pio_plan_request r = request_of(SCENE_AUTO, 200, 1, 1000 + 256 * (slots + 1));
                pio_plan plan;
                piola_error error;
                double best = (double)pio_checkpoint_advances(200, slots + 1, 0); /* no buffer for the disk */
                int64_t kept = 0;
                r.disk = room ? 65536 + 256.0 * room : 0;
                r.costs = costs;
                for (int d = 1; d <= room && d < 200; d++) {
                    const double t = (double)pio_checkpoint_advances(200, slots, d) + 1.5 * price[k] * d;
                    if (t < best) best = t, kept = d;
                }
                assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_OK);
                if (room % 200 == 0)
                    print_message("  %d states, a move of %g steps, room for %d: %d on disk, %d steps forward\n", slots,
                                  1.5 * price[k], room, (int)plan.kept, (int)plan.forward_steps);
                assert_int_equal(plan.kept, kept);
                assert_int_equal(plan.writes, kept);
                assert_int_equal(plan.reads, kept);
                assert_true((double)plan.bytes <= r.budget && plan.disk_bytes <= r.disk);
                assert_int_equal(plan.slots, kept ? slots : slots + 1);
                const double t = (double)(plan.forward_steps - 1) + 1.5 * price[k] * (double)plan.kept;
                assert_true(fabs(t - best) < 1e-9 * best);
            }
}

/* Requests 1000 bytes with states of 256; 100 steps with 10 bytes of residual log each. */
static pio_plan_request reversible(scene_strategy strategy, double budget, double residual_log, bool guess)
{
    pio_plan_request r = request_of(strategy, 100, 1, budget);
    r.reversible = true;
    r.residual_log = residual_log;
    r.residual_log_estimated = guess;
    r.residual_log_limit = 2 * residual_log;
    return r;
}

static void reversal_is_chosen_where_it_computes_fewer_steps_than_checkpoints(void **unused)
{
    (void)unused;
    int64_t last = 0;
    for (int slots = 1; slots <= 101; slots++) {
        const pio_plan_request r = reversible(SCENE_AUTO, 1000 + 256 * slots, 0, false);
        pio_plan plan;
        piola_error error;
        assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_OK);
        const int64_t again = pio_checkpoint_advances(100, slots, 0) + 1;
        const scene_strategy best = slots >= 100 ? SCENE_STORE : again > 200 ? SCENE_REVERSE : SCENE_CHECKPOINT;
        if (plan.strategy != last) print_message("  from %d states: strategy %d\n", slots, (int)plan.strategy);
        last = plan.strategy;
        assert_int_equal(plan.strategy, best);
        assert_true((double)plan.bytes <= r.budget);
        if (best != SCENE_REVERSE) continue;
        assert_int_equal(plan.slots, 1);
        assert_int_equal(plan.forward_steps, 100);
        assert_int_equal(plan.inverse_steps, 100);
        assert_int_equal(plan.adjoint_steps, 100);
    }
}

static void a_residual_log_counts_and_one_that_is_a_guess_takes_more_where_it_can(void **unused)
{
    static const struct {
        double budget, residual_log;
        bool guess;
        double taken; /* bytes of the log; -1: an error */
    } cases[] = {{1000 + 256 + 1024, 1000, false, 1000}, {1000 + 256 + 1024, 1000, true, 1024},
                 {1000 + 256 + 2048, 1000, true, 1792},  {1e6, 1000, true, 1792},
                 {1000 + 256 + 1023, 1000, false, -1},   {1000 + 256 + 1023, 1000, true, -1}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pio_plan_request r = reversible(SCENE_REVERSE, cases[i].budget, cases[i].residual_log, cases[i].guess);
        pio_plan plan = {0};
        piola_error error = {0};
        const piola_status rc = pio_plan_make(&plan, &r, &error);
        print_message("  budget %g, residual log %g: %zu bytes of residual log, %zu in all %s\n", r.budget,
                      r.residual_log, plan.residual_log, plan.bytes, error.message);
        assert_int_equal(rc, cases[i].taken < 0 ? PIOLA_NO_MEMORY : PIOLA_OK);
        if (rc) {
            assert_non_null(strstr(error.message, "2280 bytes")); /* the bytes that are enough */
            continue;
        }
        assert_true((double)plan.bytes <= r.budget);
        assert_int_equal(plan.residual_log, (int64_t)cases[i].taken);
    }
}

static void reversal_of_an_integrator_that_cannot_is_refused(void **unused)
{
    const pio_plan_request r = request_of(SCENE_REVERSE, 100, 1, 1e6);
    pio_plan plan;
    piola_error error;
    (void)unused;
    assert_int_equal(pio_plan_make(&plan, &r, &error), PIOLA_USAGE);
    print_message("  %s\n", error.message);
}

static void compact_slots_are_taken_where_they_cost_less_time(void **unused)
{
    (void)unused;
    int taken = 0, left = 0;
    for (double budget = 1000 + 2 * 256; budget < 1000 + 110 * 256; budget += 256) {
        pio_plan_request r = request_of(SCENE_AUTO, 100, 1, budget);
        pio_plan whole, compact;
        piola_error error;
        assert_int_equal(pio_plan_make(&whole, &r, &error), PIOLA_OK);
        r.state = state / 2;
        assert_int_equal(pio_plan_make(&compact, &r, &error), PIOLA_OK);
        const bool better = pio_plan_better(&compact, NULL, &whole, NULL, 100);
        const double costs = pio_plan_cost(&compact, &pio_step_costs_compact, 100);
        assert_int_equal(better, costs < pio_plan_cost(&whole, &pio_step_costs_whole, 100));
        if (whole.strategy == SCENE_STORE)
            assert_false(better); /* no step is run again, and whole states are restored faster */
        /* If only steps have a cost, more states are better. */
        const pio_step_costs same = {.forward = 1, .adjoint = 2};
        const bool fewer = compact.forward_steps < whole.forward_steps;
        assert_int_equal(pio_plan_better(&compact, &same, &whole, &same, 100), fewer);
        taken += better;
        left += !better;
    }
    print_message("  compact with %d budgets, whole with %d\n", taken, left);
    assert_true(taken > 5 && left > 5);
}

static void room_for_nodes_is_half_more_than_at_the_start_and_then_at_least_doubles(void **unused)
{
    (void)unused;
    assert_int_equal(pio_plan_slot_nodes(100, 0, 0), 150);
    assert_int_equal(pio_plan_slot_nodes(100, 150, 151), 300);
    assert_int_equal(pio_plan_slot_nodes(100, 150, 1000), 1250);
    assert_int_equal(pio_plan_slot_nodes(1, 0, 0), 1);
    assert_int_equal(pio_plan_slot_nodes(1, 1, 4), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_stores_where_all_states_fit_and_checkpoints_where_they_do_not),
        cmocka_unit_test(a_window_is_planned_as_a_run_of_its_length_with_steps_forward_before_it),
        cmocka_unit_test(a_plan_uses_its_budget_and_never_exceeds_it),
        cmocka_unit_test(a_budget_that_holds_no_gradient_is_refused_with_the_bytes_that_would_do),
        cmocka_unit_test(as_many_states_go_to_disk_as_save_time),
        cmocka_unit_test(reversal_is_chosen_where_it_computes_fewer_steps_than_checkpoints),
        cmocka_unit_test(a_residual_log_counts_and_one_that_is_a_guess_takes_more_where_it_can),
        cmocka_unit_test(reversal_of_an_integrator_that_cannot_is_refused),
        cmocka_unit_test(the_cost_is_that_of_the_actions_at_given_costs),
        cmocka_unit_test(compact_slots_are_taken_where_they_cost_less_time),
        cmocka_unit_test(room_for_nodes_is_half_more_than_at_the_start_and_then_at_least_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
