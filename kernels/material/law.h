/* law.h -- laws of particles: the hyperelastic ones (hyperelastic.h), and after them fluids.
 *
 * A particle has the constants k[] of its law: solids those of hyperelastic.h,
 *     fluids   k[0] = bulk modulus K [Pa] > 0,   k[1] = gamma [-] > 0,   k[2] = viscosity eta [Pa s]
 * Particles move through the Kirchhoff stress tau [Pa]. The linear law is not for them, because its stress does not
 * rotate with the body. */
#ifndef PIOLA_KERNELS_LAW_H
#define PIOLA_KERNELS_LAW_H

#include "kernels/material/hyperelastic_rest.h"

/* Returns 1 for the laws of fluids. */
PIO_FN int law_is_fluid(int law)
{
    return (law >= PIO_LINEAR_FLUID) & (law < PIO_LAWS);
}

/* Returns 1 for a number that is a law's: one of the list, with PIO_VOLUME_QUADRATIC only where a law has that
 * choice. */
PIO_FN int law_exists(int law)
{
    if (law < 0 || hyper_own(law) >= PIO_LAWS) return 0;
    return hyper_own(law) == law || (law < 2 * PIO_VOLUME_QUADRATIC && hyper_has_volume_choice(law));
}

/* Returns how many constants a law has, the first of k: 3 of a fluid, and of a solid those of hyper_count. */
PIO_FN int law_count(int law)
{
    return law_is_fluid(law) ? 3 : hyper_count(law);
}

/* ---- solids: tau = P F^T. The neo-Hookean law, by far the most used, is written out where it stands; the others are
 * behind hyper_P, which a CPU calls. ---- */

/* Returns the first Piola-Kirchhoff stress of a solid at F, Pa; tau = P F^T. */
PIO_FN mat solid_P(int law, mat F, hyper_constants k)
{
    return law == PIO_HYPER_NEO_HOOKEAN ? neo_hookean_P(F, lame_parameters(k)) : hyper_P(law, F, k);
}

/* Adjoint of tau = P F^T with P = neo_hookean_P at F: returns tau_bar^T P + dP(F; P_bar) and adds P_bar : P_theta to
 * k_bar, where P_bar = tau_bar F. */
PIO_FN mat neo_hookean_tau_adj(mat F, law_constants k, mat P, mat tau_bar, law_constants *k_bar)
{
    const mat P_bar = mat_mul(tau_bar, F);
    neo_hookean_theta(F, P_bar, k_bar);
    return mat_axpby(R(1), mat_t_mul(tau_bar, P), R(1), neo_hookean_dP(F, P_bar, k));
}

/* Adjoint of tau = P F^T with P = fixed_corotated_P_of at F and its rotation: as neo_hookean_tau_adj. */
PIO_FN mat fixed_corotated_tau_adj(mat F, mat rot, law_constants k, mat tau_bar, law_constants *k_bar)
{
    const mat P_bar = mat_mul(tau_bar, F), P = fixed_corotated_P_of(F, rot, k);
    fixed_corotated_theta_of(F, rot, P_bar, k_bar);
    return mat_axpby(R(1), mat_t_mul(tau_bar, P), R(1), fixed_corotated_dP_of(F, rot, P_bar, k));
}

/* Adjoint of tau = P F^T with P = solid_P at F: adds tau_bar^T P + dP(F; P_bar) to F_bar and P_bar : P_theta to k_bar,
 * where P_bar = tau_bar F. */
PIO_FN void solid_tau_adj(int law, mat F, hyper_constants k, mat P, mat tau_bar, mat *F_bar, hyper_constants *k_bar)
{
    if (law == PIO_HYPER_NEO_HOOKEAN) {
        law_constants pair = lame_parameters(*k_bar);
        *F_bar = mat_axpby(R(1), *F_bar, R(1), neo_hookean_tau_adj(F, lame_parameters(k), P, tau_bar, &pair));
        k_bar->k[0] = pair.k[0];
        k_bar->k[1] = pair.k[1];
        return;
    }
    const mat P_bar = mat_mul(tau_bar, F), direct = mat_t_mul(tau_bar, P);
    hyper_theta(law, F, P_bar, k, k_bar);
    *F_bar = mat_axpby(R(1), *F_bar, R(1), mat_axpby(R(1), direct, R(1), hyper_dP(law, F, P_bar, k)));
}

/* ---- viscous solids (Kelvin-Voigt): tau = J eta (C + C^T), J = det F, eta [Pa s] >= 0, is added to the elastic
 * stress. It is Cauchy's stress eta (C + C^T), that of a fluid of this viscosity, and 0 in a rotation, for which
 * C + C^T = 0. ---- */

/* Returns the viscous Kirchhoff stress at F and velocity gradient C, Pa. */
PIO_FN mat viscous_tau(mat F, mat C, real eta)
{
    const real s = mat_det(F, mat_cofactor(F)) * eta;
    return mat_axpby(s, C, s, mat_transpose(C));
}

/* Adjoint of viscous_tau, with D = C + C^T: adds eta (D : tau_bar) cof F to F_bar and J eta (tau_bar + tau_bar^T) to
 * C_bar, and returns eta_bar = J D : tau_bar. */
PIO_FN real viscous_tau_adj(mat F, mat C, real eta, mat tau_bar, mat *F_bar, mat *C_bar)
{
    const mat cof = mat_cofactor(F), D = mat_axpby(R(1), C, R(1), mat_transpose(C));
    const real J = mat_det(F, cof), shear = mat_ddot(D, tau_bar);
    *F_bar = mat_axpby(R(1), *F_bar, eta * shear, cof);
    *C_bar = mat_axpby(R(1), *C_bar, J * eta, mat_axpby(R(1), tau_bar, R(1), mat_transpose(tau_bar)));
    return J * shear;
}

/* ---- fluids: pressure p(J) [Pa] and  tau = J (-p I + eta (C + C^T)) -------------------------------------- */

/* Returns the pressure at volume ratio J > 0, Pa (Batchelor 1967, section 1.8; Becker, Teschner 2007):
 *     linear: p = K (1 - J).   Tait: p = K/gamma (J^-gamma - 1). */
PIO_FN real fluid_pressure(int law, real J, hyper_constants c)
{
    if (law == PIO_LINEAR_FLUID) return c.k[0] * (R(1) - J);
    return c.k[0] / c.k[1] * (exp(-c.k[1] * real_log(J)) - R(1));
}

/* Adjoint of fluid_pressure: adds p_bar dp/dJ to *J_bar and p_bar dp/dk to c_bar. */
PIO_FN void fluid_pressure_adj(int law, real J, hyper_constants c, real p_bar, real *J_bar, hyper_constants *c_bar)
{
    if (law == PIO_LINEAR_FLUID) {
        *J_bar -= c.k[0] * p_bar;
        c_bar->k[0] += (R(1) - J) * p_bar;
        return;
    }
    const real l = real_log(J), e = exp(-c.k[1] * l), g = R(1) / c.k[1];
    *J_bar -= c.k[0] * e / J * p_bar;
    c_bar->k[0] += g * (e - R(1)) * p_bar;
    c_bar->k[1] -= c.k[0] * g * (g * (e - R(1)) + l * e) * p_bar;
}

/* Returns the Kirchhoff stress J (-p I + eta (C + C^T)) of a fluid with volume ratio J > 0, pressure p in Pa, velocity
 * gradient C in 1/s and viscosity eta in Pa s; in Pa. */
PIO_FN mat fluid_tau_of(real J, real p, mat C, real eta)
{
    const mat D = mat_axpby(R(1), C, R(1), mat_transpose(C));
    return mat_axpby(J * eta, D, -J * p, mat_diag(R(1)));
}

/* As fluid_tau_of, which computes the pressure. */
PIO_FN mat fluid_tau(int law, real J, mat C, hyper_constants c)
{
    return fluid_tau_of(J, fluid_pressure(law, J, c), C, c.k[2]);
}

/* What a fluid's stress depends on, but for its constants, or the cotangents of it. */
typedef struct {
    real J; /* volume over that at rest */
    mat C;  /* velocity gradient, 1/s */
} fluid_state;

/* Adjoint of fluid_tau: adds to x_bar and c_bar, with D = C + C^T and p_bar = -J tr tau_bar for the pressure,
 *     J_bar += eta D : tau_bar - p tr tau_bar,   C_bar += J eta (tau_bar + tau_bar^T),   eta_bar += J D : tau_bar. */
PIO_FN void fluid_tau_adj(int law, fluid_state x, hyper_constants c, mat tau_bar, fluid_state *x_bar,
                          hyper_constants *c_bar)
{
    const mat D = mat_axpby(R(1), x.C, R(1), mat_transpose(x.C));
    const mat sym = mat_axpby(R(1), tau_bar, R(1), mat_transpose(tau_bar));
    const real trace = mat_trace(tau_bar), shear = mat_ddot(D, tau_bar);
    x_bar->J += c.k[2] * shear - fluid_pressure(law, x.J, c) * trace;
    fluid_pressure_adj(law, x.J, c, -x.J * trace, &x_bar->J, c_bar);
    x_bar->C = mat_axpby(R(1), x_bar->C, x.J * c.k[2], sym);
    c_bar->k[2] += x.J * shear;
}

/* ---- at rest ------------------------------------------------------------------------------------------------ */

/* Returns the square of the speed of pressure waves at rest times the density [Pa]: lambda + 2 mu, or K. */
PIO_FN real law_wave_modulus(int law, hyper_constants k)
{
    real mu, lambda;
    if (law_is_fluid(law)) return k.k[0];
    hyper_rest_moduli(law, k, &mu, &lambda);
    return lambda + R(2) * mu;
}

/* Returns 1 where the constants are finite and make a solid that is stiff in shear and in volume at rest, or a fluid
 * that resists compression. */
PIO_FN int law_constants_hold(int law, hyper_constants k)
{
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        if (!is_finite(k.k[c])) return 0;
    if (!law_is_fluid(law)) return hyper_constants_hold(law, k);
    return k.k[0] > R(0) && k.k[2] >= R(0) && (law != PIO_TAIT || k.k[1] > R(0));
}

/* Returns the constants of a law from the user's parameters: of solids as hyper_from_parameters, with `form` as there;
 * the parameters of fluids are their constants. Constants that the law does not have are 0. */
PIO_FN hyper_constants law_from_parameters(int law, int form, hyper_constants parameters)
{
    if (!law_is_fluid(law)) return hyper_from_parameters(law, form, parameters);
    parameters.k[3] = parameters.k[4] = R(0);
    return parameters;
}

/* Adds the cotangents of the parameters by those of the constants. */
PIO_FN void law_from_parameters_adj(int law, int form, hyper_constants parameters, hyper_constants k_bar,
                                    hyper_constants *parameters_bar)
{
    if (!law_is_fluid(law)) {
        hyper_from_parameters_adj(law, form, parameters, k_bar, parameters_bar);
        return;
    }
    for (int c = 0; c < 3; c++) parameters_bar->k[c] += k_bar.k[c];
}

#endif
