/* test_hyperelastic_stress.c -- what observations need of the hyperelastic laws: the energy's derivative by the
 * constants against dual numbers; the out-of-plane stress against the laws written out in three principal
 * stretches, and against the laws in three dimensions; Cauchy's stress against turned frames. f64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/material/hyperelastic_stress.h"
#include "tests/kernels/material/hyper_in_space.h"
#include "tests/kernels/material/hyperelastic_samples.h"
#include "tests/kernels/material/test_hyperelastic.h"

static void numbers_of(mat m, double *v)
{
    for (int i = 0; i < HYPER_NUMBERS; i++) v[i] = m.m[i / DIM][i % DIM];
}

static void energy_changes_with_every_constant_as_it_says(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double worst = 0, wrong = 0;
        seed = 11;
        for (int i = 0; i < SAMPLES; i++) {
            hyper_point x = {{0}, {0}};
            sample_constants(law, x.k);
            const mat F = sample_state(i % STATES);
            numbers_of(F, x.F);
            hyper_constants bar = constants_of((const double[5]){1, 2, 3, 4, 5}); /* added to, not overwritten */
            hyper_psi_theta(law, F, 2.5, constants_of(x.k), &bar);
            for (int p = 0; p < PIO_LAW_CONSTANTS; p++) {
                hyper_point d = {{0}, {0}};
                double psi, dpsi;
                d.k[p] = 1;
                hyper_dual(HYPER_PSI, law, 0, &x, &d, &psi, &dpsi);
                const double unit = hyper_own(law) == PIO_HYPER_OGDEN && p % 2 ? fmax(fabs(x.k[p - 1]), 1) : 1;
                const double size = fmax(fabs(2.5 * dpsi), 0.1 * unit);
                worst = worse(worst, fabs(bar.k[p] - (p + 1) - 2.5 * dpsi) / size);
                wrong = worse(wrong, fabs((bar.k[p] - (p + 1)) * (1 + 1e-6) - 2.5 * dpsi) / size);
            }
        }
        report(law_names[law], "dpsi/dk - that of the dual build", worst, 1e-12);
        if (!(wrong > 0.9e-6)) fail_msg("a derivative too large by 1e-6 passes: %.1e", wrong);
    }
    all_must_hold();
}

static void the_slope_of_the_quotient_is_right_near_zero_and_far_from_it(void **state)
{
    double worst = 0;
    (void)state;
    for (double x = -6; x <= 6; x += 1.0 / 64) {
        long double sum = 0, term = 0.5L; /* sum_n (n + 1) x^n/(n + 2)! */
        for (int n = 0; n < 80; n++) {
            sum += term;
            term *= (long double)x * (n + 2) / ((long double)(n + 1) * (n + 3));
        }
        worst = worse(worst, (double)fabsl((exp_quotient_slope(x) - sum) / sum));
    }
    report("", "(e^x (x - 1) + 1)/x^2 - its series", worst, 4e-15);
    all_must_hold();
}

#if PIO_DIM == 2
/* The laws as their authors write them, in three principal stretches; the linear law in stretches along the axes. */
static long double energy_of(int law, const double *k, const long double s[3])
{
    long double J = s[0] * s[1] * s[2], I1 = 0, I2 = 0, e1 = 0, e2 = 0, t1 = 0, t2 = 0, g1 = 0, g2 = 0, r2 = 0, w = 0;
    for (int i = 0; i < 3; i++) {
        const long double l = s[i], e = logl(l), g = (l * l - 1) / 2;
        I1 += l * l;
        I2 += J * J / (l * l);
        e1 += e, e2 += e * e;
        t1 += l - 1, t2 += (l - 1) * (l - 1);
        g1 += g, g2 += g * g;
        for (int p = 0; p < 2; p++)
            if (fabs(k[2 * p + 1]) > 0) w += k[2 * p] / k[2 * p + 1] * (powl(l / cbrtl(J), k[2 * p + 1]) - 1);
    }
    r2 = (J - 1) * (J - 1);
    const long double lnJ = logl(J), bulk = (J * J - 1 - 2 * lnJ) / 4;
    switch (law) {
    case PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN:
        return k[0] * ((I1 - 3) / 2 - lnJ) + k[1] / 2 * r2;
    case PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN_ISO:
        return k[0] / 2 * (I1 / cbrtl(J * J) - 3) + k[1] / 2 * r2;
    case PIO_VOLUME_QUADRATIC | PIO_HYPER_MOONEY_RIVLIN:
        return k[0] * (I1 / cbrtl(J * J) - 3) + k[1] * (I2 / cbrtl(J * J * J * J) - 3) + k[2] / 2 * r2;
    case PIO_VOLUME_QUADRATIC | PIO_HYPER_OGDEN:
        return w + k[4] / 2 * r2;
    case PIO_HYPER_LINEAR:
        return k[0] * t2 + k[1] / 2 * t1 * t1;
    case PIO_HYPER_ST_VENANT:
        return k[0] * g2 + k[1] / 2 * g1 * g1;
    case PIO_HYPER_FIXED_COROTATED:
        return k[0] * t2 + k[1] / 2 * r2;
    case PIO_HYPER_NEO_HOOKEAN:
        return k[0] * ((I1 - 3) / 2 - lnJ) + k[1] / 2 * lnJ * lnJ;
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return k[0] / 2 * (I1 / cbrtl(J * J) - 3) + k[1] * bulk;
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        return 2 * k[0] / 3 * (I1 - 3 - logl((I1 + 1) / 4)) - k[0] * (J - 1) + (k[1] + 5 * k[0] / 6) / 2 * r2;
    case PIO_HYPER_MOONEY_RIVLIN:
        return k[0] * (I1 / cbrtl(J * J) - 3) + k[1] * (I2 / cbrtl(J * J * J * J) - 3) + k[2] * bulk;
    case PIO_HYPER_OGDEN:
        return w + k[4] * bulk;
    default:
        return k[0] * e2 + k[1] / 2 * e1 * e1;
    }
}

/* Central differences over h and 2 h: an error of order h^4. */
static double slope_by_third(int law, const double *k, const double s[2])
{
    const long double h = 1e-3L;
    long double d[2];
    for (int i = 0; i < 2; i++) {
        const long double up[3] = {s[0], s[1], 1 + (i + 1) * h}, down[3] = {s[0], s[1], 1 - (i + 1) * h};
        d[i] = (energy_of(law, k, up) - energy_of(law, k, down)) / (2 * (i + 1) * h);
    }
    return (double)((4 * d[0] - d[1]) / 3);
}

static void the_out_of_plane_stress_is_the_slope_by_the_third_stretch(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double worst = 0, wrong = 0;
        seed = 12;
        for (int i = 0; i < SAMPLES; i++) {
            const double s[2] = {uniform(0.6, 1.7), i % 5 ? uniform(0.6, 1.7) : 0};
            const double both[2] = {s[0], i % 5 ? s[1] : s[0]};
            double k[5];
            sample_constants(law, k);
            mat F = diagonal((const double[3]){both[0], both[1], 0});
            if (law != PIO_HYPER_LINEAR) F = mat_mul(random_rotation(), mat_mul_t(F, random_rotation()));
            const double P33 = hyper_P33(law, argument_of(law, F), constants_of(k)),
                         want = slope_by_third(law, k, both);
            const double size = fabs(want) + 0.1 * stiffness(law, k);
            worst = worse(worst, fabs(P33 - want) / size);
            wrong = worse(wrong, fabs(want) / size);
        }
        report(law_names[law], "P33 - dpsi/dF33 by differences", worst, 1e-9);
        assert_true(wrong > 0.1); /* not vacuous */
    }
    all_must_hold();
}

/* The laws in three dimensions at F33 = 1, or grad u with a third row and column of 0, are those of the plane. */
static void plane_strain_is_the_law_in_space_with_no_third_stretch(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double out = 0, in = 0, measure = 0, wrong = 0;
        seed = 14;
        for (int i = 0; i < SAMPLES; i++) {
            double k[5], G[3][3] = {{0}}, P[3][3], sigma[3][3], mises;
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat F = argument_of(law, sample_state(i % STATES));
            for (int n = 0; n < 4; n++) G[n / 2][n % 2] = F.m[n / 2][n % 2];
            G[2][2] = law == PIO_HYPER_LINEAR ? 0 : 1;
            hyper_in_space(law, (const double(*)[3])G, k, P, sigma, &mises);
            const hyper_cauchy_stress s = hyper_cauchy(law, 0, F, c);
            const double P33 = hyper_P33(law, F, c),
                         size = norm(hyper_P(law, F, c)) + fabs(P[2][2]) + stiffness(law, k);
            const double large = norm(s.s) + fabs(sigma[2][2]) + stiffness(law, k);
            out = worse(out, fabs(P33 - P[2][2]) / size + fabs(s.s33 - sigma[2][2]) / large);
            for (int n = 0; n < 4; n++) in = worse(in, fabs(s.s.m[n / 2][n % 2] - sigma[n / 2][n % 2]) / large);
            measure = worse(measure, fabs(sqrt(von_mises_square(law, 0, F, c)) - mises) / large);
            wrong = worse(wrong, fabs(sigma[2][2]) / large);
        }
        report(law_names[law], "P33 and sigma33 - those of the law in space", out, 2e-13);
        report(law_names[law], "sigma in the plane - that of the law in space", in, 2e-13);
        report(law_names[law], "von Mises' measure - that of the law in space", measure, 2e-13);
        assert_true(wrong > 0.05); /* not vacuous */
    }
    all_must_hold();
}
#endif

/* sigma(Q F) = Q sigma(F) Q^T, and what changes the volume alone has no von Mises stress in 3D. */
static void cauchys_stress_turns_with_the_frame(void **state)
{
    (void)state;
    for (int law = PIO_HYPER_ST_VENANT; law < LAW_NUMBERS; law = next_law(law)) {
        double turned = 0, measure = 0, none = 0;
        seed = 13;
        for (int i = 0; i < SAMPLES; i++) {
            double k[5];
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat F = sample_state(i % STATES), Q = random_rotation();
            const hyper_cauchy_stress a = hyper_cauchy(law, 0, F, c), b = hyper_cauchy(law, 0, mat_mul(Q, F), c);
            const double size = norm(a.s) + 0.1 * stiffness(law, k);
            turned = worse(turned, distance(b.s, mat_mul(Q, mat_mul_t(a.s, Q))) / size);
            measure = worse(
                measure,
                fabs(sqrt(von_mises_square(law, 0, F, c)) - sqrt(von_mises_square(law, 0, mat_mul(Q, F), c))) / size);
            if (DIM == 2) continue;
            const mat ball = mat_scale(R(uniform(0.7, 1.4)), Q);
            none = worse(none, sqrt(von_mises_square(law, 0, ball, c)) / (norm(hyper_P(law, ball, c)) + size));
        }
        report(law_names[law], "sigma(Q F) - Q sigma Q^T", turned, 1e-12);
        report(law_names[law], "von Mises' measure in the turned frame", measure, 1e-12);
        report(law_names[law], "von Mises' measure of a change of volume", none, 1e-12);
    }
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_changes_with_every_constant_as_it_says),
        cmocka_unit_test(the_slope_of_the_quotient_is_right_near_zero_and_far_from_it),
#if PIO_DIM == 2
        cmocka_unit_test(the_out_of_plane_stress_is_the_slope_by_the_third_stretch),
        cmocka_unit_test(plane_strain_is_the_law_in_space_with_no_third_stretch),
#endif
        cmocka_unit_test(cauchys_stress_turns_with_the_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
