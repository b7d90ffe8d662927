/* fem_lattice_args.h -- what launches pass to the kernels of fem_lattice.h. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_ARGS_H
#define PIOLA_KERNELS_FEM_LATTICE_ARGS_H

#include "kernels/fem/fem_args.h"

typedef struct {
    int64_t *u, *v;              /* [nodes][DIM] in quanta */
    double per_metre, per_speed; /* quanta in 1 m, in 1 m/s; powers of two */
} fem_lattice;

/* The state as numbers. */
typedef struct {
    fem_lattice s; /* read */
    real *u, *v;   /* [nodes][DIM] m, m/s; set */
} fem_lattice_read_args;

/* Q of numbers, where they are free. */
typedef struct {
    const int *constrained; /* [nodes] bits */
    double per;             /* quanta in a unit */
    const real *x;          /* [nodes][DIM] */
    int64_t *out;           /* [nodes][DIM]; set where free */
    fem_step *step;
} fem_lattice_round_args;

/* u += sign Q(h v) where free. */
typedef struct {
    const int *constrained;
    fem_lattice s; /* u: changed */
    double h;      /* s */
    int sign;      /* 1, -1 */
    fem_step *step;
} fem_lattice_drift_args;

/* out = v + sign Q(h f/m) where free, v where constrained. */
typedef struct {
    const int *constrained;
    const real *mass, *force; /* [nodes][DIM] kg, N */
    double per_speed, h;      /* 1/(m/s), s */
    int sign;
    const int64_t *v; /* [nodes][DIM] */
    int64_t *out;     /* [nodes][DIM]; set, may be v */
    fem_step *step;
} fem_lattice_kick_args;

/* out = x + sign y */
typedef struct {
    const int64_t *x, *y; /* [nodes][DIM] */
    int sign;
    int64_t *out; /* [nodes][DIM]; set, may be x or y */
} fem_lattice_sum_args;

/* Held unknowns are a function of time alone, so that they cost no memory: u = Q(place), v = Q((place after - place
 * before)/h). */
typedef struct {
    const int *node, *axis, *support; /* [constrained unknowns] */
    const wide *value;                /* [supports] m */
    const int *curve;                 /* [supports] or -1: constant */
    const wide *before, *after, *now; /* [curves] where the rate's difference begins and ends; one of the two */
    double h;                         /* s */
    fem_lattice s;                    /* set at constrained unknowns */
    fem_step *step;
} fem_lattice_constrain_args;

#endif
