/* fem_batch.h -- elements in packs, one in each lane: gradients of shape functions, and fields at quadrature points.
 * The functions of fem.h do the same for one element. */
#ifndef PIOLA_KERNELS_FEM_BATCH_H
#define PIOLA_KERNELS_FEM_BATCH_H

#include "kernels/base/pack.h"
#include "kernels/fem/fem.h"

/* The elements first .. first + m - 1 of a block, 1 <= m <= PACK. Lanes beyond have the last of them once more. */
typedef struct {
    int first, m;
    int law;                   /* of all elements, or -1 where laws differ */
    int plane;                 /* of the block */
    int heated;                /* elements may have thermal strains */
    pack diagonal;             /* hyper_diagonal of each law */
    pack k[PIO_LAW_CONSTANTS]; /* of the laws */
    pack heat;                 /* thermal strain of each; 0 where there is none */
    pack thick;                /* m; 1 in 3D */
} fem_batch;

/* The values of a nodal vector at the nodes of a batch; on CUDA, where they are read. */
typedef struct {
#if PIO_LANE_LOOPS
    pack x[ELEMENT_NODES][DIM];
#else
    const int *node;
    const real *y;
#endif
} fem_batch_nodes;

/* A quadrature point of each element of a batch, as fem_point. */
typedef struct {
    pack g[ELEMENT_NODES][DIM]; /* grad_X N_a, 1/m */
    pack area;                  /* weight det dX/dxi: m^3, or m^2 in 2D; of rings times the circumference */
    pack volume;                /* area times thickness, m^3 */
    pack per_radius;            /* 1/r of rings, 1/m, else 0 */
    const real *N;              /* [nodes] shape functions */
    pack_mat inverse;           /* (dX/dxi)^-T, 1/m */
} fem_batch_point;

/* Returns 1 for an element of a block whose thread works on a batch: those between are in the batch of one before. */
PIO_FN int fem_batch_begins(int i)
{
    return i % PACK == 0;
}

/* Returns the element of lane j, by its number in the block. */
PIO_FN int fem_batch_item(const fem_batch *t, int j)
{
    return t->first + (j < t->m ? j : t->m - 1);
}

/* Sets a batch whose first element is number i of the block. */
PIO_FN void fem_batch_open(fem_batch *t, const fem_block *b, const fem_matter *m, int i)
{
    t->first = i;
    t->m = b->n - i < PACK ? b->n - i : PACK;
    t->law = m->law[b->first + i];
    t->plane = DIM == 2 ? b->plane : 0;
    t->heated = m->heat != NULL;
    for (int j = 0; j < PACK; j++) {
        const int e = b->first + fem_batch_item(t, j);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
            pack_lanes(&t->k[c])[j] = m->k[field_at(m->elements, PIO_LAW_CONSTANTS, c, e)];
        pack_lanes(&t->thick)[j] = b->thick ? b->thick[e] : R(1);
        pack_lanes(&t->heat)[j] = fem_heat_of(m, e);
        pack_lanes(&t->diagonal)[j] = hyper_diagonal(m->law[e]);
        if (m->law[e] != m->law[b->first + i]) t->law = -1;
    }
}

/* Sets the values of a nodal vector y [nodes of the mesh][DIM]. */
PIO_FN void fem_batch_load(fem_batch_nodes *v, const fem_batch *t, const fem_block *b, const real *y)
{
    const int nodes = b->rule.nodes;
#if PIO_LANE_LOOPS
    for (int j = 0; j < PACK; j++) {
        const int *node = b->node + (ptrdiff_t)fem_batch_item(t, j) * nodes;
        for (int a = 0; a < nodes; a++) {
            PIO_UNROLL
            for (int c = 0; c < DIM; c++) pack_lanes(&v->x[a][c])[j] = y[(ptrdiff_t)node[a] * DIM + c];
        }
    }
#else
    v->node = b->node + (ptrdiff_t)t->first * nodes;
    v->y = y;
#endif
}

/* Returns component c at node a. */
PIO_FN pack fem_batch_at(const fem_batch_nodes *v, int a, int c)
{
#if PIO_LANE_LOOPS
    return v->x[a][c];
#else
    return v->y[(ptrdiff_t)v->node[a] * DIM + c];
#endif
}

/* Returns the constants of lane j. */
PIO_FN hyper_constants fem_batch_constants(fem_batch *t, int j)
{
    hyper_constants k;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k.k[c] = pack_lanes(&t->k[c])[j];
    return k;
}

/* Sets volume and (dX/dxi)^-T of quadrature point q of a batch with rest positions X, as fem_point_at does. */
PIO_FN void fem_batch_jacobian(fem_batch_point *p, const fem_batch *t, const fem_batch_nodes *X, const fem_rule *r,
                               int q)
{
    const real *dN = r->dN + (ptrdiff_t)q * r->nodes * DIM;
    pack_mat J = pack_mat_diag(pack_of(R(0)));
    for (int a = 1; a < r->nodes; a++) {
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) {
            const pack x = fem_batch_at(X, a, c) - fem_batch_at(X, 0, c);
            PIO_UNROLL
            for (int d = 0; d < DIM; d++) J.m[c][d] += x * dN[a * DIM + d];
        }
    }
    const pack_mat cof = pack_mat_cofactor(J);
    const pack det = pack_mat_det(J, cof);
    p->inverse = pack_mat_scale(R(1) / det, cof);
    p->area = r->w[q] * det;
    p->per_radius = pack_of(R(0));
    p->N = r->N + (ptrdiff_t)q * r->nodes;
    if (DIM == 2 && t->plane == PIO_AXISYMMETRIC) {
        pack radius = pack_of(R(0));
        for (int a = 0; a < r->nodes; a++) radius += p->N[a] * fem_batch_at(X, a, 0);
        p->per_radius = R(1) / radius;
        p->area *= FEM_TURN * radius;
    }
    p->volume = p->area * t->thick;
}

/* Sets the gradient of shape function a at quadrature point q. */
PIO_FN void fem_batch_slope(fem_batch_point *p, const fem_rule *r, int q, int a)
{
    const real *dN = r->dN + ((ptrdiff_t)q * r->nodes + a) * DIM;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        pack g = p->inverse.m[c][0] * dN[0];
        PIO_UNROLL
        for (int d = 1; d < DIM; d++) g += p->inverse.m[c][d] * dN[d];
        p->g[a][c] = g;
    }
}

/* Returns the gradient at a point of the field with values y at the nodes, as fem_gradient does. */
PIO_FN pack_mat fem_batch_gradient(const fem_batch_point *p, const fem_batch_nodes *y, int nodes)
{
    pack_mat H = pack_mat_diag(pack_of(R(0)));
    for (int a = 0; a < nodes; a++) {
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) {
            const pack v = fem_batch_at(y, a, c);
            PIO_UNROLL
            for (int d = 0; d < DIM; d++) H.m[c][d] += v * p->g[a][d];
        }
    }
    return H;
}

/* Returns what the laws are functions of: F = I + grad u, or grad u (hyper_diagonal). */
PIO_FN pack_mat fem_batch_deformation(const fem_batch *t, const fem_batch_point *p, const fem_batch_nodes *u, int nodes)
{
    pack_mat F = fem_batch_gradient(p, u, nodes);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) F.m[c][c] += t->diagonal;
    return F;
}

/* Sets quadrature point q of a batch with rest positions X. */
PIO_FN void fem_batch_point_at(fem_batch_point *p, const fem_batch *t, const fem_batch_nodes *X, const fem_rule *r,
                               int q)
{
    fem_batch_jacobian(p, t, X, r, q);
    for (int a = 0; a < r->nodes; a++) fem_batch_slope(p, r, q, a);
}

/* Returns sum_a y_a,x N_a/r of rings, as fem_ring_gradient. */
PIO_FN pack fem_batch_ring_gradient(const fem_batch_point *p, const fem_batch_nodes *y, int nodes)
{
    pack sum = pack_of(R(0));
    for (int a = 0; a < nodes; a++) sum += p->N[a] * fem_batch_at(y, a, 0);
    return sum * p->per_radius;
}

/* ---- element vectors, [nodes][DIM] ---------------------------------------------------------------------------- */

/* BATCH_SUMS(name, out) is an element vector in packs; on CUDA it is summed where it is stored. */
#if PIO_LANE_LOOPS
#define BATCH_SUMS(name, out) pack name[ELEMENT_NODES * DIM]
#else
#define BATCH_SUMS(name, out) pack *const name = (out)
#endif

/* Sets an element vector to 0. */
PIO_FN void fem_batch_clear(pack *sums, int nodes)
{
    for (int c = 0; c < nodes * DIM; c++) sums[c] = pack_of(R(0));
}

/* Adds V M g_a to each node a: the internal force of a stress M at one point. */
PIO_FN void fem_batch_add(pack *sums, int nodes, const fem_batch_point *p, pack_mat M)
{
    const pack_mat VM = pack_mat_scale(p->volume, M);
    for (int a = 0; a < nodes; a++) {
        PIO_UNROLL
        for (int c = 0; c < DIM; c++) {
            pack f = sums[a * DIM + c];
            PIO_UNROLL
            for (int d = 0; d < DIM; d++) f += VM.m[c][d] * p->g[a][d];
            sums[a * DIM + c] = f;
        }
    }
}

/* Adds V M33 N_a/r to the first component of each node a: the internal force of a hoop stress M33 at one point. */
PIO_FN void fem_batch_add_ring(pack *sums, int nodes, const fem_batch_point *p, pack M33)
{
    const pack hoop = p->volume * p->per_radius * M33;
    for (int a = 0; a < nodes; a++) sums[a * DIM] += hoop * p->N[a];
}

/* Stores element vectors; `out` is that of the first element. */
PIO_FN void fem_batch_store(real *out, const fem_batch *t, pack *sums, int nodes)
{
#if PIO_LANE_LOOPS
    packs_store(out, (ptrdiff_t)nodes * DIM, t->m, sums, nodes * DIM);
#else
    (void)out, (void)t, (void)sums, (void)nodes;
#endif
}

#endif
