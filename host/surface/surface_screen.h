/* surface_screen.h -- finds the triangles of a closed surface that certainly have a point inside and a point outside on
 * their two sides.
 *
 * A surface that encloses every point at most once has winding number 0 or 1 about a point just beside the middle of
 * each triangle. To test the points of all triangles one after another takes long; here they are tested bin by bin,
 * along a line that is oblique to the axes (so that the sides of boxes are not parallel to it), with bounds of every
 * rounding. A result that is certain is true in exact arithmetic; the others are left to pio_trimesh_inside(). */
#ifndef PIOLA_HOST_SURFACE_SCREEN_H
#define PIOLA_HOST_SURFACE_SCREEN_H

#include "host/surface/surface_mesh.h"

/* Computes the points behind and before the middle of triangle t, at the distance `depth` (m) along its normal. Returns
 * false if it has no normal. */
bool pio_trimesh_probes(const pio_trimesh *s, int32_t t, double depth, double out[2][3]);
/* Sets doubtful[t] to 1 if it is not certain that the surface has winding number 0 or 1 about both probes of triangle
 * t, otherwise to 0. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_trimesh_screen(const pio_trimesh *s, double depth, unsigned char *doubtful, piola_error *error);

#endif
