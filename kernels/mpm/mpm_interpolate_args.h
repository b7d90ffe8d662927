/* mpm_interpolate_args.h -- what launches pass to the kernels of mpm_interpolate.h. */
#ifndef PIOLA_KERNELS_MPM_INTERPOLATE_ARGS_H
#define PIOLA_KERNELS_MPM_INTERPOLATE_ARGS_H

#include "kernels/mpm/mpm_start_args.h"

/* Particles that are filled in part: one item for each, in id order. With r its relative density, s(r) of its formula
 * (interpolation.h) and its least fraction l,
 *     k <- s k of the constants that are moduli,   eta' = s eta,   m <- (l + (1 - l) r) m
 * so that its stress is s times that of its material. s is at most the factor of m, and waves are nowhere faster than
 * where all is full: r^p and r/(1 + q (1 - r)) are at most r. */
typedef struct {
    mpm_constants_args of;                   /* what k and m were made of; of.k and of.mass are multiplied */
    const real *relative;                    /* [n] r, 0 .. 1 */
    const int *interpolation;                /* [n] number of its formula; -1: it is full */
    const pio_interpolation *interpolations; /* the formulas */
    const real *viscosity;                   /* [n] eta of solids, Pa s; NULL: none is viscous */
    real *damping;                           /* [n] eta', Pa s; set; NULL likewise */
} mpm_interpolate_args;

/* The adjoint of mpm_interpolate, before that of mpm_constants: cotangents of k, m and eta' become those of what they
 * were made of. */
typedef struct {
    mpm_interpolate_args fwd;               /* of.k, of.mass and damping are not read */
    real *k_bar, *mass_bar, *viscosity_bar; /* [n][constants], [n], [n] or NULL; multiplied */
    real *relative_bar;                     /* [n] added to */
} mpm_interpolate_adj_args;

#endif
