/* test_mpm_push.c -- do obstacles with a potential give back what bodies bring, and rub as Coulomb says? */
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

static double sum_of_squares(pio_sim *sim, const char *field, int64_t n)
{
    double *all = case_read(sim, field, n), sum = 0;
    for (int64_t i = 0; i < n * piola_engine.components(sim, field); i++) sum += all[i] * all[i];
    free(all);
    return sum;
}

/* ---- an elastic rod --------------------------------------------------------------------------------------------- */

enum { LENGTH = D == 3 ? 24 : 64, WIDTH = D == 3 ? 2 : 4, PLACES = D == 3 ? 2 : 16 }; /* in spacings */

static const double rod_E = 1e6, rod_density = 1000, rod_speed = 0.6;

/* A rod of nu = 0 that comes down on a plane that lies `place` spacings above a row of nodes; the wave in it takes
 * 2 L/c down and up. Design: where the plane is. */
static void rod(mpm_case *c, pio_obstacle_desc list[MOST], pio_contact_model model, double place, int64_t steps)
{
    const double dx = 1.0 / 64, low = (4 + place) * dx, side = 4 * dx;
    const double lo[3] = {side, low + 0.1 * dx, side},
                 hi[3] = {side + WIDTH * dx, low + (LENGTH + 0.1) * dx, side + WIDTH * dx};
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {rod_E, 0}, .density = rod_density, .velocity = {0, -rod_speed}};
    case_init(c, WIDTH + 9, LENGTH + 24, WIDTH + 9, dx, 1e-4, steps);
    pio_obstacle_desc *o = add_obstacle(c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->position[1] = low;
    o->model = model;
    o->stiffness = rod_E;
    o->contact_distance = dx / 4;
    o->separation_velocity = rod_speed / 1000;
    case_block(c, &b, lo, hi, 2, 0);
}

/* What is left after the bounce: speed, energy, and the time of contact. */
typedef struct {
    double speed, energy, time;
} rod_bounce;

/* Energy of the rod's particles over that at the start: of velocities, of the affine motion (dx^2/4 is the inertia of
 * quadratic weights), and elastic, mu (|F|^2 - DIM - 2 ln det F)/2 for nu = 0. */
static double rod_energy(const mpm_case *c, pio_sim *sim)
{
    const double dx = c->desc.grid.spacing, volume = pow(dx / 2, D), n = (double)c->n;
    double *F = case_read(sim, "F", c->n);
    double energy =
        rod_density * (sum_of_squares(sim, "velocity", c->n) + dx * dx / 4 * sum_of_squares(sim, "C", c->n)) / 2;
    for (int64_t p = 0; p < c->n; p++) {
        const double *f = F + p * D * D;
        double square = 0, J = f[0] * f[3] - f[1] * f[2];
        for (int k = 0; k < D * D; k++) square += f[k] * f[k];
        if (D == 3)
            J = f[0] * (f[4] * f[D * D - 1] - f[5] * f[7]) - f[1] * (f[3] * f[D * D - 1] - f[5] * f[6]) +
                f[2] * (f[3] * f[7] - f[4] * f[6]);
        energy += rod_E / 4 * (square - D - 2 * log(J));
    }
    free(F);
    return energy * volume / (rod_density * rod_speed * rod_speed / 2 * n * volume);
}

static rod_bounce bounce_of(pio_contact_model model, double place, double time)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    enum { EVERY = 10 };
    const double wave = 2 * LENGTH / 64.0 / sqrt(rod_E / rod_density);
    double began = -1, ended = 0, v = -rod_speed;
    rod(&c, list, model, place, 0);
    pio_sim *sim = start(&c, NULL);
    for (double t = 0; t < time * wave; t += EVERY * c.desc.dt) {
        const double before = v;
        advance(sim, EVERY);
        v = mean(sim, "velocity", c.n, 1);
        if (fabs(v - before) < 1e-4 * rod_speed) continue; /* nothing pushes */
        if (began < 0) began = t;
        ended = t + EVERY * c.desc.dt;
    }
    const rod_bounce r = {v / rod_speed, rod_energy(&c, sim), (ended - began) / wave};
    piola_engine.destroy(sim);
    case_free(&c);
    return r;
}

static void an_elastic_rod_returns_its_speed_wherever_the_plane_lies(void **unused)
{
    rod_bounce least = {2, 2, 0}, most = {0, 0, 0};
    (void)unused;
    for (int k = 0; k < PLACES; k++) {
        const rod_bounce r = bounce_of(PIO_CONTACT_POTENTIAL, k / (double)PLACES, 1.5);
        least.speed = fmin(least.speed, r.speed);
        most.speed = fmax(most.speed, r.speed);
        least.energy = fmin(least.energy, r.energy);
        most.energy = fmax(most.energy, r.energy);
        most.time = fmax(most.time, r.time);
    }
    print_message("  %d places: speed %.5f to %.5f (at least 0.99), energy %.5f to %.5f (at least 0.995), contact %.3f "
                  "of 2 L/c (at most 1.3)\n",
                  PLACES, least.speed, most.speed, least.energy, most.energy, most.time);
    case_below("speed lost", 1 - least.speed, 0.01, 0.01);
    case_below("spread of the speed over the places", most.speed - least.speed, 0.005, 0.005);
    case_below("energy lost", 1 - least.energy, 0.005, 0.005);
    case_below("energy won", fmax(most.energy - 1, 0), 0.001, 0.001);
    case_below("time of contact over 2 L/c", most.time, 1.3, 1.3);
    const rod_bounce grid = bounce_of(PIO_CONTACT_GRID, 0.5, 2);
    print_message("  an obstacle that acts on the grid: speed %.3f, energy %.3f\n", grid.speed, grid.energy);
    assert_true(grid.speed < 0.98 && grid.energy < 0.98); /* beyond the limits above */
}

/* A mirror: y(T) = 2 plane - y(0) + v T. What is left of 2 are ripples over a cell of the speed that is returned. */
static void a_plane_that_is_moved_moves_the_rod_twice_as_far(void **unused)
{
    enum { MIRRORS = D == 3 ? 4 : 16 };
    double worst = 0;
    (void)unused;
    for (int k = 0; k < MIRRORS; k++) {
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        double z[D] = {0}, z_bar[D];
        rod(&c, list, PIO_CONTACT_POTENTIAL, k / (double)MIRRORS, LENGTH * 15);
        c.design[case_design(&c, PIO_OBSTACLE_POSITION, -1, CASE_SCALAR, 0, list[0].position[1], 1)].which = 0;
        case_sample(&c, case_observe(&c, PIO_MEAN_POSITION, 0, 1), c.desc.steps, 0, 1);
        memset(c.linear, 0, sizeof c.linear);
        memset(c.square, 0, sizeof c.square);
        c.linear[1] = 1;
        pio_schedule s = pio_schedule_checkpoint(c.desc.steps, 60, 0, 1);
        pio_sim *sim = case_create(&c, 60, 1);
        case_gradient(&c, sim, &s, z, z_bar);
        pio_schedule_end(&s);
        print_message("  plane %.4f spacings above a row of nodes: d y(T)/d(plane) = %.5f (2)\n", k / (double)MIRRORS,
                      z_bar[1]);
        worst = fmax(worst, fabs(z_bar[1] - 2));
        piola_engine.destroy(sim);
        case_free(&c);
    }
    case_below("d y(T)/d(plane) - 2, the largest", worst, 0.04, 0.04);
}

/* ---- friction --------------------------------------------------------------------------------------------------- */

static const double slope = 3.14159265358979323846 / 6;

/* A block at rest on a plane that falls towards +x at 30 degrees. Design: friction. */
static void incline(mpm_case *c, pio_obstacle_desc list[MOST], double friction, int64_t steps)
{
    const double dx = 0.1, along[2] = {cos(slope), -sin(slope)}, out[2] = {sin(slope), cos(slope)};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e6, 0.2}, .density = 1000, .viscosity = 500};
    case_init(c, 36, 28, 10, dx, 1e-3, steps);
    pio_obstacle_desc *o = add_obstacle(c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->friction = friction;
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.1e6;
    o->contact_distance = dx / 4;
    o->friction_velocity = 1e-5;
    o->position[0] = 0.6;
    o->position[1] = 1.8;
    o->rotation[D == 3 ? 2 : 0] = -slope;
    int body = -1;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < (D == 3 ? 4 : 1); k++) {
                const double s = (i - 3.5) * dx / 2, d = (j + 0.5) * dx / 2 - 0.004;
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
        case_below("way down the incline against mechanics, relative", way / expected - 1, 0.005, 0.005);
        case_below("its derivative with respect to friction, relative", z_bar[0] / slower - 1, 0.01, 0.01);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* Where friction is above tan 30 degrees the block comes to rest, but for a creep at about its friction velocity. */
static void a_block_stays_on_an_incline_where_friction_holds_it(void **unused)
{
    static const double friction[] = {0.8, 0.5};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static mpm_case c;
        pio_obstacle_desc list[MOST];
        const double z[1] = {0};
        double v[2], x[2], way[2];
        incline(&c, list, friction[k], 2000);
        pio_sim *sim = start(&c, z);
        advance(sim, 1000);
        for (int a = 0; a < 2; a++) x[a] = mean(sim, "position", c.n, a);
        advance(sim, 1000);
        for (int a = 0; a < 2; a++) v[a] = mean(sim, "velocity", c.n, a);
        for (int a = 0; a < 2; a++) way[a] = mean(sim, "position", c.n, a) - x[a];
        const double creep = v[0] * cos(slope) - v[1] * sin(slope), moved = way[0] * cos(slope) - way[1] * sin(slope);
        print_message("  friction %g: after 2 s it creeps at %.2e m/s, and went %.2e m in the last second\n",
                      friction[k], creep, moved);
        if (k == 0) {
            case_below("velocity along the incline after 2 s, m/s", creep, 1e-4, 1e-3);
            case_below("way in the last second, m", moved, 1e-4, 1e-3);
        } else {
            assert_true(creep > 0.1); /* a friction that does not hold it */
        }
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* ---- shapes and motions ------------------------------------------------------------------------------------------ */

/* A ball that comes down on a still obstacle with 3 m/s: its mean velocity after the bounce. There is no gravity. */
static void bounce(pio_shape_type type, double friction, double along, double v[3])
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double centre[3] = {along > 1 ? 0.6 : 1, 1.2, 0.8};
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3}, .density = 1000, .velocity = {along, -3, 0}};
    case_init(&c, 26, 26, 17, 0.1, 5e-4, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, type, PIO_WALL_SEPARATE, 1);
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.35e5;
    o->contact_distance = 0.025;
    o->friction = friction;
    o->position[0] = 1.1;
    o->position[1] = type == PIO_PLANE ? 0.8 : 0.3;
    o->position[2] = 0.8;
    o->size[0] = o->size[2] = 1.6;
    o->size[1] = 1;
    o->radius = 0.5;
    o->axis = 2;
    o->height = 1.6;
    if (type == PIO_CLOSED_MESH) mesh_of_ball(o, o->radius, o->width + 0.05, 0);
    case_ball(&c, &b, centre, 0.3, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 400);
    for (int a = 0; a < D; a++) v[a] = mean(sim, "velocity", c.n, a);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void friction_takes_its_coefficient_times_the_normal_impulse(void **unused)
{
    static const double mu = 0.05, limit = D == 3 ? 5e-3 : 1e-3;
    double smooth[3], rough[3], box[3];
    (void)unused;
    bounce(PIO_PLANE, 0, 6, smooth);
    bounce(PIO_PLANE, mu, 6, rough);
    bounce(PIO_BOX, mu, 6, box);
    print_message("  velocity after the bounce: smooth (%.4f, %.4f), rough (%.4f, %.4f) m/s\n", smooth[0], smooth[1],
                  rough[0], rough[1]);
    case_below("smooth plane: change of the velocity along it, m/s", smooth[0] - 6, 1e-12, 1e-5);
    assert_true(smooth[1] > 2 && smooth[1] <= 3);
    case_below("friction's impulse over the normal one, against mu, relative", (6 - rough[0]) / (3 + rough[1]) / mu - 1,
               limit, limit);
    case_below("the same on the face of a box", (6 - box[0]) / (3 + box[1]) / mu - 1, limit, limit);
}

/* A ball thrown at a ball, at the same ball as a mesh, and in 3D at a cylinder of its radius. */
static void a_mesh_does_what_its_surface_does(void **unused)
{
    double ball[3], mesh[3], cylinder[3] = {0}, apart = 0;
    (void)unused;
    bounce(PIO_BALL, 0.3, 1, ball);
    bounce(PIO_CLOSED_MESH, 0.3, 1, mesh);
    if (D == 3) bounce(PIO_CYLINDER, 0.3, 1, cylinder);
    for (int a = 0; a < D; a++) apart = fmax(apart, fabs(ball[a] - mesh[a]));
    print_message("  velocity after the bounce: off a ball (%.5f, %.5f), off its mesh (%.5f, %.5f) m/s, off a cylinder "
                  "(%.5f, %.5f) m/s\n",
                  ball[0], ball[1], mesh[0], mesh[1], cylinder[0], cylinder[1]);
    assert_true(ball[1] > 1 && (D == 2 || cylinder[1] > 1));
    case_below("velocities off a ball and off its mesh, m/s", apart, 0.02, 0.02);
}

/* A block at rest before a plane that comes at it with 1 m/s, or a plane at rest before a block that comes at it. */
static double struck(int moving)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {1.3, 0.6, 0.4}, hi[3] = {1.6, 0.9, 0.7};
    const double motion[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}};
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000, .velocity = {moving ? 0 : -1}};
    case_init(&c, 24, 16, 12, 0.1, 5e-4, 0);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 0);
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.1e5;
    o->contact_distance = 0.025;
    o->position[0] = 1.0;
    o->motion = &motion[0][0];
    o->n_points = moving ? 2 : 0;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 1000);
    const double v = mean(sim, "velocity", c.n, 0);
    piola_engine.destroy(sim);
    case_free(&c);
    return moving ? v - 1 : v;
}

static void a_moving_plane_strikes_as_a_still_one_is_struck(void **unused)
{
    (void)unused;
    const double still = struck(0), moving = struck(1);
    print_message("  relative velocity after the blow: %.4f m/s off a still plane, %.4f m/s off a moving one\n", still,
                  moving);
    assert_true(still > 0.8 && still <= 1);
    case_below("velocity off the moving plane, relative to it, against that off a still one, m/s", moving - still, 0.02,
               0.02);
}

/* A block between a separating wall of the grid and a plane that comes at it, and stops where a tenth of the block is
 * pressed in: nothing passes the wall, which holds what the plane pushes. */
static void a_wall_holds_what_an_obstacle_pushes_at_it(void **unused)
{
    static mpm_case c;
    pio_obstacle_desc list[MOST];
    const double lo[3] = {0.3, 0.4, 0.4}, hi[3] = {0.8, 0.9, 0.6};
    const double motion[2][PIO_MOTION_NUMBERS] = {{0, 0, 0, 0, 0}, {0.5, 0, -0.07, 0, 0}};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.2}, .density = 1000, .viscosity = 500};
    double low = 1, high = 0;
    (void)unused;
    case_init(&c, 15, 15, 12, 0.1, 5e-4, 0);
    case_wall(&c, 1, 0, PIO_WALL_SEPARATE, 4);
    pio_obstacle_desc *o = add_obstacle(&c, list, PIO_PLANE, PIO_WALL_SEPARATE, 1);
    o->model = PIO_CONTACT_POTENTIAL;
    o->stiffness = 1.1e5;
    o->contact_distance = 0.025;
    o->friction = 0.5;
    o->normal[1] = -1;
    o->position[1] = 0.92;
    o->motion = &motion[0][0];
    o->n_points = 2;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c, NULL);
    advance(sim, 1600);
    double *x = case_read(sim, "position", c.n);
    for (int64_t i = 0; i < c.n; i++) {
        low = fmin(low, x[i * D + 1]);
        high = fmax(high, x[i * D + 1]);
    }
    free(x);
    const double v = sqrt(sum_of_squares(sim, "velocity", c.n) / (double)c.n);
    print_message("  particles between %.4f and %.4f m; wall at 0.4 m, plane at 0.85 m; they move at %.1e m/s\n", low,
                  high, v);
    case_below("particles beyond the wall, m", fmax(0.4 - low, 0), 1e-9, 1e-6);
    case_below("particles beyond the plane, m", fmax(high - 0.85, 0), 1e-9, 1e-6);
    case_below("velocity at rest, over that of the plane", v / 0.14, 0.05, 0.05);
    piola_engine.destroy(sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elastic_rod_returns_its_speed_wherever_the_plane_lies),
        cmocka_unit_test(a_plane_that_is_moved_moves_the_rod_twice_as_far),
        cmocka_unit_test(a_block_slides_down_an_incline_as_coulomb_says),
        cmocka_unit_test(a_block_stays_on_an_incline_where_friction_holds_it),
        cmocka_unit_test(friction_takes_its_coefficient_times_the_normal_impulse),
        cmocka_unit_test(a_mesh_does_what_its_surface_does),
        cmocka_unit_test(a_moving_plane_strikes_as_a_still_one_is_struck),
        cmocka_unit_test(a_wall_holds_what_an_obstacle_pushes_at_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
