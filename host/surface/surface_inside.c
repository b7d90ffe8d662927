/* surface_inside.c -- see surface_inside.h. */
#include "host/surface/surface_inside.h"

#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/stop.h"
#include "host/surface/surface_screen.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#define BINNING "sorting the triangles of a surface"

enum { MOST_BINS = 1024, AT_ONCE = 1 << 13, MOST_THREADS = 8 };

/* The first and the last bin along y and z. */
typedef struct {
    uint16_t from[2], to[2];
} range;

struct pio_trimesh_lines {
    const pio_trimesh *surface;
    int bins;              /* bins along y and along z */
    double low[2], per[2]; /* least y, z in m; bins per m */
    size_t *start;         /* [bins * bins + 1] start of each bin in `member` */
    int32_t *member;       /* [start[bins * bins]] triangles of each bin */
};

/* ---- the side of an edge ------------------------------------------------------------------------------------ */

/* Adds b to an expansion of n numbers that do not overlap, in increasing order; exact (Shewchuk 1997, Grow-Expansion).
 */
static int grow(double *e, int n, double b)
{
    double q = b;
    for (int i = 0; i < n; i++) {
        const double sum = q + e[i], bv = sum - q, av = sum - bv;
        const double rest = (q - av) + (e[i] - bv);
        e[i] = rest;
        q = sum;
    }
    e[n] = q;
    return n + 1;
}

/* Returns the sign of (e - s) x (p - s), exact except for underflow: from the six products that do not cancel, each as
 * two numbers. */
static int exact_side(const double s[2], const double e[2], const double p[2])
{
    const double factor[6][2] = {{e[0], p[1]}, {-e[0], s[1]}, {-s[0], p[1]}, {-e[1], p[0]}, {e[1], s[0]}, {s[1], p[0]}};
    double sum[12];
    int n = 0;
    for (int i = 0; i < 6; i++) {
        const double product = factor[i][0] * factor[i][1];
        n = grow(sum, n, fma(factor[i][0], factor[i][1], -product));
        n = grow(sum, n, product);
    }
    for (int i = n - 1; i >= 0; i--) /* the largest that is not 0 has the sign of the sum */
        if (sum[i] < 0 || sum[i] > 0) return sum[i] > 0 ? 1 : -1;
    return 0;
}

/* Returns the side of the edge from s to e on which p lies, moved by (t, t^2) with an infinitely small t > 0; 0 only if
 * s = e. */
static int side(const double s[2], const double e[2], const double p[2])
{
    const double a = (e[0] - s[0]) * (p[1] - s[1]), b = (e[1] - s[1]) * (p[0] - s[0]);
    if (fabs(a - b) > 4e-16 * (fabs(a) + fabs(b))) return a > b ? 1 : -1; /* Shewchuk's bound is 3.4e-16 */
    const int exact = exact_side(s, e, p);
    if (exact) return exact;
    if (e[1] < s[1] || e[1] > s[1]) return e[1] < s[1] ? 1 : -1;
    return (e[0] > s[0]) - (e[0] < s[0]);
}

/* Returns +1 or -1 if the line leaves or enters through the triangle, 0 if it does not intersect it. */
static int crossing(const pio_trimesh *f, int32_t t, const double x[3])
{
    const int32_t *v = f->triangle + 3 * t;
    double twice[3], sum = 0, at = 0;
    int sign = 0;
    /* An edge begins at its lower number, so that both its triangles get the same result. */
    for (int k = 0; k < 3; k++) {
        const int32_t i = v[(k + 1) % 3], j = v[(k + 2) % 3], from = i < j ? i : j, to = i < j ? j : i;
        const double *s = f->vertex + 3 * from + 1, *e = f->vertex + 3 * to + 1;
        const int own = (i < j ? 1 : -1) * side(s, e, x + 1);
        if (own == 0 || (k && own != sign)) return 0;
        sign = own;
        twice[k] = fabs((e[0] - s[0]) * (x[2] - s[1]) - (e[1] - s[1]) * (x[1] - s[0]));
        sum += twice[k];
    }
    for (int k = 0; k < 3; k++) at += f->vertex[3 * v[k]] * (sum > 0 ? twice[k] / sum : 1.0 / 3);
    return at > x[0] ? sign : 0;
}

/* ---- bins --------------------------------------------------------------------------------------------------- */

static uint16_t bin_of(const pio_trimesh_lines *l, int axis, double x)
{
    const double at =
        (x - l->low[axis]) * l->per[axis]; /* bins per m overflow in a box of subnormal width: 0, inf or nan */
    return (uint16_t)(!(at > 0) ? 0 : at >= l->bins ? l->bins - 1 : (int)at);
}

/* Returns the bins that the triangle's box overlaps. */
static range range_of(const pio_trimesh_lines *l, int32_t t)
{
    const int32_t *v = l->surface->triangle + 3 * (size_t)t;
    range r;
    for (int a = 0; a < 2; a++) {
        const double *at = l->surface->vertex + 1 + a;
        const double x = at[3 * (size_t)v[0]], y = at[3 * (size_t)v[1]], z = at[3 * (size_t)v[2]];
        const double least = x < y ? x : y, most = x < y ? y : x;
        r.from[a] = bin_of(l, a, least < z ? least : z);
        r.to[a] = bin_of(l, a, most > z ? most : z);
    }
    return r;
}

/* Computes the ranges of all triangles for `bins` bins per axis, and *n, the entries of all bins. */
static piola_status choose_bins(pio_trimesh_lines *l, int bins, range *ranges, size_t *n, piola_error *error)
{
    const int32_t triangles = l->surface->n_triangles;
    *n = 0;
    l->bins = bins;
    for (int a = 0; a < 2; a++) {
        l->low[a] = l->surface->low[1 + a];
        l->per[a] = bins / (l->surface->high[1 + a] - l->surface->low[1 + a]);
    }
#pragma omp parallel for schedule(static)
    for (int32_t first = 0; first < triangles; first += AT_ONCE) {
        const int32_t end = triangles - first < AT_ONCE ? triangles : first + AT_ONCE;
        size_t own = 0;
        if (pio_stop(BINNING, NULL)) continue;
        for (int32_t t = first; t < end; t++) {
            const range r = ranges[t] = range_of(l, t);
            own += (size_t)(r.to[0] - r.from[0] + 1) * (size_t)(r.to[1] - r.from[1] + 1);
        }
#pragma omp critical
        *n += own;
    }
    return pio_stop(BINNING, error);
}

/* Counts or stores every triangle that is in bins of rows from `low` up to, not including, `high`. */
static void pass_rows(pio_trimesh_lines *l, const range *ranges, bool place, int low, int high)
{
    for (int32_t t = 0; t < l->surface->n_triangles; t++) {
        const range r = ranges[t];
        if (pio_stop_at(t, BINNING, NULL)) return;
        for (int i = r.from[0] < low ? low : r.from[0]; i <= r.to[0] && i < high; i++)
            for (int j = r.from[1]; j <= r.to[1]; j++) {
                const size_t b = (size_t)i * (size_t)l->bins + (size_t)j;
                if (place)
                    l->member[l->start[b + 1]++] = t;
                else
                    l->start[b + 2]++;
            }
    }
}

/* Sets start[b + 1] to the start of bin b, then stores every triangle in its bins, after which the start is start[b].
 * Each thread handles a part of the rows and reads all triangles. */
static piola_status fill_bins(pio_trimesh_lines *l, const range *ranges, piola_error *error)
{
    const size_t bins = (size_t)l->bins * (size_t)l->bins;
    const int threads = omp_get_max_threads() < MOST_THREADS ? omp_get_max_threads() : MOST_THREADS;
    piola_status rc = PIOLA_OK;
    for (int pass = 0; !rc && pass < 2; pass++) {
#pragma omp parallel for schedule(static)
        for (int k = 0; k < threads; k++)
            pass_rows(l, ranges, pass, (int)((int64_t)l->bins * k / threads),
                      (int)((int64_t)l->bins * (k + 1) / threads));
        rc = pio_stop(BINNING, error);
        for (size_t b = 0; !pass && b < bins; b++) l->start[b + 2] += l->start[b + 1];
    }
    return rc;
}

static piola_status set_bins(pio_trimesh_lines *l, range *ranges, piola_error *error)
{
    const size_t triangles = (size_t)l->surface->n_triangles;
    size_t n;
    piola_status rc = choose_bins(l, (int)fmin(MOST_BINS, ceil(sqrt((double)triangles))), ranges, &n, error);
    while (!rc && l->bins > 1 && n > 32 * triangles + 65536) /* long triangles are in many bins */
        rc = choose_bins(l, l->bins / 2, ranges, &n, error);
    if (rc) return rc;
    l->start = calloc((size_t)l->bins * (size_t)l->bins + 2, sizeof *l->start);
    l->member = pio_large_alloc(n * sizeof *l->member);
    if (!l->start || !l->member) return pio_fail_memory(error, n * sizeof *l->member, "a surface");
    return fill_bins(l, ranges, error);
}

piola_status pio_trimesh_lines_create(pio_trimesh_lines **out, const pio_trimesh *surface, piola_error *error)
{
    const size_t bytes = ((size_t)surface->n_triangles + 1) * sizeof(range);
    pio_trimesh_lines *l = calloc(1, sizeof *l);
    range *ranges = pio_large_alloc(bytes);
    piola_status rc = PIOLA_OK;
    *out = NULL;
    if (!l || !ranges) rc = pio_fail_memory(error, bytes, "a surface");
    if (!rc) {
        l->surface = surface;
        rc = set_bins(l, ranges, error);
    }
    free(ranges);
    if (rc)
        pio_trimesh_lines_free(l);
    else
        *out = l;
    return rc;
}

void pio_trimesh_lines_free(pio_trimesh_lines *l)
{
    if (!l) return;
    free(l->start);
    free(l->member);
    free(l);
}

int pio_trimesh_winding(const pio_trimesh_lines *l, const double x[3])
{
    int winding = 0;
    for (int a = 0; a < 3; a++)
        if (!(x[a] >= l->surface->low[a] && x[a] <= l->surface->high[a])) return 0;
    const size_t b = (size_t)bin_of(l, 0, x[1]) * (size_t)l->bins + (size_t)bin_of(l, 1, x[2]);
    for (size_t i = l->start[b]; i < l->start[b + 1]; i++) winding += crossing(l->surface, l->member[i], x);
    return winding;
}

/* ---- what holds its volume once ------------------------------------------------------------------------------ */

static bool holds_once(int winding)
{
    return winding == 0 || winding == 1;
}

piola_status pio_trimesh_inside(const pio_trimesh_lines *l, const double x[3], bool *inside, piola_error *error)
{
    static const double oblique[3] = {0.48, 0.6, 0.64};
    const pio_trimesh *s = l->surface;
    const int winding = pio_trimesh_winding(l, x);
    *inside = winding != 0;
    if (holds_once(winding)) return PIOLA_OK;
    for (int sign = -1; sign <= 1; sign += 2) { /* where parts touch, rounding may put a point into both */
        double y[3];
        for (int a = 0; a < 3; a++) y[a] = x[a] + sign * 1e-9 * pio_trimesh_size(s) * oblique[a];
        if (holds_once(pio_trimesh_winding(l, y))) return PIOLA_OK;
    }
    if (winding < 0)
        return pio_fail(error, PIOLA_BAD_DATA,
                        "%.500s: error: a part of the surface is inside out about (%g %g %g) m; order its corners "
                        "counter-clockwise as seen from outside, or let it be a cavity of another part",
                        s->path, x[0], x[1], x[2]);
    return pio_fail(
        error, PIOLA_BAD_DATA,
        "%.500s: error: parts of the surface overlap or lie in each other: %d of them enclose the point (%g %g %g) m; "
        "join them to one surface, swap two corners of each triangle of a part that is a cavity, or make each part a "
        "body of its own",
        s->path, winding, x[0], x[1], x[2]);
}

piola_status pio_trimesh_check_inside(const pio_trimesh_lines *l, piola_error *error)
{
    const pio_trimesh *s = l->surface;
    const double depth = 1e-6 * pio_trimesh_size(s);
    unsigned char *doubtful = malloc((size_t)s->n_triangles + 1);
    if (!doubtful) return pio_fail_memory(error, (size_t)s->n_triangles + 1, "a surface");
    piola_status rc = pio_trimesh_screen(s, depth, doubtful, error);
    for (int32_t t = 0; !rc && t < s->n_triangles; t++) {
        double x[2][3];
        bool inside;
        rc = pio_stop_at(t, "testing which points a surface encloses", error);
        if (!doubtful[t] || !pio_trimesh_probes(s, t, depth, x)) continue;
        for (int side = 0; !rc && side < 2; side++) rc = pio_trimesh_inside(l, x[side], &inside, error);
    }
    free(doubtful);
    return rc;
}
