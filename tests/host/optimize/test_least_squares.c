/* test_least_squares.c -- Levenberg and Marquardt's method finds minima of sums of squares within bounds. */
#include "tests/host/optimize/squares_bench.h"

#include "host/optimize/householder.h"

static const double start_valley[] = {-1.2, 1}, start_singular[] = {3, -1, 0, 1}, start_decay[] = {1, 1.5, 0},
                    start_zero[] = {0, 0, 0};

static pio_optimizer_result solve(bench *b, const char *name, piola_status expected)
{
    pio_optimizer_result r;
    const piola_status rc = pio_optimize(&b->p, &b->d, &r, NULL);
    say(name, b, &r);
    assert_int_equal(rc, expected);
    return r;
}

static void it_finds_the_minimum_of_rosenbrock_in_fewer_evaluations_than_lbfgs(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 2, 2, valley, start_valley);
    pio_optimizer_result r = solve(&b, "Rosenbrock", PIOLA_OK);
    const double expected[] = {1, 1};
    const size_t evaluations = r.evaluations;
    printf("distance %.2e (threshold 1e-10)\n", distance(r.z, expected, 2));
    assert_true(distance(r.z, expected, 2) <= 1e-10 && r.converged && !b.t.rose);
    pio_optimizer_result_free(&r);
    set_up(&b, PIO_LBFGS, 2, rosenbrock);
    r = solve(&b, "Rosenbrock", PIOLA_OK);
    printf("%zu evaluations, lbfgs %zu (threshold: fewer than half)\n", evaluations, r.evaluations);
    assert_true(2 * evaluations < r.evaluations);
    pio_optimizer_result_free(&r);
}

/* J falls by 16 with each step that halves z, as Newton's method does there. */
static void a_singular_minimum_is_reached(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 4, 4, singular, start_singular);
    pio_optimizer_result r = solve(&b, "Powell, singular", PIOLA_OK);
    const double first = 215.0 / 2;
    printf("J %.2e (threshold 1e-20 of its start), %zu evaluations (threshold 40)\n", r.J, r.evaluations);
    assert_true(r.J <= 1e-20 * first && r.converged && r.evaluations <= 40);
    pio_optimizer_result_free(&r);
}

/* Returns how far from the minimum a run may end: where the model predicts a decrease of J no greater than its
 * rounding, or, near 0, than the square of the rounding times J at the start. `singular` is the least singular
 * value. */
static double farthest(const bench *b, double first, double J, double singular)
{
    const double rounding = b->d.rounding;
    return sqrt(2 * fmax(rounding * J, rounding * rounding * first)) / singular;
}

/* With x <= 1 the minimum of (x + y - 3)^2/2 + (x - y)^2/2 is at y = 3/2, where J = 1/4; without it at x = y = 3/2. */
static void a_bound_that_is_active_is_kept_and_the_others_move_on(void **state)
{
    (void)state;
    for (int bounded = 0; bounded < 2; bounded++) {
        bench b;
        set_up_squares(&b, 2, 2, lines, start_zero);
        b.lower[0] = -1;
        if (bounded) b.upper[0] = 1;
        pio_optimizer_result r = solve(&b, bounded ? "lines, x <= 1" : "lines", PIOLA_OK);
        const double expected[] = {bounded ? 1 : 1.5, 1.5}, least = bounded ? 0.25 : 0;
        const double threshold = farthest(&b, 4.5, least, sqrt(2));
        printf("distance %.2e (threshold %.1e), %zu evaluations (threshold 10)\n", distance(r.z, expected, 2),
               threshold, r.evaluations);
        assert_true(distance(r.z, expected, 2) <= threshold && r.evaluations <= 10 && r.converged);
        assert_true(fabs(r.z[0] - 1) <= 0 || !bounded);
        assert_true(fabs(r.J - least) <= 1e-12);
        pio_optimizer_result_free(&r);
    }
}

/* By the conditions of Karush, Kuhn and Tucker: the gradient is 0 but for the bound, which it presses against. */
static void a_fit_with_an_active_bound_satisfies_the_conditions_of_a_minimum(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 3, SAMPLES, decay, start_decay);
    b.lower[1] = 0.9;
    pio_optimizer_result r = solve(&b, "decay, rate >= 0.9", PIOLA_OK);
    printf("rate %.17g, gradient %.2e %.2e %.2e (threshold 1e-7 and above 0.01 at the bound)\n", r.z[1], r.gradient[0],
           r.gradient[1], r.gradient[2]);
    assert_true(!(r.z[1] > 0.9) && !(r.z[1] < 0.9) && r.gradient[1] > 0.01);
    assert_true(fabs(r.gradient[0]) <= 1e-7 && fabs(r.gradient[2]) <= 1e-7);
    pio_optimizer_result_free(&r);
}

/* Every point with x = (by the normal equations) and y + w of the two variables that are one is a minimum. */
static void a_deficient_problem_has_the_least_sum_of_squares_of_its_smaller_one(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 3, 4, deficient, start_zero);
    pio_optimizer_result r = solve(&b, "deficient", PIOLA_OK);
    /* sums of products of the columns: 7, 5, 12; of the right side 19, 27: det 59 */
    const double x = (12 * 19 - 5 * 27) / 59.0, y = (7 * 27 - 5 * 19) / 59.0;
    const double threshold = farthest(&b, 0, r.J, sqrt(9.5 - sqrt(31.25)));
    printf("x %.3e, y + w %.3e from the solution (threshold %.1e); y - w %.3e (threshold 1e-12)\n", r.z[0] - x,
           r.z[1] + r.z[2] - y, threshold, r.z[1] - r.z[2]);
    assert_true(fabs(r.z[0] - x) <= threshold && fabs(r.z[1] + r.z[2] - y) <= threshold);
    assert_true(fabs(r.z[1] - r.z[2]) <= 1e-12);
    assert_true(r.converged);
    pio_optimizer_result_free(&r);
}

static double unit = 1;

static void decay_in_other_units(const task *t, const double *z, double *r, double *rows)
{
    const double scaled[] = {z[0], z[1] * unit, z[2] / unit};
    decay(t, scaled, r, rows);
    for (int k = 0; k < SAMPLES; k++) rows[3 * k + 1] *= unit, rows[3 * k + 2] /= unit;
}

/* Units that are powers of two change no mantissa, so that all bits of J remain. */
static void the_path_does_not_depend_on_the_units_of_the_variables(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 3, SAMPLES, decay, start_decay);
    pio_optimizer_result one = solve(&b, "decay", PIOLA_OK);
    set_up_squares(&b, 3, SAMPLES, decay_in_other_units, start_decay);
    unit = 0x1p20;
    b.z0[1] /= unit, b.z0[2] *= unit;
    pio_optimizer_result other = solve(&b, "decay, other units", PIOLA_OK);
    assert_int_equal(one.evaluations, other.evaluations);
    assert_memory_equal(&one.J, &other.J, sizeof one.J);
    pio_optimizer_result_free(&one);
    pio_optimizer_result_free(&other);
}

/* Below the valley, or, with a factor on J, across it. */
static bool beyond(const task *t, const double *z)
{
    return z[1] < (t->factor > 1 ? 0.4 : -0.5);
}

static void points_that_cannot_be_computed_shorten_the_step(void **state)
{
    bench b;
    (void)state;
    const double start[] = {-1.2, 1}, expected[] = {1, 1};
    set_up_squares(&b, 2, 2, valley, start);
    b.t.fails = beyond;
    pio_optimizer_result r = solve(&b, "Rosenbrock, partly computable", PIOLA_OK);
    printf("%zu rejected (threshold: some), distance %.2e (threshold 1e-10)\n", r.rejected, distance(r.z, expected, 2));
    assert_true(r.rejected > 0 && distance(r.z, expected, 2) <= 1e-10);
    pio_optimizer_result_free(&r);
}

/* The valley is blocked: the run stays before a boundary that its gradient points across, and has not converged. */
static void a_boundary_of_what_can_be_computed_is_no_minimum(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 2, 2, valley, start_valley);
    b.t.factor = 1 + 1e-15;
    b.t.fails = beyond;
    pio_optimizer_result r = solve(&b, "Rosenbrock, blocked", PIOLA_NO);
    assert_false(r.converged);
    pio_optimizer_result_free(&r);
}

static void replay_of_every_length_gives_the_same_bits(void **state)
{
    bench b;
    (void)state;
    record r = new_record(3, SAMPLES);
    set_up_squares(&b, 3, SAMPLES, decay, start_decay);
    b.lower[1] = 0.65;
    b.t.record = &r;
    pio_optimizer_result whole = solve(&b, "decay, recorded", PIOLA_OK);
    const size_t all = b.t.calls;
    for (size_t known = 0; known <= all; known++) {
        record again = new_record(3, SAMPLES);
        pio_optimizer_result part;
        b.t.calls = again.size = known;
        b.t.iterations = 0;
        b.t.record = &again;
        b.p.replay = r.list;
        b.p.n_replay = known;
        assert_int_equal(pio_optimize(&b.p, &b.d, &part, NULL), PIOLA_OK);
        assert_int_equal(b.t.calls, all);
        assert_int_equal(part.replayed, known);
        assert_memory_equal(&part.J, &whole.J, sizeof(double));
        assert_memory_equal(part.z, whole.z, 3 * sizeof(double));
        assert_memory_equal(again.z + 3 * known, r.z + 3 * known, 3 * (all - known) * sizeof(double));
        pio_optimizer_result_free(&part);
        free_record(&again);
    }
    printf("0 to %zu evaluations replayed: the bits of J, z and all points are equal\n", all);
    r.c[(SAMPLES * 4) + SAMPLES] *= 1.01; /* a derivative of evaluation 1: the path turns off, which is noticed */
    b.p.n_replay = all;
    b.t.iterations = 0;
    b.t.record = NULL;
    pio_optimizer_result changed = solve(&b, "decay, changed record", PIOLA_BAD_DATA);
    pio_optimizer_result_free(&changed);
    pio_optimizer_result_free(&whole);
    free_record(&r);
}

/* The control: with rows of the wrong sign no step lowers J, and the result is no minimum. */
static void rows_of_the_wrong_sign_are_not_called_converged(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 3, SAMPLES, decay, start_decay);
    b.t.constraint_factor = -1;
    pio_optimizer_result r = solve(&b, "decay, wrong sign", PIOLA_NO);
    assert_false(r.converged);
    pio_optimizer_result_free(&r);
}

static void residuals_without_the_method_and_the_method_without_residuals_are_errors(void **state)
{
    bench b;
    (void)state;
    set_up_squares(&b, 2, 2, valley, start_valley);
    b.d.type = PIO_LBFGS;
    pio_optimizer_result r = solve(&b, "lbfgs with residuals", PIOLA_USAGE);
    assert_non_null(strstr(r.sentence, "2 residuals"));
    pio_optimizer_result_free(&r);
    b.d.type = PIO_LEVENBERG_MARQUARDT;
    b.p.n_residuals = 0;
    r = solve(&b, "without residuals", PIOLA_USAGE);
    assert_non_null(strstr(r.sentence, "0 residuals"));
    pio_optimizer_result_free(&r);
    b.p.n_residuals = 2;
    b.t.fail_at = 1;
    b.t.fail_value = NAN;
    r = solve(&b, "a start that is not finite", PIOLA_NUMERICAL);
    pio_optimizer_result_free(&r);
}

/* R^T R = A^T A and R^T Q^T b = A^T b, whatever the shape. */
static void reflections_keep_the_products_of_columns(void **state)
{
    enum { DEEP = 5, WIDE = 4 };
    (void)state;
    for (size_t rows = 2; rows <= DEEP; rows++) {
        double a[WIDE * DEEP], was[WIDE * DEEP], b[DEEP], right[DEEP], worst = 0;
        for (size_t k = 0; k < WIDE * rows; k++) was[k] = a[k] = sin(3.0 * (double)(k * k) + 1) * (k % 3 ? 1 : 1e3);
        for (size_t k = 0; k < rows; k++) right[k] = b[k] = cos((double)k);
        pio_householder(a, rows, WIDE, b);
        for (size_t i = 0; i < WIDE; i++)
            for (size_t j = 0; j <= WIDE; j++) {
                double difference = 0;
                for (size_t k = 0; k < rows; k++)
                    difference += a[i * rows + k] * (j < WIDE ? a[j * rows + k] : b[k]) -
                                  was[i * rows + k] * (j < WIDE ? was[j * rows + k] : right[k]);
                worst = fmax(worst, fabs(difference));
            }
        for (size_t i = 0; i < WIDE; i++)
            for (size_t k = i + 1; k < rows; k++) assert_true(!(fabs(a[i * rows + k]) > 0));
        printf("%zu rows: products of columns differ by %.2e (threshold 1e-8, of 1e6)\n", rows, worst);
        assert_true(worst <= 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_the_minimum_of_rosenbrock_in_fewer_evaluations_than_lbfgs),
        cmocka_unit_test(a_singular_minimum_is_reached),
        cmocka_unit_test(a_bound_that_is_active_is_kept_and_the_others_move_on),
        cmocka_unit_test(a_fit_with_an_active_bound_satisfies_the_conditions_of_a_minimum),
        cmocka_unit_test(a_deficient_problem_has_the_least_sum_of_squares_of_its_smaller_one),
        cmocka_unit_test(the_path_does_not_depend_on_the_units_of_the_variables),
        cmocka_unit_test(points_that_cannot_be_computed_shorten_the_step),
        cmocka_unit_test(a_boundary_of_what_can_be_computed_is_no_minimum),
        cmocka_unit_test(replay_of_every_length_gives_the_same_bits),
        cmocka_unit_test(rows_of_the_wrong_sign_are_not_called_converged),
        cmocka_unit_test(residuals_without_the_method_and_the_method_without_residuals_are_errors),
        cmocka_unit_test(reflections_keep_the_products_of_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
