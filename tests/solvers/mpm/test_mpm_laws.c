/* test_mpm_laws.c -- do particles take every hyperelastic law: with the stress that meshes have, with derivatives by
 * every constant, with the time step and the ranges of its constants, and with typed refusals of all else? */
#include "tests/solvers/fem/fem_case.h"
#include "tests/solvers/mpm/mpm_taylor.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM, FIRST = PIO_HYPER_ST_VENANT, END = 2 * PIO_VOLUME_QUADRATIC };

/* The law without the choice of its volumetric energy. */
static int own_law(int law)
{
    return law & ~PIO_VOLUME_QUADRATIC;
}

static int is_own(int law)
{
    return own_law(law) == PIO_HYPER_MOONEY_RIVLIN || own_law(law) == PIO_HYPER_OGDEN;
}

static int constants_of(int law)
{
    return own_law(law) == PIO_HYPER_OGDEN ? 5 : own_law(law) == PIO_HYPER_MOONEY_RIVLIN ? 3 : 2;
}

/* `by_lame_parameters`: by mu and lambda, where the law has that form. */
static case_body body_of(int law, int by_lame_parameters)
{
    const fem_material m = fem_material_of((pio_hyper_law)law, 2e4);
    case_body b = {.law = law, .parameter_form = by_lame_parameters && !is_own(law), .density = 1000};
    memcpy(b.parameters, m.parameters, sizeof b.parameters);
    if (b.parameter_form) memcpy(b.parameters, (double[]){8e3, 9e3, 0, 0, 0}, sizeof b.parameters);
    return b;
}

/* ---- the stress of particles and of elements -------------------------------------------------------------- */

/* Kirchhoff's stress of the law at F by forces of a mesh: the forces on the side where X_J = 1 of the unit cube add up
 * to column J of P, as their shape functions add up to X_J; tau = P F^T. */
static void tau_of_mesh(const fem_material *m, const double *F, double *tau)
{
    static fem_case c;
    double P[D * D] = {0};
    fem_case_begin(&c, 1, 1);
    c.fem.newton_tolerance = 1e-13;
    fem_case_grid(&c, (fem_grid){fem_types[2 - (D == 3)], fem_types[2 - (D == 3)], {2, 2, 2}, NULL, 0});
    fem_case_matter(&c, m, 1, 1);
    for (int i = 0; i < c.n; i++) {
        int border = 0;
        for (int side = 0; side < 2 * D; side++) border |= fem_case_on_side(&c, i, side / 2, side % 2);
        for (int a = 0; a < D && border; a++) {
            double u = -c.rest[i * D + a];
            for (int k = 0; k < D; k++) u += F[a * D + k] * c.rest[i * D + k];
            fem_case_hold(&c, i, a, fem_case_support(&c, u, -1));
        }
    }
    pio_sim *sim = fem_case_solve(&c);
    double *force = fem_case_read(sim, "internal_force");
    for (int i = 0; i < c.n; i++)
        for (int J = 0; J < D; J++)
            for (int a = 0; a < D && fem_case_on_side(&c, i, J, 1); a++) P[a * D + J] += force[i * D + a];
    for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++) {
            tau[a * D + b] = 0;
            for (int J = 0; J < D; J++) tau[a * D + b] += P[a * D + J] * F[b * D + J];
        }
    free(force);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* The same of one particle alone, which keeps its affine motion but for its stress: C loses 4 h tau/(rho dx^2) in a
 * step, as sum_i w_i (x_i - x)(x_i - x)^T = dx^2/4 I (Jiang et al. 2015). F: after the first step. */
static void tau_of_particle(const case_body *like, double *F, double *tau)
{
    const double h = 2e-3, dx = 0.1, x[3] = {0.53, 0.46, 0.57};
    mpm_case c;
    case_body b = *like;
    piola_error error;
    case_init(&c, 12, 12, 12, dx, h, 2);
    const double rate[3][3] = {{90, 50, -30}, {-20, -60, 25}, {15, -45, 70}};
    memcpy(b.spin, rate, sizeof rate);
    memcpy(b.centre, x, sizeof x);
    case_particle(&c, &b, x, 1e-4);
    pio_sim *sim = case_create(&c, 0, 1);
    if (piola_engine.start(sim, NULL, &error) || piola_engine.advance(sim, 1, &error)) fail_msg("%s", error.message);
    double *first = case_read(sim, "C", 1), *deformed = case_read(sim, "F", 1);
    if (piola_engine.advance(sim, 1, &error) || piola_engine.check(sim, &error)) fail_msg("%s", error.message);
    double *second = case_read(sim, "C", 1);
    memcpy(F, deformed, sizeof(double) * D * D);
    for (int i = 0; i < D * D; i++) tau[i] = (first[i] - second[i]) * b.density * dx * dx / (4 * h);
    free(first);
    free(deformed);
    free(second);
    piola_engine.destroy(sim);
    case_free(&c);
}

static void a_particle_has_the_stress_of_an_element_at_the_same_deformation(void **unused)
{
    (void)unused;
    for (int law = FIRST; law < END; law = fem_next_law(law))
        for (int by_lame_parameters = 0; by_lame_parameters < 2 - is_own(law); by_lame_parameters++) {
            const case_body b = body_of(law, by_lame_parameters);
            fem_material m = {.law = (pio_hyper_law)law, .parameter_form = b.parameter_form, .density = b.density};
            double F[D * D], tau[D * D], wanted[D * D], other[D * D], worst = 0, largest = 0, apart = 0;
            const int differs = !is_own(law) || law != own_law(law); /* has one of the same constants beside it */
            char what[96];
            memcpy(m.parameters, b.parameters, sizeof m.parameters);
            tau_of_particle(&b, F, tau);
            tau_of_mesh(&m, F, wanted);
            m.law = law == PIO_HYPER_HENCKY ? PIO_HYPER_NEO_HOOKEAN : PIO_HYPER_HENCKY;
            if (law != own_law(law)) m.law = (pio_hyper_law)own_law(law);
            if (differs) tau_of_mesh(&m, F, other);
            for (int i = 0; i < D * D; i++) {
                worst = fmax(worst, fabs(tau[i] - wanted[i]));
                largest = fmax(largest, fabs(wanted[i]));
                if (differs) apart = fmax(apart, fabs(other[i] - wanted[i]));
            }
            snprintf(what, sizeof what, "tau of particle and mesh, %s%s", fem_law_names[law],
                     b.parameter_form ? ", mu, lambda" : "");
            case_below(what, worst / largest, 1e-11, 0);
            assert_true(!differs || apart > 1e-3 * largest); /* another law is seen */
        }
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* Two bodies meet in a corner: one of this law, one of the next, the latter by mu and lambda; every constant of both is
 * a design, as one number, in two groups or of each particle. */
static void collision(mpm_case *c, int law, int first_per)
{
    static const case_per per[] = {CASE_SCALAR, CASE_GROUPS, CASE_EACH};
    const int next = fem_next_law(law) < END ? fem_next_law(law) : FIRST;
    const case_body bodies[2] = {body_of(law, 0), body_of(next, 1)};
    mpm_corner(c, law, bodies, 40, law % 2, 3);
    mpm_observe_everything(c, 0);
    for (int body = 0; body < 2; body++)
        for (int k = 0; k < constants_of(body ? next : law); k++) {
            const double value = bodies[body].parameters[k];
            const int logarithmic = value > 1 && (law + k) % 2;
            case_design(c, (pio_quantity)((int)PIO_LAW_PARAMETER_0 + k), body, per[(first_per + k + body) % 3],
                        logarithmic, logarithmic ? log(value) : value, logarithmic ? 0.3 : 0.3 * fabs(value));
        }
    case_design(c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
    case_design(c, PIO_DENSITY, 0, CASE_SCALAR, 0, 1000, 300);
}

static void the_gradient_by_every_constant_of_every_law_is_the_derivative(void **unused)
{
    (void)unused;
    for (int law = FIRST; law < END; law = fem_next_law(law))
        for (int per = 0; per < 3; per++) {
            const int once = D == 3 || TEST_SANITIZED || law != own_law(law);
            if (once && per != law % 3) continue; /* each law once; the plane has them all */
            static mpm_taylor t;
            static mpm_case c;
            char what[96];
            collision(&c, law, per);
            mpm_taylor_begin(&t, &c, 0.2);
            mpm_taylor_all(&t);
            snprintf(what, sizeof what, "%s, grouping %d", fem_law_names[law], per);
            mpm_taylor_end(&t, what);
            case_free(&c);
        }
}

/* Ogden's law has five constants: a gradient by each is refused when it is off by 1e-4, or has the other's place. */
static void wrong_gradients_by_constants_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    collision(&c, PIO_HYPER_OGDEN, 0);
    mpm_taylor_begin(&t, &c, 0.2);
    t.quiet = 1;
    for (int k = 0; k < 5; k++) {
        const int at = case_design_first(&c, k), count = case_design_count(&c, k);
        for (int i = at; i < at + count; i++) t.z_bar[i] *= 1.0001;
        mpm_taylor_gradient(&t, h, at, count);
        assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
        for (int i = at; i < at + count; i++) t.z_bar[i] /= 1.0001;
    }
    const int first = case_design_first(&c, 0),
              last = case_design_first(&c, 3); /* mu1 and alpha2, of one number each */
    assert_int_equal(case_design_count(&c, 0) + case_design_count(&c, 3), 2);
    const double kept = t.z_bar[first];
    t.z_bar[first] = t.z_bar[last];
    t.z_bar[last] = kept;
    mpm_taylor_single(h, first);
    assert_int_equal(mpm_taylor_direction(&t, "exchanged", h), PIO_TAYLOR_FAILED);
    print_message("  6 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    assert_int_equal(t.passed, 0);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

/* ---- before the first step -------------------------------------------------------------------------------- */

static piola_status start(mpm_case *c, piola_error *error)
{
    pio_sim *sim = case_create(c, 0, 1);
    piola_status rc = piola_engine.start(sim, NULL, error);
    if (!rc) rc = piola_engine.check(sim, error);
    piola_engine.destroy(sim);
    return rc;
}

static void block(mpm_case *c, const case_body *b, double dt)
{
    const double lo[3] = {0.4, 0.4, 0.4}, hi[3] = {0.6, 0.6, 0.6};
    case_init(c, 12, 12, 12, 0.1, dt, 2);
    case_block(c, b, lo, hi, 2, 0.2);
}

/* lambda + 2 mu = kappa + 4/3 mu at small strains, Pa. */
static double wave_modulus(const case_body *b)
{
    const double *g = b->parameters;
    if (own_law(b->law) == PIO_HYPER_MOONEY_RIVLIN) return g[2] + 8.0 / 3 * (g[0] + g[1]);
    if (own_law(b->law) == PIO_HYPER_OGDEN) return g[4] + 2.0 / 3 * (g[0] * g[1] + g[2] * g[3]);
    if (b->parameter_form) return g[1] + 2 * g[0];
    return g[0] * (1 - g[1]) / ((1 + g[1]) * (1 - 2 * g[1]));
}

static void the_longest_time_step_is_that_of_small_strains_for_every_law(void **unused)
{
    (void)unused;
    for (int law = FIRST; law < END; law = fem_next_law(law))
        for (int by_lame_parameters = 0; by_lame_parameters < 2 - is_own(law); by_lame_parameters++) {
            const case_body b = body_of(law, by_lame_parameters);
            const double longest = 0.5 * 0.1 / sqrt(wave_modulus(&b) / b.density);
            double reported = 0;
            mpm_case c;
            piola_error error;
            block(&c, &b, longest * (1 - 1e-5));
            if (start(&c, &error)) fail_msg("%s: %s", fem_law_names[law], error.message);
            c.desc.dt = longest * (1 + 1e-5);
            assert_int_equal(start(&c, &error), PIOLA_NUMERICAL);
            assert_int_equal(error.failure.kind, PIOLA_FAILED_TIME_STEP);
            const char *at = strstr(error.message, "a time step of at most ");
            assert_non_null(at);
            sscanf(at, "a time step of at most %lf", &reported);
            print_message("  %s%s: at most %.6g s, as reported %.4g s\n", fem_law_names[law],
                          b.parameter_form ? ", mu, lambda" : "", longest, reported);
            assert_true(fabs(reported / longest - 1) < 1e-3);
            case_free(&c);
        }
}

static void constants_outside_the_range_of_their_law_are_refused(void **unused)
{
    static const struct {
        case_body b;
        const char *reported;
    } bad[] = {
        {{.law = PIO_HYPER_ST_VENANT, .parameters = {-1e4, 0.3}}, "(-10000, 0.3)"},
        {{.law = PIO_HYPER_ST_VENANT, .parameters = {1e4, 0.5}}, "(10000, 0.5)"},
        {{.law = PIO_HYPER_FIXED_COROTATED, .parameter_form = 1, .parameters = {1e4, -1e4}}, "(10000, -10000)"},
        {{.law = PIO_HYPER_NEO_HOOKEAN_ISO, .parameters = {1e4, 0.5}}, "(10000, 0.5)"},
        {{.law = PIO_HYPER_NEO_HOOKEAN_ISO, .parameter_form = 1, .parameters = {1e4, -7e3}}, "(10000, -7000)"},
        {{.law = PIO_HYPER_STABLE_NEO_HOOKEAN, .parameters = {0, 0.3}}, "(0, 0.3)"},
        {{.law = PIO_HYPER_MOONEY_RIVLIN, .parameters = {1e4, -1e4, 1e4}}, "(10000, -10000, 10000)"},
        {{.law = PIO_HYPER_MOONEY_RIVLIN, .parameters = {1e4, 0, -1e4}}, "(10000, 0, -10000)"},
        {{.law = PIO_HYPER_MOONEY_RIVLIN, .parameters = {1e4, (double)NAN, 1e4}}, "(10000, nan, 10000)"},
        {{.law = PIO_HYPER_OGDEN, .parameters = {1e4, -2, 0, 2, 1e4}}, "(10000, -2, 0, 2, 10000)"},
        {{.law = PIO_HYPER_OGDEN, .parameters = {1e4, 2, 0, 2, 0}}, "(10000, 2, 0, 2, 0)"},
        {{.law = PIO_HYPER_HENCKY, .parameters = {1e4, -1}}, "(10000, -1)"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        case_body b = bad[i].b;
        mpm_case c;
        piola_error error;
        b.density = 1000;
        block(&c, &b, 1e-3);
        assert_int_equal(start(&c, &error), PIOLA_NUMERICAL);
        print_message("  %s: %s\n", fem_law_names[b.law], error.message);
        assert_int_equal(error.failure.kind, PIOLA_FAILED_CONSTANTS);
        assert_non_null(strstr(error.message, bad[i].reported));
        case_free(&c);
    }
}

static void the_linear_law_and_laws_that_are_not_there_are_refused(void **unused)
{
    const int wrong[] = {PIO_HYPER_LINEAR, -1, PIO_LAWS, PIO_HYPER_HENCKY | PIO_VOLUME_QUADRATIC};
    const char *const reported[] = {"fixed corotated law would be right", "no law -1", "no law 11", "no law 24"};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const case_body b = body_of(PIO_HYPER_HENCKY, 0);
        mpm_case c;
        piola_error error;
        pio_sim *sim = NULL;
        pio_engine_bytes bytes;
        block(&c, &b, 1e-3);
        piola_engine.destroy(case_create(&c, 0, 1)); /* right as it is */
        c.law[3] = wrong[i];
        assert_int_equal(piola_engine.create(&c.desc, &sim, &bytes, &error), PIOLA_BAD_DATA);
        print_message("  %s\n", error.message);
        assert_null(sim);
        assert_non_null(strstr(error.message, "particle 3"));
        assert_non_null(strstr(error.message, reported[i]));
        case_free(&c);
    }
}

static void a_particle_turned_inside_out_is_a_typed_error_for_every_law(void **unused)
{
    (void)unused;
    for (int law = FIRST; law < END; law = fem_next_law(law)) {
        const double h = 1e-3, x[3] = {0.53, 0.46, 0.57};
        case_body b = body_of(law, 0);
        mpm_case c;
        piola_error error;
        case_init(&c, 12, 12, 12, 0.1, h, 2);
        b.spin[0][0] = -1.1 / h;
        memcpy(b.centre, x, sizeof x);
        case_particle(&c, &b, x, 1e-4);
        pio_sim *sim = case_create(&c, 0, 1);
        if (piola_engine.start(sim, NULL, &error) || piola_engine.advance(sim, 2, &error))
            fail_msg("%s", error.message);
        assert_int_equal(piola_engine.check(sim, &error), PIOLA_NUMERICAL);
        assert_int_equal(error.failure.kind, PIOLA_FAILED_INVERTED);
        assert_non_null(strstr(error.message, "det F = -0.1"));
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* As many constants of a particle are kept as one of the laws has. */
static void memory_is_taken_for_the_constants_of_the_laws_there_are(void **unused)
{
    (void)unused;
    for (int law = FIRST; law < END; law = fem_next_law(law)) {
        const case_body b = body_of(law, 0);
        mpm_case c;
        char last[32], next[32];
        block(&c, &b, 1e-3);
        pio_sim *sim = case_create(&c, 0, 1);
        snprintf(last, sizeof last, "parameter_%d", constants_of(law) - 1);
        snprintf(next, sizeof next, "grad_parameter_%d", constants_of(law));
        assert_int_equal(piola_engine.components(sim, last), 1);
        assert_int_equal(piola_engine.components(sim, next), 0);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_has_the_stress_of_an_element_at_the_same_deformation),
        cmocka_unit_test(the_gradient_by_every_constant_of_every_law_is_the_derivative),
        cmocka_unit_test(wrong_gradients_by_constants_are_refused),
        cmocka_unit_test(the_longest_time_step_is_that_of_small_strains_for_every_law),
        cmocka_unit_test(constants_outside_the_range_of_their_law_are_refused),
        cmocka_unit_test(the_linear_law_and_laws_that_are_not_there_are_refused),
        cmocka_unit_test(a_particle_turned_inside_out_is_a_typed_error_for_every_law),
        cmocka_unit_test(memory_is_taken_for_the_constants_of_the_laws_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
