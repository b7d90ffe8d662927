/* mpm_g2p.h -- grid to particles, the particle update, and the adjoint of both:
 *
 *     v' = sum_i w_ip v_i,   C' = (4/dx^2) sum_i w_ip v_i (x_i - x_p)^T
 *     x' = x + h v',   F' = (I + h C') F   (fluids: J' = det(I + h C') J)
 *
 * The new state is stored in the order in which the cells are visited; so the storage follows the particles for
 * free. */
#ifndef PIOLA_KERNELS_MPM_G2P_H
#define PIOLA_KERNELS_MPM_G2P_H

#include "kernels/mpm/mpm_g2p_args.h"
#include "kernels/mpm/mpm_p2g.h"

typedef struct {
    team_cells cells;
    uint64_t left;  /* mask of the cells that a particle leaves */
    node_vectors y; /* velocities, m/s */
} mpm_g2p_shared;

/* Returns what is wrong with moving a particle by u in units of the spacing, of which `cfl` is the most allowed, or
 * `fault`, which was found before or is -1. `base` is the index of its base node, f its offset. */
PIO_FN int move_fault(const mpm_box *box, const int base[DIM], vec f, vec u, real cfl, int fault)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real g = f.x[a] + u.x[a];
        if (!is_finite(u.x[a])) {
            fault = FAULT_NOT_FINITE;
            continue;
        }
        if (fabs(u.x[a]) > cfl && fault != FAULT_NOT_FINITE) fault = FAULT_CFL;
        if (!(fabs(u.x[a]) <= R(1))) continue;
        const int b = base[a] + (g >= R(1.5)) - (g < R(0.5));
        if ((b < 0 || b > box->nodes[a] - 3) && fault < 0) fault = FAULT_LEFT_GRID;
    }
    return fault;
}

/* What g2p computes with and sets, of each lane. */
typedef struct {
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);      /* v', m/s */
    PER_LANE(real, C, DIM *DIM); /* C', 1/s */
    PER_LANE(real, F, DIM *DIM); /* F and then F', where there are solids */
    PER_LANE(real, J, 1);        /* likewise of fluids */
    PER_LANE(real, f_next, DIM);
    PER_LANE(int, base, DIM); /* index of the base node */
    PER_LANE(int, next, 1);   /* the new cell */
    PER_LANE(int, fault, 1);  /* not 0: something is wrong */
    PER_LANE(int, left, 1);   /* not 0: the particle leaves its cell */
} g2p_lanes;

/* Sets the index of the base nodes of the lanes of a batch. */
PIO_FN void g2p_bases(const lane_cells *at, const block_place *p, g2p_lanes *x)
{
#if PIO_NODE_ROWS
    FULL_LANES(j)
    {
        x->base[0][j] = p->index[0] + at->row[0][j];
        x->base[1][j] = p->index[1] + at->column[0][j];
    }
#else
    const team_cells *t = at->cells;
    const team_batch *b = at->batch;
    RUNS(r, b->runs, run_of(t, b, OWN_LANE))
    {
        const int begin = run_begin(t, b, r), end = run_end(t, b, r);
        int place = t->cell[b->cell + r], base[DIM];
        for (int c = DIM - 1; c >= 0; c--, place /= TILE_EDGE) base[c] = p->index[c] + place % TILE_EDGE;
        RUN_LANES(j, begin, end)
        {
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) x->base[c][LANE(j)] = base[c];
        }
    }
#endif
}

/* Sets the new state of the lanes by the formulas at the head, and marks those in which something is wrong. A
 * particle that leaves the grid or moves by more than one cell keeps its old cell, so that nothing is ever written
 * out of bounds. In f32 the new offset may round up to 3/2 from below; it then belongs to the next cell by one
 * rounding, which is harmless for the weights, and the next step moves it on. `first` is the first node of the grid. */
PIO_FN void g2p_move(const mpm_g2p_args *a, int first, g2p_lanes *x)
{
    const real h = a->step->h, s = R(4) * a->box.inv_dx, per_cell = h * a->box.inv_dx, cfl = a->step->cfl;
    FULL_LANES(j)
    {
        const vec f = lane_vec(x->f, j), v = lane_vec(x->v, j);
        const mat C = mat_axpby(s, lane_mat(x->C, j), -s, mat_outer(v, f)), G = mat_axpby(R(1), mat_diag(R(1)), h, C);
        const real det = mat_det(G, mat_cofactor(G));
        int to = first, fault = !(det > R(0)), left = 0;
        lane_mat_put(x->C, j, C);
        if (a->s.F) lane_mat_put(x->F, j, mat_mul(G, lane_mat(x->F, j)));
        if (a->s.J) x->J[0][LANE(j)] *= det;
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) {
            const real u = per_cell * v.x[c], g = f.x[c] + u;
            const int shift = (g >= R(1.5)) - (g < R(0.5)), b = x->base[c][LANE(j)] + shift;
            const int inside = (b >= 0) & (b <= a->box.nodes[c] - 3), moves = inside & (fabs(u) <= R(1));
            fault |= !(fabs(u) <= cfl) | !inside;
            left |= moves ? shift : 0;
            x->f_next[c][LANE(j)] = moves ? g - R(shift) : f.x[c];
            to += node_step(&a->box, c, moves ? b : x->base[c][LANE(j)]);
        }
        x->next[0][LANE(j)] = to;
        x->fault[0][LANE(j)] = fault;
        x->left[0][LANE(j)] = left;
    }
}

/* Reports what is wrong with the particle of lane j: it is not finite, is inverted (det(I + h C') <= 0), leaves the
 * grid or moves by more than the CFL number allows. */
PIO_FN void g2p_report(const mpm_g2p_args *a, const lane_items *t, g2p_lanes *x, int j)
{
    const mat G = mat_axpby(R(1), mat_diag(R(1)), a->step->h, lane_mat(x->C, j));
    const real det = mat_det(G, mat_cofactor(G));
    const vec u = vec_scale(a->step->h * a->box.inv_dx, lane_vec(x->v, j));
    int base[DIM], fault = -1;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) base[c] = x->base[c][LANE(j)];
    if (!(det > R(0))) fault = is_finite(det) ? FAULT_INVERTED : FAULT_NOT_FINITE;
    fault = move_fault(&a->box, base, lane_vec(x->f, j), u, a->step->cfl, fault);
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, a->s.id[t->item[LANE(j)]], fault));
}

/* Notes the cells that particles of a batch leave. */
PIO_FN void g2p_leave(const mpm_g2p_args *a, const lane_items *t, g2p_lanes *x, uint64_t *left)
{
    int some = 0;
    FULL_LANES(j) some |= x->left[0][LANE(j)];
    if (!some) return;
    LANES (j, t->m)
        if (x->left[0][LANE(j)]) atomic_or_u64(left, UINT64_C(1) << a->s.cell[t->item[LANE(j)]] % BLOCK_NODES);
}

/* Stores the new state of a batch. Where there are solids and fluids, those keep J and these F. */
PIO_FN void g2p_store(const mpm_g2p_args *a, const lane_items *t, g2p_lanes *x)
{
    const int n = a->matter.n, first = t->first;
    if (a->s.F && a->s.J) {
        LANES (j, t->m) {
            const int p = t->item[LANE(j)];
            if (law_is_fluid(a->matter.law[a->s.id[p]]))
                lane_mat_put(x->F, j, mat_load(a->s.F, n, p));
            else
                x->J[0][LANE(j)] = a->s.J[p];
        }
    }
    lanes_store_places(a->next.offset, n, DIM, t, x->f_next);
    lanes_store_places(a->next.velocity, n, DIM, t, x->v);
    lanes_store_places(a->next.C, n, DIM * DIM, t, x->C);
    if (a->s.F) lanes_store_places(a->next.F, n, DIM * DIM, t, x->F);
    if (a->s.J) lanes_store_places(a->next.J, n, 1, t, x->J);
    int faults = 0;
    FULL_LANES(j) faults |= x->fault[0][LANE(j)];
    LANES (j, t->m) a->next.id[first + j] = a->s.id[t->item[LANE(j)]];
    LANES (j, t->m) a->next.cell[first + j] = x->next[0][LANE(j)];
    if (!faults) return;
    LANES (j, t->m)
        if (x->fault[0][LANE(j)]) g2p_report(a, t, x, j);
}

/* Returns what g2p and its adjoint will read of the particles at the places of an order before `end`. */
PIO_FN lanes_ahead g2p_ahead(const mpm_state *s, const int *order, int end)
{
    lanes_ahead h = ahead_of(order, NULL, end);
    ahead_add(&h, AHEAD_ITEM, 0, s->offset, DIM, NULL);
    ahead_add(&h, AHEAD_ITEM, 0, s->F, DIM * DIM, s->offset);
    return h;
}

/* Sets the new state of the particles of occupied block number `slot`. */
PIO_FN void mpm_g2p(int slot, mpm_g2p_shared *sh, const mpm_g2p_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l), n = a->matter.n;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int grid = field_first(&a->box, place.node);
    team_batch b;
    g2p_lanes x;
    b.cell = 0;
    LANES_CLEAR(x);
    LANES (j, 1) sh->left = 0;
    tile_load(sh->y.y, node_field_of(a->velocity, a->nodes, DIM, 0, DIM), &a->box, &place);
    TEAM_SYNC();
    lanes_ahead ahead = g2p_ahead(&a->s, a->l.order, sh->cells.start[cells]);
    ahead_add(&ahead, AHEAD_PLACE, 1, a->next.offset, DIM, NULL);
    ahead_add(&ahead, AHEAD_PLACE, 1, a->next.velocity, DIM, NULL);
    ahead_add(&ahead, AHEAD_PLACE, 1, a->next.C, DIM * DIM, NULL);
    ahead_add(&ahead, AHEAD_PLACE, 1, a->next.F, DIM * DIM, a->next.C);
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        lane_items t;
        lane_cells at;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lane_cells_of(&at, &sh->cells, &b);
        lanes_open(&t, a->l.order, n, first, b.m);
        lanes_load(x.f, a->s.offset, n, DIM, &t);
        if (a->s.F) lanes_load(x.F, a->s.F, n, DIM * DIM, &t);
        if (a->s.J) lanes_load(x.J, a->s.J, n, 1, &t);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 0);
        team_moments(&sh->y, &at, &ahead, x.f, x.v, x.C);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 1);
        g2p_bases(&at, &place, &x);
        g2p_move(a, grid, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 2);
        g2p_store(a, &t, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 3);
        g2p_leave(a, &t, &x, &sh->left);
    }
    TEAM_SYNC();
    LANES (j, 1) a->l.settled[place.node / BLOCK_NODES] = ~sh->left;
}

/* ---- adjoint: with the cotangents of the new state (primed),
 *     F_bar = G^T F'_bar,  C'_bar += h F'_bar F^T    G = I + h C'
 *     J_bar = det G J'_bar,  C'_bar += h J J'_bar cof G
 *     v'_bar += (h/dx) f'_bar;  then  C' = sum_o w_o v_o (4/dx)(o - f)^T  gives the affine field
 *     b + B o with B = (4/dx) C'_bar, b = v'_bar - B f, which is spread to the nodes:  v_o_bar += w_o (b + B o)
 *     f_bar = f'_bar + slope(v; b, B) - B^T v' */

typedef struct {
    team_cells cells;
    node_vectors y; /* velocities, m/s */
    spread_batch t;
    tile_sums tile;
} mpm_g2p_adj_shared;

/* What the adjoint computes with and sets, of each lane. */
typedef struct {
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);      /* v', m/s */
    PER_LANE(real, C, DIM *DIM); /* C', 1/s */
    PER_LANE(real, F, DIM *DIM); /* where there are solids */
    PER_LANE(real, J, 1);        /* where there are fluids */
    PER_LANE(real, f_bar, DIM);
    PER_LANE(real, v_bar, DIM);
    PER_LANE(real, C_bar, DIM *DIM);
    PER_LANE(real, F_bar, DIM *DIM);
    PER_LANE(real, J_bar, 1);
    PER_LANE(real, slope, DIM);
    PER_LANE(real, b, QUAD); /* the affine field; 0 beyond DIM */
    PER_LANE(real, B, DIM *DIM);
} g2p_adj_lanes;

/* Loads the particles of a batch and the cotangents of their new state; 0 for F or J and its cotangent where a law has
 * not it. */
PIO_FN void g2p_load_adj(const mpm_g2p_adj_args *a, const lane_items *t, g2p_adj_lanes *x)
{
    const int n = a->matter.n;
    lanes_load(x->f, a->s.offset, n, DIM, t);
    lanes_load_places(x->f_bar, a->next_bar.offset, n, DIM, t);
    lanes_load_places(x->v_bar, a->next_bar.velocity, n, DIM, t);
    lanes_load_places(x->C_bar, a->next_bar.C, n, DIM * DIM, t);
    if (a->s.F) {
        lanes_load(x->F, a->s.F, n, DIM * DIM, t);
        lanes_load_places(x->F_bar, a->next_bar.F, n, DIM * DIM, t);
    }
    if (a->s.J) {
        lanes_load(x->J, a->s.J, n, 1, t);
        lanes_load_places(x->J_bar, a->next_bar.J, n, 1, t);
    }
    if (!(a->s.F && a->s.J)) return;
    FULL_LANES(j)
    {
        if (law_is_fluid(a->matter.law[a->s.id[t->item[LANE(j)]]])) {
            lane_mat_put(x->F_bar, j, mat_diag(R(0)));
            lane_mat_put(x->F, j, mat_diag(R(0)));
        } else {
            x->J_bar[0][LANE(j)] = x->J[0][LANE(j)] = R(0);
        }
    }
}

/* Sets the cotangents of F and J of the lanes, and their affine fields; v and C have the sums over nodes. */
PIO_FN void g2p_move_adj(const mpm_g2p_adj_args *a, g2p_adj_lanes *x)
{
    const real h = a->step->h, s = R(4) * a->box.inv_dx, per_cell = h * a->box.inv_dx;
    FULL_LANES(j)
    {
        const vec f = lane_vec(x->f, j), v = lane_vec(x->v, j);
        const mat C = mat_axpby(s, lane_mat(x->C, j), -s, mat_outer(v, f)), G = mat_axpby(R(1), mat_diag(R(1)), h, C);
        mat C_bar = lane_mat(x->C_bar, j);
        if (a->s.J) {
            const mat cof = mat_cofactor(G);
            const real J_bar = x->J_bar[0][LANE(j)];
            C_bar = mat_axpby(R(1), C_bar, h * x->J[0][LANE(j)] * J_bar, cof);
            x->J_bar[0][LANE(j)] = mat_det(G, cof) * J_bar;
        }
        if (a->s.F) {
            const mat F_bar = lane_mat(x->F_bar, j);
            C_bar = mat_axpby(R(1), C_bar, h, mat_mul_t(F_bar, lane_mat(x->F, j)));
            lane_mat_put(x->F_bar, j, mat_t_mul(G, F_bar));
        }
        const vec v_bar = vec_axpby(R(1), lane_vec(x->v_bar, j), per_cell, lane_vec(x->f_bar, j));
        const mat B = mat_scale(s, C_bar);
        lane_mat_put(x->B, j, B);
        lane_vec_put(x->b, j, vec_axpby(R(1), v_bar, R(-1), mat_apply(B, f)));
        PIO_UNROLL
        for (int c = DIM; c < QUAD; c++) x->b[c][LANE(j)] = R(0);
    }
}

/* Sets the slopes of the lanes of a batch, and completes the cotangents of their offsets: f'_bar + slope - B^T v'. */
PIO_FN void g2p_offset_adj(const mpm_g2p_adj_shared *sh, const lane_cells *at, g2p_adj_lanes *x)
{
    team_slopes(&sh->y, at, x->f, x->b, x->B, x->slope);
    FULL_LANES(j)
    {
        const vec turned = mat_t_apply(lane_mat(x->B, j), lane_vec(x->v, j));
        const vec f_bar = vec_axpby(R(1), lane_vec(x->slope, j), R(-1), turned);
        lane_vec_put(x->f_bar, j, vec_axpby(R(1), lane_vec(x->f_bar, j), R(1), f_bar));
    }
}

/* Stores the cotangents of the old state of a batch. What a law has not, F or J, it keeps, and so its cotangent. Those
 * of v and C are 0, since they reach the step's end through the grid only: every place is that of one particle. */
PIO_FN void g2p_store_adj(const mpm_g2p_adj_args *a, const lane_items *t, g2p_adj_lanes *x)
{
    const int n = a->matter.n;
    if (a->s.F && a->s.J) {
        LANES (j, t->m) {
            const int place = t->first + j;
            if (law_is_fluid(a->matter.law[a->s.id[t->item[LANE(j)]]]))
                lane_mat_put(x->F_bar, j, mat_load(a->next_bar.F, n, place));
            else
                x->J_bar[0][LANE(j)] = a->next_bar.J[place];
        }
    }
    lanes_store(a->bar.offset, n, DIM, t, x->f_bar);
    if (a->s.F) lanes_store(a->bar.F, n, DIM * DIM, t, x->F_bar);
    if (a->s.J) lanes_store(a->bar.J, n, 1, t, x->J_bar);
    if (!a->clears_motion) return;
    lanes_clear_places(a->bar.velocity, n, DIM, t);
    lanes_clear_places(a->bar.C, n, DIM * DIM, t);
}

/* Sets the cotangents of the particles of occupied block number `slot`, and its contribution to those of the grid
 * velocities. */
PIO_FN void mpm_g2p_adj(int slot, mpm_g2p_adj_shared *sh, const mpm_g2p_adj_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    const block_place place = block_place_of(&a->box, &a->l, slot);
    team_batch b;
    g2p_adj_lanes x;
    const lanes_ahead none = ahead_of(NULL, NULL, 0);
    b.cell = 0;
    LANES_CLEAR(x);
    tile_load(sh->y.y, node_field_of(a->velocity, a->nodes, DIM, 0, DIM), &a->box, &place);
    tile_clear(&sh->tile);
    TEAM_SYNC();
    lanes_ahead ahead = g2p_ahead(&a->s, a->l.order, sh->cells.start[cells]);
    ahead_add(&ahead, AHEAD_PLACE, 0, a->next_bar.offset, DIM, NULL);
    ahead_add(&ahead, AHEAD_PLACE, 0, a->next_bar.velocity, DIM, NULL);
    ahead_add(&ahead, AHEAD_PLACE, 0, a->next_bar.C, DIM * DIM, NULL);
    ahead_add(&ahead, AHEAD_PLACE, 0, a->next_bar.F, DIM * DIM, a->next_bar.C);
    ahead_add(&ahead, AHEAD_ITEM, 1, a->bar.offset, DIM, NULL);
    ahead_add(&ahead, AHEAD_ITEM, 1, a->bar.F, DIM * DIM, a->bar.offset);
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        lane_items t;
        lane_cells at;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lane_cells_of(&at, &sh->cells, &b);
        lanes_open(&t, a->l.order, a->matter.n, first, b.m);
        g2p_load_adj(a, &t, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 0);
        team_moments(&sh->y, &at, &none, x.f, x.v, x.C);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 1);
        g2p_move_adj(a, &x);
        g2p_offset_adj(sh, &at, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 2);
        g2p_store_adj(a, &t, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 3);
        spread_put(&sh->t, NULL, x.b, x.B);
        spread_weights(&sh->t, x.f);
        TEAM_SYNC();
        spread_add(&sh->t, &sh->cells, &b, &sh->tile, &ahead);
    }
    tile_store(&sh->tile, a->sums, slot);
}

#endif
