/* surface_mesh.c -- see surface_mesh.h: how a surface is read, sorted and checked. */
#include "host/surface/surface_mesh.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"
#include "host/base/stop.h"
#include "host/surface/surface_parts.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 30)

/* ---- checks ------------------------------------------------------------------------------------------------ */

/* Computes the box and, by Gauss' theorem about the middle of the box, volume and centroid. */
static piola_status measure(pio_trimesh *s, piola_error *error)
{
    double middle[3], moment[3] = {0}, volume = 0, size = 1;
    for (int a = 0; a < 3; a++) {
        s->low[a] = INFINITY;
        s->high[a] = -INFINITY;
        for (int32_t v = 0; v < s->n_vertices; v++) {
            const double x = s->vertex[3 * v + a];
            s->low[a] = x < s->low[a] ? x : s->low[a];
            s->high[a] = x > s->high[a] ? x : s->high[a];
        }
        middle[a] = s->low[a] + (s->high[a] - s->low[a]) / 2;
        size *= s->high[a] - s->low[a];
    }
    for (int32_t t = 0; t < s->n_triangles; t++) {
        const piola_status rc = pio_stop_at(t, "measuring a surface", error);
        if (rc) return rc;
        double x[3][3];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) x[k][a] = s->vertex[3 * s->triangle[3 * t + k] + a] - middle[a];
        const double six = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                           x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                           x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
        volume += six / 6;
        for (int a = 0; a < 3; a++) moment[a] += six / 24 * (x[0][a] + x[1][a] + x[2][a]);
    }
    if (!isfinite(size) || !isfinite(volume)) return pio_trimesh_fail(s, error, "its size is too large for a double");
    if (!(fabs(volume) > 1e-12 * size) || !(size > 0))
        return pio_trimesh_fail(s, error, "the surface is flat: it encloses no volume");
    if (volume < 0)
        return pio_trimesh_fail(
            s, error,
            "the surface is inside out: it encloses %g m^3; order all corners counter-clockwise as seen from "
            "outside",
            volume);
    s->volume = volume;
    for (int a = 0; a < 3; a++) s->centroid[a] = middle[a] + moment[a] / volume;
    return PIOLA_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------- */

/* Returns the number of threads for two tasks, at most what is available. */
static int few_threads(void)
{
    return omp_get_max_threads() < 2 ? 1 : 2;
}

/* Checks the file and its triangles in two threads, if there are two; the first fault is kept. */
static piola_status order(pio_triangles *t, pio_trimesh *s, const char *text, size_t size, piola_error *error)
{
    piola_status rc = PIOLA_OK;
#pragma omp parallel sections num_threads(few_threads())
    {
#pragma omp section
        rc = pio_triangles_order(t, s, error);
#pragma omp section
        pio_sha256_of(text, size, s->sha256);
    }
    return rc;
}

static piola_status check(pio_trimesh *s, piola_error *error)
{
    piola_error other = {0};
    piola_status closed = PIOLA_OK, measured = PIOLA_OK;
#pragma omp parallel sections num_threads(few_threads())
    {
#pragma omp section
        closed = pio_trimesh_check_closed(s, error);
#pragma omp section
        measured = measure(s, &other);
    }
    if (!closed && measured && error) *error = other;
    return closed ? closed : measured;
}

static piola_status read_triangles(pio_triangles *t, pio_trimesh *s, const char *path, piola_error *error)
{
    char *text;
    size_t size;
    piola_status rc = pio_file_read(path, MOST_BYTES, &text, &size, error);
    if (rc) return rc;
    pio_input in = {.path = path, .text = text, .size = size, .error = error};
    const pio_locale old = pio_locale_begin();
    pio_triangles_read(t, &in);
    pio_locale_end(old);
    s->path = in.status ? NULL : strdup(path);
    rc = in.status ? in.status : s->path ? PIOLA_OK : pio_fail_memory(error, strlen(path) + 1, "a surface");
    if (!rc) rc = order(t, s, text, size, error);
    free(text);
    return rc;
}

piola_status pio_trimesh_load(pio_trimesh *out, const char *path, double scale, piola_error *error)
{
    pio_triangles t = {.scale = scale};
    *out = (pio_trimesh){0};
    piola_status rc = read_triangles(&t, out, path, error);
    pio_triangles_free(&t);
    if (!rc && !out->n_triangles) rc = pio_trimesh_fail(out, error, "there are no triangles");
    if (!rc) rc = check(out, error);
    if (rc) pio_trimesh_free(out);
    return rc;
}

double pio_trimesh_size(const pio_trimesh *s)
{
    return fmax(fmax(s->high[0] - s->low[0], s->high[1] - s->low[1]), s->high[2] - s->low[2]);
}

void pio_trimesh_free(pio_trimesh *surface)
{
    free(surface->path);
    free(surface->vertex);
    free(surface->triangle);
    *surface = (pio_trimesh){0};
}
