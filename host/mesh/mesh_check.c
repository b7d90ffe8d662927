/* mesh_check.c -- checks of a mesh's sizes and shapes: box, invalid cells, coincident nodes. */
#include "host/mesh/mesh_parts.h"

#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKING "checking a mesh"

static const char *advice(const pio_mesh *mesh, int fault)
{
    if (mesh->built) return "use other sizes or more cells";
    switch (fault) {
    case PIO_INVERTED:
        return mesh->dimension == 2
                   ? "nodes must go counter-clockwise: in Gmsh, 'ReverseMesh Surface{...};' or Reverse the curve loop"
                   : "the order of nodes is mirrored: in Gmsh, 'gmsh.model.mesh.reverse()' turns the elements of a "
                     "volume";
    case PIO_EMPTY:
        return "remove coincident nodes ('Coherence Mesh;') or mesh again with 'gmsh -optimize'";
    default:
        return "the element folds over itself: mesh finer, or with 'gmsh -optimize' (second order: 'gmsh "
               "-optimize_ho')";
    }
}

static piola_status report_faults(const pio_mesh *mesh, const pio_shape_faults *faults, piola_error *error)
{
    static const char *const what[PIO_FAULTS] = {"negative volume (inverted)", "zero volume",
                                                 "a Jacobian that is not positive everywhere"};
    char list[200];
    int at = 0, fault = 0;
    while (fault < PIO_FAULTS && !faults->n[fault]) fault++;
    if (fault == PIO_FAULTS) return PIOLA_OK;
    for (int i = 0; i < PIO_FAULTS_SHOWN && i < faults->n[fault]; i++) {
        pio_element_type type;
        const int32_t cell = faults->first[fault][i];
        pio_mesh_element(mesh, cell, &type);
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%lld (%s)", i ? ", " : "",
                       (long long)pio_mesh_element_tag(mesh, cell), pio_elements[type].name);
    }
    return pio_mesh_fail(mesh, error, "%lld of %d elements have %s: element %s%s; %s", (long long)faults->n[fault],
                         mesh->n_cells, what[fault], list, faults->n[fault] > PIO_FAULTS_SHOWN ? ", ..." : "",
                         advice(mesh, fault));
}

static void warn_slivers(pio_mesh *mesh, const pio_mesh_quality *q)
{
    pio_element_type type;
    if (!q->slivers) return;
    pio_mesh_element(mesh, q->worst, &type);
    pio_mesh_warn(mesh,
                  "%lld of %d elements are nearly flat or long, with a quality below %g (1: ideal, 0: flat), the worst "
                  "with %.2g: element %lld (%s); they make results poor and solves slow",
                  (long long)q->slivers, mesh->n_cells, PIO_MESH_SLIVER, q->shape,
                  (long long)pio_mesh_element_tag(mesh, q->worst), pio_elements[type].name);
}

/* ---- coincident nodes --------------------------------------------------------------------------------------- */

typedef struct {
    const pio_mesh *mesh;
    double tolerance, cell; /* m; a cell is a few tolerances wide */
    size_t room;
    int32_t *head, *next; /* chains of the nodes with equal hash */
} node_grid;

static size_t grid_slot(const node_grid *g, const int64_t at[3])
{
    uint64_t h = 0;
    for (int a = 0; a < 3; a++) {
        h = (h ^ (uint64_t)at[a]) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 29;
    }
    return (size_t)h & (g->room - 1);
}

/* Returns an earlier node within the tolerance, or -1; it is searched for in the cells that the ball around x overlaps.
 */
static int32_t near_node(const node_grid *g, const double *x)
{
    int64_t low[3], high[3], at[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int64_t)floor((x[a] - g->mesh->low[a] - g->tolerance) / g->cell);
        high[a] = (int64_t)floor((x[a] - g->mesh->low[a] + g->tolerance) / g->cell);
    }
    for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
                for (int32_t i = g->head[grid_slot(g, at)]; i >= 0; i = g->next[i]) {
                    const double *y = g->mesh->x + 3 * (size_t)i;
                    if (fabs(x[0] - y[0]) > 2 * g->tolerance) continue; /* most nodes of a chain lie in other cells */
                    if (hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) <= g->tolerance) return i;
                }
    return -1;
}

static int64_t count_coincident(node_grid *g, int32_t pair[2])
{
    int64_t n = 0;
    for (int32_t i = 0; i < g->mesh->n_nodes; i++) {
        if ((i & 1023) == 1023 && pio_interrupted()) return 0;
        const double *x = g->mesh->x + 3 * (size_t)i;
        const int32_t other = near_node(g, x);
        if (other >= 0) {
            if (n++ == 0) {
                pair[0] = other;
                pair[1] = i;
            }
            continue;
        }
        int64_t at[3];
        for (int a = 0; a < 3; a++) at[a] = (int64_t)floor((x[a] - g->mesh->low[a]) / g->cell);
        const size_t slot = grid_slot(g, at);
        g->next[i] = g->head[slot];
        g->head[slot] = i;
    }
    return n;
}

static piola_status warn_coincident(pio_mesh *mesh, double extent, piola_error *error)
{
    node_grid g = {.mesh = mesh, .tolerance = 1e-9 * extent, .cell = 4e-9 * extent, .room = 16};
    int32_t pair[2] = {0, 0};
    while (g.room < (size_t)mesh->n_nodes) g.room *= 2;
    const size_t bytes = (g.room + (size_t)mesh->n_nodes) * sizeof *g.head;
    g.head = malloc(bytes);
    if (!g.head) return pio_fail_memory(error, bytes, "a search for coincident nodes");
    memset(g.head, 0xff, bytes); /* -1 */
    g.next = g.head + g.room;
    const int64_t n = count_coincident(&g, pair);
    free(g.head);
    if (n)
        pio_mesh_warn(
            mesh,
            "%lld nodes coincide with another (within 1e-9 of the box), the first two are %lld and %lld: the body "
            "is not connected there",
            (long long)n, (long long)mesh->node_tag[pair[0]], (long long)mesh->node_tag[pair[1]]);
    return PIOLA_OK;
}

/* A part longer than this, in m, is as likely to be in millimetres; with an explicit scale, warnings begin only beyond
 * the other limits. */
#define LONG 10.0
#define VAST 1e3
#define TINY 1e-6

void pio_mesh_check_size(pio_mesh *mesh, double scale)
{
    double extent = 0;
    for (int a = 0; a < 3; a++) extent = fmax(extent, mesh->high[a] - mesh->low[a]);
    if (isnan(scale) && extent > LONG) {
        pio_mesh_warn(
            mesh,
            "the box is %g m long: a file's lengths are metres; if these are millimetres, 'scale: 0.001' in a scene's "
            "geometry is right (%g m), if not, 'scale: 1' says so",
            extent, 1e-3 * extent);
        return;
    }
    if (!isnan(scale)) extent *= scale;
    if (extent > VAST) pio_mesh_warn(mesh, "the box is %g m long, after its scale; lengths are in metres", extent);
    if (extent < TINY) pio_mesh_warn(mesh, "the box is only %g m long; lengths are in metres", extent);
}

piola_status pio_mesh_check(pio_mesh *mesh, piola_error *error)
{
    pio_shape_faults faults = {{0}, {{0}}};
    pio_mesh_quality quality;
    double extent = 0;
    if (mesh->n_nodes > INT32_MAX / 3)
        return pio_mesh_fail(mesh, error, "%d nodes; at most %d can be numbered (3 numbers each)", mesh->n_nodes,
                             INT32_MAX / 3);
    for (int a = 0; a < 3; a++) {
        double low = mesh->x[a], high = low;
        for (int32_t i = 1; i < mesh->n_nodes; i++) {
            const double x = mesh->x[3 * (size_t)i + (size_t)a];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        mesh->low[a] = low;
        mesh->high[a] = high;
        extent = fmax(extent, high - low);
    }
    pio_mesh_inspect_cells(mesh, &quality, &faults);
    piola_status status = pio_stop(CHECKING, error);
    if (!status) status = report_faults(mesh, &faults, error);
    if (status) return status;
    mesh->volume = quality.volume;
    warn_slivers(mesh, &quality);
    if (mesh->built) return PIOLA_OK;
    status = warn_coincident(mesh, extent, error);
    return status ? status : pio_stop(CHECKING, error);
}
