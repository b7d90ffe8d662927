/* mpm_team.h -- the block of cells that a team works on: its particles in batches of full lanes, and the tile of nodes
 * that they read or add to.
 *
 * The particles of a block lie side by side in the order. So a batch has particles of several cells, and a lane
 * without a particle is in the last batch of a block alone. Which particles are a batch is a function of the
 * positions alone. */
#ifndef PIOLA_KERNELS_MPM_TEAM_H
#define PIOLA_KERNELS_MPM_TEAM_H

#include "kernels/base/lanes_ahead.h"
#include "kernels/mpm/mpm_sort.h"
#include "kernels/mpm/mpm_transfer.h"

/* The occupied cells of a block, in shared memory. */
typedef struct {
    int cell[BLOCK_NODES];      /* places of the cells in the tile, see tile_cell */
    int start[BLOCK_NODES + 1]; /* place of the first particle of each; that after the last */
} team_cells;

/* Sets the cells of occupied block number `slot`; returns how many they are, 1 or more. TEAM_SYNC() follows. */
PIO_FN int team_open(team_cells *t, int slot, const mpm_lists *l)
{
    const int block = l->block_list[slot];
    const int *start = l->start + (ptrdiff_t)block * BLOCK_NODES;
    const uint64_t occupied = l->occupied[block];
#if PIO_LANE_LOOPS
    int cells = 0;
    for (uint64_t left = occupied; left; left &= left - 1) {
        const int c = first_bit(left);
        t->cell[cells] = tile_cell(c);
        t->start[cells++] = start[c];
    }
    t->start[cells] = start[BLOCK_NODES];
    return cells;
#else
    LANES (c, BLOCK_NODES) {
        const int k = bits_set(occupied & ((UINT64_C(1) << c) - 1));
        if (c == 0) t->start[bits_set(occupied)] = start[BLOCK_NODES];
        if (!(occupied >> c & 1)) continue;
        t->cell[k] = tile_cell(c);
        t->start[k] = start[c];
    }
    return bits_set(occupied);
#endif
}

/* Where a block is: its first node, and the index of that along each axis. */
typedef struct {
    int node, index[DIM];
} block_place;

/* Returns where occupied block number `slot` is. */
PIO_FN block_place block_place_of(const mpm_box *box, const mpm_lists *l, int slot)
{
    block_place p;
    p.node = l->block_list[slot] * BLOCK_NODES;
    node_index(box, p.node, p.index);
    return p;
}

/* ---- batches ---------------------------------------------------------------------------------------------------- */

/* A batch: the particles at the places first .. first + m - 1, of the cells cell .. cell + runs - 1 of the team. */
typedef struct {
    int first, m, cell, runs;
} team_batch;

/* Returns the batch that begins at place `first`, where `cell` is at or before the cell of that place. */
PIO_FN team_batch team_batch_at(const team_cells *t, int cells, int first, int cell)
{
    team_batch b;
    b.first = first;
    b.m = t->start[cells] - first < TEAM_LANES ? t->start[cells] - first : TEAM_LANES;
    while (cell + 1 < cells && t->start[cell + 1] <= first) cell++;
    b.cell = cell;
    while (cell < cells && t->start[cell] < first + b.m) cell++;
    b.runs = cell - b.cell;
    return b;
}

/* Returns the lane of the first particle of run r of a batch. */
PIO_FN int run_begin(const team_cells *t, const team_batch *b, int r)
{
    const int begin = t->start[b->cell + r] - b->first;
    return begin > 0 ? begin : 0;
}

/* Returns the lane after the last particle of run r of a batch. */
PIO_FN int run_end(const team_cells *t, const team_batch *b, int r)
{
    const int end = t->start[b->cell + r + 1] - b->first;
    return end < b->m ? end : b->m;
}

/* Returns the run that a lane is in; that of the last particle for lanes beyond. */
PIO_FN int run_of(const team_cells *t, const team_batch *b, int lane)
{
    int r = 0;
    while (r < b->runs - 1 && t->start[b->cell + r + 1] <= b->first + lane) r++;
    return r;
}

/* Prefetches as many items of the next batch as run r of a batch has. */
PIO_FN void run_ahead(const team_cells *t, const team_batch *b, int r, const lanes_ahead *h)
{
#if PIO_NODE_ROWS
    (void)t, (void)b, (void)r, (void)h; /* see ahead_part */
#else
    const int next = b->first + TEAM_LANES;
    ahead_fetch(h, next + run_begin(t, b, r), next + run_end(t, b, r));
#endif
}

/* ---- what a team reads: the nodes of its tile ------------------------------------------------------------------- */

/* Some components of a field of all nodes: first .. first + count - 1 of [nodes][components]. */
typedef struct {
    const real *field;
    int nodes, components, first, count;
} node_field;

/* Returns these components of a field. */
PIO_FN node_field node_field_of(const real *field, int nodes, int components, int first, int count)
{
    node_field f;
    f.field = field;
    f.nodes = nodes;
    f.components = components;
    f.first = first;
    f.count = count;
    return f;
}

/* Loads a field at the nodes of a block's tile into y [count]; 0 for what is no node of the grid. TEAM_SYNC()
 * follows. */
PIO_FN void tile_load(real (*y)[TILE_NODES], node_field f, const mpm_box *box, const block_place *p)
{
    const int last = DIM - 1, *index = p->index;
    LANES (row, TILE_NODES / TILE_EDGE) {
        const int x = DIM == 3 ? row / TILE_EDGE : row, z = row % TILE_EDGE;
        int at = p->node + node_step(box, 0, x), inside = index[0] + x < box->nodes[0];
        if (DIM == 3) {
            at += node_step(box, DIM - 2, z);
            inside = inside && index[DIM - 2] + z < box->nodes[DIM - 2];
        }
        const int beyond = inside && index[last] + BLOCK_EDGE < box->nodes[last];
        for (int c = 0; c < f.count; c++) {
            real *to = y[c] + row * TILE_EDGE;
            for (int k = 0; k < BLOCK_EDGE; k++)
                to[k] = inside ? f.field[field_at(f.nodes, f.components, f.first + c, at + k)] : R(0);
            for (int k = BLOCK_EDGE; k < TILE_EDGE; k++) {
                const int node = at + node_step(box, last, k);
                to[k] = beyond ? f.field[field_at(f.nodes, f.components, f.first + c, node)] : R(0);
            }
        }
    }
}

/* Returns the place in the tile of the cell of stored particle p of its block. */
PIO_FN int tile_cell_of(const mpm_state *s, int p)
{
    return tile_cell(s->cell[p] % BLOCK_NODES);
}

/* ---- what a team adds to: the sums at the nodes of its tile ----------------------------------------------------- */

/* The sums of a tile in shared memory. */
typedef struct {
    real sum[TILE_NODES + PIO_QUAD_ROWS][QUAD]; /* of rows of four quads one more than there are, where the last ends */
} tile_sums;

/* Sets the sums of a tile to 0; TEAM_SYNC() follows. */
PIO_FN void tile_clear(tile_sums *t)
{
    LANES (i, TILE_NODES + PIO_QUAD_ROWS) quad_store(t->sum[i], quad_zero());
}

/* Adds the sums [components][STENCIL_PAD] of the lanes, one node each, of the cell at place `at`. TEAM_SYNC() follows:
 * the next cell has nodes of this one. */
PIO_FN void tile_add(tile_sums *t, int at, int components, real (*sum)[LANE_ROOM])
{
    LANES (q, STENCIL)
        for (int c = 0; c < components; c++) t->sum[at + tile_node(q)][c] += sum[c][LANE(q)];
}

/* Stores the sums of a tile as those of occupied block number `slot`, sums [occupied blocks][TILE_NODES][QUAD]. */
PIO_FN void tile_store(const tile_sums *t, real *sums, int slot)
{
    real *to = sums + (ptrdiff_t)slot * TILE_NODES * QUAD;
    LANES (i, TILE_NODES) quad_store(to + i * QUAD, quad_load(t->sum[i]));
}

/* Returns the block that is k's bits before another along the axes, -1 where there is none; index is that of the
 * other's first node. */
PIO_FN int block_behind(const mpm_box *box, int block, const int index[DIM], int k)
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const int back = k >> a & 1;
        if (back && index[a] < BLOCK_EDGE) return -1;
        block -= back * (box->stride[a] / BLOCK_NODES);
    }
    return block;
}

/* Returns which entry of all tiles, slot * TILE_NODES + place, has a node's sums in the block that is k's bits before
 * the node's own along the axes; -1 where that block has none. */
PIO_FN ptrdiff_t tile_entry(const mpm_box *box, const mpm_lists *l, int node, const int index[DIM], int k)
{
    int block = node / BLOCK_NODES, at = 0;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const int i = index[a] & (BLOCK_EDGE - 1), back = k >> a & 1;
        if (back && (i > 1 || index[a] < BLOCK_EDGE)) return -1;
        block -= back * (box->stride[a] / BLOCK_NODES);
        at = at * TILE_EDGE + i + back * BLOCK_EDGE;
    }
    const int slot = l->block_slot[block];
    return l->block_slot[block + 1] > slot ? (ptrdiff_t)slot * TILE_NODES + at : -1;
}

#endif
