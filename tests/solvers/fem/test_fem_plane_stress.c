/* test_fem_plane_stress.c -- the linear law in plane stress against closed forms and published numbers. */
#include "tests/solvers/fem/fem_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STRESS = 2 }; /* bit of pio_fem_desc.parameter_form */

static fem_material plane(double E, double nu)
{
    return (fem_material){.law = PIO_HYPER_LINEAR, .parameter_form = STRESS, .parameters = {E, nu}};
}

static void to_membrane(const double s[3], double x[3])
{
    x[0] = 48 * s[0];
    x[1] = (1 - s[0]) * 44 * s[1] + s[0] * (44 + 16 * s[1]);
}

/* Cook's membrane, E = 1, nu = 1/3, a force of 1 spread on the right side: vertical displacements at (48, 52) and (48,
 * 60). */
static void cook(int n, double deflection[2])
{
    static fem_case c;
    const fem_material m = plane(1, 1.0 / 3);
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){PIO_QUAD4, PIO_QUAD4, {n, n, 1}, to_membrane, 0});
    fem_case_matter(&c, &m, 1, 1);
    fem_case_clamp(&c, 0, 0);
    fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 0, 1.0 / 16, 0), 0);
    for (int k = 0; k < 2; k++) fem_case_observe_node(&c, fem_case_at(&c, n, k ? n : n / 2, 0), 1);
    double y[FEM_SAMPLES];
    pio_sim *sim = fem_case_create(&c, 0, 2);
    fem_case_forward(&c, sim, NULL, y);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    deflection[0] = y[1];
    deflection[1] = y[3];
}

static void cooks_membrane_gives_the_published_numbers(void **unused)
{
    static const double table[5][2] = {{11.845180, 11.917568},
                                       {18.299166, 18.618512},
                                       {22.079183, 22.672619},
                                       {23.430411, 24.271986},
                                       {23.817634, 24.836628}};
    (void)unused;
    for (int k = 0; k < 5; k++) {
        double u[2];
        cook(2 << k, u);
        for (int p = 0; p < 2; p++) {
            char what[96];
            snprintf(what, sizeof what, "Cook, n = %d, %s: %.8f, published %.6f", 2 << k,
                     p ? "corner" : "middle of the edge", u[p], table[k][p]);
            fem_case_below(what, u[p] - table[k][p], 5.1e-7, 1);
        }
    }
}

static void to_two(const double s[3], double x[3])
{
    x[0] = 2 * s[0];
    x[1] = s[1];
}

static void two_elements_have_the_known_compliance_and_its_derivative(void **unused)
{
    static fem_case c;
    static const double dC_dt[2] = {-0.02082152993041, -0.00531040670860};
    const fem_material m = plane(1000, 0.3);
    int32_t tip, owner = 1;
    double z[2] = {0}, z_bar[2];
    (void)unused;
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){PIO_QUAD4, PIO_QUAD4, {2, 1, 1}, to_two, 0});
    fem_case_matter(&c, &m, 1, 1);
    fem_case_clamp(&c, 0, 0);
    tip = fem_case_at(&c, 2, 1, 0);
    c.load[c.fem.n_loads++] = (pio_load_desc){.kind = PIO_TRACTION,
                                              .type = PIO_POINT1,
                                              .n = 1,
                                              .vertices = &tip,
                                              .owner = &owner,
                                              .value = fem_case_value(&c, 0, -1, 0),
                                              .scale = 1};
    const int work = fem_case_observe(&c, PIO_COMPLIANCE, 1);
    fem_case_sample(&c, work, 1, 0, 1);
    c.linear[0] = 1, c.square[0] = 0;
    fem_case_design(&c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(1, 1), 0);
    pio_sim *sim = fem_case_create(&c, 1, 1);
    const double C = fem_case_gradient(&c, sim, NULL, z, z_bar);
    print_message("  compliance %.14f, dC/dt %.14f %.14f\n", C, z_bar[0], z_bar[1]);
    fem_case_below("compliance - 0.02613193663901", C - 0.02613193663901, 6e-15, 1);
    const int turned = fabs(z_bar[0]) < fabs(z_bar[1]); /* elements have no order */
    for (int e = 0; e < 2; e++) fem_case_below("dC/dt - published", z_bar[turned ? 1 - e : e] - dC_dt[e], 6e-15, 1);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* A bar that is free to contract: u = F L/(E A) whatever nu, du/dE = -u/E, du/dnu = 0; given by E, nu or by mu,
 * lambda. */
static void a_bar_knows_no_contraction(void **unused)
{
    const double E = 1000, nu = 0.3, F = 20, L = 2, exact = F * L / E, mu = E / (2 * (1 + nu));
    (void)unused;
    for (int by_lame_parameters = 0; by_lame_parameters < 2; by_lame_parameters++) {
        static fem_case c;
        fem_material m = plane(E, nu);
        if (by_lame_parameters)
            m.parameter_form |= 1, m.parameters[0] = mu, m.parameters[1] = 2 * mu * nu / (1 - 2 * nu);
        double y[FEM_SAMPLES], z[2] = {0}, z_bar[2];
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){PIO_QUAD9, PIO_TRI6, {3, 2, 1}, to_two, 0.2});
        fem_case_matter(&c, &m, 1, 0.7);
        const int zero = fem_case_support(&c, 0, -1);
        for (int a = 0; a < 2; a++) fem_case_hold_side(&c, a, 0, a, zero);
        fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, F, 0, 0), 0);
        fem_case_observe_node(&c, fem_case_at(&c, c.lines[0] - 1, 0, 0), 0);
        for (int k = 0; k < 2; k++)
            fem_case_design(&c, k ? PIO_LAW_PARAMETER_1 : PIO_LAW_PARAMETER_0, -1, FEM_SCALAR,
                            fem_linear(m.parameters[k], m.parameters[k]), 0);
        pio_sim *sim = fem_case_create(&c, 1, 1);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        fem_case_forward(&c, sim, z, y);
        /* E = mu (3 lambda + 2 mu)/(lambda + mu) */
        const double l = m.parameters[1], s = l + mu, dE_dmu = (3 * l * l + 4 * l * mu + 2 * mu * mu) / (s * s);
        const double want[2] = {by_lame_parameters ? -exact / E * dE_dmu * mu : -exact,
                                by_lame_parameters ? -exact / E * mu * mu / (s * s) * l : 0};
        fem_case_below(by_lame_parameters ? "bar by mu, lambda: u E/(F L) - 1" : "bar by E, nu: u E/(F L) - 1",
                       y[0] / exact - 1, 1e-10, 1);
        fem_case_below("derivative with respect to the first constant", (z_bar[0] - want[0]) / exact, 1e-10, 1);
        fem_case_below("derivative with respect to the second", (z_bar[1] - want[1]) / exact, 1e-10, 1);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooks_membrane_gives_the_published_numbers),
        cmocka_unit_test(two_elements_have_the_known_compliance_and_its_derivative),
        cmocka_unit_test(a_bar_knows_no_contraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
