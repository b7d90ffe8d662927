/* mpm_g2p_args.h -- what launches pass to the kernels of mpm_g2p.h. */
#ifndef PIOLA_KERNELS_MPM_G2P_ARGS_H
#define PIOLA_KERNELS_MPM_G2P_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* Grid to particles and the particle update, see mpm_g2p.h: one team for each occupied block. */
typedef struct {
    mpm_state s;          /* [n][.] state at the beginning of the step */
    mpm_matter matter;    /* constants of particles, in id order */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    mpm_step *step;       /* its fault is lowered to the first fault found */
    mpm_box box;          /* the grid and its walls */
    int nodes;            /* of the box, those of all fields together */
    const real *velocity; /* [nodes][DIM] grid velocity m/s */
    mpm_state next;       /* [n][.] state at the end of the step, stored in the order of l.order; set */
} mpm_g2p_args;

/* The adjoint of mpm_g2p: one team for each occupied block. */
typedef struct {
    mpm_state s;          /* [n][.] state at the beginning of the step */
    mpm_matter matter;    /* constants of particles, in id order */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    const mpm_step *step; /* [1] the step block */
    mpm_box box;          /* the grid and its walls */
    int nodes;            /* of the box, those of all fields together */
    const real *velocity; /* [nodes][DIM] grid velocity m/s */
    mpm_state next_bar;   /* [n][.] cotangents of the new state, stored as it is */
    mpm_state bar;        /* [n][.] cotangents of the old state, stored as it is; set: each has this one first source */
    int clears_motion;    /* 1: those of velocity and C are set to 0; 0: not written, since another kernel sets them */
    real *sums;           /* [occupied blocks][TILE_NODES][QUAD] a block's contribution to dJ/dv_i; set */
} mpm_g2p_adj_args;

#endif
