/* fill.h -- filling a shape with particles. */
#ifndef PIOLA_HOST_FILL_H
#define PIOLA_HOST_FILL_H

#include "host/data/csv.h"
#include "host/scene/shape.h"

typedef struct {
    int64_t n;          /* number of particles */
    double *position;   /* [n][dimension] m */
    double volume;      /* of each, m^3 (2D: m^2) */
    double *volumes;    /* [n] of points and of cut fills: volumes instead, m^3 (2D: m^2), or NULL */
    double centroid[3]; /* of the shape, m, without the offset */
    char unread[200];   /* of points: names of the columns that are not read, or "" */
} pio_fill_result;

/* How a shape is filled. */
typedef struct {
    double offset[3];       /* added to each position, m */
    double spacing;         /* of the grid, m */
    int particles_per_cell; /* of the grid */
    scene_fill method;      /* regular, jittered or cut */
    uint64_t seed, stream;  /* of the random numbers of jitter */
} pio_filling;

/* Fills an open shape with particles on a lattice of `particles_per_cell` per cell of the given spacing: in a box
 * exactly fitted to its sides, else centred on the shape and kept where inside. Jittered: each is moved at random
 * within its lattice cell, by a generator that depends on seed, stream and site of the lattice alone. Every particle
 * has the shape's exact volume over n, so that mass is conserved. Cut: each cell of the lattice that the shape fills by
 * more than a thirtieth, and whose middle or a corner is inside, has a particle of that part of its volume, at the
 * centroid of the part (by 16 samples along each axis, 8 in 3D); all volumes together are the shape's. The order is
 * that of the lattice. The caller frees `position` and `volumes`. Returns PIOLA_BAD_DATA for no particle or too many,
 * PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_fill(const pio_shape *shape, const pio_filling *how, pio_fill_result *out, piola_error *error);

/* Makes the particles of a geometry of type points, in the order of the rows of its table, moved by `offset` [m]. The
 * caller frees `position` and `volumes`. Returns PIOLA_BAD_DATA for a missing column or a bad number, with the table's
 * file in the message, or PIOLA_NO_MEMORY. */
piola_status pio_fill_points(const scene_geometry *geometry, const pio_csv *csv, const double offset[3], int dimension,
                             pio_fill_result *out, piola_error *error);

/* Computes the bounding box of the particles, low and high [dimension] m. */
void pio_fill_bounds(const pio_fill_result *fill, int dimension, double low[3], double high[3]);

#endif
