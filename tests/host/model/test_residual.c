/* test_residual.c -- the residuals of sums of squares: their values by their formulas, half the sum of their squares,
 * which is the objective, their derivatives, and the choice of rows or columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/model/residual.h"
#include "host/optimize/optimizer.h"
#include "tests/host/scene/load_scene.h"

#define SCENES PIO_SOURCE_DIR "/tests/data/good_scenes/"
#define FLIGHT "data: {file: parts/flight.csv, time: t, columns: "

/* Each kind of term, with the priors between those of observations, and one that has no weight. */
static const char *const terms_2d[] = {
    "observe=[{name: place, type: mean_position, body: thrown, at: [2 ms, 3 ms, 9 ms]},"
    "{name: flight, type: mean_velocity, body: thrown, every: 2 ms}]",
    "objective=[{type: target, of: place, value: [0.51, 0.49], weight: 3},"
    "{type: target, of: place.x, value: 0.5, weight: 0},"
    "{type: prior, of: throw, mean: [0.4, 0.1], sigma: 0.2 m/s},"
    "{type: misfit, of: flight, " FLIGHT "[vx, vy]}, sigma: 5 mm/s, weight: 2},"
    "{type: misfit, of: flight.y, " FLIGHT "vy}, sigma: 10 mm/s},"
    "{type: target, of: flight.y, value: 0.3},"
    "{type: prior, of: stiffness, sigma: 2 kPa, weight: 2}]",
    "optimizer={type: levenberg_marquardt}"};
enum { OBSERVED = 3 * 2 + 5 * 2 + 5 + 5, ALL = OBSERVED + 3 };

/* A prior of a field behind a filter. */
static const char *const field[] = {"objective=[{type: prior, of: depth, mean: 3 mm, sigma: 0.5 mm, weight: 0.7}]",
                                    "optimizer={type: levenberg_marquardt}"};

/* A scene with its model, objective and residuals, numbers for its samples and variables, and room. */
typedef struct {
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    pio_residuals all;
    double *y, *y_bar, *z, *z_bar, *filtered, *work, *r;
} problem;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void open_problem(problem *p, const char *path, const char *const *sets, size_t n)
{
    piola_error error = {0};
    *p = (problem){0};
    if (load_scene(&p->scene, path, sets, n, stderr, &error)) fail_msg("%s", error.message);
    if (pio_model_create(&p->model, p->scene, &error)) fail_msg("%s", error.message);
    if (pio_objective_create(&p->objective, p->model, &error)) fail_msg("%s", error.message);
    if (pio_residuals_create(&p->all, &p->objective, p->model, &error)) fail_msg("%s", error.message);
    const int samples = p->model->n_samples, variables = p->model->n_variables;
    p->y = numbers(samples);
    p->y_bar = numbers(samples);
    p->z = numbers(variables);
    p->z_bar = numbers(variables);
    p->filtered = numbers(variables);
    p->work = numbers(samples + variables);
    p->r = numbers(p->all.n);
    for (int i = 0; i < samples; i++) p->y[i] = 0.5 + 0.02 * sin(i + 1.0);
    for (int i = 0; i < variables; i++) p->z[i] = 0.5 + 0.3 * sin(3.0 * i + 1);
    pio_model_filtered(p->model, p->z, p->filtered);
}

static void close_problem(problem *p)
{
    double *const arrays[] = {p->y, p->y_bar, p->z, p->z_bar, p->filtered, p->work, p->r};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    pio_residuals_free(&p->all);
    pio_objective_free(&p->objective);
    pio_model_free(p->model);
    pio_scene_free(p->scene);
}

static void open_terms(problem *p)
{
    open_problem(p, SCENES "terms_2d.yaml", terms_2d, sizeof terms_2d / sizeof *terms_2d);
}

static void open_field(problem *p)
{
    open_problem(p, SCENES "plane_stress.yaml", field, sizeof field / sizeof *field);
}

static void below(const char *what, double measured, double threshold)
{
    print_message("%-70s %.3e  threshold %.0e\n", what, measured, threshold);
    assert_true(measured <= threshold);
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* Sets r [ALL] by the formulas of residual.h, written once more for the scene's numbers. */
static void expected_residuals(const problem *p, double *r)
{
    const double wanted[] = {0.51, 0.49},
                 data[][2] = {{1, 0.5}, {0.99, 0.48}, {0.98, 0.46}, {0.97, 0.44}, {0.96, 0.42}};
    const double *place = p->y + p->model->outputs[0].first, *flight = p->y + p->model->outputs[1].first;
    int n = 0;
    for (int k = 0; k < 6; k++) r[n++] = sqrt(2 * 3.0) * (place[k] - wanted[k % 2]);
    for (int k = 0; k < 10; k++) r[n++] = sqrt(2.0) * (flight[k] - data[k / 2][k % 2]) / 5e-3;
    for (int k = 0; k < 5; k++) r[n++] = (flight[2 * k + 1] - data[k][1]) / 10e-3;
    for (int k = 0; k < 5; k++) r[n++] = sqrt(2.0) * (flight[2 * k + 1] - 0.3);
    r[n++] = (-1 + 2 * p->z[0] - 0.4) / 0.2;
    r[n++] = (-1 + 2 * p->z[1] - 0.1) / 0.2;
    r[n++] = sqrt(2.0) * (5e3 * pow(10, p->z[2]) - 12e3) / 2e3;
    assert_int_equal(n, ALL);
}

static double farthest(const double *a, const double *b, int n)
{
    double most = 0, largest = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i])), largest = fmax(largest, fabs(b[i]));
    return most / largest;
}

static void residuals_are_those_of_their_formulas(void **state)
{
    (void)state;
    problem p;
    double expected[ALL];
    open_terms(&p);
    assert_int_equal(p.all.n, ALL);
    assert_int_equal(p.all.observed, OBSERVED);
    pio_residuals_evaluate(&p.all, p.model, p.y, p.filtered, p.r);
    expected_residuals(&p, expected);
    below("residuals differ from their formulas", farthest(p.r, expected, ALL), 1e-13);
    expected[ALL - 1] *= 1.0001;
    assert_true(farthest(p.r, expected, ALL) > 1e-13); /* the control */
    close_problem(&p);
}

/* What each compares, which its factor and what is expected make a residual of, and of which term and time it is. */
static void residuals_know_their_terms_times_and_values(void **state)
{
    (void)state;
    problem p;
    open_terms(&p);
    const int term[] = {0, 3, 4, 5, 2, 6}, count[] = {6, 10, 5, 5, 2, 1}, per_sample[] = {2, 2, 1, 1, 9, 9};
    double throw = -1 + 2 * p.z[1];
    for (int k = 0, j = 0; k < 6; k++)
        for (int i = 0; i < count[k]; i++, j++) {
            assert_int_equal(p.all.list[j].term, term[k]);
            assert_int_equal(p.all.list[j].sample, i / per_sample[k]);
        }
    const int flight = p.model->outputs[1].first;
    assert_true(fabs(pio_residual_value(&p.all, 6 + 10 + 2, p.model, p.y, p.filtered) - p.y[flight + 5]) <= 0);
    assert_true(fabs(p.all.list[6 + 10 + 2].expected - 0.46) < 1e-15);
    assert_true(fabs(pio_residual_value(&p.all, OBSERVED + 1, p.model, p.y, p.filtered) - throw) < 1e-15);
    assert_true(fabs(p.all.list[OBSERVED + 2].expected - 12e3) < 1e-8); /* the start, as the prior has no mean */
    close_problem(&p);
}

static void half_the_sum_of_squares_is_the_objective(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p;
        double sum = 0;
        if (k)
            open_field(&p);
        else
            open_terms(&p);
        pio_residuals_evaluate(&p.all, p.model, p.y, p.filtered, p.r);
        for (int j = 0; j < p.all.n; j++) sum += p.r[j] * p.r[j] / 2;
        const double J = pio_objective_evaluate(&p.objective, p.model, p.y, p.filtered, NULL, NULL);
        below(k ? "a field: |r|^2/2 differs from J" : "all terms: |r|^2/2 differs from J", fabs(sum / J - 1), 1e-13);
        close_problem(&p);
    }
}

/* ---- derivatives ----------------------------------------------------------------------------------------- */

/* sum_j r_j dr_j/dy is dJ/dy, which objective.c computes in another way, and each dr_j/dy has one number. */
static void derivatives_by_samples_add_up_to_that_of_the_objective(void **state)
{
    (void)state;
    problem p;
    open_terms(&p);
    const int n = p.model->n_samples;
    double *sum = numbers(n), *signs = numbers(n);
    pio_residuals_evaluate(&p.all, p.model, p.y, p.filtered, p.r);
    pio_objective_evaluate(&p.objective, p.model, p.y, p.filtered, NULL, p.y_bar);
    for (int j = 0; j < p.all.observed; j++) {
        int there = 0;
        for (int i = 0; i < n; i++) p.work[i] = NAN; /* all of it is set */
        pio_residual_slope(&p.all, j, p.model, p.work);
        for (int i = 0; i < n; i++) {
            there += fabs(p.work[i]) > 0;
            sum[i] += p.r[j] * p.work[i];
            signs[i] += pio_residual_sign(j) * p.work[i];
        }
        assert_int_equal(there, 1);
    }
    below("sum r dr/dy differs from dJ/dy", farthest(sum, p.y_bar, n), 1e-13);
    sum[0] *= 1.0001;
    sum[p.model->outputs[1].first] *= 1.0001;
    assert_true(farthest(sum, p.y_bar, n) > 1e-13); /* the control */
    pio_residuals_sum_slope(&p.all, p.model, p.work);
    below("the derivative of the sum with signs differs", farthest(p.work, signs, n), 1e-13);
    free(sum);
    free(signs);
    close_problem(&p);
}

/* Signs that followed the components or times of samples would leave errors that do so unseen. */
static void signs_follow_no_pattern(void **state)
{
    (void)state;
    enum { N = 10000, LAGS = 64 };
    double most = 0, sum = 0;
    for (int j = 0; j < N; j++) {
        assert_true(fabs(fabs(pio_residual_sign(j)) - 1) <= 0);
        sum += pio_residual_sign(j);
    }
    for (int lag = 1; lag <= LAGS; lag++) {
        double product = 0;
        for (int j = 0; j < N; j++) product += pio_residual_sign(j) * pio_residual_sign(j + lag);
        most = fmax(most, fabs(product) / sqrt(N));
    }
    /* Of fair coins both are normal of deviation 1; 5 is exceeded by one in 1.7 million. */
    below("sum of 10000 signs, in deviations", fabs(sum) / sqrt(N), 5);
    below("their products at distances of 1 to 64, likewise", most, 5);
}

/* Returns the largest difference of dr_j/dz from central differences, extrapolated to fourth order (Richardson 1911),
 * as a fraction of the largest; the computed one is multiplied by `factor`. */
static double apart(problem *p, int j, double factor)
{
    const int n = p->model->n_variables;
    double most = 0, largest = 0;
    for (int i = 0; i < n; i++) p->z_bar[i] = NAN;
    pio_residual_of_design(&p->all, j, p->model, p->filtered, p->work, p->z_bar);
    for (int i = 0; i < n; i++) {
        const double kept = p->z[i], e = 1e-3;
        double slope[2];
        for (int half = 0; half < 2; half++) {
            double r[2];
            for (int side = 0; side < 2; side++) {
                p->z[i] = kept + (side ? -1 : 1) * (half ? e / 2 : e);
                pio_model_filtered(p->model, p->z, p->filtered);
                pio_residuals_evaluate(&p->all, p->model, p->y, p->filtered, p->r);
                r[side] = p->r[j];
            }
            slope[half] = (r[0] - r[1]) / (half ? e : 2 * e);
        }
        p->z[i] = kept;
        most = fmax(most, fabs((4 * slope[1] - slope[0]) / 3 - factor * p->z_bar[i]));
        largest = fmax(largest, fabs(p->z_bar[i]));
    }
    pio_model_filtered(p->model, p->z, p->filtered);
    assert_true(largest > 0);
    return most / largest;
}

static void derivatives_of_priors_are_those_of_their_values(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p;
        double worst = 0, control = HUGE_VAL;
        if (k)
            open_field(&p);
        else
            open_terms(&p);
        for (int j = p.all.observed; j < p.all.n; j++) {
            worst = fmax(worst, apart(&p, j, 1));
            control = fmin(control, apart(&p, j, 1.0001));
        }
        below(k ? "a field behind a filter: dr/dz differs" : "a velocity and a modulus: dr/dz differs", worst, 1e-9);
        assert_true(control > 1e-9);
        close_problem(&p);
    }
}

static void the_slope_of_a_variable_is_that_of_its_value(void **state)
{
    (void)state;
    problem p;
    open_terms(&p);
    for (int i = 0; i < p.model->n_variables; i++) {
        const double e = 1e-5, kept = p.z[i], slope = pio_variable_slope(p.model, i, p.filtered);
        double value[2];
        for (int side = 0; side < 2; side++) {
            p.z[i] = kept + (side ? -e : e);
            pio_model_values(p.model, p.z, p.work);
            value[side] = p.work[i];
        }
        p.z[i] = kept;
        below("dvalue/dz differs", fabs((value[0] - value[1]) / (2 * e) / slope - 1), 1e-8);
    }
    close_problem(&p);
}

/* ---- rows or columns, and what there cannot be ----------------------------------------------------------- */

static void choose(problem *p, pio_jacobian jacobian, int observed, int variables, bool f32, bool columns)
{
    piola_error error;
    pio_model model = *p->model; /* of which this is all that counts */
    pio_residuals all = p->all;
    p->scene->optimizer.jacobian = jacobian;
    model.n_variables = variables;
    all.observed = observed;
    assert_int_equal(pio_residuals_choose(&all, &model, f32, &error), PIOLA_OK);
    print_message("%d samples, %d variables, %s: %s, %d sweeps\n", observed, variables, f32 ? "f32" : "f64",
                  all.by_columns ? "columns" : "rows", (int)pio_residuals_sweeps(&all));
    assert_int_equal(all.by_columns, columns);
    assert_int_equal(pio_residuals_sweeps(&all), columns ? observed > 0 : observed);
}

static void cannot_choose(problem *p, pio_jacobian jacobian, int observed, bool f32, const char *words)
{
    piola_error error = {0};
    pio_residuals all = p->all;
    p->scene->optimizer.jacobian = jacobian;
    all.observed = observed;
    assert_int_equal(pio_residuals_choose(&all, p->model, f32, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    if (!strstr(error.message, words)) fail_msg("the message lacks '%s'", words);
}

static void the_jacobian_has_what_is_fewer(void **state)
{
    (void)state;
    problem p;
    open_terms(&p);
    choose(&p, PIO_JACOBIAN_AUTO, 7, 3, false, false); /* 2 n + 1 is 7 */
    choose(&p, PIO_JACOBIAN_AUTO, 8, 3, false, true);
    choose(&p, PIO_JACOBIAN_AUTO, 8, 3, true, false);
    choose(&p, PIO_JACOBIAN_AUTO, PIO_MOST_RESIDUALS, 500, false, false);
    choose(&p, PIO_JACOBIAN_AUTO, PIO_MOST_RESIDUALS + 1, 500, false, true);
    choose(&p, PIO_JACOBIAN_ROWS, PIO_MOST_RESIDUALS, 1, false, false);
    choose(&p, PIO_JACOBIAN_COLUMNS, 1, 500, false, true);
    choose(&p, PIO_JACOBIAN_COLUMNS, 0, 3, false, true); /* priors alone need no sweep */
    cannot_choose(&p, PIO_JACOBIAN_COLUMNS, 8, true, "for which f32 has too few digits");
    cannot_choose(&p, PIO_JACOBIAN_ROWS, PIO_MOST_RESIDUALS + 1, false, "201 samples are compared, and rows need");
    cannot_choose(&p, PIO_JACOBIAN_AUTO, PIO_MOST_RESIDUALS + 1, true, "needs an adjoint sweep for each in f32");
    close_problem(&p);
}

static void cannot_create(problem *p, const pio_model *model, const char *words)
{
    piola_error error = {0};
    pio_residuals all;
    assert_int_equal(pio_residuals_create(&all, &p->objective, model, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    if (!strstr(error.message, words)) fail_msg("the message lacks '%s'", words);
    pio_residuals_free(&all);
}

static void too_few_residuals_and_too_many_derivatives_are_errors(void **state)
{
    (void)state;
    problem p;
    open_terms(&p);
    pio_model model = *p.model;
    model.n_variables = PIO_MOST_SQUARES_VARIABLES + 1;
    cannot_create(&p, &model, "1001 variables are more than the 1000 that levenberg_marquardt takes");
    pio_output many = p.model->outputs[0];
    many.samples = PIO_MOST_JACOBIAN / PIO_MOST_SQUARES_VARIABLES / 2;
    p.objective.terms[0].output = &many;
    model.n_variables = PIO_MOST_SQUARES_VARIABLES;
    model.n_samples = 2 * many.samples;
    cannot_create(&p, &model, "residuals have more than 100000000 derivatives");
    p.objective.terms[0].output = &p.model->outputs[0];
    const size_t n = p.objective.n;
    p.objective.terms++; /* the second alone, which has no weight */
    p.objective.n = 1;
    cannot_create(&p, p.model, "no term has a weight above 0");
    p.objective.terms--;
    p.objective.n = n;
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_are_those_of_their_formulas),
        cmocka_unit_test(residuals_know_their_terms_times_and_values),
        cmocka_unit_test(half_the_sum_of_squares_is_the_objective),
        cmocka_unit_test(derivatives_by_samples_add_up_to_that_of_the_objective),
        cmocka_unit_test(signs_follow_no_pattern),
        cmocka_unit_test(derivatives_of_priors_are_those_of_their_values),
        cmocka_unit_test(the_slope_of_a_variable_is_that_of_its_value),
        cmocka_unit_test(the_jacobian_has_what_is_fewer),
        cmocka_unit_test(too_few_residuals_and_too_many_derivatives_are_errors),
    };
    return cmocka_run_group_tests_name("residual", tests, NULL, NULL);
}
