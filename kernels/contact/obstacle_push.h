/* obstacle_push.h -- the force of an obstacle's potential on a small body of volume V about the point x, pure functions
 * with their derivatives.
 *
 * With d(y) the signed distance of the shape, r = V^(1/DIM)/2 half the edge of a cube of that volume, K the stiffness
 * and h a length of the scene (the spacing of a grid), which like V and K are constants:
 *
 *     y = Q^T (x - c),  s = r - d(y),  Phi = V K/h^2 psi(s),  f = -dPhi/dx = V K/h^2 psi'(s) Q dd/dy
 *     psi'(s) = 0 (s <= 0),  s^2/(2 w) (0 < s < w),  s - w/2 (s >= w)
 *
 * So psi has two continuous derivatives, its second is 1 at most, and it is defined at any depth. The force has the
 * symmetric derivative
 *     H = df/dx = V K/h^2 Q (psi' d2d/dy2 - psi'' dd/dy dd/dy^T) Q^T */
#ifndef PIOLA_KERNELS_OBSTACLE_PUSH_H
#define PIOLA_KERNELS_OBSTACLE_PUSH_H

#include "kernels/contact/contact_pose.h"

/* psi'(s), m; psi''(s), 1; and the derivative of psi' in w, 1. */
typedef struct {
    real first, second, by_width;
} eased_slope;

/* Returns them for an overlap s, m, and the width w > 0, m, over which the potential sets in. */
PIO_FN eased_slope eased_slope_of(real s, real w)
{
    eased_slope e;
    const real t = s / w;
    const int within = t < R(1);
    e.first = within ? R(0.5) * s * t : s - R(0.5) * w;
    e.second = within ? t : R(1);
    e.by_width = within ? R(-0.5) * t * t : R(-0.5);
    if (!(s > R(0))) e.first = e.second = e.by_width = R(0);
    return e;
}

/* An obstacle's potential at one point. */
typedef struct {
    vec x;            /* from the obstacle's origin c to the point, m */
    obstacle_near at; /* in its frame */
    eased_slope eased;
    real scale; /* V K/h^2, N/m */
    vec slope;  /* Q dd/dy: the gradient of the distance in space */
    vec force;  /* N; 0 where the point is not reached */
} obstacle_push;

/* Returns the volume of a cube whose half edge is r, m. */
PIO_FN real cube_volume(real r)
{
    real v = R(1);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) v *= R(2) * r;
    return v;
}

/* Returns the potential's force at the point x from the obstacle's origin, m, for the half edge r and the length h, m;
 * `coefficients` are those of all meshes. */
PIO_FN obstacle_push obstacle_push_of(const obstacle_shape *o, const obstacle_pose *pose, const real *coefficients,
                                      vec x, real r, real h)
{
    obstacle_push p;
    p.x = x;
    p.at = obstacle_near_of(o, pose->scale, coefficients, mat_t_apply(pose->turn, x));
    p.eased = eased_slope_of(r - p.at.d, pose->grip.distance);
    p.scale = cube_volume(r) * pose->grip.stiffness / (h * h);
    p.slope = mat_apply(pose->turn, p.at.slope);
    p.force = vec_scale(p.scale * p.eased.first, p.slope);
    return p;
}

/* Adjoint of obstacle_push_of for f_bar, J's unit per N, and n_bar, J's unit, of n = Q dd/dy: returns
 * x_bar = H f_bar + Q d2d/dy2 Q^T n_bar, and adds to the cotangents of the pose `out` [OBSTACLE_PARAMETERS]: of c,
 * -x_bar, of a small rotation e after Q, f x f_bar + n x n_bar + x_bar x (x - c), of K, of w and of the scale. */
PIO_FN vec obstacle_push_adj(const obstacle_push *p, const obstacle_pose *pose, vec f_bar, vec n_bar,
                             real out[OBSTACLE_PARAMETERS])
{
    const vec y_bar = mat_t_apply(pose->turn, f_bar), turned = mat_t_apply(pose->turn, n_bar);
    const real along = vec_dot(p->at.slope, y_bar);
    const vec bent = vec_axpby(p->eased.first, mat_apply(p->at.curve, y_bar), -p->eased.second * along, p->at.slope);
    const vec all = vec_axpby(p->scale, bent, R(1), mat_apply(p->at.curve, turned));
    const vec x_bar = mat_apply(pose->turn, all);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) out[a] -= x_bar.x[a];
    cross_add(out + OBSTACLE_ROTATION, p->force, f_bar);
    cross_add(out + OBSTACLE_ROTATION, p->slope, n_bar);
    cross_add(out + OBSTACLE_ROTATION, x_bar, p->x);
    out[OBSTACLE_STIFFNESS] += p->scale * p->eased.first * along / pose->grip.stiffness;
    out[OBSTACLE_DISTANCE] += p->scale * p->eased.by_width * along;
    out[OBSTACLE_SCALE] += obstacle_scale_bar(&p->at, pose->scale, -p->scale * p->eased.second * along, p->x, x_bar);
    return x_bar;
}

#endif
