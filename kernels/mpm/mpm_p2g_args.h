/* mpm_p2g_args.h -- what launches pass to the kernels of mpm_p2g.h. */
#ifndef PIOLA_KERNELS_MPM_P2G_ARGS_H
#define PIOLA_KERNELS_MPM_P2G_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* Returns the bit of a law. */
PIO_FN unsigned law_bit(int law)
{
    return 1u << law;
}

/* Returns the laws that are computed in all lanes. */
PIO_FN unsigned lane_laws(void)
{
    return law_bit(PIO_HYPER_NEO_HOOKEAN) | law_bit(PIO_HYPER_FIXED_COROTATED) | law_bit(PIO_LINEAR_FLUID) |
           law_bit(PIO_TAIT);
}

/* Particles to grid, the sums of blocks, see mpm_p2g.h: one team for each occupied block. */
typedef struct {
    mpm_state s;          /* [n][.] state at the beginning of the step */
    mpm_matter matter;    /* constants of particles, in id order */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    const mpm_step *step; /* [1] the step block */
    mpm_box box;          /* the grid and its walls */
    real *sums;           /* [occupied blocks][TILE_NODES][QUAD] mass kg, momentum kg m/s; set */
} mpm_p2g_args;

/* The value of a node as the sum over the tiles that it is in: the second half of every particle-to-grid sum, one
 * team for each block. In its transpose every cell reads its nodes, as the adjoints of the first half do. */
typedef struct {
    mpm_lists l;      /* cells, nodes and the order of particles in this step */
    mpm_box box;      /* the grid and its walls */
    const real *sums; /* [occupied blocks][TILE_NODES][QUAD] */
    int components;   /* DIM or DIM + 1 */
    int nodes;        /* of the box */
    real *out;        /* [nodes][components]; set for active nodes */
} mpm_node_sum_args;

/* The adjoint of mpm_p2g and mpm_node_sum: one team for each occupied block. mpm_p2g_adj is for particles whose laws
 * are all lane_laws(), with no channels, viscosity of solids or plasticity; mpm_p2g_rest_adj for any. */
typedef struct {
    mpm_state s;            /* [n][.] state at the beginning of the step */
    mpm_matter matter;      /* constants of particles, in id order */
    mpm_lists l;            /* cells, nodes and the order of particles in this step */
    const mpm_step *step;   /* [1] the step block */
    mpm_box box;            /* the grid and its walls */
    int nodes;              /* of the box, those of all fields together */
    const real *node_bar;   /* [nodes][DIM + 1] cotangents of grid mass 1/kg and momentum 1/(kg m/s), times J's unit */
    mpm_state bar;          /* [n][.] cotangents of the state, stored as the state is; added to */
    int adds_motion;        /* 1: so are those of velocity and C; 0: they are set, since this is their first source */
    real *mass_bar, *k_bar; /* [n], [n][constants] in id order; added to */
    real *activation_bar;   /* [n] in id order: the particle's contribution to its channel's; set where it has one */
    real *viscosity_bar;    /* [n] in id order; added to where matter.viscosity is */
    real *yield_bar;        /* [n][PIO_PLASTIC_CONSTANTS] in id order; added to; NULL where nothing is plastic */
} mpm_p2g_adj_args;
typedef mpm_p2g_adj_args mpm_p2g_rest_adj_args;

#endif
