/* mpm_transfer.h -- transfers between one particle and the nodes of its stencil, and between a cell and its nodes.
 *
 * With f the offset of the particle from its base node, o in {0,1,2}^d a stencil node and w_o(f) the quadratic B-spline
 * weight (Steffen, Kirby, Berzins 2008, eq. 10), every transfer of MLS-MPM is one of three sums over an
 * affine field b + B o:
 *     spread   y_o += w_o(f) (b + B o)                        particle to nodes
 *     moments  S = sum_o w_o y_o,   M = sum_o w_o y_o o^T     nodes to particle; the adjoint of spread in (b, B)
 *     slope    s_a = sum_o (d w_o/d f_a) y_o . (b + B o)      the adjoint of spread in f */
#ifndef PIOLA_KERNELS_MPM_TRANSFER_H
#define PIOLA_KERNELS_MPM_TRANSFER_H

#include "kernels/mpm/mpm.h"

/* Weights of the three nodes of one axis and their derivatives, f in [1/2, 3/2). */
typedef struct {
    real w[DIM][3], dw[DIM][3];
} spline;

/* Returns weights and derivatives of the three nodes of each axis for offset f in [1/2, 3/2). */
PIO_FN spline spline_at(vec f)
{
    spline s;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real l = R(1.5) - f.x[a], m = f.x[a] - R(1), r = f.x[a] - R(0.5);
        s.w[a][0] = R(0.5) * l * l;
        s.w[a][1] = R(0.75) - m * m;
        s.w[a][2] = R(0.5) * r * r;
        s.dw[a][0] = -l;
        s.dw[a][1] = R(-2) * m;
        s.dw[a][2] = r;
    }
    return s;
}

/* ---- spread: one lane per node --------------------------------------------------------------------------
 * Along one axis w_o(f) = alpha_o + beta_o (f - gamma_o)^2; lanes beyond the stencil have weight 0. */
/* clang-format off */
#if PIO_DIM == 3
#define LANES_OF_0(a, b, c, z) \
    a, a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b, b, c, c, c, c, c, c, c, c, c, z, z, z, z, z
#define LANES_OF_1(a, b, c, z) \
    a, a, a, b, b, b, c, c, c, a, a, a, b, b, b, c, c, c, a, a, a, b, b, b, c, c, c, z, z, z, z, z
#define LANES_OF_2(a, b, c, z) \
    a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, z, z, z, z, z
#define LANES_OF_AXES(a, b, c, z) {{LANES_OF_0(a, b, c, z)}, {LANES_OF_1(a, b, c, z)}, {LANES_OF_2(a, b, c, z)}}
#else
#define LANES_OF_0(a, b, c, z) a, a, a, b, b, b, c, c, c, z, z, z, z, z, z, z
#define LANES_OF_1(a, b, c, z) a, b, c, a, b, c, a, b, c, z, z, z, z, z, z, z
#define LANES_OF_AXES(a, b, c, z) {{LANES_OF_0(a, b, c, z)}, {LANES_OF_1(a, b, c, z)}}
#endif
/* clang-format on */

/* Returns x, y or z by the place of stencil node q along an axis, 0 beyond the stencil. */
PIO_FN real lane_pick(int axis, int q, real x, real y, real z)
{
    const int last = axis == DIM - 1, o = (last ? q : DIM == 3 && axis == 0 ? q / 9 : q / 3) % 3;
    return q >= STENCIL ? R(0) : o == 0 ? x : o == 1 ? y : z;
}

/* The function name(axis, q), and the two ways in which it is computed. */
#define LANE_NUMBER(name, x, y, z)                                                                                     \
    PIO_TABLE real name##_table[DIM][STENCIL_PAD] = LANES_OF_AXES(x, y, z, R(0));                                      \
    PIO_FN real name##_picked(int axis, int q)                                                                         \
    {                                                                                                                  \
        return lane_pick(axis, q, x, y, z);                                                                            \
    }                                                                                                                  \
    PIO_FN real name(int axis, int q)                                                                                  \
    {                                                                                                                  \
        return BY_LANE(name##_table[axis][q], name##_picked(axis, q));                                                 \
    }
LANE_NUMBER(lane_o, R(0), R(1), R(2))
LANE_NUMBER(lane_alpha, R(0), R(0.75), R(0))
LANE_NUMBER(lane_beta, R(0.5), R(-1), R(0.5))
LANE_NUMBER(lane_gamma, R(1.5), R(1), R(0.5))

/* Returns w_o(f) of stencil node q, the product over the axes of alpha + beta (f - gamma)^2; 0 for lanes beyond the
 * stencil. */
PIO_FN real lane_weight(int q, const real f[DIM])
{
    real w = R(1);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real d = f[a] - lane_gamma(a, q);
        w *= lane_alpha(a, q) + lane_beta(a, q) * (d * d);
    }
    return w;
}

/* A batch of particles of one cell in shared memory: offset f, affine field b + B o, and a scalar m. */
typedef struct {
    real f[TEAM_LANES][DIM], b[TEAM_LANES][DIM], B[TEAM_LANES][DIM][DIM], m[TEAM_LANES];
} transfer_batch;

/* Stores offset f, affine field b + B o and scalar m of a particle as entry j of the batch. */
PIO_FN void batch_put(transfer_batch *t, int j, vec f, vec b, mat B, real m)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        t->f[j][a] = f.x[a];
        t->b[j][a] = b.x[a];
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) t->B[j][a][c] = B.m[a][c];
    }
    t->m[j] = m;
}

/* Returns component a of b + B o of entry j at stencil node q. */
PIO_FN real batch_field(const transfer_batch *t, int j, int a, int q)
{
    real s = t->b[j][a];
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) s += t->B[j][a][c] * lane_o(c, q);
    return s;
}

/* ---- moments and slope: one lane per particle, node values in shared memory ------------------------------ */

typedef struct {
    real y[DIM][STENCIL_PAD];
} node_vectors;

/* Sets S = sum_o w_o y_o and M_ab = sum_o w_o y_o,a o_b, one axis at a time. */
PIO_FN void stencil_moments(const node_vectors *n, const spline *s, vec *S, mat *M)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real *y = n->y[a];
#if PIO_DIM == 3
        real s0 = R(0), sx = R(0), sy = R(0), sz = R(0);
        PIO_UNROLL
        for (int i = 0; i < 3; i++) {
            real t = R(0), ty = R(0), tz = R(0);
            PIO_UNROLL
            for (int j = 0; j < 3; j++) {
                const int q = 9 * i + 3 * j;
                const real u1 = s->w[2][1] * y[q + 1], u2 = s->w[2][2] * y[q + 2];
                const real u = s->w[1][j] * (s->w[2][0] * y[q] + u1 + u2);
                t += u;
                ty += R(j) * u;
                tz += s->w[1][j] * (u1 + R(2) * u2);
            }
            s0 += s->w[0][i] * t;
            sx += R(i) * s->w[0][i] * t;
            sy += s->w[0][i] * ty;
            sz += s->w[0][i] * tz;
        }
        S->x[a] = s0;
        M->m[a][0] = sx;
        M->m[a][1] = sy;
        M->m[a][2] = sz;
#else
        real s0 = R(0), sx = R(0), sy = R(0);
        PIO_UNROLL
        for (int i = 0; i < 3; i++) {
            const int q = 3 * i;
            const real u1 = s->w[1][1] * y[q + 1], u2 = s->w[1][2] * y[q + 2];
            const real t = s->w[0][i] * (s->w[1][0] * y[q] + u1 + u2);
            s0 += t;
            sx += R(i) * t;
            sy += s->w[0][i] * (u1 + R(2) * u2);
        }
        S->x[a] = s0;
        M->m[a][0] = sx;
        M->m[a][1] = sy;
#endif
    }
}

/* Returns s_a = sum_o (d w_o/d f_a) (y_o . (b + B o) + m z_o); z may be NULL (m z = 0). */
PIO_FN vec stencil_slope(const node_vectors *n, const real *z, real m, const spline *s, vec b, mat B)
{
    vec r = vec_zero();
#if PIO_DIM == 3
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        real t = R(0), ty = R(0), tz = R(0);
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            real u = R(0), uz = R(0);
            PIO_UNROLL
            for (int k = 0; k < 3; k++) {
                const int q = 9 * i + 3 * j + k;
                real v = z ? m * z[q] : R(0);
                PIO_UNROLL
                for (int a = 0; a < 3; a++)
                    v += n->y[a][q] * (b.x[a] + B.m[a][0] * R(i) + B.m[a][1] * R(j) + B.m[a][2] * R(k));
                u += s->w[2][k] * v;
                uz += s->dw[2][k] * v;
            }
            t += s->w[1][j] * u;
            ty += s->dw[1][j] * u;
            tz += s->w[1][j] * uz;
        }
        r.x[0] += s->dw[0][i] * t;
        r.x[1] += s->w[0][i] * ty;
        r.x[2] += s->w[0][i] * tz;
    }
#else
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        real u = R(0), uy = R(0);
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const int q = 3 * i + j;
            real v = z ? m * z[q] : R(0);
            PIO_UNROLL
            for (int a = 0; a < 2; a++) v += n->y[a][q] * (b.x[a] + B.m[a][0] * R(i) + B.m[a][1] * R(j));
            u += s->w[1][j] * v;
            uy += s->dw[1][j] * v;
        }
        r.x[0] += s->dw[0][i] * u;
        r.x[1] += s->w[0][i] * uy;
    }
#endif
    return r;
}

#endif
