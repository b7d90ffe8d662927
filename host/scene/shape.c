/* shape.c -- see shape.h. */
#include "host/scene/shape.h"

#include "host/scene/scene_surface.h"

#include <limits.h>
#include <math.h>
#include <string.h>

pio_shape pio_shape_of(const scene_geometry *geometry, int dimension)
{
    return (pio_shape){.is = geometry, .dimension = dimension};
}

piola_status pio_shape_open(pio_shape *out, const pio_scene *scene, const scene_geometry *geometry, piola_error *error)
{
    char path[PATH_MAX];
    *out = pio_shape_of(geometry, scene->method.dimension);
    if (geometry->shape != PIO_CLOSED_MESH) return PIOLA_OK;
    piola_status rc = pio_scene_file(scene, geometry->file, path, sizeof path, error);
    const pio_trimesh *surface;
    if (!rc) rc = pio_scene_surface(scene, path, geometry->scale, &surface, error);
    if (!rc) rc = pio_scene_surface_lines(scene, surface, &out->lines, error);
    if (rc) return rc;
    out->surface = *surface;
    out->lent = true;
    return PIOLA_OK;
}

void pio_shape_close(pio_shape *s)
{
    if (!s->lent) {
        pio_trimesh_lines_free(s->lines);
        pio_trimesh_free(&s->surface);
    }
    s->surface = (pio_trimesh){0};
    s->lines = NULL;
}

void pio_shape_bounds(const pio_shape *s, double low[3], double high[3])
{
    const scene_geometry *g = s->is;
    for (int a = 0; a < s->dimension; a++) {
        const double r = g->shape == PIO_CYLINDER && a == g->axis ? g->height / 2 : g->radius;
        low[a] = g->shape == PIO_BOX ? g->min[a] : g->shape == PIO_CLOSED_MESH ? s->surface.low[a] : g->center[a] - r;
        high[a] = g->shape == PIO_BOX ? g->max[a] : g->shape == PIO_CLOSED_MESH ? s->surface.high[a] : g->center[a] + r;
    }
}

double pio_shape_volume(const pio_shape *s)
{
    const scene_geometry *g = s->is;
    double v = 1;
    switch (g->shape) {
    case PIO_BOX:
        for (int a = 0; a < s->dimension; a++) v *= g->max[a] - g->min[a];
        return v;
    case PIO_BALL:
        return s->dimension == 2 ? M_PI * g->radius * g->radius : 4.0 / 3 * M_PI * pow(g->radius, 3);
    case PIO_CLOSED_MESH:
        return s->surface.volume;
    default:
        return M_PI * g->radius * g->radius * g->height;
    }
}

void pio_shape_centroid(const pio_shape *s, double centroid[3])
{
    double low[3] = {0}, high[3] = {0};
    pio_shape_bounds(s, low, high);
    for (int a = 0; a < 3; a++)
        centroid[a] = s->is->shape == PIO_CLOSED_MESH ? s->surface.centroid[a] : (low[a] + high[a]) / 2;
}

piola_status pio_shape_check(const pio_shape *s, piola_error *error)
{
    return s->is->shape == PIO_CLOSED_MESH ? pio_trimesh_check_inside(s->lines, error) : PIOLA_OK;
}

piola_status pio_shape_holds_once(const pio_shape *s, const double x[3], bool *holds, piola_error *error)
{
    if (s->is->shape == PIO_CLOSED_MESH) return pio_trimesh_inside(s->lines, x, holds, error);
    *holds = pio_shape_holds(s, x);
    return PIOLA_OK;
}

bool pio_shape_holds(const pio_shape *s, const double x[3])
{
    const scene_geometry *g = s->is;
    double r2 = 0;
    if (g->shape == PIO_CLOSED_MESH) return pio_trimesh_winding(s->lines, x) != 0;
    for (int a = 0; a < s->dimension && g->shape == PIO_BOX; a++)
        if (!(x[a] >= g->min[a] && x[a] <= g->max[a])) return false;
    if (g->shape == PIO_BOX) return true;
    for (int a = 0; a < s->dimension; a++) {
        const double d = x[a] - g->center[a];
        if (g->shape == PIO_CYLINDER && a == g->axis) {
            if (fabs(d) > g->height / 2) return false;
        } else {
            r2 += d * d;
        }
    }
    return r2 <= g->radius * g->radius;
}
