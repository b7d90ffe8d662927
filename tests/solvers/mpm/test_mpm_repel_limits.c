/* test_mpm_repel_limits.c -- what do potentials between bodies do to thin and unlike ones, and what do they refuse? */
#include "tests/solvers/mpm/mpm_repel_case.h"

static const double dx = 0.1;

/* Two plates of so many rows of particles meet head on at `speed`, the second one moving; `soft`: its stiffness and
 * density, and the stiffness between both, are so many times those of the first. Returns the relative speed after that
 * over the one before. */
static double returned(const int rows[2], double speed, double soft)
{
    static mpm_case c;
    case_init(&c, 20, 40, D == 3 ? 20 : 9, dx, 5e-4, 0);
    for (int b = 0; b < 2; b++) {
        const double high = rows[b] * dx / 2, low = b ? 2.03 : 2 - high, part = b ? soft : 1;
        const double lo[3] = {0.5 + 0.013 * b, low, 0.5}, hi[3] = {1.1 + 0.013 * b, low + high, 1.1};
        const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN,
                                .parameters = {part * solid_E, solid_nu},
                                .density = part * solid_density,
                                .velocity = {0, b ? -speed : 0}};
        case_block(&c, &body, lo, hi, 2, 0);
    }
    repel_all(&c, 2);
    c.desc.contact_stiffness *= soft;
    pio_sim *sim = repel_start(&c, NULL);
    repel_advance(sim, (int64_t)(300 / speed));
    const double v = mean_of(&c, sim, "velocity", 1, 1) - mean_of(&c, sim, "velocity", 0, 1);
    piola_engine.destroy(sim);
    case_free(&c);
    return v / speed;
}

/* But for single rows, one of which goes through the other: their sums are too small. */
static void plates_of_any_thickness_but_one_row_repel_each_other(void **unused)
{
    static const int rows[][2] = {{1, 6}, {2, 2}, {6, 6}, {6, 1}, {1, 2}, {2, 6}, {3, 3}, {4, 4}, {1, 1}};
    static const double speeds[] = {0.2, 2}, least = D == 3 ? 0.8 : 0.85;
    enum { PLATES = sizeof rows / sizeof *rows };
    (void)unused;
    for (int k = 0; k < PLATES; k++)
        for (int fast = 0; fast < 2; fast++) {
            if (D == 3 && k > 2 && k < PLATES - 1) continue; /* they take half a minute */
            const double e = returned(rows[k], speeds[fast], 1);
            print_message("  %d and %d rows at %g m/s: %.4f of the speed, ", rows[k][0], rows[k][1], speeds[fast], e);
            if (k < PLATES - 1)
                print_message("%g to 1.001\n", least);
            else
                print_message("-1: they do not meet\n");
            assert_true(k < PLATES - 1 ? e > least && e < 1.001 : fabs(e + 1) < 1e-3);
        }
}

/* With a stiffness that is that of the softer one. */
static void plates_of_unlike_materials_return_their_speed(void **unused)
{
    static const int rows[2] = {6, 6};
    (void)unused;
    for (double soft = 1; soft > 5e-3; soft /= 10) {
        char what[96];
        snprintf(what, sizeof what, "speed lost where one is %g times as stiff and heavy", soft);
        case_below(what, 1 - returned(rows, 0.5, soft), 0.02, 0.02);
    }
}

/* Two balls of five spacings' radius meet at 1 m/s, the second one so many radii off the first one's line, with this
 * part of the solid's lambda + 2 mu between them. Returns what is left of the speed along the impulse, or -1 where the
 * potential does not hold. */
static double oblique(double high, double part)
{
    static mpm_case c;
    const double R = 5 * dx, one[3] = {1, 1, 1}, two[3] = {1 + R * sqrt(4 - high * high) + 0.12, 1 + high * R, 1};
    case_body body = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {solid_E, solid_nu}, .density = solid_density, .velocity = {1}};
    piola_error error;
    double w[3] = {0}, along = 0;
    case_init(&c, 42, 28, 22, dx, 1e-3, 0);
    case_ball(&c, &body, one, R, 2, 0);
    body.velocity[0] = 0;
    case_ball(&c, &body, two, R, 2, 0);
    repel_all(&c, 2);
    c.desc.contact_stiffness *= part * 4;
    pio_sim *sim = repel_start(&c, NULL);
    const int held = !piola_engine.advance(sim, 450, &error) && !piola_engine.check(sim, &error);
    for (int a = 0; a < D && held; a++) w[a] = mean_of(&c, sim, "velocity", 1, a) - mean_of(&c, sim, "velocity", 0, a);
    for (int a = 0; a < D; a++) along += w[a] * (w[a] + (a == 0));
    piola_engine.destroy(sim);
    case_free(&c);
    return held ? along / (w[0] + 1) : -1;
}

/* Their pressure is highest where they touch first, in space higher than in the plane. A hundredth does not hold it. */
static void balls_keep_apart_at_a_thirtieth_of_the_speed_of_sound(void **unused)
{
    static const double heights[] = {0, 0.7, 1};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const double e = oblique(heights[k], 0.25);
        print_message("  %.1f R high: %.4f of the speed along the impulse, at least 0.97\n", heights[k], e);
        assert_true(e > 0.97 && e < 1.001);
    }
    assert_true(oblique(0, 0.01) < 0); /* it is found */
}

/* ---- faults and refusals ---------------------------------------------------------------------------------------- */

/* A block, and one that comes down on it from `gap` above it. */
static void two_blocks(mpm_case *c, double gap, double speed)
{
    case_init(c, 16, 20, 16, dx, 5e-4, 100);
    c->desc.cfl = 1;
    for (int b = 0; b < 2; b++) {
        const double low = b ? 0.8 + gap : 0.5, lo[3] = {0.5, low, 0.5}, hi[3] = {0.8, low + 0.3, 0.8};
        const case_body body = {.law = PIO_HYPER_NEO_HOOKEAN,
                                .parameters = {solid_E, solid_nu},
                                .density = solid_density,
                                .velocity = {0, b ? -speed : 0}};
        case_block(c, &body, lo, hi, 2, 0);
    }
    repel_all(c, 2);
}

static void expect_fault(mpm_case *c, piola_failure_kind kind, const char *words)
{
    piola_error error = {0};
    pio_sim *sim = case_create(c, 0, 1);
    piola_status rc = piola_engine.start(sim, NULL, &error);
    if (!rc) rc = piola_engine.advance(sim, 100, &error);
    if (!rc) rc = piola_engine.check(sim, &error);
    print_message("  %s\n", rc ? error.message : "no fault");
    assert_int_equal(rc, PIOLA_NUMERICAL);
    assert_int_equal(error.failure.kind, kind);
    assert_non_null(strstr(error.message, words));
    piola_engine.destroy(sim);
    case_free(c);
}

static void what_overlaps_goes_too_deep_or_vibrates_too_fast_is_reported(void **unused)
{
    static mpm_case c;
    (void)unused;
    two_blocks(&c, -0.06, 0);
    expect_fault(&c, PIOLA_FAILED_CONTACT, "m deep in another body");
    two_blocks(&c, 0.02, 20);
    expect_fault(&c, PIOLA_FAILED_CONTACT, "where the potential between bodies does not hold");
    two_blocks(&c, 0.02, 0);
    c.desc.contact_stiffness = 1e9;
    expect_fault(&c, PIOLA_FAILED_TIME_STEP, "a time step of at most 9.99");
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
    (void)unused;
    two_blocks(&c, 0.02, 0);
    case_describe(&c);
    c.desc.friction = -0.1;
    expect_refusal(&c, "friction of -0.1");
    c.desc.friction = 0.1;
    c.desc.regularisation_velocity = 0;
    expect_refusal(&c, "friction between bodies sets in at 0 m/s");
    c.desc.friction = 0;
    c.desc.contact_distance = 2 * dx;
    expect_refusal(&c, "at most a spacing");
    c.desc.contact_stiffness = 0;
    expect_refusal(&c, "stiffness of 0 Pa");
    c.desc.contact_stiffness = 1e5;
    c.desc.contact_distance = dx / 2;
    c.law[0] = PIO_LINEAR_FLUID;
    expect_refusal(&c, "is fluid");
    c.law[0] = PIO_HYPER_NEO_HOOKEAN;
    pio_interpolation of = {.power = 3, .least = 1e-3};
    double *density = calloc((size_t)c.n, sizeof *density);
    int32_t *part = calloc((size_t)c.n, sizeof *part);
    c.desc.particles.relative_density = density;
    c.desc.particles.interpolation = part;
    c.desc.particles.interpolations = &of;
    c.desc.particles.n_interpolations = 1;
    expect_refusal(&c, "particle 0 has a relative density");
    free(density);
    free(part);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_of_any_thickness_but_one_row_repel_each_other),
        cmocka_unit_test(plates_of_unlike_materials_return_their_speed),
        cmocka_unit_test(balls_keep_apart_at_a_thirtieth_of_the_speed_of_sound),
        cmocka_unit_test(what_overlaps_goes_too_deep_or_vibrates_too_fast_is_reported),
        cmocka_unit_test(a_potential_that_would_not_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
