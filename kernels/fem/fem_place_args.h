/* fem_place_args.h -- what launches pass to the kernels of fem_place.h. */
#ifndef PIOLA_KERNELS_FEM_PLACE_ARGS_H
#define PIOLA_KERNELS_FEM_PLACE_ARGS_H

#include "kernels/base/base.h"

/* Terms of the distance of material points from given places, see fem_place.h: one for each point. */
typedef struct {
    const int *start;           /* [points + 1] where the nodes of each point begin, and the last end */
    const int *node;            /* [start[points]] nodes of the element of each */
    const real *shape;          /* [start[points]] N of each of them */
    const real *rest, *u;       /* [nodes][DIM] X and u, m */
    const real *past;           /* [nodes][DIM] u0 of the step before, m; NULL where its weight is 0 */
    double past_weight;         /* s, in [0, 1) */
    const double *given;        /* [points][DIM] Y m; NaN: none at this time */
    const double *point_weight; /* [points] q >= 0; NULL: 1 */
    double total;               /* P, the sum of q over the points that have a place */
} fem_place_args;

/* Sets the cotangent of each point's place: one item for each point. */
typedef struct {
    fem_place_args fwd;     /* as of fem_place */
    const wide *sample_bar; /* [1] dJ/dsample */
    double scale;           /* of the step in the sample */
    real *place_bar;        /* [points][DIM]; set */
} fem_place_adj_args;

/* Adds the cotangents of the points to their nodes: one item for each node. */
typedef struct {
    const int *start;      /* [nodes + 1] where the points of each node begin, and the last end */
    const int *point;      /* [start[nodes]] points of each, ascending */
    const real *shape;     /* [start[nodes]] N of the node in each */
    const real *place_bar; /* [points][DIM] */
    double past_weight;    /* s */
    real *u_bar;           /* [nodes][DIM]; added to */
    real *rest_bar;        /* [nodes][DIM]; added to */
    real *past_bar;        /* [nodes][DIM] of u0; added to, or NULL where s is 0 */
} fem_place_node_adj_args;

#endif
