/* surface_args.h -- what launches pass to the kernels of surface.h. */
#ifndef PIOLA_KERNELS_SURFACE_ARGS_H
#define PIOLA_KERNELS_SURFACE_ARGS_H

#include "kernels/base/base.h"

/* One direction of the map: item i of the result sums items from[start[i]] .. of the source. */
typedef struct {
    const int *start;   /* [results + 1] where the entries of each row begin, and the last end; NULL: the identity */
    const int *from;    /* [start[results]] item of the source */
    const real *weight; /* [start[results]] w_vj, what it is multiplied by */
} surface_map;

/* Vertices from degrees of freedom: one item for each vertex. */
typedef struct {
    surface_map map; /* rows are vertices */
    const real *in;  /* [dofs][DIM] positions m, or other vectors */
    real *out;       /* [vertices][DIM] in the same unit; set */
} surface_vertex_args;

/* The transpose, forces on vertices to degrees of freedom: one item for each of these. */
typedef struct {
    surface_map map; /* rows are degrees of freedom */
    const real *in;  /* [vertices][DIM] forces N, or other cotangents */
    real *out;       /* [dofs][DIM] in the same unit; added to */
} surface_vertex_adj_args;

#endif
