/* surface_inside.h -- how often a closed surface winds about a point: the number of times that a line along +x from it
 * leaves the surface minus the times it enters.
 *
 * The result is exact but for points within rounding of the surface: on which side of an edge the line passes is
 * decided by exact arithmetic, and a line through an edge or a vertex as if it were moved by an infinitely small amount
 * (Edelsbrunner and Muecke 1990), so that no crossing is missed and none counts twice. */
#ifndef PIOLA_HOST_SURFACE_INSIDE_H
#define PIOLA_HOST_SURFACE_INSIDE_H

#include "host/surface/surface_mesh.h"

typedef struct pio_trimesh_lines pio_trimesh_lines; /* which triangles a line along x may meet */

/* The surface must stay as long as this. */
piola_status pio_trimesh_lines_create(pio_trimesh_lines **out, const pio_trimesh *surface, piola_error *error);
void pio_trimesh_lines_free(pio_trimesh_lines *lines);
/* 0 outside; 1 inside of a surface that does not pass through itself. */
int pio_trimesh_winding(const pio_trimesh_lines *lines, const double x[3]);
/* Is x inside? PIOLA_BAD_DATA where the surface winds about x any other number of times than 0 or 1: it holds no volume
 * there that could be filled once. */
piola_status pio_trimesh_inside(const pio_trimesh_lines *lines, const double x[3], bool *inside, piola_error *error);
/* The same of a point just inside and one just outside of the middle of every triangle. */
piola_status pio_trimesh_check_inside(const pio_trimesh_lines *lines, piola_error *error);

#endif
