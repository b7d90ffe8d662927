/* fem_lattice_leap_args.h -- what launches pass to the kernels of fem_lattice_leap.h. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_LEAP_ARGS_H
#define PIOLA_KERNELS_FEM_LATTICE_LEAP_ARGS_H

#include "kernels/fem/fem_args.h"
#include "kernels/fem/fem_lattice_args.h"

typedef struct {
    fem_lattice s;            /* changed where free */
    const int *constrained;   /* [nodes] bits */
    int sign;                 /* 1: forward, -1: back */
    int kicks, drifts;        /* which of the increments; both, the kick first, on the increment forward alone */
    double h, kick;           /* s */
    const real *mass, *force; /* [nodes][DIM] kg, N at u before; not read without the kick */
    real *u, *v;              /* [nodes][DIM] m, m/s; the numbers of the state, set everywhere */
    fem_step *step;
} fem_lattice_leap_args;

#endif
