/* fem_terms.h -- laws whose dP is a sum of a few terms, of a batch of elements in packs:
 *
 *     dP = s (X : dF) X + t X dF^T X + dF M + N dF
 *
 * The linear law has X = I, St Venant-Kirchhoff's X = F, and the neo-Hookean law X = F^-T; s = lambda. */
#ifndef PIOLA_KERNELS_FEM_TERMS_H
#define PIOLA_KERNELS_FEM_TERMS_H

#include "kernels/base/pack.h"
#include "kernels/material/hyperelastic.h"

/* The terms of dP, times a volume but for X. */
typedef struct {
    pack_mat X, M, N; /* M and N are symmetric; N is 0 but for St Venant-Kirchhoff's law */
    pack s, t;
    pack log_J; /* of the neo-Hookean law */
} fem_terms;

/* Returns 1 for laws that have such terms. */
PIO_FN int fem_has_terms(int law)
{
    return law == PIO_HYPER_LINEAR || law == PIO_HYPER_ST_VENANT || law == PIO_HYPER_NEO_HOOKEAN;
}

/* Returns 1 for laws whose N is not 0. */
PIO_FN int fem_has_left_term(int law)
{
    return law == PIO_HYPER_ST_VENANT;
}

/* Returns the terms of a law at F, as linear_tangent, st_venant_tangent and neo_hookean_tangent, times the volume V. Of
 * other laws they mean nothing. */
PIO_FN fem_terms fem_terms_of(int law, pack_mat F, pack mu, pack lambda, pack V)
{
    const pack one = pack_of(R(1));
    const pack_mat unit = pack_mat_diag(one);
    fem_terms r;
    r.X = F;
    r.s = V * lambda;
    r.t = V * mu;
    r.log_J = pack_of(R(0));
    r.M = pack_mat_scale(r.t, unit);
    r.N = pack_mat_diag(r.log_J);
    if (law == PIO_HYPER_LINEAR) {
        r.X = unit;
    } else if (law == PIO_HYPER_NEO_HOOKEAN) {
        const pack_mat cof = pack_mat_cofactor(F);
        const pack J = pack_mat_det(F, cof);
        r.X = pack_mat_scale(R(1) / J, cof);
        r.log_J = pack_log(J);
        r.t -= r.s * r.log_J;
    } else if (law == PIO_HYPER_ST_VENANT) { /* M = 2 mu E + lambda tr(E) I with E = (F^T F - I)/2, N = mu F F^T */
        const pack_mat E = pack_mat_axpby(one, pack_mat_mul(pack_mat_transpose(F), F), -one, unit); /* twice */
        r.M = pack_mat_axpby(r.t, E, R(0.5) * r.s * pack_mat_trace(E), unit);
        r.N = pack_mat_scale(r.t, pack_mat_mul(F, pack_mat_transpose(F)));
    }
    return r;
}

/* Returns P at F of a law with the terms r, for V = 1, Pa. Strains are formed before they are multiplied, so that those
 * near rounding are exact. */
PIO_FN pack_mat fem_terms_P(int law, pack_mat F, pack mu, pack lambda, fem_terms r)
{
    const pack one = pack_of(R(1));
    if (law == PIO_HYPER_ST_VENANT) return pack_mat_mul(F, r.M);
    if (law == PIO_HYPER_NEO_HOOKEAN)
        return pack_mat_axpby(mu, pack_mat_axpby(one, F, -one, r.X), lambda * r.log_J, r.X);
    const pack half = pack_of(R(0.5));
    const pack_mat eps = pack_mat_axpby(half, F, half, pack_mat_transpose(F)); /* F is grad u: see hyper_diagonal */
    return pack_mat_axpby(R(2) * mu, eps, lambda * pack_mat_trace(eps), pack_mat_diag(one));
}

/* Returns dP along L of a law with the terms r, for V = 1, Pa. */
PIO_FN pack_mat fem_terms_dP(int law, pack_mat L, fem_terms r)
{
    const pack one = pack_of(R(1));
    const pack_mat XLX = pack_mat_mul(r.X, pack_mat_mul(pack_mat_transpose(L), r.X));
    pack_mat dP = pack_mat_axpby(r.s * pack_mat_ddot(r.X, L), r.X, r.t, XLX);
    dP = pack_mat_axpby(one, dP, one, pack_mat_mul(L, r.M));
    if (fem_has_left_term(law)) dP = pack_mat_axpby(one, dP, one, pack_mat_mul(r.N, L));
    return dP;
}

/* Adds P_bar : dP/dmu and P_bar : dP/dlambda to the cotangents of a law with the terms r, as linear_theta,
 * st_venant_theta and neo_hookean_theta. */
PIO_FN void fem_terms_theta(int law, pack_mat F, pack_mat P_bar, fem_terms r, pack *mu_bar, pack *lambda_bar)
{
    const pack one = pack_of(R(1)), half = pack_of(R(0.5));
    if (law == PIO_HYPER_NEO_HOOKEAN) {
        const pack h = pack_mat_ddot(r.X, P_bar);
        *mu_bar += pack_mat_ddot(F, P_bar) - h;
        *lambda_bar += r.log_J * h;
        return;
    }
    const int linear = law == PIO_HYPER_LINEAR;
    const pack_mat S_bar = linear ? P_bar : pack_mat_mul(pack_mat_transpose(F), P_bar);
    const pack_mat C =
        linear ? pack_mat_axpby(one, F, one, pack_mat_transpose(F)) : pack_mat_mul(pack_mat_transpose(F), F);
    const pack_mat E =
        pack_mat_axpby(half, C, linear ? pack_of(R(0)) : -half, pack_mat_diag(one)); /* eps, or Green's */
    *mu_bar += R(2) * pack_mat_ddot(E, S_bar);
    *lambda_bar += pack_mat_trace(E) * pack_mat_trace(S_bar);
}

#endif
