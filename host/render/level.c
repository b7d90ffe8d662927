/* level.c -- the level set of particles on a grid (level.h).
 *
 * Particles are sorted into bins as wide as the weights reach, in the order of their numbers, so that every sum has one
 * order whatever the number of threads. Far from the surface nothing is summed: a node is inside where its bin and all
 * bins around are at least half as full as an even filling is, outside where all are empty. */
#include "host/render/level_parts.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACH 2.5 /* radius of the weights in units of the spacing */
/* Distance of the boundary of an even half-space from the mean of what is within reach, in units of the reach: the
 * integral of z (1 - s^2)^3 over half a disc or half a ball, over that of (1 - s^2)^3. */
#define RADIUS_2D 0.2586930
#define RADIUS_3D 0.2460911

/* ---- sums ------------------------------------------------------------------------------------------------ */

static int bin_of(const pio_level *l, double place, int axis)
{
    const int bin = (int)floor(place / l->reach);
    return bin < 0 ? 0 : bin >= l->bins[axis] ? l->bins[axis] - 1 : bin;
}

static size_t bin_number(const pio_level *l, int i, int j, int k)
{
    return ((size_t)k * (size_t)l->bins[1] + (size_t)j) * (size_t)l->bins[0] + (size_t)i;
}

/* Adds the particles first..last - 1 to the sums: weight, places, weight of those with a value, values. */
static void add(const pio_level *l, const float at[3], uint32_t first, uint32_t last, float sum[6])
{
    const float scale = (float)(1 / (l->reach * l->reach));
    for (uint32_t i = first; i < last; i++) {
        const float *p = l->place + 3 * (size_t)i;
        const float d[3] = {p[0] - at[0], p[1] - at[1], p[2] - at[2]};
        const float left = 1 - scale * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(left > 0)) continue;
        const float w = left * left * left;
        sum[0] += w;
        for (int k = 0; k < 3; k++) sum[1 + k] += w * d[k];
        if (l->value == NULL || isnan(l->value[i])) continue;
        sum[4] += w;
        sum[5] += w * l->value[i];
    }
}

/* Returns the mean at a place whose bin is (i, j, k). */
static pio_level_mean mean_in(const pio_level *l, const float at[3], const int bin[3])
{
    float sum[6] = {0, 0, 0, 0, 0, 0};
    const int left = bin[0] > 0 ? bin[0] - 1 : 0, right = bin[0] + 1 < l->bins[0] ? bin[0] + 1 : bin[0];
    for (int k = bin[2] - 1; k <= bin[2] + 1; k++) {
        for (int j = bin[1] - 1; j <= bin[1] + 1; j++) {
            if (j < 0 || k < 0 || j >= l->bins[1] || k >= l->bins[2]) continue;
            add(l, at, l->start[bin_number(l, left, j, k)], l->start[bin_number(l, right, j, k) + 1], sum);
        }
    }
    pio_level_mean m = {sum[0], {at[0], at[1], at[2]}, NAN};
    for (int k = 0; k < 3 && sum[0] > 0; k++) m.mean[k] += sum[1 + k] / sum[0];
    if (sum[4] > 0 && sum[4] >= sum[0] / 2) m.value = sum[5] / sum[4];
    return m;
}

pio_level_mean pio_level_mean_at(const pio_level *l, const float place[3])
{
    const int bin[3] = {bin_of(l, (double)place[0], 0), bin_of(l, (double)place[1], 1), bin_of(l, (double)place[2], 2)};
    return mean_in(l, place, bin);
}

/* ---- particles in bins ----------------------------------------------------------------------------------- */

static bool counts(const pio_level_set *s, const double *p)
{
    for (int k = 0; k < s->dimension; k++)
        if (!(p[k] >= s->low[k] && p[k] <= s->high[k])) return false; /* also where it is NaN */
    return true;
}

/* Finds the bounds of the particles that count, with the margin beyond which the level set is positive. */
static void find_extent(pio_level *l, double margin)
{
    const pio_level_set *s = l->set;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    l->counted = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double *p = s->points + 3 * i;
        if (!counts(s, p)) continue;
        l->counted++;
        for (int k = 0; k < s->dimension; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
    }
    for (int k = 0; k < 3; k++) {
        l->origin[k] = k < s->dimension ? low[k] - margin : 0;
        l->extent[k] = k < s->dimension && l->counted > 0 ? high[k] - low[k] + 2 * margin : 0;
    }
}

/* Chooses the order of nodes: slabs across the longest axis are small. It is cyclic, so that triangles keep their
 * orientation. */
static void order_axes(pio_level *l)
{
    int longest = 2;
    for (int k = 0; k < 2; k++)
        if (l->nodes[k] > l->nodes[longest]) longest = k;
    for (int k = 0; k < 3; k++) l->axis[k] = l->set->dimension == 2 ? (3 - k) % 3 : (longest + 1 + k) % 3;
}

/* Chooses the grid: cells of this side (m), or larger ones where there would be too many nodes. */
static void choose_grid(pio_level *l, double cell)
{
    const pio_level_set *s = l->set;
    const double most = s->dimension == 2 ? PIO_LEVEL_NODES_2D : PIO_LEVEL_NODES_3D;
    for (;; cell *= 1.1) {
        const double reach = fmax(REACH * s->spacing, 2 * cell);
        const double radius = (s->dimension == 2 ? RADIUS_2D : RADIUS_3D) * reach;
        double total = 1, nodes[3];
        find_extent(l, radius + 1.5 * cell);
        for (int k = 0; k < 3; k++) {
            nodes[k] = k < s->dimension ? ceil(l->extent[k] / cell) + 1 : 1;
            total *= nodes[k];
        }
        if (total > most) continue;
        for (int k = 0; k < 3; k++) {
            l->nodes[k] = (int)nodes[k];
            l->bins[k] = (int)floor((nodes[k] - 1) * cell / reach) + 1;
        }
        order_axes(l);
        l->cell = cell / s->spacing;
        l->reach = reach / s->spacing;
        l->radius = (float)(radius / s->spacing);
        return;
    }
}

/* Returns the bin of a particle and its place. */
static size_t place_of(const pio_level *l, const double *p, float out[3])
{
    int bin[3];
    for (int k = 0; k < 3; k++) {
        const double place = k < l->set->dimension ? (p[k] - l->origin[k]) / l->set->spacing : 0;
        out[k] = (float)place;
        bin[k] = bin_of(l, place, k);
    }
    return bin_number(l, bin[0], bin[1], bin[2]);
}

static piola_status sort(pio_level *l, piola_error *error)
{
    const pio_level_set *s = l->set;
    const size_t bins = bin_number(l, 0, 0, l->bins[2]);
    float place[3];
    l->start = calloc(bins + 2, sizeof *l->start);
    l->place = malloc((l->counted + 1) * 3 * sizeof *l->place);
    l->value = s->values != NULL ? malloc((l->counted + 1) * sizeof *l->value) : NULL;
    if (l->start == NULL || l->place == NULL || (s->values != NULL && l->value == NULL))
        return pio_fail_memory(error, bins * 4 + l->counted * 16, "the surface of particles");
    uint32_t *next = l->start + 1; /* the beginnings move while bins are filled, and are then those of the next bins */
    for (size_t i = 0; i < s->n; i++)
        if (counts(s, s->points + 3 * i)) next[place_of(l, s->points + 3 * i, place) + 1]++;
    for (size_t b = 1; b <= bins; b++) next[b] += next[b - 1];
    for (size_t i = 0; i < s->n; i++) {
        if (!counts(s, s->points + 3 * i)) continue;
        const uint32_t at = next[place_of(l, s->points + 3 * i, place)]++;
        memcpy(l->place + 3 * (size_t)at, place, sizeof place);
        if (l->value != NULL) l->value[at] = s->values[i];
    }
    return PIOLA_OK;
}

/* ---- the level set --------------------------------------------------------------------------------------- */

/* Returns 1 where this bin and all around are at least half full, -1 where all are empty, else 0. */
static int filling(const pio_level *l, const int bin[3])
{
    const bool flat = l->set->dimension == 2;
    const double half = 0.5 * l->reach * l->reach * (flat ? 1 : l->reach);
    int full = 0, empty = 0;
    for (int k = flat ? 0 : bin[2] - 1; k <= (flat ? 0 : bin[2] + 1); k++) {
        for (int j = bin[1] - 1; j <= bin[1] + 1; j++) {
            for (int i = bin[0] - 1; i <= bin[0] + 1; i++) {
                const bool beyond = i < 0 || j < 0 || k < 0 || i >= l->bins[0] || j >= l->bins[1] || k >= l->bins[2];
                const size_t b = beyond ? 0 : bin_number(l, i, j, k);
                const uint32_t count = beyond ? 0 : l->start[b + 1] - l->start[b];
                full += (double)count >= half;
                empty += count == 0;
            }
        }
    }
    const int all = flat ? 9 : 27;
    return full == all ? 1 : empty == all ? -1 : 0;
}

static float phi_at(const pio_level *l, const float at[3], const int bin[3])
{
    const pio_level_mean m = mean_in(l, at, bin);
    const float d[3] = {at[0] - m.mean[0], at[1] - m.mean[1], at[2] - m.mean[2]};
    if (!(m.weight > 0)) return (float)l->reach;
    return sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - l->radius;
}

static size_t node_of(const pio_level *l, const int at[3])
{
    const int *a = l->axis;
    return ((size_t)at[a[2]] * (size_t)l->nodes[a[1]] + (size_t)at[a[1]]) * (size_t)l->nodes[a[0]] + (size_t)at[a[0]];
}

/* Computes the level set at the nodes in one bin. */
static void fill_bin(const pio_level *l, const int bin[3])
{
    int from[3], to[3];
    const int known = filling(l, bin);
    for (int k = 0; k < 3; k++) {
        from[k] = (int)ceil(bin[k] * (l->reach / l->cell));
        to[k] = bin[k] + 1 == l->bins[k] ? l->nodes[k] : (int)ceil((bin[k] + 1) * (l->reach / l->cell));
    }
    for (int k = from[2]; k < to[2]; k++) {
        for (int j = from[1]; j < to[1]; j++) {
            for (int i = from[0]; i < to[0]; i++) {
                const float at[3] = {(float)(i * l->cell), (float)(j * l->cell), (float)(k * l->cell)};
                const size_t node = node_of(l, (const int[3]){i, j, k});
                l->phi[node] = known > 0 ? -l->radius : known < 0 ? (float)l->reach : phi_at(l, at, bin);
            }
        }
    }
}

static piola_status fill(pio_level *l, piola_error *error)
{
    const size_t nodes = (size_t)l->nodes[0] * (size_t)l->nodes[1] * (size_t)l->nodes[2];
    const int lines = l->bins[1] * l->bins[2];
    l->phi = malloc(nodes * sizeof *l->phi);
    if (l->phi == NULL) return pio_fail_memory(error, nodes * sizeof *l->phi, "the surface of particles");
#pragma omp parallel for num_threads(l->set->threads) schedule(dynamic, 1)
    for (int line = 0; line < lines; line++)
        for (int i = 0; i < l->bins[0]; i++) fill_bin(l, (const int[3]){i, line % l->bins[1], line / l->bins[1]});
    return PIOLA_OK;
}

/* ---- the surface ----------------------------------------------------------------------------------------- */

/* Sets normals and values: the normal is the direction from the mean of the particles around a vertex to it. */
static void finish(const pio_level *l, pio_level_surface *s)
{
#pragma omp parallel for num_threads(l->set->threads) schedule(dynamic, 4096)
    for (size_t i = 0; i < s->n_vertices; i++) {
        pio_level_vertex *v = &s->vertex[i];
        const pio_level_mean m = pio_level_mean_at(l, v->place);
        float length = 0;
        for (int k = 0; k < 3; k++) {
            v->normal[k] = v->place[k] - m.mean[k];
            length += v->normal[k] * v->normal[k];
        }
        length = sqrtf(length);
        for (int k = 0; k < 3; k++) v->normal[k] = length > 0 ? v->normal[k] / length : k == 2 ? 1.0f : 0.0f;
        v->value = m.value;
    }
}

static void free_level(pio_level *l)
{
    free(l->place);
    free(l->value);
    free(l->start);
    free(l->phi);
    l->place = l->value = l->phi = NULL;
    l->start = NULL;
}

void pio_level_free(pio_level_surface *surface)
{
    free(surface->vertex);
    free(surface->triangle);
    memset(surface, 0, sizeof *surface);
}

piola_status pio_level_make(const pio_level_set *set, pio_level_surface *surface, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    *surface = (pio_level_surface){.spacing = set->spacing};
    for (double cell = fmax(set->spacing / 2, set->cell); !rc; cell *= 1.25) {
        pio_level l = {.set = set};
        find_extent(&l, 0);
        if (l.counted == 0) return PIOLA_OK;
        choose_grid(&l, cell);
        rc = sort(&l, error);
        if (!rc) rc = fill(&l, error);
        if (!rc) rc = pio_level_march(&l, PIO_LEVEL_TRIANGLES, surface, error);
        const bool done = rc || surface->triangle != NULL || surface->n == 0;
        if (!rc && done) finish(&l, surface);
        memcpy(surface->origin, l.origin, sizeof l.origin);
        surface->cell = cell = l.cell * set->spacing;
        free_level(&l);
        if (done) break;
        surface->n = 0;
    }
    if (rc) pio_level_free(surface);
    return rc;
}
