/* mpm_quantile_args.h -- what launches pass to the kernels of mpm_quantile.h. */
#ifndef PIOLA_KERNELS_MPM_QUANTILE_ARGS_H
#define PIOLA_KERNELS_MPM_QUANTILE_ARGS_H

#include "kernels/mpm/mpm_observe_args.h"

/* The numbers of a search for a quantile: the place y, an interval in which it lies, by how much y was changed last,
 * all m, and the mass beyond y, kg. */
enum { QUANTILE_PLACE, QUANTILE_LOW, QUANTILE_HIGH, QUANTILE_STEP, QUANTILE_BEYOND, QUANTILE_NUMBERS };

/* Steps of a search, the most that it takes: each changes y by at most half of what the one before did. */
enum { QUANTILE_STEPS = 48 };

/* Where a search begins (one item). */
typedef struct {
    mpm_box box;          /* the grid and its walls */
    int axis;             /* along which the place is sought */
    double sharpness;     /* s, 1/m, > 0 */
    const mpm_step *step; /* [1] the step block: how many particles there are */
    wide *search;         /* [QUANTILE_NUMBERS] set */
    int *particles;       /* [1] over how many particles the next sums are; set */
} mpm_quantile_begin_args;

/* Terms of the mass beyond y: one for each particle. */
typedef mpm_observe_args mpm_quantile_beyond_args;

/* A step of a search (one item). */
typedef struct {
    double quantile, sharpness; /* Q, 0 < Q < 1; s, 1/m, > 0 */
    const wide *total;          /* [1] M, kg, > 0 */
    const wide *beyond;         /* [1] sum_p m_p S, kg */
    const wide *slope;          /* [1] sum_p m_p s dS/dt, kg/m, >= 0 */
    wide *search;               /* [QUANTILE_NUMBERS] changed */
    int *particles;             /* [1] becomes 0 where y is found, and then nothing is changed any more */
} mpm_quantile_step_args;

#endif
