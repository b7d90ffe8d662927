/* mesh_cells.c -- volumes, Jacobians, edges and shapes of cells. */
#include "host/mesh/mesh_parts.h"
#include "host/base/signals.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A Jacobian below this times (longest edge)^dimension counts as zero. */
#define FLAT 1e-12

/* ---- points where a Jacobian is evaluated ------------------------------------------------------------------- */

typedef struct {
    int n;                 /* number of points: the nodes of the element, then the points of a rule */
    double weight[2 * 27]; /* 0 at nodes */
    double gradient[2 * 27][PIO_ELEMENT_NODES][3];
} point_set;

static void add_point(point_set *set, pio_element_type type, const double r[3], double weight)
{
    set->weight[set->n] = weight;
    pio_element_gradients(type, r, set->gradient[set->n++]);
}

/* Fills Gauss' rule, which is exact to degree 2 order - 1 per axis of the Jacobian's (2 order or less): 2 or 3 points
 * per axis. */
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

/* Fills a rule that is exact for the Jacobian of straight (degree 0) and of curved simplices (2 in 2D, 3 in 3D):
 * Zienkiewicz, Taylor, The Finite Element Method vol. 1, tables of numerical integration for triangles and tetrahedra.
 */
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

#define INLINE static inline __attribute__((always_inline))

INLINE double jacobian(const double (*gradient)[3], int dimension, int nodes, const double (*x)[3], double J[3][3])
{
    memset(J, 0, 9 * sizeof J[0][0]);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < dimension; i++)
            for (int j = 0; j < dimension; j++) J[i][j] += x[a][i] * gradient[a][j];
    if (dimension == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
    return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
           J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/* Inverse of the map from the reference element to the ideal one, a simplex of equal edges; of the others the reference
 * element is a square or a cube. */
static const double to_ideal[2][3][3] = {
    {{1, -0.57735026918962576, 0}, {0, 1.1547005383792515, 0}, {0, 0, 1}}, /* 1/sqrt(3), 2/sqrt(3) */
    {{1, -0.57735026918962576, -0.40824829046386302},                      /* 1/sqrt(3), 1/sqrt(6) */
     {0, 1.1547005383792515, -0.40824829046386302},
     {0, 0, 1.2247448713915890}}}; /* sqrt(3/2) */

/* Returns the determinant of the map to the ideal element, and |S|^2 of the map S from it. */
INLINE double ideal_of(int d, bool simplex)
{
    double ideal = 1;
    for (int j = 0; simplex && j < d; j++) ideal *= to_ideal[d - 2][j][j];
    return ideal;
}

INLINE double square_of(const double J[3][3], int d, bool simplex)
{
    double square = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double s = simplex ? 0 : J[i][j];
            for (int k = 0; simplex && k <= j; k++) s += J[i][k] * to_ideal[d - 2][k][j];
            square += s * s;
        }
    return square;
}

/* Returns the mean ratio of the map S from the ideal element to this one, d det(S)^(2/d)/|S|^2 (Knupp 2001, SIAM J.
 * Sci. Comput. 23, 193; Liu and Joe 1994, BIT 34, 268): 1 where S rotates and scales, 0 where it flattens; neither size
 * nor order of nodes matters. `det` is that of J, above zero or 0. */
static double mean_ratio(const double J[3][3], double det, const pio_element *e)
{
    const int d = e->dimension;
    const bool simplex = e->corners == d + 1;
    if (!(det > 0)) return 0;
    return d * pow(det * ideal_of(d, simplex), 2.0 / d) / square_of(J, d, simplex);
}

/* Coordinates are relative to the first node, so that no bits are lost far from the origin. */
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

/* ---- a estimate at one cell ---------------------------------------------------------------------------------- */

/* An estimate of a cell that needs no roots. For most cells it shows that they are neither the best nor the worst in
 * any respect, nor invalid. */
typedef struct {
    double volume, least, most;    /* as in cell_shape */
    double ratio;                  /* the least mean ratio, in 3D its cube */
    double edge_min, edge_max;     /* squares of the shortest and the longest edge */
    double square_min, square_max; /* squares of S: the range of magnitudes */
} cell_estimate;

INLINE cell_estimate estimate_with(const pio_mesh *mesh, const pio_element *e, int d, int nodes, bool simplex,
                                   const int32_t *node, const point_set *set)
{
    double x[PIO_ELEMENT_NODES][3];
    double J[3][3];
    cell_estimate g = {0, INFINITY, -INFINITY, INFINITY, INFINITY, 0, INFINITY, 0};
    const double *const origin = mesh->x + 3 * (size_t)node[0], ideal = ideal_of(d, simplex);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++) x[a][i] = mesh->x[3 * (size_t)node[a] + (size_t)i] - origin[i];
    const int points = simplex && nodes == d + 1 ? 1 : set->n;
    for (int p = 0; p < points; p++) {
        const double det = jacobian(set->gradient[p], d, nodes, (const double(*)[3])x, J);
        const double square = square_of((const double(*)[3])J, d, simplex), S = det * ideal;
        const double ratio = !(det > 0) ? 0 : d == 2 ? 2 * S / square : 27 * S * S / (square * square * square);
        g.volume += set->weight[p] * det;
        g.least = det < g.least ? det : g.least;
        g.most = det > g.most ? det : g.most;
        g.ratio = ratio < g.ratio ? ratio : g.ratio;
        g.square_min = square < g.square_min ? square : g.square_min;
        g.square_max = square > g.square_max ? square : g.square_max;
    }
    for (int m = 0; m < e->edges; m++) {
        const double *a = x[e->edge[m][0]], *b = x[e->edge[m][1]];
        double square = 0;
        for (int i = 0; i < 3; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
        g.edge_min = square < g.edge_min ? square : g.edge_min;
        g.edge_max = square > g.edge_max ? square : g.edge_max;
    }
    return g;
}

/* The most frequent types have loops of known length. */
static cell_estimate estimate(const pio_mesh *mesh, pio_element_type type, const int32_t *node, const point_set *set)
{
    const pio_element *e = &pio_elements[type];
    if (type == PIO_TET4) return estimate_with(mesh, e, 3, 4, true, node, set);
    if (type == PIO_TRI3) return estimate_with(mesh, e, 2, 3, true, node, set);
    if (type == PIO_HEX8) return estimate_with(mesh, e, 3, 8, false, node, set);
    if (type == PIO_TET10) return estimate_with(mesh, e, 3, 10, true, node, set);
    return estimate_with(mesh, e, e->dimension, e->nodes, e->corners == e->dimension + 1, node, set);
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
                estimate(mesh, (pio_element_type)t, b->nodes + (size_t)c * (size_t)e->nodes, &set).volume;
    }
}

/* Returns the integral of x^2/2 dy along an edge from x[0] by x[1] to x[2], places [2] each, exactly: three points of
 * Gauss for a polynomial of degree 5. */
static double edge_moment(const double x[3][2])
{
    static const double at[3] = {-0.77459666924148337704, 0, 0.77459666924148337704},
                        weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    double sum = 0;
    for (int p = 0; p < 3; p++) {
        const double s = at[p], N[3] = {s * (s - 1) / 2, 1 - s * s, s * (s + 1) / 2}, d[3] = {s - 0.5, -2 * s, s + 0.5};
        double r = 0, dy = 0;
        for (int k = 0; k < 3; k++) r += N[k] * x[k][0], dy += d[k] * x[k][1];
        sum += weight[p] * r * r / 2 * dy;
    }
    return sum;
}

/* By Green's theorem the integral of x over a cell is that of x^2/2 dy along its edges. */
void pio_mesh_ring_volumes(const pio_mesh *mesh, double *volume)
{
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        const pio_mesh_block *b = &mesh->block[t];
        const pio_element *e = &pio_elements[t];
        if (e->dimension != 2 || !b->n) continue;
        for (int32_t c = 0; c < b->n; c++) {
            const int32_t *node = b->nodes + (size_t)c * (size_t)e->nodes;
            double sum = 0;
            for (int k = 0; k < e->corners; k++) {
                const double *from = mesh->x + 3 * (size_t)node[k],
                             *to = mesh->x + 3 * (size_t)node[(k + 1) % e->corners];
                double x[3][2];
                for (int a = 0; a < 2; a++) {
                    x[0][a] = from[a];
                    x[2][a] = to[a];
                    x[1][a] = e->nodes > e->corners ? mesh->x[3 * (size_t)node[e->corners + k] + (size_t)a]
                                                    : (from[a] + to[a]) / 2;
                }
                sum += edge_moment((const double(*)[2])x);
            }
            volume[b->first + c] = 2 * acos(-1.0) * sum;
        }
    }
}

/* ---- all cells --------------------------------------------------------------------------------------------- */

/* Relative differences within which rounding may give estimates and exact values of two cells another order. */
#define CLOSE (64 * DBL_EPSILON)
#define CLOSE_EDGE (16 * DBL_EPSILON)
/* Magnitudes of squares whose third powers neither overflow nor vanish. */
#define SMALL 1e-80
#define LARGE 1e80
/* A number of cells that take less than a millisecond. */
enum { PART = 512 };

/* The extremes of the cells so far. */
typedef struct {
    pio_mesh_quality *quality;
    pio_shape_faults *faults;         /* NULL: not requested */
    double edge_min, edge_max, ratio; /* extremes of estimates so far, as in cell_estimate */
} partial;

static void find_fault(pio_shape_faults *faults, const cell_shape *s, int dimension, int32_t cell)
{
    const double flat = FLAT * pow(s->edge_max, dimension);
    if (s->least > flat) return;
    const int fault = s->most < -flat ? PIO_INVERTED : fabs(s->volume) <= flat ? PIO_EMPTY : PIO_TANGLED;
    if (faults->n[fault] < PIO_FAULTS_SHOWN) faults->first[fault][faults->n[fault]] = cell;
    faults->n[fault]++;
}

/* Returns whether the exact values are needed, because this cell may be an extreme, a sliver or invalid. */
static bool may_be_extreme(const partial *p, const cell_estimate *g, int dimension)
{
    const double sliver = dimension == 2 ? PIO_MESH_SLIVER : PIO_MESH_SLIVER * PIO_MESH_SLIVER * PIO_MESH_SLIVER;
    const double flat = 1.01 * FLAT * FLAT * g->edge_max * g->edge_max * (dimension == 2 ? 1 : g->edge_max);
    if (!(g->square_min > SMALL && g->square_max < LARGE && g->edge_max < LARGE)) return true;
    if (!(g->least > 0 && g->least * g->least > flat)) return true;
    if (g->edge_min <= p->edge_min * (1 + CLOSE_EDGE) || g->edge_max >= p->edge_max * (1 - CLOSE_EDGE)) return true;
    return g->ratio <= fmax(p->ratio, sliver) * (1 + CLOSE);
}

static void add_exact(partial *p, const cell_shape *s, const cell_estimate *g, int dimension, int32_t cell)
{
    pio_mesh_quality *q = p->quality;
    p->edge_min = fmin(p->edge_min, g->edge_min);
    p->edge_max = fmax(p->edge_max, g->edge_max);
    p->ratio = fmin(p->ratio, g->ratio);
    q->edge_min = fmin(q->edge_min, s->edge_min);
    q->edge_max = fmax(q->edge_max, s->edge_max);
    q->slivers += s->shape < PIO_MESH_SLIVER;
    if (s->shape < q->shape) {
        q->shape = s->shape;
        q->worst = cell;
    }
    if (p->faults) find_fault(p->faults, s, dimension, cell);
}

/* Adds the cells first ... end - 1 of a block. */
static void inspect_part(const pio_mesh *mesh, pio_element_type type, int32_t first, int32_t end, const point_set *set,
                         partial *p)
{
    const pio_mesh_block *b = &mesh->block[type];
    const int d = mesh->dimension;
    pio_mesh_quality *q = p->quality;
    for (int32_t c = first; c < end; c++) {
        const int32_t *nodes = b->nodes + (size_t)c * (size_t)pio_elements[type].nodes;
        const cell_estimate g = estimate(mesh, type, nodes, set);
        const double ratio = g.most > 0 ? g.least / g.most : -1;
        q->volume += g.volume;
        q->cell_min = g.volume < q->cell_min ? g.volume : q->cell_min;
        q->cell_max = g.volume > q->cell_max ? g.volume : q->cell_max;
        q->jacobian_ratio = ratio < q->jacobian_ratio ? ratio : q->jacobian_ratio;
        if (!may_be_extreme(p, &g, d)) continue;
        const cell_shape s = shape_of(mesh, type, nodes, set);
        add_exact(p, &s, &g, d, b->first + c);
    }
}

void pio_mesh_inspect_cells(const pio_mesh *mesh, pio_mesh_quality *quality, pio_shape_faults *faults)
{
    point_set set;
    partial p = {.quality = quality, .faults = faults, .edge_min = INFINITY, .edge_max = 0, .ratio = INFINITY};
    *quality = (pio_mesh_quality){INFINITY, 0, INFINITY, -INFINITY, 0, 1, INFINITY, -1, 0};
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        const int32_t n = pio_elements[t].dimension == mesh->dimension ? mesh->block[t].n : 0;
        if (n) make_points(&set, (pio_element_type)t);
        for (int32_t c = 0, end; c < n && !pio_interrupted(); c = end) {
            end = n - c < PART ? n : c + PART;
            inspect_part(mesh, (pio_element_type)t, c, end, &set, &p);
        }
    }
}

void pio_mesh_measure(const pio_mesh *mesh, pio_mesh_quality *out)
{
    pio_mesh_inspect_cells(mesh, out, NULL);
}

/* Computes an edge exactly if its square shows that it may be the shortest. */
static double shortest_edge(const pio_mesh *mesh, pio_element_type type, int32_t first, int32_t end)
{
    const pio_element *e = &pio_elements[type];
    double shortest = INFINITY, square = INFINITY;
    for (int32_t c = first; c < end; c++) {
        const int32_t *nodes = mesh->block[type].nodes + (size_t)c * (size_t)e->nodes;
        const double *origin = mesh->x + 3 * (size_t)nodes[0];
        for (int m = 0; m < e->edges; m++) {
            const double *a = mesh->x + 3 * (size_t)nodes[e->edge[m][0]],
                         *b = mesh->x + 3 * (size_t)nodes[e->edge[m][1]];
            double d[3], s = 0;
            for (int i = 0; i < 3; i++) {
                d[i] = (a[i] - origin[i]) - (b[i] - origin[i]); /* as shape_of has it */
                s += d[i] * d[i];
            }
            if (s > square * (1 + CLOSE_EDGE) && s > SMALL && s < LARGE) continue;
            square = s < square ? s : square;
            shortest = fmin(shortest, hypot(hypot(d[0], d[1]), d[2]));
        }
    }
    return shortest;
}

double pio_mesh_shortest_edge(const pio_mesh *mesh)
{
    double shortest = INFINITY;
    for (int t = 0; t < PIO_ELEMENT_TYPES; t++) {
        const int32_t n = pio_elements[t].dimension == mesh->dimension ? mesh->block[t].n : 0;
        for (int32_t c = 0, end; c < n && !pio_interrupted(); c = end) {
            end = n - c < PART ? n : c + PART;
            shortest = fmin(shortest, shortest_edge(mesh, (pio_element_type)t, c, end));
        }
    }
    return shortest;
}
