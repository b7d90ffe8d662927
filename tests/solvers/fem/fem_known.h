/* fem_known.h -- a displacement u* that is known, the forces that make it the solution of a mesh, and the distance of
 * what the engine finds from it. For engines of f64.
 *
 * The nodes get the forces f_a = int P(F*) grad N_a, one point load each. The law, the quadrature (Gauss points,
 * simplices as collapsed cubes) and the norms are written down here a second time. */
#ifndef PIOLA_TESTS_FEM_KNOWN_H
#define PIOLA_TESTS_FEM_KNOWN_H

#include "kernels/fem/fem_element.h"
#include "tests/solvers/fem/fem_case.h"

enum { FEM_GAUSS = FEM_DIM == 3 ? 4 : 5 }; /* most points per axis */

typedef struct fem_known {
    /* u* at X, and H_ij = du_i/dX_j */
    void (*at)(const struct fem_known *k, const double *X, double u[FEM_DIM], mat *H);
    pio_hyper_law law; /* linear or neo-Hookean */
    double E, nu;
    double lambda_factor; /* of the law that the forces are made with; 1, but of a negative control */
    double size;          /* of u* */
    double pressed;       /* of the part of u* that has a pressure, where `at` makes it of two */
    int steps;            /* in which forces and supports grow to all they are */
    pio_solve linear;
    double tolerance;          /* of Newton's method; 0: fem_case.h's */
    pio_dilatation dilatation; /* of the elements */
} fem_known;

/* Lame's constants. */
double fem_known_mu(const fem_known *k);
double fem_known_lambda(const fem_known *k);

/* Points per axis of a quadrature that more would change by far less than the error. */
int fem_known_points(pio_element_type type);

/* |u| in L2, |grad u| in L2, and the root of int H : C : H with the linear law. */
typedef struct {
    double l2, h1, energy;
} fem_norms;

typedef struct {
    fem_norms error, interpolant; /* of u* less what the engine finds, and less the interpolant of u* */
    double lost;                  /* |u*|^2 - f . u_h in energy */
} fem_distance;

/* Meshes the box with one type, holds all of its sides at u* but the last of axis 0, and solves for the forces, made
 * with so many points per axis. */
fem_distance fem_known_run(const fem_known *k, fem_grid grid, int points);

#endif
