/* test_evaluations.c -- the record of an optimisation: what was added is read again bit by bit, and only for the same
 * run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/results/evaluations.h"

enum { N = 37, M = 3, K = 2 };
#define SIZE(n, m) (&(pio_evaluation_size){n, m, K})
static const char path[] = "test_evaluations.record", identity[] = "scene {a: 1}\nengine cpu";

static void fill(double *z, double *g, double *c, double *c_gradient, int k)
{
    for (int i = 0; i < N; i++) {
        z[i] = 1.0 / (3 + i + 100 * k);
        g[i] = -z[i] * 7;
    }
    for (int i = 0; i < M; i++) c[i] = 1.0 / (7 + i + 10 * k);
    for (int i = 0; i < M * N; i++) c_gradient[i] = 1.0 / (11 + i + 1000 * k);
}

static piola_status add(pio_evaluations *log, int k)
{
    double z[N], g[N], c[M], c_gradient[M * N];
    fill(z, g, c, c_gradient, k);
    return pio_evaluations_add(log, (size_t)k, &(pio_evaluation){z, 0.1 * k, g, c, c_gradient},
                               (double[K]){k + 0.3, -k}, NULL);
}

static void expect(const pio_evaluations *log, size_t want, int constrained)
{
    size_t count;
    const pio_evaluation *list = pio_evaluations_list(log, &count);
    print_message("%zu evaluations on record, wanted %zu\n", count, want);
    assert_int_equal(count, want);
    for (size_t k = 0; k < count; k++) {
        double z[N], g[N], c[M], c_gradient[M * N];
        const double J = 0.1 * (int)k, beside[K] = {(int)k + 0.3, -(int)k};
        fill(z, g, c, c_gradient, (int)k);
        if (constrained) assert_memory_equal(list[k].c, c, sizeof c);
        if (constrained) assert_memory_equal(list[k].c_gradient, c_gradient, sizeof c_gradient);
        if (!constrained) assert_null(list[k].c);
        assert_memory_equal(list[k].z, z, sizeof z);
        assert_memory_equal(list[k].gradient, g, sizeof g);
        assert_memory_equal(&list[k].J, &J, sizeof J);
        assert_memory_equal(pio_evaluations_beside(log, k), beside, sizeof beside);
    }
    assert_null(pio_evaluations_beside(log, count));
}

static void what_was_added_comes_back_to_the_bit(void **state)
{
    (void)state;
    for (size_t m = 0; m <= M; m += M) {
        pio_evaluations *log;
        assert_int_equal(pio_evaluations_create(&log, path, SIZE(N, m), identity, NULL), PIOLA_OK);
        for (int k = 0; k < 5; k++) assert_int_equal(add(log, k), PIOLA_OK);
        pio_evaluations_close(log);
        assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N, m), identity, false, NULL), PIOLA_OK);
        expect(log, 5, m > 0);
        for (int k = 5; k < 9; k++) {
            const double beside[K] = {k + 0.3, -k};
            assert_int_equal(add(log, k), PIOLA_OK);
            assert_memory_equal(pio_evaluations_beside(log, (size_t)k), beside, sizeof beside);
        }
        pio_evaluations_close(log);
        assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N, m), identity, false, NULL), PIOLA_OK);
        expect(log, 9, m > 0);
        pio_evaluations_close(log);
    }
}

static void a_record_of_another_run_is_refused(void **state)
{
    (void)state;
    pio_evaluations *log;
    piola_error error;
    assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N, M), "scene {a: 2}\nengine cpu", false, &error),
                     PIOLA_NO);
    print_message("%s\n", error.message);
    assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N + 1, M), identity, false, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N, M + 1), identity, false, &error), PIOLA_BAD_DATA);
    const pio_evaluation_size more = {N, M, K + 1};
    assert_int_equal(pio_evaluations_continue(&log, path, &more, identity, false, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    assert_int_equal(pio_evaluations_continue(&log, "no_such.record", SIZE(N, M), identity, false, &error),
                     PIOLA_NO_INPUT);
    assert_int_equal(pio_evaluations_create(&log, "no_such_folder/x.record", SIZE(N, M), identity, &error),
                     PIOLA_CANNOT_CREATE);
}

/* Any bit of the third evaluation of five is flipped: the others are there, it is reported, and what is added in its
 * place counts. */
static void a_damaged_evaluation_costs_no_other(void **state)
{
    (void)state;
    enum { ROW = 32 + 8 * (2 * N + 1 + K), FIRST = 32 + sizeof identity - 1 };
    pio_evaluations *log;
    size_t count, flips = 0;
    char text[1400];
    assert_int_equal(pio_evaluations_create(&log, path, SIZE(N, 0), identity, NULL), PIOLA_OK);
    for (int k = 0; k < 5; k++) assert_int_equal(add(log, k), PIOLA_OK);
    pio_evaluations_close(log);
    for (int bit = 0; bit < 8 * ROW; bit += 7, flips++) { /* a stride of 7 reaches all bits of a byte in turn */
        const int fd = open(path, O_RDWR);
        unsigned char byte;
        const off_t at = FIRST + 2 * ROW + bit / 8;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= (unsigned char)(1 << bit % 8);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N, 0), identity, false, NULL), PIOLA_OK);
        const pio_evaluation *list = pio_evaluations_list(log, &count);
        assert_int_equal(count, 5);
        assert_int_equal(pio_evaluations_damaged(log, text, sizeof text), 1);
        assert_null(list[2].z);
        assert_null(pio_evaluations_beside(log, 2));
        assert_true(list[3].J == 0.1 * 3 && list[4].J == 0.1 * 4);
        if (bit == 0) print_message("%s\n", text);
        if (bit + 7 >= 8 * ROW) assert_int_equal(add(log, 2), PIOLA_OK);
        pio_evaluations_close(log);
        byte ^= (unsigned char)(1 << bit % 8);
        if (bit + 7 < 8 * ROW) assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        close(fd);
    }
    assert_int_equal(pio_evaluations_continue(&log, path, SIZE(N, 0), identity, false, NULL), PIOLA_OK);
    assert_int_equal(pio_evaluations_damaged(log, text, sizeof text), 0);
    expect(log, 5, 0);
    pio_evaluations_close(log);
    print_message("%zu flips\n", flips);
}

/* The child reports each finished evaluation through a pipe and is killed in the middle. */
static void a_kill_loses_no_finished_evaluation(void **state)
{
    (void)state;
    for (int round = 0; round < 12; round++) {
        int ends[2], reported = 0;
        char byte;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            pio_evaluations *log;
            if (pio_evaluations_create(&log, path, SIZE(N, M), identity, NULL)) _exit(1);
            for (int k = 0;; k++)
                if (add(log, k) || write(ends[1], "x", 1) != 1) _exit(1);
        }
        close(ends[1]);
        while (reported < 3 + 5 * round && read(ends[0], &byte, 1) == 1) reported++;
        kill(child, SIGKILL);
        while (read(ends[0], &byte, 1) == 1) reported++;
        close(ends[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);
        pio_evaluations *log;
        piola_error error;
        if (pio_evaluations_continue(&log, path, SIZE(N, M), identity, false, &error)) fail_msg("%s", error.message);
        size_t count;
        pio_evaluations_list(log, &count);
        assert_true(count == (size_t)reported || count == (size_t)reported + 1);
        expect(log, count, 1);
        pio_evaluations_close(log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_comes_back_to_the_bit),
        cmocka_unit_test(a_record_of_another_run_is_refused),
        cmocka_unit_test(a_damaged_evaluation_costs_no_other),
        cmocka_unit_test(a_kill_loses_no_finished_evaluation),
    };
    const int failed = cmocka_run_group_tests_name("evaluations", tests, NULL, NULL);
    remove(path);
    return failed;
}
