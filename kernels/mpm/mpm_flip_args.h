/* mpm_flip_args.h -- what launches pass to the kernels of mpm_flip.h. */
#ifndef PIOLA_KERNELS_MPM_FLIP_ARGS_H
#define PIOLA_KERNELS_MPM_FLIP_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The contribution of a block to the momentum of APIC without forces: one team for each occupied block. */
typedef struct {
    int near_walls;    /* 1: of blocks alone whose tile has nodes where walls act; the sums of others are set to 0 */
    mpm_state s;       /* [n][.] state at the beginning of the step */
    mpm_matter matter; /* constants of particles, in id order */
    mpm_lists l;       /* cells, nodes and the order of particles in this step */
    mpm_box box;       /* the grid and its walls */
    real *sums;        /* [occupied blocks][TILE_NODES][QUAD] kg m/s; set */
} mpm_flip_spread_args;

/* The adjoint of mpm_flip_spread: one team for each occupied block. */
typedef struct {
    mpm_flip_spread_args fwd; /* its sums are not used */
    int nodes;                /* of the box, those of all fields together */
    const real *momentum_bar; /* [nodes][DIM] dJ/dp_i of active nodes */
    mpm_state bar;            /* [n][.] cotangents of the state, stored as it is; added to */
    real *mass_bar;           /* [n] in id order; added to */
} mpm_flip_spread_adj_args;

/* The FLIP part of the new velocities, see mpm_flip.h: one team for each occupied block. */
typedef struct {
    mpm_state s;          /* [n][.] state at the beginning of the step */
    int n;                /* particles */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    const mpm_step *step; /* [1] the step block */
    mpm_box box;          /* the grid and its walls */
    int nodes;            /* of the box, those of all fields together */
    const real *sums;     /* [nodes][DIM + 1], of which the mass kg is read */
    const real *momentum; /* [nodes][DIM] without forces, kg m/s; both of active nodes */
    real *velocity;       /* [n][DIM] m/s at the end of the step, stored in the order of l.order; added to */
} mpm_flip_args;

/* The adjoint of mpm_flip: one team for each occupied block. */
typedef struct {
    mpm_flip_args fwd;    /* its velocity is not used */
    const real *next_bar; /* [n][DIM] cotangents of the new velocity, stored as it is */
    mpm_state bar;        /* [n][.] cotangents of the old state, stored as it is; added to */
    real *contribution;   /* [n] by place: a particle's term of b_bar; set */
    real *sums;           /* [occupied blocks][TILE_NODES][QUAD] a block's contribution to dJ/du_i; set */
} mpm_flip_adj_args;

/* A term of b_bar. */
typedef struct {
    const real *contribution; /* [n] */
} mpm_flip_sum_args;

#endif
