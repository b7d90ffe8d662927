/* mpm_centroid_args.h -- what launches pass to the kernels of mpm_centroid.h. */
#ifndef PIOLA_KERNELS_MPM_CENTROID_ARGS_H
#define PIOLA_KERNELS_MPM_CENTROID_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The contribution of a block to c, see mpm_centroid.h: one team for each occupied block. */
typedef struct {
    mpm_state s;       /* [n][.] state at the beginning of the step */
    mpm_matter matter; /* constants of particles, in id order */
    mpm_lists l;       /* cells, nodes and the order of particles in this step */
    mpm_box box;       /* the grid and its walls */
    real *sums;        /* [occupied blocks][TILE_NODES][QUAD] kg m; set */
} mpm_centroid_args;

/* The adjoint of mpm_centroid: one team for each occupied block. */
typedef struct {
    mpm_centroid_args fwd;  /* its sums are not used */
    int nodes;              /* of the box, those of all fields together */
    const real *moment_bar; /* [nodes][DIM] dJ/dc_i of active nodes, 1/(kg m) times J's unit */
    mpm_state bar;          /* [n][.] cotangents of the state, stored as it is; that of the offset is added to */
    real *mass_bar;         /* [n] in id order; added to */
} mpm_centroid_adj_args;

#endif
