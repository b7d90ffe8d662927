/* kernel_cases_fem_integral.h -- cases of volume, mass and strain energy. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_INTEGRAL_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_INTEGRAL_H

#include "tests/kernels/fem/kernel_cases_fem.h"

/* Some are 0. */
static const real *integral_weights(case_io *io, int n)
{
    case_array *weight = case_uniform(io, CASE_CONSTANT, "weight", 1, n, 0.5, 1.5);
    for (int e = 3; e < n; e += 11) weight->value[e] = 0;
    return (real *)case_upload(io, weight, CASE_FIELD);
}

/* All gradients. */
static void integral_gradients(case_io *io, const mesh_lattice *m, const real *u_bar, const real *rest_bar,
                               const fem_integral_adj_args *b)
{
    const int n = m->elements;
    case_gradient(io, "u", CASE_REAL, 1, m->points * DIM, u_bar);
    case_gradient(io, "rest", CASE_REAL, 1, m->points * DIM, rest_bar);
    case_gradient(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, n, b->k_bar);
    case_gradient(io, "density", CASE_FIELD, 1, n, b->density_bar);
    if (b->thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, n, b->thick_bar);
    if (b->heat_bar) case_gradient(io, "heat", CASE_FIELD, 1, n, b->heat_bar);
    if (b->relative_bar) case_gradient(io, "relative", CASE_FIELD, 1, n, b->relative_bar);
}

/* Cotangents, all of them 0. */
static fem_integral_adj_args integral_bars(case_io *io, const mesh_lattice *m, int type, int heated)
{
    const int n = m->elements;
    fem_integral_adj_args b;
    memset(&b, 0, sizeof b);
    b.scale = 1;
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.k_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_ADDED);
    b.density_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b.thick_bar = DIM == 2 ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    b.heat_bar = heated ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    b.relative_bar = type == PIO_VOLUME ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    return b;
}

/* Every law in elements of every type, some of them with weight 0. */
static void case_fem_integral(case_io *io)
{
    static const char *const names[] = {"volume",
                                        "mass",
                                        "strain energy",
                                        "projected, energy",
                                        "heated, energy",
                                        "heated, projected, energy",
                                        DIM == 3 ? NULL : "sheets, energy",
                                        "rings, mass",
                                        "rings, energy",
                                        "heated rings, energy",
                                        "heated sheets, energy",
                                        NULL};
    const int variant = case_variant(io, names), projected = variant == 3 || variant == 5;
    const int heated = variant == 4 || variant == 5 || variant > 8;
    const int type = variant == 7 ? PIO_MASS : variant > 2 ? PIO_STRAIN_ENERGY : PIO_VOLUME + variant;
    mesh_body body = mesh_of(io, type <= PIO_MASS ? RULE_MASS : RULE_STIFFNESS, CASE_INPUT, CASE_INPUT);
    const mesh_lattice *m = &body.m;
    const int n = m->elements;
    if (projected) mesh_dilate(&body);
    if (variant > 5) mesh_plane(&body, variant == 6 || variant == 10 ? PIO_PLANE_STRESS : PIO_AXISYMMETRIC);
    mesh_matter(io, &body, CASE_INPUT);
    if (heated) mesh_heat(io, &body, CASE_INPUT);
    fem_integral_args a;
    a.m = body.matter;
    a.m.density = REALS(io, "density", 1, n, 800, 1200);
    if (type == PIO_VOLUME) a.m.relative = REALS(io, "relative", 1, n, 0.1, 0.9);
    a.u = mesh_stretched(io, m);
    a.weight = integral_weights(io, n);
    a.type = type;
    fem_observe_add_args add;
    add.weight = 1;
    add.sample = NEW(io, wide, MESH_TYPES, CASE_ADDED);
    for (int t = 0; t < MESH_TYPES; t++, add.sample++) {
        a.b = body.block[t];
        wide *sum = NEW(io, wide, 1, CASE_SET);
        LAUNCH_SUM(io, fem_integral, a.b.n, NULL, &a, sum);
        add.sum = sum;
        LAUNCH(io, fem_observe_add, 1, NULL, &add);
        case_out(io, mesh_name("integral", m->part[t].type), CASE_WIDE, 1, 1, add.sample);
    }
    if (!case_adjoint(io)) return;
    fem_integral_adj_args b = integral_bars(io, m, type, heated);
    real *u_bar = NEW(io, real, m->points * DIM, CASE_ADDED), *rest_bar = NEW(io, real, m->points * DIM, CASE_ADDED);
    b.fwd = a;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body.block[t];
        b.integral_bar = COTANGENT(io, wide, mesh_name("integral", m->part[t].type));
        LAUNCH(io, fem_integral_adj, b.fwd.b.n, NULL, &b);
        mesh_add(io, m, t, b.u_bar, 1, u_bar);
        mesh_add(io, m, t, b.rest_bar, 1, rest_bar);
    }
    integral_gradients(io, m, u_bar, rest_bar, &b);
}
#define case_fem_integral_adj case_fem_integral

#endif
