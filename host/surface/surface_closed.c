/* surface_closed.c -- whether a surface is closed: its edges, sorted by their lower vertex. See surface_parts.h. */
#include "host/surface/surface_parts.h"

#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/stop.h"

#include <stdlib.h>

enum { FEW = 16 }; /* number of edges up to which insertion sort is used */

/* Edges that are not passed equally often in both directions: where one triangle has no neighbour, and where two have
 * opposite orientations. */
typedef struct {
    int64_t open, turned;
    int32_t first_open[2], first_turned[2]; /* vertices, the lower one first */
} faults;

static piola_status report(const pio_trimesh *s, const faults *f, piola_error *error)
{
    const int32_t *edge = f->open ? f->first_open : f->first_turned;
    const double *p = s->vertex + 3 * edge[0], *q = s->vertex + 3 * edge[1];
    if (f->open)
        return pio_trimesh_fail(
            s, error,
            "the surface is not closed: %lld edge%s open, the first from (%g %g %g) to (%g %g %g) m; close its "
            "holes",
            (long long)f->open, f->open > 1 ? "s are" : " is", p[0], p[1], p[2], q[0], q[1], q[2]);
    return pio_trimesh_fail(
        s, error,
        "neighbours disagree about which side is outside at %lld edge%s, the first from (%g %g %g) to (%g %g %g) "
        "m; order all corners counter-clockwise as seen from outside",
        (long long)f->turned, f->turned > 1 ? "s" : "", p[0], p[1], p[2], q[0], q[1], q[2]);
}

static int by_value(const void *a, const void *b, void *context)
{
    (void)context;
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

static piola_status sort(uint32_t *e, size_t n, piola_error *error)
{
    if (n > FEW) return pio_stop_sort(e, n, sizeof *e, by_value, NULL, PIO_ORDERING, error);
    for (size_t i = 1; i < n; i++) {
        const uint32_t own = e[i];
        size_t k = i;
        for (; k && e[k - 1] > own; k--) e[k] = e[k - 1];
        e[k] = own;
    }
    return PIOLA_OK;
}

/* Counts the faults of the edges of one lower vertex, which are sorted. */
static void count_faults(faults *f, int32_t low, const uint32_t *e, size_t n)
{
    for (size_t i = 0, next; i < n; i = next) {
        int64_t sum = 0;
        for (next = i; next < n && e[next] >> 1 == e[i] >> 1; next++) sum += e[next] & 1 ? 1 : -1;
        if (sum == 0) continue;
        int32_t *first = (next - i) % 2 ? f->first_open : f->first_turned;
        if (!((next - i) % 2 ? f->open++ : f->turned++)) {
            first[0] = low;
            first[1] = (int32_t)(e[i] >> 1);
        }
    }
}

/* Sets start[v + 1] to the start of the edges whose lower vertex is v; then stores every edge as twice its higher
 * vertex, plus 1 if the triangle passes it from the lower to the higher; after which the start is start[v]. */
static piola_status place_edges(const pio_trimesh *s, uint32_t *start, uint32_t *edge, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t t = 0; !rc && t < s->n_triangles; t++) {
            const int32_t *v = s->triangle + 3 * t;
            rc = pio_stop_at(t, PIO_ORDERING, error);
            for (int k = 0; k < 3; k++) {
                const int32_t a = v[k], b = v[k == 2 ? 0 : k + 1], low = a < b ? a : b, high = a < b ? b : a;
                if (pass)
                    edge[start[low + 1]++] = (uint32_t)high << 1 | (a < b);
                else
                    start[low + 2]++;
            }
        }
        for (int32_t v = 0; !pass && v < s->n_vertices; v++) start[v + 2] += start[v + 1];
    }
    return rc;
}

piola_status pio_trimesh_check_closed(const pio_trimesh *s, piola_error *error)
{
    const size_t n = 3 * (size_t)s->n_triangles, bytes = ((size_t)s->n_vertices + 2 + n) * sizeof(uint32_t);
    faults f = {0};
    uint32_t *start = calloc((size_t)s->n_vertices + 2, sizeof *start), *edge = pio_large_alloc(n * sizeof *edge);
    piola_status rc = start && edge ? place_edges(s, start, edge, error) : pio_fail_memory(error, bytes, "a surface");
    for (int32_t v = 0; !rc && v < s->n_vertices; v++) {
        const size_t own = start[v + 1] - start[v];
        rc = sort(edge + start[v], own, error);
        count_faults(&f, v, edge + start[v], own);
        if (!rc) rc = pio_stop_at(v, PIO_ORDERING, error);
    }
    if (!rc && (f.open || f.turned)) rc = report(s, &f, error);
    free(start);
    free(edge);
    return rc;
}
