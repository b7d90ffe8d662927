/* test_fem_sink.c -- does a run end where an obstacle is in a face between its nodes, and only there? f64. */
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

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static void lift(const double s[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = s[a] + (a == 1 ? 0.1 : 0);
}

/* A block of 1 m at a height of 0.1 m, elements a third of it wide, with this speed downwards. */
static void falling(fem_case *c, pio_element_type type, pio_integrator integrator, double dt, int steps, double speed)
{
    fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    m.density = 1;
    fem_case_begin(c, dt, steps);
    fem_case_grid(c, (fem_grid){type, type, {3, 3, 3}, lift, 0});
    fem_case_matter(c, &m, 1, 1);
    if (integrator == PIO_STATIC)
        fem_case_clamp(c, 1, 1);
    else
        fem_case_motion(c, integrator, integrator == PIO_LEAPFROG, 0, 0);
    for (int i = 0; i < c->n && integrator != PIO_STATIC; i++) c->initial_velocity[i * D + 1] = -speed;
    c->fem.newton_tolerance = 1e-8;
    c->fem.halvings = 8;
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < D; a++) fem_case_contact(c, a, side);
}

/* A body of this type below the middle of the block, whose highest point is at this height. */
static pio_obstacle_desc *below(fem_case *c, pio_shape_type type, double width, double top)
{
    pio_obstacle_desc *o = fem_case_obstacle(c, type, 50, 0.02);
    const double height = type == PIO_BALL ? width : 0.6;
    for (int a = 0; a < 3; a++) o->size[a] = a == 1 ? height : width;
    o->radius = width / 2;
    o->position[0] = o->position[2] = 0.5;
    o->position[1] = top - height / 2;
    return o;
}

/* Runs; returns the depth that the message names, m, or 0 where it ends well, or ends the test. */
static double depth_of(fem_case *c, const char *when)
{
    piola_error error;
    const piola_status rc = fem_case_try(c, NULL, 0, &error);
    fem_case_free(c);
    if (!rc) return 0;
    print_message("  %s\n", error.message);
    assert_int_equal(rc, PIOLA_NUMERICAL);
    assert_int_equal(error.failure.kind, PIOLA_FAILED_CONTACT);
    assert_int_equal(error.failure.of, PIOLA_FAILED_NODE);
    const char *at = strstr(error.message, "obstacles[0] is ");
    assert_non_null(at);
    assert_non_null(strstr(error.message, when));
    assert_non_null(strstr(error.message, "m deep in the face between nodes "));
    return strtod(at + strlen("obstacles[0] is "), NULL);
}

/* A plate on edge, a tenth as wide as an element, stands below the middle of one. Nothing at nodes keeps the block from
 * falling over it. */
static void a_block_does_not_fall_over_a_plate_in_silence(void **unused)
{
    static const pio_integrator integrator[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        const int leaps = integrator[k] == PIO_LEAPFROG;
        falling(&c, box, integrator[k], leaps ? 1e-4 : 5e-3, leaps ? 800 : 16, 4);
        below(&c, PIO_BOX, 0.04, 0.05);
        const double depth = depth_of(&c, "at 0.0");
        assert_true(depth > 0.01 && depth <= 0.02); /* a quarter of its width, and half */
    }
}

/* A static block that supports push over it likewise, and a plate that moves up into a block at rest. */
static void a_plate_is_not_pushed_into_a_block_in_silence(void **unused)
{
    static const double rise[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, 0, 0.3, 0, 0}};
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++) {
        static fem_case c;
        const double width = type == 0 ? 0.04 : 0.02;
        falling(&c, fem_types[type], PIO_STATIC, 0.125, 8, 0);
        pio_obstacle_desc *o = below(&c, PIO_BOX, width, 0.05);
        o->position[0] = o->position[2] = 0.43; /* on no node of quadratic elements */
        o->motion = &rise[0][0];
        o->n_points = 2;
        const double depth = depth_of(&c, "at 0.");
        assert_true(depth > 0.25 * width && depth <= 0.5 * width);
    }
}

/* A corner of 90 degrees that is 0.1 m above the lower side of the block at the start: the point of a face that is
 * deepest in it is below it, 0.1/sqrt(2) from its sides. In 2D, and of an edge along the third axis in 3D. */
static void a_corner_in_a_face_is_refused_with_its_depth(void **unused)
{
    static fem_case c;
    (void)unused;
    falling(&c, box, PIO_BACKWARD_EULER, 1e-3, 1, 0);
    pio_obstacle_desc *o = fem_case_obstacle(&c, PIO_BOX, 50, 0.02);
    for (int a = 0; a < 3; a++) o->size[a] = a == 2 ? 0.2 : 0.4; /* along z it ends within an element */
    o->position[0] = o->position[2] = 0.5;
    o->position[1] = 0.2 - 0.2 * sqrt(2);
    o->rotation[D == 2 ? 0 : 2] = atan(1);
    const double depth = depth_of(&c, "at the start");
    fem_case_below("depth, less what it is", fabs(depth - 0.1 / sqrt(2)), 0.25 * 0.1 * (D == 2 ? 1.0 : sqrt(2)) / 3, 0);
}

/* Round obstacles that are in faces by less than is borne, and an obstacle in a hollow, are none of these. */
static void what_a_mesh_can_feel_is_not_refused(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static fem_case c;
        falling(&c, box, k ? PIO_LEAPFROG : PIO_BDF2, k ? 1e-4 : 5e-3, k ? 800 : 16, 1);
        pio_obstacle_desc *o = below(&c, PIO_BALL, 2.4, 0.05);
        o->stiffness = 100;
        assert_true(depth_of(&c, "") == 0);
    }
}

/* A ball a tenth as wide as an element that is beside the block in one state and inside it in the next. */
static void a_ball_that_is_inside_after_one_step_is_found(void **unused)
{
    static fem_case c;
    piola_error error;
    (void)unused;
    falling(&c, box, PIO_BDF2, 0.05, 1, 4);
    below(&c, PIO_BALL, 0.03, 0.07)->position[0] = 0.45;
    const piola_status rc = fem_case_try(&c, NULL, 0, &error);
    fem_case_free(&c);
    print_message("  %s\n", rc ? error.message : "no error");
    assert_int_equal(rc, PIOLA_NUMERICAL);
    assert_non_null(strstr(error.message, "at 0.05 s obstacles[0] is inside a body"));
}

/* A ball within the block, in no face; beside it there is none. */
static void an_obstacle_inside_a_body_is_refused(void **unused)
{
    (void)unused;
    for (int inside = 0; inside < 2; inside++)
        for (int moves = 0; moves < 2; moves++) {
            static fem_case c;
            piola_error error;
            falling(&c, box, moves ? PIO_NEWMARK : PIO_STATIC, 1e-3, 1, 0);
            below(&c, PIO_BALL, 0.1, 0.65)->position[0] = inside ? 0.5 : 2;
            const piola_status rc = fem_case_try(&c, NULL, 0, &error);
            fem_case_free(&c);
            assert_int_equal(rc, inside ? PIOLA_NUMERICAL : PIOLA_OK);
            if (!inside) continue;
            print_message("  %s\n", error.message);
            assert_non_null(strstr(error.message, "at the start obstacles[0] is inside a body"));
            assert_int_equal(error.failure.kind, PIOLA_FAILED_CONTACT);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_does_not_fall_over_a_plate_in_silence),
        cmocka_unit_test(a_plate_is_not_pushed_into_a_block_in_silence),
        cmocka_unit_test(a_corner_in_a_face_is_refused_with_its_depth),
        cmocka_unit_test(what_a_mesh_can_feel_is_not_refused),
        cmocka_unit_test(a_ball_that_is_inside_after_one_step_is_found),
        cmocka_unit_test(an_obstacle_inside_a_body_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
