/* fem_integral_args.h -- what launches pass to the kernels of fem_integral.h. */
#ifndef PIOLA_KERNELS_FEM_INTEGRAL_ARGS_H
#define PIOLA_KERNELS_FEM_INTEGRAL_ARGS_H

#include "kernels/fem/fem_args.h"

/* Terms of the weighted integral of phi over a body, see fem_integral.h: one for each element of the block. */
typedef struct {
    fem_block b;        /* with the rule of masses where volume or mass is observed, else of stiffnesses */
    fem_matter m;       /* density: of mass alone */
    int type;           /* PIO_VOLUME, _MASS, _STRAIN_ENERGY: phi is the relative density, density, strain energy */
    const real *u;      /* [nodes][DIM] displacement m */
    const real *weight; /* [elements] w */
} fem_integral_args;

/* With Phi = dphi/dF and H the gradient of a change of X: dV = V tr H, d(grad u) = -(grad u) H, so that
 *     u_bar_a = sum_q V Phi g_a,    X_bar_a = sum_q V (phi I - (grad u)^T Phi) g_a
 *     thickness_bar = sum_q area phi */
typedef struct {
    fem_integral_args fwd;    /* as of fem_integral */
    const wide *integral_bar; /* [1] dJ/dsample */
    double scale;             /* times this is the cotangent of A */
    real *u_bar;              /* [element nodes][DIM]; set for the block's element nodes */
    real *rest_bar;           /* [element nodes][DIM]; the same */
    real *k_bar;              /* [elements][PIO_LAW_CONSTANTS]; added to */
    real *density_bar;        /* [elements]; added to */
    real *thick_bar;          /* [elements]; added to, or NULL */
    real *heat_bar;           /* [elements] of the thermal strain; added to, or NULL */
    real *relative_bar;       /* [elements] of the relative density, by volume alone; added to, or NULL */
} fem_integral_adj_args;

#endif
