/* test_fem_contact_gradient.c -- is the adjoint the derivative where bodies touch obstacles?
 *
 * Taylor remainders (host/verify/taylor.h) for every element and law, every integrator, and each design alone: place,
 * rotation, size, stiffness, distance, friction and motion of obstacles, still and moving, loads, materials, thickness
 * and shape. f64. */
#include "tests/solvers/fem/fem_taylor.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, STEPS = 3 };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

static const double rise[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, -0.02, -0.03, 0.01, 0.05}};

/* Near the first one, so that points touch both. */
static void a_second_floor(fem_case *c)
{
    pio_obstacle_desc *plane = fem_case_obstacle(c, PIO_PLANE, 8, 0.07);
    plane->normal[0] = -sin(0.05);
    plane->normal[1] = cos(0.05);
    plane->friction = 0.3;
    plane->friction_velocity = 0.2;
    for (int a = 0; a < 3; a++) plane->position[a] = -0.06;
}

/* A plane below, inclined; above, a ball that moves and turns, or a still box (in 3D a cylinder). All coordinates of
 * their places are equal, as those of a design are. */
static void obstacles(fem_case *c, int variant, int rough)
{
    pio_obstacle_desc *plane = fem_case_obstacle(c, PIO_PLANE, 12, 0.06);
    plane->normal[1] = 1;
    pio_obstacle_desc *above =
        fem_case_obstacle(c, variant ? (D == 2 ? PIO_BOX : PIO_CYLINDER) : PIO_BALL, 9, variant ? 0.15 : 0.08);
    for (int a = 0; a < 3; a++) {
        plane->position[a] = rough && D == 3 ? -0.052 : -0.05; /* no node is where a barrier begins, where J'' jumps */
        plane->rotation[a] = D == 2 ? 0.1 : 0.08;
        above->size[a] = 0.63;
        above->position[a] = D == 2 && variant ? 1.2 : 1.33;
        above->rotation[a] = D == 2 ? 0.7 : 0.08;
    }
    above->radius = D == 3 && !variant ? 0.78 : 0.49;
    above->height = 3;
    for (int o = 0; o < 2 && rough; o++) {
        c->obstacle[o].friction = o ? 0.7 : 0.4;
        c->obstacle[o].friction_velocity = o ? 0.1 : 0.05;
    }
    if (rough) a_second_floor(c);
    above->axis = 2;
    if (variant) return;
    above->n_points = 2;
    above->motion = &rise[0][0];
    above->turns[2] = 1;
}

static void structure(fem_case *c, int laws, pio_element_type type, pio_integrator integrator, int rough)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(laws % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((laws + 4) % FEM_LAWS), 1500)};
    const int moves = integrator != PIO_STATIC;
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, integrator == PIO_LEAPFROG ? 0.0008 : moves ? 0.02 : 0.3, STEPS);
    c->random = 5 + (uint64_t)laws;
    const double T = c->desc.dt * STEPS;
    const int ramp = fem_case_curve(c, 3, (double[]){0, 0.3 * T, T}, (double[]){0.2, 0.5, 1});
    fem_case_grid(c, (fem_grid){type, type, {3, 2, 1}, sheared, 0.1});
    fem_case_matter(c, m, 2, 0.9);
    const int zero = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, zero);
    fem_case_load(c, PIO_TRACTION, 1, 1, fem_case_value(c, 5, -12, 0), ramp);
    fem_case_contact(c, 1, 0);
    fem_case_contact(c, 1, 1);
    obstacles(c, laws % 2, rough);
    c->desc.gravity[1] = -0.3;
    if (!moves) return;
    fem_case_motion(c, integrator, 0, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) c->initial_velocity[i] = 0.2 * fem_case_random(c);
}

static void observe_everything(fem_case *c, int reactions)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_COMPLIANCE, PIO_CONTACT_FORCE, PIO_GAP, PIO_REACTION};
    for (int k = 0; k < 4 + reactions; k++) {
        const int o = fem_case_observe(c, type[k], 2);
        c->observation[o].obstacle = k == 3; /* the floor's force, the gap above */
        fem_case_sample(c, o, STEPS, 0, 0.1);
        fem_case_sample(c, o, 0, 1, 0.03);
        fem_case_sample(c, o, 1, 1, 0.05);
        fem_case_sample(c, o, 2, 1, -0.04);
    }
}

static void design_everything(fem_case *c, int moves)
{
    for (int o = 0; o < 2; o++) {
        const pio_obstacle_desc *at = &c->obstacle[o];
        fem_case_design(c, PIO_OBSTACLE_POSITION, -1, FEM_SCALAR, fem_linear(at->position[0], 0.01), o);
        if (at->type != PIO_BALL)
            fem_case_design(c, PIO_OBSTACLE_ROTATION, -1, FEM_SCALAR, fem_linear(at->rotation[0], 0.02), o);
        fem_case_design(c, PIO_OBSTACLE_STIFFNESS, -1, FEM_SCALAR, fem_logarithmic(log(10), 0.4), o);
        fem_case_design(c, PIO_OBSTACLE_DISTANCE, -1, FEM_SCALAR, fem_linear(at->contact_distance, 0.01), o);
        if (!(at->friction > 0)) continue;
        fem_case_design(c, PIO_OBSTACLE_FRICTION, -1, FEM_SCALAR, fem_linear(at->friction, 0.1), o);
        fem_case_design(c, PIO_OBSTACLE_FRICTION_VELOCITY, -1, FEM_SCALAR, fem_linear(at->friction_velocity, 0.02), o);
    }
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.02), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(-10, 5), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.1), 0);
    if (moves) fem_case_design(c, PIO_DISPLACED, -1, FEM_GROUPS, fem_linear(0, 0.003), 0);
    fem_case_design_matter(c);
}

/* Of what is above: its size, and where it moves its way and, with variables of `turn` rad above 0, its turn. */
static void design_size_and_motion(fem_case *c, double turn)
{
    fem_case_design(c, PIO_OBSTACLE_SCALE, -1, FEM_SCALAR, fem_linear(1, 0.01), 1);
    for (int a = 0; a < D && c->obstacle[1].n_points; a++)
        c->design[fem_case_design(c, PIO_OBSTACLE_SHIFT, -1, FEM_SCALAR, fem_linear(0, 0.01), 1)].component = a;
    if (c->obstacle[1].n_points && turn > 0)
        fem_case_design(c, PIO_OBSTACLE_ANGLE, -1, FEM_SCALAR, fem_linear(0, turn), 1);
}

/* How many points the run brought within reach of an obstacle: without any a test would show nothing. */
static void expect_contact(taylor_run *t)
{
    pio_contact_report report;
    piola_error error;
    if (piola_engine_fem.contact(t->sim, &report, &error)) fail_msg("%s", error.message);
    print_message("  %d points, least gap %.3g m\n", (int)report.points, report.gap);
    assert_true(report.gap > 0 && report.gap < 0.05);
}

static void adjoint_is_the_derivative_in_contact_for_every_law_and_element(void **unused)
{
    (void)unused;
    for (int laws = 0; laws < FEM_LAWS + FEM_TYPES; laws += TEST_SANITIZED ? 5 : 2 * D - 3) {
        static taylor_run t;
        static fem_case c;
        char what[160];
        const pio_element_type alone = laws < FEM_LAWS ? box : fem_types[laws - FEM_LAWS];
        structure(&c, laws, alone, PIO_STATIC, 0);
        observe_everything(&c, 1);
        design_everything(&c, 0);
        taylor_begin(&t, &c, 0.2);
        expect_contact(&t);
        everything(&t);
        if (laws < 2) design_by_design(&t);
        snprintf(what, sizeof what, "%s, %s", fem_law_names[laws % FEM_LAWS], fem_type_names[alone]);
        taylor_end(&t, what);
        fem_case_free(&c);
    }
}

static void adjoint_is_the_derivative_in_contact_for_every_integrator(void **unused)
{
    static const pio_integrator integrator[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
    static const char *const names[] = {"backward Euler", "BDF2", "Newmark", "leapfrog"};
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int variant = 0; variant < 2; variant++) {
            static taylor_run t;
            static fem_case c;
            structure(&c, variant, box, integrator[k], 0);
            observe_everything(&c, integrator[k] != PIO_LEAPFROG);
            design_everything(&c, 1);
            taylor_begin(&t, &c, 0.2);
            expect_contact(&t);
            everything(&t);
            if (k == 2) design_by_design(&t);
            taylor_end(&t, names[k]);
            fem_case_free(&c);
        }
}

/* Friction depends on the velocities of states, static ones too, and makes the matrix unsymmetric. */
static void adjoint_is_the_derivative_with_friction_for_every_integrator(void **unused)
{
    static const pio_integrator integrator[] = {PIO_STATIC, PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
    static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};
    (void)unused;
    for (int k = 0; k < 5; k++)
        for (int variant = 0; variant < 2; variant++) {
            static taylor_run t;
            static fem_case c;
            structure(&c, variant, box, integrator[k], 1);
            observe_everything(&c, integrator[k] != PIO_LEAPFROG);
            design_everything(&c, integrator[k] != PIO_STATIC);
            taylor_begin(&t, &c, 0.2);
            expect_contact(&t);
            everything(&t);
            if (k % 3 != 1 && (k || D == 2)) design_by_design(&t); /* at rest in 3D nothing touches the ball */
            taylor_end(&t, names[k]);
            fem_case_free(&c);
        }
}

static void adjoint_is_the_derivative_by_size_and_motion_for_every_integrator(void **unused)
{
    static const pio_integrator integrator[] = {PIO_STATIC, PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
    static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};
    (void)unused;
    for (int k = 0; k < 5; k++)
        for (int number = 0; number < 4; number++) {
            static taylor_run t;
            static fem_case c;
            const int variant = number % 2, rough = number / 2;
            if (D == 3 && k == 0 && !variant) continue; /* at rest nothing touches the ball */
            structure(&c, variant, box, integrator[k], rough);
            observe_everything(&c, 0);
            /* a few short steps of the leapfrog feel fast turns alone, and in 2D, where the ball is hardly pressed,
             * none by more than the rounding of J */
            const double turn = integrator[k] != PIO_LEAPFROG ? 0.05 : D == 3 ? 2 : 0;
            design_size_and_motion(&c, rough ? turn : 0);
            taylor_begin(&t, &c, 0.2);
            expect_contact(&t);
            everything(&t);
            if (k % 4 == 0) design_by_design(&t);
            taylor_end(&t, names[k]);
            fem_case_free(&c);
        }
}

/* Contact at the top of a box alone: as the box grows about its centre its face moves by half its height, and all
 * points of its motion together move it, too. Then without turns the derivatives are those by its place, times half
 * the height and times 1. */
static void a_box_that_grows_or_moves_is_a_face_that_moves(void **unused)
{
    static taylor_run t;
    static fem_case c;
    static const double lift[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}};
    const double half = 0.55;
    (void)unused;
    structure(&c, 1, box, PIO_NEWMARK, 1);
    pio_obstacle_desc *o = &c.obstacle[0];
    o->type = PIO_BOX;
    o->n_points = 2;
    o->motion = &lift[0][0];
    for (int a = 0; a < 3; a++) {
        o->position[a] = -0.05 - half;
        o->rotation[a] = 0;
        o->size[a] = a == 1 ? 2 * half : 12;
    }
    o->friction = 0;
    c.desc.n_obstacles = 1;
    const int seen = fem_case_observe(&c, PIO_COMPLIANCE, 1);
    fem_case_sample(&c, seen, STEPS, 0, 0.1);
    fem_case_sample(&c, seen, 1, 0, 0.05);
    const int place = fem_case_design(&c, PIO_OBSTACLE_POSITION, -1, FEM_SCALAR, fem_linear(o->position[0], 1), 0);
    const int scale = fem_case_design(&c, PIO_OBSTACLE_SCALE, -1, FEM_SCALAR, fem_linear(1, 1), 0);
    const int shift = fem_case_design(&c, PIO_OBSTACLE_SHIFT, -1, FEM_SCALAR, fem_linear(0.02, 1), 0);
    c.design[shift].component = 1;
    taylor_begin(&t, &c, 0);
    expect_contact(&t);
    const double *by_place = t.z_bar + fem_case_design_first(&c, place) + 1;
    const double *by_scale = t.z_bar + fem_case_design_first(&c, scale);
    const double *by_shift = t.z_bar + fem_case_design_first(&c, shift);
    const double grows = fabs(*by_scale / (half * *by_place) - 1),
                 moves = fabs((by_shift[0] + by_shift[1]) / *by_place - 1);
    print_message("  dJ/dy %.6g /m; by its scale %.2g off half its height times that, by its motion %.2g off it "
                  "(threshold 1e-10)\n",
                  *by_place, grows, moves);
    assert_true(fabs(*by_place) > 1e-3);
    assert_true(grows < 1e-10 && moves < 1e-10);
    piola_engine_fem.destroy(t.sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative_in_contact_for_every_law_and_element),
        cmocka_unit_test(adjoint_is_the_derivative_in_contact_for_every_integrator),
        cmocka_unit_test(adjoint_is_the_derivative_with_friction_for_every_integrator),
        cmocka_unit_test(adjoint_is_the_derivative_by_size_and_motion_for_every_integrator),
        cmocka_unit_test(a_box_that_grows_or_moves_is_a_face_that_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
