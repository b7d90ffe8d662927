/* fem_stress_args.h -- what launches pass to the kernels of fem_stress.h. */
#ifndef PIOLA_KERNELS_FEM_STRESS_ARGS_H
#define PIOLA_KERNELS_FEM_STRESS_ARGS_H

#include "kernels/fem/fem_args.h"

/* Numbers of a symmetric tensor in three directions, in 2D too: xx, yy, zz, xy, yz, xz. */
enum { FEM_TENSOR = 6 };

/* A field of stress or strain at the integration points of elements and its mean over each element: one item for each
 * element of the block. */
typedef struct {
    fem_block b;     /* with the rule of stiffnesses */
    fem_matter m;    /* law, k and heat are read */
    const int *form; /* [elements] see hyper_from_parameters: which plane state */
    const real *u;   /* [nodes][DIM] displacement m */
    int field;       /* a pio_stress_field */
    int components;  /* of it: FEM_TENSOR, DIM or 1 */
    int first_point; /* number of the block's first integration point */
    int points;      /* integration points of all blocks */
    real *mean;      /* [elements][components] mean over the element's volume at rest; set for the block's elements */
    real *volume;    /* [elements] volume at rest, m^3; likewise */
    real *at;        /* [points][components] values at the points; set for the block's, or NULL */
} fem_stress_args;

/* The mean around a node of the means of its elements: one item for each node. */
typedef struct {
    int nodes, elements;     /* of the mesh */
    int components;          /* of the field */
    const int *start;        /* [nodes + 1] where the element nodes of each node begin, and the last end */
    const int *element_node; /* [start[nodes]] numbers of element nodes, ascending per node */
    const int *element;      /* [element nodes] element of each */
    const real *mean;        /* [elements][components] */
    const real *volume;      /* [elements] m^3, > 0 */
    real *out;               /* [nodes][components]; set */
} fem_stress_node_args;

#endif
