/* model_lattice.c -- see model_lattice.h. */
#include "host/model/model_lattice.h"

#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = PIO_MOST_LATTICE_CELLS + 1 }; /* control points along an axis */

/* What a lattice is made of. */
typedef struct {
    const pio_model *model;
    const scene_lattice *scene;
    int body, dim;
    int cells[3];          /* along each axis; 0 along z in 2D */
    double min[3], max[3]; /* corners of the box, m */
    bool stays[3][2];      /* the control points of that side stay, because the body goes on beyond it */
    double *step;          /* [nodes of the body] w of each; 0: it does not move */
    int32_t *number;       /* [control points] number of the variable, or -1 */
    char entry[40];        /* the scene's path of the design */
} making;

static int64_t first_node(const making *g)
{
    return g->model->fem->node_first[g->body];
}
static int64_t end_node(const making *g)
{
    return g->model->fem->node_first[g->body + 1];
}
static const double *place_of(const making *g, int64_t node)
{
    return g->model->fem->rest + node * g->dim;
}

/* Sets the box: that of the scene, else the one around the body. */
static void set_box(making *g)
{
    for (int a = 0; a < g->dim; a++) {
        g->cells[a] = (int)g->scene->cells[a];
        g->min[a] = INFINITY;
        g->max[a] = -INFINITY;
        for (int64_t i = first_node(g); i < end_node(g); i++) {
            g->min[a] = fmin(g->min[a], place_of(g, i)[a]);
            g->max[a] = fmax(g->max[a], place_of(g, i)[a]);
        }
        const double low = g->min[a], high = g->max[a], rounding = 1e-9 * (high - low);
        if (isnan(g->scene->min[a])) continue;
        g->min[a] = g->scene->min[a];
        g->max[a] = g->scene->max[a];
        g->stays[a][0] = low < g->min[a] - rounding;
        g->stays[a][1] = high > g->max[a] + rounding;
    }
}

/* Computes the coordinate of a node in the box along an axis, 0 to 1; returns false outside. */
static bool coordinate(const making *g, int64_t node, int a, double *xi)
{
    const double t = (place_of(g, node)[a] - g->min[a]) / (g->max[a] - g->min[a]);
    *xi = fmin(fmax(t, 0), 1);
    return t >= -1e-9 && t <= 1 + 1e-9;
}

/* Lowers w of the body's nodes by a part that is held. */
static piola_status hold_part(making *g, size_t h, piola_error *error)
{
    char at[80];
    pio_index_list held;
    snprintf(at, sizeof at, "%s.lattice.hold[%zu]", g->entry, h);
    const char *name = g->model->scene->matter.bodies[g->body].name;
    piola_status rc = pio_model_nodes(g->model, at, name, &g->scene->hold[h].on, &held, error);
    for (int64_t i = first_node(g); !rc && i < end_node(g); i++) {
        double nearest = INFINITY;
        if (i % 256 == 0) rc = pio_stop("making a lattice", error);
        for (int32_t k = 0; k < held.n; k++) {
            double square = 0;
            for (int a = 0; a < g->dim; a++) {
                const double d = place_of(g, i)[a] - place_of(g, held.item[k])[a];
                square += d * d;
            }
            nearest = fmin(nearest, square);
        }
        const double t = fmin(sqrt(nearest) / g->scene->ease, 1);
        g->step[i - first_node(g)] = fmin(g->step[i - first_node(g)], t * t * (3 - 2 * t));
    }
    free(held.item);
    return rc;
}

/* Sets w of each node of the body. */
static piola_status set_steps(making *g, piola_error *error)
{
    const int64_t n = end_node(g) - first_node(g);
    g->step = malloc(sizeof *g->step * ((size_t)n + 1));
    if (!g->step) return pio_fail_memory(error, sizeof *g->step * (size_t)n, "a lattice");
    for (int64_t i = 0; i < n; i++) {
        g->step[i] = 1;
        for (int a = 0; a < g->dim; a++) {
            double xi;
            if (!coordinate(g, first_node(g) + i, a, &xi)) g->step[i] = 0;
        }
    }
    for (size_t h = 0; h < g->scene->n_hold; h++) {
        const piola_status rc = hold_part(g, h, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* Computes the Bernstein polynomials of degree n at t, B[n + 1], by de Casteljau's recurrence. */
static void bernstein(int n, double t, double *B)
{
    B[0] = 1;
    for (int d = 1; d <= n; d++) {
        B[d] = t * B[d - 1];
        for (int i = d - 1; i > 0; i--) B[i] = t * B[i - 1] + (1 - t) * B[i];
        B[0] *= 1 - t;
    }
}

/* The values of the polynomials at a node, and the number of points along each axis. */
typedef struct {
    double B[3][MOST_POINTS];
    int points[3];
} basis;

static basis basis_at(const making *g, int64_t node)
{
    basis out = {.points = {1, 1, 1}};
    for (int a = 0; a < 3; a++) out.B[a][0] = 1;
    for (int a = 0; a < g->dim; a++) {
        double xi;
        coordinate(g, node, a, &xi);
        bernstein(g->cells[a], xi, out.B[a]);
        out.points[a] = g->cells[a] + 1;
        if (g->stays[a][0]) out.B[a][0] = 0;
        if (g->stays[a][1]) out.B[a][g->cells[a]] = 0;
    }
    return out;
}

/* Writes a node's row into from[] and weight[], control points before their numbering; returns its length. */
static int32_t row_of(const making *g, int64_t node, int32_t *from, double *weight)
{
    const double w = g->step[node - first_node(g)];
    const basis b = basis_at(g, node);
    int32_t n = 0;
    for (int k = 0; w > 0 && k < b.points[2]; k++)
        for (int j = 0; j < b.points[1]; j++)
            for (int i = 0; i < b.points[0]; i++) {
                const double value = w * b.B[0][i] * b.B[1][j] * b.B[2][k];
                if (!(value > 0)) continue;
                from[n] = (k * b.points[1] + j) * b.points[0] + i;
                weight[n++] = value;
            }
    return n;
}

/* Fills the rows of the nodes that move, whose columns are control points of the whole lattice. */
static void fill_rows(const making *g, pio_lattice *l, int32_t *index)
{
    for (int64_t i = first_node(g); i < end_node(g); i++) {
        const int32_t at = l->start[l->nodes], n = row_of(g, i, l->from + at, l->weight + at);
        index[i] = n ? l->nodes++ : -1;
        for (int32_t e = at; e < at + n; e++) g->number[l->from[e]] = 0;
        l->start[l->nodes] = at + n;
    }
}

/* Numbers the control points that move a node, x fastest. */
static void number_points(const making *g, pio_lattice *l, int32_t all)
{
    const int32_t nx = g->cells[0] + 1, ny = g->cells[1] + 1;
    for (int32_t c = 0; c < all; c++) {
        if (g->number[c] < 0) continue;
        const int32_t at[3] = {c % nx, c / nx % ny, c / nx / ny};
        memcpy(l->at[l->points], at, sizeof at);
        g->number[c] = l->points++;
    }
    for (int32_t e = 0; e < l->start[l->nodes]; e++) l->from[e] = g->number[l->from[e]];
}

static piola_status make_rows(making *g, pio_lattice *l, int32_t *index, piola_error *error)
{
    const size_t nodes = (size_t)(end_node(g) - first_node(g)),
                 all = (size_t)(g->cells[0] + 1) * (size_t)(g->cells[1] + 1) * (size_t)(g->cells[2] + 1);
    if (nodes * all > INT32_MAX)
        return pio_scene_fault(g->model->scene, error, g->entry, "%zu control points for %zu nodes are too many", all,
                               nodes);
    g->number = malloc(sizeof *g->number * all);
    l->at = calloc(all, sizeof *l->at);
    l->start = calloc(nodes + 1, sizeof *l->start);
    l->from = malloc(sizeof *l->from * nodes * all + 1);
    l->weight = malloc(sizeof *l->weight * nodes * all + 1);
    if (!g->number || !l->at || !l->start || !l->from || !l->weight)
        return pio_fail_memory(error, 12 * nodes * all, "a lattice");
    memset(g->number, -1, sizeof *g->number * all);
    fill_rows(g, l, index);
    number_points(g, l, (int32_t)all);
    return PIOLA_OK;
}

/* Sets the unit vector along which all nodes move, where the design has one. */
static piola_status set_direction(const making *g, const scene_design *design, pio_design_desc *d, piola_error *error)
{
    const size_t nodes = (size_t)g->model->fem->node_first[g->model->fem->bodies], dim = (size_t)g->dim;
    if (design->along == SCENE_ALONG_ALL) return PIOLA_OK;
    double *direction = calloc(nodes * dim + 1, sizeof *direction);
    d->direction = direction;
    if (!direction) return pio_fail_memory(error, sizeof *direction * nodes * dim, "a lattice");
    for (size_t i = 0; i < nodes; i++) direction[i * dim + (size_t)(design->along - SCENE_ALONG_X)] = 1;
    return PIOLA_OK;
}

piola_status pio_model_lattice(pio_lattice **out, const pio_model *m, const scene_design *design,
                               const scene_path *path, int32_t *index, pio_design_desc *d, piola_error *error)
{
    making g = {.model = m, .scene = &design->lattice, .body = path->index, .dim = m->scene->method.dimension};
    pio_lattice *l = *out = calloc(1, sizeof *l);
    if (!l) return pio_fail_memory(error, sizeof *l, "a lattice");
    snprintf(g.entry, sizeof g.entry, "design[%zu]", (size_t)(design - m->scene->goal.design));
    set_box(&g);
    piola_status rc = set_steps(&g, error);
    if (!rc) rc = make_rows(&g, l, index, error);
    if (!rc) rc = set_direction(&g, design, d, error);
    free(g.step);
    free(g.number);
    d->groups = l->nodes;
    d->each = 1;
    if (rc || l->points) return rc;
    strcat(g.entry, ".lattice");
    return pio_scene_fault(m->scene, error, g.entry, "no node of body '%s' would move",
                           m->scene->matter.bodies[g.body].name);
}

void pio_lattice_free(pio_lattice *l)
{
    if (!l) return;
    free(l->at);
    free(l->start);
    free(l->from);
    free(l->weight);
    free(l);
}

void pio_lattice_apply(const pio_lattice *l, int components, const double *z, double *out)
{
    for (int32_t i = 0; i < l->nodes; i++)
        for (int c = 0; c < components; c++) {
            double sum = 0;
            for (int32_t e = l->start[i]; e < l->start[i + 1]; e++)
                sum = fma(l->weight[e], z[l->from[e] * components + c], sum);
            out[i * components + c] = sum;
        }
}

void pio_lattice_adj(const pio_lattice *l, int components, const double *out_bar, double *z_bar)
{
    for (int32_t i = 0; i < l->nodes; i++)
        for (int32_t e = l->start[i]; e < l->start[i + 1]; e++)
            for (int c = 0; c < components; c++)
                z_bar[l->from[e] * components + c] += l->weight[e] * out_bar[i * components + c];
}
