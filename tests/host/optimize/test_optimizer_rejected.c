/* test_optimizer_rejected.c -- trial points that cannot be computed are rejected and the step shortened; and what
 * "converged" means. */
#include "tests/host/optimize/optimizer_bench.h"

enum { TYPES = PIO_GRADIENT_DESCENT + 1 };

/* Around the minimum of `quadratic` (0, 0.1): a long step from (-1.2, 1) leaves it. */
static bool outside_a_band(const task *t, const double *z)
{
    (void)t;
    return z[0] > 0.01 || z[1] < 0.05;
}

/* The minimum is beyond. */
static bool beyond_a_wall(const task *t, const double *z)
{
    (void)t;
    return z[0] > -0.5;
}

static bool anywhere_but_at_the_start(const task *t, const double *z)
{
    (void)t;
    return !(z[0] <= -1.2 && z[0] >= -1.2 && z[1] <= 1 && z[1] >= 1);
}

/* Rosenbrock's function of 4 z. */
static double shrunk_rosenbrock(const task *t, const double *z, double *g)
{
    double w[N_MAX];
    for (size_t i = 0; i < t->n; i++) w[i] = 4 * z[i];
    const double J = rosenbrock(t, w, g);
    for (size_t i = 0; i < t->n; i++) g[i] *= 4;
    return J;
}

static void the_minimum_is_found_though_trial_points_fail(void **state)
{
    (void)state;
    const double truth[N_MAX] = {0, 0.1};
    for (int type = 0; type < TYPES; type++) {
        for (int bounded = 0; bounded < 2; bounded++) {
            bench b;
            pio_optimizer_result r;
            piola_error error;
            set_up(&b, (pio_optimizer_type)type, 2, quadratic);
            for (int k = 0; k < 2 && bounded; k++) b.lower[k] = -2, b.upper[k] = 3;
            b.t.fails = outside_a_band;
            b.d.max_iterations = 3000;
            b.d.learning_rate = type == PIO_ADAM ? 0.5 : 4;
            b.d.stop_gradient = 1e-7;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_OK);
            say("a band can be computed", &b, &r);
            printf("  %zu rejected (more than 0), distance %.1e (threshold 1e-7)\n", r.rejected,
                   distance(r.z, truth, 2));
            assert_true(r.rejected > 0);
            assert_true(distance(r.z, truth, 2) < 1e-7);
            assert_int_equal(r.evaluations, b.t.calls);
            assert_int_equal(b.t.recorded, b.t.calls);
            assert_int_equal(b.t.failures, r.rejected);
            assert_int_equal(b.t.rejected, r.rejected); /* as the last iteration received */
            assert_true(r.converged && r.reason == PIO_STOP_GRADIENT);
            assert_string_equal(error.message, "");
            pio_optimizer_result_free(&r);
        }
    }
}

/* The same with values that are no numbers, at each of the first evaluations. */
static void a_value_that_is_not_finite_rejects_too(void **state)
{
    (void)state;
    const double values[] = {NAN, HUGE_VAL, -HUGE_VAL};
    const double truth[N_MAX] = {0, 0.1};
    for (int type = 0; type < TYPES; type++) {
        for (size_t at = 2; at < 8; at++) {
            bench b;
            pio_optimizer_result r;
            set_up(&b, (pio_optimizer_type)type, 2, quadratic);
            b.t.fail_at = at;
            b.t.fail_value = values[at % 3];
            b.d.max_iterations = 3000;
            b.d.stop_gradient = 1e-6;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            assert_int_equal(r.rejected, at <= r.evaluations);
            assert_true(distance(r.z, truth, 2) < 1e-6);
            if (r.rejected) assert_non_null(strstr(b.t.words, "the objective is "));
            pio_optimizer_result_free(&r);
        }
    }
}

/* `stop_gradient` is 0 where no stop is requested: then a run may end by itself, but not as converged. */
static void wall_before_the_minimum(pio_optimizer_type type, size_t n, double stop_gradient, double rounding)
{
    bench b;
    pio_optimizer_result r;
    piola_error error;
    set_up(&b, type, n, quadratic);
    b.t.fails = beyond_a_wall;
    b.d.max_iterations = 500;
    b.d.stop_gradient = stop_gradient;
    b.d.stop_relative_objective = type == PIO_ADAM ? 1e-300 : 0; /* Adam alone ends by nothing but max_iterations */
    b.d.rounding = rounding;
    const piola_status status = pio_optimize(&b.p, &b.d, &r, &error);
    say(stop_gradient > 0 ? "a wall before the minimum" : "a wall, and no stop", &b, &r);
    printf("  z %.6f (threshold above -0.6, the wall at -0.5), %zu rejected\n", r.z[0], r.rejected);
    assert_int_equal(status, PIOLA_NO);
    assert_true(r.z[0] > -0.6 && r.z[0] <= -0.5);
    assert_true(r.rejected > 0);
    assert_false(r.converged);
    assert_int_equal(r.reason, type == PIO_ADAM ? PIO_STOP_ITERATIONS : PIO_STOP_REJECTED);
    assert_non_null(strstr(r.sentence, type == PIO_ADAM ? "max_iterations" : "could not be computed"));
    assert_null(strstr(r.sentence, "wrong"));
    assert_string_equal(error.message, r.sentence);
    pio_optimizer_result_free(&r);
}

static void a_wall_before_the_minimum_ends_the_run_at_the_best_point(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) wall_before_the_minimum((pio_optimizer_type)type, 1, 1e-6, 1e-12);
}

static void a_wall_before_the_minimum_is_no_convergence_without_a_stop(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++)
        for (size_t n = 1; n <= 3; n++)
            for (int single = 0; single < 2; single++)
                wall_before_the_minimum((pio_optimizer_type)type, n, 0, single ? 1e-6 : 1e-12);
}

/* The control of the test above: once J falls again, failures count no more. */
static void failures_before_the_last_gain_do_not_count_against_a_minimum(void **state)
{
    (void)state;
    const double truth[N_MAX] = {0, 0.1};
    for (int type = PIO_LBFGS; type < TYPES; type++) {
        bench b;
        pio_optimizer_result r;
        set_up(&b, (pio_optimizer_type)type, 2, quadratic);
        b.t.fails = outside_a_band;
        b.d.max_iterations = 3000;
        b.d.learning_rate = 4;
        const piola_status status = pio_optimize(&b.p, &b.d, &r, NULL);
        say("a band, and no stop", &b, &r);
        printf("  %zu rejected (more than 0), distance %.1e (threshold 1e-6)\n", r.rejected, distance(r.z, truth, 2));
        assert_int_equal(status, PIOLA_OK);
        assert_true(r.converged && r.rejected > 0);
        assert_true(distance(r.z, truth, 2) < 1e-6);
        pio_optimizer_result_free(&r);
    }
}

static void points_that_all_fail_end_the_run_with_a_sentence(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        bench b;
        pio_optimizer_result r;
        piola_error error;
        set_up(&b, (pio_optimizer_type)type, 2, quadratic);
        b.t.fails = anywhere_but_at_the_start;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_NO);
        say("nothing but the start", &b, &r);
        assert_int_equal(r.reason, PIO_STOP_REJECTED);
        assert_true(r.rejected > 30 && r.rejected <= PIO_MOST_REJECTED);
        assert_int_equal(r.evaluations, r.rejected + 1);
        assert_memory_equal(r.z, b.z0, 2 * sizeof(double));
        assert_false(r.converged);
        assert_non_null(strstr(r.sentence, "could not be computed"));
        pio_optimizer_result_free(&r);
    }
}

static void a_start_that_cannot_be_computed_is_numerical(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        bench b;
        pio_optimizer_result r;
        piola_error error;
        set_up(&b, (pio_optimizer_type)type, 2, quadratic);
        b.t.fails = outside_a_band;
        b.z0[1] = 0;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_NUMERICAL);
        assert_string_equal(error.message, "step 17: particle 4 left the domain");
        assert_int_equal(r.reason, PIO_STOP_FAILED);
        assert_int_equal(b.t.calls + r.rejected + b.t.recorded, 1);
        pio_optimizer_result_free(&r);
    }
}

/* NLopt's line search halves a step that has the value infinity: what optimizer_nlopt.c relies on. */
static void lbfgs_halves_a_step_that_fails(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    record rec = new_record(1, 0);
    set_up(&b, PIO_LBFGS, 1, quadratic);
    b.z0[0] = -0.52; /* the first step is at least 1/2 long */
    b.t.fails = beyond_a_wall;
    b.t.record = &rec;
    b.d.max_iterations = 1;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
    assert_true(r.rejected > 3);
    for (size_t k = 1; k < r.rejected + 1; k++) {
        const double ratio = (rec.z[k + 1] - rec.z[0]) / (rec.z[k] - rec.z[0]);
        printf("step %zu: %.6f, next fraction %.12f (threshold 0.5)\n", k, rec.z[k] - rec.z[0], ratio);
        assert_true(fabs(ratio - 0.5) < 1e-12);
    }
    pio_optimizer_result_free(&r);
    free_record(&rec);
}

/* A run that is resumed from its record, at any evaluation, rejects the same points and ends with the same bits. */
static void replay_rejects_the_same_points(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        bench b;
        pio_optimizer_result whole, part;
        record r = new_record(2, 0);
        set_up(&b, (pio_optimizer_type)type, 2, quadratic);
        b.t.fails = outside_a_band;
        b.t.record = &r;
        b.d.learning_rate = 0.5;
        b.d.max_iterations = 12;
        assert_int_equal(pio_optimize(&b.p, &b.d, &whole, NULL), PIOLA_OK);
        const size_t all = b.t.calls;
        assert_true(whole.rejected > 0);
        for (size_t known = 0; known <= all; known++) {
            record again = new_record(2, 0);
            again.size = known;
            b.t.record = &again;
            b.t.calls = b.t.recorded = b.t.failures = 0;
            b.t.iterations = 0;
            b.p.replay = r.list;
            b.p.n_replay = known;
            assert_int_equal(pio_optimize(&b.p, &b.d, &part, NULL), PIOLA_OK);
            assert_int_equal(b.t.calls, all - known);
            assert_int_equal(part.rejected, whole.rejected);
            assert_int_equal(part.iterations, whole.iterations);
            assert_string_equal(part.sentence, whole.sentence);
            assert_memory_equal(&part.J, &whole.J, sizeof(double));
            assert_memory_equal(part.z, whole.z, 2 * sizeof(double));
            assert_memory_equal(again.z + 2 * known, r.z + 2 * known, 2 * (all - known) * sizeof(double));
            pio_optimizer_result_free(&part);
            free_record(&again);
        }
        printf("%-16s resumed at %zu places, %zu of %zu evaluations rejected: bits equal\n",
               pio_optimizer_name(b.d.type), all + 1, whole.rejected, all);
        pio_optimizer_result_free(&whole);
        free_record(&r);
    }
}

/* ---- converged ------------------------------------------------------------------------------------------- */

/* One end point, reached with any stop or none, has one answer. */
static void converged_is_one_rule_whatever_stops_were_requested(void **state)
{
    (void)state;
    const double relative[] = {0, 1e-8, 1e-300}; /* of the stops; the last is never reached */
    for (int type = PIO_LBFGS; type < TYPES; type++) {
        for (int kind = 0; kind < 3; kind++) {
            double J[3] = {0};
            for (int k = 0; k < 3; k++) {
                bench b;
                pio_optimizer_result r;
                set_up(&b, (pio_optimizer_type)type, kind == 2 ? 2 : 8, kind == 2 ? rosenbrock : quadratic);
                b.d.max_iterations = 50000;
                b.d.stop_relative_objective = relative[k];
                if (kind == 1) /* beginning in the minimum, but for rounding */
                    for (int i = 0; i < 8; i++) b.z0[i] = 0.1 * i + (i % 2 ? 3e-9 : -2e-9);
                if (kind == 2 && type == PIO_GRADIENT_DESCENT)
                    b.upper[0] = 0.5, b.upper[1] = 1; /* else it takes long */
                const piola_status status = pio_optimize(&b.p, &b.d, &r, NULL);
                say(kind == 0 ? "quadratic" : kind == 1 ? "from the minimum" : "Rosenbrock", &b, &r);
                assert_int_equal(status, PIOLA_OK);
                assert_true(r.converged);
                assert_null(strstr(r.sentence, "wrong"));
                J[k] = r.J;
                pio_optimizer_result_free(&r);
            }
            assert_memory_equal(&J[0], &J[2], sizeof(double)); /* the same end point */
        }
    }
}

/* The control: where the gradient is wrong no end is one of convergence, whatever stops were requested. */
static void a_wrong_gradient_has_converged_with_no_stop(void **state)
{
    (void)state;
    const double relative[] = {0, 1e-8, 1e-300};
    for (int type = PIO_LBFGS; type < TYPES; type++) {
        for (int k = 0; k < 3; k++) {
            bench b;
            pio_optimizer_result r;
            set_up(&b, (pio_optimizer_type)type, 4, quadratic);
            b.t.gradient_factor = -1;
            b.d.stop_relative_objective = relative[k];
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_NO);
            if (k == 0) say("wrong sign", &b, &r);
            assert_false(r.converged);
            assert_non_null(strstr(r.sentence, "the gradient is not that of a minimum"));
            pio_optimizer_result_free(&r);
        }
    }
}

/* ---- steps that do not depend on what z was divided by -------------------------------------------------- */

/* Twice the same variables: z, and z divided by a power of two, which is the unit. */
static void the_unit_makes_steps_independent_of_the_variables(void **state)
{
    (void)state;
    const pio_optimizer_type types[] = {PIO_ADAM, PIO_GRADIENT_DESCENT};
    for (int i = 0; i < 2; i++) {
        double z[2][2], unit[2] = {0.25, 0.25};
        for (int k = 0; k < 2; k++) {
            bench b;
            pio_optimizer_result r;
            set_up(&b, types[i], 2, k ? shrunk_rosenbrock : rosenbrock);
            if (k) {
                b.p.unit = unit; /* z = 0.25 w */
                for (int v = 0; v < 2; v++) b.z0[v] *= 0.25;
            }
            b.d.max_iterations = 20;
            assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
            for (int v = 0; v < 2; v++) z[k][v] = r.z[v] * (k ? 4 : 1);
            pio_optimizer_result_free(&r);
        }
        printf("%-16s after 20 steps in w and in w/4: w differs by %.1e (threshold 0)\n", pio_optimizer_name(types[i]),
               distance(z[0], z[1], 2));
        assert_memory_equal(z[0], z[1], sizeof z[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_is_found_though_trial_points_fail),
        cmocka_unit_test(a_value_that_is_not_finite_rejects_too),
        cmocka_unit_test(a_wall_before_the_minimum_ends_the_run_at_the_best_point),
        cmocka_unit_test(a_wall_before_the_minimum_is_no_convergence_without_a_stop),
        cmocka_unit_test(failures_before_the_last_gain_do_not_count_against_a_minimum),
        cmocka_unit_test(points_that_all_fail_end_the_run_with_a_sentence),
        cmocka_unit_test(a_start_that_cannot_be_computed_is_numerical),
        cmocka_unit_test(lbfgs_halves_a_step_that_fails),
        cmocka_unit_test(replay_rejects_the_same_points),
        cmocka_unit_test(converged_is_one_rule_whatever_stops_were_requested),
        cmocka_unit_test(a_wrong_gradient_has_converged_with_no_stop),
        cmocka_unit_test(the_unit_makes_steps_independent_of_the_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
