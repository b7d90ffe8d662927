/* test_fem_start.c -- a mesh's simulation that is only made and started: without a matrix, and interrupted. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };

/* A clamped block that is pulled, of so many cells along x. */
static void block(fem_case *c, int cells)
{
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1000);
    const pio_element_type type = D == 2 ? PIO_QUAD4 : PIO_HEX8;
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){type, type, {cells, D == 2 ? cells : 8, D == 2 ? 1 : 8}, NULL, 0.1});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 20, -20, 0), 0);
}

static int questions_left;
static const char *after_some_questions(void)
{
    return questions_left-- > 0 ? NULL : "a test";
}

/* Without a matrix it says of the start what a whole one says, and takes no step. */
static void what_is_only_started_takes_no_step(void **unused)
{
    static fem_case c;
    static double z[FEM_VARIABLES];
    piola_error error, other;
    (void)unused;
    for (int wrong = 0; wrong < 2; wrong++) {
        block(&c, 4);
        fem_case_sample(&c, fem_case_observe(&c, PIO_DISPLACEMENT, 1), 1, 0, 1);
        fem_case_design(&c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_logarithmic(log(1000), 1), 0);
        for (int i = 0; i < c.variables; i++) z[i] = wrong && i == c.variables / 2 ? (double)NAN : 0;
        pio_sim *whole = fem_case_create(&c, 0, 1);
        c.desc.start_only = 1;
        pio_sim *bare = fem_case_create(&c, 0, 1);
        assert_int_equal(piola_engine_fem.start(whole, z, &other), PIOLA_OK);
        assert_int_equal(piola_engine_fem.start(bare, z, &error), PIOLA_OK);
        const piola_status expected = piola_engine_fem.check(whole, &other);
        assert_int_equal(expected, wrong ? PIOLA_NUMERICAL : PIOLA_OK);
        assert_int_equal(piola_engine_fem.check(bare, &error), expected);
        if (wrong) assert_string_equal(error.message, other.message);
        assert_int_equal(piola_engine_fem.advance(bare, 1, &error), PIOLA_INTERNAL);
        assert_non_null(strstr(error.message, "to take no step"));
        piola_engine_fem.destroy(whole);
        piola_engine_fem.destroy(bare);
        fem_case_free(&c);
    }
}

/* Constants and shapes of few materials and no design: a fault is reported of the same element in the same words. */
static void runs_of_elements_are_judged_as_each_of_them(void **unused)
{
    static fem_case c;
    piola_error error, other;
    (void)unused;
    for (int wrong = 0; wrong < 6; wrong++) {
        block(&c, 4);
        const int last = c.elements - 1, middle = c.elements / 2, nodes = D == 2 ? 4 : 8;
        int32_t *node = (int32_t *)(uintptr_t)c.block[0].nodes + (ptrdiff_t)middle * nodes; /* the case's own */
        if (wrong == 1) c.density[last] = -1;
        if (wrong == 2) c.parameters[5 * middle] = (double)NAN;
        if (wrong == 3 || wrong == 4) c.parameters[5 * (wrong == 3 ? 1 : last)] = (double)NAN;
        if (wrong >= 3) { /* inside out */
            const int32_t first = node[0];
            node[0] = node[1];
            node[1] = first;
        }
        pio_sim *whole = fem_case_create(&c, 0, 1);
        c.desc.start_only = 1;
        pio_sim *bare = fem_case_create(&c, 0, 1);
        assert_int_equal(piola_engine_fem.start(whole, NULL, &other), PIOLA_OK);
        assert_int_equal(piola_engine_fem.start(bare, NULL, &error), PIOLA_OK);
        assert_int_equal(piola_engine_fem.check(whole, &other), wrong ? PIOLA_NUMERICAL : PIOLA_OK);
        assert_int_equal(piola_engine_fem.check(bare, &error), wrong ? PIOLA_NUMERICAL : PIOLA_OK);
        if (wrong) print_message("  %s\n", error.message);
        if (wrong) assert_string_equal(error.message, other.message);
        piola_engine_fem.destroy(whole);
        piola_engine_fem.destroy(bare);
        fem_case_free(&c);
    }
}

/* However many questions were answered with "go on": the search for unsupported parts and the matrix poll, too. */
static void creation_is_interrupted(void **unused)
{
    static fem_case c;
    piola_error error;
    (void)unused;
    block(&c, 64);
    fem_case_describe(&c, 0, 1);
    int k = 0;
    for (;; k++) {
        pio_sim *sim = NULL;
        questions_left = k;
        c.desc.interrupted = after_some_questions;
        const piola_status rc = piola_engine_fem.create(&c.desc, &sim, NULL, &error);
        if (!rc) piola_engine_fem.destroy(sim);
        if (!rc) break;
        assert_int_equal(rc, PIOLA_INTERRUPTED);
        assert_non_null(strstr(error.message, "interrupted by a test in setting up a mesh"));
        assert_null(sim);
    }
    print_message("  polled %d times\n", k);
    assert_true(k > 6);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_only_started_takes_no_step),
        cmocka_unit_test(runs_of_elements_are_judged_as_each_of_them),
        cmocka_unit_test(creation_is_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
