/* test_mpm_push_limits.c -- what do obstacles with a potential do to the smallest bodies, and what do they refuse? */
#include "tests/solvers/mpm/mpm_obstacle_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static pio_sim *start(mpm_case *c, const double *z)
{
    piola_error error;
    pio_sim *sim = case_create(c, 0, 1);
    if (piola_engine.start(sim, z, &error)) fail_msg("start: %s", error.message);
    return sim;
}

static void advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

/* Mean of a component of a field; all particles have the same mass. */
static double mean(pio_sim *sim, const char *field, int64_t n, int component)
{
    double *all = case_read(sim, field, n), sum = 0;
    const int components = piola_engine.components(sim, field);
    for (int64_t i = 0; i < n; i++) sum += all[i * components + component];
    free(all);
    return sum / (double)n;
}

/* Velocity after the bounce over that before, of a body that comes down on a plane: of so many particles side by side,
 * one above another. */
static double bounced(int wide, int high, double place)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double dx = 0.1, low = 0.4 + place * dx;
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e6, 0.2}, .density = 1000, .velocity = {0, -0.3}};
    case_init(&c, 16, 16, 16, dx, 1e-3, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.1e6;
    o->contact_distance = dx / 4;
    o->position[1] = low;
    int body = -1;
    for (int i = 0; i < wide; i++)
        for (int j = 0; j < high; j++) {
            const double x[3] = {0.5 + i * dx / 2, low + (j + 0.6) * dx / 2, 0.7};
            if (body < 0)
                body = case_particle(&c, &b, x, pow(dx / 2, D));
            else
                case_more(&c, &b, body, x, pow(dx / 2, D));
        }
    pio_sim *sim = start(&c, NULL);
    advance(sim, 300);
    const double v = mean(sim, "velocity", c.n, 1);
    piola_engine.destroy(sim);
    case_free(&c);
    return v / 0.3;
}

/* A loose particle, a row of them, and a body of a spacing: also between rows of nodes. */
static void a_body_thinner_than_a_cell_bounces_as_a_thick_one_does(void **unused)
{
    static const int sizes[3][2] = {{1, 1}, {8, 1}, {8, 2}};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const double on = bounced(sizes[k][0], sizes[k][1], 0), between = bounced(sizes[k][0], sizes[k][1], 0.37);
        print_message("  %d x %d particles: %.4f and %.4f of the speed (0.9 to 1.001)\n", sizes[k][0], sizes[k][1], on,
                      between);
        assert_true(on > 0.9 && on < 1.001 && between > 0.9 && between < 1.001);
    }
}

/* ---- faults and refusals ----------------------------------------------------------------------------------------- */

static void expect_fault(mpm_case *c, int64_t steps, const char *words)
{
    piola_error error = {0};
    pio_sim *sim = case_create(c, 0, 1);
    piola_status rc = piola_engine.start(sim, NULL, &error);
    if (!rc) rc = piola_engine.advance(sim, steps, &error);
    if (!rc) rc = piola_engine.check(sim, &error);
    print_message("  %s\n", rc ? error.message : "no fault");
    assert_int_equal(rc, PIOLA_NUMERICAL);
    assert_non_null(strstr(error.message, words));
    piola_engine.destroy(sim);
}

/* A block at a plate of a fifth of a spacing, fast; and a stiffness for which the time step is too long. */
static void what_comes_too_deep_or_vibrates_too_fast_is_reported(void **unused)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {0.4, 0.6, 0.4}, hi[3] = {0.6, 0.8, 0.6};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000, .velocity = {0, -6}};
    (void)unused;
    case_init(&c, 12, 12, 12, 0.1, 1e-3, 100);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_BOX, PIO_WALL_SEPARATE, 1);
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.1e5;
    o->contact_distance = 0.025;
    for (int a = 0; a < 3; a++) o->position[a] = 0.5;
    o->size[0] = o->size[2] = 0.6;
    o->size[1] = 0.02;
    case_block(&c, &b, lo, hi, 2, 0);
    expect_fault(&c, 100, "deeper into an obstacle");
    o->stiffness = 1e8;
    expect_fault(&c, 1, "a time step of at most 0.000");
    case_free(&c);
}

/* A block whose lowest particles, 0.025 above its lower side, are a quarter of a spacing deep in a plane, a ball or a
 * box at the start is refused with the obstacle and the depth; an eighth of a spacing or less is borne. */
static void what_begins_in_an_obstacle_is_refused_with_its_depth(void **unused)
{
    static const pio_shape_type shapes[] = {PIO_PLANE, PIO_BALL, PIO_BOX};
    const double lo[3] = {0.5, 0.6, 0.5}, hi[3] = {0.7, 0.8, 0.7}, centre = 0.625;
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000};
    (void)unused;
    for (int k = 0; k < 6; k++) {
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        const double depth = k % 2 ? 0.012 : 0.025;
        case_init(&c, 12, 12, 12, 0.1, 1e-3, 10);
        pio_obstacle_desc *o = add_obstacle(&c, list, shapes[k / 2], PIO_WALL_SEPARATE, 1);
        o->model = PIO_CONTACT_POTENTIAL;
        o->stiffness = 1.1e5;
        o->contact_distance = 0.025;
        o->normal[1] = 1;
        o->radius = 0.2;
        for (int a = 0; a < 3; a++) {
            o->size[a] = 0.4;
            o->position[a] = a == 1 ? centre + depth - (k / 2 ? 0.2 : 0) : 0.575;
        }
        case_block(&c, &b, lo, hi, 2, 0);
        if (k % 2) {
            piola_error error = {0};
            pio_sim *sim = case_create(&c, 0, 1);
            piola_status rc = piola_engine.start(sim, NULL, &error);
            if (!rc) rc = piola_engine.advance(sim, 1, &error);
            if (!rc) rc = piola_engine.check(sim, &error);
            if (rc) fail_msg("%s", error.message);
            piola_engine.destroy(sim);
        } else {
            expect_fault(&c, 1, "m deep in obstacles[0], whose potential would shoot it out");
        }
        case_free(&c);
    }
}

static void expect_refusal(mpm_case *c, const char *words)
{
    pio_engine_bytes bytes;
    piola_error error;
    assert_int_equal(piola_engine.measure(&c->desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, words));
}

static void a_potential_that_would_not_hold_is_refused(void **unused)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {0.4, 0.4, 0.4}, hi[3] = {0.6, 0.6, 0.6};
    const case_body b = {.law = PIO_LINEAR_FLUID, .parameters = {1e4, 1, 0}, .density = 1000};
    (void)unused;
    case_init(&c, 11, 11, 11, 0.1, 1e-3, 1);
    case_block(&c, &b, lo, hi, 1, 0);
    pio_sim *sim = case_create(&c, 0, 1); /* fills in the particles */
    piola_engine.destroy(sim);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->model = PIO_CONTACT_POTENTIAL;
    expect_refusal(&c, "stiffness 0 Pa");
    o->stiffness = 1e5;
    o->contact_distance = 0.2;
    expect_refusal(&c, "at most a spacing");
    o->contact_distance = 0.02;
    expect_refusal(&c, "is fluid");
    o->behaviour = PIO_WALL_STICKY;
    expect_refusal(&c, "a potential separates");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_thinner_than_a_cell_bounces_as_a_thick_one_does),
        cmocka_unit_test(what_comes_too_deep_or_vibrates_too_fast_is_reported),
        cmocka_unit_test(what_begins_in_an_obstacle_is_refused_with_its_depth),
        cmocka_unit_test(a_potential_that_would_not_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
