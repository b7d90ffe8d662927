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
    node_vectors y;
} mpm_g2p_shared;

/* Loads the velocities [DIM][nodes], m/s, of a cell's nodes into shared memory; TEAM_SYNC() follows. */
PIO_FN void cell_velocities(node_vectors *y, const real *velocity, int nodes, const mpm_box *box, int cell)
{
    LANES (q, STENCIL) {
        const int node = cell + stencil_node(box, q);
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) y->y[c][q] = velocity[field_at(nodes, DIM, c, node)];
    }
}

/* Sets v' = sum_i w_ip v_i, m/s, and C' = (4/dx^2) sum_i w_ip v_i (x_i - x_p)^T, 1/s, of a particle with offset f
 * (Jiang et al. 2015); y has v_i of its cell's nodes. */
PIO_FN void gather_motion(const node_vectors *y, const mpm_box *box, const spline *w, vec f, vec *v, mat *C)
{
    mat M;
    stencil_moments(y, w, v, &M);
    const real s = R(4) * box->inv_dx;
    *C = mat_axpby(s, M, -s, mat_outer(*v, f));
}

/* Returns the new base node and sets the new offset after moving by u (in units of the spacing). A particle that leaves
 * the grid or moves by more than one cell keeps its old cell, so that nothing is ever written out of bounds; the fault
 * says so. */
PIO_FN int moved_cell(const mpm_box *box, int cell, const int base[DIM], vec *f, vec u, real cfl, int *fault)
{
    int to = cell;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const real g = f->x[a] + u.x[a];
        if (!is_finite(u.x[a])) {
            *fault = FAULT_NOT_FINITE;
            continue;
        }
        if (fabs(u.x[a]) > cfl && *fault != FAULT_NOT_FINITE) *fault = FAULT_CFL;
        if (!(fabs(u.x[a]) <= R(1))) continue;
        const int shift = g < R(0.5) ? -1 : g >= R(1.5) ? 1 : 0, b = base[a] + shift;
        if (b < 0 || b > box->nodes[a] - 3) {
            if (*fault < 0) *fault = FAULT_LEFT_GRID;
            continue;
        }
        /* f32: g - shift may round up to 3/2 from below; it then belongs to the next cell by one rounding, which is
         * harmless for the weights, and the next step moves it on */
        f->x[a] = g - R(shift);
        to += shift * box->stride[a];
    }
    return to;
}

/* Sets the new state of the particle at one place of the order, by the formulas at the head. What is not finite, is
 * inverted (det(I + h C') <= 0), leaves the grid or moves by more than the CFL number allows is a fault. */
PIO_FN void g2p_particle(const mpm_g2p_args *a, const mpm_g2p_shared *sh, int cell, const int base[DIM], int place)
{
    const int n = a->matter.n, p = a->l.order[place], id = a->s.id[p], law = a->matter.law[id];
    const real h = a->step->h;
    vec f = vec_load(a->s.offset, n, p), v;
    const spline w = spline_at(f);
    mat C;
    gather_motion(&sh->y, &a->box, &w, f, &v, &C);
    const mat G = mat_axpby(R(1), mat_diag(R(1)), h, C);
    const mat cof = mat_cofactor(G);
    const real det = mat_det(G, cof);
    int fault = -1;

    if (law_is_fluid(law)) {
        a->next.J[place] = det * a->s.J[p];
    } else {
        mat_store(a->next.F, n, place, mat_mul(G, mat_load(a->s.F, n, p)));
    }
    if (!(det > R(0))) fault = is_finite(det) ? FAULT_INVERTED : FAULT_NOT_FINITE;
    a->next.id[place] = id;
    a->next.cell[place] = moved_cell(&a->box, cell, base, &f, vec_scale(h * a->box.inv_dx, v), a->step->cfl, &fault);
    vec_store(a->next.offset, n, place, f);
    vec_store(a->next.velocity, n, place, v);
    mat_store(a->next.C, n, place, C);
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, id, fault));
}

/* Sets the new state of the particles of occupied cell number `slot`, a particle for each lane. */
PIO_FN void mpm_g2p(int slot, mpm_g2p_shared *sh, const mpm_g2p_args *a)
{
    const int cell = a->l.cell_list[slot], first = a->l.start[cell], end = a->l.start[cell + 1];
    int base[DIM];
    node_index(&a->box, cell, base);
    cell_velocities(&sh->y, a->velocity, a->nodes, &a->box, cell);
    TEAM_SYNC();
    LANES (j, end - first) g2p_particle(a, sh, cell, base, first + j);
}

/* ---- adjoint: with the cotangents of the new state (primed),
 *     F_bar = G^T F'_bar,  C'_bar += h F'_bar F^T    G = I + h C'
 *     J_bar = det G J'_bar,  C'_bar += h J J'_bar cof G
 *     v'_bar += (h/dx) f'_bar;  then  C' = sum_o w_o v_o (4/dx)(o - f)^T  gives the affine field
 *     b + B o with B = (4/dx) C'_bar, b = v'_bar - B f, which is spread to the nodes:  v_o_bar += w_o (b + B o)
 *     f_bar = f'_bar + slope(v; b, B) - B^T v' */

typedef struct {
    node_vectors y;
    transfer_batch t;
} mpm_g2p_adj_shared;

/* Sets the cotangents of the particle at one place of the order, and puts its affine field into the batch. */
PIO_FN void g2p_particle_adj(const mpm_g2p_adj_args *a, mpm_g2p_adj_shared *sh, int j, int place)
{
    const int n = a->matter.n, p = a->l.order[place], law = a->matter.law[a->s.id[p]];
    const real h = a->step->h;
    const vec f = vec_load(a->s.offset, n, p), f_next_bar = vec_load(a->next_bar.offset, n, place);
    const spline w = spline_at(f);
    vec v;
    mat C;
    gather_motion(&sh->y, &a->box, &w, f, &v, &C);
    const mat G = mat_axpby(R(1), mat_diag(R(1)), h, C);
    mat C_bar = mat_load(a->next_bar.C, n, place);
    if (law_is_fluid(law)) {
        const mat cof = mat_cofactor(G);
        const real J_bar = a->next_bar.J[place];
        C_bar = mat_axpby(R(1), C_bar, h * a->s.J[p] * J_bar, cof);
        a->bar.J[p] = mat_det(G, cof) * J_bar;
    } else {
        const mat F_bar = mat_load(a->next_bar.F, n, place);
        C_bar = mat_axpby(R(1), C_bar, h, mat_mul_t(F_bar, mat_load(a->s.F, n, p)));
        mat_store(a->bar.F, n, p, mat_t_mul(G, F_bar));
    }
    const vec v_bar = vec_axpby(R(1), vec_load(a->next_bar.velocity, n, place), h * a->box.inv_dx, f_next_bar);
    const mat B = mat_scale(R(4) * a->box.inv_dx, C_bar);
    const vec b = vec_axpby(R(1), v_bar, R(-1), mat_apply(B, f));
    const vec slope = stencil_slope(&sh->y, NULL, R(0), &w, b, B);
    const vec f_bar = vec_axpby(R(1), slope, R(-1), mat_t_apply(B, v));
    vec_store(a->bar.offset, n, p, vec_axpby(R(1), f_next_bar, R(1), f_bar));
    vec_store(a->bar.velocity, n, p, vec_zero()); /* v and C reach the step's end through the grid only */
    mat_store(a->bar.C, n, p, mat_diag(R(0)));
    batch_put(&sh->t, j, f, b, B, R(0));
}

/* Sets the cotangents of the particles of occupied cell number `slot`, and its contribution to those of the grid
 * velocities. */
PIO_FN void mpm_g2p_adj(int slot, mpm_g2p_adj_shared *sh, const mpm_g2p_adj_args *a)
{
    const int cell = a->l.cell_list[slot], end = a->l.start[cell + 1];
    cell_velocities(&sh->y, a->velocity, a->nodes, &a->box, cell);
    TEAM_SYNC();
    PER_LANE(real, sum, DIM);
    LANES (q, STENCIL_PAD)
        for (int c = 0; c < DIM; c++) sum[c][LANE(q)] = R(0);
    for (int first = a->l.start[cell]; first < end; first += TEAM_LANES) {
        const int m = end - first < TEAM_LANES ? end - first : TEAM_LANES;
        LANES (j, m) g2p_particle_adj(a, sh, j, first + j);
        TEAM_SYNC();
        for (int j = 0; j < m; j++)
            LANES (q, STENCIL_PAD) {
                const real weight = lane_weight(q, sh->t.f[j]);
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) sum[c][LANE(q)] += weight * batch_field(&sh->t, j, c, q);
            }
        TEAM_SYNC();
    }
    real *out = a->sums + (ptrdiff_t)slot * DIM * STENCIL_PAD;
    LANES (q, STENCIL_PAD)
        for (int c = 0; c < DIM; c++) out[c * STENCIL_PAD + q] = sum[c][LANE(q)];
}

#endif
