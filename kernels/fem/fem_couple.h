/* fem_couple.h -- a moment on faces: the traction field whose resultant is 0 and whose moment is m, with its adjoint.
 *
 *     t(X) = a x (X - c),   c = sum dA X / sum dA,   J a = m,   J = sum dA (r.r 1 - r r^T),   r = X - c
 *
 * sum dA t = a x sum dA r = 0 and sum dA r x t = J a = m. On a flat face it is the traction of a beam: linear along the
 * normal for bending, proportional to the distance from c for twisting. All of it is at rest, with the quadrature of
 * the loads, so that nodal forces have the moment m about every point as exactly as that integrates r r^T. */
#ifndef PIOLA_KERNELS_FEM_COUPLE_H
#define PIOLA_KERNELS_FEM_COUPLE_H

#include "kernels/fem/fem_couple_args.h"
#include "kernels/fem/fem_load.h"

/* A vector in space, whatever the dimension of the body is. */
typedef struct {
    wide x[3];
} fem_arm;

/* Returns a x b. */
PIO_FN fem_arm fem_arm_cross(fem_arm a, fem_arm b)
{
    fem_arm r;
    r.x[0] = a.x[1] * b.x[2] - a.x[2] * b.x[1];
    r.x[1] = a.x[2] * b.x[0] - a.x[0] * b.x[2];
    r.x[2] = a.x[0] * b.x[1] - a.x[1] * b.x[0];
    return r;
}

/* Returns point q of face i less `center` [3], m; NULL: 0. */
PIO_FN fem_arm fem_arm_at(const fem_face_args *f, int i, int q, const wide *center)
{
    const int nodes = f->rule.nodes, *vertex = f->vertex + (ptrdiff_t)i * nodes;
    fem_arm r;
    for (int c = 0; c < 3; c++) r.x[c] = center ? -center[c] : W(0);
    for (int n = 0; n < nodes; n++) {
        const vec X = point_load(f->rest, vertex[n]);
        for (int c = 0; c < DIM; c++) r.x[c] += W(f->rule.N[q * nodes + n]) * W(X.x[c]);
    }
    return r;
}

/* Returns the vector that begins at v. */
PIO_FN fem_arm fem_arm_of(const wide *v)
{
    fem_arm r;
    for (int c = 0; c < 3; c++) r.x[c] = v[c];
    return r;
}

/* ---- moments of area ---------------------------------------------------------------------------------------- */

/* Returns the axes of a second moment, xx, yy, zz, xy, yz, xz: the first of number k, or with `second` the second. */
PIO_FN int fem_couple_axis(int k, int second)
{
    if (k < 3) return k;
    return second ? (k == 3 ? 1 : 2) : (k == 4 ? 1 : 0);
}

/* Returns what face i has of one of the integrals. */
PIO_FN wide fem_couple_integral(int i, const fem_couple_integral_args *a)
{
    const fem_face_args *f = &a->f;
    const int second = a->which - COUPLE_SECOND, first = a->which - COUPLE_FIRST;
    wide sum = W(0);
    for (int q = 0; q < f->rule.points; q++) {
        const vec m = fem_face_at(f, i, q).m;
        const wide area = W(f->rule.w[q]) * W(sqrt(vec_dot(m, m)));
        if (a->which == COUPLE_AREA) {
            sum += area;
            continue;
        }
        const fem_arm r = fem_arm_at(f, i, q, second < 0 ? NULL : a->couple + COUPLE_CENTER);
        sum +=
            second < 0 ? area * r.x[first] : area * r.x[fem_couple_axis(second, 0)] * r.x[fem_couple_axis(second, 1)];
    }
    return W(fem_face_depth(f, i)) * sum;
}

/* Sets the cotangents that face i has by all integrals: of the positions of its nodes and of the thickness. */
PIO_FN void fem_couple_integral_adj(int i, const fem_couple_integral_adj_args *s)
{
    const fem_face_args *f = &s->fwd.f;
    const wide *bar = s->couple_bar, *S_bar = bar + COUPLE_FIRST, *C_bar = bar + COUPLE_SECOND;
    const int nodes = f->rule.nodes;
    const real thick = fem_face_depth(f, i);
    real *X_bar = s->rest_bar + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM, thick_bar = R(0);
    for (int c = 0; c < nodes * DIM; c++) X_bar[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        const real size = sqrt(vec_dot(p.m, p.m)), w = f->rule.w[q];
        const fem_arm X = fem_arm_at(f, i, q, NULL), r = fem_arm_at(f, i, q, s->fwd.couple + COUPLE_CENTER);
        wide area_bar = bar[COUPLE_AREA], x_bar[3];
        for (int c = 0; c < 3; c++) area_bar += S_bar[c] * X.x[c], x_bar[c] = S_bar[c];
        for (int k = 0; k < 6; k++) {
            const int c = fem_couple_axis(k, 0), d = fem_couple_axis(k, 1);
            area_bar += C_bar[k] * r.x[c] * r.x[d];
            x_bar[c] += C_bar[k] * r.x[d];
            x_bar[d] += C_bar[k] * r.x[c];
        }
        thick_bar += R(area_bar) * w * size;
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++)
                X_bar[n * DIM + c] += thick * w * size * f->rule.N[q * nodes + n] * R(x_bar[c]);
        fem_face_spread(&f->rule, q, &p, vec_scale(R(area_bar) * thick * w / size, p.m), X_bar);
    }
    if (s->thick_contribution) s->thick_contribution[i] = thick_bar;
}

/* Sets the centroid. */
PIO_FN void fem_couple_center(int i, const fem_couple_center_args *a)
{
    (void)i;
    for (int c = 0; c < 3; c++) a->couple[COUPLE_CENTER + c] = a->couple[COUPLE_FIRST + c] / a->couple[COUPLE_AREA];
}

/* Sets the cotangents of area and first moments. */
PIO_FN void fem_couple_center_adj(int i, const fem_couple_center_adj_args *s)
{
    const wide area = s->fwd.couple[COUPLE_AREA], *c = s->fwd.couple + COUPLE_CENTER;
    const wide *c_bar = s->couple_bar + COUPLE_CENTER;
    (void)i;
    s->couple_bar[COUPLE_AREA] = -(c[0] * c_bar[0] + c[1] * c_bar[1] + c[2] * c_bar[2]) / area;
    for (int k = 0; k < 3; k++) s->couple_bar[COUPLE_FIRST + k] = c_bar[k] / area;
}

/* ---- the traction ------------------------------------------------------------------------------------------- */

/* Returns J^-1 v, with J of the second moments C [6]; in 2D of the third number alone, J = C_xx + C_yy. */
PIO_FN fem_arm fem_couple_inverse(const wide *C, fem_arm v)
{
    fem_arm x;
#if PIO_DIM == 3
    const wide J[3] = {C[1] + C[2], C[0] + C[2], C[0] + C[1]}, Jxy = -C[3], Jyz = -C[4], Jxz = -C[5];
    const wide a = J[1] * J[2] - Jyz * Jyz, b = Jxz * Jyz - Jxy * J[2], c = Jxy * Jyz - Jxz * J[1];
    const wide d = J[0] * J[2] - Jxz * Jxz, e = Jxy * Jxz - J[0] * Jyz, g = J[0] * J[1] - Jxy * Jxy;
    const wide det = J[0] * a + Jxy * b + Jxz * c;
    x.x[0] = (a * v.x[0] + b * v.x[1] + c * v.x[2]) / det;
    x.x[1] = (b * v.x[0] + d * v.x[1] + e * v.x[2]) / det;
    x.x[2] = (c * v.x[0] + e * v.x[1] + g * v.x[2]) / det;
#else
    x.x[0] = x.x[1] = W(0);
    x.x[2] = v.x[2] / (C[0] + C[1]);
#endif
    return x;
}

/* Sets a = J^-1 m. */
PIO_FN void fem_couple_solve(int i, const fem_couple_solve_args *s)
{
    fem_arm m;
    (void)i;
    m.x[0] = m.x[1] = W(0);
    for (int c = 0; c < (DIM == 3 ? 3 : 1); c++) m.x[DIM == 3 ? c : 2] = s->moment[c];
    const fem_arm a = fem_couple_inverse(s->couple + COUPLE_SECOND, m);
    for (int c = 0; c < 3; c++) s->couple[COUPLE_TURN + c] = a.x[c];
}

/* Adds the cotangent of the moment and sets those of the second moments: with J_bar = -b a^T,
 * C_bar = (tr J_bar) 1 - J_bar. */
PIO_FN void fem_couple_solve_adj(int i, const fem_couple_solve_adj_args *s)
{
    const wide *a = s->fwd.couple + COUPLE_TURN;
    wide *C_bar = s->couple_bar + COUPLE_SECOND, trace = W(0);
    const fem_arm b = fem_couple_inverse(s->fwd.couple + COUPLE_SECOND, fem_arm_of(s->couple_bar + COUPLE_TURN));
    (void)i;
    for (int c = 0; c < (DIM == 3 ? 3 : 1); c++) s->moment_bar[c] += b.x[DIM == 3 ? c : 2];
    for (int c = 0; c < 3; c++) trace -= b.x[c] * a[c];
    for (int k = 0; k < 6; k++) {
        const int c = fem_couple_axis(k, 0), d = fem_couple_axis(k, 1);
        C_bar[k] = c == d ? trace + b.x[c] * a[c] : b.x[c] * a[d] + b.x[d] * a[c];
    }
}

/* Sets the traction at all points of face i. */
PIO_FN void fem_couple(int i, const fem_couple_args *a)
{
    const fem_arm turn = fem_arm_of(a->couple + COUPLE_TURN);
    for (int q = 0; q < a->f.rule.points; q++) {
        const fem_arm t = fem_arm_cross(turn, fem_arm_at(&a->f, i, q, a->couple + COUPLE_CENTER));
        for (int c = 0; c < DIM; c++) a->out[((ptrdiff_t)i * a->f.rule.points + q) * DIM + c] = t.x[c];
    }
}

/* Sets the contributions of face i to the cotangents of a and c, and adds those of its nodes' positions. */
PIO_FN void fem_couple_adj(int i, const fem_couple_adj_args *s)
{
    const fem_face_args *f = &s->fwd.f;
    const int nodes = f->rule.nodes;
    const fem_arm turn = fem_arm_of(s->fwd.couple + COUPLE_TURN);
    real *X_bar = s->rest_bar + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM;
    wide bar[6];
    for (int k = 0; k < 6; k++) bar[k] = W(0);
    for (int q = 0; q < f->rule.points; q++) {
        fem_arm t_bar;
        t_bar.x[2] = W(0);
        for (int c = 0; c < DIM; c++) t_bar.x[c] = s->out_bar[((ptrdiff_t)i * f->rule.points + q) * DIM + c];
        const fem_arm a_bar = fem_arm_cross(fem_arm_at(f, i, q, s->fwd.couple + COUPLE_CENTER), t_bar);
        const fem_arm r_bar = fem_arm_cross(t_bar, turn);
        for (int c = 0; c < 3; c++) bar[c] += a_bar.x[c], bar[3 + c] -= r_bar.x[c];
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) X_bar[n * DIM + c] += f->rule.N[q * nodes + n] * R(r_bar.x[c]);
    }
    for (int k = 0; k < 6; k++) s->contribution[(ptrdiff_t)k * s->faces + i] = bar[k];
}

#endif
