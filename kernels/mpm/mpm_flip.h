/* mpm_flip.h -- particles that keep a fraction of their own velocity, the FLIP ratio b: the affine FLIP transfer
 * (AFLIP: Fei, Guo, Wu, Huang, Gao 2021, ACM TOG 40(4), "Revisiting integration in the material point method", with
 * the positions of APIC), and its adjoint.
 *
 *     u_i  = p_i/m_i,  p_i = sum_p w_ip m_p (v_p + C_p (x_i - x_p))      the velocity of APIC before any force
 *     v_p' = sum_i w_ip v_i' + b (v_p - sum_i w_ip u_i),   0 <= b <= 1
 *
 * So a particle receives the change of the grid's velocity, and b says how much it keeps of what the grid does not
 * resolve: b = 0 is APIC, and b = 1 filters nothing. C' and x' are those of APIC: the affine velocity is not
 * blended, since what it keeps would be noise of the wave length of a cell. What is added carries no momentum, sum_p
 * m_p (v_p - sum_i w_ip u_i) = 0, since the affine part adds none to sum_i p_i. It does carry angular momentum, by
 * as much as C before the step and that of u differ. */
#ifndef PIOLA_KERNELS_MPM_FLIP_H
#define PIOLA_KERNELS_MPM_FLIP_H

#include "kernels/mpm/mpm_flip_args.h"
#include "kernels/mpm/mpm_deposit.h"
#include "kernels/mpm/mpm_grid.h"
#include "kernels/mpm/mpm_reversible_transfer.h"
#include "kernels/mpm/mpm_team_spread.h"

typedef struct {
    team_cells cells;
    spread_batch t;
    tile_sums tile;
} mpm_flip_spread_shared;

/* Returns B of the affine field b + B o of stored particle p with offset f, and sets b: B = m dx C, b = m v - B f, kg
 * m/s. */
PIO_FN mat flip_field(const mpm_state *s, const mpm_matter *m, const mpm_box *box, int p, vec f, vec *b)
{
    const real mass = m->mass[s->id[p]];
    const mat B = mat_scale(mass * box->dx, mat_load(s->C, m->n, p));
    *b = vec_axpby(mass, vec_load(s->velocity, m->n, p), R(-1), mat_apply(B, f));
    return B;
}

/* What mpm_flip_spread computes with and sets, of each lane. */
typedef struct {
    PER_LANE(real, mass, 1); /* kg */
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);      /* m/s */
    PER_LANE(real, C, DIM *DIM); /* 1/s */
    PER_LANE(real, b, QUAD);     /* the affine field, kg m/s; 0 beyond DIM */
    PER_LANE(real, B, DIM *DIM);
} flip_lanes;

/* Loads the particles of a batch. */
PIO_FN void flip_load(const mpm_flip_spread_args *a, const lane_items *t, flip_lanes *x)
{
    const int n = a->matter.n;
    lanes_load(x->f, a->s.offset, n, DIM, t);
    lanes_load(x->v, a->s.velocity, n, DIM, t);
    lanes_load(x->C, a->s.C, n, DIM * DIM, t);
    FULL_LANES(j) x->mass[0][LANE(j)] = a->matter.mass[a->s.id[t->item[LANE(j)]]];
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip m_p (v_p + C_p (x_i - x_p)). */
PIO_FN void mpm_flip_spread(int slot, mpm_flip_spread_shared *sh, const mpm_flip_spread_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const lanes_ahead none = ahead_of(NULL, NULL, 0);
    const int skips = a->near_walls && tile_is_inner(&a->box, place.index);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    const int end = sh->cells.start[cells];
    for (int first = skips ? end : sh->cells.start[0]; first < end; first += TEAM_LANES) {
        flip_lanes x;
        lane_items t;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lanes_open(&t, a->l.order, a->matter.n, first, b.m);
        flip_load(a, &t, &x);
        FULL_LANES(j)
        {
            const mat B = mat_scale(x.mass[0][LANE(j)] * a->box.dx, lane_mat(x.C, j));
            const vec at_base = vec_axpby(x.mass[0][LANE(j)], lane_vec(x.v, j), R(-1), mat_apply(B, lane_vec(x.f, j)));
            lane_mat_put(x.B, j, B);
            lane_vec_put(x.b, j, at_base);
            PIO_UNROLL
            for (int c = DIM; c < QUAD; c++) x.b[c][LANE(j)] = R(0);
        }
        spread_put(&sh->t, NULL, x.b, x.B);
        spread_weights(&sh->t, x.f);
        TEAM_SYNC();
        spread_add(&sh->t, &sh->cells, &b, &sh->tile, &none);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* ---- adjoint: b_bar = sum_o w_o p_bar_o,  B_bar = sum_o w_o p_bar_o o^T - b_bar f^T
 *     v_bar += m b_bar;  C_bar += m dx B_bar;  m_bar += b_bar . v + dx B_bar : C
 *     f_bar += slope(p_bar; b, B) - B^T b_bar */

typedef struct {
    node_vectors y;
} mpm_flip_spread_adj_shared;

/* Adds to the cotangents of v, C, offset and mass of stored particle p, by the formulas above; sh->y has p_bar of the
 * tile. */
PIO_FN void flip_particle_adj(const mpm_flip_spread_adj_args *a, const mpm_flip_spread_adj_shared *sh, int p)
{
    const mpm_flip_spread_args *fwd = &a->fwd;
    const int n = fwd->matter.n, id = fwd->s.id[p], at = tile_cell_of(&fwd->s, p);
    const real mass = fwd->matter.mass[id], dx = fwd->box.dx;
    const vec f = vec_load(fwd->s.offset, n, p);
    const spline w = spline_at(f);
    vec b, b_bar;
    mat B_bar;
    const mat B = flip_field(&fwd->s, &fwd->matter, &fwd->box, p, f, &b);
    stencil_moments(&sh->y, at, &w, &b_bar, &B_bar);
    B_bar = mat_axpby(R(1), B_bar, R(-1), mat_outer(b_bar, f));
    const vec slope = stencil_slope(&sh->y, NULL, at, R(0), &w, b, B);
    const vec f_bar = vec_axpby(R(1), slope, R(-1), mat_t_apply(B, b_bar));
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), vec_load(a->bar.offset, n, p), R(1), f_bar));
    vec_store(a->bar.velocity, n, p, vec_axpby(R(1), vec_load(a->bar.velocity, n, p), mass, b_bar));
    mat_store(a->bar.C, n, p, mat_axpby(R(1), mat_load(a->bar.C, n, p), mass * dx, B_bar));
    a->mass_bar[id] += vec_dot(b_bar, vec_load(fwd->s.velocity, n, p)) + dx * mat_ddot(B_bar, mat_load(fwd->s.C, n, p));
}

/* Adjoint of mpm_flip_spread for the particles of occupied block number `slot`: adds to their cotangents. */
PIO_FN void mpm_flip_spread_adj(int slot, mpm_flip_spread_adj_shared *sh, const mpm_flip_spread_adj_args *a)
{
    const mpm_lists *l = &a->fwd.l;
    const block_place place = block_place_of(&a->fwd.box, l, slot);
    const int first = l->start[place.node], end = l->start[place.node + BLOCK_NODES];
    tile_load(sh->y.y, node_field_of(a->momentum_bar, a->nodes, DIM, 0, DIM), &a->fwd.box, &place);
    TEAM_SYNC();
    LANES (j, end - first) flip_particle_adj(a, sh, l->order[first + j]);
}

/* ---- what the particles keep, added to the new velocity once mpm_g2p has set it ------------------------------- */

typedef struct {
    real m[1][TILE_NODES]; /* m_i, kg */
    node_vectors y;        /* p_i, kg m/s, and then u_i, m/s */
} mpm_flip_shared;

/* Sets u_i = p_i/m_i, m/s, of the nodes of a tile in shared memory, 0 where there is no mass; TEAM_SYNC() follows. */
PIO_FN void tile_flip_velocities(mpm_flip_shared *sh, const mpm_flip_args *a, int slot)
{
    const block_place place = block_place_of(&a->box, &a->l, slot);
    tile_load(sh->m, node_field_of(a->sums, a->nodes, DIM + 1, 0, 1), &a->box, &place);
    tile_load(sh->y.y, node_field_of(a->momentum, a->nodes, DIM, 0, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (i, TILE_NODES)
        for (int c = 0; c < DIM; c++) sh->y.y[c][i] = sh->m[0][i] > R(0) ? sh->y.y[c][i] / sh->m[0][i] : R(0);
}

/* Returns v_p - sum_i w_ip u_i, m/s, of the particle at this place of the order; y has u_i of the tile. */
PIO_FN vec flip_rest(const mpm_flip_args *a, const node_vectors *y, int place)
{
    const int p = a->l.order[place];
    const spline w = spline_at(vec_load(a->s.offset, a->n, p));
    return vec_axpby(R(1), vec_load(a->s.velocity, a->n, p), R(-1), stencil_mean(y, tile_cell_of(&a->s, p), &w));
}

/* Adds b (v_p - sum_i w_ip u_i) to the new velocities of the particles of occupied block number `slot`. */
PIO_FN void mpm_flip(int slot, mpm_flip_shared *sh, const mpm_flip_args *a)
{
    const int block = a->l.block_list[slot] * BLOCK_NODES;
    const int first = a->l.start[block], end = a->l.start[block + BLOCK_NODES];
    tile_flip_velocities(sh, a, slot);
    TEAM_SYNC();
    LANES (j, end - first) {
        const vec rest = flip_rest(a, &sh->y, first + j), v = vec_load(a->velocity, a->n, first + j);
        vec_store(a->velocity, a->n, first + j, vec_axpby(R(1), v, a->step->flip_ratio, rest));
    }
}

/* ---- adjoint, with d = b v'_bar:  v_bar += d,  u_o_bar -= w_o d,  f_bar -= slope(u; d),  b_bar = v'_bar . (v - sum_o
 * w_o u_o) */

typedef struct {
    mpm_flip_shared u;
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_flip_adj_shared;

/* Adjoint of mpm_flip for the particle at this place of the order: adds to the cotangents of its velocity and offset,
 * sets its term of b_bar, and stores -d as entry j of the batch, for u_bar. */
PIO_FN void flip_place_adj(const mpm_flip_adj_args *a, mpm_flip_adj_shared *sh, int j, int place)
{
    const mpm_flip_args *fwd = &a->fwd;
    const int n = fwd->n, p = fwd->l.order[place];
    const vec f = vec_load(fwd->s.offset, n, p), v_bar = vec_load(a->next_bar, n, place);
    const vec d = vec_scale(fwd->step->flip_ratio, v_bar);
    const spline w = spline_at(f);
    const vec slope = stencil_slope(&sh->u.y, NULL, tile_cell_of(&fwd->s, p), R(0), &w, d, mat_diag(R(0)));
    a->contribution[place] = vec_dot(v_bar, flip_rest(fwd, &sh->u.y, place));
    vec_store(a->bar.velocity, n, p, vec_axpby(R(1), vec_load(a->bar.velocity, n, p), R(1), d));
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), vec_load(a->bar.offset, n, p), R(-1), slope));
    vector_put(&sh->t, j, f, vec_scale(R(-1), d), R(0));
}

/* Adds the cotangents of the particles of occupied block number `slot`, and sets their terms of b_bar and its
 * contribution to u_bar. */
PIO_FN void mpm_flip_adj(int slot, mpm_flip_adj_shared *sh, const mpm_flip_adj_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->fwd.l);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    tile_flip_velocities(&sh->u, &a->fwd, slot);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        LANES (j, b.m) flip_place_adj(a, sh, j, first + j);
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &b, 0, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* Returns the term of the particle at place i of the order in b_bar, dJ/db of the FLIP ratio. */
PIO_FN wide mpm_flip_sum(int i, const mpm_flip_sum_args *a)
{
    return W(a->contribution[i]);
}

#endif
