/* hyperelastic.h -- the hyperelastic laws behind one interface, total Lagrangian: pure functions of F = I + grad u; of
 * the linear law, of grad u in the place of F, since small strains would lose digits beside the I (hyper_diagonal).
 *
 *     psi(F) [J/m^3],   P = d psi/d F [Pa],   dP(F; dF),   theta: k_bar += P_bar : dP/dk for every constant,
 *     tangent: A[DIM i + J][DIM k + L] = dP_iJ/dF_kL [Pa].
 * dP is symmetric, A : dP(B) = B : dP(A), so it is its own adjoint. 2D is plane strain: the 3D law with F33 = 1.
 *
 *     law                       k[0]     k[1]      k[2]    k[3]     k[4]      small strain
 *     linear                    mu       lambda                               only that
 *     St Venant-Kirchhoff       mu       lambda                               mu, lambda
 *     fixed corotated           mu       lambda                               mu, lambda
 *     neo-Hookean               mu       lambda                               mu, lambda
 *     neo-Hookean iso           mu       kappa                                mu, kappa - 2/3 mu
 *     stable neo-Hookean        mu       lambda                               mu, lambda
 *     Mooney-Rivlin             c10      c01       kappa                      2 (c10 + c01), kappa - 2/3 mu
 *     Ogden                     mu_1     alpha_1   mu_2    alpha_2  kappa     mu, kappa - 2/3 mu
 *     Hencky                    mu       lambda                               mu, lambda
 * mu, lambda, kappa, c10, c01, mu_p [Pa]; alpha_p [-]. Ogden's mu is (mu_1 alpha_1 + mu_2 alpha_2)/2.
 *
 * The neo-Hookean laws, Mooney-Rivlin's and Ogden's have a choice of the volumetric energy, hyperelastic_volume.h.
 */
#ifndef PIOLA_KERNELS_HYPERELASTIC_H
#define PIOLA_KERNELS_HYPERELASTIC_H

#include "kernels/material/hyperelastic_invariants.h"
#include "kernels/material/hyperelastic_spectral.h"
#include "kernels/material/hyperelastic_quadratic.h"

/* Returns 1 where constant i of a law is a modulus, as all are but Ogden's exponents: psi is linear in all of these
 * together. */
PIO_FN int hyper_is_modulus(int law, int i)
{
    return (law & ~(int)PIO_VOLUME_QUADRATIC) != PIO_HYPER_OGDEN || (i != 1 && i != 3);
}

/* Returns 1 where psi has a value at F. With ln J or a rotation, det F must be positive (a normal number: real_log);
 * with neither, F must be finite. */
PIO_FN int hyper_admits(int law, mat F)
{
    const real J = mat_det(F, mat_cofactor(F)), least = sizeof(real) == 4 ? R(1.2e-38) : R(2.3e-308);
    if (!is_finite(mat_ddot(F, F))) return 0;
    if (law == PIO_HYPER_LINEAR || law == PIO_HYPER_ST_VENANT || law == PIO_HYPER_STABLE_NEO_HOOKEAN) return 1;
    return J > least && is_finite(J);
}

/* Returns the energy per rest volume at F, J/m^3. */
PIO_SHARED_FN real hyper_psi(int law, mat F, hyper_constants k)
{
    switch (law) {
    case PIO_HYPER_LINEAR:
        return hooke_psi(linear_strain(F), k);
    case PIO_HYPER_ST_VENANT:
        return hooke_psi(green_strain(F), k);
    case PIO_HYPER_FIXED_COROTATED:
        return fixed_corotated_psi(F, lame_parameters(k));
    case PIO_HYPER_NEO_HOOKEAN:
        return neo_hookean_psi(F, lame_parameters(k));
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return mooney_energy(F, R(0.5) * k.k[0], R(0), k.k[1], 0);
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        return stable_psi(F, k);
    case PIO_HYPER_MOONEY_RIVLIN:
        return mooney_energy(F, k.k[0], k.k[1], k.k[2], 1);
    case PIO_HYPER_OGDEN:
        return spectral_psi(1, F, k);
    default:
        return spectral_psi(0, F, k);
    case PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_NEO_HOOKEAN_ISO | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_MOONEY_RIVLIN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_OGDEN | PIO_VOLUME_QUADRATIC:
        return quadratic_law_psi(law, F, k);
    }
}

/* Returns the first Piola-Kirchhoff stress at F, Pa. */
PIO_SHARED_FN mat hyper_P(int law, mat F, hyper_constants k)
{
    switch (law) {
    case PIO_HYPER_LINEAR:
        return linear_P(F, k);
    case PIO_HYPER_ST_VENANT:
        return st_venant_P(F, k);
    case PIO_HYPER_FIXED_COROTATED:
        return fixed_corotated_P(F, lame_parameters(k));
    case PIO_HYPER_NEO_HOOKEAN:
        return neo_hookean_P(F, lame_parameters(k));
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return mooney_stress(F, R(0.5) * k.k[0], R(0), k.k[1], 0);
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        return stable_P(F, k);
    case PIO_HYPER_MOONEY_RIVLIN:
        return mooney_stress(F, k.k[0], k.k[1], k.k[2], 1);
    case PIO_HYPER_OGDEN:
        return spectral_P(1, F, k);
    default:
        return spectral_P(0, F, k);
    case PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_NEO_HOOKEAN_ISO | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_MOONEY_RIVLIN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_OGDEN | PIO_VOLUME_QUADRATIC:
        return quadratic_law_P(law, F, k);
    }
}

/* Returns the derivative of P at F along dF, Pa. */
PIO_SHARED_FN mat hyper_dP(int law, mat F, mat dF, hyper_constants k)
{
    switch (law) {
    case PIO_HYPER_LINEAR:
        return linear_P(dF, k);
    case PIO_HYPER_ST_VENANT:
        return st_venant_dP(F, dF, k);
    case PIO_HYPER_FIXED_COROTATED:
        return fixed_corotated_dP(F, dF, lame_parameters(k));
    case PIO_HYPER_NEO_HOOKEAN:
        return neo_hookean_dP(F, dF, lame_parameters(k));
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return mooney_tan(F, dF, R(0.5) * k.k[0], R(0), k.k[1], 0);
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        return stable_dP(F, dF, k);
    case PIO_HYPER_MOONEY_RIVLIN:
        return mooney_tan(F, dF, k.k[0], k.k[1], k.k[2], 1);
    case PIO_HYPER_OGDEN:
        return spectral_dP(1, F, dF, k);
    default:
        return spectral_dP(0, F, dF, k);
    case PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_NEO_HOOKEAN_ISO | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_MOONEY_RIVLIN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_OGDEN | PIO_VOLUME_QUADRATIC:
        return quadratic_law_dP(law, F, dF, k);
    }
}

/* Adds P_bar : dP/dk to the cotangent k_bar of each constant that the law has; P_bar is dJ/dP. */
PIO_SHARED_FN void hyper_theta(int law, mat F, mat P_bar, hyper_constants k, hyper_constants *k_bar)
{
    law_constants pair = lame_parameters(*k_bar);
    real half = R(0), none = R(0);
    switch (law) {
    case PIO_HYPER_LINEAR:
        linear_theta(F, P_bar, k_bar);
        return;
    case PIO_HYPER_ST_VENANT:
        st_venant_theta(F, P_bar, k_bar);
        return;
    case PIO_HYPER_NEO_HOOKEAN_ISO: /* c10 = mu/2 */
        mooney_constants(F, P_bar, 0, &half, &none, &k_bar->k[1]);
        k_bar->k[0] += R(0.5) * half;
        return;
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        stable_theta(F, P_bar, k_bar);
        return;
    case PIO_HYPER_MOONEY_RIVLIN:
        mooney_constants(F, P_bar, 1, &k_bar->k[0], &k_bar->k[1], &k_bar->k[2]);
        return;
    case PIO_HYPER_OGDEN:
        spectral_theta(1, F, P_bar, k, k_bar);
        return;
    case PIO_HYPER_HENCKY:
        spectral_theta(0, F, P_bar, k, k_bar);
        return;
    case PIO_HYPER_FIXED_COROTATED:
        fixed_corotated_theta(F, P_bar, &pair);
        break;
    default:
        neo_hookean_theta(F, P_bar, &pair);
        break;
    case PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_NEO_HOOKEAN_ISO | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_MOONEY_RIVLIN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_OGDEN | PIO_VOLUME_QUADRATIC:
        quadratic_law_theta(law, F, P_bar, k, k_bar);
        return;
    }
    k_bar->k[0] = pair.k[0];
    k_bar->k[1] = pair.k[1];
}

/* Sets the tangent A [Pa], column after column by hyper_dP: the specification of hyper_tangent. */
PIO_FN void hyper_tangent_plain(int law, mat F, hyper_constants k, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    for (int i = 0; i < DIM; i++) {
        for (int L = 0; L < DIM; L++) tangent_column(i, L, hyper_dP(law, F, tangent_unit(i, L), k), A);
    }
}

/* Sets the tangent as hyper_tangent_plain does, to rounding, with cofactors and decompositions computed once. */
PIO_SHARED_FN void hyper_tangent(int law, mat F, hyper_constants k, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    tangent_zero(A);
    switch (law) {
    case PIO_HYPER_LINEAR:
        linear_tangent(k, A);
        return;
    case PIO_HYPER_ST_VENANT:
        st_venant_tangent(F, k, A);
        return;
    case PIO_HYPER_FIXED_COROTATED:
        fixed_corotated_tangent(F, k, A);
        return;
    case PIO_HYPER_NEO_HOOKEAN:
        neo_hookean_tangent(F, k, A);
        return;
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        mooney_columns(F, R(0.5) * k.k[0], R(0), k.k[1], 0, A);
        return;
    case PIO_HYPER_STABLE_NEO_HOOKEAN:
        stable_tangent(F, k, A);
        return;
    case PIO_HYPER_MOONEY_RIVLIN:
        mooney_columns(F, k.k[0], k.k[1], k.k[2], 1, A);
        return;
    case PIO_HYPER_OGDEN:
        spectral_tangent(1, F, k, A);
        return;
    default:
        spectral_tangent(0, F, k, A);
        return;
    case PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_NEO_HOOKEAN_ISO | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_MOONEY_RIVLIN | PIO_VOLUME_QUADRATIC:
    case PIO_HYPER_OGDEN | PIO_VOLUME_QUADRATIC:
        quadratic_law_tangent(law, F, k, A);
    }
}

/* ---- constants from the user's parameters ------------------------------------------------------------------
 *
 * Mooney-Rivlin and Ogden: those of the law, as above. The others: (E [Pa] > 0, nu in (-1, 1/2)), or with
 * HYPER_LAME_PARAMETERS (mu, lambda) [Pa];   kappa = E/(3 (1 - 2 nu)) = lambda + 2/3 mu. Constants that the law has not
 * are 0. */

/* Returns 1 for a law whose parameters are its constants. */
PIO_FN int hyper_has_own_parameters(int law)
{
    return hyper_own(law) == PIO_HYPER_MOONEY_RIVLIN || hyper_own(law) == PIO_HYPER_OGDEN;
}

/* Returns lambda* of plane stress, of the linear law in 2D, Pa: the out-of-plane stress vanishes when lambda is lambda*
 * = 2 mu lambda/(lambda + 2 mu), which is E nu/(1 - nu^2) (Hughes 2000, section 2.7). The parameters are (mu, lambda)
 * where by_lame_parameters is set, else (E, nu). */
PIO_FN real plane_stress_lambda(int by_lame_parameters, hyper_constants parameters)
{
    const real a = parameters.k[0], b = parameters.k[1];
    return by_lame_parameters ? R(2) * a * b / (b + R(2) * a) : a * b / (R(1) - b * b);
}

/* Adds the cotangents of both parameters by plane_stress_lambda. */
PIO_FN void plane_stress_lambda_adj(int by_lame_parameters, hyper_constants parameters, real bar,
                                    hyper_constants *parameters_bar)
{
    const real a = parameters.k[0], b = parameters.k[1], c = by_lame_parameters ? b + R(2) * a : R(1) - b * b;
    parameters_bar->k[0] += bar * (by_lame_parameters ? R(2) * b * b / (c * c) : b / c);
    parameters_bar->k[1] += bar * (by_lame_parameters ? R(4) * a * a / (c * c) : a * (R(1) + b * b) / (c * c));
}

/* Returns the constants of a law from the user's parameters, `form` as in laws.h. */
PIO_FN hyper_constants hyper_from_parameters(int law, int form, hyper_constants parameters)
{
    const int by_lame_parameters = form & HYPER_LAME_PARAMETERS;
    hyper_constants k = parameters;
    if (hyper_has_own_parameters(law)) {
        if (hyper_own(law) == PIO_HYPER_MOONEY_RIVLIN) k.k[3] = k.k[4] = R(0);
        return k;
    }
    k.k[2] = k.k[3] = k.k[4] = R(0);
    if (!by_lame_parameters) lame_parameters_of(parameters.k[0], parameters.k[1], &k.k[0], &k.k[1]);
    if (form & HYPER_PLANE_STRESS) k.k[1] = plane_stress_lambda(by_lame_parameters, parameters);
    if (hyper_own(law) == PIO_HYPER_NEO_HOOKEAN_ISO)
        k.k[1] = by_lame_parameters ? parameters.k[1] + R(2.0 / 3) * parameters.k[0]
                                    : parameters.k[0] / (R(3) - R(6) * parameters.k[1]);
    return k;
}

/* Adjoint of hyper_from_parameters: adds to parameters_bar its transposed derivative applied to k_bar. */
PIO_FN void hyper_from_parameters_adj(int law, int form, hyper_constants parameters, hyper_constants k_bar,
                                      hyper_constants *parameters_bar)
{
    const int by_lame_parameters = form & HYPER_LAME_PARAMETERS;
    if (hyper_has_own_parameters(law)) {
        for (int i = 0; i < hyper_count(law); i++) parameters_bar->k[i] += k_bar.k[i];
        return;
    }
    const int iso = hyper_own(law) == PIO_HYPER_NEO_HOOKEAN_ISO;
    if (form & HYPER_PLANE_STRESS) {
        plane_stress_lambda_adj(by_lame_parameters, parameters, k_bar.k[1], parameters_bar);
        k_bar.k[1] = R(0);
    }
    if (by_lame_parameters) {
        parameters_bar->k[0] += k_bar.k[0] + (iso ? R(2.0 / 3) * k_bar.k[1] : R(0));
        parameters_bar->k[1] += k_bar.k[1];
        return;
    }
    lame_parameters_of_adj(parameters.k[0], parameters.k[1], k_bar.k[0], iso ? R(0) : k_bar.k[1], &parameters_bar->k[0],
                           &parameters_bar->k[1]);
    if (!iso) return;
    const real b = R(3) - R(6) * parameters.k[1];
    parameters_bar->k[0] += k_bar.k[1] / b;
    parameters_bar->k[1] += R(6) * parameters.k[0] / (b * b) * k_bar.k[1];
}

#endif
