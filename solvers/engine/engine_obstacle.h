/* engine_obstacle.h -- what obstacles of particles and meshes are described with. */
#ifndef PIOLA_SOLVERS_ENGINE_OBSTACLE_H
#define PIOLA_SOLVERS_ENGINE_OBSTACLE_H

#include "solvers/engine/vocabulary.h"

#include <stdint.h>

enum { PIO_MOTION_NUMBERS = 5 }; /* of a point of a motion: time s, ascending; shift m along x, y and z; angle rad */

/* An obstacle: a shape about the origin of its own frame, which is at `position`, turned by `rotation`. Of particles it
 * constrains the grid's velocities relative to its own as a wall of its kind does, see kernels/mpm/mpm_obstacle.h, or
 * pushes them by a potential. */
typedef struct {
    pio_shape_type type; /* plane, ball, box, cylinder, or closed mesh; which of what follows is read */
    pio_wall behaviour;  /* sticky, slip or separate */
    pio_contact_model model;
    double position[3]; /* m */
    double rotation[3]; /* rotation vector, rad; in 2D only the first is read, counter-clockwise */
    double friction;    /* coefficient of slip and separate, >= 0 */
    double normal[3];   /* plane: unit normal out of the solid, in its own frame */
    double scale;       /* > 0: a design of it changes all lengths below but `width` in proportion; those are at it */
    double size[3];     /* box: lengths of its edges, m, > 0 */
    double radius;      /* ball, cylinder: m, > 0 */
    double height;      /* cylinder: its length, m, > 0 */
    int32_t axis;       /* cylinder: 0 .. 2 */
    /* mesh: points per axis, >= 4; the outer ones are further outside than `width` plus half a spacing */
    int32_t samples[3];
    double low[3];          /* mesh: position of the first point, m */
    double spacing;         /* mesh: distance of the points, m, > 0 */
    const double *distance; /* mesh: [samples] signed distances m, the last axis fastest */
    double width; /* over this distance, which ends half a spacing outside, the condition grows smoothly, m, > 0 */
    /* regularisation velocity of friction, at which it has 0.7 of its limit, m/s, >= PIO_LEAST_VELOCITY */
    double friction_velocity;
    /* regularisation velocity of contact, which grows smoothly while the normal velocity goes from this to minus this,
     * m/s, >= PIO_LEAST_VELOCITY */
    double separation_velocity;
    double stiffness;        /* of its potential, Pa, > 0 */
    double contact_distance; /* over which its potential sets in, m, > 0 */
    int32_t n_points;        /* of its motion, linear between them; 0: it does not move */
    /* [n_points][PIO_MOTION_NUMBERS] shift added to position; angle of a further rotation about the axis `turns` */
    const double *motion;
    double turns[3]; /* that axis, fixed in space; unit where an angle is not 0; in 2D not read */
} pio_obstacle_desc;

#endif
