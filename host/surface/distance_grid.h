/* distance_grid.h -- the signed distance from a closed surface at the points of a lattice around it. */
#ifndef PIOLA_HOST_DISTANCE_GRID_H
#define PIOLA_HOST_DISTANCE_GRID_H

#include "host/surface/surface_mesh.h"

#define PIO_DISTANCES_MOST (1 << 27) /* distances of one surface at most */

typedef struct {
    int32_t count[3]; /* points along each axis; the last axis is the fastest */
    double low[3];    /* position of the first point, m */
    double spacing;   /* m */
    double *distance; /* [count[0]][count[1]][count[2]] m, negative inside */
} pio_distance_grid;

/* Computes the distances at a lattice of this spacing (m), which extends `beyond` (m) and three more spacings past the
 * surface. Returns PIOLA_BAD_DATA if it has too many points, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_distance_grid_create(pio_distance_grid *out, const pio_trimesh *surface, double spacing, double beyond,
                                      piola_error *error);

#endif
