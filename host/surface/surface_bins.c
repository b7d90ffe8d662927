/* surface_bins.c -- see surface_bins.h. */
#include "host/surface/surface_bins.h"

#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/stop.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#define WIDE 3.0 /* bins that the box of a triangle spans */

enum { LEVELS = 16, AT_ONCE = 1 << 13, MOST_THREADS = 8 };

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* A rotation. Rows first, first + 1 and first + 2 (cyclic) are u, v and w. */
static const double turn[3][3] = {
    {0.876442, -0.36241, -0.317031}, {0.017214, 0.681575, -0.731545}, {0.4812, 0.6357, 0.6036}};

void pio_bins_map(const pio_bins *g, const double x[3], double out[3])
{
    double y[3];
    for (int a = 0; a < 3; a++) y[a] = (x[a] - g->middle[a]) * g->per;
    for (int r = 0; r < 3; r++) {
        const double *row = turn[(g->first + r) % 3];
        out[r] = row[0] * y[0] + row[1] * y[1] + row[2] * y[2];
    }
}

/* Maps vertices from `first` on, and finds the box about them. */
static void map_some(pio_bins *g, int32_t first, int32_t n, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (int32_t v = first; v < first + n; v++) {
        double *x = g->at + 3 * (size_t)v;
        pio_bins_map(g, g->s->vertex + 3 * (size_t)v, x);
        for (int a = 0; a < 3; a++) {
            low[a] = x[a] < low[a] ? x[a] : low[a];
            high[a] = x[a] > high[a] ? x[a] : high[a];
        }
    }
}

static piola_status map_all(pio_bins *g, piola_error *error)
{
    for (int a = 0; a < 3; a++) {
        g->middle[a] = g->s->low[a] + (g->s->high[a] - g->s->low[a]) / 2;
        g->low[a] = INFINITY;
        g->high[a] = -INFINITY;
    }
#pragma omp parallel for schedule(static)
    for (int32_t first = 0; first < g->s->n_vertices; first += AT_ONCE) {
        double low[3], high[3];
        if (pio_stop(PIO_SCREENING, NULL)) continue;
        map_some(g, first, least(AT_ONCE, g->s->n_vertices - first), low, high);
#pragma omp critical
        for (int a = 0; a < 3; a++) {
            g->low[a] = low[a] < g->low[a] ? low[a] : g->low[a];
            g->high[a] = high[a] > g->high[a] ? high[a] : g->high[a];
        }
    }
    return pio_stop(PIO_SCREENING, error);
}

static pio_bin_range range_of(const pio_bins *g, int32_t t)
{
    const double *const corner[3] = {pio_bins_corner(g, t, 0), pio_bins_corner(g, t, 1), pio_bins_corner(g, t, 2)};
    pio_bin_range r;
    for (int a = 0; a < 2; a++) {
        double low, high;
        pio_bins_box(corner, a, &low, &high);
        r.from[a] = (uint16_t)pio_bins_fine(g, a, low);
        r.to[a] = (uint16_t)pio_bins_fine(g, a, high);
    }
    return r;
}

/* Chooses bins of level 0, about as large as the boxes of some triangles, but at most two per triangle. */
static void choose_bins(pio_bins *g)
{
    enum { SAMPLES = 1 << 14 };
    const int32_t n = g->s->n_triangles, step = n / SAMPLES + 1;
    double sum[2] = {0}, bins[2];
    int32_t samples = 0;
    for (int32_t t = 0; t < n; t += step, samples++) {
        const double *const corner[3] = {pio_bins_corner(g, t, 0), pio_bins_corner(g, t, 1), pio_bins_corner(g, t, 2)};
        for (int a = 0; a < 2; a++) {
            double low, high;
            pio_bins_box(corner, a, &low, &high);
            sum[a] += high - low;
        }
    }
    for (int a = 0; a < 2; a++)
        bins[a] = fmax(1, (g->high[a] - g->low[a]) / fmax(WIDE * sum[a] / samples, 64 * g->depth * g->per));
    const double too_many = fmax(1, sqrt(bins[0] * bins[1] / (2.0 * n + 1)));
    for (int a = 0; a < 2; a++) {
        g->most[a] = (int32_t)fmin(1 << LEVELS, ceil(bins[a] / too_many));
        g->fine[a] = g->most[a] / (g->high[a] - g->low[a]);
    }
}

/* Computes ranges of triangles from `first` on; more[level] += the entries beyond one for each of them. */
static void range_some(pio_bins *g, int32_t first, int32_t n, uint64_t more[LEVELS + 1])
{
    for (int32_t t = first; t < first + n; t++) {
        const pio_bin_range r = g->range[t] = range_of(g, t);
        for (int k = 0; k <= LEVELS; k++) {
            const int32_t wide = (r.to[0] >> k) - (r.from[0] >> k), high = (r.to[1] >> k) - (r.from[1] >> k);
            more[k] += (uint64_t)(wide + 1) * (uint64_t)(high + 1) - 1;
            if (!wide && !high) break; /* nor at any higher level */
        }
    }
}

/* Computes all ranges, and the first level whose bins have few entries in total: long triangles are in many. */
static piola_status choose_level(pio_bins *g, piola_error *error)
{
    const size_t bytes = ((size_t)g->s->n_triangles + 1) * sizeof *g->range;
    const uint64_t n = (uint64_t)g->s->n_triangles, few = 16 * n + 65536;
    uint64_t more[LEVELS + 1] = {0}; /* entries beyond one for each triangle */
    g->range = pio_large_alloc(bytes);
    if (!g->range) return pio_fail_memory(error, bytes, "a surface");
#pragma omp parallel for schedule(static)
    for (int32_t first = 0; first < g->s->n_triangles; first += AT_ONCE) {
        uint64_t own[LEVELS + 1] = {0};
        if (pio_stop(PIO_SCREENING, NULL)) continue;
        range_some(g, first, least(AT_ONCE, g->s->n_triangles - first), own);
#pragma omp critical
        for (int k = 0; k <= LEVELS; k++) more[k] += own[k];
    }
    const piola_status rc = pio_stop(PIO_SCREENING, error);
    if (rc) return rc;
    while (g->level < LEVELS && more[g->level] + n > (few < UINT32_MAX ? few : UINT32_MAX)) g->level++;
    for (int a = 0; a < 2; a++) g->bins[a] = ((g->most[a] - 1) >> g->level) + 1;
    return PIOLA_OK;
}

/* As pass_bins(), for bins in rows from `low` up to, not including, `high`. */
static void pass_rows(pio_bins *g, bool place, int32_t low, int32_t high)
{
    for (int32_t t = 0; t < g->s->n_triangles; t++) {
        const pio_bin_range r = g->range[t];
        const int32_t from = r.from[0] >> g->level, to = r.to[0] >> g->level;
        if (pio_stop_at(t, PIO_SCREENING, NULL)) return;
        for (int32_t i = from < low ? low : from; i <= to && i < high; i++)
            for (int32_t j = r.from[1] >> g->level; j <= r.to[1] >> g->level; j++) {
                uint32_t *b = g->start + (size_t)i * (size_t)g->bins[1] + (size_t)j;
                if (place)
                    g->member[b[1]++] = t;
                else
                    b[2]++;
            }
    }
}

/* Either start[b + 2] += the number of triangles of bin b; or stores every triangle, after which start[b] is the start
 * of bin b. Each thread handles a part of the rows and reads all triangles. */
static piola_status pass_bins(pio_bins *g, bool place, piola_error *error)
{
    const int threads = omp_get_max_threads() < MOST_THREADS ? omp_get_max_threads() : MOST_THREADS;
#pragma omp parallel for schedule(static)
    for (int k = 0; k < threads; k++)
        pass_rows(g, place, (int32_t)((int64_t)g->bins[0] * k / threads),
                  (int32_t)((int64_t)g->bins[0] * (k + 1) / threads));
    return pio_stop(PIO_SCREENING, error);
}

static piola_status fill_bins(pio_bins *g, piola_error *error)
{
    const size_t bins = (size_t)g->bins[0] * (size_t)g->bins[1];
    g->start = calloc(bins + 2, sizeof *g->start);
    if (!g->start) return pio_fail_memory(error, (bins + 2) * sizeof *g->start, "a surface");
    piola_status rc = pass_bins(g, false, error);
    for (size_t b = 0; b < bins; b++) {
        if (g->start[b + 2] > g->crowd) g->crowd = g->start[b + 2];
        g->start[b + 2] += g->start[b + 1];
    }
    const size_t bytes = ((size_t)g->start[bins + 1] + 1) * sizeof *g->member;
    g->member = pio_large_alloc(bytes);
    if (!g->member) return pio_fail_memory(error, bytes, "a surface");
    if (!rc) rc = pass_bins(g, true, error);
    free(g->range);
    g->range = NULL;
    return rc;
}

/* Returns whether too many members of bins would be compared with each other; a rod along w is in few bins. A pair
 * takes up to 5 ns. */
static bool is_crowded(const pio_bins *g)
{
    const double most = 4096.0 * g->s->n_triangles + 1e8;
    const size_t bins = (size_t)g->bins[0] * (size_t)g->bins[1];
    double pairs = 0;
    for (size_t b = 0; b < bins; b++) {
        const double n = g->start[b + 1] - g->start[b];
        pairs += n * n;
    }
    return pairs > most;
}

/* Frees all that depends on the line. */
static void drop(pio_bins *g)
{
    free(g->range);
    free(g->start);
    free(g->member);
    g->range = NULL;
    g->start = NULL;
    g->member = NULL;
    g->level = 0;
    g->crowd = 0;
}

void pio_bins_free(pio_bins *g)
{
    drop(g);
    free(g->at);
    g->at = NULL;
}

piola_status pio_bins_make(pio_bins *g, const pio_trimesh *s, double depth, bool *found, piola_error *error)
{
    const size_t bytes = ((size_t)s->n_vertices + 1) * 3 * sizeof(double);
    *found = false;
    *g = (pio_bins){.s = s, .depth = depth, .per = 1 / pio_trimesh_size(s), .at = pio_large_alloc(bytes)};
    piola_status rc = g->at ? PIOLA_OK : pio_fail_memory(error, bytes, "a surface");
    for (; !rc && !*found && g->first < 3; g->first += !*found) {
        drop(g);
        rc = map_all(g, error);
        if (!rc) choose_bins(g);
        if (!rc) rc = choose_level(g, error);
        if (!rc) rc = fill_bins(g, error);
        *found = !rc && !is_crowded(g);
    }
    return rc;
}
