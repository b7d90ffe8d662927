/* fem_whole.c -- bodies that are one piece, found before fem_mechanism.c looks for their parts.
 *
 * A piece grows from one element of each body: what shares two vertices with it, in 3D three that are far from a line,
 * moves as it does. Where all elements are reached there is no mechanism. First walks over the elements in their order
 * and back, which reach nearly all of a mesh whose neighbours have numbers near each other; then, node by node, those
 * around it. Each element waits until enough of its vertices are reached, so that the memory of a walk is a byte per
 * node and per element. */
#include "solvers/fem/fem_rigid.h"

#include <stdlib.h>

#define FIRM 1e-3 /* of the element's size */

enum { REACHED = 1, SEEDED = 2 }; /* bits: a node of the pieces; the first node of a body whose piece has begun */
enum { TAKEN = 128 };             /* beside a count: the element is of a piece */

typedef struct {
    const pio_fem_desc *m;
    const int *of; /* [n] the first node of each node's body */
    const char *(*interrupted)(void);
    unsigned char *mark; /* [n] */
    int left;            /* elements that are not reached */
} growth;

/* Elements of one type. */
typedef struct {
    const int32_t *node; /* [n][nodes] */
    int first, nodes, vertices;
} element_set;

static element_set set_of(const pio_fem_desc *m, int block, int first)
{
    const pio_block_desc *b = &m->blocks[block];
    return (element_set){b->nodes, first, fem_nodes_of(b->type), fem_vertices_of(b->type)};
}

static double distance2(const double *x, const double *y)
{
    double sum = 0;
    for (int c = 0; c < DIM; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sum;
}

/* The square of twice the triangle's area. */
static double area2(const double *x, const double *y, const double *z)
{
    double dot = 0;
    for (int c = 0; c < DIM; c++) dot += (y[c] - x[c]) * (z[c] - x[c]);
    return distance2(x, y) * distance2(x, z) - dot * dot;
}

/* Returns 1 if two of the vertices that were reached are far from each other, in 3D three from a line. What is attached
 * by less is left to fem_mechanism.c, which measures how firmly: the order of elements must not decide. */
static int is_firm(const growth *g, const int32_t *node, int vertices)
{
    const double *x[8], *corner = g->m->rest + (ptrdiff_t)node[0] * DIM;
    double size2 = 0;
    int n = 0;
    for (int v = 0; v < vertices; v++) {
        const double *own = g->m->rest + (ptrdiff_t)node[v] * DIM, far = distance2(own, corner);
        if (far > size2) size2 = far;
        if (g->mark[node[v]] & REACHED) x[n++] = own;
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (DIM == 2 && distance2(x[i], x[j]) > FIRM * FIRM * size2) return 1;
            for (int k = j + 1; DIM == 3 && k < n; k++)
                if (area2(x[i], x[j], x[k]) > FIRM * FIRM * size2 * size2) return 1;
        }
    return 0;
}

/* Returns 1, and marks the vertices as reached, if the piece reaches this element or begins with it. */
static int reach(growth *g, const int32_t *node, int vertices)
{
    int reached = 0;
    for (int v = 0; v < vertices; v++) reached += g->mark[node[v]] & REACHED;
    unsigned char *body = &g->mark[g->of[node[0]]];
    if (*body & SEEDED && (reached < DIM || !is_firm(g, node, vertices))) return 0;
    *body |= SEEDED;
    for (int v = 0; v < vertices; v++) g->mark[node[v]] |= REACHED;
    return 1;
}

/* ---- by walks ----------------------------------------------------------------------------------------------- */

/* Elements of a block in their order, and in each further walk, back and forth, those that were left, while walks reach
 * more than a quarter of them. 0 without memory, -2 when it is to stop. */
static int walk(growth *g, const element_set *s, int n)
{
    int left = 0, before = n;
    int *list = malloc(sizeof *list * ((size_t)n + 1));
    if (!list) return 0;
    for (int i = 0; i < n; i++) {
        if (fem_stops(g->interrupted, i)) break;
        list[left] = i;
        left += !reach(g, s->node + (ptrdiff_t)i * s->nodes, s->vertices);
    }
    while (left && before - left > before / 4 && !(g->interrupted && g->interrupted())) {
        int kept = 0;
        before = left;
        for (int k = 0; k < before / 2; k++) {
            const int swapped = list[k];
            list[k] = list[before - 1 - k];
            list[before - 1 - k] = swapped;
        }
        for (int k = 0; k < before; k++) {
            if (fem_stops(g->interrupted, k)) break;
            const int i = list[k];
            list[kept] = i;
            kept += !reach(g, s->node + (ptrdiff_t)i * s->nodes, s->vertices);
        }
        left = kept;
    }
    free(list);
    g->left += left;
    return g->interrupted && g->interrupted() ? -2 : 1;
}

/* ---- node by node ------------------------------------------------------------------------------------------- */

typedef struct {
    int *start, *list;    /* [n + 1], [vertices of all elements] the elements around each node */
    int *stack, top;      /* [n] nodes that were reached and not looked around */
    unsigned char *count; /* [elements] vertices that were reached, and TAKEN */
} around;

/* 0 when it is to stop. */
static int each_vertex(growth *g, void (*what)(around *a, int e, int node), around *a)
{
    for (int b = 0, first = 0; b < g->m->n_blocks; first += g->m->blocks[b++].n) {
        const element_set s = set_of(g->m, b, first);
        for (int i = 0; i < g->m->blocks[b].n; i++) {
            if (fem_stops(g->interrupted, i)) return 0;
            for (int v = 0; v < s.vertices; v++) what(a, first + i, s.node[(ptrdiff_t)i * s.nodes + v]);
        }
    }
    return 1;
}

static void count_vertex(around *a, int e, int node)
{
    (void)e;
    a->start[node + 2]++;
}

static void list_vertex(around *a, int e, int node)
{
    a->list[a->start[node + 1]++] = e;
}

static element_set holder_of(const pio_fem_desc *m, int e)
{
    int b = 0, first = 0;
    while (e >= first + m->blocks[b].n) first += m->blocks[b++].n;
    return set_of(m, b, first);
}

/* Marks in all elements around a node that it was reached. */
static void look_around(growth *g, around *a, int node)
{
    for (int at = a->start[node]; at < a->start[node + 1]; at++) {
        const int e = a->list[at];
        if (a->count[e] & TAKEN || ++a->count[e] < DIM) continue;
        const element_set s = holder_of(g->m, e);
        const int32_t *of = s.node + (ptrdiff_t)(e - s.first) * s.nodes;
        if (!is_firm(g, of, s.vertices)) continue;
        a->count[e] |= TAKEN;
        g->left--;
        for (int v = 0; v < s.vertices; v++) {
            if (!(g->mark[of[v]] & REACHED)) a->stack[a->top++] = of[v];
            g->mark[of[v]] |= REACHED;
        }
    }
}

/* As walk, from all that walks reached. */
static int grow(growth *g, around *a, int elements, size_t vertices)
{
    const int n = (int)g->m->n;
    a->start = calloc((size_t)n + 2, sizeof *a->start);
    a->list = malloc(sizeof *a->list * (vertices + 1));
    a->stack = malloc(sizeof *a->stack * ((size_t)n + 1));
    a->count = calloc((size_t)elements + 1, 1);
    if (!a->start || !a->list || !a->stack || !a->count) return 0;
    if (!each_vertex(g, count_vertex, a)) return -2;
    for (int i = 0; i < n; i++) a->start[i + 2] += a->start[i + 1];
    if (!each_vertex(g, list_vertex, a)) return -2; /* ends with every start at its place */
    g->left = elements;
    for (int i = 0; i < n; i++)
        if (g->mark[i] & REACHED) a->stack[a->top++] = i;
    for (int64_t looked = 0; a->top; looked++) {
        if (fem_stops(g->interrupted, looked)) return -2;
        look_around(g, a, a->stack[--a->top]);
    }
    return 1;
}

int fem_bodies_are_whole(const pio_fem_desc *m, const int *of, const char *(*interrupted)(void))
{
    growth g = {.m = m, .of = of, .interrupted = interrupted, .mark = calloc((size_t)m->n, 1)};
    int rc = g.mark ? 1 : 0, elements = 0;
    size_t vertices = 0;
    for (int b = 0; b < m->n_blocks && rc > 0; elements += m->blocks[b++].n) {
        const element_set s = set_of(m, b, elements);
        rc = walk(&g, &s, m->blocks[b].n);
        vertices += (size_t)m->blocks[b].n * (size_t)s.vertices;
    }
    if (rc > 0 && g.left) {
        around a = {0};
        rc = grow(&g, &a, elements, vertices);
        free(a.start);
        free(a.list);
        free(a.stack);
        free(a.count);
    }
    free(g.mark);
    return rc > 0 ? !g.left : rc < 0 ? rc : -1;
}
