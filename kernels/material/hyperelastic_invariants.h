/* hyperelastic_invariants.h -- laws in F itself or in the invariants of C = F^T F:
 *     I1 = tr C,   I2 = (I1^2 - tr C^2)/2 = |cof F|^2,   J = det F   (of the 3D F; plane strain adds 1, J^2 and
 *     nothing)
 *
 * k[0] = mu [Pa] > 0, k[1] = lambda [Pa], or kappa [Pa] where that is said. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_INVARIANTS_H
#define PIOLA_KERNELS_HYPERELASTIC_INVARIANTS_H

#include "kernels/material/hyperelastic_tools.h"

/* ---- linear:  psi = mu eps:eps + lambda/2 tr^2 eps,  eps = (H + H^T)/2,  H = grad u ---------------------------- */

/* Returns the strain of small displacements, (H + H^T)/2. */
PIO_FN mat linear_strain(mat H)
{
    return mat_axpby(R(0.5), H, R(0.5), mat_transpose(H));
}

/* Returns 2 mu e + lambda tr(e) I, Pa: Hooke's stress of a symmetric strain e. */
PIO_FN mat hooke(mat e, hyper_constants c)
{
    return mat_axpby(R(2) * c.k[0], e, c.k[1] * mat_trace(e), mat_diag(R(1)));
}

/* Returns mu e:e + lambda/2 tr^2 e, J/m^3: the energy whose derivative by the symmetric strain e is `hooke`. */
PIO_FN real hooke_psi(mat e, hyper_constants c)
{
    const real t = mat_trace(e);
    return c.k[0] * mat_ddot(e, e) + R(0.5) * c.k[1] * t * t;
}

/* Returns P = 2 mu eps + lambda tr(eps) I, Pa, the stress of the linear law at any H; and its derivative along any dH,
 * which is the same function of it. */
PIO_FN mat linear_P(mat H, hyper_constants c)
{
    return hooke(linear_strain(H), c);
}

/* Adds P_bar : P_mu and P_bar : P_lambda to the cotangents of mu and lambda, where P_mu = 2 eps and P_lambda = tr(eps)
 * I. */
PIO_FN void linear_theta(mat H, mat P_bar, hyper_constants *c_bar)
{
    const mat eps = linear_strain(H);
    c_bar->k[0] += R(2) * mat_ddot(eps, P_bar);
    c_bar->k[1] += mat_trace(eps) * mat_trace(P_bar);
}

/* Adds to A the tangent, dP = mu (dF + dF^T) + lambda (I : dF) I. */
PIO_FN void linear_tangent(hyper_constants c, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const mat one = mat_diag(R(1));
    tangent_full(c.k[1], one, one, c.k[0], one, A);
    tangent_right(mat_diag(c.k[0]), A);
}

/* ---- St Venant-Kirchhoff:  psi = mu E:E + lambda/2 tr^2 E,  E = (F^T F - I)/2     (Holzapfel 2000, section 6.5) */

/* Returns Green's strain, (F^T F - I)/2. */
PIO_FN mat green_strain(mat F)
{
    return mat_axpby(R(0.5), mat_t_mul(F, F), R(-0.5), mat_diag(R(1)));
}

/* Returns P = F S, Pa, with the second Piola-Kirchhoff stress S = 2 mu E + lambda tr(E) I, at any F. */
PIO_FN mat st_venant_P(mat F, hyper_constants c)
{
    return mat_mul(F, hooke(green_strain(F), c));
}

/* Returns the derivative of P along dF, dP = dF S + F dS, where dS is the stress `hooke` of dE =
 * (dF^T F + F^T dF)/2. */
PIO_FN mat st_venant_dP(mat F, mat dF, hyper_constants c)
{
    const mat G = mat_t_mul(F, dF), dE = mat_axpby(R(0.5), G, R(0.5), mat_transpose(G));
    return mat_axpby(R(1), mat_mul(dF, hooke(green_strain(F), c)), R(1), mat_mul(F, hooke(dE, c)));
}

/* Adds S_bar : S_mu and S_bar : S_lambda to the cotangents of mu and lambda, where S_bar = F^T P_bar, S_mu = 2 E and
 * S_lambda = tr(E) I. */
PIO_FN void st_venant_theta(mat F, mat P_bar, hyper_constants *c_bar)
{
    const mat E = green_strain(F), S_bar = mat_t_mul(F, P_bar);
    c_bar->k[0] += R(2) * mat_ddot(E, S_bar);
    c_bar->k[1] += mat_trace(E) * mat_trace(S_bar);
}

/* Adds to A the tangent, dP = dF S + mu (F F^T dF + F dF^T F) + lambda (F : dF) F. */
PIO_FN void st_venant_tangent(mat F, hyper_constants c, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    tangent_full(c.k[1], F, F, c.k[0], F, A);
    tangent_right(hooke(green_strain(F), c), A);
    tangent_left(mat_scale(c.k[0], mat_mul_t(F, F)), A);
}

/* ---- neo-Hookean with ln J and fixed corotated, of material.h ------------------------------------------------- */

/* Returns the first two constants, mu and lambda or the cotangents of them, as the functions of material.h take
 * them. */
PIO_FN law_constants lame_parameters(hyper_constants c)
{
    law_constants r;
    r.k[0] = c.k[0];
    r.k[1] = c.k[1];
    r.k[2] = R(0);
    return r;
}

/* Adds to A the tangent, dP = mu dF + lambda (H : dF) H + (mu - lambda ln J) H dF^T H with H = F^-T, for det F > 0. */
PIO_FN void neo_hookean_tangent(mat F, hyper_constants c, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const hyper_volume v = hyper_volume_of(F);
    tangent_full(c.k[1], v.H, v.H, c.k[0] - c.k[1] * v.log_J, v.H, A);
    tangent_right(mat_diag(c.k[0]), A);
}

/* Sets A to the tangent, dP = 2 mu (dF - dR) + lambda ((cof : dF) cof + (J - 1) dcof), for det F > 0. */
PIO_FN void fixed_corotated_tangent(mat F, hyper_constants c, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const mat cof = mat_cofactor(F), rot = polar_rotation(F);
    const real j = c.k[1] * (mat_det(F, cof) - R(1));
    for (int k = 0; k < DIM; k++) {
        for (int L = 0; L < DIM; L++) {
            const mat e = tangent_unit(k, L);
            const mat dR = polar_rotation_tan(F, rot, e), dcof = mat_cofactor_tan(F, e);
            tangent_column(k, L, mat_axpby(R(-2) * c.k[0], dR, j, dcof), A);
        }
    }
    tangent_outer(c.k[1], cof, cof, A);
    tangent_right(mat_diag(R(2) * c.k[0]), A);
}

/* ---- stable neo-Hookean     (Smith, de Goes and Kim 2018, ACM Trans. Graph. 37(2), article 12) -------------------
 *
 *     psi = m/2 (I1 - 3) + l/2 (J - a)^2 - m/2 ln(I1 + 1) - the same at rest,   a = 1 + 3 m/(4 l): no stress at rest
 *
 * with m = 4/3 mu and l = lambda + 5/6 mu, which makes mu and lambda those of small strain. Multiplied out, nothing is
 * divided by l:
 *     psi = 2/3 mu (I1 - 3 - ln((I1 + 1)/4)) - mu (J - 1) + l/2 (J - 1)^2
 * It is defined for every F, turned inside out too. */

/* Returns psi of the multiplied form above, J/m^3, at any F. */
PIO_FN real stable_psi(mat F, hyper_constants c)
{
    const real I1 = mat_ddot(F, F) + R(HYPER_THIRD), j = mat_det(F, mat_cofactor(F)) - R(1);
    const real l = c.k[1] + R(5.0 / 6) * c.k[0];
    return R(2.0 / 3) * c.k[0] * (I1 - R(3) - real_log(R(0.25) * (I1 + R(1)))) + j * (R(0.5) * l * j - c.k[0]);
}

/* Returns P = 4/3 mu (1 - 1/(I1 + 1)) F + (l (J - 1) - mu) cof, Pa, with cof = dJ/dF. */
PIO_FN mat stable_P(mat F, hyper_constants c)
{
    const mat cof = mat_cofactor(F);
    const real I1 = mat_ddot(F, F) + R(HYPER_THIRD), l = c.k[1] + R(5.0 / 6) * c.k[0];
    return mat_axpby(R(4.0 / 3) * c.k[0] * (I1 / (I1 + R(1))), F, l * (mat_det(F, cof) - R(1)) - c.k[0], cof);
}

/* Returns the derivative of P along dF:
 *     dP = 4/3 mu (1 - 1/(I1 + 1)) dF + 8/3 mu (F : dF)/(I1 + 1)^2 F + l (cof : dF) cof + (l (J - 1) - mu) dcof. */
PIO_FN mat stable_dP(mat F, mat dF, hyper_constants c)
{
    const mat cof = mat_cofactor(F);
    const real I1 = mat_ddot(F, F) + R(HYPER_THIRD), l = c.k[1] + R(5.0 / 6) * c.k[0], n = R(1) / (I1 + R(1));
    const mat a = mat_axpby(R(4.0 / 3) * c.k[0] * I1 * n, dF, R(8.0 / 3) * c.k[0] * n * n * mat_ddot(F, dF), F);
    const mat b = mat_axpby(l * mat_ddot(cof, dF), cof, l * (mat_det(F, cof) - R(1)) - c.k[0], mat_cofactor_tan(F, dF));
    return mat_axpby(R(1), a, R(1), b);
}

/* Adds P_bar : P_mu and P_bar : P_lambda to the cotangents of mu and lambda, where
 *     P_mu = 4/3 (1 - 1/(I1 + 1)) F + (5/6 (J - 1) - 1) cof,   P_lambda = (J - 1) cof. */
PIO_FN void stable_theta(mat F, mat P_bar, hyper_constants *c_bar)
{
    const mat cof = mat_cofactor(F);
    const real I1 = mat_ddot(F, F) + R(HYPER_THIRD), j = mat_det(F, cof) - R(1), h = mat_ddot(cof, P_bar);
    c_bar->k[0] += R(4.0 / 3) * (I1 / (I1 + R(1))) * mat_ddot(F, P_bar) + (R(5.0 / 6) * j - R(1)) * h;
    c_bar->k[1] += j * h;
}

/* Sets A to the tangent, the dP of stable_dP. */
PIO_FN void stable_tangent(mat F, hyper_constants c, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const mat cof = mat_cofactor(F);
    const real I1 = mat_ddot(F, F) + R(HYPER_THIRD), l = c.k[1] + R(5.0 / 6) * c.k[0], n = R(1) / (I1 + R(1));
    const real j = l * (mat_det(F, cof) - R(1)) - c.k[0];
    for (int k = 0; k < DIM; k++) {
        for (int L = 0; L < DIM; L++) tangent_column(k, L, mat_scale(j, mat_cofactor_tan(F, tangent_unit(k, L))), A);
    }
    tangent_outer(l, cof, cof, A);
    tangent_outer(R(8.0 / 3) * c.k[0] * n * n, F, F, A);
    tangent_right(mat_diag(R(4.0 / 3) * c.k[0] * I1 * n), A);
}

/* ---- Mooney-Rivlin and the neo-Hookean law split into shape and volume     (Holzapfel 2000, section 6.5) ---------
 *
 *     psi = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + kappa/4 (J^2 - 1 - 2 ln J)
 *
 * k[0] = c10, k[1] = c01, k[2] = kappa [Pa]; at small strain mu = 2 (c10 + c01). The neo-Hookean law has c10 = mu/2 and
 * no c01: k[0] = mu, k[1] = kappa [Pa]. `two` says whether there is c01, and is a constant wherever it is written.
 *
 * A term c J^-r I with D = dI/dF and H = F^-T has    P = c J^-r (D - r I H),
 *     dP = c J^-r (dD - r (H : dF) D - r (D : dF) H + r^2 I (H : dF) H + r I H dF^T H)
 * and I1 has D = 2 F, and I2 has D = 2 (I1 F - F C). The sum of all terms is
 *     dP = a1 dF + a2 d(I1 F - F C) + (H : dF) K + (K : dF) H + h H dF^T H */

/* The quantities of these laws at F, named as above. */
typedef struct {
    mat H, K, D;        /* D = I1 F - F C; F where there is no c01 */
    real a1, a2, h, I1; /* Pa, Pa, Pa, - */
    real e1, e2;        /* J^(-2/3), J^(-4/3) */
    real I2, J;         /* I2 is 0 where there is no c01 */
} mooney_point;

/* Returns J > 0, H, I1 and J^(-2/3) at F, and where there is c01 also I2, J^(-4/3) and D = I1 F - F C. What depends on
 * the constants, K, a1, a2 and h, is left to mooney_at. */
PIO_FN mooney_point mooney_invariants(mat F, int two)
{
    mooney_point m;
    const hyper_volume v = hyper_volume_of(F);
    m.H = m.K = v.H;
    m.J = v.J;
    m.I1 = mat_ddot(F, F) + R(HYPER_THIRD);
    m.e1 = real_exp(R(-2.0 / 3) * v.log_J);
    m.e2 = m.I2 = m.a1 = m.a2 = m.h = R(0);
    m.D = F;
    if (two) {
        const mat cof = mat_scale(v.J, v.H);
        m.e2 = m.e1 * m.e1;
        m.I2 = mat_ddot(cof, cof) + R(HYPER_THIRD) * v.J * v.J;
        m.D = mat_axpby(m.I1, F, R(-1), mat_mul(F, mat_t_mul(F, F)));
    }
    return m;
}

/* Returns psi = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + kappa/4 (J^2 - 1 - 2 ln J), J/m^3, for det F > 0. */
PIO_FN real mooney_energy(mat F, real c10, real c01, real kappa, int two)
{
    const mooney_point m = mooney_invariants(F, two);
    const real shape = c10 * (m.e1 * m.I1 - R(3)) + (two ? c01 * (m.e2 * m.I2 - R(3)) : R(0));
    return shape + hyper_volume_psi(kappa, m.J, real_log(m.J));
}

/* Returns the stress, Pa, for det F > 0:
 *     P = 2 c10 J^(-2/3) (F - I1/3 H) + 2 c01 J^(-4/3) (I1 F - F C - 2/3 I2 H) + kappa/2 (J^2 - 1) H. */
PIO_FN mat mooney_stress(mat F, real c10, real c01, real kappa, int two)
{
    const mooney_point m = mooney_invariants(F, two);
    const real a1 = R(2) * c10 * m.e1, h1 = hyper_volume_tau(kappa, m.J) - a1 * m.I1 / R(3);
    if (!two) return mat_axpby(a1, F, h1, m.H);
    const real a2 = R(2) * c01 * m.e2;
    return mat_axpby(R(1), mat_axpby(a1, F, a2, m.D), h1 - a2 * R(2.0 / 3) * m.I2, m.H);
}

/* Returns what the sum of all terms of dP is made of at F, det F > 0:
 *     a1 = 2 c10 J^(-2/3),  a2 = 2 c01 J^(-4/3),  h = a1 I1/3 + 2/3 a2 I2 - kappa/2 (J^2 - 1),
 *     K = (a1 I1/9 + 4/9 a2 I2 + kappa J^2/2) H - 2/3 a1 F - 4/3 a2 (I1 F - F C). */
PIO_FN mooney_point mooney_at(mat F, real c10, real c01, real kappa, int two)
{
    mooney_point m = mooney_invariants(F, two);
    m.a1 = R(2) * c10 * m.e1;
    const real q = m.a1 * m.I1 / R(9) + R(0.5) * kappa * m.J * m.J;
    m.h = m.a1 * m.I1 / R(3) - hyper_volume_tau(kappa, m.J);
    if (!two) {
        m.K = mat_axpby(q, m.H, R(-2.0 / 3) * m.a1, F);
        return m;
    }
    m.a2 = R(2) * c01 * m.e2;
    m.h += R(2.0 / 3) * m.a2 * m.I2;
    m.K = mat_axpby(R(-2.0 / 3) * m.a1, F, R(-4.0 / 3) * m.a2, m.D);
    m.K = mat_axpby(R(1), m.K, q + R(4.0 / 9) * m.a2 * m.I2, m.H);
    return m;
}

/* Returns the derivative of the stress along dF, Pa, by the sum of all terms above, in which
 *     d(I1 F - F C) = 2 (F : dF) F + I1 dF - dF C - F dC,   dC = dF^T F + F^T dF. */
PIO_FN mat mooney_tan(mat F, mat dF, real c10, real c01, real kappa, int two)
{
    const mooney_point m = mooney_at(F, c10, c01, kappa, two);
    const mat HdH = mat_mul(m.H, mat_t_mul(dF, m.H));
    mat r = mat_axpby(mat_ddot(m.H, dF), m.K, mat_ddot(m.K, dF), m.H);
    r = mat_axpby(R(1), r, m.h, HdH);
    r = mat_axpby(R(1), r, m.a1, dF);
    if (!two) return r;
    const mat G = mat_t_mul(F, dF), dC = mat_axpby(R(1), G, R(1), mat_transpose(G));
    const mat moved = mat_axpby(R(1), mat_mul(dF, mat_t_mul(F, F)), R(1), mat_mul(F, dC));
    const mat dD = mat_axpby(R(2) * mat_ddot(F, dF), F, m.I1, dF);
    return mat_axpby(R(1), r, m.a2, mat_axpby(R(1), dD, R(-1), moved));
}

/* Adds to A the tangent, the dP of mooney_tan for every dF. */
PIO_FN void mooney_columns(mat F, real c10, real c01, real kappa, int two, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const mooney_point m = mooney_at(F, c10, c01, kappa, two);
    tangent_full(R(1), m.K, m.H, m.h, m.H, A);
    tangent_outer(R(1), m.H, m.K, A);
    if (!two) {
        tangent_right(mat_diag(m.a1), A);
        return;
    }
    tangent_full(R(2) * m.a2, F, F, -m.a2, F, A);
    tangent_left(mat_scale(-m.a2, mat_mul_t(F, F)), A);
    tangent_right(mat_axpby(-m.a2, mat_t_mul(F, F), m.a1 + m.a2 * m.I1, mat_diag(R(1))), A);
}

/* Adds P_bar : dP/dc10, P_bar : dP/dc01 and P_bar : dP/dkappa to the cotangents of the constants; without c01, its
 * cotangent stays. */
PIO_FN void mooney_constants(mat F, mat P_bar, int two, real *c10_bar, real *c01_bar, real *kappa_bar)
{
    const mooney_point m = mooney_invariants(F, two);
    const real h = mat_ddot(m.H, P_bar);
    *c10_bar += R(2) * m.e1 * (mat_ddot(F, P_bar) - m.I1 / R(3) * h);
    *kappa_bar += hyper_volume_tau(R(1), m.J) * h;
    if (two) *c01_bar += R(2) * m.e2 * (mat_ddot(m.D, P_bar) - R(2.0 / 3) * m.I2 * h);
}

#endif
