/* kernel_cases_fem_fibre.h -- cases of the fibres of elements: forces, energy, matrix. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_FIBRE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_FIBRE_H

#include "tests/kernels/fem/kernel_cases_fem_tangent.h"

enum { MESH_CHANNELS = 3 };

/* Fibres of six elements in seven: unit vectors, with activations of either sign, the first of them below 0. */
static fem_fibres mesh_fibres(case_io *io, const mesh_lattice *m, case_role role)
{
    int *channel = HOST(io, int, m->elements);
    case_array *fibre = case_uniform(io, CASE_CONSTANT, "fibre", DIM, MESH_CHANNELS, -1, 1);
    case_array *activation = case_uniform(io, role, "activation", 1, MESH_CHANNELS, 1e3, 3e4);
    fem_fibres f;
    for (int e = 0; e < m->elements; e++) channel[e] = e % 7 == 2 ? -1 : (int)(MESH_CHANNELS * case_unit("channel", e));
    for (int c = 0; c < MESH_CHANNELS; c++) {
        double *n = fibre->value + c, square = 0;
        for (int a = 0; a < DIM; a++) square += n[a * MESH_CHANNELS] * n[a * MESH_CHANNELS];
        for (int a = 0; a < DIM; a++) n[a * MESH_CHANNELS] /= sqrt(square);
    }
    activation->value[0] *= -1;
    f.channels = MESH_CHANNELS;
    f.channel = PUSH(io, int, channel, m->elements);
    f.fibre = (real *)case_upload(io, fibre, CASE_FIELD);
    f.activation = (real *)case_upload(io, activation, CASE_FIELD);
    return f;
}

/* The gradient of activations: the sum of the contributions of each channel's elements. Others are not set. */
static void fibre_activations(case_io *io, const mesh_lattice *m, const fem_fibres *f, const real *contribution)
{
    wide *activation_bar = NEW(io, wide, MESH_CHANNELS, CASE_SET);
    for (int c = 0; c < MESH_CHANNELS; c++) {
        design_sum_args s;
        s.index = f->channel;
        s.group = c;
        s.n = m->elements;
        s.stored = 1;
        s.component = 0;
        s.bar = contribution;
        LAUNCH_SUM(io, design_sum, m->elements, NULL, &s, activation_bar + c);
    }
    case_gradient(io, "activation", CASE_WIDE, 1, MESH_CHANNELS, activation_bar);
}

static int fibre_variant(case_io *io)
{
    static const char *const names[] = {"all cotangents", "of displacement alone", DIM == 3 ? NULL : "rings", "sheets",
                                        NULL};
    return case_variant(io, names);
}

static void case_fem_fibre(case_io *io)
{
    const int variant = fibre_variant(io), alone = variant == 1;
    const case_role role = alone ? CASE_CONSTANT : CASE_INPUT;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, role, role);
    const mesh_lattice *m = &body.m;
    if (variant > 1) mesh_plane(&body, variant == 2 ? PIO_AXISYMMETRIC : PIO_PLANE_STRESS);
    fem_fibre_args a;
    a.of = mesh_fibres(io, m, role);
    case_array *u = case_uniform(io, CASE_INPUT, "u", 1, m->points * DIM, -MESH_SPACING / 4, MESH_SPACING / 4);
    a.u = (real *)case_upload(io, u, CASE_REAL);
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH(io, fem_fibre, a.b.n, NULL, &a);
    }
    mesh_out(io, m, "force", a.out);
    if (!case_adjoint(io)) return;
    fem_fibre_adj_args b;
    b.fwd = a;
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    b.rest_bar = alone ? NULL : NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    b.thick_bar = alone || DIM == 3 ? NULL : NEW_FIELD(io, 1, m->elements, CASE_ADDED);
    b.activation_bar = alone ? NULL : NEW_FIELD(io, 1, m->elements, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body.block[t];
        b.y = COTANGENT(io, real, mesh_name("force", m->part[t].type));
        LAUNCH(io, fem_fibre_adj, b.fwd.b.n, NULL, &b);
    }
    mesh_gradient(io, m, "u", b.u_bar);
    if (alone) return;
    mesh_gradient(io, m, "rest", b.rest_bar);
    if (b.thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, m->elements, b.thick_bar);
    fibre_activations(io, m, &a.of, b.activation_bar);
}
#define case_fem_fibre_adj case_fem_fibre

/* The gradient of the energy is the force. */
static void case_fem_fibre_energy(case_io *io)
{
    static const char *const names[] = {"no rings", DIM == 3 ? NULL : "rings", NULL};
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    if (case_variant(io, names)) mesh_plane(&body, PIO_AXISYMMETRIC);
    fem_fibre_energy_args a;
    wide *sum = NEW(io, wide, MESH_TYPES, CASE_SET);
    a.of = mesh_fibres(io, m, CASE_CONSTANT);
    a.u = mesh_vector(io, m, CASE_INPUT, "u", MESH_SPACING / 4);
    a.out = NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH_SUM(io, fem_fibre_energy, a.b.n, NULL, &a, sum + t);
        case_out(io, mesh_name("energy", m->part[t].type), CASE_WIDE, 1, 1, sum + t);
    }
    if (!case_adjoint(io)) return;
    real *u_bar = NEW(io, real, m->points * DIM, CASE_ADDED);
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    for (int t = 0; t < MESH_TYPES; t++) {
        const wide *bar = COTANGENT(io, wide, mesh_name("energy", m->part[t].type));
        double E_bar = 0;
        case_expect(io, !io->machine->download(io->machine->stream, &E_bar, bar, sizeof E_bar), "a download");
        a.b = body.block[t];
        LAUNCH(io, fem_fibre, a.b.n, NULL, &a);
        mesh_add(io, m, t, a.out, E_bar, u_bar);
    }
    case_gradient(io, "u", CASE_REAL, 1, m->points * DIM, u_bar);
}

/* The matrix times x is the product by the adjoint of the force; without its negative part x . K x is not negative. */
static void case_fem_fibre_matrix(case_io *io)
{
    static const char *const names[] = {"as it is", "projected", NULL};
    const int projected = case_variant(io, names);
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    fem_fibre_matrix_args a[MESH_TYPES];
    fem_fibre_adj_args b;
    int pairs = 0;
    const fem_fibres of = mesh_fibres(io, m, CASE_CONSTANT);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, m->points * DIM, -1, 1);
    fem_blocks k = fem_blocks_of(io, m);
    for (int t = 0; t < MESH_TYPES; t++) {
        const int nodes = body.block[t].rule.nodes;
        int *pair = HOST(io, int, nodes *(nodes + 1) / 2);
        a[t].b = body.block[t];
        a[t].of = of;
        a[t].projected = projected;
        a[t].node_pairs = 0;
        a[t].first_node_pair = pairs;
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++) pair[a[t].node_pairs++] = 256 * i + j;
        a[t].node_pair = PUSH(io, int, pair, a[t].node_pairs);
        pairs += a[t].b.n * a[t].node_pairs;
    }
    real *out = NEW(io, real, pairs * MATRIX, CASE_ZERO), *y = NEW(io, real, m->points * DIM, CASE_ADDED);
    b.fwd.of = of;
    b.fwd.u = b.y = (real *)case_upload(io, x, CASE_REAL);
    b.fwd.out = b.rest_bar = b.thick_bar = b.activation_bar = NULL;
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    for (int t = 0; t < MESH_TYPES; t++) {
        a[t].out = out;
        LAUNCH(io, fem_fibre_matrix, a[t].b.n, NULL, &a[t]);
        b.fwd.b = body.block[t];
        LAUNCH(io, fem_fibre_adj, b.fwd.b.n, NULL, &b);
        mesh_add(io, m, t, b.u_bar, 1, y);
    }
    int *constrained = HOST(io, int, m->points);
    k.a.element_matrices = out;
    k.a.constrained = PUSH(io, int, constrained, m->points);
    k.a.out = NEW(io, real, k.n * MATRIX, CASE_SET);
    LAUNCH(io, fem_assemble, k.n, NULL, &k.a);
    case_out(io, "pairs", CASE_REAL, 1, pairs * MATRIX, out);
    case_out(io, "K", CASE_REAL, 1, k.n * MATRIX, k.a.out);
    case_out(io, "(df/du) x", CASE_REAL, 1, m->points * DIM, y);
    if (io->prefill) return;
    if (!projected) {
        fem_compare(io, &k, m->points, constrained, x->value);
        return;
    }
    const double least = fem_least_product(io, &k, m->points, case_find(io, CASE_OUTPUT, "K")->value, 20);
    case_expect(io, least > (sizeof(real) == 4 ? -1e-6 : -1e-15), "x . K x is not negative");
}

#endif
