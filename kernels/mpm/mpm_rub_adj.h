/* mpm_rub_adj.h -- the adjoint of friction between bodies that repel each other (mpm_rub.h), in stages that gather.
 *
 * A contact has the relative velocity u and R of what is seen, j of what is given, and its load N goes to the loads of
 * particles, all by the same weights. So the cotangent of a weight is
 *
 *     (w_pq)_bar = N (l_q)_bar + R_bar R_q - u_bar . U_q - j . (impulse_q)_bar
 *
 * With w_pq = v_q W(y)/S, N = factor |G|, factor = K V_p/(dx^2 w) psi'(s), s = dx (S - 2/5)/w, n = G/|G|:
 *
 *     S_bar = |G| N_bar d(factor)/dS - sum_q w_pq (w_pq)_bar/S,   G_bar = factor N_bar n + (n_bar - (n . n_bar) n)/|G|
 *     y_bar = v_q (((w_pq)_bar/S + S_bar) grad W + Hess W G_bar)  of each neighbour, y = (x_p - x_q)/dx */
#ifndef PIOLA_KERNELS_MPM_RUB_ADJ_H
#define PIOLA_KERNELS_MPM_RUB_ADJ_H

#include "kernels/mpm/mpm_rub.h"

/* Sets the cotangents of the impulse at active node i, and of its mass. */
PIO_FN void mpm_rub_act_adj(int i, const mpm_rub_adj_args *b)
{
    const mpm_rub_args *a = &b->fwd;
    const int node = a->near.l.node_list[i];
    const vec impulse = vec_load(a->impulses, a->nodes, node);
    vec impulse_bar = vec_load(b->velocity_bar, a->nodes, node);
    real yield[DIM];
    const real m = rub_yield(a, node, yield);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) impulse_bar.x[c] *= yield[c];
    vec_store(b->impulses_bar, a->nodes, node, impulse_bar);
    b->mass_bar[node] = m > R(0) ? -vec_dot(impulse_bar, impulse) / m : R(0);
}

typedef struct {
    node_vectors y;
} mpm_rub_adj_shared;

/* Sets the cotangents of the impulses of the particles of occupied block number `slot`, and adds to those of their
 * offsets. */
PIO_FN void mpm_rub_adj(int slot, mpm_rub_adj_shared *sh, const mpm_rub_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd.near;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int begin = a->l.start[place.node];
    if (!near_fields(&a->box, &a->l, slot)) return;
    tile_load(sh->y.y, node_field_of(b->impulses_bar, b->fwd.nodes, DIM, 0, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (j, a->l.start[place.node + BLOCK_NODES] - begin) {
        const int p = a->l.order[begin + j], at = tile_cell_of(&a->s, p);
        const spline w = spline_at(vec_load(a->s.offset, a->n, p));
        const vec slope = stencil_slope(&sh->y, NULL, at, R(0), &w, vec_load(b->fwd.impulse, a->n, p), mat_diag(R(0)));
        vec_store(b->impulse_bar, a->n, p, stencil_mean(&sh->y, at, &w));
        vec_store(b->offset_bar, a->n, p, vec_axpby(R(1), vec_load(b->offset_bar, a->n, p), R(1), slope));
    }
}

/* Cotangents of a contact. */
typedef struct {
    vec u, slope;
    real rate, load, mu, e;
} rub_bars;

/* Returns the cotangents of what a contact has and meets, from that of its j. Where it sticks, what mu and e do by w
 * almost cancels what they do beside it; with r = mu h R and q = r e^2/D^3 the sums are
 *     dj/dmu = -h N w/D/(1 + q),   dj/de = mu h N e w/D^3/(1 + q). */
PIO_FN rub_bars rub_bars_of(const mpm_repel_args *a, const rub_contact *contact, const rub_meeting *m, vec given_bar)
{
    const real mu = a->step->friction, h = a->step->h, e = a->step->regularisation;
    const obstacle_slide s = rub_slide_of(a, contact, m);
    const real k = mu * h * contact->load, along = vec_dot(s.w, given_bar) / s.D, k_bar = -along;
    const vec w_bar = vec_scale(-k / s.D, vec_axpby(R(1), given_bar, -along / s.D, s.w));
    rub_bars bar;
    const real r = mu * h * m->rate, flat = e / s.D, sticks = R(1) + r / s.D * flat * flat;
    real r_bar = R(0), unused = R(0);
    const vec t_bar = obstacle_slide_adj(&s, r, e, w_bar, &r_bar, &unused);
    const real across = vec_dot(m->u, contact->normal), t_n = vec_dot(t_bar, contact->normal);
    const vec n_bar = vec_axpby(-across, t_bar, -t_n, m->u);
    bar.u = vec_axpby(R(1), t_bar, -t_n, contact->normal);
    bar.slope =
        vec_scale(R(1) / contact->steep, vec_axpby(R(1), n_bar, -vec_dot(n_bar, contact->normal), contact->normal));
    bar.rate = mu * h * r_bar;
    bar.load = mu * h * k_bar;
    bar.mu = h * contact->load * k_bar / sticks;
    bar.e = k * along * flat / (s.D * sticks);
    return bar;
}

/* Stores the cotangents of the contact of stored particle p with field f. */
PIO_FN void rub_bars_store(const mpm_rub_adj_args *b, int f, int p, const rub_bars *bar)
{
    const mpm_repel_args *a = &b->fwd.near;
    const int fields = a->box.fields;
    b->load_bar[field_at(a->n, fields, f, p)] = bar->load;
    b->meet_bar[field_at(a->n, fields * (DIM + 1), f * (DIM + 1) + DIM, p)] = bar->rate;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        b->meet_bar[field_at(a->n, fields * (DIM + 1), f * (DIM + 1) + c, p)] = bar->u.x[c];
        b->slope_bar[field_at(a->n, fields * DIM, f * DIM + c, p)] = bar->slope.x[c];
    }
}

/* Returns u_bar of the contact of stored particle p with field f, and sets R_bar. */
PIO_FN vec rub_meet_bar(const mpm_rub_adj_args *b, int f, int p, real *rate_bar)
{
    const mpm_repel_args *a = &b->fwd.near;
    const int components = a->box.fields * (DIM + 1);
    vec u_bar;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) u_bar.x[c] = b->meet_bar[field_at(a->n, components, f * (DIM + 1) + c, p)];
    *rate_bar = b->meet_bar[field_at(a->n, components, f * (DIM + 1) + DIM, p)];
    return u_bar;
}

typedef struct {
    int none; /* nothing is shared */
} mpm_rub_meet_adj_shared;

/* Sets the cotangents of what the contacts of the particles of occupied block number `slot` meet, so far as they are
 * those of j, 0 where there is none. */
PIO_FN void mpm_rub_meet_adj(int slot, mpm_rub_meet_adj_shared *sh, const mpm_rub_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd.near;
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    if (!near_fields(&a->box, &a->l, slot)) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        real mu_bar = R(0), e_bar = R(0);
        for (int f = 0; f < a->box.fields; f++) {
            const rub_contact contact = rub_contact_of(a, n.p, f);
            rub_bars bar;
            bar.u = bar.slope = vec_zero();
            bar.rate = bar.load = bar.mu = bar.e = R(0);
            if (contact.load > R(0)) {
                const rub_meeting m = rub_meeting_of(&b->fwd, &n, f, &contact, b->impulse_bar);
                const vec own_bar = vec_load(b->impulse_bar, a->n, n.p);
                bar = rub_bars_of(a, &contact, &m, vec_axpby(R(1), own_bar, R(-1), m.other_bar));
            }
            rub_bars_store(b, f, n.p, &bar);
            mu_bar += bar.mu;
            e_bar += bar.e;
        }
        b->contribution[field_at(a->n, 2, 0, n.p)] = mu_bar;
        b->contribution[field_at(a->n, 2, 1, n.p)] = e_bar;
    }
}

/* Adds to the cotangents of what a particle sees those of its contact with field f, and of those of that field's
 * particles with its own. */
PIO_FN void rub_see_bar(const mpm_rub_adj_args *b, const near_particle *n, int f, vec *U_bar, real *R_bar)
{
    const mpm_repel_args *a = &b->fwd.near;
    real rate_bar;
    *U_bar = vec_axpby(R(1), *U_bar, R(1), rub_meet_bar(b, f, n->p, &rate_bar));
    *R_bar += rate_bar;
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const rub_contact other = rub_contact_of(a, q, n->field);
            if (!(other.load > R(0))) continue;
            const real weight = rub_weight_of(a, n, &other, near_place(a, n, &c, q));
            *U_bar = vec_axpby(R(1), *U_bar, -weight, rub_meet_bar(b, n->field, q, &rate_bar));
            *R_bar += weight * rate_bar;
        }
    }
}

typedef struct {
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_rub_see_adj_shared;

/* Sets the cotangents of what the particles of occupied block number `slot` see, and their sums at nodes. */
PIO_FN void mpm_rub_see_adj(int slot, mpm_rub_see_adj_shared *sh, const mpm_rub_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd.near;
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch t;
    t.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; near && first < sh->cells.start[cells]; first += TEAM_LANES) {
        t = team_batch_at(&sh->cells, cells, first, t.cell);
        LANES (j, t.m) {
            const near_particle n = near_particle_of(a, a->l.order[first + j]);
            vec U_bar = vec_zero();
            real R_bar = R(0);
            for (int f = 0; f < a->box.fields && b->fwd.load[a->s.id[n.p]] > R(0); f++)
                if (near >> f & 1) rub_see_bar(b, &n, f, &U_bar, &R_bar);
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) b->seen_bar[field_at(a->n, DIM + 1, c, n.p)] = U_bar.x[c];
            b->seen_bar[field_at(a->n, DIM + 1, DIM, n.p)] = R_bar;
            vector_put(&sh->t, j, n.offset, U_bar, R_bar);
        }
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &t, 1, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* Adds to the cotangents of the velocity of active node i before friction, and of its mass, and sets that of its
 * load. */
PIO_FN void mpm_rub_node_adj(int i, const mpm_rub_adj_args *b)
{
    const mpm_rub_args *a = &b->fwd;
    const int node = a->near.l.node_list[i];
    const real m = a->mass[field_at(a->nodes, DIM + 1, 0, node)];
    const real load_bar = m > R(0) ? b->seen_node_bar[field_at(a->nodes, DIM + 1, 0, node)] / m : R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        b->velocity_bar[field_at(a->nodes, DIM, c, node)] += b->seen_node_bar[field_at(a->nodes, DIM + 1, 1 + c, node)];
    b->node_load_bar[node] = load_bar;
    b->mass_bar[node] -= load_bar * a->rate[node];
}

typedef struct {
    node_vectors y;
} mpm_rub_load_adj_shared;

/* Sets the cotangents of the loads of the particles of occupied block number `slot`, and adds to those of their offsets
 * what loads at nodes, U and R depend on. */
PIO_FN void mpm_rub_load_adj(int slot, mpm_rub_load_adj_shared *sh, const mpm_rub_adj_args *b)
{
    const mpm_rub_args *r = &b->fwd;
    const mpm_repel_args *a = &r->near;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int begin = a->l.start[place.node];
    if (!near_fields(&a->box, &a->l, slot)) return;
    tile_load(sh->y.y, node_field_of(r->before, r->nodes, DIM, 0, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (j, a->l.start[place.node + BLOCK_NODES] - begin) {
        const int p = a->l.order[begin + j], at = tile_cell_of(&a->s, p);
        const vec f = vec_load(a->s.offset, a->n, p);
        const spline w = spline_at(f);
        real R_bar;
        const vec U_bar = rub_seen(a, b->seen_bar, p, &R_bar);
        vec slope = stencil_slope(&sh->y, NULL, at, R(0), &w, U_bar, mat_diag(R(0))), more;
        stencil_value(&a->box, a->s.cell[p], f, r->rate, &more);
        slope = vec_axpby(R(1), slope, R_bar, more);
        b->own_load_bar[p] = stencil_value(&a->box, a->s.cell[p], f, b->node_load_bar, &more);
        slope = vec_axpby(R(1), slope, r->load[a->s.id[p]], more);
        vec_store(b->offset_bar, a->n, p, vec_axpby(R(1), vec_load(b->offset_bar, a->n, p), R(1), slope));
    }
}

/* Returns the cotangent of the weight of stored particle q in the contact of stored particle p with field f. */
PIO_FN real rub_weight_bar(const mpm_rub_adj_args *b, const rub_contact *contact, int p, int f, int q)
{
    const mpm_repel_args *a = &b->fwd.near;
    real rate, rate_bar;
    const vec U = rub_seen(a, b->fwd.seen, q, &rate), u_bar = rub_meet_bar(b, f, p, &rate_bar);
    const vec given = rub_vec(a, b->fwd.given, f, p);
    return contact->load * b->own_load_bar[q] + rate_bar * rate - vec_dot(u_bar, U) -
           vec_dot(given, vec_load(b->impulse_bar, a->n, q));
}

/* Completes the cotangents of the contact of a particle with field f: of G, and of S in place of that of N. */
PIO_FN void rub_weigh_bar(const mpm_rub_adj_args *b, const near_particle *n, int f, const rub_contact *contact)
{
    const mpm_repel_args *a = &b->fwd.near;
    const ptrdiff_t own = field_at(a->n, a->box.fields, f, n->p);
    real load_bar = b->load_bar[own] + b->own_load_bar[n->p], weights = R(0);
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const real value = repulsion_kernel_of(near_place(a, n, &c, q)).value;
            const real weight = near_volume(a, q) * value / contact->sum;
            if (!(value > R(0))) continue;
            load_bar += weight * b->own_load_bar[q];
            weights += weight * rub_weight_bar(b, contact, n->p, f, q);
        }
    }
    const real deeper = near_scale(a, n->p) * a->second[own] * a->box.dx / REPULSION_SURFACE;
    b->load_bar[own] = contact->steep * deeper * load_bar - weights / contact->sum;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        b->slope_bar[field_at(a->n, a->box.fields * DIM, f * DIM + c, n->p)] +=
            contact->factor * load_bar * contact->normal.x[c];
}

typedef struct {
    int none; /* nothing is shared */
} mpm_rub_weigh_adj_shared;

/* Completes the cotangents of the contacts of the particles of occupied block number `slot`. */
PIO_FN void mpm_rub_weigh_adj(int slot, mpm_rub_weigh_adj_shared *sh, const mpm_rub_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd.near;
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    if (!near_fields(&a->box, &a->l, slot)) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        for (int f = 0; f < a->box.fields; f++) {
            const rub_contact contact = rub_contact_of(a, n.p, f);
            if (contact.load > R(0)) rub_weigh_bar(b, &n, f, &contact);
        }
    }
}

/* Returns y_bar of the part that stored particle q of field f has in the contact of stored particle p with that field;
 * y is from q to p, in spacings. */
PIO_FN vec rub_place_bar(const mpm_rub_adj_args *b, const rub_contact *contact, int p, int f, int q, vec y)
{
    const mpm_repel_args *a = &b->fwd.near;
    const repulsion_kernel w = repulsion_kernel_of(y);
    if (!(w.value > R(0))) return vec_zero();
    const vec slope_bar = rub_vec(a, b->slope_bar, f, p);
    const real sum_bar =
        rub_weight_bar(b, contact, p, f, q) / contact->sum + b->load_bar[field_at(a->n, a->box.fields, f, p)];
    const real along = sum_bar * w.first + w.second * vec_dot(y, slope_bar);
    return vec_scale(near_volume(a, q), vec_axpby(along, y, w.first, slope_bar));
}

/* Returns the cotangent of a particle's place, per spacing, by its contact with field f, and by those of that field's
 * particles with its own. */
PIO_FN vec rub_offset_bar(const mpm_rub_adj_args *b, const near_particle *n, int f)
{
    const mpm_repel_args *a = &b->fwd.near;
    const rub_contact own = rub_contact_of(a, n->p, f);
    vec sum = vec_zero();
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const rub_contact other = rub_contact_of(a, q, n->field);
            const vec y = near_place(a, n, &c, q);
            if (own.load > R(0)) sum = vec_axpby(R(1), sum, R(1), rub_place_bar(b, &own, n->p, f, q, y));
            if (other.load > R(0)) /* what is between both turns with either */
                sum = vec_axpby(R(1), sum, R(-1), rub_place_bar(b, &other, q, n->field, n->p, vec_scale(R(-1), y)));
        }
    }
    return sum;
}

typedef struct {
    int none; /* nothing is shared */
} mpm_rub_bend_shared;

/* Adds to the cotangents of the offsets of the particles of occupied block number `slot` what sums, slopes and weights
 * of contacts depend on. */
PIO_FN void mpm_rub_bend(int slot, mpm_rub_bend_shared *sh, const mpm_rub_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd.near;
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    if (!near) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        vec bar = vec_load(b->offset_bar, a->n, n.p);
        for (int f = 0; f < a->box.fields && b->fwd.load[a->s.id[n.p]] > R(0); f++)
            if (near >> f & 1) bar = vec_axpby(R(1), bar, R(1), rub_offset_bar(b, &n, f));
        vec_store(b->offset_bar, a->n, n.p, bar);
    }
}

/* Adds the cotangent of the mass of active node i. */
PIO_FN void mpm_rub_mass_adj(int i, const mpm_rub_adj_args *b)
{
    const int node = b->fwd.near.l.node_list[i];
    b->node_bar[field_at(b->fwd.nodes, DIM + 1, 0, node)] += b->mass_bar[node];
}

/* Returns the term of the particle at place i of the state in dJ/dmu or, with `which` 1, in dJ/de. */
PIO_FN wide mpm_rub_sum(int i, const mpm_rub_sum_args *a)
{
    return W(a->contribution[field_at(a->n, 2, a->which, i)]);
}

#endif
