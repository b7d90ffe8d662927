/* test_mpm_viscosity.c -- does the viscosity of solids damp at the rate that it says, keep what it must, and is the
 * adjoint the derivative? */
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

/* Mean velocity, after two periods, of a bar of length L between slip walls that starts with the velocity U sin(k x), k
 * = pi/L: a standing wave of 16 cells, in the box and across it. */
static double standing_wave(double eta, double *start)
{
    enum { CELLS = 16 };
    mpm_case c;
    const double dx = 1.0 / CELLS, U = 1e-3, rho = 1000, mu = 8e3, lambda = 9e3, at = 3 * dx;
    const double speed = sqrt((lambda + 2 * mu) / rho), dt = 2e-3, lo[3] = {at, at, at},
                 hi[3] = {at + 1, at + 2 * dx, at + dx};
    const int cells[3] = {CELLS, 2, 1};
    const int64_t steps = llround(4 / speed / dt);
    case_init(&c, CELLS + 7, 9, 8, dx, dt, steps);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++) case_wall(&c, a, side, PIO_WALL_SLIP, side ? 3 + cells[a] : 3);
    case_body b = {
        .law = PIO_HYPER_HENCKY, .parameter_form = 1, .parameters = {mu, lambda}, .density = rho, .viscosity = eta};
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
    *start = samples[0];
    return samples[D];
}

/* rho u'' = (lambda + 2 mu) u_xx + 2 eta u'_xx: the amplitude falls as exp(-eta k^2 t/rho); the wave without viscosity
 * shows what the grid takes. */
static void a_standing_wave_decays_at_the_rate_eta_kk_by_rho(void **unused)
{
    static const double etas[] = {20, 60};
    double start;
    (void)unused;
    const double inviscid = standing_wave(0, &start);
    print_message("  without viscosity %.4f of the start is left after two periods\n", inviscid / start);
    for (int i = 0; i < 2; i++) {
        const double left = standing_wave(etas[i], &start) / inviscid, T = 4 / sqrt(25e3 / 1000);
        const double rate = -log(left) / T, exact = etas[i] * pi * pi / 1000;
        print_message("  eta = %g Pa s: rate %.5f 1/s, exact %.5f\n", etas[i], rate, exact);
        case_below("rate of decay / (eta k^2/rho) - 1", rate / exact - 1, 0.02, 0.02);
    }
}

/* A spinning, stretching block in mid-air: internal stresses keep momentum and angular momentum, that of the affine
 * velocities included, and viscous ones dissipate. */
static double tumble(double eta, double *momentum, double *angular)
{
    mpm_case c;
    const double lo[3] = {0.5, 0.5, 0.4}, hi[3] = {0.9, 0.7, 0.6}, dx = 0.1;
    case_init(&c, 15, 14, 12, dx, 1e-3, 400);
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN,
                   .parameters = {2e4, 0.3},
                   .density = 1000,
                   .velocity = {0.3, -0.2, 0.1},
                   .centre = {0.7, 0.6, 0.5},
                   .spin = {{1, -3, 0}, {3, -1, 0}, {0, 0, 0}},
                   .viscosity = eta};
    case_block(&c, &b, lo, hi, 2, 0.3);
    const int o = case_observe(&c, PIO_KINETIC_ENERGY, 0, 1);
    case_sample(&c, o, 400, 0, 1);
    pio_sim *sim = case_create(&c, 0, 1);
    double p[2][D], L[2], size = 0;
    piola_error error;
    if (piola_engine.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    for (int end = 0; end < 2; end++) {
        if (end && piola_engine.advance(sim, 400, &error)) fail_msg("advance: %s", error.message);
        if (piola_engine.check(sim, &error)) fail_msg("check: %s", error.message);
        double *x = case_read(sim, "position", c.n), *v = case_read(sim, "velocity", c.n);
        double *m = case_read(sim, "mass", c.n), *C = case_read(sim, "C", c.n);
        memset(p[end], 0, sizeof p[end]);
        L[end] = 0;
        for (int64_t i = 0; i < c.n; i++) {
            for (int a = 0; a < D; a++) p[end][a] += m[i] * v[i * D + a];
            L[end] += m[i] * (x[i * D] * v[i * D + 1] - x[i * D + 1] * v[i * D] +
                              dx * dx / 4 * (C[i * D * D + D] - C[i * D * D + 1]));
            if (!end) size += m[i] * hypot(v[i * D], v[i * D + 1]);
        }
        free(x), free(v), free(m), free(C);
    }
    double energy = 0;
    if (piola_engine.samples(sim, &energy, &error)) fail_msg("samples: %s", error.message);
    *momentum = 0;
    for (int a = 0; a < D; a++) *momentum = fmax(*momentum, fabs(p[1][a] - p[0][a]) / size);
    *angular = (L[1] - L[0]) / size;
    piola_engine.destroy(sim);
    case_free(&c);
    return energy;
}

static void viscous_stress_keeps_momenta_and_takes_energy(void **unused)
{
    double momentum, angular;
    (void)unused;
    const double elastic = tumble(0, &momentum, &angular), viscous = tumble(100, &momentum, &angular);
    case_below("change of momentum in 400 steps / sum m |v|", momentum, 1e-12, 1e-5);
    case_below("change of angular momentum / sum m |v|, per metre", angular, 1e-12, 1e-5);
    print_message("  kinetic energy %.5g J without viscosity, %.5g J with it\n", elastic, viscous);
    assert_true(viscous < 0.99 * elastic);
}

/* A solid whose viscosity is eta but for one particle; with that designed to z or at its reference value. The message
 * of check(), after start. */
static void first_fault(double eta, int particle, double odd, int designed, piola_error *error)
{
    mpm_case c;
    static double z[CASE_VARIABLES];
    const double lo[3] = {0.5, 0.5, 0.4}, hi[3] = {0.7, 0.7, 0.5};
    case_init(&c, 12, 12, 10, 0.1, 1e-3, 1);
    case_body b = {.law = PIO_HYPER_HENCKY, .parameters = {1e4, 0.3}, .density = 1000, .viscosity = eta};
    case_block(&c, &b, lo, hi, 2, 0);
    memset(z, 0, sizeof z);
    z[particle] = odd - eta;
    if (designed)
        case_design(&c, PIO_VISCOSITY, 0, CASE_EACH, 0, eta, 1);
    else
        c.viscosity[particle] = odd;
    pio_sim *sim = case_create(&c, 0, 1);
    if (piola_engine.start(sim, z, error)) fail_msg("start: %s", error->message);
    const piola_status rc = piola_engine.check(sim, error);
    print_message("  %s\n", rc ? error->message : "no fault");
    assert_int_equal(rc, PIOLA_NUMERICAL);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void viscosities_that_cannot_be_are_reported_with_particle_and_value(void **unused)
{
    piola_error error;
    char limit[80];
    (void)unused;
    for (int designed = 0; designed < 2; designed++) {
        first_fault(1, 6, 6000, designed, &error);
        snprintf(limit, sizeof limit, "needs a time step of at most %.4g s", 1000 * 0.01 / (4 * D * 6000.0));
        assert_int_equal(error.failure.kind, PIOLA_FAILED_TIME_STEP);
        assert_non_null(strstr(error.message, "particle 6 at ("));
        assert_non_null(strstr(error.message, "viscosity 6000 Pa s with density 1000"));
        assert_non_null(strstr(error.message, limit));
    }
    first_fault(1, 3, -2, 1, &error);
    assert_int_equal(error.failure.kind, PIOLA_FAILED_CONSTANTS);
    assert_non_null(strstr(error.message, "(10000, 0.3, viscosity -2)"));
    assert_non_null(strstr(error.message, "viscosity not negative"));
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

static void corner(mpm_case *c, int number, double eta)
{
    static const case_body bodies[2] = {
        {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3}, .density = 1000},
        {.law = PIO_HYPER_HENCKY, .parameter_form = 1, .parameters = {8e3, 1.2e4}, .density = 1300}};
    case_body both[2] = {bodies[number % 2], bodies[1 - number % 2]};
    both[0].viscosity = eta;
    both[1].viscosity = 0.6 * eta;
    mpm_corner(c, number, both, 40, number % 2, 3);
    mpm_observe_everything(c, 0.35);
}

static void viscosity_of_zero_changes_no_bit(void **unused)
{
    uint64_t hash[2];
    (void)unused;
    for (int viscous = 0; viscous < 2; viscous++) {
        static mpm_case c;
        static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
        corner(&c, 0, 0);
        case_design(&c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
        c.viscous = viscous;
        pio_sim *sim = case_create(&c, 40, 1);
        case_gradient(&c, sim, NULL, z, z_bar);
        hash[viscous] = case_hash_gradients(sim, c.n);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    print_message("  gradients' hashes %016llx, %016llx\n", (unsigned long long)hash[0], (unsigned long long)hash[1]);
    assert_true(hash[0] == hash[1]);
}

static void design(mpm_case *c)
{
    case_design(c, PIO_VISCOSITY, 0, CASE_EACH, 1, log(60), 0.3);
    case_design(c, PIO_VISCOSITY, 1, CASE_GROUPS, 0, 40, 20);
    case_design(c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 0, 1);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, 0.2);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_SCALAR, 1, log(2e4), 0.3);
}

static void adjoint_is_the_derivative_with_viscous_solids(void **unused)
{
    (void)unused;
    for (int number = 0; number < 2; number++) {
        static mpm_taylor t;
        static mpm_case c;
        corner(&c, number, 60);
        design(&c);
        mpm_taylor_begin(&t, &c, 0.3);
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, number ? "viscous solids, upper corner" : "viscous solids, lower corner");
        case_free(&c);
    }
}

static void wrong_gradients_of_viscosity_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0, 60);
    design(&c);
    mpm_taylor_begin(&t, &c, 0.3);
    t.quiet = 1;
    const int n = case_design_count(&c, 0);
    for (int i = 0; i < n; i++) t.z_bar[i] *= 1.0001;
    mpm_taylor_gradient(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
    for (int i = 0; i < n; i++) t.z_bar[i] /= 1.0001;
    memset(t.z_bar, 0, sizeof *t.z_bar * (size_t)n);
    mpm_taylor_random(&t, h, 0, n);
    assert_int_not_equal(mpm_taylor_direction(&t, "missing", h), PIO_TAYLOR_PASSED);
    print_message("  2 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    assert_int_equal(t.passed, 0);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest physics[] = {
        cmocka_unit_test(a_standing_wave_decays_at_the_rate_eta_kk_by_rho),
        cmocka_unit_test(viscous_stress_keeps_momenta_and_takes_energy),
        cmocka_unit_test(viscosity_of_zero_changes_no_bit),
        cmocka_unit_test(viscosities_that_cannot_be_are_reported_with_particle_and_value),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(adjoint_is_the_derivative_with_viscous_solids),
        cmocka_unit_test(wrong_gradients_of_viscosity_are_refused),
    };
    const int failed = cmocka_run_group_tests(physics, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
