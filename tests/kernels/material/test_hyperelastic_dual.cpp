/* test_hyperelastic_dual.cpp -- see test_hyperelastic.h. */
#include "kernels/material/hyperelastic.h"
#include "tests/kernels/material/test_hyperelastic.h"

static int give(const real *r, int n, double *y, double *dy)
{
    for (int i = 0; i < n; i++) {
        y[i] = r[i].value;
        dy[i] = r[i].dot;
    }
    return n;
}

int hyper_dual(hyper_function f, int law, int by_lame_parameters, const hyper_point *x, const hyper_point *dx,
               double *y, double *dy)
{
    mat F, P;
    hyper_constants k;
    for (int i = 0; i < DIM * DIM; i++) F.m[i / DIM][i % DIM] = real(x->F[i], dx->F[i]);
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) k.k[i] = real(x->k[i], dx->k[i]);
    if (f == HYPER_PSI) {
        const real psi = hyper_psi(law, F, k);
        return give(&psi, 1, y, dy);
    }
    if (f == HYPER_FROM_PARAMETERS) {
        k = hyper_from_parameters(law, by_lame_parameters, k);
        return give(k.k, PIO_LAW_CONSTANTS, y, dy);
    }
    P = hyper_P(law, F, k);
    return give(&P.m[0][0], DIM * DIM, y, dy);
}
