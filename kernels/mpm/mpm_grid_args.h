/* mpm_grid_args.h -- what launches pass to the kernels of mpm_grid.h. */
#ifndef PIOLA_KERNELS_MPM_GRID_ARGS_H
#define PIOLA_KERNELS_MPM_GRID_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The grid update of active nodes, see mpm_grid.h: one item for each of them. */
typedef struct {
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    const mpm_step *step; /* [1] the step block */
    mpm_box box;          /* the grid and its walls */
    int nodes;            /* of the box, those of all fields together */
    const real *sums;     /* [nodes][DIM + 1] mass kg, momentum kg m/s; of active nodes */
    real *velocity;       /* [nodes][DIM] m/s; set for active nodes */
} mpm_grid_args;

/* What mpm_node_sum and mpm_grid do, in one: one team for each block. */
typedef struct {
    mpm_grid_args grid; /* its sums are not read */
    const real *tiles;  /* [occupied blocks][TILE_NODES][QUAD] mass kg, momentum kg m/s */
    real *sums;         /* [nodes][DIM + 1] set for active nodes */
} mpm_node_velocity_args;

/* The adjoint of mpm_grid: one item for each active node. */
typedef struct {
    mpm_grid_args fwd;        /* its velocity is not used */
    const real *velocity_bar; /* [nodes][DIM] dJ/dv_i of active nodes */
    real *node_bar;           /* [nodes][DIM + 1] dJ/dm_i, dJ/dp_i; set for active nodes */
} mpm_grid_adj_args;

/* Term of dJ/dg for one component: gravity adds h g m_i to the momentum of each node, so it is h m_i p_bar_i, summed
 * over active nodes. */
typedef struct {
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    const mpm_step *step; /* [1] the step block */
    int nodes, component; /* of the box; of gravity */
    const real *sums;     /* [nodes][DIM + 1] mass kg, momentum kg m/s */
    const real *node_bar; /* [nodes][DIM + 1] dJ/dm_i, dJ/dp_i */
} mpm_gravity_sum_args;

#endif
