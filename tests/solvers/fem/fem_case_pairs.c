/* fem_case_pairs.c -- see fem_case_pairs.h. */
#include "tests/solvers/fem/fem_case_pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, FACE_MOST = 9, BODIES = 2 };

static void *own(fem_case *c, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory || c->n_owned == (int)(sizeof c->owned / sizeof *c->owned)) fail_msg("the test ran out of memory");
    return c->owned[c->n_owned++] = memory;
}

int fem_case_body(const fem_case *c, int node)
{
    int index = 0;
    while (c->node_at[index] != node) index++;
    return 2 * (index / c->lines[0] % c->lines[1]) > c->lines[1] - 1;
}

void fem_case_blocks(fem_case *c, fem_grid grid)
{
    grid.cells[1] = 5;
    fem_case_grid(c, grid);
    c->elements = 0;
    for (int b = 0; b < c->fem.n_blocks; b++) {
        const int nodes = mesh_nodes_of[c->block[b].type];
        int32_t *node = (int32_t *)(uintptr_t)c->block[b].nodes; /* they are the case's own */
        int kept = 0;
        for (int e = 0; e < c->block[b].n; e++) {
            int upper = 0;
            for (int a = 0; a < nodes; a++) upper += fem_case_body(c, node[e * nodes + a]);
            if (upper != 0 && upper != nodes) continue;
            memmove(node + kept++ * nodes, node + e * nodes, sizeof *node * (size_t)nodes);
        }
        c->block[b].n = kept;
        c->elements += kept;
    }
}

/* The faces of a type of elements, by nodes of the element, seen from outside counter-clockwise; in the plane, the
 * element is on the left. */
typedef struct {
    pio_element_type element, face;
    int faces, nodes;
    int node[6][FACE_MOST];
} outline;
static const outline outlines[] = {
    {PIO_TRI3, PIO_LINE2, 3, 2, {{0, 1}, {1, 2}, {2, 0}}},
    {PIO_QUAD4, PIO_LINE2, 4, 2, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    {PIO_TRI6, PIO_LINE3, 3, 3, {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}},
    {PIO_QUAD8, PIO_LINE3, 4, 3, {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}},
    {PIO_QUAD9, PIO_LINE3, 4, 3, {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}},
    {PIO_TET4, PIO_TRI3, 4, 3, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}},
    {PIO_HEX8, PIO_QUAD4, 6, 4, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}}};

/* How many elements have all of these nodes. */
static int owners(const fem_case *c, const int32_t *face, int n)
{
    int count = 0;
    for (int b = 0; b < c->fem.n_blocks; b++) {
        const int nodes = mesh_nodes_of[c->block[b].type];
        for (int e = 0; e < c->block[b].n; e++) {
            int found = 0;
            for (int i = 0; i < n; i++)
                for (int a = 0; a < nodes; a++) found += c->block[b].nodes[e * nodes + a] == face[i];
            count += found == n;
        }
    }
    return count;
}

void fem_case_pairs(fem_case *c, double stiffness, double distance, int itself, int room)
{
    for (int b = 0, first = 0; b < c->fem.n_blocks; first += c->block[b++].n) {
        const outline *o = outlines;
        while (o->element != c->block[b].type)
            if (++o == outlines + sizeof outlines / sizeof *outlines) fail_msg("elements without an outline");
        const int most = c->block[b].n * o->faces, nodes = mesh_nodes_of[o->element];
        int32_t *vertices = own(c, (size_t)(most * o->nodes), sizeof *vertices),
                *owner = own(c, (size_t)most, sizeof *owner);
        int n = 0;
        for (int e = 0; e < c->block[b].n; e++)
            for (int f = 0; f < o->faces; f++) {
                int32_t *face = vertices + n * o->nodes;
                for (int a = 0; a < o->nodes; a++) face[a] = c->block[b].nodes[e * nodes + o->node[f][a]];
                if (owners(c, face, o->nodes) == 1) owner[n++] = first + e;
            }
        c->contact[c->fem.n_contacts++] =
            (pio_contact_desc){.type = o->face, .n = n, .vertices = vertices, .owner = owner};
    }
    int32_t *body = own(c, (size_t)c->n, sizeof *body);
    for (int i = 0; i < c->n; i++) body[i] = itself ? 0 : fem_case_body(c, i);
    c->fem.pairs =
        (pio_pairs_desc){.stiffness = stiffness, .distance = distance, .itself = itself, .room = room, .body = body};
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

/* The volume, in 2D the area, that points span. */
static double spanned(const double *const p[D + 1])
{
    double e[3][3] = {{0}};
    for (int k = 0; k < D; k++)
        for (int a = 0; a < D; a++) e[k][a] = p[k + 1][a] - p[0][a];
    if (D == 2) return e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Whether the way from a to b passes through a segment or a triangle. */
static int passes(const double *x, int a, int b, const int *face)
{
    const double *p[4], *from = x + a * D, *to = x + b * D;
    double side[2], around[3];
    for (int k = 0; k < D; k++)
        if (face[k] == a || face[k] == b) return 0;
    for (int k = 0; k < D; k++) p[k] = x + face[k] * D;
    p[D] = from;
    side[0] = spanned(p);
    p[D] = to;
    side[1] = spanned(p);
    if (side[0] * side[1] >= 0 || fabs(side[0]) < 1e-14 || fabs(side[1]) < 1e-14) return 0; /* in one plane */
    for (int k = 0; k < D; k++) {
        p[0] = from;
        p[1] = to;
        for (int m = 0; m < D - 1; m++) p[2 + m] = x + face[(k + m) % D] * D;
        around[k] = spanned(p);
    }
    if (D == 2) return around[0] * around[1] < 0;
    return around[0] * around[1] > 0 && around[1] * around[D - 1] > 0;
}

int fem_case_crossings(const fem_case *c, pio_sim *sim)
{
    double *x = fem_case_read(sim, "displacement");
    int *face = malloc(sizeof *face * 1000000), n = 0, count = 0;
    if (!face) fail_msg("the test ran out of memory");
    for (int i = 0; i < c->n * D; i++) x[i] += c->rest[i];
    for (const pio_contact_desc *s = c->contact; s < c->contact + c->fem.n_contacts; s++) {
        const int nodes = mesh_nodes_of[s->type];
        for (int e = 0; e < s->n; e++) /* a quadrilateral is two triangles */
            for (int t = 0; t < nodes - D + 1; t++)
                for (int k = 0; k < D; k++) face[n++] = s->vertices[e * nodes + (k ? k + t : 0)];
    }
    n /= D;
    for (int e = 0; e < n; e++)
        for (int k = 0; k < (D == 2 ? 1 : 3); k++)
            for (int f = 0; f < n; f++) count += passes(x, face[e * D + k], face[e * D + (k + 1) % D], face + f * D);
    free(face);
    free(x);
    return count;
}

/* The ends do not fit each other: one is farther out, and in space turned and shifted, so that no pieces are parallel
 * or face each other node by node, where second derivatives jump. */
void fem_case_ring(const double s[3], double x[3])
{
    const double pi = 3.14159265358979323846, half = 0.04, angle = -half - s[0] * (2 * pi - 2 * half);
    const double across = 0.3 * (s[1] - 0.5), along = 0.4 * (s[2] - 0.5), turn = D == 3 ? 0.25 * s[0] : 0;
    const double radius = 1.15 + 0.05 * s[0] + across * cos(turn) - (D == 3 ? along * sin(turn) : 0);
    x[0] = radius * cos(angle);
    x[1] = radius * sin(angle);
    x[2] = along * cos(turn) + across * sin(turn) + 0.03 * s[0];
}

void fem_case_close_ring(fem_case *c, double by)
{
    for (int i = 0; i < c->n; i++) {
        const double *X = c->rest + i * D, pi = 3.14159265358979323846;
        const double angle = atan2(X[1], X[0]); /* -pi .. pi, the ends at either side of 0 */
        const double part = 1 - fabs(angle) / pi, turn = (angle > 0 ? -1 : 1) * 0.5 * by * part;
        c->initial_displacement[i * D] = X[0] * cos(turn) - X[1] * sin(turn) - X[0];
        c->initial_displacement[i * D + 1] = X[0] * sin(turn) + X[1] * cos(turn) - X[1];
    }
}
