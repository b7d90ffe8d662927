/* mpm_wall_args.h -- what launches pass to the kernels of mpm_wall.h. */
#ifndef PIOLA_KERNELS_MPM_WALL_ARGS_H
#define PIOLA_KERNELS_MPM_WALL_ARGS_H

#include "kernels/mpm/mpm_grid_args.h"

/* Walls of the grid, lower and upper of each axis: wall 2 a + side. */
enum { BOX_WALLS = 2 * DIM };

/* What walls do along themselves, after mpm_grid: one item for each active node. */
typedef struct {
    mpm_grid_args grid; /* its sums are read; its velocity, that after mpm_grid, is changed where a wall acts */
} mpm_wall_args;

/* The adjoint of mpm_wall: velocity_bar becomes that of the velocity after mpm_grid. One item for each active node. */
typedef struct {
    mpm_grid_args fwd;  /* its velocity is not used */
    real *velocity_bar; /* [nodes][DIM] m/s; of active nodes, changed */
    real *free_bar;     /* [nodes][DIM] of active nodes: cotangent of p_i/m_i + h g; set */
    real *friction_bar; /* [nodes][BOX_WALLS] of active nodes: terms of dJ/dmu of each wall; set */
} mpm_wall_adj_args;

/* The rest of that adjoint, after mpm_grid_adj: one item for each active node. */
typedef struct {
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    int nodes;            /* of the box */
    const real *sums;     /* [nodes][DIM + 1] mass kg, momentum kg m/s */
    const real *free_bar; /* [nodes][DIM] cotangent of p_i/m_i + h g */
    real *node_bar;       /* [nodes][DIM + 1] dJ/dm_i, dJ/dp_i; added to */
} mpm_wall_rest_adj_args;

/* Term of dJ/dmu of one wall: one for each active node. */
typedef struct {
    mpm_lists l;              /* cells, nodes and the order of particles in this step */
    int nodes, wall;          /* of the box; which wall, 0 .. BOX_WALLS - 1 */
    const real *friction_bar; /* [nodes][BOX_WALLS] */
} mpm_wall_sum_args;

#endif
