/* mpm_p2g.h -- particles to grid, and its adjoint. MLS-MPM with APIC (Hu et al. 2018, eq. 29; Jiang et al. 2015):
 *
 *     A_p = m_p C_p - h V_p (4/dx^2) tau_p                                            [kg/s]
 *     m_i = sum_p w_ip m_p,    p_i = sum_p w_ip (m_p v_p + A_p (x_i - x_p))           [kg], [kg m/s]
 *
 * In units of the grid, x_i - x_p = dx (o - f): an affine field b + B o with B = dx A_p, b = m_p v_p - B f. A block
 * sums its particles, in the order of cells and ids, into the nodes of its tile; then each node sums the tiles that
 * it is in, in a fixed order. */
#ifndef PIOLA_KERNELS_MPM_P2G_H
#define PIOLA_KERNELS_MPM_P2G_H

#include "kernels/mpm/mpm_node_sum.h"
#include "kernels/mpm/mpm_stress_rest.h"
#include "kernels/mpm/mpm_team_gather.h"
#include "kernels/mpm/mpm_team_spread.h"

typedef struct {
    team_cells cells;
    spread_batch t;
    tile_sums tile;
} mpm_p2g_shared;

/* Sets the affine fields of the lanes: B = m dx C - h V (4/dx) tau, b = m v - B f. */
PIO_FN void p2g_field(const mpm_box *box, real h, p2g_lanes *x)
{
    const real stress = -h * R(4) * box->inv_dx, dx = box->dx;
    FULL_LANES(j)
    {
        const real mass = x->mass[0][LANE(j)];
        const mat B = mat_axpby(mass * dx, lane_mat(x->C, j), stress * x->volume[0][LANE(j)], lane_mat(x->tau, j));
        lane_mat_put(x->B, j, B);
        lane_vec_put(x->b, j, vec_axpby(mass, lane_vec(x->v, j), R(-1), mat_apply(B, lane_vec(x->f, j))));
        PIO_UNROLL
        for (int c = DIM; c < QUAD; c++) x->b[c][LANE(j)] = R(0);
    }
}

/* Returns what p2g will read of the particles at the places of an order before `end`. */
PIO_FN lanes_ahead p2g_ahead(const mpm_state *s, const mpm_matter *m, const int *order, int end)
{
    lanes_ahead h = ahead_of(order, s->id, end);
    ahead_add(&h, AHEAD_ITEM, 0, s->F, DIM * DIM, s->C);
    ahead_add(&h, AHEAD_ITEM, 0, s->C, DIM * DIM, NULL);
    ahead_add(&h, AHEAD_ITEM, 0, s->offset, DIM, NULL);
    ahead_add(&h, AHEAD_ITEM, 0, s->velocity, DIM, NULL);
    ahead_add(&h, AHEAD_ID, 0, m->k, m->constants, NULL);
    ahead_add(&h, AHEAD_ID, 0, m->mass, 1, NULL);
    ahead_add(&h, AHEAD_ID, 0, m->volume, 1, NULL);
    return h;
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip m_p and sum_p w_ip (m_p v_p + A_p (x_i - x_p)). */
PIO_FN void mpm_p2g(int slot, mpm_p2g_shared *sh, const mpm_p2g_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    const lanes_ahead ahead = p2g_ahead(&a->s, &a->matter, a->l.order, sh->cells.start[cells]);
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        lane_items t;
        p2g_lanes x;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lanes_open(&t, a->l.order, a->matter.n, first, b.m);
        p2g_load(&a->s, &a->matter, &t, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 0);
        p2g_stress(&a->s, &a->matter, &t, &x);
        p2g_rest(&a->s, &a->matter, &t, &x);
        p2g_load_motion(&a->s, &a->matter, &t, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 1);
        p2g_field(&a->box, a->step->h, &x);
        spread_put(&sh->t, x.mass[0], x.b, x.B);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 2);
        spread_weights(&sh->t, x.f);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 3);
        TEAM_SYNC();
        spread_add(&sh->t, &sh->cells, &b, &sh->tile, &ahead);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* ---- adjoint: a block reads the cotangents of its tile; each particle adds to its own ----------------------------
 *     b_bar = sum_o w_o p_bar_o,  B_bar = sum_o w_o p_bar_o o^T - b_bar f^T
 *     v_bar += m b_bar;  C_bar += m dx B_bar;  tau_bar = -h V (4/dx) B_bar
 *     m_bar += sum_o w_o m_bar_o + b_bar . v + dx B_bar : C
 *     f_bar += slope(p_bar, m_bar; b, B) - B^T b_bar */

typedef struct {
    team_cells cells;
    real z[1][TILE_NODES]; /* m_bar */
    node_vectors y;        /* p_bar */
} mpm_p2g_adj_shared;

#if PIO_NODE_ROWS
/* Sets sum_o w_o p_bar_o, sum_o w_o p_bar_o o^T, the slope and sum_o w_o m_bar_o of the lanes of a batch: they begin
 * the cotangents of b, B, f and the mass. */
PIO_FN void p2g_gather(const mpm_p2g_adj_shared *sh, const team_batch *t, const lanes_ahead *h, p2g_lanes *x,
                       p2g_bar *bar)
{
    const real *const tile[DIM + 1] = {sh->y.y[0], sh->y.y[1], sh->z[0]};
    lane_cells at;
    (void)h;
    lane_cells_of(&at, &sh->cells, t);
    for (int first = 0; first < t->m; first += NODE_ROW) {
        picked_nodes n;
        nodes_pick(&n, tile, DIM + 1, &at, first);
        PIO_VECTOR
        for (int k = 0; k < NODE_ROW; k++) {
            const int j = first + k;
            const plane_nodes p = picked_plane(&n, k, 1);
            const spline w = spline_at(lane_vec(x->f, j));
            const vec slope = plane_slope(&p, x->mass[0][j], &w, lane_vec(x->b, j), lane_mat(x->B, j));
            vec S;
            mat M;
            plane_moments(&p, &w, &S, &M);
            lane_vec_put(bar->b, j, S);
            lane_mat_put(bar->B, j, M);
            lane_vec_put(bar->f, j, slope);
            bar->mass[0][j] = plane_scalar(&p, &w);
        }
    }
}
#else
/* Sets sum_o w_o p_bar_o, sum_o w_o p_bar_o o^T, the slope and sum_o w_o m_bar_o of the lanes of a batch: they begin
 * the cotangents of b, B, f and the mass. */
PIO_FN void p2g_gather(const mpm_p2g_adj_shared *sh, const team_batch *t, const lanes_ahead *h, p2g_lanes *x,
                       p2g_bar *bar)
{
    RUNS(r, t->runs, run_of(&sh->cells, t, OWN_LANE))
    {
        run_ahead(&sh->cells, t, r, h);
        const int begin = run_begin(&sh->cells, t, r), end = run_end(&sh->cells, t, r),
                  at = sh->cells.cell[t->cell + r];
        RUN_LANES(j, begin, end)
        {
            const spline w = spline_at(lane_vec(x->f, j));
            vec S;
            mat M;
            stencil_moments(&sh->y, at, &w, &S, &M);
            lane_vec_put(bar->b, j, S);
            lane_mat_put(bar->B, j, M);
        }
        RUN_LANES(j, begin, end)
        {
            const spline w = spline_at(lane_vec(x->f, j));
            const real mass = x->mass[0][LANE(j)];
            lane_vec_put(bar->f, j,
                         stencil_slope(&sh->y, sh->z[0], at, mass, &w, lane_vec(x->b, j), lane_mat(x->B, j)));
            bar->mass[0][LANE(j)] = stencil_scalar(sh->z[0], at, &w);
        }
    }
}
#endif

/* Sets the cotangents of the lanes that do not depend on the law. */
PIO_FN void p2g_motion_adj(const mpm_p2g_adj_args *a, p2g_lanes *x, p2g_bar *bar)
{
    const real stress = -a->step->h * R(4) * a->box.inv_dx, dx = a->box.dx;
    FULL_LANES(j)
    {
        const vec f = lane_vec(x->f, j), v = lane_vec(x->v, j), b_bar = lane_vec(bar->b, j);
        const mat C = lane_mat(x->C, j), B = lane_mat(x->B, j);
        const mat B_bar = mat_axpby(R(1), lane_mat(bar->B, j), R(-1), mat_outer(b_bar, f));
        const real mass = x->mass[0][LANE(j)];
        lane_vec_put(bar->f, j, vec_axpby(R(1), lane_vec(bar->f, j), R(-1), mat_t_apply(B, b_bar)));
        lane_vec_put(bar->v, j, vec_scale(mass, b_bar));
        lane_mat_put(bar->C, j, mat_scale(mass * dx, B_bar));
        lane_mat_put(bar->tau, j, mat_scale(stress * x->volume[0][LANE(j)], B_bar));
        bar->mass[0][LANE(j)] += vec_dot(b_bar, v) + dx * mat_ddot(B_bar, C);
    }
}

/* Adds the cotangents of the particles of occupied block number `slot`. `rest`, a constant, is 1 where their laws are
 * any: what only some scenes have would take the registers of a GPU from all others. */
PIO_FN void p2g_adj(int slot, mpm_p2g_adj_shared *sh, const mpm_p2g_adj_args *a, const int rest)
{
    const int cells = team_open(&sh->cells, slot, &a->l), n = a->matter.n;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    team_batch b;
    p2g_lanes x;
    p2g_bar bar;
    b.cell = 0;
    LANES_CLEAR(x);
    LANES_CLEAR(bar);
    tile_load(sh->z, node_field_of(a->node_bar, a->nodes, DIM + 1, 0, 1), &a->box, &place);
    tile_load(sh->y.y, node_field_of(a->node_bar, a->nodes, DIM + 1, 1, DIM), &a->box, &place);
    TEAM_SYNC();
    lanes_ahead ahead = p2g_ahead(&a->s, &a->matter, a->l.order, sh->cells.start[cells]);
    ahead_add(&ahead, AHEAD_ITEM, 1, a->bar.offset, DIM, NULL);
    ahead_add(&ahead, AHEAD_ITEM, 1, a->bar.velocity, DIM, NULL);
    ahead_add(&ahead, AHEAD_ITEM, 1, a->bar.C, DIM * DIM, NULL);
    ahead_add(&ahead, AHEAD_ITEM, 1, a->bar.F, DIM * DIM, a->bar.C);
    ahead_add(&ahead, AHEAD_ID, 1, a->k_bar, a->matter.constants, NULL);
    ahead_add(&ahead, AHEAD_ID, 1, a->mass_bar, 1, NULL);
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        lane_items t;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lanes_open(&t, a->l.order, n, first, b.m);
        p2g_load(&a->s, &a->matter, &t, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 0);
        p2g_stress(&a->s, &a->matter, &t, &x);
        if (rest) p2g_rest(&a->s, &a->matter, &t, &x);
        p2g_load_motion(&a->s, &a->matter, &t, &x);
        p2g_field(&a->box, a->step->h, &x);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 1);
        p2g_gather(sh, &b, &ahead, &x, &bar);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 2);
        lanes_reload(x.f, a->s.offset, n, DIM, &t);
        lanes_reload(x.v, a->s.velocity, n, DIM, &t);
        lanes_reload(x.C, a->s.C, n, DIM * DIM, &t);
        p2g_motion_adj(a, &x, &bar);
        ahead_part(&ahead, a->matter.n, first + TEAM_LANES, 3);
        lanes_add(a->bar.offset, n, DIM, &t, bar.f);
        if (a->adds_motion) {
            lanes_add(a->bar.velocity, n, DIM, &t, bar.v);
            lanes_add(a->bar.C, n, DIM * DIM, &t, bar.C);
        } else {
            lanes_store(a->bar.velocity, n, DIM, &t, bar.v);
            lanes_store(a->bar.C, n, DIM * DIM, &t, bar.C);
        }
        LANES (j, t.m) a->mass_bar[x.id[0][LANE(j)]] += bar.mass[0][LANE(j)];
        p2g_stress_adj(a, &t, &x, &bar);
        if (rest) p2g_rest_adj(a, &t, &x, &bar);
        if (a->s.F) lanes_add(a->bar.F, n, DIM * DIM, &t, bar.F);
    }
}

/* The same, of particles whose laws are computed in all lanes, and nothing is added to their stress. */
PIO_FN void mpm_p2g_adj(int slot, mpm_p2g_adj_shared *sh, const mpm_p2g_adj_args *a)
{
    p2g_adj(slot, sh, a, 0);
}

typedef struct {
    mpm_p2g_adj_shared of;
} mpm_p2g_rest_adj_shared;

/* The same, of any particles. */
PIO_FN void mpm_p2g_rest_adj(int slot, mpm_p2g_rest_adj_shared *sh, const mpm_p2g_rest_adj_args *a)
{
    p2g_adj(slot, &sh->of, a, 1);
}

#endif
