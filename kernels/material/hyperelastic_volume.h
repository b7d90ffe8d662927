/* hyperelastic_volume.h -- the choice of the volumetric energy of laws that have a penalty for one: beside the law's
 * own, the quadratic one (Sussman and Bathe 1987; first of the list of Doll and Schweizerhof 2000)
 *
 *     U = kappa/2 (J - 1)^2,   dU/dF = kappa (J - 1) cof,   cof = dJ/dF = J F^-T
 *
 * where kappa [Pa] is the constant of the law's own volumetric energy, and the last that it has: lambda of the
 * neo-Hookean law, in the place of lambda/2 (ln J)^2, and kappa of the others, in that of
 * kappa/4 (J^2 - 1 - 2 ln J). All have U'' = kappa at rest, so small strains do not differ. This U stays finite as J
 * goes to 0, with a pressure of kappa at most; the neo-Hookean law alone has -mu ln J besides.
 *
 * Its law is the number of the law with the bit PIO_VOLUME_QUADRATIC, and its value that of the law without the bit
 * and with kappa = 0, and U. Nothing is subtracted: the sum keeps its digits where the two energies are far apart. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_VOLUME_H
#define PIOLA_KERNELS_HYPERELASTIC_VOLUME_H

#include "kernels/material/hyperelastic_tools.h"

/* Returns 1 where the volumetric energy is the quadratic one. */
PIO_FN int hyper_is_quadratic(int law)
{
    return (law & PIO_VOLUME_QUADRATIC) != 0;
}

/* Returns the law without this choice, one of pio_hyper_law; of fluids the law itself. */
PIO_FN int hyper_own(int law)
{
    return law & ~PIO_VOLUME_QUADRATIC;
}

/* Returns 1 for laws that have the choice. */
PIO_FN int hyper_has_volume_choice(int law)
{
    const int own = hyper_own(law);
    return own == PIO_HYPER_NEO_HOOKEAN || own == PIO_HYPER_NEO_HOOKEAN_ISO || own == PIO_HYPER_MOONEY_RIVLIN ||
           own == PIO_HYPER_OGDEN;
}

/* Returns how many constants a law has: the first 2, 3 or 5 numbers of k. */
PIO_FN int hyper_count(int law)
{
    const int own = hyper_own(law);
    return own == PIO_HYPER_OGDEN ? 5 : own == PIO_HYPER_MOONEY_RIVLIN ? 3 : 2;
}

/* A law in two: its own part with the constants, and kappa [Pa] of the quadratic energy, which is 0 where the law has
 * not that; `at` is the index of kappa in k, beyond all where there is none. */
typedef struct {
    int law, at;
    hyper_constants k;
    real kappa;
} hyper_parts;

/* Returns the parts of a law. */
PIO_FN hyper_parts hyper_parts_of(int law, hyper_constants k)
{
    hyper_parts r;
    r.law = hyper_own(law);
    r.at = PIO_LAW_CONSTANTS;
    r.k = k;
    r.kappa = R(0);
    if (!hyper_is_quadratic(law)) return r;
    r.at = hyper_count(law) - 1;
    PIO_UNROLL_ALL
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) {
        if (c != r.at) continue;
        r.kappa = k.k[c];
        r.k.k[c] = R(0);
    }
    return r;
}

/* Returns U, J/m^3. */
PIO_FN real quadratic_psi(real kappa, real J)
{
    const real j = J - R(1);
    return R(0.5) * kappa * j * j;
}

/* Returns what U contributes to tau, J dU/dJ = kappa (J - 1) J, Pa. */
PIO_FN real quadratic_tau(real kappa, real J)
{
    return kappa * (J - R(1)) * J;
}

/* Returns the derivative of quadratic_tau by ln J, kappa (2 J - 1) J, Pa. */
PIO_FN real quadratic_slope(real kappa, real J)
{
    return kappa * (J + (J - R(1))) * J;
}

/* Returns dU/dF = kappa (J - 1) cof, Pa. */
PIO_FN mat quadratic_P(mat F, real kappa)
{
    const mat cof = mat_cofactor(F);
    return mat_scale(kappa * (mat_det(F, cof) - R(1)), cof);
}

/* Returns the derivative of dU/dF along dF, kappa ((cof : dF) cof + (J - 1) dcof), Pa. */
PIO_FN mat quadratic_dP(mat F, mat dF, real kappa)
{
    const mat cof = mat_cofactor(F);
    return mat_axpby(kappa * mat_ddot(cof, dF), cof, kappa * (mat_det(F, cof) - R(1)), mat_cofactor_tan(F, dF));
}

/* Returns P_bar : d(dU/dF)/dkappa = (J - 1) cof : P_bar. */
PIO_FN real quadratic_theta(mat F, mat P_bar)
{
    const mat cof = mat_cofactor(F);
    return (mat_det(F, cof) - R(1)) * mat_ddot(cof, P_bar);
}

/* Adds the dP of quadratic_dP for every dF to A. */
PIO_FN void quadratic_tangent(mat F, real kappa, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    for (int k = 0; k < DIM; k++) {
        for (int L = 0; L < DIM; L++) {
            const mat dP = quadratic_dP(F, tangent_unit(k, L), kappa);
            PIO_UNROLL
            for (int r = 0; r < HYPER_NUMBERS; r++) A[r][DIM * k + L] += dP.m[r / DIM][r % DIM];
        }
    }
}

/* Sets the cotangent of kappa, which a law's own part of constant 0 has added to, to what it was, `before`, and
 * `more`. */
PIO_FN void quadratic_constant(const hyper_parts *r, hyper_constants before, real more, hyper_constants *k_bar)
{
    PIO_UNROLL_ALL
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        if (c == r->at) k_bar->k[c] = before.k[c] + more;
}

#endif
