/* test_mpm_walls.c -- do walls hold what their names say, and what is at rest against them at rest? */
#include "tests/solvers/mpm/mpm_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };

static pio_sim *start(mpm_case *c)
{
    piola_error error;
    pio_sim *sim = case_create(c, 0, 1);
    if (piola_engine.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    return sim;
}

static void advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

/* ---- what mirrors are for ---------------------------------------------------------------------------------- */

/* A box of six cells an axis, walls of one kind all round. */
static void closed_box(mpm_case *c, pio_wall kind, double h)
{
    case_init(c, 11, 11, 11, 0.1, h, 0);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++) case_wall(c, a, side, kind, side ? 8 : 2);
}

/* Largest velocity in 200 steps, as a fraction of the speed of sound, of a body that fills a box and is in uniform
 * stress: as many bodies in one place as there are fibres, each with activation a; sum a n n^T is the stress, 0.03
 * E. */
static double fastest_in_uniform_stress(pio_wall kind, int fibres, const double fibre[][3])
{
    mpm_case c;
    const double lo[3] = {0.2, 0.2, 0.2}, hi[3] = {0.8, 0.8, 0.8}, E = 1e5, rho = 1000;
    closed_box(&c, kind, 1e-3);
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {E, 0.3, 0}, .density = rho};
    const pio_channel_desc channel = {.signal = PIO_CONSTANT, .amplitude = -0.03 * E};
    for (int k = 0; k < fibres; k++) case_block(&c, &b, lo, hi, 2, 0);
    for (int k = 0; k < fibres; k++) case_channel(&c, &channel, k, fibre[k]);
    pio_sim *sim = start(&c);
    double fastest = 0;
    for (int k = 0; k < 20; k++) {
        advance(sim, 10);
        double *v = case_read(sim, "velocity", c.n);
        for (int64_t i = 0; i < c.n * D; i++) fastest = fmax(fastest, fabs(v[i]));
        free(v);
    }
    piola_engine.destroy(sim);
    case_free(&c);
    return fastest / sqrt(E / rho);
}

/* The stress of a body that fills a box: any pressure between slip walls, any stress between sticky ones. Between slip
 * walls a shear stress would have to move it: the negative control. */
static void a_uniform_stress_between_walls_moves_nothing(void **unused)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, oblique[1][3] = {{1, 0.7, 0.4}};
    (void)unused;
    case_below("uniform pressure, slip walls: fastest particle over the speed of sound",
               fastest_in_uniform_stress(PIO_WALL_SLIP, D, axes), 1e-13, 1e-6);
    case_below("uniform pressure, sticky walls: the same", fastest_in_uniform_stress(PIO_WALL_STICKY, D, axes), 1e-13,
               1e-6);
    case_below("uniform oblique stress, sticky walls: the same", fastest_in_uniform_stress(PIO_WALL_STICKY, 1, oblique),
               1e-13, 1e-6);
    const double control = fastest_in_uniform_stress(PIO_WALL_SLIP, 1, oblique);
    print_message("  the same between slip walls, which bear no shear stress: %.3g\n", control);
    assert_true(control > 1e-3);
}

/* A viscous fluid in the shear flow u = y e_x over a sticky floor, at rest but for that. It is watched where in five
 * steps nothing comes from the block's free surfaces (three cells a step): within four cells of the floor. */
static void a_linear_shear_flow_over_a_sticky_floor_stays(void **unused)
{
    enum { STEPS = 5 };
    mpm_case c;
    const double dx = 0.1, at = 3 * dx, lo[3] = {5 * dx, at, at}, hi[3] = {45 * dx, at + 20 * dx, at + 2 * dx};
    const double rate = 2;
    (void)unused;
    case_init(&c, 50, 30, 9, dx, 1e-3, 0);
    case_wall(&c, 1, 0, PIO_WALL_STICKY, 3);
    case_wall(&c, 2, 0, PIO_WALL_SLIP, 3);
    case_wall(&c, 2, 1, PIO_WALL_SLIP, 5);
    case_body b = {.law = PIO_LINEAR_FLUID, .parameters = {1e5, 1, 200}, .density = 1000, .centre = {0, at, 0}};
    b.spin[0][1] = rate;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c);
    advance(sim, STEPS);
    double *v = case_read(sim, "velocity", c.n), *C = case_read(sim, "C", c.n), near = 0, steep = 0, far = 0;
    int watched = 0;
    for (int64_t i = 0; i < c.n; i++) {
        const double *x = c.position + i * D;
        const int inside = fabs(x[0] - 25 * dx) < 3 * dx && x[1] < at + 4 * dx;
        double off = 0, slope = 0;
        for (int a = 0; a < D; a++) off = fmax(off, fabs(v[i * D + a] - (a == 0 ? rate * (x[1] - at) : 0)));
        for (int k = 0; k < D * D; k++) slope = fmax(slope, fabs(C[i * D * D + k] - (k == 1 ? rate : 0)));
        watched += inside;
        if (!inside) far = fmax(far, off / (rate * dx));
        if (!inside) continue;
        near = fmax(near, off / (rate * dx));
        steep = fmax(steep, slope / rate);
    }
    print_message("  %d particles watched; at the free surfaces the flow has changed by %.3g\n", watched, far);
    case_below("velocity near the floor against the shear flow, of that across a cell", near, 1e-12, 2e-5);
    case_below("its gradient, relative", steep, 1e-12, 5e-5);
    assert_true(watched >= 96 && far > 0.01);
    free(v);
    free(C);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- what walls do ----------------------------------------------------------------------------------------- */

static void walls_that_leave_no_node_between_are_refused(void **unused)
{
    static const int face[4][2] = {{5, 5}, {6, 5}, {11, 12}, {-1, 0}};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        mpm_case c;
        piola_error error;
        pio_engine_bytes bytes;
        const double x[3] = {0.53, 0.56, 0.51};
        const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3, 0}, .density = 1000};
        case_init(&c, 12, 12, 12, 0.1, 1e-3, 1);
        case_particle(&c, &b, x, 1e-3);
        case_wall(&c, 1, 0, PIO_WALL_SLIP, face[i][0]);
        case_wall(&c, 1, 1, PIO_WALL_SLIP, face[i][1]);
        assert_int_equal(piola_engine.measure(&c.desc, &bytes, &error), PIOLA_BAD_DATA);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, "axis 1"));
        case_free(&c);
    }
}

/* One particle that moves into the wall or away from it, for each axis, side and kind. A separating wall holds it when
 * all its nodes lie at or beyond the face; a mirroring one when it is on the face, where what it gives to the ghost and
 * to the node within cancels. */
static void walls_act_as_their_names_say(void **unused)
{
    static const char *const names[] = {"sticky", "slip", "separate"};
    (void)unused;
    for (int kind = 0; kind < 3; kind++)
        for (int axis = 0; axis < D; axis++)
            for (int side = 0; side < 2; side++)
                for (int into = 0; into < 2; into++) {
                    mpm_case c;
                    case_init(&c, 12, 12, 12, 0.1, 1e-3, 1);
                    case_wall(&c, axis, side, (pio_wall)kind, side ? 6 : 5);
                    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN,
                                   .parameters = {1e5, 0.3, 0},
                                   .density = 1000,
                                   .velocity = {0.3, -0.4, 0.5}};
                    double x[3] = {0.53, 0.56, 0.51}, expected[3] = {0.3, -0.4, 0.5};
                    x[axis] = side ? 0.6 : 0.5;
                    if (kind == PIO_WALL_SEPARATE) x[axis] = side ? 0.71 : 0.42; /* stencil nodes 6, 7, 8 or 3, 4, 5 */
                    b.velocity[axis] = expected[axis] = (side == 1) == (into == 1) ? 0.7 : -0.7;
                    if (kind == PIO_WALL_STICKY)
                        memset(expected, 0, sizeof expected);
                    else if (kind == PIO_WALL_SLIP || into)
                        expected[axis] = 0;
                    case_particle(&c, &b, x, 1e-3);
                    pio_sim *sim = start(&c);
                    advance(sim, 1);
                    double *v = case_read(sim, "velocity", 1), error = 0;
                    for (int a = 0; a < D; a++) error = fmax(error, fabs(v[a] - expected[a]));
                    if (!(error <= (case_is_f32() ? 1e-6 : 1e-14)))
                        fail_msg("%s wall, axis %d, side %d, %s: velocity is off by %g", names[kind], axis, side,
                                 into ? "into" : "away", error);
                    free(v);
                    piola_engine.destroy(sim);
                    case_free(&c);
                }
}

/* Mean velocity of a block that stands on the floor and slides at 0.5 m/s, after 0.3 s under the gravity g. */
static void on_the_floor(pio_wall kind, double along, double up, double v[2])
{
    mpm_case c;
    const double lo[3] = {0.5, 0.2, 0.4}, hi[3] = {0.8, 0.4, 0.6};
    case_init(&c, 18, 14, 11, 0.1, 1e-3, 0);
    case_wall(&c, 1, 0, kind, 2);
    c.desc.gravity[0] = along;
    c.desc.gravity[1] = up;
    case_body b = {
        .law = PIO_HYPER_FIXED_COROTATED, .parameters = {1e5, 0.2, 0}, .density = 1000, .velocity = {0.5, 0, 0}};
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c);
    advance(sim, 300);
    double *all = case_read(sim, "velocity", c.n);
    v[0] = v[1] = 0;
    for (int64_t i = 0; i < c.n; i++)
        for (int a = 0; a < 2; a++) v[a] += all[i * D + a] / (double)c.n; /* all have the same mass */
    free(all);
    print_message("  wall kind %d, gravity (%g, %g): mean velocity (%.6f, %.6f) m/s\n", (int)kind, along, up, v[0],
                  v[1]);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void a_block_sticks_slides_or_lets_go(void **unused)
{
    double down[3][2], up[3][2];
    (void)unused;
    for (int kind = 0; kind < 3; kind++) {
        on_the_floor((pio_wall)kind, 3, -9.81, down[kind]);
        on_the_floor((pio_wall)kind, 0, 5, up[kind]);
    }
    case_below("slip floor: tangential velocity against v + g t, m/s", down[PIO_WALL_SLIP][0] - 1.4, 1e-12, 1e-5);
    case_below("separating floor: the same", down[PIO_WALL_SEPARATE][0] - 1.4, 1e-12, 1e-5);
    case_below("sticky floor: tangential velocity left, m/s", down[PIO_WALL_STICKY][0], 0.14, 0.14);
    case_below("separating floor, lifted: velocity against g t, m/s", up[PIO_WALL_SEPARATE][1] - 1.5, 1e-12, 1e-5);
    case_below("slip floor, lifted: held, m/s", up[PIO_WALL_SLIP][1], 0.15, 0.15);
    case_below("sticky floor, lifted: held, m/s", up[PIO_WALL_STICKY][1], 0.15, 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_stress_between_walls_moves_nothing),
        cmocka_unit_test(a_linear_shear_flow_over_a_sticky_floor_stays),
        cmocka_unit_test(walls_that_leave_no_node_between_are_refused),
        cmocka_unit_test(walls_act_as_their_names_say),
        cmocka_unit_test(a_block_sticks_slides_or_lets_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
