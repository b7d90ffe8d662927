/* Room kernels/fem: every stage of a step of meshes and its adjoint: elements, loads, inertia, observations,
 * shapes. */
/* fem.h -- what all FEM kernels share: the mesh in blocks of one element type, the matter, the step block, faults.
 *
 * Total Lagrangian: X rest position, u displacement, F = I + sum_a u_a (grad_X N_a)^T (Bonet and Wood 2008, chapter 9).
 * Nodal vectors are [nodes][DIM], interleaved; what elements give to nodes is written per corner, [corners][DIM], and
 * each node then adds its corners in a fixed order: no atomics, the same bits for any number of threads. */
#ifndef PIOLA_KERNELS_FEM_H
#define PIOLA_KERNELS_FEM_H

#include "kernels/fem/fem_element.h"
#include "kernels/material/hyperelastic.h"

/* Elements of one type. Elements, corners and pairs of corners are numbered over all blocks. */
typedef struct {
    fem_rule rule;
    int n;             /* elements */
    int first;         /* number of its first element */
    int corner;        /* number of its first corner */
    const int *node;   /* [n][nodes] */
    const real *rest;  /* [nodes of the mesh][DIM] X, m */
    const real *thick; /* [elements of the mesh] thickness m; NULL in 3D */
} fem_block;

/* Per element of the mesh, constant during a run. */
typedef struct {
    int elements;
    const int *law;      /* [elements] HYPER_... */
    const real *k;       /* [HYPER_CONSTANTS][elements], see hyperelastic.h */
    const real *density; /* [elements] kg/m^3 */
} fem_matter;

/* What changes from step to step; lives on the device. */
typedef struct {
    int64_t index;     /* number of the step, 0 .. steps-1 */
    uint64_t fault;    /* FEM_NONE, or the smallest key of a fault: step, item, kind */
    double t;          /* s, at the end of the step */
    wide gravity[DIM]; /* m/s^2 */
} fem_step;

enum { FEM_INVERTED_REST, FEM_CONSTANT, FEM_INADMISSIBLE, FEM_NOT_FINITE, FEM_OFF_LATTICE };
#define FEM_NONE UINT64_MAX
/* Of an element or a node, in a step; the smallest is the earliest. */
PIO_FN uint64_t fem_fault_at(int64_t step, int item, int kind)
{
    return ((uint64_t)step << 36) | ((uint64_t)item << 4) | (uint64_t)kind;
}
PIO_FN uint64_t fem_fault_key(int element, int kind)
{
    return fem_fault_at(0, element, kind);
}

PIO_FN hyper_constants fem_constants_of(const fem_matter *m, int element)
{
    hyper_constants c;
    for (int i = 0; i < HYPER_CONSTANTS; i++) c.k[i] = m->k[field_at(m->elements, HYPER_CONSTANTS, i, element)];
    return c;
}

/* One quadrature point of one element: gradients of its shape functions and its share of the volume. */
typedef struct {
    real g[ELEMENT_NODES][DIM]; /* grad_X N_a, 1/m */
    real area;                  /* weight det dX/dxi: m^3, or m^2 in 2D */
    real volume;                /* area times thickness, m^3 */
} fem_point;

/* g_a = (dX/dxi)^-T dN_a/dxi */
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

/* ---- sums over the corners of a node ---------------------------------------------------------------------- */

typedef struct {
    const int *start;  /* [nodes + 1] */
    const int *corner; /* [start[nodes]] ascending per node */
    const real *in;    /* [corners][DIM] */
    real scale;
    real *out; /* [nodes][DIM]; added to */
} fem_node_sum_args;

PIO_FN void fem_node_sum(int node, const fem_node_sum_args *a)
{
    vec sum = vec_zero();
    for (int j = a->start[node]; j < a->start[node + 1]; j++)
        sum = vec_axpby(R(1), sum, R(1), point_load(a->in, a->corner[j]));
    point_store(a->out, node, vec_axpby(R(1), point_load(a->out, node), a->scale, sum));
}

/* ---- vectors over the nodes -------------------------------------------------------------------------------- */

/* out = a x + b y; out may be x or y */
typedef struct {
    real a, b;
    const real *x, *y; /* [nodes][DIM] */
    real *out;         /* [nodes][DIM]; set */
} point_axpby_args;

PIO_FN void point_axpby(int i, const point_axpby_args *v)
{
    point_store(v->out, i, vec_axpby(v->a, point_load(v->x, i), v->b, point_load(v->y, i)));
}

typedef struct {
    const real *x, *y; /* [nodes][DIM] */
} point_dot_args;

/* A term of x . y */
PIO_FN wide point_dot(int i, const point_dot_args *v)
{
    const vec x = point_load(v->x, i), y = point_load(v->y, i);
    wide sum = W(0);
    for (int c = 0; c < DIM; c++) sum += W(x.x[c]) * W(y.x[c]);
    return sum;
}

/* The acceleration of gravity at every node, or the unit vector of an axis. */
typedef struct {
    const fem_step *step;
    int axis;  /* -1: gravity */
    real *out; /* [nodes][DIM] m/s^2, or 1; set */
} point_uniform_args;

PIO_FN void point_uniform(int i, const point_uniform_args *a)
{
    for (int c = 0; c < DIM; c++)
        a->out[(ptrdiff_t)i * DIM + c] = a->axis < 0 ? R(a->step->gravity[c]) : R(c == a->axis);
}

/* out = x / sqrt(m), each component */
typedef struct {
    const real *x, *m; /* [nodes][DIM]; m > 0 */
    real *out;         /* [nodes][DIM]; set, may be x */
} point_over_root_args;

PIO_FN void point_over_root(int i, const point_over_root_args *v)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        v->out[at] = v->x[at] / sqrt(v->m[at]);
    }
}

/* x = value + noise times numbers in [-1, 1) that are a fixed function of the place (Steele, Lea and Flood 2014:
 * SplitMix). */
typedef struct {
    wide value, noise;
    real *x; /* [nodes][DIM]; set */
} point_set_args;

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

/* One component to the doubles of the outside, and back: x = y[component] + scale in. */
typedef struct {
    int component;
    double scale;
    const real *x, *y; /* [nodes][DIM]; y may be NULL: zero */
    double *out;       /* [nodes]; set */
} point_read_args;

PIO_FN void point_read(int i, const point_read_args *a)
{
    const double y = a->y ? (double)point_load(a->y, i).x[a->component] : 0;
    a->out[i] = y + a->scale * (double)point_load(a->x, i).x[a->component];
}

typedef struct {
    int component;
    const double *in; /* [nodes] */
    real *x;          /* [nodes][DIM]; one component set */
} point_write_args;

PIO_FN void point_write(int i, const point_write_args *a)
{
    a->x[(ptrdiff_t)i * DIM + a->component] = R(a->in[i]);
}

#endif
