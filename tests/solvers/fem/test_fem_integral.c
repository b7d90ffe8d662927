/* test_fem_integral.c -- volume, mass, strain energy and the norm of stress: against closed forms, and their
 * derivatives. */
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

enum { D = FEM_DIM, STEPS = 2, PLANE_STRESS = 2 };
static const double depth = 0.9; /* m, of what is 2D */

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

static const double volume = D == 3 ? 1.2 * 0.7 * 0.6 : 1.2 * 0.7 * 0.9;

/* Weight 1 for every element. */
static void count_all(fem_case *c, int observation)
{
    double *w = (double *)(uintptr_t)c->observation[observation].weight;
    for (int e = 0; e < c->elements; e++) w[e] = 1;
}

static void volume_and_mass_are_those_of_the_shape_for_every_element(void **unused)
{
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++) {
        static fem_case c;
        fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000), fem_material_of(PIO_HYPER_LINEAR, 1000)};
        double y[FEM_SAMPLES], mass = 0;
        char what[120];
        m[1].density = 1300;
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){fem_types[i], fem_types[i], {2, 2, 2}, sheared, 0.15});
        fem_case_matter(&c, m, 2, depth);
        fem_case_clamp(&c, 0, 0);
        const int V = fem_case_observe(&c, PIO_VOLUME, 1), M = fem_case_observe(&c, PIO_MASS, 1);
        count_all(&c, V);
        count_all(&c, M);
        fem_case_sample(&c, V, 1, 0, 1);
        fem_case_sample(&c, M, 1, 0, 1);
        for (int k = 0; k < 2; k++) { /* of one material, by the volume of its elements */
            const int part = fem_case_observe(&c, PIO_VOLUME, 1);
            double *w = (double *)(uintptr_t)c.observation[part].weight;
            for (int e = 0; e < c.elements; e++) w[e] = c.material[e] == k;
            fem_case_sample(&c, part, 1, 0, 1);
        }
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        for (int k = 0; k < 2; k++) mass += m[k].density * y[2 + k];
        snprintf(what, sizeof what, "%s: volume over that of the box, less 1", fem_type_names[fem_types[i]]);
        fem_case_below(what, y[0] / volume - 1, 4e-15, 2e-6);
        fem_case_below("  its parts over the whole, less 1", (y[2] + y[3]) / y[0] - 1, 4e-15, 2e-6);
        fem_case_below("  mass over the density of each times its volume, less 1", y[1] / mass - 1, 4e-15, 2e-6);
        assert_true(y[2] > 0.1 * volume && y[3] > 0.1 * volume);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

static void to_bar(const double s[3], double x[3])
{
    x[0] = 2 * s[0];
    x[1] = s[1];
    x[2] = 0.5 * s[2];
}

/* A bar that is pulled by `pull` Pa and free to contract; its three symmetry planes are constrained. Irregular elements
 * whose sides fit and whose rule is exact for a uniform stress: in 2D two quadratic types; in 3D hex8, as quadratic
 * ones with curved sides have neither. */
static void bar(fem_case *c, const fem_material *m, double pull)
{
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){D == 2 ? PIO_QUAD9 : PIO_HEX8, D == 2 ? PIO_TRI6 : PIO_HEX8, {3, 2, 2}, to_bar, 0.15});
    fem_case_matter(c, m, 1, depth);
    const int zero = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, a, 0, a, zero);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, pull, 0, 0), 0);
}

/* In linear elasticity the energy is half the work of the loads at their final values; in tension it is sigma^2/(2 E)
 * times the volume, in plane strain (1 - nu^2) of it. */
static void the_energy_of_a_bar_is_half_the_work_of_its_load(void **unused)
{
    static fem_case c;
    const double E = 1000, nu = 0.3, pull = 2, V = D == 3 ? 1.0 : 2 * depth;
    const fem_material m = fem_material_of(PIO_HYPER_LINEAR, E);
    double y[FEM_SAMPLES];
    (void)unused;
    bar(&c, &m, pull);
    const int energy = fem_case_observe(&c, PIO_STRAIN_ENERGY, 1), work = fem_case_observe(&c, PIO_COMPLIANCE, 1);
    count_all(&c, energy);
    fem_case_sample(&c, energy, 1, 0, 1);
    fem_case_sample(&c, work, 1, 0, 1);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, y);
    const double exact = V * pull * pull / (2 * E) * (D == 3 ? 1 : 1 - nu * nu);
    fem_case_below("energy/(work/2) - 1", 2 * y[0] / y[1] - 1, 1e-12, 2e-3);
    fem_case_below("energy/(V sigma^2/(2 E)) - 1", y[0] / exact - 1, 1e-12, 2e-3);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* One stress everywhere: its norm is itself for every p and every unit. von Mises' measure of tension is the tension;
 * in plane strain sigma_33 = nu sigma, and so sqrt(1 - nu + nu^2) of it. */
static void the_norm_of_a_uniform_stress_is_that_stress(void **unused)
{
    static const double power[] = {2, 8, 31}, size[] = {1e-3, 5, 1e6};
    const double pull = 2, nu = 0.3;
    (void)unused;
    for (int stress = 0; stress < (D == 2 ? 2 : 1); stress++) {
        static fem_case c;
        fem_material m = fem_material_of(PIO_HYPER_LINEAR, 1000);
        double y[FEM_SAMPLES];
        if (stress) m.parameter_form = PLANE_STRESS;
        bar(&c, &m, pull);
        for (int k = 0; k < 3; k++) {
            const int norm = fem_case_observe(&c, PIO_OF_VON_MISES, 1);
            c.observation[norm].power = power[k];
            c.observation[norm].size = size[k];
            fem_case_sample(&c, norm, 1, 0, 1);
        }
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        const double exact = pull * (D == 3 || stress ? 1 : sqrt(1 - nu + nu * nu));
        for (int k = 0; k < 3; k++) {
            char what[96];
            snprintf(what, sizeof what, "%s, p = %g, s0 = %g: norm over the stress, less 1",
                     D == 3   ? "tension"
                     : stress ? "tension in plane stress"
                              : "tension in plane strain",
                     power[k], size[k]);
            fem_case_below(what, y[k] / exact - 1, 1e-11, 2e-3);
        }
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Uniaxial stretch of a compressible solid at finite strain: what is pulled has the Cauchy stress of the force over the
 * area of now; in 3D that is von Mises' measure of it. */
static void stress_is_force_over_the_area_of_now(void **unused)
{
    (void)unused;
    for (int law = PIO_HYPER_FIXED_COROTATED; D == 3 && law < FEM_LAWS; law++) {
        static fem_case c;
        const fem_material m = fem_material_of((pio_hyper_law)law, 1000);
        double y[FEM_SAMPLES];
        char what[96];
        bar(&c, &m, 200);
        const int norm = fem_case_observe(&c, PIO_OF_VON_MISES, 1);
        fem_case_sample(&c, norm, 1, 0, 1);
        fem_case_observe_node(&c, fem_case_at(&c, 0, c.lines[1] - 1, c.lines[2] - 1), 1);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        const double area = (1 + y[2]) * (1 + y[3] / 0.5), exact = 200 / area;
        snprintf(what, sizeof what, "%s: 200 Pa on an area of %.4f: norm over the stress, less 1", fem_law_names[law],
                 area);
        fem_case_below(what, y[0] / exact - 1, 1e-10, 1);
        assert_true(fabs(area - 1) > 0.02);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Two laws in irregular elements; clamped, heavy, pulled and pressed, one edge moved. */
static void structure(fem_case *c, int number, pio_element_type even, pio_element_type odd)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(number % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((number + 4) % FEM_LAWS), 1500)};
    if (D == 2 && m[0].law == PIO_HYPER_LINEAR && number) m[0].parameter_form = PLANE_STRESS;
    fem_case_begin(c, 0.5, STEPS);
    c->random = 7 + (uint64_t)number;
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_grid(c, (fem_grid){even, odd, {D == 2 ? 3 : 2, D == 2 ? 2 : 1, 1}, sheared, 0.15});
    fem_case_matter(c, m, 2, depth);
    fem_case_clamp(c, 0, 0);
    const int moved = fem_case_support(c, 0.04, ramp);
    for (int i = 0; i < c->n; i++)
        if (fem_case_on_side(c, i, 0, 1) && fem_case_on_side(c, i, 1, 0)) fem_case_hold(c, i, 1, moved);
    const int traction = fem_case_value(c, 50, -28, 12), pressure = fem_case_value(c, 60, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, traction, ramp);
    fem_case_load(c, PIO_PRESSURE, 1, 1, pressure, ramp);
    c->desc.gravity[1] = -0.06;
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(30, 20), traction);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.04, 0.05), moved);
    fem_case_design(c, PIO_DENSITY, -1, FEM_EACH, fem_logarithmic(log(1000), 0.3), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(depth, 0.2), 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++)
            if (fabs(m[k].parameters[i]) > 0)
                fem_case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + i), k, i % 2 ? FEM_SCALAR : FEM_EACH,
                                fem_linear(m[k].parameters[i], 0.2 * m[k].parameters[i]), 0);
}

static const pio_observable integrals[] = {PIO_VOLUME, PIO_MASS, PIO_STRAIN_ENERGY, PIO_OF_VON_MISES};
static const char *const integral_names[] = {"volume", "mass", "strain energy", "stress"};

/* At both steps, the second one as a mean; J is near 1. */
static void observe(fem_case *c, pio_observable type)
{
    const int o = fem_case_observe(c, type, 2), first = c->samples - 2;
    fem_case_sample(c, o, 1, 0, 1);
    fem_case_sample(c, o, 1, 1, 0.4);
    fem_case_sample(c, o, STEPS, 1, 0.6);
    for (int k = 0; k < 2; k++) {
        const double unit = type == PIO_MASS ? 1e-3 : type == PIO_OF_VON_MISES ? 1e-2 : 1;
        c->linear[first + k] *= unit;
        c->square[first + k] *= unit * unit;
    }
}

static void adjoint_is_the_derivative_for_every_law_and_integral(void **unused)
{
    static const pio_element_type cells[2][2] = {{PIO_TRI6, PIO_QUAD9}, {PIO_HEX8, PIO_TET4}};
    (void)unused;
    for (int number = 0; number < FEM_LAWS; number += TEST_SANITIZED ? 4 : 1)
        for (int k = number ? 2 : 0; k < 4; k++) {
            static taylor_run t;
            static fem_case c;
            char what[160];
            structure(&c, number, cells[D - 2][0], cells[D - 2][1]);
            observe(&c, integrals[k]);
            taylor_begin(&t, &c, 0.2);
            everything(&t);
            if (number % 3 == 1) design_by_design(&t);
            snprintf(what, sizeof what, "%s of %s and %s", integral_names[k], fem_law_names[number % FEM_LAWS],
                     fem_law_names[(number + 4) % FEM_LAWS]);
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
        for (int k = 0; k < 4; k++) observe(&c, integrals[k]);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        random_direction(&t, "positions, random", 0, fem_case_design_count(&c, 0));
        taylor_end(&t, fem_type_names[fem_types[i]]);
        fem_case_free(&c);
    }
}

static void a_stress_whose_gradient_is_wrong_is_refused(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    structure(&c, 3, fem_types[1], fem_types[1]);
    observe(&c, PIO_OF_VON_MISES);
    taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    for (int i = 0; i < c.variables; i++) t.z_bar[i] *= 1.0001;
    assert_int_equal(gradient_direction(&t, "scaled by 1.0001, gradient", 0, c.variables), PIO_TAYLOR_FAILED);
    assert_int_equal(random_direction(&t, "scaled by 1.0001, random", 0, c.variables), PIO_TAYLOR_FAILED);
    piola_engine_fem.destroy(t.sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_and_mass_are_those_of_the_shape_for_every_element),
        cmocka_unit_test(the_energy_of_a_bar_is_half_the_work_of_its_load),
        cmocka_unit_test(the_norm_of_a_uniform_stress_is_that_stress),
        cmocka_unit_test(stress_is_force_over_the_area_of_now),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law_and_integral),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_element),
        cmocka_unit_test(a_stress_whose_gradient_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
