/* test_mpm_gradient.c -- is the engine's adjoint the derivative of its forward run?
 *
 * First by identities that hold exactly whatever the material, then by Taylor remainders (host/verify/taylor.h) in f64
 * for every kind of parameter, law, wall and observation; last, wrong gradients must be refused by the same check. */
#include "tests/solvers/engine/device_numbers.h"
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

/* Soft enough that waves of 5 m/s and motion of 1 m/s deform bodies visibly within a few steps. */
static const case_material materials[] = {
    {"neo-Hookean (E, nu)", PIO_HYPER_NEO_HOOKEAN, 0, {2e4, 0.3, 0}},
    {"neo-Hookean (mu, lambda)", PIO_HYPER_NEO_HOOKEAN, 1, {8e3, 1.2e4, 0}},
    {"fixed corotated (E, nu)", PIO_HYPER_FIXED_COROTATED, 0, {2e4, 0.25, 0}},
    {"fixed corotated (mu, lambda)", PIO_HYPER_FIXED_COROTATED, 1, {8e3, 9e3, 0}},
    {"linear fluid", PIO_LINEAR_FLUID, 0, {2e4, 1, 20}},
    {"Tait", PIO_TAIT, 0, {2e4, 7, 20}},
};
enum { MATERIALS = 6 };

/* ---- identities ------------------------------------------------------------------------------------------ */

/* A tumbling, jittered block in mid-air, with the mean position at the end for component `axis` of J. */
static void free_flight(mpm_case *c, const case_material *m, int64_t steps, int axis)
{
    case_init(c, 14, 14, 11, 0.1, 2e-3, steps);
    case_body b = case_body_of(m, 1000);
    const double v[3] = {0.6, -0.4, 0.3}, lo[3] = {0.5, 0.5, 0.4}, hi[3] = {0.8, 0.7, 0.6};
    memcpy(b.velocity, v, sizeof v);
    memcpy(b.centre, lo, sizeof lo);
    b.spin[0][1] = -1.5;
    b.spin[1][0] = 2;
    b.spin[0][0] = 0.7;
    case_block(c, &b, lo, hi, 2, 0.3);
    const int o = case_observe(c, PIO_MEAN_POSITION, 0, 1);
    case_sample(c, o, steps, 0, 1);
    memset(c->linear, 0, sizeof c->linear);
    memset(c->square, 0, sizeof c->square);
    c->linear[axis] = 1;
}

static void free_flight_gradients_are_T_and_one_whatever_the_material(void **unused)
{
    double worst_v = 0, worst_x = 0, worst_z = 0, worst_p = 0;
    (void)unused;
    for (int m = 0; m < MATERIALS; m++) {
        for (int axis = 0; axis < D; axis++) {
            mpm_case c;
            const int64_t steps = 60;
            double z[D] = {0}, z_bar[D];
            free_flight(&c, &materials[m], steps, axis);
            case_design(&c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 0, 1); /* z: added to every velocity, base being 0 */
            const double T = (double)steps * c.desc.dt;
            pio_sim *sim = case_create(&c, steps, 1);
            case_gradient(&c, sim, NULL, z, z_bar);
            double *gx = case_read(sim, "grad_position", c.n), *gv = case_read(sim, "grad_velocity", c.n);
            for (int a = 0; a < D; a++) {
                double sum_x = 0, sum_v = 0;
                for (int64_t i = 0; i < c.n; i++) {
                    sum_x += gx[i * D + a];
                    sum_v += gv[i * D + a];
                    worst_p = fmax(worst_p, fabs((double)c.n * gx[i * D + a] - (a == axis)));
                }
                worst_x = fmax(worst_x, fabs(sum_x - (a == axis)));
                worst_v = fmax(worst_v, fabs(sum_v / T - (a == axis)));
                worst_z = fmax(worst_z, fabs(z_bar[a] / T - (a == axis)));
            }
            free(gx);
            free(gv);
            piola_engine.destroy(sim);
            case_free(&c);
        }
    }
    case_below("|sum_p d x_com/d v_p / T - I|", worst_v, 1e-12, 1e-4);
    case_below("|d x_com/d v0 / T - I|, as a design", worst_z, 1e-12, 1e-4);
    case_below("|sum_p d x_com/d x_p - I|", worst_x, 1e-11, 1e-4);
    case_below("|n d x_com/d x_p - I| of a single particle", worst_p, 1e-11, 1e-3);
}

/* The identities above hold because forces cancel, not because there are none. */
static void the_material_acts_in_free_flight(void **unused)
{
    (void)unused;
    for (int m = 0; m < MATERIALS; m++) {
        mpm_case c;
        double largest = 0, z_bar[1];
        free_flight(&c, &materials[m], 60, 0);
        const int o = case_observe(&c, PIO_KINETIC_ENERGY, 0, 1);
        c.linear[D] = 1;
        case_sample(&c, o, 60, 0, 1);
        pio_sim *sim = case_create(&c, 60, 1);
        const double J = case_gradient(&c, sim, NULL, NULL, z_bar);
        double *gx = case_read(sim, "grad_position", c.n);
        for (int64_t i = 0; i < c.n * D; i++) largest = fmax(largest, fabs(gx[i]));
        print_message("  %s: kinetic energy changes by up to %.3g of itself per metre of one of %d particles\n",
                      materials[m].name, largest / J, (int)c.n);
        assert_true(largest > 1e-3 * J);
        free(gx);
        piola_engine.destroy(sim);
        case_free(&c);
    }
}

/* Symplectic Euler: x_N = x_0 + N h v + N (N + 1) h^2 g/2. */
static void gravity_gradient_of_a_projectile_is_N_N1_hh_2(void **unused)
{
    double worst = 0;
    (void)unused;
    for (int m = 0; m < MATERIALS; m++) {
        for (int axis = 0; axis < D; axis++) {
            mpm_case c;
            const int64_t N = 100;
            double z[D] = {0.5, -1}, z_bar[D], gravity_bar[3];
            free_flight(&c, &materials[m], N, axis);
            case_design(&c, PIO_GRAVITY, -1, CASE_SCALAR, 0, 0, 1);
            pio_sim *sim = case_create(&c, N, 1);
            case_gradient(&c, sim, NULL, z, z_bar);
            assert_int_equal(device_gravity_bar(sim, gravity_bar), 0);
            const double h = c.desc.dt, exact = (double)(N * (N + 1)) * h * h / 2;
            for (int a = 0; a < D; a++) {
                worst = fmax(worst, fabs(z_bar[a] / exact - (a == axis)));
                assert_true(fabs(gravity_bar[a] - z_bar[a]) <= 0);
            }
            piola_engine.destroy(sim);
            case_free(&c);
        }
    }
    case_below("|dx/dg / (N (N+1) h^2/2) - I|, N = 100", worst, 1e-13, 1e-4);
}

/* ---- Taylor ---------------------------------------------------------------------------------------------- */

/* The corner of mpm_taylor.h, with the material of that number and the third after it. */
static void corner(mpm_case *c, int number, int64_t steps, int upper, int kinds)
{
    const case_body bodies[2] = {case_body_of(&materials[number], 1000),
                                 case_body_of(&materials[(number + 3) % MATERIALS], 1300)};
    mpm_corner(c, number, bodies, steps, upper, kinds);
}

/* Every quantity, once per case; how it is grouped and whether it is logarithmic goes round with the case. */
static void design_everything(mpm_case *c, int number)
{
    static const case_per per[] = {CASE_SCALAR, CASE_GROUPS, CASE_EACH};
    mpm_design_motion(c);
    for (int body = 0; body < 2; body++) {
        const case_material *m = &materials[(number + 3 * body) % MATERIALS];
        const int turn = number + body, logarithmic = turn % 2;
        const double rho = body ? 1300 : 1000;
        for (int k = 0; k < 3; k++) {
            const double value = m->parameters[k];
            if (value <= 0 || (m->law == PIO_LINEAR_FLUID && k == 1))
                continue; /* solids have two, the linear law no gamma */
            const int log_k = (logarithmic + k) % 2 && !(k == 1 && m->law < PIO_LINEAR_FLUID && !m->parameter_form);
            case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + k), body, per[(turn + k) % 3], log_k,
                        log_k ? log(value) : value, log_k ? 0.3 : 0.3 * value);
        }
        case_design(c, PIO_DENSITY, body, per[(turn + 2) % 3], !logarithmic, logarithmic ? rho : log(rho),
                    logarithmic ? 0.3 * rho : 0.3);
    }
}

/* J of the same run without its walls: shows that they were touched. */
static double without_walls(mpm_case *c, const double *z)
{
    const pio_grid_desc kept = c->desc.grid;
    for (int a = 0; a < D; a++) {
        c->desc.grid.face[a][0] = -1;
        c->desc.grid.face[a][1] = c->desc.grid.nodes[a];
    }
    pio_sim *sim = case_create(c, 0, 1);
    const double J = case_forward(c, sim, z);
    piola_engine.destroy(sim);
    c->desc.grid = kept;
    return J;
}

static void adjoint_is_the_derivative_for_every_law_wall_parameter_and_observation(void **unused)
{
    static const char *const walls[] = {"sticky", "slip", "separate"};
    (void)unused;
    for (int number = 0; number < MATERIALS; number++) {
        static mpm_taylor t;
        static mpm_case c;
        char what[160];
        corner(&c, number, 40, number % 2, 3);
        mpm_observe_everything(&c, 0.35);
        design_everything(&c, number);
        mpm_taylor_begin(&t, &c, 0.3);
        snprintf(what, sizeof what, "%s and %s, %s walls %s and %s", materials[number].name,
                 materials[(number + 3) % MATERIALS].name, number % 2 ? "upper" : "lower", walls[number % 3],
                 walls[(number + 1) % 3]);
        const double free = without_walls(&c, t.z);
        assert_true(fabs(free - t.J0) > 1e-2 * fabs(t.J0));
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, what);
        case_free(&c);
    }
}

/* A separating wall is a kink where a node's velocity changes sign; in a hundred steps some node always lies within the
 * window of differences, so that the long run has sticky and slip walls only. */
static void adjoint_is_the_derivative_of_one_step_and_of_a_hundred(void **unused)
{
    static const int64_t lengths[] = {1, 100};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int number = 0; number < MATERIALS; number++) {
            static mpm_taylor t;
            static mpm_case c;
            static double h[CASE_VARIABLES];
            char what[96];
            corner(&c, number, lengths[i], 0, i == 0 ? 3 : 2);
            mpm_observe_everything(&c, 0.35);
            case_design(&c, PIO_VELOCITY, -1, CASE_EACH, 0, 0, 1);
            case_design(&c, PIO_POSITION, -1, CASE_EACH, 0, 0, 0.1);
            mpm_taylor_begin(&t, &c, 0.1);
            for (int k = 0; k < 3; k++) {
                mpm_taylor_random(&t, h, 0, c.variables);
                mpm_taylor_direction(&t, "random", h);
            }
            mpm_taylor_gradient(&t, h, 0, c.variables);
            mpm_taylor_direction(&t, "gradient", h);
            snprintf(what, sizeof what, "%d step%s, %s", (int)lengths[i], i ? "s" : "", materials[number].name);
            mpm_taylor_end(&t, what);
            case_free(&c);
        }
}

/* The same check, the same directions, but a gradient that is off by 1e-4, or has one sign wrong, or lacks one design.
 */
static void wrong_gradients_are_refused(void **unused)
{
    static mpm_taylor t;
    static mpm_case c;
    static double h[CASE_VARIABLES];
    (void)unused;
    corner(&c, 0, 40, 0, 3);
    mpm_observe_everything(&c, 0.35);
    design_everything(&c, 0);
    mpm_taylor_begin(&t, &c, 0.3);
    t.quiet = 1;
    const int first = case_design_first(&c, 3), n = c.variables; /* design 3: positions, each */
    for (int i = 0; i < n; i++) t.z_bar[i] *= 1.0001;
    mpm_taylor_gradient(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001, gradient", h), PIO_TAYLOR_FAILED);
    mpm_taylor_random(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001, random", h), PIO_TAYLOR_FAILED);
    mpm_taylor_single(h, first);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001, single", h), PIO_TAYLOR_FAILED);
    for (int i = 0; i < n; i++) t.z_bar[i] /= 1.0001;

    t.z_bar[first] *= -1;
    mpm_taylor_gradient(&t, h, 0, n);
    assert_int_equal(mpm_taylor_direction(&t, "one flipped sign, gradient", h), PIO_TAYLOR_FAILED);
    mpm_taylor_single(h, first);
    assert_int_equal(mpm_taylor_direction(&t, "one flipped sign, single", h), PIO_TAYLOR_FAILED);
    t.z_bar[first] *= -1;

    memset(t.z_bar + first, 0, sizeof *t.z_bar * (size_t)case_design_count(&c, 3));
    mpm_taylor_random(&t, h, first, case_design_count(&c, 3));
    assert_int_not_equal(mpm_taylor_direction(&t, "one design missing, random", h), PIO_TAYLOR_PASSED);
    assert_int_equal(t.passed, 0);
    print_message("  6 wrong gradients: %d refused, %d undecided, %d passed\n", t.failed, t.undecided, t.passed);
    piola_engine.destroy(t.sim);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest identities[] = {
        cmocka_unit_test(free_flight_gradients_are_T_and_one_whatever_the_material),
        cmocka_unit_test(the_material_acts_in_free_flight),
        cmocka_unit_test(gravity_gradient_of_a_projectile_is_N_N1_hh_2),
    };
    const struct CMUnitTest taylor[] = {
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law_wall_parameter_and_observation),
        cmocka_unit_test(adjoint_is_the_derivative_of_one_step_and_of_a_hundred),
        cmocka_unit_test(wrong_gradients_are_refused),
    };
    const int failed = cmocka_run_group_tests(identities, NULL, NULL);
    return case_is_f32() ? failed : failed + cmocka_run_group_tests(taylor, NULL, NULL);
}
