/* mpm_obstacle_args.h -- what launches pass to the kernels of mpm_obstacle.h. */
#ifndef PIOLA_KERNELS_MPM_OBSTACLE_ARGS_H
#define PIOLA_KERNELS_MPM_OBSTACLE_ARGS_H

#include "kernels/base/vec.h"
#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"
#include "kernels/mpm/obstacle_args.h"

/* Numbers of a rotation, and of an obstacle's parameters: position m, rotation rad (a vector in 3D), and those of its
 * grip. */
enum { OBSTACLE_TURNS = DIM == 3 ? 3 : 1, OBSTACLE_ROTATION = DIM, OBSTACLE_FRICTION = DIM + OBSTACLE_TURNS };
enum { OBSTACLE_FRICTION_VELOCITY = OBSTACLE_FRICTION + 1, OBSTACLE_SEPARATION_VELOCITY, OBSTACLE_PARAMETERS };

/* Numbers of a point of a motion: time s, shift m along x, y and z, angle rad. */
enum { MOTION_TIME, MOTION_SHIFT, MOTION_ANGLE = MOTION_SHIFT + 3, MOTION_NUMBERS };

/* Where an obstacle is at the beginning of the step, and how it moves in it. */
typedef struct {
    wide centre[DIM];   /* c, m */
    mat turn;           /* Q */
    vec velocity;       /* V, m/s */
    mat spin;           /* W, 1/s */
    obstacle_grip grip; /* its friction and separation */
} obstacle_pose;

/* Positions and velocities of obstacles in a step: one item for each obstacle. */
typedef struct {
    int obstacles;           /* of the scene, as many as items */
    const mpm_step *step;    /* [1] the step block */
    double dt;               /* s */
    const wide *parameters;  /* [OBSTACLE_PARAMETERS][obstacles] */
    const int *motion_start; /* [obstacles + 1] of its points; none: it stands still */
    const double *motion;    /* [points][MOTION_NUMBERS] ascending in time */
    const double *axis;      /* [obstacles][3] unit, about which it turns; in 2D not read */
    obstacle_pose *pose;     /* [obstacles]; set */
} obstacle_pose_args;
typedef obstacle_pose_args mpm_obstacle_pose_args;

/* The cotangent of a turn is that of a small rotation e, in space, after it: Q -> exp(e x) Q. */
typedef struct {
    obstacle_pose_args fwd; /* pose is not read */
    const wide *pose_bar;   /* [OBSTACLE_PARAMETERS][obstacles] of c, e and the grip in this step */
    wide *parameters_bar;   /* [OBSTACLE_PARAMETERS][obstacles]; added to */
} mpm_obstacle_pose_adj_args;

/* The contact conditions of obstacles on the grid, see mpm_obstacle.h: one item for each active node. */
typedef struct {
    mpm_lists l;                 /* cells, nodes and the order of particles in this step */
    mpm_box box;                 /* the grid and its walls */
    int nodes, obstacles;        /* of the box; of the scene */
    const obstacle_shape *shape; /* [obstacles] */
    const obstacle_pose *pose;   /* [obstacles] */
    const real *coefficients;    /* of the distances of meshes, m */
    const real *sums;            /* [nodes][DIM + 1] mass kg, momentum kg m/s; of active nodes */
    const real *moment;          /* [nodes][DIM] of mpm_centroid, kg m; likewise */
    real *before;                /* [nodes][DIM] m/s; set for active nodes, or NULL */
    real *velocity;              /* [nodes][DIM] m/s; of active nodes, changed */
} mpm_obstacle_args;

/* The adjoint of one obstacle, the last first: velocity_bar becomes that of the velocity before it, and each node
 * sets its contribution to pose_bar. One item for each active node. */
typedef struct {
    mpm_obstacle_args fwd; /* `before` is read, `velocity` is not */
    int obstacle;          /* number of the obstacle */
    real *velocity_bar;    /* [nodes][DIM] of active nodes; changed */
    real *place_bar; /* [nodes][DIM] of active nodes: of e, J's unit per m; set by the last, added to by those before */
    real *contribution; /* [nodes][OBSTACLE_PARAMETERS], item i of active node i of c, e and the grip; set */
} mpm_obstacle_adj_args;

/* How near a step was to the edge of contact: counts of separating obstacles whose condition sets in or ends at a node,
 * one item for each active node. */
typedef struct {
    mpm_obstacle_args fwd; /* `before` is read */
    real limit;            /* fraction of the obstacle's separation velocity */
} mpm_obstacle_kinks_args;

#endif
