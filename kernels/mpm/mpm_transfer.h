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

#include "kernels/base/quad.h"
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

/* ---- the tile of a block -------------------------------------------------------------------------------------- */

/* Returns the place in a tile of the base node of cell c of its block. */
PIO_FN int tile_cell(int c)
{
#if PIO_DIM == 3
    return (c >> 2 * BLOCK_BITS) * TILE_EDGE * TILE_EDGE + (c >> BLOCK_BITS & (BLOCK_EDGE - 1)) * TILE_EDGE +
           (c & (BLOCK_EDGE - 1));
#else
    return (c >> BLOCK_BITS) * TILE_EDGE + (c & (BLOCK_EDGE - 1));
#endif
}

/* Returns the place of stencil node q of a cell in a tile, less that of the cell. */
PIO_FN int tile_node(int q)
{
#if PIO_DIM == 3
    return q / 9 * TILE_EDGE * TILE_EDGE + q / 3 % 3 * TILE_EDGE + q % 3;
#else
    return q / 3 * TILE_EDGE + q % 3;
#endif
}

/* ---- moments and slope: one lane per particle, node values of its block's tile in shared memory ----------------- */

typedef struct {
    real y[DIM][TILE_NODES];
#if PIO_NODE_ROWS
    real past[NODE_ROW]; /* which is read with the last row, and means nothing */
#endif
} node_vectors;

#if PIO_DIM == 2
/* The nodes of a stencil: the numbers of that at places i and j along the axes are y[a][i * row + j * hop] and, unless
 * it is NULL, z[i * row + j * hop]. */
typedef struct {
    const real *y[DIM], *z;
    int row, hop;
} plane_nodes;

/* Returns the nodes of the stencil of the cell at place `at` of the tiles y and z; z may be NULL. */
PIO_FN plane_nodes plane_of(const node_vectors *n, const real *z, int at)
{
    plane_nodes p;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) p.y[a] = n->y[a] + at;
    p.z = z ? z + at : NULL;
    p.row = TILE_EDGE;
    p.hop = 1;
    return p;
}

/* Sets S = sum_o w_o y_o and M_ab = sum_o w_o y_o,a o_b, one axis at a time. */
PIO_FN void plane_moments(const plane_nodes *n, const spline *s, vec *S, mat *M)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        real s0 = R(0), sx = R(0), sy = R(0);
        PIO_UNROLL
        for (int i = 0; i < 3; i++) {
            const real *y = n->y[a] + i * n->row;
            const real u1 = s->w[1][1] * y[n->hop], u2 = s->w[1][2] * y[2 * n->hop];
            const real t = s->w[0][i] * (s->w[1][0] * y[0] + u1 + u2);
            s0 += t;
            sx += R(i) * t;
            sy += s->w[0][i] * (u1 + R(2) * u2);
        }
        S->x[a] = s0;
        M->m[a][0] = sx;
        M->m[a][1] = sy;
    }
}

/* Returns sum_o w_o z_o. */
PIO_FN real plane_scalar(const plane_nodes *n, const spline *s)
{
    real r = R(0);
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        real t = R(0);
        PIO_UNROLL
        for (int j = 0; j < 3; j++) t += s->w[1][j] * n->z[i * n->row + j * n->hop];
        r += s->w[0][i] * t;
    }
    return r;
}

/* Returns s_a = sum_o (d w_o/d f_a) (y_o . (b + B o) + m z_o), where there is no z without m z_o. */
PIO_FN vec plane_slope(const plane_nodes *n, real m, const spline *s, vec b, mat B)
{
    vec r = vec_zero(), at_i = b; /* b + B o at the first node of row i, and at node j */
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        real u = R(0), uy = R(0);
        vec at_j = at_i;
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const int q = i * n->row + j * n->hop;
            real v = n->y[0][q] * at_j.x[0] + n->y[1][q] * at_j.x[1];
            if (n->z) v += m * n->z[q];
            u += s->w[1][j] * v;
            uy += s->dw[1][j] * v;
            at_j = vec_axpby(R(1), at_j, R(1), mat_column(B, 1));
        }
        r.x[0] += s->dw[0][i] * u;
        r.x[1] += s->w[0][i] * uy;
        at_i = vec_axpby(R(1), at_i, R(1), mat_column(B, 0));
    }
    return r;
}
#endif

/* Sets S = sum_o w_o y_o and M_ab = sum_o w_o y_o,a o_b of the cell at place `at` of a tile, one axis at a time. */
PIO_FN void stencil_moments(const node_vectors *n, int at, const spline *s, vec *S, mat *M)
{
#if PIO_DIM == 3
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real *y = n->y[a] + at;
        real s0 = R(0), sx = R(0), sy = R(0), sz = R(0);
        PIO_UNROLL
        for (int i = 0; i < 3; i++) {
            real t = R(0), ty = R(0), tz = R(0);
            PIO_UNROLL
            for (int j = 0; j < 3; j++) {
                const int q = tile_node(9 * i + 3 * j);
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
    }
#else
    const plane_nodes p = plane_of(n, NULL, at);
    plane_moments(&p, s, S, M);
#endif
}

/* Returns sum_o w_o z_o of the cell at place `at` of a tile z [TILE_NODES]. */
PIO_FN real stencil_scalar(const real *z, int at, const spline *s)
{
#if PIO_DIM == 3
    real r = R(0);
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        real t = R(0);
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const real *u = z + at + tile_node(9 * i + 3 * j);
            t += s->w[1][j] * (s->w[2][0] * u[0] + s->w[2][1] * u[1] + s->w[2][2] * u[2]);
        }
        r += s->w[0][i] * t;
    }
    return r;
#else
    plane_nodes p;
    p.z = z + at;
    p.row = TILE_EDGE;
    p.hop = 1;
    return plane_scalar(&p, s);
#endif
}

/* Returns s_a = sum_o (d w_o/d f_a) (y_o . (b + B o) + m z_o) of the cell at place `at` of the tiles y and z; z may be
 * NULL (m z = 0). */
PIO_FN vec stencil_slope(const node_vectors *n, const real *z, int at, real m, const spline *s, vec b, mat B)
{
#if PIO_DIM == 3
    vec r = vec_zero(), at_i = b; /* b + B o at the first node of plane i, row j, and at node k */
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        real t = R(0), ty = R(0), tz = R(0);
        vec at_j = at_i;
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            real u = R(0), uz = R(0);
            vec at_k = at_j;
            PIO_UNROLL
            for (int k = 0; k < 3; k++) {
                const int q = at + tile_node(9 * i + 3 * j + k);
                real v = n->y[0][q] * at_k.x[0] + n->y[1][q] * at_k.x[1] + n->y[2][q] * at_k.x[2];
                if (z) v += m * z[q];
                u += s->w[2][k] * v;
                uz += s->dw[2][k] * v;
                at_k = vec_axpby(R(1), at_k, R(1), mat_column(B, 2));
            }
            t += s->w[1][j] * u;
            ty += s->dw[1][j] * u;
            tz += s->w[1][j] * uz;
            at_j = vec_axpby(R(1), at_j, R(1), mat_column(B, 1));
        }
        r.x[0] += s->dw[0][i] * t;
        r.x[1] += s->w[0][i] * ty;
        r.x[2] += s->w[0][i] * tz;
        at_i = vec_axpby(R(1), at_i, R(1), mat_column(B, 0));
    }
    return r;
#else
    const plane_nodes p = plane_of(n, z, at);
    return plane_slope(&p, m, s, b, B);
#endif
}

#endif
