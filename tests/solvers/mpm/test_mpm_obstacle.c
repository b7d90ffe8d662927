/* test_mpm_obstacle.c -- do obstacles do to particles what mechanics says? The derivative of friction is mechanics
 * too. */
#include "tests/solvers/mpm/mpm_obstacle_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double g = 9.81;

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

/* ---- mechanics --------------------------------------------------------------------------------------------------- */

static const double slope = 3.14159265358979323846 / 6;

/* A block at rest just above a plane that falls towards +x at 30 degrees. Designs: friction and rotation. */
static void incline(mpm_case *c, pio_obstacle_desc list[MOST], double friction, int64_t steps)
{
    const double dx = 0.1, along[2] = {cos(slope), -sin(slope)}, out[2] = {sin(slope), cos(slope)};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e5, 0.2}, .density = 1000};
    case_init(c, 36, 28, 10, dx, 1e-3, steps);
    pio_obstacle_desc *o = add_obstacle(c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->friction = friction;
    o->position[0] = 0.6;
    o->position[1] = 1.8;
    o->rotation[D == 3 ? 2 : 0] = -slope;
    int body = -1;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < (D == 3 ? 4 : 1); k++) {
                const double s = (i - 3.5) * dx / 2, d = (j + 0.5) * dx / 2 + 0.02;
                const double x[3] = {0.6 + along[0] * s + out[0] * d, 1.8 + along[1] * s + out[1] * d,
                                     0.4 + k * dx / 2};
                if (body < 0)
                    body = case_particle(c, &b, x, pow(dx / 2, D));
                else
                    case_more(c, &b, body, x, pow(dx / 2, D));
            }
    c->desc.gravity[1] = -g;
    c->design[case_design(c, PIO_OBSTACLE_FRICTION, -1, CASE_SCALAR, 0, friction, 1)].which = 0;
}

/* s = (sin a - mu cos a) g t^2/2 and ds/dmu = -cos a g t^2/2, the way along the plane in t. */
static void a_block_slides_down_an_incline_as_coulomb_says(void **unused)
{
    static const double friction[] = {0, 0.2};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        double z[1] = {0}, z_bar[1], from = 0;
        incline(&c, list, friction[k], 1000);
        case_sample(&c, case_observe(&c, PIO_MEAN_POSITION, 0, 1), c.desc.steps, 0, 1);
        memset(c.linear, 0, sizeof c.linear);
        memset(c.square, 0, sizeof c.square);
        c.linear[0] = cos(slope);
        c.linear[1] = -sin(slope);
        for (int64_t i = 0; i < c.n; i++)
            from += (c.position[i * D] * cos(slope) - c.position[i * D + 1] * sin(slope)) / (double)c.n;
        pio_sim *sim = case_create(&c, c.desc.steps, 1);
        const double way = case_gradient(&c, sim, NULL, z, z_bar) - from, slower = -cos(slope) * g / 2;
        const double expected = sin(slope) * g / 2 + friction[k] * slower;
        print_message("  friction %g: %.6f m in 1 s (expected %.6f), ds/dmu %.6f m (expected %.6f)\n", friction[k], way,
                      expected, z_bar[0], slower);
        case_below("way down the incline against mechanics, relative", way / expected - 1, 0.01, 0.01);
        case_below("its derivative with respect to friction, relative", z_bar[0] / slower - 1, 0.01, 0.01);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* Where friction is above tan 30 degrees the block comes to rest but for a creep: nodes at the rim of the obstacle's
 * reach keep a part of what a step gives them, so that it is of the size of g dt. */
static void a_block_stays_on_an_incline_where_friction_holds_it(void **unused)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double z[1] = {0};
    double v[2];
    (void)unused;
    incline(&c, list, 1, 1000);
    pio_sim *sim = start(&c, z);
    advance(sim, 1000);
    for (int a = 0; a < 2; a++) v[a] = mean(sim, "velocity", c.n, a);
    const double creep = v[0] * cos(slope) - v[1] * sin(slope), step = g * c.desc.dt;
    print_message("  after 1 s it creeps at %.4f m/s, %.2f of g dt; sliding freely it would have %.2f m/s\n", creep,
                  creep / step, g * sin(slope));
    case_below("velocity along the incline after 1 s over g dt", creep / step, 2, 2);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* A ball that comes down on a still obstacle with 3 m/s: its mean velocity after the bounce, and v[3] the kinetic
 * energy of its particles then, over what they had. There is no gravity. */
static void bounce(pio_shape_type type, pio_wall behaviour, double friction, double along, double v[4])
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double centre[3] = {along > 1 ? 0.6 : 1, 1.2, 0.8};
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3}, .density = 1000, .velocity = {along, -3, 0}};
    case_init(&c, 26, 26, 17, 0.1, 5e-4, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, type, behaviour, 1);
    o->friction = friction;
    o->position[0] = 1.1;
    o->position[1] = type == PIO_PLANE ? 0.8 : 0.3;
    o->position[2] = 0.8;
    o->size[0] = o->size[2] = 1.6;
    o->size[1] = 1;
    o->radius = 0.5;
    if (type == PIO_CLOSED_MESH) mesh_of_ball(o, o->radius, o->width + 0.05, 0);
    case_ball(&c, &b, centre, 0.3, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 400);
    double *all = case_read(sim, "velocity", c.n), square = 0;
    for (int64_t i = 0; i < c.n * D; i++) square += all[i] * all[i];
    v[3] = square / (double)c.n / (along * along + 9);
    free(all);
    for (int a = 0; a < D; a++) v[a] = mean(sim, "velocity", c.n, a);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* Sliding friction takes mu times the normal impulse from the velocity along the plane; the ball's own turning is in
 * it, so that this holds while it slides. In 3D a ball that is pressed flat slides sideways too, with up to a tenth of
 * its velocity along the plane, and friction acts against the whole: 1/2 (1/10)^2 less along it. */
static void friction_takes_its_coefficient_times_the_normal_impulse(void **unused)
{
    static const double mu = 0.05, limit = D == 3 ? 5e-3 : 1e-3;
    double smooth[4], rough[4], box[4], sticky[4];
    (void)unused;
    bounce(PIO_PLANE, PIO_WALL_SEPARATE, 0, 6, smooth);
    bounce(PIO_PLANE, PIO_WALL_SEPARATE, mu, 6, rough);
    bounce(PIO_BOX, PIO_WALL_SEPARATE, mu, 6, box);
    bounce(PIO_PLANE, PIO_WALL_STICKY, 0, 6, sticky);
    print_message("  velocity after the bounce: smooth (%.4f, %.4f), rough (%.4f, %.4f), sticky (%.4f, %.4f) m/s\n",
                  smooth[0], smooth[1], rough[0], rough[1], sticky[0], sticky[1]);
    case_below("smooth plane: change of the velocity along it, m/s", smooth[0] - 6, 1e-12, 1e-5);
    assert_true(smooth[1] > 1 && smooth[1] <= 3);
    case_below("friction's impulse over the normal one, against mu, relative", (6 - rough[0]) / (3 + rough[1]) / mu - 1,
               limit, limit);
    case_below("the same on the face of a box", (6 - box[0]) / (3 + box[1]) / mu - 1, limit, limit);
    print_message("  kinetic energy left: smooth %.4f, rough %.4f, box %.4f, sticky %.4f (at most 1)\n", smooth[3],
                  rough[3], box[3], sticky[3]);
    assert_true(smooth[3] <= 1 && rough[3] < smooth[3] && box[3] < smooth[3] && sticky[3] < rough[3]);
}

/* A block without weight that touches a plane, after 0.2 s in steps of dt: its velocity along the plane and away from
 * it. */
static void meet(pio_wall behaviour, double along, double velocity, double dt, double v[2])
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {0.4, 0.4, 0.4}, hi[3] = {0.8, 0.6, 0.5};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000, .velocity = {along}};
    case_init(&c, 21, 11, 9, 0.1, dt, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, behaviour, 1);
    o->position[1] = 0.4;
    o->friction = 0.2;
    o->separation_velocity = velocity;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, (int64_t)(0.2 / dt + 0.5));
    for (int a = 0; a < 2; a++) v[a] = mean(sim, "velocity", c.n, a);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void nothing_rubs_where_nothing_presses(void **unused)
{
    static const double dt[] = {1e-3, 1e-4};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double v[2];
        meet(PIO_WALL_SLIP, 2, 0.05, dt[k], v);
        print_message("  slip, steps of %g s: %.15g m/s of 2\n", dt[k], v[0]);
        case_below("velocity lost to friction without load, m/s", v[0] - 2, 1e-12, 1e-4);
    }
}

/* What touches a separating obstacle without load is set in motion by about its separation velocity, and no more in
 * shorter steps. */
static void a_separating_obstacle_pushes_with_its_separation_velocity_at_most(void **unused)
{
    static const double dt[] = {1e-3, 1e-4};
    const double velocity = 0.02;
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double v[2];
        meet(PIO_WALL_SEPARATE, 0, velocity, dt[k], v);
        print_message("  steps of %g s: away with %.3f of the separation velocity (0.1 to 1.5)\n", dt[k],
                      v[1] / velocity);
        assert_true(v[1] > 0.1 * velocity && v[1] < 1.5 * velocity);
    }
}

/* A ball thrown at a ball, and at the same ball as a mesh. */
static void a_mesh_does_what_its_surface_does(void **unused)
{
    double ball[4], mesh[4], apart = 0;
    (void)unused;
    bounce(PIO_BALL, PIO_WALL_SEPARATE, 0.3, 1, ball);
    bounce(PIO_CLOSED_MESH, PIO_WALL_SEPARATE, 0.3, 1, mesh);
    for (int a = 0; a < D; a++) apart = fmax(apart, fabs(ball[a] - mesh[a]));
    print_message("  velocity after the bounce: off a ball (%.5f, %.5f), off its mesh (%.5f, %.5f) m/s\n", ball[0],
                  ball[1], mesh[0], mesh[1]);
    assert_true(ball[1] > -2);
    case_below("velocities off a ball and off its mesh, m/s", apart, 0.02, 0.02);
}

/* A block at rest before a plane that comes at it with 1 m/s, and a plane at rest before a block that comes at it: the
 * relative velocities after the blow are the same, but for what the grid makes of it. */
static double struck(int moving, double *before)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {1.3, 0.6, 0.4}, hi[3] = {1.6, 0.9, 0.7};
    const double motion[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}};
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000, .velocity = {moving ? 0 : -1}};
    case_init(&c, 24, 16, 12, 0.1, 5e-4, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 0);
    o->position[0] = 1.0;
    o->width = 0.05; /* a hard blow */
    o->motion = &motion[0][0];
    o->n_points = moving ? 2 : 0;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 100);
    *before = mean(sim, "velocity", c.n, 0);
    advance(sim, 700);
    const double v = mean(sim, "velocity", c.n, 0);
    piola_engine.destroy(sim);
    case_free(&c);
    return moving ? v - 1 : v;
}

static void a_moving_plane_strikes_as_a_still_one_is_struck(void **unused)
{
    double before[2];
    (void)unused;
    const double still = struck(0, &before[0]), moving = struck(1, &before[1]);
    print_message("  relative velocity after the blow: %.4f m/s off a still plane, %.4f m/s off a moving one\n", still,
                  moving);
    case_below("until the blow the block moves as it did, m/s", fabs(before[0] + 1) + fabs(before[1]), 1e-12, 1e-5);
    assert_true(still > 0.2 && still <= 1);
    case_below("velocity off the moving plane, relative to it, against that off a still one, m/s", moving - still, 0.05,
               0.05);
}

/* A sticky disc (a cylinder in 3D) that turns takes the body within it round: its particles end where the turn takes
 * them. */
static void a_turning_obstacle_takes_along_what_sticks_to_it(void **unused)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {1.1, 0.9, 0.4}, hi[3] = {1.3, 1.1, 0.6}, T = 0.2, angle = 0.5;
    const double motion[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {T, 0, 0, 0, angle}};
    const case_body b = {.law = PIO_HYPER_FIXED_COROTATED, .parameters = {1e4, 0.2}, .density = 1000};
    (void)unused;
    case_init(&c, 21, 21, 11, 0.1, 1e-3, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, D == 3 ? PIO_CYLINDER : PIO_BALL, PIO_WALL_STICKY, 0);
    o->position[0] = o->position[1] = 1;
    o->position[2] = 0.5;
    o->radius = 0.8;
    o->height = 4;
    o->axis = 2;
    o->turns[2] = 1;
    o->motion = &motion[0][0];
    o->n_points = 2;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 200);
    double *x = case_read(sim, "position", c.n), worst = 0;
    for (int64_t i = 0; i < c.n; i++) {
        const double *from = c.position + i * D, p = from[0] - 1, q = from[1] - 1;
        worst = fmax(worst, fabs(x[i * D] - 1 - (p * cos(angle) - q * sin(angle))));
        worst = fmax(worst, fabs(x[i * D + 1] - 1 - (p * sin(angle) + q * cos(angle))));
    }
    free(x);
    case_below("place after half a radian against the turned one, m", worst, 1e-3, 1e-3);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* A block that was let down rests as high above a plane that lies between two rows of nodes as above one that lies on a
 * row. `foot`: of its lower face after 1 s, m above the plane. */
static double foot_above(double plane, double dx)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {0.4, plane + dx / 2, 0.4}, hi[3] = {0.7, plane + dx / 2 + 0.3, 0.6};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {5e4, 0.2}, .density = 1000};
    case_init(&c, 12, 13, 11, dx, 1e-3, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->position[1] = plane;
    c.desc.gravity[1] = -g;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 1000);
    const double height = mean(sim, "position", c.n, 1) - plane - (hi[1] - lo[1]) / 2;
    piola_engine.destroy(sim);
    case_free(&c);
    return height;
}

static void a_block_rests_on_a_plane_wherever_that_lies_between_nodes(void **unused)
{
    enum { PLACES = D == 3 ? 4 : 8 };
    const double dx = 0.1;
    double foot[PLACES + 1], least = dx, most = -dx, steepest = 0;
    (void)unused;
    for (int k = 0; k <= PLACES; k++) {
        foot[k] = foot_above(0.4 + dx * k / PLACES, dx);
        least = fmin(least, foot[k]);
        most = fmax(most, foot[k]);
        if (k) steepest = fmax(steepest, fabs(foot[k] - foot[k - 1]) * PLACES / dx);
    }
    print_message("  %d planes within one spacing: the foot is %.3f to %.3f spacings above them (0 to 0.4)\n",
                  PLACES + 1, least / dx, most / dx);
    assert_true(least >= 0 && most <= 0.4 * dx);
    case_below("most that the block's place differs from moving with the plane, relative", steepest, 0.2, 0.2);
}

/* ---- memory and kinks ------------------------------------------------------------------------------------------- */

/* States kept in few slots, whole or cut, give the same bits; the count of kinks, which steps run again must not raise,
 * is the same too. */
static void every_memory_strategy_gives_the_same_bits_and_kinks(void **unused)
{
    static double z[CASE_VARIABLES], z_bar[2][CASE_VARIABLES];
    int64_t kinks[2] = {0, 0};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        pio_kinks list_of;
        crowd(&c, list, 0, 30);
        mpm_observe_everything(&c, 0);
        for (int i = 0; i < c.variables; i++) z[i] = 0.1 * case_random(&c);
        c.desc.slot_nodes = k ? c.desc.grid.nodes[0] * c.desc.grid.nodes[1] * (D == 3 ? c.desc.grid.nodes[2] : 1) : 0;
        pio_schedule schedule = k ? pio_schedule_checkpoint(30, 4, 0, 1) : pio_schedule_store_all(30, 1);
        pio_sim *sim = case_create(&c, k ? 4 : 30, 1);
        case_gradient(&c, sim, &schedule, z, z_bar[k]);
        kinks[k] = 0;
        for (int32_t i = 0, count; (count = (int32_t)piola_engine.kinks(sim, i, &list_of)) >= 0; i++) {
            print_message("  %s, within %.3g %s: %d\n", list_of.what, list_of.tolerance, list_of.unit, count);
            kinks[k] = 100000 * kinks[k] + count;
        }
        if (k) pio_schedule_end(&schedule);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    assert_memory_equal(z_bar[0], z_bar[1], sizeof z_bar[0]);
    assert_int_equal(kinks[0], kinks[1]);
}

/* A body at rest on a plane that is at rest: u . n is the weight's contribution in every step, and no kink is near;
 * where nothing presses and nothing moves, every node within reach is at one. */
static void a_touching_body_without_weight_is_at_a_kink(void **unused)
{
    (void)unused;
    for (int heavy = 0; heavy < 2; heavy++) {
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        const double lo[3] = {0.4, 0.4, 0.4}, hi[3] = {0.6, 0.6, 0.6};
        const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000};
        pio_kinks contact;
        double z_bar[1];
        case_init(&c, 11, 11, 11, 0.1, 1e-3, 1);
        add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1)->position[1] = 0.4;
        case_block(&c, &b, lo, hi, 2, 0);
        c.desc.gravity[1] = heavy ? -g : 0;
        case_sample(&c, case_observe(&c, PIO_MEAN_POSITION, 0, 1), 1, 0, 1);
        pio_sim *sim = case_create(&c, 1, 1);
        case_gradient(&c, sim, NULL, NULL, z_bar);
        const int64_t kinks = case_kinks(sim, "of separation from a separating obstacle", &contact);
        print_message("  %s: %lld\n", heavy ? "with weight" : "without", (long long)kinks);
        assert_true(heavy ? kinks == 0 : kinks > 0);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static void expect_refusal(mpm_case *c, const char *word)
{
    pio_engine_bytes bytes;
    piola_error error;
    assert_int_equal(piola_engine.measure(&c->desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, word));
}

static void obstacles_that_cannot_be_are_refused(void **unused)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {0.4, 0.4, 0.4}, hi[3] = {0.6, 0.6, 0.6}, motion[2][PIO_MOTION_NUMBERS] = {{1}, {0.5}};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000};
    (void)unused;
    case_init(&c, 11, 11, 11, 0.1, 1e-3, 1);
    case_block(&c, &b, lo, hi, 1, 0);
    pio_sim *sim = case_create(&c, 0, 1); /* fills in the particles */
    piola_engine.destroy(sim);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->normal[0] = 1;
    expect_refusal(&c, "unit normal");
    o->type = PIO_BALL;
    expect_refusal(&c, "positive sizes");
    o->radius = 1;
    o->behaviour = PIO_WALL_PENALTY;
    expect_refusal(&c, "sticky, slip or separate");
    o->behaviour = PIO_WALL_SLIP;
    o->friction = -1;
    expect_refusal(&c, "friction -1");
    o->friction = 0;
    o->motion = &motion[0][0];
    o->n_points = 2;
    expect_refusal(&c, "must increase");
    o->n_points = 0;
    c.desc.reversible = 1;
    c.desc.grid.face[0][0] = -1;
    expect_refusal(&c, "cannot be restored");
    c.desc.reversible = 0;
    case_design(&c, PIO_OBSTACLE_FRICTION, -1, CASE_SCALAR, 0, 0, 1);
    c.design[0].which = 1;
    c.desc.designs = c.design;
    expect_refusal(&c, "of obstacle 1");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_down_an_incline_as_coulomb_says),
        cmocka_unit_test(a_block_stays_on_an_incline_where_friction_holds_it),
        cmocka_unit_test(friction_takes_its_coefficient_times_the_normal_impulse),
        cmocka_unit_test(nothing_rubs_where_nothing_presses),
        cmocka_unit_test(a_separating_obstacle_pushes_with_its_separation_velocity_at_most),
        cmocka_unit_test(a_mesh_does_what_its_surface_does),
        cmocka_unit_test(a_moving_plane_strikes_as_a_still_one_is_struck),
        cmocka_unit_test(a_turning_obstacle_takes_along_what_sticks_to_it),
        cmocka_unit_test(a_block_rests_on_a_plane_wherever_that_lies_between_nodes),
        cmocka_unit_test(every_memory_strategy_gives_the_same_bits_and_kinks),
        cmocka_unit_test(a_touching_body_without_weight_is_at_a_kink),
        cmocka_unit_test(obstacles_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
