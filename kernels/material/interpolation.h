/* interpolation.h -- which fraction s of the strain energy is stored where a part r of the volume is filled: SIMP
 * (Bendsoe 1989) with the least stiffness of Sigmund (2007), and RAMP (Stolpe and Svanberg 2001), see
 * pio_interpolation. */
#ifndef PIOLA_KERNELS_INTERPOLATION_H
#define PIOLA_KERNELS_INTERPOLATION_H

#include "kernels/base/base.h"
#include "kernels/base/vocabulary.h"

/* Returns r^p of 0 <= r and p >= 1. */
PIO_FN wide relative_power(wide r, double p)
{
    return r > W(0) ? exp(W(p) * log(r)) : W(0);
}

/* Returns t(r), which is s(r) without the least stiffness: 0 of 0, and 1 of 1. */
PIO_FN wide interpolated_part(const pio_interpolation *f, wide r)
{
    return f->type == PIO_RAMP ? r / (W(1) + W(f->power) * (W(1) - r)) : relative_power(r, f->power);
}

/* Returns dt/dr; p r^(p - 1) of r = 0 is 0 but for p = 1. */
PIO_FN wide interpolated_part_slope(const pio_interpolation *f, wide r)
{
    const wide below = W(1) + W(f->power) * (W(1) - r);
    if (f->type == PIO_RAMP) return W(1 + f->power) / (below * below);
    const wide less = f->power > 1 ? relative_power(r, f->power - 1) : W(1);
    return W(f->power) * less;
}

/* Returns s(r). */
PIO_FN wide interpolated(const pio_interpolation *f, wide r)
{
    return W(f->least) + W(1 - f->least) * interpolated_part(f, r);
}

/* Returns ds/dr. */
PIO_FN wide interpolated_slope(const pio_interpolation *f, wide r)
{
    return W(1 - f->least) * interpolated_part_slope(f, r);
}

#endif
