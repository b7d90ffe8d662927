/* test_material_dual.cpp -- see test_material.h. */
#include "kernels/material/law.h"
#include "kernels/mpm/mpm_transfer.h"
#include "tests/kernels/material/test_material.h"

static mat matrix(const double *x, const double *dx)
{
    mat m;
    for (int i = 0; i < DIM * DIM; i++) m.m[i / DIM][i % DIM] = real(x[i], dx[i]);
    return m;
}

static int give(const real *r, int n, double *y, double *dy)
{
    for (int i = 0; i < n; i++) {
        y[i] = r[i].value;
        dy[i] = r[i].dot;
    }
    return n;
}

int dual_value(function f, int law, const point *x, const point *dx, double *y, double *dy)
{
    const mat F = matrix(x->F, dx->F), C = matrix(x->C, dx->C);
    const real J(x->J, dx->J), a(x->a, dx->a);
    hyper_constants k;
    vec n;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) k.k[i] = real(x->k[i], dx->k[i]);
    for (int i = 0; i < DIM; i++) n.x[i] = real(x->n[i], dx->n[i]);
    mat m;
    real r[2];
    spline s;
    switch (f) {
    case PSI:
        r[0] = hyper_psi(law, F, k);
        return give(r, 1, y, dy);
    case PRESSURE:
        r[0] = fluid_pressure(law, J, k);
        return give(r, 1, y, dy);
    case LOGARITHM:
        r[0] = real_log(J);
        return give(r, 1, y, dy);
    case LAME_PARAMETERS:
        lame_parameters_of(k.k[0], k.k[1], &r[0], &r[1]);
        return give(r, 2, y, dy);
    case WEIGHTS:
        s = spline_at(n);
        return give(&s.w[0][0], 3 * DIM, y, dy);
    case STRESS_P:
        m = solid_P(law, F, k);
        break;
    case TAU:
        m = mat_mul_t(solid_P(law, F, k), F);
        break;
    case FLUID_TAU:
        m = fluid_tau(law, J, C, k);
        break;
    case FIBRE:
        m = fibre_tau(F, n, a);
        break;
    case ROTATION:
        m = polar_rotation(F);
        break;
    }
    return give(&m.m[0][0], DIM * DIM, y, dy);
}
