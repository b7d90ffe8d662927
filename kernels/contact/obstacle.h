/* Room kernels/contact: contact of any body with obstacles: shapes as distances, poses, friction. */
/* obstacle.h -- shapes as signed distances in their own frame, how far a condition reaches beyond them, and smooth
 * friction.
 *
 * The distance d(y) is negative inside. Beside it stand the unit normal n(y), which points outward, and what an adjoint
 * needs: the slope dd/dy and the turn dn/dy. Distances of balls, boxes and cylinders are exact (Quilez, "Distance
 * functions"); inside a box and a cylinder normals jump where two faces are equally near, and outside they turn the
 * faster the nearer an edge is; on an edge, which a node may be but for rounding, they are those of a face. That of a
 * surface of triangles is a cubic spline through its distances at the points of a lattice, so that its normals have a
 * continuous derivative. */
#ifndef PIOLA_KERNELS_OBSTACLE_H
#define PIOLA_KERNELS_OBSTACLE_H

#include "kernels/contact/obstacle_args.h"
#include "kernels/base/vec.h"

typedef struct {
    real d;     /* m */
    vec slope;  /* dd/dy */
    vec normal; /* unit */
    mat turn;   /* dn/dy, 1/m */
    mat curve;  /* d2d/dy2, 1/m: that of n where the slope is a unit vector */
} obstacle_near;

/* Nearer to an edge than this fraction of the width, a place is on it. */
#define OBSTACLE_EDGE R(sizeof(real) == 4 ? 1e-3 : 1e-6)

/* Returns d(y) = n . y of a plane through the origin of the frame, with n its unit normal. */
PIO_FN obstacle_near plane_near(const obstacle_shape *o, vec y)
{
    obstacle_near r;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) r.normal.x[a] = o->normal[a];
    r.d = vec_dot(r.normal, y);
    r.turn = r.curve = mat_diag(R(0));
    r.slope = r.normal;
    return r;
}

/* Returns d(y) = |y| - radius of a ball; n = y/|y|, at the centre 0, and dn/dy = (I - n n^T)/|y|. */
PIO_FN obstacle_near ball_near(const obstacle_shape *o, vec y)
{
    obstacle_near r;
    const real p = sqrt(vec_dot(y, y)),
               inverse = p > R(0) ? R(1) / p : R(0); /* no direction is outward at the centre */
    r.normal = vec_scale(inverse, y);
    r.turn = mat_axpby(inverse, mat_diag(R(1)), -inverse, mat_outer(r.normal, r.normal));
    r.d = p - o->radius;
    r.slope = r.normal;
    r.curve = r.turn;
    return r;
}

/* Returns d(y) of a box, with q_a = |y_a| - half_a: the length of the positive q outside, the largest of them inside
 * (Quilez, "Distance functions"). The normal is along the positive q outside, that of the nearest face inside and on an
 * edge. */
PIO_FN obstacle_near box_near(const obstacle_shape *o, vec y)
{
    obstacle_near r;
    vec q, sign;
    real square = R(0), most = R(0);
    int nearest = 0;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        sign.x[a] = y.x[a] < R(0) ? R(-1) : R(1);
        q.x[a] = sign.x[a] * y.x[a] - o->half[a];
        if (q.x[a] > R(0)) square += q.x[a] * q.x[a];
        if (a == 0 || q.x[a] > most) {
            most = q.x[a];
            nearest = a;
        }
    }
    const real length = sqrt(square);
    const int outside = length > OBSTACLE_EDGE * o->width;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++)
        r.normal.x[a] = sign.x[a] * (outside ? (q.x[a] > R(0) ? q.x[a] / length : R(0)) : R(a == nearest ? 1 : 0));
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        PIO_UNROLL
        for (int b = 0; b < DIM; b++)
            r.turn.m[a][b] =
                outside ? (R(a == b && q.x[a] > R(0) ? 1 : 0) - r.normal.x[a] * r.normal.x[b]) / length : R(0);
    }
    r.d = square > R(0) ? length : most;
    r.slope = r.normal;
    r.curve = r.turn;
    return r;
}

/* Returns d(y) of a cylinder (Quilez, "Distance functions"), a function f(p, z) of the distance p from the axis and the
 * height |z|, with its first and second derivatives. */
PIO_FN obstacle_near cylinder_near(const obstacle_shape *o, vec y)
{
    obstacle_near r;
    vec k = vec_zero(), e = y;
    real z = R(0), fp = R(0), fz = R(0), fpp = R(0), fpz = R(0), fzz = R(0);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++)
        if (a == o->axis) {
            z = y.x[a];
            e.x[a] = R(0);
            k.x[a] = z < R(0) ? R(-1) : R(1);
        }
    const real p = sqrt(vec_dot(e, e)), inverse = p > R(0) ? R(1) / p : R(0);
    const real qp = p - o->radius, qz = (z < R(0) ? -z : z) - o->height;
    e = vec_scale(inverse, e);
    r.d = qp > R(0) && qz > R(0) ? sqrt(qp * qp + qz * qz) : qp > qz ? qp : qz;
    if (qp > R(0) && qz > R(0) && r.d > OBSTACLE_EDGE * o->width) {
        fp = qp / r.d;
        fz = qz / r.d;
        fpp = fz * fz / r.d;
        fpz = -fp * fz / r.d;
        fzz = fp * fp / r.d;
    } else if (qp > qz) {
        fp = R(1);
    } else {
        fz = R(1);
    }
    r.normal = vec_axpby(fp, e, fz, k);
    r.slope = r.normal;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        PIO_UNROLL
        for (int b = 0; b < DIM; b++)
            r.turn.m[a][b] = fpp * e.x[a] * e.x[b] + fpz * (e.x[a] * k.x[b] + k.x[a] * e.x[b]) + fzz * k.x[a] * k.x[b] +
                             fp * inverse * (R(a == b ? 1 : 0) - k.x[a] * k.x[b] - e.x[a] * e.x[b]);
    }
    r.curve = r.turn;
    return r;
}

/* Sets the cubic B-splines about the point at t in [0, 1) of a cell: weights w of four points, and their first and
 * second derivatives by t. */
PIO_FN void mesh_weights(real t, real w[4], real w1[4], real w2[4])
{
    const real s = R(1) - t;
    w[0] = s * s * s / R(6);
    w[1] = (R(4) - t * t * (R(6) - R(3) * t)) / R(6);
    w[2] = (R(4) - s * s * (R(6) - R(3) * s)) / R(6);
    w[3] = t * t * t / R(6);
    w1[0] = -s * s / R(2);
    w1[1] = t * (R(3) * t - R(4)) / R(2);
    w1[2] = -s * (R(3) * s - R(4)) / R(2);
    w1[3] = t * t / R(2);
    w2[0] = s;
    w2[1] = R(3) * t - R(2);
    w2[2] = R(3) * s - R(2);
    w2[3] = t;
}

/* Returns d(y) of a surface of triangles, the cubic spline of `coefficients` at its lattice, m. Beyond the lattice,
 * which reaches farther than any condition, the distance is reported as twice as far. */
PIO_FN obstacle_near mesh_near(const obstacle_shape *o, const real *coefficients, vec y)
{
    obstacle_near r;
    int at = o->first, stride = 1, step[DIM];
    real w[DIM][4], w1[DIM][4], w2[DIM][4];
    mat curve = mat_diag(R(0));
    r.d = R(0);
    r.slope = vec_zero();
    for (int a = DIM - 1; a >= 0; a--) {
        const real u = (y.x[a] - o->low[a]) / o->spacing, cell = floor(u);
        if (!(cell >= R(1) && cell <= R(o->count[a] - 3))) {
            r.d = R(2) * (o->full + o->width);
            r.normal = r.slope = vec_zero();
            r.turn = r.curve = curve;
            return r;
        }
        step[a] = stride;
        at += ((int)cell - 1) * stride;
        stride *= o->count[a];
        mesh_weights(u - cell, w[a], w1[a], w2[a]);
    }
    for (int q = 0; q < (DIM == 3 ? 64 : 16); q++) {
        int k[DIM], place = at;
        for (int a = 0, rest = q; a < DIM; a++, rest /= 4) {
            k[a] = rest % 4;
            place += k[a] * step[a];
        }
        const real c = coefficients[place];
        for (int a = 0; a <= DIM; a++) /* DIM stands for no derivative */
            for (int b = a; b <= DIM; b++) {
                real part = c;
                for (int e = 0; e < DIM; e++)
                    part *= e == a && e == b ? w2[e][k[e]] : e == a || e == b ? w1[e][k[e]] : w[e][k[e]];
                if (a == DIM)
                    r.d += part;
                else if (b == DIM)
                    r.slope.x[a] += part / o->spacing;
                else
                    curve.m[a][b] += part / (o->spacing * o->spacing);
            }
    }
    for (int a = 0; a < DIM; a++)
        for (int b = 0; b < a; b++) curve.m[a][b] = curve.m[b][a];
    r.curve = curve;
    const real length = sqrt(vec_dot(r.slope, r.slope) + R(1e-12)); /* 1 but at creases far inside */
    r.normal = vec_scale(R(1) / length, r.slope);
    r.turn = mat_scale(R(1) / length, mat_axpby(R(1), curve, R(-1), mat_outer(r.normal, mat_t_apply(curve, r.normal))));
    return r;
}

/* Returns distance, normal and their derivatives at place y, m, in the frame of an obstacle whose lengths are what they
 * are described with; `coefficients`, those of the lattices of all meshes, are read for a mesh alone. */
PIO_FN obstacle_near described_near(const obstacle_shape *o, const real *coefficients, vec y)
{
    switch (o->type) {
    case PIO_BALL:
        return ball_near(o, y);
    case PIO_BOX:
        return box_near(o, y);
    case PIO_CYLINDER:
        return cylinder_near(o, y);
    case PIO_CLOSED_MESH:
        return mesh_near(o, coefficients, y);
    default:
        return plane_near(o, y);
    }
}

/* Returns the same of an obstacle of this scale: with s the factor of all its lengths, d_s(y) = s d(y/s), so that
 * normals are those at y/s. */
PIO_FN obstacle_near obstacle_near_of(const obstacle_shape *o, real scale, const real *coefficients, vec y)
{
    const real s = scale / o->scale, inverse = R(1) / s;
    obstacle_near r = described_near(o, coefficients, vec_scale(inverse, y));
    r.d = s * r.d;
    r.turn = mat_scale(inverse, r.turn);
    r.curve = mat_scale(inverse, r.curve);
    return r;
}

/* Returns the cotangent of the scale of an obstacle: with d_bar that of the distance at the place x from its origin,
 * and x_bar that of x by distance, slope and normal, (d_bar d - x . x_bar)/scale. For dd_s/ds = (d_s - y . dd_s/dy)/s,
 * and slopes and normals depend on y/s alone. */
PIO_FN real obstacle_scale_bar(const obstacle_near *at, real scale, real d_bar, vec x, vec x_bar)
{
    return (d_bar * at->d - vec_dot(x, x_bar)) / scale;
}

/* Adjoint of obstacle_near_of: returns y_bar = d_bar dd/dy + (dn/dy)^T n_bar. */
PIO_FN vec obstacle_near_adj(const obstacle_near *at, real d_bar, vec normal_bar)
{
    return vec_axpby(d_bar, at->slope, R(1), mat_t_apply(at->turn, normal_bar));
}

/* Returns the blending weight of a condition at distance d: 0 from full + width on, 1 up to full, and between a
 * polynomial whose first two derivatives vanish at both ends, s = t^3 (10 - 15 t + 6 t^2), t = (full + width -
 * d)/width. */
PIO_FN real obstacle_blend(const obstacle_shape *o, real d)
{
    const real t = (o->full + o->width - d) / o->width;
    if (!(t > R(0))) return R(0);
    return t < R(1) ? t * t * t * (R(10) - t * (R(15) - R(6) * t)) : R(1);
}

/* Adjoint of obstacle_blend: returns d_bar = s_bar ds/dd, with ds/dd = -30 t^2 (1 - t)^2/width between, else 0. */
PIO_FN real obstacle_blend_adj(const obstacle_shape *o, real d, real blend_bar)
{
    const real t = (o->full + o->width - d) / o->width, rest = R(1) - t;
    return t > R(0) && t < R(1) ? -blend_bar * R(30) * t * t * rest * rest / o->width : R(0);
}

/* Returns the speed that a separating contact removes from an approach speed a, m/s, with e > 0 its separation
 * velocity: 0 where a <= -e, a where a >= e, and between them (a + e)^3 (3 e - a)/(16 e^3), which has two continuous
 * derivatives, so that contact and separation are joined smoothly. It exceeds max(a, 0) by 3 e/16 at most, at a = 0,
 * so that over steps it sets resting material in motion with a speed of about e. */
PIO_FN real obstacle_removed(real e, real a)
{
    const real t = a / e + R(1);
    if (!(t > R(0))) return R(0);
    return t < R(2) ? e * t * t * t * (R(4) - t) / R(16) : a;
}

/* Returns the derivative of obstacle_removed in a, with t = a/e + 1: t^2 (3 - t)/4 for 0 < t < 2, 0 below and 1
 * above. */
PIO_FN real obstacle_removed_slope(real e, real a)
{
    const real t = a / e + R(1);
    if (!(t > R(0))) return R(0);
    return t < R(2) ? t * t * (R(3) - t) / R(4) : R(1);
}

/* Returns the derivative of obstacle_removed in e, with t = a/e + 1: 3 t^2 (2 - t)^2/16 for 0 < t < 2, else 0. */
PIO_FN real obstacle_removed_by_velocity(real e, real a)
{
    const real t = a / e + R(1), rest = R(2) - t;
    return t > R(0) && rest > R(0) ? R(3) * t * t * rest * rest / R(16) : R(0);
}

/* ---- friction: Coulomb's law with a smooth start, taken implicitly
 *
 * The sliding velocity t before an impulse that presses with the speed p becomes w, with  w + mu p w/sqrt(|w|^2 +
 * e^2) = t. So the tangential impulse is mu times the normal one where |w| is well above e, it never turns a
 * velocity round, and what would stick creeps at about e. Unlike the explicit law it has no edge between sticking
 * and sliding: w is smooth in t, p and mu. With u = |w|:  g(u) = u + r u/sqrt(u^2 + e^2) - |t| = 0, r = mu p, which
 * rises and is concave, so that Newton's method goes up to the solution from any point below it. */
typedef struct {
    vec w;  /* m/s */
    real u; /* |w| */
    real D; /* sqrt(u^2 + e^2) */
} obstacle_slide;

enum { SLIDE_ITERATIONS = 40 };

/* Returns w, |w| and sqrt(|w|^2 + e^2) for the sliding velocity t, r = mu p >= 0 and e > 0, all m/s: Newton's method
 * begins at the larger of two lower bounds of |w|, |t| - r and |t| e/(e + r). */
PIO_FN obstacle_slide obstacle_slide_of(vec t, real r, real e)
{
    obstacle_slide s;
    const real square = vec_dot(t, t);
    if (!(square > R(0))) { /* |t| has no derivative here, but w has */
        s.w = vec_scale(e / (e + r), t);
        s.u = R(0);
        s.D = e;
        return s;
    }
    const real length = sqrt(square), low = length - r, least = length * e / (e + r);
    s.u = low > least ? low : least;
    for (int k = 0; k < SLIDE_ITERATIONS; k++) {
        const real D = sqrt(s.u * s.u + e * e), slope = R(1) + r * e * e / (D * D * D);
        const real step = (s.u + r * s.u / D - length) / slope;
        s.u -= step;
        if (!(fabs(step) > R(sizeof(real) == 4 ? 1e-6 : 1e-14) * s.u)) break;
    }
    s.D = sqrt(s.u * s.u + e * e);
    s.w = vec_scale(s.D / (s.D + r), t);
    return s;
}

/* Adjoint of obstacle_slide_of: returns t_bar of w_bar = dJ/dw, and adds to r_bar and e_bar, by (a I - b w w^T) dw +
 * (w/D) dr - b e w de = dt, with a = 1 + r/D and b = r/D^3. */
PIO_FN vec obstacle_slide_adj(const obstacle_slide *s, real r, real e, vec w_bar, real *r_bar, real *e_bar)
{
    const real a = R(1) + r / s->D, b = r / (s->D * s->D * s->D);
    const real part = b * vec_dot(s->w, w_bar) / (a - b * s->u * s->u);
    const vec t_bar = vec_scale(R(1) / a, vec_axpby(R(1), w_bar, part, s->w));
    const real along = vec_dot(s->w, t_bar);
    *r_bar -= along / s->D;
    *e_bar += b * e * along;
    return t_bar;
}

/* The same of the change w - t = -(r/D) w: returns t_bar of change_bar, which is 0 without friction to the last digit:
 * t_bar = (a I - b w w^T)^-1 change_bar - change_bar. */
PIO_FN vec obstacle_slide_change_adj(const obstacle_slide *s, real r, real e, vec change_bar, real *r_bar, real *e_bar)
{
    const real more = r / s->D, a = R(1) + more, b = more / (s->D * s->D);
    const real part = b * vec_dot(s->w, change_bar) / (a - b * s->u * s->u);
    const vec change = vec_scale(R(1) / a, vec_axpby(-more, change_bar, part, s->w));
    const real along = vec_dot(s->w, change) + vec_dot(s->w, change_bar);
    *r_bar -= along / s->D;
    *e_bar += b * e * along;
    return change;
}

#endif
