/* mpm_reversible_shear.h -- a matrix of determinant 1 as a product of shears, each of which adds to one row of Fbar a
 * multiple of another and so is reversed to the bit.
 *
 * A = L D U with unit triangles L, U: one shear in 2D and three in 3D for each. D is a product of one or two
 *     diag(a, 1/a) = U(-a r) L(q) U(r) L(-a q)    for any r, q with  q r = (1 - a)/a,
 * here with r = sqrt |a - 1|, so that all are close to the identity when A is. 6 shears in 2D, 14 in 3D. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_SHEAR_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_SHEAR_H

#include "kernels/mpm/mpm_reversible.h"

enum { SHEARS = DIM == 3 ? 14 : 6 };
#define PIVOT_LEAST R(0.125) /* of D */
#define SHEAR_MOST W(0x1p58) /* quanta that one shear may add */
#define FBAR_MOST W(0x1p58)  /* that Fbar may have: sums of all shears stay below 2^62 */

typedef struct {
    real s[SHEARS];
} shears;

/* Sets the rows of shear k, counted from the right: row `to` gets s times row `from`. */
PIO_FN void shear_rows(int k, int *to, int *from)
{
#if PIO_DIM == 3
    const int rows = k == 0    ? 001
                     : k == 1  ? 002
                     : k == 2  ? 012
                     : k < 7   ? (k % 2 ? 010 : 001)
                     : k < 11  ? (k % 2 ? 021 : 012)
                     : k == 11 ? 021
                     : k == 12 ? 020
                               : 010;
    *to = rows >> 3;
    *from = rows & 7;
#else
    *to = k == 0 ? 0 : k == 5 ? 1 : k % 2;
    *from = 1 - *to;
#endif
}

/* Sets the factors of the four shears of diag(1 + e, 1/(1 + e)), 1 + e > 0, by the formula at the head. */
PIO_FN void shears_of_pair(real e, real s[4])
{
    const real r = sqrt(fabs(e)), a = R(1) + e;
    const real q = r > R(0) ? -e / (a * r) : R(0);
    s[0] = -a * q;
    s[1] = r;
    s[2] = q;
    s[3] = -a * r;
}

/* Sets the factors of the shears of A = I + E, det A = 1; returns 0 where a pivot is below PIVOT_LEAST. */
PIO_FN int shears_of(mat E, shears *to)
{
    const real a = R(1) + E.m[0][0], inv = R(1) / a;
    if (!(a >= PIVOT_LEAST)) return 0;
#if PIO_DIM == 3
    const real e11 = E.m[1][1] - E.m[1][0] * E.m[0][1] * inv, b = R(1) + e11;
    if (!(b >= PIVOT_LEAST) || !(a * b >= PIVOT_LEAST)) return 0;
    to->s[0] = E.m[0][1] * inv;
    to->s[1] = E.m[0][2] * inv;
    to->s[2] = (E.m[1][2] - E.m[1][0] * E.m[0][2] * inv) / b;
    shears_of_pair(E.m[0][0], to->s + 3);
    shears_of_pair(E.m[0][0] + e11 + E.m[0][0] * e11, to->s + 7);
    to->s[11] = (E.m[2][1] - E.m[2][0] * E.m[0][1] * inv) / b;
    to->s[12] = E.m[2][0] * inv;
    to->s[13] = E.m[1][0] * inv;
#else
    to->s[0] = E.m[0][1] * inv;
    shears_of_pair(E.m[0][0], to->s + 1);
    to->s[5] = E.m[1][0] * inv;
#endif
    return 1;
}

/* Adds shear k to Fbar, or with a negative sign its inverse. A product is all that is rounded, so that every compiler
 * rounds it alike. Returns 0 where it is out of range; then nothing is added. */
PIO_FN int shear(quanta F[DIM][DIM], const shears *by, int k, int sign)
{
    int to, from, in_range = 1;
    shear_rows(k, &to, &from);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const wide more = W(by->s[k]) * W(F[from][c]);
        const int fits = fabs(more) <= SHEAR_MOST;
        const quanta q = quanta_of(fits ? more : W(0));
        F[to][c] += sign < 0 ? -q : q;
        in_range &= fits;
    }
    return in_range;
}

/* Replaces Fbar by A Fbar, or with a negative sign by A^-1 Fbar; returns 0 where a number is out of range. */
PIO_FN int shear_all(quanta F[DIM][DIM], const shears *by, int sign)
{
    int in_range = 1;
    if (sign < 0) {
        PIO_UNROLL_ALL
        for (int k = SHEARS - 1; k >= 0; k--) in_range &= shear(F, by, k, -1);
    } else {
        PIO_UNROLL_ALL
        for (int k = 0; k < SHEARS; k++) in_range &= shear(F, by, k, 1);
    }
    PIO_UNROLL
    for (int c = 0; c < DIM * DIM; c++) in_range &= fabs(W(F[c / DIM][c % DIM])) <= FBAR_MOST;
    return in_range;
}

/* Returns ln(1 + e), e > -1, with small relative error where e is small (Kahan's quotient; Higham 2002, section
 * 1.14.1). */
PIO_FN real log_of_one_and(real e)
{
#ifdef PIO_DUAL
    return log(R(1) + e);
#else
    const real u = R(1) + e, v = u - R(1);
    if (v >= R(0) && v <= R(0)) return e;
    return real_log(u) * (e / v);
#endif
}

/* Returns det(I + D) - 1, without the rounding of the 1: tr D + det D, and in 3D tr cof D too. */
PIO_FN real det_less_one(mat D)
{
#if PIO_DIM == 3
    const mat cof = mat_cofactor(D);
    return mat_trace(D) + (mat_trace(cof) + mat_det(D, cof));
#else
    return mat_trace(D) + (D.m[0][0] * D.m[1][1] - D.m[0][1] * D.m[1][0]);
#endif
}

/* Returns A - I of A = (I + D)/det^(1/d), with e = det(I + D) - 1 and log_det = ln(1 + e):  det^(1/d) - 1 = e/(1 + s [+
 * s^2]), s = det^(1/d). */
PIO_FN mat unimodular_less_one(mat D, real e, real log_det)
{
#if PIO_DIM == 3
    const real s = exp(log_det * R(1.0 / 3)), less = e / (R(1) + s + s * s);
#else
    const real s = sqrt(R(1) + e), less = e / (R(1) + s);
    (void)log_det;
#endif
    return mat_axpby(R(1) / s, D, -less / s, mat_diag(R(1)));
}

#endif
