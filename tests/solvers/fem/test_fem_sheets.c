/* test_fem_sheets.c -- plane stress at finite strain: sheets of every law that are stretched in one direction, or in
 * two, against the laws written out in principal stretches; what frames and observations say of the third direction.
 * f64, 2D. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double length = 2, depth = 0.3;

/* ---- the laws in principal stretches ----------------------------------------------------------------------------- */

/* P_i of the stretches l, as the authors of the laws write their energies. */
static double stress_of(const fem_material *m, const double l[3], int i)
{
    const double *k = m->parameters, J = l[0] * l[1] * l[2];
    const double mu = k[0] / (2 * (1 + k[1])), lambda = k[0] * k[1] / ((1 + k[1]) * (1 - 2 * k[1]));
    const double kappa = lambda + 2 * mu / 3, I1 = l[0] * l[0] + l[1] * l[1] + l[2] * l[2];
    const double I2 = J * J * (1 / (l[0] * l[0]) + 1 / (l[1] * l[1]) + 1 / (l[2] * l[2])), e = cbrt(1 / (J * J));
    const int own = (int)m->law & ~PIO_VOLUME_QUADRATIC, quadratic = own != (int)m->law;
    const double pressure = quadratic ? (J - 1) * J : (J * J - 1) / 2; /* per kappa, times J */
    double sum = 0;
    switch (own) {
    case PIO_HYPER_ST_VENANT:
        return l[i] * (mu * (l[i] * l[i] - 1) + lambda / 2 * (I1 - 3));
    case PIO_HYPER_FIXED_COROTATED:
        return 2 * mu * (l[i] - 1) + lambda * (J - 1) * J / l[i];
    case PIO_HYPER_NEO_HOOKEAN:
        return mu * l[i] + (lambda * (quadratic ? pressure : log(J)) - mu) / l[i];
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return mu * e * (l[i] - I1 / (3 * l[i])) + kappa * pressure / l[i];
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        return 4 * mu / 3 * I1 / (I1 + 1) * l[i] + ((lambda + 5 * mu / 6) * (J - 1) - mu) * J / l[i];
    case PIO_HYPER_MOONEY_RIVLIN:
        return 2 * k[0] * e * (l[i] - I1 / (3 * l[i])) +
               2 * k[1] * e * e * (l[i] * (I1 - l[i] * l[i]) - 2 * I2 / (3 * l[i])) + k[2] * pressure / l[i];
    case PIO_HYPER_OGDEN:
        for (int p = 0; p < 2; p++)
            for (int c = 0; c < 3; c++)
                sum += k[2 * p] * (c == i ? 2.0 / 3 : -1.0 / 3) * pow(l[c] / cbrt(J), k[2 * p + 1]);
        return (sum + k[4] * pressure) / l[i];
    default:
        return (2 * mu * log(l[i]) + lambda * log(J)) / l[i];
    }
}

/* The stretch l_2 = l_3, or with `both` l_3 beside l_2 = l_1, for which P_3 is 0, by bisection: P_3 rises with it. */
static void relax(const fem_material *m, double l[3], int both)
{
    double low = 0.2, high = 2;
    for (int i = 0; i < 60; i++) {
        l[2] = (low + high) / 2;
        l[1] = both ? l[0] : l[2];
        *(stress_of(m, l, 2) < 0 ? &low : &high) = l[2];
    }
}

/* ---- sheets ------------------------------------------------------------------------------------------------------ */

static void to_sheet(const double s[3], double x[3])
{
    x[0] = length * s[0];
    x[1] = s[1];
}

/* Irregular elements, stretched to `l` along x, and with `both` along y. */
static void sheet(fem_case *c, const fem_material *m, double l, int both)
{
    enum { STEPS = 3 };
    fem_case_begin(c, 1.0 / STEPS, STEPS);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_grid(c, (fem_grid){PIO_QUAD9, PIO_TRI6, {3, 2, 1}, to_sheet, 0.15});
    fem_case_matter(c, m, 1, depth);
    c->fem.plane = PIO_PLANE_STRESS;
    const int zero = fem_case_support(c, 0, -1);
    for (int a = 0; a < 2; a++) fem_case_hold_side(c, a, 0, a, zero);
    fem_case_hold_side(c, 0, 1, 0, fem_case_support(c, (l - 1) * length, ramp));
    if (both) fem_case_hold_side(c, 1, 1, 1, fem_case_support(c, l - 1, ramp));
}

/* What a sheet says, and what is right of it. */
enum { FORCE, STRESS, ACROSS, STRAIN_ACROSS, RATIO, ENERGY, NUMBERS };
static const char *const names[NUMBERS] = {"force/P", "Cauchy's stress", "stress across/P", "strain across",
                                           "J",       "energy"};

/* Observes the force on the right side, and the fields of all elements, in that order. */
static void observe(fem_case *c)
{
    static const pio_observable types[] = {PIO_REACTION, PIO_OF_CAUCHY_STRESS, PIO_OF_GREEN_STRAIN, PIO_OF_J,
                                           PIO_OF_ENERGY_DENSITY};
    static double side[4096], all[4096];
    memset(side, 0, sizeof side);
    for (int i = 0; i < c->n; i++) side[2 * i] = fem_case_on_side(c, i, 0, 1);
    for (int e = 0; e < c->elements; e++) all[e] = 1;
    for (int k = 0; k < 5; k++) {
        const int o = fem_case_observe(c, types[k], 1);
        c->observation[o].weight = k ? all : side;
        fem_case_sample(c, o, c->desc.steps, 0, 1);
    }
}

/* Returns the energy by integrating P along the path of stretches, with 200 intervals of Simpson's rule. */
static double work(const fem_material *m, double l, int both)
{
    enum { INTERVALS = 200 };
    const double h = (l - 1) / INTERVALS;
    double sum = 0;
    for (int i = 0; i <= INTERVALS; i++) {
        double at[3] = {1 + i * h, 0, 0};
        relax(m, at, both);
        sum += (i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2) * stress_of(m, at, 0);
    }
    return (both ? 2 : 1) * sum * h / 3;
}

static void stretched(pio_hyper_law law, double l, int both)
{
    static fem_case c;
    const fem_material m = fem_material_of(law, 1000);
    double s[3] = {l, 0, 0}, y[FEM_SAMPLES], worst[NUMBERS];
    relax(&m, s, both);
    const double J = s[0] * s[1] * s[2], P = stress_of(&m, s, 0), energy = work(&m, l, both);
    sheet(&c, &m, l, both);
    observe(&c);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, y);
    /* y: reaction x, y; sigma xx, yy, zz, xy; strain xx, yy, zz, xy; J; energy */
    worst[FORCE] = y[0] / (depth * P) - 1;
    worst[STRESS] = fabs(y[2] / (P * l / J) - 1) + fabs(y[3] / P - (both ? l / J : 0)) + fabs(y[5] / P);
    worst[ACROSS] = y[4] / P;
    worst[STRAIN_ACROSS] = y[8] - (s[2] * s[2] - 1) / 2;
    worst[RATIO] = y[10] - J;
    worst[ENERGY] = y[11] / energy - 1;
    for (int k = 0; k < NUMBERS; k++) {
        char what[120];
        snprintf(what, sizeof what, "%s to %g%s: %s", fem_law_names[law], l, both ? " both ways" : "", names[k]);
        fem_case_below(what, worst[k], 1e-10, 1);
    }
    if (!(fabs(s[2] - 1) > 0.05)) fail_msg("the sheet keeps its thickness");
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void every_law_is_stretched_in_one_direction(void **unused)
{
    (void)unused;
    for (int law = PIO_HYPER_ST_VENANT; law < 2 * PIO_VOLUME_QUADRATIC; law = fem_next_law(law))
        stretched((pio_hyper_law)law, 1.5, 0);
}

static void every_law_is_stretched_in_two(void **unused)
{
    (void)unused;
    for (int law = PIO_HYPER_ST_VENANT; law < 2 * PIO_VOLUME_QUADRATIC; law = fem_next_law(law))
        stretched((pio_hyper_law)law, 1.3, 1);
}

/* Beyond the stretch at which St Venant's thickness is 0 the law has no value, and the run says so. */
static void a_sheet_without_a_thickness_is_an_error(void **unused)
{
    static fem_case c;
    piola_error error;
    const fem_material m = fem_material_of(PIO_HYPER_ST_VENANT, 1000);
    (void)unused;
    sheet(&c, &m, 2.2, 1);
    c.fem.halvings = 2;
    fem_case_observe_node(&c, 0, 0);
    const piola_status rc = fem_case_try(&c, NULL, 0, &error);
    printf("    status %d: %s\n", rc, error.message);
    if (rc != PIOLA_NUMERICAL) fail_msg("status %d", rc);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_stretched_in_one_direction),
        cmocka_unit_test(every_law_is_stretched_in_two),
        cmocka_unit_test(a_sheet_without_a_thickness_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
