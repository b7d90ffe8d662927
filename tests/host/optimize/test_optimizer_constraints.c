/* test_optimizer_constraints.c -- minima on constraints that are known in closed form, multipliers, contradictions,
 * replay. */
#include "tests/host/optimize/optimizer_bench.h"

enum { LIMIT = 2000 };

/* sum_i z_i <= 0.3 */
static void sum_is_bounded(const task *t, const double *z, double *c, double *c_gradient)
{
    c[0] = -0.3;
    for (size_t i = 0; i < t->n; i++) {
        c[0] += z[i];
        c_gradient[i] = 1;
    }
}

/* z_1 >= (2 z_0)^3, z_1 >= (1 - z_0)^3: J = z_1 is least where both are equal, at z_0 = 1/3, z_1 = 8/27. */
static double second(const task *t, const double *z, double *g)
{
    (void)t;
    g[0] = 0;
    g[1] = 1;
    return z[1];
}
static void two_cubes(const task *t, const double *z, double *c, double *c_gradient)
{
    const double a = 2 * z[0], b = 1 - z[0];
    (void)t;
    c[0] = a * a * a - z[1];
    c_gradient[0] = 6 * a * a;
    c_gradient[1] = -1;
    c[1] = b * b * b - z[1];
    c_gradient[2] = -3 * b * b;
    c_gradient[3] = -1;
}

/* z_0 <= -0.5 and z_0 >= 0.5 */
static void contradiction(const task *t, const double *z, double *c, double *c_gradient)
{
    for (size_t k = 0; k < 2 * t->n; k++) c_gradient[k] = 0;
    c[0] = z[0] + 0.5;
    c_gradient[0] = 1;
    c[1] = 0.5 - z[0];
    c_gradient[t->n] = -1;
}

static void constrain(bench *b, size_t m, void (*constraints)(const task *, const double *, double *, double *))
{
    b->t.m = b->p.n_constraints = m;
    b->t.constraints = constraints;
    b->d.max_iterations = LIMIT;
}

/* Minimise sum w_i (z_i - c_i)^2 over sum z <= s: z_i = c_i - lambda/(2 w_i), lambda = (sum c - s)/sum 1/(2 w). */
static void a_plane_that_cuts_a_bowl_gives_its_point_and_multiplier(void **state)
{
    enum { N = 6 };
    double lambda = -0.3, give = 0, truth[N];
    bench b;
    pio_optimizer_result r;
    (void)state;
    for (int i = 0; i < N; i++) lambda += 0.1 * i, give += 0.5 / (1 + i);
    lambda /= give;
    for (int i = 0; i < N; i++) truth[i] = 0.1 * i - 0.5 * lambda / (1 + i);
    set_up(&b, PIO_MMA, N, quadratic);
    constrain(&b, 1, sum_is_bounded);
    b.d.stop_gradient = 1e-5;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
    say("a bowl, cut by a plane", &b, &r);
    printf("  distance %.2e, threshold 1e-5; multiplier %.6f, wanted %.6f, threshold 1e-4; violation %.1e, threshold "
           "1e-8\n",
           distance(r.z, truth, N), r.multipliers[0], lambda, r.violation);
    assert_true(distance(r.z, truth, N) < 1e-5);
    assert_true(fabs(r.multipliers[0] - lambda) < 1e-4);
    assert_true(r.violation <= 1e-8);
    assert_true(r.converged);
    assert_true(fabs(r.gradient[0]) > 0.1); /* the plain gradient does not vanish */
    pio_optimizer_result_free(&r);
}

static void two_active_constraints_meet_from_inside_and_from_outside(void **state)
{
    const double truth[2] = {1.0 / 3, 8.0 / 27}, starts[2][2] = {{0.4, 2}, {1.2, 0.1}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b;
        pio_optimizer_result r;
        set_up(&b, PIO_MMA, 2, second);
        constrain(&b, 2, two_cubes);
        memcpy(b.z0, starts[k], sizeof starts[k]);
        for (int i = 0; i < 2; i++) b.lower[i] = -2, b.upper[i] = 3;
        b.d.stop_gradient = 1e-5;
        const piola_status rc = pio_optimize(&b.p, &b.d, &r, NULL);
        say(k ? "two cubes, from outside" : "two cubes, from inside", &b, &r);
        printf("  distance %.2e, threshold 1e-5; violation %.1e, threshold 1e-8; multipliers %.4f %.4f\n",
               distance(r.z, truth, 2), r.violation, r.multipliers[0], r.multipliers[1]);
        assert_true(distance(r.z, truth, 2) < 1e-5);
        assert_true(r.violation <= 1e-8);
        assert_int_equal(rc, PIOLA_OK);
        pio_optimizer_result_free(&r);
    }
}

static void a_constraint_that_is_not_active_changes_nothing_in_the_end(void **state)
{
    bench b;
    pio_optimizer_result r;
    (void)state;
    set_up(&b, PIO_MMA, 2, quadratic); /* the minimum (0, 0.1) has the sum 0.1 */
    constrain(&b, 1, sum_is_bounded);
    b.d.stop_gradient = 1e-6;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
    say("a plane beyond the minimum", &b, &r);
    assert_true(distance(r.z, (const double[2]){0, 0.1}, 2) < 1e-6);
    assert_true(r.multipliers[0] <= 0);
    pio_optimizer_result_free(&r);
}

static void constraints_that_contradict_each_other_are_no_success(void **state)
{
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        bench b;
        pio_optimizer_result r;
        piola_error error;
        set_up(&b, PIO_MMA, 2, quadratic);
        constrain(&b, 2, contradiction);
        b.d.max_iterations = 60;
        if (stops) b.d.stop_objective = 1e9, b.d.stop_gradient = 1e9, b.d.stop_relative_objective = 1;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_NO);
        say("a contradiction", &b, &r);
        printf("  violation %.3f, at the start 1.7, least possible 0.5\n", r.violation);
        assert_false(r.converged);
        assert_true(r.violation >= 0.5 && r.violation < 1.7);
        pio_optimizer_result_free(&r);
    }
}

static void a_wrong_gradient_of_a_constraint_does_not_pass_for_convergence(void **state)
{
    bench b;
    pio_optimizer_result r;
    (void)state;
    set_up(&b, PIO_MMA, 6, quadratic);
    constrain(&b, 1, sum_is_bounded);
    b.t.constraint_factor = -1;
    b.d.stop_gradient = 1e-5;
    b.d.max_iterations = 200;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_NO);
    say("a constraint with a wrong gradient", &b, &r);
    pio_optimizer_result_free(&r);
}

static void only_mma_takes_constraints(void **state)
{
    (void)state;
    for (int type = PIO_ADAM; type <= PIO_LBFGS; type++) {
        bench b;
        pio_optimizer_result r;
        piola_error error;
        set_up(&b, (pio_optimizer_type)type, 2, quadratic);
        constrain(&b, 1, sum_is_bounded);
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, &error), PIOLA_USAGE);
        printf("%s\n", error.message);
        assert_int_equal(b.t.calls, 0);
        pio_optimizer_result_free(&r);
    }
}

/* After a few good evaluations: a value, a gradient that is no number. */
static void damage(const task *t, double *number)
{
    if (t->calls == t->fail_at) *number = t->fail_value;
}
static void value_overflows(const task *t, const double *z, double *c, double *c_gradient)
{
    sum_is_bounded(t, z, c, c_gradient);
    damage(t, &c[0]);
}
static void gradient_is_no_number(const task *t, const double *z, double *c, double *c_gradient)
{
    sum_is_bounded(t, z, c, c_gradient);
    damage(t, &c_gradient[t->n - 1]);
}
/* The second of two: the gradients lie one behind the other. */
static void second_gradient_overflows(const task *t, const double *z, double *c, double *c_gradient)
{
    contradiction(t, z, c, c_gradient);
    damage(t, &c_gradient[t->n]);
}

/* At the start it is an error, later it rejects a trial point. */
static void a_constraint_that_is_not_finite_is_refused_with_its_number(void **state)
{
    static const struct {
        void (*constraints)(const task *, const double *, double *, double *);
        size_t m;
        double value;
        const char *words;
        int kind;
    } of[] = {{value_overflows, 1, HUGE_VAL, "constraint 0 is inf, not a finite number", PIOLA_FAILED_OBJECTIVE},
              {value_overflows, 1, -HUGE_VAL, "constraint 0 is -inf", PIOLA_FAILED_OBJECTIVE},
              {gradient_is_no_number, 1, NAN, "constraint 0 has a gradient with", PIOLA_FAILED_GRADIENT},
              {second_gradient_overflows, 2, HUGE_VAL, "constraint 1 has a gradient with inf", PIOLA_FAILED_GRADIENT}};
    (void)state;
    for (size_t k = 0; k < 2 * (sizeof of / sizeof *of); k++) {
        bench b;
        pio_optimizer_result r;
        piola_error error = {0};
        const bool at_start = k % 2;
        set_up(&b, PIO_MMA, 6, quadratic);
        constrain(&b, of[k / 2].m, of[k / 2].constraints);
        b.d.max_iterations = 5;
        b.t.fail_at = at_start ? 1 : 3; /* counted from 1 */
        b.t.fail_with = PIOLA_OK;
        b.t.fail_constraint = true;
        b.t.fail_value = of[k / 2].value;
        const piola_status status = pio_optimize(&b.p, &b.d, &r, &error);
        const char *words = at_start ? error.message : b.t.words;
        printf("%s | %s\n", words, r.sentence);
        if (!strstr(words, of[k / 2].words)) fail_msg("the message lacks '%s'", of[k / 2].words);
        assert_int_equal(r.rejected, !at_start);
        assert_int_equal(at_start, status == PIOLA_NUMERICAL);
        if (at_start) assert_int_equal(error.failure.kind, of[k / 2].kind);
        if (at_start) assert_int_equal(b.t.calls, 1); /* and nothing was computed after it */
        if (!at_start) assert_true(b.t.calls > 3);
        for (size_t i = 0; i < b.t.n; i++) assert_true(isfinite(r.z[i]));
        pio_optimizer_result_free(&r);
    }
}

static void replay_with_constraints_gives_the_same_bits(void **state)
{
    bench b;
    pio_optimizer_result whole, part;
    record r = new_record(6, 1);
    (void)state;
    set_up(&b, PIO_MMA, 6, quadratic);
    constrain(&b, 1, sum_is_bounded);
    b.d.max_iterations = 15;
    b.t.record = &r;
    assert_int_equal(pio_optimize(&b.p, &b.d, &whole, NULL), PIOLA_OK);
    const size_t all = b.t.calls, parts[] = {1, all / 2, all};
    for (size_t i = 0; i < 3; i++) {
        b.t.calls = 0;
        b.t.iterations = 0;
        b.t.record = NULL;
        b.p.replay = r.list;
        b.p.n_replay = parts[i];
        assert_int_equal(pio_optimize(&b.p, &b.d, &part, NULL), PIOLA_OK);
        printf("%zu of %zu replayed: computed %zu\n", parts[i], all, b.t.calls);
        assert_int_equal(b.t.calls, all - parts[i]);
        assert_memory_equal(part.z, whole.z, 6 * sizeof(double));
        assert_memory_equal(part.multipliers, whole.multipliers, sizeof(double));
        pio_optimizer_result_free(&part);
    }
    pio_optimizer_result_free(&whole);
    free_record(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_that_cuts_a_bowl_gives_its_point_and_multiplier),
        cmocka_unit_test(two_active_constraints_meet_from_inside_and_from_outside),
        cmocka_unit_test(a_constraint_that_is_not_active_changes_nothing_in_the_end),
        cmocka_unit_test(constraints_that_contradict_each_other_are_no_success),
        cmocka_unit_test(a_wrong_gradient_of_a_constraint_does_not_pass_for_convergence),
        cmocka_unit_test(only_mma_takes_constraints),
        cmocka_unit_test(a_constraint_that_is_not_finite_is_refused_with_its_number),
        cmocka_unit_test(replay_with_constraints_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
