/* level_parts.h -- what the files of the level set share; other files do not include it. */
#ifndef PIOLA_HOST_LEVEL_PARTS_H
#define PIOLA_HOST_LEVEL_PARTS_H

#include "host/render/level.h"

/* Particles in bins, and the grid. Lengths are in units of the spacing, from the origin. */
typedef struct {
    const pio_level_set *set;
    double origin[3], extent[3]; /* m; the particles that count, with a margin */
    size_t counted;              /* particles that count */
    float *place;                /* [counted][3] places, sorted by bin */
    float *value;                /* [counted] values; NULL: none */
    uint32_t *start;             /* [bins + 1] first particle of each bin */
    int bins[3];                 /* bins along each axis */
    double reach;                /* radius of the weights and side of a bin */
    float radius;                /* distance of the surface from the mean of the particles around it */
    double cell;                 /* side of the grid's cells */
    int nodes[3];                /* nodes along each axis; 1 along the third in 2D */
    int axis[3];                 /* axes from the one along which nodes are next to one another in memory */
    float *phi; /* [nodes] the level set, negative inside; infinite or nearly so: not near the surface */
} pio_level;

/* The weighted mean of the particles around a place. */
typedef struct {
    float weight, mean[3]; /* sum of weights; mean place */
    float value;           /* mean value; NaN: none */
} pio_level_mean;

/* Returns the mean at a place; its weight is 0 if there is no particle within reach (level.c). */
pio_level_mean pio_level_mean_at(const pio_level *level, const float place[3]);
/* Makes the triangles of the surface, with places of their vertices but neither normals nor values (level_march.c).
 * Where there would be more than `most`, it makes none and returns PIOLA_OK with surface->n of the number. Returns
 * PIOLA_NO_MEMORY. */
piola_status pio_level_march(const pio_level *level, size_t most, pio_level_surface *surface, piola_error *error);

#endif
