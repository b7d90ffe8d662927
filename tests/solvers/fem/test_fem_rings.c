/* test_fem_rings.c -- axisymmetric meshes: a tube and a hollow sphere under pressure against Lame's formulas, a
 * neo-Hookean tube at finite strain against the equation of its radius, patches, volumes; derivatives of everything by
 * Taylor's test, at rest and in motion. f64, 2D. */
#include "tests/sanitized.h"
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

static const double inner = 1, outer = 2, young = 1000, poisson = 0.3, turn = 6.283185307179586;

static void to_tube(const double s[3], double x[3])
{
    x[0] = inner + (outer - inner) * s[0];
    x[1] = 0.5 * s[1];
}

/* A quarter of a circle from the equator to the axis. */
static void to_shell(const double s[3], double x[3])
{
    const double R = inner + (outer - inner) * s[0], angle = turn / 4 * s[1];
    x[0] = s[1] < 1 ? R * cos(angle) : 0;
    x[1] = R * sin(angle);
}

static fem_material hooke(void)
{
    return (fem_material){.law = PIO_HYPER_LINEAR, .parameters = {young, poisson}, .density = 3};
}

/* Puts the nodes between vertices on the map, too. */
static void curve_grid(fem_case *c, fem_map map)
{
    for (int j = 0; j < c->lines[1]; j++)
        for (int i = 0; i < c->lines[0]; i++) {
            const double s[3] = {(double)i / (c->lines[0] - 1), (double)j / (c->lines[1] - 1), 0};
            double x[3];
            if (fem_case_at(c, i, j, 0) < 0) continue;
            map(s, x);
            for (int a = 0; a < 2; a++) c->rest[2 * fem_case_at(c, i, j, 0) + a] = x[a];
        }
}

/* Cells along and across, of one type, in the shape of the map; no motion along y at the lower side. */
static void body(fem_case *c, pio_element_type type, int along, int across, fem_map map, const fem_material *m)
{
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){type, type, {along, across, 1}, map, 0});
    curve_grid(c, map);
    fem_case_matter(c, m, 1, 1);
    c->fem.plane = PIO_AXISYMMETRIC;
    fem_case_hold_side(c, 1, 0, 1, fem_case_support(c, 0, -1));
}

/* u_r of the node of the inner side at the lower one; or the mean of the motion along the normal of the inner side, of
 * this area, by the work of a pressure of 10 Pa. */
static double inner_motion(fem_case *c, double area)
{
    double y[FEM_SAMPLES];
    const int first = c->samples;
    if (area > 0)
        fem_case_sample(c, fem_case_observe(c, PIO_COMPLIANCE, 1), c->desc.steps, 0, 1 / (10 * area));
    else
        fem_case_observe_node(c, fem_case_at(c, 0, 0, 0), 0);
    pio_sim *sim = fem_case_create(c, 0, 1);
    fem_case_forward(c, sim, NULL, y);
    piola_engine_fem.destroy(sim);
    return y[first];
}

static double tube(pio_element_type type, int cells)
{
    static fem_case c;
    const fem_material m = hooke();
    body(&c, type, cells, cells / 2, to_tube, &m);
    fem_case_hold_side(&c, 1, 1, 1, fem_case_support(&c, 0, -1));
    fem_case_load(&c, PIO_PRESSURE, 0, 0, fem_case_value(&c, 10, 0, 0), 0);
    const double u = inner_motion(&c, turn * inner * 0.5);
    fem_case_free(&c);
    return u;
}

static double shell(pio_element_type type, int cells)
{
    static fem_case c;
    const fem_material m = hooke();
    body(&c, type, cells, 2 * cells, to_shell, &m);
    fem_case_hold_side(&c, 1, 1, 0, fem_case_support(&c, 0, -1));
    fem_case_load(&c, PIO_PRESSURE, 0, 0, fem_case_value(&c, 10, 0, 0), 0);
    const double u = inner_motion(&c, turn * inner * inner);
    fem_case_free(&c);
    return u;
}

/* The errors of two meshes, one with twice the cells of the other, and how they fall. */
static void falls(const char *what, pio_element_type type, const double error[2], double least, double limit)
{
    char text[120];
    const double rate = log2(fabs(error[0] / error[1]));
    snprintf(text, sizeof text, "%s of %s: error %.2e, then", what, fem_type_names[type], error[0]);
    fem_case_below(text, error[1], limit, 1);
    printf("    rate %.2f, at least %.2f\n", rate, least);
    if (!(rate >= least)) fail_msg("the error falls at a rate of %.2f", rate);
}

/* Lame 1852: u = (1 + nu)/E p a^2/(b^2 - a^2) ((1 - 2 nu) r + b^2/r) of a tube that is held along its axis. */
static void a_tube_under_pressure_is_lames(void **unused)
{
    const double a2 = inner * inner, b2 = outer * outer;
    const double exact = (1 + poisson) / young * 10 * a2 / (b2 - a2) * ((1 - 2 * poisson) * inner + b2 / inner);
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++) {
        const int linear = fem_types[i] == PIO_TRI3 || fem_types[i] == PIO_QUAD4;
        const double error[2] = {tube(fem_types[i], linear ? 16 : 8) / exact - 1,
                                 tube(fem_types[i], linear ? 32 : 16) / exact - 1};
        falls("tube", fem_types[i], error, linear ? 1.9 : 3.5, linear ? 4e-3 : 5e-6);
    }
}

/* Lame: u = p a^3/(E (b^3 - a^3)) ((1 - 2 nu) R + (1 + nu) b^3/(2 R^2)) of a hollow sphere. Its pole is on the axis. */
static void a_hollow_sphere_under_pressure_is_lames(void **unused)
{
    const double a3 = pow(inner, 3), b3 = pow(outer, 3);
    const double exact =
        10 * a3 / (young * (b3 - a3)) * ((1 - 2 * poisson) * inner + (1 + poisson) * b3 / (2 * inner * inner));
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++) {
        const int linear = fem_types[i] == PIO_TRI3 || fem_types[i] == PIO_QUAD4;
        const double error[2] = {shell(fem_types[i], 4) / exact - 1, shell(fem_types[i], 8) / exact - 1};
        falls("sphere", fem_types[i], error, linear ? 1.7 : 3, linear ? 5e-2 : 1e-3);
    }
}

/* ---- a neo-Hookean tube at finite strain ----------------------------------------------------------------------- */

/* P_r = mu (l - 1/l) + lambda ln(l h)/l of the stretches l along the radius and h around; P_h is that of (h, l). */
static double stress_of(double l, double h)
{
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return mu * (l - 1 / l) + lambda * log(l * h) / l;
}

/* The stretch along the radius that has this stress, by bisection to the last bit: P_r rises with it. */
static double stretch_of(double P, double h)
{
    double low = 0.05, high = 5;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(stress_of(middle, h) < P ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* d(r)/dR = l,  d(P_r)/dR = (P_h - P_r)/R. */
static void slope_of(double R, const double y[2], double dy[2])
{
    dy[0] = stretch_of(y[1], y[0] / R);
    dy[1] = (stress_of(y[0] / R, dy[0]) - y[1]) / R;
}

/* P_r at the outer radius, where the inner radius is r and the pressure p: P_r = -p r/a there. Runge and Kutta 1901. */
static double outer_stress(double r, double p)
{
    enum { STEPS = 400 };
    const double h = (outer - inner) / STEPS;
    double y[2] = {r, -p * r / inner};
    for (int i = 0; i < STEPS; i++) {
        const double R = inner + i * h;
        double k[4][2], at[2];
        slope_of(R, y, k[0]);
        for (int s = 1; s < 4; s++) {
            const double part = s < 3 ? h / 2 : h;
            for (int c = 0; c < 2; c++) at[c] = y[c] + part * k[s - 1][c];
            slope_of(R + part, at, k[s]);
        }
        for (int c = 0; c < 2; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    return y[1];
}

/* A follower pressure at the inner face; the tube is held along its axis. */
static void a_neo_hookean_tube_is_inflated_as_its_equation_says(void **unused)
{
    enum { STEPS = 4 };
    const double p = 150;
    double low = inner, high = 2 * inner, error[2];
    (void)unused;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        *(outer_stress(middle, p) < 0 ? &low : &high) = middle;
    }
    for (int n = 0; n < 2; n++) {
        static fem_case c;
        const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {young, poisson}, .density = 1};
        body(&c, PIO_QUAD9, 8 << n, 1, to_tube, &m);
        c.desc.steps = STEPS;
        c.desc.dt = 1.0 / STEPS;
        const int ramp = fem_case_curve(&c, 2, (double[]){0, 1}, (double[]){0, 1});
        fem_case_hold_side(&c, 1, 1, 1, fem_case_support(&c, 0, -1));
        fem_case_load(&c, PIO_FOLLOWER, 0, 0, fem_case_value(&c, p, 0, 0), ramp);
        error[n] = (inner + inner_motion(&c, 0)) / low - 1;
        fem_case_free(&c);
    }
    printf("    the inner radius grows from 1 to %.9f\n", low);
    if (!(low > 1.2)) fail_msg("the strain is not finite");
    falls("inflated tube", PIO_QUAD9, error, 3.5, 2e-6);
}

/* ---- patches and volumes ----------------------------------------------------------------------------------------- */

static void to_rhomb(const double s[3], double x[3])
{
    x[0] = 0.5 + s[0] + 0.3 * s[1];
    x[1] = 0.8 * s[1] - 0.2 * s[0];
}

/* u = (a x, b y) has the same stress everywhere, with P_r = P_h, which every distorted element has exactly where the
 * border moves so. */
static void a_patch_of_every_element_has_one_stress(void **unused)
{
    const double a = 0.2, b = -0.15;
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++)
        for (int law = 0; law < FEM_LAWS; law += TEST_SANITIZED ? 4 : 1) {
            static fem_case c;
            char what[120];
            const fem_material m = fem_material_of((pio_hyper_law)law, young);
            fem_case_begin(&c, 1, 1);
            fem_case_grid(&c, (fem_grid){fem_types[i], fem_types[i], {3, 3, 1}, to_rhomb, 0.12});
            fem_case_matter(&c, &m, 1, 1);
            c.fem.plane = PIO_AXISYMMETRIC;
            for (int n = 0; n < c.n; n++) {
                const double *X = c.rest + 2 * n;
                if (!fem_case_on_side(&c, n, 0, 0) && !fem_case_on_side(&c, n, 0, 1) &&
                    !fem_case_on_side(&c, n, 1, 0) && !fem_case_on_side(&c, n, 1, 1))
                    continue;
                fem_case_hold(&c, n, 0, fem_case_support(&c, a * X[0], -1));
                fem_case_hold(&c, n, 1, fem_case_support(&c, b * X[1], -1));
            }
            pio_sim *sim = fem_case_create(&c, 0, 1);
            fem_case_forward(&c, sim, NULL, NULL);
            double *u = fem_case_read(sim, "displacement"), worst = 0;
            for (int n = 0; n < c.n; n++)
                worst =
                    fmax(worst, fmax(fabs(u[2 * n] - a * c.rest[2 * n]), fabs(u[2 * n + 1] - b * c.rest[2 * n + 1])));
            snprintf(what, sizeof what, "%s, %s: patch", fem_type_names[fem_types[i]], fem_law_names[law]);
            fem_case_below(what, worst, 1e-10, 1);
            free(u);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* The volume of the ring that a rhomb sweeps is 2 pi times its area and the radius of its centre; density 3. */
static void volume_and_mass_are_those_of_the_ring(void **unused)
{
    const double area = 0.8 + 0.2 * 0.3, radius = 0.5 + 0.5 + 0.15;
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++) {
        static fem_case c;
        static double all[4096];
        double y[FEM_SAMPLES];
        const fem_material m = hooke();
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){fem_types[i], fem_types[i], {3, 3, 1}, to_rhomb, 0.12});
        fem_case_matter(&c, &m, 1, 1);
        c.fem.plane = PIO_AXISYMMETRIC;
        fem_case_clamp(&c, 0, 0);
        for (int e = 0; e < c.elements; e++) all[e] = 1;
        for (int k = 0; k < 2; k++) {
            const int o = fem_case_observe(&c, k ? PIO_MASS : PIO_VOLUME, 1);
            c.observation[o].weight = all;
            fem_case_sample(&c, o, 1, 0, 1);
        }
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        fem_case_below("volume of a ring, less 1", y[0] / (turn * area * radius) - 1, 1e-13, 1);
        fem_case_below("mass of a ring, less 1", y[1] / (3 * turn * area * radius) - 1, 1e-13, 1);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- supports ---------------------------------------------------------------------------------------------------- */

/* Nothing but motion along the axis is free. */
static void rings_move_along_their_axis_alone(void **unused)
{
    (void)unused;
    for (int held = 0; held < 2; held++) {
        static fem_case c;
        piola_error error;
        const fem_material m = hooke();
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){PIO_QUAD4, PIO_QUAD4, {3, 2, 1}, to_tube, 0});
        fem_case_matter(&c, &m, 1, 1);
        c.fem.plane = PIO_AXISYMMETRIC;
        fem_case_hold(&c, fem_case_at(&c, 1, 1, 0), held, fem_case_support(&c, 0, -1));
        const piola_status rc = fem_case_try(&c, NULL, 0, &error);
        if (held ? rc != PIOLA_OK : rc != PIOLA_BAD_DATA) fail_msg("status %d: %s", rc, error.message);
        if (!held && !strstr(error.message, "nothing keeps it from moving along y;")) fail_msg("'%s'", error.message);
        fem_case_free(&c);
    }
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* Two laws in irregular elements; held below, heavy, pulled, pressed, on springs. */
static void structure(fem_case *c, int number, pio_plane_state plane, int moves)
{
    const fem_material m[2] = {fem_material_of((pio_hyper_law)(number % FEM_LAWS), 1000),
                               fem_material_of((pio_hyper_law)((number + 4) % FEM_LAWS), 1500)};
    static const pio_element_type cells[3][2] = {{PIO_TRI6, PIO_QUAD9}, {PIO_QUAD4, PIO_TRI3}, {PIO_QUAD8, PIO_QUAD8}};
    const pio_element_type *type = cells[number % 3];
    fem_case_begin(c, 0.25, 2);
    c->random = 7 + (uint64_t)number;
    const int ramp = fem_case_curve(c, 2, (double[]){0, 0.5}, (double[]){0.2, 1});
    fem_case_grid(c, (fem_grid){type[0], type[1], {3, 2, 1}, to_rhomb, 0.15});
    fem_case_matter(c, m, 2, plane == PIO_AXISYMMETRIC ? 1 : 0.3);
    c->fem.plane = plane;
    for (int e = 0; e < c->elements; e++)
        c->parameter_form[e] |= plane == PIO_PLANE_STRESS && c->law[e] == PIO_HYPER_LINEAR ? 2 : 0;
    fem_case_clamp(c, 1, 0);
    const int traction = fem_case_value(c, 50, -28, 0), pressure = fem_case_value(c, 40, 0, 0);
    const int follower = fem_case_value(c, 60, 0, 0), spring = fem_case_value(c, 70, 30, 0);
    const int pushed = fem_case_value(c, 9, -20, 0);
    fem_case_load(c, PIO_TRACTION, 1, 1, traction, ramp);
    fem_case_load(c, PIO_PRESSURE, 0, 1, pressure, ramp);
    fem_case_load(c, PIO_FOLLOWER, 0, 0, follower, ramp);
    fem_case_load(c, PIO_SPRINGS, 1, 1, spring, -1);
    fem_case_body_force(c, 0, pushed, ramp);
    c->desc.gravity[1] = -0.06;
    if (moves) fem_case_motion(c, PIO_NEWMARK, number % 2, 0.3, 0.02);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.05), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(30, 20), traction);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(40, 20), pressure);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(60, 20), follower);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(50, 20), spring);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(10, 20), pushed);
    fem_case_design(c, PIO_DENSITY, -1, FEM_EACH, fem_logarithmic(log(moves ? 30 : 1000), 0.3), 0);
    if (plane == PIO_PLANE_STRESS) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.3, 0.05), 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++)
            if (fabs(m[k].parameters[i]) > 0)
                fem_case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + i), k, i % 2 ? FEM_SCALAR : FEM_EACH,
                                fem_linear(m[k].parameters[i], 0.2 * m[k].parameters[i]), 0);
}

/* J is near 1. */
static void observe(fem_case *c, pio_observable type, double unit)
{
    const int first = c->samples, o = fem_case_observe(c, type, 1);
    fem_case_sample(c, o, 1, 0, 0.4);
    fem_case_sample(c, o, 2, 0, 0.6);
    for (int k = first; k < c->samples; k++) {
        c->linear[k] *= unit;
        c->square[k] *= unit * unit;
    }
}

static void derivative_of(int number, pio_plane_state plane, int moves)
{
    static taylor_run t;
    static fem_case c;
    char what[160];
    structure(&c, number, plane, moves);
    observe(&c, PIO_DISPLACEMENT, 1);
    observe(&c, PIO_OF_VON_MISES, 1e-2);
    observe(&c, PIO_OF_CAUCHY_STRESS, 1e-2);
    observe(&c, PIO_OF_GREEN_STRAIN, 1);
    observe(&c, PIO_STRAIN_ENERGY, 0.1);
    observe(&c, PIO_REACTION, 1e-2);
    observe(&c, PIO_VOLUME, 0.1);
    taylor_begin(&t, &c, 0.2);
    everything(&t);
    random_direction(&t, "positions, random", 0, fem_case_design_count(&c, 0));
    if (number % 3 == 1) design_by_design(&t);
    snprintf(what, sizeof what, "%s%s of %s and %s", moves ? "moving " : "",
             plane == PIO_AXISYMMETRIC ? "ring" : "sheet", fem_law_names[number % FEM_LAWS],
             fem_law_names[(number + 4) % FEM_LAWS]);
    taylor_end(&t, what);
    fem_case_free(&c);
}

static void adjoint_is_the_derivative_for_every_law(void **unused)
{
    (void)unused;
    for (int number = 0; number < FEM_LAWS; number += TEST_SANITIZED ? 4 : 1) {
        derivative_of(number, PIO_AXISYMMETRIC, 0);
        derivative_of(number, PIO_PLANE_STRESS, 0);
    }
}

static void adjoint_is_the_derivative_in_motion(void **unused)
{
    (void)unused;
    for (int number = 2; number < FEM_LAWS; number += 3) {
        derivative_of(number, PIO_AXISYMMETRIC, 1);
        derivative_of(number, PIO_PLANE_STRESS, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tube_under_pressure_is_lames),
        cmocka_unit_test(a_hollow_sphere_under_pressure_is_lames),
        cmocka_unit_test(a_neo_hookean_tube_is_inflated_as_its_equation_says),
        cmocka_unit_test(a_patch_of_every_element_has_one_stress),
        cmocka_unit_test(volume_and_mass_are_those_of_the_ring),
        cmocka_unit_test(rings_move_along_their_axis_alone),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law),
        cmocka_unit_test(adjoint_is_the_derivative_in_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
