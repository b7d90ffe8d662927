/* distance_grid.h -- the signed distance from a closed surface at the points of a lattice around it. */
#ifndef PIOLA_HOST_DISTANCE_GRID_H
#define PIOLA_HOST_DISTANCE_GRID_H

#include "host/surface/surface_mesh.h"

#define PIO_DISTANCES_MOST (1 << 27) /* of one surface */

typedef struct {
    int32_t count[3]; /* points per axis, the last axis fastest */
    double low[3];    /* place of the first, m */
    double spacing;   /* m */
    double *distance; /* m, negative inside */
} pio_distance_grid;

/* The lattice reaches `beyond` and three spacings more past the surface. PIOLA_BAD_DATA where it has too many
 * points. */
piola_status pio_distance_grid_create(pio_distance_grid *out, const pio_trimesh *surface, double spacing, double beyond,
                                      piola_error *error);

#endif
