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

enum { RUN = 1 << 14 }; /* items that qsort sorts at once */

/* The items to sort: n items of `size` bytes, in the order of compare(a, b, context). */
typedef struct {
    size_t n, size;
    order *compare;
    void *context;
} items;

/* Merges the runs a[0..n) and a[n..n+m) into `out`; of equal items, those of the first run come first. */
static void merge(const items *i, const char *a, size_t n, size_t m, char *out)
{
    const size_t size = i->size;
    const char *b = a + n * size, *const a_end = b, *const b_end = b + m * size;
    while (a < a_end && b < b_end) {
        const char **from = i->compare(a, b, i->context) <= 0 ? &a : &b;
        memcpy(out, *from, size);
        *from += size;
        out += size;
    }
    memcpy(out, a, (size_t)(a_end - a));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

/* Merges neighbouring runs of `length` items into runs of twice that, from `from` to `to`. */
static piola_status merge_runs(const items *i, const char *from, char *to, size_t length, const char *doing,
                               piola_error *error)
{
    for (size_t at = 0; at < i->n; at += 2 * length) {
        const size_t first = i->n - at < length ? i->n - at : length, left = i->n - at - first;
        merge(i, from + at * i->size, first, left < length ? left : length, to + at * i->size);
        const piola_status rc = pio_stop(doing, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

piola_status pio_stop_sort(void *first, size_t n, size_t size, order *compare, void *context, const char *doing,
                           piola_error *error)
{
    const items all = {n, size, compare, context};
    char *own = first, *from = own;
    piola_status rc = PIOLA_OK;
    for (size_t at = 0; !rc && at < n; at += RUN) {
        qsort_r(own + at * size, n - at < RUN ? n - at : RUN, size, compare, context);
        rc = pio_stop(doing, error);
    }
    if (rc || n <= RUN) return rc;
    char *other = malloc(n * size), *to = other;
    if (!other) return pio_fail_memory(error, n * size, "a sort");
    for (size_t length = RUN; !rc && length < n; length *= 2) {
        rc = merge_runs(&all, from, to, length, doing, error);
        char *last = from;
        from = to;
        to = last;
    }
    if (from != own && !rc) memcpy(own, from, n * size);
    free(other);
    return rc;
}
