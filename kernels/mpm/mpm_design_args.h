/* mpm_design_args.h -- what launches pass to the kernels of mpm_design.h. */
#ifndef PIOLA_KERNELS_MPM_DESIGN_ARGS_H
#define PIOLA_KERNELS_MPM_DESIGN_ARGS_H

#include "kernels/base/base.h"
#include "kernels/mpm/mpm_args.h"

/* As design_set, for positions: base node and offset after a move of value - base metres along some axes. The step
 * block's fault is lowered when a particle leaves the grid. */
typedef struct {
    int n, components, first;     /* particles; axes first .. first + components - 1 are set */
    const int *index;             /* [n] */
    const wide *value;            /* [groups][components] m */
    double base[DIM];             /* [components] m */
    const int *reference_cell;    /* [n] */
    const real *reference_offset; /* [n][DIM] */
    mpm_box box;                  /* the grid and its walls */
    mpm_step *step;               /* [1] the step block; changed */
    int *cell;                    /* [n]; along other axes it stays, and is that of the reference or another design's */
    real *offset;                 /* [n][DIM]; set where index >= 0 */
} design_move_args;

/* Gravity of the step block as a design (one item). */
typedef struct {
    mpm_step *step;        /* [1] the step block; changed */
    int first, components; /* components first .. first + components - 1 are set */
    const wide *value;     /* [components] m/s^2 */
} design_gravity_args;

#endif
