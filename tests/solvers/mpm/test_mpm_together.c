/* test_mpm_together.c -- is the adjoint the derivative of a motion in which everything acts at once: obstacles, contact
 * of velocity fields, FLIP, plastic flow and active fibres? In f64: differences of J need it. */
#include "tests/solvers/mpm/mpm_obstacle_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 24, EACH = 2 }; /* designs 0 and 1 are of every particle, the others of one number */

/* A block that yields lies on a moving rough plane and beside a smooth ball; one whose fibres pull falls on it. Each
 * body has a velocity field. */
static void everything(mpm_case *c, pio_obstacle_desc list[MOST])
{
    static const double motion[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {0.1, 0.02, 0.01, 0, 0.2}};
    static const double yield[PIO_PLASTIC_CONSTANTS] = {1500, 8000, 0}, fibre[3] = {0.6, 0.8, 0};
    const case_body bodies[2] = {
        {.law = PIO_HYPER_HENCKY, .parameter_form = 1, .parameters = {4e4, 6e4}, .density = 1000},
        {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {3e4, 0.3}, .density = 1300, .viscosity = 10}};
    mpm_corner(c, 0, bodies, STEPS, 0, 2);
    case_plastic(c, 0, PIO_VON_MISES, yield);
    case_field(c, 0, 0);
    case_field(c, 1, 1);
    case_channel(c, &(pio_channel_desc){PIO_SINE, 8e3, 8, 0.5}, 1, fibre);
    c->desc.friction = 0.4;
    c->desc.regularisation_velocity = 0.1;
    c->desc.flip = 0.5;
    pio_obstacle_desc *plane = add_obstacle(c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    plane->position[0] = plane->position[1] = 0.27;
    plane->rotation[D == 3 ? 2 : 0] = 0.1;
    plane->turns[D - 1] = 1;
    plane->friction = 0.3;
    plane->friction_velocity = plane->separation_velocity = 0.05;
    plane->motion = &motion[0][0];
    plane->n_points = 2;
    pio_obstacle_desc *ball = add_obstacle(c, list, PIO_BALL, PIO_WALL_SLIP, 1);
    for (int a = 0; a < D; a++) ball->position[a] = a ? 0.45 : 0.68;
    ball->radius = 0.13;
    ball->friction_velocity = 0.05;
    mpm_observe_everything(c, 0.35);
    case_design(c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_POSITION, -1, CASE_EACH, 0, 0, 0.1);
    case_design(c, PIO_FRICTION, -1, CASE_SCALAR, 0, 0.4, 0.2);
    case_design(c, PIO_FLIP, -1, CASE_SCALAR, 0, 0.5, 0.3);
    case_design(c, PIO_YIELD_0, 0, CASE_SCALAR, 0, 1500, 300);
    case_design(c, PIO_YIELD_1, 0, CASE_SCALAR, 0, 8000, 1600);
    case_design(c, PIO_LAW_PARAMETER_0, 1, CASE_SCALAR, 1, log(3e4), 0.3);
    case_design(c, PIO_VISCOSITY, 1, CASE_SCALAR, 0, 10, 3);
    case_design(c, PIO_AMPLITUDE, -1, CASE_SCALAR, 0, 8e3, 2e3);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -2, 10);
    case_design(c, PIO_OBSTACLE_POSITION, -1, CASE_SCALAR, 0, 0.27, 0.02);
    case_design(c, PIO_OBSTACLE_ROTATION, -1, CASE_SCALAR, 0, 0.1, 0.2);
    case_design(c, PIO_OBSTACLE_FRICTION, -1, CASE_SCALAR, 0, 0.3, 0.1);
}

/* A kink lies where a particle begins to flow: windows are those of plastic bodies. */
static void begin(mpm_taylor *t, mpm_case *c, pio_obstacle_desc list[MOST])
{
    everything(c, list);
    mpm_taylor_begin(t, c, 0.1);
    t->shrink = 1e-2;
    t->tolerance = 1e-6;
}

static void adjoint_is_the_derivative_where_everything_acts_at_once(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    double least = INFINITY;
    int flowed = 0;
    (void)unused;
    begin(&t, &c, list);
    case_forward(&c, t.sim, t.z);
    double *hardening = case_read(t.sim, "hardening", c.n);
    for (int64_t i = 0; i < c.n; i++) flowed += hardening[i] > 1e-6;
    free(hardening);
    for (int d = EACH; d < c.desc.n_designs; d++) {
        double most = 0;
        for (int k = 0; k < case_design_count(&c, d); k++)
            most = fmax(most, fabs(t.z_bar[case_design_first(&c, d) + k]));
        least = fmin(least, most / fabs(t.J0));
    }
    print_message("  %d of %lld particles flowed (more than 9); the least of the designs' derivatives is %.2g of J "
                  "(above 1e-5)\n",
                  flowed, (long long)c.n, least);
    assert_true(flowed > 9 && least > 1e-5);
    mpm_taylor_all(&t);
    mpm_taylor_end(&t, "obstacles, two velocity fields, FLIP, plastic flow, active fibres");
    case_free(&c);
}

/* The same check refuses a gradient that is off by 1e-4, and one in which any one of the parts has its sign wrong. */
static void wrong_gradients_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    pio_obstacle_desc list[MOST];
    (void)unused;
    begin(&t, &c, list);
    t.quiet = 1;
    const int n = c.variables;
    for (int i = 0; i < n; i++) t.z_bar[i] *= 1.0001;
    mpm_taylor_gradient(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
    for (int i = 0; i < n; i++) t.z_bar[i] /= 1.0001;
    for (int d = EACH; d < c.desc.n_designs; d++) {
        const int first = case_design_first(&c, d);
        mpm_taylor_single(h, first);
        t.z_bar[first] *= -1;
        assert_int_equal(mpm_taylor_direction(&t, "flipped sign", h), PIO_TAYLOR_FAILED);
        t.z_bar[first] *= -1;
    }
    assert_int_equal(t.passed, 0);
    print_message("  %d wrong gradients: all refused\n", t.failed);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_where_everything_acts_at_once),
        cmocka_unit_test(wrong_gradients_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
