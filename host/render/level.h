/* level.h -- a smooth surface around particles: the zero of a level set on a grid, as triangles.
 *
 * The level set is that of Zhu and Bridson (2005), "Animating sand as a fluid", equations 3 to 5: the distance of a
 * place from the weighted mean of the particles around it, less a radius. The radius is chosen so that the surface of a
 * half-space that is filled evenly lies where the particles' volumes end, half a spacing beyond the outermost. */
#ifndef PIOLA_HOST_LEVEL_H
#define PIOLA_HOST_LEVEL_H

#include "piola_status.h"

/* Bounds of memory: nodes of the grid in 2D and in 3D, and triangles of one surface. */
enum { PIO_LEVEL_NODES_2D = 1 << 21, PIO_LEVEL_NODES_3D = 1 << 24, PIO_LEVEL_TRIANGLES = 1 << 22 };

typedef struct {
    int dimension;          /* 2: the area within a contour; 3: a closed surface */
    size_t n;               /* number of particles, below 2^32 */
    const double *points;   /* [n][3] m; in 2D the third is not read */
    const float *values;    /* [n] numbers that are averaged at the surface; NaN: none. NULL: there are none */
    double low[3], high[3]; /* m; particles beyond, or without a finite position, do not count */
    double spacing;         /* distance of neighbouring particles, m, > 0 */
    double cell;            /* least side of the grid's cells, m; they have half a spacing where that is more */
    int threads;            /* number of threads, which does not change the result */
} pio_level_set;

typedef struct {
    float place[3];  /* place in units of the spacing, from the origin */
    float normal[3]; /* unit normal, outward; in 2D without meaning */
    float value;     /* weighted mean of the values of the particles around it; NaN where most of the weight has none */
} pio_level_vertex;

typedef struct {
    double origin[3], spacing; /* place of a vertex, m: origin + spacing place */
    double cell;               /* side of the grid's cells, m */
    pio_level_vertex *vertex;  /* [n_vertices] */
    uint32_t (*triangle)[3];   /* [n] vertices, counter-clockwise as seen from outside, in 2D from +z */
    size_t n_vertices, n;
} pio_level_surface;

/* Computes the surface, which pio_level_free() frees; none where no particle counts. The cells of the grid are
 * enlarged until nodes and triangles are within their bounds, so that a surface takes at most 400 MiB and 20 bytes for
 * each particle. Returns PIOLA_NO_MEMORY. */
piola_status pio_level_make(const pio_level_set *set, pio_level_surface *surface, piola_error *error);
/* Frees what a surface holds. */
void pio_level_free(pio_level_surface *surface);

#endif
