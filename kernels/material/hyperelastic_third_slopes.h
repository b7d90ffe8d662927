/* hyperelastic_third_slopes.h -- the hyperelastic laws in 2D as functions W(I, J, t) of I = F : F and J = det F of the
 * plane, and t = F33: first and second derivatives, of every law but the linear one.
 *
 * Laws give their derivatives by variables z of their own, which this file turns into those by (I, J, t):
 *     invariants   I1 = I + t^2,   I2 = I t^2 + J^2,   J3 = J t
 *     logarithms   l = ln J,   x = I/(2 J) - 1 = cosh(d) - 1 with d the difference of the logarithms of the two
 *                  stretches of the plane,   e = ln t; functions of d are even, so that they are smooth in x. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_THIRD_SLOPES_H
#define PIOLA_KERNELS_HYPERELASTIC_THIRD_SLOPES_H

#include "kernels/material/hyperelastic_stress.h"

#if PIO_DIM == 2

/* First and second derivatives of an energy by three variables: I, J and t, or those of a law. [Pa, and 1/z] */
typedef struct {
    real d[3], dd[3][3];
} third_slopes;

/* Returns derivatives that are all 0. */
PIO_FN third_slopes third_none(void)
{
    third_slopes r;
    for (int a = 0; a < 3; a++) {
        r.d[a] = R(0);
        for (int b = 0; b < 3; b++) r.dd[a][b] = R(0);
    }
    return r;
}

/* Adds s to a second derivative and to the one that is equal to it, a and b different. */
PIO_FN void third_mixed(third_slopes *r, int a, int b, real s)
{
    r->dd[a][b] += s;
    r->dd[b][a] += s;
}

/* Returns derivatives by (I, J, t) from those f by z, where z[a][b] is the derivative of z_a; what second derivatives
 * of z contribute is left out. */
PIO_FN third_slopes third_chain(const third_slopes *f, real z[3][3])
{
    third_slopes r = third_none();
    for (int b = 0; b < 3; b++) {
        for (int a = 0; a < 3; a++) r.d[b] += f->d[a] * z[a][b];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 9; k++) r.dd[b][c] += f->dd[k / 3][k % 3] * z[k / 3][b] * z[k % 3][c];
    }
    return r;
}

/* ---- laws in the invariants I1, I2 and J3 of F and F33 ---------------------------------------------------------- */

/* Returns the derivatives by (I, J, t) from those f by (I1, I2, J3). */
PIO_FN third_slopes third_of_invariants(const third_slopes *f, real I_, real J, real t)
{
    real z[3][3] = {{R(1), R(0), R(2) * t}, {t * t, R(2) * J, R(2) * I_ * t}, {R(0), t, J}};
    third_slopes r = third_chain(f, z);
    r.dd[1][1] += R(2) * f->d[1];
    r.dd[2][2] += R(2) * (f->d[0] + I_ * f->d[1]);
    third_mixed(&r, 0, 2, R(2) * t * f->d[1]);
    third_mixed(&r, 1, 2, f->d[2]);
    return r;
}

/* Returns the derivatives of Mooney-Rivlin's law by (I1, I2, J3), also of the one without c01: with a = c10 J^(-2/3)
 * and b = c01 J^(-4/3), W = a I1 + b I2 + kappa/4 (J^2 - 1 - 2 ln J). */
PIO_FN third_slopes third_mooney(real I1, real I2, real J, real c10, real c01, real kappa)
{
    const real e = real_exp(R(-2.0 / 3) * real_log(J)), a = c10 * e, b = c01 * e * e, n = R(1) / J;
    third_slopes f = third_none();
    f.d[0] = a;
    f.d[1] = b;
    f.d[2] = (R(-2.0 / 3) * a * I1 - R(4.0 / 3) * b * I2) * n + R(0.5) * kappa * (J - n);
    f.dd[2][2] = (R(10.0 / 9) * a * I1 + R(28.0 / 9) * b * I2) * n * n + R(0.5) * kappa * (R(1) + n * n);
    third_mixed(&f, 0, 2, R(-2.0 / 3) * a * n);
    third_mixed(&f, 1, 2, R(-4.0 / 3) * b * n);
    return f;
}

/* Returns the derivatives of a law in the invariants by (I1, I2, J3): St Venant-Kirchhoff's, of which E : E = (I1^2 -
 * 2 I2 - 2 I1 + 3)/4 and tr E = (I1 - 3)/2, the neo-Hookean ones and Mooney-Rivlin's. */
PIO_FN third_slopes third_invariants(int law, real I1, real I2, real J, hyper_constants k)
{
    third_slopes f = third_none();
    switch (law) {
    case PIO_HYPER_ST_VENANT:
        f.d[0] = R(0.5) * k.k[0] * (I1 - R(1)) + R(0.25) * k.k[1] * (I1 - R(3));
        f.d[1] = R(-0.5) * k.k[0];
        f.dd[0][0] = R(0.5) * k.k[0] + R(0.25) * k.k[1];
        return f;
    case PIO_HYPER_NEO_HOOKEAN: {
        const real l = real_log(J), n = R(1) / J;
        f.d[0] = R(0.5) * k.k[0];
        f.d[2] = (k.k[1] * l - k.k[0]) * n;
        f.dd[2][2] = (k.k[1] * (R(1) - l) + k.k[0]) * n * n;
        return f;
    }
    case PIO_HYPER_STABLE_NEO_HOOKEAN: {
        const real l = k.k[1] + R(5.0 / 6) * k.k[0], n = R(1) / (I1 + R(1));
        f.d[0] = R(2.0 / 3) * k.k[0] * I1 * n;
        f.d[2] = l * (J - R(1)) - k.k[0];
        f.dd[0][0] = R(2.0 / 3) * k.k[0] * n * n;
        f.dd[2][2] = l;
        return f;
    }
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return third_mooney(I1, I2, J, R(0.5) * k.k[0], R(0), k.k[1]);
    default:
        return third_mooney(I1, I2, J, k.k[0], k.k[1], k.k[2]);
    }
}

/* Returns the derivatives of the fixed corotated law by (I, J, t). With s = sqrt(I + 2 J), the sum of the stretches of
 * the plane, W = mu (I - 2 s + 2 + (t - 1)^2) + lambda/2 (J t - 1)^2. */
PIO_FN third_slopes third_corotated(real I_, real J, real t, hyper_constants k)
{
    const real n = R(1) / sqrt(I_ + R(2) * J), n3 = k.k[0] * n * n * n, j = J * t - R(1);
    third_slopes r = third_none();
    r.d[0] = k.k[0] * (R(1) - n);
    r.d[1] = R(-2) * k.k[0] * n + k.k[1] * j * t;
    r.d[2] = R(2) * k.k[0] * (t - R(1)) + k.k[1] * j * J;
    r.dd[0][0] = R(0.5) * n3;
    r.dd[1][1] = R(2) * n3 + k.k[1] * t * t;
    r.dd[2][2] = R(2) * k.k[0] + k.k[1] * J * J;
    third_mixed(&r, 0, 1, n3);
    third_mixed(&r, 1, 2, k.k[1] * (j + J * t));
    return r;
}

/* ---- laws in the logarithms l, x and e -------------------------------------------------------------------------- */

/* Returns (y cosh y - sinh y)/y^3, with which d/dy sinhc(y) = y times it: within |y| <= 1 its series
 *     1/3 (1 + y^2/(2 1 5) (1 + y^2/(2 2 7) (1 + y^2/(2 3 9) (1 + ...)))). */
PIO_FN real sinhc_slope(real y)
{
    const real y2 = y * y;
    real s = R(1);
    if (y2 > R(1)) {
        const real power = real_exp(y), turned = R(1) / power;
        return (R(0.5) * (power + turned) - R(0.5) * (power - turned) / y) / y2;
    }
    for (int n = sizeof(real) == 4 ? 5 : 9; n > 0; n--) s = R(1) + y2 / R(2 * n * (2 * n + 3)) * s;
    return s / R(3);
}

/* The variables of these laws: l = ln J, x, d and e = ln t, and what all need: sinhc d and sinhc_slope(d). */
typedef struct {
    real l, x, d, e, J, t, sinhc_d, slope_d;
} third_logs;

/* Returns the variables at F and t; x is the sum of two squares, so that it is exact where the stretches meet, and
 * d = 2 arsinh sqrt(x/2). J and t are positive. */
PIO_FN third_logs third_logs_of(mat F, real t)
{
    const real a = F.m[0][0] - F.m[1][1], b = F.m[0][1] + F.m[1][0];
    third_logs p;
    p.J = mat_det(F, mat_cofactor(F));
    p.t = t;
    p.l = real_log(p.J);
    p.e = real_log(t);
    p.x = R(0.5) * (a * a + b * b) / p.J;
    const real half = R(0.5) * p.x, root = half > R(0) ? sqrt(half) : R(0);
    p.d = R(2) * real_log(root + sqrt(half + R(1)));
    p.sinhc_d = sinhc(p.d);
    p.slope_d = sinhc_slope(p.d);
    return p;
}

/* Returns the derivatives by (I, J, t) from those f by (l, x, e). */
PIO_FN third_slopes third_of_logs(const third_slopes *f, const third_logs *p)
{
    const real n = R(1) / p->J, cosh_d = R(1) + p->x, m = R(1) / p->t;
    real z[3][3] = {{R(0), n, R(0)}, {R(0.5) * n, -cosh_d * n, R(0)}, {R(0), R(0), m}};
    third_slopes r = third_chain(f, z);
    r.dd[1][1] += (R(2) * cosh_d * f->d[1] - f->d[0]) * n * n;
    r.dd[2][2] -= f->d[2] * m * m;
    third_mixed(&r, 0, 1, R(-0.5) * f->d[1] * n * n);
    return r;
}

/* Returns the derivatives of Hencky's law, W = mu (l^2/2 + d^2/2 + e^2) + lambda/2 (l + e)^2, by (l, x, e): those of
 * d^2 by x are 2/sinhc d and -2 sinhc_slope(d)/sinhc^3 d. */
PIO_FN third_slopes third_hencky(const third_logs *p, hyper_constants k)
{
    const real volume = k.k[1] * (p->l + p->e), n = R(1) / p->sinhc_d;
    third_slopes f = third_none();
    f.d[0] = k.k[0] * p->l + volume;
    f.d[1] = k.k[0] * n;
    f.d[2] = R(2) * k.k[0] * p->e + volume;
    f.dd[0][0] = k.k[0] + k.k[1];
    f.dd[1][1] = -k.k[0] * p->slope_d * n * n * n;
    f.dd[2][2] = R(2) * k.k[0] + k.k[1];
    third_mixed(&f, 0, 2, k.k[1]);
    return f;
}

/* A term of Ogden's law, mu/alpha (2 E cosh y + B - 3): E = exp(alpha m) with the mean m of the two b_i of the plane,
 * y = alpha d/2, and B = exp(alpha b_3). */
typedef struct {
    real m, b3, y, E, B, cosh_y, sinhc_y, slope_y;
} third_term;

/* Returns the parts of the term with exponent alpha. */
PIO_FN third_term third_term_of(const third_logs *p, real alpha)
{
    third_term r;
    r.m = p->l / R(6) - p->e / R(3);
    r.b3 = R(2.0 / 3) * p->e - p->l / R(3);
    r.y = R(0.5) * alpha * p->d;
    r.E = real_exp(alpha * r.m);
    r.B = real_exp(alpha * r.b3);
    r.cosh_y = real_exp(r.y);
    r.cosh_y = R(0.5) * (r.cosh_y + R(1) / r.cosh_y);
    r.sinhc_y = sinhc(r.y);
    r.slope_y = sinhc_slope(r.y);
    return r;
}

/* Returns the derivatives of Ogden's law by (l, x, e), of its terms and of kappa/4 (J^2 - 1 - 2 ln J). */
PIO_FN third_slopes third_ogden(const third_logs *p, hyper_constants k)
{
    const real J3 = p->J * p->t, volume = hyper_volume_tau(k.k[4], J3), n = R(1) / p->sinhc_d;
    third_slopes f = third_none();
    real shape = R(0), rise = R(0), along = R(0);
    for (int term = 0; term < OGDEN_TERMS; term++) {
        const real mu = k.k[2 * term], alpha = k.k[2 * term + 1], half = R(0.5) * alpha;
        const third_term r = third_term_of(p, alpha);
        shape += mu / R(3) * (r.E * r.cosh_y - r.B);
        rise += mu * alpha / R(9) * (R(0.5) * r.E * r.cosh_y + r.B);
        along += mu * alpha * half / R(6) * r.E * r.sinhc_y * n;
        f.d[1] += mu * half * r.E * r.sinhc_y * n;
        f.dd[1][1] += mu * half * r.E * n * n * (half * half * r.slope_y - p->slope_d * r.sinhc_y * n);
    }
    f.d[0] = shape + volume;
    f.d[2] = R(-2) * shape + volume;
    f.dd[0][0] = rise + k.k[4] * J3 * J3;
    f.dd[2][2] = R(4) * rise + k.k[4] * J3 * J3;
    third_mixed(&f, 0, 2, R(-2) * rise + k.k[4] * J3 * J3);
    third_mixed(&f, 0, 1, along);
    third_mixed(&f, 1, 2, R(-2) * along);
    return f;
}

/* Returns the derivatives by alpha of a term of Ogden's law of those by (l, x, e); no second derivatives. */
PIO_FN third_slopes third_ogden_alpha(const third_logs *p, real mu, real alpha)
{
    const third_term r = third_term_of(p, alpha);
    third_slopes f = third_none();
    f.d[0] = mu / R(3) * (r.E * (r.m * r.cosh_y + R(0.5) * p->d * r.y * r.sinhc_y) - r.b3 * r.B);
    f.d[1] = R(0.5) * mu * r.E / p->sinhc_d * (r.sinhc_y * (R(1) + alpha * r.m) + r.y * r.y * r.slope_y);
    f.d[2] = R(-2) * f.d[0];
    return f;
}

/* ---- every law but the linear one, by (I, J, t) ----------------------------------------------------------------- */

/* Returns the derivatives by (I, J, t) at F and t of a law with its own volumetric energy. */
PIO_OUTLINE_FN third_slopes own_third_slopes(int law, mat F, real t, hyper_constants k)
{
    const real I_ = mat_ddot(F, F), J = mat_det(F, mat_cofactor(F));
    if (law == PIO_HYPER_FIXED_COROTATED) return third_corotated(I_, J, t, k);
    if (law == PIO_HYPER_OGDEN || law == PIO_HYPER_HENCKY) {
        const third_logs p = third_logs_of(F, t);
        const third_slopes f = law == PIO_HYPER_OGDEN ? third_ogden(&p, k) : third_hencky(&p, k);
        return third_of_logs(&f, &p);
    }
    const third_slopes f = third_invariants(law, I_ + t * t, I_ * t * t + J * J, J * t, k);
    return third_of_invariants(&f, I_, J, t);
}

/* Adds those of kappa/2 (J t - 1)^2, as third_corotated has them. */
PIO_FN void third_quadratic(real J, real t, real kappa, third_slopes *r)
{
    const real j = J * t - R(1);
    r->d[1] += kappa * j * t;
    r->d[2] += kappa * j * J;
    r->dd[1][1] += kappa * t * t;
    r->dd[2][2] += kappa * J * J;
    third_mixed(r, 1, 2, kappa * (j + J * t));
}

/* Returns the derivatives of a law by (I, J, t) at F and t. */
PIO_OUTLINE_FN third_slopes hyper_third_slopes(int law, mat F, real t, hyper_constants k)
{
    const hyper_parts parts = hyper_parts_of(law, k);
    third_slopes r = own_third_slopes(parts.law, F, t, parts.k);
    if (hyper_is_quadratic(law)) third_quadratic(mat_det(F, mat_cofactor(F)), t, parts.kappa, &r);
    return r;
}

/* Returns the derivatives by (I, J, t) of dW/dk, of constant c of a law; no second derivatives of Ogden's exponents. */
PIO_OUTLINE_FN third_slopes hyper_third_constant(int law, mat F, real t, hyper_constants k, int c)
{
    if (hyper_own(law) != PIO_HYPER_OGDEN || c == 4) return hyper_third_slopes(law, F, t, hyper_unit(c));
    hyper_constants one = hyper_unit(c & ~1);
    one.k[c | 1] = k.k[c | 1];
    if (!(c & 1)) return hyper_third_slopes(law, F, t, one);
    const third_logs p = third_logs_of(F, t);
    const third_slopes f = third_ogden_alpha(&p, k.k[c - 1], k.k[c]);
    return third_of_logs(&f, &p);
}

#endif
#endif
