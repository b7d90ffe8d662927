/* mesh_sample.h -- meshes with a shape, for test_export.c and test_render_mesh.c: blocks of cells, bent by a
 * function. */
#ifndef PIOLA_TESTS_MESH_SAMPLE_H
#define PIOLA_TESTS_MESH_SAMPLE_H

#include "host/snapshot/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pio_snapshot_mesh mesh;
    uint8_t *types;
    int64_t *offsets, *connectivity;
    int64_t n;      /* points */
    int dimension;  /* of space */
    double *points; /* [n][3] m */
} block_mesh;

static inline void block_free(block_mesh *m)
{
    free(m->types);
    free(m->offsets);
    free(m->connectivity);
    free(m->points);
}

/* Lattice places of a cell's nodes, in halves of the cell. */
static const int8_t block_hex[27][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
                                        {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
                                        {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}, {0, 1, 1},
                                        {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}};
static const int8_t block_quad[9][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 0, 0},
                                        {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 1, 0}};
/* Corners of the simplices into which a cell is cut, as corners of the cell (of block_hex or block_quad). */
static const int8_t block_tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                        {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
static const int8_t block_triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
static const int8_t block_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static inline int block_dimension(int type)
{
    switch (type) {
    case PIO_CELL_TRI3:
    case PIO_CELL_TRI6:
    case PIO_CELL_QUAD4:
    case PIO_CELL_QUAD8:
    case PIO_CELL_QUAD9:
        return 2;
    default:
        return 3;
    }
}

/* Place of node `node` of the part-th cell of kind `type` that a block cell is made of. */
static inline void block_place(int type, int part, int node, int out[3])
{
    const int d = block_dimension(type);
    const int8_t(*corner)[3] = d == 3 ? block_hex : block_quad;
    const bool simplex =
        type == PIO_CELL_TRI3 || type == PIO_CELL_TRI6 || type == PIO_CELL_TET4 || type == PIO_CELL_TET10;
    for (int k = 0; k < 3; k++) {
        if (!simplex) {
            out[k] = corner[node][k];
        } else {
            const int8_t *own = d == 3 ? block_tets[part] : block_triangles[part];
            const int a = node <= d ? node : block_edges[node - d - 1][0],
                      b = node <= d ? node : block_edges[node - d - 1][1];
            out[k] = (corner[own[a]][k] + corner[own[b]][k]) / 2;
        }
    }
}

static inline int block_parts(int type)
{
    if (type == PIO_CELL_TRI3 || type == PIO_CELL_TRI6) return 2;
    return type == PIO_CELL_TET4 || type == PIO_CELL_TET10 ? 6 : 1;
}

/* nx x ny (x nz) cells of the unit square or cube, each cut into simplices where the type is one; `bend` moves the
 * points (NULL: not). Points in the middle of faces and cells are there for serendipity cells too, unused. Free it with
 * block_free(). */
static inline block_mesh block_make(int type, int nx, int ny, int nz, void (*bend)(double p[3]))
{
    const int d = block_dimension(type), nodes = pio_cell_nodes(type), parts = block_parts(type);
    const bool quadratic = nodes > 8 || type == PIO_CELL_TRI6 || type == PIO_CELL_QUAD8;
    const int step = quadratic ? 2 : 1, half = quadratic ? 1 : 2, n[3] = {nx, ny, d == 3 ? nz : 1};
    const int64_t w[3] = {step * nx + 1, step * ny + 1, d == 3 ? step * nz + 1 : 1};
    const int64_t cells = (int64_t)n[0] * n[1] * n[2] * parts;
    block_mesh m = {.n = w[0] * w[1] * w[2], .dimension = d};
    m.types = malloc((size_t)cells);
    m.offsets = malloc(((size_t)cells + 1) * sizeof *m.offsets);
    m.connectivity = malloc((size_t)(cells * nodes) * sizeof *m.connectivity);
    m.points = malloc(3 * (size_t)m.n * sizeof *m.points);
    if (!m.types || !m.offsets || !m.connectivity || !m.points) abort();
    for (int64_t i = 0; i < m.n; i++) {
        const int64_t at[3] = {i % w[0], i / w[0] % w[1], i / w[0] / w[1]};
        for (int k = 0; k < 3; k++) m.points[3 * i + k] = w[k] > 1 ? (double)at[k] / (double)(w[k] - 1) : 0;
        if (bend) bend(m.points + 3 * i);
    }
    for (int64_t c = 0; c < cells; c++) {
        const int64_t block = c / parts, at[3] = {block % n[0], block / n[0] % n[1], block / n[0] / n[1]};
        m.types[c] = (uint8_t)type;
        m.offsets[c] = c * nodes;
        for (int j = 0; j < nodes; j++) {
            int place[3];
            int64_t id[3];
            block_place(type, (int)(c % parts), j, place);
            for (int k = 0; k < 3; k++) id[k] = step * at[k] + place[k] / half;
            m.connectivity[c * nodes + j] = (id[2] * w[1] + id[1]) * w[0] + id[0];
        }
    }
    m.offsets[cells] = cells * nodes;
    m.mesh = (pio_snapshot_mesh){cells, m.types, m.offsets, m.connectivity};
    return m;
}

/* Cook's membrane, 48 x 44 to 60 mm. */
static inline void bend_cook(double p[3])
{
    const double x = 0.048 * p[0], low = 0.044 * p[0], high = 0.044 + 0.016 * p[0];
    p[1] = low + (high - low) * p[1];
    p[0] = x;
}

/* A beam of 0.2 x 0.2 x 0.8 m. */
static inline void bend_beam(double p[3])
{
    p[0] = 0.2 * p[0] - 0.1;
    p[1] = 0.2 * p[1] - 0.1;
    p[2] *= 0.8;
}

/* Where the beam's points go when it is twisted by `angle` from foot to top. */
static inline void twist(const double p[3], double angle, double u[3])
{
    const double a = angle * p[2] / 0.8, c = cos(a), s = sin(a);
    u[0] = c * p[0] - s * p[1] - p[0];
    u[1] = s * p[0] + c * p[1] - p[1];
    u[2] = 0;
}

#endif
