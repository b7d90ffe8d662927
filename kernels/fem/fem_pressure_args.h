/* fem_pressure_args.h -- what launches pass to the kernels of fem_pressure.h. */
#ifndef PIOLA_KERNELS_FEM_PRESSURE_ARGS_H
#define PIOLA_KERNELS_FEM_PRESSURE_ARGS_H

#include "kernels/fem/fem_args.h"

/* Poisson's ratio above which an element has pressures, as that of lambda/mu = 2 nu/(1 - 2 nu), and lambda/mu of the
 * element that is left, nu = 0.3. */
#define PRESSURE_FROM R(49)
#define PRESSURE_REST R(1.5)

/* The moduli kappa' that pressures carry: one item for each element of the block. */
typedef struct {
    fem_block b;  /* its dilatations are read */
    fem_matter m; /* law and k are read */
    real *moduli; /* [elements of the mesh] kappa', Pa, >= 0; set for the block's elements */
} fem_pressure_moduli_args;

/* What the system of displacements and pressures has of each element: one item for each element of the block. */
typedef struct {
    fem_block b;            /* with the rule of stiffnesses; dilatations > 0 */
    fem_matter m;           /* law and k are read */
    const real *u;          /* [nodes][DIM] displacement m, at which it is linearised */
    const real *moduli;     /* [elements of the mesh] kappa', Pa */
    const int *constrained; /* [nodes] bit c: component c is prescribed */
    int first_pressure;     /* number of the block's first pressure */
    real *B;                /* [block's pressures][nodes][DIM] N/m; set: 0 at prescribed components */
    real *compliance;       /* [pressures] C, N/m, > 0; set for the block's */
    real *inverse;          /* [pressures] m/N, > 0: of the preconditioner; set for the block's */
} fem_pressure_open_args;

/* The product of the rows of the pressures with (u, p), and what they add to those of the displacements: one item for
 * each element of the block. */
typedef struct {
    fem_block b;            /* node and dilatations are read */
    int first_pressure;     /* as in fem_pressure_open_args, and B and compliance likewise */
    const real *B;          /* [block's pressures][nodes][DIM] N/m */
    const real *compliance; /* [pressures] C, N/m */
    const real *u;          /* [nodes][DIM] m */
    const real *p;          /* [pressures] pressures over s/d, m */
    real *out;              /* [element nodes][DIM] B^T (p - B u/C), N; set for the block's element nodes */
    real *p_out;            /* [pressures] B u - C p, N; set for the block's */
} fem_pressure_apply_args;

/* The preconditioner of the pressures: one item for each pressure. */
typedef struct {
    const real *inverse; /* [pressures] m/N, as in fem_pressure_open_args */
    const real *in;      /* [pressures] N */
    real *out;           /* [pressures] m; set */
} fem_pressure_scale_args;

#endif
