/* triangle_tree.c -- see triangle_tree.h. */
#include "host/surface/triangle_tree.h"

#include "host/base/fail.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 4, DEPTH = 64 };

/* A box of the triangles member[first] .. member[first + n - 1]; its children are `left` and left + 1, or 0 for none.
 */
typedef struct {
    double low[3], high[3];
    int32_t first, n, left;
} tree_node;

struct pio_triangle_tree {
    const pio_trimesh *surface;
    int32_t *member, nodes;
    tree_node *node;
};

/* ---- one triangle ------------------------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns the square of the distance from x to a + s ab + t ac. */
static double square_to(const double ax[3], const double ab[3], const double ac[3], double s, double t)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = ax[k] - s * ab[k] - t * ac[k];
        sum += d * d;
    }
    return sum;
}

static double fraction(double part, double whole)
{
    return whole > 0 ? fmin(fmax(part / whole, 0), 1) : 0;
}

/* Returns the square of the distance from x: to the face if its foot lies within, otherwise to the nearest of the three
 * edges. */
static double triangle_square(const pio_trimesh *f, int32_t triangle, const double x[3])
{
    const int32_t *v = f->triangle + 3 * triangle;
    const double *a = f->vertex + 3 * v[0], *b = f->vertex + 3 * v[1], *c = f->vertex + 3 * v[2];
    double ax[3], ab[3], ac[3], bc[3], bx[3];
    for (int k = 0; k < 3; k++) {
        ax[k] = x[k] - a[k];
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        bc[k] = c[k] - b[k];
        bx[k] = x[k] - b[k];
    }
    const double bb = dot(ab, ab), cc = dot(ac, ac), cross = dot(ab, ac), xb = dot(ax, ab), xc = dot(ax, ac);
    const double det = bb * cc - cross * cross, s = cc * xb - cross * xc, t = bb * xc - cross * xb;
    if (det > 0 && s >= 0 && t >= 0 && s + t <= det) return square_to(ax, ab, ac, s / det, t / det);
    const double u = fraction(dot(bx, bc), dot(bc, bc));
    const double edges[3] = {square_to(ax, ab, ac, fraction(xb, bb), 0), square_to(ax, ab, ac, 0, fraction(xc, cc)),
                             square_to(ax, ab, ac, 1 - u, u)};
    return fmin(edges[0], fmin(edges[1], edges[2]));
}

/* ---- the tree ----------------------------------------------------------------------------------------------- */

static double middle(const pio_trimesh *f, int32_t t, int axis)
{
    const int32_t *v = f->triangle + 3 * t;
    return f->vertex[3 * v[0] + axis] + f->vertex[3 * v[1] + axis] + f->vertex[3 * v[2] + axis];
}

static void set_box(const pio_triangle_tree *tree, tree_node *n)
{
    for (int a = 0; a < 3; a++) {
        n->low[a] = INFINITY;
        n->high[a] = -INFINITY;
    }
    for (int32_t i = n->first; i < n->first + n->n; i++)
        for (int k = 0; k < 3; k++) {
            const double *x = tree->surface->vertex + 3 * tree->surface->triangle[3 * tree->member[i] + k];
            for (int a = 0; a < 3; a++) {
                n->low[a] = fmin(n->low[a], x[a]);
                n->high[a] = fmax(n->high[a], x[a]);
            }
        }
}

/* Moves the k-th of the members by their middles to its place, smaller ones before it (Hoare's selection). */
static void select_middle(const pio_triangle_tree *tree, int32_t first, int32_t n, int axis)
{
    int32_t low = first, high = first + n - 1;
    const int32_t k = first + n / 2;
    while (low < high) {
        const double pivot = middle(tree->surface, tree->member[low + (high - low) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (middle(tree->surface, tree->member[i], axis) < pivot) i++;
            while (middle(tree->surface, tree->member[j], axis) > pivot) j--;
            if (i > j) break;
            const int32_t other = tree->member[i];
            tree->member[i++] = tree->member[j];
            tree->member[j--] = other;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

static void split(pio_triangle_tree *tree, int32_t at)
{
    tree_node *n = &tree->node[at];
    set_box(tree, n);
    if (n->n <= LEAF) return;
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (n->high[a] - n->low[a] > n->high[axis] - n->low[axis]) axis = a;
    select_middle(tree, n->first, n->n, axis);
    n->left = tree->nodes;
    tree->nodes += 2;
    tree->node[n->left] = (tree_node){.first = n->first, .n = n->n / 2};
    tree->node[n->left + 1] = (tree_node){.first = n->first + n->n / 2, .n = n->n - n->n / 2};
}

piola_status pio_triangle_tree_create(pio_triangle_tree **out, const pio_trimesh *surface, piola_error *error)
{
    const size_t n = (size_t)surface->n_triangles;
    pio_triangle_tree *tree = calloc(1, sizeof *tree);
    *out = NULL;
    if (tree) {
        tree->surface = surface;
        tree->member = malloc(n * sizeof *tree->member);
        tree->node = malloc(2 * n * sizeof *tree->node);
    }
    if (!tree || !tree->member || !tree->node) {
        pio_triangle_tree_free(tree);
        return pio_fail_memory(error, n * (2 * sizeof *tree->node + sizeof *tree->member), "a surface");
    }
    for (int32_t t = 0; t < surface->n_triangles; t++) tree->member[t] = t;
    tree->node[0] = (tree_node){.n = surface->n_triangles};
    tree->nodes = 1;
    for (int32_t at = 0; at < tree->nodes; at++) { /* a child is stored after its parent */
        split(tree, at);
        const piola_status rc = pio_stop("sorting the triangles of a surface", error);
        if (!rc) continue;
        pio_triangle_tree_free(tree);
        return rc;
    }
    *out = tree;
    return PIOLA_OK;
}

void pio_triangle_tree_free(pio_triangle_tree *tree)
{
    if (!tree) return;
    free(tree->member);
    free(tree->node);
    free(tree);
}

static double box_square(const tree_node *n, const double x[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double d = fmax(0, fmax(n->low[a] - x[a], x[a] - n->high[a]));
        sum += d * d;
    }
    return sum;
}

double pio_triangle_tree_distance(const pio_triangle_tree *tree, const double x[3])
{
    int32_t stack[DEPTH], depth = 1; /* at most 31 levels of halving, each of which leaves one child on the stack */
    double best = INFINITY;
    stack[0] = 0;
    while (depth > 0) {
        const tree_node *n = &tree->node[stack[--depth]];
        if (!(box_square(n, x) < best)) continue;
        if (!n->left) {
            for (int32_t i = n->first; i < n->first + n->n; i++)
                best = fmin(best, triangle_square(tree->surface, tree->member[i], x));
            continue;
        }
        const int near = box_square(&tree->node[n->left + 1], x) < box_square(&tree->node[n->left], x);
        stack[depth++] = n->left + !near;
        stack[depth++] = n->left + near;
    }
    return sqrt(best);
}
