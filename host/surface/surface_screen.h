/* surface_screen.h -- which triangles of a closed surface certainly have a place within and one without on their two
 * sides.
 *
 * A surface that holds every place at most once winds 0 or 1 times about a point just beside the middle of each
 * triangle. Asked one after another the points of all triangles take long; here they are asked bin by bin, along a line
 * that is oblique to the axes (so that the sides of boxes are not seen edge on), with bounds of every rounding: what is
 * certain is true in exact arithmetic, and what is not is left to pio_trimesh_inside(). */
#ifndef PIOLA_HOST_SURFACE_SCREEN_H
#define PIOLA_HOST_SURFACE_SCREEN_H

#include "host/surface/surface_mesh.h"

/* The points behind and before the middle of triangle t, `depth` m from it along its normal; false where it has
 * none. */
bool pio_trimesh_probes(const pio_trimesh *s, int32_t t, double depth, double out[2][3]);
/* doubtful[t] becomes 1 where it is not certain that the surface winds 0 or 1 times about both probes of triangle t,
 * else 0. */
piola_status pio_trimesh_screen(const pio_trimesh *s, double depth, unsigned char *doubtful, piola_error *error);

#endif
