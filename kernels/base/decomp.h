/* decomp.h -- logarithm, polar and singular value decomposition, the same on every device. */
#ifndef PIOLA_KERNELS_DECOMP_H
#define PIOLA_KERNELS_DECOMP_H

#include "kernels/base/vec.h"

/* Natural logarithm of a normal positive number. x = 2^e m with m in [1/sqrt 2, sqrt 2), and
 *     log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...),   s = (m - 1)/(m + 1), |s| <= 0.1716
 * (Abramowitz and Stegun 4.1.27). The series ends where the next term is below a quarter of the last bit. Unlike
 * libm's, it has the same text on every device and vectorises; relative error below 2 units in the last place, near 1
 * too. */
#ifdef PIO_DUAL
/* Returns the natural logarithm of x. */
PIO_FN real real_log(real x)
{
    return log(x);
}
#else
/* Returns the natural logarithm of x. */
PIO_FN real real_log(real x)
{
    const int is_double = sizeof(real) == 8;
    int e;
    real m;
    if (is_double) {
        union {
            double d;
            uint64_t u;
        } b;
        b.d = (double)x;
        const uint64_t shifted = b.u - 0x3fe6a09e667f3bcdULL; /* bits of 1/sqrt 2 */
        e = (int)((int64_t)shifted >> 52);
        b.u -= (uint64_t)(int64_t)e << 52;
        m = (real)b.d;
    } else {
        union {
            float f;
            uint32_t u;
        } b;
        b.f = (float)x;
        const uint32_t shifted = b.u - 0x3f3504f3U;
        e = (int)shifted >> 23;
        b.u -= (uint32_t)e << 23;
        m = (real)b.f;
    }
    const real s = (m - R(1)) / (m + R(1)), s2 = s * s;
    real t = is_double ? R(1.0 / 21) : R(1.0 / 9);
    if (is_double) {
        t = t * s2 + R(1.0 / 19);
        t = t * s2 + R(1.0 / 17);
        t = t * s2 + R(1.0 / 15);
        t = t * s2 + R(1.0 / 13);
        t = t * s2 + R(1.0 / 11);
        t = t * s2 + R(1.0 / 9);
    }
    t = t * s2 + R(1.0 / 7);
    t = t * s2 + R(1.0 / 5);
    t = t * s2 + R(1.0 / 3);
    /* e log 2 in two parts, so that its rounding stays below that of the series */
    return R(e) * R(0.693145751953125) + (R(2) * s + (R(2) * s * s2 * t + R(e) * R(1.42860682030941723e-06)));
}
#endif

#if PIO_DIM == 2

/* Returns the rotation R of the polar decomposition F = R S, det F > 0, in closed form: [a -b; b a]/sqrt(a^2 + b^2)
 * with a = F_00 + F_11 and b = F_10 - F_01. */
PIO_FN mat polar_rotation(mat F)
{
    const real a = F.m[0][0] + F.m[1][1], b = F.m[1][0] - F.m[0][1];
    const real s = R(1) / sqrt(a * a + b * b);
    mat r;
    r.m[0][0] = a * s;
    r.m[0][1] = -b * s;
    r.m[1][0] = b * s;
    r.m[1][1] = a * s;
    return r;
}

/* Returns dR for dF, with `rot` the rotation R of F and S = R^T F: R^T dR = w [0 -1; 1 0] with w tr S = A_10 - A_01, A
 * = R^T dF. This is the skew part of dF = dR S + R dS, since dS is symmetric. */
PIO_FN mat polar_rotation_tan(mat F, mat rot, mat dF)
{
    const mat S = mat_t_mul(rot, F), A = mat_t_mul(rot, dF);
    const real w = (A.m[1][0] - A.m[0][1]) / mat_trace(S);
    mat r;
    r.m[0][0] = rot.m[0][1] * w;
    r.m[0][1] = -rot.m[0][0] * w;
    r.m[1][0] = rot.m[1][1] * w;
    r.m[1][1] = -rot.m[1][0] * w;
    return r;
}

#else

/* ---- Rotation of the polar decomposition F = R S, det F > 0, by Higham's scaled Newton iteration
 *     R_0 = F,   R <- (g R + (g R)^-T)/2,   g = (|R^-1|_F / |R|_F)^(1/2)
 * (N. J. Higham, SIAM J. Sci. Stat. Comput. 7(4), 1986, eq. 3.1 and 3.6), quadratic near the end. ---- */

enum { POLAR_STEPS = 40 };

/* Returns R after a step of the iteration, and sets whether another one like it is needed: where |d| is below 3e-3, in
 * f64 1e-5, the next is without g and the last, since after two more steps |d|^4 is left. */
PIO_FN mat polar_step(mat r, int *more)
{
    const real tiny = sizeof(real) == 4 ? R(1e-5) : R(1e-10);
    const mat cof = mat_cofactor(r), inv_t = mat_scale(R(1) / mat_det(r, cof), cof);
    const real g = sqrt(sqrt(mat_ddot(inv_t, inv_t) / mat_ddot(r, r)));
    const mat next = mat_axpby(R(0.5) * g, r, R(0.5) / g, inv_t), d = mat_axpby(R(1), next, R(-1), r);
    *more = mat_ddot(d, d) > tiny;
    return next;
}

/* Returns R after the last step. */
PIO_FN mat polar_last(mat r)
{
    const mat cof = mat_cofactor(r);
    return mat_axpby(R(0.5), r, R(0.5) / mat_det(r, cof), cof);
}

/* Returns the rotation R of F. */
PIO_FN mat polar_rotation(mat F)
{
    mat r = F;
    int more = 1;
    for (int k = 0; k < POLAR_STEPS && more; k++) r = polar_step(r, &more);
    return polar_last(r);
}

/* Returns dR for dF, with `rot` the rotation R of F and S = R^T F: R^T dR = [w]x with (tr(S) I - S) w the axial vector
 * of A - A^T, A = R^T dF. This is the skew part of dF = dR S + R dS, since dS is symmetric. */
PIO_FN mat polar_rotation_tan(mat F, mat rot, mat dF)
{
    const mat S = mat_t_mul(rot, F), A = mat_t_mul(rot, dF);
    const mat K = mat_axpby(mat_trace(S), mat_diag(R(1)), R(-1), S);
    vec k;
    k.x[0] = A.m[2][1] - A.m[1][2];
    k.x[1] = A.m[0][2] - A.m[2][0];
    k.x[2] = A.m[1][0] - A.m[0][1];
    const mat cof = mat_cofactor(K);
    const vec w = vec_scale(R(1) / mat_det(K, cof), mat_t_apply(cof, k));
    mat W_;
    W_.m[0][0] = W_.m[1][1] = W_.m[2][2] = R(0);
    W_.m[0][1] = -w.x[2];
    W_.m[0][2] = w.x[1];
    W_.m[1][0] = w.x[2];
    W_.m[1][2] = -w.x[0];
    W_.m[2][0] = -w.x[1];
    W_.m[2][1] = w.x[0];
    return mat_mul(rot, W_);
}

#endif

/* Singular values of F = U diag(sigma) V^T, det F > 0: V a rotation, U too, sigma > 0 in no order. */
typedef struct {
    mat U, V;
    vec sigma;
} mat_svd;

/* Turns columns i and j of G, and of V with them, so that those of G become orthogonal; where they are already, returns
 * 0 and leaves every bit, else returns 1. t = tan of the angle: the smaller root of t^2 + 2 t (b - a)/(2 p) - 1 = 0,
 * with a, b the squared lengths, p the product. Without branches, for lanes. */
PIO_FN int svd_turn(mat *G, mat *V, int i, int j)
{
    const real small = sizeof(real) == 4 ? R(5e-7) : R(1e-15);
    real a = R(0), b = R(0), p = R(0);
    PIO_UNROLL
    for (int k = 0; k < DIM; k++) {
        a += G->m[k][i] * G->m[k][i];
        b += G->m[k][j] * G->m[k][j];
        p += G->m[k][i] * G->m[k][j];
    }
    const int turns = p * p > small * small * a * b;
    const real d = b - a, root = sqrt(d * d + R(4) * p * p), sum = d < R(0) ? d - root : d + root;
    const real tangent = R(2) * p / (turns ? sum : R(1)), t = turns ? tangent : R(0);
    const real c = R(1) / sqrt(R(1) + t * t), s = c * t;
    PIO_UNROLL
    for (int k = 0; k < DIM; k++) {
        const real g = G->m[k][i], v = V->m[k][i];
        G->m[k][i] = c * g - s * G->m[k][j];
        G->m[k][j] = s * g + c * G->m[k][j];
        V->m[k][i] = c * v - s * V->m[k][j];
        V->m[k][j] = s * v + c * V->m[k][j];
    }
    return turns;
}

/* Makes a sweep of rotations, one of each pair of columns; returns 0 where all are orthogonal, else 1. */
PIO_FN int svd_sweep(mat *G, mat *V)
{
    int turned = 0;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = i + 1; j < DIM; j++) turned |= svd_turn(G, V, i, j);
    }
    return turned;
}

/* Returns the decomposition by V and the columns of G = F V, which are orthogonal: their lengths are sigma. */
PIO_FN mat_svd svd_end(mat G, mat V)
{
    mat_svd r;
    r.U = G;
    r.V = V;
    PIO_UNROLL
    for (int j = 0; j < DIM; j++) {
        real a = R(0);
        PIO_UNROLL
        for (int k = 0; k < DIM; k++) a += r.U.m[k][j] * r.U.m[k][j];
        r.sigma.x[j] = sqrt(a);
        PIO_UNROLL
        for (int k = 0; k < DIM; k++) r.U.m[k][j] /= r.sigma.x[j];
    }
    return r;
}

/* How many sweeps are made at most: 3 to 6 do, quadratic at the end. */
enum { SVD_SWEEPS = 20 };

/* Returns the decomposition of F, det F > 0, by one-sided Jacobi rotations (Hestenes 1958; Golub and Van Loan 2013,
 * section 8.6): the columns of G = F V are turned in pairs until all are orthogonal; their lengths are sigma. F^T F,
 * which would square the condition number, is never formed. */
PIO_FN mat_svd svd_of(mat F)
{
    mat G = F, V = mat_diag(R(1));
    for (int sweep = 0, turned = 1; turned && sweep < SVD_SWEEPS; sweep++) turned = svd_sweep(&G, &V);
    return svd_end(G, V);
}
#endif
