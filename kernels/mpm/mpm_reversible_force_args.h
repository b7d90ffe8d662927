/* mpm_reversible_force_args.h -- what launches pass to the kernels of mpm_reversible_force.h. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_FORCE_ARGS_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_FORCE_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_p2g_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* Elastic forces at nodes, see mpm_reversible_force.h: one team for each occupied block. */
typedef struct {
    mpm_state s;       /* [n][.] state at the beginning of the step; C is not used */
    mpm_matter matter; /* constants of particles, in id order */
    mpm_lists l;       /* cells, nodes and the order of particles in this step */
    mpm_box box;       /* the grid and its walls */
    real *sums;        /* [occupied blocks][TILE_NODES][QUAD] mass kg, force N; set */
} mpm_force_args;

/* With K = -V tau/dx:  K_bar = gradient(f_bar),  tau_bar = -(V/dx) K_bar,  offset_bar += bend(f_bar, m_bar; K),
 * m_p_bar += sum_o w_o m_bar_o */
typedef struct {
    mpm_force_args fwd;     /* sums is not used */
    int nodes;              /* of the box, those of all fields together */
    const real *node_bar;   /* [nodes][DIM + 1] cotangents of grid mass and force */
    mpm_state bar;          /* [n][.] cotangents of the state, stored as the state is; added to */
    real *mass_bar, *k_bar; /* [n], [n][constants] in id order; added to */
    real *activation_bar;   /* [n] in id order: the particle's contribution to its channel's; set where it has one */
} mpm_force_adj_args;

/* Mass and momentum at nodes, see mpm_reversible_force.h: one team for each occupied block. */
typedef struct {
    mpm_state s;          /* [n][.] of which places are read */
    mpm_matter matter;    /* constants of particles, in id order */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    mpm_box box;          /* the grid and its walls */
    const real *velocity; /* [n][DIM] m/s, stored as the state is */
    real *sums;           /* [occupied blocks][TILE_NODES][QUAD] mass kg, momentum kg m/s; set */
} mpm_momentum_args;

/* With b_bar = sum_o w_o p_bar_o:  v_bar += m b_bar,  offset_bar += slope(p_bar, m_bar; m v, 0),
 * m_p_bar += b_bar . v + sum_o w_o m_bar_o */
typedef struct {
    mpm_momentum_args fwd;           /* sums is not used */
    int nodes;                       /* of the box, those of all fields together */
    const real *node_bar;            /* [nodes][DIM + 1] cotangents of grid mass and momentum */
    real *offset_bar, *velocity_bar; /* [n][DIM] stored as the state is; added to */
    real *mass_bar;                  /* [n] in id order; added to */
} mpm_momentum_adj_args;

typedef mpm_node_sum_args mpm_node_mean_args; /* components: DIM + 1; out: mass, means */

/* Of Y = y/m:  y_bar = Y_bar/m,  m_bar = -Y_bar . Y/m;  that of each cell's contribution is the node's, which cells
 * read there. */
typedef struct {
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    int nodes;            /* of the box, those of all fields together */
    const real *mean;     /* [nodes][DIM + 1] mass, means */
    const real *mean_bar; /* [nodes][DIM] */
    real *node_bar;       /* [nodes][DIM + 1] cotangents of mass and sums; set for active nodes */
} mpm_node_mean_adj_args;

#endif
