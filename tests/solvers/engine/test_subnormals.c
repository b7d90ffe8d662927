/* test_subnormals.c -- the loops of the CPU take subnormal numbers as 0, on every thread, and leave the caller's thread
 * as it was. Parts of loops are written here; a tenth of the smallest normal number is subnormal. */
#include "kernels/backend/cpu_entries.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { ITEMS = 1000 };

/* Squares of numbers whose squares are a tenth of the smallest normal number, and tenfold subnormal numbers. */
typedef struct {
    volatile real root, subnormal;
    real square[ITEMS], tenfold[ITEMS];
} numbers;

static real smallest(void)
{
    return sizeof(real) == sizeof(float) ? (real)FLT_MIN : (real)DBL_MIN;
}

static void compute(int begin, int end, const pio_cpu_job *job)
{
    numbers *n = job->out;
    for (int i = begin; i < end; i++) {
        n->square[i] = n->root * n->root;
        n->tenfold[i] = n->subnormal * R(10);
    }
}

/* Sets the numbers, and results that no part would leave. */
static void prepare(numbers *n)
{
    n->root = (real)sqrt((double)smallest() / 10);
    n->subnormal = smallest() / R(10);
    for (int i = 0; i < ITEMS; i++) n->square[i] = n->tenfold[i] = R(-1);
}

/* Returns how many results are 0. */
static int zeros(const numbers *n)
{
    int count = 0;
    for (int i = 0; i < ITEMS; i++) count += (n->square[i] == R(0)) + (n->tenfold[i] == R(0));
    return count;
}

static void subnormal_operands_and_results_are_zero_in_loops(void **unused)
{
    (void)unused;
    static numbers n;
    const pio_cpu_job job = {NULL, ITEMS, &n};
    for (int threads = 1; threads <= 3; threads++) {
        pio_cpu_use_threads(threads);
        prepare(&n);
        pio_cpu_run(compute, ITEMS, 0, &job);
        printf("          %d threads: %d of %d results are 0\n", threads, zeros(&n), 2 * ITEMS);
        assert_int_equal(zeros(&n), 2 * ITEMS);
    }
    pio_cpu_use_threads(0);
}

static void outside_of_loops_they_are_not(void **unused)
{
    (void)unused;
    static numbers n;
    const pio_cpu_job job = {NULL, ITEMS, &n};
    pio_cpu_run(compute, ITEMS, 0, &job);
    prepare(&n);
    compute(0, ITEMS, &job); /* the same code, called here */
    printf("          after a loop: %d of %d results are 0\n", zeros(&n), 2 * ITEMS);
    assert_int_equal(zeros(&n), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subnormal_operands_and_results_are_zero_in_loops),
        cmocka_unit_test(outside_of_loops_they_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
