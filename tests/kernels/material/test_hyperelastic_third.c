/* test_hyperelastic_third.c -- the hyperelastic laws of rings and sheets against those in space: energy, stress,
 * tangent and derivatives by the constants at any F33; the F33 of sheets, and what follows it, against the equation
 * that it solves and against differences. f64, 2D. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/material/hyperelastic_third.h"
#include "tests/kernels/material/hyper_in_space.h"
#include "tests/kernels/material/hyperelastic_samples.h"

/* A matrix of the plane and a number out of it, in space. */
static void in_space(mat F, double third, double out[3][3])
{
    for (int i = 0; i < 9; i++) out[i / 3][i % 3] = 0;
    for (int i = 0; i < 4; i++) out[i / 2][i % 2] = F.m[i / 2][i % 2];
    out[2][2] = third;
}

static double off(third_stress r, double want[3][3])
{
    double sum = fabs(r.P33 - want[2][2]);
    for (int i = 0; i < 4; i++) sum += fabs(r.P.m[i / 2][i % 2] - want[i / 2][i % 2]);
    return sum;
}

static double size_of(double P[3][3])
{
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += P[i / 3][i % 3] * P[i / 3][i % 3];
    return sqrt(sum);
}

/* P33, of the other laws F33 too, is that of a body in space with the same F33 and no shear out of the plane. */
static void laws_are_those_in_space(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double psi = 0, P = 0, dP = 0, k_bar = 0, wrong = 0;
        seed = 21;
        for (int i = 0; i < SAMPLES; i++) {
            double k[5], F[3][3], D[3][3], own[3][3], sigma[3][3], mises;
            hyper_change want;
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat f = argument_of(law, sample_state(i % STATES)), d = random_matrix(1);
            const double t = uniform(0.6, 1.7) - (law == PIO_HYPER_LINEAR), dt = uniform(-1, 1);
            const double scale = stiffness(law, k);
            in_space(f, t, F);
            in_space(d, dt, D);
            hyper_in_space(law, (const double(*)[3])F, k, own, sigma, &mises);
            hyper_in_space_along(law, (const double(*)[3])F, (const double(*)[3])D, k, &want);
            psi = worse(psi, fabs(hyper_third_psi(law, f, t, c) - want.psi) / (fabs(want.psi) + scale));
            P = worse(P, off(hyper_third_P(law, f, t, c), own) / (size_of(own) + scale));
            const third_stress r = hyper_third_dP(law, f, t, d, dt, c);
            dP = worse(dP, off(r, want.dP) / (size_of(want.dP) + scale));
            wrong = worse(wrong, fabs(r.P33 * 1e-9) / (size_of(want.dP) + scale));
            const third_stress bar = {d, dt};
            hyper_constants theta = constants_of((const double[5]){0}), by_k = theta;
            hyper_third_theta(law, f, t, bar, c, &theta);
            hyper_third_psi_theta(law, f, t, 1, c, &by_k);
            for (int n = 0; n < PIO_LAW_CONSTANTS; n++) {
                const double unit = hyper_own(law) == PIO_HYPER_OGDEN && n < 4 && n % 2 ? fabs(k[n - 1]) + 1 : 1;
                k_bar = worse(k_bar, fabs(theta.k[n] - want.theta[n]) / (fabs(want.theta[n]) + unit));
                k_bar = worse(k_bar, fabs(by_k.k[n] - want.by_k[n]) / (fabs(want.by_k[n]) + unit));
            }
        }
        report(law_names[law], "psi - that in space", psi, 2e-13);
        report(law_names[law], "P and P33 - those in space", P, 2e-13);
        report(law_names[law], "dP and dP33 - those in space", dP, 1e-12);
        report(law_names[law], "derivatives by the constants", k_bar, 1e-11);
        if (!(wrong > 1e-11)) fail_msg("P33 too large by 1e-9 passes: %.1e", wrong);
    }
    all_must_hold();
}

/* At F33 = 1 they are those of plane strain. */
static void without_a_third_stretch_they_are_those_of_plane_strain(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double psi = 0, P = 0, A = 0;
        seed = 22;
        for (int i = 0; i < SAMPLES; i++) {
            double k[5];
            real own[HYPER_NUMBERS][HYPER_NUMBERS], ring[THIRD_SIDE][THIRD_SIDE];
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat f = argument_of(law, sample_state(i % STATES));
            const double t = hyper_diagonal(law), scale = stiffness(law, k), s = norm(hyper_P(law, f, c)) + scale;
            const third_stress r = hyper_third_P(law, f, t, c);
            psi = worse(psi, fabs(hyper_third_psi(law, f, t, c) - hyper_psi(law, f, c)) / s);
            P = worse(P, (distance(r.P, hyper_P(law, f, c)) + fabs(r.P33 - hyper_P33(law, f, c))) / s);
            hyper_tangent(law, f, c, own);
            hyper_third_tangent(PIO_AXISYMMETRIC, law, f, t, c, ring);
            double most = 0, worst = 0;
            for (int n = 0; n < HYPER_NUMBERS * HYPER_NUMBERS; n++) {
                const int row = n / HYPER_NUMBERS, col = n % HYPER_NUMBERS;
                most = worse(most, fabs(own[row][col]));
                worst = worse(worst, fabs(own[row][col] - ring[row][col]));
            }
            A = worse(A, worst / most);
        }
        report(law_names[law], "psi - that of plane strain", psi, 2e-13);
        report(law_names[law], "P and P33 - those of plane strain", P, 2e-13);
        report(law_names[law], "tangent - that of plane strain", A, 1e-12);
    }
    all_must_hold();
}

static void the_tangent_is_the_product_with_every_direction(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double ring = 0, sheet = 0, across = 0;
        seed = 23;
        for (int i = 0; i < SAMPLES; i++) {
            double k[5];
            real A[THIRD_SIDE][THIRD_SIDE];
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat f = argument_of(law, sample_state(i % STATES)), d = random_matrix(1);
            for (int plane = PIO_PLANE_STRESS; plane <= PIO_AXISYMMETRIC; plane++) {
                const int free = plane == PIO_PLANE_STRESS, linear = law == PIO_HYPER_LINEAR;
                const double t = free ? hyper_third_free(law, f, c) : uniform(0.7, 1.4) - linear;
                if (!hyper_third_admits(law, f, t)) continue; /* St Venant's law, stretched far */
                const double dt = free ? hyper_third_along(law, f, t, d, c) : uniform(-1, 1);
                const third_stress r = hyper_third_dP(law, f, t, d, dt, c);
                double worst = 0, most = 0;
                hyper_third_tangent(plane, law, f, t, c, A);
                for (int row = 0; row < THIRD_SIDE; row++) {
                    double sum = free ? 0 : A[row][4] * dt;
                    for (int col = 0; col < 4; col++) sum += A[row][col] * d.m[col / 2][col % 2];
                    const double want = row < 4 ? r.P.m[row / 2][row % 2] : free ? 0 : r.P33;
                    worst = worse(worst, fabs(sum - want));
                    for (int col = 0; col < THIRD_SIDE; col++) most = worse(most, fabs(A[row][col]));
                }
                if (free && !linear) across = worse(across, fabs(r.P33) / most);
                *(free ? &sheet : &ring) = worse(free ? sheet : ring, worst / most);
            }
        }
        report(law_names[law], "tangent of a ring", ring, 1e-12);
        report(law_names[law], "tangent of a sheet", sheet, 1e-12);
        report(law_names[law], "change of P33 of a sheet", across, 1e-12);
    }
    all_must_hold();
}

/* P33 vanishes; its derivatives by F and by the constants, and those of P, are those of differences. */
static void sheets_have_no_stress_across(void **state)
{
    (void)state;
    for (int law = PIO_HYPER_ST_VENANT; law < LAW_NUMBERS; law = next_law(law)) {
        double P33 = 0, by_F = 0, by_k = 0, wrong = 0, seen = 0;
        seed = 24;
        for (int i = 0; i < SAMPLES; i++) {
            double k[5], dk[5], sum = 0;
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat f = sample_state(i % STATES), d = random_matrix(1);
            const double t = hyper_third_free(law, f, c);
            if (!hyper_third_admits(law, f, t)) continue;
            seen++;
            P33 = worse(P33, fabs(hyper_third_P(law, f, t, c).P33) / stiffness(law, k) * fmax(t, 1 / t));
            const double h = 1e-4;
            double t_h[4], t_k[4];
            for (int n = 0; n < 5; n++) dk[n] = k[n] * uniform(-1, 1);
            for (int n = 0; n < 4; n++) {
                static const double at[4] = {1, -1, 2, -2};
                double moved[5];
                for (int m = 0; m < 5; m++) moved[m] = k[m] + at[n] * h * dk[m];
                t_h[n] = hyper_third_free(law, mat_axpby(R(1), f, R(at[n] * h), d), c);
                t_k[n] = hyper_third_free(law, f, constants_of(moved));
            }
            const double slope = (8 * (t_h[0] - t_h[1]) - (t_h[2] - t_h[3])) / (12 * h);
            const double slope_k = (8 * (t_k[0] - t_k[1]) - (t_k[2] - t_k[3])) / (12 * h);
            mat F_bar = mat_diag(R(0));
            hyper_constants k_bar = constants_of((const double[5]){0});
            hyper_third_free_adj(law, f, t, 1, c, &F_bar, &k_bar);
            for (int n = 0; n < 5; n++) sum += k_bar.k[n] * dk[n];
            const double along = hyper_third_along(law, f, t, d, c);
            const int plain = i % STATES != LARGE && t > 0.5; /* St Venant's t has a vertical tangent at 0 */
            if (plain) by_F = worse(by_F, fabs(along - slope) / t);
            by_F = worse(by_F, fabs(along - mat_ddot(F_bar, d)) / (fabs(along) + t));
            if (plain) by_k = worse(by_k, fabs(sum - slope_k) / t);
            wrong = worse(wrong, 1e-6 * fmin(fabs(along), fabs(sum)) / t);
        }
        report(law_names[law], "P33 of a sheet", P33, 1e-12);
        report(law_names[law], "change of F33 with F", by_F, 3e-9);
        report(law_names[law], "change of F33 with the constants", by_k, 1e-9);
        if (!(wrong > 1e-8) || seen < SAMPLES / 2) fail_msg("vacuous: %.1e, %g samples", wrong, seen);
    }
    all_must_hold();
}

/* A sheet that is stretched alike in both directions by a, of the neo-Hookean law with lambda = 0: mu t - mu/t = 0, and
 * P = mu (a - 1/a); of Hencky's law ln t = -2 lambda ln a/(lambda + 2 mu). St Venant's law has no such t beyond
 * I = 3 + 2 mu/lambda. */
static void known_sheets(void **state)
{
    (void)state;
    const double k[5] = {3e4, 0, 0, 0, 0}, both[5] = {3e4, 5e4, 0, 0, 0};
    double worst = 0;
    for (double a = 0.5; a < 2.5; a += 0.125) {
        const mat f = diagonal((const double[3]){a, a, 0});
        const double t = hyper_third_free(PIO_HYPER_NEO_HOOKEAN, f, constants_of(k));
        worst = worse(worst, fabs(t - 1));
        worst = worse(worst,
                      fabs(hyper_third_P(PIO_HYPER_NEO_HOOKEAN, f, t, constants_of(k)).P.m[0][0] / k[0] - a + 1 / a));
        const double e = log(hyper_third_free(PIO_HYPER_HENCKY, f, constants_of(both)));
        worst = worse(worst, fabs(e + 2 * both[1] * log(a) / (both[1] + 2 * both[0])));
    }
    report("", "sheets of known F33", worst, 1e-14);
    const double edge = sqrt(1.5 + both[0] / both[1]);
    const double inside[3] = {0.99 * edge, 0.99 * edge, 0}, outside[3] = {1.01 * edge, 1.01 * edge, 0};
    assert_true(hyper_third_free(PIO_HYPER_ST_VENANT, diagonal(inside), constants_of(both)) > 0);
    assert_true(fabs(hyper_third_free(PIO_HYPER_ST_VENANT, diagonal(outside), constants_of(both))) <= 0);
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_are_those_in_space),
        cmocka_unit_test(without_a_third_stretch_they_are_those_of_plane_strain),
        cmocka_unit_test(the_tangent_is_the_product_with_every_direction),
        cmocka_unit_test(sheets_have_no_stress_across),
        cmocka_unit_test(known_sheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
