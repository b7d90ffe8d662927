/* test_series.c -- the series of series.h against the mathematical library of the host, against principal directions
 * and against difference quotients, in both precisions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "kernels/material/plasticity_series.h"
#include "tests/kernels/material/hyperelastic_samples.h"

enum { NUMBERS_TRIED = 400000, MATRICES_TRIED = 50000 };

/* Units in the last place of `exact` that x is off; of a last place of 1 where `of_one`. */
static double units(real x, long double exact, int of_one)
{
    int e;
    frexpl(exact, &e);
    return (double)(fabsl((long double)x - exact) / ldexpl((long double)EPS, of_one ? 0 : e - 1));
}

/* e^x over all that is not limited, and closely about 0; sin and cos over their range. */
static void numbers_are_those_of_the_library(void **state)
{
    const double most = sizeof(real) == 4 ? 87 : 708;
    double of_exp = 0, of_sin = 0, of_cos = 0;
    (void)state;
    seed = 3;
    for (int i = 0; i < NUMBERS_TRIED; i++) {
        const real x = (real)(i % 2 ? uniform(-most, most) : uniform(-0.1, 0.1));
        const real angle = (real)uniform(-1.5707, 1.5707);
        of_exp = worse(of_exp, units(real_exp(x), expl((long double)x), 0));
        of_sin = worse(of_sin, units(real_sin(angle), sinl((long double)angle), 0));
        of_cos = worse(of_cos, units(real_cos(angle), cosl((long double)angle), 1));
    }
    report("series", "exp, in units in the last place", of_exp, 2);
    report("series", "sin, likewise", of_sin, 3);
    report("series", "cos, likewise of 1", of_cos, 2);
    report("series", "exp 0, off 1", fabs((double)real_exp(R(0)) - 1), 0);
    report("series", "exp beyond its limits, off them",
           fabs((double)(real_exp(R(1e4)) / real_exp(R(most)) + real_exp(R(-1e4)) / real_exp(R(-most))) - 2), 0);
    assert_true(isnan((double)real_exp((real)NAN)));
    all_must_hold();
}

static mat matrix_by_chance(double size, int symmetric)
{
    mat r;
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) r.m[i][j] = (real)uniform(-size, size);
    return symmetric ? mat_symmetric(r) : r;
}

static double largest_difference(mat a, mat b)
{
    double most = 0;
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) most = worse(most, fabs((double)(a.m[i][j] - b.m[i][j])));
    return most;
}

/* ln(F F^T)/2 by principal directions, with the logarithms of the library. */
static mat strain_by_directions(mat F)
{
    const mat_svd s = svd_of(F);
    mat e = mat_diag(R(0));
    for (int k = 0; k < DIM; k++) e.m[k][k] = (real)log((double)s.sigma.x[k]);
    return mat_mul_t(mat_mul(s.U, e), s.U);
}

static void strain_is_that_of_principal_directions(void **state)
{
    double most = 0, largest = 0;
    long within = 0;
    (void)state;
    seed = 4;
    for (int i = 0; i < MATRICES_TRIED; i++) {
        const mat F = mat_axpby(R(1), mat_diag(R(1)), R(1), matrix_by_chance(uniform(0, 0.3), 0));
        const hencky_series s = hencky_series_of(F);
        if (!hencky_in_reach(s)) continue;
        const mat e = hencky_series_strain(s);
        within++;
        most = worse(most, largest_difference(e, strain_by_directions(F)));
        largest = fmax(largest, (double)mat_ddot(e, e));
    }
    printf("%ld of %d within reach, the largest of norm %.3f\n", within, MATRICES_TRIED, sqrt(largest));
    report("series", "Hencky's strain, in roundings of 1", most / EPS, 10);
    assert_true(within > MATRICES_TRIED / 2 && within < MATRICES_TRIED && sqrt(largest) > 0.3);
    const hencky_series none = hencky_series_of(mat_diag((real)NAN)), far = hencky_series_of(mat_diag(R(2)));
    assert_false(hencky_in_reach(none) || hencky_in_reach(far));
    all_must_hold();
}

static mat exponential(mat x)
{
    const mat_powers p = powers_of(x);
    return polynomial_of(p, series_of(SERIES_EXP, p));
}

/* exp(x) exp(-x) = I and exp(x)^2 = exp(2 x), up to the largest x within reach. */
static void exponentials_multiply(void **state)
{
    double inverse = 0, square = 0, largest = 0;
    (void)state;
    seed = 5;
    for (int i = 0; i < MATRICES_TRIED; i++) {
        mat x = matrix_by_chance(1, 1);
        x = mat_scale((real)(uniform(0, 0.165) / sqrt((double)mat_ddot(x, x))), x);
        const mat once = exponential(x), twice = exponential(mat_scale(R(2), x));
        inverse = worse(inverse, largest_difference(mat_mul(once, exponential(mat_scale(R(-1), x))), mat_diag(R(1))));
        square = worse(square, largest_difference(mat_mul(once, once), twice));
        largest = fmax(largest, sqrt((double)mat_ddot(x, x)));
    }
    report("series", "exp(x) exp(-x), in roundings", inverse / EPS, 8);
    report("series", "exp(x)^2 - exp(2 x), in roundings", square / EPS, 8);
    report("series", "exp 0, off I", largest_difference(exponential(mat_diag(R(0))), mat_diag(R(1))), 0);
    assert_true(largest > 0.16);
    all_must_hold();
}

/* Both adjoints against difference quotients of fourth order. */
static void adjoints_are_those_of_the_series(void **state)
{
    const double step = sizeof(real) == 4 ? 3e-2 : 1e-3, bound = sizeof(real) == 4 ? 3e-4 : 1e-8;
    double strain = 0, power = 0;
    (void)state;
    seed = 6;
    for (int i = 0; i < 2000; i++) {
        const mat F = mat_axpby(R(1), mat_diag(R(1)), R(1), matrix_by_chance(0.1, 0)), dF = matrix_by_chance(1, 0);
        const mat x = matrix_by_chance(0.1, 1), dx = matrix_by_chance(1, 1), bar = matrix_by_chance(1, 1);
        const hencky_series s = hencky_series_of(F);
        const mat_powers p = powers_of(x);
        double of_strain = 0, of_power = 0;
        for (int k = -2; k <= 2; k++) {
            const real h = (real)(step * k), weight[] = {R(1), R(-8), R(0), R(8), R(-1)};
            const hencky_series t = hencky_series_of(mat_axpby(R(1), F, h, dF));
            of_strain += (double)(weight[k + 2] * mat_ddot(bar, hencky_series_strain(t))) / (12 * step);
            of_power += (double)(weight[k + 2] * mat_ddot(bar, exponential(mat_axpby(R(1), x, h, dx)))) / (12 * step);
        }
        strain = worse(strain, fabs((double)mat_ddot(hencky_series_adj(s, F, bar), dF) - of_strain));
        power = worse(power,
                      fabs((double)mat_ddot(series_adj(SERIES_EXP, p, series_of(SERIES_EXP, p), bar), dx) - of_power));
    }
    report("series", "adjoint of Hencky's strain", strain, bound);
    report("series", "adjoint of the exponential", power, bound);
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_library), cmocka_unit_test(strain_is_that_of_principal_directions),
        cmocka_unit_test(exponentials_multiply), cmocka_unit_test(adjoints_are_those_of_the_series)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
