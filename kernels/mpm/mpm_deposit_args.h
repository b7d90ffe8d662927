/* mpm_deposit_args.h -- what launches pass to the kernels of mpm_deposit.h. */
#ifndef PIOLA_KERNELS_MPM_DEPOSIT_ARGS_H
#define PIOLA_KERNELS_MPM_DEPOSIT_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The contribution of a block to the sums of its nodes, see mpm_deposit.h: one team for each occupied block. */
typedef struct {
    mpm_state s;          /* [n][.] */
    int n;                /* particles */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    const real *quantity; /* [n] in id order: q, kg or m^3 */
    const int *body;      /* [n] in id order, or NULL: of all particles */
    int of;               /* the number there of those that count */
    real *sums;           /* [occupied blocks][TILE_NODES] in the unit of q; set */
} mpm_deposit_args;

/* The second half of mpm_deposit, the sum of a node over the tiles that it is in: one item for each active node. */
typedef struct {
    mpm_lists l;      /* cells, nodes and the order of particles in this step */
    mpm_box box;      /* the grid and its walls */
    const real *sums; /* [occupied blocks][TILE_NODES] */
    real *out;        /* [nodes] Q_i; set for active nodes */
} mpm_deposit_sum_args;

/* Adjoint for stored particle p:  f_bar += scale q sum_i Q_bar_i dw_ip/df,   q_bar += scale sum_i Q_bar_i w_ip */
typedef struct {
    mpm_deposit_args fwd;   /* the same as in the forward step, without sums */
    mpm_box box;            /* the grid and its walls */
    const real *node_bar;   /* [nodes] Q_bar, at the nodes of cells with particles that count */
    double scale;           /* a factor of both */
    const wide *sample_bar; /* [1] another factor; NULL: 1 */
    mpm_state bar;          /* stored as the state is; the cotangent of the offset is added to */
    real *quantity_bar;     /* [n] in id order; added to; NULL: q is a constant */
} mpm_deposit_adj_args;

/* y_bar = Y_bar/m,  m_bar -= Y_bar . Y/m */
typedef struct {
    mpm_lists l;      /* cells, nodes and the order of particles in this step */
    int nodes;        /* of the box, those of all fields together */
    const real *sums; /* [nodes][DIM + 1], of which the mass kg is read */
    const real *y;    /* [nodes][DIM] */
    real *y_bar;      /* [nodes][DIM] Y_bar of active nodes, which becomes y_bar */
    real *node_bar;   /* [nodes][DIM + 1], of which the mass' cotangent is added to */
} mpm_quotient_adj_args;

#endif
