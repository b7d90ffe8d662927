/* test_optimizer.c -- known minima, every stop, failures, and gradients that are wrong. */
#include "tests/host/optimize/optimizer_bench.h"

/* ---- minima ---------------------------------------------------------------------------------------------- */

static void rosenbrock_is_solved_inside_and_without_bounds(void **state)
{
    (void)state;
    const pio_optimizer_type types[] = {PIO_LBFGS, PIO_MMA, PIO_ADAM};
    const int limits[] = {100, 3000, 15000};
    const double ones[N_MAX] = {1, 1}, near[] = {1e-6, 1e-3, 1e-3};
    for (int i = 0; i < 3; i++) {
        for (int bounded = 0; bounded < 2; bounded++) {
            bench b;
            pio_optimizer_result r;
            piola_error error;
            set_up(&b, types[i], 2, rosenbrock);
            for (int k = 0; k < 2 && bounded; k++) b.lower[k] = -2, b.upper[k] = 3;
            b.d.max_iterations = limits[i];
            b.d.learning_rate = 0.01;
            b.d.stop_gradient = i == 0 ? 1e-6 : 3e-4;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_OK);
            say(bounded ? "Rosenbrock, bounds not active" : "Rosenbrock, no bounds", &b, &r);
            printf("  distance to (1, 1): %.2e, threshold %.0e\n", distance(r.z, ones, 2), near[i]);
            assert_true(distance(r.z, ones, 2) < near[i]);
            assert_true(r.converged);
            assert_int_equal(r.reason, PIO_STOP_GRADIENT);
            assert_int_equal(r.evaluations, b.t.calls);
            assert_int_equal(b.t.recorded, b.t.calls);
            assert_int_equal(b.t.iterations, r.iterations + 1);
            assert_true(types[i] == PIO_ADAM || !b.t.rose);
            pio_optimizer_result_free(&r);
        }
    }
}

static void rosenbrock_with_active_bounds_ends_on_them(void **state)
{
    (void)state;
    const pio_optimizer_type types[] = {PIO_LBFGS, PIO_MMA, PIO_ADAM};
    const double truth[N_MAX] = {0.5, 0.25}; /* z_0 <= 0.5: then z_1 = z_0^2 */
    for (int i = 0; i < 3; i++) {
        bench b;
        pio_optimizer_result r;
        set_up(&b, types[i], 2, rosenbrock);
        b.upper[0] = 0.5;
        b.lower[0] = -2;
        b.d.max_iterations = 10000;
        b.d.learning_rate = 0.01;
        b.d.stop_gradient = 1e-4;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        say("Rosenbrock, z0 <= 0.5 active", &b, &r);
        printf("  distance to (0.5, 0.25): %.2e, threshold 1e-4; z0 on its bound: %s\n", distance(r.z, truth, 2),
               r.z[0] >= 0.5 ? "yes" : "no");
        assert_true(distance(r.z, truth, 2) < 1e-4);
        assert_true(r.z[0] <= 0.5 && r.z[0] >= 0.5);
        assert_true(r.gradient[0] < -0.5); /* the plain gradient does not vanish: the projection matters */
        pio_optimizer_result_free(&r);
    }
}

static void a_quadratic_reaches_its_clamped_minimum_and_keeps_frozen_variables(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        bench b;
        pio_optimizer_result r;
        double truth[N_MAX], J = 3;
        set_up(&b, (pio_optimizer_type)type, 12, quadratic);
        for (size_t i = 0; i < 12; i++) {
            b.lower[i] = -2;
            b.upper[i] = i < 6 ? 2 : 0.45; /* active for i = 6 ... 11 */
            b.z0[i] = 0.2;
            if (i == 3) b.lower[i] = b.upper[i] = 0.2; /* frozen, away from its 0.3 */
            truth[i] = fmin(0.1 * (double)i, b.upper[i]);
            J += (1 + (double)i) * (truth[i] - 0.1 * (double)i) * (truth[i] - 0.1 * (double)i);
        }
        b.d.max_iterations = 3000;
        b.d.stop_gradient = 1e-6;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        say("quadratic, 5 bounds active", &b, &r);
        printf("  distance %.2e (threshold 1e-5), J off by %.2e (threshold 1e-9)\n", distance(r.z, truth, 12), r.J - J);
        assert_true(distance(r.z, truth, 12) < 1e-5);
        assert_true(fabs(r.J - J) < 1e-9);
        assert_true(r.z[3] <= 0.2 && r.z[3] >= 0.2);
        pio_optimizer_result_free(&r);
    }
}

static void nothing_left_to_move_ends_at_once(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        for (int frozen = 0; frozen < 2; frozen++) {
            bench b;
            pio_optimizer_result r;
            set_up(&b, (pio_optimizer_type)type, 3, quadratic);
            for (size_t i = 0; i < 3; i++) {
                b.z0[i] = frozen ? 0.7 : 0.1 * (double)i; /* frozen, or at the minimum already */
                if (frozen) b.lower[i] = b.upper[i] = 0.7;
            }
            b.d.max_iterations = 40;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            say(frozen ? "every variable frozen" : "start is the minimum, no stops", &b, &r);
            assert_true(r.projected_gradient <= 0);
            pio_optimizer_result_free(&r);
            b.d.stop_gradient = 1e-12;
            b.t.iterations = 0;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            assert_true(r.converged);
            assert_int_equal(r.evaluations, 1);
            pio_optimizer_result_free(&r);
        }
    }
}

static void the_unit_of_the_objective_does_not_change_the_path(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        double z[2][2];
        size_t evaluations[2];
        for (int k = 0; k < 2; k++) {
            bench b;
            pio_optimizer_result r;
            set_up(&b, (pio_optimizer_type)type, 2, rosenbrock);
            b.t.factor = k ? 0x1p-60 : 1; /* about 1e-18 */
            b.d.max_iterations = 25;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            memcpy(z[k], r.z, sizeof z[k]);
            evaluations[k] = r.evaluations;
            pio_optimizer_result_free(&r);
        }
        printf("%-5s J and J/2^60: z differs by %.1e (threshold 0), %zu and %zu evaluations\n",
               pio_optimizer_name((pio_optimizer_type)type), distance(z[0], z[1], 2), evaluations[0], evaluations[1]);
        assert_memory_equal(z[0], z[1], sizeof z[0]);
        assert_int_equal(evaluations[0], evaluations[1]);
    }
}

static void adam_makes_the_steps_of_its_paper(void **state)
{
    (void)state;
    /* J = 4 z^2 from z = 1, rate 0.1. Written out from algorithm 1 with g = dJ/dz, epsilon times 1/scale: the largest
     * gradient 8 = 2^3 is seen as 1/2, so epsilon 1e-8 stands beside a gradient 16 times smaller. */
    double z = 1, m = 0, v = 0;
    bench b;
    pio_optimizer_result r;
    set_up(&b, PIO_ADAM, 1, quadratic);
    b.z0[0] = 1;
    b.t.factor = 4;
    b.d.learning_rate = 0.1;
    for (int k = 1; k <= 5; k++) {
        double g = 8 * z;
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        z -= 0.1 * (m / (1 - pow(0.9, k))) / (sqrt(v / (1 - pow(0.999, k))) + 16e-8);
        b.d.max_iterations = k;
        b.t.iterations = 0;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        printf("step %d: z %.15f, by hand %.15f, difference %.1e, threshold 1e-14\n", k, r.z[0], z, fabs(r.z[0] - z));
        assert_true(fabs(r.z[0] - z) < 1e-14);
        assert_int_equal(r.evaluations, k + 1);
        pio_optimizer_result_free(&r);
    }
}

/* ---- stops ----------------------------------------------------------------------------------------------- */

static void every_stop_is_reached_and_named(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        for (int kind = PIO_STOP_OBJECTIVE; kind <= PIO_STOP_INTERRUPTED; kind++) {
            bench b;
            pio_optimizer_result r;
            piola_error error;
            piola_status expected = kind <= PIO_STOP_GRADIENT ? PIOLA_OK : PIOLA_NO;
            set_up(&b, (pio_optimizer_type)type, 4, quadratic);
            b.d.max_iterations = 2000;
            b.d.stop_gradient = 1e-300;
            if (kind == PIO_STOP_OBJECTIVE) b.d.stop_objective = 3.5;
            if (kind == PIO_STOP_RELATIVE_OBJECTIVE) b.d.stop_relative_objective = 1e-5;
            if (kind == PIO_STOP_GRADIENT) b.d.stop_gradient = 1e-3;
            if (kind == PIO_STOP_ITERATIONS) b.d.max_iterations = 3;
            if (kind == PIO_STOP_NO_PROGRESS && type == PIO_ADAM) continue; /* Adam cannot notice */
            if (kind == PIO_STOP_REJECTED) continue;                        /* test_optimizer_rejected.c */
            if (kind == PIO_STOP_NO_PROGRESS) b.t.gradient_factor = -1;
            if (kind == PIO_STOP_INTERRUPTED) b.t.stop_at = 2, expected = PIOLA_INTERRUPTED;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), expected);
            printf("%-5s %-18s %s\n", pio_optimizer_name(b.d.type), pio_stop_name(r.reason), r.sentence);
            assert_int_equal(r.reason, kind);
            assert_int_equal(r.converged, kind <= PIO_STOP_GRADIENT);
            assert_true(strlen(r.sentence) > 20);
            if (expected != PIOLA_OK) assert_string_equal(error.message, r.sentence);
            if (kind == PIO_STOP_OBJECTIVE) assert_true(r.J <= 3.5);
            if (kind == PIO_STOP_GRADIENT) assert_true(r.projected_gradient <= 1e-3);
            if (kind == PIO_STOP_RELATIVE_OBJECTIVE) assert_true(r.J < 3.01);
            if (kind == PIO_STOP_ITERATIONS) assert_int_equal(r.iterations, 3);
            if (kind == PIO_STOP_INTERRUPTED) assert_int_equal(b.t.iterations, 3);
            pio_optimizer_result_free(&r);
        }
    }
}

static void iterations_alone_are_no_failure_when_no_stop_was_requested(void **state)
{
    (void)state;
    for (int most = 0; most <= 3; most += 3) {
        bench b;
        pio_optimizer_result r;
        set_up(&b, PIO_LBFGS, 4, rosenbrock);
        b.d.max_iterations = most;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        assert_int_equal(r.reason, PIO_STOP_ITERATIONS);
        assert_int_equal(r.iterations, most);
        assert_false(r.converged);
        pio_optimizer_result_free(&r);
    }
}

static void a_failure_that_is_not_numerical_stops_at_once_and_keeps_the_best(void **state)
{
    (void)state;
    const piola_status statuses[] = {PIOLA_INTERRUPTED, PIOLA_IO, PIOLA_NO_MEMORY, PIOLA_INTERNAL, PIOLA_BAD_DATA};
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        for (size_t kind = 0; kind < sizeof statuses / sizeof *statuses; kind++) {
            bench b;
            pio_optimizer_result r;
            piola_error error;
            set_up(&b, (pio_optimizer_type)type, 2, rosenbrock);
            b.t.fail_at = 6;
            b.t.fail_with = statuses[kind];
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), statuses[kind]);
            if (type == PIO_LBFGS) printf("%s | error: %s\n", r.sentence, error.message);
            assert_int_equal(error.status, statuses[kind]);
            assert_int_equal(b.t.calls, 6);
            assert_int_equal(r.evaluations, 5);
            assert_int_equal(r.rejected, 0);
            assert_int_equal(r.reason, kind == 0 ? PIO_STOP_INTERRUPTED : PIO_STOP_FAILED);
            assert_string_equal(error.message, "step 17: particle 4 left the domain");
            double g[2];
            assert_true(r.J < 24.2); /* J at the start is 24.2 */
            assert_true(fabs(rosenbrock(&b.t, r.z, g) - r.J) <= 0);
            pio_optimizer_result_free(&r);
        }
    }
}

static void a_first_evaluation_that_fails_returns_the_start(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    set_up(&b, PIO_MMA, 2, rosenbrock);
    b.t.fail_at = 1;
    b.t.fail_with = PIOLA_NO_MEMORY;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_NO_MEMORY);
    assert_true(isnan(r.J) && isnan(r.gradient[0]));
    assert_memory_equal(r.z, b.z0, 2 * sizeof(double));
    assert_int_equal(r.evaluations, 0);
    pio_optimizer_result_free(&r);
}

static void a_gradient_with_a_hole_is_numerical(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    piola_error error;
    set_up(&b, PIO_LBFGS, 3, quadratic);
    b.t.gradient_factor = NAN;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_NUMERICAL);
    printf("%s\n", error.message);
    assert_non_null(strstr(error.message, "gradient"));
    assert_int_equal(error.failure.kind, PIOLA_FAILED_GRADIENT);
    pio_optimizer_result_free(&r);
}

static void bad_arguments_are_refused_with_words(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        bench b;
        pio_optimizer_result r;
        piola_error error;
        piola_status expected = kind < 4 ? PIOLA_BAD_DATA : PIOLA_USAGE;
        set_up(&b, PIO_ADAM, 2, rosenbrock);
        if (kind == 0) b.upper[1] = 0.5;
        if (kind == 1) b.lower[0] = 1, b.upper[0] = -1.5;
        if (kind == 2) b.z0[0] = NAN;
        if (kind == 3) b.lower[1] = NAN;
        if (kind == 4) b.d.learning_rate = 0;
        if (kind == 5) b.d.max_iterations = -1;
        if (kind == 6) b.d.stop_gradient = NAN;
        if (kind == 7) b.p.n = 0;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), expected);
        printf("%s\n", error.message);
        assert_int_equal(b.t.calls, 0);
        pio_optimizer_result_free(&r);
    }
}

/* ---- negative controls ----------------------------------------------------------------------------------- */

static void a_gradient_of_the_wrong_sign_does_not_converge(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_GRADIENT_DESCENT; type++) {
        bench b;
        pio_optimizer_result r;
        piola_error error;
        set_up(&b, (pio_optimizer_type)type, 2, rosenbrock);
        b.d.stop_gradient = 1e-4;
        b.d.stop_objective = 1e-6;
        b.t.gradient_factor = -1;
        for (size_t i = 0; i < 2; i++) b.lower[i] = -1e3, b.upper[i] = 1e3;
        b.d.max_iterations = 100;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_NO);
        say("gradient of the wrong sign", &b, &r);
        assert_false(r.converged);
        assert_true(r.J > 20); /* 24.2 at the start; the right sign reaches 1e-6 */
        pio_optimizer_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rosenbrock_is_solved_inside_and_without_bounds),
        cmocka_unit_test(rosenbrock_with_active_bounds_ends_on_them),
        cmocka_unit_test(a_quadratic_reaches_its_clamped_minimum_and_keeps_frozen_variables),
        cmocka_unit_test(nothing_left_to_move_ends_at_once),
        cmocka_unit_test(the_unit_of_the_objective_does_not_change_the_path),
        cmocka_unit_test(adam_makes_the_steps_of_its_paper),
        cmocka_unit_test(every_stop_is_reached_and_named),
        cmocka_unit_test(iterations_alone_are_no_failure_when_no_stop_was_requested),
        cmocka_unit_test(a_failure_that_is_not_numerical_stops_at_once_and_keeps_the_best),
        cmocka_unit_test(a_first_evaluation_that_fails_returns_the_start),
        cmocka_unit_test(a_gradient_with_a_hole_is_numerical),
        cmocka_unit_test(bad_arguments_are_refused_with_words),
        cmocka_unit_test(a_gradient_of_the_wrong_sign_does_not_converge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
