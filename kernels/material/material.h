/* Room kernels/material: hyperelastic laws, fluids and plastic flow as pure functions of one point, each beside
 * its derivatives. */
/* material.h -- the neo-Hookean and the fixed corotated law, and the stress of fibres: pure functions of one material
 * point, each beside its derivatives. hyperelastic.h has all laws behind one interface.
 *
 * A hyperelastic law is   psi(F) [J/m^3],  P = d psi/d F [Pa],  dP(F; dF), and P_theta: the constants' cotangents. The
 * law's Hessian is symmetric, so dP(F; .) is its own adjoint. Convention of the whole project: `y_bar` is dJ/dy, and a
 * pure `_adj` adds into its outputs. 2D is plane strain: the 3D law with F33 = 1.
 *
 * Constants:   k[0] = mu [Pa] > 0, k[1] = lambda [Pa];   k[2] is of fluids (law.h) */
#ifndef PIOLA_KERNELS_MATERIAL_H
#define PIOLA_KERNELS_MATERIAL_H

#include "kernels/base/series.h"
#include "kernels/material/laws.h"

/* The constants of one of these laws, or the cotangents of them. */
typedef struct {
    real k[FLUID_CONSTANTS];
} law_constants;

/* ---- neo-Hookean:  psi = mu/2 (F:F - d) - mu ln J + lambda/2 ln^2 J     (Bonet and Wood 2008, eq. 6.27) ---- */

/* Returns psi = mu/2 (F:F - d) - mu ln J + lambda/2 ln^2 J, J/m^3, for det F > 0; d = DIM. */
PIO_FN real neo_hookean_psi(mat F, law_constants c)
{
    const real l = real_log(mat_det(F, mat_cofactor(F)));
    return c.k[0] * (R(0.5) * (mat_ddot(F, F) - R(DIM)) - l) + R(0.5) * c.k[1] * l * l;
}

/* Returns P = mu F + (lambda ln J - mu) F^-T, Pa, for det F > 0. */
PIO_FN mat neo_hookean_P(mat F, law_constants c)
{
    const mat cof = mat_cofactor(F);
    const real J = mat_det(F, cof);
    return mat_axpby(c.k[0], F, (c.k[1] * real_log(J) - c.k[0]) / J, cof);
}

/* Returns the derivative of P along dF, dP = mu dF + lambda (F^-T : dF) F^-T + (mu - lambda ln J) F^-T dF^T F^-T,
 * Pa. */
PIO_FN mat neo_hookean_dP(mat F, mat dF, law_constants c)
{
    const mat cof = mat_cofactor(F);
    const real J = mat_det(F, cof);
    const mat H = mat_scale(R(1) / J, cof);
    const mat HdH = mat_mul(H, mat_t_mul(dF, H));
    const mat r = mat_axpby(c.k[0], dF, c.k[1] * mat_ddot(H, dF), H);
    return mat_axpby(R(1), r, c.k[0] - c.k[1] * real_log(J), HdH);
}

/* Adds P_bar : P_mu and P_bar : P_lambda to the cotangents of mu and lambda:
 *     P_mu = F - F^-T,   P_lambda = ln J F^-T. */
PIO_FN void neo_hookean_theta(mat F, mat P_bar, law_constants *c_bar)
{
    const mat cof = mat_cofactor(F);
    const real J = mat_det(F, cof), h = mat_ddot(cof, P_bar) / J;
    c_bar->k[0] += mat_ddot(F, P_bar) - h;
    c_bar->k[1] += real_log(J) * h;
}

/* ---- fixed corotated:  psi = mu |F - R|^2 + lambda/2 (J - 1)^2     (Stomakhin et al. 2012, eq. 4) ---------- */

/* Returns psi = mu |F - R|^2 + lambda/2 (J - 1)^2, J/m^3, with the rotation R of F = R S; det F > 0. */
PIO_FN real fixed_corotated_psi(mat F, law_constants c)
{
    const mat d = mat_axpby(R(1), F, R(-1), polar_rotation(F));
    const real j = mat_det(F, mat_cofactor(F)) - R(1);
    return c.k[0] * mat_ddot(d, d) + R(0.5) * c.k[1] * j * j;
}

/* Returns P = 2 mu (F - R) + lambda (J - 1) J F^-T, Pa, for det F > 0 (Stomakhin et al. 2012); `rot` is R. */
PIO_FN mat fixed_corotated_P_of(mat F, mat rot, law_constants c)
{
    const mat cof = mat_cofactor(F), d = mat_axpby(R(1), F, R(-1), rot);
    return mat_axpby(R(2) * c.k[0], d, c.k[1] * (mat_det(F, cof) - R(1)), cof);
}

/* As fixed_corotated_P_of, which computes R. */
PIO_FN mat fixed_corotated_P(mat F, law_constants c)
{
    return fixed_corotated_P_of(F, polar_rotation(F), c);
}

/* Returns the derivative of P along dF, dP = 2 mu (dF - dR) + lambda ((cof : dF) cof + (J - 1) dcof), Pa, with cof = J
 * F^-T; `rot` is R. */
PIO_FN mat fixed_corotated_dP_of(mat F, mat rot, mat dF, law_constants c)
{
    const mat cof = mat_cofactor(F);
    const mat d = mat_axpby(R(1), dF, R(-1), polar_rotation_tan(F, rot, dF));
    const mat r = mat_axpby(R(2) * c.k[0], d, c.k[1] * mat_ddot(cof, dF), cof);
    return mat_axpby(R(1), r, c.k[1] * (mat_det(F, cof) - R(1)), mat_cofactor_tan(F, dF));
}

/* As fixed_corotated_dP_of, which computes R. */
PIO_FN mat fixed_corotated_dP(mat F, mat dF, law_constants c)
{
    return fixed_corotated_dP_of(F, polar_rotation(F), dF, c);
}

/* Adds P_bar : P_mu and P_bar : P_lambda to the cotangents of mu and lambda:
 *     P_mu = 2 (F - R),   P_lambda = (J - 1) J F^-T;  `rot` is R. */
PIO_FN void fixed_corotated_theta_of(mat F, mat rot, mat P_bar, law_constants *c_bar)
{
    const mat cof = mat_cofactor(F), d = mat_axpby(R(1), F, R(-1), rot);
    c_bar->k[0] += R(2) * mat_ddot(d, P_bar);
    c_bar->k[1] += (mat_det(F, cof) - R(1)) * mat_ddot(cof, P_bar);
}

/* As fixed_corotated_theta_of, which computes R. */
PIO_FN void fixed_corotated_theta(mat F, mat P_bar, law_constants *c_bar)
{
    fixed_corotated_theta_of(F, polar_rotation(F), P_bar, c_bar);
}

/* ---- activated fibres: Kirchhoff stress tau = a u u^T [Pa], u = F n, n a unit vector at rest; a > 0 contracts ----
 * The stress of the energy a |F n|^2/2 per rest volume: the actuator of ChainQueen, tau = F sigma F^T (Hu et al. 2019),
 * with sigma = a n n^T. */

/* Returns tau = a u u^T, Pa, with u = F n, the unit vector n along the fibres at rest and a [Pa] of either sign. */
PIO_FN mat fibre_tau(mat F, vec n, real a)
{
    const vec u = mat_apply(F, n);
    return mat_outer(vec_scale(a, u), u);
}

/* Adjoint of fibre_tau: returns a_bar = u . tau_bar u, and adds u_bar n^T to F_bar, where u_bar = a
 * (tau_bar + tau_bar^T) u. */
PIO_FN real fibre_tau_adj(mat F, vec n, real a, mat tau_bar, mat *F_bar)
{
    const vec u = mat_apply(F, n), right = mat_apply(tau_bar, u);
    const vec u_bar = vec_axpby(a, right, a, mat_t_apply(tau_bar, u));
    *F_bar = mat_axpby(R(1), *F_bar, R(1), mat_outer(u_bar, n));
    return vec_dot(u, right);
}

/* Sets Lame's constants [Pa] of Young's modulus E > 0 [Pa] and Poisson's ratio nu in (-1, 1/2):
 *     mu = E/(2 (1 + nu)),   lambda = E nu/((1 + nu)(1 - 2 nu)). */
PIO_FN void lame_parameters_of(real E, real nu, real *mu, real *lambda)
{
    *mu = E / (R(2) * (R(1) + nu));
    *lambda = E * nu / ((R(1) + nu) * (R(1) - R(2) * nu));
}

/* Adds the cotangents of E and nu by those of mu and lambda. */
PIO_FN void lame_parameters_of_adj(real E, real nu, real mu_bar, real lambda_bar, real *E_bar, real *nu_bar)
{
    const real a = R(1) + nu, b = R(1) - R(2) * nu;
    *E_bar += mu_bar / (R(2) * a) + lambda_bar * nu / (a * b);
    *nu_bar += -mu_bar * E / (R(2) * a * a) + lambda_bar * E * (R(1) + R(2) * nu * nu) / (a * a * b * b);
}

#endif
