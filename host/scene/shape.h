/* shape.h -- the shapes of a scene's geometry as sets of points: boxes, balls, cylinders, and closed meshes from
 * files. */
#ifndef PIOLA_HOST_SHAPE_H
#define PIOLA_HOST_SHAPE_H

#include "host/scene/scene.h"
#include "host/surface/surface_inside.h"

typedef struct {
    const scene_geometry *is; /* the geometry of the scene */
    int dimension;            /* 2 or 3 */
    pio_trimesh surface;      /* of a closed mesh, m */
    pio_trimesh_lines *lines; /* of a closed mesh, else NULL */
    bool lent;                /* surface and lines belong to the scene */
} pio_shape;

/* Opens a geometry of any type but points; a surface belongs to the scene (scene_surface.h). On failure *out is safe to
 * close, and the status is one of the errors of pio_scene_file(), pio_scene_surface() and pio_scene_surface_lines(). */
piola_status pio_shape_open(pio_shape *out, const pio_scene *scene, const scene_geometry *geometry, piola_error *error);
/* Returns the shape of a geometry that needs no file, which need not be closed. */
pio_shape pio_shape_of(const scene_geometry *geometry, int dimension);
/* Closes a shape; one that is closed already is allowed. */
void pio_shape_close(pio_shape *shape);

/* Checks that no point is in the shape more than once; it takes as long as testing two points per triangle. Returns
 * PIOLA_BAD_DATA if one is, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_shape_check(const pio_shape *shape, piola_error *error);
/* Sets *holds to whether x [dimension] m is inside the shape. Returns PIOLA_BAD_DATA if it is so more than once. */
piola_status pio_shape_holds_once(const pio_shape *shape, const double x[3], bool *holds, piola_error *error);
/* Returns whether x [dimension] m is inside the shape or on its boundary. */
bool pio_shape_holds(const pio_shape *shape, const double x[3]);
/* Computes the bounding box, low and high [dimension] m. */
void pio_shape_bounds(const pio_shape *shape, double low[3], double high[3]);
/* Returns the exact volume, m^3; in 2D the area, m^2. */
double pio_shape_volume(const pio_shape *shape);
/* Computes the centroid, m; that of a box, ball or cylinder is its centre. */
void pio_shape_centroid(const pio_shape *shape, double centroid[3]);

#endif
