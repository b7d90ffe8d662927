/* test_fem_field.c -- stress, strain, rotation and energy at points and over elements, moments, and distances of points
 * within elements: against closed forms, and their derivatives. */
#include "tests/solvers/fem/fem_motion.h"
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

enum { D = FEM_DIM, STEPS = 2 };

static const pio_element_type pairs[2][2][2] = {{{PIO_TRI6, PIO_QUAD9}, {PIO_QUAD4, PIO_TRI3}},
                                                {{PIO_HEX8, PIO_TET4}, {PIO_TET10, PIO_TET10}}};

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

/* ---- a body of one deformation: every field is known ---------------------------------------------------------- */

/* R(w) U, with the rotation vector w (2D: its third number) by Rodrigues' formula, and a stretch U. */
static void deformation(const double w[3], double F[3][3])
{
    static const double U3[3][3] = {{1.2, 0.1, -0.05}, {0.1, 0.9, 0.08}, {-0.05, 0.08, 1.05}};
    static const double U2[3][3] = {{1.2, 0.1, 0}, {0.1, 0.9, 0}, {0, 0, 1}};
    const double(*U)[3] = D == 3 ? U3 : U2;
    const double a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), n[3] = {w[0] / a, w[1] / a, w[2] / a};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            F[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                const int third = 3 - i - k;
                double r = (1 - cos(a)) * n[i] * n[k] + (i == k ? cos(a) : 0);
                if (i != k) r += sin(a) * ((k + 1) % 3 == i ? 1 : -1) * n[third];
                F[i][j] += r * U[k][j];
            }
        }
}

/* A body of two element types that begins a motion with the displacement (F - I) X and the velocity v. */
static void stretched(fem_case *c, const fem_material *m, double F[3][3], const double v[3],
                      const pio_element_type *type)
{
    fem_case_begin(c, 1e-3, 1);
    fem_case_grid(c, (fem_grid){type[0], type[1], {2, 2, 1}, sheared, 0.1});
    fem_case_matter(c, m, 1, 0.9);
    fem_case_motion(c, PIO_NEWMARK, 0, 0, 0);
    for (int i = 0; i < c->n; i++)
        for (int a = 0; a < D; a++) {
            double x = -c->rest[i * D + a];
            for (int b = 0; b < D; b++) x += F[a][b] * c->rest[i * D + b];
            c->initial_displacement[i * D + a] = x;
            c->initial_velocity[i * D + a] = v[a];
        }
}

static double determinant(double F[3][3])
{
    double det = 0;
    for (int j = 0; j < 3; j++)
        det += F[0][j] * (F[1][(j + 1) % 3] * F[2][(j + 2) % 3] - F[1][(j + 2) % 3] * F[2][(j + 1) % 3]);
    return det;
}

/* Cauchy's stress of a neo-Hookean solid, (mu (F F^T - I) + lambda ln J I)/J, and Green's strain: numbers in the order
 * of components. */
static void known_tensors(double F[3][3], double mu, double lambda, double stress[6], double strain[6])
{
    static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    const double J = determinant(F);
    for (int k = 0; k < 6; k++) {
        double B = 0, C = 0;
        const int one = row[k] == column[k];
        for (int a = 0; a < 3; a++) {
            B += F[row[k]][a] * F[column[k]][a];
            C += F[a][row[k]] * F[a][column[k]];
        }
        stress[k] = (mu * (B - one) + lambda * log(J) * one) / J;
        strain[k] = (C - one) / 2;
    }
}

static void compare(const char *what, int n, const double *y, const double *exact, double size)
{
    for (int k = 0; k < n; k++) {
        char line[120];
        snprintf(line, sizeof line, "%s, number %d: %.9g less %.9g, over %.3g", what, k, y[k], exact[k], size);
        fem_case_below(line, (y[k] - exact[k]) / size, 1e-12, 1e-5);
    }
}

/* At a point, as mean, as largest value: the same, in a mesh of two types. The norm is that of absolute values. */
static void fields_of_one_deformation_are_known(void **unused)
{
    static const double turns[3][3] = {{0.3, -0.4, 0.5}, {-1.1, 0.9, 2.4}, {1e-5, 2e-5, -1e-5}}, still[3] = {0, 0, 0};
    static const pio_observable types[] = {PIO_OF_CAUCHY_STRESS, PIO_OF_GREEN_STRAIN, PIO_OF_J, PIO_OF_ROTATION};
    static const double xi[3] = {0.2, 0.3, 0.1};
    (void)unused;
    for (int turn = 0; turn < 3; turn++) {
        static fem_case c;
        const double w[3] = {D == 3 ? turns[turn][0] : 0, D == 3 ? turns[turn][1] : 0, turns[turn][2]};
        double F[3][3], stress[6], strain[6], y[FEM_SAMPLES];
        fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameter_form = 1, .parameters = {400, 700}, .density = 3};
        deformation(w, F);
        known_tensors(F, 400, 700, stress, strain);
        stretched(&c, &m, F, still, pairs[D - 2][0]);
        for (int k = 0; k < 4; k++)
            for (int measure = 0; measure < 3; measure++) {
                const int o = fem_case_observe(&c, types[k], 1), element = k + 1;
                c.observation[o].measure = measure == 1 ? PIO_MAXIMUM : PIO_MEAN;
                if (measure == 2) fem_case_point(&c, o, 1, &element, xi);
                fem_case_sample(&c, o, 0, 0, 1);
            }
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        const double J = determinant(F), *known[] = {stress, strain, &J, D == 3 ? w : w + 2}, sizes[] = {400, 1, 1, 1};
        for (int k = 0, at = 0; k < 4; k++)
            for (int measure = 0; measure < 3; measure++) {
                static const char *const names[] = {"stress", "strain", "J", "rotation"};
                static const char *const measures[] = {"mean", "maximum", "at a point"};
                const int n = c.observation[3 * k + measure].components;
                char what[60];
                snprintf(what, sizeof what, "%s, %s", names[k], measures[measure]);
                compare(what, n, y + at, known[k], sizes[k]);
                at += n;
            }
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* Invariants of the principal stresses are those of the stress, they descend, and von Mises' stress is made of them. */
static void principal_stresses_are_those_of_the_stress(void **unused)
{
    static fem_case c;
    const double w[3] = {0, 0, 0.4}, still[3] = {0, 0, 0}, xi[3] = {0.2, 0.3, 0.1};
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameter_form = 1, .parameters = {400, 700}, .density = 3};
    double F[3][3], s[6], strain[6], y[FEM_SAMPLES];
    const int element = 1;
    (void)unused;
    deformation(w, F);
    known_tensors(F, 400, 700, s, strain);
    stretched(&c, &m, F, still, pairs[D - 2][0]);
    const int p = fem_case_observe(&c, PIO_OF_PRINCIPAL_STRESS, 1), v = fem_case_observe(&c, PIO_OF_VON_MISES, 1);
    fem_case_point(&c, p, 1, &element, xi);
    fem_case_sample(&c, p, 0, 0, 1);
    fem_case_sample(&c, v, 0, 0, 1);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, y);
    const double det =
        s[0] * (s[1] * s[2] - s[4] * s[4]) - s[3] * (s[3] * s[2] - s[4] * s[5]) + s[5] * (s[3] * s[4] - s[1] * s[5]);
    const double square = 0.5 * (pow(y[0] - y[1], 2) + pow(y[1] - y[2], 2) + pow(y[2] - y[0], 2));
    print_message("principal stresses %.9g, %.9g, %.9g Pa\n", y[0], y[1], y[2]);
    assert_true(y[0] > y[1] && y[1] > y[2]);
    fem_case_below("sum over the trace, less 1", (y[0] + y[1] + y[2]) / (s[0] + s[1] + s[2]) - 1, 1e-12, 1e-5);
    fem_case_below("product over the determinant, less 1", y[0] * y[1] * y[2] / det - 1, 1e-12, 1e-4);
    fem_case_below("von Mises, p-norm of one value, less 1", y[3] / sqrt(square) - 1, 1e-12, 1e-5);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* A body in free flight: L = M (x_m - c) x v, x_m the deformed place of its centre, of consistent and of lumped
 * masses. */
static void angular_momentum_is_that_of_the_centre_of_mass(void **unused)
{
    const double w[3] = {0, 0, 0.4}, v[3] = {0.7, -0.4, D == 3 ? 0.9 : 0}, volume = 1.2 * 0.7 * (D == 3 ? 0.6 : 0.9);
    const double X[3] = {0.7, 0.35, D == 3 ? 0.35 : 0}, c0[3] = {0.3, -0.2, 0.4};
    const pio_element_type exact_rule = D == 3 ? PIO_HEX8 : PIO_QUAD4, exact[2] = {exact_rule, exact_rule};
    (void)unused;
    for (int lumped = 0; lumped < 2; lumped++) {
        static fem_case c;
        const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameter_form = 1, .parameters = {4, 7}, .density = 3};
        double F[3][3], y[FEM_SAMPLES], arm[3], L[3];
        deformation(w, F);
        stretched(&c, &m, F, v, exact);
        c.fem.lumped = lumped;
        const int o = fem_case_observe(&c, PIO_ANGULAR_MOMENTUM, 1);
        double *weight = (double *)(uintptr_t)c.observation[o].weight;
        for (int i = 0; i < c.n * D; i++) weight[i] = 1;
        fem_case_sample(&c, o, 0, 0, 1);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        for (int a = 0; a < 3; a++) {
            arm[a] = -(a < D ? c0[a] : 0);
            for (int b = 0; b < D; b++) arm[a] += a < D ? F[a][b] * X[b] : 0;
        }
        for (int a = 0; a < 3; a++)
            L[a] = 3 * volume * (arm[(a + 1) % 3] * v[(a + 2) % 3] - arm[(a + 2) % 3] * v[(a + 1) % 3]);
        /* HRZ's masses have their centre where the element's is only if it is not distorted */
        if (!lumped) compare("consistent masses, L", D == 3 ? 3 : 1, y, D == 3 ? L : L + 2, 1);
        if (lumped) print_message("lumped masses: L %.9g, of consistent ones %.9g\n", y[0], L[D == 3 ? 0 : 2]);
        if (lumped) assert_true(fabs(y[0] / L[D == 3 ? 0 : 2] - 1) < 0.2);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* All nodes are moved, far: forces of a law that is objective have no moment about any place, with deformed arms; those
 * of the linear law have one. Moments about two places differ by the arm between them times the total force. */
static void reactions_of_a_body_have_no_moment_of_their_own(void **unused)
{
    static const pio_hyper_law laws[] = {PIO_HYPER_NEO_HOOKEAN, PIO_HYPER_HENCKY, PIO_HYPER_LINEAR};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        fem_material m = fem_material_of(laws[k], 1000);
        double y[FEM_SAMPLES], size = 0;
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){pairs[D - 2][0][0], pairs[D - 2][0][1], {2, 1, 1}, sheared, 0.1});
        fem_case_matter(&c, &m, 1, 0.9);
        for (int i = 0; i < c.n; i++)
            for (int a = 0; a < D; a++)
                if (i % 4 || fem_case_on_side(&c, i, 0, 0) || fem_case_on_side(&c, i, 0, 1)) {
                    const double own = c.rest[i * D + a], other = c.rest[i * D + (a + 1) % D];
                    const double far = 0.4 * own * other + (a ? 0.3 : -0.3) * other;
                    fem_case_hold(&c, i, a, fem_case_support(&c, far, -1));
                }
        const int moment = fem_case_observe(&c, PIO_REACTION_MOMENT, 1);
        double *weight = (double *)(uintptr_t)c.observation[moment].weight;
        for (int i = 0; i < c.n * D; i++) weight[i] = 1;
        const int numbers = D == 3 ? 3 : 1;
        const int some = fem_case_observe(&c, PIO_REACTION_MOMENT, 1),
                  apart = fem_case_observe(&c, PIO_REACTION_MOMENT, 1);
        const int force = fem_case_observe(&c, PIO_REACTION, 1);
        c.observation[apart].center[0] += 2;
        c.observation[apart].weight = c.observation[force].weight = c.observation[some].weight;
        for (int o = moment; o <= force; o++) fem_case_sample(&c, o, 1, 0, 1);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        const double *about = y + numbers, *elsewhere = y + 2 * numbers, *R = y + 3 * numbers;
        for (int a = 0; a < numbers; a++) size = fmax(size, fabs(about[a]));
        assert_true(size > 1);
        for (int a = 0; a < numbers; a++) {
            char line[120];
            snprintf(line, sizeof line, "%s: moment of all reactions over that of some", fem_law_names[laws[k]]);
            if (laws[k] != PIO_HYPER_LINEAR) fem_case_below(line, y[a] / size, 1e-12, 1e-4);
        }
        if (laws[k] == PIO_HYPER_LINEAR) assert_true(fabs(y[numbers - 1]) > 1e-3 * size);
        if (laws[k] == PIO_HYPER_LINEAR) print_message("linear law: %.3g of it, as it must\n", y[numbers - 1] / size);
        fem_case_below("about another place, less the arm times the force",
                       (elsewhere[numbers - 1] - about[numbers - 1] + 2 * R[1]) / size, 1e-12, 1e-4);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- derivatives ------------------------------------------------------------------------------------------------ */

/* Two laws in irregular elements; clamped, heavy, pulled, one edge moved; at rest or in motion. */
static void structure(fem_case *c, int number, const pio_element_type *type, pio_integrator integrator, int projected)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(number % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((number + 4) % FEM_LAWS), 1500)};
    const int moves = integrator != PIO_STATIC, leaps = integrator == PIO_LEAPFROG;
    if (D == 2 && m[0].law == PIO_HYPER_LINEAR && number && !projected) m[0].parameter_form = 2;
    if (moves) m[0].density = m[1].density = 100;
    fem_case_begin(c, leaps ? 0.01 : moves ? 0.05 : 0.5, STEPS);
    c->random = 11 + (uint64_t)number;
    const int ramp = fem_case_curve(c, 2, (double[]){0, moves ? 0.1 : 1}, (double[]){moves ? 0.5 : 0, 1});
    fem_case_grid(c, (fem_grid){type[0], type[1], {D == 2 ? 3 : 2, D == 2 ? 2 : 1, 1}, sheared, 0.15});
    for (int b = 0; b < c->fem.n_blocks && projected; b++)
        if (c->block[b].type != PIO_TRI3 && c->block[b].type != PIO_TET4)
            c->block[b].dilatation = PIO_DILATATION_PROJECTED;
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    const int traction = fem_case_value(c, 50, -28, 12);
    fem_case_load(c, PIO_TRACTION, 0, 1, traction, ramp);
    c->desc.gravity[1] = -0.06;
    if (moves) fem_case_motion(c, integrator, leaps, 0.3, leaps ? 0 : 0.02);
    for (int i = 0; i < c->n * D && moves; i++) c->initial_velocity[i] = 0.4 * fem_case_random(c);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(30, 20), traction);
    fem_case_design(c, PIO_DENSITY, -1, FEM_EACH, fem_logarithmic(log(moves ? 100 : 1000), 0.3), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.2), 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++)
            if (fabs(m[k].parameters[i]) > 0)
                fem_case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + i), k, i % 2 ? FEM_SCALAR : FEM_EACH,
                                fem_linear(m[k].parameters[i], 0.15 * m[k].parameters[i]), 0);
}

static const pio_observable fields[] = {PIO_OF_CAUCHY_STRESS,  PIO_OF_GREEN_STRAIN,     PIO_OF_VON_MISES, PIO_OF_J,
                                        PIO_OF_ENERGY_DENSITY, PIO_OF_PRINCIPAL_STRESS, PIO_OF_ROTATION};
static const char *const field_names[] = {"stress", "strain",           "von Mises", "J",
                                          "energy", "principal stress", "rotation"};
enum { FIELDS = 7 };

/* At both steps, the second one a mean over both: at two points, as the measure, and as a mean. */
static void observe(fem_case *c, int field, pio_measure measure)
{
    static const double xi[] = {0.2, 0.3, 0.1, 0.4, 0.1, 0.3};
    const int elements[] = {0, c->elements - 1}, first = c->samples;
    const double size[] = {100, 1, 100, 1, 10, 100, 1};
    for (int k = 0; k < 3; k++) {
        const int o = fem_case_observe(c, fields[field], 2);
        c->observation[o].measure = k == 1 ? measure : PIO_MEAN;
        c->observation[o].size = size[field];
        if (k == 0) fem_case_point(c, o, 2, elements, xi);
        fem_case_sample(c, o, 1, 0, 1);
        fem_case_sample(c, o, 1, 1, 0.4);
        fem_case_sample(c, o, STEPS, 1, 0.6);
    }
    for (int k = first; k < c->samples; k++) {
        c->linear[k] /= size[field];
        c->square[k] /= size[field] * size[field];
    }
}

static void check(fem_case *c, int number, const char *what)
{
    static taylor_run t;
    taylor_begin(&t, c, 0.2);
    everything(&t);
    if (number % 3 == 1) design_by_design(&t);
    taylor_end(&t, what);
    fem_case_free(c);
}

/* Every law meets every field in one of both pairs of element types and one of the measures. */
static void adjoint_is_the_derivative_for_every_law_and_field(void **unused)
{
    (void)unused;
    for (int number = 0; number < FEM_LAWS; number += TEST_SANITIZED ? 4 : 1)
        for (int k = 0; k < FIELDS; k++) {
            static fem_case c;
            char what[160];
            const pio_measure measure = k == FIELDS - 1 ? PIO_MEAN : (pio_measure)((number + k) % 3);
            const int projected = (number + k) % 2;
            structure(&c, number, pairs[D - 2][(number + k) / 2 % 2], PIO_STATIC, projected);
            observe(&c, k, measure);
            snprintf(what, sizeof what, "%s%s of %s and %s, measure %d", projected ? "projected, " : "", field_names[k],
                     fem_law_names[number % FEM_LAWS], fem_law_names[(number + 4) % FEM_LAWS], measure);
            check(&c, number, what);
        }
}

static void adjoint_is_the_derivative_for_every_element(void **unused)
{
    (void)unused;
    for (int i = 0; i < FEM_TYPES; i++) {
        static fem_case c;
        const pio_element_type both[2] = {fem_types[i], fem_types[i]};
        structure(&c, 3, both, PIO_STATIC, i % 2);
        observe(&c, 0, PIO_MEAN);
        check(&c, 1, fem_type_names[fem_types[i]]);
    }
}

/* Moments, momenta, stresses, and distances of points within elements, between two steps too. */
static void adjoint_is_the_derivative_in_motion(void **unused)
{
    static const pio_integrator integrators[] = {PIO_STATIC, PIO_NEWMARK, PIO_BDF2, PIO_BACKWARD_EULER, PIO_LEAPFROG};
    static const char *const names[] = {"static", "Newmark", "BDF2", "backward Euler", "leapfrog"};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        static fem_case c;
        const int moves = i > 0, reacts = i < 4;
        structure(&c, 3 + i, pairs[D - 2][i % 2], integrators[i], i % 2);
        if (reacts) fem_case_sample(&c, fem_case_observe(&c, PIO_REACTION_MOMENT, 1), STEPS, 0, 1);
        if (reacts) fem_case_sample(&c, fem_case_observe(&c, PIO_REACTION_MOMENT, 1), 1, 0, 1);
        if (moves) fem_case_sample(&c, fem_case_observe(&c, PIO_ANGULAR_MOMENTUM, 1), STEPS, 0, 1);
        if (moves) fem_case_sample(&c, fem_case_observe(&c, PIO_ANGULAR_MOMENTUM, 1), 0, 0, 1);
        const int o = fem_case_observe(&c, PIO_DISTANCE, 2);
        fem_case_places(&c, o);
        fem_case_sample(&c, o, 1, 0, 1);
        fem_case_sample(&c, o, STEPS, 1, 1);
        if (moves) c.sample_weight[c.desc.n_sample_weights - 1].past = 0.3;
        observe(&c, 0, PIO_PNORM); /* of so many numbers, some maximum would have a kink nearby */
        check(&c, 1, names[i]);
    }
}

static void a_field_whose_gradient_is_wrong_is_rejected(void **unused)
{
    static taylor_run t;
    static fem_case c;
    const pio_element_type both[2] = {fem_types[1], fem_types[1]};
    (void)unused;
    structure(&c, 3, both, PIO_STATIC, 0);
    observe(&c, 5, PIO_PNORM);
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
        cmocka_unit_test(fields_of_one_deformation_are_known),
        cmocka_unit_test(principal_stresses_are_those_of_the_stress),
        cmocka_unit_test(angular_momentum_is_that_of_the_centre_of_mass),
        cmocka_unit_test(reactions_of_a_body_have_no_moment_of_their_own),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law_and_field),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_element),
        cmocka_unit_test(adjoint_is_the_derivative_in_motion),
        cmocka_unit_test(a_field_whose_gradient_is_wrong_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
