/* test_fem_interrupted.c -- a mesh's simulation polls often enough whether to stop, and starts again as if nothing had
 * been. */
#include "tests/solvers/fem/fem_case.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int questions_left;

static const char *after_some_questions(void)
{
    return questions_left-- > 0 ? NULL : "a test";
}

/* Two steps forward and back, of which that many questions are answered with no. */
static piola_status step_and_return(const fem_case *c, pio_sim *sim, const double *z, int questions, piola_error *error)
{
    questions_left = INT_MAX; /* the start polls too */
    piola_status rc = piola_engine_fem.start(sim, z, error);
    questions_left = questions;
    if (!rc) rc = piola_engine_fem.save(sim, 0, error);
    if (!rc) rc = piola_engine_fem.advance(sim, 1, error);
    if (!rc) rc = piola_engine_fem.save(sim, 1, error);
    if (!rc) rc = piola_engine_fem.advance(sim, 1, error);
    if (!rc) rc = piola_engine_fem.adjoint_begin(sim, c->linear, error);
    for (int step = 1; !rc && step >= 0; step--) {
        rc = piola_engine_fem.load(sim, step, error);
        if (!rc) rc = piola_engine_fem.adjoint_step(sim, error);
    }
    return rc;
}

/* A gradient's run polls many times within its steps whether to stop. Stopped at any of them it reports it, and the
 * next run has the bits of one that was never stopped. */
static void a_run_is_interrupted_within_its_steps_and_starts_again(void **unused)
{
    enum { MOST = 1 << 20 };
    static fem_case c;
    static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES], again[FEM_VARIABLES];
    (void)unused;
    fem_case_block(&c, PIO_HYPER_NEO_HOOKEAN, 2);
    fem_case_design(&c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_logarithmic(log(1000), 1), 0);
    c.desc.interrupted = after_some_questions;
    questions_left = MOST;
    pio_sim *sim = fem_case_create(&c, 2, 1);
    const double J = fem_case_gradient(&c, sim, NULL, z, z_bar);
    int within[3] = {0}; /* Newton's method, its linear solves, the adjoint's */
    assert_int_equal(step_and_return(&c, sim, z, MOST, NULL), PIOLA_OK);
    const int polls = MOST - questions_left;
    assert_true(polls > 20);
    for (int k = 0; k < polls; k += 1 + polls / 40) {
        piola_error error = {0};
        assert_int_equal(step_and_return(&c, sim, z, k, &error), PIOLA_INTERRUPTED);
        assert_non_null(strstr(error.message, "interrupted by a test after "));
        within[strstr(error.message, "adjoint") ? 2 : strstr(error.message, "linear solve") ? 1 : 0]++;
    }
    print_message(
        "  polled %d times; interrupted %d times in Newton's method, %d in its linear solves, %d in the adjoint's\n",
        polls, within[0], within[1], within[2]);
    assert_true(within[1] > 0 && within[2] > 0);
    questions_left = MOST;
    assert_true(fabs(fem_case_gradient(&c, sim, NULL, z, again) - J) <= 0);
    assert_memory_equal(z_bar, again, sizeof *z_bar * (size_t)c.variables);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* What creates and starts a simulation polls too, and leaves nothing of it. */
static void a_simulation_is_interrupted_while_it_is_made(void **unused)
{
    enum { MOST = 1 << 20 };
    static fem_case c;
    static const double z[FEM_VARIABLES];
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    piola_error error;
    (void)unused;
    fem_case_block(&c, PIO_HYPER_NEO_HOOKEAN, 2);
    c.desc.interrupted = after_some_questions;
    fem_case_describe(&c, 2, 1);
    questions_left = MOST;
    assert_int_equal(piola_engine_fem.create(&c.desc, &sim, &bytes, &error), PIOLA_OK);
    const int making = MOST - questions_left;
    assert_int_equal(piola_engine_fem.start(sim, z, &error), PIOLA_OK);
    piola_engine_fem.destroy(sim);
    const int polls = MOST - questions_left;
    assert_true(making > 8 && polls > making + 1);
    for (int k = 0; k < polls; k++) {
        sim = NULL;
        questions_left = k;
        const piola_status made = piola_engine_fem.create(&c.desc, &sim, &bytes, &error);
        assert_int_equal(made, k < making ? PIOLA_INTERRUPTED : PIOLA_OK);
        assert_true(!made == !!sim);
        if (sim) assert_int_equal(piola_engine_fem.start(sim, z, &error), PIOLA_INTERRUPTED);
        piola_engine_fem.destroy(sim);
        assert_non_null(strstr(error.message, "interrupted by a test"));
    }
    print_message("  polled %d times, interrupted each time\n", polls);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_interrupted_within_its_steps_and_starts_again),
        cmocka_unit_test(a_simulation_is_interrupted_while_it_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
