/* mpm_rub.h -- friction between bodies that repel each other (mpm_repel.h); its adjoint is mpm_rub_adj.h.
 *
 * Of the potential, the term of particle p and field B is a contact: p presses on B with
 *
 *     N_pB = |F_pB|,   F_pB = -K V_p/(dx^2 w) psi'_pB G_pB,   G_pB = dS_B/dy = sum over q in B of v_q grad W,
 *
 * along n = G/|G|, and meets there the velocity U_p - sum_q w_pq U_q, w_pq = v_q W(y)/S_pB, whose weights have the sum
 * 1. U_p = sum_i w_ip v_i is what particles see of the nodes' velocities after forces and walls. All contacts solve
 * alone for shares of the masses of nodes (decisions 064, 066): of m_i that which the contact's load has of all,
 *
 *     l_p = sum_B N_pB + sum over contacts (q, A) of others with the field A of p of w_qp N_qA
 *     l_i = sum_p w_ip l_p,   R_p = sum_i w_ip l_i/m_i,   R = R_p + sum_q w_pq R_q
 *
 * so that the sliding velocity t becomes  w + mu h R w/sqrt(|w|^2 + e^2) = t  (obstacle.h), and p gets the impulse
 *
 *     j_pB = -mu h N_pB w/sqrt(|w|^2 + e^2),
 *
 * and q the part -w_pq of it. Momentum stays to rounding, energy never grows, for the nodes' velocities are means of
 * those of their shares, and where all contacts slide alike w is the velocity after the step. No load is divided by.
 *
 * Loads, weights and normals are those of the places at the beginning of the step. */
#ifndef PIOLA_KERNELS_MPM_RUB_H
#define PIOLA_KERNELS_MPM_RUB_H

#include "kernels/contact/obstacle.h"
#include "kernels/mpm/mpm_deposit.h"
#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/mpm_repel.h"
#include "kernels/mpm/mpm_rub_args.h"

/* The contact of a particle with a field. */
typedef struct {
    real load;   /* N_pB, N; 0: there is none */
    real sum;    /* S_pB */
    real steep;  /* |G_pB| */
    vec slope;   /* G_pB */
    vec normal;  /* G/|G| */
    real factor; /* N_pB/|G_pB|, N */
} rub_contact;

/* Returns the contact of stored particle p with field f. */
PIO_FN rub_contact rub_contact_of(const mpm_repel_args *a, int p, int f)
{
    const int fields = a->box.fields;
    const real first = a->first[field_at(a->n, fields, f, p)];
    rub_contact c;
    c.load = c.sum = c.steep = c.factor = R(0);
    c.slope = c.normal = vec_zero();
    if (!(first > R(0))) return c;
    c.sum = a->sum[field_at(a->n, fields, f, p)];
    PIO_UNROLL
    for (int k = 0; k < DIM; k++) c.slope.x[k] = a->slope[field_at(a->n, fields * DIM, f * DIM + k, p)];
    c.steep = sqrt(vec_dot(c.slope, c.slope));
    if (!(c.steep > R(0))) return c; /* no direction is normal */
    c.normal = vec_scale(R(1) / c.steep, c.slope);
    c.factor = near_scale(a, p) * first;
    c.load = c.factor * c.steep;
    return c;
}

/* Returns w_qp of the contact of stored particle q with the field of a particle at y from it, in spacings. */
PIO_FN real rub_weight_of(const mpm_repel_args *a, const near_particle *n, const rub_contact *contact, vec y)
{
    return near_volume(a, n->p) * repulsion_kernel_of(y).value / contact->sum;
}

/* Returns what a particle's load gets from the contacts of particles of field f with its own field, N. */
PIO_FN real rub_load_of_others(const mpm_repel_args *a, const near_particle *n, int f)
{
    real load = R(0);
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const rub_contact other = rub_contact_of(a, q, n->field);
            if (!(other.load > R(0))) continue;
            load += rub_weight_of(a, n, &other, near_place(a, n, &c, q)) * other.load;
        }
    }
    return load;
}

typedef struct {
    int none; /* nothing is shared */
} mpm_rub_load_shared;

/* Sets l_p of the particles of occupied block number `slot`. */
PIO_FN void mpm_rub_load(int slot, mpm_rub_load_shared *sh, const mpm_rub_args *b)
{
    const mpm_repel_args *a = &b->near;
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        real load = R(0);
        for (int f = 0; f < a->box.fields; f++)
            if (near >> f & 1) load += rub_contact_of(a, n.p, f).load + rub_load_of_others(a, &n, f);
        b->load[a->s.id[n.p]] = load;
    }
}

/* Sets l_i/m_i of active node i, and keeps its velocity. */
PIO_FN void mpm_rub_node(int i, const mpm_rub_args *b)
{
    const mpm_repel_args *a = &b->near;
    const int node = a->l.node_list[i];
    const real m = b->mass[field_at(b->nodes, DIM + 1, 0, node)];
    b->rate[node] = m > R(0) ? deposit_at(&a->l, &a->box, b->loads, node) / m : R(0);
    vec_store(b->before, b->nodes, node, vec_load(b->velocity, b->nodes, node));
}

typedef struct {
    node_vectors y;
} mpm_rub_see_shared;

/* Sets U_p and R_p of the particles of occupied block number `slot`. */
PIO_FN void mpm_rub_see(int slot, mpm_rub_see_shared *sh, const mpm_rub_args *b)
{
    const mpm_repel_args *a = &b->near;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int begin = a->l.start[place.node];
    if (!near_fields(&a->box, &a->l, slot)) return;
    tile_load(sh->y.y, node_field_of(b->before, b->nodes, DIM, 0, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (j, a->l.start[place.node + BLOCK_NODES] - begin) {
        const int p = a->l.order[begin + j];
        const vec f = vec_load(a->s.offset, a->n, p);
        const spline w = spline_at(f);
        const vec U = stencil_mean(&sh->y, tile_cell_of(&a->s, p), &w);
        vec unused;
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) b->seen[field_at(a->n, DIM + 1, c, p)] = U.x[c];
        b->seen[field_at(a->n, DIM + 1, DIM, p)] = stencil_value(&a->box, a->s.cell[p], f, b->rate, &unused);
    }
}

/* Returns U of stored particle p, m/s, and sets its R, m/s^2; or of other numbers [n][DIM + 1]. */
PIO_FN vec rub_seen(const mpm_repel_args *a, const real *seen, int p, real *rate)
{
    vec U;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) U.x[c] = seen[field_at(a->n, DIM + 1, c, p)];
    *rate = seen[field_at(a->n, DIM + 1, DIM, p)];
    return U;
}

/* What a contact meets. */
typedef struct {
    vec u;         /* relative velocity, m/s */
    real rate;     /* R, m/s^2 */
    vec other_bar; /* of the adjoint: sum_q w_pq of the cotangents of impulses of q */
} rub_meeting;

/* Returns what a particle meets at its contact with field f; `impulse_bar` [n][DIM] is NULL but in the adjoint. */
PIO_FN rub_meeting rub_meeting_of(const mpm_rub_args *b, const near_particle *n, int f, const rub_contact *contact,
                                  const real *impulse_bar)
{
    const mpm_repel_args *a = &b->near;
    rub_meeting m;
    m.u = rub_seen(a, b->seen, n->p, &m.rate);
    m.other_bar = vec_zero();
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const real value = repulsion_kernel_of(near_place(a, n, &c, q)).value;
            const real weight = near_volume(a, q) * value / contact->sum;
            real rate;
            if (!(value > R(0))) continue;
            m.u = vec_axpby(R(1), m.u, -weight, rub_seen(a, b->seen, q, &rate));
            m.rate += weight * rate;
            if (impulse_bar) m.other_bar = vec_axpby(R(1), m.other_bar, weight, vec_load(impulse_bar, a->n, q));
        }
    }
    return m;
}

/* Returns w and what goes with it of a contact, m/s. */
PIO_FN obstacle_slide rub_slide_of(const mpm_repel_args *a, const rub_contact *contact, const rub_meeting *m)
{
    const vec t = vec_axpby(R(1), m->u, -vec_dot(m->u, contact->normal), contact->normal);
    return obstacle_slide_of(t, a->step->friction * a->step->h * m->rate, a->step->regularisation);
}

typedef struct {
    int none; /* nothing is shared */
} mpm_rub_meet_shared;

/* Sets j_pB of the particles of occupied block number `slot` for all fields, 0 where there is no contact. */
PIO_FN void mpm_rub_meet(int slot, mpm_rub_meet_shared *sh, const mpm_rub_args *b)
{
    const mpm_repel_args *a = &b->near;
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first], fields = a->box.fields;
    (void)sh;
    if (!near_fields(&a->box, &a->l, slot)) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        for (int f = 0; f < fields; f++) {
            const rub_contact contact = rub_contact_of(a, n.p, f);
            vec given = vec_zero();
            if (contact.load > R(0)) {
                const rub_meeting m = rub_meeting_of(b, &n, f, &contact, NULL);
                const obstacle_slide s = rub_slide_of(a, &contact, &m);
                given = vec_scale(-a->step->friction * a->step->h * contact.load / s.D, s.w);
            }
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) b->given[field_at(a->n, fields * DIM, f * DIM + c, n.p)] = given.x[c];
        }
    }
}

/* Returns the vector of a contact of stored particle p with field f, of [n][fields][DIM]. */
PIO_FN vec rub_vec(const mpm_repel_args *a, const real *of, int f, int p)
{
    vec v;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) v.x[c] = of[field_at(a->n, a->box.fields * DIM, f * DIM + c, p)];
    return v;
}

/* Returns what a particle gets from its contact with field f, and from those of that field's particles with its own,
 * N s. */
PIO_FN vec rub_impulse(const mpm_rub_args *b, const near_particle *n, int f)
{
    const mpm_repel_args *a = &b->near;
    vec sum = rub_vec(a, b->given, f, n->p);
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const rub_contact other = rub_contact_of(a, q, n->field);
            if (!(other.load > R(0))) continue;
            const real weight = rub_weight_of(a, n, &other, near_place(a, n, &c, q));
            sum = vec_axpby(R(1), sum, -weight, rub_vec(a, b->given, n->field, q));
        }
    }
    return sum;
}

typedef struct {
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_rub_shared;

/* Sets the impulses of friction of the particles of occupied block number `slot`, and their sums at nodes. */
PIO_FN void mpm_rub(int slot, mpm_rub_shared *sh, const mpm_rub_args *b)
{
    const mpm_repel_args *a = &b->near;
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
            vec impulse = vec_zero();
            for (int f = 0; f < a->box.fields && b->load[a->s.id[n.p]] > R(0); f++)
                if (near >> f & 1) impulse = vec_axpby(R(1), impulse, R(1), rub_impulse(b, &n, f));
            vec_store(b->impulse, a->n, n.p, impulse);
            vector_put(&sh->t, j, n.offset, impulse, R(0));
        }
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &t, 0, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* Returns the mass of a node, kg, and sets 1/m in components that no wall prescribes, else 0; 0 where it has none. */
PIO_FN real rub_yield(const mpm_rub_args *b, int node, real yield[DIM])
{
    const real m = b->mass[field_at(b->nodes, DIM + 1, 0, node)];
    int index[DIM];
    node_index(&b->near.box, node, index);
    wall_free_components(&b->near.box, index, yield);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) yield[c] = m > R(0) ? yield[c] / m : R(0);
    return m;
}

/* Sets the velocity of active node i after friction. */
PIO_FN void mpm_rub_act(int i, const mpm_rub_args *b)
{
    const int node = b->near.l.node_list[i];
    vec v = vec_load(b->before, b->nodes, node);
    real yield[DIM];
    rub_yield(b, node, yield);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) v.x[c] += yield[c] * b->impulses[field_at(b->nodes, DIM, c, node)];
    vec_store(b->velocity, b->nodes, node, v);
}

#endif
