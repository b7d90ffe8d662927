/* test_fem_bounce.c -- an elastic ball that is thrown on a floor: where it ends depends on where it began, on its
 * velocity and on the floor as that of a mirror does. f64. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { D = FEM_DIM, CELLS = D == 2 ? 16 : 6, STEPS = D == 2 ? 2500 : 1250 };
static const double radius = 0.5, gap = 0.1, sound = 30, end = 0.5;

/* A disc or ball of the cube: its surface is that of the cube (Nowell's map of a square to a disc, and of a cube to a
 * ball). The lowest point is `gap` above y = 0. */
static void round_off(const double s[3], double x[3])
{
    const double a[3] = {2 * s[0] - 1, 2 * s[1] - 1, D == 3 ? 2 * s[2] - 1 : 0};
    for (int c = 0; c < 3; c++) {
        const double p = a[(c + 1) % 3] * a[(c + 1) % 3], q = a[(c + 2) % 3] * a[(c + 2) % 3];
        x[c] = radius * a[c] * sqrt(1 - p / 2 - q / 2 + p * q / 3);
    }
    x[1] += radius + gap;
}

/* y of the ball's centre, the mean of its nodes, less that at rest; sound runs 30 times as fast as the ball. */
static void thrown(fem_case *c)
{
    const double nu = 0.3, modulus = sound * sound * (1 + nu) * (1 - 2 * nu) / (1 - nu);
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, modulus);
    m.density = 1;
    fem_case_begin(c, end / STEPS, STEPS);
    fem_case_grid(
        c,
        (fem_grid){D == 2 ? PIO_QUAD4 : PIO_HEX8, D == 2 ? PIO_QUAD4 : PIO_HEX8, {CELLS, CELLS, CELLS}, round_off, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_motion(c, PIO_LEAPFROG, 1, 0, 0);
    for (int i = 0; i < c->n; i++) c->initial_velocity[i * D + 1] = -1;
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < D; a++) fem_case_contact(c, a, side);
    fem_case_obstacle(c, PIO_PLANE, 0.1 * modulus, 0.01)->normal[1] = 1;
    fem_case_observe_node(c, 0, 1);
    double *weight = (double *)(uintptr_t)c->observation[0].weight;
    for (int i = 0; i < c->n; i++)
        for (int a = 0; a < D; a++) weight[i * D + a] = 1.0 / c->n;
    fem_case_design(c, PIO_OBSTACLE_POSITION, -1, FEM_SCALAR, fem_linear(0, 1), 0);
}

/* The sum of what the nodes have along y. */
static double sum_of(pio_sim *sim, const fem_case *c, const char *field)
{
    double *values = fem_case_read(sim, field), sum = 0;
    for (int i = 0; i < c->n; i++) sum += values[i * D + 1];
    free(values);
    return sum;
}

/* y(T) = 2 floor + .. - y(0) - v(0) (T - contact), with the time of contact that the way says. */
static void a_ball_bounces_off_a_floor_as_a_mirror_would_have_it(void **unused)
{
    static fem_case c;
    double z[3] = {0}, z_bar[3] = {0};
    piola_error error;
    (void)unused;
    thrown(&c);
    pio_sim *sim = fem_case_create(&c, STEPS, 1);
    const double way = fem_case_gradient(&c, sim, NULL, z, z_bar);
    const double by_place = sum_of(sim, &c, "grad_displacement"), by_velocity = sum_of(sim, &c, "grad_velocity");
    if (piola_engine_fem.start(sim, z, &error) || piola_engine_fem.advance(sim, STEPS, &error))
        fail_msg("%s", error.message);
    const double v = sum_of(sim, &c, "velocity") / c.n, contact = end - gap - (way + gap) / v;
    print_message("  the ball touches for %.4f s and rises with %.4f of its speed\n", contact, v);
    assert_true(contact > 0 && contact < 0.3 * end);
    fem_case_below("speed after the bounce, less that before", v - 1, 0.02, 0);
    fem_case_below("d y(T)/d y(0) + 1", by_place + 1, 0.05, 0);
    fem_case_below("d y(T)/d floor - 2", z_bar[1] - 2, 0.05, 0);
    fem_case_below("d y(T)/d v(0) + T - contact, of T", (by_velocity + end - contact) / end, 0.05, 0);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_bounces_off_a_floor_as_a_mirror_would_have_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
