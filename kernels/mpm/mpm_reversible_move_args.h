/* mpm_reversible_move_args.h -- what launches pass to the kernels of mpm_reversible_move.h. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_MOVE_ARGS_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_MOVE_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_reversible_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The kick of particles, see mpm_reversible_move.h: one team for each occupied block. */
typedef struct {
    mpm_state s;      /* [n][.] of which places are read */
    mpm_lattice t;    /* the state in quanta */
    mpm_lists l;      /* cells, nodes and the order of particles in this step */
    mpm_step *step;   /* its fault is lowered to the first fault found */
    mpm_box box;      /* the grid and its walls */
    int nodes;        /* of the box, those of all fields together */
    const real *mean; /* [nodes][DIM + 1] mass, a_i m/s^2 */
    real stiffness;   /* of walls, 1/s^2 */
    int64_t damping;  /* gamma 2^DAMPING_BITS; read where there are residuals */
    int sign;         /* < 0: the reversed step */
    int keep;         /* 0: v and the residuals are unchanged, and only what follows is set */
    quanta *next_v;   /* [n][DIM] v itself or another; NULL: not wanted */
    real *velocity;   /* [n][DIM] m/s; set */
} mpm_kick_args;

/* With a_bar = h v'_bar:  v_bar = gamma v'_bar,  offset_bar += slope(a_i; a_bar) + stiffness dx (dwalls/df) a_bar,
 * a_i_bar = sum_p w_ip a_bar */
typedef struct {
    mpm_kick_args fwd;  /* v, residuals and velocity are not used */
    real gamma;         /* 1: no damping */
    real *offset_bar;   /* [n][DIM] stored as the state is; added to */
    real *velocity_bar; /* [n][DIM] of v', becomes that of v */
    real *sums;         /* [occupied blocks][TILE_NODES][QUAD] a block's contribution to dJ/da_i; set */
} mpm_kick_adj_args;

/* Term of dJ/dg for one component: h v'_bar, summed over particles, before mpm_kick_adj. */
typedef struct {
    int n, component;         /* particles; of gravity */
    const mpm_step *step;     /* [1] the step block */
    const real *velocity_bar; /* [n][DIM] of v' */
} mpm_kick_gravity_args;

/* The strain of particles, see mpm_reversible_move.h: one team for each occupied block. */
typedef struct {
    mpm_state s;      /* [n][.] of which places are read, and F, J set */
    mpm_lattice t;    /* the state in quanta */
    const int *law;   /* [n] in id order */
    mpm_lists l;      /* cells, nodes and the order of particles in this step */
    mpm_step *step;   /* its fault is lowered to the first fault found */
    mpm_box box;      /* the grid and its walls */
    int nodes;        /* of the box, those of all fields together */
    const real *mean; /* [nodes][DIM + 1] mass, V_i m/s */
    int sign;         /* < 0: the reversed step */
} mpm_strain_args;

/* F' = A' F, J' = det A' J with A' = I + (h/dx) M, M = gradient(V_i):
 *     F_bar = A'^T F'_bar,  K = (h/dx) F'_bar F^T;   J_bar = det A' J'_bar,  K = (h/dx) J J'_bar cof A'
 *     V_i_bar = sum_p K grad w,   offset_bar += bend(V_i; K) */
typedef struct {
    mpm_strain_args fwd; /* s: the state before; the lattice is not used but for n */
    mpm_state bar; /* [n][.] stored as the state is: offset added to; F and J of the state after become those before */
    real *sums;    /* [occupied blocks][TILE_NODES][QUAD] a block's contribution to dJ/dV_i; set */
} mpm_strain_adj_args;

#endif
