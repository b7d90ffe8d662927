/* fem_integral_args.h -- what launches pass to the kernels of fem_integral.h. */
#ifndef PIOLA_KERNELS_FEM_INTEGRAL_ARGS_H
#define PIOLA_KERNELS_FEM_INTEGRAL_ARGS_H

#include "kernels/fem/fem_args.h"

/* Terms of the weighted integral of phi over a body, see fem_integral.h: one for each element of the block. */
typedef struct {
    fem_block b;  /* with the rule of masses where volume or mass is observed, else of stiffnesses */
    fem_matter m; /* density: of mass alone */
    int type;     /* PIO_VOLUME, _MASS, _STRAIN_ENERGY, _STRESS: phi is 1, density, strain energy, a power of stress */
    const int *form;    /* [elements] see hyper_from_parameters: which plane state */
    const real *u;      /* [nodes][DIM] displacement m */
    const real *weight; /* [elements] w */
    double power;       /* p of stress, >= 2 */
    double size;        /* s0 of stress, Pa */
} fem_integral_args;

/* With Phi = dphi/dF and H the gradient of a change of X: dV = V tr H, d(grad u) = -(grad u) H, so that
 *     u_bar_a = sum_q V Phi g_a,    X_bar_a = sum_q V (phi I - (grad u)^T Phi) g_a
 *     thickness_bar = sum_q area phi */
typedef struct {
    fem_integral_args fwd;    /* as of fem_integral */
    const wide *integral_bar; /* [1] dJ/dsample, or what fem_norm_adj sets */
    double scale;             /* times this is the cotangent of A */
    real *u_bar;              /* [element nodes][DIM]; set for the block's element nodes */
    real *rest_bar;           /* [element nodes][DIM]; the same */
    real *k_bar;              /* [elements][PIO_LAW_CONSTANTS]; added to */
    real *density_bar;        /* [elements]; added to */
    real *thick_bar;          /* [elements]; added to, or NULL */
} fem_integral_adj_args;

/* Adds weight y to the sample (one item); no stress at all has the norm 0. */
typedef struct {
    const wide *sums;   /* [2] A and B > 0 */
    double power, size; /* p and s0 [Pa], as in fem_integral_args */
    double weight;      /* of the step in the sample */
    wide *sample;       /* [1]; added to */
} fem_norm_args;

/* Sets A_bar = y_bar y/(p A) and B_bar = -y_bar y/(p B), y_bar = weight sample_bar; where there is no stress, it has no
 * direction, and they are 0. One item. */
typedef struct {
    fem_norm_args fwd;      /* sample is not read */
    const wide *sample_bar; /* [1] dJ/dsample */
    wide *sums_bar;         /* [2] A_bar, B_bar; set */
} fem_norm_adj_args;

#endif
