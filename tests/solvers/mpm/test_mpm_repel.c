/* test_mpm_repel.c -- do bodies with a potential between them give back what they bring? In the plane. */
#include "tests/solvers/mpm/mpm_repel_case.h"

static const double h = 0.01; /* of the grid, m */

/* All of it, minutes, with TEST_LONG: 16 places of the balls in a cell, and flights of 1 s. */
#ifdef TEST_LONG
enum { PHASES = 16, FLIGHT = 10000, OBLIQUE = 12 };
#else
enum { PHASES = 4, FLIGHT = 3000, OBLIQUE = 4 };
#endif

/* ---- two balls -------------------------------------------------------------------------------------------------- */

/* A disc whose lattice is turned. */
typedef struct {
    double centre[2], radius, turn;
} disc;

/* Do particles at the rim have whole squares, where half of one is inside, instead of the part that is? */
static int rough;

/* Adds the part of square (i, j) of the lattice, of half a spacing, that is inside the disc, where that is more than a
 * thirtieth: a particle with its volume, at its centroid, as `fill.method: cut` does. */
static void add_square(mpm_case *c, const case_body *b, int *body, const disc *o, int i, int j)
{
    enum { PARTS = 16 };
    const double a = h / 2, part = a / PARTS;
    double x[2] = {0, 0}, inside = 0;
    for (int k = 0; k < PARTS * PARTS; k++) {
        const double y[2] = {i * a + (k % PARTS + 0.5) * part, j * a + (k / PARTS + 0.5) * part};
        if (y[0] * y[0] + y[1] * y[1] > o->radius * o->radius) continue;
        inside++;
        for (int d = 0; d < 2; d++) x[d] += y[d];
    }
    if (inside < PARTS * PARTS / (rough ? 2.0 : 30.0)) return;
    for (int d = 0; d < 2; d++) x[d] = rough ? ((d ? j : i) + 0.5) * a : x[d] / inside;
    if (rough) inside = PARTS * PARTS;
    const double at[3] = {o->centre[0] + cos(o->turn) * x[0] - sin(o->turn) * x[1],
                          o->centre[1] + sin(o->turn) * x[0] + cos(o->turn) * x[1]};
    if (*body < 0)
        *body = case_particle(c, b, at, part * part * inside);
    else
        case_more(c, b, *body, at, part * part * inside);
}

static void add_disc(mpm_case *c, const disc *o, double speed)
{
    const case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {solid_E, solid_nu}, .density = solid_density, .velocity = {speed}};
    const int most = (int)(o->radius / (h / 2)) + 2;
    int body = -1;
    for (int i = -most; i < most; i++)
        for (int j = -most; j < most; j++) add_square(c, &b, &body, o, i, j);
}

/* Two discs of so many spacings' radius: the first comes at 1 m/s, `phase` spacings past a node; the second rests,
 * `high` radii above its line. They are apart by two spacings and `gap`. */
static void two_discs(mpm_case *c, double cells, double phase, double gap, double high, double turn, int64_t steps)
{
    const double R = cells * h;
    const disc one = {{R + (6 + phase) * h, 2 * R + 8 * h}, R, 0};
    const disc two = {{one.centre[0] + R * sqrt(4 - high * high) + (2 + gap) * h, one.centre[1] + high * R}, R, turn};
    const int flight = (int)(1e-4 * (double)steps / h);
    case_init(c, (int)(5 * cells) + 24 + flight, (int)(5 * cells) + 18, 1, h, 1e-4, steps);
    add_disc(c, &one, 1);
    add_disc(c, &two, 0);
    repel_all(c, 2);
}

/* Velocities of both after the collision, m/s; spin, the angular momentum about the centre over the moment of inertia,
 * 1/s; changes of momentum and angular momentum over the momentum before, and that times the radius. */
typedef struct {
    double v[2][2], spin[2], momentum, angular;
} collision;

/* The momenta of each disc over its mass: linear, about its centre, about the origin; its moment of inertia. */
typedef struct {
    double v[2], own, about, inertia;
} disc_motion;

static disc_motion motion_of(const mpm_case *c, pio_sim *sim, int body)
{
    double *v = case_read(sim, "velocity", c->n), *x = case_read(sim, "position", c->n), *C = case_read(sim, "C", c->n);
    disc_motion m = {{0, 0}, 0, 0, 0};
    double centre[2], volume = 0;
    for (int a = 0; a < 2; a++) {
        centre[a] = mean_of(c, sim, "position", body, a);
        m.v[a] = mean_of(c, sim, "velocity", body, a);
    }
    for (int64_t p = 0; p < c->n; p++) {
        const double d[2] = {x[p * D] - centre[0], x[p * D + 1] - centre[1]}, w = c->volume[p];
        if (c->body[p] != body) continue;
        volume += w;
        m.own += w * (d[0] * v[p * D + 1] - d[1] * v[p * D] + h * h / 4 * (C[p * D * D + D] - C[p * D * D + 1]));
        m.inertia += w * (d[0] * d[0] + d[1] * d[1] + h * h / 2);
    }
    m.own /= volume;
    m.inertia /= volume;
    m.about = m.own + centre[0] * m.v[1] - centre[1] * m.v[0];
    free(v);
    free(x);
    free(C);
    return m;
}

static collision collide(pio_contact_model model, double cells, double phase, double gap, double high, double turn)
{
    static mpm_case c;
    disc_motion before[2], after[2];
    collision r;
    two_discs(&c, cells, phase, gap, high, turn, 0);
    c.desc.contact_model = model;
    c.desc.regularisation_velocity = 1e-3;
    pio_sim *sim = repel_start(&c, NULL);
    for (int b = 0; b < 2; b++) before[b] = motion_of(&c, sim, b);
    repel_advance(sim, (int64_t)(500 + 40 * cells));
    for (int b = 0; b < 2; b++) after[b] = motion_of(&c, sim, b);
    /* of equal masses, but for the cut, which is the same for both */
    r.momentum = hypot(after[0].v[0] + after[1].v[0] - 1, after[0].v[1] + after[1].v[1]);
    r.angular = fabs(after[0].about + after[1].about - before[0].about - before[1].about) / (cells * h);
    for (int b = 0; b < 2; b++) {
        memcpy(r.v[b], after[b].v, sizeof r.v[b]);
        r.spin[b] = after[b].own / after[b].inertia;
    }
    piola_engine.destroy(sim);
    case_free(&c);
    return r;
}

static void balls_return_their_speed_wherever_they_are_in_a_cell(void **unused)
{
    (void)unused;
    for (int cells = 5; cells <= 10; cells += 5) {
        double least = 2, most = 0, momentum = 0, angular = 0;
        for (int k = 0; k < PHASES; k++) {
            const double phase = k / (double)(2 * PHASES); /* the lattice of particles repeats after a half */
            const collision r = collide(PIO_CONTACT_POTENTIAL, cells, phase, 5 * k % PHASES / (double)PHASES, 0, 0);
            const double e = r.v[1][0] - r.v[0][0];
            least = fmin(least, e);
            most = fmax(most, e);
            momentum = fmax(momentum, r.momentum);
            angular = fmax(angular, r.angular);
        }
        print_message("  radius %d spacings, %d places: %.5f to %.5f of the speed\n", cells, PHASES, least, most);
        case_below("speed lost", 1 - least, 0.02, 0.02);
        case_below("spread of the speed over the places", most - least, 0.005, 0.005);
        case_below("change of momentum, relative", momentum, 1e-12, 1e-5);
        case_below("change of angular momentum, relative", angular, 1e-12, 1e-4);
    }
    const collision grid = collide(PIO_CONTACT_GRID, 5, 0.5, 0.3, 0, 0);
    print_message("  contact on the grid: %.3f of the speed\n", grid.v[1][0] - grid.v[0][0]);
    assert_true(grid.v[1][0] - grid.v[0][0] < 0.9); /* beyond the limit above */
}

/* Discs meet at several heights, with lattices that are turned: the largest spin after that over v/R, and the least
 * part of the normal speed that is left. */
static void meet_obliquely(double *worst, double *least)
{
    *worst = 0;
    *least = 2;
    for (int k = 0; k < OBLIQUE; k++) {
        const double high = 0.2 + 0.4 * (k % 4), turn = 0.1 + 0.22 * k;
        const collision r = collide(PIO_CONTACT_POTENTIAL, 5, 0.3 * (k % 3), 0.13 * k, high, turn);
        const double w[2] = {r.v[1][0] - r.v[0][0], r.v[1][1] - r.v[0][1]}, impulse[2] = {w[0] + 1, w[1]};
        const double e = (w[0] * impulse[0] + w[1] * impulse[1]) / impulse[0]; /* along the impulse */
        const double spin = fmax(fabs(r.spin[0]), fabs(r.spin[1])) * 5 * h;
        print_message("  %.1f R high, turned by %.2f: %.4f of the normal speed, spin %.4f v/R\n", high, turn, e, spin);
        *worst = fmax(*worst, spin);
        *least = fmin(*least, e);
    }
}

/* Without friction discs do not spin. What they do is the roughness of their surfaces. */
static void oblique_impacts_of_turned_lattices_hardly_spin(void **unused)
{
    double worst, least;
    (void)unused;
    rough = 1;
    meet_obliquely(&worst, &least);
    rough = 0;
    print_message("  with whole squares: at least %.4f of the normal speed, spin up to %.4f v/R\n", least, worst);
    assert_true(worst > 0.1); /* beyond the limit below */
    meet_obliquely(&worst, &least);
    case_below("largest spin over v/R", worst, 0.03, 0.03);
    case_below("normal speed lost", 1 - least, 0.02, 0.02);
}

/* Equal and stiff, they would exchange their velocities: d x1(T)/d(x1, x2, v1, v2) = (0, 1, 0, T). */
static void equal_balls_exchange_places_and_velocities_with_their_derivatives(void **unused)
{
    static const double expected[4] = {0, 1, 0, 1};
    static mpm_case c;
    double z[4 * D] = {0}, z_bar[4 * D], T = 1e-4 * FLIGHT;
    (void)unused;
    two_discs(&c, 10, 0.2, 0, 0, 0, FLIGHT);
    for (int b = 0; b < 2; b++) case_design(&c, PIO_POSITION, b, CASE_SCALAR, 0, 0, 1);
    for (int b = 0; b < 2; b++) case_design(&c, PIO_VELOCITY, b, CASE_SCALAR, 0, 0, 1);
    case_sample(&c, case_observe(&c, PIO_MEAN_POSITION, 0, 1), FLIGHT, 0, 1);
    memset(c.linear, 0, sizeof c.linear);
    memset(c.square, 0, sizeof c.square);
    c.linear[0] = 1;
    pio_schedule s = pio_schedule_checkpoint(FLIGHT, 60, 0, 1);
    pio_sim *sim = case_create(&c, 60, 1);
    case_gradient(&c, sim, &s, z, z_bar);
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = {"d x1(T)/d x1 - 0", "d x1(T)/d x2 - 1", "d x1(T)/d v1 / T - 0",
                                            "d x1(T)/d v2 / T - 1"};
        case_below(names[k], z_bar[k * D] / (k < 2 ? 1 : T) - expected[k], 0.08, 0.08);
    }
    piola_engine.destroy(sim);
    pio_schedule_end(&s);
    case_free(&c);
}

/* ---- a block on a slab ------------------------------------------------------------------------------------------ */

/* A block slides on a slab that lies on the floor: what its weight costs it of its speed, over that of friction 1. */
static void a_block_slides_freely(void **unused)
{
    static mpm_case c;
    static const double g = 9.81, steps = 1000;
    const double low = 4 * h, lo[2][3] = {{4 * h, low}, {8 * h, low + 6.12 * h}},
                 hi[2][3] = {{46 * h, low + 6 * h}, {18 * h, low + 12.12 * h}};
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3}, .density = 1000, .viscosity = 5};
    (void)unused;
    case_init(&c, 60, 26, 1, h, 4e-4, 0);
    case_wall(&c, 1, 0, PIO_WALL_SLIP, 4);
    case_block(&c, &b, lo[0], hi[0], 2, 0);
    b.velocity[0] = 0.5;
    case_block(&c, &b, lo[1], hi[1], 2, 0);
    repel_all(&c, 2);
    c.desc.contact_stiffness /= 10;
    c.desc.gravity[1] = -g;
    pio_sim *sim = repel_start(&c, NULL);
    repel_advance(sim, (int64_t)steps);
    const double lost = 0.5 - mean_of(&c, sim, "velocity", 1, 0), fell = lo[1][1] - low;
    const double height = mean_of(&c, sim, "position", 1, 1) - (low + 3 * h);
    print_message("  after %g s the block's middle is %.4f m above the slab's lower half (%.4f at the start)\n",
                  steps * 4e-4, height, fell);
    assert_true(fabs(height - fell) < h); /* it lies on the slab */
    case_below("friction that is not there", lost / (g * steps * 4e-4), 0.002, 0.002);
    piola_engine.destroy(sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_return_their_speed_wherever_they_are_in_a_cell),
        cmocka_unit_test(oblique_impacts_of_turned_lattices_hardly_spin),
        cmocka_unit_test(equal_balls_exchange_places_and_velocities_with_their_derivatives),
        cmocka_unit_test(a_block_slides_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
