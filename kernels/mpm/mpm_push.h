/* mpm_push.h -- obstacles that push particles by a potential (kernels/contact/obstacle_push.h), with adjoints.
 *
 * The force of a particle follows from where it and the obstacle are at the beginning of the step. Its impulse goes to
 * the nodes as its momentum does, before walls act:
 *
 *     q_p = h f(x_p),   q_i = sum_p w_ip q_p,   p_i <- p_i + sum over obstacles q_i
 *
 * So momentum is exact, and a wall holds what an obstacle pushes at it. The potential of a particle has
 * omega^2 = K/(rho dx^2) at most, and sum_i w_ip^2 m_p/m_i <= 1 (both a consequence of partition of unity), so that it
 * adds no more than that to omega^2 of the material. */
#ifndef PIOLA_KERNELS_MPM_PUSH_H
#define PIOLA_KERNELS_MPM_PUSH_H

#include "kernels/contact/obstacle_push.h"
#include "kernels/mpm/mpm_push_args.h"
#include "kernels/mpm/mpm_reversible_transfer.h"

typedef struct {
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_push_shared;

/* Returns the place of stored particle p relative to the obstacle's origin, m. */
PIO_FN vec push_place(const mpm_push_args *a, int p)
{
    int index[DIM];
    vec x;
    const vec f = vec_load(a->s.offset, a->n, p);
    node_index(&a->box, a->s.cell[p], index);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        x.x[c] = R(W(a->box.origin[c]) + (W(index[c]) + W(f.x[c])) * W(a->box.dx) - a->pose->centre[c]);
    return x;
}

/* Returns the force of the obstacle's potential on stored particle p. */
PIO_FN obstacle_push push_of(const mpm_push_args *a, int p)
{
    return obstacle_push_of(a->shape, a->pose, a->coefficients, push_place(a, p), a->radius[a->s.id[p]], a->box.dx);
}

/* Returns 1 where stored particle p is deeper inside the obstacle than a spacing or a quarter of its thickness, or
 * would be at the end of the step with the velocity that it has: beyond the middle of a thin obstacle the potential
 * would push it out on the other side. So is one inside a mesh where the distance has hardly a slope. */
PIO_FN int push_too_deep(const mpm_push_args *a, int p, const obstacle_push *at)
{
    if (!(at->at.d < a->box.dx)) return 0; /* farther than a step reaches */
    const vec own = vec_axpby(R(1), a->pose->velocity, R(1), mat_apply(a->pose->spin, at->x));
    const vec v = vec_axpby(R(1), vec_load(a->s.velocity, a->n, p), R(-1), own);
    const real half = a->shape->deepest / R(2), most = half < a->box.dx ? half : a->box.dx;
    const real comes = -a->step->h * vec_dot(v, at->slope), deep = (comes > R(0) ? comes : R(0)) - at->at.d;
    return deep > most || (at->at.d < R(0) && vec_dot(at->slope, at->slope) < R(0.25));
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip q_p, and lowers the fault where a particle is too deep. */
PIO_FN void mpm_push(int slot, mpm_push_shared *sh, const mpm_push_args *a)
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
            const obstacle_push at = push_of(a, p);
            if (push_too_deep(a, p, &at))
                atomic_min_u64(&a->step->fault, fault_key(a->step->index, a->s.id[p], FAULT_DEPTH));
            vector_put(&sh->t, j, vec_load(a->s.offset, a->n, p), vec_scale(a->step->h, at.force), R(0));
        }
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &b, 0, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* ---- adjoint: f_bar = h sum_i w_ip q_bar_i,  x_bar += H f_bar,  offset_bar += dx H f_bar + slope(q_bar; h f) */

typedef struct {
    node_vectors y;
} mpm_push_adj_shared;

/* Adds to the cotangent of the offset of stored particle p, by the formulas above; sh->y has q_bar of the tile. */
PIO_FN void push_particle_adj(const mpm_push_adj_args *b, const mpm_push_adj_shared *sh, int p)
{
    const mpm_push_args *a = &b->fwd;
    const int at = tile_cell_of(&a->s, p);
    const spline w = spline_at(vec_load(a->s.offset, a->n, p));
    const obstacle_push push = push_of(a, p);
    const vec f_bar = vec_scale(a->step->h, stencil_mean(&sh->y, at, &w));
    real unused[OBSTACLE_PARAMETERS];
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) unused[k] = R(0);
    const vec x_bar = obstacle_push_adj(&push, a->pose, f_bar, unused);
    const vec slope = stencil_slope(&sh->y, NULL, at, R(0), &w, vec_scale(a->step->h, push.force), mat_diag(R(0)));
    const vec offset_bar = vec_axpby(a->box.dx, x_bar, R(1), slope);
    vec_store(b->offset_bar, a->n, p, vec_axpby(R(1), vec_load(b->offset_bar, a->n, p), R(1), offset_bar));
    if (b->force_bar) vec_store(b->force_bar, a->n, p, f_bar);
}

/* Adjoint of mpm_push for the particles of occupied block number `slot`. */
PIO_FN void mpm_push_adj(int slot, mpm_push_adj_shared *sh, const mpm_push_adj_args *b)
{
    const mpm_lists *l = &b->fwd.l;
    const block_place place = block_place_of(&b->fwd.box, l, slot);
    const int first = l->start[place.node], end = l->start[place.node + BLOCK_NODES];
    tile_load(sh->y.y, node_field_of(b->push_bar, b->nodes, DIM, 0, DIM), &b->fwd.box, &place);
    TEAM_SYNC();
    LANES (j, end - first) push_particle_adj(b, sh, l->order[first + j]);
}

/* Returns the term of the particle at place i of the state in the cotangent of one number of the pose. */
PIO_FN wide mpm_push_sum(int i, const mpm_push_sum_args *b)
{
    real out[OBSTACLE_PARAMETERS];
    const obstacle_push push = push_of(&b->fwd, i);
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) out[k] = R(0);
    obstacle_push_adj(&push, b->fwd.pose, vec_load(b->force_bar, b->fwd.n, i), out);
    return W(out[b->component]);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* Returns field number o of impulses at nodes, or of their cotangents. */
PIO_FN ptrdiff_t push_field(int nodes, int o)
{
    return (ptrdiff_t)field_size(nodes, DIM) * o;
}

/* Sets mass and momentum of active node i with the impulses of all obstacles. */
PIO_FN void mpm_push_add(int i, const mpm_push_add_args *a)
{
    const int node = a->l.node_list[i];
    vec p;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) p.x[c] = a->sums[field_at(a->nodes, DIM + 1, 1 + c, node)];
    for (int o = 0; o < a->obstacles; o++)
        p = vec_axpby(R(1), p, R(1), vec_load(a->push + push_field(a->nodes, o), a->nodes, node));
    a->out[field_at(a->nodes, DIM + 1, 0, node)] = a->sums[field_at(a->nodes, DIM + 1, 0, node)];
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a->out[field_at(a->nodes, DIM + 1, 1 + c, node)] = p.x[c];
}

/* Adjoint of mpm_push_add for active node i: q_bar += p_bar. Before that q_bar is that of friction alone, which depends
 * on q/m (mpm_obstacle.h): m_bar -= q_bar . q/m. */
PIO_FN void mpm_push_add_adj(int i, const mpm_push_add_adj_args *b)
{
    const mpm_push_add_args *a = &b->fwd;
    const int node = a->l.node_list[i];
    const real m = a->sums[field_at(a->nodes, DIM + 1, 0, node)];
    real m_bar = R(0);
    vec p_bar;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) p_bar.x[c] = b->node_bar[field_at(a->nodes, DIM + 1, 1 + c, node)];
    for (int o = 0; o < a->obstacles; o++) {
        real *bar = b->push_bar + push_field(a->nodes, o);
        const vec q_bar = vec_load(bar, a->nodes, node);
        const vec q = vec_load(a->push + push_field(a->nodes, o), a->nodes, node);
        if (m > R(0)) m_bar -= vec_dot(q_bar, q) / m;
        vec_store(bar, a->nodes, node, vec_axpby(R(1), q_bar, R(1), p_bar));
    }
    b->node_bar[field_at(a->nodes, DIM + 1, 0, node)] += m_bar;
}

#endif
