/* pair.h -- the distance between two parts of surfaces, with its derivatives by their nodes: of a point from an edge in
 * 2D, of a point from a triangle and of two edges in 3D (the pairs of Li et al. 2020, "Incremental Potential Contact").
 *
 * The nearest points of the two parts are combinations of their nodes, with weights that are not negative. Those of the
 * first part sum to 1, those of the second are counted negative and sum to -1:
 *
 *     d n = sum_i w_i x_i,    |n| = 1,    dd/dx_i = w_i n
 *
 * so that the forces of a pair sum to zero, and their moments, too. The nearest point of a part lies in its interior,
 * on an edge of it or at a node: it can move along as many directions as that has, 0 to DIM - 1 for the two together.
 * Let P project on these directions, which are perpendicular to n, and let w_i change by -C_i . v where the first part
 * is shifted by v. Then
 *
 *     d^2 d/dx_i dx_j = w_i w_j Q - d (C_i . C_j) n n^T - w_j n C_i^T - w_i C_j n^T,    Q = (I - n n^T - P)/d
 *
 * d has a continuous derivative where the nearest points are unique and d > 0; its second derivative jumps where they
 * pass from the interior to an edge or from an edge to a node. They are not unique for edges that are parallel
 * (pair_barrier.h). Parts without an extent are edges or points: no division by zero, and the distance is right.
 *
 * The nearest points are found in double precision whatever `real` is: their places lose digits twice, in differences
 * of positions and in directions that are nearly parallel. */
#ifndef PIOLA_KERNELS_PAIR_H
#define PIOLA_KERNELS_PAIR_H

#include "kernels/base/vec.h"

/* The nodes of a pair. PAIR_FACE: x[0] is the point, and the others are those of the edge (2D) or the triangle (3D).
 * PAIR_EDGES, 3D alone: the edges are from x[0] to x[1] and from x[2] to x[3]. */
enum { PAIR_NODES = DIM + 1 };
enum { PAIR_FACE, PAIR_EDGES };

/* ---- vectors in double precision ------------------------------------------------------------------------------ */

typedef struct {
    wide x[DIM];
} wide_vec;

/* Returns a vector in double precision. */
PIO_FN wide_vec wide_of(vec a)
{
    wide_vec r;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) r.x[c] = W(a.x[c]);
    return r;
}

/* Returns a + s b. */
PIO_FN wide_vec wide_along(wide_vec a, wide s, wide_vec b)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a.x[c] += s * b.x[c];
    return a;
}

/* Returns a - b. */
PIO_FN wide_vec wide_minus(wide_vec a, wide_vec b)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a.x[c] -= b.x[c];
    return a;
}

/* Returns s a. */
PIO_FN wide_vec wide_scale(wide s, wide_vec a)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a.x[c] *= s;
    return a;
}

/* Returns a . b. */
PIO_FN wide wide_dot(wide_vec a, wide_vec b)
{
    wide s = a.x[0] * b.x[0];
    PIO_UNROLL
    for (int c = 1; c < DIM; c++) s += a.x[c] * b.x[c];
    return s;
}

#if PIO_DIM == 3
/* Returns a x b. */
PIO_FN wide_vec wide_cross(wide_vec a, wide_vec b)
{
    wide_vec r;
    PIO_UNROLL
    for (int c = 0; c < 3; c++) r.x[c] = a.x[(c + 1) % 3] * b.x[(c + 2) % 3] - a.x[(c + 2) % 3] * b.x[(c + 1) % 3];
    return r;
}
#endif

/* ---- nearest points ------------------------------------------------------------------------------------------- */

/* Squares of lengths up to this, m^2, are 0: their inverses are numbers of `real`. */
#define PAIR_LEAST W(sizeof(real) == 4 ? 1e-30 : 1e-140)
/* Directions are parallel where the square of the sine between them is below this, that of a few roundings. */
#define PAIR_PARALLEL W(1e-30)

/* The nearest points of the two parts. */
typedef struct {
    wide_vec r;                 /* sum_i w_i x_i, m */
    wide square;                /* |r|^2 */
    wide_vec n;                 /* unit, from the second part to the first */
    wide w[PAIR_NODES];         /* the weights w_i */
    wide_vec slide[PAIR_NODES]; /* C_i, 1/m */
    int freedom;                /* directions along which the nearest points can move */
} pair_nearest;

/* A point and an edge of a pair: one of its parts, or nodes and edges that its parts have. */
typedef struct {
    int point, from, to; /* nodes */
} pair_side;

enum { PAIR_SIDES = DIM == 2 ? 1 : 4 };
/* Those of each kind, of which the nearest is where the parts are nearest unless that is in the interior of both. */
PIO_TABLE pair_side pair_sides[DIM - 1][PAIR_SIDES] = {
#if PIO_DIM == 3
    {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}},
    {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}},
#else
    {{0, 1, 2}},
#endif
};

/* Returns where on an edge of a side, 0..1 from its first node, its point is nearest, and sets *r to the way from there
 * to the point, from the nearer node on, so that it loses no digits near either. */
PIO_FN wide pair_side_at(const wide_vec x[PAIR_NODES], pair_side s, wide_vec *r)
{
    const wide_vec e = wide_minus(x[s.to], x[s.from]), q = wide_minus(x[s.point], x[s.from]);
    const wide square = wide_dot(e, e), along = wide_dot(q, e);
    const wide b = square > PAIR_LEAST && along > W(0) ? (along < square ? along / square : W(1)) : W(0);
    *r = b > W(0.5) ? wide_along(wide_minus(x[s.point], x[s.to]), W(1) - b, e) : wide_along(q, -b, e);
    return b;
}

/* Sets all but n to the nearest points of the side that has the smallest distance, the first of equal ones. */
PIO_FN void pair_nearest_side(int kind, const wide_vec x[PAIR_NODES], pair_nearest *p)
{
    pair_side best = pair_sides[kind][0];
    wide b = pair_side_at(x, best, &p->r);
    p->square = wide_dot(p->r, p->r);
    for (int k = 1; k < PAIR_SIDES; k++) {
        wide_vec r;
        const wide at = pair_side_at(x, pair_sides[kind][k], &r), square = wide_dot(r, r);
        if (!(square < p->square)) continue;
        best = pair_sides[kind][k];
        b = at;
        p->r = r;
        p->square = square;
    }
    const wide sign = W(kind == PAIR_EDGES && best.point > 1 ? -1 : 1);
    const wide_vec e = wide_minus(x[best.to], x[best.from]);
    const wide square = wide_dot(e, e);
    p->freedom = b > W(0) && b < W(1);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        p->w[i] = i == best.point ? sign : i == best.from ? -sign * (W(1) - b) : i == best.to ? -sign * b : W(0);
        p->slide[i] = wide_scale(i == best.to ? W(1) : i == best.from ? W(-1) : W(0), e);
        p->slide[i] = wide_scale(p->freedom ? W(1) / square : W(0), p->slide[i]);
    }
    /* what is left along the edge is rounding */
    if (p->freedom) p->r = wide_along(p->r, -wide_dot(p->r, e) / square, e);
    p->r = wide_scale(sign, p->r);
}

/* Sets n to the normal m of the directions along which the nearest points can move, on the side of the first part, and
 * r to what of it is along n. */
PIO_FN void pair_nearest_normal(pair_nearest *p, wide_vec m)
{
    m = wide_scale(W(1) / sqrt(wide_dot(m, m)), m);
    const wide d = wide_dot(m, p->r);
    p->n = wide_scale(d < W(0) ? W(-1) : W(1), m);
    p->r = wide_scale(d, m);
    p->square = d * d;
}

#if PIO_DIM == 3
/* Sets the nearest points, and returns 1, where these are in the interior of both parts; else returns 0. With the two
 * directions a_1, a_2 along which r = r_0 + b_1 a_1 + b_2 a_2 can change, b_2 is found from what of a_2 is normal to
 * a_1, f_2, and b_1 after it, so that r has an error of rounding even where the directions are nearly parallel. n is
 * along a_1 x f_2: perpendicular to both to rounding, however small d is, and even at 0. */
PIO_FN int pair_nearest_inside(int kind, const wide_vec x[PAIR_NODES], pair_nearest *p)
{
    const int face = kind == PAIR_FACE;
    const wide_vec start = wide_minus(x[0], x[face ? 1 : 2]);
    const wide_vec a1 = face ? wide_minus(x[1], x[2]) : wide_minus(x[1], x[0]);
    const wide_vec a2 = face ? wide_minus(x[1], x[3]) : wide_minus(x[2], x[3]);
    const wide l1 = wide_dot(a1, a1), l2 = wide_dot(a2, a2);
    if (!(l1 > PAIR_LEAST && l2 > PAIR_LEAST)) return 0;
    wide_vec f1 = wide_along(a1, -wide_dot(a1, a2) / l2, a2), f2 = wide_along(a2, -wide_dot(a2, a1) / l1, a1);
    f1 = wide_along(f1, -wide_dot(f1, a2) / l2, a2); /* once more, for what rounding left */
    f2 = wide_along(f2, -wide_dot(f2, a1) / l1, a1);
    const wide m1 = wide_dot(f1, f1), m2 = wide_dot(f2, f2);
    if (!(m1 > PAIR_PARALLEL * l1 && m2 > PAIR_PARALLEL * l2 && m1 > PAIR_LEAST && m2 > PAIR_LEAST)) return 0;
    const wide b2 = -wide_dot(f2, start) / m2;
    const wide_vec q = wide_along(start, b2, a2);
    const wide b1 = -wide_dot(a1, q) / l1;
    if (!(b1 > W(0) && b2 > W(0) && (face ? b1 + b2 < W(1) : b1 < W(1) && b2 < W(1)))) return 0;
    const wide_vec c1 = wide_scale(W(1) / m1, f1), c2 = wide_scale(W(1) / m2, f2);
    p->r = wide_along(q, b1, a1);
    pair_nearest_normal(p, wide_cross(a1, wide_scale(W(1) / sqrt(m2), f2)));
    p->freedom = 2;
    p->w[0] = face ? W(1) : W(1) - b1;
    p->w[1] = face ? b1 + b2 - W(1) : b1;
    p->w[2] = face ? -b1 : b2 - W(1);
    p->w[3] = -b2;
    p->slide[0] = wide_scale(face ? W(0) : W(-1), c1);
    p->slide[1] = face ? wide_along(c1, W(1), c2) : c1;
    p->slide[2] = face ? wide_scale(W(-1), c1) : c2;
    p->slide[3] = wide_scale(W(-1), c2);
    return 1;
}
#endif

/* Returns the nearest points of a pair. */
PIO_FN pair_nearest pair_nearest_of(int kind, const wide_vec x[PAIR_NODES])
{
    pair_nearest p;
    pair_nearest_side(kind, x, &p);
    p.n = wide_scale(p.square > PAIR_LEAST ? W(1) / sqrt(p.square) : W(0), p.r);
    if (!(p.square > PAIR_LEAST)) p.n.x[0] = W(1); /* parts that touch: none is right */
#if PIO_DIM == 3
    pair_nearest inside;
    if (pair_nearest_inside(kind, x, &inside) && inside.square <= p.square) p = inside;
#else
    if (p.freedom == 1) {
        wide_vec m;
        m.x[0] = -p.slide[2].x[1];
        m.x[1] = p.slide[2].x[0];
        pair_nearest_normal(&p, m);
    }
#endif
    return p;
}

/* ---- the distance --------------------------------------------------------------------------------------------- */

/* The distance of a pair. */
typedef struct {
    real d;                /* m, >= 0; 0 where the parts touch: n and the derivatives are finite then, and not right */
    vec n;                 /* unit, from the second part to the first */
    real w[PAIR_NODES];    /* d n = sum_i w_i x_i; dd/dx_i = w_i n */
    vec slide[PAIR_NODES]; /* C_i, 1/m */
    mat bend;              /* Q, 1/m */
} pair_near;

/* Returns the distance of a pair of this kind with its nodes at x, m. Only differences of positions count: where `real`
 * is single, x should be from a point nearby. */
PIO_FN pair_near pair_near_of(int kind, const vec x[PAIR_NODES])
{
    wide_vec at[PAIR_NODES];
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) at[i] = wide_of(x[i]);
    const pair_nearest p = pair_nearest_of(kind, at);
    const wide d = p.square > PAIR_LEAST ? sqrt(p.square) : W(0);
    const wide bend = p.freedom < DIM - 1 && d > W(0) ? W(1) / d : W(0);
    wide_vec t = wide_scale(W(0), p.n); /* the one direction, if there is one */
    pair_near r;
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        const wide square = wide_dot(p.slide[i], p.slide[i]);
        if (p.freedom == 1 && square > W(0)) t = wide_scale(W(1) / sqrt(square), p.slide[i]);
        r.w[i] = R(p.w[i]);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) r.slide[i].x[c] = R(p.slide[i].x[c]);
    }
    r.d = R(d);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        r.n.x[a] = R(p.n.x[a]);
        PIO_UNROLL
        for (int b = 0; b < DIM; b++)
            r.bend.m[a][b] = R(bend * (W(a == b ? 1 : 0) - p.n.x[a] * p.n.x[b] - t.x[a] * t.x[b]));
    }
    return r;
}

/* Returns sum_i dd/dx_i . y_i. */
PIO_FN real pair_along(const pair_near *p, const vec y[PAIR_NODES])
{
    real s = R(0);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) s += p->w[i] * vec_dot(p->n, y[i]);
    return s;
}

/* Sets out_i = sum_j d^2 d/dx_i dx_j y_j, which has the unit of y per m. With s = sum_j w_j y_j and
 * v = sum_j C_j (n . y_j), out_i = w_i (Q s - v) - n C_i . (s + d v). */
PIO_FN void pair_curve(const pair_near *p, const vec y[PAIR_NODES], vec out[PAIR_NODES])
{
    vec s = vec_zero(), v = vec_zero();
    PIO_UNROLL
    for (int j = 0; j < PAIR_NODES; j++) {
        s = vec_axpby(R(1), s, p->w[j], y[j]);
        v = vec_axpby(R(1), v, vec_dot(p->n, y[j]), p->slide[j]);
    }
    const vec turn = vec_axpby(R(1), mat_apply(p->bend, s), R(-1), v), shift = vec_axpby(R(1), s, p->d, v);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) out[i] = vec_axpby(p->w[i], turn, -vec_dot(p->slide[i], shift), p->n);
}

/* Sets dw_i, and returns dn, the changes of weights and of n where the nodes move by y, m: with s and v of pair_curve,
 * dw_i = -C_i . (s + d v) and dn = Q s - v. */
PIO_FN vec pair_near_turn(const pair_near *p, const vec y[PAIR_NODES], real dw[PAIR_NODES])
{
    vec s = vec_zero(), v = vec_zero();
    PIO_UNROLL
    for (int j = 0; j < PAIR_NODES; j++) {
        s = vec_axpby(R(1), s, p->w[j], y[j]);
        v = vec_axpby(R(1), v, vec_dot(p->n, y[j]), p->slide[j]);
    }
    const vec shift = vec_axpby(R(1), s, p->d, v);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) dw[i] = -vec_dot(p->slide[i], shift);
    return vec_axpby(R(1), mat_apply(p->bend, s), R(-1), v);
}

/* Adjoint of the weights and of n: adds to x_bar for the cotangents w_bar_i of w_i and n_bar of n, in J's
 * unit. Where nodes move by y, dw_i = -C_i . (s + d v) and dn = Q s - v, with s and v of pair_curve. So with
 * g = sum_i w_bar_i C_i the cotangents of these are Q n_bar - g and -(n_bar + d g). */
PIO_FN void pair_near_adj(const pair_near *p, const real w_bar[PAIR_NODES], vec n_bar, vec x_bar[PAIR_NODES])
{
    vec g = vec_zero();
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) g = vec_axpby(R(1), g, w_bar[i], p->slide[i]);
    const vec s_bar = vec_axpby(R(1), mat_apply(p->bend, n_bar), R(-1), g);
    const vec v_bar = vec_axpby(R(-1), n_bar, -p->d, g);
    PIO_UNROLL
    for (int i = 0; i < PAIR_NODES; i++) {
        x_bar[i] = vec_axpby(R(1), x_bar[i], p->w[i], s_bar);
        x_bar[i] = vec_axpby(R(1), x_bar[i], vec_dot(p->slide[i], v_bar), p->n);
    }
}

#endif
