/* surface_parts.h -- what the readers of surfaces share: triangles as they come. */
#ifndef PIOLA_HOST_SURFACE_PARTS_H
#define PIOLA_HOST_SURFACE_PARTS_H

#include "host/byte_input.h"

typedef struct {
    size_t n_vertices, vertex_room, n_triangles, triangle_room;
    double *vertex;    /* [n_vertices][3] */
    int32_t *triangle; /* [n_triangles][3] */
} pio_triangles;

/* Faults are in in->status. */
void pio_triangles_vertex(pio_triangles *t, pio_input *in, const double x[3]);
void pio_triangles_add(pio_triangles *t, pio_input *in, int32_t a, int32_t b, int32_t c);

/* surface_read.c: of a file whose kind its content tells. */
void pio_triangles_read(pio_triangles *t, pio_input *in);

#endif
