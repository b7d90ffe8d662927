/* mesh_overlap.h -- private to host/mesh: quadrature where two faces of two meshes lie on each other. */
#ifndef PIOLA_HOST_MESH_OVERLAP_H
#define PIOLA_HOST_MESH_OVERLAP_H

#include "host/mesh/mesh_project.h"

/* A point that both faces have. */
typedef struct pio_mesh_common {
    double weight;   /* of the quadrature, m^2, in 2D m */
    double r[2][3];  /* the point in the reference elements of the two faces */
    double distance; /* between the two, m */
} pio_mesh_common;

enum { PIO_MESH_COMMON = 8 * 16 }; /* points of two faces at most */

/* Writes the quadrature points of what two faces have in common, seen along the normal of the first, and returns their
 * number: faces whose normals do not point against each other have none. It is exact for polynomials of degree six on
 * plane faces with straight edges. */
int pio_mesh_overlap(const pio_mesh_surface *first, const pio_mesh_surface *second,
                     pio_mesh_common points[PIO_MESH_COMMON]);
/* Returns the area of a face that pio_mesh_overlap() can cover, m^2, in 2D its length, m. */
double pio_mesh_surface_area(const pio_mesh_surface *s);

#endif
