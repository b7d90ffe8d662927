/* kernel_cases_fem_interpolate.h -- cases of elements that are filled in part. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_INTERPOLATE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_INTERPOLATE_H

#include "tests/kernels/fem/kernel_cases_fem.h"

enum { INTERPOLATIONS = 9 };

/* Both formulas, in one of them s = r, and one whose power is a fraction; with two an element is mixed with another
 * material, stated in both forms; with the last two it has a second material, too, and its rest is empty or another. */
static const pio_interpolation *interpolations(case_io *io)
{
    static const pio_interpolation all[INTERPOLATIONS] = {
        {PIO_SIMP, 3, 1e-9, 0, 0, {0}, 0, 0, 0, {0}, 0},
        {PIO_RAMP, 5, 1e-3, 0, 0, {0}, 0, 0, 0, {0}, 0},
        {PIO_SIMP, 1, 1e-4, 0, 0, {0}, 0, 0, 0, {0}, 0},
        {PIO_SIMP, 1.5, 0.01, 0, 0, {0}, 0, 0, 0, {0}, 0},
        {PIO_RAMP, 0, 1e-6, 0, 0, {0}, 0, 0, 0, {0}, 0},
        {PIO_SIMP, 3, 0, 1, HYPER_LAME_PARAMETERS, {3e3, 7e4, 2e4, 5e3, 9e4}, 400, 0, 0, {0}, 0},
        {PIO_RAMP, 2, 0, 1, 0, {6e4, 0.3, 2e4, 5e3, 9e4}, 1500, 0, 0, {0}, 0},
        {PIO_SIMP, 3, 1e-4, 0, 0, {0}, 0, 1, HYPER_LAME_PARAMETERS, {4e3, 6e4, 1e4, 8e3, 7e4}, 300},
        {PIO_RAMP, 4, 0, 1, 0, {6e4, 0.3, 2e4, 5e3, 9e4}, 1500, 1, 0, {9e4, 0.2, 3e4, 6e3, 2e4}, 2000}};
    pio_interpolation *host = HOST(io, pio_interpolation, INTERPOLATIONS);
    for (int i = 0; i < INTERPOLATIONS; i++) host[i] = all[i];
    return PUSH(io, pio_interpolation, host, INTERPOLATIONS);
}

/* Every law, with every formula and with none; some elements are full. */
static void case_fem_interpolate(case_io *io)
{
    const int n = case_size(io, 900);
    int *law = HOST(io, int, n), *form = HOST(io, int, n), *interpolation = HOST(io, int, n);
    case_array *parameters = case_uniform(io, CASE_INPUT, "parameters", PIO_LAW_CONSTANTS, n, 1e3, 2e5);
    case_array *relative = case_uniform(io, CASE_INPUT, "relative", 1, n, 0.05, 0.95);
    case_array *choice = case_uniform(io, CASE_INPUT, "choice", 1, n, 0.05, 0.95);
    for (int e = 0; e < n; e++) {
        law[e] = case_solid(e);
        form[e] = HYPER_LAME_PARAMETERS;
        interpolation[e] = e / CASE_SOLIDS % (INTERPOLATIONS + 1) - 1;
        if (e % 37 == 5) relative->value[e] = 1;
        if (e % 41 == 3) choice->value[e] = 1;
    }
    fem_interpolate_args a;
    a.of.n = n;
    a.of.law = PUSH(io, int, law, n);
    a.of.parameter_form = PUSH(io, int, form, n);
    a.of.parameters = (real *)case_upload(io, parameters, CASE_FIELD);
    a.of.k = a.k = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_SET);
    a.relative = (real *)case_upload(io, relative, CASE_FIELD);
    a.choice = (real *)case_upload(io, choice, CASE_FIELD);
    a.interpolation = PUSH(io, int, interpolation, n);
    a.interpolations = interpolations(io);
    a.density = REALS(io, "density", 1, n, 800, 1200);
    a.actual = NEW_FIELD(io, 1, n, CASE_SET);
    LAUNCH(io, fem_constants, n, NULL, &a.of);
    LAUNCH(io, fem_interpolate, n, NULL, &a);
    case_out(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, n, a.k);
    case_out(io, "actual", CASE_FIELD, 1, n, a.actual);
    if (!case_adjoint(io)) return;
    fem_interpolate_adj_args b;
    fem_constants_adj_args c;
    b.fwd = a;
    b.actual_bar = FIELD_COTANGENT(io, "actual");
    b.k_bar = FIELD_COTANGENT(io, "k");
    b.relative_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b.choice_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b.density_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    LAUNCH(io, fem_interpolate_adj, n, NULL, &b);
    c.fwd = a.of;
    c.k_bar = b.k_bar;
    c.parameters_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_ADDED);
    LAUNCH(io, fem_constants_adj, n, NULL, &c);
    case_gradient(io, "parameters", CASE_FIELD, PIO_LAW_CONSTANTS, n, c.parameters_bar);
    case_gradient(io, "relative", CASE_FIELD, 1, n, b.relative_bar);
    case_gradient(io, "choice", CASE_FIELD, 1, n, b.choice_bar);
    case_gradient(io, "density", CASE_FIELD, 1, n, b.density_bar);
}
#define case_fem_interpolate_adj case_fem_interpolate

#endif
