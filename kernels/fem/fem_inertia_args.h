/* fem_inertia_args.h -- what launches pass to the kernels of fem_inertia.h. */
#ifndef PIOLA_KERNELS_FEM_INERTIA_ARGS_H
#define PIOLA_KERNELS_FEM_INERTIA_ARGS_H

#include "kernels/fem/fem_args.h"

/* f = M x, times a factor of each element */
typedef struct {
    fem_block b; /* with the rule of masses */
    int lumped;
    const real *density; /* [elements] kg/m^3 */
    const real *factor;  /* [elements], or NULL: 1. alpha, 1/s, where f is a damping force */
    const real *x;       /* [nodes][DIM] accelerations m/s^2, or velocities m/s */
    real *out;           /* [element nodes][DIM] N; set for the block's element nodes */
} fem_inertia_args;

/* With L = y . M x for rho = 1, a sum of terms of degree 1 in the volumes V, dV = V tr H:
 *     x_bar = M y,   rho_bar = L,   thickness_bar = rho L/thickness,   X_bar_a = rho sum_q V (dL/dV_q) g_a
 *     consistent: dL/dV_q = Y.X of the point
 *     lumped: dL/dV_q = sum_a y_a.x_a (s_a + V_e (N_a^2 - s_a sum_b N_b^2)/S),  s_a = S_a/S */
typedef struct {
    fem_inertia_args fwd; /* out is not read */
    const real *y;        /* [nodes][DIM] cotangent of the nodal forces */
    real *x_bar;          /* [element nodes][DIM]; set for the block's element nodes */
    real *rest_bar;       /* [element nodes][DIM]; the same, or NULL: neither it nor what follows is wanted */
    real *density_bar;    /* [elements]; added to */
    real *factor_bar;     /* [elements]; added to, or NULL */
    real *thick_bar;      /* [elements]; added to, or NULL */
} fem_inertia_adj_args;

/* Element matrices += (ca + cv alpha) M: one item for each element of the block. */
typedef struct {
    fem_block b; /* with the rule of masses */
    int lumped;
    const real *density;  /* [elements] kg/m^3 */
    const real *alpha;    /* [elements] 1/s, or NULL: 0 */
    wide ca, cv;          /* da/du 1/s^2, dv/du 1/s */
    const int *node_pair; /* [node pairs] as in fem_tangent */
    int node_pairs, first_node_pair;
    real *out; /* [node pairs of all blocks][DIM * DIM] N/m; added to */
} fem_mass_matrix_args;

/* K0_ab,ik = sum_q V (mu (delta_ik g_a.g_b + g_bi g_ak) + lambda g_ai g_bk) */
typedef struct {
    fem_block b;          /* with the rule of stiffnesses */
    fem_matter m;         /* k[0], k[1]: beta mu, beta lambda, Pa s */
    wide cv;              /* dv/du 1/s */
    const int *node_pair; /* [node pairs] as in fem_tangent */
    int node_pairs, first_node_pair;
    real *out; /* [node pairs of all blocks][DIM * DIM] N/m; added to */
} fem_damping_matrix_args;

/* The force that a strain of 1 in every direction would make at an element node, no sign cancelling another: sum_q V
 * (2 mu + lambda) |g_a|. F is I plus the displacement's gradient, so that strains, and these forces, are known to
 * the rounding of 1. */
typedef struct {
    fem_block b;
    fem_matter m;
    real *out; /* [element nodes][DIM] N, all components alike; set for the block's element nodes */
} fem_rigidity_args;

/* Moduli of damping, beta times those at rest: one item for each element of the mesh. */
typedef struct {
    fem_matter m;
    const real *beta; /* [elements] s */
    real *out;        /* [HYPER_CONSTANTS][elements] beta mu, beta lambda, 0, 0, 0; set */
} fem_damping_args;

/* The adjoint of fem_damping in beta and the constants. */
typedef struct {
    fem_damping_args fwd; /* out is not read */
    const real *out_bar;  /* [HYPER_CONSTANTS][elements] */
    real *k_bar;          /* [HYPER_CONSTANTS][elements]; added to */
    real *beta_bar;       /* [elements]; added to */
} fem_damping_adj_args;

/* Coefficients of d = u1 - u0, p = u0 - u(-1), v0, a0 and v(-1) in a rate. Displacements enter as differences, so that
 * f32 keeps the digits of a slow motion far from rest. */
typedef struct {
    wide d, p, v, a, w;
} fem_rate;

typedef struct {
    fem_rate v, a;                         /* where free */
    fem_rate constrained_v, constrained_a; /* where constrained */
} fem_rate_set;

/* Velocity and acceleration at the end of a span, with one set of coefficients where unknowns are free and another
 * where they are constrained: one item for each node. */
typedef struct {
    fem_rate_set r;
    const int *constrained;  /* [nodes] bits */
    const real *u1;          /* [nodes][DIM] m */
    const real *u, *vel;     /* [nodes][DIM] u0 m, v0 m/s */
    const real *acc;         /* [nodes][DIM] a0 m/s^2, or NULL: its coefficients are 0 */
    const real *past, *rate; /* [nodes][DIM] u(-1) m, v(-1) m/s, or NULL, likewise */
    real *v1, *a1;           /* [nodes][DIM] m/s, m/s^2; set */
} fem_rates_args;

/* The adjoint of fem_rates in the displacements, and in the rates of earlier states. */
typedef struct {
    fem_rate_set r;
    const int *constrained;              /* [nodes] bits */
    const real *v1_bar, *a1_bar;         /* [nodes][DIM] */
    real *u1_bar, *u_bar, *vel_bar;      /* [nodes][DIM]; added to */
    real *acc_bar, *past_bar, *rate_bar; /* [nodes][DIM]; added to, or NULL */
} fem_rates_adj_args;

/* The explicit step of a node, see fem_inertia.h: one item for each node. */
typedef struct {
    const int *constrained;            /* [nodes] bits */
    wide h, kick;                      /* s */
    const real *mass, *force, *target; /* [nodes][DIM] kg, N, m */
    const real *u, *v;                 /* [nodes][DIM] m, m/s */
    real *u1, *v1;                     /* [nodes][DIM]; set, may be u and v */
    fem_step *step;
} fem_leap_args;

/* But for the masses' cotangent, which fem_leap_mass adds once the force is known. */
typedef struct {
    fem_leap_args fwd;            /* force, u, v, u1 and v1 are not read */
    const real *u1_bar, *v1_bar;  /* [nodes][DIM] */
    real *u_bar, *v_bar;          /* [nodes][DIM]; set, may be u1_bar and v1_bar */
    real *force_bar, *target_bar; /* [nodes][DIM]; set */
} fem_leap_adj_args;

/* The remaining cotangent of fem_leap, of the masses: force_bar = kick v1_bar/m is zero where constrained. */
typedef struct {
    const real *mass, *force, *force_bar; /* [nodes][DIM] kg, N */
    real *mass_bar;                       /* [nodes][DIM]; added to */
} fem_leap_mass_args;

/* The weight of masses at nodes, m g. */
typedef struct {
    const fem_step *step;
    const real *mass; /* [nodes][DIM] kg */
    real *out;        /* [nodes][DIM] N; set */
} fem_node_weight_args;

/* The adjoint of fem_node_weight in the masses and in gravity. */
typedef struct {
    fem_node_weight_args fwd;   /* out is not read */
    const real *out_bar;        /* [nodes][DIM] */
    real *mass_bar;             /* [nodes][DIM]; added to */
    real *gravity_contribution; /* [nodes][DIM] a node's contribution to g_bar; set */
} fem_node_weight_adj_args;

/* State 0 of constrained unknowns: the value of their curve at time 0, and its difference over the first step as the
 * velocity. One item for each of them. */
typedef struct {
    const int *node, *axis, *support; /* [constrained unknowns] */
    const wide *value;                /* [supports] m */
    const int *curve;                 /* [supports] or -1: constant */
    const wide *first, *next;         /* [curves] at time 0 and after one step */
    wide h;                           /* s */
    real *u, *v;                      /* [nodes][DIM] m, m/s; set at constrained unknowns */
} fem_start_constrained_args;

/* The adjoint of fem_start_constrained in the prescribed values. */
typedef struct {
    fem_start_constrained_args fwd; /* u and v are not read */
    real *u_bar, *v_bar;            /* [nodes][DIM]; zero at constrained unknowns after it */
    real *contribution;             /* [constrained unknowns] contribution to value_bar; set */
} fem_start_constrained_adj_args;

#endif
