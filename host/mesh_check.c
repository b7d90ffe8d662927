/* mesh_check.c -- sizes and shapes: box, volumes, Jacobians, coincident nodes. */
#include "host/mesh_parts.h"

#include "host/fail.h"
#include "host/signals.h"
#include "host/stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below this times (longest edge)^dimension a Jacobian counts as zero. */
#define FLAT 1e-12
#define CHECKING "checking a mesh"
enum { SHOWN = 5 };

/* ---- points where a Jacobian is looked at ------------------------------------------------------------------ */

typedef struct {
    int n;                 /* the nodes of the element, then the points of a rule */
    double weight[2 * 27]; /* 0 at nodes */
    double gradient[2 * 27][PIO_ELEMENT_NODES][3];
} point_set;

static void add_point(point_set *set, pio_element_type type, const double r[3], double weight)
{
    set->weight[set->n] = weight;
    pio_element_gradients(type, r, set->gradient[set->n++]);
}

/* Gauss: exact to degree 2 order - 1 per axis of the Jacobian's (2 order or less): 2 or 3 points per axis. */
static void box_rule(point_set *set, pio_element_type type)
{
    const pio_element *e = &pio_elements[type];
    const double place[2][3] = {{-sqrt(1.0 / 3), sqrt(1.0 / 3)}, {-sqrt(0.6), 0, sqrt(0.6)}};
    const double weight[2][3] = {{1, 1}, {5.0 / 9, 8.0 / 9, 5.0 / 9}};
    const int m = e->order + 1, deep = e->dimension == 3 ? m : 1;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < deep; k++) {
                const double *p = place[e->order - 1], *w = weight[e->order - 1];
                const double r[3] = {p[i], p[j], deep > 1 ? p[k] : 0};
                add_point(set, type, r, w[i] * w[j] * (deep > 1 ? w[k] : 1));
            }
}

/* Exact for the Jacobian of straight (degree 0) and of curved simplices (2 in 2D, 3 in 3D): Zienkiewicz, Taylor, The
 * Finite Element Method vol. 1, tables of numerical integration for triangles and tetrahedra. */
static void simplex_rule(point_set *set, pio_element_type type)
{
    const pio_element *e = &pio_elements[type];
    const int d = e->dimension;
    const double whole = d == 2 ? 0.5 : 1.0 / 6, middle = 1.0 / (d + 1);
    const double centre[3] = {middle, middle, d == 3 ? middle : 0};
    if (e->order == 1) {
        add_point(set, type, centre, whole);
        return;
    }
    if (d == 3) add_point(set, type, centre, -0.8 * whole);
    for (int corner = 0; corner <= d; corner++) {
        double r[3] = {1.0 / 6, 1.0 / 6, d == 3 ? 1.0 / 6 : 0};
        if (corner) r[corner - 1] = d == 3 ? 0.5 : 2.0 / 3;
        add_point(set, type, r, (d == 3 ? 0.45 : 1.0 / 3) * whole);
    }
}

static void make_points(point_set *set, pio_element_type type)
{
    const pio_element *e = &pio_elements[type];
    const bool simplex = e->corners == e->dimension + 1;
    memset(set, 0, sizeof *set);
    for (int a = 0; a < e->nodes && !(simplex && e->order == 1); a++) add_point(set, type, e->place[a], 0);
    if (simplex)
        simplex_rule(set, type);
    else
        box_rule(set, type);
}

/* ---- one cell ---------------------------------------------------------------------------------------------- */

typedef struct {
    double volume, least, most; /* Jacobians over the points */
    double edge_min, edge_max;
    double shape; /* least over the points */
} cell_shape;

static double jacobian(const double (*gradient)[3], int dimension, int nodes, const double (*x)[3], double J[3][3])
{
    memset(J, 0, 9 * sizeof J[0][0]);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < dimension; i++)
            for (int j = 0; j < dimension; j++) J[i][j] += x[a][i] * gradient[a][j];
    if (dimension == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
    return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
           J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/* Inverse of the map from the reference element to the ideal one: a simplex of equal edges; of the others the reference element is
 * a square, a cube. */
static const double to_ideal[2][3][3] = {
    {{1, -0.57735026918962576, 0}, {0, 1.1547005383792515, 0}, {0, 0, 1}}, /* 1/sqrt(3), 2/sqrt(3) */
    {{1, -0.57735026918962576, -0.40824829046386302},                      /* 1/sqrt(3), 1/sqrt(6) */
     {0, 1.1547005383792515, -0.40824829046386302},
     {0, 0, 1.2247448713915890}}}; /* sqrt(3/2) */

/* Mean ratio of the map S from the ideal element to this one, d det(S)^(2/d)/|S|^2 (Knupp 2001, SIAM J. Sci. Comput. 23, 193;
 * Liu and Joe 1994, BIT 34, 268): 1 where S turns and scales, 0 where it flattens; neither size nor order of nodes matters. `det`:
 * of J, above zero or 0. */
static double mean_ratio(const double J[3][3], double det, const pio_element *e)
{
    const int d = e->dimension, simplex = e->corners == d + 1;
    double square = 0, ideal = 1;
    if (!(det > 0)) return 0;
    for (int j = 0; simplex && j < d; j++) ideal *= to_ideal[d - 2][j][j];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double s = simplex ? 0 : J[i][j];
            for (int k = 0; simplex && k <= j; k++) s += J[i][k] * to_ideal[d - 2][k][j];
            square += s * s;
        }
    return d * pow(det * ideal, 2.0 / d) / square;
}

/* Places relative to the first node: no bits are lost far from the origin. */
static cell_shape shape_of(const pio_mesh *mesh, pio_element_type type, const int32_t *nodes, const point_set *set)
{
    const pio_element *e = &pio_elements[type];
    double x[PIO_ELEMENT_NODES][3];
    double J[3][3];
    cell_shape s = {0, INFINITY, -INFINITY, INFINITY, 0, INFINITY};
    for (int a = 0; a < e->nodes; a++)
        for (int i = 0; i < 3; i++)
            x[a][i] = mesh->x[3 * (size_t)nodes[a] + (size_t)i] - mesh->x[3 * (size_t)nodes[0] + (size_t)i];
    for (int p = 0; p < set->n; p++) {
        const double det = jacobian(set->gradient[p], e->dimension, e->nodes, (const double(*)[3])x, J);
        s.shape = fmin(s.shape, mean_ratio((const double(*)[3])J, det, e));
        s.volume += set->weight[p] * det;
        s.least = fmin(s.least, det);
        s.most = fmax(s.most, det);
    }
    for (int m = 0; m < e->edges; m++) {
        const double *a = x[e->edge[m][0]], *b = x[e->edge[m][1]];
        const double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        s.edge_min = fmin(s.edge_min, length);
        s.edge_max = fmax(s.edge_max, length);
    }
    return s;
}

void pio_mesh_cell_volumes(const pio_mesh *mesh, double *volume)
{
    point_set set;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        const pio_mesh_block *b = &mesh->block[t];
        const pio_element *e = &pio_elements[t];
        if (e->dimension != mesh->dimension || !b->n) continue;
        make_points(&set, (pio_element_type)t);
        for (int32_t c = 0; c < b->n; c++)
            volume[b->first + c] =
                shape_of(mesh, (pio_element_type)t, b->nodes + (size_t)c * (size_t)e->nodes, &set).volume;
    }
}

/* ---- all cells --------------------------------------------------------------------------------------------- */

enum { REVERSED, EMPTY, TANGLED, FAULTS };

typedef struct {
    int64_t n[FAULTS];
    int32_t first[FAULTS][SHOWN];
} shape_faults;

/* Called for every cell; sums go to `quality`, faults to `faults` (may be NULL). Ends early where the program is to stop. */
static void look_at_cells(const pio_mesh *mesh, pio_mesh_quality *quality, shape_faults *faults)
{
    point_set set;
    *quality = (pio_mesh_quality){INFINITY, 0, INFINITY, -INFINITY, 0, 1, INFINITY, -1, 0};
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        const pio_mesh_block *b = &mesh->block[t];
        const pio_element *e = &pio_elements[t];
        if (e->dimension != mesh->dimension || !b->n) continue;
        make_points(&set, (pio_element_type)t);
        for (int32_t c = 0; c < b->n; c++) {
            if ((c & 1023) == 1023 && pio_interrupted()) return;
            const cell_shape s = shape_of(mesh, (pio_element_type)t, b->nodes + (size_t)c * (size_t)e->nodes, &set);
            const double flat = FLAT * pow(s.edge_max, e->dimension);
            quality->edge_min = fmin(quality->edge_min, s.edge_min);
            quality->edge_max = fmax(quality->edge_max, s.edge_max);
            quality->cell_min = fmin(quality->cell_min, s.volume);
            quality->cell_max = fmax(quality->cell_max, s.volume);
            quality->jacobian_ratio = fmin(quality->jacobian_ratio, s.most > 0 ? s.least / s.most : -1);
            quality->volume += s.volume;
            quality->slivers += s.shape < PIO_MESH_SLIVER;
            if (s.shape < quality->shape) {
                quality->shape = s.shape;
                quality->worst = b->first + c;
            }
            if (!faults || s.least > flat) continue;
            const int fault = s.most < -flat ? REVERSED : fabs(s.volume) <= flat ? EMPTY : TANGLED;
            if (faults->n[fault] < SHOWN) faults->first[fault][faults->n[fault]] = b->first + c;
            faults->n[fault]++;
        }
    }
}

void pio_mesh_measure(const pio_mesh *mesh, pio_mesh_quality *out)
{
    look_at_cells(mesh, out, NULL);
}

static const char *advice(const pio_mesh *mesh, int fault)
{
    if (mesh->built) return "use other sizes or more cells";
    switch (fault) {
    case REVERSED:
        return mesh->dimension == 2
                   ? "nodes must go counter-clockwise: in Gmsh, 'ReverseMesh Surface{...};' or Reverse the curve loop"
                   : "the order of nodes is mirrored: in Gmsh, 'gmsh.model.mesh.reverse()' turns the elements of a "
                     "volume";
    case EMPTY:
        return "remove coincident nodes ('Coherence Mesh;') or mesh again with 'gmsh -optimize'";
    default:
        return "the element folds over itself: mesh finer, or with 'gmsh -optimize' (second order: 'gmsh "
               "-optimize_ho')";
    }
}

static piola_status tell_faults(const pio_mesh *mesh, const shape_faults *faults, piola_error *error)
{
    static const char *const what[FAULTS] = {"negative volume (inverted)", "zero volume",
                                             "a Jacobian that is not positive everywhere"};
    char list[200];
    int at = 0, fault = 0;
    while (fault < FAULTS && !faults->n[fault]) fault++;
    if (fault == FAULTS) return PIOLA_OK;
    for (int i = 0; i < SHOWN && i < faults->n[fault]; i++) {
        pio_element_type type;
        const int32_t cell = faults->first[fault][i];
        pio_mesh_element(mesh, cell, &type);
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%lld (%s)", i ? ", " : "",
                       (long long)pio_mesh_element_tag(mesh, cell), pio_elements[type].name);
    }
    return pio_mesh_fail(mesh, error, "%lld of %d elements have %s: element %s%s; %s", (long long)faults->n[fault],
                         mesh->n_cells, what[fault], list, faults->n[fault] > SHOWN ? ", ..." : "",
                         advice(mesh, fault));
}

static void warn_slivers(pio_mesh *mesh, const pio_mesh_quality *q)
{
    pio_element_type type;
    if (!q->slivers) return;
    pio_mesh_element(mesh, q->worst, &type);
    pio_mesh_warn(
        mesh,
        "%lld of %d elements are nearly flat or long, with a shape below %g (1: ideal, 0: flat), the worst with %.2g: "
        "element %lld (%s); they make results poor and solves slow",
        (long long)q->slivers, mesh->n_cells, PIO_MESH_SLIVER, q->shape,
        (long long)pio_mesh_element_tag(mesh, q->worst), pio_elements[type].name);
}

/* ---- coincident nodes --------------------------------------------------------------------------------------- */

typedef struct {
    const pio_mesh *mesh;
    double tolerance, cell; /* m; the cell is a few tolerances wide */
    size_t room;
    int32_t *head, *next; /* chains of the nodes of a hash */
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

/* An earlier node within the tolerance, or -1: looked for in the cells that the ball around x touches. */
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

/* Longer than this a part is as likely to be in millimetres; a factor that was written down is doubted only beyond the others. */
#define LONG 10.0
#define VAST 1e3
#define TINY 1e-6

void pio_mesh_judge_size(pio_mesh *mesh, double scale)
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
    shape_faults faults = {{0}, {{0}}};
    pio_mesh_quality quality;
    double extent = 0;
    if (mesh->n_nodes > INT32_MAX / 3)
        return pio_mesh_fail(mesh, error, "%d nodes; at most %d can be numbered (3 numbers each)", mesh->n_nodes,
                             INT32_MAX / 3);
    for (int a = 0; a < 3; a++) {
        mesh->low[a] = mesh->high[a] = mesh->x[a];
        for (int32_t i = 1; i < mesh->n_nodes; i++) {
            mesh->low[a] = fmin(mesh->low[a], mesh->x[3 * (size_t)i + (size_t)a]);
            mesh->high[a] = fmax(mesh->high[a], mesh->x[3 * (size_t)i + (size_t)a]);
        }
        extent = fmax(extent, mesh->high[a] - mesh->low[a]);
    }
    look_at_cells(mesh, &quality, &faults);
    piola_status status = pio_stop(CHECKING, error);
    if (!status) status = tell_faults(mesh, &faults, error);
    if (status) return status;
    mesh->volume = quality.volume;
    warn_slivers(mesh, &quality);
    if (mesh->built) return PIOLA_OK;
    status = warn_coincident(mesh, extent, error);
    return status ? status : pio_stop(CHECKING, error);
}
