/* lattice.h -- numbers on a lattice of whole quanta, k/S with k in int64: their sums are exact, so that what was added
 * can be subtracted again to the bit (Levesque and Verlet 1993, J. Stat. Phys. 72, 519; Rein and Tamayo 2018, MNRAS
 * 473, 3351). S is a power of two. Rounding to the lattice, Q, is differentiated as the identity. */
#ifndef PIOLA_KERNELS_LATTICE_H
#define PIOLA_KERNELS_LATTICE_H

#include "kernels/base/base.h"

/* Returns 1 for a number that a lattice of S quanta represents with room for sums, |x| S <= 2^61; NaN is none. */
PIO_FN int lattice_holds(double x, double S)
{
    return fabs(x) * S <= (double)((int64_t)1 << 61);
}

/* Returns Q(x), the number of quanta nearest to x; x is one that lattice_holds(). */
PIO_FN int64_t lattice_of(double x, double S)
{
    return (int64_t)llrint(x * S);
}

/* Returns k/S, the number that k quanta represent; it is exact where |k| <= 2^53. */
PIO_FN double lattice_value(int64_t k, double S)
{
    return (double)k / S;
}

#endif
