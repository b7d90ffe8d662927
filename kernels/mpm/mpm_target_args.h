/* mpm_target_args.h -- what launches pass to the kernels of mpm_target.h. */
#ifndef PIOLA_KERNELS_MPM_TARGET_ARGS_H
#define PIOLA_KERNELS_MPM_TARGET_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* r_i = rho_i - rho_i* of node i, whether it is active or not. mpm_deposit brings the mass there; its adjoint gets r_i
 * as the cotangent of the mass of node i, to be scaled by 2 y_bar/(dx^d size). */
typedef struct {
    mpm_lists l;        /* cells, nodes and the order of particles in this step */
    mpm_box box;        /* the grid and its walls */
    const real *sums;   /* [occupied blocks][TILE_NODES] kg */
    const real *target; /* [nodes] rho*, kg/m^3 */
    real *rest;         /* [nodes] kg/m^3; set */
} mpm_density_rest_args;

/* A term of y, of node i. */
typedef struct {
    const real *rest; /* [nodes] kg/m^3 */
    double size;      /* sum of rho*^2, > 0 */
} mpm_density_args;

/* sample += weight |c_1 - c_2| (one item) */
typedef struct {
    const wide *mean; /* [2][DIM] c_1, c_2, m */
    double weight;    /* of this step in the sample */
    wide *sample;     /* [1] added to */
} mpm_separation_args;

/* Where both are at one place there is no derivative, and 0 is one of its limits. */
typedef struct {
    mpm_separation_args fwd; /* its sample is not used */
    const wide *sample_bar;  /* [1] dJ/dsample */
    wide *mean_bar;          /* [2][DIM] set */
} mpm_separation_adj_args;

#endif
