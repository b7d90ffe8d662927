/* fem_mechanism.c -- mechanisms: parts of a body that can rotate about what they share with others, found before
 * anything is solved.
 *
 * Elements that share two nodes, in 3D three that are not in a line, move as one: a piece. Most bodies are one piece,
 * which fem_whole.c finds. Pieces that share less may form a mechanism: each has motions of its own (fem_rigid.c),
 * which agree at the nodes that they share and vanish at supports. What is left is the null space of these few
 * equations, by elimination with the largest pivot (Golub and Van Loan 2013, section 3.4.8).
 *
 * Bodies of more than PIECES pieces (a foam of cells that touch in corners) are not checked here: their solve fails if
 * they are mechanisms. */
#include "solvers/fem/disjoint.h"
#include "solvers/fem/fem_rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 64, SHARED = DIM - 1 };

/* Two pieces that share a node. */
typedef struct {
    int a, b, node;
} joint;

typedef struct {
    const pio_fem_desc *m;
    const char *(*interrupted)(void);
    int elements, element_vertices;
    int *first;            /* [elements + 1] first vertex of each element */
    int *vertex, *element; /* [element_vertices] nodes and elements; vertices of elements alone */
    int *piece;            /* [elements] union, then numbers 0 .. pieces-1 */
    int *at;               /* [n] a piece that has the node, or -1 */
    int pieces, joints;
    int *body, *next; /* [pieces] the first node of its body; the piece before it of the same body, or -1 */
    int *last;        /* [n] the last piece of the body of that first node, or -1 */
    fem_body *bodies; /* [pieces] */
    joint *list;      /* [joints] once each, by a, b and node */
    int *start;       /* [pieces + 1] of the joints that are a's */
} mechanism;

/* Calls `what` for every element, with its nodes. 0 when it is to stop. */
static int each_element(mechanism *g, void (*what)(mechanism *g, int e, const int32_t *node, int nodes, int vertices))
{
    int e = 0;
    for (const pio_block_desc *b = g->m->blocks; b < g->m->blocks + g->m->n_blocks; b++) {
        const int nodes = fem_nodes_of(b->type), vertices = fem_vertices_of(b->type);
        for (int32_t i = 0; i < b->n; i++) {
            if (fem_stops(g->interrupted, i)) return 0;
            what(g, e++, b->nodes + (ptrdiff_t)i * nodes, nodes, vertices);
        }
    }
    return 1;
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

/* Nodes beyond the first that elements around it share, two by two in 3D, and the first element that has them. */
typedef struct {
    int *stamp, *element; /* [slots]; a slot of another stamp is free */
    int (*key)[2];
    unsigned mask;
} sharing;

static void list_vertices(mechanism *g, int e, const int32_t *node, int nodes, int vertices)
{
    (void)nodes;
    for (int v = 0; v < vertices; v++) {
        g->vertex[g->first[e] + v] = node[v];
        g->element[g->first[e] + v] = e;
    }
    g->first[e + 1] = g->first[e] + vertices;
    g->piece[e] = e;
}

static void share(mechanism *g, sharing *s, int stamp, int e, int j, int k)
{
    unsigned slot = ((unsigned)j * 0x9e3779b1u ^ (unsigned)k * 0x85ebca77u) & s->mask;
    while (s->stamp[slot] == stamp && (s->key[slot][0] != j || s->key[slot][1] != k)) slot = (slot + 1) & s->mask;
    if (s->stamp[slot] == stamp) {
        pio_disjoint_join(g->piece, e, s->element[slot]);
        return;
    }
    s->stamp[slot] = stamp;
    s->element[slot] = e;
    s->key[slot][0] = j;
    s->key[slot][1] = k;
}

/* Elements around node i, by what they share beside it that has higher numbers: each two or three nodes are met
 * once. */
static void join_around(mechanism *g, const fem_element_dofs *c, sharing *s, int i)
{
    for (int at = c->start[i]; at < c->start[i + 1]; at++) {
        const int e = g->element[c->list[at]];
        for (int a = g->first[e]; a < g->first[e + 1]; a++) {
            if (g->vertex[a] <= i) continue;
            if (SHARED == 1) share(g, s, i + 1, e, g->vertex[a], 0);
            for (int b = g->first[e]; SHARED == 2 && b < g->first[e + 1]; b++)
                if (g->vertex[b] > g->vertex[a]) share(g, s, i + 1, e, g->vertex[a], g->vertex[b]);
        }
    }
}

/* Twice what the busiest node shares, as a power of two. */
static size_t slots_of(const fem_element_dofs *c)
{
    int most = 0;
    size_t slots = 64;
    for (int i = 0; i < c->points; i++)
        if (c->start[i + 1] - c->start[i] > most) most = c->start[i + 1] - c->start[i];
    while (slots < (size_t)most * (SHARED == 1 ? 6 : 42)) slots *= 2;
    return slots;
}

/* 0 without memory, -2 when it is to stop. */
static int find_pieces(mechanism *g)
{
    fem_element_dofs c = {0};
    sharing s = {0};
    int ok = fem_element_dofs_make(&c, (int)g->m->n, g->element_vertices, g->vertex, g->interrupted);
    if (ok > 0) {
        const size_t slots = slots_of(&c);
        s = (sharing){calloc(slots, sizeof *s.stamp), malloc(slots * sizeof *s.element), malloc(slots * sizeof *s.key),
                      (unsigned)slots - 1};
        ok = s.stamp && s.element && s.key;
    }
    for (int i = 0; ok > 0 && i < g->m->n; i++) {
        if (fem_stops(g->interrupted, i))
            ok = -2;
        else
            join_around(g, &c, &s, i);
    }
    for (int e = 0; e < g->elements; e++) g->piece[e] = pio_disjoint_root(g->piece, e);
    for (int e = 0; e < g->elements; e++) /* the root of a piece gets its number, as -1 - number, ... */
        if (g->piece[e] == e) g->piece[e] = -1 - g->pieces++;
    for (int e = 0; e < g->elements; e++)
        if (g->piece[e] >= 0) g->piece[e] = g->piece[g->piece[e]];
    for (int e = 0; e < g->elements; e++) g->piece[e] = -1 - g->piece[e];
    fem_element_dofs_free(&c);
    free(s.stamp);
    free(s.element);
    free(s.key);
    return ok;
}

/* ---- joints ------------------------------------------------------------------------------------------------- */

static void measure_middle(mechanism *g, int e, const int32_t *node, int nodes, int vertices)
{
    fem_body *b = &g->bodies[g->piece[e]];
    (void)vertices;
    for (int a = 0; a < nodes; a++) {
        if (g->at[node[a]] < 0) g->at[node[a]] = g->piece[e];
        g->joints += g->at[node[a]] != g->piece[e];
        for (int c = 0; c < DIM; c++) b->middle[c] += g->m->rest[(ptrdiff_t)node[a] * DIM + c];
    }
    b->nodes += nodes;
}

static void measure_size(mechanism *g, int e, const int32_t *node, int nodes, int vertices)
{
    fem_body *b = &g->bodies[g->piece[e]];
    (void)vertices;
    for (int a = 0; a < nodes; a++) {
        for (int c = 0; c < DIM; c++)
            b->size = fmax(b->size, fabs(g->m->rest[(ptrdiff_t)node[a] * DIM + c] - b->middle[c]));
        if (g->at[node[a]] != g->piece[e]) g->list[g->joints++] = (joint){g->at[node[a]], g->piece[e], node[a]};
    }
}

static int by_pieces(const void *x, const void *y)
{
    const joint *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

/* A tied node is a joint of its piece with that of its masters. */
static void list_ties(mechanism *g)
{
    const pio_tie_desc *t = &g->m->ties;
    for (int i = 0; i < t->n; i++) {
        const int a = g->at[t->master[t->start[i]]], b = g->at[t->node[i]];
        if (a >= 0 && b >= 0 && a != b) g->list[g->joints++] = (joint){a < b ? a : b, a < b ? b : a, t->node[i]};
    }
}

/* 1, or what is wrong: as find_pieces. */
static int find_joints(mechanism *g, const int *of)
{
    g->bodies = calloc((size_t)g->pieces, sizeof *g->bodies);
    g->body = malloc(sizeof *g->body * (size_t)g->pieces);
    g->next = malloc(sizeof *g->next * (size_t)g->pieces);
    g->last = malloc(sizeof *g->last * (size_t)g->m->n);
    g->start = calloc((size_t)g->pieces + 1, sizeof *g->start);
    if (!g->bodies || !g->body || !g->next || !g->last || !g->start) return 0;
    if (!each_element(g, measure_middle)) return -2;
    for (int p = 0; p < g->pieces; p++)
        for (int c = 0; c < DIM; c++) g->bodies[p].middle[c] /= (double)g->bodies[p].nodes;
    g->list = malloc(sizeof *g->list * (size_t)(g->joints + 1 + g->m->ties.n));
    if (!g->list) return 0;
    g->joints = 0;
    if (!each_element(g, measure_size)) return -2;
    list_ties(g);
    qsort(g->list, (size_t)g->joints, sizeof *g->list, by_pieces);
    int n = 0;
    for (int j = 0; j < g->joints; j++)
        if (!n || by_pieces(&g->list[j], &g->list[n - 1])) g->list[n++] = g->list[j];
    g->joints = n;
    for (int j = 0; j < n; j++) g->start[g->list[j].a + 1]++;
    for (int p = 0; p < g->pieces; p++) g->start[p + 1] += g->start[p];
    for (int e = 0; e < g->elements; e++) g->body[g->piece[e]] = of[g->vertex[g->first[e]]];
    for (int64_t i = 0; i < g->m->n; i++) g->last[i] = -1;
    for (int p = 0; p < g->pieces; p++) {
        g->next[p] = g->last[g->body[p]];
        g->last[g->body[p]] = p;
    }
    return 1;
}

/* ---- one body's equations ----------------------------------------------------------------------------------- */

typedef struct {
    int piece[PIECES], pieces; /* of the body */
    double *R;                 /* [rows][columns] */
    int rows, columns;
} equations;

static int column_of(const equations *q, int piece)
{
    for (int k = 0; k < q->pieces; k++)
        if (q->piece[k] == piece) return k * MOTIONS;
    return -1;
}

static void agree(const mechanism *g, equations *q, const joint *j)
{
    const double *X = g->m->rest + (ptrdiff_t)j->node * DIM;
    for (int c = 0; c < DIM; c++) {
        double *row = q->R + (ptrdiff_t)q->rows++ * q->columns, other[MOTIONS], axis[3] = {0};
        axis[c] = 1;
        fem_motion_row(&g->bodies[j->a], X, axis, row + column_of(q, j->a));
        fem_motion_row(&g->bodies[j->b], X, axis, other);
        for (int k = 0; k < MOTIONS; k++) row[column_of(q, j->b) + k] = -other[k];
    }
}

/* How far node k is from node i, or (j >= 0) from the line through i and j. */
static double away(const mechanism *g, int i, int j, int k)
{
    double d[3] = {0}, t[3] = {0}, square = 0, dd = 0, dt = 0;
    for (int c = 0; c < DIM; c++) {
        const double *x = g->m->rest + c;
        d[c] = x[(ptrdiff_t)k * DIM] - x[(ptrdiff_t)i * DIM];
        t[c] = j < 0 ? 0 : x[(ptrdiff_t)j * DIM] - x[(ptrdiff_t)i * DIM];
        square += t[c] * t[c], dd += d[c] * d[c], dt += d[c] * t[c];
    }
    return sqrt(fmax(0, dd - (square > 0 ? dt * dt / square : 0)));
}

/* What two pieces share, list[0 .. n-1]: rigid motions agree there when they do at three nodes that are far from one
 * line. */
static void agree_at_some(const mechanism *g, equations *q, const joint *list, int n)
{
    const joint *taken[3] = {list};
    int k = 1;
    for (; k < 3; k++) {
        double most = 0;
        for (int i = 1; i < n; i++) {
            const double far = away(g, list->node, k == 2 ? taken[1]->node : -1, list[i].node);
            if (far > most) most = far, taken[k] = &list[i];
        }
        if (most <= 1e-9 * g->bodies[list->a].size) break;
    }
    for (int i = 0; i < k; i++) agree(g, q, taken[i]);
}

/* The motions of a piece that supports constrain, orthonormal. */
static void constrain(const mechanism *g, equations *q, int piece)
{
    double V[MOTIONS][MOTIONS], largest = 0;
    fem_body *b = &g->bodies[piece];
    fem_diagonalise(b->RtR, V);
    for (int k = 0; k < MOTIONS; k++) largest = fmax(largest, b->RtR[k][k]);
    for (int k = 0; k < MOTIONS; k++) {
        if (b->RtR[k][k] <= 1e-9 * largest) continue;
        double *row = q->R + (ptrdiff_t)q->rows++ * q->columns + column_of(q, piece);
        for (int c = 0; c < MOTIONS; c++) row[c] = V[c][k];
    }
}

/* 0 without memory. */
static int write_equations(const mechanism *g, equations *q)
{
    int shared = 0;
    for (int k = 0; k < q->pieces; k++) /* each joint begins a pair of pieces, or is of the one before */
        for (int j = g->start[q->piece[k]]; j < g->start[q->piece[k] + 1]; j++)
            shared += j == g->start[q->piece[k]] || g->list[j].b != g->list[j - 1].b;
    q->columns = q->pieces * MOTIONS;
    q->rows = 0;
    q->R = calloc((size_t)(shared * 3 * DIM + q->columns) * (size_t)q->columns, sizeof *q->R);
    if (!q->R) return 0;
    for (int k = 0; k < q->pieces; k++) constrain(g, q, q->piece[k]);
    for (int k = 0; k < q->pieces; k++) {
        const int end = g->start[q->piece[k] + 1];
        for (int j = g->start[q->piece[k]], n; j < end; j += n) {
            for (n = 1; j + n < end && g->list[j + n].b == g->list[j].b;) n++;
            agree_at_some(g, q, &g->list[j], n);
        }
    }
    return 1;
}

static void swap_rows(const equations *q, int i, int j)
{
    for (int c = 0; c < q->columns && i != j; c++) {
        const double x = q->R[(ptrdiff_t)i * q->columns + c];
        q->R[(ptrdiff_t)i * q->columns + c] = q->R[(ptrdiff_t)j * q->columns + c];
        q->R[(ptrdiff_t)j * q->columns + c] = x;
    }
}

/* Row i is that of pivot[i] alone among the pivots; returns their number. Entries of R are of size 1. */
static int eliminate(const equations *q, int *pivot)
{
    int rank = 0;
    for (; rank < q->rows && rank < q->columns; rank++) {
        double most = 1e-7;
        int at = -1;
        for (int i = rank; i < q->rows; i++) /* columns of earlier pivots are zero there */
            for (int c = 0; c < q->columns; c++) {
                const double size = fabs(q->R[(ptrdiff_t)i * q->columns + c]);
                if (size > most) most = size, at = i, pivot[rank] = c;
            }
        if (at < 0) break;
        swap_rows(q, rank, at);
        const double *row = q->R + (ptrdiff_t)rank * q->columns;
        for (int i = 0; i < q->rows; i++) {
            double *other = q->R + (ptrdiff_t)i * q->columns;
            const double factor = other[pivot[rank]] / row[pivot[rank]];
            for (int c = 0; c < q->columns && i != rank && fabs(factor) > 0; c++) other[c] -= factor * row[c];
            if (i != rank) other[pivot[rank]] = 0;
        }
    }
    return rank;
}

/* The motions of the k-th piece among those of the whole: their number. Those of other pieces are of size 1 at
 * least. */
static int motions_of(const equations *q, const int *pivot, int rank, int k, double motion[MOTIONS][MOTIONS])
{
    double G[MOTIONS][MOTIONS] = {{0}}, V[MOTIONS][MOTIONS];
    int n = 0;
    for (int c = 0; c < q->columns; c++) {
        double v[MOTIONS] = {0}; /* of the piece, where the unknown c is 1 and all others that are no pivots 0 */
        int is_pivot = 0;
        for (int i = 0; i < rank; i++) is_pivot |= pivot[i] == c;
        if (is_pivot) continue;
        if (c / MOTIONS == k) v[c % MOTIONS] = 1;
        for (int i = 0; i < rank; i++) {
            const double *row = q->R + (ptrdiff_t)i * q->columns;
            if (pivot[i] / MOTIONS == k) v[pivot[i] % MOTIONS] = -row[c] / row[pivot[i]];
        }
        for (int a = 0; a < MOTIONS; a++)
            for (int b = 0; b < MOTIONS; b++) G[a][b] += v[a] * v[b];
    }
    fem_diagonalise(G, V);
    for (int i = 0; i < MOTIONS; i++) {
        if (G[i][i] <= 1e-12) continue;
        for (int c = 0; c < MOTIONS; c++) motion[n][c] = V[c][i];
        n++;
    }
    return n;
}

/* ---- the answer --------------------------------------------------------------------------------------------- */

/* Describes, of the pieces that move, the one with the fewest motions, which is the next to what is constrained. */
static void describe(const mechanism *g, const equations *q, const int *pivot, int rank, const fem_body *body,
                     fem_words *w)
{
    int best = -1, fewest = MOTIONS + 1;
    double motion[MOTIONS][MOTIONS] = {{0}};
    for (int k = 0; k < q->pieces; k++) {
        const int n = motions_of(q, pivot, rank, k, motion);
        if (n && n < fewest) best = k, fewest = n;
    }
    const fem_body *b = &g->bodies[q->piece[best]];
    fem_say(w, "the part around ");
    fem_say_place(w, b->middle);
    fem_say(w, " of the body around ");
    fem_say_place(w, body->middle);
    fem_say(w, " is unconstrained: nothing keeps it ");
    fem_say_motions(w, b, motion, motions_of(q, pivot, rank, best, motion));
    fem_say(w,
            "; parts that share a node%s alone can rotate about it, and must be constrained or joined by elements that "
            "share %s",
            DIM == 3 ? " or an edge" : "", DIM == 3 ? "a face" : "an edge");
}

/* As fem_check_mechanisms, of one body of several pieces. */
static int judge(const mechanism *g, int node, const fem_body *body, fem_words *w)
{
    equations q = {.pieces = 0};
    for (int p = g->last[node]; p >= 0; p = g->next[p]) {
        if (q.pieces == PIECES) return 1;
        q.piece[q.pieces++] = p;
    }
    if (q.pieces < 2) return 1;
    int constrained = -1, *pivot = malloc(sizeof *pivot * PIECES * MOTIONS);
    if (pivot && write_equations(g, &q)) {
        const int rank = eliminate(&q, pivot);
        constrained = rank == q.columns;
        if (!constrained) describe(g, &q, pivot, rank, body, w);
    }
    free(pivot);
    free(q.R);
    return constrained;
}

static int check(mechanism *g, const int *of, const fem_body *bodies, fem_words *w)
{
    int n_bodies = 0, constrained = 1;
    g->first = malloc(sizeof *g->first * (size_t)(g->elements + 1));
    g->vertex = malloc(sizeof *g->vertex * (size_t)(g->element_vertices + 1));
    g->element = malloc(sizeof *g->element * (size_t)(g->element_vertices + 1));
    g->piece = malloc(sizeof *g->piece * (size_t)(g->elements + 1));
    g->at = malloc(sizeof *g->at * (size_t)g->m->n);
    if (!g->first || !g->vertex || !g->element || !g->piece || !g->at) return -1;
    g->first[0] = 0;
    if (!each_element(g, list_vertices)) return -2;
    for (int64_t i = 0; i < g->m->n; i++) {
        g->at[i] = -1;
        n_bodies += of[i] == i;
    }
    int found = find_pieces(g);
    if (found > 0 && g->pieces <= n_bodies) return 1;
    if (found > 0) found = find_joints(g, of);
    if (found <= 0) return found ? found : -1;
    fem_support_rows(g->m, g->at, g->piece, g->bodies);
    for (int p = 0; p < g->pieces && constrained > 0; p++)
        if (g->next[p] < 0) constrained = judge(g, g->body[p], &bodies[g->body[p]], w);
    return constrained;
}

int fem_check_mechanisms(const pio_fem_desc *m, const int *of, const fem_body *bodies, const char *(*interrupted)(void),
                         fem_words *w)
{
    mechanism g = {.m = m, .interrupted = interrupted};
    const int whole = fem_bodies_are_whole(m, of, interrupted);
    if (whole) return whole;
    for (const pio_block_desc *b = m->blocks; b < m->blocks + m->n_blocks; b++) {
        g.elements += b->n;
        g.element_vertices += b->n * fem_vertices_of(b->type);
    }
    const int constrained = check(&g, of, bodies, w);
    free(g.first);
    free(g.vertex);
    free(g.element);
    free(g.piece);
    free(g.at);
    free(g.body);
    free(g.next);
    free(g.last);
    free(g.bodies);
    free(g.start);
    free(g.list);
    return constrained;
}
