/* surface_args.h -- what launches pass to the kernels of surface.h. */
#ifndef PIOLA_KERNELS_SURFACE_ARGS_H
#define PIOLA_KERNELS_SURFACE_ARGS_H

#include "kernels/base/base.h"

/* One direction of the map: item i of the result sums items from[start[i]] .. of the source. */
typedef struct {
    const int *start;   /* [results + 1]; NULL: the identity */
    const int *from;    /* [start[results]] */
    const real *weight; /* [start[results]] */
} surface_map;

/* Vertices from degrees of freedom. */
typedef struct {
    surface_map map; /* rows are vertices */
    const real *in;  /* [dofs][DIM] */
    real *out;       /* [vertices][DIM]; set */
} surface_vertex_args;

/* The transpose: forces on vertices to degrees of freedom. */
typedef struct {
    surface_map map; /* rows are degrees of freedom */
    const real *in;  /* [vertices][DIM] */
    real *out;       /* [dofs][DIM]; added to */
} surface_vertex_adj_args;

#endif
