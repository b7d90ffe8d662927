/* fem_contact_show_args.h -- what launches pass to the kernels of fem_contact_show.h. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_SHOW_ARGS_H
#define PIOLA_KERNELS_FEM_CONTACT_SHOW_ARGS_H

#include "kernels/fem/fem_contact_args.h"
#include "kernels/fem/fem_pairs_args.h"

/* The pressure at each point: one item for each point. */
typedef struct {
    const int *node;   /* [points] node of each, each once */
    const real *area;  /* [points] A, m^2, >= 0 */
    const real *force; /* [nodes][DIM] f without friction, N */
    real *out;         /* [nodes][DIM] whose first component becomes |f|/A, Pa; that of an area of 0 becomes 0 */
} fem_contact_pressure_args;

/* How far contact reaches at all, as far as gaps are shown: one item for each node. */
typedef struct {
    int obstacles;             /* of the scene */
    const obstacle_pose *pose; /* [obstacles] whose grip.distance is read, m */
    const wide *grip;          /* [PAIR_GRIP] of surfaces with each other, or NULL */
    real *out;                 /* [nodes][DIM] whose first component becomes the largest distance, m */
} fem_contact_far_args;

/* The gap between each point and obstacles: one item for each point. */
typedef struct {
    fem_contact_args fwd; /* area and out are not read */
    real *out;            /* [nodes][DIM] whose first component is lowered to the distance of the nearest one, m */
} fem_contact_gaps_args;

/* The gap between each point and other parts of the surface: one item for each point. */
typedef struct {
    fem_pair_args fwd;       /* area and out are not read */
    const int *start, *list; /* as of fem_pair_sum */
    real *out;               /* [nodes][DIM] whose first component is lowered to the distance of the nearest one, m */
} fem_pair_gaps_args;

#endif
