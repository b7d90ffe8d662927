/* mpm_target.h -- observations of particles against a target density on the grid, and of how far two parts are apart.
 *
 *   density     y = sum_i (rho_i - rho_i*)^2 / sum_i rho_i*^2,   rho_i = sum_p w_ip m_p / dx^d     over all nodes of the grid
 *   separation  y = |c_1 - c_2|                                  of two mean positions
 *
 * with the quadratic B-splines of the transfers, so that y has a continuous derivative in the positions. A cell sums its particles in
 * the order of their ids, and a node its cells in a fixed order. */
#ifndef PIOLA_KERNELS_MPM_TARGET_H
#define PIOLA_KERNELS_MPM_TARGET_H

#include "kernels/mpm_sort.h"
#include "kernels/mpm_transfer.h"

/* sum_o w_o(f) y_o over the nodes y of the box about this cell, and its derivative in f. */
PIO_FN real stencil_value(const mpm_box *box, int cell, vec f, const real *y, vec *slope)
{
    const spline w = spline_at(f);
    real value = R(0);
    *slope = vec_zero();
    for (int q = 0; q < STENCIL; q++) {
#if PIO_DIM == 3
        const int o[DIM] = {q / 9, q / 3 % 3, q % 3};
#else
        const int o[DIM] = {q / 3, q % 3};
#endif
        const real at = y[cell + stencil_node(box, q)];
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

/* ---- density ------------------------------------------------------------------------------------------------- */

/* Mass of the observed particles of an occupied cell at its nodes. */
typedef struct {
    mpm_state s; /* [.][n] */
    mpm_matter matter;
    mpm_lists l;
    const int *body; /* [n] in id order */
    int of;          /* the number there of those that are observed */
    real *sums;      /* [occupied cells][STENCIL_PAD] kg; set */
} mpm_deposit_args;
typedef struct {
    real f[TEAM_LANES][DIM], m[TEAM_LANES];
} mpm_deposit_shared;

PIO_FN void mpm_deposit(int slot, mpm_deposit_shared *sh, const mpm_deposit_args *a)
{
    const int cell = a->l.cell_list[slot], n = a->matter.n, end = a->l.start[cell + 1];
    PER_LANE(real, sum, 1);
    LANES (q, STENCIL_PAD) sum[0][LANE(q)] = R(0);
    for (int first = a->l.start[cell]; first < end; first += TEAM_LANES) {
        const int m = end - first < TEAM_LANES ? end - first : TEAM_LANES;
        LANES (j, m) {
            const int p = a->l.order[first + j], id = a->s.id[p];
            const vec f = vec_load(a->s.offset, n, p);
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) sh->f[j][c] = f.x[c];
            sh->m[j] = a->body[id] == a->of ? a->matter.mass[id] : R(0);
        }
        TEAM_SYNC();
        for (int j = 0; j < m; j++)
            LANES (q, STENCIL_PAD) sum[0][LANE(q)] += lane_weight(q, sh->f[j]) * sh->m[j];
        TEAM_SYNC();
    }
    LANES (q, STENCIL_PAD) a->sums[(ptrdiff_t)slot * STENCIL_PAD + q] = sum[0][LANE(q)];
}

/* rho_i - rho_i* of node i, whether it is active or not. */
typedef struct {
    mpm_lists l;
    mpm_box box;
    const real *sums;   /* [occupied cells][STENCIL_PAD] kg */
    const real *target; /* [nodes] rho*, kg/m^3 */
    real *rest;         /* [nodes] kg/m^3; set */
} mpm_density_rest_args;

PIO_FN void mpm_density_rest(int node, const mpm_density_rest_args *a)
{
    int index[DIM], most[3] = {0, 0, 0};
    real sum = R(0), per_volume = R(1);
    node_index(&a->box, node, index);
    for (int c = 0; c < DIM; c++) {
        most[3 - DIM + c] = index[c] < 2 ? index[c] : 2; /* cells exist from base 0 on */
        per_volume *= a->box.inv_dx;
    }
    for (int i = 0; i <= most[0]; i++)
        for (int j = 0; j <= most[1]; j++) {
            const int row = node - i * (DIM == 3 ? a->box.stride[0] : 0) - j * a->box.stride[DIM - 2];
            for (int k = 0; k <= most[2]; k++) {
                const int slot = a->l.cell_slot[row - k];
                if (a->l.cell_slot[row - k + 1] > slot)
                    sum += a->sums[(ptrdiff_t)slot * STENCIL_PAD + 9 * i + 3 * j + k];
            }
        }
    a->rest[node] = per_volume * sum - a->target[node];
}

/* A term of y, of node i. */
typedef struct {
    const real *rest; /* [nodes] kg/m^3 */
    double size;      /* sum of rho*^2, > 0 */
} mpm_density_args;

PIO_FN wide mpm_density(int node, const mpm_density_args *a)
{
    return W(a->rest[node]) * W(a->rest[node]) / W(a->size);
}

/* Adjoint of all three for stored particle p: with y_bar = weight sample_bar and r_i = rho_i - rho_i*,
 *     f_bar += 2 y_bar m/(dx^d size) sum_i r_i dw_ip/df,   m_bar += 2 y_bar/(dx^d size) sum_i r_i w_ip */
typedef struct {
    mpm_deposit_args fwd; /* the same as on the way forward, without sums */
    mpm_box box;
    const real *rest; /* [nodes] */
    double size, weight;
    const wide *sample_bar; /* [1] dJ/dsample */
    mpm_state bar;          /* stored as the state is; added to */
    real *mass_bar;         /* [n] in id order; added to */
} mpm_density_adj_args;

PIO_FN void mpm_density_adj(int p, const mpm_density_adj_args *b)
{
    const mpm_state *s = &b->fwd.s;
    const int id = s->id[p], n = b->fwd.matter.n;
    if (b->fwd.body[id] != b->fwd.of) return;
    vec slope;
    const real value = stencil_value(&b->box, s->cell[p], vec_load(s->offset, n, p), b->rest, &slope);
    double scale = 2 * b->weight * (double)*b->sample_bar / b->size;
    for (int a = 0; a < DIM; a++) scale *= (double)b->box.inv_dx;
    vec_store(b->bar.offset, n, p,
              vec_axpby(R(1), vec_load(b->bar.offset, n, p), R(scale) * b->fwd.matter.mass[id], slope));
    b->mass_bar[id] += R(scale) * value;
}

/* ---- separation ---------------------------------------------------------------------------------------------- */

/* sample += weight |c_1 - c_2| (one item) */
typedef struct {
    const wide *mean; /* [2][DIM] c_1, c_2, m */
    double weight;
    wide *sample; /* [1] added to */
} mpm_separation_args;

PIO_FN wide separation_length(const wide *mean)
{
    wide sum = W(0);
    for (int a = 0; a < DIM; a++) sum += (mean[a] - mean[DIM + a]) * (mean[a] - mean[DIM + a]);
    return sqrt(sum);
}

PIO_FN void mpm_separation(int i, const mpm_separation_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * separation_length(a->mean);
}

/* Where both are at one place there is no derivative, and 0 is one of its limits. */
typedef struct {
    mpm_separation_args fwd;
    const wide *sample_bar; /* [1] dJ/dsample */
    wide *mean_bar;         /* [2][DIM] set */
} mpm_separation_adj_args;

PIO_FN void mpm_separation_adj(int i, const mpm_separation_adj_args *b)
{
    const wide *mean = b->fwd.mean;
    const wide length = separation_length(mean);
    (void)i;
    for (int a = 0; a < DIM; a++) {
        const wide along = length > W(0) ? (mean[a] - mean[DIM + a]) / length : W(0);
        b->mean_bar[a] = W(b->fwd.weight) * *b->sample_bar * along;
        b->mean_bar[DIM + a] = -b->mean_bar[a];
    }
}

#endif
