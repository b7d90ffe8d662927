/* test_mpm_physics.c -- does the explicit MPM solver do physics? Conservation, closed forms, benchmarks. */
#include "tests/solvers/mpm/mpm_case.h"

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

static pio_sim *start(mpm_case *c)
{
    piola_error error;
    pio_sim *sim = case_create(c, 0, 1);
    if (piola_engine.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    return sim;
}

static void advance(pio_sim *sim, int64_t steps)
{
    piola_error error;
    if (piola_engine.advance(sim, steps, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
}

/* ---- conservation ---------------------------------------------------------------------------------------- */

typedef struct {
    double mass, momentum[3], angular[3]; /* kg, kg m/s, kg m2/s; in 2D angular[2] only */
} totals;

/* L_ab = sum m (x_a v_b - x_b v_a) + sum m (dx^2/4) (C_ba - C_ab)     (Jiang et al. 2015, section 5.3.1) */
static totals totals_of(const mpm_case *c, pio_sim *sim)
{
    totals t = {0};
    double *x = case_read(sim, "position", c->n), *v = case_read(sim, "velocity", c->n);
    double *C = case_read(sim, "C", c->n), *m = case_read(sim, "mass", c->n);
    const double moment = c->desc.grid.spacing * c->desc.grid.spacing / 4;
    for (int64_t i = 0; i < c->n; i++) {
        t.mass += m[i];
        for (int a = 0; a < D; a++) t.momentum[a] += m[i] * v[i * D + a];
        for (int k = D == 3 ? 0 : 2; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            t.angular[k] += m[i] * (x[i * D + a] * v[i * D + b] - x[i * D + b] * v[i * D + a]) +
                            m[i] * moment * (C[i * D * D + b * D + a] - C[i * D * D + a * D + b]);
        }
    }
    free(x);
    free(v);
    free(C);
    free(m);
    return t;
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double distance(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return norm(d);
}

/* Two jittered bodies of different laws collide in mid-air and fly on, vibrating. */
static void mass_and_momentum_do_not_change_in_ten_thousand_steps(void **unused)
{
    mpm_case c;
    (void)unused;
    case_init(&c, 18, 14, 12, 0.1, 2e-4, 0);
    case_body a = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e4, 0.3, 0}, .density = 1000, .velocity = {0.3, 0.06, 0.03}};
    case_body b = {.law = PIO_TAIT, .parameters = {1e4, 7, 1}, .density = 700, .velocity = {0.1, 0.04, -0.03}};
    const double lo[2][3] = {{0.3, 0.4, 0.4}, {0.6, 0.45, 0.4}}, hi[2][3] = {{0.5, 0.6, 0.6}, {0.8, 0.55, 0.6}};
    memcpy(a.centre, lo[0], sizeof lo[0]);
    a.spin[0][0] = 1;
    a.spin[1][1] = -0.9;
    case_block(&c, &a, lo[0], hi[0], 2, 0.3);
    case_block(&c, &b, lo[1], hi[1], 2, 0.3);
    double exact = 0, worst = 0;
    for (int64_t i = 0; i < c.n; i++) exact += c.density[i] * c.volume[i];
    pio_sim *sim = start(&c);
    const totals first = totals_of(&c, sim);
    for (int k = 0; k < 10; k++) {
        advance(sim, 1000);
        const totals t = totals_of(&c, sim);
        assert_true(fabs(t.mass - first.mass) <= 0); /* the same bits */
        worst = fmax(worst, distance(t.momentum, first.momentum) / norm(first.momentum));
    }
    case_below("mass against sum rho V, relative", first.mass / exact - 1, 1e-14, 1e-6);
    case_below("drift of linear momentum over 1e4 steps, relative", worst, 1e-12, 1e-4);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void a_spinning_disc_keeps_its_angular_momentum(void **unused)
{
    mpm_case c;
    (void)unused;
    case_init(&c, 17, 17, 17, 0.1, 1e-3, 0);
    case_body b = {.law = PIO_HYPER_FIXED_COROTATED,
                   .parameters = {1e5, 0.3, 0},
                   .density = 1000,
                   .centre = {0.8, 0.8, 0.8},
                   .velocity = {0.02, -0.01, 0.01}};
    b.spin[0][1] = -2; /* 2 rad/s about z, and in 3D 0.5 rad/s about x */
    b.spin[1][0] = 2;
    if (D == 3) {
        b.spin[1][2] = -0.5;
        b.spin[2][1] = 0.5;
    }
    case_ball(&c, &b, b.centre, D == 2 ? 0.35 : 0.2, 2, 0.2);
    pio_sim *sim = start(&c);
    const totals first = totals_of(&c, sim);
    double worst = 0, orbital = 0;
    for (int k = 0; k < 10; k++) {
        advance(sim, 314);
        const totals t = totals_of(&c, sim);
        worst = fmax(worst, distance(t.angular, first.angular) / norm(first.angular));
    }
    /* not vacuous: without the affine term it is not conserved */
    mpm_case point = c;
    point.desc.grid.spacing = 0;
    orbital = distance(totals_of(&point, sim).angular, first.angular) / norm(first.angular);
    print_message("  one revolution in %d steps; without the affine term %.3g is missing\n", 3140, orbital);
    assert_true(orbital > 1e-3);
    case_below("drift of angular momentum, affine term included, relative", worst, 1e-12, 1e-4);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- closed forms ---------------------------------------------------------------------------------------- */

/* Symplectic Euler: v_n = v_0 + n h g, x_N = x_0 + N h v_0 + N (N + 1) h^2 g/2, whatever the shape and the material. */
static void a_projectile_flies_the_exact_sum_of_symplectic_euler(void **unused)
{
    mpm_case c;
    const int64_t N = 300;
    const double g[3] = {0.7, -9.81, 0.3}, lo[3] = {0.5, 1.2, 0.4}, hi[3] = {0.8, 1.4, 0.6};
    (void)unused;
    case_init(&c, 24, 24, 12, 0.1, 1e-3, N);
    case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3, 0}, .density = 1000, .velocity = {2, 1.5, -0.5}};
    memcpy(c.desc.gravity, g, sizeof g);
    case_block(&c, &b, lo, hi, 2, 0.3);
    pio_sim *sim = start(&c);
    advance(sim, N);
    double *x = case_read(sim, "position", c.n), *v = case_read(sim, "velocity", c.n), worst_x = 0, worst_v = 0;
    const double T = (double)N * c.desc.dt, half = (double)(N * (N + 1)) / 2 * c.desc.dt * c.desc.dt;
    for (int64_t i = 0; i < c.n * D; i++) {
        const int a = (int)(i % D);
        worst_x = fmax(worst_x, fabs(x[i] - (c.position[i] + T * b.velocity[a] + half * g[a])));
        worst_v = fmax(worst_v, fabs(v[i] - (b.velocity[a] + T * g[a])));
    }
    case_below("position of any particle against the sum, m", worst_x, 1e-12, 1e-4);
    case_below("velocity of any particle, m/s", worst_v, 1e-11, 1e-3);
    free(x);
    free(v);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* A lone particle is a bar: P2G and G2P keep its affine motion exactly, so that only
 *     C <- C - h 4/(rho dx^2) tau(F),   F <- (I + h C) F
 * is left. For isotropic motion C = c I, F = l I of a neo-Hookean body with mu << lambda, tau = d lambda ln l, and the
 * strain e = ln l obeys  e' = c, c' = -w^2 e,  w^2 = 4 d lambda/(rho dx^2):  with dx = 2 L, E = d lambda this is the
 * single-particle bar  v = v0 cos wt, x = x0 exp((v0/(L w)) sin wt), w = sqrt(E/rho)/L. E = 4 pi^2, rho = L = 1, v0 =
 * 0.1, x0 = 0.5 give x(0.25) = 0.50802141; x is the place of a material point, x0 from the centre at the start.
 * Symplectic Euler is leapfrog when c starts at -h/2. */
static void a_single_particle_is_the_oscillating_bar(void **unused)
{
    mpm_case c;
    const double w = 2 * pi, T = 0.25, h = case_is_f32() ? 1e-3 : 1e-5, centre[3] = {9, 9, 9};
    const int64_t N = (int64_t)floor(T / h + 0.5);
    (void)unused;
    case_init(&c, 9, 9, 9, 2, h, N);
    case_body b = {
        .law = PIO_HYPER_NEO_HOOKEAN, .parameter_form = 1, .parameters = {1e-9, 4 * pi * pi / D, 0}, .density = 1};
    for (int a = 0; a < D; a++) b.spin[a][a] = 0.1 * cos(w * h / 2);
    memcpy(b.centre, centre, sizeof centre);
    case_particle(&c, &b, centre, 1);
    pio_sim *sim = start(&c);
    double e = 0, rate = b.spin[0][0]; /* the discrete equations again, in scalars */
    for (int64_t n = 0; n < N; n++) {
        const double l = exp(e);
        rate -= h * (1e-9 * (l * l - 1) + 4 * pi * pi * e); /* 4/(rho dx^2) = 1 */
        e += log1p(h * rate);
    }
    advance(sim, N);
    double *F = case_read(sim, "F", 1), *x = case_read(sim, "position", 1), *C = case_read(sim, "C", 1);
    double across = 0;
    for (int a = 0; a < D; a++)
        for (int k = 0; k < D; k++)
            across = fmax(across, a == k ? fabs(F[a * D + a] - F[0]) : fmax(fabs(F[a * D + k]), fabs(C[a * D + k])));
    print_message("  x(0.25) = %.9f, closed form 0.50802141\n", 0.5 * F[0]);
    case_below("stretch against the same equations in scalars", F[0] - exp(e), 1e-12, 1e-4);
    case_below("x(0.25) against the closed form, m", 0.5 * F[0] - 0.50802141, 1e-8, 1e-4);
    case_below("c(0.25) of a quarter period, zero up to h/2, 1/s", C[0], 0.1 * w * h, 0.1 * w * h + 1e-4);
    case_below("other components of F and C", across, 1e-12, 1e-5);
    case_below("motion of the particle, m", x[0] - 9, 1e-12, 1e-5);
    free(F);
    free(x);
    free(C);
    piola_engine.destroy(sim);
    case_free(&c);
}

/* sum_p m v_x sin(k x0) of a bar, kg m/s */
static double mode(const mpm_case *c, pio_sim *sim, double left, double k)
{
    double *v = case_read(sim, "velocity", c->n), sum = 0;
    for (int64_t i = 0; i < c->n; i++)
        sum += c->density[i] * c->volume[i] * v[i * D] * sin(k * (c->position[i * D] - left));
    free(v);
    return sum;
}

/* Period of a bar between two walls that hold its ends, nu = 0, in its first mode u = a sin(pi x/L) sin(w t), w = pi
 * c/L, c^2 = E/rho; L = c = 1. */
static double bar_period(int cells)
{
    mpm_case c;
    const double dx = 1.0 / cells, left = 4 * dx, lo[3] = {left, 3 * dx, 3 * dx}, hi[3] = {left + 1, 5 * dx, 4 * dx};
    case_init(&c, cells + 9, 9, 8, dx, 0.2 * dx, 0);
    for (int side = 0; side < 2; side++) {
        case_wall(&c, 0, side, PIO_WALL_SLIP, side ? 4 + cells : 4);
        case_wall(&c, 1, side, PIO_WALL_SLIP, side ? 5 : 3);
        case_wall(&c, 2, side, PIO_WALL_SLIP, side ? 4 : 3);
    }
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0, 0}, .density = 1000};
    case_block(&c, &b, lo, hi, 2, 0);
    for (int64_t i = 0; i < c.n; i++) c.velocity[i * D] = 1e-3 * sin(pi * (c.position[i * D] - left));
    pio_sim *sim = start(&c);
    double crossing[4] = {0}, before = mode(&c, sim, left, pi);
    int found = 0;
    for (int64_t n = 1; found < 4 && n < 25 * cells; n++) { /* 20 cells steps would be two periods */
        advance(sim, 1);
        const double now = mode(&c, sim, left, pi);
        if ((before > 0) != (now > 0)) crossing[found++] = ((double)n - now / (now - before)) * c.desc.dt;
        before = now;
    }
    piola_engine.destroy(sim);
    case_free(&c);
    assert_int_equal(found, 4);
    return crossing[3] - crossing[1];
}

/* The period is 2 L/c, to second order in the spacing. A wall that held its ghosts at rest instead of mirroring them
 * would be at rest only dx/8 behind its face: the bar would be longer by dx/4, an error of first order. */
static void a_bar_between_walls_vibrates_at_its_frequency(void **unused)
{
    const double coarse = bar_period(32) / 2 - 1, fine = bar_period(64) / 2 - 1;
    (void)unused;
    print_message("  period too long by %.3f %% with 32 cells and %.3f %% with 64\n", 100 * coarse, 100 * fine);
    case_below("period against 2 L/c with 64 cells, relative", fine, 5e-4, 1.5e-3);
    case_below("period against 2 L/c with 32 cells, relative", coarse, 2e-3, 2e-3);
    if (!case_is_f32()) case_below("order of the error less 2", log2(coarse / fine) - 2, 0.1, 0);
}

/* ---- benchmarks ------------------------------------------------------------------------------------------ */

/* A column of water under its own weight: p = rho g (H - Y) at rest place Y, as the weight above a row does not change.
 * It starts without pressure and oscillates with period 4 H/c = 0.28 s; the mean over seven periods with a Hann window
 * leaves less than 1e-3 of that. A row is one cell high; none is left out. */
static void a_column_carries_its_own_weight(void **unused)
{
    enum { CELLS = D == 2 ? 64 : 32, WIDTH = D == 2 ? 4 : 2 };
    mpm_case c;
    const double dx = 1.0 / CELLS, floor_at = 3 * dx, g = 9.81, rho = 1000, h = D == 2 ? 1.5e-4 : 3e-4;
    const double lo[3] = {3 * dx, floor_at, 3 * dx}, hi[3] = {(3 + WIDTH) * dx, floor_at + 1, (3 + WIDTH) * dx};
    (void)unused;
    case_init(&c, WIDTH + 7, CELLS + 7, WIDTH + 7, dx, h, 0);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++)
            case_wall(&c, a, side, PIO_WALL_SLIP, side ? 3 + (a == 1 ? CELLS + 2 : WIDTH) : 3);
    case_body b = {.law = PIO_TAIT, .parameters = {2e5, 7, 200}, .density = rho};
    c.desc.gravity[1] = -g;
    case_block(&c, &b, lo, hi, 2, 0);
    pio_sim *sim = start(&c);
    double row[CELLS] = {0}, total[CELLS] = {0}, worst = 0;
    const int first = (int)(0.5 / h), last = (int)(2.5 / h), every = 20;
    for (int n = 0; n < last; n += every) {
        advance(sim, every);
        if (n < first) continue;
        const double weight = 1 - cos(2 * pi * (n - first) / (last - first));
        double *p = case_read(sim, "pressure", c.n);
        for (int64_t i = 0; i < c.n; i++) {
            const int r = (int)((c.position[i * D + 1] - floor_at) / dx);
            row[r] += weight * p[i];
            total[r] += weight;
        }
        free(p);
    }
    for (int r = 0; r < CELLS; r++) {
        row[r] = row[r] / total[r] / (rho * g * (1 - (r + 0.5) * dx)) - 1;
        worst = fmax(worst, fabs(row[r]));
        if (r < 3 || r > CELLS - 4) print_message("  row %2d of %d: %9.5f\n", r, CELLS, row[r]);
    }
    case_below("pressure of the row at the wall against rho g (H - y), relative", row[0], 0.01, 0.01);
    case_below("the same, worst of all rows", worst, 0.03, 0.03);
    piola_engine.destroy(sim);
    case_free(&c);
}

static double kinetic_energy(const mpm_case *c, pio_sim *sim)
{
    double *v = case_read(sim, "velocity", c->n), sum = 0;
    for (int64_t i = 0; i < c->n * D; i++) sum += 0.5 * c->density[i / D] * c->volume[i / D] * v[i] * v[i];
    free(v);
    return sum;
}

/* One vortex of the Taylor-Green array, u = U (sin kx cos ky, -cos kx sin ky), k = pi/L, in a box of slip walls: an
 * exact solution of the Navier-Stokes equations whose kinetic energy falls as exp(-4 nu k^2 t). U is 1 % of the speed
 * of sound; a stiffer fluid would decay faster than its viscosity says (3 % with c = 5 m/s, 12 % with 10 m/s: four
 * particles in a cell each resist a change of volume, more than the grid can satisfy). The first 0.1 s are left out:
 * particles start with C = 0, which costs energy once. 3D: a slab with fewer cells. */
static void a_taylor_green_vortex_decays_with_its_viscosity(void **unused)
{
    enum { CELLS = D == 2 ? 64 : 32 };
    mpm_case c;
    const double dx = 1.0 / CELLS, nu = 0.05, rho = 1, U = 0.02, sound = 2, k = pi, at = 3 * dx;
    const double lo[3] = {at, at, at}, hi[3] = {at + 1, at + 1, at + dx};
    (void)unused;
    case_init(&c, CELLS + 7, CELLS + 7, 8, dx, D == 2 ? 5e-4 : 1e-3, 0);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++) case_wall(&c, a, side, PIO_WALL_SLIP, side ? 3 + (a == 2 ? 1 : CELLS) : 3);
    case_body b = {.law = PIO_LINEAR_FLUID, .parameters = {rho * sound * sound, 1, rho * nu}, .density = rho};
    case_block(&c, &b, lo, hi, 2, 0);
    for (int64_t i = 0; i < c.n; i++) {
        const double x = c.position[i * D] - at, y = c.position[i * D + 1] - at;
        c.velocity[i * D] = U * sin(k * x) * cos(k * y);
        c.velocity[i * D + 1] = -U * cos(k * x) * sin(k * y);
    }
    pio_sim *sim = start(&c);
    const double t1 = 0.1, t2 = 0.5;
    advance(sim, (int64_t)(t1 / c.desc.dt + 0.5));
    const double e1 = kinetic_energy(&c, sim);
    advance(sim, (int64_t)((t2 - t1) / c.desc.dt + 0.5));
    const double e2 = kinetic_energy(&c, sim), measured = log(e1 / e2) / (4 * k * k * (t2 - t1));
    print_message("  %d cells: effective viscosity %.5f of %.5f m2/s; energy %.3g to %.3g J\n", CELLS, measured, nu, e1,
                  e2);
    case_below("effective viscosity, relative error", measured / nu - 1, 0.02, 0.02);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void volumes_stay_positive_in_a_crash(void **unused)
{
    mpm_case c;
    const double lo[3] = {0.4, 0.35, 0.4}, hi[3] = {0.9, 0.85, 0.6};
    (void)unused;
    case_init(&c, 14, 14, 11, 0.1, 5e-4, 0);
    for (int a = 0; a < D; a++)
        for (int side = 0; side < 2; side++)
            case_wall(&c, a, side, PIO_WALL_SEPARATE, side ? c.desc.grid.nodes[a] - 3 : 2);
    case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3, 0}, .density = 1000, .velocity = {1, -6, 0}};
    case_block(&c, &b, lo, hi, 2, 0.2);
    pio_sim *sim = start(&c);
    double least = 1, most = 1;
    for (int k = 0; k < 60; k++) {
        advance(sim, 10);
        double *J = case_read(sim, "J", c.n);
        for (int64_t i = 0; i < c.n; i++) {
            least = fmin(least, J[i]);
            most = fmax(most, J[i]);
        }
        free(J);
    }
    print_message("  det F between %.3f and %.3f\n", least, most);
    assert_true(least > 0);
    assert_true(least < 0.6); /* it was a crash */
    piola_engine.destroy(sim);
    case_free(&c);
}

/* ---- places between steps --------------------------------------------------------------------------------- */

/* Two bodies meet; the points of a distance are where particles of one were between two states of a run before. The
 * storage is sorted anew in every step. */
static void places_between_steps_are_at_no_distance_from_themselves(void **unused)
{
    enum { STEPS = 60 };
    static const double past[] = {0.5, 0.25, 1e-3, 0};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static mpm_case c;
        case_init(&c, 26, 14, 9, 0.1, 2e-3, STEPS);
        case_body left = {
            .law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e4, 0.3, 0}, .density = 1000, .velocity = {4, 1, 0.5}};
        case_body right = {.law = PIO_TAIT, .parameters = {1e4, 7, 0}, .density = 1000, .velocity = {-4, -1, -0.5}};
        case_block(&c, &left, (double[3]){0.6, 0.4, 0.3}, (double[3]){1, 0.8, 0.5}, 2, 0.3);
        case_block(&c, &right, (double[3]){1.2, 0.4, 0.3}, (double[3]){1.6, 0.8, 0.5}, 2, 0.3);
        const int near = case_observe_distance(&c, 0, 1, 0);
        pio_observation_desc *d = &c.observation[near];
        double *points = calloc((size_t)(d->rows * D), sizeof *points), sample = -1;
        assert_non_null(points);
        case_sample(&c, near, STEPS, 0, 1)->past = past[k];
        pio_sim *sim = start(&c);
        advance(sim, STEPS - 1);
        for (int end = 0; end < 2; end++) {
            double *x = case_read(sim, "position", c.n);
            for (int64_t i = 0; i < c.n; i++)
                for (int a = 0; a < D && d->marker[i] >= 0; a++)
                    points[d->marker[i] * D + a] += (end ? 1 - past[k] : past[k]) * x[i * D + a];
            free(x);
            if (!end) advance(sim, 1);
        }
        piola_engine.destroy(sim);
        d->points = points;
        sim = start(&c);
        advance(sim, STEPS);
        piola_error error;
        if (piola_engine.samples(sim, &sample, &error)) fail_msg("%s", error.message);
        print_message("  past %g: ", past[k]);
        case_below("root of the mean square of distances, m (a step: 8e-3)", sqrt(sample), 1e-15, 1e-15);
        piola_engine.destroy(sim);
        case_free(&c);
        free(points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_momentum_do_not_change_in_ten_thousand_steps),
        cmocka_unit_test(a_spinning_disc_keeps_its_angular_momentum),
        cmocka_unit_test(a_projectile_flies_the_exact_sum_of_symplectic_euler),
        cmocka_unit_test(a_single_particle_is_the_oscillating_bar),
        cmocka_unit_test(a_bar_between_walls_vibrates_at_its_frequency),
        cmocka_unit_test(a_column_carries_its_own_weight),
        cmocka_unit_test(a_taylor_green_vortex_decays_with_its_viscosity),
        cmocka_unit_test(volumes_stay_positive_in_a_crash),
        cmocka_unit_test(places_between_steps_are_at_no_distance_from_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
