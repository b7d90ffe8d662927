/* test_mpm_rub.c -- do bodies that repel each other rub as Coulomb says? */
#include "tests/solvers/mpm/mpm_repel_case.h"

static const double h = 0.01, g = 9.81; /* of the grid, m; m/s^2 */

enum { SLAB, BLOCK };

/* A block on a slab that lies on a floor, as deep as its weight holds it there, pressed at it by gravity that is tilted
 * by `slope`. */
typedef struct {
    pio_wall floor;
    double friction, velocity; /* of friction, m/s */
    double speed, slope;       /* of the block, m/s; rad */
    int wide, high;            /* of the block, spacings */
    double E;                  /* of both, Pa */
} setting;

static void block_on_slab(mpm_case *c, const setting *s)
{
    const double low = 4 * h, top = 8 * h, on = top - 0.16 * h, end = (s->speed > 0 ? 44 : 20) * h;
    const double lo[2][3] = {{4 * h, low, 4 * h}, {8 * h, on, 5 * h}},
                 hi[2][3] = {{end, top, 10 * h}, {(8 + s->wide) * h, on + s->high * h, 9 * h}};
    case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {s->E, 0.3}, .density = 1000, .viscosity = D == 3 ? 80 : 100};
    case_init(c, (int)(end / h + 16.5), 26, D == 3 ? 16 : 1, h, 1e-4, 0);
    case_wall(c, 1, 0, s->floor, 4);
    case_block(c, &b, lo[SLAB], hi[SLAB], 2, 0);
    b.velocity[0] = s->speed;
    case_block(c, &b, lo[BLOCK], hi[BLOCK], 2, 0);
    repel_all(c, 2);
    c->desc.contact_stiffness *= s->E / solid_E;
    c->desc.friction = s->friction;
    c->desc.regularisation_velocity = s->velocity;
    c->desc.gravity[0] = g * sin(s->slope);
    c->desc.gravity[1] = -g * cos(s->slope);
}

/* Of a body, kg, in a state with this density. */
static double mass_of(const mpm_case *c, int body)
{
    double m = 0;
    for (int64_t p = 0; p < c->n; p++) m += c->body[p] == body ? 1000 * c->volume[p] : 0;
    return m;
}

/* The kinetic energy of all particles, J. */
static double energy_of(const mpm_case *c, pio_sim *sim)
{
    double *v = case_read(sim, "velocity", c->n), energy = 0;
    for (int64_t p = 0; p < c->n; p++)
        for (int a = 0; a < D; a++) energy += 500 * c->volume[p] * v[p * D + a] * v[p * D + a];
    free(v);
    return energy;
}

/* The slab slides on a slip floor, so that nothing but the block pushes it along. */
static void a_block_is_slowed_by_mu_g_and_its_energy_goes_into_friction(void **unused)
{
    static const double mu = 0.4;
    static const setting sliding = {PIO_WALL_SLIP, mu, 1e-3, 1.5, 0, 10, D == 3 ? 3 : 6, 1e6};
    static mpm_case c;
    const int64_t steps = D == 3 ? 600 : 2000;
    double v[2], way[2], z[1] = {0}, z_bar[1];
    (void)unused;
    block_on_slab(&c, &sliding);
    const double T = (double)steps * c.desc.dt, m[2] = {mass_of(&c, SLAB), mass_of(&c, BLOCK)};
    pio_sim *sim = repel_start(&c, NULL);
    const double energy = energy_of(&c, sim);
    for (int b = 0; b < 2; b++) way[b] = -mean_of(&c, sim, "position", b, 0);
    repel_advance(sim, steps);
    for (int b = 0; b < 2; b++) {
        v[b] = mean_of(&c, sim, "velocity", b, 0);
        way[b] += mean_of(&c, sim, "position", b, 0);
    }
    const double pressed = g * T + mean_of(&c, sim, "velocity", BLOCK, 1); /* normal impulse over mass, m/s */
    const double work = mu * m[BLOCK] * pressed / T * (way[BLOCK] - way[SLAB]), lost = energy - energy_of(&c, sim);
    const double momentum = (m[SLAB] * v[SLAB] + m[BLOCK] * v[BLOCK]) / (m[BLOCK] * sliding.speed) - 1;
    print_message("  %g s: %.6f m/s lost, mu g T = %.6f; energy lost %.6g J, work of friction %.6g J\n", T,
                  sliding.speed - v[BLOCK], mu * g * T, lost, work);
    case_below("impulse of friction / (mu normal impulse) - 1", (sliding.speed - v[BLOCK]) / (mu * pressed) - 1, 0.005,
               0.005);
    if (D == 2) /* in 0.06 s the block's vibration on the slab counts */
        case_below("deceleration / (mu g) - 1", (sliding.speed - v[BLOCK]) / (mu * g * T) - 1, 0.005, 0.005);
    case_below("loss of energy / work of friction - 1", lost / work - 1, 0.01, 0.01);
    case_below("change of momentum, relative", momentum, 1e-12, 1e-5);
    piola_engine.destroy(sim);
    case_design(&c, PIO_FRICTION, -1, CASE_SCALAR, 0, mu, 1);
    case_sample(&c, case_observe(&c, PIO_MEAN_POSITION, BLOCK, 1), steps, 0, 1);
    c.desc.steps = steps;
    memset(c.linear, 0, sizeof c.linear);
    memset(c.square, 0, sizeof c.square);
    c.linear[0] = 1;
    pio_schedule s = pio_schedule_checkpoint(steps, 30, 0, 1);
    sim = case_create(&c, 30, 1);
    case_gradient(&c, sim, &s, z, z_bar);
    case_below("d way/dmu / (-g T^2/2) - 1", z_bar[0] / (-g * T * T / 2) - 1, 0.01, 0.01);
    piola_engine.destroy(sim);
    pio_schedule_end(&s);
    case_free(&c);
}

/* Of a block on a slab that sticks to a floor at 30 degrees: the relative velocity along it when vibrations have died
 * out, m/s. */
static double creep(double friction, double velocity)
{
    static mpm_case c;
    const setting s = {PIO_WALL_STICKY, friction, velocity, 0, acos(-1) / 6, 6, 2, 1e5};
    block_on_slab(&c, &s);
    pio_sim *sim = repel_start(&c, NULL);
    repel_advance(sim, 24000);
    const double v = mean_of(&c, sim, "velocity", BLOCK, 0) - mean_of(&c, sim, "velocity", SLAB, 0);
    piola_engine.destroy(sim);
    case_free(&c);
    print_message("  friction %g, velocity %g m/s: it creeps at %.3e m/s\n", friction, velocity, v);
    return v;
}

/* Then w/sqrt(w^2 + e^2) = tan 30/mu. Explicit friction would need steps some ten times as short. */
static void a_block_that_friction_holds_creeps_at_its_friction_velocity(void **unused)
{
    const double part = tan(acos(-1) / 6) / 0.8, expected = part / sqrt(1 - part * part);
    (void)unused;
    if (D == 3) skip(); /* until vibrations have died out it takes minutes; the text is the same */
    case_below("creep / friction velocity of 0.1 mm/s", creep(0.8, 1e-4) / 1e-4, 1.2 * expected, 1.2 * expected);
    case_below("creep / friction velocity of 1 mm/s", creep(0.8, 1e-3) / 1e-3, 1.1 * expected, 1.1 * expected);
}

/* Two blocks that meet obliquely in free space. */
static void two_blocks(mpm_case *c, double friction)
{
    const double lo[2][3] = {{0.06, 0.06, 0.06}, {0.06, 0.125, 0.07}},
                 hi[2][3] = {{0.16, 0.12, 0.12}, {0.11, 0.165, 0.12}};
    case_init(c, 34, 34, D == 3 ? 24 : 1, h, 1e-4, 0);
    for (int b = 0; b < 2; b++) {
        const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN,
                                .parameters = {solid_E, solid_nu},
                                .density = solid_density,
                                .velocity = {b ? 0.7 : 0.2, b ? -1 : 0.3, b ? 0.1 : 0.3}};
        case_block(c, &body, lo[b], hi[b], 2, 0.05);
    }
    repel_all(c, 2);
    c->desc.friction = friction;
    c->desc.regularisation_velocity = 0.01;
}

static void momentum_stays_to_rounding_and_friction_acts(void **unused)
{
    double along[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static mpm_case c;
        double before[3] = {0}, most = 0;
        two_blocks(&c, 0.3 * k);
        const double m[2] = {mass_of(&c, 0), mass_of(&c, 1)};
        pio_sim *sim = repel_start(&c, NULL);
        for (int after = 0; after < 2; after++) {
            for (int a = 0; a < D; a++) {
                const double p = m[0] * mean_of(&c, sim, "velocity", 0, a) + m[1] * mean_of(&c, sim, "velocity", 1, a);
                if (after) most = fmax(most, fabs(p - before[a]) / m[0]);
                before[a] = p;
            }
            if (!after) repel_advance(sim, 300);
        }
        along[k] = mean_of(&c, sim, "velocity", 1, 0) - mean_of(&c, sim, "velocity", 0, 0);
        case_below("change of momentum over that of 1 m/s", most, 1e-12, 1e-5);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  0.5 m/s along each other before, %.3f without friction, %.3f with it\n", along[0], along[1]);
    assert_true(along[1] < along[0] - 0.1);
}

/* A design of friction that is 0 changes no bit of the motion, but has a derivative. */
static void no_friction_is_the_motion_without_it(void **unused)
{
    uint64_t hash[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        static mpm_case c;
        double z[1] = {0}, z_bar[1] = {0};
        two_blocks(&c, 0);
        c.desc.steps = 200;
        if (k) case_design(&c, PIO_FRICTION, -1, CASE_SCALAR, 0, 0, 1);
        case_sample(&c, case_observe(&c, PIO_MEAN_VELOCITY, 0, 1), 200, 0, 1);
        memset(c.linear, 0, sizeof c.linear);
        memset(c.square, 0, sizeof c.square);
        c.linear[0] = 1;
        pio_schedule s = pio_schedule_checkpoint(200, 20, 0, 1);
        pio_sim *sim = case_create(&c, 20, 1);
        if (k) {
            case_gradient(&c, sim, &s, z, z_bar);
            print_message("  d(velocity of the first)/d(friction) at 0: %.4f m/s\n", z_bar[0]);
            assert_true(z_bar[0] > 0.1); /* the faster one takes it along */
            piola_engine.destroy(sim);
            sim = case_create(&c, 20, 1);
        }
        piola_error error;
        assert_int_equal(piola_engine.start(sim, z, &error), PIOLA_OK);
        repel_advance(sim, 200);
        double *x = case_read(sim, "position", c.n), *v = case_read(sim, "velocity", c.n);
        hash[k] = case_hash(CASE_HASH_START, x, sizeof *x * (size_t)(c.n * D));
        hash[k] = case_hash(hash[k], v, sizeof *v * (size_t)(c.n * D));
        free(x);
        free(v);
        pio_schedule_end(&s);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_slowed_by_mu_g_and_its_energy_goes_into_friction),
        cmocka_unit_test(a_block_that_friction_holds_creeps_at_its_friction_velocity),
        cmocka_unit_test(momentum_stays_to_rounding_and_friction_acts),
        cmocka_unit_test(no_friction_is_the_motion_without_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
