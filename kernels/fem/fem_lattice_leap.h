/* fem_lattice_leap.h -- the leapfrog's step on the lattice of fem_lattice.h, and the same step reversed:
 *
 *     v += Q(kick f(u)/m),   u += Q(h v);        reversed:   u -= Q(h v),   v -= Q(kick f(u)/m)
 *
 * (Levesque and Verlet 1993). The increments are the same whole numbers in both directions: one kernel makes them,
 * with a run-time sign. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_LEAP_H
#define PIOLA_KERNELS_FEM_LATTICE_LEAP_H

#include "kernels/fem/fem_lattice_leap_args.h"
#include "kernels/fem/fem_lattice.h"

/* Adds sign Q(x) to *k, `per` quanta in a unit, and returns 1. Where the increment or the sum is beyond 2^61 quanta,
 * it returns 0 and *k stays. */
PIO_FN int fem_lattice_add(int64_t *k, int sign, double x, double per)
{
    const int64_t most = (int64_t)1 << 61;
    if (!lattice_holds(x, per)) return 0;
    const int64_t sum = *k + sign * lattice_of(x, per);
    if (sum > most || sum < -most) return 0;
    *k = sum;
    return 1;
}

/* Advances or reverses the free components of a node by one step, or by one of its increments. */
PIO_FN void fem_lattice_leap(int i, const fem_lattice_leap_args *a)
{
    int fits = 1;
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        const int constrained = a->constrained[i] >> c & 1;
        if (a->kicks && !constrained) {
            const real dv = R(a->kick) * (a->force[at] / a->mass[at]);
            fits &= fem_lattice_add(&a->s.v[at], a->sign, (double)dv, a->s.per_speed);
        }
        if (a->drifts && !constrained) {
            const double du = a->h * lattice_value(a->s.v[at], a->s.per_speed);
            fits &= fem_lattice_add(&a->s.u[at], a->sign, du, a->s.per_metre);
        }
        a->u[at] = R(lattice_value(a->s.u[at], a->s.per_metre));
        a->v[at] = R(lattice_value(a->s.v[at], a->s.per_speed));
    }
    if (!fits) atomic_min_u64(&a->step->fault, fem_fault_at(a->step->index, i, FEM_OFF_LATTICE));
}

#endif
