/* mpm_team_spread.h -- what a team adds to the nodes of its tile: the affine fields b + B o of particles, weighted,
 * summed at the nodes of their cells. */
#ifndef PIOLA_KERNELS_MPM_TEAM_SPREAD_H
#define PIOLA_KERNELS_MPM_TEAM_SPREAD_H

#include "kernels/mpm/mpm_team.h"

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

#if PIO_DIM == 2 && PIO_LANE_LOOPS
/* The sums of the nodes of a cell, which a CPU keeps in registers. */
typedef struct {
    quad sum[STENCIL];
} cell_sums;

/* Adds the sums of the nodes whose place along the last axis is below `columns` to those of the tile, and moves the
 * others on: what is left are the sums of the cell that is `columns` later in its row. */
PIO_FN void cell_sums_pass(cell_sums *c, tile_sums *tile, int at, const int columns)
{
    PIO_UNROLL_ALL
    for (int q = 0; q < STENCIL; q++) {
        if (q % 3 >= columns) continue;
        real *to = tile->sum[at + tile_node(q)];
        quad_store(to, quad_add(quad_load(to), c->sum[q]));
    }
    PIO_UNROLL_ALL
    for (int q = 0; q < STENCIL; q++) c->sum[q] = q % 3 + columns < 3 ? c->sum[(q + columns) % STENCIL] : quad_zero();
}

/* Adds the fields of the lanes begin .. end - 1, which are particles of one cell, to the sums of its nodes, in the
 * order of the lanes. */
PIO_FN void cell_sums_add(cell_sums *c, const spread_batch *t, int begin, int end)
{
    for (int j = begin; j < end; j++) {
        quad column[DIM + 1];
        PIO_UNROLL
        for (int k = 0; k <= DIM; k++) column[k] = quad_load(t->column[k][j]);
        PIO_UNROLL_ALL
        for (int q = 0; q < STENCIL; q++) {
            quad field = column[0];
            PIO_UNROLL
            for (int a = 0; a < DIM; a++) field = quad_steps(field, stencil_place(a, q), column[1 + a]);
            c->sum[q] = quad_fma(c->sum[q], t->weight[q][j], field);
        }
    }
}

/* Adds the fields of a batch to the sums of the tile, cell after cell. Of neighbours in a row the second begins with
 * the sums of the nodes that it has in common with the first: a sum that is stored is not read at once, which a CPU
 * would wait for. */
PIO_FN void spread_add(const spread_batch *t, const team_cells *cells, const team_batch *b, tile_sums *tile,
                       const lanes_ahead *h)
{
    cell_sums c;
    int at = cells->cell[b->cell];
    PIO_UNROLL_ALL
    for (int q = 0; q < STENCIL; q++) c.sum[q] = quad_zero();
    for (int r = 0; r < b->runs; r++) {
        run_ahead(cells, b, r, h);
        const int next = cells->cell[b->cell + r];
        if (next == at + 1)
            cell_sums_pass(&c, tile, at, 1);
        else if (next != at)
            cell_sums_pass(&c, tile, at, 3);
        at = next;
        cell_sums_add(&c, t, run_begin(cells, b, r), run_end(cells, b, r));
    }
    cell_sums_pass(&c, tile, at, 3);
}
#else
/* Adds the fields of a batch to the sums of the tile, cell after cell. */
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

#endif
