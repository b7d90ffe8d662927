/* mesh_sort.c -- sorts a raw mesh: its dimension, the nodes and elements that are used, copies of elements, numbers. */
#include "host/base/fail.h"
#include "host/mesh/mesh_parts.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool used(const pio_raw_mesh *raw, int dimension)
{
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++)
        if (pio_elements[t].dimension == dimension && raw->block[t].n) return true;
    return false;
}

/* Marks the nodes of cells, with one byte per node. */
static void mark_cells(const pio_raw_mesh *raw, int dimension, uint8_t *mark)
{
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        if (pio_elements[t].dimension != dimension) continue;
        const int64_t n = raw->block[t].n * pio_elements[t].nodes;
        for (int64_t i = 0; i < n; i++) mark[raw->block[t].nodes[i]] = 1;
    }
}

/* Checks, in 2D, that the marked nodes lie in z = 0. */
static piola_status flatten(pio_mesh *mesh, const uint8_t *mark, piola_error *error)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        for (int a = 0; a < 3 && mark[i]; a++) {
            low[a] = fmin(low[a], mesh->x[3 * (size_t)i + (size_t)a]);
            high[a] = fmax(high[a], mesh->x[3 * (size_t)i + (size_t)a]);
        }
    const double most = 1e-9 * fmax(high[0] - low[0], high[1] - low[1]);
    if (!(low[2] >= -most && high[2] <= most)) {
        if (high[2] - low[2] <= most)
            return pio_mesh_fail(
                mesh, error,
                "a plane mesh at z = %g; a 2D mesh must lie in z = 0, and a 3D one needs tetrahedra or hexahedra",
                low[2]);
        return pio_mesh_fail(mesh, error,
                             "no tetrahedra or hexahedra, and the surface elements do not lie in z = 0 (z from %g to "
                             "%g); mesh the volume (gmsh -3) and save it: give it a physical volume",
                             low[2], high[2]);
    }
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        if (mark[i]) mesh->x[3 * (size_t)i + 2] = 0;
    return PIOLA_OK;
}

/* ---- what is left out -------------------------------------------------------------------------------------- */

/* Leaves out facets, edges and points with a node of no cell; it is an error if they are in a group. */
static piola_status leave_out(pio_raw_mesh *raw, const uint8_t *mark, piola_error *error)
{
    int64_t lost = 0;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        pio_raw_block *b = &raw->block[t];
        const int nodes = pio_elements[t].nodes;
        if (pio_elements[t].dimension == raw->mesh.dimension) continue; /* cells */
        for (int64_t i = 0; i < b->n; i++) {
            const int32_t *of = b->nodes + i * nodes;
            int a = 0;
            while (a < nodes && mark[of[a]]) a++;
            if (a == nodes) continue;
            if (b->set[i] >= 0 && raw->sets[b->set[i]].n)
                return pio_mesh_fail(&raw->mesh, error,
                                     "element %lld (%s) of group '%s' has node %lld, which belongs to no %s; a group "
                                     "must lie on the mesh of the body",
                                     (long long)b->tag[i], pio_elements[t].name,
                                     raw->mesh.groups[raw->sets[b->set[i]].group[0]].name,
                                     (long long)raw->mesh.node_tag[of[a]],
                                     raw->mesh.dimension == 2 ? "triangle or quadrangle" : "tetrahedron or hexahedron");
            b->into[i] = -1;
            lost++;
        }
    }
    if (lost) pio_mesh_warn(&raw->mesh, "%lld elements of no group that touch no cell are left out", (long long)lost);
    return PIOLA_OK;
}

/* Removes nodes without a mark, the others keep their order; number[old] = new or -1. A mesh that was built is numbered
 * anew: of its lattice, serendipity elements use some points alone. */
static void compact_nodes(pio_mesh *mesh, const uint8_t *mark, int32_t *number)
{
    int32_t n = 0;
    int64_t first = 0; /* first node that is removed */
    for (int32_t i = 0; i < mesh->n_nodes; i++) {
        number[i] = mark[i] ? n : -1;
        if (!mark[i] && !first) first = mesh->node_tag[i];
        if (!mark[i]) continue;
        if (n == i) {
            n++;
            continue;
        }
        memmove(mesh->x + 3 * (size_t)n, mesh->x + 3 * (size_t)i, 3 * sizeof *mesh->x);
        mesh->node_tag[n] = mesh->built ? n + 1 : mesh->node_tag[i];
        n++;
    }
    if (n < mesh->n_nodes && !mesh->built)
        pio_mesh_warn(mesh, "%d nodes of no cell are left out, the first is node %lld", mesh->n_nodes - n,
                      (long long)first);
    mesh->n_nodes = n;
}

/* ---- what occurs twice ------------------------------------------------------------------------------------- */

#define SORTING "putting a mesh in order"

typedef struct {
    const pio_raw_block *block;
    int nodes, corners;
} repeat_context;

static void sorted_corners(const repeat_context *c, int32_t element, int32_t key[8])
{
    const int32_t *of = c->block->nodes + (size_t)element * (size_t)c->nodes;
    for (int a = 0; a < c->corners; a++) {
        int i = a;
        for (; i > 0 && key[i - 1] > of[a]; i--) key[i] = key[i - 1];
        key[i] = of[a];
    }
}

static int same_corners(const repeat_context *c, int32_t one, int32_t other)
{
    int32_t x[8], y[8];
    sorted_corners(c, one, x);
    sorted_corners(c, other, y);
    for (int a = 0; a < c->corners; a++)
        if (x[a] != y[a]) return x[a] < y[a] ? -1 : 1;
    return 0;
}

static int by_corners(const void *a, const void *b, void *context)
{
    const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    const int order = same_corners(context, one, other);
    return order ? order : (one > other) - (one < other);
}

/* Merges neighbours in `order` with the same corners, which are one element: the later into the earlier. */
static piola_status merge(pio_raw_mesh *raw, int type, const int32_t *order, piola_error *error)
{
    pio_raw_block *b = &raw->block[type];
    const repeat_context c = {b, pio_elements[type].nodes, pio_elements[type].corners};
    for (int64_t i = 1, first = 0; i < b->n; i++) {
        if (same_corners(&c, order[first], order[i]) != 0) {
            first = i;
            continue;
        }
        const int32_t one = order[first], other = order[i];
        if (!raw->repeats || b->set[one] < 0 || b->set[other] < 0 || b->set[one] == b->set[other])
            return pio_mesh_fail(
                &raw->mesh, error,
                "elements %lld and %lld (%s) have the same nodes; every element may be given only once%s",
                (long long)b->tag[one], (long long)b->tag[other], pio_elements[type].name,
                raw->repeats ? " in a group" : "");
        if (b->into[one] >= 0) b->into[other] = one;
    }
    return PIOLA_OK;
}

/* Returns a hash of the set of corners, whatever their order. */
static uint64_t hash_of_corners(const int32_t *of, int corners)
{
    uint64_t h = 0;
    for (int a = 0; a < corners; a++) {
        uint64_t x =
            (uint64_t)(uint32_t)of[a] * UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea and Flood 2014) */
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        h += x ^ x >> 27;
    }
    return h;
}

/* Returns in *may whether two elements of this type may have the same corners, by their hashes, sorted by the least
 * corner, so that few are compared. */
static piola_status may_repeat(const pio_raw_mesh *raw, int type, bool *may, piola_error *error)
{
    const pio_raw_block *b = &raw->block[type];
    const int nodes = pio_elements[type].nodes, corners = pio_elements[type].corners;
    const size_t n_nodes = (size_t)raw->mesh.n_nodes, n = (size_t)b->n, bytes = n * 8 + (n_nodes + 2) * 4;
    uint64_t *hash = malloc(bytes);
    if (!hash) return pio_fail_memory(error, bytes, "a search for duplicate elements");
    int32_t *start = memset(hash + n, 0, (n_nodes + 2) * 4);
    piola_status status = PIOLA_OK;
    for (int pass = 0; !status && pass < 2; pass++) {
        for (int64_t e = 0; !status && e < b->n; e++) {
            const int32_t *of = b->nodes + e * nodes;
            int32_t least = of[0];
            for (int a = 1; a < corners; a++) least = of[a] < least ? of[a] : least;
            if (pass == 0)
                start[least + 2]++;
            else
                hash[start[least + 1]++] = hash_of_corners(of, corners);
            status = pio_stop_at(e, SORTING, error);
        }
        for (size_t i = 2; pass == 0 && i < n_nodes + 2; i++) start[i] += start[i - 1];
    }
    *may = false;
    for (size_t i = 0; !status && !*may && i < n_nodes; i++) {
        enum { FEW = 512 }; /* elements around one node */
        *may = start[i + 1] - start[i] > FEW;
        for (int32_t j = start[i]; !*may && j < start[i + 1]; j++)
            for (int32_t k = start[i]; k < j; k++) *may |= hash[k] == hash[j];
        status = pio_stop_at((int64_t)i, SORTING, error);
    }
    free(hash);
    return status;
}

/* Sorts elements by their least corner, then by all corners, so that only neighbours can be equal. */
static piola_status find_repeats(pio_raw_mesh *raw, int type, piola_error *error)
{
    pio_raw_block *b = &raw->block[type];
    repeat_context c = {b, pio_elements[type].nodes, pio_elements[type].corners};
    const size_t n_nodes = (size_t)raw->mesh.n_nodes, bytes = (n_nodes + 2 + (size_t)b->n) * sizeof(int32_t);
    int32_t *start = calloc(1, bytes), *order = start + n_nodes + 2, key[8];
    if (!start) return pio_fail_memory(error, bytes, "a search for duplicate elements");
    for (int32_t e = 0; e < b->n; e++) {
        sorted_corners(&c, e, key);
        start[key[0] + 2]++;
    }
    for (size_t i = 2; i < n_nodes + 2; i++) start[i] += start[i - 1];
    for (int32_t e = 0; e < b->n; e++) {
        sorted_corners(&c, e, key);
        order[start[key[0] + 1]++] = e;
    }
    piola_status status = PIOLA_OK;
    for (size_t i = 0; !status && i < n_nodes; i++) {
        const size_t n = (size_t)(start[i + 1] - start[i]);
        if (n > 1) status = pio_stop_sort(order + start[i], n, sizeof *order, by_corners, &c, SORTING, error);
    }
    if (!status) status = merge(raw, type, order, error);
    free(start);
    return status;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

/* Keeps elements whose `into` is their own number; `into` becomes the new number. The arrays move to the mesh. `same`:
 * nodes keep their numbers. */
static void compact_elements(pio_raw_mesh *raw, int type, const int32_t *number, bool same)
{
    pio_raw_block *b = &raw->block[type];
    const size_t nodes = (size_t)pio_elements[type].nodes;
    int32_t n = 0;
    while (same && n < b->n && b->into[n] == n) n++; /* these do not change */
    for (int32_t e = n; e < b->n; e++) {
        if (b->into[e] < 0) continue;
        if (b->into[e] != e) {
            b->into[e] = b->into[b->into[e]];
            continue;
        }
        b->tag[n] = b->tag[e];
        for (size_t a = 0; a < nodes; a++) b->nodes[(size_t)n * nodes + a] = number[b->nodes[(size_t)e * nodes + a]];
        b->into[e] = n++;
    }
    raw->mesh.block[type] = (pio_mesh_block){.n = n, .nodes = b->nodes, .tag = b->tag};
    b->nodes = NULL;
    b->tag = NULL;
}

static piola_status number_blocks(pio_mesh *mesh, piola_error *error)
{
    int64_t n = 0;
    for (int dimension = mesh->dimension; dimension >= 0; dimension--) {
        for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
            if (pio_elements[t].dimension != dimension) continue;
            mesh->block[t].first = (int32_t)n;
            n += mesh->block[t].n;
            if (n > INT32_MAX) return pio_mesh_fail(mesh, error, "more than 2147483647 elements; use a coarser mesh");
        }
        if (dimension == mesh->dimension) mesh->n_cells = (int32_t)n;
        if (dimension == mesh->dimension - 1) mesh->n_facets = (int32_t)n - mesh->n_cells;
    }
    mesh->n_elements = (int32_t)n;
    return PIOLA_OK;
}

static piola_status sort_with(pio_raw_mesh *raw, uint8_t *mark, int32_t *number, piola_error *error)
{
    pio_mesh *mesh = &raw->mesh;
    mark_cells(raw, mesh->dimension, mark);
    piola_status status = mesh->dimension == 2 ? flatten(mesh, mark, error) : PIOLA_OK;
    if (!status) status = pio_stop(SORTING, error);
    if (!status) status = leave_out(raw, mark, error);
    if (!status) status = pio_stop(SORTING, error);
    for (int t = 0; t < PIO_ELEMENT_TYPES && !status && !mesh->built; t++) {
        bool may = false;
        if (raw->block[t].n > 1) status = may_repeat(raw, t, &may, error);
        if (!status && may) status = find_repeats(raw, t, error);
    }
    if (status) return status;
    const int32_t before = mesh->n_nodes;
    compact_nodes(mesh, mark, number);
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) compact_elements(raw, t, number, mesh->n_nodes == before);
    status = pio_stop(SORTING, error);
    return status ? status : number_blocks(mesh, error);
}

piola_status pio_raw_sort(pio_raw_mesh *raw, piola_error *error)
{
    pio_mesh *mesh = &raw->mesh;
    mesh->dimension = used(raw, 3) ? 3 : 2;
    if (!used(raw, mesh->dimension))
        return pio_mesh_fail(mesh, error,
                             "no volume elements; a mesh needs tetrahedra or hexahedra, or in 2D triangles or "
                             "quadrangles (in Gmsh they are saved when they are in a physical group)");
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        pio_raw_block *b = &raw->block[t];
        if (b->n > INT32_MAX) return pio_mesh_fail(mesh, error, "more than 2147483647 elements; use a coarser mesh");
        b->into = malloc((size_t)b->n * sizeof *b->into + 1);
        if (!b->into) return pio_fail_memory(error, (size_t)b->n * sizeof *b->into, "numbers of elements");
        for (int32_t i = 0; i < b->n; i++) b->into[i] = i;
    }
    const size_t n = (size_t)mesh->n_nodes;
    uint8_t *mark = calloc(n + 1, 1);
    int32_t *number = malloc(n * sizeof *number + 1);
    const piola_status status =
        mark && number ? sort_with(raw, mark, number, error) : pio_fail_memory(error, 5 * n, "numbers of nodes");
    free(mark);
    free(number);
    return status;
}
