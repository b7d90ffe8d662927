/* test_mpm_obstacle_gradient.c -- is the adjoint the derivative of motions that meet obstacles? In f64: differences of
 * J need it. */
#include "tests/solvers/mpm/mpm_obstacle_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void adjoint_is_the_derivative_for_every_shape_kind_and_parameter(void **unused)
{
    (void)unused;
    for (int number = 0; number < 1; number++) {
        static mpm_taylor t;
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        char what[64];
        crowd(&c, list, number, 30);
        mpm_observe_everything(&c, 0.35);
        mpm_taylor_begin(&t, &c, 0.1);
        c.desc.n_obstacles = 0;
        const int designs = c.desc.n_designs, variables = c.variables;
        c.desc.n_designs = 1;
        pio_sim *sim = case_create(&c, 0, 1);
        const double free = case_forward(&c, sim, t.z);
        piola_engine.destroy(sim);
        c.desc.n_designs = designs;
        c.variables = variables;
        assert_true(fabs(free - t.J0) > 1e-2 * fabs(t.J0));
        mpm_taylor_all(&t);
        snprintf(what, sizeof what, "six obstacles, kinds shifted by %d", number);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

/* The last four obstacles, a box and a ball that stand still and a box and a mesh that move. */
static void adjoint_is_the_derivative_by_the_size_and_the_motion_of_every_shape(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    (void)unused;
    crowd(&c, list, 0, 30);
    c.desc.n_designs = 1;
    c.variables = case_design_count(&c, 0);
    for (int k = 2; k < 6; k++) {
        c.design[case_design(&c, PIO_OBSTACLE_SCALE, -1, CASE_SCALAR, 0, 1, 0.05)].which = k;
        if (!list[k].n_points) continue;
        case_design_motion(&c, k, 0, 0.005, 0.01);
        case_design_motion(&c, k, -1, 0, 0.1);
    }
    mpm_observe_everything(&c, 0.35);
    mpm_taylor_begin(&t, &c, 0.1);
    mpm_taylor_all(&t);
    mpm_taylor_end(&t, "sizes of four obstacles, motions of two");
    case_free(&c);
}

/* The same check refuses a gradient that is off by 1e-4, and one in which an obstacle's contribution is missing. */
static void wrong_gradients_of_obstacles_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    pio_obstacle_desc list[MOST];
    (void)unused;
    crowd(&c, list, 0, 30);
    mpm_observe_everything(&c, 0.35);
    mpm_taylor_begin(&t, &c, 0.1);
    t.quiet = 1;
    assert_int_equal(c.design[5].quantity, PIO_OBSTACLE_FRICTION); /* 3, 4, 5: the first that has friction */
    for (int d = 3; d < 6; d++) {
        const int first = case_design_first(&c, d), count = case_design_count(&c, d);
        const double kept = t.z_bar[first];
        mpm_taylor_gradient(&t, h, first, count);
        for (int i = first; i < first + count; i++) t.z_bar[i] *= 1.0001;
        assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
        for (int i = first; i < first + count; i++) t.z_bar[i] /= 1.0001;
        mpm_taylor_single(h, first);
        t.z_bar[first] *= -1;
        assert_int_equal(mpm_taylor_direction(&t, "flipped sign", h), PIO_TAYLOR_FAILED);
        t.z_bar[first] = 0;
        assert_int_not_equal(mpm_taylor_direction(&t, "missing", h), PIO_TAYLOR_PASSED);
        t.z_bar[first] = kept;
    }
    assert_int_equal(t.passed, 0);
    print_message("  9 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_for_every_shape_kind_and_parameter),
        cmocka_unit_test(adjoint_is_the_derivative_by_the_size_and_the_motion_of_every_shape),
        cmocka_unit_test(wrong_gradients_of_obstacles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
