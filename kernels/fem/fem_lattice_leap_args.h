/* fem_lattice_leap_args.h -- what launches pass to the kernels of fem_lattice_leap.h. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_LEAP_ARGS_H
#define PIOLA_KERNELS_FEM_LATTICE_LEAP_ARGS_H

#include "kernels/fem/fem_args.h"
#include "kernels/fem/fem_lattice_args.h"

/* The leapfrog's step on the lattice, forward or reversed: one item for each node. */
typedef struct {
    fem_lattice s;            /* changed where free */
    const int *constrained;   /* [nodes] bit c: component c is prescribed */
    int sign;                 /* 1: forward, -1: reversed */
    int kicks, drifts;        /* which of the increments; both, the kick first, only forward */
    double h, kick;           /* s: what v moves u by, and the force changes v by */
    const real *mass, *force; /* [nodes][DIM] kg, N at u before; not read without the kick */
    real *u, *v;              /* [nodes][DIM] m, m/s; the numbers of the state, set everywhere */
    fem_step *step;           /* its fault is lowered */
} fem_lattice_leap_args;

#endif
