/* fem_pairs_friction_args.h -- what launches pass to the kernels of fem_pairs_friction.h. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_FRICTION_ARGS_H
#define PIOLA_KERNELS_FEM_PAIRS_FRICTION_ARGS_H

#include "kernels/fem/fem_pairs_args.h"

enum { PAIR_FRICTION, PAIR_FRICTION_VELOCITY, PAIR_RUB }; /* what friction depends on: mu, and e, m/s */

/* How hard pairs press on their nodes: one item for each pair, of which a limit leaves those that were found. */
typedef struct {
    fem_pair_args fwd; /* u: at the beginning of the step; out is not read */
    real *press;       /* [pairs][FEM_PAIR_NODES] |w_a| N, N; set */
} fem_pair_press_args;

/* Its adjoint: one item for each pair, after fem_pair_rub_adj. */
typedef struct {
    fem_pair_args fwd;      /* out is not read */
    int pairs;              /* as many as items */
    const real *load_bar;   /* [points] cotangents of the loads of points */
    real *u_bar, *rest_bar; /* [pairs][FEM_PAIR_NODES][DIM] see fem_pair_adj_args; added to, as what follows */
    real *area_bar;         /* [pairs][FEM_PAIR_NODES] */
    real *grip_bar;         /* [pairs][PAIR_GRIP] a field */
} fem_pair_press_adj_args;

/* Velocities of points without friction of pairs, and how fast it can slow them: one item for each point. */
typedef struct {
    fem_pair_surface s;           /* the surface */
    const int *start, *list;      /* [points + 1], [slots] nodes of pairs at each point */
    const real *press;            /* [slots] see fem_pair_press_args */
    const real *v, *mass, *force; /* [nodes][DIM] velocities before, m/s; kg; forces without this friction, N */
    const int *constrained;       /* [nodes] bit c: component c is prescribed, and no force changes it */
    double kick;                  /* s: what forces change v by, > 0 */
    real *velocity;               /* [points][DIM] m/s; set */
    real *pace;                   /* [points] load over mass, m/s^2, 0 where no force moves the point; set */
} fem_pair_kick_args;

/* Its adjoint, with the cotangents that pairs give to velocities and paces: one item for each point. */
typedef struct {
    fem_pair_kick_args fwd;   /* press is not read; pace is as it was set */
    const real *rubbed;       /* [slots][DIM] friction, see fem_pair_rub_args */
    const real *velocity_bar; /* [slots][DIM] */
    const real *pace_bar;     /* [slots] */
    real *force_bar;          /* [nodes][DIM] cotangents of all forces; those of forces without this friction */
    real *v_bar, *mass_bar;   /* [nodes][DIM] of v, and of masses beside what they do to v by those forces; added
                                     * to */
    real *load_bar;           /* [points] of the loads; set */
} fem_pair_kick_adj_args;

/* Friction of pairs: one item for each. */
typedef struct {
    fem_pair_args fwd;           /* u: at the beginning of the step; out: [pairs][FEM_PAIR_NODES][DIM] N; set */
    const wide *rub;             /* [PAIR_RUB] mu, e */
    const real *velocity, *pace; /* [points] see fem_pair_kick_args */
    double kick;                 /* s */
} fem_pair_rub_args;

/* Its adjoint: one item for each pair. */
typedef struct {
    fem_pair_rub_args fwd;         /* out is not read */
    int pairs;                     /* as many as items */
    const real *y;                 /* [nodes][DIM] cotangents of forces */
    real *u_bar, *rest_bar;        /* [pairs][FEM_PAIR_NODES][DIM] see fem_pair_adj_args; set, as what follows */
    real *area_bar;                /* [pairs][FEM_PAIR_NODES] */
    real *grip_bar, *rub_bar;      /* [pairs][PAIR_GRIP], [pairs][PAIR_RUB] fields */
    real *velocity_bar, *pace_bar; /* [pairs][FEM_PAIR_NODES][DIM], [pairs][FEM_PAIR_NODES] what the pair gives to
                                     * those of points */
} fem_pair_rub_adj_args;

/* ---- implicit steps ---------------------------------------------------------------------------------------------- */

/* Friction of pairs at the velocities that there are: one item for each. */
typedef struct {
    fem_pair_args fwd; /* u: where the points are; out: [pairs][FEM_PAIR_NODES][DIM] N; added to */
    const wide *rub;   /* [PAIR_RUB] mu, e */
    const real *v;     /* [nodes][DIM] velocities, m/s */
} fem_pair_drag_args;

/* Its adjoint: one item for each pair, after fem_pair_adj. */
typedef struct {
    fem_pair_drag_args fwd;   /* out is not read */
    int pairs;                /* as many as items */
    const real *y;            /* [nodes][DIM] cotangents of forces */
    real *u_bar, *rest_bar;   /* [pairs][FEM_PAIR_NODES][DIM] see fem_pair_adj_args; added to. rest_bar NULL: what
                               * follows is not wanted but for velocity_bar */
    real *area_bar;           /* [pairs][FEM_PAIR_NODES]; added to */
    real *grip_bar, *rub_bar; /* [pairs][PAIR_GRIP], [pairs][PAIR_RUB] fields; added to, and set */
    real *velocity_bar;       /* [pairs][FEM_PAIR_NODES][DIM] what the pair gives to those of v; set */
} fem_pair_drag_adj_args;

/* Its contribution to the matrices of pairs where v changes with u: one item for each, after fem_pair_matrix. */
typedef struct {
    fem_pair_drag_args fwd; /* out is not read */
    double rate;            /* dv/du, 1/s, > 0 */
    int projected;          /* 1: with normal forces, normals and weights held, which leaves a symmetric part without
                             * negative eigenvalues */
    const int *constrained; /* see fem_pair_matrix_args */
    real *value;            /* likewise; added to */
} fem_pair_drag_matrix_args;

/* What is like a potential of friction for a line search, with normal forces, normals and weights held as they are in
 * u: terms of J, one for each pair. */
typedef struct {
    fem_pair_args fwd; /* u: where the search begins, and pairs are listed; out is not read */
    const wide *rub;   /* [PAIR_RUB] mu, e */
    const real *v;     /* [nodes][DIM] velocities where the term is wanted, m/s */
    double rate;       /* dv/du, 1/s, > 0 */
} fem_pair_drag_work_args;

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* How fast pairs slide that press: one item for each. */
typedef struct {
    fem_pair_args fwd; /* u: where the points are; out is not read */
    const wide *rub;   /* [PAIR_RUB] mu, e */
    const real *v;     /* [nodes][DIM] velocities, m/s */
    uint64_t *counts;  /* [3] below e/3, up to 3 e, and beyond; added to */
} fem_pair_slip_args;

#endif
