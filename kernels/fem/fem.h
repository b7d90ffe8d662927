/* Room kernels/fem: every stage of a step of meshes and its adjoint: elements, loads, inertia, observations,
 * shapes. */
/* fem.h -- what all FEM kernels share: gradients of shape functions at quadrature points, and vectors over the
 * nodes.
 *
 * Total Lagrangian: X rest position, u displacement, F = I + sum_a u_a (grad_X N_a)^T (Bonet and Wood 2008, chapter
 * 9). Nodal vectors are [nodes][DIM], interleaved; what elements contribute to nodes is written per element node,
 * [element nodes][DIM], and each node then adds its element nodes in a fixed order: no atomics, the same bits for
 * any number of threads.
 *
 * A ring is the body that an element of the plane of radius x and axis y sweeps: of r = sum_a N_a X_a the x, the
 * circumference 2 pi r takes the place of a thickness, and F33 = 1 + sum_a u_a,x N_a/r. So a node has a third slope of
 * its shape function, N_a/r, which goes with x alone. */
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

/* Returns the thermal strain of an element, by its number in the mesh. */
PIO_FN real fem_heat_of(const fem_matter *m, int element)
{
    return m->heat ? m->heat[element] : R(0);
}

/* Returns the relative density of an element, by its number in the mesh. */
PIO_FN real fem_relative_of(const fem_matter *m, int element)
{
    return m->relative ? m->relative[element] : R(1);
}

/* Returns the choice of an element between its own material and a second one, by its number in the mesh. */
PIO_FN real fem_choice_of(const fem_matter *m, int element)
{
    return m->choice ? m->choice[element] : R(1);
}

/* One quadrature point of one element: gradients of its shape functions and its volume. */
typedef struct {
    real g[ELEMENT_NODES][DIM]; /* grad_X N_a, 1/m */
    real area;                  /* weight det dX/dxi: m^3, or m^2 in 2D; of a ring times its circumference */
    real volume;                /* area times thickness, m^3 */
    const real *N;              /* [nodes] shape functions; NULL on the axis of a ring */
    real per_radius;            /* 1/r of a ring, 1/m, else 0 */
} fem_point;

#define FEM_TURN R(6.283185307179586) /* 2 pi */

/* Makes the point q of element i one of a ring: 1/r, and its circumference. Nearer to the axis than 1e-9 of the largest
 * radius of the element's nodes, in f32 1e-4, it is on the axis, where N_a/r tends to dN_a/dr for a node off the axis,
 * and u_x is 0 at the others. */
PIO_FN void fem_point_ring(const fem_block *b, int i, fem_point *p)
{
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    real r = R(0), most = R(0);
    for (int a = 0; a < nodes; a++) {
        const real x = point_load(b->rest, node[a]).x[0];
        r += p->N[a] * x;
        most = x > most ? x : most;
    }
    p->area *= FEM_TURN * r;
    if (fabs(r) > (sizeof(real) == 4 ? R(1e-4) : R(1e-9)) * most)
        p->per_radius = R(1) / r;
    else
        p->N = NULL;
}

/* Returns the third slope of the shape function of node n, N_n/r of a ring, 1/m, else 0. */
PIO_FN real fem_third_slope(const fem_point *p, int n)
{
    return p->N ? p->N[n] * p->per_radius : p->g[n][0];
}

/* Returns the derivative of ln V of a point by component c of the rest position of node n, 1/m. */
PIO_FN real fem_volume_slope(const fem_point *p, int n, int c)
{
    return DIM == 2 && c == 0 ? p->g[n][c] + fem_third_slope(p, n) : p->g[n][c];
}

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
    p.N = b->rule.N + (ptrdiff_t)q * nodes;
    p.per_radius = R(0);
    if (DIM == 2 && b->plane == PIO_AXISYMMETRIC) fem_point_ring(b, i, &p);
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

/* Returns sum_a y_a,x N_a/r, with which F33 of a ring changes along y; else 0. */
PIO_FN real fem_ring_gradient(const fem_block *b, int i, const fem_point *p, const real *y)
{
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    const int terms = DIM == 2 && b->plane == PIO_AXISYMMETRIC ? nodes : 0;
    real sum = R(0);
    for (int a = 0; a < terms; a++) sum += point_load(y, node[a]).x[0] * fem_third_slope(p, a);
    return sum;
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
    a->out[(ptrdiff_t)i * a->stride] = y + a->scale * (double)point_load(a->x, i).x[a->component];
}

/* Sets one component of a node, rounded to `real`. */
PIO_FN void point_write(int i, const point_write_args *a)
{
    a->x[(ptrdiff_t)i * DIM + a->component] = R(a->in[i]);
}

#endif
