/* shape_distance.c -- see shape_distance.h. */
#include "host/model/shape_distance.h"

#include <math.h>

piola_status pio_shape_measure_open(pio_shape_measure *out, const pio_shape *shape, piola_error *error)
{
    *out = (pio_shape_measure){.shape = shape};
    if (shape->is->shape != PIO_CLOSED_MESH) return PIOLA_OK;
    return pio_triangle_tree_create(&out->tree, &shape->surface, error);
}

void pio_shape_measure_close(pio_shape_measure *measure)
{
    pio_triangle_tree_free(measure->tree);
    measure->tree = NULL;
}

/* Returns the signed distance from a box about 0 whose faces are at -half and half of n axes; q = |x| - half. */
static double box_distance(const double *q, int n)
{
    double out = 0, in = -INFINITY;
    for (int a = 0; a < n; a++) {
        out += q[a] > 0 ? q[a] * q[a] : 0;
        in = fmax(in, q[a]);
    }
    return in > 0 ? sqrt(out) : in;
}

double pio_shape_distance(const pio_shape_measure *m, const double x[3])
{
    const scene_geometry *g = m->shape->is;
    const int dim = m->shape->dimension;
    double q[3], r2 = 0, along = 0;
    if (g->shape == PIO_CLOSED_MESH) {
        const double d = pio_triangle_tree_distance(m->tree, x);
        return pio_trimesh_winding(m->shape->lines, x) ? -d : d;
    }
    if (g->shape == PIO_BOX) {
        for (int a = 0; a < dim; a++) q[a] = fabs(x[a] - (g->min[a] + g->max[a]) / 2) - (g->max[a] - g->min[a]) / 2;
        return box_distance(q, dim);
    }
    for (int a = 0; a < dim; a++) {
        const double d = x[a] - g->center[a];
        if (g->shape == PIO_CYLINDER && a == g->axis)
            along = fabs(d);
        else
            r2 += d * d;
    }
    q[0] = sqrt(r2) - g->radius;
    q[1] = along - g->height / 2;
    return g->shape == PIO_CYLINDER ? box_distance(q, 2) : q[0];
}
