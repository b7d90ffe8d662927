/* hyperelastic_tools.h -- what the hyperelastic laws share: their constants, the volume's change, and the terms that
 * tangents are composed of. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_TOOLS_H
#define PIOLA_KERNELS_HYPERELASTIC_TOOLS_H

#include "kernels/material/material.h"

/* Numbers of F, or rows of a tangent; terms of Ogden's law. */
enum { HYPER_NUMBERS = DIM * DIM, OGDEN_TERMS = 2 };

/* The constants of a law, in its own order; those it has not are never read. */
typedef struct {
    real k[PIO_LAW_CONSTANTS];
} hyper_constants;

/* Returns what is added to the diagonal of H = grad u to have what a law is a function of: 1, for F = I + H; 0 for the
 * linear law, which H is given to. */
PIO_FN real hyper_diagonal(int law)
{
    return law == PIO_HYPER_LINEAR ? R(0) : R(1);
}

/* Plane strain: F33 = 1 adds this to F:F, and the third principal direction has no strain. */
enum { HYPER_THIRD = 3 - DIM };

/* H = F^-T [-], J = det F [-], and ln J, J > 0 */
typedef struct {
    mat H;
    real J, log_J;
} hyper_volume;

/* Returns H = F^-T, J = det F and ln J of F with det F > 0. */
PIO_FN hyper_volume hyper_volume_of(mat F)
{
    hyper_volume v;
    const mat cof = mat_cofactor(F);
    v.J = mat_det(F, cof);
    v.H = mat_scale(R(1) / v.J, cof);
    v.log_J = real_log(v.J);
    return v;
}

/* Returns the energy of a change of volume, kappa/4 (J^2 - 1 - 2 ln J), J/m^3, for J > 0 (Simo and Miehe 1992; that of
 * Ogden 1972 with beta = -2, Holzapfel 2000, section 6.5). */
PIO_FN real hyper_volume_psi(real kappa, real J, real log_J)
{
    return R(0.25) * kappa * (J * J - R(1) - R(2) * log_J);
}
/* Returns what that energy contributes to tau, J times its derivative: kappa/2 (J^2 - 1), Pa, which changes with ln J
 * by kappa J^2. */
PIO_FN real hyper_volume_tau(real kappa, real J)
{
    return R(0.5) * kappa * (J * J - R(1));
}

/* Returns sinh x/x: within |x| <= 1 the series 1 + x^2/(2 3) (1 + x^2/(4 5) (1 + ...)), ended where the next term is
 * below a quarter of the last bit. Without branches, for lanes. */
PIO_FN real sinhc(real x)
{
    const real x2 = x * x, power = real_exp(x), beyond = R(0.5) * (power - R(1) / power) / x;
    real s = R(1);
    if (sizeof(real) > 4) {
        s = R(1) + x2 * R(1.0 / 272);
        s = R(1) + x2 * R(1.0 / 210) * s;
        s = R(1) + x2 * R(1.0 / 156) * s;
        s = R(1) + x2 * R(1.0 / 110) * s;
    }
    s = R(1) + x2 * R(1.0 / 72) * s;
    s = R(1) + x2 * R(1.0 / 42) * s;
    s = R(1) + x2 * R(1.0 / 20) * s;
    s = R(1) + x2 * R(1.0 / 6) * s;
    return x2 > R(1) ? beyond : s;
}

/* ---- second derivatives, A[DIM i + J][DIM k + L] = dP_iJ/dF_kL ------------------------------------------------ */

/* Sets A to 0. */
PIO_FN void tangent_zero(real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    PIO_UNROLL
    for (int r = 0; r < HYPER_NUMBERS; r++) {
        PIO_UNROLL
        for (int c = 0; c < HYPER_NUMBERS; c++) A[r][c] = R(0);
    }
}

/* Sets column (k, L) of A to the matrix dP, the derivative along tangent_unit(k, L). */
PIO_FN void tangent_column(int k, int L, mat dP, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    PIO_UNROLL
    for (int r = 0; r < HYPER_NUMBERS; r++) A[r][DIM * k + L] = dP.m[r / DIM][r % DIM];
}

/* Returns the matrix dF whose entry (k, L) is 1 and whose others are 0. */
PIO_FN mat tangent_unit(int k, int L)
{
    mat e = mat_diag(R(0));
    e.m[k][L] = R(1);
    return e;
}

/* Adds dP = s (V : dF) U + t X dF^T X to A: the two terms that fill the whole matrix, in one pass. */
PIO_FN void tangent_full(real s, mat U, mat V, real t, mat X, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int J = 0; J < DIM; J++) {
            const real u = s * U.m[i][J];
            PIO_UNROLL
            for (int k = 0; k < DIM; k++) {
                const real x = t * X.m[k][J];
                PIO_UNROLL
                for (int L = 0; L < DIM; L++) A[DIM * i + J][DIM * k + L] += u * V.m[k][L] + x * X.m[i][L];
            }
        }
    }
}

/* Adds dP = s (V : dF) U to A. */
PIO_FN void tangent_outer(real s, mat U, mat V, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int J = 0; J < DIM; J++) {
            PIO_UNROLL
            for (int k = 0; k < DIM; k++) {
                PIO_UNROLL
                for (int L = 0; L < DIM; L++) A[DIM * i + J][DIM * k + L] += s * U.m[i][J] * V.m[k][L];
            }
        }
    }
}

/* Adds dP = dF M to A for symmetric M. */
PIO_FN void tangent_right(mat M, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int J = 0; J < DIM; J++) {
            PIO_UNROLL
            for (int L = 0; L < DIM; L++) A[DIM * i + J][DIM * i + L] += M.m[J][L];
        }
    }
}

/* Adds dP = M dF to A. */
PIO_FN void tangent_left(mat M, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int k = 0; k < DIM; k++) {
            PIO_UNROLL
            for (int J = 0; J < DIM; J++) A[DIM * i + J][DIM * k + J] += M.m[i][k];
        }
    }
}

#endif
