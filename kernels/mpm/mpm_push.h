/* mpm_push.h -- obstacles that push particles by a potential (kernels/contact/obstacle_push.h), with adjoints.
 *
 * The force of a particle follows from where it and the obstacle are at the beginning of the step. Its impulse goes to
 * the nodes as its momentum does, before walls act, and with a lever, since it acts at the particle's surface,
 * x_p - r_p n_p with n the gradient of the distance:
 *
 *     q_p = h f(x_p),   q_i = sum_p w_ip q_p,   l_i = -(4/dx^2) sum_p w_ip (r_p n_p . (x_i - x_p)) q_p
 *     p_i <- p_i + sum over obstacles (q_i + l_i)
 *
 * So momentum is exact, and a wall holds what an obstacle pushes at it. Levers have none in all: they are to q_i what
 * stress is to momentum (mpm_p2g.h), the next term of weights at the surface. With them the pressure in a row of
 * particles is balanced at each node. Without, nodes beyond the row, whose mass may be next to nothing, take a part of
 * the stress and no force, and the energy of their motion is lost, step by step and most just below a knot of the
 * weights. Friction is that of q_i (mpm_obstacle.h), which all have one direction. The potential of a particle has
 * omega^2 = K/(rho dx^2) at most, and sum_i w_ip^2 m_p/m_i <= 1 (both a consequence of partition of unity), so that it
 * adds no more than that to omega^2 of the material. */
#ifndef PIOLA_KERNELS_MPM_PUSH_H
#define PIOLA_KERNELS_MPM_PUSH_H

#include "kernels/contact/obstacle_push.h"
#include "kernels/mpm/mpm_push_args.h"
#include "kernels/mpm/mpm_reversible_transfer.h"

typedef struct {
    team_cells cells;
    vector_batch t;   /* of impulses */
    gradient_batch k; /* of levers */
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
    const real half = a->pose->scale / a->shape->scale * a->shape->deepest / R(2),
               most = half < a->box.dx ? half : a->box.dx;
    const real comes = -a->step->h * vec_dot(v, at->slope), deep = (comes > R(0) ? comes : R(0)) - at->at.d;
    return deep > most || (at->at.d < R(0) && vec_dot(at->slope, at->slope) < R(0.25));
}

/* A particle may begin inside an obstacle by this fraction of the spacing, as one that rests there under a pressure of
 * an eighth of the stiffness, or whose place in its body is random. From deeper the potential would shoot it out. */
#define PUSH_BEGINS R(0.125)

/* Lowers the fault where stored particle p is too deep. */
PIO_FN void push_check(const mpm_push_args *a, int p, const obstacle_push *at)
{
    const int id = a->s.id[p];
    if (a->step->index == 0 && -at->at.d > PUSH_BEGINS * a->box.dx)
        atomic_min_u64(&a->step->fault, fault_key(0, id, FAULT_OVERLAP));
    else if (push_too_deep(a, p, at))
        atomic_min_u64(&a->step->fault, fault_key(a->step->index, id, FAULT_DEPTH));
}

/* Returns B of a particle's lever, l_o = w_o B (o - f) at stencil node o, N s: -(4 h r/dx) f n^T. */
PIO_FN mat push_lever(const mpm_push_args *a, int p, const obstacle_push *at)
{
    const real arm = R(-4) * a->step->h * a->radius[a->s.id[p]] * a->box.inv_dx;
    return mat_outer(vec_scale(arm, at->force), at->slope);
}

/* Adds w_o K (o - f) of the particles of a batch to the sums of the tile, cell after cell; TEAM_SYNC() is done. */
PIO_FN void lever_spread(const gradient_batch *t, const team_cells *cells, const team_batch *b, tile_sums *tile)
{
    for (int r = 0; r < b->runs; r++) {
        const int end = run_end(cells, b, r);
        PER_LANE(real, sum, DIM);
        LANES (q, STENCIL_PAD)
            for (int c = 0; c < DIM; c++) sum[c][LANE(q)] = R(0);
        for (int j = run_begin(cells, b, r); j < end; j++)
            LANES (q, STENCIL_PAD) {
                real g[DIM];
                const real w = lane_weight(q, t->f[j]);
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) g[c] = w * (lane_o(c, q) - t->f[j][c]);
                PIO_UNROLL
                for (int c = 0; c < DIM; c++) sum[c][LANE(q)] += batch_gradient(t, j, c, g);
            }
        tile_add(tile, cells->cell[b->cell + r], DIM, sum);
        TEAM_SYNC();
    }
}

/* Puts the particle at place `at` of the order into the batch, as entry j; lowers the fault where it is too deep. */
PIO_FN void push_put(mpm_push_shared *sh, const mpm_push_args *a, int at, int j)
{
    const int p = a->l.order[at];
    const obstacle_push push = push_of(a, p);
    const vec f = vec_load(a->s.offset, a->n, p);
    if (a->lever) {
        gradient_put(&sh->k, j, f, push_lever(a, p, &push), R(0));
        return;
    }
    push_check(a, p, &push);
    vector_put(&sh->t, j, f, vec_scale(a->step->h, push.force), R(0));
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip q_p or those of levers, and lowers the fault where a
 * particle is too deep. */
PIO_FN void mpm_push(int slot, mpm_push_shared *sh, const mpm_push_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        LANES (j, b.m) push_put(sh, a, first + j, j);
        TEAM_SYNC();
        if (a->lever)
            lever_spread(&sh->k, &sh->cells, &b, &sh->tile);
        else
            vector_spread(&sh->t, &sh->cells, &b, 0, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* ---- adjoint: a block reads the cotangents of its tile, y of impulses and z of levers ----------------------------
 *     S = sum_o w_o z_o,   B_bar = sum_o w_o z_o (o - f)^T,   c = -4 h r/dx
 *     force_bar = h sum_o w_o y_o + c B_bar n,   n_bar = c B_bar^T force
 *     offset_bar += dx x_bar + slope(y; h force) + slope(z; -B f, B) - B^T S */

typedef struct {
    node_vectors y, z;
} mpm_push_adj_shared;

/* The cotangents of one particle. */
typedef struct {
    vec force, direction; /* of its force, J's unit per N, and of the gradient of its distance */
    vec offset;           /* through weights alone */
} push_bars;

/* Returns the cotangents of stored particle p, by the formulas above. */
PIO_FN push_bars push_bars_of(const mpm_push_args *a, const mpm_push_adj_shared *sh, int p, const obstacle_push *push)
{
    const int at = tile_cell_of(&a->s, p);
    const vec f = vec_load(a->s.offset, a->n, p);
    const spline w = spline_at(f);
    const real arm = R(-4) * a->step->h * a->radius[a->s.id[p]] * a->box.inv_dx;
    const mat B = push_lever(a, p, push);
    push_bars r;
    vec S;
    mat M;
    stencil_moments(&sh->z, at, &w, &S, &M);
    const mat B_bar = mat_axpby(arm, M, -arm, mat_outer(S, f));
    r.force = vec_axpby(a->step->h, stencil_mean(&sh->y, at, &w), R(1), mat_apply(B_bar, push->slope));
    r.direction = mat_t_apply(B_bar, push->force);
    r.offset = stencil_slope(&sh->y, NULL, at, R(0), &w, vec_scale(a->step->h, push->force), mat_diag(R(0)));
    const vec b = vec_scale(R(-1), mat_apply(B, f));
    r.offset = vec_axpby(R(1), r.offset, R(1), stencil_slope(&sh->z, NULL, at, R(0), &w, b, B));
    r.offset = vec_axpby(R(1), r.offset, R(-1), mat_t_apply(B, S));
    return r;
}

/* Adds to the cotangent of the offset of stored particle p; one that is not pushed has none. */
PIO_FN void push_particle_adj(const mpm_push_adj_args *b, const mpm_push_adj_shared *sh, int p)
{
    const mpm_push_args *a = &b->fwd;
    const obstacle_push push = push_of(a, p);
    real unused[OBSTACLE_PARAMETERS];
    push_bars bar;
    bar.force = bar.direction = bar.offset = vec_zero();
    if (push.eased.first > R(0)) {
        for (int k = 0; k < OBSTACLE_PARAMETERS; k++) unused[k] = R(0);
        bar = push_bars_of(a, sh, p, &push);
        const vec x_bar = obstacle_push_adj(&push, a->pose, bar.force, bar.direction, unused);
        const vec offset_bar = vec_axpby(a->box.dx, x_bar, R(1), bar.offset);
        vec_store(b->offset_bar, a->n, p, vec_axpby(R(1), vec_load(b->offset_bar, a->n, p), R(1), offset_bar));
    }
    if (!b->force_bar) return;
    vec_store(b->force_bar, a->n, p, bar.force);
    vec_store(b->direction_bar, a->n, p, bar.direction);
}

/* Adjoint of mpm_push for the particles of occupied block number `slot`. */
PIO_FN void mpm_push_adj(int slot, mpm_push_adj_shared *sh, const mpm_push_adj_args *b)
{
    const mpm_lists *l = &b->fwd.l;
    const block_place place = block_place_of(&b->fwd.box, l, slot);
    const int first = l->start[place.node], end = l->start[place.node + BLOCK_NODES];
    tile_load(sh->y.y, node_field_of(b->push_bar, b->nodes, DIM, 0, DIM), &b->fwd.box, &place);
    tile_load(sh->z.y, node_field_of(b->lever_bar, b->nodes, DIM, 0, DIM), &b->fwd.box, &place);
    TEAM_SYNC();
    LANES (j, end - first) push_particle_adj(b, sh, l->order[first + j]);
}

/* Returns the term of the particle at place i of the state in the cotangent of one number of the pose. */
PIO_FN wide mpm_push_sum(int i, const mpm_push_sum_args *b)
{
    const int n = b->fwd.n;
    real out[OBSTACLE_PARAMETERS];
    const obstacle_push push = push_of(&b->fwd, i);
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) out[k] = R(0);
    obstacle_push_adj(&push, b->fwd.pose, vec_load(b->force_bar, n, i), vec_load(b->direction_bar, n, i), out);
    return W(out[b->component]);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* Returns field number o of impulses at nodes, or of their cotangents. */
PIO_FN ptrdiff_t push_field(int nodes, int o)
{
    return (ptrdiff_t)field_size(nodes, DIM) * o;
}

/* Sets mass and momentum of active node i with the impulses and levers of all obstacles. */
PIO_FN void mpm_push_add(int i, const mpm_push_add_args *a)
{
    const int node = a->l.node_list[i];
    vec p;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) p.x[c] = a->sums[field_at(a->nodes, DIM + 1, 1 + c, node)];
    for (int o = 0; o < a->fields; o++)
        p = vec_axpby(R(1), p, R(1), vec_load(a->push + push_field(a->nodes, o), a->nodes, node));
    a->out[field_at(a->nodes, DIM + 1, 0, node)] = a->sums[field_at(a->nodes, DIM + 1, 0, node)];
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) a->out[field_at(a->nodes, DIM + 1, 1 + c, node)] = p.x[c];
}

/* Adjoint of mpm_push_add for active node i: q_bar += p_bar. Before that q_bar is that of friction alone, which depends
 * on q/m (mpm_obstacle.h): m_bar -= q_bar . q/m; that of levers is 0. */
PIO_FN void mpm_push_add_adj(int i, const mpm_push_add_adj_args *b)
{
    const mpm_push_add_args *a = &b->fwd;
    const int node = a->l.node_list[i];
    const real m = a->sums[field_at(a->nodes, DIM + 1, 0, node)];
    real m_bar = R(0);
    vec p_bar;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) p_bar.x[c] = b->node_bar[field_at(a->nodes, DIM + 1, 1 + c, node)];
    for (int o = 0; o < a->fields; o++) {
        real *bar = b->push_bar + push_field(a->nodes, o);
        const vec q_bar = vec_load(bar, a->nodes, node);
        const vec q = vec_load(a->push + push_field(a->nodes, o), a->nodes, node);
        if (m > R(0)) m_bar -= vec_dot(q_bar, q) / m;
        vec_store(bar, a->nodes, node, vec_axpby(R(1), q_bar, R(1), p_bar));
    }
    b->node_bar[field_at(a->nodes, DIM + 1, 0, node)] += m_bar;
}

#endif
