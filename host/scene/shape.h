/* shape.h -- the shapes of a scene's geometry as sets of points: boxes, balls, cylinders, and closed meshes from
 * files. */
#ifndef PIOLA_HOST_SHAPE_H
#define PIOLA_HOST_SHAPE_H

#include "host/scene/scene.h"
#include "host/surface/surface_inside.h"

typedef struct {
    const scene_geometry *is;
    int dimension;
    pio_trimesh surface;      /* of a closed mesh */
    pio_trimesh_lines *lines; /* of a closed mesh, else NULL */
    bool lent;                /* both are the scene's */
} pio_shape;

/* Any geometry but points; a surface is the scene's, which keeps it (scene_surface.h). On failure *out is empty (safe
 * to close). */
piola_status pio_shape_open(pio_shape *out, const pio_scene *scene, const scene_geometry *geometry, piola_error *error);
/* The same of a shape that needs no file. */
pio_shape pio_shape_of(const scene_geometry *geometry, int dimension);
void pio_shape_close(pio_shape *shape);

/* Every place in the shape is in it once; else PIOLA_BAD_DATA. It takes as long as asking for two points per
 * triangle. */
piola_status pio_shape_check(const pio_shape *shape, piola_error *error);
/* Does it hold x? PIOLA_BAD_DATA where it does so more than once. */
piola_status pio_shape_holds_once(const pio_shape *shape, const double x[3], bool *holds, piola_error *error);
bool pio_shape_holds(const pio_shape *shape, const double x[3]);
void pio_shape_bounds(const pio_shape *shape, double low[3], double high[3]);
double pio_shape_volume(const pio_shape *shape); /* 2D: area; exact */
void pio_shape_centroid(const pio_shape *shape, double centroid[3]);

#endif
