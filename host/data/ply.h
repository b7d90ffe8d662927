/* ply.h -- files of the Stanford format PLY 1.0 (ascii, binary of either byte order): points and polygons.
 *
 * Of the element `vertex` every property that is one number is a column; of the element `face` the list vertex_indices
 * (or vertex_index) is read. Other elements and lists are passed over. */
#ifndef PIOLA_HOST_PLY_H
#define PIOLA_HOST_PLY_H

#include "host/base/byte_input.h"

typedef struct {
    size_t n_columns, n_rows;
    char **columns; /* [n_columns] names of the vertices' properties */
    double *values; /* [n_rows][n_columns], finite */
    size_t n_faces;
    size_t *face_start; /* [n_faces + 1]; NULL where every face has three corners */
    int32_t *corner;    /* [face_start[n_faces]] or [n_faces][3] rows */
} pio_ply;

/* Does it begin as such a file does? */
bool pio_is_ply(const char *text, size_t size);
/* The input stands at its begin; a fault is in in->status. On failure *out is empty. */
void pio_ply_read(pio_ply *out, pio_input *in);
void pio_ply_free(pio_ply *ply);

#endif
