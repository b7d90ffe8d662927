/* hyperelastic_third_stress.h -- Cauchy's stress, strain and volume ratio of rings and sheets, as
 * hyperelastic_stress.h has them of plane strain, each with its derivative by F, by `third` (hyperelastic_third.h) and
 * by the constants. `plane` is not PIO_PLANE_STRAIN; sheets of the linear law are those of hyperelastic_stress.h. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_THIRD_STRESS_H
#define PIOLA_KERNELS_HYPERELASTIC_THIRD_STRESS_H

#include "kernels/material/hyperelastic_third.h"

#if PIO_DIM == 2

/* Returns Cauchy's stress sigma = P F^T/(J t) and sigma_33 = P33/J, 0 in a sheet, Pa; of the linear law P and P33. */
PIO_FN hyper_cauchy_stress hyper_third_cauchy(int plane, int law, mat F, real third, hyper_constants k)
{
    const third_stress r = hyper_third_P(law, F, third, k);
    const int linear = law == PIO_HYPER_LINEAR;
    const real J = mat_det(F, mat_cofactor(F));
    hyper_cauchy_stress c;
    c.s = linear ? r.P : mat_scale(R(1) / (J * third), mat_mul_t(r.P, F));
    c.s33 = plane == PIO_PLANE_STRESS ? R(0) : linear ? r.P33 : r.P33 / J;
    return c;
}

/* Cotangents of F, `third` and the constants; added to. */
typedef struct {
    mat F;
    real third;
    hyper_constants k;
} third_cotangent;

/* Adjoint of hyper_third_cauchy, where the cotangent of sigma is symmetric. With P_bar = S F/(J t) and P33_bar = S33/J,
 *     F_bar += S^T P/(J t) + dP(P_bar, P33_bar) - (S : sigma + S33 sigma_33)/J cof F
 *     t_bar += dP33(P_bar, P33_bar) - (S : sigma)/t,
 * and of the linear law the terms in dP alone, with P_bar = S and P33_bar = S33. */
PIO_FN void hyper_third_cauchy_adj(int plane, int law, mat F, real third, hyper_constants k, hyper_cauchy_stress S,
                                   third_cotangent *bar)
{
    const mat cof = mat_cofactor(F);
    const real J = mat_det(F, cof);
    third_stress P_bar;
    P_bar.P = S.s;
    P_bar.P33 = plane == PIO_PLANE_STRESS ? R(0) : S.s33;
    if (law != PIO_HYPER_LINEAR) {
        const hyper_cauchy_stress c = hyper_third_cauchy(plane, law, F, third, k);
        const real n = R(1) / (J * third), along = mat_ddot(S.s, c.s);
        const mat turned = mat_scale(n, mat_t_mul(S.s, hyper_third_P(law, F, third, k).P));
        bar->F = mat_axpby(R(1), bar->F, R(1), mat_axpby(R(1), turned, -(along + P_bar.P33 * c.s33) / J, cof));
        bar->third -= along / third;
        P_bar.P = mat_scale(n, mat_mul(S.s, F));
        P_bar.P33 /= J;
    }
    const third_stress r = hyper_third_dP(law, F, third, P_bar.P, P_bar.P33, k);
    bar->F = mat_axpby(R(1), bar->F, R(1), r.P);
    bar->third += r.P33;
    hyper_third_theta(law, F, third, P_bar, k, &bar->k);
}

/* Returns Green's strain, out of the plane (t^2 - 1)/2; of the linear law that of small displacements and `third`. */
PIO_FN hyper_strain hyper_third_strain(int law, mat F, real third)
{
    const int linear = law == PIO_HYPER_LINEAR;
    hyper_strain r;
    r.e = linear ? linear_strain(F) : green_strain(F);
    r.e33 = linear ? third : R(0.5) * (third * third - R(1));
    return r;
}

/* Adjoint of hyper_third_strain; the cotangent E of the strain is symmetric. */
PIO_FN void hyper_third_strain_adj(int law, mat F, real third, hyper_strain E, third_cotangent *bar)
{
    const int linear = law == PIO_HYPER_LINEAR;
    bar->F = mat_axpby(R(1), bar->F, R(1), linear ? E.e : mat_mul(F, E.e));
    bar->third += linear ? E.e33 : E.e33 * third;
}

/* Returns the volume over that at rest, J t; of the linear law 1 + tr eps. */
PIO_FN real hyper_third_volume(int law, mat F, real third)
{
    if (law == PIO_HYPER_LINEAR) return R(1) + mat_trace(F) + third;
    return mat_det(F, mat_cofactor(F)) * third;
}

/* Adjoint of hyper_third_volume. */
PIO_FN void hyper_third_volume_adj(int law, mat F, real third, real volume_bar, third_cotangent *bar)
{
    const int linear = law == PIO_HYPER_LINEAR;
    const mat cof = mat_cofactor(F);
    bar->F = mat_axpby(R(1), bar->F, linear ? volume_bar : volume_bar * third, linear ? mat_diag(R(1)) : cof);
    bar->third += linear ? volume_bar : volume_bar * mat_det(F, cof);
}

/* Adds the cotangents of the energy psi at F and `third`. */
PIO_FN void hyper_third_psi_adj(int law, mat F, real third, hyper_constants k, real psi_bar, third_cotangent *bar)
{
    const third_stress r = hyper_third_P(law, F, third, k);
    bar->F = mat_axpby(R(1), bar->F, psi_bar, r.P);
    bar->third += psi_bar * r.P33;
    hyper_third_psi_theta(law, F, third, psi_bar, k, &bar->k);
}

#endif
#endif
