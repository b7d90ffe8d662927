/* test_mpm_flip.c -- does the FLIP blend keep what it must, take less energy the larger it is, and is the adjoint the
 * derivative? */
#include "tests/solvers/mpm/mpm_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };
static const double pi = 3.14159265358979323846;

/* ---- physics --------------------------------------------------------------------------------------------- */

/* How much of a standing wave is left after two periods, as in test_mpm_viscosity.c, on 8 cells. */
static double left_of_a_wave(double flip)
{
    enum { CELLS = 8 };
    mpm_case c;
    const double dx = 1.0 / CELLS, U = 1e-3, at = 3 * dx, speed = 5, dt = 2e-3;
    const double lo[3] = {at, at, at}, hi[3] = {at + 1, at + 2 * dx, at + dx};
    const int cells[3] = {CELLS, 2, 1};
    const int64_t steps = llround(4 / speed / dt);
    case_init(&c, CELLS + 7, 9, 8, dx, dt, steps);
    c.desc.flip = flip;
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++) case_wall(&c, a, side, PIO_WALL_SLIP, side ? 3 + cells[a] : 3);
    case_body b = {.law = PIO_HYPER_HENCKY, .parameter_form = 1, .parameters = {8e3, 9e3}, .density = 1000};
    case_block(&c, &b, lo, hi, 2, 0);
    for (int64_t i = 0; i < c.n; i++) c.velocity[i * D] = U * sin(pi * (c.position[i * D] - at));
    const int o = case_observe(&c, PIO_MEAN_VELOCITY, 0, 2);
    case_sample(&c, o, 0, 0, 1);
    case_sample(&c, o, steps, 1, 1);
    pio_sim *sim = case_create(&c, 0, 1);
    double samples[2 * D];
    piola_error error;
    case_forward(&c, sim, NULL);
    if (piola_engine.samples(sim, samples, &error)) fail_msg("samples: %s", error.message);
    piola_engine.destroy(sim);
    case_free(&c);
    return samples[D] / samples[0];
}

static void a_standing_wave_loses_less_the_larger_the_ratio(void **unused)
{
    static const double ratios[] = {0, 0.5, 0.9, 1};
    double before = 0;
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const double left = left_of_a_wave(ratios[i]);
        print_message("  FLIP ratio %g: %.5f of the amplitude is left after two periods\n", ratios[i], left);
        assert_true(left > before && left < 1.01);
        before = left;
    }
}

/* Momentum and angular momentum, that of the affine velocities included, of a spinning, stretching block in mid-air,
 * before and after 300 steps, as fractions of the sum of m |v|; and its kinetic energy in the end. */
static double tumble(double flip, double *momentum, double *angular)
{
    mpm_case c;
    const double lo[3] = {0.5, 0.5, 0.4}, hi[3] = {0.9, 0.7, 0.6}, dx = 0.1;
    case_init(&c, 15, 14, 12, dx, 1e-3, 300);
    c.desc.flip = flip;
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN,
                   .parameters = {2e4, 0.3},
                   .density = 1000,
                   .velocity = {0.3, -0.2, 0.1},
                   .centre = {0.7, 0.6, 0.5},
                   .spin = {{1, -3, 0}, {3, -1, 0}, {0, 0, 0}}};
    case_block(&c, &b, lo, hi, 2, 0.3);
    pio_sim *sim = case_create(&c, 0, 1);
    double p[2][D], L[2], size = 0, energy = 0;
    piola_error error;
    if (piola_engine.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    for (int end = 0; end < 2; end++) {
        if (end && piola_engine.advance(sim, 300, &error)) fail_msg("advance: %s", error.message);
        if (piola_engine.check(sim, &error)) fail_msg("check: %s", error.message);
        double *x = case_read(sim, "position", c.n), *v = case_read(sim, "velocity", c.n);
        double *m = case_read(sim, "mass", c.n), *C = case_read(sim, "C", c.n);
        memset(p[end], 0, sizeof p[end]);
        L[end] = energy = 0;
        for (int64_t i = 0; i < c.n; i++) {
            for (int a = 0; a < D; a++) p[end][a] += m[i] * v[i * D + a];
            for (int a = 0; a < D; a++) energy += m[i] * v[i * D + a] * v[i * D + a] / 2;
            L[end] += m[i] * (x[i * D] * v[i * D + 1] - x[i * D + 1] * v[i * D] +
                              dx * dx / 4 * (C[i * D * D + D] - C[i * D * D + 1]));
            if (!end) size += m[i] * hypot(v[i * D], v[i * D + 1]);
        }
        free(x), free(v), free(m), free(C);
    }
    *momentum = 0;
    for (int a = 0; a < D; a++) *momentum = fmax(*momentum, fabs(p[1][a] - p[0][a]) / size);
    *angular = (L[1] - L[0]) / size;
    piola_engine.destroy(sim);
    case_free(&c);
    return energy;
}

static void momentum_is_kept_whatever_the_ratio(void **unused)
{
    static const double ratios[] = {0, 0.5, 1};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        double momentum, angular;
        const double energy = tumble(ratios[i], &momentum, &angular);
        print_message("  ratio %g: kinetic energy %.5g J in the end, angular momentum changed by %.2g m of sum m |v|\n",
                      ratios[i], energy, angular);
        case_below("change of momentum in 300 steps / sum m |v|", momentum, 1e-12, 1e-5);
        if (i == 0) case_below("change of angular momentum of APIC / sum m |v|, per metre", angular, 1e-12, 1e-5);
        if (i > 0) case_below("the same of FLIP", angular, 1e-3, 1e-3);
    }
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

static void corner(mpm_case *c, int number, double flip)
{
    static const case_body bodies[3] = {
        {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000, .viscosity = 20},
        {.law = PIO_TAIT, .parameters = {2e4, 7, 20}, .density = 1300},
        {.law = PIO_HYPER_HENCKY, .parameter_form = 1, .parameters = {8e3, 1.2e4}, .density = 1300}};
    const case_body both[2] = {bodies[0], bodies[1 + number]};
    mpm_corner(c, number, both, 40, number, 3);
    mpm_observe_everything(c, 0.35);
    c->desc.flip = flip;
}

static void design(mpm_case *c, double flip)
{
    case_design(c, PIO_FLIP, -1, CASE_SCALAR, 0, flip, 0.3);
    case_design(c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, 0.1);
    case_design(c, PIO_DENSITY, 0, CASE_GROUPS, 0, 1000, 300);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_SCALAR, 1, log(2e4), 0.3);
    case_design(c, PIO_GRAVITY, -1, CASE_SCALAR, 0, -2, 10);
}

/* A ratio of zero that is a design runs all kernels of the blend, and adds nothing. */
static void a_ratio_of_zero_is_APIC_to_the_bit(void **unused)
{
    uint64_t hash[2];
    (void)unused;
    for (int designed = 0; designed < 2; designed++) {
        static mpm_case c;
        static double z[CASE_VARIABLES];
        corner(&c, 1, 0);
        if (designed) case_design(&c, PIO_FLIP, -1, CASE_SCALAR, 0, 0, 1);
        pio_sim *sim = case_create(&c, 40, 1);
        case_forward(&c, sim, z);
        hash[designed] = case_hash_state(sim, c.n);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  states' hashes %016llx, %016llx\n", (unsigned long long)hash[0], (unsigned long long)hash[1]);
    assert_true(hash[0] == hash[1]);
}

/* A compact state leaves out the velocities that FLIP goes on from: states are whole, whatever room there is. */
static void gradients_have_the_same_bits_for_every_schedule_and_number_of_threads(void **unused)
{
    uint64_t hash[3];
    (void)unused;
    for (int i = 0; i < 3; i++) {
        static mpm_case c;
        static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
        corner(&c, 0, 0.8);
        design(&c, 0.8);
        c.desc.slot_nodes = i ? 2000 : 0;
        pio_schedule few = pio_schedule_checkpoint(40, 4, 0, 1);
        pio_sim *sim = case_create(&c, 40, i == 2 ? 3 : 1);
        case_gradient(&c, sim, i ? &few : NULL, z, z_bar);
        hash[i] = case_hash(case_hash_gradients(sim, c.n), z_bar, sizeof *z_bar * (size_t)c.variables);
        pio_schedule_end(&few);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  gradients' hashes %016llx, %016llx, %016llx\n", (unsigned long long)hash[0],
                  (unsigned long long)hash[1], (unsigned long long)hash[2]);
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

static void adjoint_is_the_derivative_with_a_FLIP_ratio(void **unused)
{
    (void)unused;
    for (int number = 0; number < 2; number++) {
        static mpm_taylor t;
        static mpm_case c;
        const double flip = number ? 0.95 : 0.6;
        corner(&c, number, flip);
        design(&c, flip);
        mpm_taylor_begin(&t, &c, 0.1);
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, number ? "two solids, ratio 0.95" : "a solid and a fluid, ratio 0.6");
        case_free(&c);
    }
}

static void wrong_gradients_of_the_ratio_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0, 0.6);
    design(&c, 0.6);
    mpm_taylor_begin(&t, &c, 0.1);
    t.quiet = 1;
    mpm_taylor_single(h, 0);
    t.z_bar[0] *= 1.0001;
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
    t.z_bar[0] *= -1;
    assert_int_equal(mpm_taylor_direction(&t, "flipped", h), PIO_TAYLOR_FAILED);
    print_message("  2 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    assert_int_equal(t.passed, 0);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* ---- what is refused ---------------------------------------------------------------------------------------- */

static void ratios_that_cannot_be_are_refused_by_name(void **unused)
{
    static const double ratios[] = {-0.1, 1.1, NAN};
    mpm_case c;
    pio_engine_bytes bytes;
    piola_error error;
    (void)unused;
    corner(&c, 0, 0);
    pio_sim *sim = case_create(&c, 0, 1); /* completes the description */
    piola_engine.destroy(sim);
    for (int i = 0; i < 3; i++) {
        c.desc.flip = ratios[i];
        assert_int_equal(piola_engine.measure(&c.desc, &bytes, &error), PIOLA_BAD_DATA);
        assert_non_null(strstr(error.message, "from 0 to 1 would be right"));
    }
    c.desc.flip = 0.5;
    c.desc.reversible = 1;
    assert_int_equal(piola_engine.measure(&c.desc, &bytes, &error), PIOLA_BAD_DATA);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "the reversible integrator"));
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest physics[] = {
        cmocka_unit_test(a_standing_wave_loses_less_the_larger_the_ratio),
        cmocka_unit_test(momentum_is_kept_whatever_the_ratio),
        cmocka_unit_test(a_ratio_of_zero_is_APIC_to_the_bit),
        cmocka_unit_test(gradients_have_the_same_bits_for_every_schedule_and_number_of_threads),
        cmocka_unit_test(ratios_that_cannot_be_are_refused_by_name),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(adjoint_is_the_derivative_with_a_FLIP_ratio),
        cmocka_unit_test(wrong_gradients_of_the_ratio_are_refused),
    };
    const int failed = cmocka_run_group_tests(physics, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
