/* mpm_repel.h -- bodies of several velocity fields that repel each other by a potential of the places of their
 * particles, and its adjoint.
 *
 * With S_B(x) = sum_{q in B} v_q W((x - x_q)/dx), v = V/dx^DIM (kernels/contact/repulsion.h), psi as of obstacles
 * (kernels/contact/obstacle_push.h), K the stiffness, and V, K, dx constants,
 *
 *     s_pB = dx (S_B(x_p) - 2/5)/w,   Phi = sum over fields A, B other than A, and p in A of V_p K/dx^2 psi(s_pB)
 *     f_p  = -dPhi/dx_p = -K V_p/(dx^2 w) sum over B and q in B of v_q (psi'_pB + psi'_qA) grad W(y),
 *     y    = (x_p - x_q)/dx
 *
 * so forces are central and come in pairs: linear and angular momentum are kept to rounding. They act as impulses at
 * the nodes of each body's own field, as those of obstacles do (mpm_push.h); nodes of different fields do not exchange
 * momentum. The adjoint is the product with the symmetric second derivative of Phi, in the same two sweeps: along u,
 *
 *     ds_pB = 1/w sum_q v_q grad W . (u_p - u_q),   b_pB = psi''_pB ds_pB
 *     (H u)_p = -K V_p/(dx^2 w) sum v_q ((b_pB + b_qA) grad W + (psi'_pB + psi'_qA) Hess W (u_p - u_q)/dx)
 *
 * Where all of two equal bodies moves towards each other, (u_p - u_q)^2 <= 2 u_p^2 + 2 u_q^2 and psi'' <= 1 give
 * omega^2 <= 4 K/(rho dx^2) beside that of the material (mpm_check_args).
 *
 * Neighbours are the particles of other fields in the cells up to two away along each axis, in the order of cells and
 * ids, so that sums have the same bits for every number of threads. */
#ifndef PIOLA_KERNELS_MPM_REPEL_H
#define PIOLA_KERNELS_MPM_REPEL_H

#include "kernels/contact/repulsion.h"
#include "kernels/mpm/mpm_repel_args.h"
#include "kernels/mpm/mpm_reversible_transfer.h"

enum { NEAR_REACH = 2, NEAR_EDGE = 2 * NEAR_REACH + 1, NEAR_CELLS = DIM == 3 ? 125 : 25 };

/* Returns the mask of the other fields that have particles in the block at a place, or in one next to it. */
PIO_FN unsigned near_fields(const mpm_box *box, const mpm_lists *l, int slot)
{
    const block_place place = block_place_of(box, l, slot);
    const int own = place.node / box->field_nodes, field_blocks = box->field_nodes / BLOCK_NODES;
    unsigned near = 0;
    for (int k = 0; k < (DIM == 3 ? 27 : 9); k++) {
        int block = place.node / BLOCK_NODES - own * field_blocks, rest = k, inside = 1;
        PIO_UNROLL
        for (int a = 0; a < DIM; a++) {
            const int hop = rest % 3 - 1, index = place.index[a] + hop * BLOCK_EDGE;
            inside = inside && index >= 0 && index < box->nodes[a];
            block += hop * (box->stride[a] / BLOCK_NODES);
            rest /= 3;
        }
        for (int f = 0; inside && f < box->fields; f++)
            if (f != own && l->occupied[block + f * field_blocks]) near |= 1u << f;
    }
    return near;
}

/* A particle, and what its neighbours have to do with it. */
typedef struct {
    int p, field, index[DIM]; /* where it is stored; its velocity field; its cell */
    vec offset;
} near_particle;

/* Returns stored particle p. */
PIO_FN near_particle near_particle_of(const mpm_repel_args *a, int p)
{
    near_particle n;
    n.p = p;
    n.field = a->s.cell[p] / a->box.field_nodes;
    n.offset = vec_load(a->s.offset, a->n, p);
    node_index(&a->box, a->s.cell[p], n.index);
    return n;
}

/* The particles of a cell near another: their places in the order, and how many cells away that is. */
typedef struct {
    int first, end;
    vec hop;
} near_cell;

/* Returns cell number k, 0 .. NEAR_CELLS - 1, of field f near a particle; it has none outside the grid. */
PIO_FN near_cell near_cell_of(const mpm_repel_args *a, const near_particle *n, int f, int k)
{
    near_cell c;
    int index[DIM], inside = 1;
    PIO_UNROLL
    for (int d = DIM - 1; d >= 0; d--) {
        const int hop = k % NEAR_EDGE - NEAR_REACH;
        index[d] = n->index[d] + hop;
        inside = inside && index[d] >= 0 && index[d] < a->box.nodes[d];
        c.hop.x[d] = R(hop);
        k /= NEAR_EDGE;
    }
    c.first = c.end = 0;
    if (!inside) return c;
    const int cell = node_number(&a->box, f * a->box.field_nodes, index);
    c.first = a->l.start[cell];
    c.end = a->l.start[cell + 1];
    return c;
}

/* Returns y from stored particle q, of that cell, to the particle, in spacings. */
PIO_FN vec near_place(const mpm_repel_args *a, const near_particle *n, const near_cell *c, int q)
{
    return vec_axpby(R(-1), c->hop, R(1), vec_axpby(R(1), n->offset, R(-1), vec_load(a->s.offset, a->n, q)));
}

/* Returns the half edge of stored particle p, m. */
PIO_FN real near_radius(const mpm_repel_args *a, int p)
{
    return a->radius[a->s.id[p]];
}

/* Returns v_q of stored particle q. */
PIO_FN real near_volume(const mpm_repel_args *a, int q)
{
    return cube_volume(near_radius(a, q) * a->box.inv_dx);
}

/* Returns K V_p/(dx^2 w) of stored particle p, N/m. */
PIO_FN real near_scale(const mpm_repel_args *a, int p)
{
    return a->stiffness * cube_volume(near_radius(a, p)) * a->box.inv_dx * a->box.inv_dx / REPULSION_SURFACE;
}

/* Returns which fault a particle is at the sum S of another field, with the gradient of that; -1: none. At the start
 * its centre must not be inside. Later it must not have gone so deep that the sum hardly has a slope: behind the middle
 * of a thin body the potential would push it out on the other side. */
PIO_FN int near_fault(const mpm_repel_args *a, real S, vec slope)
{
    if (!(S > R(0.5))) return -1;
    if (a->step->index == 0) return FAULT_OVERLAP;
    const real least = REPULSION_SURFACE / R(4); /* 0.8 spacings inside a thick body */
    return vec_dot(slope, slope) < least * least ? FAULT_BODIES : -1;
}

/* Sets psi' and psi'' of a particle in field f. */
PIO_FN void repel_fill(const mpm_repel_args *a, const near_particle *n, int f)
{
    const int fields = a->box.fields;
    real S = R(0);
    vec slope = vec_zero();
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const vec y = near_place(a, n, &c, q);
            const repulsion_kernel w = repulsion_kernel_of(y);
            const real v = near_volume(a, q);
            S += v * w.value;
            slope = vec_axpby(R(1), slope, v * w.first, y);
        }
    }
    const eased_slope e = eased_slope_of(repulsion_depth(S, a->box.dx), a->distance);
    const int fault = near_fault(a, S, slope);
    a->first[field_at(a->n, fields, f, n->p)] = e.first;
    a->second[field_at(a->n, fields, f, n->p)] = e.second;
    if (a->sum) {
        a->sum[field_at(a->n, fields, f, n->p)] = S;
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) a->slope[field_at(a->n, fields * DIM, f * DIM + c, n->p)] = slope.x[c];
    }
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, a->s.id[n->p], fault));
}

typedef struct {
    int none; /* nothing is shared */
} mpm_repel_fill_shared;

/* Sets psi' and psi'' of the particles of occupied block number `slot` in all fields that are near; those in others are
 * 0. Lowers the fault where one is too deep. */
PIO_FN void mpm_repel_fill(int slot, mpm_repel_fill_shared *sh, const mpm_repel_args *a)
{
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    if (!near) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        for (int f = 0; f < a->box.fields; f++) {
            if (near >> f & 1) {
                repel_fill(a, &n, f);
                continue;
            }
            a->first[field_at(a->n, a->box.fields, f, n.p)] = R(0);
            a->second[field_at(a->n, a->box.fields, f, n.p)] = R(0);
        }
    }
}

/* Returns psi'_pB + psi'_qA of particle p and stored particle q of field f; or with `of` b the sum of b. */
PIO_FN real near_sum(const mpm_repel_args *a, const real *of, const near_particle *n, int f, int q)
{
    const int fields = a->box.fields;
    return of[field_at(a->n, fields, f, n->p)] + of[field_at(a->n, fields, n->field, q)];
}

/* Returns the force of a particle, N, by the fields of the mask. */
PIO_FN vec repel_force(const mpm_repel_args *a, const near_particle *n, unsigned near)
{
    vec sum = vec_zero();
    for (int f = 0; f < a->box.fields; f++)
        for (int k = 0; (near >> f & 1) && k < NEAR_CELLS; k++) {
            const near_cell c = near_cell_of(a, n, f, k);
            for (int j = c.first; j < c.end; j++) {
                const int q = a->l.order[j];
                const real both = near_sum(a, a->first, n, f, q);
                if (!(both > R(0))) continue;
                const vec y = near_place(a, n, &c, q);
                sum = vec_axpby(R(1), sum, near_volume(a, q) * both * repulsion_kernel_of(y).first, y);
            }
        }
    return vec_scale(-near_scale(a, n->p), sum);
}

typedef struct {
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_repel_shared;

/* Sets the forces of the particles of occupied block number `slot`, and the sums of their impulses, sum_p w_ip h f. */
PIO_FN void mpm_repel(int slot, mpm_repel_shared *sh, const mpm_repel_args *a)
{
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; near && first < sh->cells.start[cells]; first += TEAM_LANES) {
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        LANES (j, b.m) {
            const near_particle n = near_particle_of(a, a->l.order[first + j]);
            const vec force = repel_force(a, &n, near);
            vec_store(a->force, a->n, n.p, force);
            vector_put(&sh->t, j, n.offset, vec_scale(a->step->h, force), R(0));
        }
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &b, 0, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* ---- adjoint ---------------------------------------------------------------------------------------------------- */

typedef struct {
    node_vectors y;
} mpm_repel_adj_shared;

/* Sets u = f_bar = h sum_i w_ip q_bar_i of the particles of occupied block number `slot`, and adds to the cotangents of
 * their offsets slope(q_bar; h f). */
PIO_FN void mpm_repel_adj(int slot, mpm_repel_adj_shared *sh, const mpm_repel_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int begin = a->l.start[place.node];
    if (!near_fields(&a->box, &a->l, slot)) return;
    tile_load(sh->y.y, node_field_of(b->push_bar, b->nodes, DIM, 0, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (j, a->l.start[place.node + BLOCK_NODES] - begin) {
        const int p = a->l.order[begin + j], at = tile_cell_of(&a->s, p);
        const spline w = spline_at(vec_load(a->s.offset, a->n, p));
        const vec impulse = vec_scale(a->step->h, vec_load(a->force, a->n, p));
        const vec slope = stencil_slope(&sh->y, NULL, at, R(0), &w, impulse, mat_diag(R(0)));
        vec_store(b->force_bar, a->n, p, vec_scale(a->step->h, stencil_mean(&sh->y, at, &w)));
        vec_store(b->offset_bar, a->n, p, vec_axpby(R(1), vec_load(b->offset_bar, a->n, p), R(1), slope));
    }
}

/* Returns u_p - u_q for stored particle q. */
PIO_FN vec near_apart(const mpm_repel_adj_args *b, const near_particle *n, int q)
{
    return vec_axpby(R(1), vec_load(b->force_bar, b->fwd.n, n->p), R(-1), vec_load(b->force_bar, b->fwd.n, q));
}

/* Returns ds along u of a particle in field f. */
PIO_FN real repel_tangent(const mpm_repel_adj_args *b, const near_particle *n, int f)
{
    const mpm_repel_args *a = &b->fwd;
    real sum = R(0);
    for (int k = 0; k < NEAR_CELLS; k++) {
        const near_cell c = near_cell_of(a, n, f, k);
        for (int j = c.first; j < c.end; j++) {
            const int q = a->l.order[j];
            const vec y = near_place(a, n, &c, q);
            sum += near_volume(a, q) * repulsion_kernel_of(y).first * vec_dot(y, near_apart(b, n, q));
        }
    }
    return sum / REPULSION_SURFACE;
}

typedef struct {
    int none; /* nothing is shared */
} mpm_repel_tangent_shared;

/* Sets b = psi'' ds of the particles of occupied block number `slot` in all fields, 0 in those that are not near. */
PIO_FN void mpm_repel_tangent(int slot, mpm_repel_tangent_shared *sh, const mpm_repel_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd;
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    if (!near) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        for (int f = 0; f < a->box.fields; f++) {
            const ptrdiff_t at = field_at(a->n, a->box.fields, f, n.p);
            const real second = a->second[at];
            b->bent[at] = second > R(0) ? second * repel_tangent(b, &n, f) : R(0);
        }
    }
}

/* Returns (H u)_p of a particle. */
PIO_FN vec repel_bend(const mpm_repel_adj_args *b, const near_particle *n, unsigned near)
{
    const mpm_repel_args *a = &b->fwd;
    vec sum = vec_zero();
    for (int f = 0; f < a->box.fields; f++)
        for (int k = 0; (near >> f & 1) && k < NEAR_CELLS; k++) {
            const near_cell c = near_cell_of(a, n, f, k);
            for (int j = c.first; j < c.end; j++) {
                const int q = a->l.order[j];
                const real first = near_sum(a, a->first, n, f, q) * a->box.inv_dx;
                if (!(first > R(0))) continue;
                const vec y = near_place(a, n, &c, q), u = near_apart(b, n, q);
                const repulsion_kernel w = repulsion_kernel_of(y);
                const real along = near_sum(a, b->bent, n, f, q) * w.first + first * w.second * vec_dot(y, u);
                const real v = near_volume(a, q);
                sum = vec_axpby(R(1), sum, v, vec_axpby(along, y, first * w.first, u));
            }
        }
    return vec_scale(-near_scale(a, n->p), sum);
}

typedef struct {
    int none; /* nothing is shared */
} mpm_repel_bend_shared;

/* Adds dx H u to the cotangents of the offsets of the particles of occupied block number `slot`. */
PIO_FN void mpm_repel_bend(int slot, mpm_repel_bend_shared *sh, const mpm_repel_adj_args *b)
{
    const mpm_repel_args *a = &b->fwd;
    const unsigned near = near_fields(&a->box, &a->l, slot);
    const int first = a->l.block_list[slot] * BLOCK_NODES, begin = a->l.start[first];
    (void)sh;
    if (!near) return;
    LANES (j, a->l.start[first + BLOCK_NODES] - begin) {
        const near_particle n = near_particle_of(a, a->l.order[begin + j]);
        const vec x_bar = repel_bend(b, &n, near);
        vec_store(b->offset_bar, a->n, n.p, vec_axpby(R(1), vec_load(b->offset_bar, a->n, n.p), a->box.dx, x_bar));
    }
}

#endif
