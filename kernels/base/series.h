/* series.h -- exponential, sine and cosine of numbers, logarithm and exponential of symmetric matrices, by series of a
 * fixed number of terms: without branches, so that lanes compute them side by side, and the same on every device.
 *
 * A polynomial of a symmetric matrix x of up to three rows is, by the theorem of Cayley and Hamilton,
 *     p(x) = a x^2 + b x + c I,   x^3 = i1 x^2 - i2 x + i3 I,
 * and Horner's rule is one of three numbers, (a, b, c) <- (a i1 + b, c - a i2, c_k + a i3). No eigenvector is needed,
 * and nothing happens where two eigenvalues meet. In two rows i3 = 0 does. Where a series has at most the terms below
 * and the matrix is within reach, the first term left out is below a quarter of the last bit of the first. */
#ifndef PIOLA_KERNELS_SERIES_H
#define PIOLA_KERNELS_SERIES_H

#include "kernels/base/decomp.h"

/* Returns 1 where reals are floats. */
#define SERIES_SHORT (sizeof(real) == 4)

/* ---- numbers --------------------------------------------------------------------------------------------------- */

#ifdef PIO_DUAL
/* Returns e^x. */
PIO_FN real real_exp(real x)
{
    return exp(x);
}

/* Returns sin x. */
PIO_FN real real_sin(real x)
{
    return sin(x);
}

/* Returns cos x. */
PIO_FN real real_cos(real x)
{
    return cos(x);
}
#else
/* Returns 2^e, which is a normal number. */
PIO_FN real power_of_two(int e)
{
    if (SERIES_SHORT) {
        union {
            float f;
            uint32_t u;
        } b;
        b.u = (uint32_t)(e + 127) << 23;
        return (real)b.f;
    }
    union {
        double d;
        uint64_t u;
    } b;
    b.u = (uint64_t)(e + 1023) << 52;
    return (real)b.d;
}

/* Returns e^x = 2^e exp r with e = round(x/ln 2), |r| <= ln 2/2, by Taylor's series of exp r, with an error below 2
 * units in the last place. x is limited to where 2^e is a normal number, |x| <= 87 in f32 and 708 in f64. */
PIO_FN real real_exp(real x)
{
    const real most = SERIES_SHORT ? R(87) : R(708), y = x < -most ? -most : x > most ? most : x;
    const real e = floor(y * R(1.4426950408889634) + R(0.5));
    /* ln 2 in two parts, of which e times the first is exact */
    const real high = SERIES_SHORT ? R(0.693145751953125) : R(0.69314718036912382);
    const real low = SERIES_SHORT ? R(1.42860682030941723e-06) : R(1.9082149292705877e-10);
    const real r = (y - e * high) - e * low;
    real s = SERIES_SHORT ? R(1) : R(1) + r * R(1.0 / 13);
    if (!SERIES_SHORT) {
        s = R(1) + r * R(1.0 / 12) * s;
        s = R(1) + r * R(1.0 / 11) * s;
        s = R(1) + r * R(1.0 / 10) * s;
        s = R(1) + r * R(1.0 / 9) * s;
        s = R(1) + r * R(1.0 / 8) * s;
    }
    s = R(1) + r * R(1.0 / 7) * s;
    s = R(1) + r * R(1.0 / 6) * s;
    s = R(1) + r * R(1.0 / 5) * s;
    s = R(1) + r * R(1.0 / 4) * s;
    s = R(1) + r * R(1.0 / 3) * s;
    s = r + R(0.5) * r * r * s;
    return power_of_two((int)e) * (R(1) + s);
}

/* Returns sin x for |x| <= pi/2 by Taylor's series, with an error below 3 units in the last place. */
PIO_FN real real_sin(real x)
{
    const real x2 = x * x;
    real s = R(1);
    if (!SERIES_SHORT) {
        s = R(1) - x2 * R(1.0 / 506) * s;
        s = R(1) - x2 * R(1.0 / 420) * s;
        s = R(1) - x2 * R(1.0 / 342) * s;
        s = R(1) - x2 * R(1.0 / 272) * s;
        s = R(1) - x2 * R(1.0 / 210) * s;
    }
    s = R(1) - x2 * R(1.0 / 156) * s;
    s = R(1) - x2 * R(1.0 / 110) * s;
    s = R(1) - x2 * R(1.0 / 72) * s;
    s = R(1) - x2 * R(1.0 / 42) * s;
    s = R(1) - x2 * R(1.0 / 20) * s;
    return x - x * (x2 * R(1.0 / 6) * s);
}

/* Returns cos x for |x| <= pi/2, as 1 - 2 sin^2(x/2), with an error below 2 units in the last place of 1. */
PIO_FN real real_cos(real x)
{
    const real s = real_sin(R(0.5) * x);
    return R(1) - R(2) * s * s;
}
#endif

/* Returns the root of order DIM of a positive normal number, as e^(ln(x)/3) in 3D. */
PIO_FN real real_root(real x)
{
    return DIM == 2 ? sqrt(x) : real_exp(real_log(x) / R(DIM));
}

/* ---- polynomials of a symmetric matrix ------------------------------------------------------------------------- */

/* Returns the product of two matrices that is known to be symmetric, as that of symmetric ones that commute. */
PIO_FN mat symmetric_mul(mat a, mat b)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) {
            if (j < i) continue;
            real s = a.m[i][0] * b.m[0][j];
            PIO_UNROLL
            for (int k = 1; k < DIM; k++) s += a.m[i][k] * b.m[k][j];
            r.m[i][j] = r.m[j][i] = s;
        }
    }
    return r;
}

/* Returns F F^T. */
PIO_FN mat symmetric_square(mat F)
{
    return symmetric_mul(F, mat_transpose(F));
}

/* Returns (a + a^T)/2. */
PIO_FN mat mat_symmetric(mat a)
{
    return mat_axpby(R(0.5), a, R(0.5), mat_transpose(a));
}

/* A symmetric matrix, its square and its invariants. */
typedef struct {
    mat x, x2;
    real i1, i2, i3;
} mat_powers;

/* The numbers a, b, c of a x^2 + b x + c I. */
typedef struct {
    real a, b, c;
} mat_polynomial;

/* Returns what polynomials of the symmetric matrix x are made of. */
PIO_FN mat_powers powers_of(mat x)
{
    mat_powers r;
    r.x = x;
    r.x2 = symmetric_mul(x, x);
    r.i1 = mat_trace(x);
    const mat cof = mat_cofactor(x);
    r.i2 = DIM == 3 ? mat_trace(cof) : mat_det(x, cof);
    r.i3 = DIM == 3 ? mat_det(x, cof) : R(0);
    return r;
}

/* The coefficients of a series by number k, as the argument of the functions below. */
enum { SERIES_ARTANH, SERIES_EXP, SERIES_MOST = 16 };

/* Returns how many terms a series has. */
PIO_FN int series_terms(const int series)
{
    return series == SERIES_ARTANH ? (SERIES_SHORT ? 7 : 16) : SERIES_SHORT ? 8 : 14;
}

/* Returns coefficient k of a series: 1/(2 k + 1) of artanh(x^(1/2))/x^(1/2), 1/k! of exp x. */
PIO_FN real series_term(const int series, const int k)
{
    double f = 1;
    if (series == SERIES_ARTANH) return R(1.0 / (2 * k + 1));
    PIO_UNROLL_ALL
    for (int i = 2; i < SERIES_MOST; i++) f *= i <= k ? i : 1;
    return R(1 / f);
}

/* Returns the numbers of a series of matrix p. */
PIO_FN mat_polynomial series_of(const int series, mat_powers p)
{
    const int terms = series_terms(series);
    mat_polynomial r;
    r.a = r.b = R(0);
    r.c = series_term(series, terms - 1);
    PIO_UNROLL_ALL
    for (int k = terms - 2; k >= 0; k--) {
        const real a = r.a;
        r.a = a * p.i1 + r.b;
        r.b = r.c - a * p.i2;
        r.c = series_term(series, k) + a * p.i3;
    }
    return r;
}

/* Returns a x^2 + b x + c I. */
PIO_FN mat polynomial_of(mat_powers p, mat_polynomial r)
{
    mat y = mat_axpby(r.a, p.x2, r.b, p.x);
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) y.m[i][i] += r.c;
    return y;
}

/* Adjoint of y = polynomial_of(p, series_of(series, p)) with the numbers r: returns the cotangent of x, a symmetric
 * one, by a symmetric y_bar,
 *     x_bar = a (y_bar x + x y_bar) + b y_bar + i1_bar I + i2_bar (i1 I - x) + i3_bar (x^2 - i1 x + i2 I),
 * where the cotangents of the invariants are collected in Horner's rule run back. */
PIO_FN mat series_adj(const int series, mat_powers p, mat_polynomial r, mat y_bar)
{
    const int terms = series_terms(series);
    real kept[SERIES_MOST], i1_bar = R(0), i2_bar = R(0), i3_bar = R(0);
    mat_polynomial t, bar;
    t.a = t.b = R(0);
    t.c = series_term(series, terms - 1);
    PIO_UNROLL_ALL
    for (int k = terms - 2; k >= 0; k--) {
        const real a = t.a;
        kept[k] = a;
        t.a = a * p.i1 + t.b;
        t.b = t.c - a * p.i2;
        t.c = series_term(series, k) + a * p.i3;
    }
    bar.a = mat_ddot(y_bar, p.x2);
    bar.b = mat_ddot(y_bar, p.x);
    bar.c = mat_trace(y_bar);
    PIO_UNROLL_ALL
    for (int k = 0; k < terms - 1; k++) {
        const mat_polynomial of = bar;
        i1_bar += of.a * kept[k];
        i2_bar -= of.b * kept[k];
        i3_bar += of.c * kept[k];
        bar.a = of.a * p.i1 - of.b * p.i2 + of.c * p.i3;
        bar.b = of.a;
        bar.c = of.b;
    }
    const mat product = mat_mul(y_bar, p.x);
    const mat own = mat_axpby(r.b, y_bar, r.a, mat_axpby(R(1), product, R(1), mat_transpose(product)));
    mat_polynomial of_x;
    of_x.a = DIM == 3 ? i3_bar : R(0);
    of_x.b = DIM == 3 ? -i2_bar - i3_bar * p.i1 : -i2_bar;
    of_x.c = i1_bar + i2_bar * p.i1 + (DIM == 3 ? i3_bar * p.i2 : R(0));
    return mat_axpby(R(1), own, R(1), polynomial_of(p, of_x));
}

/* ---- Hencky's strain e = ln(F F^T)/2 --------------------------------------------------------------------------
 *
 * With z = (F F^T - I)(F F^T + I)^-1, whose eigenvalues are tanh e_i,  e = artanh z = z (I + w/3 + w^2/5 + ...),
 * w = z^2 (Abramowitz and Stegun 4.6.22). It is within reach where |z|^2 = tr w <= 0.1: |e| <= 0.32. */

/* What the strain is made of. */
typedef struct {
    mat z, q; /* q = (F F^T + I)^-1 */
    mat_powers w;
    mat_polynomial sum;
    mat ratio; /* e = z ratio */
} hencky_series;

/* Returns 1 where the series is within reach, 0 beyond and where numbers are not finite. */
PIO_FN int hencky_in_reach(hencky_series s)
{
    return s.w.i1 <= R(0.1);
}

/* Returns the series of F. */
PIO_FN hencky_series hencky_series_of(mat F)
{
    hencky_series r;
    const mat b = symmetric_square(F);
    mat more = b, less = b;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        more.m[i][i] += R(1);
        less.m[i][i] -= R(1);
    }
    const mat cof = mat_cofactor(more);
    r.q = mat_scale(R(1) / mat_det(more, cof), cof);
    r.z = symmetric_mul(less, r.q);
    r.w = powers_of(symmetric_mul(r.z, r.z));
    r.sum = series_of(SERIES_ARTANH, r.w);
    r.ratio = polynomial_of(r.w, r.sum);
    return r;
}

/* Returns e. */
PIO_FN mat hencky_series_strain(hencky_series s)
{
    return symmetric_mul(s.z, s.ratio);
}

/* Adjoint of e as a function of F: returns the cotangent of F by a symmetric e_bar, 2 b_bar F with dz = 2 q db q. */
PIO_FN mat hencky_series_adj(hencky_series s, mat F, mat e_bar)
{
    const mat ratio_bar = mat_symmetric(mat_mul(s.z, e_bar)), turn = mat_mul(e_bar, s.ratio);
    const mat w_bar = series_adj(SERIES_ARTANH, s.w, s.sum, ratio_bar), product = mat_mul(w_bar, s.z);
    const mat both = mat_axpby(R(1), turn, R(2), product); /* z_bar is its symmetric part */
    return mat_scale(R(4), mat_mul(mat_mul(s.q, mat_mul(mat_symmetric(both), s.q)), F));
}

#endif
