/* fem_friction_args.h -- what launches pass to the kernels of fem_friction.h. */
#ifndef PIOLA_KERNELS_FEM_FRICTION_ARGS_H
#define PIOLA_KERNELS_FEM_FRICTION_ARGS_H

#include "kernels/fem/fem_contact_args.h"

/* Friction of points at obstacles: one item for each point. */
typedef struct {
    fem_contact_args fwd; /* u: where the points are; out is added to, N */
    const real *v;        /* [nodes][DIM] velocities, m/s */
} fem_friction_args;

/* With y the cotangent of these forces, the adjoint of one obstacle: one item for each point, after fem_contact_adj. */
typedef struct {
    fem_friction_args fwd; /* out is not read */
    int obstacle;          /* number of the obstacle */
    int points;            /* as many as items */
    const real *y;         /* [nodes][DIM] */
    real *u_bar, *v_bar;   /* [nodes][DIM]; added to */
    real *rest_bar;        /* [nodes][DIM] cotangents of X; added to, or NULL with the next two */
    real *area_bar;        /* [points]; added to */
    real *contribution;    /* [points][OBSTACLE_PARAMETERS] to the cotangents of its pose and parameters; added to */
} fem_friction_adj_args;

/* The contribution to the Jacobian where v changes with u: one item for each point, after fem_contact_matrix. */
typedef struct {
    fem_friction_args fwd; /* out is not read */
    double rate;           /* dv/du, 1/s, > 0 */
    int projected;         /* 1: with normal forces and normals held, which leaves a symmetric part without negative
                            * eigenvalues */
    int first_node_pair;   /* number of the block of the first point among all element blocks */
    real *out;             /* [node pairs][DIM * DIM] N/m; added to for these points */
} fem_friction_matrix_args;

/* What is like a potential of friction for a line search, with normal forces and normals held as they are in u: terms
 * of J, one for each point. */
typedef struct {
    fem_contact_args fwd; /* u: where the search begins; out is not read */
    const real *v;        /* [nodes][DIM] velocities where the term is wanted, m/s */
    double rate;          /* dv/du, 1/s, > 0 */
} fem_friction_work_args;

/* How fast points slide that are pressed: one item for each point. */
typedef struct {
    fem_contact_args fwd; /* u: where the points are; out is not read */
    const real *v;        /* [nodes][DIM] velocities, m/s */
    uint64_t *counts;     /* [3] below e/3, up to 3 e, and beyond, e the friction velocity; added to */
} fem_friction_watch_args;

/* Friction of an explicit step, taken implicitly: one item for each point. */
typedef struct {
    fem_contact_args fwd;   /* u: at the beginning of the step; out: forces without friction, N, becomes all forces */
    const real *v, *mass;   /* [nodes][DIM] velocities before, m/s; kg */
    const int *constrained; /* [nodes] bit c: component c is prescribed, and no force changes it */
    double kick;            /* s: what forces change v by, > 0 */
} fem_friction_leap_args;

/* The adjoint of one obstacle, the last one first: one item for each point. */
typedef struct {
    fem_friction_leap_args fwd; /* out: forces without friction, N, not changed */
    int obstacle;               /* number of the obstacle */
    int points;                 /* as many as items */
    real *force_bar;            /* [nodes][DIM] cotangents of all forces; those of forces without this and later ones */
    real *u_bar, *v_bar;        /* [nodes][DIM]; added to, as what follows */
    real *rest_bar, *mass_bar;  /* [nodes][DIM] of X, and of masses where friction depends on them beside v/m */
    real *area_bar;             /* [points] */
    real *contribution;         /* [points][OBSTACLE_PARAMETERS] to the cotangents of its pose and parameters; set */
} fem_friction_leap_adj_args;

#endif
