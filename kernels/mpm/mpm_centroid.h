/* mpm_centroid.h -- the centroid of the material at a node, with the adjoint:
 *
 *     c_i = sum_p w_ip m_p (x_p - x_i),   e_i = c_i/m_i      from a node to the centroid of its material, kg m and m
 *
 * Obstacles act on a node by that place and not by the node's own, which is one of a lattice whatever the material
 * does. So a body comes to rest where the surface is, also between two rows of nodes, and what it does changes smoothly
 * with the surface.
 *
 * In units of the grid x_p - x_i = dx (f - o), with f the offset of the particle from its base node. */
#ifndef PIOLA_KERNELS_MPM_CENTROID_H
#define PIOLA_KERNELS_MPM_CENTROID_H

#include "kernels/mpm/mpm_centroid_args.h"
#include "kernels/mpm/mpm_deposit.h"

typedef struct {
    team_cells cells;
    real f[TEAM_LANES][DIM], m[TEAM_LANES]; /* offsets, masses times the spacing */
    tile_sums tile;
} mpm_centroid_shared;

/* Adds the spread of the particles of run r of a batch to the sums of the tile. */
PIO_FN void centroid_run(mpm_centroid_shared *sh, const team_batch *b, int r)
{
    const int end = run_end(&sh->cells, b, r);
    PER_LANE(real, sum, DIM);
    LANES (q, STENCIL_PAD)
        for (int c = 0; c < DIM; c++) sum[c][LANE(q)] = R(0);
    for (int j = run_begin(&sh->cells, b, r); j < end; j++)
        LANES (q, STENCIL_PAD) {
            const real w = lane_weight(q, sh->f[j]) * sh->m[j];
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) sum[c][LANE(q)] += w * (sh->f[j][c] - lane_o(c, q));
        }
    tile_add(&sh->tile, sh->cells.cell[b->cell + r], DIM, sum);
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip m_p (x_p - x_i), as mpm_p2g. */
PIO_FN void mpm_centroid(int slot, mpm_centroid_shared *sh, const mpm_centroid_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        LANES (j, b.m) {
            const int p = a->l.order[first + j];
            const vec f = vec_load(a->s.offset, a->matter.n, p);
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) sh->f[j][c] = f.x[c];
            sh->m[j] = a->matter.mass[a->s.id[p]] * a->box.dx;
        }
        TEAM_SYNC();
        for (int r = 0; r < b.runs; r++) {
            centroid_run(sh, &b, r);
            TEAM_SYNC();
        }
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* ---- adjoint: c is the spread of the affine field b + B o with b = m dx f, B = -m dx I;
 *     b_bar = sum_o w_o c_bar_o,  B_bar = sum_o w_o c_bar_o o^T
 *     m_bar += dx (b_bar . f - tr B_bar);   f_bar += m dx b_bar + slope(c_bar; b, B) */

typedef struct {
    node_vectors y;
} mpm_centroid_adj_shared;

/* Adds to the cotangents of the offset and the mass of stored particle p, by the formulas above; sh->y has c_bar of the
 * tile. */
PIO_FN void centroid_particle_adj(const mpm_centroid_adj_args *a, const mpm_centroid_adj_shared *sh, int p)
{
    const int n = a->fwd.matter.n, id = a->fwd.s.id[p], at = tile_cell_of(&a->fwd.s, p);
    const real dx = a->fwd.box.dx, m = a->fwd.matter.mass[id] * dx;
    const vec f = vec_load(a->fwd.s.offset, n, p);
    const spline w = spline_at(f);
    vec b_bar;
    mat B_bar;
    stencil_moments(&sh->y, at, &w, &b_bar, &B_bar);
    const vec slope = stencil_slope(&sh->y, NULL, at, R(0), &w, vec_scale(m, f), mat_diag(-m));
    const vec f_bar = vec_axpby(m, b_bar, R(1), slope);
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), vec_load(a->bar.offset, n, p), R(1), f_bar));
    a->mass_bar[id] += dx * (vec_dot(b_bar, f) - mat_trace(B_bar));
}

/* Adjoint of mpm_centroid for the particles of occupied block number `slot`: adds to f_bar and m_bar. */
PIO_FN void mpm_centroid_adj(int slot, mpm_centroid_adj_shared *sh, const mpm_centroid_adj_args *a)
{
    const mpm_lists *l = &a->fwd.l;
    const block_place place = block_place_of(&a->fwd.box, l, slot);
    const int first = l->start[place.node], end = l->start[place.node + BLOCK_NODES];
    tile_load(sh->y.y, node_field_of(a->moment_bar, a->nodes, DIM, 0, DIM), &a->fwd.box, &place);
    TEAM_SYNC();
    LANES (j, end - first) centroid_particle_adj(a, sh, l->order[first + j]);
}

#endif
