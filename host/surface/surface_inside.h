/* surface_inside.h -- the winding number of a closed surface about a point: the number of times that a line along +x
 * from it leaves the surface minus the number of times it enters.
 *
 * The result is exact except for points within rounding of the surface: on which side of an edge the line passes is
 * decided by exact arithmetic, and a line through an edge or a vertex is treated as if it were moved by an infinitely
 * small amount (Edelsbrunner and Muecke 1990), so that no crossing is missed and none counts twice. */
#ifndef PIOLA_HOST_SURFACE_INSIDE_H
#define PIOLA_HOST_SURFACE_INSIDE_H

#include "host/surface/surface_mesh.h"

typedef struct pio_trimesh_lines pio_trimesh_lines; /* the triangles that a line along x may intersect */

/* Sorts the triangles; the surface must remain valid as long as *out. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_trimesh_lines_create(pio_trimesh_lines **out, const pio_trimesh *surface, piola_error *error);
/* Frees `lines`, which may be NULL. */
void pio_trimesh_lines_free(pio_trimesh_lines *lines);
/* Returns the winding number about x (m): 0 outside; 1 inside of a surface that does not intersect itself. */
int pio_trimesh_winding(const pio_trimesh_lines *lines, const double x[3]);
/* Finds whether x (m) is inside. Returns PIOLA_BAD_DATA if the winding number is neither 0 nor 1: the surface then
 * encloses no volume there that could be filled once. */
piola_status pio_trimesh_inside(const pio_trimesh_lines *lines, const double x[3], bool *inside, piola_error *error);
/* As pio_trimesh_inside(), for a point just inside and one just outside of the middle of every triangle. Returns
 * PIOLA_BAD_DATA at the first that fails, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_trimesh_check_inside(const pio_trimesh_lines *lines, piola_error *error);

#endif
