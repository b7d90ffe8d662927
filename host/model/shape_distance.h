/* shape_distance.h -- signed distances from shapes: exact, negative inside. */
#ifndef PIOLA_HOST_SHAPE_DISTANCE_H
#define PIOLA_HOST_SHAPE_DISTANCE_H

#include "host/scene/shape.h"
#include "host/surface/triangle_tree.h"

/* An open shape with what its distances need. */
typedef struct {
    const pio_shape *shape;  /* must stay open as long */
    pio_triangle_tree *tree; /* of a closed mesh, else NULL */
} pio_shape_measure;

/* Prepares distances from a shape. Returns PIOLA_NO_MEMORY and the other errors of pio_triangle_tree_create(). */
piola_status pio_shape_measure_open(pio_shape_measure *out, const pio_shape *shape, piola_error *error);
/* Frees what pio_shape_measure_open() made; the shape stays open. */
void pio_shape_measure_close(pio_shape_measure *measure);
/* Returns the signed distance of x [m] from the shape, m; in 2D the third coordinate is ignored. */
double pio_shape_distance(const pio_shape_measure *measure, const double x[3]);

#endif
