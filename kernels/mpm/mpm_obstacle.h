/* mpm_obstacle.h -- what obstacles do to the velocities of the grid, with its adjoint.
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
 * sets in gradually about u . n = 0.
 *
 * Of an obstacle that pushes particles (mpm_push.h) friction alone is left to do here. With q_i its impulse at the
 * node, N = |q_i| and n = q_i/N, the velocity u along n stays, and t = u - (u . n) n becomes w of obstacle_slide_of for
 * r = mu N/m_i. So friction is mu times the normal impulse in all, taken implicitly. */
#ifndef PIOLA_KERNELS_MPM_OBSTACLE_H
#define PIOLA_KERNELS_MPM_OBSTACLE_H

#include "kernels/mpm/mpm_obstacle_args.h"
#include "kernels/mpm/mpm_centroid.h"
#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/mpm_push.h"

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
    r.e = a->moment ? node_quotient(a->sums, a->moment, a->nodes, r.node) : vec_zero();
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
    r.at = obstacle_near_of(a->shape + o, pose->scale, a->coefficients, mat_t_apply(pose->turn, r.x));
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

/* ---- friction of obstacles with a potential --------------------------------------------------------------------- */

/* The friction of an obstacle with impulse q at a node of velocity v. */
typedef struct {
    int acts;    /* there is an impulse; else nothing but mass, x, own and u is set */
    real mass;   /* kg */
    vec x;       /* from c to the node, m */
    vec own, u;  /* the obstacle's velocity here, and that relative to it, m/s */
    vec normal;  /* q/|q| */
    real across; /* u . n, m/s */
    real load;   /* |q|/m, m/s */
    obstacle_slide slide;
    vec change; /* w - t = -r w/sqrt(|w|^2 + e^2), m/s */
} node_friction;

/* Returns the friction of obstacle o, which has a potential, at a node of velocity v, m/s. */
PIO_FN node_friction node_friction_of(const mpm_obstacle_args *a, int o, const obstacle_node *at, vec v)
{
    node_friction f;
    const obstacle_pose *pose = a->pose + o;
    const vec q = vec_load(a->push + push_field(a->nodes, a->push_number[o]), a->nodes, at->node);
    const real N = sqrt(vec_dot(q, q));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) f.x.x[i] = R(W(a->box.origin[i]) + W(at->index[i]) * W(a->box.dx) - pose->centre[i]);
    f.own = vec_axpby(R(1), pose->velocity, R(1), mat_apply(pose->spin, f.x));
    f.u = vec_axpby(R(1), v, R(-1), f.own);
    f.mass = a->sums[field_at(a->nodes, DIM + 1, 0, at->node)];
    f.acts = N > R(0) && f.mass > R(0);
    f.change = vec_zero();
    if (!f.acts) return f;
    f.normal = vec_scale(R(1) / N, q);
    f.across = vec_dot(f.u, f.normal);
    f.load = N / f.mass;
    const real r = pose->grip.friction * f.load;
    f.slide = obstacle_slide_of(vec_axpby(R(1), f.u, -f.across, f.normal), r, pose->grip.friction_velocity);
    f.change = vec_scale(-r / f.slide.D, f.slide.w);
    return f;
}

/* Adjoint of node_friction_of for one that acts: returns u_bar of change_bar = dJ/d(change), sets q_bar, and adds to
 * the cotangents of the grip. With a = q/m:  a_bar = (|a|)_bar n + (I - n n^T) n_bar/|a|,  q_bar = a_bar/m. */
PIO_FN vec node_friction_adj(const node_friction *f, const obstacle_grip *grip, vec change_bar, vec *q_bar,
                             obstacle_grip *bar)
{
    real r_bar = R(0);
    const vec d = obstacle_slide_change_adj(&f->slide, grip->friction * f->load, grip->friction_velocity, change_bar,
                                            &r_bar, &bar->friction_velocity);
    const real d_n = vec_dot(d, f->normal);
    const vec u_bar = vec_axpby(R(1), d, -d_n, f->normal), n_bar = vec_axpby(-f->across, d, -d_n, f->u);
    const vec turned = vec_axpby(R(1), n_bar, -vec_dot(n_bar, f->normal), f->normal);
    bar->friction += f->load * r_bar;
    *q_bar = vec_scale(R(1) / f->mass, vec_axpby(grip->friction * r_bar, f->normal, R(1) / f->load, turned));
    return u_bar;
}

/* Returns the velocity of a node after the friction of obstacle o, m/s; v is that before it. */
PIO_FN vec obstacle_rubs(const mpm_obstacle_args *a, int o, const obstacle_node *at, vec v)
{
    const node_friction f = node_friction_of(a, o, at, v);
    return f.acts ? vec_axpby(R(1), v, R(1), obstacle_change(&a->box, at->index, f.change)) : v;
}

/* Returns the velocity of a node after the first `count` obstacles, m/s; v is that after the walls. */
PIO_FN vec obstacle_velocity(const mpm_obstacle_args *a, int count, const obstacle_node *at, vec v)
{
    for (int o = 0; o < count; o++) {
        if (a->shape[o].model == PIO_CONTACT_POTENTIAL) {
            v = obstacle_rubs(a, o, at, v);
            continue;
        }
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

/* Sets the cotangents of an obstacle's place, velocity V and spin by its own velocity V + W q at the place q from its
 * origin, of which u_bar is minus the cotangent. */
PIO_FN void obstacle_own_adj(const obstacle_pose *pose, vec q, vec u_bar, real out[OBSTACLE_PARAMETERS])
{
    const vec place = mat_t_apply(pose->spin, u_bar), own_bar = vec_scale(R(-1), u_bar);
    PIO_UNROLL
    for (int k = 0; k < DIM; k++) {
        out[k] = place.x[k];
        out[OBSTACLE_VELOCITY + k] = own_bar.x[k];
    }
    cross_add(out + OBSTACLE_SPIN, q, own_bar);
}

/* Sets *v_bar to the cotangent of the velocity before obstacle o, *x_bar to that of the node's material, and adds to
 * those of the pose, `out`: the part of mpm_obstacle_adj of an obstacle that acts on the grid. */
PIO_FN void obstacle_meets_adj(const mpm_obstacle_args *a, int o, const obstacle_node *at, vec *v_bar, vec *x_bar,
                               real out[OBSTACLE_PARAMETERS])
{
    const obstacle_shape *shape = a->shape + o;
    const obstacle_pose *pose = a->pose + o;
    const obstacle_reach r = obstacle_reach_of(a, o, at);
    if (!(r.blend > R(0))) return;
    const vec v = obstacle_velocity(a, o, at, vec_load(a->before, a->nodes, at->node));
    const vec u = vec_axpby(R(1), v, R(-1), r.own);
    const obstacle_contact c = obstacle_contact_of(shape->behaviour, &pose->grip, r.normal, u);
    if (!c.acts) return;
    const vec change_bar = obstacle_change(&a->box, at->index, *v_bar); /* a projection */
    const real blend_bar = vec_dot(change_bar, vec_axpby(R(1), c.kept, R(-1), u));
    vec u_bar = vec_scale(-r.blend, change_bar), normal_bar = vec_zero();
    obstacle_grip bar = {R(0), R(0), R(0), R(0), R(0)};
    if (shape->behaviour != PIO_WALL_STICKY)
        u_bar = vec_axpby(
            R(1), u_bar, R(1),
            obstacle_contact_adj(&c, &pose->grip, r.normal, u, vec_scale(r.blend, change_bar), &normal_bar, &bar));
    *v_bar = vec_axpby(R(1), *v_bar, R(1), u_bar);
    const real d_bar = obstacle_blend_adj(shape, r.at.d, blend_bar);
    *x_bar = mat_apply(pose->turn, obstacle_near_adj(&r.at, d_bar, mat_t_apply(pose->turn, normal_bar)));
    obstacle_own_adj(pose, r.q, u_bar, out);
    PIO_UNROLL
    for (int k = 0; k < DIM; k++) out[k] -= x_bar->x[k];
    out[OBSTACLE_SCALE] = obstacle_scale_bar(&r.at, pose->scale, d_bar, r.x, *x_bar);
    cross_add(out + OBSTACLE_ROTATION, *x_bar, r.x);
    cross_add(out + OBSTACLE_ROTATION, r.normal, normal_bar);
    out[OBSTACLE_FRICTION] = bar.friction;
    out[OBSTACLE_FRICTION_VELOCITY] = bar.friction_velocity;
    out[OBSTACLE_SEPARATION_VELOCITY] = bar.separation_velocity;
}

/* The same of an obstacle with a potential, whose friction depends on its impulse at the node: returns q_bar. */
PIO_FN vec obstacle_rubs_adj(const mpm_obstacle_args *a, int o, const obstacle_node *at, vec *v_bar,
                             real out[OBSTACLE_PARAMETERS])
{
    const obstacle_pose *pose = a->pose + o;
    const node_friction f =
        node_friction_of(a, o, at, obstacle_velocity(a, o, at, vec_load(a->before, a->nodes, at->node)));
    obstacle_grip bar = {R(0), R(0), R(0), R(0), R(0)};
    vec q_bar = vec_zero();
    if (!f.acts) return q_bar;
    const vec change_bar = obstacle_change(&a->box, at->index, *v_bar);
    const vec u_bar = node_friction_adj(&f, &pose->grip, change_bar, &q_bar, &bar);
    *v_bar = vec_axpby(R(1), *v_bar, R(1), u_bar);
    obstacle_own_adj(pose, f.x, u_bar, out);
    out[OBSTACLE_FRICTION] = bar.friction;
    out[OBSTACLE_FRICTION_VELOCITY] = bar.friction_velocity;
    return q_bar;
}

/* Sets the cotangents of active node i by one obstacle, whose velocity before it is computed anew. */
PIO_FN void mpm_obstacle_adj(int i, const mpm_obstacle_adj_args *b)
{
    const mpm_obstacle_args *a = &b->fwd;
    const obstacle_node at = obstacle_node_of(a, i);
    const int o = b->obstacle, node = at.node;
    real out[OBSTACLE_PARAMETERS];
    vec x_bar = vec_zero(), v_bar = vec_load(b->velocity_bar, a->nodes, node);
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) out[k] = R(0);
    if (a->shape[o].model == PIO_CONTACT_POTENTIAL)
        vec_store(b->push_bar + push_field(a->nodes, a->push_number[o]), a->nodes, node,
                  obstacle_rubs_adj(a, o, &at, &v_bar, out));
    else
        obstacle_meets_adj(a, o, &at, &v_bar, &x_bar, out);
    vec_store(b->velocity_bar, a->nodes, node, v_bar);
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++)
        b->contribution[field_at(a->nodes, OBSTACLE_PARAMETERS, k, i)] = out[k];
    for (int k = 0; k < DIM && b->place_bar; k++) {
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

/* Returns how many separating obstacles without a potential at active node i have |u . n| below the fraction `limit` of
 * their separation velocity. */
PIO_FN wide mpm_obstacle_kinks(int i, const mpm_obstacle_kinks_args *b)
{
    const mpm_obstacle_args *a = &b->fwd;
    const obstacle_node at = obstacle_node_of(a, i);
    int count = 0;
    vec v = vec_load(a->before, a->nodes, at.node), u;
    obstacle_reach r;
    obstacle_contact c;
    for (int o = 0; o < a->obstacles; o++) {
        if (a->shape[o].model == PIO_CONTACT_POTENTIAL) {
            v = obstacle_rubs(a, o, &at, v);
            continue;
        }
        if (!obstacle_meets(a, o, &at, v, &r, &u, &c)) continue;
        count += a->shape[o].behaviour == PIO_WALL_SEPARATE &&
                 fabs(c.across) < b->limit * a->pose[o].grip.separation_velocity;
        if (c.acts)
            v = vec_axpby(R(1), v, r.blend, obstacle_change(&a->box, at.index, vec_axpby(R(1), c.kept, R(-1), u)));
    }
    return W(count);
}

#endif
