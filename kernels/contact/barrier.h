/* barrier.h -- the barrier of incremental potential contact (Li et al. 2020, "Incremental Potential Contact:
 * Intersection- and Inversion-free, Large-Deformation Dynamics", equation 6) with s the distance divided by that from
 * which it acts:
 *
 *     B(s) = -(s - 1)^2 ln s    for 0 < s < 1,    0 for s >= 1
 *
 * It has two continuous derivatives, and grows without bound as s goes to 0. */
#ifndef PIOLA_KERNELS_BARRIER_H
#define PIOLA_KERNELS_BARRIER_H

#include "kernels/base/base.h"

/* B and its derivatives by s; each is 1. */
typedef struct {
    real value, slope, curve;
} barrier;

/* Returns B(s), B'(s) = -2 (s - 1) ln s - (s - 1)^2/s and B''(s) = -2 ln s - 4 (s - 1)/s + (s - 1)^2/s^2, s > 0; for s
 * <= 0, where there is no barrier, and for s >= 1 zeros. */
PIO_FN barrier barrier_of(real s)
{
    barrier b = {R(0), R(0), R(0)};
    if (!(s > R(0) && s < R(1))) return b;
    const real t = s - R(1), l = log(s), r = t / s;
    b.value = -t * t * l;
    b.slope = -t * (R(2) * l + r);
    b.curve = r * (r - R(4)) - R(2) * l;
    return b;
}

#endif
