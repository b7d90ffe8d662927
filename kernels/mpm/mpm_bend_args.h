/* mpm_bend_args.h -- what launches pass to the kernels of mpm_bend.h. */
#ifndef PIOLA_KERNELS_MPM_BEND_ARGS_H
#define PIOLA_KERNELS_MPM_BEND_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_grid_args.h"
#include "kernels/mpm/mpm_obstacle_args.h"

/* A count of conditions of obstacles that are strongly curved where a node is, see mpm_bend.h: one item for each
 * active node. */
typedef struct {
    mpm_obstacle_args fwd; /* `before` is read, `velocity` is not */
    const mpm_step *step;  /* [1] the step block */
    const real *momentum;  /* [nodes][DIM] p0 of active nodes, kg m/s */
    real fraction;         /* e is this fraction of what the step changes */
    real least;            /* B that counts */
} mpm_obstacle_bends_args;

/* A count of walls whose conditions set in or end within a fraction of what the step changes: one item for each
 * active node. */
typedef struct {
    mpm_grid_args fwd;    /* its velocity is not used */
    const real *momentum; /* as above */
    real fraction;        /* as above */
} mpm_wall_bends_args;

#endif
