/* mpm_reversible_transfer.h -- transfers with the gradients of the weights, beside those of mpm_transfer.h.
 *
 * With K a matrix, w_o(f) the weight of stencil node o and f in units of the spacing:
 *     spread     y_o += K (d w_o/d f)                                  particle to nodes
 *     gradient   M_ca = sum_o y_oc (d w_o/d f_a)                       nodes to particle; the adjoint of spread in K
 *     bend       s_a = d/d f_a sum_o (y_o . K (d w_o/d f) + m z_o w_o)   the adjoint of both in f */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_TRANSFER_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_TRANSFER_H

#include "kernels/mpm/mpm_team.h"

/* ---- spread: one lane per node ----------------------------------------------------------------------------- */

/* A batch of particles in shared memory: offset f, matrix K and a scalar m. */
typedef struct {
    real f[TEAM_LANES][DIM], K[TEAM_LANES][DIM][DIM], m[TEAM_LANES];
} gradient_batch;
/* The same with a vector b. */
typedef struct {
    real f[TEAM_LANES][DIM], b[TEAM_LANES][DIM], m[TEAM_LANES];
} vector_batch;

/* Stores offset f, matrix K and scalar m of a particle as entry j of the batch. */
PIO_FN void gradient_put(gradient_batch *t, int j, vec f, mat K, real m)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        t->f[j][a] = f.x[a];
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) t->K[j][a][c] = K.m[a][c];
    }
    t->m[j] = m;
}

/* Stores offset f, vector b and scalar m of a particle as entry j of the batch. */
PIO_FN void vector_put(vector_batch *t, int j, vec f, vec b, real m)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        t->f[j][a] = f.x[a];
        t->b[j][a] = b.x[a];
    }
    t->m[j] = m;
}

/* Returns the weight of stencil node q for offset f, and sets its gradient g = d w_o/d f. */
PIO_FN real lane_gradient(int q, const real f[DIM], real g[DIM])
{
    real w[DIM], dw[DIM];
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real d = f[a] - lane_gamma(a, q), s = lane_beta(a, q) * d;
        w[a] = lane_alpha(a, q) + s * d;
        dw[a] = R(2) * s;
    }
#if PIO_DIM == 3
    const real w01 = w[0] * w[1];
    g[0] = dw[0] * w[1] * w[2];
    g[1] = w[0] * dw[1] * w[2];
    g[2] = w01 * dw[2];
    return w01 * w[2];
#else
    g[0] = dw[0] * w[1];
    g[1] = w[0] * dw[1];
    return w[0] * w[1];
#endif
}

/* Returns component c of K g of entry j, g the gradient of lane_gradient. */
PIO_FN real batch_gradient(const gradient_batch *t, int j, int c, const real g[DIM])
{
    real s = t->K[j][c][0] * g[0];
    PIO_UNROLL
    for (int a = 1; a < DIM; a++) s += t->K[j][c][a] * g[a];
    return s;
}

/* Adds the spread of b, and where `with_m` is 1 that of m before it, of the particles of a batch to the sums of the
 * tile, cell after cell; TEAM_SYNC() is done. */
PIO_FN void vector_spread(const vector_batch *t, const team_cells *cells, const team_batch *b, int with_m,
                          tile_sums *tile)
{
    for (int r = 0; r < b->runs; r++) {
        const int end = run_end(cells, b, r);
        PER_LANE(real, sum, DIM + 1);
        LANES (q, STENCIL_PAD)
            for (int c = 0; c <= DIM; c++) sum[c][LANE(q)] = R(0);
        for (int j = run_begin(cells, b, r); j < end; j++)
            LANES (q, STENCIL_PAD) {
                const real w = lane_weight(q, t->f[j]);
                if (with_m) sum[0][LANE(q)] += w * t->m[j];
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) sum[with_m + c][LANE(q)] += w * t->b[j][c];
            }
        tile_add(tile, cells->cell[b->cell + r], DIM + with_m, sum);
        TEAM_SYNC();
    }
}

/* Adds the spread of K, and where `with_m` is 1 that of m before it, as vector_spread does. */
PIO_FN void gradient_spread(const gradient_batch *t, const team_cells *cells, const team_batch *b, int with_m,
                            tile_sums *tile)
{
    for (int r = 0; r < b->runs; r++) {
        const int end = run_end(cells, b, r);
        PER_LANE(real, sum, DIM + 1);
        LANES (q, STENCIL_PAD)
            for (int c = 0; c <= DIM; c++) sum[c][LANE(q)] = R(0);
        for (int j = run_begin(cells, b, r); j < end; j++)
            LANES (q, STENCIL_PAD) {
                real g[DIM];
                const real w = lane_gradient(q, t->f[j], g);
                if (with_m) sum[0][LANE(q)] += w * t->m[j];
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) sum[with_m + c][LANE(q)] += batch_gradient(t, j, c, g);
            }
        tile_add(tile, cells->cell[b->cell + r], DIM + with_m, sum);
        TEAM_SYNC();
    }
}

/* ---- nodes to particle: one lane per particle ---------------------------------------------------------------- */

/* Returns sum_o w_o y_o of the cell at place `at` of a tile. */
PIO_FN vec stencil_mean(const node_vectors *n, int at, const spline *s)
{
    vec S;
    mat unused;
    stencil_moments(n, at, s, &S, &unused);
    return S;
}

/* Returns M_ca = sum_o y_oc (d w_o/d f_a) of the cell at place `at` of a tile, one axis at a time. */
PIO_FN mat stencil_gradient(const node_vectors *n, int at, const spline *s)
{
    mat M;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const real *y = n->y[c] + at;
        real g0 = R(0), g1 = R(0);
#if PIO_DIM == 3
        real g2 = R(0);
#endif
        PIO_UNROLL
        for (int i = 0; i < 3; i++) {
            real t = R(0), t1 = R(0);
#if PIO_DIM == 3
            real t2 = R(0);
            PIO_UNROLL
            for (int j = 0; j < 3; j++) {
                const int q = tile_node(9 * i + 3 * j);
                const real u = s->w[2][0] * y[q] + s->w[2][1] * y[q + 1] + s->w[2][2] * y[q + 2];
                const real v = s->dw[2][0] * y[q] + s->dw[2][1] * y[q + 1] + s->dw[2][2] * y[q + 2];
                t += s->w[1][j] * u;
                t1 += s->dw[1][j] * u;
                t2 += s->w[1][j] * v;
            }
            g2 += s->w[0][i] * t2;
#else
            PIO_UNROLL
            for (int j = 0; j < 3; j++) {
                t += s->w[1][j] * y[tile_node(3 * i + j)];
                t1 += s->dw[1][j] * y[tile_node(3 * i + j)];
            }
#endif
            g0 += s->dw[0][i] * t;
            g1 += s->w[0][i] * t1;
        }
        M.m[c][0] = g0;
        M.m[c][1] = g1;
#if PIO_DIM == 3
        M.m[c][2] = g2;
#endif
    }
    return M;
}

/* Returns the second derivative of the weight of node k = 0, 1, 2 of an axis. */
PIO_FN real spline_curvature(int k)
{
    return k == 1 ? R(-2) : R(1);
}

/* Returns y_o^T K of the node at place q of a tile, and sets m z_o, which is 0 where z is NULL. */
PIO_FN vec bend_row(const node_vectors *n, const real *z, real m, mat K, int q, real *e)
{
    vec r;
    PIO_UNROLL
    for (int b = 0; b < DIM; b++) {
        r.x[b] = n->y[0][q] * K.m[0][b];
        PIO_UNROLL
        for (int c = 1; c < DIM; c++) r.x[b] += n->y[c][q] * K.m[c][b];
    }
    *e = z ? m * z[q] : R(0);
    return r;
}

/* Returns s_a = d/d f_a sum_o (y_o . K (d w_o/d f) + m z_o w_o) of the cell at place `at` of the tiles y and z, one
 * axis at a time; z may be NULL (m z = 0). */
PIO_FN vec stencil_bend(const node_vectors *n, const real *z, int at, real m, const spline *s, mat K)
{
    vec r = vec_zero();
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        const real w0 = s->w[0][i], d0 = s->dw[0][i];
        real b0 = R(0), b1 = R(0), e0 = R(0), e1 = R(0), e;
#if PIO_DIM == 3
        real c0 = R(0), c1 = R(0);
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const real w1 = s->w[1][j], d1 = s->dw[1][j];
            real v0 = R(0), v1 = R(0), v2 = R(0), u0 = R(0), u1 = R(0), u2 = R(0);
            PIO_UNROLL
            for (int k = 0; k < 3; k++) {
                const real w2 = s->w[2][k], d2 = s->dw[2][k];
                const vec y = bend_row(n, z, m, K, at + tile_node(9 * i + 3 * j + k), &e);
                v0 += w2 * y.x[0]; /* along the last axis, and its derivative */
                v1 += w2 * y.x[1];
                v2 += d2 * y.x[2] + w2 * e;
                u0 += d2 * y.x[0];
                u1 += d2 * y.x[1];
                u2 += spline_curvature(k) * y.x[2] + d2 * e;
            }
            b0 += w1 * v0;
            b1 += d1 * v1 + w1 * v2;
            e0 += d1 * v0;
            e1 += spline_curvature(j) * v1 + d1 * v2;
            c0 += w1 * u0;
            c1 += d1 * u1 + w1 * u2;
        }
        r.x[2] += d0 * c0 + w0 * c1;
#else
        PIO_UNROLL
        for (int j = 0; j < 3; j++) {
            const real w1 = s->w[1][j], d1 = s->dw[1][j];
            const vec y = bend_row(n, z, m, K, at + tile_node(3 * i + j), &e);
            b0 += w1 * y.x[0];
            b1 += d1 * y.x[1] + w1 * e;
            e0 += d1 * y.x[0];
            e1 += spline_curvature(j) * y.x[1] + d1 * e;
        }
#endif
        r.x[0] += spline_curvature(i) * b0 + d0 * b1;
        r.x[1] += d0 * e0 + w0 * e1;
    }
    return r;
}

#endif
