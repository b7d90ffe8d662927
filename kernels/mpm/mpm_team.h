/* mpm_team.h -- the block of cells that a team works on: its particles in batches of full lanes, and the tile of nodes
 * that they read or add to.
 *
 * The particles of a block lie side by side in the order. So a batch has particles of several cells, and a lane
 * without a particle is in the last batch of a block alone. Which particles are a batch is a function of the
 * positions alone. */
#ifndef PIOLA_KERNELS_MPM_TEAM_H
#define PIOLA_KERNELS_MPM_TEAM_H

#include "kernels/base/lanes.h"
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
    LANES (c, BLOCK_NODES) {
        const int k = bits_set(occupied & ((UINT64_C(1) << c) - 1));
        if (c == 0) t->start[bits_set(occupied)] = start[BLOCK_NODES];
        if (!(occupied >> c & 1)) continue;
        t->cell[k] = tile_cell(c);
        t->start[k] = start[c];
    }
    return bits_set(occupied);
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
    const int next = b->first + TEAM_LANES;
    ahead_fetch(h, next + run_begin(t, b, r), next + run_end(t, b, r));
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

/* Sets S = sum_o w_o y_o and M = sum_o w_o y_o o^T of the lanes of a batch; y has the vectors of the tile. Prefetches
 * the next batch. */
PIO_FN void team_moments(const team_cells *t, const node_vectors *y, const team_batch *b, const lanes_ahead *h,
                         real (*f)[LANE_ROOM], real (*S)[LANE_ROOM], real (*M)[LANE_ROOM])
{
    RUNS(r, b->runs, run_of(t, b, OWN_LANE))
    {
        run_ahead(t, b, r, h);
        const int begin = run_begin(t, b, r), end = run_end(t, b, r), at = t->cell[b->cell + r];
        RUN_LANES(j, begin, end)
        {
            const spline w = spline_at(lane_vec(f, j));
            vec s;
            mat m;
            stencil_moments(y, at, &w, &s, &m);
            lane_vec_put(S, j, s);
            lane_mat_put(M, j, m);
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

/* ---- spread: the affine fields b + B o of particles, weighted, summed at the nodes of their cells ---------------- */

/* A batch in shared memory: numbers 0 of quads, and what follows in the order of axes. */
typedef struct {
    real column[DIM + 1][TEAM_LANES][QUAD];      /* b, and the columns of B: what a step along an axis adds */
    real f[TEAM_LANES][DIM];                     /* offset, which a lane of a node makes its weight of */
    real weight[BY_LANE(STENCIL, 1)][LANE_ROOM]; /* which a CPU has here; of rows of nodes, those of the first node */
#if PIO_QUAD_ROWS
    real along[LANE_ROOM][QUAD]; /* and the weights along the last axis */
#endif
} spread_batch;

/* Returns the place along axis `a` of stencil node q, 0, 1 or 2. */
PIO_FN int stencil_place(int a, int q)
{
    return a == DIM - 1 ? q % 3 : DIM == 3 && a == 0 ? q / 9 : q / 3 % 3;
}

/* Sets the weights of a batch, w_o(f) for each lane's offset f [DIM]. */
PIO_FN void spread_weights(spread_batch *t, real (*f)[LANE_ROOM])
{
#if PIO_QUAD_ROWS
    PER_LANE(real, w, QUAD);
    FULL_LANES(j)
    {
        const spline s = spline_at(lane_vec(f, j));
        PIO_UNROLL_ALL
        for (int p = 0; p < 3; p++) {
            w[p][j] = s.w[DIM - 1][p];
#if PIO_DIM == 3
            PIO_UNROLL_ALL
            for (int r = 0; r < 3; r++) t->weight[3 * p + r][j] = s.w[0][p] * s.w[1][r];
#else
            t->weight[p][j] = s.w[0][p];
#endif
        }
        w[3][j] = R(0);
    }
    lanes_to_quads(t->along, w[0], w[1], w[2], w[3]);
#elif BY_LANE(1, 0)
    FULL_LANES(j)
    {
        const spline s = spline_at(lane_vec(f, j));
        PIO_UNROLL_ALL
        for (int p = 0; p < 3; p++) {
            PIO_UNROLL_ALL
            for (int r = 0; r < 3; r++) {
#if PIO_DIM == 3
                const real w = s.w[0][p] * s.w[1][r];
                PIO_UNROLL_ALL
                for (int k = 0; k < 3; k++) t->weight[9 * p + 3 * r + k][j] = w * s.w[2][k];
#else
                t->weight[3 * p + r][j] = s.w[0][p] * s.w[1][r];
#endif
            }
        }
    }
#else
    FULL_LANES(j)
    for (int a = 0; a < DIM; a++) t->f[j][a] = f[a][LANE(j)];
#endif
}

/* Stores the fields of the lanes: number m, a scalar that does not change with o, and after it b + B o; or without m,
 * where that is NULL, b + B o alone. b has QUAD components, of which those beyond DIM are 0; B is [DIM * DIM]. */
PIO_FN void spread_put(spread_batch *t, const real *m, real (*b)[LANE_ROOM], real (*B)[LANE_ROOM])
{
    PER_LANE(real, none, 1);
    FULL_LANES(j) none[0][LANE(j)] = R(0);
    if (m) {
        lanes_to_quads(t->column[0], m, b[0], b[1], b[2]);
        for (int a = 0; a < DIM; a++)
            lanes_to_quads(t->column[1 + a], none[0], B[a], B[DIM + a],
                           DIM == 3 ? B[DIM == 3 ? 2 * DIM + a : 0] : none[0]);
    } else {
        lanes_to_quads(t->column[0], b[0], b[1], b[2], none[0]);
        for (int a = 0; a < DIM; a++)
            lanes_to_quads(t->column[1 + a], B[a], B[DIM + a], DIM == 3 ? B[DIM == 3 ? 2 * DIM + a : 0] : none[0],
                           none[0]);
    }
}

#if PIO_QUAD_ROWS
/* As the function below, a row of three nodes along the last axis at a time: the weight along that axis is multiplied
 * to b + B o first, the weight of the row after it. The fourth node of a row gets 0. The tile is read last, when what
 * was stored for the cell before, of which its rows overlap two, has reached the cache. */
PIO_FN void spread_run(const spread_batch *t, int begin, int end, tile_sums *tile, int at)
{
    enum { ROWS = STENCIL / 3 };
    quad_row sum[ROWS];
    PIO_UNROLL_ALL
    for (int q = 0; q < ROWS; q++) sum[q] = row_zero();
    for (int j = begin; j < end; j++) {
        const quad_row along = row_numbers(t->along[j]);
        const quad_row field = along * (row_of(t->column[0][j]) + row_steps(t->column[DIM][j]));
        quad_row step[DIM - 1];
        PIO_UNROLL /* 0 is added so that the additions below are not contracted with the product, once for each row */
            for (int a = 0; a < DIM - 1; a++) step[a] = along * row_of(t->column[1 + a][j]) + row_zero();
        PIO_UNROLL_ALL
        for (int q = 0; q < ROWS; q++) {
            quad_row r = field;
            PIO_UNROLL
            for (int a = 0; a < DIM - 1; a++) {
                if (stencil_place(a, 3 * q) > 0) r += step[a];
                if (stencil_place(a, 3 * q) > 1) r += step[a];
            }
            sum[q] += t->weight[q][j] * r;
        }
    }
    PIO_UNROLL_ALL
    for (int q = 0; q < ROWS; q++) *(quad_row *)tile->sum[at + tile_node(3 * q)] += sum[q];
}
#else
/* Adds the fields of the lanes begin .. end - 1, which are particles of the cell at place `at` of the tile, to the sums
 * of its nodes, in the order of the lanes. */
PIO_FN void spread_run(const spread_batch *t, int begin, int end, tile_sums *tile, int at)
{
    quad sum[NODE_ROOM(STENCIL)];
    NODE_LANES(q, STENCIL) sum[NODE(q)] = quad_load(tile->sum[at + tile_node(q)]);
    for (int j = begin; j < end; j++) {
        quad column[DIM + 1];
        PIO_UNROLL
        for (int k = 0; k <= DIM; k++) column[k] = quad_load(t->column[k][j]);
        NODE_LANES(q, STENCIL)
        {
            const real w = BY_LANE(t->weight[q][j], lane_weight(q, t->f[j]));
            quad field = column[0];
            PIO_UNROLL
            for (int a = 0; a < DIM; a++) field = quad_steps(field, stencil_place(a, q), column[1 + a]);
            sum[NODE(q)] = quad_fma(sum[NODE(q)], w, field);
        }
    }
    NODE_LANES(q, STENCIL) quad_store(tile->sum[at + tile_node(q)], sum[NODE(q)]);
}
#endif

/* Adds the fields of a batch to the sums of the tile, cell after cell, and prefetches the next batch. */
PIO_FN void spread_add(const spread_batch *t, const team_cells *cells, const team_batch *b, tile_sums *tile,
                       const lanes_ahead *h)
{
    for (int r = 0; r < b->runs; r++) {
        run_ahead(cells, b, r, h);
        spread_run(t, run_begin(cells, b, r), run_end(cells, b, r), tile, cells->cell[b->cell + r]);
        TEAM_SYNC();
    }
}

#endif
