/* ply_parts.h -- what the readers of PLY files share: elements, as the header tells them. */
#ifndef PIOLA_HOST_PLY_PARTS_H
#define PIOLA_HOST_PLY_PARTS_H

#include "host/data/ply.h"

typedef enum { PLY_NONE, PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64 } ply_type;

typedef struct {
    ply_type count, type; /* count: of a list, else PLY_NONE */
    char name[PIO_INPUT_WORD];
} ply_property;

typedef struct {
    char name[PIO_INPUT_WORD];
    size_t n, n_properties;
    ply_property *property; /* [n_properties] */
} ply_element;

/* ply_quick.c: elements whose items are all of one size, of this machine's byte order, many at a time and by all
 * threads. False, and nothing is read, where the element is none of these or holds a fault: it is to be read item by
 * item, which tells the fault. */
/* Properties that are numbers: values [n][n_properties], finite. */
bool pio_ply_quick_rows(pio_input *in, const ply_element *e, double *values);
/* Lists of three corners, each below `vertices`: *corner [n][3] is malloc'd. */
bool pio_ply_quick_triangles(pio_input *in, const ply_element *e, size_t vertices, int32_t **corner);

#endif
