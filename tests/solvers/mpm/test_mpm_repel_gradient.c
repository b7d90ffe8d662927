/* test_mpm_repel_gradient.c -- is the adjoint the derivative of a motion in which bodies repel each other? Are its bits
 * those of any number of threads and any plan of memory? */
#include "tests/solvers/mpm/mpm_repel_case.h"

/* Three bodies that meet, each in a field of its own, in cells with jitter; a floor holds the lowest. Large ones touch
 * at the start. Designs: places and velocities, the stiffness of a material, and with `friction` that and its
 * velocity, which are of the size at which both matter. */
static void three_bodies(mpm_case *c, int64_t steps, int large, double friction)
{
    const double dx = 0.1, wide = large ? (D == 3 ? 1.2 : 3.6) : D == 3 ? 0.3 : 0.5, deep = large && D == 2 ? 1 : 0.2;
    const double apart = large ? -0.015 : 0.02;
    case_init(c, (int)(wide / dx) + 14, (int)(3 * deep / dx) + 14, D == 3 ? (int)(wide / dx) + 12 : 9, dx, 8e-4, steps);
    case_wall(c, 1, 0, PIO_WALL_SLIP, 3);
    c->desc.gravity[1] = -9.81;
    for (int b = 0; b < 3; b++) {
        const double low = 0.3 + b * (deep + apart), side = 0.5 + 0.04 * b;
        const double lo[3] = {side, low, 0.5}, hi[3] = {side + wide, low + deep, 0.5 + (large ? wide : 0.2)};
        const case_body body = {.law = b == 1 ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_NEO_HOOKEAN,
                                .parameters = {b == 2 ? 3e5 : 1e6, 0.3},
                                .density = b == 2 ? 600 : 1000,
                                .velocity = {0.4 * b, 0.3 - 1.2 * b, -0.2 * b}};
        case_block(c, &body, lo, hi, 2, 0.1);
    }
    repel_all(c, 3);
    case_design(c, PIO_POSITION, 0, CASE_SCALAR, 0, 0, 0.01);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, 0.003);
    case_design(c, PIO_VELOCITY, 2, CASE_EACH, 0, 0, 0.3);
    case_design(c, PIO_VELOCITY, 1, CASE_SCALAR, 0, 0, 0.3);
    case_design(c, PIO_LAW_PARAMETER_0, 2, CASE_SCALAR, 1, log(3e5), 0.3);
    if (!(friction > 0)) return;
    c->desc.friction = friction;
    c->desc.regularisation_velocity = 0.1;
    case_design(c, PIO_FRICTION, -1, CASE_SCALAR, 0, friction, 0.2);
    case_design(c, PIO_REGULARISATION_VELOCITY, -1, CASE_SCALAR, 1, log(0.1), 0.3);
}

static void check_adjoint(double friction)
{
    static mpm_taylor t;
    static mpm_case c;
    three_bodies(&c, 60, 0, friction);
    mpm_observe_everything(&c, 0.012);
    mpm_taylor_begin(&t, &c, 0.1);
    if (D == 2) {
        mpm_taylor_all(&t);
    } else {
        static double h[CASE_VARIABLES];
        mpm_taylor_random(&t, h, 0, c.variables);
        mpm_taylor_direction(&t, "everything, random", h);
        for (int d = 0; d < c.desc.n_designs; d++) {
            if (d == 3 || d == 4) continue; /* they take a minute */
            mpm_taylor_gradient(&t, h, case_design_first(&c, d), case_design_count(&c, d));
            mpm_taylor_direction(&t, "gradient of a design", h);
        }
    }
    mpm_taylor_end(&t, friction > 0 ? "three bodies that rub" : "three bodies");
    case_free(&c);
}

static void adjoint_is_the_derivative(void **unused)
{
    (void)unused;
    check_adjoint(0);
}

static void adjoint_is_the_derivative_with_friction(void **unused)
{
    (void)unused;
    check_adjoint(0.4);
}

/* The same check refuses a gradient that is off by 1e-4. */
static void wrong_gradients_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    if (D == 3) skip(); /* the same text */
    three_bodies(&c, 60, 0, 0.4);
    mpm_observe_everything(&c, 0.012);
    mpm_taylor_begin(&t, &c, 0.1);
    t.quiet = 1;
    for (int d = 0; d < c.desc.n_designs; d += d == 2 ? 3 : 1) { /* of places, velocities and friction */
        const int first = case_design_first(&c, d), count = case_design_count(&c, d);
        mpm_taylor_gradient(&t, h, first, count);
        for (int i = first; i < first + count; i++) t.z_bar[i] *= 1.0001;
        assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
        for (int i = first; i < first + count; i++) t.z_bar[i] /= 1.0001;
    }
    assert_int_equal(t.passed, 0);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* Bits of J, of dJ/dz and of all gradients. */
static uint64_t bits(mpm_case *c, int threads, int64_t slots)
{
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    pio_schedule s = pio_schedule_checkpoint(c->desc.steps, (int)slots, 0, 1);
    pio_sim *sim = case_create(c, slots, threads);
    for (int i = 0; i < c->variables; i++) z[i] = 0.1 * sin(i);
    const double J = case_gradient(c, sim, slots < c->desc.steps ? &s : NULL, z, z_bar);
    uint64_t hash = case_hash(CASE_HASH_START, &J, sizeof J);
    hash = case_hash(hash, z_bar, sizeof *z_bar * (size_t)c->variables);
    hash ^= case_hash_gradients(sim, c->n);
    pio_schedule_end(&s);
    piola_engine.destroy(sim);
    return hash;
}

static void check_bits(double friction)
{
    static const struct {
        int threads, slots, sums;
    } ways[] = {{1, 8, 0}, {2, 8, 0}, {3, 8, 1}, {2, 3, 0}, {1, 4, 1}};
    static mpm_case c;
    uint64_t first = 0;
    three_bodies(&c, 8, 1, friction);
    case_sample(&c, case_observe(&c, PIO_MEAN_VELOCITY, 0, 1), 8, 0, 1);
    print_message("  %d particles\n", (int)c.n);
    assert_true(c.n > 4096); /* the backend runs less than that on one thread */
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        c.desc.slot_sums = ways[k].sums;
        const uint64_t hash = bits(&c, ways[k].threads, ways[k].slots);
        print_message("  %d threads, %d states kept%s: %016llx\n", ways[k].threads, ways[k].slots,
                      ways[k].sums ? " with sums" : "", (unsigned long long)hash);
        if (k == 0) first = hash;
        assert_true(hash == first);
    }
    c.desc.contact_stiffness *= 1.00001;
    assert_true(bits(&c, 1, 8) != first); /* not vacuous */
    case_free(&c);
}

static void threads_and_plans_of_memory_give_the_same_bits(void **unused)
{
    (void)unused;
    check_bits(0);
}

static void threads_and_plans_of_memory_give_the_same_bits_with_friction(void **unused)
{
    (void)unused;
    check_bits(0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_derivative),
        cmocka_unit_test(adjoint_is_the_derivative_with_friction),
        cmocka_unit_test(wrong_gradients_are_refused),
        cmocka_unit_test(threads_and_plans_of_memory_give_the_same_bits),
        cmocka_unit_test(threads_and_plans_of_memory_give_the_same_bits_with_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
