/* Room host/surface: closed triangle surfaces: read, checked, inside or outside, distances. */
/* surface_mesh.h -- closed surfaces of triangles, from files .stl (ASCII, binary), .obj and .ply (ASCII, binary).
 *
 * The format of a file follows from its contents, not from its name. Vertices with equal coordinates (to the bit)
 * become one vertex, polygons are divided into triangles about their first corner, and triangles with two equal corners
 * are left out. A surface is an error, reported with the place in the file (`file:line: error: ...`, `file: offset n:
 * error: ...` in binary data) or with the edge, unless it is closed (every edge is passed equally often in both
 * directions, which allows cavities and parts that touch) and its triangles are counter-clockwise as seen from outside.
 * Numbers are finite. */
#ifndef PIOLA_HOST_SURFACE_MESH_H
#define PIOLA_HOST_SURFACE_MESH_H

#include "host/base/sha256.h"

typedef struct {
    char *path; /* name of the file */
    int32_t n_vertices, n_triangles;
    double *vertex;               /* [n_vertices][3] m */
    int32_t *triangle;            /* [n_triangles][3] vertices of each triangle */
    double low[3], high[3];       /* bounding box, m */
    double volume;                /* enclosed volume, m^3, > 0 */
    double centroid[3];           /* centroid of the enclosed volume, m */
    char sha256[PIO_SHA256_TEXT]; /* of the file's contents */
} pio_trimesh;

/* Loads a surface; lengths of the file are multiplied by `scale`, which is finite and above 0. On failure *out is empty
 * (safe to free) and the status is PIOLA_NO_INPUT, PIOLA_BAD_DATA, PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_trimesh_load(pio_trimesh *out, const char *path, double scale, piola_error *error);
/* Frees what a surface holds. */
void pio_trimesh_free(pio_trimesh *surface);
/* Returns the largest side of the bounding box, m. */
double pio_trimesh_size(const pio_trimesh *surface);

#endif
