/* fem_solid_args.h -- what launches pass to the kernels of fem_solid.h. */
#ifndef PIOLA_KERNELS_FEM_SOLID_ARGS_H
#define PIOLA_KERNELS_FEM_SOLID_ARGS_H

#include "kernels/fem/fem_args.h"

enum { MATRIX = DIM * DIM }; /* numbers of a block of a matrix */

/* Internal forces of hyperelastic elements, see fem_solid.h: one item for each element of the block. */
typedef struct {
    fem_block b;   /* with the rule of stiffnesses */
    fem_matter m;  /* law, k and heat are read */
    const real *u; /* [nodes][DIM] displacement m */
    real *out;     /* [element nodes][DIM] f_a, N; set for the block's element nodes */
} fem_force_args;

/* Adjoint: with y_a = f_a_bar and L = grad y = sum_a y_a g_a^T, and H the gradient of a change of X,
 *     f_bar . f = sum_q V P : L
 *     u_bar_a = sum_q V dP(F; L) g_a              k_bar = sum_q V L : P_k          thickness_bar = sum_q area P : L
 *     X_bar_a = sum_q V M g_a,  M = (P : L) I - (grad u)^T dP(F; L) - L^T P
 * from dV = V tr H, d(grad u) = -(grad u) H, dL = -L H. */
typedef struct {
    fem_force_args fwd; /* out is not read */
    const real *y;      /* [nodes][DIM] cotangent of the nodal forces, J's unit per N */
    real *u_bar;        /* [element nodes][DIM]; set for the block's element nodes */
    real *rest_bar;     /* [element nodes][DIM]; the same, or NULL */
    real *k_bar;        /* [elements][PIO_LAW_CONSTANTS]; added to, or NULL */
    real *thick_bar;    /* [elements]; added to, or NULL */
    real *heat_bar;     /* [elements] of the thermal strain, sum_q V L : dP/de; added to, or NULL */
    real *force; /* [element nodes][DIM] fem_force's out, of the same stresses; set, or NULL. Not without rest_bar */
} fem_force_adj_args;

/* The same of elements whose dilatation is projected, see fem_dilated.h. */
typedef fem_force_args fem_dilated_force_args;

/* The adjoint of that: as fem_force_adj, with dP the derivative of w_F + pi dJ/dF, and X_bar of projections, too. */
typedef fem_force_adj_args fem_dilated_force_adj_args;

/* Strain energies: one for each element of the block. `out` is not read. */
typedef fem_force_args fem_energy_args;

/* Element matrices of the tangent, the blocks of node pairs (a, b) with b >= a: one team for each element of the
 * block. */
typedef struct {
    fem_block b;   /* with the rule of stiffnesses */
    fem_matter m;  /* law, k and heat are read */
    const real *u; /* [nodes][DIM] displacement m */
    /* [elements of the mesh] Pa, or NULL: 0. What the projected dilatation is softer by, see fem_pressure.h; no other
     * dilatation has it */
    const real *reduced;
    const int *node_pair; /* [node pairs] of this type: 256 a + b, b >= a, in order */
    int node_pairs;       /* of an element, nodes (nodes + 1)/2 */
    int first_node_pair;  /* number of the block's first node pair */
    real *out;            /* [node pairs of all blocks][DIM * DIM] N/m; set for the block's node pairs */
} fem_tangent_args;

/* The same with the projected tangent. */
typedef fem_tangent_args fem_tangent_projected_args;

/* Both of elements whose dilatation is projected. */
typedef fem_tangent_args fem_dilated_tangent_args;
typedef fem_tangent_args fem_dilated_tangent_projected_args;

/* A block of the matrix as the sum of its node pairs, in a fixed order; constrained unknowns have the unit row and
 * column. */
typedef struct {
    int blocks;                   /* of the matrix */
    const int *row, *column;      /* [blocks] nodes of a block */
    const int *start;             /* [blocks + 1] where the sources of each block begin, and the last end */
    const int *source;            /* [start[blocks]] 2 node pair + (1: transposed) */
    const real *weight;           /* [start[blocks]] factor of each source; NULL: 1, no node is tied to others */
    const real *element_matrices; /* [node pairs][DIM * DIM] N/m */
    const int *constrained;       /* [nodes] bit c: component c is prescribed */
    real *out;                    /* [blocks][DIM * DIM] N/m; set */
} fem_assemble_args;

/* Constants of the laws from the user's parameters: one item for each element. */
typedef struct {
    int n;                           /* elements */
    const int *law, *parameter_form; /* [n]; parameter_form: HYPER_LAME_PARAMETERS and HYPER_PLANE_STRESS, or-ed */
    const real *parameters;          /* [n][PIO_LAW_CONSTANTS] the user's, see hyper_from_parameters */
    real *k;                         /* [n][PIO_LAW_CONSTANTS] constants, see hyperelastic.h; set */
} fem_constants_args;

/* The adjoint of fem_constants. */
typedef struct {
    fem_constants_args fwd; /* k is not read */
    const real *k_bar;      /* [n][PIO_LAW_CONSTANTS] cotangent of the constants */
    real *parameters_bar;   /* [n][PIO_LAW_CONSTANTS] that of the parameters; added to */
} fem_constants_adj_args;

/* Elements that are filled in part: one item for each element. With r its relative density and s(r) of the formula that
 * it has (SIMP: Bendsoe 1989 with the least stiffness of Sigmund 2007; RAMP: Stolpe and Svanberg 2001),
 *     k <- s k of the constants that are moduli,    actual = r density
 * so that its strain energy, stress and tangent are s times those of its material, and its mass r times. Where it is
 * mixed with another material of the same law (Bendsoe and Sigmund 1999, eq. 31), with moduli k' and density',
 *     k <- s k + (1 - s) k',    actual = r density + (1 - r) density'
 * so that its strain energy is s times that of the one and 1 - s times that of the other. Where what is filled is a
 * choice c between its own material and a second one (Sigmund and Torquato 1997), with moduli k" and density", and t(c)
 * the formula of s(r) without least stiffness, these take in that mixture first:
 *     k <- t k + (1 - t) k",         density <- c density + (1 - c) density" */
typedef struct {
    fem_constants_args of;                   /* law, n, and for the adjoint what k was made of; of.k is not read */
    const real *relative;                    /* [n] r, >= 0 */
    const real *choice;                      /* [n] c, >= 0, and 1 where nothing is chosen; NULL: 1 everywhere */
    const int *interpolation;                /* [n] number of its formula; -1: r counts as 1 */
    const pio_interpolation *interpolations; /* the formulas */
    const real *density;                     /* [n] of its material, kg/m^3 */
    real *k;                                 /* [n][PIO_LAW_CONSTANTS] constants as of fem_constants; multiplied */
    real *actual;                            /* [n] kg/m^3; set */
} fem_interpolate_args;

/* The adjoint of fem_interpolate, before that of fem_constants. */
typedef struct {
    fem_interpolate_args fwd; /* k and actual are not read */
    const real *actual_bar;   /* [n] cotangent of actual */
    real *k_bar;              /* [n][PIO_LAW_CONSTANTS] those of the constants, after and then before; multiplied */
    real *relative_bar;       /* [n] added to */
    real *choice_bar;         /* [n] added to, or NULL */
    real *density_bar;        /* [n] added to */
} fem_interpolate_adj_args;

/* Thermal strains: one item for each element. */
typedef struct {
    const real *expansion;   /* [n] alpha, 1/K */
    const real *temperature; /* [n] Delta T above that without stress, K */
    real *heat;              /* [n] e = alpha Delta T; set */
} fem_heat_args;

/* The adjoint of fem_heat. */
typedef struct {
    fem_heat_args fwd;                     /* heat is not read */
    const real *heat_bar;                  /* [n] cotangent of e */
    real *expansion_bar, *temperature_bar; /* [n] those of alpha and Delta T; added to */
} fem_heat_adj_args;

/* Conditions that must hold before the first step: one item for each element of the block. */
typedef struct {
    fem_block b;    /* its rule may have no points: constants alone */
    fem_matter m;   /* its law may be NULL: volumes and thermal strains alone */
    fem_step *step; /* its fault is lowered */
} fem_check_args;

/* Whether the law is defined at every point of the element: one item for each element of the block. */
typedef struct {
    fem_block b;    /* with the rule of stiffnesses */
    fem_matter m;   /* law and heat are read, of sheets k too */
    const real *u;  /* [nodes][DIM] displacement m */
    fem_step *step; /* its fault becomes the lowest element that is inside out */
} fem_admit_args;

#endif
