/* test_fem_rounding.c -- do loads that are smaller than the rounding of stresses move bodies, and nothing else?
 *
 * Of a law with moduli E, rounding of strains leaves forces of eps E A. A load below them is answered all the same: its
 * displacement is in proportion to that of a load that is far above. */
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

enum { D = FEM_DIM, STEPS = 3 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
static const double modulus = 1e6; /* Pa */
/* Of a displacement: some laws leave forces of a tenth of these loads at rest. */
static const double proportion = 0.1;

/* Pa: its stresses are rounding of those that the modulus is the size of. */
static double small(void)
{
    return fem_case_is_f32() ? 1 : 1e-10;
}

/* A clamped block of that law, sheared, and pushed from above by loads of size `load` with these factors at 0, 1, 2 and
 * 3 s. */
static void block(fem_case *c, pio_hyper_law law, pio_load_kind kind, double load, const double factor[STEPS + 1])
{
    const fem_material m = fem_material_of(law, modulus);
    fem_case_begin(c, 1, STEPS);
    fem_case_grid(c, (fem_grid){box, box, {4, 2, 2}, NULL, 0.1});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    const int curve = fem_case_curve(c, STEPS + 1, (double[]){0, 1, 2, 3}, factor);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 0, load, 0), curve);
    if (kind != PIO_TRACTION) fem_case_load(c, kind, 1, 1, fem_case_value(c, load, 0, 0), curve);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 1);
    c->fem.newton_tolerance = fem_case_is_f32() ? 1e-3 : 1e-10;
}

static pio_step_record record_of(pio_sim *sim, int64_t step)
{
    pio_step_record record;
    assert_true(piola_engine_fem.record(sim, step, &record));
    return record;
}

/* What the tip does at the end; the records of the steps. */
static double tip(fem_case *c, pio_step_record records[STEPS])
{
    pio_sim *sim = fem_case_solve(c);
    double y[FEM_SAMPLES] = {0};
    piola_error error = {0};
    if (piola_engine_fem.samples(sim, y, &error)) fail_msg("%s", error.message);
    for (int s = 0; s < STEPS; s++) records[s] = record_of(sim, s);
    piola_engine_fem.destroy(sim);
    fem_case_free(c);
    return y[1];
}

/* The forces are small against the moduli in both: to the first order u is linear in the load. */
static void small_loads_move_bodies_in_proportion(void **unused)
{
    static const double rise[] = {0, 1, 1, 1};
    static const pio_load_kind kinds[] = {PIO_TRACTION, PIO_PRESSURE, PIO_FOLLOWER};
    (void)unused;
    for (int law = 0; law < FEM_LAWS; law++)
        for (int k = 0; k < 3; k++) {
            static fem_case c;
            pio_step_record record[2][STEPS];
            char what[120];
            const double large = fem_case_is_f32() ? 100 : 0.1;
            block(&c, (pio_hyper_law)law, kinds[k], large, rise);
            const double far = tip(&c, record[0]) / large;
            block(&c, (pio_hyper_law)law, kinds[k], small(), rise);
            const double near = tip(&c, record[1]) / small();
            snprintf(what, sizeof what,
                     "%s, load %d: u/p over that of a large p, less 1 (%d iterations, residual %.1e)",
                     fem_law_names[law], k, record[1][0].newton_iterations, record[1][0].residual);
            fem_case_below(what, near / far - 1, proportion, proportion);
            assert_true(record[1][0].newton_iterations > 0);
            for (int s = 1; s < STEPS; s++) /* nothing changes: nothing is solved */
                assert_int_equal(record[1][s].newton_iterations, 0);
        }
}

/* The linear law is linear to the last bit: a load of 2^k times as much, 1 mN ... 1 MN, moves the tip by 2^k times as
 * much, and a gradient of that by the modulus is 2^k times as large. Other loads round in another way, once. */
static void the_linear_law_is_linear_from_a_millinewton_to_a_meganewton(void **unused)
{
    static const double rise[] = {0, 1, 1, 1};
    static const pio_solve solvers[] = {PIO_SOLVE_PCG, PIO_SOLVE_DIRECT};
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double first[2] = {0};
        for (int power = -10; power <= 20; power += 6) {
            static fem_case c;
            pio_step_record r;
            const double load = ldexp(1, power);
            double of[2] = {0};
            block(&c, PIO_HYPER_LINEAR, PIO_TRACTION, load, rise);
            c.fem.linear = solvers[k];
            c.fem.direct_memory = (size_t)1 << 30;
            fem_case_design(&c, PIO_LAW_PARAMETER_0, -1, FEM_SCALAR, fem_linear(0, modulus), 0);
            z[0] = 1;
            pio_sim *sim = fem_case_create(&c, STEPS, 1);
            of[0] = fem_case_gradient(&c, sim, NULL, z, z_bar) / load;
            of[1] = z_bar[0] / load;
            assert_true(piola_engine_fem.record(sim, 0, &r));
            print_message("  2^%d N: u/F %.17g, its slope by E %.17g, %d iterations to %.1e\n", power, of[0], of[1],
                          r.newton_iterations, r.residual);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
            if (power == -10) memcpy(first, of, sizeof of);
            assert_memory_equal(first, of, sizeof of);
        }
        assert_true(fabs(first[0]) > 0 && fabs(first[1]) > 0);
    }
}

static void without_loads_nothing_is_solved(void **unused)
{
    static const double none[] = {0, 0, 0, 0};
    (void)unused;
    for (int law = 0; law < FEM_LAWS; law++) {
        static fem_case c;
        pio_step_record record[STEPS];
        block(&c, (pio_hyper_law)law, PIO_FOLLOWER, small(), none);
        fem_case_below(fem_law_names[law], tip(&c, record), 0, 0);
        for (int s = 0; s < STEPS; s++) {
            assert_int_equal(record[s].newton_iterations, 0);
            fem_case_below("residual", record[s].residual, 0, 0);
        }
    }
}

/* A load that goes takes its displacement with it, however small. */
static void a_body_returns_when_a_small_load_goes(void **unused)
{
    static const double away[] = {0, 1, 0, 0}, rise[] = {0, 1, 1, 1};
    (void)unused;
    static fem_case c;
    pio_step_record record[STEPS];
    block(&c, PIO_HYPER_LINEAR, PIO_FOLLOWER, small(), rise);
    const double there = tip(&c, record);
    block(&c, PIO_HYPER_LINEAR, PIO_FOLLOWER, small(), away);
    fem_case_below("displacement that stays, of the whole", tip(&c, record) / there, proportion, proportion);
    assert_true(record[1].newton_iterations > 0);
}

/* The record's residual is relative to the forces: by its own numbers, no more than the tolerance or what rounding
 * leaves. */
static void the_record_has_the_residual_relative_to_the_forces(void **unused)
{
    static const double rise[] = {0, 1, 1, 1};
    static fem_case c;
    pio_step_record record[STEPS];
    (void)unused;
    block(&c, PIO_HYPER_NEO_HOOKEAN, PIO_TRACTION, small(), rise);
    tip(&c, record);
    print_message("  forces %.3g N, residual %.3g of them\n", record[0].forces, record[0].residual);
    assert_true(record[0].forces > 0.3 * small() && record[0].forces < 100 * small());
    block(&c, PIO_HYPER_NEO_HOOKEAN, PIO_TRACTION, 1e4, rise);
    tip(&c, record);
    print_message("  forces %.3g N, residual %.3g of them\n", record[0].forces, record[0].residual);
    assert_true(record[0].forces > 0.3e4 && record[0].forces < 1e6);
    fem_case_below("residual", record[0].residual, 1e-10, 1e-3);
}

/* In motion too: a free block is pushed along, and what it does is in proportion. */
static void small_loads_move_bodies_that_are_free(void **unused)
{
    static const double steady[] = {1, 1, 1, 1};
    static const pio_integrator list[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        double u[2];
        for (int which = 0; which < 2; which++) {
            static fem_case c;
            pio_step_record record[STEPS];
            const double load = which ? small() : fem_case_is_f32() ? 100 : 0.1;
            block(&c, PIO_HYPER_NEO_HOOKEAN, PIO_TRACTION, load, steady);
            fem_case_motion(&c, list[k], 0, 0, 0);
            c.desc.dt = 0.01;
            u[which] = tip(&c, record) / load;
        }
        print_message("  integrator %d: u/p %.9g and %.9g\n", (int)list[k], u[0], u[1]);
        fem_case_below("u/p over that of a large p, less 1", u[1] / u[0] - 1, proportion, proportion);
    }
}

/* Runs that are to be compared go on until rounding stops them; that is not a failure. */
static void a_goal_out_of_reach_is_approached_and_is_no_failure(void **unused)
{
    static const double rise[] = {0, 1, 2, 3};
    static const pio_integrator list[] = {PIO_STATIC, PIO_BDF2};
    static const double z[FEM_VARIABLES];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        double residual[2];
        block(&c, PIO_HYPER_NEO_HOOKEAN, PIO_FOLLOWER, 1e4, rise);
        if (list[k] != PIO_STATIC) fem_case_motion(&c, list[k], 0, 0, 0);
        c.fem.newton_tolerance = fem_case_is_f32() ? 0.01 : 1e-5;
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        for (int on = 0; on < 2; on++) {
            if (on) piola_engine_fem.goal(sim, 1e-300);
            fem_case_forward(&c, sim, z, NULL); /* fails the test if the run fails */
            residual[on] = record_of(sim, STEPS - 1).residual;
        }
        print_message("  integrator %d: residual %.2g, and with a goal of 1e-300 %.2g\n", (int)list[k], residual[0],
                      residual[1]);
        fem_case_below("residual with the goal", residual[1], 1e-11, 1e-3);
        assert_true(residual[0] > residual[1]);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_loads_move_bodies_in_proportion),
        cmocka_unit_test(the_linear_law_is_linear_from_a_millinewton_to_a_meganewton),
        cmocka_unit_test(without_loads_nothing_is_solved),
        cmocka_unit_test(a_body_returns_when_a_small_load_goes),
        cmocka_unit_test(the_record_has_the_residual_relative_to_the_forces),
        cmocka_unit_test(small_loads_move_bodies_that_are_free),
        cmocka_unit_test(a_goal_out_of_reach_is_approached_and_is_no_failure),
    };
    return cmocka_run_group_tests_name("fem_rounding", tests, NULL, NULL);
}
