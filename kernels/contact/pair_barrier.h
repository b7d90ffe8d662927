/* pair_barrier.h -- the potential of a pair of surface parts: the barrier of its distance, mollified where edges are
 * nearly parallel (Li et al. 2020, "Incremental Potential Contact", sections 4 and 5), with adjoints.
 *
 *     Phi = k h e B(s),    s = d/h                           B of barrier.h, d of pair.h, k in N, h in m
 *     dPhi/dx_i = k (h B de/dx_i + e B' w_i n)
 *
 * The nearest points of two parallel edges are not unique, and dd/dx jumps there. The mollifier (equations 24 and 25)
 * makes the force continuous, because it vanishes with the square of the sine between the edges u and v:
 *
 *     e = q (2 - q) for q < 1, else 1,    q = |u x v|^2/(0.001 |U|^2 |V|^2)
 *
 * with U and V the edges at rest. It is 1 for points and triangles, and in 2D. */
#ifndef PIOLA_KERNELS_PAIR_BARRIER_H
#define PIOLA_KERNELS_PAIR_BARRIER_H

#include "kernels/contact/barrier.h"
#include "kernels/contact/pair.h"

/* ---- nearly parallel edges ------------------------------------------------------------------------------------ */

/* The square of the sine, for edges as long as at rest, from which the mollifier is 1. */
#define PAIR_PARALLEL_EDGES W(1e-3)

/* The mollifier of a pair. */
typedef struct {
    real value;            /* e, 0..1 */
    real first, second;    /* de/dq and d^2e/dq^2; 0 where e is constant */
    vec slope[PAIR_NODES]; /* de/dx_i, 1/m */
    real q;                /* 0 where e is constant, as what follows */
    wide_vec u, v;         /* the edges, u/|U| and v/|V| */
    wide_vec by_u, by_v;   /* dq/du and dq/dv, of these */
    wide length[2];        /* |U| and |V|, m; 1 where e is constant */
} pair_ease;

/* Sets `out` to a derivative by x_i from that by the edges, which have their lengths at rest for units. */
PIO_FN void pair_ease_spread(const pair_ease *e, wide scale, wide_vec by_u, wide_vec by_v, vec out[PAIR_NODES])
{
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        const wide s = W(i % 2 ? 1 : -1) * scale / e->length[i / 2];
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) out[i].x[c] = R(s * (i < 2 ? by_u.x[c] : by_v.x[c]));
    }
}

/* Returns the mollifier that is 1 everywhere. */
PIO_FN pair_ease pair_ease_none(void)
{
    pair_ease e;
    e.value = R(1);
    e.first = e.second = e.q = R(0);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) e.slope[i] = vec_zero();
    e.u = e.v = e.by_u = e.by_v = wide_of(vec_zero());
    e.length[0] = e.length[1] = W(1);
    return e;
}

/* Returns the mollifier of a pair with its nodes at x, and at X at rest, m. */
PIO_FN pair_ease pair_ease_of(int kind, const vec x[PAIR_NODES], const vec X[PAIR_NODES])
{
    pair_ease e = pair_ease_none();
#if PIO_DIM == 3
    if (kind != PAIR_EDGES) return e;
    const wide_vec U = wide_minus(wide_of(X[1]), wide_of(X[0])), V = wide_minus(wide_of(X[3]), wide_of(X[2]));
    const wide uu = wide_dot(U, U), vv = wide_dot(V, V);
    if (!(uu > PAIR_LEAST && vv > PAIR_LEAST)) return e; /* no edges */
    const wide_vec u = wide_scale(W(1) / sqrt(uu), wide_minus(wide_of(x[1]), wide_of(x[0])));
    const wide_vec v = wide_scale(W(1) / sqrt(vv), wide_minus(wide_of(x[3]), wide_of(x[2])));
    const wide_vec N = wide_cross(u, v);
    const wide q = wide_dot(N, N) / PAIR_PARALLEL_EDGES;
    if (!(q < W(1))) return e;
    e.u = u;
    e.v = v;
    e.length[0] = sqrt(uu);
    e.length[1] = sqrt(vv);
    e.q = R(q);
    e.value = R(q * (W(2) - q));
    e.first = R(W(2) - W(2) * q);
    e.second = R(-2);
    e.by_u = wide_scale(W(2) / PAIR_PARALLEL_EDGES, wide_cross(e.v, N));
    e.by_v = wide_scale(W(2) / PAIR_PARALLEL_EDGES, wide_cross(N, e.u));
    pair_ease_spread(&e, W(e.first), e.by_u, e.by_v, e.slope);
#else
    (void)kind;
    (void)x;
    (void)X;
#endif
    return e;
}

/* Returns whether the mollifier depends on the places of nodes where it was found. */
PIO_FN int pair_ease_varies(const pair_ease *e)
{
    return e->second < R(0);
}

/* Returns sum_i de/dx_i . y_i. */
PIO_FN real pair_ease_along(const pair_ease *e, const vec y[PAIR_NODES])
{
    real s = R(0);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) s += vec_dot(e->slope[i], y[i]);
    return s;
}

/* Sets out_i = sum_j d^2e/dx_i dx_j y_j, which has the unit of y per m^2. */
PIO_FN void pair_ease_curve(const pair_ease *e, const vec y[PAIR_NODES], vec out[PAIR_NODES])
{
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) out[i] = vec_zero();
#if PIO_DIM == 3
    if (!pair_ease_varies(e)) return;
    const wide_vec du = wide_scale(W(1) / e->length[0], wide_minus(wide_of(y[1]), wide_of(y[0])));
    const wide_vec dv = wide_scale(W(1) / e->length[1], wide_minus(wide_of(y[3]), wide_of(y[2])));
    const wide_vec N = wide_cross(e->u, e->v), dN = wide_along(wide_cross(du, e->v), W(1), wide_cross(e->u, dv));
    const wide_vec a = wide_along(wide_cross(dv, N), W(1), wide_cross(e->v, dN)),
                   b = wide_along(wide_cross(dN, e->u), W(1), wide_cross(N, du));
    const wide dq = wide_dot(e->by_u, du) + wide_dot(e->by_v, dv), c = W(e->first) * W(2) / PAIR_PARALLEL_EDGES;
    pair_ease_spread(e, W(1), wide_along(wide_scale(W(e->second) * dq, e->by_u), c, a),
                     wide_along(wide_scale(W(e->second) * dq, e->by_v), c, b), out);
#else
    (void)e;
    (void)y;
#endif
}

/* Adds to the cotangents of the places at rest, J's unit per m, those of a J with dJ/de = value_bar and
 * dJ/d(sum_i de/dx_i . y_i) = along_bar. Both depend on X through the lengths: q goes with |U|^-2 |V|^-2, and so does
 * dq/dx. */
PIO_FN void pair_ease_rest(const pair_ease *e, const vec X[PAIR_NODES], const vec y[PAIR_NODES], real value_bar,
                           real along_bar, vec X_bar[PAIR_NODES])
{
#if PIO_DIM == 3
    if (!pair_ease_varies(e)) return;
    const wide_vec du = wide_scale(W(1) / e->length[0], wide_minus(wide_of(y[1]), wide_of(y[0])));
    const wide_vec dv = wide_scale(W(1) / e->length[1], wide_minus(wide_of(y[3]), wide_of(y[2])));
    const real dq = R(wide_dot(e->by_u, du) + wide_dot(e->by_v, dv));
    const real by_log = R(-2) * (value_bar * e->first * e->q + along_bar * (e->first + e->second * e->q) * dq);
    PIO_UNROLL
    for (int k = 0; k < 2; k++) {
        const vec U = vec_axpby(R(1), X[2 * k + 1], R(-1), X[2 * k]);
        const real s = by_log / R(e->length[k] * e->length[k]);
        X_bar[2 * k] = vec_axpby(R(1), X_bar[2 * k], -s, U);
        X_bar[2 * k + 1] = vec_axpby(R(1), X_bar[2 * k + 1], s, U);
    }
#else
    (void)e;
    (void)X;
    (void)y;
    (void)value_bar;
    (void)along_bar;
    (void)X_bar;
#endif
}

/* ---- the potential -------------------------------------------------------------------------------------------- */

/* The potential of a pair. */
typedef struct {
    pair_near at;
    pair_ease ease;
    barrier B;     /* at d/h */
    real scale, h; /* k, N, and h, m */
} pair_barrier;

/* Returns the potential of a pair with its nodes at x, and at X at rest, m, with the scale k > 0, N, and the distance
 * h > 0, m, from which it acts. */
PIO_FN pair_barrier pair_barrier_of(int kind, const vec x[PAIR_NODES], const vec X[PAIR_NODES], real scale, real h)
{
    pair_barrier p;
    p.at = pair_near_of(kind, x);
    p.ease = pair_ease_of(kind, x, X);
    p.B = barrier_of(p.at.d / h);
    p.scale = scale;
    p.h = h;
    return p;
}

/* Returns whether the pair is near enough for its potential to act. */
PIO_FN int pair_acts(const pair_barrier *p)
{
    return p->at.d < p->h;
}

/* Returns Phi, J; 1e300 where the parts touch. */
PIO_FN wide pair_energy(const pair_barrier *p)
{
    if (!(p->at.d > R(0))) return W(1e300);
    return W(p->scale * p->h * p->ease.value * p->B.value);
}

/* Returns the force that drives the parts apart, the mollifier held, -k e B' >= 0, N: the normal force of friction. */
PIO_FN real pair_normal_force(const pair_barrier *p)
{
    return -p->scale * p->ease.value * p->B.slope;
}

/* Returns by how much it changes where the nodes move by y, m. */
PIO_FN real pair_normal_force_along(const pair_barrier *p, const vec y[PAIR_NODES])
{
    const real by_near = -p->scale * p->ease.value * p->B.curve / p->h;
    return by_near * pair_along(&p->at, y) - p->scale * p->B.slope * pair_ease_along(&p->ease, y);
}

/* Its adjoint, press_bar in J's unit per N: adds to the cotangents of x at rest in X_bar and at hand in x_bar, and of k
 * and h, by dN = -k (e B'' dd/h + B' de) - e B' dk + k e B'' s dh/h. */
PIO_FN void pair_normal_force_adj(const pair_barrier *p, const vec X[PAIR_NODES], real press_bar, vec x_bar[PAIR_NODES],
                                  vec X_bar[PAIR_NODES], real *scale_bar, real *h_bar)
{
    const vec none[PAIR_NODES] = {{{R(0)}}};
    const real steep = p->scale * p->ease.value * p->B.curve / p->h * press_bar, by_ease = -p->scale * p->B.slope;
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        x_bar[i] = vec_axpby(R(1), x_bar[i], -steep * p->at.w[i], p->at.n);
        x_bar[i] = vec_axpby(R(1), x_bar[i], by_ease * press_bar, p->ease.slope[i]);
    }
    *scale_bar -= p->ease.value * p->B.slope * press_bar;
    *h_bar += steep * p->at.d / p->h;
    pair_ease_rest(&p->ease, X, none, by_ease * press_bar, R(0), X_bar);
}

/* Sets out_i = dPhi/dx_i, N. */
PIO_FN void pair_slopes(const pair_barrier *p, vec out[PAIR_NODES])
{
    const real of_ease = p->scale * p->h * p->B.value, of_near = p->scale * p->ease.value * p->B.slope;
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) out[i] = vec_axpby(of_ease, p->ease.slope[i], of_near * p->at.w[i], p->at.n);
}

/* Sets out_i = sum_j d^2 Phi/dx_i dx_j y_j, which has the unit of y times N/m. With g_y = sum_i w_i n . y_i and
 * e_y = sum_i de/dx_i . y_i,
 *     out_i = k (h B (d^2e/dx^2 y)_i + B' (g_y de/dx_i + e_y w_i n) + e (B''/h g_y w_i n + B' (d^2d/dx^2 y)_i)). */
PIO_FN void pair_product(const pair_barrier *p, const vec y[PAIR_NODES], vec out[PAIR_NODES])
{
    const real g = pair_along(&p->at, y), e = pair_ease_along(&p->ease, y), k = p->scale;
    const real by_near = k * (p->ease.value * p->B.curve / p->h * g + p->B.slope * e), by_ease = k * p->B.slope * g;
    vec bent[PAIR_NODES];
    pair_curve(&p->at, y, bent);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        const vec own = vec_axpby(by_near * p->at.w[i], p->at.n, by_ease, p->ease.slope[i]);
        out[i] = vec_axpby(R(1), own, k * p->ease.value * p->B.slope, bent[i]);
    }
    if (!pair_ease_varies(&p->ease)) return;
    pair_ease_curve(&p->ease, y, bent);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) out[i] = vec_axpby(R(1), out[i], k * p->h * p->B.value, bent[i]);
}

/* Adjoint of pair_slopes for the cotangents y of its `out`, J's unit per N: adds to those of k, h and of the places at
 * rest X, m. That of x is pair_product(y), and x at rest moves with X where displacements are fixed. */
PIO_FN void pair_slopes_adj(const pair_barrier *p, const vec y[PAIR_NODES], const vec X[PAIR_NODES], real *scale_bar,
                            real *h_bar, vec X_bar[PAIR_NODES])
{
    const real g = pair_along(&p->at, y), e = pair_ease_along(&p->ease, y), s = p->at.d / p->h;
    *scale_bar += p->h * p->B.value * e + p->ease.value * p->B.slope * g;
    *h_bar += p->scale * ((p->B.value - s * p->B.slope) * e - p->ease.value * p->B.curve * s / p->h * g);
    pair_ease_rest(&p->ease, X, y, p->scale * p->B.slope * g, p->scale * p->h * p->B.value, X_bar);
}

/* ---- the matrix ----------------------------------------------------------------------------------------------- */

/* Adds s z z^T to the blocks of a pair. */
PIO_FN void pair_matrix_add(real s, const vec z[PAIR_NODES], mat out[PAIR_NODES][PAIR_NODES])
{
    for (int i = 0; i < PAIR_NODES; i++)
        for (int j = 0; j < PAIR_NODES; j++)
            out[i][j] = mat_axpby(R(1), out[i][j], R(1), mat_outer(vec_scale(s, z[i]), z[j]));
}

/* Returns the sum of |z_i|^2. */
PIO_FN real pair_square(const vec z[PAIR_NODES])
{
    real s = R(0);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) s += vec_dot(z[i], z[i]);
    return s;
}

/* Adds the positive part, times s, of -d^2d/dx^2 along a unit direction t in which nearest points are free. With the
 * unit vectors p_i = C_i . t/sqrt(g), g = sum_i (C_i . t)^2, and w_i/|w| that is a matrix of two rows,
 *     [d g, b; b, 0],    b = |w| sqrt(g),
 * for what moves p along n, and what moves w along t; it has the eigenvalues (d g +- sqrt(d^2 g^2 + 4 b^2))/2. */
PIO_FN void pair_matrix_turn(const pair_near *p, real s, vec t, mat out[PAIR_NODES][PAIR_NODES])
{
    real g = R(0), ww = R(0);
    vec z[PAIR_NODES];
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        const real c = vec_dot(p->slide[i], t);
        g += c * c;
        ww += p->w[i] * p->w[i];
    }
    if (!(g > R(0))) return;
    const real b = sqrt(ww * g), most = R(0.5) * (p->d * g + sqrt(p->d * p->d * g * g + R(4) * b * b));
    const real norm = sqrt(most * most + b * b), of_p = most / (norm * sqrt(g)), of_w = b / (norm * sqrt(ww));
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) z[i] = vec_axpby(of_p * vec_dot(p->slide[i], t), p->n, of_w * p->w[i], t);
    pair_matrix_add(s * most, z, out);
}

/* Adds the positive part of -d^2d/dx^2, times s: that along the principal directions of sum_i C_i C_i^T, which are
 * independent of each other. Along the others Q makes -d^2d/dx^2 negative. */
PIO_FN void pair_matrix_near(const pair_near *p, real s, mat out[PAIR_NODES][PAIR_NODES])
{
    vec t = vec_zero();
    real most = R(0);
    for (int i = 0; i < PAIR_NODES; i++) {
        const real square = vec_dot(p->slide[i], p->slide[i]);
        if (!(square > most)) continue;
        most = square;
        t = vec_scale(R(1) / sqrt(square), p->slide[i]);
    }
    if (!(most > R(0))) return;
#if PIO_DIM == 3
    vec b;
    real tt = R(0), tb = R(0), bb = R(0);
    PIO_UNROLL
    for (int c = 0; c < 3; c++)
        b.x[c] = p->n.x[(c + 1) % 3] * t.x[(c + 2) % 3] - p->n.x[(c + 2) % 3] * t.x[(c + 1) % 3];
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        const real x = vec_dot(p->slide[i], t), y = vec_dot(p->slide[i], b);
        tt += x * x;
        tb += x * y;
        bb += y * y;
    }
    const real angle = R(0.5) * atan2(R(2) * tb, tt - bb), c = cos(angle), q = sin(angle);
    pair_matrix_turn(p, s, vec_axpby(c, t, q, b), out);
    pair_matrix_turn(p, s, vec_axpby(-q, t, c, b), out);
#else
    pair_matrix_turn(p, s, t, out);
#endif
}

/* Adds what is positive of the derivatives of the mollifier: s times the part of d^2e/dx^2 and `both` >= 0 times that
 * of -(de/dx dd/dx^T + dd/dx de/dx^T). The first is that of
 *     e' 2/0.001 (|dN|^2 + 2 N . (du x dv)),    N = u x v,    dN = du x v + u x dv,
 * of which the first term is positive, and the positive part of the second is
 *     |N|/2 |du - (du . N) N/|N|^2 - N x dv/|N||^2
 * (for edges as long as each other); the other is |a| |b|/2 |a/|a| - b/|b||^2 with the two vectors a and b. */
PIO_FN void pair_matrix_ease(const pair_barrier *p, real s, real both, mat out[PAIR_NODES][PAIR_NODES])
{
#if PIO_DIM == 3
    const pair_ease *e = &p->ease;
    vec z[PAIR_NODES], g[PAIR_NODES];
    const wide_vec N = wide_cross(e->u, e->v), none = wide_scale(W(0), N);
    const wide size = sqrt(wide_dot(N, N));
    const wide_vec m = wide_scale(size > W(0) ? W(1) / size : W(0), N);
    const real positive = s * e->first * R(W(2) / PAIR_PARALLEL_EDGES);
    for (int c = 0; c < 3; c++) {
        wide_vec axis = none;
        axis.x[c] = W(1);
        pair_ease_spread(e, W(1), wide_cross(e->v, axis), wide_cross(axis, e->u), z); /* of dN along the axis */
        pair_matrix_add(positive, z, out);
        pair_ease_spread(e, W(1), wide_along(axis, -m.x[c], m), wide_cross(m, axis), z);
        pair_matrix_add(R(0.5) * positive * R(size), z, out);
    }
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) g[i] = vec_scale(p->at.w[i], p->at.n);
    const real of_e = sqrt(pair_square(e->slope)), of_d = sqrt(pair_square(g));
    if (!(of_e > R(0))) return;
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) z[i] = vec_axpby(R(1) / of_e, e->slope[i], R(-1) / of_d, g[i]);
    pair_matrix_add(R(0.5) * both * of_e * of_d, z, out);
#else
    (void)p;
    (void)s;
    (void)both;
    (void)out;
#endif
}

/* Sets the blocks d^2 Phi/dx_i dx_j, N/m, which are symmetric: out[j][i] is the transpose of out[i][j]. */
PIO_FN void pair_matrix(const pair_barrier *p, mat out[PAIR_NODES][PAIR_NODES])
{
    vec y[PAIR_NODES], column[PAIR_NODES];
    for (int j = 0; j < PAIR_NODES; j++)
        for (int c = 0; c < DIM; c++) {
            for (int i = 0; i < PAIR_NODES; i++) y[i] = vec_zero();
            y[j].x[c] = R(1);
            pair_product(p, y, column);
            for (int i = 0; i <= j; i++)
                for (int a = 0; a < DIM; a++) out[i][j].m[a][c] = column[i].x[a];
        }
    for (int j = 0; j < PAIR_NODES; j++) {
        for (int i = 0; i < j; i++) out[j][i] = mat_transpose(out[i][j]);
        out[j][j] = mat_axpby(R(0.5), out[j][j], R(0.5), mat_transpose(out[j][j]));
    }
}

/* Sets the blocks of a matrix that is positive semidefinite and no less than d^2 Phi/dx^2: the sum of the positive
 * parts of its terms, the stiffness of the barrier along n, what is positive of the distance's curvature, and where
 * edges are nearly parallel of the mollifier's. */
PIO_FN void pair_matrix_projected(const pair_barrier *p, mat out[PAIR_NODES][PAIR_NODES])
{
    const real k = p->scale, e = p->ease.value;
    vec g[PAIR_NODES];
    for (int i = 0; i < PAIR_NODES; i++) {
        g[i] = vec_scale(p->at.w[i], p->at.n);
        for (int j = 0; j < PAIR_NODES; j++) out[i][j] = mat_diag(R(0));
    }
    pair_matrix_add(k * e * p->B.curve / p->h, g, out);
    pair_matrix_near(&p->at, -k * e * p->B.slope, out);
    if (pair_ease_varies(&p->ease)) pair_matrix_ease(p, k * p->h * p->B.value, -k * p->B.slope, out);
}

#endif
