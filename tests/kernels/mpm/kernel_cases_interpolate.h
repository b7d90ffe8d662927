/* kernel_cases_interpolate.h -- cases of particles that are filled in part. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_INTERPOLATE_H
#define PIOLA_TESTS_KERNEL_CASES_INTERPOLATE_H

#include "tests/kernels/mpm/kernel_cases_sample.h"

enum { PARTICLE_INTERPOLATIONS = 5 };

/* Both formulas, in one of them s = r, and one whose power is a fraction. */
static const pio_interpolation *particle_interpolations(case_io *io)
{
    static const pio_interpolation all[PARTICLE_INTERPOLATIONS] = {{PIO_SIMP, 3, 1e-3, 0, 0, {0}, 0, 0, 0, {0}, 0},
                                                                   {PIO_RAMP, 5, 1e-3, 0, 0, {0}, 0, 0, 0, {0}, 0},
                                                                   {PIO_SIMP, 1, 1e-4, 0, 0, {0}, 0, 0, 0, {0}, 0},
                                                                   {PIO_SIMP, 1.5, 0.01, 0, 0, {0}, 0, 0, 0, {0}, 0},
                                                                   {PIO_RAMP, 0, 1e-6, 0, 0, {0}, 0, 0, 0, {0}, 0}};
    pio_interpolation *host = HOST(io, pio_interpolation, PARTICLE_INTERPOLATIONS);
    for (int i = 0; i < PARTICLE_INTERPOLATIONS; i++) host[i] = all[i];
    return PUSH(io, pio_interpolation, host, PARTICLE_INTERPOLATIONS);
}

/* The adjoints of both kernels, in their order. */
static void interpolate_adjoints(case_io *io, const mpm_interpolate_args *a)
{
    const int n = a->of.n;
    mpm_interpolate_adj_args b;
    mpm_constants_adj_args c;
    b.fwd = *a;
    b.k_bar = FIELD_COTANGENT(io, "k");
    b.mass_bar = FIELD_COTANGENT(io, "mass");
    b.viscosity_bar = a->viscosity ? FIELD_COTANGENT(io, "damping") : NULL;
    b.relative_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    LAUNCH(io, mpm_interpolate_adj, n, NULL, &b);
    c.fwd = a->of;
    c.k_bar = b.k_bar;
    c.mass_bar = b.mass_bar;
    c.parameters_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_ADDED);
    c.density_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    LAUNCH(io, mpm_constants_adj, n, NULL, &c);
    case_gradient(io, "parameters", CASE_FIELD, PIO_LAW_CONSTANTS, n, c.parameters_bar);
    case_gradient(io, "relative", CASE_FIELD, 1, n, b.relative_bar);
    case_gradient(io, "density", CASE_FIELD, 1, n, c.density_bar);
    if (a->viscosity) case_gradient(io, "viscosity", CASE_FIELD, 1, n, b.viscosity_bar);
}

/* Every law of solids, with every formula and with none; some particles are full. */
static void case_mpm_interpolate(case_io *io)
{
    static const char *const names[] = {"viscous", "without viscosity", NULL};
    const int n = case_size(io, 900), viscous = case_variant(io, names) == 0;
    int *law = HOST(io, int, n), *form = HOST(io, int, n), *interpolation = HOST(io, int, n);
    case_array *parameters = case_uniform(io, CASE_INPUT, "parameters", PIO_LAW_CONSTANTS, n, 1e3, 2e5);
    case_array *relative = case_uniform(io, CASE_INPUT, "relative", 1, n, 0.05, 0.95);
    for (int i = 0; i < n; i++) {
        law[i] = case_solid(i);
        form[i] = HYPER_LAME_PARAMETERS;
        interpolation[i] = i / CASE_SOLIDS % (PARTICLE_INTERPOLATIONS + 1) - 1;
        if (i % 37 == 5) relative->value[i] = 1;
    }
    mpm_interpolate_args a;
    a.of.n = n;
    a.of.constants = PIO_LAW_CONSTANTS;
    a.of.law = PUSH(io, int, law, n);
    a.of.parameter_form = PUSH(io, int, form, n);
    a.of.parameters = (real *)case_upload(io, parameters, CASE_FIELD);
    a.of.density = REALS(io, "density", 1, n, 800, 1200);
    a.of.volume = CONSTANTS(io, "volume", 1, n, 1e-6, 2e-6);
    a.of.k = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_SET);
    a.of.mass = NEW_FIELD(io, 1, n, CASE_SET);
    a.relative = (real *)case_upload(io, relative, CASE_FIELD);
    a.interpolation = PUSH(io, int, interpolation, n);
    a.interpolations = particle_interpolations(io);
    a.viscosity = viscous ? REALS(io, "viscosity", 1, n, 1, 5) : NULL;
    a.damping = viscous ? NEW_FIELD(io, 1, n, CASE_SET) : NULL;
    LAUNCH(io, mpm_constants, n, NULL, &a.of);
    LAUNCH(io, mpm_interpolate, n, NULL, &a);
    case_out(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, n, a.of.k);
    case_out(io, "mass", CASE_FIELD, 1, n, a.of.mass);
    if (viscous) case_out(io, "damping", CASE_FIELD, 1, n, a.damping);
    if (case_adjoint(io)) interpolate_adjoints(io, &a);
}
#define case_mpm_interpolate_adj case_mpm_interpolate

#endif
