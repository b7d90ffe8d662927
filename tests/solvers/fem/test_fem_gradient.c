/* test_fem_gradient.c -- is the engine's adjoint the derivative of its forward run?
 *
 * Taylor remainders (host/verify/taylor.h) in f64 for every element, law, parameter and observation over several load
 * steps; then wrong gradients, which the same check must refuse; and how the gradient's error follows the tolerance of
 * the adjoint solve. */
#include "tests/solvers/fem/fem_taylor.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 4 };

/* Element types of case `number`, of even and of odd cells. */
static const pio_element_type cells[2][4][2] = {
    {{PIO_TRI3, PIO_QUAD4}, {PIO_QUAD9, PIO_TRI6}, {PIO_QUAD4, PIO_QUAD4}, {PIO_TRI6, PIO_TRI6}},
    {{PIO_HEX8, PIO_HEX8}, {PIO_TET4, PIO_TET4}, {PIO_TET10, PIO_TET10}, {PIO_HEX8, PIO_TET4}}};

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

static void material_pair(int number, fem_material m[2])
{
    m[0] = fem_material_of((pio_hyper_law)(number % FEM_LAWS), 1000);
    m[1] = fem_material_of((pio_hyper_law)((number + 4) % FEM_LAWS), 1500);
    m[1].density = 1300;
    for (int k = 0; k < 2; k++) { /* every second pair as mu and lambda */
        if (number % 2 == 0 || m[k].law == PIO_HYPER_MOONEY_RIVLIN || m[k].law == PIO_HYPER_OGDEN) continue;
        m[k].parameter_form = 1;
        m[k].parameters[0] = k ? 580 : 385;
        m[k].parameters[1] = k ? 870 : 577;
    }
}

enum { TRACTION, PRESSURE };
enum { CLAMP, MOVED, STEADY };

/* Two laws in irregular elements; clamped, pulled, pressed and heavy, one edge and one node are moved. */
static void structure(fem_case *c, int number, pio_element_type even, pio_element_type odd)
{
    fem_material m[2];
    material_pair(number, m);
    fem_case_begin(c, 0.25, STEPS);
    c->random = 7 + (uint64_t)number;
    const int ramp = fem_case_curve(c, 3, (double[]){0, 0.3, 1}, (double[]){0, 0.4, 1});
    const int wave = fem_case_curve(c, 3, (double[]){0.1, 0.5, 1}, (double[]){1, -0.3, 0.8});
    fem_case_grid(c, (fem_grid){even, odd, {D == 2 ? 3 : 2, D == 2 ? 2 : 1, 1}, sheared, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    const int moved = fem_case_support(c, 0.04, ramp), steady = fem_case_support(c, -0.01, -1);
    assert_int_equal(steady, STEADY);
    for (int i = 0; i < c->n; i++)
        if (fem_case_on_side(c, i, 0, 1) && fem_case_on_side(c, i, 1, 0)) fem_case_hold(c, i, 1, moved);
    fem_case_hold(c, fem_case_at(c, c->lines[0] - 1, c->lines[1] - 1, 0), 0, steady);
    const int traction = fem_case_value(c, 50, -28, 12), pressure = fem_case_value(c, 60, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, traction, ramp);
    fem_case_load(c, PIO_PRESSURE, 1, 1, pressure, wave);
    for (int l = 0; l < c->fem.n_loads; l++) c->load[l].scale = 0.5;
    c->desc.gravity[0] = 0.03;
    c->desc.gravity[1] = -0.06;
}

/* Every type: at the end, at several times, as a sum over steps, and of the start. */
static void observe_everything(fem_case *c)
{
    const int u = fem_case_observe(c, PIO_DISPLACEMENT, 2), near = fem_case_observe(c, PIO_DISTANCE, 2);
    const int reaction = fem_case_observe(c, PIO_REACTION, 2), work = fem_case_observe(c, PIO_COMPLIANCE, 1);
    fem_case_sample(c, u, STEPS, 0, 1);
    fem_case_sample(c, u, 1, 1, 0.5);
    fem_case_sample(c, u, 3, 1, 0.7);
    fem_case_sample(c, near, 0, 1, 0.4);
    fem_case_sample(c, near, 2, 0, 1)->past = 0.3;
    fem_case_sample(c, near, STEPS, 1, 1)->past = 0.25;
    for (int s = 0; s <= STEPS; s++) fem_case_sample(c, reaction, s, 0, 0.01);
    fem_case_sample(c, reaction, STEPS, 1, 0.01);
    for (int s = 1; s <= STEPS; s++) fem_case_sample(c, work, s, 0, 0.1);
}

/* Every quantity; how it is grouped and whether it is logarithmic goes round with the case. */
static void design_everything(fem_case *c, int number)
{
    static const fem_per per[] = {FEM_SCALAR, FEM_GROUPS, FEM_EACH};
    fem_material m[2];
    material_pair(number, m);
    fem_case_design(c, PIO_POSITION, -1, number % 3 == 2 ? FEM_GROUPS : FEM_EACH, fem_linear(0, 0.1), 0);
    fem_case_design(c, PIO_GRAVITY, -1, FEM_SCALAR, fem_linear(-0.04, 0.06), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(30, 20), TRACTION);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR,
                    (fem_transform){number % 2, number % 2 ? log(40) : 40, number % 2 ? 0.5 : 20}, PRESSURE);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0, 0.05), CLAMP);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.04, 0.05), MOVED);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(-0.01, 0.05), STEADY);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, number % 2 - 1, per[(number + 1) % 3], fem_linear(0.9, 0.2), 0);
    for (int k = 0; k < 2; k++) {
        const int logarithmic = (number + k) % 2;
        const double rho = m[k].density;
        fem_case_design(c, PIO_DENSITY, k, per[(number + k) % 3],
                        (fem_transform){logarithmic, logarithmic ? log(rho) : rho, logarithmic ? 0.3 : 0.3 * rho}, 0);
        for (int i = 0; i < 5; i++) {
            const double value = m[k].parameters[i];
            const int log_i = (logarithmic + i) % 2 && value > 10;
            if (fabs(value) <= 0) continue;
            fem_case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + i), k, per[(number + k + i) % 3],
                            (fem_transform){log_i, log_i ? log(value) : value, log_i ? 0.2 : 0.2 * value}, 0);
        }
    }
}

/* At rest: y = sum q |X - Y|^2 over sum q, of the points that the sample has. */
static void weights_of_points_weigh_their_squares(void **unused)
{
    static fem_case c;
    double sample[FEM_SAMPLES], sum = 0, total = 0;
    (void)unused;
    structure(&c, 3, cells[D - 2][0][0], cells[D - 2][0][1]);
    const int near = fem_case_observe(&c, PIO_DISTANCE, 1);
    fem_case_sample(&c, near, 0, 0, 1);
    pio_observation_desc *d = &c.observation[near];
    double *q = calloc((size_t)d->rows, sizeof *q);
    assert_non_null(q);
    for (int r = 0; r < d->rows; r++) q[r] = r % 3;
    for (int i = 0; i < c.n; i++) {
        const int r = d->marker[i];
        if (r < 0 || isnan(d->points[r * D])) continue;
        total += q[r];
        for (int a = 0; a < D; a++) sum += q[r] * pow(c.rest[i * D + a] - d->points[r * D + a], 2);
    }
    d->point_weight = q;
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, sample);
    fem_case_below("weighted mean square of distances, relative", sample[0] / (sum / total) - 1, 1e-14, 1);
    assert_true(total > 1);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    free(q);
}

static void adjoint_is_the_derivative_for_every_law_parameter_and_observation(void **unused)
{
    (void)unused;
    for (int number = 0; number < FEM_LAWS; number += TEST_SANITIZED ? 4 : 1) {
        static taylor_run t;
        static fem_case c;
        char what[160];
        const pio_element_type *type = cells[D - 2][number % 4];
        structure(&c, number, type[0], type[1]);
        observe_everything(&c);
        design_everything(&c, number);
        taylor_begin(&t, &c, 0.2);
        snprintf(what, sizeof what, "%s and %s, %s and %s", fem_law_names[number % FEM_LAWS],
                 fem_law_names[(number + 4) % FEM_LAWS], fem_type_names[type[0]], fem_type_names[type[1]]);
        everything(&t);
        design_by_design(&t);
        taylor_end(&t, what);
        fem_case_free(&c);
    }
}

static void adjoint_is_the_derivative_for_every_element(void **unused)
{
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++) {
        static taylor_run t;
        static fem_case c;
        structure(&c, 3, fem_types[i], fem_types[i]);
        observe_everything(&c);
        design_everything(&c, 3);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        random_direction(&t, "positions, random", 0, fem_case_design_count(&c, 0));
        taylor_end(&t, fem_type_names[fem_types[i]]);
        fem_case_free(&c);
    }
}

/* One type of observation at a time, so that none hides behind the others. */
static void adjoint_is_the_derivative_for_every_observation_alone(void **unused)
{
    static const char *const names[] = {"displacement", "distance", "reaction", "compliance"};
    static const int first[] = {0, 2 * D, 2 * D + 2, 4 * D + 2, 4 * D + 3};
    (void)unused;
    for (int o = 0; o < 4; o++) {
        static taylor_run t;
        static fem_case c;
        structure(&c, 4, cells[D - 2][0][0], cells[D - 2][0][1]);
        observe_everything(&c);
        design_everything(&c, 4);
        assert_int_equal(c.samples, first[4]);
        for (int k = 0; k < c.samples; k++)
            if (k < first[o] || k >= first[o + 1]) c.linear[k] = c.square[k] = 0;
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        taylor_end(&t, names[o]);
        fem_case_free(&c);
    }
}

/* The same check, but a gradient that is off by 1e-4, or has one sign wrong, or lacks one design. */
static void wrong_gradients_are_refused(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    structure(&c, 3, cells[D - 2][0][0], cells[D - 2][0][1]);
    observe_everything(&c);
    design_everything(&c, 3);
    taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    const int n = c.variables, count = fem_case_design_count(&c, 0), one = steepest(&t, 0, count); /* of a position */
    for (int i = 0; i < n; i++) t.z_bar[i] *= 1.0001;
    assert_int_equal(gradient_direction(&t, "scaled by 1.0001, gradient", 0, n), PIO_TAYLOR_FAILED);
    assert_int_equal(random_direction(&t, "scaled by 1.0001, random", 0, n), PIO_TAYLOR_FAILED);
    assert_int_equal(single_direction(&t, "scaled by 1.0001, single", one), PIO_TAYLOR_FAILED);
    for (int i = 0; i < n; i++) t.z_bar[i] /= 1.0001;
    t.z_bar[one] *= -1;
    assert_int_equal(gradient_direction(&t, "one flipped sign, gradient", 0, n), PIO_TAYLOR_FAILED);
    assert_int_equal(single_direction(&t, "one flipped sign, single", one), PIO_TAYLOR_FAILED);
    t.z_bar[one] *= -1;
    memset(t.z_bar, 0, sizeof *t.z_bar * (size_t)count);
    assert_int_not_equal(random_direction(&t, "one design missing, random", 0, count), PIO_TAYLOR_PASSED);
    assert_int_equal(t.passed, 0);
    print_message("  6 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    piola_engine_fem.destroy(t.sim);
    fem_case_free(&c);
}

/* ---- tolerance of the adjoint solve ------------------------------------------------------------------------ */

/* Slope of log(error) over log(tolerance), by least squares: 1 where the error is in proportion. */
static double slope_of(const double *tolerance, const double *error, int n)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < n; k++) {
        x += log(tolerance[k]) / n;
        y += log(error[k]) / n;
    }
    for (int k = 0; k < n; k++) {
        xx += (log(tolerance[k]) - x) * (log(tolerance[k]) - x);
        xy += (log(tolerance[k]) - x) * (log(error[k]) - y);
    }
    return xy / xx;
}

/* So many unknowns that conjugate gradients do not end by themselves. */
static void long_beam(fem_case *c)
{
    fem_material m[2];
    material_pair(3, m);
    fem_case_begin(c, 1.0 / STEPS, STEPS);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_grid(
        c, (fem_grid){cells[D - 2][0][0], cells[D - 2][0][1], {D == 2 ? 24 : 12, D == 2 ? 6 : 3, 2}, sheared, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 12, -9, 4), ramp);
    fem_case_sample(c, fem_case_observe(c, PIO_DISPLACEMENT, 1), STEPS, 0, 1);
    const int work = fem_case_observe(c, PIO_COMPLIANCE, 1);
    for (int s = 1; s <= STEPS; s++) fem_case_sample(c, work, s, 0, 1);
    for (int k = 0; k < 2; k++)
        fem_case_design(c, PIO_LAW_PARAMETER_0, k, FEM_EACH, fem_logarithmic(log(m[k].parameters[0]), 1), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1), 0);
}

static void the_error_of_a_gradient_falls_in_proportion_to_the_tolerance_of_its_solve(void **unused)
{
    enum { RUNS = 6 };
    static const double tolerance[RUNS] = {3e-13, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
    static fem_case c;
    static double z[FEM_VARIABLES], exact[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    double error[RUNS], residual[RUNS] = {0};
    (void)unused;
    long_beam(&c);
    for (int k = 0; k < RUNS; k++) {
        c.fem.adjoint_tolerance = tolerance[k];
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        double size = 0, off = 0;
        fem_case_gradient(&c, sim, NULL, z, k ? z_bar : exact);
        for (int i = 0; i < c.variables; i++) {
            size += exact[i] * exact[i];
            off += k ? (z_bar[i] - exact[i]) * (z_bar[i] - exact[i]) : 0;
        }
        error[k] = sqrt(off / size);
        for (int s = 0; s < STEPS; s++) {
            pio_step_record record;
            assert_true(piola_engine_fem.record(sim, s, &record));
            residual[k] = fmax(residual[k], record.adjoint_residual);
            assert_true(record.adjoint_iterations > 0);
        }
        piola_engine_fem.destroy(sim);
        if (k == 0) continue;
        print_message("  adjoint tolerance %.0e: residual %.2g, error of the gradient %.2g\n", tolerance[k],
                      residual[k], error[k]);
        assert_true(residual[k] <= tolerance[k]);
        fem_case_below("  error of the gradient over the tolerance", error[k] / tolerance[k], 3, 0);
    }
    fem_case_below("slope of log(error) over log(tolerance), less 1", slope_of(tolerance + 1, error + 1, RUNS - 1) - 1,
                   0.1, 0);
    for (int k = 1; k < RUNS; k++) z_bar[k] = error[k] + 1e-6; /* a part that no tolerance lowers is seen */
    assert_true(slope_of(tolerance + 1, z_bar + 1, RUNS - 1) < 0.85);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_points_weigh_their_squares),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law_parameter_and_observation),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_element),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_observation_alone),
        cmocka_unit_test(wrong_gradients_are_refused),
        cmocka_unit_test(the_error_of_a_gradient_falls_in_proportion_to_the_tolerance_of_its_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
