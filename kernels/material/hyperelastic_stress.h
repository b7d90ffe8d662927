/* hyperelastic_stress.h -- what observations need of the hyperelastic laws beyond forces: the derivative of the energy
 * by the constants, the out-of-plane stress of a 2D body, the Cauchy stress and the von Mises stress, each with its
 * derivative. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_STRESS_H
#define PIOLA_KERNELS_HYPERELASTIC_STRESS_H

#include "kernels/material/hyperelastic_rest.h"

/* Returns constants of which k[c] is 1 and the others are 0: energies and stresses are linear in the constants, but
 * for Ogden's exponents. */
PIO_FN hyper_constants hyper_unit(int c)
{
    hyper_constants k;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) k.k[i] = R(i == c);
    return k;
}

/* Returns the derivative of (e^x - 1)/x, which is (e^x (x - 1) + 1)/x^2: within |x| <= 1 by its series
 *     sum_n (n + 1) x^n/(n + 2)!, without cancellation. */
PIO_FN real exp_quotient_slope(real x)
{
    if (x * x > R(1)) return (exp(x) * (x - R(1)) + R(1)) / (x * x);
    real s = R(1);
    for (int n = sizeof(real) == 4 ? 9 : 17; n >= 0; n--) s = R(1) + R(n + 2) / R((n + 1) * (n + 3)) * x * s;
    return R(0.5) * s;
}

/* ---- k_bar += bar dpsi/dk ---------------------------------------------------------------------------------- */

/* Adds bar dpsi/dk of Ogden's law to k_bar, where the sums over i have three directions, and U is the quadratic energy
 * or kappa/4 (J^2 - 1 - 2 ln J):
 *     psi = sum_p mu_p s(alpha_p) + U,   s(alpha) = sum_i b_i (e^x - 1)/x,   x = alpha b_i,
 *     ds/dalpha = sum_i b_i^2 exp_quotient_slope(x). */
PIO_FN void ogden_energy_constants(int law, mat F, real bar, hyper_constants k, hyper_constants *k_bar)
{
    const vec e = principal_logs(svd_of(F)), b = ogden_shape(e);
    const real J = mat_det(F, mat_cofactor(F)), third = ogden_third(e);
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real alpha = k.k[2 * p + 1], half = R(0.5) * alpha;
        real s = R(0), slope = R(0);
        for (int i = 0; i < DIM; i++) {
            s += b.x[i] * exp(half * b.x[i]) * sinhc(half * b.x[i]);
            slope += b.x[i] * b.x[i] * exp_quotient_slope(alpha * b.x[i]);
        }
        if (HYPER_THIRD) {
            s += third * exp(half * third) * sinhc(half * third);
            slope += third * third * exp_quotient_slope(alpha * third);
        }
        k_bar->k[2 * p] += bar * s;
        k_bar->k[2 * p + 1] += bar * k.k[2 * p] * slope;
    }
    k_bar->k[4] += bar * (hyper_is_quadratic(law) ? quadratic_psi(R(1), J) : hyper_volume_psi(R(1), J, vec_sum(e)));
}

/* Adds bar dpsi/dk at F to k_bar for each constant that the law has; bar is dJ/dpsi. */
PIO_FN void hyper_psi_theta(int law, mat F, real bar, hyper_constants k, hyper_constants *k_bar)
{
    if (hyper_own(law) == PIO_HYPER_OGDEN) {
        ogden_energy_constants(law, F, bar, k, k_bar);
        return;
    }
    for (int c = 0; c < hyper_count(law); c++) k_bar->k[c] += bar * hyper_psi(law, F, hyper_unit(c));
}

/* ---- plane strain: P33, the derivative of the 3D law's energy by F33 at F33 = 1 [Pa] ------------------------- */
#if PIO_DIM == 2

/* Of a law in the invariants: its value, and its derivatives by I1 and J. */
typedef struct {
    real P33, by_I1, by_J;
} P33_slopes;

/* Returns P33 of any law but Ogden's, with its own volumetric energy, Pa, and its derivatives by I1 = F : F + 1 and J.
 * Mooney-Rivlin's second invariant is I2 = I1 - 1 + J^2. */
PIO_FN P33_slopes P33_slopes_of(int law, mat F, hyper_constants k)
{
    const real I1 = mat_ddot(F, F) + R(1), J = mat_det(F, mat_cofactor(F));
    P33_slopes r;
    r.P33 = r.by_I1 = r.by_J = R(0);
    switch (law) {
    case PIO_HYPER_LINEAR: /* lambda tr(eps); its derivative is that of the trace: see hyper_P33_adj */
        r.P33 = k.k[1] * mat_trace(linear_strain(F));
        return r;
    case PIO_HYPER_ST_VENANT: /* lambda tr(E) */
        r.by_I1 = R(0.5) * k.k[1];
        r.P33 = r.by_I1 * (I1 - R(3));
        return r;
    case PIO_HYPER_FIXED_COROTATED: /* lambda (J - 1) J */
        r.P33 = k.k[1] * (J - R(1)) * J;
        r.by_J = k.k[1] * (R(2) * J - R(1));
        return r;
    case PIO_HYPER_STABLE_NEO_HOOKEAN: { /* 4/3 mu I1/(I1 + 1) + (l (J - 1) - mu) J */
        const real l = k.k[1] + R(5.0 / 6) * k.k[0], n = R(1) / (I1 + R(1));
        r.P33 = R(4.0 / 3) * k.k[0] * I1 * n + (l * (J - R(1)) - k.k[0]) * J;
        r.by_I1 = R(4.0 / 3) * k.k[0] * n * n;
        r.by_J = l * (R(2) * J - R(1)) - k.k[0];
        return r;
    }
    case PIO_HYPER_NEO_HOOKEAN_ISO:
    case PIO_HYPER_MOONEY_RIVLIN: { /* a1 (1 - I1/3) + a2 ((I1 - 1)/3 - 2/3 J^2) + kappa/2 (J^2 - 1) */
        const int two = law == PIO_HYPER_MOONEY_RIVLIN;
        const real e = exp(R(-2.0 / 3) * real_log(J)), kappa = two ? k.k[2] : k.k[1];
        const real a1 = (two ? R(2) * k.k[0] : k.k[0]) * e, a2 = two ? R(2) * k.k[1] * e * e : R(0);
        const real m1 = R(1) - I1 / R(3), m2 = (I1 - R(1)) / R(3) - R(2.0 / 3) * J * J;
        r.P33 = a1 * m1 + a2 * m2 + hyper_volume_tau(kappa, J);
        r.by_I1 = (a2 - a1) / R(3);
        r.by_J = (R(-2.0 / 3) * a1 * m1 - R(4.0 / 3) * a2 * (m2 + J * J)) / J + kappa * J;
        return r;
    }
    default: /* neo-Hookean and Hencky: lambda ln J */
        r.P33 = k.k[1] * real_log(J);
        r.by_J = k.k[1] / J;
        return r;
    }
}

/* Ogden: sum_p mu_p (x_3 - mean x) + kappa/2 (J^2 - 1), x_i = exp(alpha_p b_i) */
#ifdef PIO_DUAL
/* Returns P33 of Ogden's law, Pa, for det F > 0, by functions of the matrix ln(C)/2, which have derivatives. */
PIO_FN real ogden_P33(mat F, hyper_constants k)
{
    const mat E = mat_half_log(mat_t_mul(F, F));
    const real l = mat_trace(E);
    real P33 = hyper_volume_tau(k.k[4], mat_det(F, mat_cofactor(F)));
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real alpha = k.k[2 * p + 1], x3 = exp(-alpha * l / R(3));
        const mat x = mat_exp(mat_scale(alpha, mat_axpby(R(1), E, -l / R(3), mat_diag(R(1)))));
        P33 += k.k[2 * p] * (x3 - full_trace(x, x3) / R(3));
    }
    return P33;
}
#else
/* Returns P33 of Ogden's law, Pa, for det F > 0. */
PIO_FN real ogden_P33(mat F, hyper_constants k)
{
    const vec e = principal_logs(svd_of(F));
    real P33 = hyper_volume_tau(k.k[4], mat_det(F, mat_cofactor(F)));
    for (int p = 0; p < OGDEN_TERMS; p++) {
        real mean;
        ogden_powers(e, k.k[2 * p + 1], &mean);
        P33 += k.k[2 * p] * (exp(k.k[2 * p + 1] * ogden_third(e)) - mean);
    }
    return P33;
}
#endif

/* Adds bar dP33/dF to F_bar and bar dP33/dk to k_bar, where
 *     dP33/de_j = kappa J^2 - sum_p mu_p alpha_p (x_3 + x_j - mean x)/3,   dP33/dalpha_p = mu_p
 * (b_3 x_3 - mean b x). */
PIO_FN void ogden_P33_adj(mat F, hyper_constants k, real bar, mat *F_bar, hyper_constants *k_bar)
{
    const mat_svd s = svd_of(F);
    const vec e = principal_logs(s), b = ogden_shape(e);
    const real J = mat_det(F, mat_cofactor(F)), b3 = ogden_third(e);
    mat slope = mat_diag(bar * k.k[4] * J * J);
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real alpha = k.k[2 * p + 1], x3 = exp(alpha * b3);
        real mean;
        const vec x = ogden_powers(e, alpha, &mean);
        const real moment = (vec_dot(b, x) + b3 * x3) / R(3);
        for (int j = 0; j < DIM; j++) slope.m[j][j] -= bar * k.k[2 * p] * alpha * (x3 + x.x[j] - mean) / R(3);
        k_bar->k[2 * p] += bar * (x3 - mean);
        k_bar->k[2 * p + 1] += bar * k.k[2 * p] * (b3 * x3 - moment);
    }
    for (int j = 0; j < DIM; j++) slope.m[j][j] /= s.sigma.x[j];
    k_bar->k[4] += bar * hyper_volume_tau(R(1), J);
    *F_bar = mat_axpby(R(1), *F_bar, R(1), principal_turn(s, slope));
}

/* Returns P33 of a law with the quadratic energy, Pa: that of its own part, and kappa (J - 1) J. */
PIO_OUTLINE_FN real quadratic_P33(int law, mat F, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const real own = r.law == PIO_HYPER_OGDEN ? ogden_P33(F, r.k) : P33_slopes_of(r.law, F, r.k).P33;
    return own + quadratic_tau(r.kappa, mat_det(F, mat_cofactor(F)));
}

/* Adds bar dP33/dF to F_bar and bar dP33/dk to k_bar of such a law. */
PIO_OUTLINE_FN void quadratic_P33_adj(int law, mat F, hyper_constants k, real bar, mat *F_bar, hyper_constants *k_bar)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const hyper_constants before = *k_bar;
    const mat cof = mat_cofactor(F);
    const real J = mat_det(F, cof);
    real by_J = quadratic_slope(r.kappa, J) / J;
    if (r.law == PIO_HYPER_OGDEN) {
        ogden_P33_adj(F, r.k, bar, F_bar, k_bar);
    } else {
        const P33_slopes own = P33_slopes_of(r.law, F, r.k);
        by_J += own.by_J;
        *F_bar = mat_axpby(R(1), *F_bar, R(2) * bar * own.by_I1, F);
        for (int c = 0; c < r.at; c++) k_bar->k[c] += bar * P33_slopes_of(r.law, F, hyper_unit(c)).P33;
    }
    *F_bar = mat_axpby(R(1), *F_bar, bar * by_J, cof);
    quadratic_constant(&r, before, bar * quadratic_tau(R(1), J), k_bar);
}

/* Returns P33 at F in plane strain, Pa, where hyper_admits F. */
PIO_FN real hyper_P33(int law, mat F, hyper_constants k)
{
    if (hyper_is_quadratic(law)) return quadratic_P33(law, F, k);
    return law == PIO_HYPER_OGDEN ? ogden_P33(F, k) : P33_slopes_of(law, F, k).P33;
}

/* Adjoint of hyper_P33: adds bar dP33/dF to F_bar and bar dP33/dk to k_bar; bar is dJ/dP33. */
PIO_FN void hyper_P33_adj(int law, mat F, hyper_constants k, real bar, mat *F_bar, hyper_constants *k_bar)
{
    if (hyper_is_quadratic(law)) {
        quadratic_P33_adj(law, F, k, bar, F_bar, k_bar);
        return;
    }
    if (law == PIO_HYPER_OGDEN) {
        ogden_P33_adj(F, k, bar, F_bar, k_bar);
        return;
    }
    const P33_slopes r = P33_slopes_of(law, F, k);
    const mat both = mat_axpby(R(2) * r.by_I1, F, r.by_J, mat_cofactor(F));
    *F_bar = mat_axpby(R(1), *F_bar, bar, law == PIO_HYPER_LINEAR ? mat_diag(k.k[1]) : both);
    for (int c = 0; c < hyper_count(law); c++) k_bar->k[c] += bar * P33_slopes_of(law, F, hyper_unit(c)).P33;
}
#endif

/* ---- Cauchy's stress sigma = P F^T/J [Pa]; of the linear law, for small strains, sigma = P --------------------- */

/* Cauchy's stress in all three directions. */
typedef struct {
    mat s;    /* Pa */
    real s33; /* sigma_33 of a 2D body, Pa: P33/J in plane strain, 0 in plane stress (`form` as in laws.h) */
} hyper_cauchy_stress;

/* Returns Cauchy's stress sigma = P F^T/J at F, and sigma_33 where the body is in plane strain; of the linear law P
 * itself. `form` is as in laws.h, and hyper_admits F, with J not 0 but for the linear law. */
PIO_FN hyper_cauchy_stress hyper_cauchy(int law, int form, mat F, hyper_constants k)
{
    const mat P = hyper_P(law, F, k);
    const real J = mat_det(F, mat_cofactor(F));
    hyper_cauchy_stress r;
    r.s = law == PIO_HYPER_LINEAR ? P : mat_scale(R(1) / J, mat_mul_t(P, F));
    r.s33 = R(0);
#if PIO_DIM == 2
    if (!(form & HYPER_PLANE_STRESS)) r.s33 = hyper_P33(law, F, k) / (law == PIO_HYPER_LINEAR ? R(1) : J);
#else
    (void)form;
#endif
    return r;
}

/* Returns sigma less its mean over the three directions; s33 is 0 in 3D. */
PIO_FN hyper_cauchy_stress hyper_deviator(hyper_cauchy_stress c)
{
    const real mean = (mat_trace(c.s) + c.s33) / R(3);
    c.s = mat_axpby(R(1), c.s, -mean, mat_diag(R(1)));
    c.s33 = HYPER_THIRD ? c.s33 - mean : R(0);
    return c;
}

/* A strain in all three directions. */
typedef struct {
    mat e;
    real e33; /* eps_33 of a 2D body: 0 in plane strain */
} hyper_strain;

/* Returns eps_33 of the linear law in plane stress, which makes sigma_33 = lambda (tr eps + eps_33) + 2 mu eps_33
 * vanish: with lambda* of plane_stress_lambda, which k[1] is, -lambda* tr eps/(2 mu). In plane strain, and in 3D, it
 * is 0. `form` is as in laws.h. */
PIO_FN real hyper_e33(int form, mat H, hyper_constants k)
{
    return form & HYPER_PLANE_STRESS ? R(-0.5) * k.k[1] / k.k[0] * mat_trace(H) : R(0);
}

/* Adjoint of hyper_e33: adds to H_bar and k_bar. */
PIO_FN void hyper_e33_adj(int form, mat H, hyper_constants k, real bar, mat *H_bar, hyper_constants *k_bar)
{
    if (!(form & HYPER_PLANE_STRESS)) return;
    const real ratio = R(-0.5) * k.k[1] / k.k[0], trace = mat_trace(H);
    *H_bar = mat_axpby(R(1), *H_bar, bar * ratio, mat_diag(R(1)));
    k_bar->k[0] -= bar * ratio * trace / k.k[0];
    k_bar->k[1] += R(-0.5) * bar * trace / k.k[0];
}

/* Returns Green's strain (F^T F - I)/2; of the linear law, whose F is grad u, its strain of small displacements. */
PIO_FN hyper_strain hyper_strain_of(int law, int form, mat F, hyper_constants k)
{
    hyper_strain r;
    r.e = law == PIO_HYPER_LINEAR ? linear_strain(F) : green_strain(F);
    r.e33 = hyper_e33(form, F, k);
    return r;
}

/* Adjoint of hyper_strain_of: adds to F_bar and k_bar; the cotangent of the strain is symmetric. */
PIO_FN void hyper_strain_adj(int law, int form, mat F, hyper_constants k, hyper_strain bar, mat *F_bar,
                             hyper_constants *k_bar)
{
    const mat own = law == PIO_HYPER_LINEAR ? bar.e : mat_mul(F, bar.e);
    *F_bar = mat_axpby(R(1), *F_bar, R(1), own);
    hyper_e33_adj(form, F, k, bar.e33, F_bar, k_bar);
}

/* Returns the volume over that at rest, det F; of the linear law 1 + tr eps, as small as its strain is. */
PIO_FN real hyper_volume_ratio(int law, int form, mat F, hyper_constants k)
{
    if (law == PIO_HYPER_LINEAR) return R(1) + mat_trace(F) + hyper_e33(form, F, k);
    return mat_det(F, mat_cofactor(F));
}

/* Adjoint of hyper_volume_ratio: adds to F_bar and k_bar. */
PIO_FN void hyper_volume_ratio_adj(int law, int form, mat F, hyper_constants k, real bar, mat *F_bar,
                                   hyper_constants *k_bar)
{
    const int linear = law == PIO_HYPER_LINEAR;
    *F_bar = mat_axpby(R(1), *F_bar, bar, linear ? mat_diag(R(1)) : mat_cofactor(F));
    if (linear) hyper_e33_adj(form, F, k, bar, F_bar, k_bar);
}

/* Returns 3/2 dev sigma : dev sigma over the three directions, the square of von Mises' stress (von Mises 1913),
 * Pa^2. */
PIO_OUTLINE_FN real von_mises_square(int law, int form, mat F, hyper_constants k)
{
    const hyper_cauchy_stress d = hyper_deviator(hyper_cauchy(law, form, F, k));
    return R(1.5) * (mat_ddot(d.s, d.s) + d.s33 * d.s33);
}

/* Adjoint of hyper_cauchy: adds to F_bar and k_bar what the cotangents S of sigma, symmetric, and S33 of sigma_33 give.
 * With P_bar = S F/J and J_bar = -(S : sigma)/J, F_bar += S^T P/J + dP(F; P_bar) + J_bar cof F. The linear law has
 * P_bar = S and the middle term alone. */
PIO_FN void hyper_cauchy_adj(int law, int form, mat F, hyper_constants k, hyper_cauchy_stress bar, mat *F_bar,
                             hyper_constants *k_bar)
{
    const mat S = bar.s, cof = mat_cofactor(F);
    const real S33 = bar.s33, J = mat_det(F, cof);
    mat P_bar = S;
    if (law != PIO_HYPER_LINEAR) {
        const hyper_cauchy_stress c = hyper_cauchy(law, form, F, k);
        P_bar = mat_scale(R(1) / J, mat_mul(S, F));
        const mat turned = mat_scale(R(1) / J, mat_t_mul(S, hyper_P(law, F, k)));
        *F_bar = mat_axpby(R(1), *F_bar, R(1), turned);
        *F_bar = mat_axpby(R(1), *F_bar, -(mat_ddot(S, c.s) + S33 * c.s33) / J, cof);
    }
    *F_bar = mat_axpby(R(1), *F_bar, R(1), hyper_dP(law, F, P_bar, k));
    hyper_theta(law, F, P_bar, k, k_bar);
#if PIO_DIM == 2
    if (!(form & HYPER_PLANE_STRESS)) hyper_P33_adj(law, F, k, law == PIO_HYPER_LINEAR ? S33 : S33 / J, F_bar, k_bar);
#else
    (void)form;
#endif
}

/* Adjoint of von_mises_square: the cotangent of sigma is 3 bar dev sigma. */
PIO_FN void von_mises_square_adj(int law, int form, mat F, hyper_constants k, real bar, mat *F_bar,
                                 hyper_constants *k_bar)
{
    hyper_cauchy_stress d = hyper_deviator(hyper_cauchy(law, form, F, k));
    d.s = mat_scale(R(3) * bar, d.s);
    d.s33 *= R(3) * bar;
    hyper_cauchy_adj(law, form, F, k, d, F_bar, k_bar);
}

#endif
