/* test_stop.c -- a sort that can be stopped: the order of qsort, equal items as they came; stopped by a signal, by a
 * deadline, and by a request to a call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/model/room.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int key, number;
} item;

static int by_key(const void *a, const void *b, void *context)
{
    ++*(int *)context;
    return ((const item *)a)->key - ((const item *)b)->key;
}

static int by_key_and_number(const void *a, const void *b)
{
    const item *p = a, *q = b;
    return p->key != q->key ? p->key - q->key : p->number - q->number;
}

static item *make(size_t n, int keys)
{
    item *items = malloc((n + 1) * sizeof *items);
    unsigned state = 1;
    assert_non_null(items);
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        items[i] = (item){(int)(state >> 8) % keys, (int)i};
    }
    return items;
}

static void sorts_of_any_length_are_stable(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 1000, 16383, 16384, 16385, 40000, 300001};
    int compared = 0;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const size_t n = lengths[k];
        item *items = make(n, 5000), *right = make(n, 5000);
        qsort(right, n, sizeof *right, by_key_and_number);
        assert_int_equal(pio_stop_sort(items, n, sizeof *items, by_key, &compared, "testing", NULL), PIOLA_OK);
        assert_memory_equal(items, right, n * sizeof *items);
        free(items);
        free(right);
    }
    assert_true(compared > 0);
}

static void signals_and_deadlines_stop(void **state)
{
    (void)state;
    piola_error error = {0};
    int compared = 0;
    item *items = make(300001, 5000);
    assert_int_equal(pio_stop("testing", &error), PIOLA_OK);
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    raise(SIGTERM);
    assert_int_equal(pio_stop("testing", &error), PIOLA_INTERRUPTED);
    assert_non_null(strstr(error.message, "SIGTERM while testing"));
    assert_int_equal(pio_stop_at(1022, "testing", &error), PIOLA_OK); /* it does not poll at each */
    assert_int_equal(pio_stop_at(1023, "testing", &error), PIOLA_INTERRUPTED);
    assert_int_equal(pio_stop_sort(items, 300001, sizeof *items, by_key, &compared, "sorting", &error),
                     PIOLA_INTERRUPTED);
    pio_signals_restore();
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    pio_signals_deadline(1e-9);
    assert_int_equal(pio_stop("testing", &error), PIOLA_INTERRUPTED);
    assert_non_null(strstr(error.message, "time limit"));
    pio_signals_restore();
    free(items);
}

/* A request is for the call that runs; one that comes before it or after it stops nothing. */
static void calls_are_stopped_one_by_one(void **state)
{
    (void)state;
    piola_error error = {0};
    pio_call one = {0}, other = {0};
    pio_call_stop(&one);
    pio_call_begin(&one, 0);
    assert_int_equal(pio_stop("testing", &error), PIOLA_OK);
    pio_call_stop(&other);
    assert_int_equal(pio_stop("testing", &error), PIOLA_OK);
    pio_call_stop(&one);
    assert_int_equal(pio_stop("testing", &error), PIOLA_INTERRUPTED);
    assert_non_null(strstr(error.message, "piola_interrupt while testing"));
    pio_call_end();
    assert_int_equal(pio_stop("testing", &error), PIOLA_OK);
    pio_call_stop(&one);
    pio_call_begin(&one, 1e-9);
    assert_int_equal(pio_stop("testing", &error), PIOLA_INTERRUPTED);
    assert_non_null(strstr(error.message, "time limit"));
    pio_call_end();
    one.number = one.ended = SIG_ATOMIC_MAX; /* numbers begin anew */
    pio_call_begin(&one, 0);
    assert_int_equal(pio_stop("testing", &error), PIOLA_OK);
    pio_call_end();
}

static void room_is_reported_in_bytes(void **state)
{
    (void)state;
    piola_error error = {0};
    const double room = pio_room_bytes();
    print_message("%.4g bytes of memory can be taken\n", room);
    assert_true(room > 1e6 && room < 1e18);
    assert_int_equal(pio_room(room / 2, "tests", &error), PIOLA_OK);
    assert_int_equal(pio_room(123456789e15, "tests", &error), PIOLA_NO_MEMORY);
    assert_non_null(strstr(error.message, "tests need at least 123456789000000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_of_any_length_are_stable),
        cmocka_unit_test(signals_and_deadlines_stop),
        cmocka_unit_test(calls_are_stopped_one_by_one),
        cmocka_unit_test(room_is_reported_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
