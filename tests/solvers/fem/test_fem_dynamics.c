/* test_fem_dynamics.c -- do meshes move in time as their integrators say, and is the adjoint of that motion its
 * derivative?
 *
 * A mass on a spring obeys the recurrence that an integrator's factor z is a root of (W = omega h), to rounding; free
 * flight and a bar's wave are known; Taylor remainders for every integrator, mass, damping and what a motion starts
 * from. */
#include "tests/solvers/fem/fem_motion.h"
#include "tests/solvers/fem/fem_taylor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };

static const char *const names[] = {"static", "backward Euler", "BDF2", "Newmark", "leapfrog"};
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

/* ---- one degree of freedom ------------------------------------------------------------------------------- */

/* An element of unit edge, one side clamped along x, everything constrained across: both masses at x = 1 move together.
 * With lumped masses rho/2 each side and stiffness E (nu = 0): omega^2 = 2 E/rho. */
static void oscillator(fem_case *c, pio_integrator integrator, double W, int64_t steps)
{
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {2, 0}, .density = 4};
    fem_case_begin(c, W, steps);     /* omega = 1 */
    c->fem.newton_tolerance = 1e-12; /* one unknown: each linear solve is exact */
    fem_case_grid(c, (fem_grid){box, box, {1, 1, 1}, NULL, 0});
    fem_case_matter(c, &m, 1, 1);
    const int zero = fem_case_support(c, 0, -1);
    for (int i = 0; i < c->n; i++)
        for (int a = 0; a < D; a++)
            if (a > 0 || fem_case_on_side(c, i, 0, 0)) fem_case_hold(c, i, a, zero);
    fem_case_motion(c, integrator, 1, 0, 0);
    for (int i = 0; i < c->n; i++)
        if (fem_case_on_side(c, i, 0, 1)) c->initial_velocity[i * D] = 1, c->initial_displacement[i * D] = 0.3;
}

/* Displacements u_0 .. u_steps of the mass. */
static void run_oscillator(pio_integrator integrator, double W, int steps, double *u)
{
    static fem_case c;
    piola_error error;
    oscillator(&c, integrator, W, steps);
    const int node = fem_case_at(&c, 1, 0, 0);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    for (int n = 0; n <= steps; n++) {
        double *field = fem_case_read(sim, "displacement");
        u[n] = field[node * D];
        free(field);
        if (n < steps && piola_engine_fem.advance(sim, 1, &error)) fail_msg("step %d: %s", n, error.message);
    }
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* The recurrence sum_k p_k u_(n+k) = 0 whose polynomial has the integrator's factor z and its conjugate as roots. */
static int polynomial(pio_integrator integrator, double W, double p[5])
{
    const double W2 = W * W;
    switch (integrator) {
    case PIO_BACKWARD_EULER: /* z = 1/(1 - iW) */
        memcpy(p, (double[3]){1, -2, 1 + W2}, 3 * sizeof *p);
        return 2;
    case PIO_NEWMARK: /* |z| = 1, phase 2 atan(W/2) */
        memcpy(p, (double[3]){1, -2 * cos(2 * atan(W / 2)), 1}, 3 * sizeof *p);
        return 2;
    case PIO_LEAPFROG: /* |z| = 1, phase acos(1 - W^2/2) */
        memcpy(p, (double[3]){1, -2 * (1 - W2 / 2), 1}, 3 * sizeof *p);
        return 2;
    default: /* |(3/2 - iW) z^2 - 2 z + 1/2|^2 */
        memcpy(p, (double[5]){0.25, -2, 5.5, -6, 2.25 + W2}, 5 * sizeof *p);
        return 4;
    }
}

static double recurrence(pio_integrator integrator, double W, const double *u, int steps)
{
    double p[5], worst = 0, largest = 0;
    const int order = polynomial(integrator, W, p), first = integrator == PIO_BDF2 ? 1 : 0; /* BDF2 begins as Euler */
    for (int n = first; n + order <= steps; n++) {
        double sum = 0;
        for (int k = 0; k <= order; k++) sum += p[k] * u[n + k];
        worst = fmax(worst, fabs(sum));
        largest = fmax(largest, fabs(u[n]));
    }
    return worst / largest;
}

static void every_integrator_has_the_factor_of_its_formula(void **unused)
{
    enum { COUNT = 40 };
    static const double W[] = {0.05, 0.4, 1.7};
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++)
        for (int k = 0; k < 3; k++) {
            double u[COUNT + 1];
            char what[80];
            run_oscillator(i, W[k], COUNT, u);
            snprintf(what, sizeof what, "%s, W = %g: misses its recurrence by", names[i], W[k]);
            fem_case_below(what, recurrence(i, W[k], u, COUNT), 1e-12, 1);
            assert_true(recurrence(i, W[k] * (1 + 1e-5), u, COUNT) > 1e-9); /* another frequency is noticed */
        }
}

/* ---- free flight ----------------------------------------------------------------------------------------- */

/* Nothing holds the body: u = n h v + g h^2 n (n + 1)/2 for backward Euler, exact for Newmark and the leapfrog; BDF2
 * differs from it by its first step alone. */
static double flown(pio_integrator integrator, int n, double h, double v, double g)
{
    if (integrator == PIO_NEWMARK || integrator == PIO_LEAPFROG) return n * h * v + g * n * n * h * h / 2;
    if (integrator != PIO_BDF2) return n * h * v + g * h * h * n * (n + 1) / 2;
    double u[2] = {0, h * (v + h * g)}, w[2] = {v, v + h * g};
    for (int k = 1; k < n; k++) {
        const double next = (4 * w[1] - w[0] + 2 * h * g) / 3, place = (4 * u[1] - u[0] + 2 * h * next) / 3;
        w[0] = w[1], w[1] = next;
        u[0] = u[1], u[1] = place;
    }
    return n ? u[1] : 0;
}

static void a_free_body_falls_as_a_point_does(void **unused)
{
    enum { COUNT = 25 };
    const double h = 0.02;
    const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, 1e4);
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++)
        for (int lumped = 0; lumped < 2; lumped++) {
            static fem_case c;
            piola_error error;
            char what[80];
            double worst = 0;
            fem_case_begin(&c, h, COUNT);
            fem_case_grid(&c, (fem_grid){box, box, {2, 2, 2}, NULL, 0.2});
            fem_case_matter(&c, &m, 1, 0.7);
            c.desc.gravity[1] = -9.81;
            fem_case_motion(&c, i, lumped, 0, 1e-3);
            for (int n = 0; n < c.n; n++) c.initial_velocity[n * D] = 3, c.initial_velocity[n * D + 1] = 1;
            pio_sim *sim = fem_case_create(&c, 0, 1);
            if (piola_engine_fem.start(sim, NULL, &error) || piola_engine_fem.advance(sim, COUNT, &error))
                fail_msg("%s: %s", names[i], error.message);
            double *u = fem_case_read(sim, "displacement");
            for (int n = 0; n < c.n; n++)
                for (int a = 0; a < 2; a++)
                    worst = fmax(worst, fabs(u[n * D + a] - flown(i, COUNT, h, a ? 1 : 3, a ? -9.81 : 0)));
            snprintf(what, sizeof what, "%s, %s masses: place in free flight, m", names[i],
                     lumped ? "lumped" : "consistent");
            fem_case_below(what, worst, 1e-9, 1);
            free(u);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

/* ---- wave of a bar ---------------------------------------------------------------------------------------- */

/* u = sin(pi x) cos(pi t) of a bar E = rho = L = 1 constrained at both ends: u(1/2, 1/2) by steps of one element's
 * length. Linear elements raise the frequency by (pi dx)^2/24 (consistent) or lower it by as much (lumped); Newmark's
 * rule lowers it by (pi dt)^2/12; leapfrog raises it by (pi dt)^2/24 (Hughes 2000, section 9.1). */
static double wave_at_half(pio_integrator integrator, int lumped, int n)
{
    static fem_case c;
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1, 0}, .density = 1};
    const double dt = integrator == PIO_LEAPFROG ? 0.5 / n : 1.0 / n;
    const int steps = (int)lround(0.5 / dt);
    piola_error error;
    fem_case_begin(&c, dt, steps);
    fem_case_grid(&c, (fem_grid){box, box, {n, 1, 1}, NULL, 0});
    fem_case_matter(&c, &m, 1, 1);
    const int zero = fem_case_support(&c, 0, -1);
    for (int i = 0; i < c.n; i++)
        for (int a = 0; a < D; a++)
            if (a > 0 || fem_case_on_side(&c, i, 0, 0) || fem_case_on_side(&c, i, 0, 1)) fem_case_hold(&c, i, a, zero);
    fem_case_motion(&c, integrator, lumped, 0, 0);
    for (int i = 0; i < c.n; i++) c.initial_displacement[i * D] = sin(acos(-1) * c.rest[i * D]);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    if (piola_engine_fem.start(sim, NULL, &error) || piola_engine_fem.advance(sim, steps, &error))
        fail_msg("%s: %s", names[integrator], error.message);
    double *u = fem_case_read(sim, "displacement");
    const double value = u[fem_case_at(&c, n / 2, 0, 0) * D];
    free(u);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return value;
}

static void a_wave_in_a_bar_has_the_frequency_and_the_order_of_theory(void **unused)
{
    static const struct {
        pio_integrator integrator;
        int lumped;
        double shift; /* relative, over (pi dx)^2 */
    } list[] = {{PIO_NEWMARK, 0, 1.0 / 24 - 1.0 / 12},
                {PIO_NEWMARK, 1, -1.0 / 24 - 1.0 / 12},
                {PIO_LEAPFROG, 1, -1.0 / 24 + 1.0 / 96}}; /* dt is half of dx */
    const double pi = acos(-1);
    (void)unused;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double error[3];
        char what[100];
        for (int r = 0; r < 3; r++) error[r] = wave_at_half(list[k].integrator, list[k].lumped, 8 << r);
        const double expected = -sin(list[k].shift * pi * pi / (32 * 32) * pi / 2);
        snprintf(what, sizeof what, "%s, %s masses: 2 - rate", names[list[k].integrator],
                 list[k].lumped ? "lumped" : "consistent");
        fem_case_below(what, fmax(0, 2 - log2(fabs(error[1] / error[2]))), 0.05, 1);
        snprintf(what, sizeof what, "%s, %s masses: error over theory's, less 1", names[list[k].integrator],
                 list[k].lumped ? "lumped" : "consistent");
        fem_case_below(what, error[2] / expected - 1, 0.02, 1);
    }
}

static void a_step_beyond_the_stability_limit_is_refused_with_the_limit(void **unused)
{
    static fem_case c;
    piola_error error = {0};
    (void)unused;
    oscillator(&c, PIO_LEAPFROG, 2.001, 3); /* the limit is W = 2 */
    pio_sim *sim = fem_case_create(&c, 0, 1);
    assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_NUMERICAL);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "2/omega = 2 s"));
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    oscillator(&c, PIO_LEAPFROG, 1.999, 3);
    sim = fem_case_create(&c, 0, 1);
    assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

enum { STEPS = 5 };

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

/* Two laws in irregular elements, clamped at a side that moves, pulled, heavy, damped, and in motion from the start. */
static void moving(fem_case *c, pio_integrator integrator, int lumped, int laws, pio_element_type even,
                   pio_element_type odd)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(laws % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((laws + 4) % FEM_LAWS), 1500)};
    m[0].density = 3, m[1].density = 2;
    fem_case_begin(c, integrator == PIO_LEAPFROG ? 0.0008 : 0.02, STEPS);
    c->random = 11 + (uint64_t)laws;
    const double T = c->desc.dt * STEPS;
    const int wave = fem_case_curve(c, 3, (double[]){0, 0.3 * T, T}, (double[]){0.4, 1, -0.3});
    fem_case_grid(c, (fem_grid){even, odd, {2, 2, 1}, sheared, 0.15});
    fem_case_matter(c, m, 2, 0.9);
    const int moved = fem_case_support(c, 0.02, wave), steady = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, 0, 0, a, a == 1 ? moved : steady);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 5, -8, 2), wave);
    c->desc.gravity[1] = -9.81;
    fem_case_motion(c, integrator, lumped, 5, 0.001);
    for (int i = 0; i < c->n * D; i++) {
        c->initial_velocity[i] = 0.3 * fem_case_random(c);
        c->initial_displacement[i] = 0.005 * fem_case_random(c);
    }
}

/* The points of a distance are where the nodes were in a run before, or between two of its states. */
static void fill_points(fem_case *c, pio_sim *sim, const double past[], double *points, int rows, const int32_t *marker)
{
    piola_error error;
    for (int64_t s = 0; s <= STEPS; s++) {
        double *u = fem_case_read(sim, "displacement");
        for (int k = 1; k <= STEPS; k++) {
            const double weight = k == s ? 1 - past[k] : k == s + 1 ? past[k] : 0;
            for (int i = 0; i < c->n; i++)
                for (int a = 0; a < D && marker[i] >= 0; a++)
                    points[((k - 1) * rows + marker[i]) * D + a] += weight * (c->rest[i * D + a] + u[i * D + a]);
        }
        free(u);
        if (s < STEPS && piola_engine_fem.advance(sim, 1, &error)) fail_msg("step %d: %s", (int)s, error.message);
    }
}

static void places_between_steps_are_at_no_distance_from_themselves(void **unused)
{
    static const double past[STEPS + 1] = {0, 0.5, 0.3, 0, 0.75, 1e-3};
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        static fem_case c;
        static piola_error error;
        double sample[FEM_SAMPLES], worst = 0, way = 0;
        moving(&c, i, 0, 3, box, box);
        const int near = fem_case_observe(&c, PIO_DISTANCE, STEPS);
        pio_observation_desc *d = &c.observation[near];
        double *points = calloc((size_t)(STEPS * d->rows * D), sizeof *points);
        for (int k = 1; k <= STEPS; k++) fem_case_sample(&c, near, k, k - 1, 1)->past = past[k];
        pio_sim *sim = fem_case_create(&c, 0, 1);
        if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
        fill_points(&c, sim, past, points, d->rows, d->marker);
        piola_engine_fem.destroy(sim);
        d->points = points;
        for (int r = 0; r < d->rows * D; r++) way = fmax(way, fabs(points[(STEPS - 1) * d->rows * D + r] - points[r]));
        sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, sample);
        for (int k = 0; k < STEPS; k++) worst = fmax(worst, sqrt(sample[k]));
        print_message("  %s: ", names[i]);
        fem_case_below("root of the mean square of distances over the way", worst / way, 1e-12, 1);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
        free(points);
    }
}

/* ---- gradients ------------------------------------------------------------------------------------------- */

static void observe_motion(fem_case *c, int reactions)
{
    static const pio_observable type[] = {PIO_DISPLACEMENT, PIO_MEAN_VELOCITY, PIO_KINETIC_ENERGY,
                                          PIO_COMPLIANCE,   PIO_DISTANCE,      PIO_REACTION};
    fem_motion_observe(c, type, 5 + reactions);
}

static void adjoint_is_the_derivative_for_every_integrator(void **unused)
{
    static const pio_element_type cells[2][3][2] = {
        {{PIO_TRI3, PIO_QUAD4}, {PIO_QUAD9, PIO_TRI6}, {PIO_QUAD8, PIO_TRI6}},
        {{PIO_HEX8, PIO_HEX8}, {PIO_TET10, PIO_TET10}, {PIO_HEX20, PIO_HEX20}}};
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++)
        for (int lumped = i == PIO_LEAPFROG; lumped < 2; lumped++) {
            static taylor_run t;
            static fem_case c;
            char what[80];
            const int linear = !lumped || i == PIO_LEAPFROG;
            const pio_element_type *type = cells[D - 2][linear ? 0 : i == PIO_BDF2 ? 2 : 1];
            moving(&c, i, lumped, (int)i + 4 * lumped, type[0], type[1]);
            observe_motion(&c, i != PIO_LEAPFROG);
            fem_motion_design(&c);
            taylor_begin(&t, &c, 0.2);
            everything(&t);
            if (D == 2 || i == PIO_NEWMARK) design_by_design(&t);
            snprintf(what, sizeof what, "%s, %s masses", names[i], lumped ? "lumped" : "consistent");
            taylor_end(&t, what);
            fem_case_free(&c);
        }
}

/* One type of observation at a time. */
static void adjoint_is_the_derivative_for_every_observation_of_a_motion(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_BDF2; i <= PIO_LEAPFROG; i++)
        for (int kept = 0; kept < 5 + (i != PIO_LEAPFROG); kept++) {
            static taylor_run t;
            static fem_case c;
            char what[80];
            moving(&c, i, 0, 3, box, box);
            observe_motion(&c, i != PIO_LEAPFROG);
            fem_motion_design(&c);
            for (int o = 0, k = 0; o < c.desc.n_observations; o++)
                for (int s = 0; s < c.observation[o].samples * c.observation[o].components; s++, k++)
                    if (o != kept) c.linear[k] = c.square[k] = 0;
            taylor_begin(&t, &c, 0.2);
            everything(&t);
            snprintf(what, sizeof what, "%s, observation %d alone", names[i], kept);
            taylor_end(&t, what);
            fem_case_free(&c);
        }
}

static void a_wrong_gradient_of_a_motion_is_refused(void **unused)
{
    static taylor_run t;
    static fem_case c;
    (void)unused;
    moving(&c, PIO_NEWMARK, 0, 3, box, box);
    observe_motion(&c, 1);
    fem_motion_design(&c);
    taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    const int first = fem_case_design_first(&c, 1), count = fem_case_design_count(&c, 1);
    for (int i = 0; i < c.variables; i++) t.z_bar[i] *= 1.0001;
    assert_int_equal(gradient_direction(&t, "scaled by 1.0001", 0, c.variables), PIO_TAYLOR_FAILED);
    for (int i = 0; i < c.variables; i++) t.z_bar[i] /= 1.0001;
    const int one = steepest(&t, first, count); /* of a velocity */
    t.z_bar[one] *= -1;
    assert_int_equal(single_direction(&t, "one sign", one), PIO_TAYLOR_FAILED);
    piola_engine_fem.destroy(t.sim);
    fem_case_free(&c);
}

static void a_motion_has_the_same_bits_for_any_number_of_threads(void **unused)
{
    static const int threads[] = {1, 2, 3, 8};
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        uint64_t first = 0;
        for (int k = 0; k < 4; k++) {
            static fem_case c;
            static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
            moving(&c, i, 0, 1, box, box);
            observe_motion(&c, i != PIO_LEAPFROG);
            fem_motion_design(&c);
            pio_sim *sim = fem_case_create(&c, c.desc.steps, threads[k]);
            fem_case_gradient(&c, sim, NULL, z, z_bar);
            uint64_t hash = fem_case_hash(FEM_HASH_START, z_bar, sizeof *z_bar * (size_t)c.variables);
            fem_case_forward(&c, sim, z, NULL);
            hash ^= fem_case_hash_state(sim);
            print_message("  %s, %d threads: %016llx\n", names[i], threads[k], (unsigned long long)hash);
            if (k) assert_int_equal(hash, first);
            first = hash;
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
    }
}

/* States with a history, of which steps are run again. */
static void a_motion_has_the_same_gradient_bits_for_any_number_of_kept_states(void **unused)
{
    (void)unused;
    for (pio_integrator i = PIO_BACKWARD_EULER; i <= PIO_LEAPFROG; i++) {
        static fem_case c;
        static double z[FEM_VARIABLES], z_bar[FEM_VARIABLES];
        moving(&c, i, 0, 1, box, box);
        observe_motion(&c, i != PIO_LEAPFROG);
        fem_motion_design(&c);
        pio_sim *sim = fem_case_create(&c, STEPS, 1);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        const uint64_t all = fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof *z_bar * (size_t)c.variables);
        for (int slots = 1; slots <= STEPS; slots++)
            for (int sweeps = 1; sweeps <= 2; sweeps++) {
                pio_schedule s = pio_schedule_checkpoint(STEPS, slots, 0, sweeps);
                memset(z_bar, 0, sizeof z_bar);
                fem_case_gradient(&c, sim, &s, z, z_bar);
                const uint64_t hash =
                    fem_case_hash(fem_case_hash_gradients(sim), z_bar, sizeof *z_bar * (size_t)c.variables);
                print_message("  %s, %d states of %d kept, %d sweeps: %016llx\n", names[i], slots, STEPS, sweeps,
                              (unsigned long long)hash);
                assert_true(hash == all);
                pio_schedule_end(&s);
            }
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_has_the_factor_of_its_formula),
        cmocka_unit_test(a_free_body_falls_as_a_point_does),
        cmocka_unit_test(a_wave_in_a_bar_has_the_frequency_and_the_order_of_theory),
        cmocka_unit_test(a_step_beyond_the_stability_limit_is_refused_with_the_limit),
        cmocka_unit_test(places_between_steps_are_at_no_distance_from_themselves),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_integrator),
        cmocka_unit_test(adjoint_is_the_derivative_for_every_observation_of_a_motion),
        cmocka_unit_test(a_wrong_gradient_of_a_motion_is_refused),
        cmocka_unit_test(a_motion_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_motion_has_the_same_gradient_bits_for_any_number_of_kept_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
