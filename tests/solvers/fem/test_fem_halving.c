/* test_fem_halving.c -- is a step that fails taken in parts, recorded, repeated, and differentiated through? */
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

enum { D = FEM_DIM, STEPS = 3 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

/* A block that is bent hard, in motion by a support that moves too, with so few Newton iterations that whole steps do
 * not suffice. */
static void bent(fem_case *c, pio_integrator integrator, int halvings)
{
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    fem_case_begin(c, 0.25, STEPS);
    c->random = 5;
    const double T = c->desc.dt * STEPS;
    const int ramp = fem_case_curve(c, 2, (double[]){0, T}, (double[]){0, 1});
    fem_case_grid(c, (fem_grid){box, box, {4, 2, 1}, NULL, 0.1});
    fem_case_matter(c, &m, 1, 0.9);
    const int moved = fem_case_support(c, 0.03, integrator == PIO_STATIC ? -1 : ramp),
              steady = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, a == 1 && integrator != PIO_STATIC ? moved : steady);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 60, 60, 60), ramp);
    if (integrator != PIO_STATIC) fem_case_motion(c, integrator, 0, 0, 0.0005);
    c->fem.newton_iterations = 4;
    c->fem.newton_tolerance = 1e-11;
    c->fem.halvings = halvings;
    const int tip = fem_case_observe(c, PIO_DISPLACEMENT, 2), hold = fem_case_observe(c, PIO_REACTION, 1);
    fem_case_sample(c, tip, STEPS, 0, 1);
    fem_case_sample(c, tip, 2, 1, 0.7);
    fem_case_sample(c, hold, STEPS, 0, 0.01);
    fem_case_sample(c, fem_case_observe(c, PIO_DISTANCE, 1), STEPS, 0, 3)->past =
        0.4; /* between ends of a step in parts */
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 100), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(60, 30), 0);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.02), 0);
    c->fem.n_values = 1;
    if (integrator == PIO_STATIC) return;
    const int flight = fem_case_observe(c, PIO_MEAN_VELOCITY, 1), energy = fem_case_observe(c, PIO_KINETIC_ENERGY, 1);
    fem_case_sample(c, flight, 2, 0, 0.3);
    fem_case_sample(c, energy, STEPS, 0, 0.4);
    fem_case_design(c, PIO_DENSITY, -1, FEM_SCALAR, fem_linear(2, 0.5), 0);
    fem_case_design(c, PIO_SUPPORT, -1, FEM_SCALAR, fem_linear(0.03, 0.02), moved);
}

static int parts_of(pio_sim *sim, int64_t step)
{
    pio_step_record record;
    assert_true(piola_engine_fem.record(sim, step, &record));
    return record.parts;
}

static void without_halvings_the_step_fails(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    piola_error error = {0};
    (void)unused;
    bent(&c, PIO_STATIC, 0);
    assert_int_equal(fem_case_try(&c, z, 0, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_null(strstr(error.message, "parts"));
    fem_case_free(&c);
    bent(&c, PIO_STATIC, 1);
    c.fem.newton_iterations = 1;
    assert_int_equal(fem_case_try(&c, z, 0, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "(the step was taken in 2 parts)"));
    fem_case_free(&c);
}

/* Equilibrium does not know by which way it was reached: whole steps with enough iterations give the same. */
static void parts_of_a_static_step_lead_to_the_same_equilibrium(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    double y[2][FEM_SAMPLES];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        bent(&c, PIO_STATIC, k ? 0 : 6);
        if (k) c.fem.newton_iterations = 60;
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        fem_case_forward(&c, sim, z, y[k]);
        print_message("  parts %d %d %d, y %.12g\n", parts_of(sim, 0), parts_of(sim, 1), parts_of(sim, 2), y[k][1]);
        assert_true(k ? parts_of(sim, 0) == 1 : parts_of(sim, 0) + parts_of(sim, 1) + parts_of(sim, 2) > 3);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    for (int s = 0; s < 4; s++) fem_case_below("difference of the two ways", y[0][s] - y[1][s], 1e-7, 1);
}

static void the_gradient_goes_through_the_parts(void **unused)
{
    static const pio_integrator list[] = {PIO_STATIC, PIO_NEWMARK, PIO_BDF2, PIO_BACKWARD_EULER};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static taylor_run t;
        static fem_case c;
        char what[80];
        bent(&c, list[k], 6);
        taylor_begin(&t, &c, 0.2);
        int parts[STEPS], cut = 0;
        for (int s = 0; s < STEPS; s++) cut |= (parts[s] = parts_of(t.sim, s)) > 1;
        assert_true(cut);
        piola_engine_fem.repeat(t.sim, 1);
        everything(&t);
        design_by_design(&t);
        for (int s = 0; s < STEPS; s++) assert_int_equal(parts_of(t.sim, s), parts[s]);
        snprintf(what, sizeof what, "integrator %d, parts %d %d %d", (int)list[k], parts[0], parts[1], parts[2]);
        taylor_end(&t, what);
        fem_case_free(&c);
    }
}

/* One run that repeats its parts and one that finds them have the same bits. */
static void a_repeated_run_has_the_same_bits(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    uint64_t hash[3];
    (void)unused;
    bent(&c, PIO_BDF2, 6);
    pio_sim *sim = fem_case_create(&c, STEPS, 2);
    for (int k = 0; k < 3; k++) {
        piola_engine_fem.repeat(sim, k == 1);
        fem_case_forward(&c, sim, z, NULL);
        hash[k] = fem_case_hash_state(sim);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* As many iterations as one design needs, and not one more, are enough for its neighbours' repeated runs. */
static void a_repeated_run_has_iterations_to_spare(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES], beside[FEM_VARIABLES];
    piola_error error = {0};
    int most = 0;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        bent(&c, PIO_STATIC, 0);
        c.fem.newton_iterations = k ? most : 60;
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        fem_case_forward(&c, sim, z, NULL);
        for (int s = 0; s < STEPS && !k; s++) {
            pio_step_record record;
            assert_true(piola_engine_fem.record(sim, s, &record));
            if (record.newton_iterations > most) most = record.newton_iterations;
        }
        if (k) {
            piola_status rc = PIOLA_OK; /* of a softer body a run of its own fails, and would be cut */
            for (double softer = 0; !rc && softer < 9; softer += 0.25) {
                for (int i = 0; i < fem_case_design_count(&c, 0); i++) beside[i] = -softer;
                rc = fem_case_try(&c, beside, 0, &error);
            }
            assert_int_equal(rc, PIOLA_NUMERICAL);
            assert_int_equal(error.failure.kind, PIOLA_FAILED_NEWTON);
            print_message("  a run of its own: %s\n", error.message);
            piola_engine_fem.repeat(sim, 1);
            fem_case_forward(&c, sim, beside, NULL); /* fails the test if the run fails */
            assert_int_equal(parts_of(sim, STEPS - 1), 1);
        }
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

static void a_repeated_run_that_fails_says_what_it_repeats(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    piola_error error = {0};
    (void)unused;
    bent(&c, PIO_STATIC, 0);
    c.fem.newton_iterations = 60;
    pio_sim *sim = fem_case_create(&c, STEPS, 1);
    fem_case_forward(&c, sim, z, NULL);
    piola_engine_fem.repeat(sim, 1);
    z[fem_case_design_first(&c, 1)] = 1e6; /* of the load */
    piola_status rc = piola_engine_fem.start(sim, z, &error);
    if (!rc) rc = piola_engine_fem.advance(sim, STEPS, &error);
    print_message("  %s\n", error.message);
    assert_int_equal(rc, PIOLA_NUMERICAL);
    assert_non_null(strstr(error.message, "repeats the 1 part of the recorded run"));
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_halvings_the_step_fails),
        cmocka_unit_test(parts_of_a_static_step_lead_to_the_same_equilibrium),
        cmocka_unit_test(the_gradient_goes_through_the_parts),
        cmocka_unit_test(a_repeated_run_has_the_same_bits),
        cmocka_unit_test(a_repeated_run_has_iterations_to_spare),
        cmocka_unit_test(a_repeated_run_that_fails_says_what_it_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
