/* fem_pairs_sim.h -- the data of contact of surfaces with each other. */
#ifndef PIOLA_SOLVERS_FEM_PAIRS_SIM_H
#define PIOLA_SOLVERS_FEM_PAIRS_SIM_H

#include "kernels/backend/table.h"

/* Places in fem_sim_pairs.keys: what is never lowered; the longest side of a box on its way, and of one that rests; the
 * least distance; an edge that passes through a face. */
enum { PAIR_NONE, PAIR_LONGEST, PAIR_PIECE, PAIR_LEAST_GAP, PAIR_CROSSING, PAIR_KEYS };

/* fem_pairs.c: pieces of the surface, and which of them are near each other. Without such contact all is NULL and 0. */
typedef struct {
    int on;                     /* there is such contact */
    fem_pair_surface surface;   /* its `node` is that of contact */
    int groups, room;           /* of cells; pairs that can be listed */
    double stiffness, distance; /* of the description */
    int *corners, *bodies;      /* host, until the simulation is created: surface.corner and body */
    real *parts;                /* host, likewise: part */
    int *body, *corner;         /* [points]; [faces][DIM] and [edges][2] */
    real *part;                 /* [points] see fem_pair_args */
    double *box;                /* [faces + edges][2][DIM] */
    int *levels;                /* [PAIR_LEVELS] see fem_pair_far */
    int *cell, *key;            /* [faces + edges][DIM]; [faces + edges] */
    int *count, *start, *list;  /* [groups], [groups + 1], [faces + edges] pieces by cell */
    int *number, *first;        /* [points + edges] pairs of each */
    fem_pair_found *found;      /* [1] */
    int *pair;                  /* [room][FEM_PAIR_NODES] */
    int *slots, *slot_start;    /* [points], [points + 1] */
    int *slot;                  /* [room FEM_PAIR_NODES] nodes of pairs by point */
    uint64_t *keys;             /* [PAIR_KEYS] */
    int *items;                 /* host [nodes], likewise: item */
    int *item;                 /* [nodes] number of the point that each is, or -1; NULL with the next: explicit steps */
    real *value;               /* [room][FEM_PAIR_NODES][FEM_PAIR_NODES][DIM][DIM] see fem_pair_matrix */
    double *grip, *grip_bar;   /* [PAIR_GRIP] K and h; cotangents */
    real *out;                 /* [room][FEM_PAIR_NODES][DIM] what pairs give to their nodes */
    real *rest_out, *area_out; /* [room][FEM_PAIR_NODES][DIM], [room][FEM_PAIR_NODES] likewise to X and areas */
    real *grip_out;            /* [room][PAIR_GRIP] and to K and h */
    real *gap;                 /* [points] least distance of each, m */
    int *touching, *counts;    /* [points] within reach of another; [2] came within reach, and left */
} fem_sim_pairs;

#endif
