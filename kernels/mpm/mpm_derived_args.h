/* mpm_derived_args.h -- what launches pass to the kernels of mpm_derived.h. */
#ifndef PIOLA_KERNELS_MPM_DERIVED_ARGS_H
#define PIOLA_KERNELS_MPM_DERIVED_ARGS_H

#include "kernels/mpm/mpm_args.h"

/* Component `component` of the quantity `what` of each particle, at its id. */
enum { DERIVED_POSITION, DERIVED_J, DERIVED_F, DERIVED_PRESSURE, DERIVED_MASS };

/* A quantity of particles that is a function of their state: one item for each particle. */
typedef struct {
    mpm_state s;         /* [n][.] */
    mpm_matter matter;   /* constants of particles, in id order */
    mpm_box box;         /* the grid and its walls */
    int what, component; /* DERIVED_...; of a place or of F, row-major */
    int stride;          /* doubles from one particle of out to the next */
    double *out;         /* [n][stride] in id order, of which the first is set */
} derived_read_args;

#endif
