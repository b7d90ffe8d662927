/* hyper_in_space.h -- the hyperelastic laws in three dimensions, for tests of those in the plane. f64. */
#ifndef PIOLA_TESTS_HYPER_IN_SPACE_H
#define PIOLA_TESTS_HYPER_IN_SPACE_H

#include "kernels/base/vocabulary.h"

/* Sets the first Piola-Kirchhoff stress, Cauchy's and von Mises' stress, Pa, of a law at F, or of the linear law at
 * grad u. */
void hyper_in_space(int law, const double F[3][3], const double k[PIO_LAW_CONSTANTS], double P[3][3],
                    double sigma[3][3], double *mises);

/* The energy, J/m^3, its derivatives by the constants, and along a change of F the change of P and P_k : dF. */
typedef struct {
    double psi, by_k[PIO_LAW_CONSTANTS], dP[3][3], theta[PIO_LAW_CONSTANTS];
} hyper_change;

/* Sets what changes along dF at F, of the linear law at grad u. */
void hyper_in_space_along(int law, const double F[3][3], const double dF[3][3], const double k[PIO_LAW_CONSTANTS],
                          hyper_change *out);

#endif
