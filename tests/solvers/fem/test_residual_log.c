/* test_residual_log.c -- the residual log of whole numbers: what is pushed is popped to the bit, in few bits, the same
 * for any number of threads; and what does not fit, or was tampered with, does no harm. */
#include "solvers/fem/residual_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;
static uint64_t bits(void)
{
    seed ^= seed >> 12; /* xorshift64* (Vigna 2016) */
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717);
}

static double uniform(void)
{
    return ((double)(bits() >> 11) + 0.5) * 0x1p-53;
}

/* Normally distributed (Box and Muller 1958). */
static double normal(void)
{
    const double r = sqrt(-2 * log(uniform()));
    return r * cos(6.283185307179586 * uniform());
}

/* ---- a residual log of the CPU backend ------------------------------------------------------------------------- */

typedef struct {
    pio_arena arena;
    pio_queue queue;
    pio_residual_log log;
    int64_t *numbers; /* device [n] */
    double *level;    /* device */
    int *items;       /* device [n], for who has a list */
    int n;
} log_case;

static void lay_out(log_case *c, int64_t capacity, int n)
{
    c->level = pio_arena_take(&c->arena, sizeof *c->level);
    c->items = pio_arena_take(&c->arena, sizeof *c->items * (size_t)n);
    c->numbers = pio_arena_take(&c->arena, sizeof *c->numbers * (size_t)n);
    pio_residual_log_layout(&c->log, &c->arena, capacity, n, c->level);
    c->queue.scan_work = pio_arena_take(&c->arena, sizeof(int) * PIO_SCAN_WORK(n));
}

static void begin(log_case *c, int64_t capacity, int n, int threads)
{
    pio_device_info info;
    *c = (log_case){.n = n};
    c->queue.backend = c->arena.backend = &pio_backend_cpu;
    c->queue.arena = &c->arena;
    assert_int_equal(pio_backend_cpu.open(0, threads, &info, &c->queue.stream), 0);
    lay_out(c, capacity, n);
    assert_int_equal(pio_arena_create(&c->arena, &pio_backend_cpu, c->arena.used), 0);
    lay_out(c, capacity, n);
    pio_residual_log_empty(&c->log, &c->queue, 0);
}

static void end(log_case *c)
{
    assert_int_equal(c->queue.error.code, 0);
    pio_arena_destroy(&c->arena);
}

static void push(log_case *c, const int64_t *numbers, int64_t step)
{
    pio_queue_upload(&c->queue, c->numbers, numbers, sizeof *numbers * (size_t)c->n);
    pio_residual_log_push(&c->log, &c->queue, c->numbers, step);
}

static void pop(log_case *c, int64_t *numbers)
{
    memset(numbers, 0x5a, sizeof *numbers * (size_t)c->n);
    pio_queue_upload(&c->queue, c->numbers, numbers, sizeof *numbers * (size_t)c->n);
    pio_residual_log_pop(&c->log, &c->queue, c->numbers);
    pio_queue_download(&c->queue, numbers, c->numbers, sizeof *numbers * (size_t)c->n);
}

static rice_log state(log_case *c)
{
    rice_log t;
    pio_residual_log_state(&c->log, &c->queue, &t);
    return t;
}

/* ---- records of every kind ------------------------------------------------------------------------------------- */

enum { KINDS = 72 };

/* Kind 0 .. 63: numbers of so many bits at most; then zeros but for a few, an outlier, the extremes, a ramp, signs,
 * lone ones, blocks of zeros between others, the largest alone. */
static void fill(int64_t *r, int n, int kind)
{
    for (int i = 0; i < n; i++) {
        const uint64_t b = bits();
        const int64_t some = (int64_t)(b >> 8) % 5 - 2;
        if (kind < 64)
            r[i] = kind ? (int64_t)b >> (64 - kind) : 0;
        else if (kind == 64)
            r[i] = b % 50 ? 0 : some;
        else if (kind == 65)
            r[i] = i == n / 2 ? INT64_MIN : some;
        else if (kind == 66)
            r[i] = b % 3 ? b % 2 ? INT64_MIN : INT64_MAX : 0;
        else if (kind == 67)
            r[i] = ((int64_t)i << 40) - i;
        else if (kind == 68)
            r[i] = b % 2 ? 1 : -1;
        else if (kind == 69)
            r[i] = i % 128 == 127 || i % 128 == 0;
        else if (kind == 70)
            r[i] = i / 128 % 2 ? some * 1000 : 0;
        else
            r[i] = i == n - 1 ? INT64_MAX : 0;
    }
}

static void what_was_pushed_is_popped_to_the_bit(void **unused)
{
    static const int size[] = {1, 2, 127, 128, 129, 1000, 4096};
    int64_t records = 0, numbers = 0;
    (void)unused;
    for (int s = 0; s < 7; s++) {
        const int n = size[s];
        int64_t *in = calloc((size_t)(KINDS * n), sizeof *in), *out = calloc((size_t)n, sizeof *out);
        log_case c;
        begin(&c, (int64_t)KINDS * (10 * n + 64), n, 1);
        seed = 77 + (uint64_t)s;
        for (int k = 0; k < KINDS; k++) {
            fill(in + (ptrdiff_t)k * n, n, k);
            push(&c, in + (ptrdiff_t)k * n, k);
        }
        assert_true(state(&c).fails == -1 && state(&c).used > 0);
        for (int k = KINDS - 1; k >= 0; k--) {
            pop(&c, out);
            for (int i = 0; i < n; i++)
                if (out[i] != in[(ptrdiff_t)k * n + i])
                    fail_msg("record %d of %d: number %d is %lld, was %lld", k, n, i, (long long)out[i],
                             (long long)in[(ptrdiff_t)k * n + i]);
            records++, numbers += n;
        }
        assert_int_equal(state(&c).used, 0);
        end(&c);
        free(in);
        free(out);
    }
    print_message("  %lld records of %lld numbers: equal\n", (long long)records, (long long)numbers);
}

/* Numbers at some places of a longer array, the others untouched. */
static void numbers_lie_where_the_items_say(void **unused)
{
    enum { N = 300, ALL = 700 };
    int item[ALL] = {0}, listed[ALL] = {0}, used = 0;
    int64_t in[ALL], out[ALL];
    log_case c;
    (void)unused;
    begin(&c, 1 << 14, ALL, 1);
    for (int i = 0; i < N; i++) listed[item[i] = (i * 11 + 3) % ALL] = 1;
    pio_queue_upload(&c.queue, c.items, item, sizeof item);
    c.log.item = c.items;
    c.log.n = N;
    c.log.blocks = rice_blocks(N);
    seed = 5;
    fill(in, ALL, 12);
    push(&c, in, 0);
    pop(&c, out);
    for (int i = 0; i < ALL; i++) {
        used += listed[i];
        assert_true(out[i] == (listed[i] ? in[i] : 0x5a5a5a5a5a5a5a5a));
    }
    assert_int_equal(used, N);
    end(&c);
}

static void a_residual_log_has_the_same_bytes_for_any_number_of_threads(void **unused)
{
    enum { N = 700000, CAPACITY = 8000000 };
    int64_t *in = malloc(sizeof *in * N);
    uint8_t *data[3];
    int64_t used[3];
    (void)unused;
    for (int t = 0; t < 3; t++) {
        log_case c;
        begin(&c, CAPACITY, N, t + 1);
        seed = 9;
        for (int i = 0; i < N; i++) in[i] = (int64_t)llrint(ldexp(normal(), i / 40000));
        push(&c, in, 0);
        used[t] = state(&c).used;
        data[t] = malloc(CAPACITY);
        pio_queue_download(&c.queue, data[t], c.log.data, CAPACITY);
        end(&c);
    }
    print_message("  %lld bytes of %d numbers\n", (long long)used[0], N);
    for (int t = 0; t < 3; t++) assert_true(used[t] == used[0] && !memcmp(data[t], data[0], CAPACITY));
    for (int t = 0; t < 3; t++) free(data[t]);
    free(in);
}

/* ---- how many bits --------------------------------------------------------------------------------------------- */

/* Probability of k of a normal number of deviation s, rounded; of one that is b^|k|. */
static double probability(int kind, double s, int64_t k)
{
    if (kind == 0) return 0.5 * (erfc(((double)k - 0.5) / (s * sqrt(2))) - erfc(((double)k + 0.5) / (s * sqrt(2))));
    const double b = exp(-1 / s);
    return (1 - b) / (1 + b) * pow(b, fabs((double)k));
}

static int64_t drawn(int kind, double s)
{
    if (kind == 0) return (int64_t)llrint(s * normal());
    const double b = exp(-1 / s), u = uniform(), zero = (1 - b) / (1 + b);
    if (u < zero) return 0;
    const int64_t k = 1 + (int64_t)floor(log(uniform()) / log(b));
    return u - zero < (1 - zero) / 2 ? k : -k;
}

static double entropy(int kind, double s)
{
    double sum = 0;
    for (int64_t k = (int64_t)(-60 * s) - 8; (double)k <= 60 * s + 8; k++) {
        const double p = probability(kind, s, k);
        if (p > 0) sum -= p * log2(p);
    }
    return sum;
}

static void numbers_take_few_bits_more_than_their_entropy(void **unused)
{
    enum { N = 100000 };
    static const double spread[] = {0.1, 0.2, 0.3, 0.5, 1, 2, 5, 30, 1000, 20000};
    int64_t *in = malloc(sizeof *in * N);
    (void)unused;
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < 10; s++) {
            log_case c;
            begin(&c, 9 * N, N, 1);
            seed = 3;
            for (int i = 0; i < N; i++) in[i] = drawn(kind, spread[s]);
            push(&c, in, 0);
            const double taken = 8 * (double)state(&c).used / N, least = entropy(kind, spread[s]);
            print_message("  %s of spread %g: %.3f bits, entropy %.3f (limit: entropy + 0.5)\n",
                          kind ? "geometric" : "normal", spread[s], taken, least);
            assert_true(taken >= least - 0.02 && taken <= least + 0.5);
            end(&c);
        }
    free(in);
}

static void zeros_take_the_length_of_their_blocks_alone(void **unused)
{
    enum { N = 128 * 1000 };
    int64_t *in = calloc(N, sizeof *in);
    log_case c;
    (void)unused;
    begin(&c, 9 * N, N, 1);
    push(&c, in, 0);
    print_message("  %g bits for each of %d zeros\n", 8 * (double)state(&c).used / N, N);
    assert_int_equal(state(&c).used, 2 * 1000 + 4);
    end(&c);
    free(in);
}

/* ---- what goes wrong ------------------------------------------------------------------------------------------- */

static void a_record_that_does_not_fit_changes_nothing_and_is_reported(void **unused)
{
    enum { N = 500 };
    int64_t in[N], out[N];
    double level;
    log_case c;
    (void)unused;
    begin(&c, 3 * N, N, 1);
    seed = 21;
    fill(in, N, 12);
    push(&c, in, 40);
    const rice_log one = state(&c);
    assert_true(one.used > 0 && one.fails == -1);
    push(&c, in, 41);
    push(&c, in, 42);
    const rice_log two = state(&c);
    pio_queue_download(&c.queue, &level, c.level, sizeof level);
    print_message("  capacity %d, used %lld, step %lld does not fit by %lld bytes\n", 3 * N, (long long)two.used,
                  (long long)two.fails, (long long)two.missing);
    assert_true(level < 0);
    assert_int_equal(two.used, one.used);
    assert_int_equal(two.fails, 41);
    assert_true(two.missing > 0 && two.missing <= one.used); /* records of one kind are of one size or so */
    pop(&c, out);
    assert_memory_equal(in, out, sizeof in);
    end(&c);
}

static void a_record_that_is_popped_leaves_no_trace(void **unused)
{
    enum { N = 500 };
    int64_t in[N], other[N], out[N];
    log_case c;
    (void)unused;
    begin(&c, 8 * N, N, 1);
    seed = 22;
    fill(in, N, 5);
    fill(other, N, 9);
    push(&c, in, 0);
    const int64_t used = state(&c).used;
    pio_residual_log_mark(&c.log, &c.queue);
    push(&c, other, 1);
    push(&c, other, 1);
    assert_true(state(&c).used > used);
    pio_residual_log_rewind(&c.log, &c.queue);
    assert_int_equal(state(&c).used, used);
    pop(&c, out);
    assert_memory_equal(in, out, sizeof in);
    end(&c);
}

/* Every bit of a record, one after another: something else is read, or its padding it was; and nothing beyond the
 * residual log is touched, which sanitizers and guarded pages see. */
static void a_planted_bit_changes_numbers_and_does_no_harm(void **unused)
{
    enum { N = 150 };
    int64_t in[N], out[N];
    uint8_t byte;
    int silent = 0, flipped = 0;
    log_case c;
    (void)unused;
    for (int kind = 3; kind < KINDS; kind += kind == 3 ? 61 : 1) {
        begin(&c, 9 * N, N, 1);
        seed = 23;
        fill(in, N, kind);
        push(&c, in, 0);
        const int64_t used = state(&c).used;
        const rice_log whole = state(&c);
        for (int64_t b = 0; b < 8 * used; b++) {
            pio_queue_upload(&c.queue, c.log.state, &whole, sizeof whole);
            pio_queue_download(&c.queue, &byte, c.log.data + b / 8, 1);
            byte ^= (uint8_t)(1 << b % 8);
            pio_queue_upload(&c.queue, c.log.data + b / 8, &byte, 1);
            pop(&c, out);
            silent += !memcmp(in, out, sizeof in);
            flipped++;
            byte ^= (uint8_t)(1 << b % 8);
            pio_queue_upload(&c.queue, c.log.data + b / 8, &byte, 1);
        }
        end(&c);
    }
    print_message("  %d bits planted, %d of them in padding\n", flipped, silent);
    assert_true(flipped > 1000 && silent * 10 < flipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_pushed_is_popped_to_the_bit),
        cmocka_unit_test(numbers_lie_where_the_items_say),
        cmocka_unit_test(a_residual_log_has_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(numbers_take_few_bits_more_than_their_entropy),
        cmocka_unit_test(zeros_take_the_length_of_their_blocks_alone),
        cmocka_unit_test(a_record_that_does_not_fit_changes_nothing_and_is_reported),
        cmocka_unit_test(a_record_that_is_popped_leaves_no_trace),
        cmocka_unit_test(a_planted_bit_changes_numbers_and_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
