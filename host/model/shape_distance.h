/* shape_distance.h -- signed distances from shapes: exact, negative inside. */
#ifndef PIOLA_HOST_SHAPE_DISTANCE_H
#define PIOLA_HOST_SHAPE_DISTANCE_H

#include "host/scene/shape.h"
#include "host/surface/triangle_tree.h"

/* A shape ready to be asked; it must stay open as long. */
typedef struct {
    const pio_shape *shape;
    pio_triangle_tree *tree; /* of a closed mesh, else NULL */
} pio_shape_measure;

piola_status pio_shape_measure_open(pio_shape_measure *out, const pio_shape *shape, piola_error *error);
void pio_shape_measure_close(pio_shape_measure *measure);
/* m; of three coordinates the last is not looked at in 2D. */
double pio_shape_distance(const pio_shape_measure *measure, const double x[3]);

#endif
