/* fem_inertia_args.h -- what launches pass to the kernels of fem_inertia.h. */
#ifndef PIOLA_KERNELS_FEM_INERTIA_ARGS_H
#define PIOLA_KERNELS_FEM_INERTIA_ARGS_H

#include "kernels/fem/fem_args.h"

/* Sets f = M x, times a factor of each element: one item for each element of the block. */
typedef struct {
    fem_block b;         /* with the rule of masses */
    int lumped;          /* 1: M is diagonal, 0: it is consistent; see fem_inertia.h */
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

/* Adds (ca + cv alpha) M to the element matrices: one item for each element of the block. */
typedef struct {
    fem_block b;                     /* with the rule of masses */
    int lumped;                      /* as in fem_inertia_args */
    const real *density;             /* [elements] kg/m^3 */
    const real *alpha;               /* [elements] 1/s, or NULL: 0 */
    wide ca, cv;                     /* da/du 1/s^2, dv/du 1/s */
    const int *node_pair;            /* [node pairs] as in fem_tangent */
    int node_pairs, first_node_pair; /* as in fem_tangent */
    real *out;                       /* [node pairs of all blocks][DIM * DIM] N/m; added to */
} fem_mass_matrix_args;

/* Adds cv beta K0 to the element matrices: one item for each element of the block.
 *     K0_ab,ik = sum_q V (mu (delta_ik g_a.g_b + g_bi g_ak) + lambda g_ai g_bk) */
typedef struct {
    fem_block b;                     /* with the rule of stiffnesses */
    fem_matter m;                    /* k[0], k[1]: beta mu, beta lambda, Pa s */
    wide cv;                         /* dv/du 1/s */
    const int *node_pair;            /* [node pairs] as in fem_tangent */
    int node_pairs, first_node_pair; /* as in fem_tangent */
    real *out;                       /* [node pairs of all blocks][DIM * DIM] N/m; added to */
} fem_damping_matrix_args;

/* The force that a strain of 1 in every direction would make at an element node, no sign cancelling another: sum_q V
 * (2 mu + lambda) |g_a|. F is I plus the displacement's gradient, so that strains, and these forces, are known to
 * the rounding of 1; 0 of the linear law, whose strains are those of the gradient itself (hyper_diagonal). */
typedef struct {
    fem_block b;  /* with the rule of stiffnesses */
    fem_matter m; /* law and k are read */
    real *out;    /* [element nodes][DIM] N, all components alike; set for the block's element nodes */
} fem_rigidity_args;

/* Moduli of damping, beta times those at rest: one item for each element of the mesh. */
typedef struct {
    fem_matter m;     /* law and k are read */
    int plane;        /* 2D: a pio_plane_state; 3D: 0 */
    const real *beta; /* [elements] of stiffness-proportional damping, s */
    real *out;        /* [elements][PIO_LAW_CONSTANTS] beta mu, beta lambda, 0, 0, 0; set */
} fem_damping_args;

/* The adjoint of fem_damping in beta and the constants. */
typedef struct {
    fem_damping_args fwd; /* out is not read */
    const real *out_bar;  /* [elements][PIO_LAW_CONSTANTS] cotangent of the moduli of damping */
    real *k_bar;          /* [elements][PIO_LAW_CONSTANTS]; added to */
    real *beta_bar;       /* [elements]; added to */
} fem_damping_adj_args;

/* Coefficients of d = u1 - u0, p = u0 - u(-1), v0, a0 and v(-1) in a rate. Displacements enter as differences, so that
 * f32 keeps the digits of a slow motion far from rest. */
typedef struct {
    wide d, p, v, a, w; /* of a velocity 1/s, 1/s, 1, s, 1; of an acceleration each over s */
} fem_rate;

/* The coefficients of both rates. */
typedef struct {
    fem_rate v, a;                         /* of velocity and acceleration, where free */
    fem_rate constrained_v, constrained_a; /* the same, where constrained */
} fem_rate_set;

/* Velocity and acceleration at the end of a span, with one set of coefficients where unknowns are free and another
 * where they are constrained: one item for each node. */
typedef struct {
    fem_rate_set r;          /* of the integrator and this span */
    const int *constrained;  /* [nodes] bit c: component c is prescribed */
    const real *u1;          /* [nodes][DIM] displacement at the end, m */
    const real *u, *vel;     /* [nodes][DIM] u0 m, v0 m/s */
    const real *acc;         /* [nodes][DIM] a0 m/s^2, or NULL: its coefficients are 0 */
    const real *past, *rate; /* [nodes][DIM] u(-1) m, v(-1) m/s, or NULL, likewise */
    real *v1, *a1;           /* [nodes][DIM] m/s, m/s^2; set */
} fem_rates_args;

/* The adjoint of fem_rates in the displacements, and in the rates of earlier states. */
typedef struct {
    fem_rate_set r;                      /* as of fem_rates */
    const int *constrained;              /* [nodes] bit c: component c is prescribed */
    const real *v1_bar, *a1_bar;         /* [nodes][DIM] of velocity, and acceleration: NULL where 0 */
    real *u1_bar, *u_bar, *vel_bar;      /* [nodes][DIM]; added to */
    real *acc_bar, *past_bar, *rate_bar; /* [nodes][DIM]; added to, or NULL */
} fem_rates_adj_args;

/* The explicit step of a node, see fem_inertia.h: one item for each node. */
typedef struct {
    const int *constrained;            /* [nodes] bit c: component c is prescribed */
    wide h, kick;                      /* s: what v1 moves u by, and the force changes v by */
    const real *mass, *force, *target; /* [nodes][DIM] kg, N, m: where a constrained component goes */
    const real *u, *v;                 /* [nodes][DIM] before, m, m/s */
    real *u1, *v1;                     /* [nodes][DIM] after; set, may be u and v */
    fem_step *step;                    /* its fault is lowered */
} fem_leap_args;

/* The adjoint of fem_leap but for the masses' cotangent, which fem_leap_mass adds once the force is known. */
typedef struct {
    fem_leap_args fwd;            /* force, u, v, u1 and v1 are not read */
    const real *u1_bar, *v1_bar;  /* [nodes][DIM] cotangents of the state after */
    real *u_bar, *v_bar;          /* [nodes][DIM] of that before; set, may be u1_bar and v1_bar */
    real *force_bar, *target_bar; /* [nodes][DIM] of force and target; set */
} fem_leap_adj_args;

/* The remaining cotangent of fem_leap, of the masses: force_bar = kick v1_bar/m is zero where constrained. */
typedef struct {
    const real *mass, *force, *force_bar; /* [nodes][DIM] kg, N, and what fem_leap_adj set */
    real *mass_bar;                       /* [nodes][DIM]; added to */
} fem_leap_mass_args;

/* The weight of masses at nodes, m g: one item for each node. */
typedef struct {
    const fem_step *step; /* its gravity is read */
    const real *mass;     /* [nodes][DIM] kg */
    real *out;            /* [nodes][DIM] N; set */
} fem_node_weight_args;

/* The adjoint of fem_node_weight in the masses and in gravity. */
typedef struct {
    fem_node_weight_args fwd;   /* out is not read */
    const real *out_bar;        /* [nodes][DIM] cotangent of the weights */
    real *mass_bar;             /* [nodes][DIM]; added to */
    real *gravity_contribution; /* [nodes][DIM] a node's contribution to g_bar; set */
} fem_node_weight_adj_args;

/* State 0 of constrained unknowns: the value of their curve at time 0, and its difference over the first step as the
 * velocity. One item for each of them. */
typedef struct {
    const int *node, *axis, *support; /* [constrained unknowns] its node and component, and which boundary condition */
    const wide *value;                /* [supports] m */
    const wide *next_value;           /* [supports] after one step, where values vary in time; NULL: as at time 0 */
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
    real *next_contribution;        /* [constrained unknowns] to that of next_value; set where there is one */
} fem_start_constrained_adj_args;

#endif
