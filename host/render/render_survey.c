/* render_survey.c -- measures the particles before they are drawn: bounds, range of values, spacing. */
#include "host/render/render_parts.h"
#include "host/base/fail.h"
#include "host/render/spacing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARKS ((size_t)1 << 23) /* cells of the grid by which distances of particles are estimated */
#define GREATEST 1e300 /* greater magnitudes are drawn as beyond the range, so that differences remain finite */

bool pio_point_is_finite(const double *p, int dimension)
{
    for (int k = 0; k < dimension; k++) {
        if (!(fabs(p[k]) <= GREATEST)) return false;
    }
    return true;
}

/* Returns the k-th smallest (from 0) of v[n], by Hoare's selection, which reorders v. */
static double select_kth(double *v, size_t n, size_t k)
{
    size_t lo = 0, hi = n - 1;
    while (lo < hi) {
        double pivot = v[lo + (hi - lo) / 2];
        size_t i = lo, j = hi;
        for (;;) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i >= j) break;
            double t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (k <= j) {
            hi = j;
        } else {
            lo = j + 1;
        }
    }
    return v[k];
}

static double percentile(double *v, size_t n, double part)
{
    return select_kth(v, n, (size_t)(part * (double)(n - 1)));
}

static bool two_sided(double below, double above)
{
    return below < 0 && above > 0 && fmin(-below, above) >= 0.1 * fmax(-below, above);
}

static bool named_signed(const char *field)
{
    return field != NULL && (strncmp(field, "grad_", 5) == 0 || strncmp(field, "adj_", 4) == 0);
}

/* Chooses map and range from v[m], the finite values, which it reorders. */
static void choose_range(pio_frame *f, double *v, size_t m)
{
    double lo = f->p.lo, hi = f->p.hi;
    f->kind = f->p.map;
    f->named = f->p.n_names > 0 && isnan(lo) && isnan(hi);
    if (f->named) { /* a block of the bar for each */
        f->kind = PIO_MAP_SEQUENTIAL;
        f->lo = -0.5;
        f->hi = (double)f->p.n_names - 0.5;
        return;
    }
    if (f->kind == PIO_MAP_AUTO) {
        bool both = !isnan(lo) && !isnan(hi), is_signed;
        is_signed = both ? two_sided(lo, hi) : two_sided(percentile(v, m, 0.02), percentile(v, m, 0.98));
        if (named_signed(f->p.field) && (both ? lo < 0 && hi > 0 : f->least < 0)) is_signed = true;
        f->kind = is_signed ? PIO_MAP_DIVERGING : PIO_MAP_SEQUENTIAL;
    }
    if (f->kind == PIO_MAP_DIVERGING && isnan(lo) && isnan(hi)) {
        double most = fmax(fabs(f->least), fabs(f->greatest));
        for (size_t i = 0; i < m; i++) v[i] = fabs(v[i]);
        double usual = percentile(v, m, 0.99);
        hi = usual > 0 && most > 1.5 * usual ? usual : most;
        lo = -hi;
    } else if (f->kind == PIO_MAP_DIVERGING && isnan(hi) && lo < 0) {
        hi = -lo;
    } else if (f->kind == PIO_MAP_DIVERGING && isnan(lo) && hi > 0) {
        lo = -hi;
    }
    if (isnan(lo)) lo = isnan(hi) ? f->least : fmin(f->least, hi - fabs(hi) * 0.1);
    if (isnan(hi)) hi = fmax(f->greatest, isnan(f->p.lo) ? f->greatest : lo + fabs(lo) * 0.1);
    f->equal = isnan(f->p.lo) && isnan(f->p.hi) && f->greatest - f->least <= 1e-10 * fmax(fabs(lo), fabs(hi));
    if (f->equal || !(hi - lo > 1e-290)) { /* a single value is in the middle of the bar */
        double middle = lo / 2 + hi / 2, half = fabs(middle) > 1e-290 ? fabs(middle) / 10 : 1;
        if (f->equal && f->kind == PIO_MAP_DIVERGING) middle = 0, half = fmax(fabs(lo), fabs(hi)) > 1e-290 ? hi : 1;
        lo = middle - half;
        hi = middle + half;
    }
    f->lo = lo;
    f->hi = hi;
}

/* Returns whether value i belongs to something that has a position. */
static bool counts(const pio_frame *f, size_t i)
{
    return f->p.at_cells || pio_point_is_finite(f->p.points + 3 * i, f->p.dimension);
}

static piola_status survey_values(pio_frame *f, piola_error *error)
{
    size_t m = 0, n = f->p.at_cells ? (size_t)f->p.mesh->n_cells : f->p.n;
    f->least = INFINITY;
    f->greatest = -INFINITY;
    if (f->p.values == NULL) return PIOLA_OK;
    double *finite = malloc(n * sizeof *finite);
    if (finite == NULL) {
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory for %zu values (%zu bytes)", n, n * sizeof *finite);
    }
    for (size_t i = 0; i < n; i++) {
        double v = f->p.values[i];
        if (!counts(f, i)) continue;
        if (isnan(v)) f->grey++;
        if (!(fabs(v) <= GREATEST)) continue;
        finite[m++] = v;
        f->least = fmin(f->least, v);
        f->greatest = fmax(f->greatest, v);
    }
    /* With both ends given, a frame without a value has the bar that the other frames of a film have. */
    f->coloured = m > 0 || (!isnan(f->p.lo) && !isnan(f->p.hi));
    if (f->coloured) choose_range(f, finite, m);
    for (size_t i = 0; i < n && f->coloured; i++) {
        if (!counts(f, i)) continue;
        double slack = 1e-9 * (f->hi - f->lo);
        if (f->p.values[i] < f->lo - slack) f->below = true;
        if (f->p.values[i] > f->hi + slack) f->above = true;
    }
    free(finite);
    return PIOLA_OK;
}

/* ---- places -------------------------------------------------------------------------------------------- */

static bool within(const double lo[3], const double hi[3], const double *p, int dim)
{
    for (int k = 0; k < dim; k++) {
        if (!(p[k] >= lo[k] && p[k] <= hi[k])) return false; /* also where p is NaN */
    }
    return true;
}

/* Returns the number of cells of side h (in units of `longest`) that hold a particle; h grows until the grid fits into
 * `room`. */
static size_t occupied_cells(const pio_frame *f, double longest, double *h, uint8_t *marks, size_t room)
{
    size_t cells[3], total, occupied = 0;
    for (;; *h *= 1.1) {
        total = 1;
        for (int k = 0; k < 3; k++) {
            double side = k < f->p.dimension ? f->points[1][k] - f->points[0][k] : 0;
            cells[k] = (size_t)fmin(side / longest / *h, 1e6) + 1;
            total *= cells[k];
        }
        if (total <= room) break;
    }
    memset(marks, 0, total);
    for (size_t i = 0; i < f->p.n; i++) {
        const double *p = f->p.points + 3 * i;
        size_t c[3] = {0, 0, 0};
        if (!within(f->points[0], f->points[1], p, f->p.dimension)) continue;
        for (int k = 0; k < f->p.dimension; k++) c[k] = (size_t)((p[k] - f->points[0][k]) / longest / *h);
        uint8_t *mark = &marks[(c[2] * cells[1] + c[1]) * cells[0] + c[0]];
        occupied += *mark == 0;
        *mark = 1;
    }
    return occupied;
}

/* Estimates the spacing of particles that would fill their volume evenly: from the bounding box first, then three times
 * from the occupied cells of a grid of twice the spacing, as bodies rarely fill their box. An axis along which the
 * particles are closer together than a line of all of them would be does not count (a sheet, a row). Returns 0 if all
 * have one position. */
static double estimated_spacing(const pio_frame *f, uint8_t *marks, size_t room)
{
    double volume = 1, longest = 0;
    size_t used = 0;
    int axes = 0;
    for (int k = 0; k < f->p.dimension; k++) longest = fmax(longest, f->points[1][k] - f->points[0][k]);
    if (!(longest > 0)) return 0;
    for (size_t i = 0; i < f->p.n; i++) {
        used += within(f->points[0], f->points[1], f->p.points + 3 * i, f->p.dimension);
    }
    for (int k = 0; k < f->p.dimension; k++) {
        double side = (f->points[1][k] - f->points[0][k]) / longest;
        if (side < 1 / (double)used) continue;
        volume *= side;
        axes++;
    }
    double spacing = pow(volume / (double)used, 1.0 / axes); /* in units of the longest side */
    for (int pass = 0; pass < 3; pass++) {
        double h = 2 * spacing, count = (double)occupied_cells(f, longest, &h, marks, room);
        spacing = fmin(spacing, h * pow(count / (double)used, 1.0 / axes));
    }
    return spacing * longest;
}

/* Finds the bounds of the finite points within the given axes of the box, or of all finite points if none is within. */
static piola_status survey_points(pio_frame *f, piola_error *error)
{
    double given[2][3] = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    size_t inside = 0;
    for (int k = 0; k < 3; k++) {
        if (isnan(f->p.box_min[k]) || isnan(f->p.box_max[k])) continue;
        given[0][k] = f->p.box_min[k];
        given[1][k] = f->p.box_max[k];
    }
    for (int pass = 0; pass < 2 && inside == 0; pass++) {
        f->bad_points = 0;
        for (int k = 0; k < 3; k++) f->points[0][k] = INFINITY, f->points[1][k] = -INFINITY;
        for (size_t i = 0; i < f->p.n; i++) {
            const double *p = f->p.points + 3 * i;
            if (!pio_point_is_finite(p, f->p.dimension)) {
                f->bad_points++;
                continue;
            }
            if (pass == 0 && !within(given[0], given[1], p, f->p.dimension)) continue;
            inside++;
            for (int k = 0; k < f->p.dimension; k++) {
                f->points[0][k] = fmin(f->points[0][k], p[k]);
                f->points[1][k] = fmax(f->points[1][k], p[k]);
            }
        }
    }
    if (inside > 0) return PIOLA_OK;
    return pio_fail(error, PIOLA_BAD_DATA, "none of the %zu %s has a finite position: nothing to draw", f->p.n,
                    f->p.mesh != NULL ? "points" : "particles");
}

double pio_survey_spacing(const double *points, size_t n, int dimension)
{
    pio_frame f = {.p = {.points = points, .n = n, .dimension = dimension}};
    for (int k = 0; k < 3; k++) f.p.box_min[k] = f.p.box_max[k] = NAN;
    uint8_t *marks = malloc(MARKS);
    const bool known = marks != NULL && survey_points(&f, NULL) == PIOLA_OK;
    const double spacing = known ? estimated_spacing(&f, marks, MARKS) : 0;
    free(marks);
    return spacing;
}

static piola_status survey_radius(pio_frame *f, piola_error *error)
{
    double longest = 0;
    for (int k = 0; k < f->p.dimension; k++) longest = fmax(longest, f->points[1][k] - f->points[0][k]);
    f->radius = f->p.mesh != NULL ? 0.02 * longest : f->p.radius; /* for a mesh, only the margin around it */
    if (f->radius > 0) return PIOLA_OK;
    uint8_t *marks = malloc(MARKS);
    if (marks == NULL) return pio_fail_memory(error, MARKS, "the distance of particles");
    f->radius = estimated_spacing(f, marks, MARKS) / 2;
    free(marks);
    if (!(f->radius > 0)) { /* a single position: a fiftieth of the box, or of its distance from the origin */
        double side = 0, away = 0;
        for (int k = 0; k < f->p.dimension; k++) {
            side = fmax(side, f->p.box_max[k] - f->p.box_min[k]); /* NaN is skipped */
            away = fmax(away, fabs(f->points[0][k]));
        }
        f->radius = side > 0 ? side / 50 : away > 0 ? away / 50 : 0.5;
    }
    return PIOLA_OK;
}

/* Chooses the box: the given domain, or the points with half a spacing around them; never flat, and finite if its size
 * is. */
static piola_status survey_box(pio_frame *f, piola_error *error)
{
    int dim = f->p.dimension;
    double longest = 0;
    for (int k = 0; k < dim; k++) {
        bool given = !isnan(f->p.box_min[k]) && !isnan(f->p.box_max[k]);
        f->box[0][k] = given ? f->p.box_min[k] : f->points[0][k] - 1.5 * f->radius;
        f->box[1][k] = given ? f->p.box_max[k] : f->points[1][k] + 1.5 * f->radius;
        longest = fmax(longest, f->box[1][k] - f->box[0][k]);
    }
    if (f->radius > longest) {
        return pio_fail(error, PIOLA_USAGE,
                        "a particle radius of %g m in a box whose longest side is %g m: it must be smaller", f->radius,
                        longest);
    }
    for (int k = 0; k < dim; k++) {
        double side = f->box[1][k] - f->box[0][k], least = longest / 12, middle = f->box[0][k] / 2 + f->box[1][k] / 2;
        bool given = !isnan(f->p.box_min[k]) && !isnan(f->p.box_max[k]);
        if (!given && side < least) f->box[0][k] = middle - least / 2, f->box[1][k] = middle + least / 2;
        if (!isfinite(longest * longest) || longest <= 1e-12 * fabs(middle)) {
            return pio_fail(error, PIOLA_BAD_DATA,
                            "the box spans %.17g to %.17g m along %c: too %s to be drawn; give a box that encloses "
                            "what should be seen",
                            f->box[0][k], f->box[1][k], "xyz"[k], isfinite(longest * longest) ? "thin" : "large");
        }
    }
    return PIOLA_OK;
}

piola_status pio_survey(pio_frame *frame, piola_error *error)
{
    piola_status status = survey_points(frame, error);
    if (status == PIOLA_OK) status = survey_values(frame, error);
    if (status == PIOLA_OK) status = survey_radius(frame, error);
    if (status == PIOLA_OK) status = survey_box(frame, error);
    return status;
}

void pio_surface_bounds(const pio_frame *f, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        const double margin = (f->box[1][k] - f->box[0][k]) / 4;
        low[k] = fmin(f->box[0][k], f->points[0][k]) - margin;
        high[k] = fmax(f->box[1][k], f->points[1][k]) + margin;
    }
}
