/* distance_grid.c -- see distance_grid.h. */
#include "host/surface/distance_grid.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/surface/surface_inside.h"
#include "host/surface/triangle_tree.h"

#include <math.h>
#include <stdlib.h>

enum { MARGIN = 3 }; /* spacings beyond; a spline about a point uses the next two points on either side */

piola_status pio_distance_grid_create(pio_distance_grid *out, const pio_trimesh *surface, double spacing, double beyond,
                                      piola_error *error)
{
    pio_triangle_tree *tree = NULL;
    pio_trimesh_lines *lines = NULL;
    double points = 1;
    *out = (pio_distance_grid){.spacing = spacing};
    for (int a = 0; a < 3; a++) {
        const double cells = ceil((surface->high[a] - surface->low[a] + 2 * beyond) / spacing) + 2 * MARGIN;
        points *= cells + 1;
        if (!(points <= PIO_DISTANCES_MOST))
            return pio_fail(error, PIOLA_BAD_DATA,
                            "a grid of distances every %g m about %s, which is %g x %g x %g m, would have more than %d "
                            "points; use a larger `resolution`, or a smaller `scale` if it is not of that size",
                            spacing, surface->path, surface->high[0] - surface->low[0],
                            surface->high[1] - surface->low[1], surface->high[2] - surface->low[2], PIO_DISTANCES_MOST);
        out->count[a] = (int32_t)cells + 1;
        out->low[a] = (surface->low[a] + surface->high[a] - cells * spacing) / 2;
    }
    out->distance = malloc(sizeof *out->distance * (size_t)points);
    if (!out->distance)
        return pio_fail_memory(error, sizeof *out->distance * (size_t)points, "distances from a surface");
    piola_status rc = pio_triangle_tree_create(&tree, surface, error);
    if (!rc) rc = pio_trimesh_lines_create(&lines, surface, error);
    for (size_t i = 0; !rc && i < (size_t)points; i++) {
        rc = pio_stop_at((int64_t)i, "measuring distances from a surface", error);
        const size_t nz = (size_t)out->count[2], ny = (size_t)out->count[1],
                     at[3] = {i / (ny * nz), i / nz % ny, i % nz};
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = out->low[a] + (double)at[a] * spacing;
        const double d = pio_triangle_tree_distance(tree, x);
        out->distance[i] = pio_trimesh_winding(lines, x) > 0 ? -d : d;
    }
    pio_trimesh_lines_free(lines);
    pio_triangle_tree_free(tree);
    if (!rc) return PIOLA_OK;
    free(out->distance);
    out->distance = NULL;
    return rc;
}
