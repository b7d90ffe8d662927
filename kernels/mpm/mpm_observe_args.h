/* mpm_observe_args.h -- what launches pass to the kernels of mpm_observe.h. */
#ifndef PIOLA_KERNELS_MPM_OBSERVE_ARGS_H
#define PIOLA_KERNELS_MPM_OBSERVE_ARGS_H

#include "kernels/mpm/mpm_args.h"

/* Terms of an observation of particles, see mpm_observe.h: one for each particle. */
typedef struct {
    mpm_state s;                /* [n][.] */
    mpm_matter matter;          /* constants of particles, in id order */
    mpm_box box;                /* the grid and its walls */
    const int *body;            /* [n] in id order */
    int type, of, axis;         /* a pio_observable, body number, component */
    const wide *total;          /* [1] M of the body, kg, or V, m^3 */
    const real *relative;       /* [n] relative densities in id order; NULL: all are 1 */
    double ref, sharpness;      /* front: x_ref m, s 1/m, > 0 */
    double quantile;            /* front: Q, 0 < Q < 1; 0: the smooth maximum */
    const wide *place;          /* front: [1] x_ref m, instead of ref where not NULL; with Q: y, which is read */
    const int *marker;          /* distance: [n] in id order: row of `points`, or -1 */
    const double *points;       /* distance: [rows][DIM] m; NaN: no point at this time */
    const double *point_weight; /* distance: [rows] weight of a point; NULL: 1 */
    double markers;             /* distance: P, their sum */
    mpm_state past;             /* distance: the state before, stored in its own order */
    const int *past_at;         /* distance: [n] where the particle lies in `past`; NULL where its weight is 0 */
    double past_weight;         /* distance: s, in [0, 1) */
    const real *field;          /* shape: [nodes] signed distance, m */
    int outside;                /* shape: what is inside has distance 0 */
} mpm_observe_args;
typedef mpm_observe_args mpm_observe_mass_args;

/* samples[0] += weight y (one item) */
typedef struct {
    mpm_observe_args o; /* the observation */
    const wide *sum;    /* [1] of its terms */
    double weight;      /* of this step in the sample */
    wide *sample;       /* [1]; added to */
} mpm_observe_add_args;

/* Adjoint for stored particle p: with y_bar = weight sample_bar, add to the cotangents of state and mass. */
typedef struct {
    mpm_observe_args o;     /* the observation */
    const wide *sum;        /* [1] the same sum as in the forward step */
    const wide *sample_bar; /* [1] dJ/dsample */
    double weight;          /* of this step in the sample */
    mpm_state bar;          /* stored as the state is; added to, but for `past` */
    real *mass_bar;         /* [n] in id order; added to */
    real *relative_bar;     /* [n] in id order; added to; NULL: all relative densities are 1 */
    /* [n][DIM] distance: of the offsets of `past`, stored as it is; added to, and then nothing else is; or NULL */
    real *past_bar;
} mpm_observe_adj_args;

#endif
