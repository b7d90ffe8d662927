/* mpm_args.h -- what the arguments of all MPM kernels are made of: the particle state, the grid box, the step block,
 * faults. */
#ifndef PIOLA_KERNELS_MPM_ARGS_H
#define PIOLA_KERNELS_MPM_ARGS_H

#include "kernels/base/base.h"
#include "kernels/base/vocabulary.h"
#include "kernels/material/laws.h"

/* One particle state, or with the same names its cotangents (then id and cell are unused). */
typedef struct {
#define INT_FIELD(name, unit, meaning) int *name;
#define FIELD(name, components, when, unit, meaning) real *name;
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
} mpm_state;

/* Nodes are numbered block after block, BLOCK_EDGE of them along each axis, 64 in all: what is near in space is near in
 * memory.
 * The tile of a block is its nodes and those of the stencils of its cells, which are two more along each axis. */
enum { BLOCK_BITS = DIM == 3 ? 2 : 3, BLOCK_EDGE = 1 << BLOCK_BITS, BLOCK_NODES = 64 };
enum { TILE_EDGE = BLOCK_EDGE + 2, TILE_NODES = DIM == 3 ? 216 : 100 };

/* The grid: nodes[0] x nodes[1] (x nodes[2]) nodes in blocks, of blocks and in a block the last axis fastest. The last
 * block of an axis may reach beyond the grid: such numbers have no node. A cell has the number of its base node. Where
 * bodies have velocity fields of their own (mpm_contact.h), the grids of the fields follow one another in the
 * numbering. */
typedef struct {
    int nodes[DIM];     /* per axis, > 4 */
    int stride[DIM];    /* from a node to that at its place in the next block along each axis */
    int field_nodes;    /* numbers of nodes of one grid, with those beyond it */
    int face[DIM][2];   /* node index of the lower and the upper wall */
    int wall[DIM][2];   /* a pio_wall */
    int rough;          /* bit 2 a + side: this wall acts along itself (mpm_wall.h) */
    real dx, inv_dx;    /* node spacing m, and 1/m */
    double origin[DIM]; /* place of node 0, m */
    int fields;         /* grids, >= 1 */
} mpm_box;

/* What changes from step to step; lives on the device, so that launches do not depend on it. */
typedef struct {
    int64_t index;  /* number of the step, 0 .. steps-1 */
    uint64_t fault; /* FAULT_NONE, or the smallest fault_key so far */
    int particles;  /* how many to process: n, or 0 after a fault */
    int blocks;     /* with an occupied cell, number of entries of the block list */
    int nodes;      /* active nodes, number of entries of the node list */
    /* most nodes that were active at a time so far in this run */
    int most_nodes;
    real h;                      /* time step s, > 0 */
    real cfl;                    /* largest fraction of a cell to travel in one step, in (0, 1] */
    real gravity[DIM];           /* m/s^2 */
    real friction;               /* of velocity fields, see mpm_contact.h */
    real regularisation;         /* likewise, m/s; e of mpm_rub.h where they repel each other */
    real flip_ratio;             /* FLIP ratio b, 0 .. 1, see mpm_flip.h */
    real wall_friction[DIM][2];  /* mu of each wall, >= 0, see mpm_wall.h */
    real wall_friction_velocity; /* e, m/s > 0, likewise */
} mpm_step;

/* Per particle, in id order, constant during a run. */
typedef struct {
    int n;                  /* particles */
    int constants;          /* kept of each particle: as many as one of the laws has, at least 2 */
    const int *law;         /* [n]    a pio_law, but not the linear one */
    int one_law;            /* 1 + the law of all particles; 0: they may differ */
    const real *volume;     /* [n]    rest volume m^3 */
    const real *mass;       /* [n]    kg */
    const real *k;          /* [n][constants], see law.h */
    int channels;           /* of control */
    const int *channel;     /* [n]    channel that drives the particle, -1: none; NULL: there are no channels */
    const real *fibre;      /* [channels][DIM] unit direction at rest */
    const real *activation; /* [channels] Pa, set by mpm_control in every step */
    const real *viscosity;  /* [n]    of solids, Pa s >= 0; NULL: none is viscous */
    const int *plasticity;  /* [n]    a pio_plastic_law; NULL: there are no plastic particles */
    const real *yield;      /* [n][PIO_PLASTIC_CONSTANTS], see plasticity.h */
} mpm_matter;

/* ---- faults: which came first is decided by step, then id, then kind; the same for any number of threads ---- */

enum { FAULT_NOT_FINITE, FAULT_LEFT_GRID, FAULT_CFL, FAULT_INVERTED, FAULT_WAVE_CFL, FAULT_CONSTANT, FAULT_VISCOUS };

/* Of the reversible integrator: a shear in one step that is too large, a deformation outside the range of its
 * numbers. Of compact slots: too little room. */
enum { FAULT_PIVOT = FAULT_VISCOUS + 1, FAULT_RANGE, FAULT_ROOM };

/* Of plastic particles: constants that the law does not allow; snow that hardened until waves are too fast for the time
 * step. */
enum { FAULT_PLASTIC_CONSTANT = FAULT_ROOM + 1, FAULT_HARDENED };

/* Of obstacles with a potential: a particle too deep in one; a time step too long for its stiffness. */
enum { FAULT_DEPTH = FAULT_HARDENED + 1, FAULT_CONTACT };

/* Of bodies that repel each other (mpm_repel.h): a particle too deep in another body; one inside it, or inside an
 * obstacle with a potential, at the start. */
enum { FAULT_BODIES = FAULT_CONTACT + 1, FAULT_OVERLAP };

#define FAULT_NONE UINT64_MAX

/* Returns the number by which faults are ordered: 29 bits of step, 31 of id, 4 of kind. FAULT_ROOM, a compact slot has
 * too little of it: what would do, in place of the id. */
PIO_FN uint64_t fault_key(int64_t step, int id, int kind)
{
    return ((uint64_t)step << 35) | ((uint64_t)id << 4) | (uint64_t)kind;
}

enum { STENCIL = DIM == 3 ? 27 : 9, STENCIL_PAD = DIM == 3 ? 32 : 16 };

#endif
