/* dilatation.h -- a hyperelastic law whose dilatation is given beside F, as elements need it that must keep their
 * volume without locking (Simo, Taylor and Pister 1985; de Souza Neto, Peric, Dutko and Owen 1996):
 *
 *     w(F, theta) = psi(Fbar) + m/2 l^2,    Fbar = (theta/J)^(1/DIM) F,    J = det F,    so that det Fbar = theta
 *
 * and of the linear law, which is a function of G = grad u, Gbar = G + (theta - J)/DIM I with J = tr G. In 2D, plane
 * strain, the third direction stays as it is. The element chooses theta, a projection of J, see fem_dilatation.h. As
 * Fbar needs theta/J > 0, J and theta must be positive, of the laws too that have values beyond, such as the stable
 * neo-Hookean and St Venant's.
 *
 * With Y = dJ/dF / J = F^-T, T = Fbar and r = 1/theta, and of the linear law with Y = T = I and r = 1, Fbar changes
 * along (L, t) by
 *     Lbar = s L + e T,    s = (theta/J)^(1/DIM) or 1,    e = (r t - Y : L)/DIM,
 * so that with P = dpsi/dF(Fbar) and p = P : T/DIM
 *     w_F = s P - p Y + m l Y,    w_theta = r (p - m l).
 *
 * m is 0, or in elements whose theta has too few functions to feel all motions that change no angle m = 2 mu/DIM at
 * rest: l = ln(J/theta), of the linear law J - theta, is then held as if psi had its shear of F, and its bulk of theta,
 * which is the mixed method of displacements and pressures (Hughes 2000, section 4.4). */
#ifndef PIOLA_KERNELS_DILATATION_H
#define PIOLA_KERNELS_DILATATION_H

#include "kernels/material/hyperelastic_heat.h"
#include "kernels/material/hyperelastic_project.h"

/* Returns J: det F, or of the linear law the trace of G. */
PIO_FN real dilatation(int law, mat F)
{
    return law == PIO_HYPER_LINEAR ? mat_trace(F) : mat_det(F, mat_cofactor(F));
}

/* Returns dJ/dF: cof F, or of the linear law I. */
PIO_FN mat dilatation_slope(int law, mat F)
{
    return law == PIO_HYPER_LINEAR ? mat_diag(R(1)) : mat_cofactor(F);
}

/* What w and its derivatives are made of, in the letters above. */
typedef struct {
    real n; /* 0 of the linear law, 1 of the others */
    real J, s, r;
    mat C; /* dJ/dF */
    mat Y, T;
    mat bar; /* Fbar, or Gbar */
    real m, l;
    real e; /* thermal strain, with which psi is w of hyperelastic_heat.h; 0 of dilated_at */
} dilated_point;

/* Returns the parts of w at F, or G, and theta. J and theta must be positive, but of the linear law. */
PIO_FN dilated_point dilated_at(int law, mat F, real theta, real m)
{
    dilated_point d;
    d.m = m;
    d.e = R(0);
    d.J = dilatation(law, F);
    d.C = dilatation_slope(law, F);
    if (law == PIO_HYPER_LINEAR) {
        d.n = R(0);
        d.s = d.r = R(1);
        d.l = d.J - theta;
        d.Y = d.T = mat_diag(R(1));
        d.bar = mat_axpby(R(1), F, (theta - d.J) / R(DIM), d.T);
        return d;
    }
    d.n = R(1);
    d.s = real_root(theta / d.J);
    d.r = R(1) / theta;
    d.l = real_log(d.J * d.r);
    d.Y = mat_scale(R(1) / d.J, d.C);
    d.bar = d.T = mat_scale(d.s, F);
    return d;
}

/* Returns 1 where w has a value: psi at F and at Fbar, and theta and J are positive, but of the linear law. */
PIO_FN int dilated_admits(int law, mat F, real theta)
{
    const real least = sizeof(real) == 4 ? R(1.2e-38) : R(2.3e-308);
    if (!hyper_admits(law, F) || !is_finite(theta)) return 0;
    if (law == PIO_HYPER_LINEAR) return 1;
    return theta > least && dilatation(law, F) > least && hyper_admits(law, dilated_at(law, F, theta, R(0)).bar);
}

/* Returns m/2 l^2, J/m^3. */
PIO_FN real dilated_held(const dilated_point *d)
{
    return R(0.5) * d->m * d->l * d->l;
}

/* Returns w_F and sets w_theta from P, the derivative of psi, or of whatever is a function of Fbar, at Fbar. */
PIO_FN mat dilated_slope(const dilated_point *d, mat P, real *by_theta)
{
    const real p = mat_ddot(P, d->T) / R(DIM) - d->m * d->l;
    *by_theta = d->r * p;
    return mat_axpby(d->s, P, -p, d->Y);
}

/* ---- second derivatives of w, as a matrix in (F, theta) ------------------------------------------------------- */

enum { DILATED_SIDE = DIM * DIM + 1 }; /* F in the order of hyper_tangent, then theta */

/* Returns entry `row` of a matrix: component (row / DIM, row % DIM). */
PIO_FN real dilated_entry(const mat *m, int row)
{
    return m->m[row / DIM][row % DIM];
}

/* Sets H, the second derivatives of w + pressure J(F), Pa. With A the tangent of psi at Fbar, Q L = s L - (Y : L)/DIM
 * T, and, but for the linear law, where they are 0, the products by P and pressure of
 *     d2Fbar(D, E) = -s ((Y : D) E + (Y : E) D)/DIM + ((Y : D)(Y : E)/DIM + Y E^T Y : D)/DIM T
 *     d2J(D, E) = J ((Y : D)(Y : E) - Y E^T Y : D),
 *     H_FF = Q^T A Q + P : d2Fbar + pressure d2J,    H_F,theta = r/DIM Q^T (A T + P),
 *     H_theta,theta = r^2 (T : A T/DIM^2 + p (1/DIM - 1)),
 * and what m/2 l^2 adds, m (Y Y - l Y E^T Y), -m r Y and m r^2 (1 + l). */
PIO_OUTLINE_FN void dilated_hessian(int law, const dilated_point *d, mat P, real pressure, hyper_constants k,
                                    real H[DILATED_SIDE][DILATED_SIDE])
{
    const int M = DIM * DIM;
    const real D = R(DIM), p = mat_ddot(P, d->T) / D;
    real A[HYPER_NUMBERS][HYPER_NUMBERS], a[HYPER_NUMBERS], TAT = R(0);
    heat_tangent(law, d->bar, k, d->e, A);
    for (int row = 0; row < M; row++) {
        a[row] = R(0);
        for (int col = 0; col < M; col++) a[row] += A[row][col] * dilated_entry(&d->T, col);
        TAT += a[row] * dilated_entry(&d->T, row);
    }
    for (int row = 0; row < M; row++) {
        const real YI = dilated_entry(&d->Y, row), PI = dilated_entry(&P, row);
        for (int col = 0; col < M; col++) {
            const real YK = dilated_entry(&d->Y, col), PK = dilated_entry(&P, col);
            const real Z = d->Y.m[row / DIM][col % DIM] * d->Y.m[col / DIM][row % DIM];
            H[row][col] = d->s * d->s * A[row][col] - d->s / D * (a[row] * YK + YI * a[col]) + TAT / (D * D) * YI * YK;
            H[row][col] += d->n * (p * (YI * YK / D + Z) - d->s / D * (YI * PK + PI * YK));
            H[row][col] += d->m * (YI * YK - d->n * d->l * Z);
            H[row][col] += d->n * pressure * d->J * (YI * YK - Z);
        }
        const real to = a[row] + d->n * PI, along = TAT + d->n * D * p; /* (a + n P) and its product with T */
        H[row][M] = H[M][row] = d->r / D * (d->s * to - along / D * YI) - d->m * d->r * YI;
    }
    H[M][M] = d->r * d->r * (TAT / (D * D) + d->n * p * (R(1) / D - R(1)) + d->m * (R(1) + d->n * d->l));
}

#endif
