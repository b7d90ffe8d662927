/* fem_element.h -- finite elements by tables: shape functions and quadrature of every type, in one reference element
 * each.
 *
 * Lines, quadrilaterals and hexahedra are products of Lagrange polynomials on [-1, 1], or serendipity elements there;
 * triangles and tetrahedra live on xi_i >= 0, sum xi_i <= 1 (Hughes 2000, chapter 3; Zienkiewicz, Taylor, Zhu 2013,
 * chapter 6). Nodes are in the order of VTK's cell types. Tables are made once by fem_table and read by every kernel;
 * no other place knows a shape function. */
#ifndef PIOLA_KERNELS_FEM_ELEMENT_H
#define PIOLA_KERNELS_FEM_ELEMENT_H

#include "kernels/fem/fem_element_args.h"
#include "kernels/linear/bsr.h"

/* ---- shape functions -------------------------------------------------------------------------------------- */

/* A shape function at a point of the reference element. */
typedef struct {
    real N, d[3]; /* value, and derivatives with respect to xi */
} fem_shape;

/* Lagrange polynomial of node k on [-1, 1]: nodes -1, 1 (count 2) or -1, 0, 1 (count 3, ascending). */
PIO_FN void lagrange(int count, int k, real x, real *N, real *d)
{
    if (count == 2) {
        *N = R(0.5) * (k ? R(1) + x : R(1) - x);
        *d = k ? R(0.5) : R(-0.5);
    } else if (k == 1) {
        *N = R(1) - x * x;
        *d = R(-2) * x;
    } else {
        const real s = R(k - 1);
        *N = R(0.5) * x * (x + s);
        *d = x + R(0.5) * s;
    }
}

/* Place of node a on the lattice of products, a digit per axis, base 3 (count 3) or 2; serendipity elements have those
 * of corners and edges, which come first. */
PIO_TABLE int quad9_lattice[9][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 0}, {2, 1}, {1, 2}, {0, 1}, {1, 1}};
PIO_TABLE int hex27_lattice[27][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
                                      {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
                                      {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}, {0, 1, 1},
                                      {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}};

/* Returns the index of node a of a product element along an axis, from 0: 0 or 1 of a linear element, 0 to 2 of a
 * quadratic one, ascending with xi. */
PIO_FN int lattice_index(int type, int a, int axis)
{
    switch (type) {
    case PIO_LINE2:
        return a;
    case PIO_LINE3:
        return a == 2 ? 1 : 2 * a;
    case PIO_QUAD4:
        return quad9_lattice[a][axis] / 2;
    case PIO_QUAD8:
    case PIO_QUAD9:
        return quad9_lattice[a][axis];
    case PIO_HEX8:
        return hex27_lattice[a][axis] / 2;
    default:
        return hex27_lattice[a][axis];
    }
}

/* Returns shape function a of a line, quadrilateral or hexahedron, the product over the axes of the polynomials of
 * lagrange at xi in [-1, 1], and its derivatives. */
PIO_FN fem_shape shape_product(int type, int a, const real xi[3])
{
    const int rdim = element_rdim[type], count = type == PIO_LINE3 || type == PIO_QUAD9 || type == PIO_HEX27 ? 3 : 2;
    real N[3], d[3];
    fem_shape s;
    s.N = R(1);
    for (int k = 0; k < 3; k++) N[k] = R(1), d[k] = R(0);
    for (int k = 0; k < rdim; k++) {
        lagrange(count, lattice_index(type, a, k), xi[k], &N[k], &d[k]);
        s.N *= N[k];
    }
    for (int k = 0; k < 3; k++) s.d[k] = d[k] * N[(k + 1) % 3] * N[(k + 2) % 3];
    return s;
}

/* Returns 1 for quadratic elements with nodes at corners and on edges alone. */
PIO_FN int element_is_serendipity(int type)
{
    return type == PIO_QUAD8 || type == PIO_HEX20;
}

/* Returns shape function a of a quadrilateral of 8 nodes or a hexahedron of 20, and its derivatives (Ergatoudis, Irons,
 * Zienkiewicz 1968; Zienkiewicz, Taylor, Zhu 2013, chapter 6). The node is at s_k = -1, 0 or 1 along axis k. With
 * f_k = (1 + s_k xi_k)/2, or 1 - xi_k^2 where s_k = 0, N = prod_k f_k on edges and
 * N = (sum_k s_k xi_k - rdim + 1) prod_k f_k at corners. */
PIO_FN fem_shape shape_serendipity(int type, int a, const real xi[3])
{
    const int rdim = element_rdim[type], corner = a < 1 << rdim;
    real f[3], d[3], s[3], sum = R(1 - rdim);
    fem_shape shape;
    for (int k = 0; k < 3; k++) f[k] = R(1), d[k] = s[k] = R(0);
    for (int k = 0; k < rdim; k++) {
        const int at = lattice_index(type, a, k) - 1;
        s[k] = R(at);
        f[k] = at ? R(0.5) * (R(1) + s[k] * xi[k]) : R(1) - xi[k] * xi[k];
        d[k] = at ? R(0.5) * s[k] : R(-2) * xi[k];
        sum += s[k] * xi[k];
    }
    const real N = f[0] * f[1] * f[2];
    shape.N = corner ? sum * N : N;
    for (int k = 0; k < 3; k++) {
        const real slope = d[k] * f[(k + 1) % 3] * f[(k + 2) % 3];
        shape.d[k] = corner ? sum * slope + s[k] * N : slope;
    }
    return shape;
}

/* Returns barycentric coordinate k, 0 .. rdim: L_0 = 1 - sum xi, L_k = xi_(k-1). */
PIO_FN real barycentric(int rdim, int k, const real xi[3])
{
    real sum = R(0);
    for (int c = 0; c < rdim; c++) sum += xi[c];
    return k ? xi[k - 1] : R(1) - sum;
}

/* Returns dL_k/dxi_c: -1 for k = 0, otherwise 1 along axis c = k - 1 and 0 along the others. */
PIO_FN real barycentric_slope(int k, int c)
{
    return k == 0 ? R(-1) : k - 1 == c ? R(1) : R(0);
}

/* The two vertices of the edge on which node 3 + i of a triangle, or 4 + i of a tetrahedron, lies. */
PIO_TABLE int tri6_edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
PIO_TABLE int tet10_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

/* Returns shape function a of a triangle or tetrahedron. Of vertices it is N = L_a in linear elements and N = L_a
 * (2 L_a - 1) in quadratic ones, and of the edge between vertices i and j N = 4 L_i L_j. */
PIO_FN fem_shape shape_simplex(int type, int a, const real xi[3])
{
    const int rdim = element_rdim[type], quadratic = type == PIO_TRI6 || type == PIO_TET10;
    fem_shape s;
    if (a <= rdim) {
        const real L = barycentric(rdim, a, xi), slope = quadratic ? R(4) * L - R(1) : R(1);
        s.N = quadratic ? L * (R(2) * L - R(1)) : L;
        for (int c = 0; c < 3; c++) s.d[c] = c < rdim ? slope * barycentric_slope(a, c) : R(0);
        return s;
    }
    const int e = a - rdim - 1, i = rdim == 2 ? tri6_edge[e][0] : tet10_edge[e][0];
    const int j = rdim == 2 ? tri6_edge[e][1] : tet10_edge[e][1];
    const real Li = barycentric(rdim, i, xi), Lj = barycentric(rdim, j, xi);
    s.N = R(4) * Li * Lj;
    for (int c = 0; c < 3; c++)
        s.d[c] = c < rdim ? R(4) * (Li * barycentric_slope(j, c) + Lj * barycentric_slope(i, c)) : R(0);
    return s;
}

/* Returns 1 for triangles and tetrahedra. */
PIO_FN int element_is_simplex(int type)
{
    return type == PIO_TRI3 || type == PIO_TRI6 || type == PIO_TET4 || type == PIO_TET10;
}

/* Returns shape function a of an element type at xi, with its derivatives. */
PIO_FN fem_shape element_shape(int type, int a, const real xi[3])
{
    if (element_is_serendipity(type)) return shape_serendipity(type, a, xi);
    return element_is_simplex(type) ? shape_simplex(type, a, xi) : shape_product(type, a, xi);
}

/* ---- quadrature: point q of a rule and its weight ----------------------------------------------------------
 * Products: Gauss-Legendre, 2 or 3 points an axis. Triangles: 1, 3 and 6 points, degrees 1, 2, 4 (Strang and Fix 1973;
 * Dunavant 1985). Tetrahedra: 1, 4, 8 and 14 points, degrees 1, 2, 3, 5 (Keast 1986; Witherden and Vincent 2015;
 * Walkington 2000). */

/* Sets point k of Gauss-Legendre quadrature on [-1, 1] and its weight; count is 2, exact for degree 3, or 3, for
 * degree 5. */
PIO_FN void gauss_point(int count, int k, real *x, real *w)
{
    if (count == 2) {
        *x = k ? R(0.57735026918962576451) : R(-0.57735026918962576451);
        *w = R(1);
    } else {
        *x = R(k - 1) * R(0.77459666924148337704);
        *w = k == 1 ? R(8.0 / 9) : R(5.0 / 9);
    }
}

/* Sets the coordinates xi of the point at which all barycentric coordinates are `small` but L_vertex = 1 - rdim
 * small. */
PIO_FN void vertex_point(int rdim, int vertex, real small, real xi[3])
{
    for (int c = 0; c < rdim; c++) xi[c] = vertex == c + 1 ? R(1) - R(rdim) * small : small;
}

/* Sets point q of the rule with 1, 3 or 6 points of the reference triangle, and returns its weight; the weights sum to
 * the area 1/2. */
PIO_FN real triangle_point(int points, int q, real xi[3])
{
    if (points == 1) {
        vertex_point(2, 0, R(1.0 / 3), xi);
        return R(0.5);
    }
    if (points == 3) {
        vertex_point(2, q, R(1.0 / 6), xi);
        return R(1.0 / 6);
    }
    vertex_point(2, q % 3, q < 3 ? R(0.44594849091596488632) : R(0.091576213509770743460), xi);
    return q < 3 ? R(0.11169079483900573285) : R(0.054975871827660933819);
}

/* Sets point q of the rule with 1, 4, 8 or 14 points of the reference tetrahedron, and returns its weight; the weights
 * sum to the volume 1/6. */
PIO_FN real tetrahedron_point(int points, int q, real xi[3])
{
    if (points == 1) {
        vertex_point(3, 0, R(0.25), xi);
        return R(1.0 / 6);
    }
    if (points == 4) {
        vertex_point(3, q, R(0.13819660112501051518), xi);
        return R(1.0 / 24);
    }
    if (points == 8) { /* degree 3, and fourth powers of the L_a */
        vertex_point(3, q % 4, q < 4 ? R(0.32805469671142664734) : R(0.10695227393293068277), xi);
        return q < 4 ? R(0.13852796651186214232 / 6) : R(0.11147203348813785768 / 6);
    }
    if (q < 8) {
        vertex_point(3, q % 4, q < 4 ? R(0.31088591926330060980) : R(0.092735250310891226402), xi);
        return q < 4 ? R(0.11268792571801585080 / 6) : R(0.073493043116361949544 / 6);
    }
    /* two coordinates small, two large: the pairs of tet10_edge */
    for (int c = 0; c < 3; c++) {
        const int small = tet10_edge[q - 8][0] == c + 1 || tet10_edge[q - 8][1] == c + 1;
        xi[c] = small ? R(0.045503704125649649492) : R(0.5) - R(0.045503704125649649492);
    }
    return R(0.042546020777081466438 / 6);
}

/* Sets xi of point q of an element type's rule with so many points, 0 in the axes that the type has not, and returns
 * its weight in the reference element. Point q of a product is a number of digits, one for each axis, the first the
 * lowest. */
PIO_FN real element_point(int type, int points, int q, real xi[3])
{
    const int rdim = element_rdim[type];
    real weight = R(1);
    xi[0] = xi[1] = xi[2] = R(0);
    if (type == PIO_TRI3 || type == PIO_TRI6) return triangle_point(points, q, xi);
    if (type == PIO_TET4 || type == PIO_TET10) return tetrahedron_point(points, q, xi);
    const int quadratic = type == PIO_LINE3 || type == PIO_QUAD9 || type == PIO_HEX27;
    const int count = quadratic || element_is_serendipity(type) ? 3 : 2;
    for (int c = 0; c < rdim; c++) {
        real w;
        gauss_point(count, q % count, &xi[c], &w);
        weight *= w;
        q /= count;
    }
    return weight;
}

/* ---- tables ----------------------------------------------------------------------------------------------- */

/* Sets the weight of quadrature point q, and the shape functions and their derivatives there. */
PIO_FN void fem_table(int q, const fem_table_args *a)
{
    const int nodes = element_nodes[a->type], rdim = element_rdim[a->type];
    real xi[3];
    a->w[q] = element_point(a->type, a->points, q, xi);
    for (int i = 0; i < nodes; i++) {
        const fem_shape s = element_shape(a->type, i, xi);
        a->N[q * nodes + i] = s.N;
        for (int c = 0; c < rdim; c++) a->dN[(q * nodes + i) * rdim + c] = s.d[c];
    }
}

#endif
