/* fem_pairs_drag.h -- friction between surfaces that touch each other, in implicit steps: Coulomb's law with a smooth
 * start (fem_friction.h) between the nearest points of each pair, with adjoints.
 *
 * With N the normal force of a pair (pair_normal_force), n its direction, w_a the weights of its nearest points, v_a
 * the velocities of its nodes, mu and e (friction and friction velocity), all at the end of a step,
 *
 *     F = mu N t/D,    t = (I - n n^T) sum_a w_a v_a,    D = sqrt(|t|^2 + e^2)
 *
 * acts on each node as -w_a F; here it stands among the internal forces, as w_a F. The weights sum to 0, so that linear
 * momentum stays. F has no potential: its derivative is not symmetric, because N, n and w_a change with the places of
 * all nodes (pair_near_turn). */
#ifndef PIOLA_KERNELS_FEM_PAIRS_DRAG_H
#define PIOLA_KERNELS_FEM_PAIRS_DRAG_H

#include "kernels/fem/fem_pairs_friction.h"
#include "kernels/fem/fem_pairs_implicit.h"

/* A pair that presses, and how it is dragged along. */
typedef struct {
    fem_pair_rubs r; /* pace, weight and s are not set */
    real D;          /* m/s */
    real full;       /* mu N/D, N s/m */
    vec force;       /* F, N */
} fem_pair_dragged;

/* Returns it, with velocities v [nodes][DIM]. */
PIO_FN fem_pair_dragged fem_pair_dragged_of(const fem_pair_args *a, const wide *rub, const real *v,
                                            const fem_pair_state *s)
{
    fem_pair_dragged d;
    d.r.of = *s;
    d.r.press = pair_normal_force(&s->p);
    d.r.pace = d.r.weight = R(0);
    d.r.friction = R(rub[PAIR_FRICTION]);
    d.r.start = R(rub[PAIR_FRICTION_VELOCITY]);
    fem_pair_load(&a->s, s->corner, v, d.r.v);
    fem_pair_slide(&d.r);
    d.D = sqrt(vec_dot(d.r.along, d.r.along) + d.r.start * d.r.start);
    d.full = d.r.friction * d.r.press / d.D;
    d.force = vec_scale(d.full, d.r.along);
    return d;
}

/* Adds the friction of pair i, among internal forces. */
PIO_FN void fem_pair_drag(int i, const fem_pair_drag_args *a)
{
    const fem_pair_state s = fem_pair_of(&a->fwd, i);
    if (!pair_acts(&s.p)) return;
    const fem_pair_dragged d = fem_pair_dragged_of(&a->fwd, a->rub, a->v, &s);
    for (int n = 0; n < PAIR_NODES; n++) {
        const int at = i * PAIR_NODES + n;
        point_store(a->fwd.out, at, vec_axpby(R(1), point_load(a->fwd.out, at), s.p.at.w[n], d.force));
    }
}

/* Adds what pair i gives. With G = sum_a w_a y_a the cotangent of F, mu_bar = N t . G/D, N_bar = mu t . G/D,
 * t_bar = mu N (G/D - (t . G) t/D^3), e_bar = -mu N e t . G/D^3; dt = (I - n n^T) d(sum_a w_a v_a) - (n . v) dn -
 * n (v . dn), v the sum. */
PIO_FN void fem_pair_drag_adj(int i, const fem_pair_drag_adj_args *b)
{
    const fem_pair_args *a = &b->fwd.fwd;
    const fem_pair_state s = fem_pair_of(a, i);
    const fem_pair_target to = {b->pairs, b->u_bar, b->rest_bar, b->area_bar, b->grip_bar};
    const pair_near *at = &s.p.at;
    vec y[PAIR_NODES], G = vec_zero();
    fem_pair_bar bar;
    for (int n = 0; n < PAIR_NODES; n++) point_store(b->velocity_bar, i * PAIR_NODES + n, vec_zero());
    for (int c = 0; c < PAIR_RUB && b->rest_bar; c++) b->rub_bar[field_at(b->pairs, PAIR_RUB, c, i)] = R(0);
    if (!pair_acts(&s.p)) return;
    const fem_pair_dragged d = fem_pair_dragged_of(a, b->fwd.rub, b->fwd.v, &s);
    fem_pair_load(&a->s, s.corner, b->y, y);
    for (int n = 0; n < PAIR_NODES; n++) G = vec_axpby(R(1), G, at->w[n], y[n]);
    const real along = vec_dot(d.r.along, G) / d.D, steep = d.full * along / d.D;
    const vec t_bar = vec_axpby(d.full, G, -steep, d.r.along);
    const real across_bar = -vec_dot(at->n, t_bar);
    const vec between_bar = vec_axpby(R(1), t_bar, across_bar, at->n);
    bar.press = d.r.friction * along;
    bar.n = vec_axpby(-d.r.across, t_bar, across_bar, d.r.between);
    for (int n = 0; n < PAIR_NODES; n++) {
        bar.w[n] = vec_dot(d.force, y[n]) + vec_dot(between_bar, d.r.v[n]);
        point_store(b->velocity_bar, i * PAIR_NODES + n, vec_scale(at->w[n], between_bar));
    }
    fem_pair_spread(a, &s, i, &bar, &to);
    if (!b->rest_bar) return;
    b->rub_bar[field_at(b->pairs, PAIR_RUB, PAIR_FRICTION, i)] = d.r.press * along;
    b->rub_bar[field_at(b->pairs, PAIR_RUB, PAIR_FRICTION_VELOCITY, i)] = -steep * d.r.start;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* Sets out_i = sum_j d(w_i F)/dx_j y_j, with dv/dx = rate I; it has the unit of y times N/m. */
PIO_FN void fem_pair_drag_product(const fem_pair_dragged *d, real rate, const vec y[PAIR_NODES], vec out[PAIR_NODES])
{
    const pair_near *at = &d->r.of.p.at;
    real dw[PAIR_NODES];
    vec between = vec_zero();
    const vec dn = pair_near_turn(at, y, dw);
    PIO_UNROLL
    for (int n = 0; n < PAIR_NODES; n++) {
        between = vec_axpby(R(1), between, dw[n], d->r.v[n]);
        between = vec_axpby(R(1), between, rate * at->w[n], y[n]);
    }
    const real across = vec_dot(at->n, between) + vec_dot(dn, d->r.between);
    vec t = vec_axpby(R(1), between, -across, at->n);
    t = vec_axpby(R(1), t, -d->r.across, dn);
    const real press = d->r.friction * pair_normal_force_along(&d->r.of.p, y) / d->D;
    const real slower = d->full * vec_dot(d->r.along, t) / (d->D * d->D);
    const vec force = vec_axpby(d->full, t, press - slower, d->r.along);
    PIO_UNROLL
    for (int n = 0; n < PAIR_NODES; n++) out[n] = vec_axpby(dw[n], d->force, at->w[n], force);
}

/* Sets the blocks of the whole derivative of w_i F by x_j, N/m. */
PIO_FN void fem_pair_drag_whole(const fem_pair_dragged *d, real rate, mat out[PAIR_NODES][PAIR_NODES])
{
    vec y[PAIR_NODES], column[PAIR_NODES];
    for (int j = 0; j < PAIR_NODES; j++)
        for (int c = 0; c < DIM; c++) {
            for (int n = 0; n < PAIR_NODES; n++) y[n] = vec_zero();
            y[j].x[c] = R(1);
            fem_pair_drag_product(d, rate, y, column);
            for (int n = 0; n < PAIR_NODES; n++)
                for (int a = 0; a < DIM; a++) out[n][j].m[a][c] = column[n].x[a];
        }
}

/* Sets the blocks of the derivative by the velocities alone, rate w_i w_j mu N (I - n n^T - t t^T/D^2)/D, N/m: as |t| <
 * D, they have no negative part. */
PIO_FN void fem_pair_drag_held(const fem_pair_dragged *d, real rate, mat out[PAIR_NODES][PAIR_NODES])
{
    const pair_near *at = &d->r.of.p.at;
    const vec t = vec_scale(R(1) / d->D, d->r.along);
    mat M = mat_axpby(R(1), mat_diag(R(1)), R(-1), mat_outer(at->n, at->n));
    M = mat_axpby(rate * d->full, M, -rate * d->full, mat_outer(t, t));
    for (int n = 0; n < PAIR_NODES; n++)
        for (int m = 0; m < PAIR_NODES; m++) out[n][m] = mat_scale(at->w[n] * at->w[m], M);
}

/* Adds to the blocks of pair i. */
PIO_FN void fem_pair_drag_matrix(int i, const fem_pair_drag_matrix_args *b)
{
    const fem_pair_args *a = &b->fwd.fwd;
    const fem_pair_state s = fem_pair_of(a, i);
    mat K[PAIR_NODES][PAIR_NODES];
    if (!pair_acts(&s.p)) return;
    const fem_pair_dragged d = fem_pair_dragged_of(a, b->fwd.rub, b->fwd.v, &s);
    if (b->projected)
        fem_pair_drag_held(&d, R(b->rate), K);
    else
        fem_pair_drag_whole(&d, R(b->rate), K);
    for (int n = 0; n < PAIR_NODES; n++)
        for (int m = 0; m < PAIR_NODES; m++) {
            const int at = (i * PAIR_NODES + n) * PAIR_NODES + m, row = b->constrained[a->s.node[s.corner[n]]],
                      column = b->constrained[a->s.node[s.corner[m]]];
            block_store(b->value, at,
                        mat_axpby(R(1), block_load(b->value, at), R(1), fem_pair_masked(K[n][m], row, column)));
        }
}

/* Returns the term of pair i, mu N (D - e)/rate, with D - e = |t|^2/(D + e): its derivative by u is the friction, where
 * N, n and weights are those of v too. */
PIO_FN wide fem_pair_drag_work(int i, const fem_pair_drag_work_args *b)
{
    const fem_pair_state s = fem_pair_of(&b->fwd, i);
    if (!pair_acts(&s.p)) return W(0);
    const fem_pair_dragged d = fem_pair_dragged_of(&b->fwd, b->rub, b->v, &s);
    return W(d.r.friction * d.r.press * vec_dot(d.r.along, d.r.along) / (d.D + d.r.start)) / W(b->rate);
}

#endif
