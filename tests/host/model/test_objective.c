/* test_objective.c -- terms of the objective: their values by their formulas, and their derivatives, of samples and of
 * the variables of design entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/model/objective.h"
#include "tests/host/scene/load_scene.h"

/* A scene with its model and objective, and numbers for its samples and its filtered variables. */
typedef struct {
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    double *y, *y_bar, *z, *z_bar, *terms;
} problem;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void open_problem(problem *p, const char *path)
{
    piola_error error = {0};
    *p = (problem){0};
    if (load_scene(&p->scene, path, NULL, 0, stderr, &error)) fail_msg("%s", error.message);
    if (pio_model_create(&p->model, p->scene, &error)) fail_msg("%s", error.message);
    if (pio_objective_create(&p->objective, p->model, &error)) fail_msg("%s", error.message);
    p->y = numbers(p->model->n_samples);
    p->y_bar = numbers(p->model->n_samples);
    p->z = numbers(p->model->n_variables);
    p->z_bar = numbers(p->model->n_variables);
    p->terms = numbers((int)p->objective.n);
    for (int i = 0; i < p->model->n_samples; i++) p->y[i] = 0.5 + 0.02 * sin(i + 1.0);
    for (int i = 0; i < p->model->n_variables; i++) p->z[i] = 0.5 + 0.3 * sin(3.0 * i + 1);
}

static void close_problem(problem *p)
{
    free(p->y);
    free(p->y_bar);
    free(p->z);
    free(p->z_bar);
    free(p->terms);
    pio_objective_free(&p->objective);
    pio_model_free(p->model);
    pio_scene_free(p->scene);
}

static double J(problem *p)
{
    return pio_objective_evaluate(&p->objective, p->model, p->y, p->z, NULL, NULL);
}

/* Returns the largest difference of a derivative from central differences of J, extrapolated to fourth order
 * (Richardson 1911), as a fraction of the largest derivative; `spoil` is added to the first derivative. */
static double apart(problem *p, double *x, const double *bar, int n, double spoil)
{
    double most = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        const double kept = x[i], e = 1e-4;
        double slope[2];
        for (int half = 0; half < 2; half++) {
            const double step = half ? e / 2 : e;
            x[i] = kept + step;
            const double up = J(p);
            x[i] = kept - step;
            slope[half] = (up - J(p)) / (2 * step);
        }
        x[i] = kept;
        most = fmax(most, fabs((4 * slope[1] - slope[0]) / 3 - bar[i] - (i ? 0 : spoil)));
        largest = fmax(largest, fabs(bar[i]));
    }
    return most / largest;
}

static void below(const char *what, double measured, double threshold)
{
    print_message("%-60s %.3e  threshold %.0e\n", what, measured, threshold);
    assert_true(measured <= threshold);
}

static void check_derivatives(problem *p, int of_samples)
{
    pio_objective_evaluate(&p->objective, p->model, p->y, p->z, p->terms, p->y_bar);
    assert_true(pio_objective_of_design(&p->objective, p->model, p->z, p->z_bar));
    const int variables = p->model->n_variables;
    const double of_first = fabs(p->z_bar[0]);
    if (of_samples) below("dJ/dsamples", apart(p, p->y, p->y_bar, p->model->n_samples, 0), 1e-7);
    below("dJ/dvariables", apart(p, p->z, p->z_bar, variables, 0), 1e-7);
    assert_true(apart(p, p->z, p->z_bar, variables, 1e-3 * of_first + 1e-3 * fabs(p->z_bar[variables - 1])) > 1e-7);
}

/* The formulas of objective.h, written once more for the scene's numbers. */
static void terms_are_those_of_their_formulas(void **state)
{
    problem p;
    (void)state;
    open_problem(&p, PIO_SOURCE_DIR "/tests/data/good_scenes/terms_2d.yaml");
    pio_objective_evaluate(&p.objective, p.model, p.y, p.z, p.terms, NULL);
    const double wanted[] = {0.51, 0.49}, width = 1e-3, *place = p.y + p.model->outputs[0].first;
    const double *energy = p.y + p.model->outputs[1].first;
    double value[8] = {0}, powers = 0;
    for (int k = 0; k < 6; k++) {
        const double d = place[k] - wanted[k % 2];
        value[0] += 3 * (sqrt(d * d + width * width) - width);
    }
    for (int k = 0; k < 4; k++) value[1] += 0.5 * 0.002 * (energy[k] + energy[k + 1]) / 2;
    value[2] = 0.001 * (place[0] + place[2]) / 2 + 0.006 * (place[2] + place[4]) / 2;
    const double throw[2] = {-1 + 2 * p.z[0], -1 + 2 * p.z[1]}, E = 5e3 * pow(10, p.z[2]);
    for (int k = 0; k < 5; k++) powers += pow(fabs(energy[k]), 12) / 5;
    value[3] = 2 * pow(powers, 1.0 / 12);
    value[4] = (pow((throw[0] - 0.4) / 0.2, 2) + pow((throw[1] - 0.1) / 0.2, 2)) / 2;
    value[5] = pow((E - 12e3) / 2e3, 2);
    value[6] = 1e-4 * E;
    value[7] = -(throw[0] + throw[1]) / 2;
    assert_int_equal(p.objective.n, 8);
    for (int i = 0; i < 8; i++) below(p.objective.terms[i].name, fabs(p.terms[i] - value[i]) / fabs(value[i]), 1e-12);
    close_problem(&p);
}

static void derivatives_of_particles_terms_are_those_of_their_values(void **state)
{
    problem p;
    (void)state;
    open_problem(&p, PIO_SOURCE_DIR "/tests/data/good_scenes/terms_2d.yaml");
    check_derivatives(&p, 1);
    close_problem(&p);
}

static void derivatives_of_fields_terms_are_those_of_their_values(void **state)
{
    problem p;
    (void)state;
    open_problem(&p, PIO_SOURCE_DIR "/tests/data/good_scenes/plane_stress.yaml");
    check_derivatives(&p, 0);
    close_problem(&p);
}

/* Also where the name of an observation ends like a number that was put behind that of another. */
static void no_two_terms_have_one_name(void **state)
{
    static const char *const sets[] = {
        "observe=[{name: place, type: mean_position, body: thrown}, {name: place_2, type: mean_position, body: "
        "thrown}]",
        "objective=[{type: target, of: place, value: [0, 0]}, {type: target, of: place_2, value: [0, 0]}, "
        "{type: target, of: place, value: [1, 1]}, {type: target, of: place, value: [2, 2]}]"};
    piola_error error = {0};
    problem p = {0};
    (void)state;
    assert_int_equal(
        load_scene(&p.scene, PIO_SOURCE_DIR "/tests/data/good_scenes/terms_2d.yaml", sets, 2, stderr, &error), 0);
    assert_int_equal(pio_model_create(&p.model, p.scene, &error), 0);
    assert_int_equal(pio_objective_create(&p.objective, p.model, &error), 0);
    for (size_t i = 0; i < p.objective.n; i++)
        for (size_t k = 0; k < i; k++) assert_string_not_equal(p.objective.terms[i].name, p.objective.terms[k].name);
    assert_string_equal(p.objective.terms[2].name, "target_place_3"); /* _2 is taken */
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_those_of_their_formulas),
        cmocka_unit_test(derivatives_of_particles_terms_are_those_of_their_values),
        cmocka_unit_test(derivatives_of_fields_terms_are_those_of_their_values),
        cmocka_unit_test(no_two_terms_have_one_name),
    };
    return cmocka_run_group_tests_name("objective", tests, NULL, NULL);
}
