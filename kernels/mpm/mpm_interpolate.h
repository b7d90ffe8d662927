/* mpm_interpolate.h -- particles that are filled in part: constants, viscosity and mass follow the relative density,
 * see mpm_interpolate_args. */
#ifndef PIOLA_KERNELS_MPM_INTERPOLATE_H
#define PIOLA_KERNELS_MPM_INTERPOLATE_H

#include "kernels/mpm/mpm_interpolate_args.h"
#include "kernels/material/interpolation.h"
#include "kernels/mpm/mpm.h"

/* Returns the factor of the mass of a particle, l + (1 - l) r. */
PIO_FN wide interpolated_mass(const pio_interpolation *f, wide r)
{
    return W(f->least) + W(1 - f->least) * r;
}

/* Multiplies the moduli, the viscosity and the mass of particle i. */
PIO_FN void mpm_interpolate(int i, const mpm_interpolate_args *a)
{
    if (a->viscosity) a->damping[i] = a->viscosity[i];
    if (a->interpolation[i] < 0) return;
    const pio_interpolation *f = &a->interpolations[a->interpolation[i]];
    const wide r = W(a->relative[i]);
    const real s = R(interpolated(f, r));
    for (int c = 0; c < law_count(a->of.law[i]); c++)
        if (hyper_is_modulus(a->of.law[i], c)) a->of.k[field_at(a->of.n, a->of.constants, c, i)] *= s;
    a->of.mass[i] *= R(interpolated_mass(f, r));
    if (a->viscosity) a->damping[i] *= s;
}

/* Adjoint of mpm_interpolate for particle i: makes of the cotangents of its constants, viscosity and mass those before
 * they were multiplied, and adds that of its relative density. */
PIO_FN void mpm_interpolate_adj(int i, const mpm_interpolate_adj_args *b)
{
    const mpm_interpolate_args *a = &b->fwd;
    if (a->interpolation[i] < 0) return;
    const pio_interpolation *f = &a->interpolations[a->interpolation[i]];
    const wide r = W(a->relative[i]);
    const real s = R(interpolated(f, r)), mass = a->of.density[i] * a->of.volume[i];
    const hyper_constants k = law_from_parameters(a->of.law[i], a->of.parameter_form[i],
                                                  constants_load(a->of.parameters, a->of.n, a->of.constants, i));
    real s_bar = R(0);
    for (int c = 0; c < law_count(a->of.law[i]); c++) {
        real *k_bar = &b->k_bar[field_at(a->of.n, a->of.constants, c, i)];
        if (!hyper_is_modulus(a->of.law[i], c)) continue;
        s_bar += k.k[c] * *k_bar;
        *k_bar *= s;
    }
    if (a->viscosity) {
        s_bar += a->viscosity[i] * b->viscosity_bar[i];
        b->viscosity_bar[i] *= s;
    }
    b->relative_bar[i] += R(interpolated_slope(f, r)) * s_bar + R(W(1 - f->least)) * mass * b->mass_bar[i];
    b->mass_bar[i] *= R(interpolated_mass(f, r));
}

#endif
