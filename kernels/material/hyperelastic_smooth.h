/* hyperelastic_smooth.h -- the laws of hyperelastic_spectral.h once more, for dual numbers: without principal
 * directions.
 *
 * Where two stretches meet their directions have no derivative, so none may be taken through svd_of; functions of the
 * matrix C = F^T F have one. With E = ln(C)/2, psi and P = F^-T M(E), where M = V diag(tau) V^T is the stress of
 * Hencky's strain in the rest frame:
 *     Hencky   M = 2 mu E + lambda tr(E) I
 *     Ogden    M = sum_p mu_p dev exp(alpha_p b) + kappa/2 (J^2 - 1) I,   b = E - tr(E)/3 I
 * The stretches must be within [1/30, 30] and |alpha b| below 20. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_SMOOTH_H
#define PIOLA_KERNELS_HYPERELASTIC_SMOOTH_H

#include "kernels/material/hyperelastic_tools.h"

/* Returns a^-1 = cof(a)^T/det a; a is not singular. */
PIO_FN mat mat_inverse(mat a)
{
    const mat cof = mat_cofactor(a);
    return mat_scale(R(1) / mat_det(a, cof), mat_transpose(cof));
}

/* Returns the square root of a symmetric positive definite matrix: Y <- (Y + Z^-1)/2 and Z <- (Z + Y^-1)/2 from
 * Y = A, Z = I (Denman and Beavers 1976); stable where it has arrived (Higham 1997, Numer. Algorithms 15). */
PIO_FN mat mat_root(mat A)
{
    mat Y = A, Z = mat_diag(R(1));
    for (int k = 0; k < 16; k++) {
        const mat next = mat_axpby(R(0.5), Y, R(0.5), mat_inverse(Z));
        Z = mat_axpby(R(0.5), Z, R(0.5), mat_inverse(Y));
        Y = next;
    }
    return Y;
}

/* Returns ln(C)/2 of a symmetric positive definite matrix by two square roots, and
 *     ln X = 2 artanh W = 2 (W + W^3/3 + ...),   W = (X - I)(X + I)^-1, |W| < 0.7.
 * Fewer roots multiply less of their rounding. */
PIO_FN mat mat_half_log(mat C)
{
    const mat one = mat_diag(R(1)), X = mat_root(mat_root(C));
    const mat W_ = mat_mul(mat_axpby(R(1), X, R(-1), one), mat_inverse(mat_axpby(R(1), X, R(1), one)));
    const mat W2 = mat_mul(W_, W_);
    mat s = mat_diag(R(1.0 / 113));
    for (int n = 111; n > 0; n -= 2) s = mat_axpby(R(1), mat_mul(s, W2), R(1) / R(n), one);
    return mat_scale(R(4), mat_mul(W_, s));
}

/* Returns exp A = (exp(A/16))^16 with 22 terms of the series of exp, for |A| below 20. */
PIO_FN mat mat_exp(mat A)
{
    const mat X = mat_scale(R(1.0 / 16), A), one = mat_diag(R(1));
    mat s = one;
    for (int n = 22; n > 0; n--) s = mat_axpby(R(1), one, R(1) / R(n), mat_mul(X, s));
    for (int k = 0; k < 4; k++) s = mat_mul(s, s);
    return s;
}

/* Returns sinh(A)/A = I + A^2/(2 3) (I + A^2/(4 5) (I + ...)) by 24 terms of this series, for |A| below 10. */
PIO_FN mat mat_sinhc(mat A)
{
    const mat A2 = mat_mul(A, A), one = mat_diag(R(1));
    mat s = one;
    for (int n = 24; n > 0; n--) s = mat_axpby(R(1), one, R(1) / R(2 * n * (2 * n + 1)), mat_mul(A2, s));
    return s;
}

/* Returns the trace over the three directions, in which `third` is what the third of plane strain has; it is not read
 * in 3D. */
PIO_FN real full_trace(mat a, real third)
{
    return mat_trace(a) + R(HYPER_THIRD) * third;
}

/* Returns psi of Ogden's law, or else Hencky's, J/m^3: mu E:E + lambda/2 tr^2 E, or with x = alpha_p b/2
 *     sum_p mu_p tr(b exp(x) sinhc(x)) + kappa/4 (J^2 - 1 - 2 ln J), the trace over three directions. */
PIO_FN real spectral_psi(int ogden, mat F, hyper_constants c)
{
    const mat E = mat_half_log(mat_t_mul(F, F));
    const real l = mat_trace(E);
    if (!ogden) return c.k[0] * mat_ddot(E, E) + R(0.5) * c.k[1] * l * l;
    const mat b = mat_axpby(R(1), E, -l / R(3), mat_diag(R(1)));
    real psi = hyper_volume_psi(c.k[4], mat_det(F, mat_cofactor(F)), l);
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real half = R(0.5) * c.k[2 * p + 1], b3 = -l / R(3);
        const mat h = mat_scale(half, b);
        const mat s = mat_mul(b, mat_mul(mat_exp(h), mat_sinhc(h)));
        psi += c.k[2 * p] * full_trace(s, b3 * exp(half * b3) * sinhc(half * b3));
    }
    return psi;
}

/* Returns P = F^-T M(E) of Ogden's law, or else Hencky's, Pa, for det F > 0. */
PIO_FN mat spectral_P(int ogden, mat F, hyper_constants c)
{
    const mat E = mat_half_log(mat_t_mul(F, F)), one = mat_diag(R(1)), inverse = mat_inverse(F);
    const real l = mat_trace(E);
    mat M;
    if (!ogden) {
        M = mat_axpby(R(2) * c.k[0], E, c.k[1] * l, one);
        return mat_t_mul(inverse, M);
    }
    const mat b = mat_axpby(R(1), E, -l / R(3), one);
    M = mat_diag(hyper_volume_tau(c.k[4], mat_det(F, mat_cofactor(F))));
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real alpha = c.k[2 * p + 1];
        const mat x = mat_exp(mat_scale(alpha, b));
        const real mean = full_trace(x, exp(-alpha * l / R(3))) / R(3);
        M = mat_axpby(R(1), M, c.k[2 * p], mat_axpby(R(1), x, -mean, one));
    }
    return mat_t_mul(inverse, M);
}

#endif
