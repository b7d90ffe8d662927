/* stop.c -- see stop.h. */
#include "host/base/stop.h"

#include "host/base/fail.h"
#include "host/base/signals.h"

#include <stdlib.h>
#include <string.h>

piola_status pio_stop(const char *doing, piola_error *error)
{
    if (!pio_interrupted()) return PIOLA_OK;
    const char *why = pio_interruption();
    return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s while %s; nothing was written", why ? why : "a signal",
                    doing);
}

typedef int order(const void *, const void *, void *);

enum { RUN = 1 << 14 }; /* items that qsort puts in order at once */

/* The runs a[0..n) and a[n..n+m) merged into `out`; where items are equal, those of the first run come first. */
static void merge(const char *a, size_t n, size_t m, size_t size, order *compare, void *context, char *out)
{
    const char *b = a + n * size, *const a_end = b, *const b_end = b + m * size;
    while (a < a_end && b < b_end) {
        const char **from = compare(a, b, context) <= 0 ? &a : &b;
        memcpy(out, *from, size);
        *from += size;
        out += size;
    }
    memcpy(out, a, (size_t)(a_end - a));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

/* Neighbouring runs of `length` items become runs of twice that, from `from` to `to`. */
static piola_status merge_runs(const char *from, char *to, size_t n, size_t size, size_t length, order *compare,
                               void *context, const char *doing, piola_error *error)
{
    for (size_t at = 0; at < n; at += 2 * length) {
        const size_t first = n - at < length ? n - at : length, left = n - at - first;
        merge(from + at * size, first, left < length ? left : length, size, compare, context, to + at * size);
        const piola_status rc = pio_stop(doing, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

piola_status pio_stop_sort(void *items, size_t n, size_t size, order *compare, void *context, const char *doing,
                           piola_error *error)
{
    char *own = items, *from = own;
    piola_status rc = PIOLA_OK;
    for (size_t at = 0; !rc && at < n; at += RUN) {
        qsort_r(own + at * size, n - at < RUN ? n - at : RUN, size, compare, context);
        rc = pio_stop(doing, error);
    }
    if (rc || n <= RUN) return rc;
    char *other = malloc(n * size), *to = other;
    if (!other) return pio_fail_memory(error, n * size, "a sort");
    for (size_t length = RUN; !rc && length < n; length *= 2) {
        rc = merge_runs(from, to, n, size, length, compare, context, doing, error);
        char *last = from;
        from = to;
        to = last;
    }
    if (from != own && !rc) memcpy(own, from, n * size);
    free(other);
    return rc;
}
