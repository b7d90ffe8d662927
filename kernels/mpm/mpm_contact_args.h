/* mpm_contact_args.h -- what launches pass to the kernels of mpm_contact.h. */
#ifndef PIOLA_KERNELS_MPM_CONTACT_ARGS_H
#define PIOLA_KERNELS_MPM_CONTACT_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

enum { CONTACT_FIELDS = 4 }; /* at most */

/* Contact between velocity fields, see mpm_contact.h: one item for each active node. */
typedef struct {
    mpm_lists l;               /* cells, nodes and the order of particles in this step */
    const mpm_step *step;      /* [1] the step block */
    mpm_box box;               /* the grid and its walls */
    int nodes;                 /* of all fields */
    int fields;                /* 2 .. CONTACT_FIELDS */
    const real *sums;          /* [nodes][DIM + 1] of which the mass kg is read */
    const real *volume;        /* [nodes] at rest, m^3, of which that of active nodes is read */
    const real *free_velocity; /* [nodes][DIM] m/s of each field alone */
    real *velocity;            /* [nodes][DIM] m/s; set for active nodes */
} mpm_contact_args;

/* The adjoint of mpm_contact: one item for each active node. */
typedef struct {
    mpm_contact_args fwd;     /* its velocity is not used */
    const real *velocity_bar; /* [nodes][DIM] dJ/dv_i of active nodes */
    real *free_bar;           /* [nodes][DIM] of those before; set for active nodes; may be velocity_bar */
    real *mass_bar;           /* [nodes] dJ/dm_i, 1/kg times J's unit; set for active nodes */
    real *volume_bar;   /* [nodes][DIM + 1] dJ/dV_i by the filling alone, 1/m^3, and dJ/dG_i; set for active nodes */
    real *contribution; /* [2][nodes] a place's terms of dJ/dmu and dJ/do; set for active nodes */
} mpm_contact_adj_args;

/* What the mass of one active node gets, and its volume, of which the differences at its neighbours are made:
 *     m_bar_i += mass_bar,   V_bar_i = volume_bar + sum_c (G_bar_c(i - e_c) - G_bar_c(i + e_c))/(2 dx^d) */
typedef struct {
    mpm_lists l;                       /* cells, nodes and the order of particles in this step */
    mpm_box box;                       /* the grid and its walls */
    int nodes;                         /* of the box, those of all fields together */
    const real *mass_bar, *volume_bar; /* as in mpm_contact_adj_args */
    real *node_bar;                    /* [nodes][DIM + 1], of which the mass' cotangent is added to */
    real *node_volume_bar;             /* [nodes] V_bar; set for active nodes */
} mpm_contact_volume_adj_args;

/* A term of dJ/dmu (0) or dJ/do (1). */
typedef struct {
    mpm_lists l;              /* cells, nodes and the order of particles in this step */
    int nodes, which;         /* of the box; which of the two terms */
    const real *contribution; /* [2][nodes] */
} mpm_contact_sum_args;

#endif
