/* mpm_node_sum.h -- the second half of every sum of particles at nodes: each node sums the tiles that it is in, in a
 * fixed order. */
#ifndef PIOLA_KERNELS_MPM_NODE_SUM_H
#define PIOLA_KERNELS_MPM_NODE_SUM_H

#include "kernels/mpm/mpm_p2g_args.h"
#include "kernels/mpm/mpm_team.h"

/* The sums of the nodes of a block, in shared memory. */
typedef struct {
    real sum[BLOCK_NODES][QUAD];
} sums_of_block;

/* Adds the sums of `count` nodes that follow one another, a constant, to those at `to`. */
PIO_FN void row_add(real *to, const real *from, const int count)
{
    PIO_UNROLL_ALL
    for (int i = 0; i < count * QUAD; i += QUAD) quad_store(to + i, quad_add(quad_load(to + i), quad_load(from + i)));
}

/* Adds what the tile of the block k's bits before a block along the axes gives to the nodes of that block, which are
 * the first two along these axes. */
PIO_FN void node_sums_add(sums_of_block *sh, const real *tile, int k)
{
#if PIO_LANE_LOOPS
    enum { LAST = DIM - 1, PLANES = DIM == 3 ? BLOCK_EDGE : 1 };
    const int back[3] = {k & 1, k >> (DIM - 2) & 1, k >> LAST & 1};
    const int planes = DIM == 3 && back[0] ? 2 : PLANES, rows = back[1] ? 2 : BLOCK_EDGE;
    for (int x = 0; x < planes; x++) {
        for (int y = 0; y < rows; y++) {
            const int plane = DIM == 3 ? x + back[0] * BLOCK_EDGE : 0;
            real *to = sh->sum[(x * BLOCK_EDGE + y) * BLOCK_EDGE];
            const real *from =
                tile + ((plane * TILE_EDGE + y + back[1] * BLOCK_EDGE) * TILE_EDGE + back[2] * BLOCK_EDGE) * QUAD;
            if (back[2])
                row_add(to, from, 2);
            else
                row_add(to, from, BLOCK_EDGE);
        }
    }
#else
    int count = BLOCK_NODES;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) count /= k >> c & 1 ? BLOCK_EDGE / 2 : 1;
    LANES (q, count) {
        int at = 0, node = 0, hop = 1, tile_hop = 1, rest = q;
        PIO_UNROLL
        for (int c = DIM - 1; c >= 0; c--) {
            const int back = k >> c & 1, i = rest & (back ? 1 : BLOCK_EDGE - 1);
            rest >>= back ? 1 : BLOCK_BITS;
            node += i * hop;
            at += (i + back * BLOCK_EDGE) * tile_hop;
            hop *= BLOCK_EDGE;
            tile_hop *= TILE_EDGE;
        }
        quad_store(sh->sum[node], quad_add(quad_load(sh->sum[node]), quad_load(tile + at * QUAD)));
    }
#endif
}

/* Sets the sums of the nodes of a block, tile after tile of `tiles` [occupied blocks][TILE_NODES][QUAD]; `index` is
 * that of its first node. TEAM_SYNC() follows. */
PIO_FN void node_sums_of(sums_of_block *sh, const mpm_lists *l, const mpm_box *box, const real *tiles, int block,
                         const int index[DIM])
{
    LANES (q, BLOCK_NODES) quad_store(sh->sum[q], quad_zero());
    for (int k = 0; k < 1 << DIM; k++) {
        const int other = block_behind(box, block, index, k);
        TEAM_SYNC();
        if (other < 0 || !l->occupied[other]) continue;
        node_sums_add(sh, tiles + (ptrdiff_t)l->block_slot[other] * TILE_NODES * QUAD, k);
    }
}

/* Returns component c of the sums of a node, of all tiles as above, in the same order. */
PIO_FN real node_sum_at(const mpm_lists *l, const mpm_box *box, const real *tiles, int node, int c)
{
    int index[DIM];
    real sum = R(0);
    node_index(box, node, index);
    for (int k = 0; k < 1 << DIM; k++) {
        const ptrdiff_t entry = tile_entry(box, l, node, index, k);
        if (entry >= 0) sum += tiles[entry * QUAD + c];
    }
    return sum;
}

/* Stores the sums of the active nodes of a block, [nodes][components]; `components` is a constant at each call, so that
 * the compiler can unroll. */
PIO_FN void node_sums_store(const sums_of_block *sh, uint64_t active, real *out, int nodes, int block,
                            const int components)
{
    PLACES(q, active)
    {
        PIO_UNROLL
        for (int c = 0; c < components; c++)
            out[field_at(nodes, components, c, block * BLOCK_NODES + q)] = sh->sum[q][c];
    }
}

typedef struct {
    sums_of_block of;
} mpm_node_sum_shared;

/* Sets the sums of the active nodes of a block, tile after tile. */
PIO_FN void mpm_node_sum(int block, mpm_node_sum_shared *sh, const mpm_node_sum_args *a)
{
    const uint64_t active = a->l.active[block];
    int index[DIM];
    if (!active) return;
    node_index(&a->box, block * BLOCK_NODES, index);
    node_sums_of(&sh->of, &a->l, &a->box, a->sums, block, index);
    TEAM_SYNC();
    if (a->components == DIM + 1)
        node_sums_store(&sh->of, active, a->out, a->nodes, block, DIM + 1);
    else
        node_sums_store(&sh->of, active, a->out, a->nodes, block, DIM);
}

#endif
