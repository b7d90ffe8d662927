/* Room kernels/fem: every stage of a step of meshes and its adjoint: elements, loads, inertia, observations,
 * shapes. */
/* fem.h -- what all FEM kernels share: gradients of shape functions at quadrature points, and vectors over the
 * nodes.
 *
 * Total Lagrangian: X rest position, u displacement, F = I + sum_a u_a (grad_X N_a)^T (Bonet and Wood 2008, chapter
 * 9). Nodal vectors are [nodes][DIM], interleaved; what elements contribute to nodes is written per element node,
 * [element nodes][DIM], and each node then adds its element nodes in a fixed order: no atomics, the same bits for
 * any number of threads. */
#ifndef PIOLA_KERNELS_FEM_H
#define PIOLA_KERNELS_FEM_H

#include "kernels/fem/fem_args.h"
#include "kernels/fem/fem_element.h"
#include "kernels/material/hyperelastic.h"

/* Returns the constants of the law of an element, by its number in the mesh, in the order and the units of
 * hyperelastic.h. */
PIO_FN hyper_constants fem_constants_of(const fem_matter *m, int element)
{
    hyper_constants c;
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) c.k[i] = m->k[field_at(m->elements, PIO_LAW_CONSTANTS, i, element)];
    return c;
}

/* One quadrature point of one element: gradients of its shape functions and its volume. */
typedef struct {
    real g[ELEMENT_NODES][DIM]; /* grad_X N_a, 1/m */
    real area;                  /* weight det dX/dxi: m^3, or m^2 in 2D */
    real volume;                /* area times thickness, m^3 */
} fem_point;

/* Returns the gradients g_a = (dX/dxi)^-T dN_a/dxi and the volume w det(dX/dxi) thickness of quadrature point q of
 * element i of the block, i < b->n (Hughes 2000, chapter 3). An element must not be degenerate, det(dX/dxi) > 0, which
 * fem_check tests. */
PIO_FN fem_point fem_point_at(const fem_block *b, int i, int q)
{
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    const real *dN = b->rule.dN + (ptrdiff_t)q * nodes * DIM;
    const vec X0 =
        point_load(b->rest, node[0]); /* sum_a dN_a = 0: differences, so that small elements far out keep digits */
    fem_point p;
    mat J = mat_diag(R(0));
    for (int a = 0; a < nodes; a++) {
        const vec X = vec_axpby(R(1), point_load(b->rest, node[a]), R(-1), X0);
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) J.m[c][d] += X.x[c] * dN[a * DIM + d];
    }
    const mat cof = mat_cofactor(J);
    const real det = mat_det(J, cof);
    for (int a = 0; a < nodes; a++)
        for (int c = 0; c < DIM; c++) {
            real g = R(0);
            for (int d = 0; d < DIM; d++) g += cof.m[c][d] * dN[a * DIM + d];
            p.g[a][c] = g / det;
        }
    p.area = b->rule.w[q] * det;
    p.volume = b->thick ? p.area * b->thick[b->first + i] : p.area;
    return p;
}

/* Gradient at a point of the field with values y at the nodes: sum_a y_a g_a^T. */
PIO_FN mat fem_gradient(const fem_block *b, int i, const fem_point *p, const real *y)
{
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    mat H = mat_diag(R(0));
    for (int a = 0; a < nodes; a++) {
        const vec v = point_load(y, node[a]);
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) H.m[c][d] += v.x[c] * p->g[a][d];
    }
    return H;
}

/* ---- sums over the element nodes of a node ---------------------------------------------------------------------- */

/* Adds scale times the sum of a node's element nodes to the node. */
PIO_FN void fem_node_sum(int node, const fem_node_sum_args *a)
{
    vec sum = vec_zero();
    for (int j = a->start[node]; j < a->start[node + 1]; j++)
        sum = vec_axpby(R(1), sum, R(1), point_load(a->in, a->element_node[j]));
    point_store(a->out, node, vec_axpby(R(1), point_load(a->out, node), a->scale, sum));
}

/* ---- vectors over the nodes -------------------------------------------------------------------------------- */

/* Sets a x + b y of a node. */
PIO_FN void point_axpby(int i, const point_axpby_args *v)
{
    point_store(v->out, i, vec_axpby(v->a, point_load(v->x, i), v->b, point_load(v->y, i)));
}

/* Returns x . y of node i, accumulated in double precision. */
PIO_FN wide point_dot(int i, const point_dot_args *v)
{
    const vec x = point_load(v->x, i), y = point_load(v->y, i);
    wide sum = W(0);
    for (int c = 0; c < DIM; c++) sum += W(x.x[c]) * W(y.x[c]);
    return sum;
}

/* Sets the same vector at a node as at every other. */
PIO_FN void point_uniform(int i, const point_uniform_args *a)
{
    for (int c = 0; c < DIM; c++)
        a->out[(ptrdiff_t)i * DIM + c] = a->axis < 0 ? R(a->step->gravity[c]) : R(c == a->axis);
}

/* Sets x/sqrt(m) of a node. */
PIO_FN void point_over_root(int i, const point_over_root_args *v)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        v->out[at] = v->x[at] / sqrt(v->m[at]);
    }
}

/* Sets the numbers of node i to value + noise s, where s in [-1, 1) is SplitMix64 of the index of the number
 * (Steele, Lea and Flood 2014). */
PIO_FN void point_set(int i, const point_set_args *a)
{
    for (int c = 0; c < DIM; c++) {
        uint64_t s = (uint64_t)((ptrdiff_t)i * DIM + c + 1) * 0x9e3779b97f4a7c15u;
        s = (s ^ (s >> 30)) * 0xbf58476d1ce4e5b9u;
        s = (s ^ (s >> 27)) * 0x94d049bb133111ebu;
        s ^= s >> 31;
        a->x[(ptrdiff_t)i * DIM + c] = R(a->value + a->noise * (W((double)(s >> 11)) * W(0x1p-52) - W(1)));
    }
}

/* Sets the double y + scale x of one component of node i; without y it is scale x. */
PIO_FN void point_read(int i, const point_read_args *a)
{
    const double y = a->y ? (double)point_load(a->y, i).x[a->component] : 0;
    a->out[i] = y + a->scale * (double)point_load(a->x, i).x[a->component];
}

/* Sets one component of a node, rounded to `real`. */
PIO_FN void point_write(int i, const point_write_args *a)
{
    a->x[(ptrdiff_t)i * DIM + a->component] = R(a->in[i]);
}

#endif
