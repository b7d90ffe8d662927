/* Room host/surface: closed triangle surfaces: read, checked, inside or outside, distances. */
/* surface_mesh.h -- closed surfaces of triangles, from files .stl (ascii, binary), .obj and .ply (ascii, binary).
 *
 * What the file holds is told by its content, not by its name. Vertices at one place (to the bit) become one vertex,
 * polygons are cut into triangles about their first corner, and triangles with two equal corners are left out. A
 * surface is refused with the place in the file
 * (`file:line: error: ...`, `file: offset n: error: ...` of binary data) or of the edge unless it is closed (every edge
 * is passed as often one way as the other, which lets bodies have cavities and touch themselves) and its triangles lie
 * counter-clockwise as seen from outside. Numbers are finite. */
#ifndef PIOLA_HOST_SURFACE_MESH_H
#define PIOLA_HOST_SURFACE_MESH_H

#include "host/base/sha256.h"

typedef struct {
    char *path;
    int32_t n_vertices, n_triangles;
    double *vertex;               /* [n_vertices][3] m */
    int32_t *triangle;            /* [n_triangles][3] vertices */
    double low[3], high[3];       /* box around it, m */
    double volume;                /* enclosed, m^3, > 0 */
    double centroid[3];           /* of what it encloses, m */
    char sha256[PIO_SHA256_TEXT]; /* of the file */
} pio_trimesh;

/* Lengths of the file are multiplied by `scale`, which is finite and above 0. On failure *out is empty (safe to free);
 * the status is PIOLA_NO_INPUT, PIOLA_BAD_DATA or PIOLA_NO_MEMORY. */
piola_status pio_trimesh_load(pio_trimesh *out, const char *path, double scale, piola_error *error);
void pio_trimesh_free(pio_trimesh *surface);
/* The largest side of its box, m. */
double pio_trimesh_size(const pio_trimesh *surface);

#endif
