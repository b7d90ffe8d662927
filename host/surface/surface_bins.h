/* surface_bins.h -- a surface's triangles in bins of a plane, across a line that is oblique to the axes.
 *
 * Vertices are mapped to coordinates u, v across the line and w along it, in units of the box's largest side from its
 * middle: each is off by less than PIO_BINS_OFF. Bins are of the plane (u, v); those of a triangle are the ones that
 * its box touches. */
#ifndef PIOLA_HOST_SURFACE_BINS_H
#define PIOLA_HOST_SURFACE_BINS_H

#include "host/surface/surface_mesh.h"

#define PIO_SCREENING "testing what a surface encloses"
#define PIO_BINS_OFF 2e-15 /* each of three products of a number up to 1/2 takes 5 roundings */

/* The first and the last along each axis. */
typedef struct {
    uint16_t from[2], to[2];
} pio_bin_range;

typedef struct {
    const pio_trimesh *s;
    double depth, middle[3], per; /* 1/m */
    int first;                    /* row of `turn` */
    double *at;                   /* [n_vertices][3] u, v, w */
    double low[3], high[3];       /* of all */
    double fine[2];               /* bins of level 0 per unit */
    int32_t most[2];              /* bins of level 0 */
    int level;                    /* bins are 2^level of level 0 wide */
    int32_t bins[2];
    pio_bin_range *range; /* [n_triangles] bins of level 0 that each one's box touches */
    uint32_t *start;      /* [bins[0] * bins[1] + 2] */
    int32_t *member;      /* [start[bins[0] * bins[1]]] triangles of each bin */
    uint32_t crowd;       /* most members of a bin */
} pio_bins;

/* x [3] m as u, v, w. */
void pio_bins_map(const pio_bins *g, const double x[3], double out[3]);

/* Bins across that one of three lines along which few triangles stand behind each other; *found: there is one. `depth`,
 * m: no bin is narrower than 64 of it where the surface is not. PIOLA_NO_MEMORY, PIOLA_INTERRUPTED; free *g in any
 * case. */
piola_status pio_bins_make(pio_bins *g, const pio_trimesh *s, double depth, bool *found, piola_error *error);
void pio_bins_free(pio_bins *g);

static inline const double *pio_bins_corner(const pio_bins *g, int32_t t, int k)
{
    return g->at + 3 * (size_t)g->s->triangle[3 * (size_t)t + (size_t)k];
}

/* The box of a triangle along one axis, a little larger than it is. */
static inline void pio_bins_box(const double *const corner[3], int a, double *low, double *high)
{
    const double x = corner[0][a], y = corner[1][a], z = corner[2][a];
    const double least = x < y ? x : y, most = x < y ? y : x;
    *low = (least < z ? least : z) - 4 * PIO_BINS_OFF;
    *high = (most > z ? most : z) + 4 * PIO_BINS_OFF;
}

/* Of level 0. */
static inline int32_t pio_bins_fine(const pio_bins *g, int axis, double x)
{
    const double at = (x - g->low[axis]) * g->fine[axis];
    return !(at > 0) ? 0 : at >= g->most[axis] ? g->most[axis] - 1 : (int32_t)at;
}

static inline size_t pio_bins_of(const pio_bins *g, const double x[2])
{
    return (size_t)(pio_bins_fine(g, 0, x[0]) >> g->level) * (size_t)g->bins[1] +
           (size_t)(pio_bins_fine(g, 1, x[1]) >> g->level);
}

#endif
