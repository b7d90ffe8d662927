/* surface_bins.h -- the triangles of a surface in bins of a plane across a line that is oblique to the axes.
 *
 * Vertices are mapped to coordinates u, v across the line and w along it, in units of the box's largest side from its
 * middle; the error of each is less than PIO_BINS_OFF. Bins are of the plane (u, v); a triangle is in the bins that its
 * box overlaps. */
#ifndef PIOLA_HOST_SURFACE_BINS_H
#define PIOLA_HOST_SURFACE_BINS_H

#include "host/surface/surface_mesh.h"

#define PIO_SCREENING "testing which points a surface encloses"
#define PIO_BINS_OFF 2e-15 /* bound of the error: each of three products of a number up to 1/2 takes 5 roundings */

/* The first and the last bin along each axis. */
typedef struct {
    uint16_t from[2], to[2]; /* bins of level 0 along u and v */
} pio_bin_range;

typedef struct {
    const pio_trimesh *s;         /* the surface */
    double depth, middle[3], per; /* depth and middle of the box, m; scale of the mapping, 1/m */
    int first;                    /* row of the rotation with which u, v, w begin */
    double *at;                   /* [n_vertices][3] u, v, w of each vertex */
    double low[3], high[3];       /* box of all mapped vertices */
    double fine[2];               /* bins of level 0 per unit length */
    int32_t most[2];              /* bins of level 0 along each axis */
    int level;                    /* bins are 2^level bins of level 0 wide */
    int32_t bins[2];              /* bins along each axis */
    pio_bin_range *range;         /* [n_triangles] bins of level 0 that the box of each triangle overlaps */
    uint32_t *start;              /* [bins[0] * bins[1] + 2] start of each bin in `member` */
    int32_t *member;              /* [start[bins[0] * bins[1]]] triangles of each bin */
    uint32_t crowd;               /* greatest number of members of a bin */
} pio_bins;

/* Maps the point x [3] (m) to u, v, w. */
void pio_bins_map(const pio_bins *g, const double x[3], double out[3]);

/* Makes bins across that one of three lines along which few triangles lie behind each other; *found: there is one.
 * `depth` is in m: where the surface is not narrower, no bin is narrower than 64 depths. Returns PIOLA_NO_MEMORY or
 * PIOLA_INTERRUPTED; *g must be freed in any case. */
piola_status pio_bins_make(pio_bins *g, const pio_trimesh *s, double depth, bool *found, piola_error *error);
/* Frees what *g holds. */
void pio_bins_free(pio_bins *g);

/* Returns u, v, w of corner k of triangle t. */
static inline const double *pio_bins_corner(const pio_bins *g, int32_t t, int k)
{
    return g->at + 3 * (size_t)g->s->triangle[3 * (size_t)t + (size_t)k];
}

/* Computes the box of a triangle along axis a, slightly enlarged. */
static inline void pio_bins_box(const double *const corner[3], int a, double *low, double *high)
{
    const double x = corner[0][a], y = corner[1][a], z = corner[2][a];
    const double least = x < y ? x : y, most = x < y ? y : x;
    *low = (least < z ? least : z) - 4 * PIO_BINS_OFF;
    *high = (most > z ? most : z) + 4 * PIO_BINS_OFF;
}

/* Returns the bin of level 0 along one axis. */
static inline int32_t pio_bins_fine(const pio_bins *g, int axis, double x)
{
    const double at = (x - g->low[axis]) * g->fine[axis];
    return !(at > 0) ? 0 : at >= g->most[axis] ? g->most[axis] - 1 : (int32_t)at;
}

/* Returns the bin of a point u, v. */
static inline size_t pio_bins_of(const pio_bins *g, const double x[2])
{
    return (size_t)(pio_bins_fine(g, 0, x[0]) >> g->level) * (size_t)g->bins[1] +
           (size_t)(pio_bins_fine(g, 1, x[1]) >> g->level);
}

#endif
