/* test_fem_standby.c -- does `auto` go on with the other linear solver where the one that it chose fails, with the same
 * gradient, the same bits by any plan, and words about it? And does a choice of the scene fail with the setting's name?
 */
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

enum { D = FEM_DIM, STEPS = 4, LIMIT = 12, PLENTY = 20000 };
_Static_assert(D == 3, "in the plane, auto begins with elimination");
static const double ALL = 1e12; /* bytes */
static double z[FEM_VARIABLES];
static double length = 1; /* m, of a body 1 m wide and high */
static int cells = 7;     /* along each axis */

static void stretched(const double s[3], double x[3])
{
    x[0] = length * s[0];
    x[1] = s[1];
    x[2] = s[2];
}

/* A thick body, clamped below and pushed aside ever harder from the second
 * step on: iterations are the choice of `auto`. */
static void block(fem_case *c, pio_solve linear, int limit)
{
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    fem_case_begin(c, 0.05, STEPS);
    fem_case_grid(c, (fem_grid){PIO_HEX8, PIO_HEX8, {cells, cells, cells}, stretched, 0.1});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    const int ramp = fem_case_curve(c, 2, (double[]){0.06, 0.2}, (double[]){0, 1});
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 0, 60, 0), ramp);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 1);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    c->fem.linear = linear;
    c->fem.linear_iterations = limit;
    c->fem.direct_memory = ALL;
    c->fem.halvings = 0;
    memset(z, 0, sizeof z);
    memcpy(z + fem_case_design_first(c, 1), c->value[0], sizeof *z * D);
}

/* |a - b|/|b| */
static double difference(const double *a, const double *b)
{
    double off = 0, size = 0;
    for (int i = 0; i < FEM_VARIABLES; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

static pio_solver_change change_of(const pio_sim *sim)
{
    pio_solver_change change;
    piola_engine_fem.solver_change(sim, &change);
    print_message("  %lld solves forward, %lld of adjoints changed: %s (%zu bytes)\n", (long long)change.forward,
                  (long long)change.adjoint, change.why, change.bytes);
    return change;
}

static pio_step_record record_of(const pio_sim *sim, int64_t step)
{
    pio_step_record r;
    assert_true(piola_engine_fem.record(sim, step, &r));
    return r;
}

static void motion(fem_case *c, pio_solve linear, int limit)
{
    block(c, linear, limit);
    fem_case_motion(c, PIO_BACKWARD_EULER, 0, 0, 0);
}

static void
a_factor_goes_on_where_iterations_reach_their_limit_and_j_and_gradient_are_those_of_elimination(void **unused)
{
    static const struct {
        pio_solve linear;
        int limit;
    } ways[] = {{PIO_SOLVE_DIRECT, PLENTY}, {PIO_SOLVE_AUTO, LIMIT}, {PIO_SOLVE_AUTO, PLENTY}};
    static double z_bar[3][FEM_VARIABLES];
    double J[3];
    (void)unused;
    for (int moves = 0; moves < 2; moves++) {
        for (int way = 0; way < 3; way++) {
            static fem_case c;
            (moves ? motion : block)(&c, ways[way].linear, ways[way].limit);
            pio_sim *sim = fem_case_create(&c, STEPS, 1);
            J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
            const pio_solver_change change = change_of(sim);
            assert_int_equal(change.forward > 0, way == 1);
            assert_int_equal(change.why[0] != '\0', way == 1);
            assert_int_equal(change.bytes > 0, way == 1);
            assert_true(way != 1 ||
                        (strstr(change.why, "after 12 iterations (the limit)") && strstr(change.why, "MUMPS")));
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
        fem_case_below("J of auto over that of elimination, less 1", J[1] / J[0] - 1, 1e-9, 1e-3);
        fem_case_below("difference of the gradients, relative", difference(z_bar[1], z_bar[0]), 1e-8, 1e-2);
        z_bar[1][0] *= 1.01; /* negative control */
        assert_true(difference(z_bar[1], z_bar[0]) > 1e-8);
    }
}

/* Directions may be loose, an adjoint may not: its limit is one that no step reaches. */
static void an_adjoint_alone_goes_on_by_a_factor(void **unused)
{
    static const int limits[] = {PLENTY, 55};
    static double z_bar[2][FEM_VARIABLES];
    double J[2];
    (void)unused;
    for (int way = 0; way < 2; way++) {
        static fem_case c;
        block(&c, PIO_SOLVE_AUTO, limits[way]);
        c.fem.newton_tolerance = 1e-1;
        c.fem.adjoint_tolerance = 1e-10;
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
        const pio_solver_change change = change_of(sim);
        assert_int_equal(change.forward, 0);
        assert_int_equal(change.adjoint, way); /* and the other steps begin with it */
        assert_true(!way || strstr(change.why, "step 3, its adjoint: conjugate gradients stopped"));
        fem_case_below("residual of the adjoint", record_of(sim, STEPS - 1).adjoint_residual, 1e-10, 1e-3);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    assert_memory_equal(&J[0], &J[1], sizeof J[0]);
    fem_case_below("difference of the gradients, relative", difference(z_bar[1], z_bar[0]), 1e-8, 1e-2);
}

/* A block whose columns have moduli 1 and 1e-6 in turn, nearly incompressible, under a follower pressure: GMRES comes
 * no further, its directions lead nowhere, and the step is taken with those of a factor. */
static void uneven(fem_case *c, pio_solve linear)
{
    length = 300;
    cells = 6;
    block(c, linear, PLENTY);
    length = 1;
    cells = 7;
    fem_case_load(c, PIO_FOLLOWER, 1, 1, fem_case_value(c, 1e-9, 0, 0), 0);
    c->fem.newton_tolerance = 1e-5;
    c->fem.adjoint_tolerance = 1e-8;
    for (int e = 0; e < c->elements; e++) {
        c->parameters[5 * e + 1] = 0.499;
        z[e] = e % 2 ? 1e-6 - 1 : 0;
    }
    for (int a = 0; a < D; a++) z[fem_case_design_first(c, 1) + a] *= 1e-11;
}

static void a_step_whose_directions_stagnate_is_taken_with_those_of_a_factor(void **unused)
{
    static double z_bar[2][FEM_VARIABLES];
    double J[2];
    static fem_case c;
    piola_error error = {0};
    (void)unused;
    for (int way = 0; way < 2; way++) {
        uneven(&c, way ? PIO_SOLVE_AUTO : PIO_SOLVE_DIRECT);
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
        const pio_solver_change change = change_of(sim);
        print_message("  J %.12g\n", J[way]);
        assert_int_equal(change.forward > 0, way);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    fem_case_below("J of auto over that of elimination, less 1", J[1] / J[0] - 1, 1e-9, 1e-3);
    fem_case_below("difference of the gradients, relative", difference(z_bar[1], z_bar[0]), 1e-8, 1e-2);
    uneven(&c, PIO_SOLVE_PCG);
    assert_int_equal(fem_case_try(&c, z, 0, &error), PIOLA_NUMERICAL); /* and no state that seems to be balanced */
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "'solver.linear: auto'"));
    fem_case_free(&c);
}

/* The gradient by the load against a central difference of runs that change their solver too. */
static void the_gradient_is_that_of_differences(void **unused)
{
    static fem_case c;
    static double z_bar[FEM_VARIABLES];
    double J[2];
    (void)unused;
    block(&c, PIO_SOLVE_AUTO, LIMIT);
    pio_sim *sim = fem_case_create(&c, STEPS, 1);
    fem_case_gradient(&c, sim, NULL, z, z_bar);
    const int load = fem_case_design_first(&c, 1) + 1;
    const double at = z[load], h = 1e-4 * at;
    for (int side = 0; side < 2; side++) {
        z[load] = at + (side ? h : -h);
        J[side] = fem_case_forward(&c, sim, z, NULL);
        assert_true(change_of(sim).forward > 0);
    }
    fem_case_below("gradient over the difference, less 1", z_bar[load] / ((J[1] - J[0]) / (2 * h)) - 1, 1e-6, 1e-2);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* Steps are taken again from states that were kept before and after the change. */
static void bits_depend_on_neither_the_states_that_are_kept_nor_threads(void **unused)
{
    static const int plans[][2] = {{STEPS, 1}, {1, 1}, {2, 1}, {2, 3}};
    static double z_bar[FEM_VARIABLES];
    uint64_t expected = 0;
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        pio_schedule schedule = pio_schedule_checkpoint(STEPS, plans[k][0], 0, 1);
        block(&c, PIO_SOLVE_AUTO, LIMIT);
        pio_sim *sim = fem_case_create(&c, STEPS, plans[k][1]);
        const double J = fem_case_gradient(&c, sim, &schedule, z, z_bar);
        const uint64_t hash =
            fem_case_hash(fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof z_bar), &J, sizeof J);
        const pio_solver_change change = change_of(sim);
        print_message("  %d states, %d threads: %016llx\n", plans[k][0], plans[k][1], (unsigned long long)hash);
        assert_int_equal(record_of(sim, 0).ended_by_factor, 0);
        assert_int_equal(record_of(sim, STEPS - 1).ended_by_factor, 1);
        assert_int_equal(change.forward, 1); /* what goes on stays */
        if (k == 0) expected = hash;
        assert_true(hash == expected);
        piola_engine_fem.destroy(sim);
        pio_schedule_end(&schedule);
        fem_case_free(&c);
    }
    z_bar[3] += 1e-9; /* negative control */
    assert_true(fem_case_hash(FEM_HASH_START, z_bar, sizeof z_bar) != expected);
}

/* A run that another simulation continues, which has never seen the solve that failed. */
static void a_run_that_is_continued_ends_with_the_same_bits(void **unused)
{
    static fem_case c;
    pio_engine_bytes bytes;
    piola_error error = {0};
    uint64_t hash[2];
    (void)unused;
    block(&c, PIO_SOLVE_AUTO, LIMIT);
    pio_sim *sim[2];
    for (int k = 0; k < 2; k++) {
        fem_case_describe(&c, 0, 1);
        if (piola_engine_fem.create(&c.desc, &sim[k], &bytes, &error)) fail_msg("%s", error.message);
        if (piola_engine_fem.start(sim[k], z, &error)) fail_msg("%s", error.message);
    }
    char *memory = malloc(bytes.memory);
    assert_non_null(memory);
    if (piola_engine_fem.advance(sim[0], 3, &error)) fail_msg("%s", error.message);
    if (piola_engine_fem.memory_out(sim[0], 0, bytes.memory, memory, &error)) fail_msg("%s", error.message);
    if (piola_engine_fem.memory_in(sim[1], 0, bytes.memory, memory, &error)) fail_msg("%s", error.message);
    for (int k = 0; k < 2; k++) {
        if (piola_engine_fem.advance(sim[k], STEPS - 3, &error)) fail_msg("%s", error.message);
        assert_true(change_of(sim[k]).forward == 1);
        hash[k] = fem_case_hash_state(sim[k]);
        print_message("  %016llx\n", (unsigned long long)hash[k]);
        piola_engine_fem.destroy(sim[k]);
    }
    assert_true(hash[0] == hash[1]);
    free(memory);
    fem_case_free(&c);
}

static void expect_failure(fem_case *c, piola_status status, const char *const words[3])
{
    piola_error error = {0};
    assert_int_equal(fem_case_try(c, z, 1, &error), status);
    print_message("  %s\n", error.message);
    for (int k = 0; k < 3; k++) assert_non_null(strstr(error.message, words[k]));
    fem_case_free(c);
}

static void a_solver_that_the_scene_requests_fails_and_the_message_names_the_setting(void **unused)
{
    static fem_case c;
    (void)unused;
    block(&c, PIO_SOLVE_PCG, LIMIT);
    expect_failure(&c, PIOLA_NUMERICAL,
                   (const char *const[]){"PCG has not converged in 12 iterations", "solver.linear: auto",
                                         "solver.linear_iterations"});
    block(&c, PIO_SOLVE_DIRECT, LIMIT);
    c.fem.adjoint_tolerance = 1e-40;
    expect_failure(&c, PIOLA_NUMERICAL,
                   (const char *const[]){"not 1e-40", "solver.linear: auto", "solver.adjoint_tolerance"});
}

static void where_both_fail_both_are_named(void **unused)
{
    static fem_case c;
    (void)unused;
    block(&c, PIO_SOLVE_AUTO, PLENTY);
    c.fem.adjoint_tolerance = 1e-40;
    expect_failure(
        &c, PIOLA_NUMERICAL,
        (const char *const[]){"LDL^T: |b - A x| / |b|", "an iterative solve stagnates", "solver.adjoint_tolerance"});
}

static void elimination_keeps_to_its_memory_and_says_what_it_needs(void **unused)
{
    static fem_case c;
    char needed[80];
    (void)unused;
    block(&c, PIO_SOLVE_AUTO, LIMIT);
    pio_sim *sim = fem_case_create(&c, STEPS, 1);
    fem_case_forward(&c, sim, z, NULL);
    const size_t bytes = change_of(sim).bytes;
    piola_engine_fem.destroy(sim);
    c.fem.standby_memory = (double)bytes; /* enough */
    sim = fem_case_create(&c, STEPS, 1);
    fem_case_forward(&c, sim, z, NULL);
    piola_engine_fem.destroy(sim);
    c.fem.standby_memory = (double)bytes - 1;
    snprintf(needed, sizeof needed, "needs %zu bytes beside the run, and %zu are left", bytes, bytes - 1);
    expect_failure(&c, PIOLA_NO_MEMORY, (const char *const[]){needed, "PCG", "12 iterations"});
    block(&c, PIO_SOLVE_AUTO, LIMIT);
    c.fem.direct_memory = 1000;
    expect_failure(
        &c, PIOLA_NUMERICAL,
        (const char *const[]){"and 1000 are allowed by solver.direct_memory", "PCG", "solver.linear_iterations"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_factor_goes_on_where_iterations_reach_their_limit_and_j_and_gradient_are_those_of_elimination),
        cmocka_unit_test(an_adjoint_alone_goes_on_by_a_factor),
        cmocka_unit_test(a_step_whose_directions_stagnate_is_taken_with_those_of_a_factor),
        cmocka_unit_test(the_gradient_is_that_of_differences),
        cmocka_unit_test(bits_depend_on_neither_the_states_that_are_kept_nor_threads),
        cmocka_unit_test(a_run_that_is_continued_ends_with_the_same_bits),
        cmocka_unit_test(a_solver_that_the_scene_requests_fails_and_the_message_names_the_setting),
        cmocka_unit_test(where_both_fail_both_are_named),
        cmocka_unit_test(elimination_keeps_to_its_memory_and_says_what_it_needs),
    };
    return cmocka_run_group_tests_name("fem_standby", tests, NULL, NULL);
}
