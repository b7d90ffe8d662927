/* test_eigen.c -- does the library of eigenproblems find known eigenvalues, with equal bits each time, and does it say
 * when it does not? */
#include "kernels/backend/eigen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 200, WANTED = 5, BASIS = 20 };

static const pio_eigen_table *library(void)
{
    char message[PIO_EIGEN_TEXT] = "", name[128] = "";
    const pio_eigen_table *table = pio_eigen_open("arpack", message);
    if (!table) fail_msg("%s", message);
    assert_int_equal(table->probe(name, message), PIO_EIGEN_OK);
    assert_non_null(strstr(name, "ARPACK"));
    assert_true(table->bytes(N, BASIS) > sizeof(double) * N * BASIS);
    return table;
}

/* A bar of N + 1 linear elements of length 1, clamped at both ends: K = tridiag(-1, 2, -1), M = tridiag(1, 4, 1)/6. */
static void mass(const double *x, double *y)
{
    for (int i = 0; i < N; i++) y[i] = (4 * x[i] + (i ? x[i - 1] : 0) + (i + 1 < N ? x[i + 1] : 0)) / 6;
}

/* y = (K - shift M)^-1 b by elimination without pivots, which that matrix does not need: shift < 0. */
static void invert(double shift, const double *b, double *y)
{
    static double pivot[N];
    const double diagonal = 2 - 4 * shift / 6, beside = -1 - shift / 6;
    for (int i = 0; i < N; i++) {
        pivot[i] = diagonal - (i ? beside * beside / pivot[i - 1] : 0);
        y[i] = b[i] - (i ? beside / pivot[i - 1] * y[i - 1] : 0);
    }
    for (int i = N - 1; i >= 0; i--) y[i] = (y[i] - (i + 1 < N ? beside * y[i + 1] : 0)) / pivot[i];
}

static double exact(int k)
{
    const double t = k * M_PI / (N + 1);
    return 6 * (1 - cos(t)) / (2 + cos(t));
}

static pio_eigen_problem bar(int restarts, int basis)
{
    static double start[N];
    for (int i = 0; i < N; i++) start[i] = 1 + 0.3 * sin(i + 1.0);
    return (pio_eigen_problem){
        .n = N, .wanted = WANTED, .basis = basis, .restarts = restarts, .shift = -1e-4, .start = start};
}

static pio_eigen_outcome solve(const pio_eigen_table *t, const pio_eigen_problem *p, double *lambda, double *vectors,
                               char *message)
{
    void *context = NULL;
    pio_eigen_request r = {.task = PIO_EIGEN_DONE};
    static double b[N];
    pio_eigen_outcome outcome = t->begin(p, &context, message);
    if (!outcome) outcome = t->step(context, &r, message);
    while (!outcome && r.task != PIO_EIGEN_DONE) {
        if (r.task == PIO_EIGEN_SOLVE) memcpy(b, r.mx, sizeof b);
        if (r.task != PIO_EIGEN_SOLVE) mass(r.x, b);
        if (r.task == PIO_EIGEN_MASS) memcpy(r.y, b, sizeof b);
        if (r.task != PIO_EIGEN_MASS) invert(p->shift, b, r.y);
        outcome = t->step(context, &r, message);
    }
    if (!outcome) outcome = t->result(context, lambda, vectors, message);
    t->end(context);
    return outcome;
}

static void eigenvalues_of_a_bar_are_found_with_the_same_bits_each_time(void **unused)
{
    static double lambda[2][WANTED], vectors[2][WANTED * N], b[N];
    const pio_eigen_table *t = library();
    const pio_eigen_problem p = bar(300, BASIS);
    char message[PIO_EIGEN_TEXT] = "";
    double worst = 0, orthogonal = 0;
    (void)unused;
    for (int run = 0; run < 2; run++)
        if (solve(t, &p, lambda[run], vectors[run], message)) fail_msg("%s", message);
    for (int k = 0; k < WANTED; k++) {
        worst = fmax(worst, fabs(lambda[0][k] / exact(k + 1) - 1));
        mass(vectors[0] + k * N, b);
        for (int j = 0; j < WANTED; j++) {
            double dot = 0;
            for (int i = 0; i < N; i++) dot += vectors[0][j * N + i] * b[i];
            orthogonal = fmax(orthogonal, fabs(dot - (j == k)));
        }
    }
    print_message("  eigenvalues off by %.1e (limit 1e-9), x^T M x by %.1e (limit 1e-9)\n", worst, orthogonal);
    assert_true(worst < 1e-9 && orthogonal < 1e-9);
    assert_true(fabs(lambda[0][1] / exact(1) - 1) > 0.1); /* negative control */
    assert_memory_equal(lambda[0], lambda[1], sizeof lambda[0]);
    assert_memory_equal(vectors[0], vectors[1], sizeof vectors[0]);
}

static void what_is_not_found_is_said(void **unused)
{
    static double lambda[WANTED], vectors[WANTED * N];
    const pio_eigen_table *t = library();
    const pio_eigen_problem p = bar(1, WANTED + 1);
    char message[PIO_EIGEN_TEXT] = "";
    (void)unused;
    assert_int_equal(solve(t, &p, lambda, vectors, message), PIO_EIGEN_NOT_CONVERGED);
    print_message("  %s\n", message);
    assert_non_null(strstr(message, "of 5 eigenvalues"));
}

static void a_second_problem_waits_for_the_end_of_the_first(void **unused)
{
    static double lambda[WANTED], vectors[WANTED * N];
    const pio_eigen_table *t = library();
    const pio_eigen_problem p = bar(300, BASIS);
    char message[PIO_EIGEN_TEXT] = "";
    void *first = NULL, *second = NULL;
    (void)unused;
    assert_int_equal(t->begin(&p, &first, message), PIO_EIGEN_OK);
    assert_int_equal(t->begin(&p, &second, message), PIO_EIGEN_BUSY);
    print_message("  %s\n", message);
    assert_null(second);
    t->end(second);
    t->end(first);
    assert_int_equal(solve(t, &p, lambda, vectors, message), PIO_EIGEN_OK);
}

static void a_module_that_is_missing_is_named(void **unused)
{
    char message[PIO_EIGEN_TEXT] = "";
    (void)unused;
    assert_null(pio_eigen_open("none", message));
    assert_non_null(strstr(message, "piola_eigen_none.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_of_a_bar_are_found_with_the_same_bits_each_time),
        cmocka_unit_test(what_is_not_found_is_said),
        cmocka_unit_test(a_second_problem_waits_for_the_end_of_the_first),
        cmocka_unit_test(a_module_that_is_missing_is_named),
    };
    return cmocka_run_group_tests_name("eigen", tests, NULL, NULL);
}
