/* obstacle_args.h -- what launches pass to the kernels of obstacle.h. */
#ifndef PIOLA_KERNELS_OBSTACLE_ARGS_H
#define PIOLA_KERNELS_OBSTACLE_ARGS_H

#include "kernels/base/base.h"
#include "kernels/base/vocabulary.h"

/* What never changes of an obstacle. Lengths of its shape are those at the scale `scale`. */
typedef struct {
    int type;         /* a pio_shape_type */
    int behaviour;    /* PIO_WALL_STICKY, PIO_WALL_SLIP or PIO_WALL_SEPARATE */
    int model;        /* a pio_contact_model */
    int axis;         /* cylinder */
    real normal[DIM]; /* plane: unit, out of the obstacle */
    real half[DIM];   /* box: half its edges m */
    real radius;      /* ball, cylinder, m */
    real height;      /* cylinder: half its length m */
    real full;        /* up to this distance the condition holds fully, m */
    real width;       /* it is eased in over distances from full + width to full, m, > 0 */
    real scale;       /* > 0 */
    real deepest;     /* of its inside, m: half the thickness of one that is thin; of a plane, larger than any */
    int first;        /* mesh: number of its first coefficient among all */
    int count[DIM];   /* mesh: points of its lattice per axis, the last axis fastest, >= 4 */
    real low[DIM];    /* mesh: place of the first, m */
    real spacing;     /* mesh: m */
} obstacle_shape;

/* The contact condition of an obstacle; or the cotangents of its numbers. */
typedef struct {
    real friction;          /* mu, >= 0 */
    real friction_velocity; /* speed at which friction has 0.7 of its full size, m/s, > 0 */
    /* m/s, > 0. A separating obstacle sets in gradually at speeds along its normal from + to - this one. */
    real separation_velocity;
    real stiffness; /* of its potential, Pa, > 0 */
    real distance;  /* over which that sets in, m, > 0 */
} obstacle_grip;

#endif
