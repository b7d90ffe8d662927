/* ply_parts.h -- the description of elements in a PLY header, which its readers share. */
#ifndef PIOLA_HOST_PLY_PARTS_H
#define PIOLA_HOST_PLY_PARTS_H

#include "host/data/ply.h"

typedef enum { PLY_NONE, PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64 } ply_type;

typedef struct {
    ply_type count, type;      /* count: type of a list's length, or PLY_NONE for a number */
    char name[PIO_INPUT_WORD]; /* name of the property */
} ply_property;

typedef struct {
    char name[PIO_INPUT_WORD]; /* name of the element */
    size_t n, n_properties;    /* items; properties of an item */
    ply_property *property;    /* [n_properties] */
} ply_element;

/* The functions of ply_bulk.c read elements whose items are all of one size, in this machine's byte order, many at a
 * time and with all threads. They return false, having read nothing, if the element is not of that kind or has a fault;
 * it is then read item by item, which reports the fault. */
/* Reads an element whose properties are all numbers into values[n][n_properties], which are finite. */
bool pio_ply_bulk_rows(pio_input *in, const ply_element *e, double *values);
/* Reads an element of lists of three corners, each below `vertices`; *corner [n][3] is malloc'd. */
bool pio_ply_bulk_triangles(pio_input *in, const ply_element *e, size_t vertices, int32_t **corner);

#endif
