/* test_mpm_front.c -- is the quantile of a front the place below which that fraction of the mass lies, with the
 * derivatives of that place?
 *
 * By the equation that defines it, evaluated here; by the closed form of a uniform block; by identities of its
 * derivatives; and by Taylor remainders. */
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
static const double dx = 0.1, sharp = 40; /* m; 4/dx, the default of scenes */

/* J = y, the front of body 0 along the last axis at the end; quantile 0: the smooth maximum. */
static void observe_front(mpm_case *c, double quantile)
{
    const int front = case_observe(c, PIO_FRONT, 0, 1);
    c->observation[front].axis = D - 1;
    c->observation[front].sharpness = sharp;
    c->observation[front].quantile = quantile;
    case_sample(c, front, c->desc.steps, 0, 1);
    memset(c->linear, 0, sizeof c->linear);
    memset(c->square, 0, sizeof c->square);
    c->linear[0] = 1;
}

/* ---- the place ------------------------------------------------------------------------------------------------- */

/* Returns the front of a block at rest, `per` particles to a cell and axis in a regular order, 21 cells long, from 3 dx
 * on. */
static double front_of_block(int per, double quantile)
{
    static mpm_case c;
    const double side = D == 2 ? 0.5 : 0.4, lo[3] = {0.3, 0.3, 0.3}, hi[3] = {side, D == 2 ? 2.4 : 0.4, 2.4};
    const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1e5, 0.3, 0}, .density = 1000};
    case_init(&c, 9, D == 2 ? 30 : 9, 30, dx, 1e-3, 0);
    case_block(&c, &b, lo, hi, per, 0);
    observe_front(&c, quantile);
    pio_sim *sim = case_create(&c, 0, 1);
    const double y = case_forward(&c, sim, NULL);
    piola_engine.destroy(sim);
    case_free(&c);
    return y;
}

/* Of a uniform density from 0 to L, with E = exp(-s y) and K = exp(s (1 - Q) L), (1 + E exp(s L))/(1 + E) = K. */
static double uniform_quantile(double L, double quantile)
{
    const double K = exp(sharp * (1 - quantile) * L);
    return log((exp(sharp * L) - K) / (K - 1)) / sharp;
}

static void the_quantile_of_a_uniform_block_is_where_its_closed_form_says(void **unused)
{
    static const double quantiles[] = {1e-3, 0.02, 0.5, 0.9, 0.99, 0.999, 1 - 1e-6};
    const double L = 2.1;
    double coarse = 0, fine = 0;
    (void)unused;
    for (int i = 0; i < 7; i++) {
        const double Q = quantiles[i], exact = uniform_quantile(L, Q), two = front_of_block(2, Q) - 0.3,
                     eight = front_of_block(8, Q) - 0.3;
        print_message("  quantile %-8g at %9.6f m, closed form %9.6f m, without smoothing %9.6f m\n", Q, eight, exact,
                      Q * L);
        coarse = fmax(coarse, fabs(two - exact) / dx);
        fine = fmax(fine, fabs(eight - exact) / dx);
    }
    /* far beyond its end, points h apart lie ln(sinh(s h/2)/(s h/2))/s before a uniform density */
    case_below("quantile of a block of 2 particles a cell against a uniform density's, in cells", coarse, 0.0405,
               0.0405);
    case_below("the same of 8 particles a cell and axis", fine, 2.7e-3, 2.7e-3);
    const double lag = (2.1 - (front_of_block(2, 0) - 0.3)) / dx, expected = log(sharp * L) / sharp / dx;
    print_message("  the smooth maximum lies %.3f cells behind the front, ln(s L)/(s dx) = %.3f\n", lag, expected);
    assert_true(fabs(lag / expected - 1) < 0.05 && lag > 1); /* the control: the other measure is another place */
}

/* ---- a body that moves and deforms ------------------------------------------------------------------------------ */

static void thrown(mpm_case *c, int64_t steps, double quantile)
{
    const case_body bodies[2] = {{.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3, 0}, .density = 1000},
                                 {.law = PIO_TAIT, .parameters = {2e4, 7, 20}, .density = 1300}};
    mpm_corner(c, 0, bodies, steps, 0, 2);
    observe_front(c, quantile);
}

/* Returns |sum m S(s (x - y)) - (1 - Q) M|/M of body 0 where it is now. */
static double left_over(const mpm_case *c, pio_sim *sim, double y, double quantile)
{
    double *x = case_read(sim, "position", c->n), *m = case_read(sim, "mass", c->n), beyond = 0, all = 0;
    for (int64_t i = 0; i < c->n; i++) {
        if (c->body[i] != 0) continue;
        beyond += m[i] / (1 + exp(-sharp * (x[i * D + D - 1] - y)));
        all += m[i];
    }
    free(x);
    free(m);
    return fabs(beyond / all - (1 - quantile));
}

static void the_place_solves_its_equation_and_another_one_does_not(void **unused)
{
    static const double quantiles[] = {0.01, 0.5, 0.9, 0.99, 1 - 1e-9};
    double worst = 0, control = 1;
    (void)unused;
    for (int i = 0; i < 5; i++) {
        static mpm_case c;
        thrown(&c, 40, quantiles[i]);
        pio_sim *sim = case_create(&c, 0, 1);
        const double y = case_forward(&c, sim, NULL), other = left_over(&c, sim, y + 1e-6 * dx, quantiles[i]);
        worst = fmax(worst, left_over(&c, sim, y, quantiles[i]));
        if (quantiles[i] < 0.999) control = fmin(control, other);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    case_below("mass beyond the place less what should be, of all", worst, 2e-14, 2e-14);
    print_message("  a millionth of a cell beside it: %.1e at least\n", control);
    assert_true(control > 1e-9);
}

/* All places moved by one: y too. All masses changed by a factor: y stays. */
static void its_derivatives_add_up_to_one_and_to_nothing(void **unused)
{
    static const double quantiles[] = {0.01, 0.5, 0.99};
    double worst_x = 0, worst_m = 0, largest = 0;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        static mpm_case c;
        static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
        thrown(&c, 0, quantiles[i]);
        for (int k = 0; k < 2; k++) case_design(&c, PIO_DENSITY, k, CASE_EACH, 1, log(k ? 1300 : 1000), 1);
        pio_sim *sim = case_create(&c, 1, 1);
        case_gradient(&c, sim, NULL, z, z_bar);
        double *gx = case_read(sim, "grad_position", c.n), along = 0, scaled = 0;
        for (int64_t p = 0; p < c.n; p++) along += gx[p * D + D - 1];
        for (int v = 0; v < c.variables; v++) { /* dy/dln(density) */
            scaled += z_bar[v];
            largest = fmax(largest, fabs(z_bar[v]));
        }
        worst_x = fmax(worst_x, fabs(along - 1));
        worst_m = fmax(worst_m, fabs(scaled));
        free(gx);
        piola_engine.destroy(sim);
        case_free(&c);
    }
    case_below("|sum of dy/dx - 1|", worst_x, 1e-13, 1e-5);
    case_below("|sum of dy/dln(mass)|, m", worst_m, 1e-13, 1e-7);
    print_message("  one mass alone: up to %.3g m\n", largest);
    assert_true(largest > 1e-4);
}

static void bits_are_those_of_one_thread(void **unused)
{
    static const int threads[] = {1, 3, 8};
    static double z[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    uint64_t first = 0;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        static mpm_case c;
        const double lo[3] = {0.5, 0.5, 0.4}, hi[3] = {1.7, 1.3, 1.1};
        const case_body b = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {2e4, 0.3, 0}, .density = 1000};
        case_init(&c, 24, 20, 18, dx, 1e-3, 2);
        case_block(&c, &b, lo, hi, D == 2 ? 8 : 3, 0.5);
        assert_true(c.n > 4096); /* fewer are run by one thread */
        observe_front(&c, 0.9);
        case_design(&c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 0, 1);
        pio_sim *sim = case_create(&c, 2, threads[i]);
        const double J = case_gradient(&c, sim, NULL, z, z_bar);
        const uint64_t h = case_hash(case_hash_gradients(sim, c.n), &J, sizeof J);
        print_message("  %d threads: %016llx\n", threads[i], (unsigned long long)h);
        if (i == 0) first = h;
        assert_true(h == first);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* ---- Taylor ---------------------------------------------------------------------------------------------------- */

static void design(mpm_case *c)
{
    mpm_design_motion(c);
    case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_EACH, 1, log(2e4), 0.3);
    case_design(c, PIO_DENSITY, 0, CASE_EACH, 0, 1000, 300);
}

static void the_adjoint_is_the_derivative_of_the_place(void **unused)
{
    /* in 3D, few particles lie beyond 0.99, and J rounds too much for directions that hardly move them */
    const double quantiles[] = {0.05, 0.5, D == 3 ? 0.9 : 0.99};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        static mpm_taylor t;
        static mpm_case c;
        char what[64];
        thrown(&c, 30, quantiles[i]);
        design(&c);
        mpm_taylor_begin(&t, &c, 0.3);
        mpm_taylor_all(&t);
        snprintf(what, sizeof what, "quantile %g", quantiles[i]);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

static void a_derivative_without_the_masses_share_is_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    thrown(&c, 30, 0.9);
    design(&c);
    mpm_taylor_begin(&t, &c, 0.3);
    t.quiet = 1;
    const int first = case_design_first(&c, 6), n = case_design_count(&c, 6); /* densities */
    mpm_taylor_random(&t, h, first, n);
    assert_int_equal(mpm_taylor_direction(&t, "as it is", h), PIO_TAYLOR_PASSED);
    for (int v = first; v < first + n; v++) t.z_bar[v] *= 1.001;
    assert_int_equal(mpm_taylor_direction(&t, "larger by a thousandth", h), PIO_TAYLOR_FAILED);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest places[] = {
        cmocka_unit_test(the_quantile_of_a_uniform_block_is_where_its_closed_form_says),
        cmocka_unit_test(the_place_solves_its_equation_and_another_one_does_not),
        cmocka_unit_test(its_derivatives_add_up_to_one_and_to_nothing),
        cmocka_unit_test(bits_are_those_of_one_thread),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(the_adjoint_is_the_derivative_of_the_place),
        cmocka_unit_test(a_derivative_without_the_masses_share_is_refused),
    };
    const int failed = cmocka_run_group_tests(places, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
