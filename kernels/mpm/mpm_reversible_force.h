/* mpm_reversible_force.h -- forces and momentum at nodes, and their adjoints:
 *
 *     m_i = sum_p w_ip m_p,   f_i = - sum_p V_p tau_p grad w_ip,   a_i = f_i/m_i
 *     m_i = sum_p w_ip m_p,   p_i = sum_p w_ip m_p v_p,            V_i = p_i/m_i
 *
 * f is minus the derivative of the elastic energy in the displacements of nodes (Sulsky, Chen, Schreyer 1994), so the
 * scheme is variational. The mass is summed in both, each time by one kernel, forward and reversed. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_FORCE_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_FORCE_H

#include "kernels/mpm/mpm_reversible_force_args.h"
#include "kernels/mpm/mpm_p2g.h"
#include "kernels/mpm/mpm_reversible_transfer.h"

typedef struct {
    team_cells cells;
    gradient_batch t;
    tile_sums tile;
} mpm_force_shared;

/* Returns K = -V tau/dx, N, of stored particle p, with the stress of its fibres. */
PIO_FN mat force_matrix(const mpm_state *s, const mpm_matter *m, const mpm_box *box, int p)
{
    const int id = s->id[p], channel = m->channel ? m->channel[id] : -1;
    mat tau = particle_tau(s, m, p, id, mat_diag(R(0)));
    if (channel >= 0) {
        const vec fibre = vec_load(m->fibre, m->channels, channel);
        tau = mat_axpby(R(1), tau, R(1), fibre_tau(mat_load(s->F, m->n, p), fibre, m->activation[channel]));
    }
    return mat_scale(-m->volume[id] * box->inv_dx, tau);
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip m_p and sum_p K_p (d w_o/d f). */
PIO_FN void mpm_force(int slot, mpm_force_shared *sh, const mpm_force_args *a)
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
            const mat K = force_matrix(&a->s, &a->matter, &a->box, p);
            gradient_put(&sh->t, j, vec_load(a->s.offset, a->matter.n, p), K, a->matter.mass[a->s.id[p]]);
        }
        TEAM_SYNC();
        gradient_spread(&sh->t, &sh->cells, &b, 1, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

typedef struct {
    real z[1][TILE_NODES]; /* m_bar */
    node_vectors y;
} mpm_force_adj_shared;

/* Adjoint of tau of stored particle p, of its law and fibres: adds to the cotangents of F or J and constants, and sets
 * that of its activation. */
PIO_FN void force_stress_adj(const mpm_force_adj_args *b, int p, mat tau_bar)
{
    const mpm_force_args *a = &b->fwd;
    const mpm_matter *m = &a->matter;
    const int n = m->n, id = a->s.id[p], law = m->law[id], channel = m->channel ? m->channel[id] : -1;
    const hyper_constants k = matter_constants(m, id);
    hyper_constants k_bar = constants_zero();
    if (law_is_fluid(law)) {
        fluid_state x, x_bar; /* the gradient of velocity is 0 and its cotangent not used */
        x.J = a->s.J[p];
        x.C = x_bar.C = mat_diag(R(0));
        x_bar.J = b->bar.J[p];
        fluid_tau_adj(law, x, k, tau_bar, &x_bar, &k_bar);
        b->bar.J[p] = x_bar.J;
    } else {
        mat F_bar = mat_load(b->bar.F, n, p);
        const mat F = mat_load(a->s.F, n, p);
        solid_tau_adj(law, F, k, solid_P(law, F, k), tau_bar, &F_bar, &k_bar);
        if (channel >= 0) {
            const vec fibre = vec_load(m->fibre, m->channels, channel);
            b->activation_bar[id] = fibre_tau_adj(F, fibre, m->activation[channel], tau_bar, &F_bar);
        }
        mat_store(b->bar.F, n, p, F_bar);
    }
    constants_add(b->k_bar, n, m->constants, id, k_bar);
}

/* Adds to the cotangents of stored particle p, by the formulas of mpm_force_adj_args. */
PIO_FN void force_particle_adj(const mpm_force_adj_args *b, const mpm_force_adj_shared *sh, int p)
{
    const mpm_force_args *a = &b->fwd;
    const int n = a->matter.n, id = a->s.id[p], at = tile_cell_of(&a->s, p);
    const spline w = spline_at(vec_load(a->s.offset, n, p));
    const mat K = force_matrix(&a->s, &a->matter, &a->box, p);
    const vec f_bar = stencil_bend(&sh->y, sh->z[0], at, a->matter.mass[id], &w, K);
    const real stress = -a->matter.volume[id] * a->box.inv_dx;
    force_stress_adj(b, p, mat_scale(stress, stencil_gradient(&sh->y, at, &w)));
    vec_store(b->bar.offset, n, p, vec_axpby(R(1), vec_load(b->bar.offset, n, p), R(1), f_bar));
    b->mass_bar[id] += stencil_scalar(sh->z[0], at, &w);
}

/* Adjoint of mpm_force for the particles of occupied block number `slot`: adds to their cotangents. */
PIO_FN void mpm_force_adj(int slot, mpm_force_adj_shared *sh, const mpm_force_adj_args *b)
{
    const mpm_lists *l = &b->fwd.l;
    const block_place place = block_place_of(&b->fwd.box, l, slot);
    const int first = l->start[place.node], end = l->start[place.node + BLOCK_NODES];
    tile_load(sh->z, node_field_of(b->node_bar, b->nodes, DIM + 1, 0, 1), &b->fwd.box, &place);
    tile_load(sh->y.y, node_field_of(b->node_bar, b->nodes, DIM + 1, 1, DIM), &b->fwd.box, &place);
    TEAM_SYNC();
    LANES (j, end - first) force_particle_adj(b, sh, l->order[first + j]);
}

/* ---- momentum --------------------------------------------------------------------------------------------------- */

typedef struct {
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_momentum_shared;

/* Sets the sums of occupied block number `slot`, sum_p w_ip m_p and sum_p w_ip m_p v_p. */
PIO_FN void mpm_momentum(int slot, mpm_momentum_shared *sh, const mpm_momentum_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l), n = a->matter.n;
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        LANES (j, b.m) {
            const int p = a->l.order[first + j];
            const real mass = a->matter.mass[a->s.id[p]];
            vector_put(&sh->t, j, vec_load(a->s.offset, n, p), vec_scale(mass, vec_load(a->velocity, n, p)), mass);
        }
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &b, 1, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

typedef mpm_force_adj_shared mpm_momentum_adj_shared;

/* Adds to the cotangents of stored particle p, by the formulas of mpm_momentum_adj_args. */
PIO_FN void momentum_particle_adj(const mpm_momentum_adj_args *b, const mpm_momentum_adj_shared *sh, int p)
{
    const mpm_momentum_args *a = &b->fwd;
    const int n = a->matter.n, id = a->s.id[p], at = tile_cell_of(&a->s, p);
    const real mass = a->matter.mass[id];
    const vec v = vec_load(a->velocity, n, p);
    const spline w = spline_at(vec_load(a->s.offset, n, p));
    const vec b_bar = stencil_mean(&sh->y, at, &w);
    const vec f_bar = stencil_slope(&sh->y, sh->z[0], at, mass, &w, vec_scale(mass, v), mat_diag(R(0)));
    vec_store(b->offset_bar, n, p, vec_axpby(R(1), vec_load(b->offset_bar, n, p), R(1), f_bar));
    vec_store(b->velocity_bar, n, p, vec_axpby(R(1), vec_load(b->velocity_bar, n, p), mass, b_bar));
    b->mass_bar[id] += vec_dot(b_bar, v) + stencil_scalar(sh->z[0], at, &w);
}

/* Adjoint of mpm_momentum for the particles of occupied block number `slot`: adds to their cotangents. */
PIO_FN void mpm_momentum_adj(int slot, mpm_momentum_adj_shared *sh, const mpm_momentum_adj_args *b)
{
    const mpm_lists *l = &b->fwd.l;
    const block_place place = block_place_of(&b->fwd.box, l, slot);
    const int first = l->start[place.node], end = l->start[place.node + BLOCK_NODES];
    tile_load(sh->z, node_field_of(b->node_bar, b->nodes, DIM + 1, 0, 1), &b->fwd.box, &place);
    tile_load(sh->y.y, node_field_of(b->node_bar, b->nodes, DIM + 1, 1, DIM), &b->fwd.box, &place);
    TEAM_SYNC();
    LANES (j, end - first) momentum_particle_adj(b, sh, l->order[first + j]);
}

/* ---- nodes: sums over tiles divided by the mass; 0 where that is 0 ---------------------------------------------- */

/* Sets m_i and the means of active node i, its sums over the tiles that it is in divided by m_i. */
PIO_FN void mpm_node_mean(int i, const mpm_node_mean_args *a)
{
    const int node = a->l.node_list[i];
    int index[DIM];
    real sum[QUAD];
    quad total = quad_zero();
    node_index(&a->box, node, index);
    for (int k = 0; k < 1 << DIM; k++) {
        const ptrdiff_t entry = tile_entry(&a->box, &a->l, node, index, k);
        if (entry >= 0) total = quad_add(total, quad_load(a->sums + QUAD * entry));
    }
    quad_store(sum, total);
    a->out[field_at(a->nodes, DIM + 1, 0, node)] = sum[0];
    PIO_UNROLL
    for (int c = 1; c <= DIM; c++)
        a->out[field_at(a->nodes, DIM + 1, c, node)] = sum[0] > R(0) ? sum[c] / sum[0] : R(0);
}

/* Adjoint of mpm_node_mean for active node i: y_bar = Y_bar/m and m_bar = -Y_bar . Y/m are set. */
PIO_FN void mpm_node_mean_adj(int i, const mpm_node_mean_adj_args *a)
{
    const int node = a->l.node_list[i], n = a->nodes;
    const real m = a->mean[field_at(n, DIM + 1, 0, node)];
    real m_bar = R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const real y_bar = m > R(0) ? a->mean_bar[field_at(n, DIM, c, node)] / m : R(0);
        m_bar -= y_bar * a->mean[field_at(n, DIM + 1, 1 + c, node)];
        a->node_bar[field_at(n, DIM + 1, 1 + c, node)] = y_bar;
    }
    a->node_bar[field_at(n, DIM + 1, 0, node)] = m_bar;
}

#endif
