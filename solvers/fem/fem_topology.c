/* fem_topology.c -- see fem_topology.h. */
#include "solvers/fem/fem_topology.h"

#include "kernels/fem/fem_element.h"

#include <stdlib.h>
#include <string.h>

int fem_nodes_of(pio_element_type type)
{
    return element_nodes[type];
}

int fem_points_of(int rule, pio_element_type type)
{
    return element_points[rule][type];
}

int fem_element_dofs_make(fem_element_dofs *c, int points, int dofs, const int *point, const char *(*interrupted)(void))
{
    *c = (fem_element_dofs){.points = points, .dofs = dofs};
    c->start = calloc((size_t)points + 2, sizeof *c->start);
    c->list = malloc(sizeof *c->list * ((size_t)dofs + 1));
    if (!c->start || !c->list) return 0;
    for (int i = 0; i < dofs; i++) {
        if ((i & 0xffff) == 0xffff && interrupted && interrupted()) return -2;
        c->start[point[i] + 2]++;
    }
    for (int p = 0; p < points; p++) c->start[p + 2] += c->start[p + 1];
    for (int i = 0; i < dofs; i++) {
        if ((i & 0xffff) == 0xffff && interrupted && interrupted()) return -2;
        c->list[c->start[point[i] + 1]++] = i; /* ends with every start at its place */
    }
    return 1;
}

void fem_element_dofs_free(fem_element_dofs *c)
{
    free(c->start);
    free(c->list);
    *c = (fem_element_dofs){0};
}

/* What a walk over the elements around a node needs to know of an element degree of freedom. */
typedef struct {
    int first_node; /* of its element, in the list of the nodes of all */
    int nodes, all; /* of the element */
    int node_pair;  /* first node pair of the element */
} dof_element;

typedef struct {
    int neighbour, code;
    double weight;
} contribution;

static int by_neighbour(const void *a, const void *b)
{
    const contribution *x = a, *y = b;
    if (x->neighbour != y->neighbour) return x->neighbour < y->neighbour ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

static int node_pair_of(int nodes, int a, int b) /* b >= a */
{
    return a * nodes - a * (a - 1) / 2 + (b - a);
}

/* What walks over the rows need to know. */
typedef struct {
    const fem_element_dofs *dofs;
    const dof_element *element;   /* [element dofs] */
    const int *point;             /* [element dofs] the node of each */
    const fem_stand_in *stand_in; /* NULL: each node stands for itself */
} rows_of;

/* Adds the contributions of one element degree of freedom to a row, with a factor; returns how many there are then. */
static int collect_dof(const rows_of *r, int dof, double factor, contribution *out, int n)
{
    const dof_element *o = &r->element[dof];
    const fem_stand_in *t = r->stand_in;
    const int a = dof - o->first_node;
    for (int b = 0; b < o->nodes; b++) {
        const int transposed = !o->all && b < a, other = r->point[o->first_node + b];
        const int at = o->all       ? a * o->nodes + b
                       : transposed ? node_pair_of(o->nodes, b, a)
                                    : node_pair_of(o->nodes, a, b);
        const int code = 2 * (o->node_pair + at) + transposed;
        if (!t) out[n++] = (contribution){.neighbour = other, .code = code, .weight = 1};
        for (int k = t ? t->start[other] : 0; t && k < t->start[other + 1]; k++)
            out[n++] = (contribution){.neighbour = t->node[k], .code = code, .weight = factor * t->weight[k]};
    }
    return n;
}

/* Contributions to the row of one node, in order; returns how many. */
static int collect(const rows_of *r, int node, contribution *out)
{
    const fem_element_dofs *c = r->dofs;
    const fem_stand_in *t = r->stand_in;
    int n = 0;
    for (int j = c->start[node]; !t && j < c->start[node + 1]; j++) n = collect_dof(r, c->list[j], 1, out, n);
    for (int k = t ? t->from_start[node] : 0; t && k < t->from_start[node + 1]; k++)
        for (int j = c->start[t->from[k]]; j < c->start[t->from[k] + 1]; j++)
            n = collect_dof(r, c->list[j], t->from_weight[k], out, n);
    qsort(out, (size_t)n, sizeof *out, by_neighbour);
    return n;
}

/* Returns the most contributions that a row can have. */
static int64_t most_of(const rows_of *r, int node)
{
    const fem_stand_in *t = r->stand_in;
    int64_t n = 0;
    for (int k = t ? t->from_start[node] : node; k < (t ? t->from_start[node + 1] : node + 1); k++) {
        const int own = t ? t->from[k] : node;
        for (int j = r->dofs->start[own]; j < r->dofs->start[own + 1]; j++) {
            const dof_element *o = &r->element[r->dofs->list[j]];
            for (int b = 0; b < o->nodes; b++) {
                const int other = r->point[o->first_node + b];
                n += t ? t->start[other + 1] - t->start[other] : 1;
            }
        }
    }
    return n;
}

int fem_graph_fits(const fem_set *sets, int n_sets)
{
    int64_t node_pairs = 0, sources = 0;
    for (const fem_set *s = sets; s < sets + n_sets; s++) {
        node_pairs += (int64_t)s->n * (s->all ? s->nodes * s->nodes : s->nodes * (s->nodes + 1) / 2);
        sources += (int64_t)s->n * s->nodes * s->nodes;
    }
    return node_pairs < (int64_t)1 << 30 && sources < (int64_t)1 << 30;
}

/* Returns whether a loop is to stop before its item i; polls at every 1024th. */
static int stops(const char *(*interrupted)(void), int i)
{
    return (i & 1023) == 1023 && interrupted && interrupted();
}

/* Of each element degree of freedom its element and its node. 1, or -2 when it is to stop. */
static int walk(const fem_set *sets, int n_sets, dof_element *element, int *point, const char *(*interrupted)(void))
{
    int dof = 0;
    int node_pair = 0;
    for (const fem_set *s = sets; s < sets + n_sets; s++)
        for (int i = 0; i < s->n; i++) {
            if (stops(interrupted, i)) return -2;
            for (int a = 0; a < s->nodes; a++) {
                element[dof + a] =
                    (dof_element){.first_node = dof, .nodes = s->nodes, .all = s->all, .node_pair = node_pair};
                point[dof + a] = s->node[(ptrdiff_t)i * s->nodes + a];
            }
            dof += s->nodes;
            node_pair += s->all ? s->nodes * s->nodes : s->nodes * (s->nodes + 1) / 2;
        }
    return 1;
}

/* Room for blocks and sources of all rows. 1; 0 without memory, -1 if there are too many, -2 when it is to stop. */
static int reserve(fem_graph *g, const rows_of *r, contribution **most, const char *(*interrupted)(void))
{
    const int points = r->dofs->points;
    int64_t sources = 0, widest = 0;
    for (int p = 0; p < points; p++) {
        if (stops(interrupted, p)) return -2;
        const int64_t n = most_of(r, p);
        sources += n;
        if (n > widest) widest = n;
    }
    if (sources >= (int64_t)1 << 30) return -1;
    const size_t blocks =
        (size_t)sources + (r->stand_in ? (size_t)points : 0) + 1; /* at most; a tied node's has none */
    g->sources = (int)sources;
    g->row_start = calloc((size_t)points + 1, sizeof *g->row_start);
    g->row = malloc(sizeof *g->row * blocks);
    g->column = malloc(sizeof *g->column * blocks);
    g->start = malloc(sizeof *g->start * blocks);
    g->source = malloc(sizeof *g->source * ((size_t)sources + 1));
    g->weight = r->stand_in ? malloc(sizeof *g->weight * ((size_t)sources + 1)) : NULL;
    *most = malloc(sizeof **most * ((size_t)widest + 1));
    return g->row_start && g->row && g->column && g->start && g->source && *most && (g->weight || !r->stand_in);
}

/* 1, or -2 when it is to stop. */
static int fill(fem_graph *g, const rows_of *r, contribution *row, const char *(*interrupted)(void))
{
    const int points = r->dofs->points;
    int at = 0;
    for (int p = 0; p < points; p++) {
        if ((p & 255) == 255 && interrupted && interrupted()) return -2;
        const int n = collect(r, p, row);
        g->row_start[p] = g->blocks;
        if (r->stand_in && r->stand_in->from_start[p] == r->stand_in->from_start[p + 1]) { /* it is tied */
            g->row[g->blocks] = g->column[g->blocks] = p;
            g->start[g->blocks++] = at;
        }
        for (int i = 0; i < n; i++) {
            if (i == 0 || row[i].neighbour != row[i - 1].neighbour) {
                g->row[g->blocks] = p;
                g->column[g->blocks] = row[i].neighbour;
                g->start[g->blocks++] = at;
            }
            if (g->weight) g->weight[at] = row[i].weight;
            g->source[at++] = row[i].code;
        }
    }
    g->row_start[points] = g->blocks;
    g->start[g->blocks] = at;
    return 1;
}

int fem_graph_make(fem_graph *g, int points, const fem_set *sets, int n_sets, const fem_stand_in *stand_in,
                   const char *(*interrupted)(void))
{
    size_t count = 0;
    fem_element_dofs dofs = {0};
    *g = (fem_graph){.rows = points};
    if (!fem_graph_fits(sets, n_sets)) return -1;
    for (int s = 0; s < n_sets; s++) count += (size_t)sets[s].n * (size_t)sets[s].nodes;
    dof_element *element = malloc(sizeof *element * (count + 1));
    int *point = malloc(sizeof *point * (count + 1)), rc = element && point;
    contribution *row = NULL;
    if (rc == 1) rc = walk(sets, n_sets, element, point, interrupted);
    if (rc == 1) rc = fem_element_dofs_make(&dofs, points, (int)count, point, interrupted);
    const rows_of rows = {&dofs, element, point, stand_in};
    if (rc == 1) rc = reserve(g, &rows, &row, interrupted);
    if (rc == 1) rc = fill(g, &rows, row, interrupted);
    fem_element_dofs_free(&dofs);
    free(element);
    free(point);
    free(row);
    return rc;
}

void fem_graph_free(fem_graph *g)
{
    free(g->row_start);
    free(g->row);
    free(g->column);
    free(g->start);
    free(g->source);
    free(g->weight);
    *g = (fem_graph){0};
}

/* ---- tied nodes ------------------------------------------------------------------------------------------- */

int fem_stand_in_make(fem_stand_in *s, int points, const pio_tie_desc *ties)
{
    const size_t n = (size_t)points + (size_t)ties->start[ties->n];
    *s = (fem_stand_in){.start = calloc((size_t)points + 1, sizeof *s->start),
                        .node = malloc(sizeof *s->node * (n + 1)),
                        .weight = malloc(sizeof *s->weight * (n + 1)),
                        .from_start = calloc((size_t)points + 2, sizeof *s->from_start),
                        .from = malloc(sizeof *s->from * (n + 1)),
                        .from_weight = malloc(sizeof *s->from_weight * (n + 1))};
    if (!s->start || !s->node || !s->weight || !s->from_start || !s->from || !s->from_weight) return 0;
    int at = 0;
    for (int p = 0, tie = 0; p < points; p++) {
        const int tied = tie < ties->n && ties->node[tie] == p;
        const int count = tied ? ties->start[tie + 1] - ties->start[tie] : 1;
        for (int k = 0; k < count; k++, at++) {
            s->node[at] = tied ? ties->master[ties->start[tie] + k] : p;
            s->weight[at] = tied ? ties->weight[ties->start[tie] + k] : 1;
            s->from_start[s->node[at] + 2]++;
        }
        s->start[p + 1] = at;
        tie += tied;
    }
    for (int p = 0; p < points; p++) s->from_start[p + 2] += s->from_start[p + 1];
    for (int p = 0; p < points; p++)
        for (int k = s->start[p]; k < s->start[p + 1]; k++) {
            const int to = s->from_start[s->node[k] + 1]++; /* ends with every start at its place */
            s->from[to] = p;
            s->from_weight[to] = s->weight[k];
        }
    return 1;
}

void fem_stand_in_free(fem_stand_in *s)
{
    free(s->start);
    free(s->node);
    free(s->weight);
    free(s->from_start);
    free(s->from);
    free(s->from_weight);
    *s = (fem_stand_in){0};
}

/* ---- levels ---------------------------------------------------------------------------------------------- */

/* Walks over one graph. */
typedef struct {
    const fem_graph *g;
    const char *(*interrupted)(void); /* why to stop, or NULL to go on; NULL: never */
    int *marks;                       /* [rows] the mark of the last walk that reached each node; 0: none */
    int *queue;                       /* [rows] the nodes of the walk, level by level */
    int *begin;                       /* [levels + 1] where each level of the walk starts in the queue */
    int levels;                       /* of the walk */
} level_walk;

/* The walk from node `first`, which marks what it reaches. Returns how many nodes, or 0 when it is to stop. */
static int walk_levels(level_walk *w, int first, int mark)
{
    const fem_graph *g = w->g;
    int n = 1, at = 0;
    w->levels = 0;
    w->queue[0] = first;
    w->marks[first] = mark;
    while (at < n) {
        const int end = n;
        w->begin[w->levels++] = at;
        for (; at < end; at++) {
            const int row = w->queue[at];
            if (stops(w->interrupted, at)) return 0;
            for (int k = g->row_start[row]; k < g->row_start[row + 1]; k++)
                if (w->marks[g->column[k]] != mark) {
                    w->marks[g->column[k]] = mark;
                    w->queue[n++] = g->column[k];
                }
        }
    }
    w->begin[w->levels] = n;
    return n;
}

int fem_graph_levels(const fem_graph *g, fem_levels *out, const char *(*interrupted)(void))
{
    const size_t rows = (size_t)g->rows;
    int *marks = calloc(3 * rows + 2, sizeof *marks);
    *out = (fem_levels){0};
    if (!marks) return 0;
    level_walk w = {
        .g = g, .interrupted = interrupted, .marks = marks, .queue = marks + rows, .begin = marks + 2 * rows};
    for (int i = 0, mark = 1; i < g->rows; i++, mark += 2) {
        if (marks[i]) continue;
        const int n = walk_levels(&w, i, mark);
        const int last = n ? w.queue[n - 1] : 0; /* what is reached last is an end */
        if (!n || !walk_levels(&w, last, mark + 1)) {
            free(marks);
            return -2;
        }
        if (w.levels > out->levels) out->levels = w.levels;
        for (int l = 0; l < w.levels; l++) {
            const int *begin = w.begin + l;
            const double own = begin[1] - begin[0], next = l + 1 < w.levels ? begin[2] - begin[1] : 0;
            out->elimination += own * (own + next) * (own + next);
        }
    }
    free(marks);
    return 1;
}
