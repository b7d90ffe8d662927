/* level_march.c -- triangles of the zero of a level set on a grid (level.h).
 *
 * Each cell is divided into simplices along its diagonals from its lowest to its highest corner (Kuhn 1960), in 3D six
 * tetrahedra, in 2D two triangles, which fit those of the cells around. A tetrahedron has none, one or two triangles of
 * the surface; of a triangle in 2D, the part inside is kept. Vertices belong to the edge, or in 2D the node, on which
 * they lie, and are shared, so that a surface has no gaps. Cells are taken slab by slab along the last axis, which
 * are counted first, so that vertices and triangles have the same numbers for any number of threads. */
#include "host/render/level_parts.h"
#include "host/base/fail.h"

#include <omp.h>
#include <stdlib.h>

#define THREADS_BYTES ((size_t)1 << 26) /* of the numbers of vertices, from which follows how many threads write */

enum { SLOTS = 8 }; /* of a node: itself, and the seven edges to the corners above, by the bits of their axes */

/* The grid as slabs; in 2D the second axis has one node. */
typedef struct {
    const pio_level *level;
    bool flat;
    int axis[3];    /* x, y or z, of which the last is along the slabs */
    int n[3];       /* nodes along each of these */
    size_t slab;    /* nodes of a slab */
    uint32_t *base; /* [n[2] + 1][2] number of the first vertex and triangle of each slab */
    pio_level_surface *surface;
} marcher;

/* What one thread holds: the numbers of the vertices of two slabs. */
typedef struct {
    const marcher *m;
    int slab;
    uint32_t *number[2]; /* [nodes of a slab][SLOTS] */
    uint32_t n;          /* triangles so far */
    bool write;          /* they are written, not only counted */
} worker;

static const uint8_t paths_3d[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                       {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 4, 6, 7}};
static const uint8_t paths_2d[2][4] = {{0, 1, 5, 0}, {0, 4, 5, 0}};

static size_t offset(const marcher *m, int corner)
{
    return (size_t)(corner & 1) + (size_t)m->n[0] * (size_t)(corner >> 1 & 1) + m->slab * (size_t)(corner >> 2);
}

static bool inside(const marcher *m, size_t node)
{
    return m->level->phi[node] < 0;
}

/* ---- vertices -------------------------------------------------------------------------------------------- */

/* Writes the vertex on the edge from `node` by `slot`. */
static void write_vertex(const marcher *m, size_t node, int slot, pio_level_vertex *out)
{
    const size_t in_slab = node % m->slab;
    const int at[3] = {(int)(in_slab % (size_t)m->n[0]), (int)(in_slab / (size_t)m->n[0]), (int)(node / m->slab)};
    const double a = (double)m->level->phi[node], b = (double)m->level->phi[node + offset(m, slot)];
    const double t = slot == 0 ? 0 : a / (a - b);
    double place[3];
    for (int k = 0; k < 3; k++) place[m->axis[k]] = m->level->cell * (at[k] + (slot >> k & 1 ? t : 0));
    *out = (pio_level_vertex){.place = {(float)place[0], (float)place[1], (float)place[2]}};
}

/* Numbers the vertices of a slab from `first`, into number[][SLOTS] unless that is NULL, and writes them if requested.
 * Returns the number after the last. */
static uint32_t number_vertices(const marcher *m, int slab, uint32_t first, uint32_t *number, bool write)
{
    const int last = slab + 1 == m->n[2];
    for (size_t i = 0; i < m->slab; i++) {
        const size_t node = (size_t)slab * m->slab + i;
        const bool here = inside(m, node), right = (int)(i % (size_t)m->n[0]) + 1 == m->n[0];
        const bool back = (int)(i / (size_t)m->n[0]) + 1 == m->n[1];
        for (int slot = 0; slot < SLOTS; slot++) {
            const bool beyond = ((slot & 1) && right) || ((slot & 2) && back) || ((slot & 4) && last);
            const bool there = slot == 0 ? m->flat && here : !beyond && inside(m, node + offset(m, slot)) != here;
            if (!there) continue;
            if (number != NULL) number[i * SLOTS + (size_t)slot] = first;
            if (write) write_vertex(m, node, slot, &m->surface->vertex[first]);
            first++;
        }
    }
    return first;
}

/* ---- triangles ------------------------------------------------------------------------------------------- */

/* Returns the vertex on the edge between two corners of a simplex at this node of the slab, or at a corner. */
static uint32_t vertex_of(const worker *w, size_t node, int a, int b)
{
    const int low = a & b, slot = a ^ b;
    return w->number[low >> 2][(node + offset(w->m, low & 3)) * SLOTS + (size_t)slot];
}

/* Adds a triangle; `odd` ones have the other orientation. */
static void emit(worker *w, bool odd, uint32_t a, uint32_t b, uint32_t c)
{
    if (w->write) {
        uint32_t *out = w->m->surface->triangle[w->m->base[2 * w->slab + 1] + w->n];
        out[0] = a;
        out[1] = odd ? c : b;
        out[2] = odd ? b : c;
    }
    w->n++;
}

/* Returns whether an order of four numbers is an odd permutation. */
static bool is_odd(const int order[4], int n)
{
    int swaps = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) swaps += order[i] > order[j];
    return swaps % 2 != 0;
}

/* Cuts one tetrahedron. Those of odd paths are mirrored. */
static void cut_tetrahedron(worker *w, size_t node, const uint8_t path[4], bool mirrored)
{
    int order[4], n = 0, all = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < 4; v++)
            if (inside(w->m, (size_t)w->slab * w->m->slab + node + offset(w->m, path[v])) == (pass == 0))
                order[all++] = v, n += pass == 0;
    if (n == 0 || n == 4) return;
    if (!w->write) {
        w->n += n == 2 ? 2 : 1;
        return;
    }
    const bool odd = is_odd(order, 4) != mirrored;
    const int a = path[order[0]], b = path[order[1]], c = path[order[2]], d = path[order[3]];
    if (n == 1) {
        emit(w, odd, vertex_of(w, node, a, b), vertex_of(w, node, a, c), vertex_of(w, node, a, d));
    } else if (n == 3) {
        emit(w, odd, vertex_of(w, node, a, d), vertex_of(w, node, b, d), vertex_of(w, node, c, d));
    } else {
        const uint32_t ac = vertex_of(w, node, a, c), bd = vertex_of(w, node, b, d);
        emit(w, odd, ac, vertex_of(w, node, a, d), bd);
        emit(w, odd, ac, bd, vertex_of(w, node, b, c));
    }
}

/* Keeps the part of a triangle that is inside. */
static void cut_triangle(worker *w, size_t node, const uint8_t path[4], bool mirrored)
{
    int order[4], n = 0, all = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < 3; v++)
            if (inside(w->m, (size_t)w->slab * w->m->slab + node + offset(w->m, path[v])) == (pass == 0))
                order[all++] = v, n += pass == 0;
    if (n == 0) return;
    if (!w->write) {
        w->n += n == 2 ? 2 : 1;
        return;
    }
    const bool odd = is_odd(order, 3) != mirrored;
    const int a = path[order[0]], b = path[order[1]], c = path[order[2]];
    if (n == 3) {
        emit(w, odd, vertex_of(w, node, a, a), vertex_of(w, node, b, b), vertex_of(w, node, c, c));
    } else if (n == 1) {
        emit(w, odd, vertex_of(w, node, a, a), vertex_of(w, node, a, b), vertex_of(w, node, a, c));
    } else {
        emit(w, odd, vertex_of(w, node, a, a), vertex_of(w, node, b, b), vertex_of(w, node, b, c));
        emit(w, odd, vertex_of(w, node, a, a), vertex_of(w, node, b, c), vertex_of(w, node, a, c));
    }
}

/* Cuts the cells between a slab and the next. */
static void cut_slab(worker *w)
{
    const marcher *m = w->m;
    for (int j = 0; j + 1 < m->n[1] || (m->flat && j == 0); j++) {
        for (int i = 0; i + 1 < m->n[0]; i++) {
            const size_t node = (size_t)j * (size_t)m->n[0] + (size_t)i, low = (size_t)w->slab * m->slab + node;
            int count = 0;
            for (int c = 0; c < 8; c++) count += (!m->flat || !(c & 2)) && inside(m, low + offset(m, c));
            if (count == 0 || (count == 8 && !m->flat)) continue;
            for (int p = 0; p < 2 && m->flat; p++) cut_triangle(w, node, paths_2d[p], p == 1);
            for (int p = 0; p < 6 && !m->flat; p++) cut_tetrahedron(w, node, paths_3d[p], p >= 3);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Counts vertices and triangles of each slab, and sums them up. Returns the number of triangles, of which there may be
 * more than can be numbered. */
static size_t count(const marcher *m)
{
#pragma omp parallel for num_threads(m->level->set->threads) schedule(dynamic, 1)
    for (int slab = 0; slab < m->n[2]; slab++) {
        worker w = {.m = m, .slab = slab};
        if (slab + 1 < m->n[2]) cut_slab(&w);
        m->base[2 * slab] = number_vertices(m, slab, 0, NULL, false);
        m->base[2 * slab + 1] = w.n;
    }
    size_t sum[2] = {0, 0};
    for (int slab = 0; slab <= m->n[2]; slab++) {
        for (int c = 0; c < 2; c++) {
            const size_t own = slab < m->n[2] ? m->base[2 * slab + c] : 0;
            m->base[2 * slab + c] = (uint32_t)sum[c];
            sum[c] += own;
        }
    }
    return sum[1];
}

/* Writes all. Returns false without memory for the numbers of vertices. */
static bool write(const marcher *m)
{
    const size_t numbers = m->slab * SLOTS, fitting = THREADS_BYTES / (2 * numbers * sizeof(uint32_t));
    const int most = m->level->set->threads;
    const int threads = fitting < (size_t)most ? (fitting > 1 ? (int)fitting : 1) : most;
    uint32_t *number = malloc((size_t)threads * 2 * numbers * sizeof *number);
    if (number == NULL) return false;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int slab = 0; slab < m->n[2]; slab++) {
        uint32_t *own = number + 2 * numbers * (size_t)omp_get_thread_num();
        worker w = {.m = m, .slab = slab, .number = {own, own + numbers}, .write = true};
        number_vertices(m, slab, m->base[2 * slab], own, true);
        if (slab + 1 == m->n[2]) continue;
        number_vertices(m, slab + 1, m->base[2 * slab + 2], own + numbers, false);
        cut_slab(&w);
    }
    free(number);
    return true;
}

piola_status pio_level_march(const pio_level *l, size_t most, pio_level_surface *s, piola_error *error)
{
    marcher m = {.level = l, .flat = l->set->dimension == 2};
    for (int k = 0; k < 3; k++) {
        m.axis[k] = l->axis[k];
        m.n[k] = l->nodes[l->axis[k]];
    }
    m.slab = (size_t)m.n[0] * (size_t)m.n[1];
    m.surface = s;
    m.base = malloc(((size_t)m.n[2] + 1) * 2 * sizeof *m.base);
    if (m.base == NULL) return pio_fail_memory(error, (size_t)m.n[2] * 8, "the surface of particles");
    s->n = count(&m);
    s->n_vertices = m.base[2 * m.n[2]];
    if (s->n > most || s->n == 0) {
        free(m.base);
        s->n_vertices = 0;
        return PIOLA_OK;
    }
    s->vertex = malloc(s->n_vertices * sizeof *s->vertex);
    s->triangle = malloc(s->n * sizeof *s->triangle);
    const bool whole = s->vertex != NULL && s->triangle != NULL && write(&m);
    free(m.base);
    if (whole) return PIOLA_OK;
    return pio_fail_memory(error, s->n_vertices * sizeof *s->vertex + s->n * sizeof *s->triangle, "a surface");
}
