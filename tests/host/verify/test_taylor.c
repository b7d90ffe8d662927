/* test_taylor.c -- right gradients pass, wrong ones fail, and inconclusive ones do not pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/verify/taylor.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, STEPS = 11 };

typedef double (*function)(const double *x, double *g);

/* Smooth, nonlinear, with terms of very different size. */
static double smooth(const double *x, double *g)
{
    g[0] = cos(x[0]) * exp(x[1]) + 2 * x[0] * x[2];
    g[1] = sin(x[0]) * exp(x[1]);
    g[2] = x[0] * x[0] + 4 * x[2] * x[2] * x[2];
    return sin(x[0]) * exp(x[1]) + x[0] * x[0] * x[2] + pow(x[2], 4);
}

static double rational(const double *x, double *g)
{
    double q = 1 + x[0] * x[0] + 0.5 * x[1] * x[1], p = x[0] + x[1] * x[2];
    g[0] = 1 / q - p * 2 * x[0] / (q * q);
    g[1] = x[2] / q - p * x[1] / (q * q);
    g[2] = x[1] / q;
    return p / q;
}

static double squares(const double *x, double *g)
{
    double J = 0;
    for (int i = 0; i < N; i++) {
        g[i] = 2 * (i + 1) * x[i];
        J += (i + 1) * x[i] * x[i];
    }
    return J;
}

/* A small misfit, as an inverse problem near its end has: value 1e-8 of its terms. */
static double misfit(const double *x, double *g)
{
    double d = sin(x[0]) + x[1] * x[1] - (sin(0.7) + 0.16) - 1e-4;
    g[0] = 2 * d * cos(x[0]);
    g[1] = 4 * d * x[1];
    g[2] = 0;
    return d * d;
}

static double affine(const double *x, double *g)
{
    g[0] = 2, g[1] = -0.5, g[2] = 3;
    return 7 + 2 * x[0] - 0.5 * x[1] + 3 * x[2];
}

static double constant(const double *x, double *g)
{
    g[0] = g[1] = g[2] = 0;
    return 4.25 + 0 * x[0];
}

static double kink_at; /* first coordinate at which the slope changes by 1 */
static double kinked(const double *x, double *g)
{
    double J = smooth(x, g);
    g[0] += x[0] > kink_at ? 1 : 0;
    return J + fmax(0, x[0] - kink_at);
}

typedef struct setting {
    function f;
    bool central;
    double first;    /* step */
    double noise;    /* relative, added to every J */
    double reported; /* noise that the check is given, absolute */
    double scale;    /* 0: sum |g_i h_i| */
    double bias;     /* by which J is off at the largest step, in proportion at others */
    double error_bound, weight;
    double factor;  /* on the gradient */
    int flip, drop; /* component of the gradient; -1: none */
    double h[N];
} setting;

static const double at[N] = {0.7, 0.4, 0.9};

static double jitter(void)
{
    static uint64_t x = 88172645463325252u; /* xorshift64, Marsaglia 2003; uniform with deviation 1 */
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return ((double)(x >> 11) / 9007199254740992.0 - 0.5) * sqrt(12);
}

static setting standard(function f)
{
    return (setting){
        .f = f, .central = true, .first = 1e-2, .factor = 1, .flip = -1, .drop = -1, .h = {0.8, -0.6, 0.5}};
}

static bool quiet; /* for the tests of many cases */

static pio_taylor_row check(const char *name, const setting *s)
{
    double g[N], unused[N], step[STEPS], plus[STEPS], minus[STEPS], x[N], scale = 0, adjoint = 0;
    double J0 = s->f(at, g) * (1 + s->noise * jitter());
    for (int i = 0; i < N; i++) {
        g[i] *= s->factor * (i == s->flip ? -1 : 1) * (i == s->drop ? 0 : 1);
        scale += fabs(g[i] * s->h[i]);
        adjoint += g[i] * s->h[i];
    }
    for (int k = 0; k < STEPS; k++) {
        step[k] = ldexp(s->first, -k);
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < N; i++) x[i] = at[i] + sign * step[k] * s->h[i];
            double J = s->f(x, unused) * (1 + s->noise * jitter()) + s->bias * sign * step[k] / s->first;
            *(sign > 0 ? &plus[k] : &minus[k]) = J;
        }
    }
    pio_taylor_direction d = {.name = name,
                              .J0 = J0,
                              .adjoint = adjoint,
                              .n = STEPS,
                              .step = step,
                              .plus = plus,
                              .minus = s->central ? minus : NULL,
                              .tolerance = 1e-6,
                              .noise = s->reported,
                              .error_bound = s->error_bound,
                              .weight = s->weight,
                              .scale = s->scale > 0 ? s->scale : scale};
    pio_taylor_row row;
    pio_taylor_check(&d, &row);
    if (!quiet) pio_taylor_print_row(stdout, &row);
    if (!quiet && row.verdict == PIO_TAYLOR_PASSED) printf("    %s\n", row.reason);
    assert_true(strlen(row.reason) > 20);
    return row;
}

static void the_right_gradient_of_a_smooth_function_passes(void **state)
{
    (void)state;
    const function functions[] = {smooth, rational, squares, misfit};
    const char *names[] = {"smooth", "rational", "squares", "misfit"};
    pio_taylor_print_header(stdout);
    for (int i = 0; i < 4; i++) {
        for (int central = 0; central < 2; central++) {
            setting s = standard(functions[i]);
            s.central = central;
            pio_taylor_row row = check(names[i], &s);
            assert_int_equal(row.verdict, PIO_TAYLOR_PASSED);
            assert_true(row.remainder <= 1e-6 && row.uncertainty <= 1e-6);
            assert_true(fabs(row.second_order - 2) < 0.1);
            assert_int_equal(row.central, central);
            assert_false(row.absolute);
            if (i != 3) assert_true(fabs(row.first_order - 1) < 0.1);
            if (central) assert_true(row.relative_error < 1e-6);
        }
    }
}

static void the_first_step_may_vary_by_five_orders(void **state)
{
    (void)state;
    for (int central = 0; central < 2; central++) {
        for (int i = 0; i <= 5; i++) {
            setting s = standard(smooth);
            s.central = central;
            s.first = 0.1 * pow(10, -i);
            printf("first step %.0e, ", s.first);
            assert_int_equal(check(central ? "central" : "one-sided", &s).verdict, PIO_TAYLOR_PASSED);
        }
    }
}

static void a_gradient_that_is_wrong_by_little_fails(void **state)
{
    (void)state;
    const double factors[] = {1.0001, 1 + 1e-5, 1 - 1e-5, 1 + 3e-6, -1, 2};
    for (int i = 0; i < 6; i++) {
        for (int central = 0; central < 2; central++) {
            for (int kind = 0; kind < 3; kind++) {
                setting s = standard(kind == 0 ? smooth : kind == 1 ? affine : rational);
                char name[64];
                s.factor = factors[i];
                s.central = central;
                snprintf(name, sizeof name, "%s times %.6f",
                         kind == 0   ? "smooth"
                         : kind == 1 ? "affine"
                                     : "rational",
                         factors[i]);
                assert_int_equal(check(name, &s).verdict, PIO_TAYLOR_FAILED);
            }
        }
    }
}

static void one_flipped_sign_and_one_missing_term_fail(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        setting s = standard(smooth);
        s.flip = i;
        assert_int_equal(check("one flipped sign", &s).verdict, PIO_TAYLOR_FAILED);
        s = standard(smooth);
        s.drop = i;
        assert_int_equal(check("one missing term", &s).verdict, PIO_TAYLOR_FAILED);
        s.h[0] = s.h[1] = s.h[2] = 0;
        s.h[i] = 1; /* the direction sees only the term that is missing: the adjoint is zero */
        s.scale = 1;
        assert_int_equal(check("the missing term alone", &s).verdict, PIO_TAYLOR_FAILED);
    }
}

static void an_affine_function_passes_without_a_second_order(void **state)
{
    (void)state;
    for (int central = 0; central < 2; central++) {
        setting s = standard(affine);
        s.central = central;
        pio_taylor_row row = check("affine", &s);
        assert_int_equal(row.verdict, PIO_TAYLOR_PASSED);
        assert_true(isnan(row.second_order));
        assert_true(fabs(row.first_order - 1) < 0.01);
        assert_non_null(strstr(row.reason, "rounding"));
    }
}

static void noise_of_1e_12_is_tolerated_and_of_1e_6_is_not_passed(void **state)
{
    (void)state;
    int wrong = 0, passed_noisy = 0, missed = 0, runs = 200;
    quiet = true;
    for (int i = 0; i < runs; i++) {
        setting s = standard(i % 2 ? smooth : rational);
        s.central = i % 4 < 2;
        s.noise = 1e-12;
        if (i % 3 == 0) s.reported = 1e-12;
        wrong += check("noise 1e-12", &s).verdict != PIO_TAYLOR_PASSED;
        s.factor = 1 + 1e-5;
        missed += check("noise 1e-12, times 1 + 1e-5", &s).verdict == PIO_TAYLOR_PASSED;
        s.factor = 1;
        s.noise = 1e-6;
        passed_noisy += check("noise 1e-6", &s).verdict == PIO_TAYLOR_PASSED;
    }
    quiet = false;
    printf("of %d: right ones not passed %d, wrong ones passed %d, undecidable ones passed %d; thresholds 0\n", runs,
           wrong, missed, passed_noisy);
    assert_int_equal(wrong, 0);
    assert_int_equal(missed, 0);
    assert_int_equal(passed_noisy, 0);
}

static void noise_never_makes_a_right_gradient_fail(void **state)
{
    (void)state;
    int failed = 0;
    quiet = true;
    for (int i = 0; i < 400; i++) { /* inconclusive is allowed, "wrong" is not */
        setting s = standard(i % 2 ? smooth : rational);
        s.central = i % 4 < 2;
        s.noise = pow(10, -4 - i % 9);
        failed += check("noise", &s).verdict == PIO_TAYLOR_FAILED;
    }
    quiet = false;
    printf("called wrong: %d of 400, threshold 0\n", failed);
    assert_int_equal(failed, 0);
}

static void a_kink_among_the_steps_is_not_passed(void **state)
{
    (void)state;
    int passed = 0;
    for (int central = 0; central < 2; central++) {
        for (double place = 0.9 / 32; place > 1e-7; place *= 0.6) { /* in units of the first step: within the window */
            for (int side = -1; side <= 1; side += 2) {
                if (side < 0 && !central) continue; /* one-sided differences have no values there */
                setting s = standard(kinked);
                s.central = central;
                kink_at = at[0] + side * place * s.first * s.h[0];
                char name[64];
                snprintf(name, sizeof name, "kink at %+.1e of the first step", side * place);
                passed += check(name, &s).verdict == PIO_TAYLOR_PASSED;
            }
        }
    }
    printf("passed: %d, threshold 0\n", passed);
    assert_int_equal(passed, 0);
}

static double vee(const double *x, double *g)
{
    g[0] = 1, g[1] = g[2] = 0; /* the mean of the slopes 0 and 2 to the two sides */
    return 1 + (x[0] - at[0]) + fabs(x[0] - at[0]) + 0.3 * (x[0] - at[0]) * (x[0] - at[0]);
}

static void the_mean_slope_at_a_kink_is_found_by_the_even_part(void **state)
{
    (void)state;
    setting s = standard(vee);
    pio_taylor_row row = check("mean slope at a kink", &s);
    assert_int_equal(row.verdict, PIO_TAYLOR_FAILED);
    assert_non_null(strstr(row.reason, "kink"));
    assert_true(row.remainder < 1e-6); /* central differences alone would have passed it */
}

static void a_kink_beyond_the_window_does_not_disturb(void **state)
{
    (void)state;
    for (int central = 0; central < 2; central++) {
        setting s = standard(kinked);
        s.central = central;
        kink_at = at[0] + 0.3 * s.first * s.h[0];
        pio_taylor_row row = check("kink at 0.3 of the first step", &s);
        assert_int_equal(row.verdict, PIO_TAYLOR_PASSED);
        assert_non_null(strstr(row.reason, "left out"));
    }
}

static void a_true_zero_passes_only_with_a_scale(void **state)
{
    (void)state;
    setting s = standard(constant);
    assert_int_equal(check("constant, no scale", &s).verdict, PIO_TAYLOR_INCONCLUSIVE);
    s.scale = 4.25;
    pio_taylor_row row = check("constant, scale 4.25", &s);
    assert_int_equal(row.verdict, PIO_TAYLOR_PASSED);
    assert_true(row.absolute);
    s.scale = 1e-12; /* far below what differences can see */
    assert_int_equal(check("constant, scale too small", &s).verdict, PIO_TAYLOR_INCONCLUSIVE);

    double g[N];
    smooth(at, g);
    s = standard(smooth); /* a direction in which the parts cancel */
    s.h[0] = g[1], s.h[1] = -g[0], s.h[2] = 0;
    row = check("cancelling direction", &s);
    assert_int_equal(row.verdict, PIO_TAYLOR_PASSED);
    assert_true(row.absolute);
    s.flip = 0; /* control: the same direction with one sign wrong */
    assert_int_equal(check("cancelling, one flipped sign", &s).verdict, PIO_TAYLOR_FAILED);
    s.flip = -1;
    s.drop = 2; /* the direction does not see the third component: nothing to object */
    assert_int_equal(check("cancelling, unseen term", &s).verdict, PIO_TAYLOR_PASSED);

    s = standard(misfit); /* the third variable has no influence at all */
    s.h[0] = s.h[1] = 0, s.h[2] = 1;
    s.scale = 1e-6;
    assert_int_equal(check("no influence", &s).verdict, PIO_TAYLOR_PASSED);
}

/* What Newton's method leaves out of balance is not noise: it is correlated with the step, and resembles a wrong
 * slope. */
static void differences_within_the_error_bound_do_not_count_against_a_gradient(void **state)
{
    (void)state;
    const function functions[] = {smooth, rational, affine};
    for (int i = 0; i < 3; i++)
        for (int central = 0; central < 2; central++) {
            setting s = standard(functions[i]);
            s.central = central;
            s.bias = 3e-7;
            assert_int_equal(check("biased, without an error bound", &s).verdict,
                             PIO_TAYLOR_FAILED); /* as it appears */
            s.error_bound = 3e-7;
            pio_taylor_row row = check("biased, with an error bound", &s);
            assert_int_equal(row.verdict, PIO_TAYLOR_INCONCLUSIVE);
            assert_non_null(strstr(row.reason, "solver.tolerance"));
            s.error_bound =
                1e-10; /* controls: it does not explain that much; and a gradient that is wrong by more than it */
            assert_int_equal(check("biased, with too small an error bound", &s).verdict, PIO_TAYLOR_FAILED);
            s.bias = s.error_bound = 1e-10;
            s.factor = 1.0001;
            assert_int_equal(check("times 1.0001, with an error bound", &s).verdict, PIO_TAYLOR_FAILED);
            s.factor = 1;
            s.bias = 0;
            assert_int_equal(check("right, with an error bound", &s).verdict, PIO_TAYLOR_PASSED);
        }
}

static void what_does_not_depend_on_a_direction_passes_and_a_missing_adjoint_does_not(void **state)
{
    (void)state;
    for (int central = 0; central < 2; central++) {
        setting s = standard(constant);
        s.central = central;
        s.scale = 1e-12;
        s.weight = 4.25;
        pio_taylor_row row = check("constant", &s);
        assert_int_equal(row.verdict, PIO_TAYLOR_PASSED);
        assert_non_null(strstr(row.reason, "does not depend"));
        s.weight = 1e-9; /* differences cannot see so small a one */
        assert_int_equal(check("constant, of little weight", &s).verdict, PIO_TAYLOR_INCONCLUSIVE);
        for (double size = 1; size > 1e-8;
             size /= 30) { /* controls: J depends on it, little, and the adjoint is zero */
            s = standard(smooth);
            s.central = central;
            s.flip = s.drop = -1;
            s.factor = 0;
            s.scale = 1e-12;
            s.weight = 1;
            for (int i = 0; i < N; i++) s.h[i] *= size;
            assert_int_not_equal(check("a missing adjoint", &s).verdict, PIO_TAYLOR_PASSED);
        }
    }
}

static void nan_fails_and_bad_input_is_inconclusive(void **state)
{
    (void)state;
    double step[STEPS], plus[STEPS], minus[STEPS];
    for (int kind = 0; kind < 11; kind++) {
        pio_taylor_verdict expected = kind < 5 ? PIO_TAYLOR_FAILED : PIO_TAYLOR_INCONCLUSIVE;
        for (int k = 0; k < STEPS; k++) {
            step[k] = ldexp(1e-2, -k);
            plus[k] = 1 + step[k];
            minus[k] = 1 - step[k];
        }
        pio_taylor_direction d = {"bad", 1, 1, STEPS, step, plus, minus, 1e-6, 0, 1, 0, 0};
        pio_taylor_row row;
        pio_taylor_check(&d, &row);
        assert_int_equal(row.verdict, PIO_TAYLOR_PASSED); /* before it is spoilt */
        if (kind == 0) plus[4] = NAN;
        if (kind == 1) minus[9] = HUGE_VAL;
        if (kind == 2) d.J0 = NAN;
        if (kind == 3) d.adjoint = NAN;
        if (kind == 4) d.adjoint = -HUGE_VAL;
        if (kind == 5) d.n = 5;
        if (kind == 6) d.n = PIO_TAYLOR_STEPS + 1;
        if (kind == 7) step[3] = step[2];
        if (kind == 8) step[10] = 0;
        if (kind == 9) d.tolerance = 0;
        if (kind == 10) d.noise = NAN;
        pio_taylor_check(&d, &row);
        pio_taylor_print_row(stdout, &row);
        assert_int_equal(row.verdict, expected);
        assert_true(isnan(row.remainder));
    }
}

static void the_bias_of_the_first_power_left_out_is_within_the_uncertainty(void **state)
{
    (void)state;
    /* J = e^p for every p that some model leaves out: the derivative is 0 and must stay inside its uncertainty. */
    double worst = 0, step[STEPS], plus[STEPS], minus[STEPS];
    for (int central = 0; central < 2; central++) {
        for (int p = 2; p <= 9; p++) {
            for (int n = PIO_TAYLOR_WINDOW; n <= STEPS; n++) {
                for (int k = 0; k < n; k++) {
                    step[k] = ldexp(1, -k);
                    plus[k] = pow(step[k], p);
                    minus[k] = pow(-step[k], p);
                }
                pio_taylor_direction d = {"power", 0, 1e-300, (size_t)n, step, plus, central ? minus : NULL,
                                          1e-6,    0, 1,      0,         0};
                pio_taylor_row row;
                pio_taylor_check(&d, &row);
                worst = fmax(worst, row.remainder / row.uncertainty);
                assert_int_not_equal(row.verdict, PIO_TAYLOR_FAILED);
            }
        }
    }
    printf("largest bias: %.3f of the uncertainty, threshold 0.75\n", worst);
    assert_true(worst > 0.1 && worst <= 0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_gradient_of_a_smooth_function_passes),
        cmocka_unit_test(the_first_step_may_vary_by_five_orders),
        cmocka_unit_test(a_gradient_that_is_wrong_by_little_fails),
        cmocka_unit_test(one_flipped_sign_and_one_missing_term_fail),
        cmocka_unit_test(an_affine_function_passes_without_a_second_order),
        cmocka_unit_test(noise_of_1e_12_is_tolerated_and_of_1e_6_is_not_passed),
        cmocka_unit_test(noise_never_makes_a_right_gradient_fail),
        cmocka_unit_test(a_kink_among_the_steps_is_not_passed),
        cmocka_unit_test(the_mean_slope_at_a_kink_is_found_by_the_even_part),
        cmocka_unit_test(a_kink_beyond_the_window_does_not_disturb),
        cmocka_unit_test(a_true_zero_passes_only_with_a_scale),
        cmocka_unit_test(differences_within_the_error_bound_do_not_count_against_a_gradient),
        cmocka_unit_test(what_does_not_depend_on_a_direction_passes_and_a_missing_adjoint_does_not),
        cmocka_unit_test(nan_fails_and_bad_input_is_inconclusive),
        cmocka_unit_test(the_bias_of_the_first_power_left_out_is_within_the_uncertainty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
