/* hyperelastic_quadratic.h -- the laws whose volumetric energy is the quadratic one, as hyperelastic_volume.h says: of
 * every function the law's own part, whose last constant is 0, and that of U. They stand apart from hyperelastic.h, so
 * that a compiler rounds the laws there as it does without them. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_QUADRATIC_H
#define PIOLA_KERNELS_HYPERELASTIC_QUADRATIC_H

#include "kernels/material/hyperelastic_invariants.h"
#include "kernels/material/hyperelastic_spectral.h"
#include "kernels/material/hyperelastic_volume.h"

/* Returns psi, J/m^3. */
PIO_OUTLINE_FN real quadratic_law_psi(int law, mat F, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const real psi = quadratic_psi(r.kappa, mat_det(F, mat_cofactor(F)));
    switch (r.law) {
    case PIO_HYPER_NEO_HOOKEAN:
        return psi + neo_hookean_psi(F, lame_parameters(r.k));
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return psi + mooney_energy(F, R(0.5) * r.k.k[0], R(0), R(0), 0);
    case PIO_HYPER_MOONEY_RIVLIN:
        return psi + mooney_energy(F, r.k.k[0], r.k.k[1], R(0), 1);
    default:
        return psi + spectral_psi(1, F, r.k);
    }
}

/* Returns P, Pa. */
PIO_OUTLINE_FN mat quadratic_law_P(int law, mat F, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const mat P = quadratic_P(F, r.kappa);
    switch (r.law) {
    case PIO_HYPER_NEO_HOOKEAN:
        return mat_axpby(R(1), P, R(1), neo_hookean_P(F, lame_parameters(r.k)));
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return mat_axpby(R(1), P, R(1), mooney_stress(F, R(0.5) * r.k.k[0], R(0), R(0), 0));
    case PIO_HYPER_MOONEY_RIVLIN:
        return mat_axpby(R(1), P, R(1), mooney_stress(F, r.k.k[0], r.k.k[1], R(0), 1));
    default:
        return mat_axpby(R(1), P, R(1), spectral_P(1, F, r.k));
    }
}

/* Returns the derivative of P along dF, Pa. */
PIO_OUTLINE_FN mat quadratic_law_dP(int law, mat F, mat dF, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const mat dP = quadratic_dP(F, dF, r.kappa);
    switch (r.law) {
    case PIO_HYPER_NEO_HOOKEAN:
        return mat_axpby(R(1), dP, R(1), neo_hookean_dP(F, dF, lame_parameters(r.k)));
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return mat_axpby(R(1), dP, R(1), mooney_tan(F, dF, R(0.5) * r.k.k[0], R(0), R(0), 0));
    case PIO_HYPER_MOONEY_RIVLIN:
        return mat_axpby(R(1), dP, R(1), mooney_tan(F, dF, r.k.k[0], r.k.k[1], R(0), 1));
    default:
        return mat_axpby(R(1), dP, R(1), spectral_dP(1, F, dF, r.k));
    }
}

/* Adds P_bar : dP/dk to the cotangent of each constant. */
PIO_OUTLINE_FN void quadratic_law_theta(int law, mat F, mat P_bar, hyper_constants k, hyper_constants *k_bar)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const hyper_constants before = *k_bar;
    law_constants pair = lame_parameters(*k_bar);
    real half = R(0), none = R(0);
    switch (r.law) {
    case PIO_HYPER_NEO_HOOKEAN:
        neo_hookean_theta(F, P_bar, &pair);
        k_bar->k[0] = pair.k[0];
        break;
    case PIO_HYPER_NEO_HOOKEAN_ISO: /* c10 = mu/2 */
        mooney_constants(F, P_bar, 0, &half, &none, &k_bar->k[1]);
        k_bar->k[0] += R(0.5) * half;
        break;
    case PIO_HYPER_MOONEY_RIVLIN:
        mooney_constants(F, P_bar, 1, &k_bar->k[0], &k_bar->k[1], &k_bar->k[2]);
        break;
    default:
        spectral_theta(1, F, P_bar, r.k, k_bar);
    }
    quadratic_constant(&r, before, quadratic_theta(F, P_bar), k_bar);
}

/* Adds the tangent to A. */
PIO_OUTLINE_FN void quadratic_law_tangent(int law, mat F, hyper_constants k, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const hyper_parts r = hyper_parts_of(law, k);
    switch (r.law) {
    case PIO_HYPER_NEO_HOOKEAN:
        neo_hookean_tangent(F, r.k, A);
        break;
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        mooney_columns(F, R(0.5) * r.k.k[0], R(0), R(0), 0, A);
        break;
    case PIO_HYPER_MOONEY_RIVLIN:
        mooney_columns(F, r.k.k[0], r.k.k[1], R(0), 1, A);
        break;
    default:
        spectral_tangent(1, F, r.k, A);
    }
    quadratic_tangent(F, r.kappa, A);
}

#endif
