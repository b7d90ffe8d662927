/* mpm_deposit.h -- a quantity q of particles, their mass or their volume, transferred to the nodes, and means
 * there, with the adjoints:
 *
 *     Q_i = sum_p w_ip q_p,   Y_i = y_i/m_i of a node's sum y_i and mass m_i
 *
 * A block sums its particles in the order of cells and ids, and a node the tiles that it is in, in a fixed order. */
#ifndef PIOLA_KERNELS_MPM_DEPOSIT_H
#define PIOLA_KERNELS_MPM_DEPOSIT_H

#include "kernels/mpm/mpm_deposit_args.h"
#include "kernels/mpm/mpm_team.h"

typedef struct {
    team_cells cells;
    real f[TEAM_LANES][DIM], q[TEAM_LANES];
    real sum[TILE_NODES];
} mpm_deposit_shared;

/* Stores offset and q of the particles of a batch in shared memory; TEAM_SYNC() follows. */
PIO_FN void deposit_put(mpm_deposit_shared *sh, const mpm_deposit_args *a, const team_batch *b)
{
    LANES (j, b->m) {
        const int p = a->l.order[b->first + j], id = a->s.id[p];
        const vec f = vec_load(a->s.offset, a->n, p);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) sh->f[j][c] = f.x[c];
        sh->q[j] = !a->body || a->body[id] == a->of ? a->quantity[id] : R(0);
    }
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip q_p over those of its particles that count. */
PIO_FN void mpm_deposit(int slot, mpm_deposit_shared *sh, const mpm_deposit_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch b;
    b.cell = 0;
    LANES (i, TILE_NODES) sh->sum[i] = R(0);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        deposit_put(sh, a, &b);
        TEAM_SYNC();
        for (int r = 0; r < b.runs; r++) {
            const int end = run_end(&sh->cells, &b, r), at = sh->cells.cell[b.cell + r];
            PER_LANE(real, sum, 1);
            LANES (q, STENCIL_PAD) sum[0][LANE(q)] = R(0);
            for (int j = run_begin(&sh->cells, &b, r); j < end; j++)
                LANES (q, STENCIL_PAD) sum[0][LANE(q)] += lane_weight(q, sh->f[j]) * sh->q[j];
            LANES (q, STENCIL) sh->sum[at + tile_node(q)] += sum[0][LANE(q)];
            TEAM_SYNC();
        }
    }
    LANES (i, TILE_NODES) a->sums[(ptrdiff_t)slot * TILE_NODES + i] = sh->sum[i];
}

/* Returns 1/dx^d, one over the volume of a cell. */
PIO_FN real box_per_volume(const mpm_box *box)
{
    real v = R(1);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) v *= box->inv_dx;
    return v;
}

/* Returns the sum of the tiles [occupied blocks][TILE_NODES] that a node is in, active or not, in a fixed order. */
PIO_FN real deposit_at(const mpm_lists *l, const mpm_box *box, const real *sums, int node)
{
    int index[DIM];
    real sum = R(0);
    node_index(box, node, index);
    for (int k = 0; k < 1 << DIM; k++) {
        const ptrdiff_t entry = tile_entry(box, l, node, index, k);
        if (entry >= 0) sum += sums[entry];
    }
    return sum;
}

/* Sets Q_i of active node i, the sum of the tiles that it is in. */
PIO_FN void mpm_deposit_sum(int i, const mpm_deposit_sum_args *a)
{
    const int node = a->l.node_list[i];
    a->out[node] = deposit_at(&a->l, &a->box, a->sums, node);
}

/* Returns sum_o w_o(f) y_o over the stencil of a cell, y [nodes], and sets its derivative in the offset f. */
PIO_FN real stencil_value(const mpm_box *box, int cell, vec f, const real *y, vec *slope)
{
    const spline w = spline_at(f);
    const stencil_nodes nodes = stencil_nodes_of(box, cell);
    real value = R(0);
    *slope = vec_zero();
    for (int q = 0; q < STENCIL; q++) {
#if PIO_DIM == 3
        const int o[DIM] = {q / 9, q / 3 % 3, q % 3};
#else
        const int o[DIM] = {q / 3, q % 3};
#endif
        const real at = y[stencil_node(&nodes, q)];
        real whole = at;
        PIO_UNROLL
        for (int a = 0; a < DIM; a++) {
            real part = at * w.dw[a][o[a]];
            PIO_UNROLL
            for (int b = 0; b < DIM; b++) part *= b == a ? R(1) : w.w[b][o[b]];
            slope->x[a] += part;
            whole *= w.w[a][o[a]];
        }
        value += whole;
    }
    return value;
}

/* Adjoint of mpm_deposit for stored particle p: adds to the cotangents of its offset and of its q, as
 * mpm_deposit_adj_args says. */
PIO_FN void mpm_deposit_adj(int p, const mpm_deposit_adj_args *b)
{
    const mpm_deposit_args *a = &b->fwd;
    const int id = a->s.id[p], n = a->n;
    if (a->body && a->body[id] != a->of) return;
    vec slope;
    const real value = stencil_value(&b->box, a->s.cell[p], vec_load(a->s.offset, n, p), b->node_bar, &slope);
    const real scale = R(b->scale * (b->sample_bar ? (double)*b->sample_bar : 1));
    vec_store(b->bar.offset, n, p, vec_axpby(R(1), vec_load(b->bar.offset, n, p), scale * a->quantity[id], slope));
    if (b->quantity_bar) b->quantity_bar[id] += scale * value;
}

/* ---- Y = y/m of one active node, y a sum over particles like the mass; 0 where all weights are rounded to 0 */

/* Returns Y_i = y_i/m_i of a node, with y [nodes][DIM] and the mass m_i, kg, component 0 of sums [nodes][DIM + 1]. */
PIO_FN vec node_quotient(const real *sums, const real *y, int nodes, int node)
{
    const real m = sums[field_at(nodes, DIM + 1, 0, node)];
    vec Y = vec_load(y, nodes, node);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) Y.x[c] = m > R(0) ? Y.x[c] / m : R(0);
    return Y;
}

/* Adjoint of node_quotient for active node i: Y_bar becomes y_bar = Y_bar/m, and m_bar gets -Y_bar . Y/m added. */
PIO_FN void mpm_quotient_adj(int i, const mpm_quotient_adj_args *a)
{
    const int node = a->l.node_list[i];
    const vec Y = node_quotient(a->sums, a->y, a->nodes, node),
              y_bar = node_quotient(a->sums, a->y_bar, a->nodes, node);
    vec_store(a->y_bar, a->nodes, node, y_bar);
    a->node_bar[field_at(a->nodes, DIM + 1, 0, node)] -= vec_dot(y_bar, Y);
}

#endif
