/* test_processes.c -- items of work in processes: their ends, also of those that crash, and a stop in between. */
#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/sweep/processes.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ITEMS = 12, BAD = 3, KILLED = 5, EXITS = 7, CRASHES = 8 };

/* What the ends of items showed. */
typedef struct {
    pio_process_end ends[ITEMS];
    int ended[ITEMS];
    int stopped[ITEMS]; /* exit codes of items that were stopped with the program */
    int open_file, stop_after, n;
} record;

static piola_status work(void *context, int64_t item, char *answer, piola_error *error)
{
    const record *r = context;
    switch (item) {
    case BAD:
        return pio_fail(error, PIOLA_NUMERICAL, "item %lld has no answer", (long long)item);
    case KILLED:
        (void)raise(SIGKILL);
        break;
    case EXITS:
        _exit(3);
    case CRASHES:
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
        break;
    }
    snprintf(answer, PIO_PROCESS_ANSWER, "item %lld, file %s", (long long)item,
             fcntl(r->open_file, F_GETFD) >= 0 ? "open" : "closed");
    return PIOLA_OK;
}

static void on_end(void *context, int64_t item, const pio_process_end *end)
{
    record *r = context;
    r->ends[item] = *end;
    r->ended[item]++;
    if (++r->n == r->stop_after) (void)raise(SIGTERM);
}

static void on_stop(void *context, int64_t item, int exit)
{
    ((record *)context)->stopped[item] = exit;
}

static int exit_of(int item)
{
    switch (item) {
    case BAD:
        return PIOLA_NUMERICAL;
    case KILLED:
        return 128 + SIGKILL;
    case EXITS:
        return 3;
    case CRASHES:
        return 128 + SIGSEGV;
    default:
        return 0;
    }
}

static const int64_t items[ITEMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static void each_item_ends_once_and_a_crash_is_its_own(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= 4; jobs += 3) {
        record r = {.open_file = open("/dev/null", O_RDONLY)};
        piola_error error = {0};
        const pio_processes p = {jobs, items, ITEMS, &r, work, on_end, NULL};
        assert_int_equal(pio_processes_run(&p, &error), PIOLA_OK);
        for (int i = 0; i < ITEMS; i++) {
            char right[40];
            snprintf(right, sizeof right, "item %d, file closed", i);
            assert_int_equal(r.ended[i], 1);
            const int exit = exit_of(i);
            print_message("  %d jobs, item %d: %d %s%s\n", jobs, i, r.ends[i].exit, r.ends[i].answer,
                          r.ends[i].error.message);
            assert_int_equal(r.ends[i].exit, exit);
            if (!exit) assert_string_equal(r.ends[i].answer, right);
        }
        assert_string_equal(r.ends[BAD].error.message, "item 3 has no answer");
        assert_non_null(strstr(r.ends[KILLED].error.message, "signal 9"));
        assert_non_null(strstr(r.ends[EXITS].error.message, "exit code 3"));
        close(r.open_file);
    }
}

/* Waits until it is to stop, and counts as stopped then; without handlers of its own it would be killed. */
static piola_status wait_for_stop(void *context, int64_t item, char *answer, piola_error *error)
{
    (void)context;
    (void)answer;
    if (item == 0) return PIOLA_OK;
    const piola_status rc = pio_signals_install(error);
    for (int i = 0; !rc && i < 3000 && !pio_interrupted(); i++) (void)usleep(10000);
    return rc ? rc : pio_interrupted() ? PIOLA_INTERRUPTED : PIOLA_OK;
}

static void a_stop_reaches_the_children_and_what_was_done_stays(void **state)
{
    record r = {.stop_after = 1};
    piola_error error = {0};
    const pio_processes p = {3, items, ITEMS, &r, wait_for_stop, on_end, on_stop};
    (void)state;
    assert_int_equal(pio_signals_install(&error), PIOLA_OK);
    const piola_status rc = pio_processes_run(&p, &error);
    pio_signals_restore();
    print_message("  %s\n", error.message);
    assert_int_equal(rc, PIOLA_INTERRUPTED);
    assert_int_equal(r.ended[0], 1);
    for (int i = 1; i < ITEMS; i++) assert_int_equal(r.ended[i], 0);
    int stopped = 0;
    for (int i = 0; i < ITEMS; i++) stopped += r.stopped[i] == PIOLA_INTERRUPTED || r.stopped[i] == 128 + SIGTERM;
    print_message("  %d items were stopped while they ran\n", stopped);
    assert_in_range(stopped, 1, 3); /* as many as ran at a time */
    assert_int_equal(r.stopped[0], 0);
    assert_non_null(strstr(error.message, "SIGTERM with 11 of 12 members left"));
}

/* Is stopped by a signal of its own. */
static piola_status stop_itself(void *context, int64_t item, char *answer, piola_error *error)
{
    (void)context;
    (void)answer;
    const piola_status rc = pio_signals_install(error);
    if (!rc && item == 1) (void)raise(SIGTERM);
    return rc ? rc : pio_interrupted() ? pio_fail(error, PIOLA_INTERRUPTED, "stopped alone") : PIOLA_OK;
}

/* The negative control of the one above. */
static void a_child_that_is_stopped_alone_has_failed_and_the_others_are_run(void **state)
{
    record r = {0};
    piola_error error = {0};
    const pio_processes p = {2, items, 3, &r, stop_itself, on_end, on_stop};
    (void)state;
    assert_int_equal(pio_signals_install(&error), PIOLA_OK);
    assert_int_equal(pio_processes_run(&p, &error), PIOLA_OK);
    pio_signals_restore();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(r.ended[i], 1);
        assert_int_equal(r.ends[i].exit, i == 1 ? PIOLA_INTERRUPTED : PIOLA_OK);
    }
    assert_string_equal(r.ends[1].error.message, "stopped alone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_ends_once_and_a_crash_is_its_own),
        cmocka_unit_test(a_stop_reaches_the_children_and_what_was_done_stays),
        cmocka_unit_test(a_child_that_is_stopped_alone_has_failed_and_the_others_are_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
