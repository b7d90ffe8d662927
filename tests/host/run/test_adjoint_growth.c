/* test_adjoint_growth.c -- the growth of adjoints and the predicted error, from norms of motions with known answers. */
#include "host/run/adjoint_growth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 1000 };
static const double dt = 1e-3;
static pio_adjoint_norm norms[STEPS + 1];

static void near(const char *what, double measured, double right, double tolerance)
{
    print_message("  %-60s %.6g (right: %.6g, tolerance %.2g)\n", what, measured, right, tolerance);
    if (!(fabs(measured - right) <= tolerance * fabs(right))) fail_msg("%s: %g is not %g", what, measured, right);
}

/* Sets the norms of the cotangents of one position and one velocity, without observations; `back` is the time to the
 * end. The size of the state is constant. */
static void fill(double (*x)(double back), double (*v)(double back))
{
    for (int64_t s = 0; s <= STEPS; s++) {
        const double back = (double)(STEPS - s) * dt;
        norms[s] = (pio_adjoint_norm){.step = s, .speed = 1};
        for (int w = 0; w < 2; w++) {
            norms[s].position[w] = fabs(x(back));
            norms[s].velocity[w] = fabs(v(back));
        }
    }
}

static double rising(double back)
{
    return 3 * exp(20 * back);
}
static double falling(double back)
{
    return 3 * exp(-20 * back);
}
static double one(double back)
{
    (void)back;
    return 1;
}
static double linear(double back)
{
    return back;
}
static double omega_cosine(double back)
{
    return 500 * cos(500 * back);
}
static double sine(double back)
{
    return sin(500 * back);
}

static void the_exponent_and_the_factor_are_those_of_exponentials(void **unused)
{
    (void)unused;
    fill(rising, rising);
    pio_growth g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("rising: exponent", g.exponent, 20, 1e-9);
    near("rising: factor", g.factor, exp(20), 1e-9);
    near("rising: predicted error", g.error, 0x1p-22 * sqrt(STEPS) * exp(20), 1e-9);
    near("rising: of f64", pio_adjoint_growth(norms, STEPS + 1, dt, 0).error, 0x1p-51 * sqrt(STEPS) * exp(20), 1e-9);
    fill(falling, falling);
    g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("falling: exponent", g.exponent, -20, 1e-9);
    near("falling: factor", g.factor, 1, 1e-9);
}

static void motion_without_forces_and_oscillation_do_not_grow(void **unused)
{
    (void)unused;
    fill(one, linear); /* x_bar = 1, v_bar = the time to the end: in the unit of a step it grows a thousandfold */
    pio_growth g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("free: factor", g.factor, sqrt(2), 1e-6);
    fill(omega_cosine, sine); /* in the unit of the run this grows 500 times, in each half period */
    g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("oscillating: factor", g.factor, 1, 0.1);
    near("oscillating: time scale, s", g.time_scale, 1.0 / 500, 0.1);
    assert_true(fabs(g.exponent) < 0.1);
}

static void what_is_observed_on_the_way_is_no_growth(void **unused)
{
    (void)unused;
    for (int64_t s = 0; s <= STEPS; s++) { /* v_bar grows by one observation in every state of the second half */
        const double many = s <= STEPS / 2 ? 1 : (double)(s - STEPS / 2 + 1);
        norms[STEPS - s] = (pio_adjoint_norm){STEPS - s, {0, 0}, {s <= STEPS / 2 ? 1 : many - 1, many}, 0, 1};
    }
    norms[STEPS].velocity[0] = 0;
    pio_growth g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("sources: factor", g.factor, 1, 1e-12);
    assert_true(fabs(g.exponent) < 1e-12);
    for (int64_t s = 0; s <= STEPS; s++)
        norms[s].velocity[0] = norms[s].velocity[1]; /* control: as if they were not observed */
    g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("the same taken for growth", g.factor, STEPS / 2 + 1, 1e-9);
}

/* A state that grows as its disturbances do loses no digit: the amplification is that of the remaining growth. */
static void of_growth_that_the_state_shares_no_digit_is_lost(void **unused)
{
    (void)unused;
    fill(rising, rising);
    for (int64_t s = 0; s <= STEPS; s++) norms[s].speed = exp(20 * dt * (double)s);
    pio_growth g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("shared: factor", g.factor, exp(20), 1e-9);
    near("shared: amplification", g.amplification, 1, 1e-9);
    for (int64_t s = 0; s <= STEPS; s++) norms[s].speed = exp(5 * dt * (double)s);
    g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("a quarter of it shared: amplification", g.amplification, exp(15), 1e-9);
}

static void before_the_last_observation_nothing_is_known_and_nothing_grows(void **unused)
{
    (void)unused;
    fill(rising, rising);
    for (int64_t s = STEPS / 2; s <= STEPS; s++) norms[s] = (pio_adjoint_norm){.step = s};
    const double first = norms[STEPS / 2 - 1].velocity[1];
    norms[STEPS / 2 - 1].velocity[0] = norms[STEPS / 2 - 1].position[0] = 0;
    const pio_growth g = pio_adjoint_growth(norms, STEPS + 1, dt, 1);
    near("late: exponent", g.exponent, 20, 1e-9);
    near("late: factor", g.factor, norms[0].velocity[1] / first, 1e-9);
    assert_true(pio_adjoint_growth(norms, 0, dt, 1).n == 0 && isnan(pio_adjoint_growth(norms, 0, dt, 1).error));
}

static void a_person_is_warned_above_a_thousandth_and_not_below(void **unused)
{
    (void)unused;
    char text[400];
    pio_growth g = {.n = 9, .factor = 1e4, .error = 1.01e-3, .f32 = 1};
    assert_true(pio_growth_warning(&g, text, sizeof text));
    print_message("  %s\n", text);
    assert_non_null(strstr(text, "f64"));
    g.error = 0.99e-3;
    assert_false(pio_growth_warning(&g, text, sizeof text));
    g.error = (double)NAN;
    assert_false(pio_growth_warning(&g, text, sizeof text));
}

static void a_certificate_has_at_most_256_norms_the_first_and_the_last_among_them(void **unused)
{
    static const int64_t lengths[] = {2, 255, 256, 257, 300, 511, STEPS + 1};
    (void)unused;
    fill(rising, rising);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int64_t n = lengths[i];
        const pio_growth g = pio_adjoint_growth(norms, n, dt, 1);
        char last[40];
        int commas = 0;
        pio_json json;
        pio_json_to_memory(&json, 0);
        pio_json_begin_object(&json, NULL);
        pio_growth_json(&g, norms, dt, &json);
        pio_json_end_object(&json);
        assert_int_equal(pio_json_finish(&json, NULL), PIOLA_OK);
        const char *step = strstr(json.text, "\"step\""), *end = strchr(step, ']');
        for (const char *c = step; c < end; c++) commas += *c == ',';
        snprintf(last, sizeof last, "%d]", (int)n - 1);
        print_message("  %d norms: %d written\n", (int)n, commas + 1);
        assert_true(commas + 1 <= 256 && commas + 1 >= (n < 128 ? n : 128));
        assert_memory_equal(end + 1 - strlen(last), last, strlen(last));
        pio_json_free(&json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponent_and_the_factor_are_those_of_exponentials),
        cmocka_unit_test(motion_without_forces_and_oscillation_do_not_grow),
        cmocka_unit_test(what_is_observed_on_the_way_is_no_growth),
        cmocka_unit_test(of_growth_that_the_state_shares_no_digit_is_lost),
        cmocka_unit_test(before_the_last_observation_nothing_is_known_and_nothing_grows),
        cmocka_unit_test(a_person_is_warned_above_a_thousandth_and_not_below),
        cmocka_unit_test(a_certificate_has_at_most_256_norms_the_first_and_the_last_among_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
