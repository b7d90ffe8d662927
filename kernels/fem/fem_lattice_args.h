/* fem_lattice_args.h -- what launches pass to the kernels of fem_lattice.h. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_ARGS_H
#define PIOLA_KERNELS_FEM_LATTICE_ARGS_H

#include "kernels/fem/fem_args.h"

/* Displacements and velocities of a mesh on the lattice. */
typedef struct {
    int64_t *u, *v;              /* [nodes][DIM] in quanta */
    double per_metre, per_speed; /* quanta in 1 m, in 1 m/s; powers of two */
} fem_lattice;

/* The state as numbers: one item for each node. */
typedef struct {
    fem_lattice s; /* read */
    real *u, *v;   /* [nodes][DIM] m, m/s; set */
} fem_lattice_read_args;

/* Q of numbers, where they are free: one item for each node. */
typedef struct {
    const int *constrained; /* [nodes] bit c: component c is prescribed */
    double per;             /* quanta in a unit of x, a power of two */
    const real *x;          /* [nodes][DIM] numbers to round */
    int64_t *out;           /* [nodes][DIM] in quanta; set where free */
    fem_step *step;         /* its fault is lowered */
} fem_lattice_round_args;

/* Adds sign Q(h v) to u where free: one item for each node. */
typedef struct {
    const int *constrained; /* [nodes] bit c: component c is prescribed */
    fem_lattice s;          /* v is read, u changed */
    double h;               /* time step s */
    int sign;               /* 1: forward, -1: reversed */
    fem_step *step;         /* its fault is lowered */
} fem_lattice_drift_args;

/* Sets out = v + sign Q(h f/m) where free, v where constrained: one item for each node. */
typedef struct {
    const int *constrained;   /* [nodes] bit c: component c is prescribed */
    const real *mass, *force; /* [nodes][DIM] kg, N */
    double per_speed, h;      /* quanta in 1 m/s, time step s */
    int sign;                 /* 1: forward, -1: reversed */
    const int64_t *v;         /* [nodes][DIM] velocity in quanta */
    int64_t *out;             /* [nodes][DIM] in quanta; set, may be v */
    fem_step *step;           /* its fault is lowered */
} fem_lattice_kick_args;

/* Sets out = x + sign y: one item for each node. */
typedef struct {
    const int64_t *x, *y; /* [nodes][DIM] in quanta */
    int sign;             /* 1, -1 */
    int64_t *out;         /* [nodes][DIM]; set, may be x or y */
} fem_lattice_sum_args;

/* Constrained unknowns are a function of time alone, so that they cost no memory: u = Q(place), v = Q((place after -
 * place before)/h). One item for each of them. */
typedef struct {
    const int *node, *axis, *support; /* [constrained unknowns] its node and component, and which boundary condition */
    const wide *value;                /* [supports] m */
    const int *curve;                 /* [supports] or -1: constant */
    const wide *before, *after, *now; /* [curves] where the rate's difference begins and ends; one of the two */
    /* [supports] of values that vary in time: those at the first of these times and at `now`, where `value` is that at
     * the second; both NULL: values do not */
    const wide *before_value, *now_value;
    double h;       /* time step s */
    fem_lattice s;  /* set at constrained unknowns */
    fem_step *step; /* its fault is lowered */
} fem_lattice_constrain_args;

#endif
