/* test_optimizer_end.c -- L-BFGS ends where nothing is left to gain, and not before. */
#include "tests/host/optimize/optimizer_bench.h"

enum { MOST_AFTER = 5 };         /* evaluations after the last gain, docs/optimisers.md */
static const double gain = 1e-8; /* of J, likewise */

/* A sum of squares that is 0 at its minimum (the golden ratio less 1), in which variables differ in stiffness. */
static double squares(const task *t, const double *z, double *g)
{
    double J = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double w = (double)(1 + i), d = z[i] * z[i] + z[i] - 1;
        J += w * d * d;
        g[i] = 2 * w * d * (2 * z[i] + 1);
    }
    return J;
}

/* The same, computed in single precision. */
static double noisy_squares(const task *t, const double *z, double *g)
{
    float J = 0;
    for (size_t i = 0; i < t->n; i++) {
        const float x = (float)z[i], w = (float)(1 + i), d = x * x + x - 1;
        J += w * d * d;
        g[i] = (double)(2 * w * d * (2 * x + 1));
    }
    return (double)J;
}

/* Rosenbrock's function in single precision, and 1: it is never near 0. */
static double noisy_rosenbrock(const task *t, const double *z, double *g)
{
    float J = 1;
    for (size_t i = 0; i < t->n; i++) g[i] = 0;
    for (size_t i = 0; i + 1 < t->n; i++) {
        const float x = (float)z[i], a = 1 - x, b = (float)z[i + 1] - x * x;
        J += a * a + 100 * b * b;
        g[i] += (double)(-2 * a - 400 * x * b);
        g[i + 1] += (double)(200 * b);
    }
    return (double)J;
}

/* It is least at 0, in a valley of a width of 1e-8 with straight slopes. */
static double narrow(const task *t, const double *z, double *g)
{
    double J = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double w = (double)(1 + i), d = 1e8 * z[i], root = sqrt(1 + d * d);
        J += w * root;
        g[i] = w * 1e8 * d / root;
    }
    return J;
}

/* 1 + sum z^4: near its minimum J hardly changes any more, while each step decreases the gradient. */
static double quartic(const task *t, const double *z, double *g)
{
    double J = 1;
    for (size_t i = 0; i < t->n; i++) {
        const double w = (double)(1 + i);
        J += w * z[i] * z[i] * z[i] * z[i];
        g[i] = 4 * w * z[i] * z[i] * z[i];
    }
    return J;
}

/* Returns how many evaluations came after the last that lowered the least J by a relative gain, small decreases added
 * up; `*longest` is how many in a row brought none before it. */
static size_t after_the_last_gain(const record *r, size_t *longest)
{
    size_t last = 0;
    *longest = 0;
    for (size_t k = 1; k < r->size; k++) {
        if (!(r->J[k] < r->J[last] - gain * fabs(r->J[last]))) continue;
        if (k - last - 1 > *longest) *longest = k - last - 1;
        last = k;
    }
    return r->size - 1 - last;
}

typedef struct example {
    const char *name;
    double (*function)(const task *, const double *, double *);
    size_t n;
    double rounding, least, near; /* of J; J at the minimum, and how near to it the run must end */
    bool bounded;                 /* half of the variables end at a bound */
} example;

static const example examples[] = {
    {"Rosenbrock, 2 variables", rosenbrock, 2, 1e-12, 0, 1e-20, false},
    {"Rosenbrock, 10 variables", rosenbrock, 10, 1e-12, 0, 1e-16, false},
    {"squares, 6 variables", squares, 6, 1e-12, 0, 1e-20, false},
    {"squares in f32, 2 variables", noisy_squares, 2, 1e-6, 0, 1e-11, false},
    {"squares in f32, 6 variables", noisy_squares, 6, 1e-6, 0, 1e-10, false},
    {"Rosenbrock in f32, 2 variables", noisy_rosenbrock, 2, 1e-6, 1, 1e-6, false},
    {"Rosenbrock in f32, 4 variables", noisy_rosenbrock, 4, 1e-6, 1, 1e-6, false},
    {"quadratic, 12 variables, bounds", quadratic, 12, 1e-12, 9.1, 1e-9, true},
};

static void lbfgs_makes_at_most_five_evaluations_after_its_last_gain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        record seen = new_record(e->n, 0);
        pio_optimizer_result r;
        bench b;
        size_t longest;
        set_up(&b, PIO_LBFGS, e->n, e->function);
        for (size_t k = 0; k < e->n && e->bounded; k++) b.lower[k] = -2, b.upper[k] = 0.05 * (double)e->n;
        for (size_t k = 0; k < e->n && e->bounded; k++) b.z0[k] = 0.2;
        b.t.record = &seen;
        b.d.rounding = e->rounding;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        say(e->name, &b, &r);
        const size_t after = after_the_last_gain(&seen, &longest);
        printf("  %zu evaluations after the last gain (at most %d), before it at most %zu without one; J above its "
               "minimum by %.1e (threshold %.0e)\n",
               after, MOST_AFTER, longest, r.J - e->least, e->near);
        assert_true(r.converged);
        assert_true(r.accepted > (size_t)r.iterations && r.accepted <= r.evaluations);
        assert_memory_equal(seen.z + (r.accepted - 1) * e->n, r.z, e->n * sizeof *r.z); /* the last step is the best */
        assert_true(after <= MOST_AFTER);
        assert_true(r.J - e->least < e->near);
        pio_optimizer_result_free(&r);
        free_record(&seen);
    }
}

/* z_0 is pressed onto its lower bound by a gradient that is a billion times that of z_1, which is least at 0.3. */
static double pressed(const task *t, const double *z, double *g)
{
    (void)t;
    g[0] = 1e9;
    g[1] = 2 * (z[1] - 0.3);
    return 1e9 * z[0] + (z[1] - 0.3) * (z[1] - 0.3);
}

static void a_variable_that_is_pressed_onto_its_bound_does_not_end_the_others(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    set_up(&b, PIO_LBFGS, 2, pressed);
    for (int k = 0; k < 2; k++) b.lower[k] = 0, b.upper[k] = 2, b.z0[k] = 1;
    const piola_status status = pio_optimize(&b.p, &b.d, &r, NULL);
    say("one variable pressed onto its bound", &b, &r);
    printf("  distance %.1e (threshold 1e-7)\n", fabs(r.z[1] - 0.3));
    assert_int_equal(status, PIOLA_OK);
    assert_true(r.z[0] <= 0);
    assert_true(fabs(r.z[1] - 0.3) < 1e-7);
    pio_optimizer_result_free(&r);
}

static void a_line_search_of_many_trial_points_is_not_ended(void **state)
{
    (void)state;
    record seen = new_record(2, 0);
    pio_optimizer_result r;
    bench b;
    size_t longest;
    set_up(&b, PIO_LBFGS, 2, narrow);
    b.z0[0] = -3e-8;
    b.z0[1] = 2e-8;
    b.t.record = &seen;
    const piola_status status = pio_optimize(&b.p, &b.d, &r, NULL);
    say("a narrow valley", &b, &r);
    const size_t after = after_the_last_gain(&seen, &longest);
    printf("  up to %zu evaluations without a gain (more than %d), J %.12g (3 at the minimum, threshold 1e-6)\n",
           longest, MOST_AFTER, r.J);
    assert_int_equal(status, PIOLA_OK);
    assert_true(longest > MOST_AFTER);
    assert_true(fabs(r.J - 3) < 1e-6);
    assert_true(after <= MOST_AFTER);
    pio_optimizer_result_free(&r);
    free_record(&seen);
}

static void a_finer_stop_that_is_named_is_reached(void **state)
{
    (void)state;
    for (int gradient = 0; gradient < 2; gradient++) {
        bench b;
        pio_optimizer_result r;
        set_up(&b, PIO_LBFGS, 4, quartic);
        if (gradient)
            b.d.stop_gradient = 1e-9;
        else
            b.d.stop_relative_objective = 1e-13;
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        say("1 + sum z^4", &b, &r);
        assert_int_equal(r.reason, gradient ? PIO_STOP_GRADIENT : PIO_STOP_RELATIVE_OBJECTIVE);
        pio_optimizer_result_free(&r);
    }
}

static void a_wrong_gradient_is_no_end_that_counts_as_converged(void **state)
{
    (void)state;
    bench b;
    pio_optimizer_result r;
    set_up(&b, PIO_LBFGS, 4, rosenbrock);
    b.t.gradient_factor = -1;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_NO);
    say("gradient of the wrong sign", &b, &r);
    assert_false(r.converged);
    pio_optimizer_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lbfgs_makes_at_most_five_evaluations_after_its_last_gain),
        cmocka_unit_test(a_line_search_of_many_trial_points_is_not_ended),
        cmocka_unit_test(a_variable_that_is_pressed_onto_its_bound_does_not_end_the_others),
        cmocka_unit_test(a_finer_stop_that_is_named_is_reached),
        cmocka_unit_test(a_wrong_gradient_is_no_end_that_counts_as_converged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
