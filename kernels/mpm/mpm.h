/* Room kernels/mpm: every stage of a step of particles and its adjoint: sorting, transfers, the grid, obstacles,
 * contact, control, observations. */
/* mpm.h -- what all MPM kernels share: places on the grid, and the constants of a particle.
 *
 * A particle's position is an integer base node and an offset from it in units of the spacing, so that f32 resolves
 * slow motion equally well everywhere:   x = origin + (base + offset) dx,   offset in [1/2, 3/2).
 * The pair is unique, hence the cell is a pure function of the position. A state is stored in the order in which the
 * step before it visited its particles; `id` says who is who. */
#ifndef PIOLA_KERNELS_MPM_H
#define PIOLA_KERNELS_MPM_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/material/plasticity_map.h"
#include "kernels/material/plasticity_series.h"

/* ---- the grid ------------------------------------------------------------------------------------------- */

/* Returns what index i >= 0 along an axis adds to the number of a node. */
PIO_FN int node_step(const mpm_box *box, int axis, int i)
{
    return (i >> BLOCK_BITS) * box->stride[axis] + ((i & (BLOCK_EDGE - 1)) << BLOCK_BITS * (DIM - 1 - axis));
}

/* Returns what is added to the number of a node whose index along an axis is i, to get that at i + k. */
PIO_FN int node_hop(const mpm_box *box, int axis, int i, int k)
{
    return node_step(box, axis, i + k) - node_step(box, axis, i);
}

/* Returns the number of the node with these indices, in the grid whose first node is `first`. */
PIO_FN int node_number(const mpm_box *box, int first, const int index[DIM])
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) first += node_step(box, a, index[a]);
    return first;
}

/* Returns node 0 of the grid, or of the field, that a node belongs to. */
PIO_FN int field_first(const mpm_box *box, int node)
{
    return box->fields > 1 ? node / box->field_nodes * box->field_nodes : 0;
}

/* Sets the index of a node along each axis, in the grid of its own field. */
PIO_FN void node_index(const mpm_box *box, int node, int index[DIM])
{
    if (box->fields > 1) node %= box->field_nodes;
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        const int block = node / box->stride[a];
        node -= block * box->stride[a];
        index[a] = (block << BLOCK_BITS) + (node >> BLOCK_BITS * (DIM - 1 - a) & (BLOCK_EDGE - 1));
    }
}

/* What the nodes of a stencil, 0 to 2 along each axis, add to a node's number; along axis 0 with that of the field's
 * first node. */
typedef struct {
    int step[DIM][3];
} stencil_nodes;

/* Returns the nodes of the stencil of a cell. */
PIO_FN stencil_nodes stencil_nodes_of(const mpm_box *box, int cell)
{
    stencil_nodes s;
    int base[DIM];
    node_index(box, cell, base);
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        PIO_UNROLL
        for (int k = 0; k < 3; k++)
            s.step[a][k] = node_step(box, a, base[a] + k) + (a == 0 ? field_first(box, cell) : 0);
    }
    return s;
}

/* Returns stencil node q in 0..STENCIL-1; q counts the last axis fastest. */
PIO_FN int stencil_node(const stencil_nodes *s, int q)
{
#if PIO_DIM == 3
    return s->step[0][q / 9] + s->step[1][q / 3 % 3] + s->step[2][q % 3];
#else
    return s->step[0][q / 3] + s->step[1][q % 3];
#endif
}

/* Returns the constants of item `id` of a field [n][count], count >= 2; those that the field has not are 0. */
PIO_FN hyper_constants constants_load(const real *field, int n, int count, int id)
{
    hyper_constants k;
    k.k[0] = field[field_at(n, count, 0, id)];
    k.k[1] = field[field_at(n, count, 1, id)];
    PIO_UNROLL
    for (int c = 2; c < PIO_LAW_CONSTANTS; c++) k.k[c] = c < count ? field[field_at(n, count, c, id)] : R(0);
    return k;
}

/* Adds constants to those of item `id` of a field [n][count]; those that the field has not are left out. */
PIO_FN void constants_add(real *field, int n, int count, int id, hyper_constants k)
{
    PIO_UNROLL
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        if (c < count) field[field_at(n, count, c, id)] += k.k[c];
}

/* Returns constants that are all 0. */
PIO_FN hyper_constants constants_zero(void)
{
    hyper_constants k;
    PIO_UNROLL
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k.k[c] = R(0);
    return k;
}

/* Returns the constants of particle `id`, in the units of its law. */
PIO_FN hyper_constants matter_constants(const mpm_matter *m, int id)
{
    return constants_load(m->k, m->n, m->constants, id);
}

/* Returns the first two constants of particle `id`, Pa, which are mu and lambda of the neo-Hookean law; the third is
 * 0. */
PIO_FN law_constants matter_lame_parameters(const mpm_matter *m, int id)
{
    law_constants c;
    c.k[0] = m->k[field_at(m->n, m->constants, 0, id)];
    c.k[1] = m->k[field_at(m->n, m->constants, 1, id)];
    c.k[2] = R(0);
    return c;
}

/* Returns what the law of plastic particle `id` depends on: mu and lambda, Pa, its plastic constants and the time step
 * h, s. */
PIO_FN plastic_matter plastic_matter_of(const mpm_matter *m, int id, real h)
{
    plastic_matter r;
    r.mu = m->k[field_at(m->n, m->constants, 0, id)];
    r.lambda = m->k[field_at(m->n, m->constants, 1, id)];
    PIO_UNROLL
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) r.y[c] = m->yield[field_at(m->n, PIO_PLASTIC_CONSTANTS, c, id)];
    r.h = h;
    return r;
}

/* Returns plastic parameters that are all 0. */
PIO_FN plastic_matter plastic_matter_zero(void)
{
    plastic_matter r;
    r.mu = r.lambda = r.h = R(0);
    PIO_UNROLL
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) r.y[c] = R(0);
    return r;
}

/* Adds the cotangents of the constants of particle `id`: those of mu and lambda to k_bar [n][constants], those of the
 * plastic law to yield_bar [n][PIO_PLASTIC_CONSTANTS]. */
PIO_FN void plastic_matter_add(const mpm_matter *matter, int id, const plastic_matter *m_bar, real *k_bar,
                               real *yield_bar)
{
    const int n = matter->n;
    k_bar[field_at(n, matter->constants, 0, id)] += m_bar->mu;
    k_bar[field_at(n, matter->constants, 1, id)] += m_bar->lambda;
    PIO_UNROLL
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) yield_bar[field_at(n, PIO_PLASTIC_CONSTANTS, c, id)] += m_bar->y[c];
}

/* Returns the place of a particle along one axis, m: origin + (base + offset) dx, with `cell` the number of its base
 * node. */
PIO_FN wide particle_position(const mpm_box *box, int cell, real offset, int axis)
{
    int base[DIM];
    node_index(box, cell, base);
    return W(box->origin[axis]) + (W(base[axis]) + W(offset)) * W(box->dx);
}

#endif
