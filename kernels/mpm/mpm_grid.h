/* mpm_grid.h -- the grid update of one step, and its adjoint:  v_i = walls(p_i/m_i + h g).
 *
 * Sticky and slip walls mirror. Near such a wall the grid velocity is an odd function across it, the component along
 * the normal (slip) or all of them (sticky): with f the node on the face, the ghost f - 1 moves as -v of its mirror
 * f + 1. The three have one unknown, V of the inner node r = f + 1, which follows from the principle of virtual
 * power for the velocity restricted so, with the mass lumped: the sum over the nodes s that move as sign_s V, of
 * those that hold particles,
 *
 *     V = sum_s sign_s (p_s + h g m_s) / sum_s m_s
 *
 * So a uniform stress at a wall does no work on r, as if the body went on behind it (in the continuum: the reaction
 * of the wall), and a pressure that balances gravity stays in balance. A node has ghosts along several axes in a
 * corner, and from both walls where they are two nodes apart. Nodes on the face, and beyond the ghost, are
 * constrained. */
#ifndef PIOLA_KERNELS_MPM_GRID_H
#define PIOLA_KERNELS_MPM_GRID_H

#include "kernels/mpm/mpm_grid_args.h"
#include "kernels/mpm/mpm_node_sum.h"

/* Returns a mask: bit a is set where no wall constrains component a of the velocity v, for a node with these indices. A
 * separating wall constrains what moves into it; all walls act at and beyond their face. */
PIO_FN int wall_free_mask(const mpm_box *box, const int index[DIM], vec v)
{
    int mask = (1 << DIM) - 1;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        PIO_UNROLL
        for (int side = 0; side < 2; side++) {
            const int reached = side == 0 ? index[a] <= box->face[a][0] : index[a] >= box->face[a][1];
            if (!reached) continue;
            if (box->wall[a][side] == PIO_WALL_STICKY) mask = 0;
            if (box->wall[a][side] == PIO_WALL_SLIP || (side == 0 ? v.x[a] < R(0) : v.x[a] > R(0))) mask &= ~(1 << a);
        }
    }
    return mask;
}

/* Returns 1 for a node that is more than one node inside every face, where no wall acts. */
PIO_FN int node_is_inner(const mpm_box *box, const int index[DIM])
{
    int inner = 1;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) inner &= index[a] > box->face[a][0] + 1 && index[a] < box->face[a][1] - 1;
    return inner;
}

/* Returns 1 where all nodes of the tile of a block are inner ones; index is that of its first node. */
PIO_FN int tile_is_inner(const mpm_box *box, const int index[DIM])
{
    int inner = 1;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++)
        inner &= index[a] > box->face[a][0] + 1 && index[a] + TILE_EDGE - 1 < box->face[a][1] - 1;
    return inner;
}

/* Returns h g, m/s. 0 is added so that a compiler that contracts products with additions does so here, and has the same
 * rounding wherever the result is added. */
PIO_FN vec step_gravity(const mpm_step *step)
{
    vec v;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) v.x[c] = step->h * step->gravity[c] + R(0);
    return v;
}

/* Returns v_i = p_i/m_i + h g of a node away from walls, m/s, given h g. One that only weights rounded to zero reach
 * has no mass and stays at rest. */
PIO_FN vec node_free_velocity(real m, vec p, vec hg)
{
    const int has = m > R(0);
    const real by = has ? m : R(1);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const real v = p.x[c] / by + hg.x[c];
        p.x[c] = has ? v : R(0);
    }
    return p;
}

/* The same of a node whose sums are stored, [nodes][DIM + 1]. */
PIO_FN vec node_stored_velocity(const real *sums, int nodes, int node, const mpm_step *step)
{
    vec p;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) p.x[c] = sums[field_at(nodes, DIM + 1, 1 + c, node)];
    return node_free_velocity(sums[field_at(nodes, DIM + 1, 0, node)], p, step_gravity(step));
}

/* ---- mirrors --------------------------------------------------------------------------------------------- */

/* The nodes that share one unknown of component c: the inner node r and its ghosts. */
typedef struct {
    int inner[DIM];  /* index of r along each axis */
    int node;        /* r */
    real sign;       /* of the node for which this was computed: it moves as sign V */
    int count;       /* nodes in all, a product over the axes */
    int images[DIM]; /* 1 + ghosts along this axis, at most 3 */
    int hop[DIM][2]; /* from r to each of them */
} wall_images;

/* Returns 1 where the wall on this side of an axis mirrors component c. */
PIO_FN int wall_mirrors(const mpm_box *box, int axis, int side, int c)
{
    const int kind = box->wall[axis][side];
    return kind == PIO_WALL_STICKY || (kind == PIO_WALL_SLIP && axis == c);
}

/* Returns the images of component c of the node with these indices in the grid that begins at node `first`. A ghost
 * that is no node of the grid is left out: no particle comes so near to the border. */
PIO_FN wall_images wall_images_of(const mpm_box *box, int first, const int index[DIM], int c)
{
    wall_images w;
    w.sign = R(1);
    w.node = first;
    w.count = 1;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        int r = index[a];
        PIO_UNROLL
        for (int side = 0; side < 2; side++) {
            const int face = box->face[a][side], out = side == 0 ? -1 : 1;
            if (index[a] != face + out || !wall_mirrors(box, a, side, c)) continue;
            r = face - out;
            w.sign = -w.sign;
        }
        w.images[a] = 1;
        w.hop[a][0] = w.hop[a][1] = 0;
        PIO_UNROLL
        for (int side = 0; side < 2; side++) {
            const int face = box->face[a][side], out = side == 0 ? -1 : 1, ghost = face + out;
            if (r != face - out || ghost < 0 || ghost >= box->nodes[a] || !wall_mirrors(box, a, side, c)) continue;
            const int hop = node_hop(box, a, r, ghost - r);
            if (w.images[a] == 1)
                w.hop[a][0] = hop;
            else
                w.hop[a][1] = hop;
            w.images[a]++;
        }
        w.inner[a] = r;
        w.node += node_step(box, a, r);
        w.count *= w.images[a];
    }
    return w;
}

/* Returns number k of the nodes, 0: r itself, and sets its sign; -1 where it is not active: its sums are not set, they
 * are zero. */
PIO_FN int wall_image(const wall_images *w, const mpm_lists *l, int k, real *sign)
{
    int node = w->node;
    *sign = R(1);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const int image = k % w->images[a];
        k /= w->images[a];
        if (image == 0) continue;
        node += image == 1 ? w->hop[a][0] : w->hop[a][1];
        *sign = -*sign;
    }
    return node_is_active(l, node) ? node : -1;
}

/* Sets 1 for a component of velocity that no wall constrains, 0 for others. Component c is free where it has no mirror,
 * and no wall would constrain it with either sign. */
PIO_FN void wall_free_components(const mpm_box *box, const int index[DIM], real is_free[DIM])
{
    const int inner = node_is_inner(box, index);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        is_free[c] = R(1);
        if (inner) continue;
        vec up = vec_zero(), down = vec_zero();
        up.x[c] = R(1);
        down.x[c] = R(-1);
        const wall_images w = wall_images_of(box, 0, index, c);
        const int constrained =
            !(wall_free_mask(box, index, up) >> c & 1) || !(wall_free_mask(box, index, down) >> c & 1);
        if (w.count > 1 || constrained) is_free[c] = R(0);
    }
}

/* The unknown: V = p + h g d, before separating walls act, and whether they leave it free. */
typedef struct {
    real mass; /* sum_s m_s, kg */
    real p;    /* sum_s sign_s p_s / mass, m/s */
    real d;    /* sum_s sign_s m_s / mass; 1 where there is no ghost */
    int is_free;
} wall_unknown;

/* Returns component c of the sums of a node: of the tiles, [occupied blocks][TILE_NODES][QUAD], or where they are NULL,
 * as stored. */
PIO_FN real grid_sum(const mpm_grid_args *a, const real *tiles, int node, int c)
{
    return tiles ? node_sum_at(&a->l, &a->box, tiles, node, c) : a->sums[field_at(a->nodes, DIM + 1, c, node)];
}

/* Returns the unknown of component c of a node and its images, by the formula at the head. `tiles` as above. */
PIO_FN wall_unknown wall_unknown_of(const wall_images *w, const mpm_grid_args *a, const real *tiles, int c)
{
    wall_unknown u;
    vec v = vec_zero();
    u.mass = u.p = u.d = R(0);
    u.is_free = 0;
    for (int k = 0; k < w->count; k++) {
        real sign;
        const int node = wall_image(w, &a->l, k, &sign);
        if (node < 0) continue;
        const real m = grid_sum(a, tiles, node, 0);
        u.mass += m;
        u.d += sign * m;
        u.p += sign * grid_sum(a, tiles, node, 1 + c);
    }
    if (!(u.mass > R(0))) return u;
    u.p /= u.mass;
    u.d /= u.mass;
    v.x[c] = u.p + a->step->h * a->step->gravity[c] * u.d;
    u.is_free = wall_free_mask(&a->box, w->inner, v) >> c & 1;
    return u;
}

/* Returns the velocity of a node near walls, sign V along each axis, m/s; 0 where walls constrain it. `tiles` as
 * above. */
PIO_FN vec node_wall_velocity(const mpm_grid_args *a, const real *tiles, int node, const int index[DIM])
{
    const int first = field_first(&a->box, node);
    vec v;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const wall_images w = wall_images_of(&a->box, first, index, c);
        const wall_unknown u = wall_unknown_of(&w, a, tiles, c);
        v.x[c] = u.is_free ? w.sign * (u.p + a->step->h * a->step->gravity[c] * u.d) : R(0);
    }
    return v;
}

/* Sets the velocity of active node i, walls(p_i/m_i + h g), m/s. */
PIO_FN void mpm_grid(int i, const mpm_grid_args *a)
{
    const int node = a->l.node_list[i];
    int index[DIM];
    vec v;
    node_index(&a->box, node, index);
    if (node_is_inner(&a->box, index))
        v = node_stored_velocity(a->sums, a->nodes, node, a->step);
    else
        v = node_wall_velocity(a, NULL, node, index);
    vec_store(a->velocity, a->nodes, node, v);
}

/* Returns 1 where no wall acts on the nodes of a block; index is that of its first node. */
PIO_FN int block_is_inner(const mpm_box *box, const int index[DIM])
{
    int inner = 1;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++)
        inner &= index[a] > box->face[a][0] + 1 && index[a] + BLOCK_EDGE - 1 < box->face[a][1] - 1;
    return inner;
}

typedef struct {
    sums_of_block of;
} mpm_node_velocity_shared;

/* Sets the sums and the velocity of node q of a block; the sums of its mirrors are those of their tiles again, since
 * other blocks may not have stored them yet. */
PIO_FN void node_velocity_wall(const mpm_node_velocity_args *a, const sums_of_block *sh, int block, int q, vec hg)
{
    const int node = block * BLOCK_NODES + q;
    int index[DIM];
    vec v;
    node_index(&a->grid.box, node, index);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) v.x[c] = sh->sum[q][1 + c];
    v = node_is_inner(&a->grid.box, index) ? node_free_velocity(sh->sum[q][0], v, hg)
                                           : node_wall_velocity(&a->grid, a->tiles, node, index);
    vec_store(a->grid.velocity, a->grid.nodes, node, v);
}

/* Sets what mpm_node_sum and mpm_grid set, of the active nodes of a block: the sums over the tiles that they are in,
 * and their velocities. */
PIO_FN void mpm_node_velocity(int block, mpm_node_velocity_shared *sh, const mpm_node_velocity_args *a)
{
    const uint64_t active = a->grid.l.active[block];
    const int nodes = a->grid.nodes;
    int index[DIM];
    if (!active) return;
    const vec hg = step_gravity(a->grid.step);
    node_index(&a->grid.box, block * BLOCK_NODES, index);
    node_sums_of(&sh->of, &a->grid.l, &a->grid.box, a->tiles, block, index);
    TEAM_SYNC();
    node_sums_store(&sh->of, active, a->sums, nodes, block, DIM + 1);
    if (block_is_inner(&a->grid.box, index)) {
        PLACES(q, active)
        {
            vec p;
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) p.x[c] = sh->of.sum[q][1 + c];
            vec_store(a->grid.velocity, nodes, block * BLOCK_NODES + q, node_free_velocity(sh->of.sum[q][0], p, hg));
        }
    } else {
        PLACES(q, active) node_velocity_wall(a, &sh->of, block, q, hg);
    }
}

/* ---- adjoint: with v_bar after the walls, every node gathers the cotangent of its unknown from all that share it,
 *     V_bar = sum_s sign_s v_bar_s  (0 where walls constrain it),   p_bar_s = sign_s V_bar / M,   M = sum_s m_s
 *     m_bar_s = sum_c (V_bar / M) (sign_s h g - V)             away from walls: -v_bar . p/m^2 */

/* Sets the cotangents of a node away from walls: p_bar = v_bar/m, m_bar = -v_bar . p/m^2; 0 where it has no mass. */
PIO_FN void node_free_adj(const mpm_grid_adj_args *a, int node)
{
    const int nodes = a->fwd.nodes;
    const real m = a->fwd.sums[field_at(nodes, DIM + 1, 0, node)];
    real m_bar = R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const real p_bar = m > R(0) ? a->velocity_bar[field_at(nodes, DIM, c, node)] / m : R(0);
        m_bar -= m > R(0) ? p_bar * (a->fwd.sums[field_at(nodes, DIM + 1, 1 + c, node)] / m) : R(0);
        a->node_bar[field_at(nodes, DIM + 1, 1 + c, node)] = p_bar;
    }
    a->node_bar[field_at(nodes, DIM + 1, 0, node)] = m_bar;
}

/* Sets the cotangents of a node near walls, by the formulas above. */
PIO_FN void node_wall_adj(const mpm_grid_adj_args *a, int node, const int index[DIM])
{
    const int nodes = a->fwd.nodes, first = field_first(&a->fwd.box, node);
    const mpm_step *step = a->fwd.step;
    real m_bar = R(0);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const wall_images w = wall_images_of(&a->fwd.box, first, index, c);
        const wall_unknown u = wall_unknown_of(&w, &a->fwd, NULL, c);
        real term = R(0);
        if (u.is_free) {
            for (int k = 0; k < w.count; k++) {
                real sign;
                const int s = wall_image(&w, &a->fwd.l, k, &sign);
                if (s >= 0) term += sign * a->velocity_bar[field_at(nodes, DIM, c, s)];
            }
            term /= u.mass;
        }
        m_bar += term * (step->h * step->gravity[c] * (w.sign - u.d) - u.p);
        a->node_bar[field_at(nodes, DIM + 1, 1 + c, node)] = w.sign * term;
    }
    a->node_bar[field_at(nodes, DIM + 1, 0, node)] = m_bar;
}

/* Adjoint of mpm_grid for active node i: sets the cotangents of its mass and momentum. */
PIO_FN void mpm_grid_adj(int i, const mpm_grid_adj_args *a)
{
    const int node = a->fwd.l.node_list[i];
    int index[DIM];
    node_index(&a->fwd.box, node, index);
    if (node_is_inner(&a->fwd.box, index))
        node_free_adj(a, node);
    else
        node_wall_adj(a, node, index);
}

/* Returns the term of active node i in dJ/dg of one component, h m_i p_bar_i. */
PIO_FN wide mpm_gravity_sum(int i, const mpm_gravity_sum_args *a)
{
    const int node = a->l.node_list[i];
    const wide m = W(a->sums[field_at(a->nodes, DIM + 1, 0, node)]);
    return W(a->step->h) * m * W(a->node_bar[field_at(a->nodes, DIM + 1, 1 + a->component, node)]);
}

#endif
