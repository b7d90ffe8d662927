/* mpm_obstacle.h -- obstacles: where they are in a step, and what they do to the velocities of the grid, with
 * adjoints.
 *
 * After the grid update an obstacle acts on every active node within its reach, one obstacle after the other. With c
 * and Q its place and orientation at the beginning of the step, V + W (x_i - c) its own motion in the step, x_i the
 * node and x the centroid of its material (mpm_centroid.h):
 *
 *     y = Q^T (x - c),  d = d(y),  n = Q n(y),  u = v - V - W (x_i - c)            the velocity relative to it
 *     u' = 0 (sticky),  or the sliding part of u after friction (slip), and what is left of u . n (separate)
 *     v <- v + s(d) (u' - u)                                                       in components that no wall
 * constrains
 *
 * The blending weight s(d) applies the condition gradually, so that the velocities are a smooth function of x, c and
 * Q. Friction takes mu times what the normal condition takes, node by node. The condition of a separating obstacle
 * sets in gradually about u . n = 0. */
#ifndef PIOLA_KERNELS_MPM_OBSTACLE_H
#define PIOLA_KERNELS_MPM_OBSTACLE_H

#include "kernels/mpm/mpm_obstacle_args.h"
#include "kernels/mpm/mpm_centroid.h"
#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/obstacle.h"

/* ---- rotations ------------------------------------------------------------------------------------------------ */

typedef struct {
    wide m[DIM][DIM];
} turn_matrix;

#if PIO_DIM == 3
/* sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3 of a^2; by their series where the last would lose digits. */
typedef struct {
    wide sine, cosine, rest;
} turn_factors;

/* Returns the three factors for x = a^2 >= 0, a in rad. */
PIO_FN turn_factors turn_factors_of(wide x)
{
    turn_factors f;
    if (x < W(0.1)) {
        f.sine = W(1) - x / W(6) * (W(1) - x / W(20) * (W(1) - x / W(42) * (W(1) - x / W(72) * (W(1) - x / W(110)))));
        f.cosine =
            W(0.5) - x / W(24) * (W(1) - x / W(30) * (W(1) - x / W(56) * (W(1) - x / W(90) * (W(1) - x / W(132)))));
        f.rest =
            (W(1) - x / W(20) * (W(1) - x / W(42) * (W(1) - x / W(72) * (W(1) - x / W(110) * (W(1) - x / W(156)))))) /
            W(6);
        return f;
    }
    const wide a = sqrt(x), half = sin(a / W(2));
    f.sine = sin(a) / a;
    f.cosine = W(2) * half * half / x;
    f.rest = (W(1) - f.sine) / x;
    return f;
}

/* Returns K with K v = r x v for every v. */
PIO_FN turn_matrix turn_cross(const wide r[3])
{
    turn_matrix k;
    PIO_UNROLL
    for (int a = 0; a < 3; a++) {
        k.m[a][a] = W(0);
        k.m[a][(a + 1) % 3] = -r[(a + 2) % 3];
        k.m[a][(a + 2) % 3] = r[(a + 1) % 3];
    }
    return k;
}

/* Returns I + p K + q K^2, K the cross product with r: with (sine, cosine) the rotation exp(K) (Rodrigues), with
 * (cosine, rest) its left Jacobian: exp(K + dK) = exp((J dr) x) exp(K). */
PIO_FN turn_matrix turn_series(const wide r[3], wide p, wide q)
{
    const turn_matrix k = turn_cross(r);
    turn_matrix out;
    PIO_UNROLL
    for (int a = 0; a < 3; a++) {
        PIO_UNROLL
        for (int b = 0; b < 3; b++) {
            wide square = W(0);
            PIO_UNROLL
            for (int c = 0; c < 3; c++) square += k.m[a][c] * k.m[c][b];
            out.m[a][b] = W(a == b ? 1 : 0) + p * k.m[a][b] + q * square;
        }
    }
    return out;
}

/* Returns the rotation exp(r x) by |r| rad about r, by the formula of Rodrigues. */
PIO_FN turn_matrix turn_of(const wide r[3])
{
    const turn_factors f = turn_factors_of(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    return turn_series(r, f.sine, f.cosine);
}
#else
/* Returns the rotation by r[0] rad. */
PIO_FN turn_matrix turn_of(const wide r[1])
{
    turn_matrix out;
    out.m[0][0] = out.m[1][1] = cos(r[0]);
    out.m[1][0] = sin(r[0]);
    out.m[0][1] = -out.m[1][0];
    return out;
}
#endif

/* ---- where obstacles are -------------------------------------------------------------------------------------- */

/* Returns the index of parameter k of obstacle o in an array [OBSTACLE_PARAMETERS][obstacles]. */
PIO_FN ptrdiff_t obstacle_at(int obstacles, int k, int o)
{
    return field_at(obstacles, OBSTACLE_PARAMETERS, k, o);
}

/* Sets the motion of obstacle o at time t, s: straight between points, at rest before the first and after the last; 0
 * without points. out[MOTION_TIME] is not t where it rests. */
PIO_FN void motion_at(const obstacle_pose_args *a, int o, double t, double out[MOTION_NUMBERS])
{
    int low = a->motion_start[o], high = a->motion_start[o + 1] - 1;
    double part = 0;
    for (int k = 0; k < MOTION_NUMBERS; k++) out[k] = 0;
    if (high < low) return;
    while (high - low > 1) { /* low is at or before t, or the first */
        const int middle = low + (high - low) / 2;
        if (a->motion[(ptrdiff_t)middle * MOTION_NUMBERS] <= t)
            low = middle;
        else
            high = middle;
    }
    const double *from = a->motion + (ptrdiff_t)low * MOTION_NUMBERS,
                 *to = a->motion + (ptrdiff_t)high * MOTION_NUMBERS;
    if (to[0] > from[0]) part = (t - from[0]) / (to[0] - from[0]);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    for (int k = 0; k < MOTION_NUMBERS; k++) out[k] = from[k] + part * (to[k] - from[k]);
}

/* Returns the turn of obstacle o's motion by this angle, rad, about its axis. */
PIO_FN turn_matrix motion_turn(const obstacle_pose_args *a, int o, double angle)
{
    wide r[OBSTACLE_TURNS];
    for (int k = 0; k < OBSTACLE_TURNS; k++) r[k] = W(OBSTACLE_TURNS == 1 ? angle : angle * a->axis[3 * o + k]);
    return turn_of(r);
}

/* Sets the rotation parameters of obstacle o, rad; the turn of its motion comes after them. */
PIO_FN void obstacle_rotation(const obstacle_pose_args *a, int o, wide r[OBSTACLE_TURNS])
{
    for (int k = 0; k < OBSTACLE_TURNS; k++) r[k] = a->parameters[obstacle_at(a->obstacles, OBSTACLE_ROTATION + k, o)];
}

/* Sets the pose of obstacle o at the beginning of the step, its parameters followed by its motion, and its velocities,
 * the differences of its motion over the step divided by dt. */
PIO_FN void mpm_obstacle_pose(int o, const obstacle_pose_args *a)
{
    double now[MOTION_NUMBERS], then[MOTION_NUMBERS];
    const double t = (double)a->step->index * a->dt;
    obstacle_pose *to = a->pose + o;
    wide r[OBSTACLE_TURNS];
    motion_at(a, o, t, now);
    motion_at(a, o, t + a->dt, then);
    obstacle_rotation(a, o, r);
    const turn_matrix start = turn_of(r), moved = motion_turn(a, o, now[MOTION_ANGLE]);
    const double rate = (then[MOTION_ANGLE] - now[MOTION_ANGLE]) / a->dt;
    for (int i = 0; i < DIM; i++) {
        to->centre[i] = a->parameters[obstacle_at(a->obstacles, i, o)] + W(now[MOTION_SHIFT + i]);
        to->velocity.x[i] = R((then[MOTION_SHIFT + i] - now[MOTION_SHIFT + i]) / a->dt);
        for (int j = 0; j < DIM; j++) {
            wide sum = W(0);
            for (int k = 0; k < DIM; k++) sum += moved.m[i][k] * start.m[k][j];
            to->turn.m[i][j] = R(sum);
            to->spin.m[i][j] = R(0);
        }
    }
#if PIO_DIM == 3
    for (int i = 0; i < 3; i++) {
        to->spin.m[i][(i + 1) % 3] = R(-rate * a->axis[3 * o + (i + 2) % 3]);
        to->spin.m[i][(i + 2) % 3] = R(rate * a->axis[3 * o + (i + 1) % 3]);
    }
#else
    to->spin.m[0][1] = R(-rate);
    to->spin.m[1][0] = R(rate);
#endif
    to->grip.friction = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_FRICTION, o)]);
    to->grip.friction_velocity = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_FRICTION_VELOCITY, o)]);
    to->grip.separation_velocity = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_SEPARATION_VELOCITY, o)]);
}

/* Adjoint of mpm_obstacle_pose for obstacle o: adds to the cotangents of its parameters. That of the small rotation e
 * after Q is brought to the rotation vector by the transpose of its left Jacobian and of the motion's turn. */
PIO_FN void mpm_obstacle_pose_adj(int o, const mpm_obstacle_pose_adj_args *b)
{
    const int n = b->fwd.obstacles;
    wide out[OBSTACLE_PARAMETERS];
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) out[k] = b->pose_bar[obstacle_at(n, k, o)];
#if PIO_DIM == 3
    wide r[3], turned[3];
    double now[MOTION_NUMBERS];
    obstacle_rotation(&b->fwd, o, r);
    motion_at(&b->fwd, o, (double)b->fwd.step->index * b->fwd.dt, now);
    const turn_factors f = turn_factors_of(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const turn_matrix left = turn_series(r, f.cosine, f.rest), moved = motion_turn(&b->fwd, o, now[MOTION_ANGLE]);
    for (int i = 0; i < 3; i++) {
        turned[i] = W(0);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) turned[i] += left.m[j][i] * moved.m[k][j] * out[OBSTACLE_ROTATION + k];
    }
    for (int i = 0; i < 3; i++) out[OBSTACLE_ROTATION + i] = turned[i];
#endif
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) b->parameters_bar[obstacle_at(n, k, o)] += out[k];
}

/* ---- what they do to a node ------------------------------------------------------------------------------------ */

/* One obstacle at one node, so far as it does not depend on the node's velocity. */
typedef struct {
    vec q;            /* from c to the node, m */
    vec x;            /* x - c: from c to its material, m */
    obstacle_near at; /* in the obstacle's frame */
    real blend;
    vec normal; /* in space */
    vec own;    /* the obstacle's velocity here, m/s */
} obstacle_reach;

/* A node of the grid, with its mass and centroid. */
typedef struct {
    int node, index[DIM];
    vec e; /* from the node to the centroid of its material, m */
} obstacle_node;

/* Returns active node i with its indices and e_i = c_i/m_i, m, the centroid of its material (mpm_centroid.h). */
PIO_FN obstacle_node obstacle_node_of(const mpm_obstacle_args *a, int i)
{
    obstacle_node r;
    r.node = a->l.node_list[i];
    node_index(&a->box, r.node, r.index);
    r.e = node_quotient(a->sums, a->moment, a->nodes, r.node);
    return r;
}

/* Returns what is between obstacle o and a node: q = x_i - c, x - c = q + e_i, distance and normal at y = Q^T (x - c),
 * s(d), n = Q n(y) and its own velocity V + W q. */
PIO_FN obstacle_reach obstacle_reach_of(const mpm_obstacle_args *a, int o, const obstacle_node *at)
{
    const obstacle_pose *pose = a->pose + o;
    obstacle_reach r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) r.q.x[i] = R(W(a->box.origin[i]) + W(at->index[i]) * W(a->box.dx) - pose->centre[i]);
    r.x = vec_axpby(R(1), r.q, R(1), at->e);
    r.at = obstacle_near_of(a->shape + o, a->coefficients, mat_t_apply(pose->turn, r.x));
    r.blend = obstacle_blend(a->shape + o, r.at.d);
    r.normal = mat_apply(pose->turn, r.at.normal);
    r.own = vec_axpby(R(1), pose->velocity, R(1), mat_apply(pose->spin, r.q));
    return r;
}

/* The condition on the relative velocity u. */
typedef struct {
    int behaviour; /* WALL_ of the obstacle */
    int acts;
    real across;  /* u . n, m/s */
    real removed; /* of what comes at it, m/s */
    real press;   /* mu times that */
    vec along;    /* u - (u . n) n */
    obstacle_slide slide;
    vec kept; /* u' */
} obstacle_contact;

/* Returns the speed that the normal condition removes from the approach speed a, m/s. An obstacle that does not
 * separate removes max(a, 0), which enters its friction alone. */
PIO_FN real contact_removed(int behaviour, real separation_velocity, real a)
{
    if (behaviour == PIO_WALL_SEPARATE) return obstacle_removed(separation_velocity, a);
    return a > R(0) ? a : R(0);
}

/* Returns the derivative of contact_removed in a; 0 at the edge a = 0 of an obstacle that does not separate. */
PIO_FN real contact_removed_slope(int behaviour, real separation_velocity, real a)
{
    if (behaviour == PIO_WALL_SEPARATE) return obstacle_removed_slope(separation_velocity, a);
    return a > R(0) ? R(1) : R(0);
}

/* Returns the condition of an obstacle on the relative velocity u, m/s, with n the unit normal in space:
 *     u' = 0                          sticky
 *     u' = w                          slip, w of obstacle_slide_of for t = u - (u . n) n and r = mu removed
 *     u' = w + (u . n + removed) n    separate
 * It does not act where a separating obstacle removes nothing; then u' and the slide are not used. */
PIO_FN obstacle_contact obstacle_contact_of(int behaviour, const obstacle_grip *grip, vec normal, vec u)
{
    obstacle_contact c;
    c.behaviour = behaviour;
    c.across = vec_dot(u, normal);
    c.removed = contact_removed(behaviour, grip->separation_velocity, -c.across);
    c.acts = behaviour != PIO_WALL_SEPARATE || c.removed > R(0);
    c.press = grip->friction * c.removed;
    c.along = vec_axpby(R(1), u, -c.across, normal);
    c.kept = vec_zero();
    if (behaviour == PIO_WALL_STICKY || !c.acts) return c;
    c.slide = obstacle_slide_of(c.along, c.press, grip->friction_velocity);
    c.kept = c.slide.w;
    if (behaviour == PIO_WALL_SEPARATE) c.kept = vec_axpby(R(1), c.kept, c.across + c.removed, normal);
    return c;
}

/* Returns what the walls of a node let happen of a change of its velocity: obstacles come after them. */
PIO_FN vec obstacle_change(const mpm_box *box, const int index[DIM], vec change)
{
    real frees[DIM];
    wall_free_components(box, index, frees);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) change.x[c] *= frees[c];
    return change;
}

/* Returns the velocity of a node after the first `count` obstacles, m/s; v is that after the walls. */
PIO_FN vec obstacle_velocity(const mpm_obstacle_args *a, int count, const obstacle_node *at, vec v)
{
    for (int o = 0; o < count; o++) {
        const obstacle_reach r = obstacle_reach_of(a, o, at);
        if (!(r.blend > R(0))) continue;
        const vec u = vec_axpby(R(1), v, R(-1), r.own);
        const obstacle_contact c = obstacle_contact_of(a->shape[o].behaviour, &a->pose[o].grip, r.normal, u);
        if (c.acts)
            v = vec_axpby(R(1), v, r.blend, obstacle_change(&a->box, at->index, vec_axpby(R(1), c.kept, R(-1), u)));
    }
    return v;
}

/* Applies the conditions of all obstacles to the velocity of active node i, one after the other; keeps that before them
 * where `before` is not NULL. */
PIO_FN void mpm_obstacle(int i, const mpm_obstacle_args *a)
{
    const obstacle_node at = obstacle_node_of(a, i);
    const vec v = vec_load(a->velocity, a->nodes, at.node);
    if (a->before) vec_store(a->before, a->nodes, at.node, v);
    vec_store(a->velocity, a->nodes, at.node, obstacle_velocity(a, a->obstacles, &at, v));
}

/* Adds a x b to `out`; in 2D the one component that there is. */
PIO_FN void cross_add(real out[OBSTACLE_TURNS], vec a, vec b)
{
#if PIO_DIM == 3
    PIO_UNROLL
    for (int i = 0; i < 3; i++) out[i] += a.x[(i + 1) % 3] * b.x[(i + 2) % 3] - a.x[(i + 2) % 3] * b.x[(i + 1) % 3];
#else
    out[0] += a.x[0] * b.x[1] - a.x[1] * b.x[0];
#endif
}

/* Adjoint of obstacle_contact_of for one that acts and is not sticky: returns u_bar of kept_bar = dJ/du', and adds to
 * the cotangents of the normal and, in *bar, of the grip. */
PIO_FN vec obstacle_contact_adj(const obstacle_contact *c, const obstacle_grip *grip, vec normal, vec u, vec kept_bar,
                                vec *normal_bar, obstacle_grip *bar)
{
    const real left = c->across + c->removed;
    real press_bar = R(0), left_bar = R(0);
    if (c->behaviour == PIO_WALL_SEPARATE) {
        left_bar = vec_dot(kept_bar, normal);
        *normal_bar = vec_axpby(R(1), *normal_bar, left, kept_bar);
    }
    const vec along_bar =
        obstacle_slide_adj(&c->slide, c->press, grip->friction_velocity, kept_bar, &press_bar, &bar->friction_velocity);
    const real removed_bar = grip->friction * press_bar + left_bar;
    real across_bar =
        left_bar - contact_removed_slope(c->behaviour, grip->separation_velocity, -c->across) * removed_bar;
    bar->friction += c->removed * press_bar;
    if (c->behaviour == PIO_WALL_SEPARATE)
        bar->separation_velocity += obstacle_removed_by_velocity(grip->separation_velocity, -c->across) * removed_bar;
    across_bar -= vec_dot(along_bar, normal);
    *normal_bar = vec_axpby(R(1), *normal_bar, R(1), vec_axpby(-c->across, along_bar, across_bar, u));
    return vec_axpby(R(1), along_bar, across_bar, normal);
}

/* Sets the cotangents of active node i by one obstacle, whose velocity before it is computed anew. */
PIO_FN void mpm_obstacle_adj(int i, const mpm_obstacle_adj_args *b)
{
    const mpm_obstacle_args *a = &b->fwd;
    const obstacle_node at = obstacle_node_of(a, i);
    const int o = b->obstacle, node = at.node;
    const obstacle_shape *shape = a->shape + o;
    const obstacle_pose *pose = a->pose + o;
    real out[OBSTACLE_PARAMETERS];
    vec x_bar = vec_zero();
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) out[k] = R(0);
    const obstacle_reach r = obstacle_reach_of(a, o, &at);
    if (r.blend > R(0)) {
        const vec v = obstacle_velocity(a, o, &at, vec_load(a->before, a->nodes, node));
        const vec u = vec_axpby(R(1), v, R(-1), r.own);
        const obstacle_contact c = obstacle_contact_of(shape->behaviour, &pose->grip, r.normal, u);
        if (c.acts) {
            const vec v_bar = vec_load(b->velocity_bar, a->nodes, node);
            const vec change_bar = obstacle_change(&a->box, at.index, v_bar); /* a projection */
            const real blend_bar = vec_dot(change_bar, vec_axpby(R(1), c.kept, R(-1), u));
            vec u_bar = vec_scale(-r.blend, change_bar), normal_bar = vec_zero();
            obstacle_grip bar = {R(0), R(0), R(0)};
            if (shape->behaviour != PIO_WALL_STICKY)
                u_bar = vec_axpby(R(1), u_bar, R(1),
                                  obstacle_contact_adj(&c, &pose->grip, r.normal, u, vec_scale(r.blend, change_bar),
                                                       &normal_bar, &bar));
            vec_store(b->velocity_bar, a->nodes, node, vec_axpby(R(1), v_bar, R(1), u_bar));
            const vec y_bar = obstacle_near_adj(&r.at, obstacle_blend_adj(shape, r.at.d, blend_bar),
                                                mat_t_apply(pose->turn, normal_bar));
            x_bar = mat_apply(pose->turn, y_bar);
            const vec own = mat_t_apply(pose->spin, u_bar);
            PIO_UNROLL
            for (int k = 0; k < DIM; k++) out[k] = own.x[k] - x_bar.x[k];
            cross_add(out + OBSTACLE_ROTATION, x_bar, r.x);
            cross_add(out + OBSTACLE_ROTATION, r.normal, normal_bar);
            out[OBSTACLE_FRICTION] = bar.friction;
            out[OBSTACLE_FRICTION_VELOCITY] = bar.friction_velocity;
            out[OBSTACLE_SEPARATION_VELOCITY] = bar.separation_velocity;
        }
    }
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++)
        b->contribution[field_at(a->nodes, OBSTACLE_PARAMETERS, k, i)] = out[k];
    for (int k = 0; k < DIM; k++) {
        real *e_bar = b->place_bar + field_at(a->nodes, DIM, k, node);
        *e_bar = (o == a->obstacles - 1 ? R(0) : *e_bar) + x_bar.x[k];
    }
}

/* Sets how obstacle o meets a node of velocity v: its reach, the relative velocity u and the condition on it. Returns 0
 * where the obstacle does not reach. Counts use it, which take little of a step. */
PIO_OUTLINE_FN int obstacle_meets(const mpm_obstacle_args *a, int o, const obstacle_node *at, vec v, obstacle_reach *r,
                                  vec *u, obstacle_contact *c)
{
    *r = obstacle_reach_of(a, o, at);
    if (!(r->blend > R(0))) return 0;
    *u = vec_axpby(R(1), v, R(-1), r->own);
    obstacle_contact contact = obstacle_contact_of(a->shape[o].behaviour, &a->pose[o].grip, r->normal, *u);
    if (contact.behaviour == PIO_WALL_STICKY || !contact.acts) { /* its slide is not set, and all of it is stored */
        contact.slide.w = vec_zero();
        contact.slide.u = contact.slide.D = R(0);
    }
    *c = contact;
    return 1;
}

/* Returns how many separating obstacles at active node i have |u . n| below the fraction `limit` of their separation
 * velocity. */
PIO_FN wide mpm_obstacle_kinks(int i, const mpm_obstacle_kinks_args *b)
{
    const mpm_obstacle_args *a = &b->fwd;
    const obstacle_node at = obstacle_node_of(a, i);
    int count = 0;
    vec v = vec_load(a->before, a->nodes, at.node), u;
    obstacle_reach r;
    obstacle_contact c;
    for (int o = 0; o < a->obstacles; o++) {
        if (!obstacle_meets(a, o, &at, v, &r, &u, &c)) continue;
        count += a->shape[o].behaviour == PIO_WALL_SEPARATE &&
                 fabs(c.across) < b->limit * a->pose[o].grip.separation_velocity;
        if (c.acts)
            v = vec_axpby(R(1), v, r.blend, obstacle_change(&a->box, at.index, vec_axpby(R(1), c.kept, R(-1), u)));
    }
    return W(count);
}

#endif
