/* contact_pose_args.h -- what launches pass to the kernels of contact_pose.h. */
#ifndef PIOLA_KERNELS_CONTACT_POSE_ARGS_H
#define PIOLA_KERNELS_CONTACT_POSE_ARGS_H

#include "kernels/base/vec.h"
#include "kernels/contact/obstacle_args.h"

/* Numbers of a rotation, and of an obstacle's parameters: position m, rotation rad (a vector in 3D), those of its grip,
 * and the scale of its lengths. The last are of poses alone, velocity m/s and spin rad/s, of which only cotangents
 * are kept: as parameters they are not read. */
enum { OBSTACLE_TURNS = DIM == 3 ? 3 : 1, OBSTACLE_ROTATION = DIM, OBSTACLE_FRICTION = DIM + OBSTACLE_TURNS };
enum { OBSTACLE_FRICTION_VELOCITY = OBSTACLE_FRICTION + 1, OBSTACLE_SEPARATION_VELOCITY, OBSTACLE_STIFFNESS };
enum { OBSTACLE_DISTANCE = OBSTACLE_STIFFNESS + 1, OBSTACLE_SCALE, OBSTACLE_VELOCITY };
enum { OBSTACLE_SPIN = OBSTACLE_VELOCITY + DIM, OBSTACLE_PARAMETERS = OBSTACLE_SPIN + OBSTACLE_TURNS };

/* Numbers of a point of a motion: time s, shift m along x, y and z, angle rad. */
enum { MOTION_TIME, MOTION_SHIFT, MOTION_ANGLE = MOTION_SHIFT + 3, MOTION_NUMBERS };

/* Where an obstacle is at one time of a step, and how it moves in a span of it. */
typedef struct {
    wide centre[DIM];   /* c, m */
    mat turn;           /* Q */
    vec velocity;       /* V, m/s */
    mat spin;           /* W, 1/s */
    real scale;         /* of its shape */
    obstacle_grip grip; /* its friction, separation and potential */
} obstacle_pose;

/* Positions and velocities of obstacles in a step: one item for each obstacle. The step begins at the time dt times
 * its index; times within it are fractions of dt. */
typedef struct {
    int obstacles;           /* of the scene, as many as items */
    const int64_t *index;    /* [1] number of the step, >= 0 */
    double dt;               /* s, > 0 */
    double at;               /* the positions are those of this time, 0 .. 1 */
    double from, to;         /* the velocities are the means of this span, 0 <= from < to <= 1 */
    const wide *parameters;  /* [OBSTACLE_PARAMETERS][obstacles] */
    const int *motion_start; /* [obstacles + 1] of its points; none: it stands still */
    const wide *motion;      /* [points][MOTION_NUMBERS] ascending in time */
    const double *axis;      /* [obstacles][3] unit, about which it turns; in 2D not read */
    obstacle_pose *pose;     /* [obstacles]; set */
} contact_pose_args;

/* The cotangent of a turn is that of a small rotation e, in space, after it: Q -> exp(e x) Q. */
typedef struct {
    contact_pose_args fwd; /* pose is not read */
    const wide *pose_bar;  /* [OBSTACLE_PARAMETERS][obstacles] of c, e, grip, scale and velocities in this step */
    wide *parameters_bar;  /* [OBSTACLE_PARAMETERS][obstacles]; added to */
    wide *motion_bar;      /* [points][MOTION_NUMBERS], none of times; added to, or NULL */
} contact_pose_adj_args;

#endif
