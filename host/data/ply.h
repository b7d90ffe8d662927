/* ply.h -- files of the Stanford format PLY 1.0 (ASCII, or binary in either byte order): points and polygons.
 *
 * Every property of the element `vertex` that is one number is a column; of the element `face` the list vertex_indices
 * (or vertex_index) is read. Other elements and lists are skipped. */
#ifndef PIOLA_HOST_PLY_H
#define PIOLA_HOST_PLY_H

#include "host/base/byte_input.h"

typedef struct {
    size_t n_columns, n_rows; /* properties of a vertex; vertices */
    char **columns;           /* [n_columns] names of the vertices' properties */
    double *values;           /* [n_rows][n_columns], finite */
    size_t n_faces;           /* number of polygons */
    size_t *face_start;       /* [n_faces + 1] start of each face in `corner`; NULL if every face has three corners */
    int32_t *corner;          /* [face_start[n_faces]] or [n_faces][3] rows of the corners */
} pio_ply;

/* Returns whether a file begins as a PLY file does. */
bool pio_is_ply(const char *text, size_t size);
/* Reads a PLY file from the start of the input. A fault is in in->status, and then *out is empty. */
void pio_ply_read(pio_ply *out, pio_input *in);
/* Frees what the file's contents hold. */
void pio_ply_free(pio_ply *ply);

#endif
