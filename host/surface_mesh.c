/* surface_mesh.c -- see surface_mesh.h: a surface as it comes is put in order and checked. */
#include "host/surface_mesh.h"

#include "host/config.h"
#include "host/fail.h"
#include "host/stop.h"
#include "host/surface_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 30)
#define MERGING "putting a surface in order"

static piola_status no_memory(piola_error *error, size_t bytes)
{
    return pio_fail_memory(error, bytes, "a surface");
}

static piola_status refuse(const pio_trimesh *s, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static piola_status refuse(const pio_trimesh *s, piola_error *error, const char *format, ...)
{
    char text[800];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return pio_fail(error, PIOLA_BAD_DATA, "%.500s: error: %s", s->path, text);
}

/* ---- one vertex for one place ------------------------------------------------------------------------------ */

typedef struct {
    double x[3];
    int32_t number;
} placed;

static int by_place(const void *a, const void *b, void *context)
{
    (void)context;
    const placed *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] < q->x[k] || p->x[k] > q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Vertices in the order in which their places first occur among the corners; those of no triangle are left out. */
static piola_status merge(pio_trimesh *s, const pio_triangles *t, double scale, piola_error *error)
{
    const size_t n = t->n_vertices, corners = 3 * t->n_triangles;
    placed *sorted = malloc((n + 1) * sizeof *sorted);
    int32_t *same = malloc((n + 1) * sizeof *same), *number = malloc((n + 1) * sizeof *number);
    s->vertex = malloc((n + 1) * 3 * sizeof *s->vertex);
    s->triangle = malloc((corners + 1) * sizeof *s->triangle);
    piola_status rc = sorted && same && number && s->vertex && s->triangle
                          ? PIOLA_OK
                          : no_memory(error, n * (sizeof *sorted + 32) + corners * 4);
    for (size_t i = 0; !rc && i < n; i++) {
        sorted[i].number = (int32_t)i;
        for (int a = 0; a < 3; a++) sorted[i].x[a] = scale * t->vertex[3 * i + (size_t)a] + 0.0; /* no -0 */
    }
    if (!rc) rc = pio_stop_sort(sorted, n, sizeof *sorted, by_place, NULL, MERGING, error);
    for (size_t i = 0, first = 0; !rc && i < n; i++) { /* the lowest number of those at one place */
        if (memcmp(sorted[i].x, sorted[first].x, sizeof sorted[i].x) != 0) first = i;
        same[sorted[i].number] = sorted[first].number;
        number[i] = -1;
    }
    for (size_t c = 0; !rc && c < corners; c += 3) {
        int32_t own[3];
        for (int k = 0; k < 3; k++) own[k] = same[t->triangle[c + (size_t)k]];
        if (own[0] == own[1] || own[1] == own[2] || own[2] == own[0]) continue;
        for (int k = 0; k < 3; k++) {
            int32_t *is = &number[own[k]];
            for (int a = 0; a < 3 && *is < 0; a++)
                s->vertex[3 * s->n_vertices + a] = scale * t->vertex[3 * own[k] + a] + 0.0;
            if (*is < 0) *is = s->n_vertices++;
            s->triangle[3 * s->n_triangles + k] = *is;
        }
        s->n_triangles++;
    }
    free(sorted);
    free(same);
    free(number);
    return rc;
}

/* ---- checks ------------------------------------------------------------------------------------------------ */

typedef struct {
    int32_t low, high; /* vertices */
    int32_t way;       /* 1: from low to high */
} edge;

static int by_vertices(const void *a, const void *b, void *context)
{
    (void)context;
    const edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

/* Edges that do not end as often as they begin: where one triangle is alone, and where two disagree about what is outside. */
static piola_status report_edges(const pio_trimesh *s, const edge *e, int64_t open, int64_t turned, piola_error *error)
{
    const double *p = s->vertex + 3 * e->low, *q = s->vertex + 3 * e->high;
    if (open)
        return refuse(
            s, error,
            "the surface is not closed: %lld edge%s open, the first from (%g %g %g) to (%g %g %g) m; close its "
            "holes",
            (long long)open, open > 1 ? "s are" : " is", p[0], p[1], p[2], q[0], q[1], q[2]);
    return refuse(
        s, error,
        "neighbours disagree about which side is outside at %lld edge%s, the first from (%g %g %g) to (%g %g %g) "
        "m; order all corners counter-clockwise as seen from outside",
        (long long)turned, turned > 1 ? "s" : "", p[0], p[1], p[2], q[0], q[1], q[2]);
}

static piola_status check_closed(const pio_trimesh *s, piola_error *error)
{
    const size_t n = 3 * (size_t)s->n_triangles;
    int64_t open = 0, turned = 0;
    size_t first_open = 0, first_turned = 0;
    edge *e = malloc(n * sizeof *e);
    if (!e) return no_memory(error, n * sizeof *e);
    for (size_t i = 0; i < n; i++) {
        const int32_t a = s->triangle[i], b = s->triangle[i % 3 == 2 ? i - 2 : i + 1];
        e[i] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
    piola_status rc = pio_stop_sort(e, n, sizeof *e, by_vertices, NULL, MERGING, error);
    for (size_t i = 0, next; !rc && i < n; i = next) {
        int64_t sum = 0;
        for (next = i; next < n && by_vertices(&e[i], &e[next], NULL) == 0; next++) sum += e[next].way;
        if (sum == 0) continue;
        if ((next - i) % 2) {
            if (!open++) first_open = i;
        } else if (!turned++) {
            first_turned = i;
        }
    }
    if (open || turned) rc = report_edges(s, &e[open ? first_open : first_turned], open, turned, error);
    free(e);
    return rc;
}

/* Box, and by Gauss' theorem volume and centroid, about the middle of the box. */
static piola_status measure(pio_trimesh *s, piola_error *error)
{
    double middle[3], moment[3] = {0}, volume = 0, size = 1;
    for (int a = 0; a < 3; a++) {
        s->low[a] = INFINITY;
        s->high[a] = -INFINITY;
        for (int32_t v = 0; v < s->n_vertices; v++) {
            s->low[a] = fmin(s->low[a], s->vertex[3 * v + a]);
            s->high[a] = fmax(s->high[a], s->vertex[3 * v + a]);
        }
        middle[a] = s->low[a] + (s->high[a] - s->low[a]) / 2;
        size *= s->high[a] - s->low[a];
    }
    for (int32_t t = 0; t < s->n_triangles; t++) {
        double x[3][3];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) x[k][a] = s->vertex[3 * s->triangle[3 * t + k] + a] - middle[a];
        const double six = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                           x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                           x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
        volume += six / 6;
        for (int a = 0; a < 3; a++) moment[a] += six / 24 * (x[0][a] + x[1][a] + x[2][a]);
    }
    if (!isfinite(size) || !isfinite(volume)) return refuse(s, error, "its size is too large for a double");
    if (!(fabs(volume) > 1e-12 * size) || !(size > 0))
        return refuse(s, error, "the surface is flat: it encloses no volume");
    if (volume < 0)
        return refuse(s, error,
                      "the surface is inside out: it encloses %g m^3; order all corners counter-clockwise as seen from "
                      "outside",
                      volume);
    s->volume = volume;
    for (int a = 0; a < 3; a++) s->centroid[a] = middle[a] + moment[a] / volume;
    return PIOLA_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------- */

static piola_status read_triangles(pio_triangles *t, pio_trimesh *s, const char *path, piola_error *error)
{
    char *text;
    size_t size;
    const piola_status status = pio_file_read(path, MOST_BYTES, &text, &size, error);
    if (status) return status;
    pio_input in = {.path = path, .text = text, .size = size, .error = error};
    pio_sha256_of(text, size, s->sha256);
    const pio_locale old = pio_locale_begin();
    pio_triangles_read(t, &in);
    pio_locale_end(old);
    free(text);
    return in.status;
}

piola_status pio_trimesh_load(pio_trimesh *out, const char *path, double scale, piola_error *error)
{
    pio_triangles t = {0};
    *out = (pio_trimesh){0};
    piola_status rc = read_triangles(&t, out, path, error);
    out->path = rc ? NULL : strdup(path);
    if (!rc && !out->path) rc = no_memory(error, strlen(path) + 1);
    if (!rc) rc = merge(out, &t, scale, error);
    if (!rc && !out->n_triangles) rc = refuse(out, error, "there are no triangles");
    if (!rc) rc = pio_stop(MERGING, error);
    if (!rc) rc = check_closed(out, error);
    if (!rc) rc = pio_stop(MERGING, error);
    if (!rc) rc = measure(out, error);
    free(t.vertex);
    free(t.triangle);
    if (rc) pio_trimesh_free(out);
    return rc;
}

void pio_trimesh_free(pio_trimesh *surface)
{
    free(surface->path);
    free(surface->vertex);
    free(surface->triangle);
    *surface = (pio_trimesh){0};
}
