/* members.c -- see members.h. */
#include "host/sweep/members.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/random.h"
#include "host/sweep/axis.h"
#include "host/sweep/sobol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Streams of random numbers. */
enum { OF_SHIFT = 1, OF_ORDER = 2, OF_OFFSET = 3 };

/* ---- the unit cube --------------------------------------------------------------------------------------- */

typedef struct {
    double key;
    int64_t number;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key < y->key || x->key > y->key) return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Gives each axis a random order of as many intervals as there are members (McKay, Beckman, Conover 1979). */
static piola_status order_intervals(pio_members *m, piola_error *error)
{
    const size_t n = (size_t)m->n;
    keyed *keys = malloc(n * sizeof *keys);
    bool enough = keys != NULL;
    for (size_t a = 0; enough && a < m->n_axes; a++) {
        int64_t *order = m->axes[a].order = pio_pool_take(&m->pool, n * sizeof *order);
        enough = order != NULL;
        for (size_t i = 0; enough && i < n; i++) keys[i] = (keyed){pio_uniform(m->seed, OF_ORDER, i, a), (int64_t)i};
        if (enough) qsort(keys, n, sizeof *keys, by_key);
        for (size_t i = 0; enough && i < n; i++) order[i] = keys[i].number;
    }
    free(keys);
    return enough ? PIOLA_OK : pio_fail_memory(error, n * sizeof(keyed), "the members of a sweep");
}

/* Returns a coordinate of a sampled member, from 0 and below 1. */
static double coordinate(const pio_members *m, int64_t member, size_t axis)
{
    if (m->sampling == PIO_LATIN_HYPERCUBE)
        return ((double)m->axes[axis].order[member] + pio_uniform(m->seed, OF_OFFSET, (uint64_t)member, axis)) /
               (double)m->n;
    uint32_t point = pio_sobol((uint32_t)member + m->first, (int)axis);
    if (m->seed) point ^= (uint32_t)(pio_uniform(m->seed, OF_SHIFT, 0, axis) * 0x1p32);
    return (double)point * 0x1p-32;
}

/* Returns the number of the value that an axis has in a member of the product. */
static int64_t index_in_product(const pio_members *m, int64_t member, size_t axis)
{
    for (size_t a = m->n_axes - 1; a > axis; a--) member /= m->axes[a].count;
    return member % m->axes[axis].count;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* Returns the entry of a list that an axis has in a member. */
static const char *entry_of(const pio_members *m, int64_t member, size_t axis)
{
    const pio_axis *a = &m->axes[axis];
    if (m->sampling == PIO_PRODUCT) return a->entries[index_in_product(m, member, axis)];
    const int64_t i = (int64_t)(coordinate(m, member, axis) * (double)a->count);
    return a->entries[i < a->count ? i : a->count - 1];
}

/* Returns the value of a range at t, from 0 to 1; both ends are exact. */
static double along(const pio_axis *a, double t)
{
    if (t >= 1) return a->high;
    return a->logarithmic ? a->low * pow(a->high / a->low, t) : a->low + (a->high - a->low) * t;
}

double pio_members_value(const pio_members *m, int64_t member, size_t axis)
{
    const pio_axis *a = &m->axes[axis];
    char why[400];
    double value = (double)NAN;
    if (!a->numbers) return value;
    if (a->entries) {
        const pio_locale old = pio_locale_begin();
        pio_quantity_parse(entry_of(m, member, axis), CFG_ANY, &value, why, sizeof why);
        pio_locale_end(old);
        return value;
    }
    if (m->sampling != PIO_PRODUCT) return along(a, coordinate(m, member, axis));
    return along(a, (double)index_in_product(m, member, axis) / (double)(a->count - 1));
}

void pio_members_text(const pio_members *m, int64_t member, size_t axis, char *text)
{
    const pio_axis *a = &m->axes[axis];
    char number[PIO_JSON_DOUBLE];
    if (a->entries) {
        snprintf(text, PIO_MEMBER_TEXT, "%s", entry_of(m, member, axis));
        return;
    }
    const char *unit = pio_quantity_unit(a->quantity);
    pio_format_double(number, pio_members_value(m, member, axis));
    snprintf(text, PIO_MEMBER_TEXT, "%s%s%s", number, *unit ? " " : "", unit);
}

size_t pio_members_set(const pio_members *m, int64_t member, size_t axis, char *out, size_t size)
{
    const pio_axis *a = &m->axes[axis];
    char text[PIO_MEMBER_TEXT];
    if (size) out[0] = '\0';
    if (a->part > 0) return 0;
    pio_members_text(m, member, axis, text);
    size_t used = (size_t)snprintf(out, size, a->parts ? "%s=[%s" : "%s=%s", a->key, text);
    for (int part = 1; part < a->parts; part++) {
        const bool room = used < size;
        pio_members_text(m, member, axis + (size_t)part, text);
        used += (size_t)snprintf(room ? out + used : NULL, room ? size - used : 0, ", %s%s", text,
                                 part == a->parts - 1 ? "]" : "");
    }
    return used;
}

/* ---- the members ----------------------------------------------------------------------------------------- */

const char *pio_members_sampling(const pio_members *m)
{
    static const char *const names[] = {
        [PIO_PRODUCT] = "product", [PIO_SOBOL] = "sobol", [PIO_LATIN_HYPERCUBE] = "lhs"};
    return names[m->sampling];
}

/* Returns the number of axes that boxes have. */
static size_t parts_of(const pio_members_of *of)
{
    size_t n = 0;
    for (size_t b = 0; b < of->n_boxes; b++) n += (size_t)of->boxes[b].parts;
    return n;
}

static piola_status parse_axes(pio_members *m, const pio_members_of *of, piola_error *error)
{
    const size_t n = of->n_over + parts_of(of);
    m->axes = pio_pool_take(&m->pool, n * sizeof *m->axes);
    if (!m->axes) return pio_fail_memory(error, n * sizeof *m->axes, "the axes of a sweep");
    for (m->n_axes = 0; m->n_axes < of->n_over; m->n_axes++) {
        pio_axis *a = &m->axes[m->n_axes];
        const piola_status rc = pio_axis_parse(a, of->over[m->n_axes], m->sampling != PIO_PRODUCT, &m->pool, error);
        if (rc) return rc;
        for (const pio_axis *b = m->axes; b < a; b++)
            if (!strcmp(a->path, b->path))
                return pio_fail(error, PIOLA_USAGE,
                                "--over: %.200s is varied twice, by '%.200s' and by '%.200s'; give one axis for it",
                                a->path, b->text, a->text);
    }
    for (size_t b = 0; b < of->n_boxes; b++)
        for (int part = 0; part < of->boxes[b].parts; part++) {
            const piola_status rc = pio_axis_of_box(&m->axes[m->n_axes++], &of->boxes[b], part, &m->pool, error);
            if (rc) return rc;
        }
    return PIOLA_OK;
}

static piola_status choose_sampling(pio_members *m, const pio_members_of *of, piola_error *error)
{
    const bool latin = of->sampling && !strcmp(of->sampling, "lhs");
    if (of->sampling && !latin && strcmp(of->sampling, "sobol") != 0)
        return pio_fail(error, PIOLA_USAGE, "--sampling: unknown value '%.60s'; there are: sobol, lhs", of->sampling);
    if (of->samples < 0 || of->samples > PIO_MEMBERS_MOST)
        return pio_fail(error, PIOLA_USAGE, "--samples: '%lld' is not a whole number from 1 to %d",
                        (long long)of->samples, PIO_MEMBERS_MOST);
    if (of->seed < 0) return pio_fail(error, PIOLA_USAGE, "--seed: '%lld' is below 0", (long long)of->seed);
    if (!of->samples && (of->sampling || of->seed))
        return pio_fail(error, PIOLA_USAGE, "--%s does nothing without --samples N",
                        of->sampling ? "sampling" : "seed");
    if (of->n_over == 0 && of->n_boxes == 0)
        return pio_fail(
            error, PIOLA_USAGE,
            "a sweep needs what it varies: --over PATH=LOW..HIGH:COUNT or --over PATH=a,b,c, or --starts N");
    m->sampling = !of->samples ? PIO_PRODUCT : latin ? PIO_LATIN_HYPERCUBE : PIO_SOBOL;
    m->seed = (uint64_t)of->seed;
    const size_t n = of->n_over + parts_of(of);
    m->first = of->n_boxes > 0; /* a corner of a box is no start */
    if (m->sampling == PIO_SOBOL && n > PIO_SOBOL_DIMENSIONS)
        return pio_fail(error, PIOLA_USAGE,
                        "--sampling: sobol has at most %d axes, not %zu; --sampling lhs has no limit",
                        PIO_SOBOL_DIMENSIONS, n);
    return PIOLA_OK;
}

piola_status pio_members_create(pio_members *m, const pio_members_of *of, piola_error *error)
{
    memset(m, 0, sizeof *m);
    piola_status rc = choose_sampling(m, of, error);
    const pio_locale old = pio_locale_begin();
    if (!rc) rc = parse_axes(m, of, error);
    pio_locale_end(old);
    if (rc) return rc;
    m->n = of->samples ? of->samples : 1;
    for (size_t a = 0; a < m->n_axes && m->sampling == PIO_PRODUCT; a++) {
        m->n *= m->axes[a].count; /* at most 10^10 */
        if (m->n > PIO_MEMBERS_MOST)
            return pio_fail(error, PIOLA_USAGE, "--over: the product of the axes has more than %d members",
                            PIO_MEMBERS_MOST);
    }
    return m->sampling == PIO_LATIN_HYPERCUBE ? order_intervals(m, error) : PIOLA_OK;
}

void pio_members_free(pio_members *m)
{
    pio_pool_free(&m->pool);
    m->axes = NULL;
    m->n_axes = 0;
}
