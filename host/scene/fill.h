/* fill.h -- filling a shape with particles. */
#ifndef PIOLA_HOST_FILL_H
#define PIOLA_HOST_FILL_H

#include "host/data/csv.h"
#include "host/scene/shape.h"

typedef struct {
    int64_t n;
    double *position;   /* [n][dimension] m */
    double volume;      /* of each, m^3 (2D: per metre of thickness) */
    double *volumes;    /* [n] instead, or NULL */
    double centroid[3]; /* of the shape, without the offset */
    char unread[200];   /* of points: names of the columns that nothing reads, or "" */
} pio_fill_result;

/* How a shape is filled. */
typedef struct {
    double offset[3];       /* added to each place, m */
    double spacing;         /* of the grid, m */
    int particles_per_cell; /* of the grid */
    scene_fill method;
    uint64_t seed, stream; /* of jitter */
} pio_filling;

/* Particles on a lattice of `particles_per_cell` per cell of the given spacing, in a shape that is open: in a box
 * exactly fitted to its sides, else centred on the shape and kept where inside. Jittered: each moved at random within
 * its lattice cell, by a generator that depends on seed, stream and particle alone. Every particle has the shape's
 * exact volume over n, so that mass is conserved. The order is that of the lattice. Free `position` with free().
 * PIOLA_BAD_DATA for no particle or too many, PIOLA_NO_MEMORY, PIOLA_INTERRUPTED. */
piola_status pio_fill(const pio_shape *shape, const pio_filling *how, pio_fill_result *out, piola_error *error);

/* The particles of geometry of type points, in the order of the rows of its table; faults of `geometry` are told in the
 * table's file. Free `position` and `volumes`. */
piola_status pio_fill_points(const scene_geometry *geometry, const pio_csv *csv, const double offset[3], int dimension,
                             pio_fill_result *out, piola_error *error);

/* The box of its particles. */
void pio_fill_bounds(const pio_fill_result *fill, int dimension, double low[3], double high[3]);

#endif
