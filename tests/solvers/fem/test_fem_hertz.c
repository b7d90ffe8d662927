/* test_fem_hertz.c -- a rigid ball that is pressed into an elastic half-space, by rings, against Hertz (1881): F = 4/3
 * E/(1 - nu^2) sqrt(R) delta^(3/2). f64, 2D. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Twelve elements along the contact radius at the deepest, or without TEST_LONG six. */
#ifdef TEST_LONG
enum { CELLS = 72, STEPS = 4 };
static const double distance = 1e-4, most = 0.03;
#else
enum { CELLS = 36, STEPS = 2 };
static const double distance = 2e-4, most = 0.06;
#endif

/* A contact radius of 1 m at the deepest, of a ball of 30 m; the body is 80 contact radii deep and wide. */
static const double young = 1000, poisson = 0.3, radius = 30, depth = 1.0 / 30, size = 80, grade = 5;

static double graded(double s)
{
    return size * sinh(grade * s) / sinh(grade);
}

static void fine_at_the_top(const double s[3], double x[3])
{
    x[0] = graded(s[0]);
    x[1] = -graded(1 - s[1]);
}

static void force_of_a_ball_is_that_of_hertz(void **unused)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {young, poisson}, .density = 1};
    const double motion[2][PIO_MOTION_NUMBERS] = {{0}, {STEPS, 0, -depth - distance, 0, 0}};
    double force[STEPS + 1] = {0}, worst = 0;
    static fem_case c;
    piola_error error;
    (void)unused;
    fem_case_begin(&c, 1, STEPS);
    fem_case_grid(&c, (fem_grid){PIO_QUAD4, PIO_QUAD4, {CELLS, CELLS, 1}, fine_at_the_top, 0});
    fem_case_matter(&c, &m, 1, 1);
    c.fem.plane = PIO_AXISYMMETRIC;
    c.fem.newton_tolerance = c.fem.adjoint_tolerance = 1e-7;
    c.fem.halvings = 6;
    const int zero = fem_case_support(&c, 0, -1);
    fem_case_hold_side(&c, 0, 0, 0, zero);
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < c.n; i++)
            if (fem_case_on_side(&c, i, 1, 0) && (a || c.rest[2 * i] > 0)) fem_case_hold(&c, i, a, zero);
    fem_case_contact(&c, 1, 1);
    pio_obstacle_desc *ball = fem_case_obstacle(&c, PIO_BALL, 0.01 * young, distance);
    ball->radius = radius;
    ball->position[1] = radius + distance;
    ball->motion = &motion[0][0];
    ball->n_points = 2;
    pio_sim *sim = fem_case_create(&c, 0, 1);
    if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("%s", error.message);
    for (int k = 1; k <= STEPS; k++) {
        if (piola_engine_fem.advance(sim, 1, &error)) fail_msg("%s", error.message);
        double *f = fem_case_read(sim, "internal_force");
        for (int i = 0; i < c.n; i++)
            if (fem_case_on_side(&c, i, 1, 0)) force[k] += f[2 * i + 1];
        free(f);
        pio_step_record r;
        assert_true(piola_engine_fem.record(sim, k - 1, &r));
        const double delta = (depth + distance) * k / STEPS - distance;
        const double hertz = 4.0 / 3 * young / (1 - poisson * poisson) * sqrt(radius) * pow(delta, 1.5);
        print_message("  depth %.4g m: %.6g N, of Hertz' %.4f; %d iterations in %d parts\n", delta, force[k],
                      force[k] / hertz, (int)r.newton_iterations, (int)r.parts);
        if (2 * k >= STEPS) worst = fmax(worst, fabs(force[k] / hertz - 1));
    }
    fem_case_below("force, less Hertz'", worst, most, 0);
    fem_case_below("exponent less 1.5", log(force[STEPS] / force[STEPS / 2]) / log(2) - 1.5, 0.03, 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(force_of_a_ball_is_that_of_hertz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
