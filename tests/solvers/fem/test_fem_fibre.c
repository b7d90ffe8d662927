/* test_fem_fibre.c -- do fibres of elements contract as their law says, is their adjoint the derivative, and are bits
 * the same for any number of threads and any memory plan? */
#include "tests/solvers/fem/fem_taylor.h"
#include "tests/solvers/fem/fem_fibre_case.h"
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

enum { D = FEM_DIM, STEPS = 3 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
static const char *const integrators[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

/* Two laws in irregular elements, clamped at one side, pulled at another, with fibres of four channels. */
static void structure(fem_case *c, fibre_case *b, int laws, pio_element_type type, pio_integrator integrator)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(laws % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((laws + 4) % FEM_LAWS), 1500)};
    const int moves = integrator != PIO_STATIC;
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, integrator == PIO_LEAPFROG ? 0.0008 : moves ? 0.02 : 0.3, STEPS);
    c->random = 5 + (uint64_t)laws;
    fem_case_grid(c, (fem_grid){type, type, {2, 2, 1}, sheared, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 5, -8, 2), 0);
    c->desc.gravity[1] = -9.81;
    fibre_drive(c, b, 200);
    if (!moves) return;
    fem_case_motion(c, integrator, 0, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.005 * fem_case_random(c);
    }
}

static void observe_and_design(fem_case *c, const fibre_case *b, pio_integrator integrator)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_COMPLIANCE, PIO_REACTION};
    for (int k = 0; k < 2 + (integrator != PIO_LEAPFROG); k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, STEPS, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, 1, 1, 0.05);
        fem_case_sample(c, o, 2, 1, -0.04);
    }
    fibre_observe(c, b, 200);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.05), 0);
    fibre_design(c, b, 200);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    if (integrator != PIO_STATIC) fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.01), 0);
    fem_case_design_matter(c);
}

static void adjoint_is_the_derivative_for_every_integrator(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_STATIC; i <= PIO_LEAPFROG; i++) {
        static taylor_run t;
        static fem_case c;
        static fibre_case b;
        structure(&c, &b, (D == 2 ? 3 : 4) + (int)i, box, i); /* laws whose J has little noise */
        observe_and_design(&c, &b, i);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        design_by_design(&t);
        taylor_end(&t, integrators[i]);
        fem_case_free(&c);
    }
}

static void adjoint_is_the_derivative_for_every_element(void **unused)
{
    (void)unused;
    for (int k = 0; k < FEM_TYPES; k += TEST_SANITIZED ? 5 : 1) {
        static taylor_run t;
        static fem_case c;
        static fibre_case b;
        structure(&c, &b, k, fem_types[k], PIO_STATIC);
        observe_and_design(&c, &b, PIO_STATIC);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        taylor_end(&t, fem_type_names[fem_types[k]]);
        fem_case_free(&c);
    }
}

static void wrong_gradients_are_refused(void **unused)
{
    static taylor_run t;
    static fem_case c;
    static fibre_case b;
    (void)unused;
    structure(&c, &b, 3, box, PIO_NEWMARK);
    observe_and_design(&c, &b, PIO_NEWMARK);
    taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    for (int k = 1; k <= 4; k++) { /* amplitude, frequency, phase, a knot */
        const int one = fem_case_design_first(&c, k);
        t.z_bar[one] *= 1.0001;
        assert_int_equal(single_direction(&t, "scaled by 1.0001", one), PIO_TAYLOR_FAILED);
        t.z_bar[one] /= 1.0001;
    }
    print_message("  4 wrong gradients: %d refused, %d passed\n", t.failed, t.passed);
    piola_engine_fem.destroy(t.sim);
    fem_case_free(&c);
}

static void bits_are_those_of_one_thread_and_of_all_states_stored(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_STATIC; i <= PIO_LEAPFROG; i++) {
        uint64_t first = 0;
        for (int k = 0; k < 4; k++) { /* 1 to 3 threads; one, with a single slot */
            static fem_case c;
            static fibre_case b;
            static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
            pio_schedule all = pio_schedule_store_all(STEPS, 1), few = pio_schedule_checkpoint(STEPS, 1, 0, 1);
            structure(&c, &b, 3, box, i);
            observe_and_design(&c, &b, i);
            pio_sim *sim = fem_case_create(&c, k == 3 ? 1 : STEPS, k == 3 ? 1 : k + 1);
            fem_case_gradient(&c, sim, k == 3 ? &few : &all, z, z_bar);
            const uint64_t hash = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
            if (k) assert_true(hash == first);
            first = hash;
            pio_schedule_end(&few);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        print_message("  %s: %016llx with 1, 2 and 3 threads, and with one slot\n", integrators[i],
                      (unsigned long long)first);
    }
}

/* A sweep that takes every step back begins and goes on with the bits of one that has stored all states. */
static void reversed_steps_give_the_bits_of_stored_states(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_REVERSIBLE_LEAPFROG; i <= PIO_REVERSIBLE_EULER; i++) {
        uint64_t hash[2];
        for (int reversed = 0; reversed < 2; reversed++) {
            static fem_case c;
            static fibre_case b;
            static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
            pio_schedule schedule = reversed ? pio_schedule_reverse(STEPS, 1) : pio_schedule_store_all(STEPS, 1);
            structure(&c, &b, 3, box, PIO_LEAPFROG);
            fem_case_motion(&c, i, 1, 0, 0);
            for (int k = 0; k < c.n * D; k++) c.initial_velocity[k] = 0.3 * fem_case_random(&c);
            c.fem.newton_tolerance = 1e-10;
            c.desc.residual_log = reversed && i == PIO_REVERSIBLE_EULER ? 1 << 20 : 0;
            observe_and_design(&c, &b, PIO_LEAPFROG);
            pio_sim *sim = fem_case_create(&c, STEPS, 1);
            fem_case_gradient(&c, sim, &schedule, z, z_bar);
            hash[reversed] = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        print_message("  %s: %016llx stored, %016llx reversed\n",
                      i == PIO_REVERSIBLE_EULER ? "reversible Euler" : "reversible leapfrog",
                      (unsigned long long)hash[0], (unsigned long long)hash[1]);
        assert_true(hash[0] == hash[1]);
    }
}

/* ---- a bar that is free to contract ------------------------------------------------------------------------------ */

/* Stretches along the fibres and across them. */
typedef struct {
    double along, across;
} stretches;

/* Those of the neo-Hookean law, P = mu F + (lambda ln J - mu) F^-T, where P_along + a l = 0 and P_across = 0, by
 * Newton's method from 1; `free_sides`: 1 in plane strain, 2 otherwise, so that J = along across^free_sides. */
static stretches neo_hookean_answer(double mu, double lambda, double a, int free_sides)
{
    double l = 1, m = 1;
    for (int k = 0; k < 60; k++) {
        const double j = lambda * (log(l) + free_sides * log(m)) - mu;
        const double r = (mu + a) * l + j / l, s = mu * m + j / m;
        const double rl = mu + a + (lambda - j) / (l * l), rm = free_sides * lambda / (l * m);
        const double sl = lambda / (l * m), sm = mu + (free_sides * lambda - j) / (m * m);
        const double det = rl * sm - rm * sl;
        l -= (r * sm - s * rm) / det;
        m -= (s * rl - r * sl) / det;
    }
    return (stretches){l, m};
}

/* Of the linear law: E' e + a (1 + e) = 0, E' = E, in plane strain E/(1 - nu^2). */
static stretches linear_answer(double E, double nu, double a, int free_sides)
{
    const double stiff = free_sides == 1 ? E / (1 - nu * nu) : E, e = -a / (stiff + a);
    return (stretches){1 + e, 1 - e * (free_sides == 1 ? nu / (1 - nu) : nu)};
}

static void a_free_bar_contracts_to_the_stretch_that_balances_its_fibres(void **unused)
{
    static const char *const planes[] = {"plane strain", "plane stress", "rings"};
    const double E = 1000, nu = 0.3, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    (void)unused;
    for (int k = 0; k < (D == 2 ? 12 : 4); k++) {
        const int plane = k / 4, linear = k & 1, free_sides = D == 3 || plane ? 2 : 1, along = plane == 2;
        const double a = k & 2 ? -150 : 400;
        static fem_case c;
        static fibre_case b;
        char what[160];
        const fem_material m = {.law = linear ? PIO_HYPER_LINEAR : PIO_HYPER_NEO_HOOKEAN, .parameters = {E, nu}};
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){box, box, {3, 2, 2}, NULL, 0.1});
        fem_case_matter(&c, &m, 1, 0.7);
        for (int e = 0; e < c.elements && linear && plane == 1; e++) c.parameter_form[e] = 2;
        c.fem.plane = (pio_plane_state)plane;
        const int zero = fem_case_support(&c, 0, -1);
        for (int axis = 0; axis < D; axis++) fem_case_hold_side(&c, axis, 0, axis, zero);
        fibre_drive(&c, &b, 0);
        b.channel[0].amplitude = a;
        for (int axis = 0; axis < D; axis++) b.fibre[axis] = axis == along;
        memset(b.driven, 0, sizeof b.driven);
        pio_sim *sim = fem_case_solve(&c);
        double *u = fem_case_read(sim, "displacement"), worst = 0;
        const stretches s =
            linear ? linear_answer(E, nu, a, free_sides) : neo_hookean_answer(mu, lambda, a, free_sides);
        for (int i = 0; i < c.n * D; i++)
            worst = fmax(worst, fabs(u[i] - ((i % D == along ? s.along : s.across) - 1) * c.rest[i]));
        snprintf(what, sizeof what, "%s, %s, a = %g Pa: stretch %.9f, displacements", linear ? "linear" : "neo-Hookean",
                 D == 3 ? "3D" : planes[plane], a, s.along);
        fem_case_below(what, worst, 1e-9, 1e-3);
        free(u);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void channels_that_cannot_be_are_refused(void **unused)
{
    static const char *const said[] = {
        "element 3: channel 7 is none of the 4", "channel 1: its fibre has length 2 and must be a unit vector",
        "modal analysis knows no actuators; a motion would be right", "channel 2: 1 knots; its signal has at least 2"};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        static fibre_case b;
        piola_error error = {0};
        structure(&c, &b, 3, box, PIO_STATIC);
        if (k == 0) b.driven[3] = 7;
        if (k == 1)
            for (int a = 0; a < D; a++) b.fibre[D + a] *= 2;
        if (k == 2) c.fem.integrator = PIO_MODAL;
        if (k == 3) b.knots[2].count = 1;
        assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_BAD_DATA);
        print_message("  %s\n", error.message);
        assert_string_equal(error.message, said[k]);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_for_every_integrator),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_element),
        cmocka_unit_test(wrong_gradients_are_refused),
        cmocka_unit_test(bits_are_those_of_one_thread_and_of_all_states_stored),
        cmocka_unit_test(reversed_steps_give_the_bits_of_stored_states),
        cmocka_unit_test(a_free_bar_contracts_to_the_stretch_that_balances_its_fibres),
        cmocka_unit_test(channels_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
