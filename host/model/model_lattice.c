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
    const scene_path *path; /* [bodies] rest positions of the bodies that share the control points */
    size_t bodies;          /* number of them */
    int body, dim;          /* the one whose nodes are the rows */
    int cells[3];           /* along each axis; 0 along z in 2D */
    double min[3], max[3];  /* corners of the box, m */
    bool stays[3][2];       /* the control points of that side stay, because a body goes on beyond it */
    pio_index_list *held;   /* [n_hold] nodes of each part that is held, of all bodies */
    int32_t *number;        /* [control points] number of the variable, or -1 */
    char entry[40];         /* the scene's path of the design */
} making;

static int64_t first_node(const making *g, size_t k)
{
    return g->model->fem->node_first[g->path[k].index];
}
static int64_t end_node(const making *g, size_t k)
{
    return g->model->fem->node_first[g->path[k].index + 1];
}
static const double *place_of(const making *g, int64_t node)
{
    return g->model->fem->rest + node * g->dim;
}

/* Sets the box: that of the scene, else the one around all bodies. */
static void set_box(making *g)
{
    for (int a = 0; a < g->dim; a++) {
        g->cells[a] = (int)g->scene->cells[a];
        g->min[a] = INFINITY;
        g->max[a] = -INFINITY;
        for (size_t k = 0; k < g->bodies; k++)
            for (int64_t i = first_node(g, k); i < end_node(g, k); i++) {
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

/* Appends nodes to a list, and frees them. */
static piola_status append(pio_index_list *all, pio_index_list *more, piola_error *error)
{
    const size_t bytes = sizeof *all->item * ((size_t)all->n + (size_t)more->n);
    int32_t *item = realloc(all->item, bytes + 1);
    if (item) {
        memcpy(item + all->n, more->item, sizeof *item * (size_t)more->n);
        all->item = item;
        all->n += more->n;
    }
    free(more->item);
    return item ? PIOLA_OK : pio_fail_memory(error, bytes, "a lattice");
}

/* Lists the nodes of a part that is held, of all bodies that have it. */
static piola_status find_held(making *g, size_t h, piola_error *error)
{
    char at[80];
    piola_error first = {0};
    snprintf(at, sizeof at, "%s.lattice.hold[%zu]", g->entry, h);
    for (size_t k = 0; k < g->bodies; k++) {
        pio_index_list own;
        piola_error absent = {0};
        const char *name = g->model->scene->matter.bodies[g->path[k].index].name;
        piola_status rc = pio_model_nodes(g->model, at, name, &g->scene->hold[h].on, &own, &absent);
        if (rc == PIOLA_BAD_DATA) {
            if (k == 0) first = absent;
            continue;
        }
        if (rc) {
            if (error) *error = absent;
            return rc;
        }
        rc = append(&g->held[h], &own, error);
        if (rc) return rc;
    }
    if (g->held[h].n) return PIOLA_OK;
    if (error) *error = first;
    return PIOLA_BAD_DATA;
}

/* Returns the step from the nodes of a part that is held to a node. */
static double step_from(const making *g, size_t h, int64_t node)
{
    const pio_index_list *held = &g->held[h];
    double nearest = INFINITY;
    for (int32_t k = 0; k < held->n; k++) {
        double square = 0;
        for (int a = 0; a < g->dim; a++) {
            const double d = place_of(g, node)[a] - place_of(g, held->item[k])[a];
            square += d * d;
        }
        nearest = fmin(nearest, square);
    }
    const double t = fmin(sqrt(nearest) / g->scene->ease, 1);
    return t * t * (3 - 2 * t);
}

/* Returns w of a node; 0: it does not move. */
static double step_of(const making *g, int64_t node)
{
    double w = 1;
    for (int a = 0; a < g->dim; a++) {
        double xi;
        if (!coordinate(g, node, a, &xi)) return 0;
    }
    for (size_t h = 0; h < g->scene->n_hold; h++) w = fmin(w, step_from(g, h, node));
    return w;
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
    const double w = step_of(g, node);
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

/* Fills the rows of the nodes of the own body that move, whose columns are control points of the whole lattice; marks
 * the control points that move a node of any body. `row` has room for one row. */
static piola_status fill_rows(const making *g, pio_lattice *l, int32_t *index, int32_t *row, double *weight,
                              piola_error *error)
{
    for (size_t k = 0; k < g->bodies; k++)
        for (int64_t i = first_node(g, k); i < end_node(g, k); i++) {
            const int32_t n = row_of(g, i, row, weight);
            const piola_status rc = i % 256 == 0 ? pio_stop("making a lattice", error) : PIOLA_OK;
            if (rc) return rc;
            for (int32_t e = 0; e < n; e++) g->number[row[e]] = 0;
            if (g->path[k].index != g->body) continue;
            const int32_t at = l->start[l->nodes];
            memcpy(l->from + at, row, sizeof *row * (size_t)n);
            memcpy(l->weight + at, weight, sizeof *weight * (size_t)n);
            index[i] = n ? l->nodes++ : -1;
            l->start[l->nodes] = at + n;
        }
    return PIOLA_OK;
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
    const int64_t *first = g->model->fem->node_first;
    const size_t nodes = (size_t)(first[g->body + 1] - first[g->body]),
                 all = (size_t)(g->cells[0] + 1) * (size_t)(g->cells[1] + 1) * (size_t)(g->cells[2] + 1);
    if (nodes * all > INT32_MAX)
        return pio_scene_fault(g->model->scene, error, g->entry, "%zu control points for %zu nodes are too many", all,
                               nodes);
    int32_t *row = malloc(sizeof *row * all);
    double *weight = malloc(sizeof *weight * all);
    g->number = malloc(sizeof *g->number * all);
    l->at = calloc(all, sizeof *l->at);
    l->start = calloc(nodes + 1, sizeof *l->start);
    l->from = malloc(sizeof *l->from * nodes * all + 1);
    l->weight = malloc(sizeof *l->weight * nodes * all + 1);
    piola_status rc = PIOLA_OK;
    if (!row || !weight || !g->number || !l->at || !l->start || !l->from || !l->weight)
        rc = pio_fail_memory(error, 12 * nodes * all, "a lattice");
    if (!rc) memset(g->number, -1, sizeof *g->number * all);
    if (!rc) rc = fill_rows(g, l, index, row, weight, error);
    if (!rc) number_points(g, l, (int32_t)all);
    free(row);
    free(weight);
    return rc;
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

/* Returns an error that says that nothing of the body would move. */
static piola_status nothing_moves(making *g, piola_error *error)
{
    strcat(g->entry, ".lattice");
    return pio_scene_fault(g->model->scene, error, g->entry, "no node of body '%s' would move",
                           g->model->scene->matter.bodies[g->body].name);
}

piola_status pio_model_lattice(pio_lattice **out, const pio_model *m, const scene_design *design, size_t number,
                               int32_t *index, pio_design_desc *d, piola_error *error)
{
    const bool shared = design->targets.n > 0;
    making g = {.model = m,
                .scene = &design->lattice,
                .path = design->path + (shared ? 0 : number),
                .bodies = shared ? design->target.n : 1,
                .body = design->path[number].index,
                .dim = m->scene->method.dimension};
    pio_lattice *l = *out = calloc(1, sizeof *l);
    g.held = calloc(g.scene->n_hold + 1, sizeof *g.held);
    snprintf(g.entry, sizeof g.entry, "design[%zu]", (size_t)(design - m->scene->goal.design));
    set_box(&g);
    piola_status rc = l && g.held ? PIOLA_OK : pio_fail_memory(error, sizeof *l, "a lattice");
    for (size_t h = 0; !rc && h < g.scene->n_hold; h++) rc = find_held(&g, h, error);
    if (!rc) rc = make_rows(&g, l, index, error);
    if (!rc) rc = set_direction(&g, design, d, error);
    for (size_t h = 0; g.held && h < g.scene->n_hold; h++) free(g.held[h].item);
    free(g.held);
    free(g.number);
    if (rc) return rc;
    d->groups = l->nodes;
    d->each = 1;
    return l->nodes ? PIOLA_OK : nothing_moves(&g, error);
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
