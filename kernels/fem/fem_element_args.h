/* fem_element_args.h -- what launches pass to the kernels of fem_element.h. */
#ifndef PIOLA_KERNELS_FEM_ELEMENT_ARGS_H
#define PIOLA_KERNELS_FEM_ELEMENT_ARGS_H

#include "kernels/base/base.h"
#include "kernels/base/vocabulary.h"

/* Most nodes of an element, and most points of a rule. */
enum { ELEMENT_NODES = DIM == 3 ? 27 : 9, ELEMENT_POINTS = DIM == 3 ? 27 : 9 };

/* RULE_STIFFNESS integrates the stiffness of an undistorted element exactly, and det(dX/dxi) grad_X N_a of a curved
 * one, so that constant stress is in equilibrium (the patch test); RULE_MASS the mass of an undistorted element. */
enum { RULE_STIFFNESS, RULE_MASS, RULES };

/* Of each type: nodes, dimension of the reference element, and points of each rule. */
PIO_TABLE int element_nodes[PIO_ELEMENT_TYPES] = {1, 2, 3, 3, 6, 4, 8, 9, 4, 10, 8, 20, 27};
PIO_TABLE int element_rdim[PIO_ELEMENT_TYPES] = {0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3};
PIO_TABLE int element_points[RULES][PIO_ELEMENT_TYPES] = {{1, 2, 3, 1, 3, 4, 9, 9, 1, 8, 8, 27, 27},
                                                          {1, 2, 3, 3, 6, 4, 9, 9, 4, 14, 8, 27, 27}};

/* Of each type: functions of the polynomials on which a projected dilatation is projected (fem_dilatation.h):
 * constants, or 1 and the coordinates of the reference element; 0: there is no projection, as the dilatation of a
 * linear simplex is constant already. */
enum { DILATATION_FUNCTIONS = DIM + 1 };
PIO_TABLE int element_dilatations[PIO_ELEMENT_TYPES] = {0, 0, 0, 0, 1, 1, 1, 3, 0, 1, 1, 1, 4};
/* Of each type: 1 where a constant dilatation would leave motions without any energy, those that change no angle
 * (quadratic simplices and serendipity elements), so that what the projection takes from J is held by the shear modulus
 * (dilatation.h). */
PIO_TABLE int element_is_held[PIO_ELEMENT_TYPES] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0};

/* A rule of one element type, as kernels read it. */
typedef struct {
    /* a pio_element_type, its nodes, the rule's points, dimension of the reference element */
    int type, nodes, points, rdim;
    const real *w;  /* [points] weights of the reference element */
    const real *N;  /* [points][nodes] shape functions */
    const real *dN; /* [points][nodes][rdim] their derivatives dN_a/dxi */
} fem_rule;

/* Tables of a rule of one element type: one item for each quadrature point. */
typedef struct {
    int type, points; /* a pio_element_type, and the points of the rule, as in element_points */
    real *w, *N, *dN; /* [points], [points][nodes], [points][nodes][rdim] as in fem_rule; set */
} fem_table_args;

#endif
