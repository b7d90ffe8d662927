/* test_minpack.c -- Levenberg and Marquardt's method and cminpack's lmstr (More 1978) find the same minima. */
#include "tests/host/optimize/squares_bench.h"

#include "host/optimize/covariance.h"

#include <cminpack.h>

typedef struct {
    const char *name;
    residuals *of;
    size_t n, m;
    double start[4];
    /* Largest distance of the minima: rounding of J, eps |r|^2, leaves sqrt(eps) of z where J is not 0 there, and where
     * the problem is singular z is not determined so far. */
    double distance;
} example;

static const example examples[] = {
    {"Rosenbrock", valley, 2, 2, {-1.2, 1}, 1e-10},
    {"Powell, singular", singular, 4, 4, {3, -1, 0, 1}, 1e-4},
    {"decay", decay, 3, SAMPLES, {1, 1.5, 0}, 1e-7},
    {"deficient", deficient, 3, 4, {0, 0, 0}, HUGE_VAL},
};

/* lmstr requests residuals with flag 1, and row k of the derivatives with flag k + 2. */
static int of_minpack(void *context, int m, int n, const double *z, double *r, double *row, int flag)
{
    double values[MOST_RESIDUALS], rows[MOST_RESIDUALS * N_MAX];
    const task *t = context;
    t->constraints(t, z, values, rows);
    if (flag == 1) memcpy(r, values, (size_t)m * sizeof *r);
    if (flag >= 2) memcpy(row, rows + (flag - 2) * n, (size_t)n * sizeof *row);
    return 0;
}

/* Returns J of cminpack's minimum, z. */
static double minpack(bench *b, double *z)
{
    const int n = (int)b->t.n, m = (int)b->t.m;
    double r[MOST_RESIDUALS], triangle[N_MAX * N_MAX], lengths[N_MAX], product[N_MAX], work[4][N_MAX], J = 0;
    int pivots[N_MAX], calls, derivatives;
    memcpy(z, b->z0, b->t.n * sizeof *z);
    lmstr(of_minpack, &b->t, m, n, z, r, triangle, n, 1e-15, 1e-15, 1e-15, 1000, lengths, 1, 100, 0, &calls,
          &derivatives, pivots, product, work[0], work[1], work[2], work[3]);
    for (int j = 0; j < m; j++) J += r[j] * r[j] / 2;
    printf("%-20s cminpack: J %.17g, %d evaluations\n", "", J, calls);
    return J;
}

static void both_find_the_same_minimum(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        const example *e = &examples[k];
        pio_optimizer_result r;
        double z[N_MAX];
        bench b;
        set_up_squares(&b, e->n, e->m, e->of, e->start);
        assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
        say(e->name, &b, &r);
        const double other = minpack(&b, z), apart = distance(r.z, z, e->n);
        printf("%-20s J differs by %.2e (threshold 1e-10 of it, or 1e-18), z by %.2e (threshold %.0e)\n", "",
               fabs(r.J - other), apart, e->distance);
        assert_true(fabs(r.J - other) <= fmax(1e-10 * other, 1e-18));
        assert_true(apart <= e->distance);
        pio_optimizer_result_free(&r);
    }
}

/* covar1 of the triangle that lmstr leaves, of variance 1 by a sum of squares m - n. */
static void the_covariance_is_that_of_cminpack(void **state)
{
    enum { N = 3 };
    double z[N] = {1, 1.5, 0}, r[MOST_RESIDUALS], rows[MOST_RESIDUALS * N], triangle[N * N], lengths[N], product[N],
           work[4][MOST_RESIDUALS], worst = 0;
    int pivots[N], calls, derivatives;
    pio_covariance c;
    bench b;
    (void)state;
    set_up_squares(&b, N, SAMPLES, decay, z);
    lmstr(of_minpack, &b.t, SAMPLES, N, z, r, triangle, N, 1e-15, 1e-15, 1e-15, 1000, lengths, 1, 100, 0, &calls,
          &derivatives, pivots, product, work[0], work[1], work[2], work[3]);
    assert_int_equal(covar1(SAMPLES, N, SAMPLES - N, triangle, N, pivots, 1e-14, work[0]), 0); /* full rank */
    decay(&b.t, z, r, rows);
    assert_int_equal(pio_covariance_create(&c, rows, SAMPLES, N, NULL), PIOLA_OK);
    for (int k = 0; k < N * N; k++) worst = fmax(worst, fabs(c.covariance[k] / triangle[k] - 1));
    printf("covariances differ by %.1e of them (threshold 1e-6: lmstr's triangle is that of its last step but one)\n",
           worst);
    assert_true(worst <= 1e-6);
    pio_covariance_free(&c);
    rows[0] *= 1.1; /* the control: one derivative is wrong */
    assert_int_equal(pio_covariance_create(&c, rows, SAMPLES, N, NULL), PIOLA_OK);
    assert_true(fabs(c.covariance[0] / triangle[0] - 1) > 1e-3);
    pio_covariance_free(&c);
}

/* The control of the comparison: with a bound that excludes it, the minimum is another. */
static void a_bound_makes_the_minimum_another_one_than_that_of_cminpack(void **state)
{
    pio_optimizer_result r;
    double z[N_MAX];
    bench b;
    (void)state;
    set_up_squares(&b, 3, SAMPLES, decay, examples[2].start);
    b.lower[1] = 0.9;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
    const double other = minpack(&b, z);
    printf("J differs by %.2e of it (threshold: above 1e-2)\n", fabs(r.J - other) / other);
    assert_true(r.J - other > 1e-2 * other);
    pio_optimizer_result_free(&r);
}

static void decay_at_a_rate(const task *t, const double *z, double *r, double *rows)
{
    double all[3 * SAMPLES];
    decay(t, (const double[]){z[0], 0.9, z[1]}, r, all);
    for (int k = 0; k < SAMPLES; k++) rows[2 * k] = all[3 * k], rows[2 * k + 1] = all[3 * k + 2];
}

static void a_fit_with_an_active_bound_is_that_of_cminpack_without_the_variable(void **state)
{
    pio_optimizer_result r;
    double z[N_MAX];
    bench b;
    (void)state;
    set_up_squares(&b, 3, SAMPLES, decay, examples[2].start);
    b.lower[1] = 0.9;
    assert_int_equal(pio_optimize(&b.p, &b.d, &r, NULL), PIOLA_OK);
    set_up_squares(&b, 2, SAMPLES, decay_at_a_rate, (const double[]){1, 0});
    const double other = minpack(&b, z), apart = fmax(fabs(r.z[0] - z[0]), fabs(r.z[2] - z[1]));
    printf("J differs by %.2e of it (threshold 1e-10), z by %.2e (threshold 1e-7)\n", fabs(r.J - other) / other, apart);
    assert_true(fabs(r.J - other) <= 1e-10 * other && apart <= 1e-7);
    pio_optimizer_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_find_the_same_minimum),
        cmocka_unit_test(the_covariance_is_that_of_cminpack),
        cmocka_unit_test(a_bound_makes_the_minimum_another_one_than_that_of_cminpack),
        cmocka_unit_test(a_fit_with_an_active_bound_is_that_of_cminpack_without_the_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
