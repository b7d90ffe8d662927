/* test_covariance.c -- singular values, covariances and quantiles of fits, against exact values. */
#include "tests/host/optimize/squares_bench.h"

#include "host/optimize/covariance.h"
#include "host/optimize/student.h"

/* With 1, 2 and 4 degrees the distribution is elementary, so that the probability of t is known (Shaw 2006); what
 * tables give for 95 % (NIST/SEMATECH handbook, 1.3.6.7.2) has three decimals. */
static void quantiles_of_student_are_the_exact_ones(void **state)
{
    static const struct {
        int degrees;
        double t;
    } table[] = {{1, 12.706}, {3, 3.182}, {5, 2.571}, {10, 2.228}, {30, 2.042}, {100, 1.984}};
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const double t = pio_student(0.95, table[k].degrees);
        printf("%d degrees: t %.6f, table %.3f (threshold 5e-4)\n", table[k].degrees, t, table[k].t);
        assert_true(fabs(t - table[k].t) <= 5.01e-4);
    }
    for (double p = 0.05; p < 1; p += 0.09) {
        const double one = tan(acos(-1) / 2 * p), two = p * sqrt(2 / (1 - p * p));
        const double t = pio_student(p, 4), u = t / sqrt(4 + t * t), four = u * (3 - u * u) / 2;
        const double worst =
            fmax(fmax(fabs(pio_student(p, 1) / one - 1), fabs(pio_student(p, 2) / two - 1)), fabs(four - p));
        printf("p %.2f: errors with 1, 2 and 4 degrees at most %.1e (threshold 1e-13)\n", p, worst);
        assert_true(worst <= 1e-13);
    }
}

/* A line through points at 0 .. 4: A^T A = {{5, 10}, {10, 30}}, whose inverse is {{0.6, -0.2}, {-0.2, 0.1}}. The scaled
 * columns have the cosine 10/sqrt(150), so that the singular values are sqrt(1 +- that). */
static void the_covariance_of_a_line_is_exact(void **state)
{
    const double exact[4] = {0.6, -0.2, -0.2, 0.1}, cosine = 10 / sqrt(150);
    double rows[10], worst = 0;
    pio_covariance c;
    (void)state;
    for (int k = 0; k < 5; k++) rows[2 * k] = 1, rows[2 * k + 1] = k;
    assert_int_equal(pio_covariance_create(&c, rows, 5, 2, NULL), PIOLA_OK);
    for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(c.covariance[k] - exact[k]));
    const double singular = fmax(fabs(c.singular[0] - sqrt(1 + cosine)), fabs(c.singular[1] - sqrt(1 - cosine)));
    printf("covariance off by %.1e, singular values by %.1e (threshold 1e-14)\n", worst, singular);
    assert_true(worst <= 1e-14 && singular <= 1e-14 && c.unknown == 0);
    pio_covariance_free(&c);
}

/* Two variables that only their sum determines: the combination is their difference, and they have no covariance, while
 * the third keeps its own. */
static void a_combination_that_nothing_determines_is_found(void **state)
{
    double r[4], rows[12];
    pio_covariance c;
    (void)state;
    const double z[3] = {0};
    deficient(NULL, z, r, rows);
    assert_int_equal(pio_covariance_create(&c, rows, 4, 3, NULL), PIOLA_OK);
    const double *v = c.combination + 6;
    printf("singular values %.3f %.3f %.1e (threshold 1e-15), combination %.3f %.3f %.3f\n", c.singular[0],
           c.singular[1], c.singular[2], v[0], v[1], v[2]);
    assert_int_equal(c.unknown, 1);
    assert_true(c.singular[2] <= 1e-15 && fabs(v[0]) <= 1e-14 && fabs(v[1] + v[2]) <= 1e-14);
    assert_true(isnan(c.covariance[4]) && isnan(c.covariance[5]) && isnan(c.covariance[1]));
    /* of x: the inverse of {{7, 5}, {5, 12}} has 12/59 */
    printf("variance of x off by %.1e (threshold 1e-14)\n", fabs(c.covariance[0] - 12 / 59.0));
    assert_true(fabs(c.covariance[0] - 12 / 59.0) <= 1e-14);
    pio_covariance_free(&c);
    deficient(NULL, z, r, rows);
    rows[2] *= 1.001; /* the control: now the two differ */
    assert_int_equal(pio_covariance_create(&c, rows, 4, 3, NULL), PIOLA_OK);
    assert_true(c.unknown == 0 && isfinite(c.covariance[4]));
    pio_covariance_free(&c);
}

/* Fewer residuals than variables leave combinations open. */
static void a_single_residual_determines_one_combination(void **state)
{
    const double rows[] = {1, 2, 3};
    pio_covariance c;
    (void)state;
    assert_int_equal(pio_covariance_create(&c, rows, 1, 3, NULL), PIOLA_OK);
    printf("%zu combinations are open (threshold 2)\n", c.unknown);
    assert_int_equal(c.unknown, 2);
    pio_covariance_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_student_are_the_exact_ones),
        cmocka_unit_test(the_covariance_of_a_line_is_exact),
        cmocka_unit_test(a_combination_that_nothing_determines_is_found),
        cmocka_unit_test(a_single_residual_determines_one_combination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
