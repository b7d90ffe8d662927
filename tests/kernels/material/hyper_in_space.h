/* hyper_in_space.h -- the hyperelastic laws in three dimensions, for tests of those in the plane. f64. */
#ifndef PIOLA_TESTS_HYPER_IN_SPACE_H
#define PIOLA_TESTS_HYPER_IN_SPACE_H

#include "kernels/base/vocabulary.h"

/* Sets the first Piola-Kirchhoff stress, Cauchy's and von Mises' stress, Pa, of a law at F, or of the linear law at
 * grad u. */
void hyper_in_space(int law, const double F[3][3], const double k[PIO_LAW_CONSTANTS], double P[3][3],
                    double sigma[3][3], double *mises);

#endif
