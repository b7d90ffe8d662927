/* rotation.h -- how far a deformation turns a point, as numbers: in 2D one angle, in 3D a rotation vector, the axis
 * times the angle, rad, each with its adjoint. */
#ifndef PIOLA_KERNELS_ROTATION_H
#define PIOLA_KERNELS_ROTATION_H

#include "kernels/base/decomp.h"

enum { ROTATION_NUMBERS = DIM == 3 ? 3 : 1 };

/* Sets the axial numbers of the skew part of A, w with (A - A^T)/2 = [w]x. */
PIO_FN void rotation_axial(mat A, real w[ROTATION_NUMBERS])
{
#if PIO_DIM == 2
    w[0] = R(0.5) * (A.m[1][0] - A.m[0][1]);
#else
    for (int c = 0; c < 3; c++) w[c] = R(0.5) * (A.m[(c + 2) % 3][(c + 1) % 3] - A.m[(c + 1) % 3][(c + 2) % 3]);
#endif
}

/* Adjoint of rotation_axial: adds to A_bar. */
PIO_FN void rotation_axial_adj(const real w_bar[ROTATION_NUMBERS], mat *A_bar)
{
#if PIO_DIM == 2
    A_bar->m[1][0] += R(0.5) * w_bar[0];
    A_bar->m[0][1] -= R(0.5) * w_bar[0];
#else
    for (int c = 0; c < 3; c++) {
        A_bar->m[(c + 2) % 3][(c + 1) % 3] += R(0.5) * w_bar[c];
        A_bar->m[(c + 1) % 3][(c + 2) % 3] -= R(0.5) * w_bar[c];
    }
#endif
}

#if PIO_DIM == 2

/* Sets the angle of the rotation R of the polar decomposition F = R U, det F > 0, in (-pi, pi]: tan w = b/a with
 * a = F_00 + F_11 and b = F_10 - F_01. */
PIO_FN void rotation_of(mat F, real w[ROTATION_NUMBERS])
{
    w[0] = atan2(F.m[1][0] - F.m[0][1], F.m[0][0] + F.m[1][1]);
}

/* Adjoint of rotation_of: adds to F_bar, by dw = (a db - b da)/(a^2 + b^2). */
PIO_FN void rotation_of_adj(mat F, const real w_bar[ROTATION_NUMBERS], mat *F_bar)
{
    const real a = F.m[0][0] + F.m[1][1], b = F.m[1][0] - F.m[0][1], s = w_bar[0] / (a * a + b * b);
    F_bar->m[1][0] += s * a;
    F_bar->m[0][1] -= s * a;
    F_bar->m[0][0] -= s * b;
    F_bar->m[1][1] -= s * b;
}

#else

/* A unit quaternion (q0, q) = (cos w/2, sin w/2 n) with q0 >= 0. */
typedef struct {
    real q0, q[3];
} rotation_quaternion;

/* Returns the quaternion of a rotation: of its four numbers the largest by a root, the others by quotients (Shepperd
 * 1978). */
PIO_FN rotation_quaternion rotation_quaternion_of(mat r)
{
    const real t = mat_trace(r);
    rotation_quaternion p;
    int i = 0;
    if (r.m[1][1] > r.m[0][0]) i = 1;
    if (r.m[2][2] > r.m[i][i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (t > r.m[i][i]) {
        p.q0 = R(0.5) * sqrt(R(1) + t);
        for (int c = 0; c < 3; c++)
            p.q[c] = (r.m[(c + 2) % 3][(c + 1) % 3] - r.m[(c + 1) % 3][(c + 2) % 3]) / (R(4) * p.q0);
        return p;
    }
    p.q[i] = R(0.5) * sqrt(R(1) + R(2) * r.m[i][i] - t);
    p.q[j] = (r.m[i][j] + r.m[j][i]) / (R(4) * p.q[i]);
    p.q[k] = (r.m[i][k] + r.m[k][i]) / (R(4) * p.q[i]);
    p.q0 = (r.m[k][j] - r.m[j][k]) / (R(4) * p.q[i]);
    if (p.q0 < R(0)) {
        p.q0 = -p.q0;
        for (int c = 0; c < 3; c++) p.q[c] = -p.q[c];
    }
    return p;
}

/* Returns the sine of half the angle, and sets that half angle h, in [0, pi/2]. */
PIO_FN real rotation_half(const rotation_quaternion *p, real *h)
{
    const real s2 = p->q[0] * p->q[0] + p->q[1] * p->q[1] + p->q[2] * p->q[2];
    const real s = s2 > R(0) ? sqrt(s2) : R(0);
    *h = atan2(s, p->q0);
    return s;
}

/* Sets the rotation vector w of the rotation R of the polar decomposition F = R U, det F > 0, |w| <= pi: w = 2 h/sin h
 * q, with h half the angle. */
PIO_FN void rotation_of(mat F, real w[ROTATION_NUMBERS])
{
    const rotation_quaternion p = rotation_quaternion_of(polar_rotation(F));
    real h;
    const real s = rotation_half(&p, &h);
    const real factor = s > R(0) ? R(2) * h / s : R(2);
    for (int c = 0; c < 3; c++) w[c] = factor * p.q[c];
}

/* Returns (1 - h cot h)/w^2, w = 2 h the angle: within h < 1/4 by its series. */
PIO_FN real rotation_coefficient(real s, real q0, real h)
{
    const real x = R(4) * h * h;
    if (x > R(0.25)) return (R(1) - h * q0 / s) / x;
    return R(1.0 / 12) + x * (R(1.0 / 720) + x * (R(1.0 / 30240) + x * (R(1.0 / 1209600) + x * R(1.0 / 47900160))));
}

/* Adjoint of rotation_of: adds to F_bar. A change dF turns R by R [a]x with (tr(U) I - U) a the axial vector of A -
 * A^T, A = R^T dF, as in polar_rotation_tan, and w changes by (I + [w]x/2 + c [w]x^2) a, c of rotation_coefficient
 * (Sola, Deray and Atchuthan 2018, eq. 144). */
PIO_FN void rotation_of_adj(mat F, const real w_bar[ROTATION_NUMBERS], mat *F_bar)
{
    const mat rot = polar_rotation(F), U = mat_t_mul(rot, F);
    const rotation_quaternion p = rotation_quaternion_of(rot);
    const mat K = mat_axpby(mat_trace(U), mat_diag(R(1)), R(-1), U);
    const mat cof = mat_cofactor(K);
    real h, w[3], once[3], twice[3];
    const real s = rotation_half(&p, &h), c2 = rotation_coefficient(s, p.q0, h);
    const real factor = s > R(0) ? R(2) * h / s : R(2);
    vec a_bar;
    for (int c = 0; c < 3; c++) w[c] = factor * p.q[c];
    for (int c = 0; c < 3; c++) once[c] = w[(c + 1) % 3] * w_bar[(c + 2) % 3] - w[(c + 2) % 3] * w_bar[(c + 1) % 3];
    for (int c = 0; c < 3; c++) twice[c] = w[(c + 1) % 3] * once[(c + 2) % 3] - w[(c + 2) % 3] * once[(c + 1) % 3];
    for (int c = 0; c < 3; c++) a_bar.x[c] = w_bar[c] - R(0.5) * once[c] + c2 * twice[c];
    a_bar = vec_scale(R(2) / mat_det(K, cof), mat_t_apply(cof, a_bar));
    mat A_bar = mat_diag(R(0));
    rotation_axial_adj(a_bar.x, &A_bar);
    *F_bar = mat_axpby(R(1), *F_bar, R(1), mat_mul(rot, A_bar));
}

#endif
#endif
