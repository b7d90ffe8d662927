/* mpm_obstacle_args.h -- what launches pass to the kernels of mpm_obstacle.h. */
#ifndef PIOLA_KERNELS_MPM_OBSTACLE_ARGS_H
#define PIOLA_KERNELS_MPM_OBSTACLE_ARGS_H

#include "kernels/contact/contact_pose_args.h"
#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* The contact conditions of obstacles on the grid, see mpm_obstacle.h: one item for each active node. */
typedef struct {
    mpm_lists l;                 /* cells, nodes and the order of particles in this step */
    mpm_box box;                 /* the grid and its walls */
    int nodes, obstacles;        /* of the box; of the scene */
    const obstacle_shape *shape; /* [obstacles] */
    const obstacle_pose *pose;   /* [obstacles] */
    const real *coefficients;    /* of the distances of meshes, m */
    const int *push_number;      /* [obstacles] number of an obstacle's field of impulses; of those with a potential */
    const real *push;            /* fields [nodes][DIM] N s of active nodes, see mpm_push.h, one after another */
    const real *sums;            /* [nodes][DIM + 1] mass kg, momentum kg m/s; of active nodes */
    const real *moment; /* [nodes][DIM] of mpm_centroid, kg m; likewise; NULL: every obstacle has a potential */
    real *before;       /* [nodes][DIM] m/s; set for active nodes, or NULL */
    real *velocity;     /* [nodes][DIM] m/s; of active nodes, changed */
} mpm_obstacle_args;

/* The adjoint of one obstacle, the last first: velocity_bar becomes that of the velocity before it, and each node
 * sets its contribution to pose_bar. One item for each active node. */
typedef struct {
    mpm_obstacle_args fwd; /* `before` is read, `velocity` is not */
    int obstacle;          /* number of the obstacle */
    real *velocity_bar;    /* [nodes][DIM] of active nodes; changed */
    /* [nodes][DIM] of active nodes: of e, J's unit per m; set by the last, added to by those before; or NULL */
    real *place_bar;
    real *push_bar; /* as `push`: cotangents of the impulses of an obstacle with a potential, through friction; set */
    real *contribution; /* [nodes][OBSTACLE_PARAMETERS], item i of active node i of the pose; set */
} mpm_obstacle_adj_args;

/* How near a step was to the edge of contact: counts of separating obstacles whose condition sets in or ends at a node,
 * one item for each active node. */
typedef struct {
    mpm_obstacle_args fwd; /* `before` is read */
    real limit;            /* fraction of the obstacle's separation velocity */
} mpm_obstacle_kinks_args;

#endif
