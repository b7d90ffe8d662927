/* fem_friction.h -- friction between the surface of meshes and obstacles, Coulomb's law with a smooth start (Li et al.
 * 2020, "Incremental Potential Contact", section 5, with another function of the speed), with adjoints.
 *
 * With N = -A K B'(s) |g| the normal force of a point (fem_contact.h), n = g/|g|, where |g| is 1 of exact distances but
 * not of those of meshes, w = v - V - W q the velocity of the
 * point relative to the obstacle's own material there, mu and e (friction and friction velocity) of the obstacle,
 *
 *     f = -mu N w_t/sqrt(|w_t|^2 + e^2),    w_t = w - n (n . w)
 *
 * all at the end of a step where it is implicit. f has no potential, and its derivative is not symmetric. Here it
 * stands among the internal forces, as -f. An explicit step takes the normal force at its beginning, and the velocity
 * at its end (kernels/contact/obstacle.h). */
#ifndef PIOLA_KERNELS_FEM_FRICTION_H
#define PIOLA_KERNELS_FEM_FRICTION_H

#include "kernels/fem/fem_contact.h"
#include "kernels/fem/fem_friction_args.h"

/* What is between a point that moves and an obstacle. */
typedef struct {
    fem_contact_near at;
    vec normal;  /* n */
    real length; /* |g| */
    vec w;       /* m/s */
    vec slide;   /* w_t, m/s */
    real across; /* n . w, m/s */
    real D;      /* sqrt(|w_t|^2 + e^2), m/s */
    real press;  /* N, N; 0 beyond the barrier */
} fem_rub;

/* Returns what is between point k of velocity v, m/s, and obstacle o; beyond the barrier `press` is 0, and what
 * follows from normals is not set. */
PIO_FN fem_rub fem_rub_of(const fem_contact_args *a, int o, int k, vec v)
{
    const obstacle_pose *pose = a->pose + o;
    const real e = pose->grip.friction_velocity;
    fem_rub r;
    r.at = fem_contact_near_of(a, o, k);
    r.normal = r.w = r.slide = vec_zero();
    r.length = R(1);
    r.across = r.press = R(0);
    r.D = e;
    if (!(r.at.s < R(1))) return r;
    r.length = sqrt(vec_dot(r.at.slope, r.at.slope));
    r.normal = vec_scale(R(1) / r.length, r.at.slope);
    r.press = -r.at.scale * barrier_of(r.at.s).slope * r.length;
    r.w = vec_axpby(R(1), vec_axpby(R(1), v, R(-1), pose->velocity), R(-1), mat_apply(pose->spin, r.at.q));
    r.across = vec_dot(r.normal, r.w);
    r.slide = vec_axpby(R(1), r.w, -r.across, r.normal);
    r.D = sqrt(vec_dot(r.slide, r.slide) + e * e);
    return r;
}

/* Adds friction at point k to the internal forces at its node. */
PIO_FN void fem_friction(int k, const fem_friction_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const vec v = point_load(b->v, a->node[k]);
    vec force = point_load(a->out, a->node[k]);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_rub r = fem_rub_of(a, o, k, v);
        if (r.press > R(0)) force = vec_axpby(R(1), force, a->pose[o].grip.friction * r.press / r.D, r.slide);
    }
    point_store(a->out, a->node[k], force);
}

/* ---- adjoint ---------------------------------------------------------------------------------------------------- */

/* Cotangents of what friction at a point is made of. */
typedef struct {
    vec slide;      /* of w_t */
    real press;     /* of N */
    real friction;  /* of mu */
    real from_zero; /* of e */
} fem_rub_bar;

/* Where cotangents of a point go; arrays as of fem_friction_adj_args. */
typedef struct {
    real *u_bar, *v_bar, *rest_bar, *area_bar; /* rest_bar NULL: those of u and v alone are wanted */
} fem_rub_target;

/* Adds those of the point, and to `out` [OBSTACLE_PARAMETERS] those of the obstacle; with g_bar, s_bar and x_bar the
 * cotangents of g, s and x, by dw_t = (I - n n^T) dw - (n . w) dn - n (w . dn), dn = (I - n n^T) dg/|g|, dN = -A K (B''
 * |g| ds + B' n . dg). Returns w_bar, that of
 * the velocity. */
PIO_FN vec fem_rub_spread(const fem_contact_args *a, int o, int k, const fem_rub *r, const fem_rub_bar *bar,
                          const fem_rub_target *to, real out[OBSTACLE_PARAMETERS])
{
    const obstacle_pose *pose = a->pose + o;
    const barrier B = barrier_of(r->at.s);
    const int node = a->node[k];
    const real h = pose->grip.distance, press = r->length * bar->press;
    const real s_bar = -r->at.scale * B.curve * press, across_bar = -vec_dot(r->normal, bar->slide);
    const vec w_bar = vec_axpby(R(1), bar->slide, across_bar, r->normal);
    const vec n_bar = vec_axpby(-r->across, bar->slide, across_bar, r->w);
    const real along = r->press * bar->press - vec_dot(r->normal, n_bar); /* |g| g_bar . n */
    const vec g_bar = vec_axpby(R(1) / r->length, n_bar, along / r->length, r->normal);
    const vec fixed = vec_axpby(s_bar / h, r->at.slope, R(1), fem_contact_bend(&r->at, pose->turn, g_bar));
    const vec x_bar = vec_axpby(R(1), fixed, R(-1), mat_t_apply(pose->spin, w_bar));
    point_store(to->u_bar, node, vec_axpby(R(1), point_load(to->u_bar, node), R(1), x_bar));
    point_store(to->v_bar, node, vec_axpby(R(1), point_load(to->v_bar, node), R(1), w_bar));
    if (!to->rest_bar) return w_bar;
    point_store(to->rest_bar, node, vec_axpby(R(1), point_load(to->rest_bar, node), R(1), x_bar));
    to->area_bar[k] -= pose->grip.stiffness * B.slope * press;
    for (int c = 0; c < DIM; c++) out[c] -= x_bar.x[c];
    cross_add(out + OBSTACLE_ROTATION, fixed, r->at.q);
    cross_add(out + OBSTACLE_ROTATION, r->at.slope, g_bar);
    out[OBSTACLE_FRICTION] += bar->friction;
    out[OBSTACLE_FRICTION_VELOCITY] += bar->from_zero;
    out[OBSTACLE_STIFFNESS] -= a->area[k] * B.slope * press;
    out[OBSTACLE_DISTANCE] -= s_bar * r->at.s / h;
    out[OBSTACLE_SCALE] += obstacle_scale_bar(&r->at.at, pose->scale, s_bar / h, r->at.q, fixed);
    for (int c = 0; c < DIM; c++) out[OBSTACLE_VELOCITY + c] -= w_bar.x[c];
    cross_add(out + OBSTACLE_SPIN, w_bar, r->at.q);
    return w_bar;
}

/* Adds the contribution of point k: with F = mu N w_t/D,  mu_bar = N y . w_t/D, N_bar = mu y . w_t/D, e_bar = -mu N e
 * y . w_t/D^3,  w_t_bar = mu N (y/D - (y . w_t) w_t/D^3). */
PIO_FN void fem_friction_adj(int k, const fem_friction_adj_args *b)
{
    const fem_contact_args *a = &b->fwd.fwd;
    const obstacle_grip *grip = &a->pose[b->obstacle].grip;
    const fem_rub r = fem_rub_of(a, b->obstacle, k, point_load(b->fwd.v, a->node[k]));
    const fem_rub_target to = {b->u_bar, b->v_bar, b->rest_bar, b->area_bar};
    real out[OBSTACLE_PARAMETERS];
    fem_rub_bar bar;
    if (!(r.press > R(0))) return;
    const vec y = point_load(b->y, a->node[k]);
    const real along = vec_dot(y, r.slide) / r.D, full = grip->friction * r.press / r.D;
    bar.friction = r.press * along;
    bar.press = grip->friction * along;
    bar.from_zero = -full * grip->friction_velocity * along / r.D;
    bar.slide = vec_axpby(full, y, -full * along / r.D, r.slide);
    for (int c = 0; c < OBSTACLE_PARAMETERS; c++) out[c] = R(0);
    fem_rub_spread(a, b->obstacle, k, &r, &bar, &to, out);
    for (int c = 0; c < OBSTACLE_PARAMETERS && b->rest_bar; c++)
        b->contribution[field_at(b->points, OBSTACLE_PARAMETERS, c, k)] += out[c];
}

/* ---- the matrix ------------------------------------------------------------------------------------------------- */

/* Returns d(mu N w_t/D)/dx of a point that obstacle `pose` presses, with dv/dx = rate I, N/m. */
PIO_FN mat fem_rub_slope(const fem_rub *r, const obstacle_pose *pose, real rate, int projected)
{
    const vec n = r->normal;
    const mat by_w =
        mat_axpby(R(1) / r->D, mat_diag(R(1)), R(-1) / (r->D * r->D * r->D), mat_outer(r->slide, r->slide));
    const mat across = mat_axpby(R(1), mat_diag(R(1)), R(-1), mat_outer(n, n));
    const real mu = pose->grip.friction;
    if (projected) return mat_scale(mu * r->press * rate, mat_mul(across, mat_mul(by_w, across)));
    const mat bend = mat_mul_t(mat_mul(pose->turn, r->at.at.curve), pose->turn);
    const mat turned = mat_axpby(rate, mat_diag(R(1)), R(-1), pose->spin); /* dw/dx */
    const mat normal = mat_scale(R(1) / r->length, mat_mul(across, bend)); /* dn/dx */
    mat slide = mat_axpby(R(1), mat_mul(across, turned), -r->across, normal);
    slide = mat_axpby(R(1), slide, R(-1), mat_outer(n, mat_t_apply(normal, r->w)));
    const real steep = -r->at.scale * barrier_of(r->at.s).curve / pose->grip.distance * r->length;
    const vec press = vec_axpby(steep, r->at.slope, r->press / r->length, mat_t_apply(bend, n)); /* dN/dx */
    return mat_axpby(mu / r->D, mat_outer(r->slide, press), mu * r->press, mat_mul(by_w, slide));
}

/* Adds to the block of point k. */
PIO_FN void fem_friction_matrix(int k, const fem_friction_matrix_args *b)
{
    const fem_contact_args *a = &b->fwd.fwd;
    const vec v = point_load(b->fwd.v, a->node[k]);
    real *out = b->out + (ptrdiff_t)(b->first_node_pair + k) * (DIM * DIM);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_rub r = fem_rub_of(a, o, k, v);
        if (!(r.press > R(0))) continue;
        const mat K = fem_rub_slope(&r, a->pose + o, R(b->rate), b->projected);
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) out[c * DIM + d] += K.m[c][d];
    }
}

/* Returns the term of point k, mu N (D - e)/rate: its derivative by u is the friction, where N and g are those of v
 * too. */
PIO_FN wide fem_friction_work(int k, const fem_friction_work_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const vec v = point_load(b->v, a->node[k]);
    wide sum = W(0);
    for (int o = 0; o < a->obstacles; o++) {
        const obstacle_grip *grip = &a->pose[o].grip;
        const fem_rub r = fem_rub_of(a, o, k, v);
        if (r.press > R(0)) sum += W(grip->friction * r.press * (r.D - grip->friction_velocity)) / W(b->rate);
    }
    return sum;
}

/* Counts point k at every obstacle that presses it. */
PIO_FN void fem_friction_watch(int k, const fem_friction_watch_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const vec v = point_load(b->v, a->node[k]);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_rub r = fem_rub_of(a, o, k, v);
        const real e = a->pose[o].grip.friction_velocity, square = vec_dot(r.slide, r.slide);
        if (!(r.press > R(0))) continue;
        atomic_add_u64(b->counts + (R(9) * square < e * e ? 0 : square < R(9) * e * e ? 1 : 2), 1);
    }
}

/* ---- explicit steps --------------------------------------------------------------------------------------------- */

/* Returns the velocity that point k would have after the step without friction, m/s; that of a prescribed component is
 * the one before. */
PIO_FN vec fem_leap_velocity(const fem_friction_leap_args *b, int node)
{
    const vec m = point_load(b->mass, node), f = point_load(b->fwd.out, node);
    vec v = point_load(b->v, node);
    for (int c = 0; c < DIM; c++)
        if (!(b->constrained[node] >> c & 1)) v.x[c] += R(b->kick) * f.x[c] / m.x[c];
    return v;
}

/* Returns by how much friction with the obstacle of r changes the velocity of a node of mass m, m/s, and sets *s and
 * *weight, mu N kick/m, m/s. */
PIO_FN vec fem_leap_change(const fem_rub *r, const obstacle_grip *grip, real kick_by_mass, obstacle_slide *s,
                           real *weight)
{
    *weight = grip->friction * r->press * kick_by_mass;
    *s = obstacle_slide_of(r->slide, *weight, grip->friction_velocity);
    return vec_scale(-*weight / s->D, s->w);
}

/* Adds friction at point k to the forces at its node, one obstacle after the other. */
PIO_FN void fem_friction_leap(int k, const fem_friction_leap_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const int node = a->node[k];
    const vec m = point_load(b->mass, node);
    vec v = fem_leap_velocity(b, node), force = point_load(a->out, node);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_rub r = fem_rub_of(a, o, k, v);
        obstacle_slide s;
        real weight;
        if (!(r.press > R(0))) continue;
        const vec change = fem_leap_change(&r, &a->pose[o].grip, R(b->kick) / m.x[0], &s, &weight);
        for (int c = 0; c < DIM; c++) {
            if (!(b->constrained[node] >> c & 1)) v.x[c] += change.x[c];
            force.x[c] += m.x[c] / R(b->kick) * change.x[c];
        }
    }
    point_store(a->out, node, force);
}

/* Sets the contributions of point k to the obstacle's cotangents, and adds all others. The cotangent of the change of
 * velocity is m/kick times that of all forces, and what it gives to the velocity before is added to both. */
PIO_FN void fem_friction_leap_adj(int k, const fem_friction_leap_adj_args *b)
{
    const fem_contact_args *a = &b->fwd.fwd;
    const int node = a->node[k];
    const vec m = point_load(b->fwd.mass, node);
    const real kick = R(b->fwd.kick);
    const fem_rub_target to = {b->u_bar, b->v_bar, b->rest_bar, b->area_bar};
    real out[OBSTACLE_PARAMETERS], weight;
    vec v = fem_leap_velocity(&b->fwd, node), force_bar = point_load(b->force_bar, node), change_bar;
    obstacle_slide s;
    for (int c = 0; c < OBSTACLE_PARAMETERS; c++) out[c] = R(0);
    for (int o = 0; o <= b->obstacle; o++) {
        const obstacle_grip *grip = &a->pose[o].grip;
        const fem_rub r = fem_rub_of(a, o, k, v);
        if (!(r.press > R(0))) continue;
        const vec change = fem_leap_change(&r, grip, kick / m.x[0], &s, &weight);
        for (int c = 0; c < DIM && o < b->obstacle; c++)
            if (!(b->fwd.constrained[node] >> c & 1)) v.x[c] += change.x[c];
        if (o < b->obstacle) continue;
        fem_rub_bar bar;
        real weight_bar = R(0);
        bar.from_zero = R(0);
        for (int c = 0; c < DIM; c++) change_bar.x[c] = m.x[c] / kick * force_bar.x[c];
        bar.slide =
            obstacle_slide_change_adj(&s, weight, grip->friction_velocity, change_bar, &weight_bar, &bar.from_zero);
        bar.friction = weight_bar * r.press * kick / m.x[0];
        bar.press = weight_bar * grip->friction * kick / m.x[0];
        b->mass_bar[(ptrdiff_t)node * DIM] -= weight_bar * weight / m.x[0];
        const vec w_bar = fem_rub_spread(a, o, k, &r, &bar, &to, out);
        for (int c = 0; c < DIM; c++)
            if (!(b->fwd.constrained[node] >> c & 1)) force_bar.x[c] += kick / m.x[c] * w_bar.x[c];
        point_store(b->force_bar, node, force_bar);
    }
    for (int c = 0; c < OBSTACLE_PARAMETERS; c++)
        b->contribution[field_at(b->points, OBSTACLE_PARAMETERS, c, k)] = out[c];
}

#endif
