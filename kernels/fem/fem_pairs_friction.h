/* fem_pairs_friction.h -- friction between surfaces that touch each other, in explicit steps: Coulomb's law with a
 * smooth start (fem_friction.h), with adjoints.
 *
 * With N the normal force of a pair (pair_normal_force), n its direction and w_a the weights of its nearest points,
 * which all are those at the beginning of a step, and t = (I - n n^T) sum_a w_a v_a the speed at which these slide past
 * each other with velocities v_a that the step would reach without friction, each node gets the force
 *
 *     -w_a F,    F = mu N w/sqrt(|w|^2 + e^2),    w + r w/sqrt(|w|^2 + e^2) = t
 *
 * where w is about the speed at the end of the step, as at obstacles (kernels/contact/obstacle.h). The sum over nodes
 * of w_a is 0, so that linear momentum stays, and F is along w, so that energy is lost. Pairs share their nodes, whose
 * mass m_a they divide among them by how hard each presses: of the load S_a = sum of |w_a| N over all pairs at the
 * node, a pair that has |w_a| N has as large a part of m_a, and with that
 *
 *     r = mu kick sum_a |w_a| S_a/m_a
 *
 * is by how much its own friction can slow it. Where all pairs slide alike this is the velocity at the end of the step
 * exactly. Elsewhere nodes are put together again from parts, each of which lost energy, at the mean of their
 * velocities, which loses more: no step makes it unstable, however small e is, and no pair is preferred to another.
 * With the step going to 0 it is friction at the velocities v_a. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_FRICTION_H
#define PIOLA_KERNELS_FEM_PAIRS_FRICTION_H

#include "kernels/contact/obstacle.h"
#include "kernels/fem/fem_pairs.h"
#include "kernels/fem/fem_pairs_friction_args.h"

/* Returns the sign of the weight of node number a of a pair. */
PIO_FN real pair_sign(int kind, int a)
{
    return a < pair_first_nodes(kind) ? R(1) : R(-1);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Sets how hard pair i presses on its nodes. */
PIO_FN void fem_pair_press(int i, const fem_pair_press_args *a)
{
    const fem_pair_state s = fem_pair_of(&a->fwd, i);
    const real press = pair_acts(&s.p) ? pair_normal_force(&s.p) : R(0);
    for (int n = 0; n < PAIR_NODES; n++)
        a->press[(ptrdiff_t)i * PAIR_NODES + n] = pair_sign(s.kind, n) * s.p.at.w[n] * press;
}

/* Cotangents of what a pair is made of. */
typedef struct {
    real press;         /* of N */
    real w[PAIR_NODES]; /* of w_a */
    vec n;              /* of n */
} fem_pair_bar;

/* Where those of a pair go; arrays as of fem_pair_press_adj_args. rest_bar NULL: those of u alone are wanted. */
typedef struct {
    int pairs;
    real *u_bar, *rest_bar, *area_bar, *grip_bar;
} fem_pair_target;

/* Adds them to what pair i gives. */
PIO_FN void fem_pair_spread(const fem_pair_args *a, const fem_pair_state *s, int i, const fem_pair_bar *bar,
                            const fem_pair_target *to)
{
    const ptrdiff_t first = (ptrdiff_t)i * PAIR_NODES;
    vec x_bar[PAIR_NODES], X_bar[PAIR_NODES];
    real scale_bar = R(0), h_bar = R(0);
    for (int n = 0; n < PAIR_NODES; n++) x_bar[n] = X_bar[n] = vec_zero();
    pair_near_adj(&s->p.at, bar->w, bar->n, x_bar);
    pair_normal_force_adj(&s->p, s->X, bar->press, x_bar, X_bar, &scale_bar, &h_bar);
    for (int n = 0; n < PAIR_NODES; n++) {
        const int at = (int)first + n;
        point_store(to->u_bar, at, vec_axpby(R(1), point_load(to->u_bar, at), R(1), x_bar[n]));
    }
    if (!to->rest_bar) return;
    for (int n = 0; n < PAIR_NODES; n++) {
        const int at = (int)first + n;
        x_bar[n] = vec_axpby(R(1), x_bar[n], R(1), X_bar[n]);
        point_store(to->rest_bar, at, vec_axpby(R(1), point_load(to->rest_bar, at), R(1), x_bar[n]));
        to->area_bar[at] += fem_pair_part(a, s->kind, s->corner, n) * R(a->grip[PAIR_STIFFNESS]) * scale_bar;
    }
    to->grip_bar[field_at(to->pairs, PAIR_GRIP, PAIR_STIFFNESS, i)] += s->area * scale_bar;
    to->grip_bar[field_at(to->pairs, PAIR_GRIP, PAIR_DISTANCE, i)] += h_bar;
}

/* Adds the cotangents that pair i gives. */
PIO_FN void fem_pair_press_adj(int i, const fem_pair_press_adj_args *b)
{
    const fem_pair_state s = fem_pair_of(&b->fwd, i);
    const fem_pair_target to = {b->pairs, b->u_bar, b->rest_bar, b->area_bar, b->grip_bar};
    fem_pair_bar bar;
    if (!pair_acts(&s.p)) return;
    const real press = pair_normal_force(&s.p);
    bar.press = R(0);
    bar.n = vec_zero();
    for (int n = 0; n < PAIR_NODES; n++) {
        const real load_bar = pair_sign(s.kind, n) * b->load_bar[s.corner[n]];
        bar.press += s.p.at.w[n] * load_bar;
        bar.w[n] = press * load_bar;
    }
    fem_pair_spread(&b->fwd, &s, i, &bar, &to);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Returns whether a force can move a node at all. */
PIO_FN int fem_is_moved(const int *constrained, int node)
{
    return constrained[node] != (1 << DIM) - 1;
}

/* Sets velocity and pace of point k. */
PIO_FN void fem_pair_kick(int k, const fem_pair_kick_args *a)
{
    const int node = a->s.node[k];
    const vec m = point_load(a->mass, node), f = point_load(a->force, node);
    vec v = point_load(a->v, node);
    real load = R(0);
    for (int c = 0; c < DIM; c++)
        if (!(a->constrained[node] >> c & 1)) v.x[c] += R(a->kick) * f.x[c] / m.x[c];
    for (int j = a->start[k]; j < a->start[k + 1]; j++) load += a->press[a->list[j]];
    point_store(a->velocity, k, v);
    a->pace[k] = fem_is_moved(a->constrained, node) ? load / m.x[0] : R(0);
}

/* Adds the cotangents of the node of point k. Friction F changes its velocity by kick F/m, of which the mass is one. */
PIO_FN void fem_pair_kick_adj(int k, const fem_pair_kick_adj_args *b)
{
    const fem_pair_kick_args *a = &b->fwd;
    const int node = a->s.node[k];
    const ptrdiff_t at = (ptrdiff_t)node * DIM;
    const vec m = point_load(a->mass, node);
    vec force_bar = point_load(b->force_bar, node), rubbed = vec_zero(), v_bar = vec_zero();
    real pace_bar = R(0);
    for (int j = a->start[k]; j < a->start[k + 1]; j++) {
        const int slot = a->list[j];
        rubbed = vec_axpby(R(1), rubbed, R(1), point_load(b->rubbed, slot));
        v_bar = vec_axpby(R(1), v_bar, R(1), point_load(b->velocity_bar, slot));
        pace_bar += b->pace_bar[slot];
    }
    if (!fem_is_moved(a->constrained, node)) pace_bar = R(0);
    b->load_bar[k] = pace_bar / m.x[0];
    b->mass_bar[at] -= pace_bar * a->pace[k] / m.x[0];
    for (int c = 0; c < DIM; c++) b->mass_bar[at + c] -= force_bar.x[c] * rubbed.x[c] / m.x[c];
    point_store(b->v_bar, node, vec_axpby(R(1), point_load(b->v_bar, node), R(1), v_bar));
    for (int c = 0; c < DIM; c++)
        if (!(a->constrained[node] >> c & 1)) force_bar.x[c] += R(a->kick) / m.x[c] * v_bar.x[c];
    point_store(b->force_bar, node, force_bar);
}

/* ---- friction ---------------------------------------------------------------------------------------------------- */

/* How a pair slides. */
typedef struct {
    fem_pair_state of;
    vec v[PAIR_NODES];    /* of its nodes, m/s */
    vec between;          /* sum_a w_a v_a, m/s */
    real across;          /* of that along n, m/s */
    vec along;            /* t, m/s */
    real press, pace;     /* N, N; sum_a |w_a| S_a/m_a, m/s^2 */
    real friction, start; /* mu; e, m/s */
    real weight;          /* r, m/s */
    obstacle_slide s;     /* w */
} fem_pair_rubs;

/* Sets between, across and along of the velocities v. */
PIO_FN void fem_pair_slide(fem_pair_rubs *r)
{
    r->between = vec_zero();
    for (int n = 0; n < PAIR_NODES; n++) r->between = vec_axpby(R(1), r->between, r->of.p.at.w[n], r->v[n]);
    r->across = vec_dot(r->of.p.at.n, r->between);
    r->along = vec_axpby(R(1), r->between, -r->across, r->of.p.at.n);
}

/* Returns how pair i slides, which acts. */
PIO_FN fem_pair_rubs fem_pair_rubs_of(const fem_pair_rub_args *a, const fem_pair_state *s)
{
    fem_pair_rubs r;
    r.of = *s;
    r.press = pair_normal_force(&s->p);
    r.pace = R(0);
    r.friction = R(a->rub[PAIR_FRICTION]);
    r.start = R(a->rub[PAIR_FRICTION_VELOCITY]);
    for (int n = 0; n < PAIR_NODES; n++) {
        r.v[n] = point_load(a->velocity, s->corner[n]);
        r.pace += pair_sign(s->kind, n) * s->p.at.w[n] * a->pace[s->corner[n]];
    }
    fem_pair_slide(&r);
    r.weight = r.friction * R(a->kick) * r.pace;
    r.s = obstacle_slide_of(r.along, r.weight, r.start);
    return r;
}

/* Sets the friction of pair i at its nodes. */
PIO_FN void fem_pair_rub(int i, const fem_pair_rub_args *a)
{
    const fem_pair_state s = fem_pair_of(&a->fwd, i);
    vec out[PAIR_NODES];
    for (int n = 0; n < PAIR_NODES; n++) out[n] = vec_zero();
    if (pair_acts(&s.p)) {
        const fem_pair_rubs r = fem_pair_rubs_of(a, &s);
        for (int n = 0; n < PAIR_NODES; n++) out[n] = vec_scale(-s.p.at.w[n] * r.friction * r.press / r.s.D, r.s.w);
    }
    fem_pair_store(a->fwd.out, i, out);
}

/* Sets `bar` and what pair i gives to velocities and paces, and to mu and e. With G = -sum_a w_a y_a the cotangent of
 * F, mu_bar = N w . G/D, N_bar = mu w . G/D, w_bar = mu N (G/D - (w . G) w/D^3), e_bar = -mu N e w . G/D^3, and those
 * of t and r by obstacle_slide_adj(); dt = (I - n n^T) d(sum_a w_a v_a) - (n . v) dn - n (v . dn). */
PIO_FN void fem_pair_rub_back(const fem_pair_rub_adj_args *b, const fem_pair_rubs *r, int i, fem_pair_bar *bar)
{
    const pair_near *at = &r->of.p.at;
    const real kick = R(b->fwd.kick), full = r->friction * r->press / r->s.D;
    vec y[PAIR_NODES], G = vec_zero();
    real weight_bar = R(0);
    fem_pair_load(&b->fwd.fwd.s, r->of.corner, b->y, y);
    for (int n = 0; n < PAIR_NODES; n++) G = vec_axpby(R(1), G, -at->w[n], y[n]);
    const real along = vec_dot(r->s.w, G) / r->s.D, steep = full * along / r->s.D;
    real start_bar = -steep * r->start;
    const vec w_bar = vec_axpby(full, G, -steep, r->s.w);
    const vec t_bar = obstacle_slide_adj(&r->s, r->weight, r->start, w_bar, &weight_bar, &start_bar);
    const real across_bar = -vec_dot(at->n, t_bar), pace_bar = weight_bar * r->friction * kick;
    const vec between_bar = vec_axpby(R(1), t_bar, across_bar, at->n);
    bar->press = r->friction * along;
    bar->n = vec_axpby(-r->across, t_bar, across_bar, r->between);
    for (int n = 0; n < PAIR_NODES; n++) {
        const real sign = pair_sign(r->of.kind, n), pace = b->fwd.pace[r->of.corner[n]];
        bar->w[n] = vec_dot(between_bar, r->v[n]) - full * vec_dot(r->s.w, y[n]) + pace_bar * sign * pace;
        point_store(b->velocity_bar, i * PAIR_NODES + n, vec_scale(at->w[n], between_bar));
        b->pace_bar[(ptrdiff_t)i * PAIR_NODES + n] = pace_bar * sign * at->w[n];
    }
    b->rub_bar[field_at(b->pairs, PAIR_RUB, PAIR_FRICTION, i)] = r->press * along + weight_bar * kick * r->pace;
    b->rub_bar[field_at(b->pairs, PAIR_RUB, PAIR_FRICTION_VELOCITY, i)] = start_bar;
}

/* Sets the cotangents that pair i gives. */
PIO_FN void fem_pair_rub_adj(int i, const fem_pair_rub_adj_args *b)
{
    const fem_pair_state s = fem_pair_of(&b->fwd.fwd, i);
    const fem_pair_target to = {b->pairs, b->u_bar, b->rest_bar, b->area_bar, b->grip_bar};
    fem_pair_bar bar;
    for (int n = 0; n < PAIR_NODES; n++) {
        const int at = i * PAIR_NODES + n;
        point_store(b->u_bar, at, vec_zero());
        point_store(b->rest_bar, at, vec_zero());
        point_store(b->velocity_bar, at, vec_zero());
        b->area_bar[at] = b->pace_bar[at] = R(0);
    }
    for (int c = 0; c < PAIR_GRIP; c++) b->grip_bar[field_at(b->pairs, PAIR_GRIP, c, i)] = R(0);
    for (int c = 0; c < PAIR_RUB; c++) b->rub_bar[field_at(b->pairs, PAIR_RUB, c, i)] = R(0);
    if (!pair_acts(&s.p)) return;
    const fem_pair_rubs r = fem_pair_rubs_of(&b->fwd, &s);
    fem_pair_rub_back(b, &r, i, &bar);
    fem_pair_spread(&b->fwd.fwd, &s, i, &bar, &to);
}

/* Counts pair i if it presses. */
PIO_FN void fem_pair_slip(int i, const fem_pair_slip_args *a)
{
    const real e = R(a->rub[PAIR_FRICTION_VELOCITY]);
    fem_pair_rubs r;
    r.of = fem_pair_of(&a->fwd, i);
    if (!pair_acts(&r.of.p)) return;
    fem_pair_load(&a->fwd.s, r.of.corner, a->v, r.v);
    fem_pair_slide(&r);
    const real square = vec_dot(r.along, r.along);
    atomic_add_u64(a->counts + (R(9) * square < e * e ? 0 : square < R(9) * e * e ? 1 : 2), 1);
}

#endif
