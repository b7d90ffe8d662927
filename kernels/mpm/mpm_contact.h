/* mpm_contact.h -- contact of bodies that have velocity fields of their own (Bardenhagen, Brackbill and Sulsky 2000;
 * Bardenhagen, Guilkey, Roessig, Brackbill, Witzel and Foster 2001), and its adjoint.
 *
 * The grids of the fields lie one behind the other along axis 0, so that nodes with the same number in their grids
 * are at one place. After each field was moved as if it were alone, every pair of fields that have mass at a place
 * exchanges momentum there, one pair after the other: with w = v_1 - v_2, N the direction from body 1 to body 2, and
 * m the masses,
 *
 *     D = k N + K w_t / (|w_t|^4 + K^4 + e^4)^(1/4),   w_t = w - (w.N) N,   k = a(c) phi(w.N),   K = mu k
 *     v_1 -= m_2/(m_1 + m_2) D,   v_2 += m_1/(m_1 + m_2) D
 *
 * so momentum and angular momentum are conserved, and energy never grows, because |N| <= 1. phi(w) is w where w >= o
 * (the fields stop approaching each other), 0 where w <= 0 (they may separate), and between w times a smoothstep, so
 * that contacts begin and end smoothly; fields may creep into each other more slowly than the regularisation
 * velocity o. The second term is Coulomb's friction: it takes all of w_t while that is small beside K, and K of it
 * while it is large. With s_f = V_f/dx^d the filling of a node by field f, V_f its volume at rest there
 * (mpm_deposit.h), and G_f its central differences, N is the normal of the field with the smaller number, and that
 * of the other where its own gradient vanishes,
 *
 *     R = |G_2|^4 G_2/256 - |G_1|^4 G_1,   b = |G_1|^5 + |G_2|^5/256,   N = R/sqrt(b^2 + e_R^2)
 *
 * Where both gradients point the same way, as above a sheet on a thick body, N shrinks through zero as one takes
 * over from the other, and does not flip. (With a mean of both, or the larger gradient as in Lemiale, Nairn and
 * Hurmane 2010, a block that slides on a slab would plough with its edges, where its own normal is oblique: the slab
 * must come first.) a(c) is a smoothstep of the filling c = sum_f s_f from 0.5 to 0.9: fields with a gap between
 * them have common nodes before they touch. Near walls contact acts on those components of velocity that no wall
 * prescribes. */
#ifndef PIOLA_KERNELS_MPM_CONTACT_H
#define PIOLA_KERNELS_MPM_CONTACT_H

#include "kernels/mpm/mpm_contact_args.h"
#include "kernels/mpm/mpm_deposit.h"
#include "kernels/mpm/mpm_grid.h"

#define CONTACT_EMPTY R(0.5) /* fillings between which contact sets in */
#define CONTACT_FULL R(0.9)
#define CONTACT_FLAT R(1e-8)         /* e_R */
#define CONTACT_SECOND R(0.00390625) /* 1/256 */

/* Two fields at one place, and what is between them. */
typedef struct {
    vec v[2], G[2]; /* m/s, 1 */
    real m[2];      /* kg */
} contact_pair;

/* The numbers of a scene, and of a place; or their cotangents, where `free_component` is not used. */
typedef struct {
    real mu, regularisation;  /* 1, m/s */
    real filling;             /* c */
    real free_component[DIM]; /* 1 where no wall prescribes the component, else 0 */
} contact_place;

/* Returns a smoothstep, 0 at t <= 0, t^2 (3 - 2 t) between, 1 at t >= 1, and sets its derivative. */
PIO_FN real contact_step(real t, real *slope)
{
    *slope = R(0);
    if (!(t > R(0))) return R(0);
    if (!(t < R(1))) return R(1);
    *slope = R(6) * t * (R(1) - t);
    return t * t * (R(3) - R(2) * t);
}

/* The intermediate values of contact_pair_act. */
typedef struct {
    vec w, N, T;           /* relative velocity; direction; tangential velocity */
    real b, r;             /* sum of the two parts' lengths; the root under R */
    real wn, k, q;         /* w.N; k; the fourth root under w_t */
    real sliding, flat;    /* |w_t|^2/q^2, e^2/q^2 */
    real ease, dease;      /* a(c) and its derivative */
    real phi, dphi;        /* phi(wn) and its derivative */
    real mass_fraction[2]; /* m_2/M, m_1/M */
} contact_intermediates;

/* Returns the intermediate values of a pair of fields at a place, by the formulas at the head; masses are above 0. */
PIO_FN contact_intermediates contact_intermediates_of(const contact_pair *p, const contact_place *at)
{
    contact_intermediates c;
    const real g0 = vec_dot(p->G[0], p->G[0]), g1 = vec_dot(p->G[1], p->G[1]), e = R(0.01) * at->regularisation;
    const vec rough = vec_axpby(CONTACT_SECOND * g1 * g1, p->G[1], -g0 * g0, p->G[0]);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) c.w.x[a] = at->free_component[a] * (p->v[0].x[a] - p->v[1].x[a]);
    c.b = (g0 > R(0) ? g0 * g0 * sqrt(g0) : R(0)) + CONTACT_SECOND * (g1 > R(0) ? g1 * g1 * sqrt(g1) : R(0));
    c.r = sqrt(c.b * c.b + CONTACT_FLAT * CONTACT_FLAT);
    c.N = vec_scale(R(1) / c.r, rough);
    c.wn = vec_dot(c.w, c.N);
    c.ease = contact_step((at->filling - CONTACT_EMPTY) / (CONTACT_FULL - CONTACT_EMPTY), &c.dease);
    c.dease /= CONTACT_FULL - CONTACT_EMPTY;
    const real step = contact_step(c.wn / at->regularisation, &c.dphi);
    c.phi = c.wn * step;
    c.dphi = step + c.wn / at->regularisation * c.dphi;
    c.k = c.ease * c.phi;
    c.T = vec_axpby(R(1), c.w, -c.wn, c.N);
    const real sliding = vec_dot(c.T, c.T), K = at->mu * c.k, cone = K * K, flat = e * e;
    const real most = sliding > cone ? (sliding > flat ? sliding : flat)
                      : cone > flat  ? cone
                                     : flat; /* f32 has no fourth powers */
    const real root =
        sqrt(sliding / most * (sliding / most) + cone / most * (cone / most) + flat / most * (flat / most));
    c.q = sqrt(most) * sqrt(root);
    c.sliding = sliding / most / root;
    c.flat = flat / most / root;
    c.mass_fraction[0] = p->m[1] / (p->m[0] + p->m[1]);
    c.mass_fraction[1] = p->m[0] / (p->m[0] + p->m[1]);
    return c;
}

/* Exchanges momentum between a pair of fields: v_1 -= m_2/(m_1 + m_2) D, v_2 += m_1/(m_1 + m_2) D with D as at the
 * head. */
PIO_FN void contact_pair_act(contact_pair *p, const contact_place *at)
{
    const contact_intermediates c = contact_intermediates_of(p, at);
    const vec D = vec_axpby(c.k, c.N, at->mu * c.k / c.q, c.T);
    p->v[0] = vec_axpby(R(1), p->v[0], -c.mass_fraction[0], D);
    p->v[1] = vec_axpby(R(1), p->v[1], c.mass_fraction[1], D);
}

/* Adjoint of contact_pair_act, stage by stage, backwards. p has the velocities before. bar->v has the cotangents of
 * those after and is set to the cotangents of those before; bar->G, bar->m and *at_bar are added to. phi is of first
 * degree in w.N and o together, so d phi/do = (phi - w.N d phi/d(w.N))/o. */
PIO_FN void contact_pair_adj(const contact_pair *p, const contact_place *at, contact_pair *bar, contact_place *at_bar)
{
    const contact_intermediates c = contact_intermediates_of(p, at);
    const real K = at->mu * c.k, y = K / c.q, M = p->m[0] + p->m[1];
    const vec D = vec_axpby(c.k, c.N, y, c.T);
    const vec D_bar = vec_axpby(-c.mass_fraction[0], bar->v[0], c.mass_fraction[1], bar->v[1]);
    const real turn = vec_dot(bar->v[1], D) + vec_dot(bar->v[0], D); /* cotangent of m_1/M, which is 1 - m_2/M */
    bar->m[0] += c.mass_fraction[0] * turn / M;
    bar->m[1] -= c.mass_fraction[1] * turn / M;

    const real y_bar = vec_dot(D_bar, c.T) / c.q; /* of K, at constant q */
    const real K_bar = y_bar * (c.sliding * c.sliding + c.flat * c.flat);
    const vec T_bar = vec_axpby(y, D_bar, -y_bar * y * c.sliding / c.q, c.T);
    const real k_bar = vec_dot(D_bar, c.N) + at->mu * K_bar;
    const real wn_bar = c.ease * c.dphi * k_bar - vec_dot(T_bar, c.N);
    vec N_bar = vec_axpby(c.k, D_bar, -c.wn, T_bar);
    N_bar = vec_axpby(R(1), N_bar, wn_bar, c.w);
    const vec w_bar = vec_axpby(R(1), T_bar, wn_bar, c.N);
    const real e = R(0.01) * at->regularisation, e_bar = -y_bar * y * c.flat * e / c.q;
    at_bar->filling += c.dease * c.phi * k_bar;
    at_bar->mu += c.k * K_bar;
    at_bar->regularisation += c.ease * k_bar * (c.phi - c.wn * c.dphi) / at->regularisation + R(0.01) * e_bar;

    const vec rough_bar = vec_scale(R(1) / c.r, N_bar);
    const real b_bar = -vec_dot(c.N, N_bar) * c.b / (c.r * c.r);
    PIO_UNROLL
    for (int s = 0; s < 2; s++) {
        const real factor = s ? CONTACT_SECOND : R(-1), g = vec_dot(p->G[s], p->G[s]);
        const real along = factor * R(4) * g * vec_dot(p->G[s], rough_bar) + fabs(factor) * R(5) * g * sqrt(g) * b_bar;
        bar->G[s] = vec_axpby(R(1), bar->G[s], factor * g * g, rough_bar);
        bar->G[s] = vec_axpby(R(1), bar->G[s], along, p->G[s]);
    }
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        bar->v[0].x[a] += at->free_component[a] * w_bar.x[a];
        bar->v[1].x[a] -= at->free_component[a] * w_bar.x[a];
    }
}

/* ---- one place of the grid ------------------------------------------------------------------------------------ */

/* Returns the mass of a node, kg; 0 where it is not active, since its sums are not set there. */
PIO_FN real contact_mass(const mpm_contact_args *a, int node)
{
    if (!node_is_active(&a->l, node)) return R(0);
    return a->sums[field_at(a->nodes, DIM + 1, 0, node)];
}

/* Returns the volume at rest V_f of a node, m^3; 0 where it is not active, since it is not set there. */
PIO_FN real contact_volume(const mpm_contact_args *a, int node)
{
    return !node_is_active(&a->l, node) ? R(0) : a->volume[node];
}

/* Returns 1 for the first of the active nodes of its place, whose item works for all of them, else 0. */
PIO_FN int contact_leads(const mpm_contact_args *a, int node)
{
    const int one = a->nodes / a->fields;
    for (int other = node - one; other >= 0; other -= one)
        if (node_is_active(&a->l, other)) return 0;
    return 1;
}

/* Returns G_f = (s_f(i + e_c) - s_f(i - e_c))/2, the central difference of the filling in units of 1/dx; it is 0 along
 * what a wall prescribes, and nodes beyond the grid have no filling. */
PIO_FN vec contact_gradient(const mpm_contact_args *a, int node, const int index[DIM], const real free_component[DIM])
{
    const real half = R(0.5) * box_per_volume(&a->box);
    vec G;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const real above =
            index[c] + 1 < a->box.nodes[c] ? contact_volume(a, node + node_hop(&a->box, c, index[c], 1)) : R(0);
        const real below = index[c] > 0 ? contact_volume(a, node + node_hop(&a->box, c, index[c], -1)) : R(0);
        G.x[c] = free_component[c] * half * (above - below);
    }
    return G;
}

/* All fields at the place of a node. */
typedef struct {
    contact_place place;
    int n, node[CONTACT_FIELDS]; /* of those with mass */
    real m[CONTACT_FIELDS];
    vec v[CONTACT_FIELDS], G[CONTACT_FIELDS];
} contact_fields;

/* Collects the fields that have mass at the place of a node. */
PIO_FN void contact_gather(const mpm_contact_args *a, int node, contact_fields *h)
{
    const int one = a->nodes / a->fields;
    int index[DIM];
    node_index(&a->box, node, index);
    h->n = 0;
    h->place.mu = a->step->friction;
    h->place.regularisation = a->step->regularisation;
    h->place.filling = R(0);
    for (int f = 0; f < a->fields; f++) {
        const int at = node % one + f * one;
        const real m = contact_mass(a, at);
        if (!(m > R(0))) continue;
        h->node[h->n] = at;
        h->m[h->n] = m;
        h->v[h->n] = vec_load(a->free_velocity, a->nodes, at);
        h->place.filling += box_per_volume(&a->box) * contact_volume(a, at);
        h->n++;
    }
    if (h->n < 2) return;
    wall_free_components(&a->box, index, h->place.free_component);
    for (int k = 0; k < h->n; k++) h->G[k] = contact_gradient(a, h->node[k], index, h->place.free_component);
}

/* Returns fields number i and j of a place as a pair. */
PIO_FN contact_pair contact_pair_of(const contact_fields *h, int i, int j)
{
    contact_pair p;
    p.v[0] = h->v[i];
    p.v[1] = h->v[j];
    p.G[0] = h->G[i];
    p.G[1] = h->G[j];
    p.m[0] = h->m[i];
    p.m[1] = h->m[j];
    return p;
}

/* Sets the velocities of all fields at the place of active node i. The node of the lowest field that is active there
 * does it for all. */
PIO_FN void mpm_contact(int i, const mpm_contact_args *a)
{
    const int node = a->l.node_list[i], one = a->nodes / a->fields;
    contact_fields h;
    if (!contact_leads(a, node)) return;
    for (int at = node; at < a->nodes; at += one) /* also of nodes without mass, which rest */
        if (node_is_active(&a->l, at)) vec_store(a->velocity, a->nodes, at, vec_load(a->free_velocity, a->nodes, at));
    contact_gather(a, node, &h);
    if (h.n < 2) return;
    for (int p = 0; p < h.n; p++)
        for (int q = p + 1; q < h.n; q++) {
            contact_pair pair = contact_pair_of(&h, p, q);
            contact_pair_act(&pair, &h.place);
            h.v[p] = pair.v[0];
            h.v[q] = pair.v[1];
        }
    for (int k = 0; k < h.n; k++) vec_store(a->velocity, a->nodes, h.node[k], h.v[k]);
}

/* ---- adjoint: pairs in the order of last to first, from the velocities that each found ------------------------- */

/* Sets the cotangents of an active node: those of its velocity before contact, of its mass, of its volume by the
 * filling alone, and of the gradient of its filling. */
PIO_FN void contact_store_adj(const mpm_contact_adj_args *a, int node, vec v_bar, real m_bar, real V_bar, vec G_bar)
{
    const int nodes = a->fwd.nodes;
    vec_store(a->free_bar, nodes, node, v_bar);
    a->mass_bar[node] = m_bar;
    a->volume_bar[field_at(nodes, DIM + 1, 0, node)] = V_bar;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a->volume_bar[field_at(nodes, DIM + 1, 1 + c, node)] = G_bar.x[c];
}

/* Of all fields of a place. */
typedef struct {
    vec v[CONTACT_FIELDS], G[CONTACT_FIELDS];
    real m[CONTACT_FIELDS];
    contact_place place;
} contact_cotangents;

/* Adjoint of the exchanges at one place: bar->v has the cotangents of the velocities after all pairs and is set to
 * those of the velocities before; bar->G, bar->m and bar->place are added to. h->v has the velocities before, and is
 * changed. */
PIO_FN void contact_pairs_adj(contact_fields *h, contact_cotangents *bar)
{
    vec found[CONTACT_FIELDS * (CONTACT_FIELDS - 1) / 2][2];
    int n = 0;
    for (int p = 0; p < h->n; p++)
        for (int q = p + 1; q < h->n; q++, n++) {
            contact_pair pair = contact_pair_of(h, p, q);
            found[n][0] = pair.v[0];
            found[n][1] = pair.v[1];
            contact_pair_act(&pair, &h->place);
            h->v[p] = pair.v[0];
            h->v[q] = pair.v[1];
        }
    for (int p = h->n - 2; p >= 0; p--)
        for (int q = h->n - 1; q > p; q--) {
            contact_pair pair = contact_pair_of(h, p, q), pair_bar;
            pair.v[0] = found[--n][0];
            pair.v[1] = found[n][1];
            pair_bar.v[0] = bar->v[p];
            pair_bar.v[1] = bar->v[q];
            pair_bar.G[0] = bar->G[p];
            pair_bar.G[1] = bar->G[q];
            pair_bar.m[0] = bar->m[p];
            pair_bar.m[1] = bar->m[q];
            contact_pair_adj(&pair, &h->place, &pair_bar, &bar->place);
            bar->v[p] = pair_bar.v[0];
            bar->v[q] = pair_bar.v[1];
            bar->G[p] = pair_bar.G[0];
            bar->G[q] = pair_bar.G[1];
            bar->m[p] = pair_bar.m[0];
            bar->m[q] = pair_bar.m[1];
        }
}

/* Sets the cotangents of all fields at the place of active node i, from those of the velocities after contact. */
PIO_FN void mpm_contact_adj(int i, const mpm_contact_adj_args *b)
{
    const mpm_contact_args *a = &b->fwd;
    const int node = a->l.node_list[i], one = a->nodes / a->fields;
    contact_fields h;
    contact_cotangents bar;
    if (!contact_leads(a, node)) return;
    for (int at = node; at < a->nodes; at += one)
        if (node_is_active(&a->l, at)) {
            contact_store_adj(b, at, vec_load(b->velocity_bar, a->nodes, at), R(0), R(0), vec_zero());
            b->contribution[field_at(a->nodes, 2, 0, at)] = b->contribution[field_at(a->nodes, 2, 1, at)] = R(0);
        }
    contact_gather(a, node, &h);
    if (h.n < 2) return;
    bar.place.filling = bar.place.mu = bar.place.regularisation = R(0);
    for (int k = 0; k < h.n; k++) {
        bar.v[k] = vec_load(b->velocity_bar, a->nodes, h.node[k]);
        bar.G[k] = vec_zero();
        bar.m[k] = R(0);
    }
    contact_pairs_adj(&h, &bar);
    b->contribution[field_at(a->nodes, 2, 0, node)] = bar.place.mu;
    b->contribution[field_at(a->nodes, 2, 1, node)] = bar.place.regularisation;
    for (int k = 0; k < h.n; k++) {
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) bar.G[k].x[c] *= h.place.free_component[c];
        contact_store_adj(b, h.node[k], bar.v[k], bar.m[k], box_per_volume(&a->box) * bar.place.filling, bar.G[k]);
    }
}

/* Returns component c of dJ/dG_f at a node, set by mpm_contact_adj; 0 where it is not active. */
PIO_FN real contact_gradient_bar(const mpm_contact_volume_adj_args *a, int node, int c)
{
    if (!node_is_active(&a->l, node)) return R(0);
    return a->volume_bar[field_at(a->nodes, DIM + 1, 1 + c, node)];
}

/* Adds the cotangent of the mass of active node i, and sets that of its volume, of which the differences at its
 * neighbours are made (mpm_contact_volume_adj_args). */
PIO_FN void mpm_contact_volume_adj(int i, const mpm_contact_volume_adj_args *a)
{
    const int node = a->l.node_list[i];
    int index[DIM];
    node_index(&a->box, node, index);
    real differences = R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        if (index[c] > 0) differences += contact_gradient_bar(a, node + node_hop(&a->box, c, index[c], -1), c);
        if (index[c] + 1 < a->box.nodes[c])
            differences -= contact_gradient_bar(a, node + node_hop(&a->box, c, index[c], 1), c);
    }
    a->node_bar[field_at(a->nodes, DIM + 1, 0, node)] += a->mass_bar[node];
    a->node_volume_bar[node] =
        a->volume_bar[field_at(a->nodes, DIM + 1, 0, node)] + R(0.5) * box_per_volume(&a->box) * differences;
}

/* Returns the term of active node i in dJ/dmu or, with `which` 1, in dJ/do. */
PIO_FN wide mpm_contact_sum(int i, const mpm_contact_sum_args *a)
{
    return W(a->contribution[field_at(a->nodes, 2, a->which, a->l.node_list[i])]);
}

#endif
