/* mpm_rub_args.h -- what launches pass to the kernels of mpm_rub.h and mpm_rub_adj.h. */
#ifndef PIOLA_KERNELS_MPM_RUB_ARGS_H
#define PIOLA_KERNELS_MPM_RUB_ARGS_H

#include "kernels/mpm/mpm_repel_args.h"

/* Friction of bodies that repel each other, see mpm_rub.h: one team for each occupied block, or one item for each
 * active node. Of particles in blocks with no particles of another field in or next to them nothing is set or read but
 * loads, which are 0. */
typedef struct {
    mpm_repel_args near;  /* what repels; `sums` are those of impulses of friction, N s */
    int nodes;            /* of the box, those of all fields together */
    const real *mass;     /* [nodes][DIM + 1] sums of which the mass kg is read */
    real *load;           /* [n] N, in id order: l_p; set by mpm_rub_load */
    const real *loads;    /* [occupied blocks][TILE_NODES] what mpm_deposit makes of them, N */
    real *rate, *before;  /* [nodes] l_i/m_i, m/s^2, and [nodes][DIM] velocities that friction finds, m/s, of active
                             nodes; set by mpm_rub_node */
    real *seen;           /* [n][DIM + 1] U_p, m/s, and R_p, m/s^2, by place in the state; set by mpm_rub_see */
    real *given;          /* [n][fields][DIM] j_pB, N s, likewise; set by mpm_rub_meet */
    real *impulse;        /* [n][DIM] N s, likewise; set by mpm_rub */
    const real *impulses; /* [nodes][DIM] N s, what mpm_node_sum makes of them */
    real *velocity;       /* [nodes][DIM] m/s of active nodes; set by mpm_rub_act */
} mpm_rub_args;
typedef mpm_rub_args mpm_rub_load_args, mpm_rub_node_args, mpm_rub_see_args, mpm_rub_meet_args, mpm_rub_act_args;

/* The adjoint in stages, in this order, with the same items:
 *     mpm_rub_act_adj     sets impulses_bar and mass_bar from velocity_bar
 *     mpm_rub_adj         sets impulse_bar, adds to offset_bar
 *     mpm_rub_meet_adj    sets meet_bar, load_bar and slope_bar of pairs, and contributions
 *     mpm_rub_see_adj     sets seen_bar and the tiles near.sums, of which mpm_node_sum makes seen_node_bar
 *     mpm_rub_node_adj    adds to velocity_bar and mass_bar, sets node_load_bar
 *     mpm_rub_load_adj    sets own_load_bar, adds to offset_bar
 *     mpm_rub_weigh_adj   adds to slope_bar, and makes load_bar what sum_bar is, the cotangent of S
 *     mpm_rub_bend        adds to offset_bar
 *     mpm_rub_mass_adj    adds mass_bar to node_bar */
typedef struct {
    mpm_rub_args fwd;          /* its results are read, but for velocity */
    real *velocity_bar;        /* [nodes][DIM] cotangents of velocities of active nodes, J's unit per m/s */
    real *impulses_bar;        /* [nodes][DIM] per N s */
    real *mass_bar;            /* [nodes] per kg */
    real *impulse_bar;         /* [n][DIM] per N s, by place in the state, as all that follows */
    real *meet_bar;            /* [n][fields][DIM + 1] of relative velocities, and of R of pairs */
    real *load_bar;            /* [n][fields] of N_pB, then of S_pB */
    real *slope_bar;           /* [n][fields][DIM] of G_pB */
    real *contribution;        /* [n][2] terms of dJ/dmu and dJ/de */
    real *seen_bar;            /* [n][DIM + 1] of U_p and R_p */
    const real *seen_node_bar; /* [nodes][DIM + 1] of l_i/m_i, and of velocities */
    real *node_load_bar;       /* [nodes] of l_i, per N */
    real *own_load_bar;        /* [n] of l_p */
    real *offset_bar;          /* [n][DIM] of the state; added to */
    real *node_bar;            /* [nodes][DIM + 1] of which the mass' cotangent is added to */
} mpm_rub_adj_args;
typedef mpm_rub_adj_args mpm_rub_act_adj_args, mpm_rub_meet_adj_args, mpm_rub_see_adj_args, mpm_rub_node_adj_args,
    mpm_rub_load_adj_args, mpm_rub_weigh_adj_args, mpm_rub_bend_args, mpm_rub_mass_adj_args;

/* A term of dJ/dmu (0) or dJ/de (1). */
typedef struct {
    int n, which;             /* particles; which of the two terms */
    const real *contribution; /* [n][2] */
} mpm_rub_sum_args;

#endif
