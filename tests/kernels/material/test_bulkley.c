/* test_bulkley.c -- Herschel and Bulkley's flow of a step against its equation, over all constants that scenes allow,
 * in both precisions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "kernels/material/plasticity.h"
#include "tests/kernels/material/hyperelastic_samples.h"

enum { STATES_TRIED = 200000 };

static double between(double low, double high) /* evenly in the logarithm */
{
    return exp(uniform(log(low), log(high)));
}

/* t + s = 1 with t = 3 mu d/f, s = (k/f) (d/h)^m: the rate is in both, and both are in [0, 1]. Relative to what
 * rounding leaves: a power of m of a logarithm of size L costs (1 + m L) units. */
static void flow_solves_its_equation(void **state)
{
    double worst = 0, wrong = 0;
    long elastic = 0, not_finite = 0, stiff = 0, thin = 0;
    (void)state;
    seed = 17;
    for (int i = 0; i < STATES_TRIED; i++) {
        const double mu = between(1e3, 1e11), over = between(1e-5, 10), m = between(0.05, 10);
        const double h = between(1e-8, 1e-2), yield = mu * between(1e-6, 0.1), k = yield * between(1e-4, 1e4);
        const plastic_matter matter = {(real)mu, (real)mu, {(real)yield, (real)k, (real)m}, (real)h};
        const bulkley_flow r = bulkley_solve((real)((1 + over) * yield / (sqrt(6) * mu)), &matter);
        if (!(r.f > 0)) {
            elastic++;
            continue;
        }
        const double t = (double)r.t, s = (double)r.s, f = (double)r.f, most = log(f / (3 * mu * h));
        if (!(t >= 0 && t <= 1 + 1e-6 && s >= 0 && s <= 1 + 1e-6) || !isfinite((double)r.log_rate)) {
            not_finite++;
            continue;
        }
        const double unit =
            (sizeof(real) == 4 ? 6e-8 : 1.1e-16) * (8 + (1 + m) * (fabs(most) + fabs(log(k)) + fabs(log(f))));
        const double viscous = exp(log(k) + m * (double)r.log_rate - log(f)), plastic = exp((double)r.log_rate - most);
        worst = worse(worst, fabs(plastic + viscous - 1) / unit);
        worst = worse(worst, fabs(plastic - t) / unit);
        worst = worse(worst, fabs(viscous - s) / unit);
        wrong = worse(wrong, fabs(plastic + viscous * exp(1e-2) - 1) / unit);
        stiff += m > 1 && s > 0.5;
        thin += m < 1 && s > 0.5;
    }
    printf("%d states: %ld flow against much viscosity with exponents above 1, %ld below\n", STATES_TRIED, stiff, thin);
    report("Herschel-Bulkley", "states above the limit that do not flow", (double)elastic, 0);
    report("Herschel-Bulkley", "flows that are not finite, or out of [0, 1]", (double)not_finite, 0);
    report("Herschel-Bulkley", "off its equation, in roundings", worst, 16);
    assert_true(wrong > 16 && stiff > STATES_TRIED / 20 && thin > STATES_TRIED / 20);
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flow_solves_its_equation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
