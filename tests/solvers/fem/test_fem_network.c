/* test_fem_network.c -- is the adjoint of networks that drive fibres of elements the derivative through the loop in
 * which what bodies do feeds what drives them, and are bits the same for any number of threads and any memory plan? */
#include "tests/solvers/fem/fem_taylor.h"
#include "tests/solvers/fem/fem_network_case.h"
#include "solvers/fem/fem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 6 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;
static const char *const integrators[] = {"", "backward Euler", "BDF2", "Newmark", "leapfrog"};
static const double SIZE = 400; /* Pa */

/* Two laws in irregular elements, clamped at one side, pulled at another, in motion. */
static void structure(fem_case *c, loop_case *b, pio_integrator integrator)
{
    fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000),
                         fem_material_of(PIO_HYPER_FIXED_COROTATED, 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, integrator == PIO_LEAPFROG ? 0.0008 : 0.02, STEPS);
    c->random = 9;
    fem_case_grid(c, (fem_grid){box, box, {2, 2, 1}, NULL, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 5, -8, 2), 0);
    c->desc.gravity[1] = -9.81;
    loop_drive(c, b, SIZE, 0.3, 0.02);
    fem_case_motion(c, integrator, 0, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.005 * fem_case_random(c);
    }
}

static void observe_and_design(fem_case *c, const loop_case *b, pio_integrator integrator)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_COMPLIANCE, PIO_REACTION};
    for (int k = 0; k < 2 + (integrator != PIO_LEAPFROG); k++) {
        const int o = fem_case_observe(c, type[k], 2);
        fem_case_sample(c, o, STEPS, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, 1, 1, 0.05);
        fem_case_sample(c, o, STEPS - 2, 1, -0.04);
    }
    loop_observe(c, b, SIZE);
    loop_design(c, SIZE, b->values[LOOP_WEIGHTS]);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.05), 0);
    fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.01), 0);
    fem_case_design(c, PIO_VELOCITY, -1, FEM_GROUPS, fem_linear(0, 0.1), 0);
    fem_case_design_matter(c);
}

static void adjoint_is_the_derivative_through_the_loop_for_every_integrator(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        static taylor_run t;
        static fem_case c;
        static loop_case b;
        structure(&c, &b, i);
        observe_and_design(&c, &b, i);
        taylor_begin(&t, &c, 0.2);
        everything(&t);
        design_by_design(&t);
        taylor_end(&t, integrators[i]);
        fem_case_free(&c);
    }
}

static int no_loop(pio_stream stream, int n, const int *limit, const fem_sense_adj_args *args)
{
    (void)stream, (void)n, (void)limit, (void)args;
    return 0;
}

static int no_earlier_rates(pio_stream stream, int n, const int *limit, const control_recall_adj_args *args)
{
    control_recall_adj_args a = *args;
    double nothing[LOOP_CHANNELS] = {0};
    a.before_bar = nothing;
    return pio_backend_cpu.kernels.control_recall_adj(stream, n, limit, &a);
}

static int late_clocks(pio_stream stream, int n, const int *limit, const control_network_adj_args *args)
{
    control_network_adj_args a = *args;
    a.fwd.t *= 1.01;
    return pio_backend_cpu.kernels.control_network_adj(stream, n, limit, &a);
}

/* The same test says no to a gradient that takes what the network reads as given, forgets that the rate of a step
 * depends on the activation before, or whose clocks are late. */
static void a_gradient_without_the_loop_earlier_rates_or_time_is_found(void **unused)
{
    static const char *const what[] = {"as it is", "without the loop", "without earlier rates", "with late clocks"};
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i += PIO_LEAPFROG - PIO_BACKWARD_EULER)
        for (int wrong = 0; wrong < 4; wrong++) {
            static taylor_run t;
            static fem_case c;
            static loop_case b;
            static pio_backend backend;
            structure(&c, &b, i);
            observe_and_design(&c, &b, i);
            taylor_begin(&t, &c, 0.2);
            const pio_backend *right = t.sim->queue.backend;
            backend = *right;
            if (wrong == 1) backend.kernels.fem_sense_adj = no_loop;
            if (wrong == 2) backend.kernels.control_recall_adj = no_earlier_rates;
            if (wrong == 3) backend.kernels.control_network_adj = late_clocks;
            pio_schedule all = pio_schedule_store_all(STEPS, 1);
            t.sim->queue.backend = &backend;
            fem_case_gradient(&c, t.sim, &all, t.z, t.z_bar);
            t.sim->queue.backend = right;
            pio_schedule_end(&all);
            t.quiet = 1;
            const int clocks = wrong == 3, first = fem_case_design_first(&c, clocks ? 2 : 1);
            const pio_taylor_verdict verdict = gradient_direction(&t, what[wrong], first, clocks ? 1 : LOOP_WEIGHTS);
            print_message("  %s, %s: %s\n", integrators[i], what[wrong], pio_taylor_verdict_name(verdict));
            assert_int_equal(verdict, wrong ? PIO_TAYLOR_FAILED : PIO_TAYLOR_PASSED);
            piola_engine_fem.destroy(t.sim);
            fem_case_free(&c);
        }
}

static void bits_are_those_of_one_thread_and_of_all_states_stored(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        uint64_t first = 0;
        for (int k = 0; k < 4; k++) { /* 1 to 3 threads; one, with a single slot */
            static fem_case c;
            static loop_case b;
            static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
            pio_schedule all = pio_schedule_store_all(STEPS, 1), few = pio_schedule_checkpoint(STEPS, 1, 0, 1);
            structure(&c, &b, i);
            observe_and_design(&c, &b, i);
            pio_sim *sim = fem_case_create(&c, k == 3 ? 1 : STEPS, k == 3 ? 1 : k + 1);
            fem_case_gradient(&c, sim, k == 3 ? &few : &all, z, z_bar);
            const uint64_t hash = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
            if (k) assert_true(hash == first);
            first = hash;
            pio_schedule_end(&few);
            pio_schedule_end(&all);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        print_message("  %s: %016llx with 1, 2 and 3 threads, and with one slot\n", integrators[i],
                      (unsigned long long)first);
    }
}

static void networks_that_cannot_be_are_refused(void **unused)
{
    static const char *const said[] = {
        "a network reads a motion; in a static run, a signal would be right",
        "networks are unknown to reversible integrators; leapfrog or backward_euler would be right",
        "network 0, input 3: a mean over no nodes", "channel 1: it is the output of 0 networks"};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        static loop_case b;
        piola_error error = {0};
        structure(&c, &b, PIO_BACKWARD_EULER);
        if (k == 0) c.fem.integrator = PIO_STATIC;
        if (k == 1) fem_case_motion(&c, PIO_REVERSIBLE_LEAPFROG, 1, 0, 0); /* without damping */
        if (k == 2) b.input[3].node_weight = NULL;
        if (k == 3) b.network.first = 2, b.network.outputs = 1;
        assert_int_equal(fem_case_try(&c, NULL, 0, &error), PIOLA_BAD_DATA);
        print_message("  %s\n", error.message);
        assert_string_equal(error.message, said[k]);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_through_the_loop_for_every_integrator),
        cmocka_unit_test(a_gradient_without_the_loop_earlier_rates_or_time_is_found),
        cmocka_unit_test(bits_are_those_of_one_thread_and_of_all_states_stored),
        cmocka_unit_test(networks_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
