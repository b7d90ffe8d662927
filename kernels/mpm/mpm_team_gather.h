/* mpm_team_gather.h -- what a team sums over the nodes of its tile for the particles of a batch: moments and slopes. A
 * CPU whose register has all nodes of a row picks them by lane (PIO_NODE_ROWS), so that the particles of several cells
 * are computed with side by side; others go from cell to cell. */
#ifndef PIOLA_KERNELS_MPM_TEAM_GATHER_H
#define PIOLA_KERNELS_MPM_TEAM_GATHER_H

#include "kernels/mpm/mpm_team.h"

/* The cells of the lanes of a batch; where nodes are picked by lane, row and column of each in the tile: rows do not
 * descend, and lanes beyond the batch have the cell of its last particle. */
typedef struct {
    const team_cells *cells;
    const team_batch *batch;
    PER_LANE(int, row, 1);
    PER_LANE(int, column, 1);
} lane_cells;

/* Sets the cells of the lanes of a batch, which stays where it is. */
PIO_FN void lane_cells_of(lane_cells *c, const team_cells *t, const team_batch *b)
{
    c->cells = t;
    c->batch = b;
#if PIO_NODE_ROWS
    for (int r = 0; r < b->runs; r++) {
        const int at = t->cell[b->cell + r], row = at / TILE_EDGE, column = at % TILE_EDGE;
        const int end = r == b->runs - 1 ? TEAM_LANES : run_end(t, b, r);
        for (int v = run_begin(t, b, r); v < end; v += RUN_WIDTH) {
            PIO_VECTOR
            for (int k = 0; k < RUN_WIDTH; k++) {
                c->row[0][v + k] = row;
                c->column[0][v + k] = column;
            }
        }
    }
#endif
}

#if PIO_NODE_ROWS
/* A number of each node of a row of a tile, or of each of NODE_ROW lanes, in one register; and whole numbers. */
typedef real node_row __attribute__((vector_size(NODE_ROW * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef int node_row_places __attribute__((vector_size(NODE_ROW * sizeof(int)), aligned(sizeof(int)), may_alias));

/* The numbers of a tile at the stencils of NODE_ROW lanes: components of vectors, and a scalar. */
typedef struct {
    real y[DIM + 1][STENCIL][NODE_ROW];
} picked_nodes;

/* Sets to[k][q] to what component k of a tile, tile[k] [TILE_NODES], is at stencil node q of the NODE_ROW lanes from
 * `first` on: row of cells after row, of which one register has all nodes. */
PIO_FN void nodes_pick(picked_nodes *to, const real *const *tile, const int components, const lane_cells *c, int first)
{
    const node_row_places lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const node_row_places row = *(const node_row_places *)(c->row[0] + first);
    const node_row_places column = *(const node_row_places *)(c->column[0] + first);
    const node_row zero = {0};
    node_row y[DIM + 1][STENCIL];
    PIO_UNROLL_ALL
    for (int k = 0; k < components; k++) {
        PIO_UNROLL_ALL
        for (int q = 0; q < STENCIL; q++) y[k][q] = zero;
    }
    for (int r = c->row[0][first]; r <= c->row[0][first + NODE_ROW - 1]; r++) {
        const node_row_places here = row == r;
        PIO_UNROLL_ALL
        for (int j = 0; j < 3; j++) { /* a lane of another row keeps what it has */
            const node_row_places from = (here & (column + (NODE_ROW + j))) | (~here & lane);
            PIO_UNROLL_ALL
            for (int k = 0; k < components; k++) {
                PIO_UNROLL_ALL
                for (int i = 0; i < 3; i++) {
                    const node_row nodes = *(const node_row *)(tile[k] + (r + i) * TILE_EDGE);
                    y[k][3 * i + j] = __builtin_shuffle(y[k][3 * i + j], nodes, from);
                }
            }
        }
    }
    PIO_UNROLL_ALL
    for (int k = 0; k < components; k++) {
        PIO_UNROLL_ALL
        for (int q = 0; q < STENCIL; q++) *(node_row *)to->y[k][q] = y[k][q];
    }
}

/* Returns where lane k of those picked has its nodes, with a scalar z or without. */
PIO_FN plane_nodes picked_plane(const picked_nodes *n, int k, const int with_z)
{
    plane_nodes p;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) p.y[a] = &n->y[a][0][k];
    p.z = with_z ? &n->y[DIM][0][k] : NULL;
    p.row = 3 * NODE_ROW;
    p.hop = NODE_ROW;
    return p;
}

/* Sets S = sum_o w_o y_o and M = sum_o w_o y_o o^T of the lanes of a batch; y has the vectors of the tile. What goes
 * from run to run prefetches the next batch. */
PIO_FN void team_moments(const node_vectors *y, const lane_cells *c, const lanes_ahead *h, real (*f)[LANE_ROOM],
                         real (*S)[LANE_ROOM], real (*M)[LANE_ROOM])
{
    const real *const tile[DIM] = {y->y[0], y->y[1]};
    (void)h;
    for (int first = 0; first < c->batch->m; first += NODE_ROW) {
        picked_nodes n;
        nodes_pick(&n, tile, DIM, c, first);
        PIO_VECTOR
        for (int k = 0; k < NODE_ROW; k++) {
            const int j = first + k;
            const plane_nodes p = picked_plane(&n, k, 0);
            const spline w = spline_at(lane_vec(f, j));
            vec s;
            mat m;
            plane_moments(&p, &w, &s, &m);
            lane_vec_put(S, j, s);
            lane_mat_put(M, j, m);
        }
    }
}

/* Sets the slopes sum_o (d w_o/d f_a) y_o . (b + B o) of the lanes of a batch; y has the vectors of the tile. */
PIO_FN void team_slopes(const node_vectors *y, const lane_cells *c, real (*f)[LANE_ROOM], real (*b)[LANE_ROOM],
                        real (*B)[LANE_ROOM], real (*slope)[LANE_ROOM])
{
    const real *const tile[DIM] = {y->y[0], y->y[1]};
    for (int first = 0; first < c->batch->m; first += NODE_ROW) {
        picked_nodes n;
        nodes_pick(&n, tile, DIM, c, first);
        PIO_VECTOR
        for (int k = 0; k < NODE_ROW; k++) {
            const int j = first + k;
            const plane_nodes p = picked_plane(&n, k, 0);
            const spline w = spline_at(lane_vec(f, j));
            lane_vec_put(slope, j, plane_slope(&p, R(0), &w, lane_vec(b, j), lane_mat(B, j)));
        }
    }
}
#else
/* Sets S = sum_o w_o y_o and M = sum_o w_o y_o o^T of the lanes of a batch; y has the vectors of the tile. What goes
 * from run to run prefetches the next batch. */
PIO_FN void team_moments(const node_vectors *y, const lane_cells *c, const lanes_ahead *h, real (*f)[LANE_ROOM],
                         real (*S)[LANE_ROOM], real (*M)[LANE_ROOM])
{
    const team_cells *t = c->cells;
    const team_batch *u = c->batch;
    RUNS(r, u->runs, run_of(t, u, OWN_LANE))
    {
        run_ahead(t, u, r, h);
        const int begin = run_begin(t, u, r), end = run_end(t, u, r), at = t->cell[u->cell + r];
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

/* Sets the slopes sum_o (d w_o/d f_a) y_o . (b + B o) of the lanes of a batch; y has the vectors of the tile. */
PIO_FN void team_slopes(const node_vectors *y, const lane_cells *c, real (*f)[LANE_ROOM], real (*b)[LANE_ROOM],
                        real (*B)[LANE_ROOM], real (*slope)[LANE_ROOM])
{
    const team_cells *t = c->cells;
    const team_batch *u = c->batch;
    RUNS(r, u->runs, run_of(t, u, OWN_LANE))
    {
        const int begin = run_begin(t, u, r), end = run_end(t, u, r), at = t->cell[u->cell + r];
        RUN_LANES(j, begin, end)
        {
            const spline w = spline_at(lane_vec(f, j));
            lane_vec_put(slope, j, stencil_slope(y, NULL, at, R(0), &w, lane_vec(b, j), lane_mat(B, j)));
        }
    }
}
#endif

#endif
