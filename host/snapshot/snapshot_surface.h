/* snapshot_surface.h -- the outer faces of a mesh, and the division of faces into triangles that follow their
 * curvature. */
#ifndef PIOLA_HOST_SNAPSHOT_SURFACE_H
#define PIOLA_HOST_SNAPSHOT_SURFACE_H

#include "host/snapshot/snapshot.h"

typedef struct {
    int64_t cell;    /* cell to which the face belongs */
    int32_t node[9]; /* nodes, as many as its type has */
    uint8_t type;    /* PIO_CELL_TRI3, TRI6, QUAD4, QUAD8 or QUAD9 */
} pio_face;

typedef struct {
    pio_face *face; /* [n] in the order of cells */
    size_t n;
} pio_surface;

/* Finds the faces that belong to one cell; triangles and quadrangles are faces themselves. As seen from outside (for a
 * plane mesh from +z), the nodes of a face are counter-clockwise at `points`, [n_points][3] m, whatever the order in
 * the cell; those of sheets are not changed. The mesh satisfies the rules of snapshot.h, and n_points is below 2^31.
 * Returns PIOLA_BAD_DATA for more points than that, or PIOLA_NO_MEMORY. */
piola_status pio_surface_make(pio_surface *out, const pio_snapshot_mesh *mesh, int dimension, int64_t n_points,
                              const double *points, piola_error *error);
/* Frees what a surface holds. */
void pio_surface_free(pio_surface *surface);

enum { PIO_MOST_PARTS = 8, PIO_MOST_VERTICES = 81, PIO_MOST_TRIANGLES = 128 };

/* A face whose sides are divided into equal parts. */
typedef struct {
    int nodes, n_vertices, n_triangles;      /* nodes of the face; vertices and triangles after the division */
    double at[PIO_MOST_VERTICES][2];         /* parameters of a vertex, 0..1; the sum of a triangle's is at most 1 */
    double weight[PIO_MOST_VERTICES][9];     /* weight of each node at a vertex; their sum is 1 */
    uint8_t triangle[PIO_MOST_TRIANGLES][3]; /* vertices of the triangles, with the orientation of the face */
    double slope[9][2][9];                   /* derivatives of the nodes' weights at node i along each parameter */
} pio_tessellation;

/* Divides the sides of a face of this type into 1, 2, 4 or 8 parts, for which parameters and weights are exact. */
void pio_tessellation_make(pio_tessellation *tessellation, int type, int parts);
/* Computes the vertices of a face, out [n_vertices][3]. Faces that share a side get the same bits along it. */
void pio_tessellation_points(const pio_tessellation *tessellation, const pio_face *face, const double *points,
                             double (*out)[3]);

#endif
