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
    real f[TEAM_LANES][DIM], m[TEAM_LANES]; /* offsets, masses times the spacing */
} mpm_centroid_shared;

/* Sets the contribution of occupied cell number `slot` to c_i of its nodes, sum_p w_ip m_p (x_p - x_i), as mpm_p2g. */
PIO_FN void mpm_centroid(int slot, mpm_centroid_shared *sh, const mpm_centroid_args *a)
{
    const int cell = a->l.cell_list[slot], n = a->matter.n, end = a->l.start[cell + 1];
    PER_LANE(real, sum, DIM);
    LANES (q, STENCIL_PAD)
        for (int c = 0; c < DIM; c++) sum[c][LANE(q)] = R(0);
    for (int first = a->l.start[cell]; first < end; first += TEAM_LANES) {
        const int m = end - first < TEAM_LANES ? end - first : TEAM_LANES;
        LANES (j, m) {
            const int p = a->l.order[first + j];
            const vec f = vec_load(a->s.offset, n, p);
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) sh->f[j][c] = f.x[c];
            sh->m[j] = a->matter.mass[a->s.id[p]] * a->box.dx;
        }
        TEAM_SYNC();
        for (int j = 0; j < m; j++)
            LANES (q, STENCIL_PAD) {
                const real w = lane_weight(q, sh->f[j]) * sh->m[j];
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) sum[c][LANE(q)] += w * (sh->f[j][c] - lane_o(c, q));
            }
        TEAM_SYNC();
    }
    real *out = a->sums + (ptrdiff_t)slot * DIM * STENCIL_PAD;
    LANES (q, STENCIL_PAD)
        for (int c = 0; c < DIM; c++) out[c * STENCIL_PAD + q] = sum[c][LANE(q)];
}

/* ---- adjoint: c is the spread of the affine field b + B o with b = m dx f, B = -m dx I;
 *     b_bar = sum_o w_o c_bar_o,  B_bar = sum_o w_o c_bar_o o^T
 *     m_bar += dx (b_bar . f - tr B_bar);   f_bar += m dx b_bar + slope(c_bar; b, B) */

typedef struct {
    node_vectors y;
} mpm_centroid_adj_shared;

/* Adds to the cotangents of the offset and the mass of stored particle p, by the formulas above; sh->y has c_bar of the
 * nodes. */
PIO_FN void centroid_particle_adj(const mpm_centroid_adj_args *a, const mpm_centroid_adj_shared *sh, int p)
{
    const int n = a->fwd.matter.n, id = a->fwd.s.id[p];
    const real dx = a->fwd.box.dx, m = a->fwd.matter.mass[id] * dx;
    const vec f = vec_load(a->fwd.s.offset, n, p);
    const spline w = spline_at(f);
    vec b_bar;
    mat B_bar;
    stencil_moments(&sh->y, &w, &b_bar, &B_bar);
    const vec slope = stencil_slope(&sh->y, NULL, R(0), &w, vec_scale(m, f), mat_diag(-m));
    const vec f_bar = vec_axpby(m, b_bar, R(1), slope);
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), vec_load(a->bar.offset, n, p), R(1), f_bar));
    a->mass_bar[id] += dx * (vec_dot(b_bar, f) - mat_trace(B_bar));
}

/* Adjoint of mpm_centroid for the particles of occupied cell number `slot`: adds to f_bar and m_bar. */
PIO_FN void mpm_centroid_adj(int slot, mpm_centroid_adj_shared *sh, const mpm_centroid_adj_args *a)
{
    const mpm_lists *l = &a->fwd.l;
    const int cell = l->cell_list[slot], first = l->start[cell], end = l->start[cell + 1];
    LANES (q, STENCIL) {
        const int node = cell + stencil_node(&a->fwd.box, q);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) sh->y.y[c][q] = a->moment_bar[field_at(a->nodes, DIM, c, node)];
    }
    TEAM_SYNC();
    LANES (j, end - first) centroid_particle_adj(a, sh, l->order[first + j]);
}

#endif
