/* mesh_project.h -- private to host/mesh: faces of a mesh as surfaces, with places, tangents and nearest points. */
#ifndef PIOLA_HOST_MESH_PROJECT_H
#define PIOLA_HOST_MESH_PROJECT_H

#include "host/mesh/mesh.h"

/* A face and its nodes. */
typedef struct pio_mesh_surface {
    pio_element_type type;             /* of the face */
    int nodes, dimension;              /* its nodes; of the face: 1 or 2 */
    int32_t node[PIO_FACE_NODES];      /* in the mesh */
    double x[PIO_FACE_NODES][3];       /* their places, m */
    double low[3], high[3], normal[3]; /* m: box of its nodes; outward normal in the middle, of length 1 */
} pio_mesh_surface;

/* Sets a surface to a face of a mesh. */
void pio_mesh_surface_of(pio_mesh_surface *out, const pio_mesh *mesh, pio_mesh_face face);
/* Computes the place of the point r, m, and the derivatives of the place along r_0 and r_1; `along` may be NULL. */
void pio_mesh_surface_at(const pio_mesh_surface *s, const double r[3], double x[3], double along[2][3]);
/* Moves r to the point whose place is nearest to x, m, or with `along` not NULL, whose place differs from x along that
 * direction alone, by Newton's method. Returns whether it is found, inside or outside of the face. */
bool pio_mesh_surface_find(const pio_mesh_surface *s, const double x[3], const double *along, double r[3]);
/* Moves r into the face, and returns how far it was outside, in units of the reference element. */
double pio_mesh_surface_clamp(const pio_mesh_surface *s, double r[3]);

#endif
