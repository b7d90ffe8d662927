/* mpm_repel_args.h -- what launches pass to the kernels of mpm_repel.h. */
#ifndef PIOLA_KERNELS_MPM_REPEL_ARGS_H
#define PIOLA_KERNELS_MPM_REPEL_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_contact_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* Bodies of several velocity fields that repel each other, see mpm_repel.h: one team for each occupied block.
 * mpm_repel_fill sets `first` and `second`, and
 * what friction needs, mpm_repel reads `first` and sets `force` and `sums`. Of particles in blocks
 * with no particles of another field in or next to them nothing is set or read but `sums`. */
typedef struct {
    mpm_state s;          /* [n][.] state at the beginning of the step */
    int n;                /* particles */
    const real *radius;   /* [n] half the edge of a cube of the particle's rest volume, m, in id order */
    mpm_lists l;          /* cells, nodes and the order of particles in this step */
    mpm_step *step;       /* [1] its fault is lowered where a particle goes too deep, or begins inside another body */
    mpm_box box;          /* the grid and its walls, with 2 .. CONTACT_FIELDS fields */
    real stiffness;       /* K, Pa > 0 */
    real distance;        /* w over which the potential sets in, m > 0 */
    real *first, *second; /* [n][fields] psi', m, and psi'' of a particle, by its place in the state, in each field */
    real *sum, *slope; /* [n][fields] S and [n][fields][DIM] dS/dy likewise, for friction (mpm_rub.h); or both NULL */
    real *force;       /* [n][DIM] N, by its place in the state */
    real *sums;        /* [occupied blocks][TILE_NODES][QUAD] N s; set */
} mpm_repel_args;
typedef mpm_repel_args mpm_repel_fill_args;

/* The adjoint in three stages, with the same items: mpm_repel_adj sets `force_bar` and adds to `offset_bar` what the
 * spread of impulses depends on, mpm_repel_tangent sets `bent`, mpm_repel_bend adds to `offset_bar` what forces do. */
typedef struct {
    mpm_repel_args fwd;   /* its sums are not used */
    int nodes;            /* of the box, those of all fields together */
    const real *push_bar; /* [nodes][DIM] cotangents of the impulses of active nodes, J's unit per N s */
    real *force_bar;      /* [n][DIM] cotangents u of each particle's force, by its place in the state */
    real *bent;           /* [n][fields] psi'' ds along u, likewise */
    real *offset_bar;     /* [n][DIM] of the state, stored as it is; added to */
} mpm_repel_adj_args;
typedef mpm_repel_adj_args mpm_repel_tangent_args, mpm_repel_bend_args;

#endif
