/* mpm_push_args.h -- what launches pass to the kernels of mpm_push.h. */
#ifndef PIOLA_KERNELS_MPM_PUSH_ARGS_H
#define PIOLA_KERNELS_MPM_PUSH_ARGS_H

#include "kernels/contact/contact_pose_args.h"
#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The contribution of a block to the impulses of one obstacle at nodes, or to their levers, see mpm_push.h: one team
 * for each occupied block. */
typedef struct {
    mpm_state s;                 /* [n][.] state at the beginning of the step */
    int n;                       /* particles */
    const real *radius;          /* [n] half the edge of a cube of the particle's rest volume, m, in id order */
    mpm_lists l;                 /* cells, nodes and the order of particles in this step */
    mpm_step *step;              /* [1] its fault is lowered where a particle goes too deep */
    mpm_box box;                 /* the grid and its walls */
    const obstacle_shape *shape; /* [1] of the obstacle */
    const obstacle_pose *pose;   /* [1] likewise, at the beginning of the step */
    const real *coefficients;    /* of the distances of meshes, m */
    int lever;                   /* 0: impulses, and faults; 1: levers */
    real *sums;                  /* [occupied blocks][TILE_NODES][QUAD] N s; set */
} mpm_push_args;

/* The adjoint of mpm_push, of impulses and levers together: one team for each occupied block. */
typedef struct {
    mpm_push_args fwd;               /* its sums and `lever` are not used */
    int nodes;                       /* of the box, those of all fields together */
    const real *push_bar;            /* [nodes][DIM] cotangents of the impulses of active nodes, J's unit per N s */
    const real *lever_bar;           /* [nodes][DIM] of the levers, likewise */
    real *offset_bar;                /* [n][DIM] of the state, stored as it is; added to */
    real *force_bar, *direction_bar; /* [n][DIM] cotangents of each particle's force, and of the gradient of its
                                        distance, by its place in the state; set, or both NULL */
} mpm_push_adj_args;

/* The term of a particle in the cotangent of one number of the obstacle's pose. */
typedef struct {
    mpm_push_args fwd;                     /* its sums and `lever` are not used */
    const real *force_bar, *direction_bar; /* [n][DIM] as above */
    int component;                         /* 0 .. OBSTACLE_PARAMETERS - 1 */
} mpm_push_sum_args;

/* Mass and momentum at nodes with the impulses of all obstacles: one item for each active node. */
typedef struct {
    mpm_lists l;      /* cells, nodes and the order of particles in this step */
    int nodes;        /* of the box */
    int fields;       /* of impulses and levers */
    const real *push; /* [fields] of [nodes][DIM] N s, one after another */
    const real *sums; /* [nodes][DIM + 1] mass kg, momentum kg m/s */
    real *out;        /* [nodes][DIM + 1] with the impulses added; set for active nodes */
} mpm_push_add_args;

/* Its adjoint, and the rest of that of friction: one item for each active node. */
typedef struct {
    mpm_push_add_args fwd; /* `out` is not used */
    /* [fields] of [nodes][DIM] cotangents of the impulses through friction, 0 of levers; those through the momentum
     * are added */
    real *push_bar;
    real *node_bar; /* [nodes][DIM + 1] cotangents of `out`; that of the mass is added to */
} mpm_push_add_adj_args;

#endif
