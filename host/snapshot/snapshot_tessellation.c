/* snapshot_tessellation.c -- faces as functions of two parameters in 0..1, and the triangles between points of them.
 *
 * Linear and quadratic Lagrange functions on the triangle and the square, and serendipity functions on the square
 * (Zienkiewicz, Taylor and Zhu, The Finite Element Method, 7th ed., sections 6.2 and 6.5). */
#include "host/snapshot/snapshot_surface.h"

#include <string.h>

/* ---- functions ------------------------------------------------------------------------------------------- */

/* Positions of the nodes of a square and of a triangle: corners, middles of sides, centre. */
static const double square[9][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}, {0.5, 0.5}};
static const double simplex[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};

/* Returns the function of one parameter t that is 1 at `node` (0, 1/2 or 1) and 0 at the other nodes, and its
 * derivative. */
static double lagrange(double node, bool quadratic, double t, double *slope)
{
    if (!quadratic) {
        *slope = node > 0 ? 1 : -1;
        return node > 0 ? t : 1 - t;
    }
    if (node > 0.25 && node < 0.75) {
        *slope = 4 - 8 * t;
        return 4 * t * (1 - t);
    }
    *slope = node > 0 ? 4 * t - 1 : 4 * t - 3;
    return node > 0 ? t * (2 * t - 1) : (1 - t) * (1 - 2 * t);
}

/* The functions of shape_serendipity (kernels/fem/fem_element.h), where xi = 2 at - 1. */
static void serendipity_weights(const double at[2], double w[9], double slope[2][9])
{
    for (int i = 0; i < 8; i++) {
        double f[2], d[2], sum = -1;
        for (int a = 0; a < 2; a++) {
            f[a] = lagrange(square[i][a], square[i][a] > 0.25 && square[i][a] < 0.75, at[a], &d[a]);
            sum += (2 * square[i][a] - 1) * (2 * at[a] - 1);
        }
        w[i] = i < 4 ? sum * f[0] * f[1] : f[0] * f[1];
        for (int a = 0; a < 2; a++)
            slope[a][i] = i < 4 ? (sum * d[a] + 2 * (2 * square[i][a] - 1) * f[a]) * f[1 - a] : d[a] * f[1 - a];
    }
}

static void square_weights(int nodes, const double at[2], double w[9], double slope[2][9])
{
    if (nodes == 8) {
        serendipity_weights(at, w, slope);
        return;
    }
    for (int i = 0; i < nodes; i++) {
        double dx, dy;
        const double x = lagrange(square[i][0], nodes == 9, at[0], &dx),
                     y = lagrange(square[i][1], nodes == 9, at[1], &dy);
        w[i] = x * y;
        slope[0][i] = dx * y;
        slope[1][i] = x * dy;
    }
}

static void triangle_weights(int nodes, const double at[2], double w[9], double slope[2][9])
{
    const double l[3] = {1 - at[0] - at[1], at[0], at[1]}, d[2][3] = {{-1, 1, 0}, {-1, 0, 1}};
    for (int i = 0; i < 3; i++) {
        w[i] = nodes == 3 ? l[i] : l[i] * (2 * l[i] - 1);
        for (int a = 0; a < 2; a++) slope[a][i] = nodes == 3 ? d[a][i] : d[a][i] * (4 * l[i] - 1);
    }
    for (int i = 3; i < nodes; i++) { /* between corners i - 3 and the next */
        const int p = i - 3, q = (p + 1) % 3;
        w[i] = 4 * l[p] * l[q];
        for (int a = 0; a < 2; a++) slope[a][i] = 4 * (d[a][p] * l[q] + l[p] * d[a][q]);
    }
}

/* ---- triangles ------------------------------------------------------------------------------------------- */

static void add_triangle(pio_tessellation *p, int a, int b, int c)
{
    const uint8_t corners[3] = {(uint8_t)a, (uint8_t)b, (uint8_t)c};
    memcpy(p->triangle[p->n_triangles++], corners, sizeof corners);
}

/* Divides the squares between grid points along alternating diagonals. */
static void divide_square(pio_tessellation *p, int parts)
{
    for (int j = 0; j < parts; j++)
        for (int i = 0; i < parts; i++) {
            const int a = j * (parts + 1) + i, b = a + 1, d = a + parts + 1, c = d + 1, turn = (i + j) % 2;
            add_triangle(p, a, b, turn ? d : c);
            add_triangle(p, turn ? b : a, c, d);
        }
}

/* Divides a triangle; row j has parts + 1 - j grid points. */
static void divide_triangle(pio_tessellation *p, int parts)
{
    int a = 0;
    for (int j = 0; j < parts; j++, a++)
        for (int i = 0; i < parts - j; i++, a++) {
            const int up = a + parts + 1 - j;
            add_triangle(p, a, a + 1, up);
            if (i + j < parts - 1) add_triangle(p, a + 1, up + 1, up);
        }
}

void pio_tessellation_make(pio_tessellation *p, int type, int parts)
{
    const bool four = type == PIO_CELL_QUAD4 || type == PIO_CELL_QUAD8 || type == PIO_CELL_QUAD9;
    double unused[2][9], none[9];
    memset(p, 0, sizeof *p);
    p->nodes = pio_cell_nodes(type);
    for (int j = 0; j <= parts; j++)
        for (int i = 0; i <= (four ? parts : parts - j); i++) {
            const int v = p->n_vertices++;
            p->at[v][0] = (double)i / parts;
            p->at[v][1] = (double)j / parts;
            (four ? square_weights : triangle_weights)(p->nodes, p->at[v], p->weight[v], unused);
        }
    for (int i = 0; i < p->nodes; i++)
        (four ? square_weights : triangle_weights)(p->nodes, four ? square[i] : simplex[i], none, p->slope[i]);
    (four ? divide_square : divide_triangle)(p, parts);
}

/* Terms are added in the order of node numbers, so that both faces at a side round alike; nodes off the side have the
 * weight 0 there and are skipped. */
void pio_tessellation_points(const pio_tessellation *p, const pio_face *face, const double *points, double (*out)[3])
{
    int order[9];
    for (int i = 0; i < p->nodes; i++) {
        int k = i;
        for (; k > 0 && face->node[order[k - 1]] > face->node[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    memset(out, 0, (size_t)p->n_vertices * sizeof *out);
    for (int i = 0; i < p->nodes; i++) {
        const double *from = points + 3 * (size_t)face->node[order[i]];
        for (int v = 0; v < p->n_vertices; v++) {
            const double w = p->weight[v][order[i]];
            for (int k = 0; k < 3 && (w < 0 || w > 0); k++) out[v][k] += w * from[k];
        }
    }
}
