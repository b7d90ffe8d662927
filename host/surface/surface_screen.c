/* surface_screen.c -- see surface_screen.h. Over most bins (surface_bins.h) the surface consists of sheets
 * (surface_sheets.h), and only the triangle itself must be tested for its probes. Elsewhere all triangles of the bin
 * are tested: boxes are bytes, rounded so that none is missed, and most triangles are skipped sixteen at a time. */
#include "host/surface/surface_screen.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/surface/surface_sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 5, AT_ONCE = 16, PAIRS = 1 << 20 };

/* The points on both sides of a triangle, mapped. */
typedef struct {
    double at[2][3], apart[3]; /* apart: bound of their distance along each axis */
    size_t member;             /* number of the triangle in its bin */
} probes;

/* The working memory of one thread. */
typedef struct {
    pio_sheets sheets;          /* sheets of the bin */
    bool laid_out;              /* the sheets of this bin are computed */
    unsigned char *side[SIDES]; /* [crowd] boxes of a bin's members: u from, u to, v from, v to, w to */
    unsigned char *hit, *own;   /* [crowd] own: the middle of the member lies in the bin */
    unsigned char *doubtful;    /* [n_triangles] result for all triangles */
    size_t pairs;               /* pairs that were tested since the last poll whether to stop */
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

/* ---- what a line meets ---------------------------------------------------------------------------------------- */

/* As pio_bins_crossing(). */
static int crossing(double corner[3][3], const double p[3], bool *certain)
{
    bool covers;
    return pio_bins_crossing(corner, p, &covers, certain);
}

/* Adds the crossings of two nearby points to the sum of each; most triangles do not lie between them, which is found
 * with bounds that hold for both. */
static void crossings(double corner[3][3], const probes *p, int sum[2], bool *certain)
{
    const double *m = p->at[0], *apart = p->apart;
    double all = 0, h = 0, bound = 0;
    int plus = 0, minus = 0;
    for (int k = 0; k < 3; k++) {
        const double *s = corner[k == 2 ? 0 : k + 1], *e = corner[k == 0 ? 2 : k - 1];
        const double eu = e[0] - s[0], ev = e[1] - s[1], pu = m[0] - s[0], pv = m[1] - s[1], up = corner[k][2] - m[2];
        const double c = eu * pv - ev * pu, wide = fabs(eu), high = fabs(ev);
        const double off = 8 * PIO_BINS_OFF * (wide + high + fabs(pu) + fabs(pv) + apart[0] + apart[1] + PIO_BINS_OFF) +
                           wide * apart[1] + high * apart[0];
        plus += c > off;
        minus += c < -off;
        h += c * up;
        all += fabs(c);
        bound += off * (fabs(up) + apart[2] + 4 * PIO_BINS_OFF);
        if (plus && minus) return;
    }
    bound = 2 * bound + (2 * apart[2] + 4 * PIO_BINS_OFF) * all;
    if (plus + minus == 3 && fabs(h) > bound) {
        const int both = (h > 0) == (plus == 3) ? (plus ? 1 : -1) : 0;
        sum[0] += both;
        sum[1] += both;
    } else {
        for (int k = 0; k < 2; k++) sum[k] += crossing(corner, p->at[k], certain);
    }
}

/* Returns 0..255 from one end of a bin to the other. */
static unsigned char byte_of(double x, double from, double per)
{
    const double at = (x - from) * per, some = at > 0 ? at : 0;
    return (unsigned char)(int)(some < 255 ? some : 255);
}

typedef struct {
    double from[3], per[3]; /* coordinates where bytes begin; bytes per unit */
} ruler;

static ruler ruler_of(const pio_bins *g, size_t bin)
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

/* Prepares the boxes of the bin's members, padded to a full block. */
static void lay_out(const pio_bins *g, desk *d, size_t bin, const ruler *r)
{
    const int32_t *member = g->member + g->start[bin];
    const size_t n = g->start[bin + 1] - g->start[bin];
    for (size_t i = 0; i < n; i++) {
        const double *const corner[3] = {pio_bins_corner(g, member[i], 0), pio_bins_corner(g, member[i], 1),
                                         pio_bins_corner(g, member[i], 2)};
        double low, high;
        for (int a = 0; a < 2; a++) {
            pio_bins_box(corner, a, &low, &high);
            d->side[2 * a][i] = byte_of(low, r->from[a], r->per[a]);
            d->side[2 * a + 1][i] = byte_of(high, r->from[a], r->per[a]);
        }
        pio_bins_box(corner, 2, &low, &high);
        d->side[4][i] = byte_of(high, r->from[2], r->per[2]);
    }
    for (size_t i = n; i % AT_ONCE; i++)
        for (int k = 0; k < SIDES; k++) d->side[k][i] = 0;
    d->laid_out = true;
    d->pairs += n;
}

/* Finds members whose boxes may contain a point with bytes from `low` to `high` across the line, at or above low[2]
 * along it. */
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

/* Adds the crossings of a triangle with the lines from both probes, its own or another's. */
static void add_crossings_of(double corner[3][3], const probes *p, bool own, int times[2], bool *certain)
{
    if (!own)
        crossings(corner, p, times, certain);
    else
        for (int side = 0; side < 2; side++) times[side] += crossing(corner, p->at[side], certain);
}

/* Computes the winding numbers about both probes of a member, which lie in the prepared bin. */
static void windings(const pio_bins *g, desk *d, size_t bin, const ruler *r, const probes *p, int times[2],
                     bool *certain)
{
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
            double room[3][3];
            if (d->hit[k]) add_crossings_of(pio_sheets_corners(&d->sheets, k, room), p, k == p->member, times, certain);
        }
    }
    d->pairs += whole;
}

/* Computes the winding number about a point in any bin, testing its members one by one. */
static int winding_elsewhere(const pio_bins *g, desk *d, const double p[3], bool *certain)
{
    const size_t bin = pio_bins_of(g, p);
    int sum = 0;
    for (uint32_t i = g->start[bin]; i < g->start[bin + 1]; i++) {
        double corner[3][3];
        pio_bins_gather(g, g->member[i], corner);
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

static void middle_of(const pio_sheets *s, size_t i, double middle[2])
{
    double room[3][3], (*corner)[3] = pio_sheets_corners(s, i, room);
    for (int a = 0; a < 2; a++) middle[a] = (corner[0][a] + corner[1][a] + corner[2][a]) * (1.0 / 3);
}

/* Returns whether the surface certainly encloses the points beside member i at most once; its middle lies in the bin.
 */
static bool holds_once(const pio_bins *g, desk *d, size_t bin, size_t i)
{
    double x[2][3];
    int times[2] = {0, 0}; /* zero beyond the box */
    bool certain = true, here = true;
    probes p = {.member = i};
    /* a triangle without normal has no sides */
    if (!pio_trimesh_probes(g->s, d->sheets.member[i], g->depth, x)) return true;
    for (int k = 0; k < 2; k++) {
        pio_bins_map(g, x[k], p.at[k]);
        here = here && pio_bins_of(g, p.at[k]) == bin;
    }
    if (here && !(pio_sheets_winding(&d->sheets, i, p.at[0], &times[0]) &&
                  pio_sheets_winding(&d->sheets, i, p.at[1], &times[1]))) {
        const ruler r = ruler_of(g, bin);
        for (int a = 0; a < 3; a++) p.apart[a] = (1 + 1e-9) * fabs(p.at[1][a] - p.at[0][a]);
        if (!d->laid_out) lay_out(g, d, bin, &r);
        times[0] = times[1] = 0;
        windings(g, d, bin, &r, &p, times, &certain);
    }
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

static void screen_bin(const pio_bins *g, desk *d, size_t bin)
{
    enum { TRIALS = 3 };
    const size_t n = g->start[bin + 1] - g->start[bin];
    double at[TRIALS][2];
    int trials = 0;
    pio_sheets_take(&d->sheets, g, bin);
    d->laid_out = false;
    for (size_t i = 0; i < n; i++) {
        double middle[2];
        middle_of(&d->sheets, i, middle);
        d->own[i] = pio_bins_of(g, middle) == bin;
        if (d->own[i] && trials < TRIALS) memcpy(at[trials++], middle, sizeof middle);
    }
    if (!trials) return;
    pio_sheets_find(&d->sheets, at, trials);
    d->pairs += AT_ONCE * n;
    for (size_t i = 0; i < n && !d->stopped; i++) {
        if (d->own[i]) d->doubtful[d->sheets.member[i]] = !holds_once(g, d, bin, i);
        if (d->pairs < PAIRS) continue;
        d->pairs = 0;
        d->stopped = pio_stop(PIO_SCREENING, NULL) != PIOLA_OK;
    }
}

/* Tests every bin, each by one of the threads. */
static piola_status screen_bins(const pio_bins *g, unsigned char *doubtful, piola_error *error)
{
    const int64_t bins = (int64_t)g->bins[0] * g->bins[1];
    const size_t room = ((size_t)g->crowd + AT_ONCE) / AT_ONCE * AT_ONCE;
    bool no_room = false, stopped = false;
#pragma omp parallel
    {
        unsigned char *memory = malloc((SIDES + 2) * room);
        desk d = {.doubtful = doubtful, .hit = memory + SIDES * room, .own = memory + (SIDES + 1) * room};
        const bool has_room = pio_sheets_alloc(&d.sheets, g->crowd) && memory;
        d.stopped = !has_room;
        for (size_t k = 0; k < SIDES; k++) d.side[k] = memory + k * room;
#pragma omp for schedule(dynamic, 64)
        for (int64_t b = 0; b < bins; b++)
            if (!d.stopped) screen_bin(g, &d, (size_t)b);
#pragma omp critical
        {
            no_room = no_room || !has_room;
            stopped = stopped || d.stopped;
        }
        free(memory);
        pio_sheets_free(&d.sheets);
    }
    if (no_room) return pio_fail_memory(error, (SIDES + 2 + sizeof *((pio_sheets *)0)->box) * room, "a surface");
    return stopped ? pio_stop(PIO_SCREENING, error) : PIOLA_OK;
}

piola_status pio_trimesh_screen(const pio_trimesh *s, double depth, unsigned char *doubtful, piola_error *error)
{
    bool found;
    const double size = pio_trimesh_size(s);
    pio_bins g;
    memset(doubtful, 1, (size_t)s->n_triangles);
    if (!(size > 1e-100 && size < 1e100)) return PIOLA_OK; /* beyond these, fourth powers overflow or vanish */
    piola_status rc = pio_bins_make(&g, s, depth, &found, error);
    if (found) rc = screen_bins(&g, doubtful, error); /* otherwise all remain doubtful */
    pio_bins_free(&g);
    return rc;
}
