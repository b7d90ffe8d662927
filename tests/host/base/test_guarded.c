/* test_guarded.c -- a child that crashes, loops, requests absurd memory or sends false answers is reported, and the
 * program goes on. */
#include "host/base/guarded.h"
#include "host/base/signals.h"
#include "tests/sanitized.h"
#include "piola.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef enum { DOUBLE, BIG, SEGV, ABORT, STARVED, EXIT, LOOP, SLEEP, MEMORY, REFUSE, SHORT, LIE, KILL, OPEN } wish;
typedef struct {
    wish what;
    int number;
} request;

enum { BIG_BYTES = 30000000 };

static volatile int forever = 1;

static void grant(pio_guard *guard, const request *r)
{
    const int twice = 2 * r->number;
    const piola_error no = {.status = PIOLA_BAD_DATA, .message = "file: no"},
                      lie = {.status = PIOLA_IO, .message = "x"};
    char *data = NULL;
    switch (r->what) {
    case DOUBLE:
        pio_guard_answer(guard, PIOLA_OK, NULL, &twice, sizeof twice);
        break;
    case BIG:
        data = malloc(BIG_BYTES);
        if (!data) _exit(4);
        memset(data, r->number, BIG_BYTES);
        pio_guard_answer(guard, PIOLA_OK, NULL, data, BIG_BYTES);
        break;
    case SEGV:
        (void)raise(SIGSEGV);
        break;
    case ABORT:
        abort();
    case STARVED:
        piola_memory_refused(123);
        (void)raise(SIGSEGV);
        break;
    case EXIT:
        _exit(3);
    case LOOP:
        while (forever) continue;
        break;
    case SLEEP:
        (void)sleep(100);
        break;
    case OPEN: { /* 1: the program's file of this number is open here too */
        const int is_open = fcntl(r->number, F_GETFD) >= 0;
        pio_guard_answer(guard, PIOLA_OK, NULL, &is_open, sizeof is_open);
        break;
    }
    case MEMORY: /* more than the limit, touched as a library would */
        data = malloc((size_t)3 << 30);
        if (data) memset(data, 1, (size_t)3 << 30);
        pio_guard_answer(guard, data ? PIOLA_OK : PIOLA_BAD_DATA, &no, &twice, sizeof twice);
        break;
    case REFUSE:
        pio_guard_answer(guard, PIOLA_BAD_DATA, &no, NULL, 0);
        break;
    case SHORT:
        pio_guard_answer(guard, PIOLA_OK, NULL, &twice, 1);
        break;
    case LIE:
        pio_guard_answer(guard, PIOLA_BAD_DATA, &lie, NULL, 0);
        break;
    case KILL:
        (void)raise(SIGKILL);
        break;
    }
    free(data);
}

static void serve(pio_guard *guard, void *context)
{
    request r;
    (void)context;
    while (pio_guard_request(guard, &r, sizeof r)) grant(guard, &r);
}

static pio_guarded *start(void)
{
    piola_error error;
    pio_guarded *g = NULL;
    assert_int_equal(pio_guarded_start(&g, "file", 1 << 20, serve, NULL, &error), PIOLA_OK);
    return g;
}

static void it_answers_again_and_again(void **state)
{
    (void)state;
    piola_error error;
    pio_guarded *g = start();
    char *data = malloc(BIG_BYTES);
    assert_non_null(data);
    for (int i = 0; i < 100; i++) {
        const request r = {DOUBLE, i};
        int twice = 0;
        assert_int_equal(pio_guarded_read(g, &r, sizeof r, &twice, sizeof twice, &error), PIOLA_OK);
        assert_int_equal(twice, 2 * i);
    }
    const request big = {BIG, 7}, no = {REFUSE, 0};
    assert_int_equal(pio_guarded_read(g, &big, sizeof big, data, BIG_BYTES, &error), PIOLA_OK);
    assert_true(data[0] == 7 && data[BIG_BYTES - 1] == 7);
    assert_int_equal(pio_guarded_read(g, &no, sizeof no, data, 1, &error), PIOLA_BAD_DATA);
    assert_string_equal(error.message, "file: no");
    assert_int_equal(pio_guarded_read(g, &big, sizeof big, data, BIG_BYTES, &error), PIOLA_OK);
    pio_guarded_end(g);
    free(data);
}

/* The clock, a hundred times as fast where the test says so, as it does not wait for a minute. */
static bool fast;
double __real_pio_clock(void);
double __wrap_pio_clock(void);
double __wrap_pio_clock(void)
{
    return (fast ? 100 : 1) * __real_pio_clock();
}

/* A request to a child that then ends. */
static void expect(wish what, piola_status status, const char *message)
{
    piola_error error;
    pio_guarded *g = start();
    const request r = {what, 1}, again = {DOUBLE, 1};
    int out = 0;
    fast = what == LOOP || what == SLEEP;
    const piola_status got = pio_guarded_read(g, &r, sizeof r, &out, sizeof out, &error);
    fast = false;
    print_message("%s\n", error.message);
    assert_int_equal(got, status);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(pio_guarded_read(g, &again, sizeof again, &out, sizeof out, &error), PIOLA_BAD_DATA);
    pio_guarded_end(g);
}

static void its_end_is_an_answer(void **state)
{
    (void)state;
    if (!TEST_SANITIZED) expect(SEGV, PIOLA_BAD_DATA, "file: damaged: the HDF5 library crashed on it (signal 11");
    if (!TEST_SANITIZED) expect(ABORT, PIOLA_BAD_DATA, "signal 6");
    if (!TEST_SANITIZED) expect(STARVED, PIOLA_NO_MEMORY, "was refused some");
    expect(EXIT, PIOLA_BAD_DATA, "gave up on it (exit code 3)");
    expect(LOOP, PIOLA_BAD_DATA, "did not come to an end with it in 60 s");
    expect(SLEEP, PIOLA_BAD_DATA, "did not come to an end with it in 60 s");
    expect(SHORT, PIOLA_BAD_DATA, "1 bytes of it were read where 4 belong");
    expect(LIE, PIOLA_BAD_DATA, "impossible answer");
    expect(KILL, PIOLA_NO_MEMORY, "signal 9");
}

static void it_has_a_limit_of_memory(void **state)
{
    (void)state;
    piola_error error;
    if (TEST_SANITIZED) skip();
    pio_guarded *g = start();
    const request r = {MEMORY, 1};
    int out = 0;
    assert_int_equal(pio_guarded_read(g, &r, sizeof r, &out, sizeof out, &error), PIOLA_BAD_DATA);
    assert_string_equal(error.message, "file: no"); /* its malloc failed */
    pio_guarded_end(g);
}

static void a_signal_to_the_program_ends_the_wait(void **state)
{
    (void)state;
    piola_error error;
    pio_guarded *g = start();
    const request r = {SLEEP, 1};
    int out = 0;
    assert_int_equal(pio_signals_install(&error), PIOLA_OK);
    assert_int_equal(raise(SIGTERM), 0);
    assert_int_equal(pio_guarded_read(g, &r, sizeof r, &out, sizeof out, &error), PIOLA_INTERRUPTED);
    print_message("%s\n", error.message);
    pio_signals_restore();
    pio_guarded_end(g);
}

/* An open file may hold a lock, which must end with the program and not with the child. */
static void it_keeps_no_file_of_the_program(void **state)
{
    (void)state;
    int file[2] = {-1, -1}, is_open[2] = {-1, -1};
    file[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    file[1] = fcntl(file[0], F_DUPFD_CLOEXEC, 300);
    assert_true(file[0] > 2 && file[1] >= 300);
    pio_guarded *g = start();
    for (int i = 0; i < 2; i++) {
        const request r = {OPEN, file[i]}, control = {OPEN, STDOUT_FILENO};
        int out = -1;
        assert_int_equal(pio_guarded_read(g, &r, sizeof r, &is_open[i], sizeof is_open[i], NULL), PIOLA_OK);
        assert_int_equal(pio_guarded_read(g, &control, sizeof control, &out, sizeof out, NULL), PIOLA_OK);
        print_message("file %d is open in the child: %d, at most 0; standard output: %d\n", file[i], is_open[i], out);
        assert_int_equal(is_open[i], 0);
        assert_int_equal(out, 1);
        close(file[i]);
    }
    pio_guarded_end(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers_again_and_again),      cmocka_unit_test(its_end_is_an_answer),
        cmocka_unit_test(it_has_a_limit_of_memory),        cmocka_unit_test(a_signal_to_the_program_ends_the_wait),
        cmocka_unit_test(it_keeps_no_file_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
