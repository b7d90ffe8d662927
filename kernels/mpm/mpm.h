/* Room kernels/mpm: every stage of a step of particles and its adjoint: sorting, transfers, the grid, obstacles,
 * contact, control, observations. */
/* mpm.h -- what all MPM kernels share: the particle state, the grid box, the step block, faults.
 *
 * A particle's position is an integer base node and an offset from it in units of the spacing, so that f32 resolves
 * slow
 * motion equally well everywhere:   x = origin + (base + offset) dx,   offset in [1/2, 3/2).
 * The pair is unique, hence the cell is a pure function of the position. A state is stored in the order in which the
 * step before it visited its particles; `id` says who is who. */
#ifndef PIOLA_KERNELS_MPM_H
#define PIOLA_KERNELS_MPM_H

#include "kernels/material/plasticity_map.h"

/* One particle state, or with the same names its cotangents (then id and cell are unused). */
typedef struct {
#define INT_FIELD(name, unit, meaning) int *name;
#define FIELD(name, components, when, unit, meaning) real *name;
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
} mpm_state;

enum { WALL_STICKY, WALL_SLIP, WALL_SEPARATE, WALL_PENALTY };

/* The grid: nodes[0] x nodes[1] (x nodes[2]) nodes, the last axis fastest. A cell has the number of its base node.
 * Where bodies have velocity fields of their own (mpm_contact.h), the grids of the fields follow one another in the
 * numbering. */
typedef struct {
    int nodes[DIM];     /* per axis, > 4 */
    int stride[DIM];    /* of the linear node number */
    int face[DIM][2];   /* node index of the lower and the upper wall */
    int wall[DIM][2];   /* WALL_... */
    real dx, inv_dx;    /* node spacing m, and 1/m */
    double origin[DIM]; /* place of node 0, m */
    int fields;         /* grids, >= 1 */
} mpm_box;

/* What changes from step to step; lives on the device, so that launches do not depend on it. */
typedef struct {
    int64_t index;  /* number of the step, 0 .. steps-1 */
    uint64_t fault; /* FAULT_NONE, or the smallest fault_key so far */
    int particles;  /* how many to process: n, or 0 after a fault */
    int cells;      /* occupied cells, number of entries of the cell list */
    int nodes;      /* active nodes, number of entries of the node list */
    /* most nodes that were active at a time so far in this run */
    int most_nodes;
    real h;            /* time step s, > 0 */
    real cfl;          /* largest share of a cell to travel in one step, in (0, 1] */
    real gravity[DIM]; /* m/s^2 */
    real friction;     /* of velocity fields, see mpm_contact.h */
    real onset;        /* likewise, m/s */
    real flip;         /* share of FLIP, 0 .. 1, see mpm_flip.h */
} mpm_step;

/* Per particle, in id order, constant during a run. */
typedef struct {
    int n;                  /* particles */
    int constants;          /* kept of each particle: as many as one of the laws has, at least 2 */
    const int *law;         /* [n]    HYPER_... but the linear one, or LAW_... */
    const real *volume;     /* [n]    rest volume m^3 */
    const real *mass;       /* [n]    kg */
    const real *k;          /* [constants][n], see law.h */
    int channels;           /* of control */
    const int *channel;     /* [n]    channel that drives the particle, -1: none; NULL: there are no channels */
    const real *fibre;      /* [DIM][channels] unit direction at rest */
    const real *activation; /* [channels] Pa, set by mpm_control in every step */
    const real *viscosity;  /* [n]    of solids, Pa s >= 0; NULL: none is viscous */
    const int *plasticity;  /* [n]    PLASTIC_...; NULL: there are no plastic particles */
    const real *yield;      /* [PLASTIC_CONSTANTS][n], see plasticity.h */
} mpm_matter;

/* ---- faults: which came first is decided by step, then id, then kind; the same for any number of threads ---- */

enum { FAULT_NOT_FINITE, FAULT_LEFT_GRID, FAULT_CFL, FAULT_INVERTED, FAULT_WAVE_CFL, FAULT_CONSTANT, FAULT_VISCOUS };
/* Of the reversible integrator: a shear in one step that is too large, a deformation beyond what its numbers hold. Of
 * compact slots: too little room. */
enum { FAULT_PIVOT = FAULT_VISCOUS + 1, FAULT_RANGE, FAULT_ROOM };
/* Of plastic particles: constants that the law does not allow; snow that hardened until waves are too fast for the time
 * step. */
enum { FAULT_PLASTIC_CONSTANT = FAULT_ROOM + 1, FAULT_HARDENED };
#define FAULT_NONE UINT64_MAX
/* 29 bits of step, 31 of id, 4 of kind. FAULT_ROOM, a compact slot has too little of it: what would do, in place of the
 * id. */
PIO_FN uint64_t fault_key(int64_t step, int id, int kind)
{
    return ((uint64_t)step << 35) | ((uint64_t)id << 4) | (uint64_t)kind;
}

/* ---- the grid ------------------------------------------------------------------------------------------- */

enum { STENCIL = DIM == 3 ? 27 : 9, STENCIL_PAD = DIM == 3 ? 32 : 16 };

/* Linear number of stencil node q in 0..STENCIL-1, relative to the base node; q counts the last axis fastest. */
PIO_FN int stencil_node(const mpm_box *box, int q)
{
#if PIO_DIM == 3
    return q / 9 * box->stride[0] + q / 3 % 3 * box->stride[1] + q % 3;
#else
    return q / 3 * box->stride[0] + q % 3;
#endif
}

/* Node 0 of the grid, or field, that a node belongs to. */
PIO_FN int field_first(const mpm_box *box, int node)
{
    const int one = box->nodes[0] * box->stride[0];
    return box->fields > 1 ? node / one * one : 0;
}

/* Index of a node along each axis. */
PIO_FN void node_index(const mpm_box *box, int node, int index[DIM])
{
    PIO_UNROLL
    for (int a = 0; a < DIM; a++) {
        index[a] = node / box->stride[a];
        node -= index[a] * box->stride[a];
    }
    if (box->fields > 1) index[0] %= box->nodes[0];
}

/* The constants of item `id` of a field of `count` of them; the others are 0. */
PIO_FN hyper_constants constants_load(const real *field, int n, int count, int id)
{
    hyper_constants k;
    k.k[0] = field[field_at(n, count, 0, id)];
    k.k[1] = field[field_at(n, count, 1, id)];
    PIO_UNROLL
    for (int c = 2; c < HYPER_CONSTANTS; c++) k.k[c] = c < count ? field[field_at(n, count, c, id)] : R(0);
    return k;
}

PIO_FN void constants_add(real *field, int n, int count, int id, hyper_constants k)
{
    PIO_UNROLL
    for (int c = 0; c < HYPER_CONSTANTS; c++)
        if (c < count) field[field_at(n, count, c, id)] += k.k[c];
}

PIO_FN hyper_constants constants_zero(void)
{
    hyper_constants k;
    PIO_UNROLL
    for (int c = 0; c < HYPER_CONSTANTS; c++) k.k[c] = R(0);
    return k;
}

PIO_FN hyper_constants matter_constants(const mpm_matter *m, int id)
{
    return constants_load(m->k, m->n, m->constants, id);
}

/* The first two, mu and lambda of the neo-Hookean law. */
PIO_FN law_constants matter_pair(const mpm_matter *m, int id)
{
    law_constants c;
    c.k[0] = m->k[field_at(m->n, m->constants, 0, id)];
    c.k[1] = m->k[field_at(m->n, m->constants, 1, id)];
    c.k[2] = R(0);
    return c;
}

/* What the plastic law of a plastic particle depends on. */
PIO_FN plastic_matter plastic_matter_of(const mpm_matter *m, int id, real h)
{
    plastic_matter r;
    r.mu = m->k[field_at(m->n, m->constants, 0, id)];
    r.lambda = m->k[field_at(m->n, m->constants, 1, id)];
    PIO_UNROLL
    for (int c = 0; c < PLASTIC_CONSTANTS; c++) r.y[c] = m->yield[field_at(m->n, PLASTIC_CONSTANTS, c, id)];
    r.h = h;
    return r;
}

PIO_FN plastic_matter plastic_matter_zero(void)
{
    plastic_matter r;
    r.mu = r.lambda = r.h = R(0);
    PIO_UNROLL
    for (int c = 0; c < PLASTIC_CONSTANTS; c++) r.y[c] = R(0);
    return r;
}

/* Cotangents of constants, of the elastic law and of the plastic one. */
PIO_FN void plastic_matter_add(const mpm_matter *matter, int id, const plastic_matter *m_bar, real *k_bar,
                               real *yield_bar)
{
    const int n = matter->n;
    k_bar[field_at(n, matter->constants, 0, id)] += m_bar->mu;
    k_bar[field_at(n, matter->constants, 1, id)] += m_bar->lambda;
    PIO_UNROLL
    for (int c = 0; c < PLASTIC_CONSTANTS; c++) yield_bar[field_at(n, PLASTIC_CONSTANTS, c, id)] += m_bar->y[c];
}

/* Place of a particle along one axis, m. */
PIO_FN wide particle_position(const mpm_box *box, int cell, real offset, int axis)
{
    int base[DIM];
    node_index(box, cell, base);
    return W(box->origin[axis]) + (W(base[axis]) + W(offset)) * W(box->dx);
}

#endif
