/* amg_graph_case.h -- grids of rows that couple, for the tests of the graphs of smoothed aggregation. */
#ifndef PIOLA_TESTS_AMG_GRAPH_CASE_H
#define PIOLA_TESTS_AMG_GRAPH_CASE_H

#include "solvers/linear/amg_graph.h"

#include <stdint.h>
#include <stdlib.h>

static const double THETA = 0.08; /* of pio_amg_aggregate() */

/* Zeros, to be freed. */
static inline void *take(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    assert_non_null(p);
    return p;
}

/* A number in [0, 1): the finaliser of splitmix64 (Steele, Lea and Flood 2014). */
static inline double unit(int64_t i)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + 0x1234567u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* A grid of nodes, each coupled with those at most one step away along every axis, itself included. */
typedef struct {
    int n[3], rows;
    int *row_start, *column;
    float *coupling;
    pio_amg_pattern pattern;
} grid;

static inline grid grid_of(int nx, int ny, int nz)
{
    grid g = {.n = {nx, ny, nz}, .rows = nx * ny * nz};
    int blocks = 0;
    g.row_start = take(g.rows, sizeof(int));
    g.column = take(27 * (int64_t)g.rows, sizeof(int));
    g.coupling = take(27 * (int64_t)g.rows, sizeof(float));
    for (int i = 0; i < g.rows; i++) {
        for (int step = 0; step < 27; step++) { /* in ascending order of the nodes */
            const int x = i % nx + step % 3 - 1, y = i / nx % ny + step / 3 % 3 - 1, z = i / nx / ny + step / 9 - 1;
            if (x < 0 || x >= nx || y < 0 || y >= ny || z < 0 || z >= nz) continue;
            g.coupling[blocks] = 1;
            g.column[blocks++] = x + nx * (y + ny * z);
        }
        g.row_start[i + 1] = blocks;
    }
    g.pattern = (pio_amg_pattern){g.rows, blocks, g.row_start, g.column, g.coupling};
    return g;
}

static inline void grid_free(grid *g)
{
    free(g->row_start);
    free(g->column);
    free(g->coupling);
}

/* Rows that are left out: one in twenty, and all of a plane. */
static inline unsigned char *some_left_out(const grid *g)
{
    unsigned char *out = take(g->rows, 1);
    for (int i = 0; i < g->rows; i++) out[i] = unit(i) < 0.05 || i % g->n[0] == 0;
    return out;
}

#endif
