/* surface_screen.c -- see surface_screen.h.
 *
 * Vertices are mapped to coordinates u, v across the line and w along it, in units of the box's largest side from its middle: each is
 * off by less than OFF. Bins are of the plane (u, v); those of a triangle are the ones that its box touches. In a bin, boxes are bytes,
 * rounded so that none is missed, and most triangles are passed over sixteen at a time. */
#include "host/surface_screen.h"

#include "host/fail.h"
#include "host/large.h"
#include "host/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCREENING "testing what a surface encloses"
#define WIDE 3.0  /* bins per box of a triangle */
#define OFF 2e-15 /* each of three products of a number up to 1/2 takes 5 roundings */

enum { LEVELS = 16, SIDES = 5, AT_ONCE = 16, PAIRS = 1 << 20, LOCAL = 1024 };

/* A rotation. Rows first, first + 1 and first + 2, the first behind the last again, are u, v and w. */
static const double turn[3][3] = {
    {0.876442, -0.36241, -0.317031}, {0.017214, 0.681575, -0.731545}, {0.4812, 0.6357, 0.6036}};

/* The first and the last along each axis. */
typedef struct {
    uint16_t from[2], to[2];
} range;

typedef struct {
    const pio_trimesh *s;
    double depth, middle[3], per; /* 1/m */
    int first;                    /* row of `turn` */
    double *at;                   /* [n_vertices][3] u, v, w */
    double low[3], high[3];       /* of all */
    double fine[2];               /* bins of level 0 per unit */
    int32_t most[2];              /* bins of level 0 */
    int level;                    /* bins are 2^level of level 0 wide */
    int32_t bins[2];
    range *range;    /* [n_triangles] bins of level 0 that each one's box touches */
    uint32_t *start; /* [bins[0] * bins[1] + 2] */
    int32_t *member; /* [start[bins[0] * bins[1]]] triangles of each bin */
    uint32_t crowd;  /* most members of a bin */
    unsigned char *doubtful;
} screen;

/* Both sides of a triangle, mapped. */
typedef struct {
    double at[2][3], apart[3]; /* apart: more than they are from each other along each axis */
} probes;

/* What one thread works with. */
typedef struct {
    double (*corner)[3][3];     /* [LOCAL] of a bin's members, if these are not more */
    unsigned char *side[SIDES]; /* [crowd] of a bin's members: u from, u to, v from, v to, w to */
    unsigned char *hit, *own;   /* [crowd] */
    size_t pairs;               /* since it was asked whether to stop */
    bool stopped;
} desk;

bool pio_trimesh_probes(const pio_trimesh *s, int32_t t, double depth, double out[2][3])
{
    const double *p[3];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) p[k] = s->vertex + 3 * s->triangle[3 * t + k];
    for (int a = 0; a < 3; a++) {
        u[a] = p[1][a] - p[0][a];
        v[a] = p[2][a] - p[0][a];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; a++) {
        const double middle = (p[0][a] + p[1][a] + p[2][a]) / 3, off = depth * n[a] / length;
        out[0][a] = middle - off;
        out[1][a] = middle + off;
    }
    return length > 0;
}

/* ---- bins --------------------------------------------------------------------------------------------------- */

static void map(const screen *g, const double x[3], double out[3])
{
    double y[3];
    for (int a = 0; a < 3; a++) y[a] = (x[a] - g->middle[a]) * g->per;
    for (int r = 0; r < 3; r++) {
        const double *row = turn[(g->first + r) % 3];
        out[r] = row[0] * y[0] + row[1] * y[1] + row[2] * y[2];
    }
}

static piola_status map_all(screen *g, piola_error *error)
{
    for (int a = 0; a < 3; a++) {
        g->middle[a] = g->s->low[a] + (g->s->high[a] - g->s->low[a]) / 2;
        g->low[a] = INFINITY;
        g->high[a] = -INFINITY;
    }
    for (int32_t v = 0; v < g->s->n_vertices; v++) {
        const piola_status rc = pio_stop_at(v, SCREENING, error);
        if (rc) return rc;
        double *x = g->at + 3 * (size_t)v;
        map(g, g->s->vertex + 3 * (size_t)v, x);
        for (int a = 0; a < 3; a++) {
            g->low[a] = x[a] < g->low[a] ? x[a] : g->low[a];
            g->high[a] = x[a] > g->high[a] ? x[a] : g->high[a];
        }
    }
    return PIOLA_OK;
}

static const double *corner_of(const screen *g, int32_t t, int k)
{
    return g->at + 3 * (size_t)g->s->triangle[3 * (size_t)t + (size_t)k];
}

static void gather(const screen *g, int32_t t, double corner[3][3])
{
    for (int k = 0; k < 3; k++) memcpy(corner[k], corner_of(g, t, k), 3 * sizeof *corner[k]);
}

/* The box of a triangle along one axis, a little larger than it is. */
static void box_of(const double *const corner[3], int a, double *low, double *high)
{
    const double x = corner[0][a], y = corner[1][a], z = corner[2][a];
    const double least = x < y ? x : y, most = x < y ? y : x;
    *low = (least < z ? least : z) - 4 * OFF;
    *high = (most > z ? most : z) + 4 * OFF;
}

/* Of level 0. */
static int32_t fine_bin(const screen *g, int axis, double x)
{
    const double at = (x - g->low[axis]) * g->fine[axis];
    return !(at > 0) ? 0 : at >= g->most[axis] ? g->most[axis] - 1 : (int32_t)at;
}

static size_t bin_of(const screen *g, const double x[2])
{
    return (size_t)(fine_bin(g, 0, x[0]) >> g->level) * (size_t)g->bins[1] + (size_t)(fine_bin(g, 1, x[1]) >> g->level);
}

static range range_of(const screen *g, int32_t t)
{
    const double *const corner[3] = {corner_of(g, t, 0), corner_of(g, t, 1), corner_of(g, t, 2)};
    range r;
    for (int a = 0; a < 2; a++) {
        double low, high;
        box_of(corner, a, &low, &high);
        r.from[a] = (uint16_t)fine_bin(g, a, low);
        r.to[a] = (uint16_t)fine_bin(g, a, high);
    }
    return r;
}

/* Bins of level 0 are about as large as the boxes of some triangles are, but there are not more than two for a triangle. */
static void choose_bins(screen *g)
{
    enum { SAMPLES = 1 << 14 };
    const int32_t n = g->s->n_triangles, step = n / SAMPLES + 1;
    double sum[2] = {0}, bins[2];
    int32_t samples = 0;
    for (int32_t t = 0; t < n; t += step, samples++) {
        const double *const corner[3] = {corner_of(g, t, 0), corner_of(g, t, 1), corner_of(g, t, 2)};
        for (int a = 0; a < 2; a++) {
            double low, high;
            box_of(corner, a, &low, &high);
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

/* Ranges, and the first level whose bins have few entries together: long triangles are in many. */
static piola_status choose_level(screen *g, piola_error *error)
{
    const size_t bytes = ((size_t)g->s->n_triangles + 1) * sizeof *g->range;
    const uint64_t n = (uint64_t)g->s->n_triangles, few = 16 * n + 65536;
    uint64_t more[LEVELS + 1] = {0}; /* entries beyond one for each triangle */
    g->range = pio_large_alloc(bytes);
    if (!g->range) return pio_fail_memory(error, bytes, "a surface");
    for (int32_t t = 0; t < g->s->n_triangles; t++) {
        const piola_status rc = pio_stop_at(t, SCREENING, error);
        if (rc) return rc;
        const range r = g->range[t] = range_of(g, t);
        for (int k = 0; k <= LEVELS; k++) {
            const int32_t wide = (r.to[0] >> k) - (r.from[0] >> k), high = (r.to[1] >> k) - (r.from[1] >> k);
            more[k] += (uint64_t)(wide + 1) * (uint64_t)(high + 1) - 1;
            if (!wide && !high) break; /* nor at any further level */
        }
    }
    while (g->level < LEVELS && more[g->level] + n > (few < UINT32_MAX ? few : UINT32_MAX)) g->level++;
    for (int a = 0; a < 2; a++) g->bins[a] = ((g->most[a] - 1) >> g->level) + 1;
    return PIOLA_OK;
}

/* start[b + 2] += the triangles of bin b; or every one of them to its place, after which start[b] is where bin b begins. */
static piola_status pass_bins(screen *g, bool place, piola_error *error)
{
    for (int32_t t = 0; t < g->s->n_triangles; t++) {
        const piola_status rc = pio_stop_at(t, SCREENING, error);
        if (rc) return rc;
        const range r = g->range[t];
        for (int32_t i = r.from[0] >> g->level; i <= r.to[0] >> g->level; i++)
            for (int32_t j = r.from[1] >> g->level; j <= r.to[1] >> g->level; j++) {
                uint32_t *b = g->start + (size_t)i * (size_t)g->bins[1] + (size_t)j;
                if (place)
                    g->member[b[1]++] = t;
                else
                    b[2]++;
            }
    }
    return PIOLA_OK;
}

static piola_status fill_bins(screen *g, piola_error *error)
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

/* ---- what a line meets ---------------------------------------------------------------------------------------- */

/* +1 or -1 where the line along +w from p leaves or enters through the triangle, 0 where it does not meet it. A product of two
 * distances is off by less than `off`, and `bound` follows from that. */
static int crossing(double corner[3][3], const double p[3], bool *certain)
{
    double sum = 0, h = 0, bound = 0;
    int plus = 0, minus = 0;
    for (int k = 0; k < 3; k++) {
        const double *s = corner[k == 2 ? 0 : k + 1], *e = corner[k == 0 ? 2 : k - 1];
        const double eu = e[0] - s[0], ev = e[1] - s[1], pu = p[0] - s[0], pv = p[1] - s[1], up = corner[k][2] - p[2];
        const double c = eu * pv - ev * pu, off = 8 * OFF * (fabs(eu) + fabs(ev) + fabs(pu) + fabs(pv) + OFF);
        plus += c > off;
        minus += c < -off;
        h += c * up;
        sum += fabs(c);
        bound += off * (fabs(up) + 4 * OFF);
        if (plus && minus) return 0;
    }
    bound = 2 * bound + 4 * OFF * sum;
    if (plus + minus < 3 || !(fabs(h) > bound)) {
        *certain = false;
        return 0;
    }
    return (h > 0) == (plus == 3) ? (plus ? 1 : -1) : 0;
}

/* The same of two points that are near each other, added to what is of each; most triangles cannot tell them apart, which is seen
 * by bounds that have room for both. */
static void crossings(double corner[3][3], const probes *p, int sum[2], bool *certain)
{
    const double *m = p->at[0], *apart = p->apart;
    double all = 0, h = 0, bound = 0;
    int plus = 0, minus = 0;
    for (int k = 0; k < 3; k++) {
        const double *s = corner[k == 2 ? 0 : k + 1], *e = corner[k == 0 ? 2 : k - 1];
        const double eu = e[0] - s[0], ev = e[1] - s[1], pu = m[0] - s[0], pv = m[1] - s[1], up = corner[k][2] - m[2];
        const double c = eu * pv - ev * pu, wide = fabs(eu), high = fabs(ev);
        const double off = 8 * OFF * (wide + high + fabs(pu) + fabs(pv) + apart[0] + apart[1] + OFF) + wide * apart[1] +
                           high * apart[0];
        plus += c > off;
        minus += c < -off;
        h += c * up;
        all += fabs(c);
        bound += off * (fabs(up) + apart[2] + 4 * OFF);
        if (plus && minus) return;
    }
    bound = 2 * bound + (2 * apart[2] + 4 * OFF) * all;
    if (plus + minus == 3 && fabs(h) > bound) {
        const int both = (h > 0) == (plus == 3) ? (plus ? 1 : -1) : 0;
        sum[0] += both;
        sum[1] += both;
    } else {
        for (int k = 0; k < 2; k++) sum[k] += crossing(corner, p->at[k], certain);
    }
}

/* 0..255 from one end of a bin to the other. */
static unsigned char byte_of(double x, double from, double per)
{
    const double at = (x - from) * per, some = at > 0 ? at : 0;
    return (unsigned char)(int)(some < 255 ? some : 255);
}

typedef struct {
    double from[3], per[3]; /* of bytes */
} ruler;

static ruler ruler_of(const screen *g, size_t bin)
{
    ruler r;
    const size_t at[2] = {bin / (size_t)g->bins[1], bin % (size_t)g->bins[1]};
    for (int a = 0; a < 2; a++) {
        r.from[a] = g->low[a] + (double)(at[a] << g->level) / g->fine[a];
        r.per[a] = 255 * g->fine[a] / (double)(1 << g->level);
    }
    r.from[2] = g->low[2];
    r.per[2] = 255 / (g->high[2] - g->low[2]);
    return r;
}

/* Boxes of the bin's members, behind them as many as are looked at with the last, and which of the members have their middle in
 * the bin. */
static void lay_out(const screen *g, desk *d, size_t bin, const ruler *r)
{
    const int32_t *member = g->member + g->start[bin];
    const size_t n = g->start[bin + 1] - g->start[bin];
    for (size_t i = 0; i < n; i++) {
        const double *const corner[3] = {corner_of(g, member[i], 0), corner_of(g, member[i], 1),
                                         corner_of(g, member[i], 2)};
        double low, high, middle[2];
        if (n <= LOCAL) gather(g, member[i], d->corner[i]);
        for (int a = 0; a < 2; a++) {
            box_of(corner, a, &low, &high);
            d->side[2 * a][i] = byte_of(low, r->from[a], r->per[a]);
            d->side[2 * a + 1][i] = byte_of(high, r->from[a], r->per[a]);
            middle[a] = (corner[0][a] + corner[1][a] + corner[2][a]) * (1.0 / 3);
        }
        box_of(corner, 2, &low, &high);
        d->side[4][i] = byte_of(high, r->from[2], r->per[2]);
        d->own[i] = bin_of(g, middle) == bin;
    }
    for (size_t i = n; i % AT_ONCE; i++)
        for (int k = 0; k < SIDES; k++) d->side[k][i] = 0;
}

/* Members whose boxes may hold a place of bytes from `low` to `high` across the line, at or above low[2] along it. */
static void find_hits(const desk *d, size_t n, const unsigned char low[3], const unsigned char high[3])
{
    const unsigned char *restrict a = d->side[0], *restrict b = d->side[1], *restrict c = d->side[2],
                                  *restrict e = d->side[3], *restrict f = d->side[4];
    unsigned char *restrict hit = d->hit;
    const unsigned char u[2] = {low[0], high[0]}, v[2] = {low[1], high[1]}, w = low[2];
    for (size_t i = 0; i < n; i += AT_ONCE)
        for (size_t k = i; k < i + AT_ONCE; k++)
            hit[k] = (unsigned char)((a[k] <= u[1]) & (b[k] >= u[0]) & (c[k] <= v[1]) & (e[k] >= v[0]) & (f[k] >= w));
}

/* How often the surface winds about both probes of triangle t, which lie in the bin that is laid out. */
static void windings(const screen *g, desk *d, int32_t t, size_t bin, const ruler *r, const probes *p, int times[2],
                     bool *certain)
{
    const int32_t *member = g->member + g->start[bin];
    const size_t n = g->start[bin + 1] - g->start[bin], whole = (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
    unsigned char low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = byte_of(fmin(p->at[0][a], p->at[1][a]), r->from[a], r->per[a]);
        high[a] = byte_of(fmax(p->at[0][a], p->at[1][a]), r->from[a], r->per[a]);
    }
    find_hits(d, whole, low, high);
    memset(d->hit + n, 0, whole - n);
    for (size_t i = 0; i < whole; i += sizeof(uint64_t)) {
        uint64_t some;
        memcpy(&some, d->hit + i, sizeof some);
        for (size_t k = i; some && k < i + sizeof some; k++) {
            double own[3][3];
            if (!d->hit[k]) continue;
            if (n > LOCAL) gather(g, member[k], own);
            double(*corner)[3] = n > LOCAL ? own : d->corner[k];
            if (member[k] != t)
                crossings(corner, p, times, certain);
            else
                for (int side = 0; side < 2; side++) times[side] += crossing(corner, p->at[side], certain);
        }
    }
    d->pairs += whole;
}

/* The same of a point in any bin, whose members are looked at one by one. */
static int winding_elsewhere(const screen *g, desk *d, const double p[3], bool *certain)
{
    const size_t bin = bin_of(g, p);
    int sum = 0;
    for (uint32_t i = g->start[bin]; i < g->start[bin + 1]; i++) {
        double corner[3][3];
        gather(g, g->member[i], corner);
        sum += crossing(corner, p, certain);
    }
    d->pairs += 16 * (size_t)(g->start[bin + 1] - g->start[bin]);
    return sum;
}

static bool in_box(const pio_trimesh *s, const double x[3])
{
    for (int a = 0; a < 3; a++)
        if (!(x[a] >= s->low[a] && x[a] <= s->high[a])) return false;
    return true;
}

/* A triangle whose middle lies in the bin. */
static bool holds_once(const screen *g, desk *d, int32_t t, size_t bin, const ruler *r)
{
    double x[2][3];
    int times[2] = {0, 0}; /* none beyond the box */
    bool certain = true, here = true;
    probes p;
    if (!pio_trimesh_probes(g->s, t, g->depth, x)) return true; /* it has no sides */
    for (int k = 0; k < 2; k++) {
        map(g, x[k], p.at[k]);
        here = here && bin_of(g, p.at[k]) == bin;
    }
    for (int a = 0; a < 3; a++) p.apart[a] = (1 + 1e-9) * fabs(p.at[1][a] - p.at[0][a]);
    if (here) windings(g, d, t, bin, r, &p, times, &certain);
    for (int k = 0; k < 2; k++) {
        if (!in_box(g->s, x[k]))
            times[k] = 0;
        else if (!here)
            times[k] = winding_elsewhere(g, d, p.at[k], &certain);
        if (times[k] != 0 && times[k] != 1) return false;
    }
    return certain;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void screen_bin(const screen *g, desk *d, size_t bin)
{
    const ruler r = ruler_of(g, bin);
    const int32_t *member = g->member + g->start[bin];
    const size_t n = g->start[bin + 1] - g->start[bin];
    lay_out(g, d, bin, &r);
    d->pairs += n;
    for (size_t i = 0; i < n && !d->stopped; i++) {
        if (d->own[i]) g->doubtful[member[i]] = !holds_once(g, d, member[i], bin, &r);
        if (d->pairs < PAIRS) continue;
        d->pairs = 0;
        d->stopped = pio_stop(SCREENING, NULL) != PIOLA_OK;
    }
}

/* Every bin by one of the threads. */
static piola_status screen_bins(screen *g, piola_error *error)
{
    const int64_t bins = (int64_t)g->bins[0] * g->bins[1];
    const size_t room = ((size_t)g->crowd + AT_ONCE) / AT_ONCE * AT_ONCE;
    bool no_room = false, stopped = false;
#pragma omp parallel
    {
        unsigned char *memory = malloc((SIDES + 2) * room);
        double(*corner)[3][3] = malloc(LOCAL * sizeof *corner);
        desk d = {.corner = corner,
                  .hit = memory + SIDES * room,
                  .own = memory + (SIDES + 1) * room,
                  .stopped = !memory || !corner};
        for (size_t k = 0; k < SIDES; k++) d.side[k] = memory + k * room;
#pragma omp for schedule(dynamic, 64)
        for (int64_t b = 0; b < bins; b++)
            if (!d.stopped) screen_bin(g, &d, (size_t)b);
#pragma omp critical
        {
            no_room = no_room || !memory || !corner;
            stopped = stopped || d.stopped;
        }
        free(memory);
        free(corner);
    }
    if (no_room) return pio_fail_memory(error, (SIDES + 2) * room, "a surface");
    return stopped ? pio_stop(SCREENING, error) : PIOLA_OK;
}

/* Would the members of bins be compared with each other too often? A rod along w lies in few bins. A pair takes up to 5 ns. */
static bool is_crowded(const screen *g)
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

static void drop_bins(screen *g)
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

/* Bins across that row of `turn`, of all three, along which few triangles stand behind each other. *found: there is one. */
static piola_status find_line(screen *g, bool *found, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    *found = false;
    for (g->first = 0; !rc && !*found && g->first < 3; g->first += !*found) {
        drop_bins(g);
        rc = map_all(g, error);
        if (!rc) choose_bins(g);
        if (!rc) rc = choose_level(g, error);
        if (!rc) rc = fill_bins(g, error);
        *found = !rc && !is_crowded(g);
    }
    return rc;
}

piola_status pio_trimesh_screen(const pio_trimesh *s, double depth, unsigned char *doubtful, piola_error *error)
{
    bool found = false;
    const size_t bytes = ((size_t)s->n_vertices + 1) * 3 * sizeof(double);
    const double size = pio_trimesh_size(s);
    screen g = {.s = s, .depth = depth, .per = 1 / size, .doubtful = doubtful};
    memset(doubtful, 1, (size_t)s->n_triangles);
    if (!(size > 1e-100 && size < 1e100)) return PIOLA_OK; /* where squares of squares are no numbers */
    g.at = pio_large_alloc(bytes);
    piola_status rc = g.at ? find_line(&g, &found, error) : pio_fail_memory(error, bytes, "a surface");
    if (found) rc = screen_bins(&g, error); /* else all are doubtful */
    drop_bins(&g);
    free(g.at);
    return rc;
}
