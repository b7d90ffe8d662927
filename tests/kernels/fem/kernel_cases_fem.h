/* kernel_cases_fem.h -- cases of elements and their matter: tables, forces, energy, tangent, weight. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_H

#include "tests/kernels/fem/kernel_cases_fem_plain.h"
#include "tests/kernels/fem/kernel_cases_mesh.h"

#include <stdlib.h>

/* ---- tables ---------------------------------------------------------------------------------------------- */

static void fem_table_of(case_io *io, int type, int points, int n)
{
    const int nodes = element_nodes[type], rdim = element_rdim[type];
    fem_table_args a;
    a.type = type;
    a.points = points;
    a.w = NEW(io, real, n, CASE_SET);
    a.N = NEW(io, real, n * nodes, CASE_SET);
    a.dN = NEW(io, real, n * nodes * rdim, CASE_SET);
    LAUNCH(io, fem_table, n, NULL, &a);
    case_out(io, mesh_name("w", type), CASE_REAL, 1, n, a.w);
    case_out(io, mesh_name("N", type), CASE_REAL, nodes, n, a.N);
    if (rdim) case_out(io, mesh_name("dN", type), CASE_REAL, nodes * rdim, n, a.dN);
    const double *N = case_find(io, CASE_OUTPUT, mesh_name("N", type))->value;
    double worst = 0;
    for (int q = 0; q < n; q++) {
        double sum = -1;
        for (int k = 0; k < nodes; k++) sum += N[q * nodes + k];
        worst = fmax(worst, fabs(sum));
    }
    case_expect(io, worst < 1e-6, "shape functions sum to one");
}

/* In a large run, points beyond the rule of those products whose places repeat. */
static void case_fem_table(case_io *io)
{
    static const char *const names[] = {"stiffness", "mass", NULL};
    const int rule = case_variant(io, names);
    for (int type = 0; type < PIO_ELEMENT_TYPES; type++) {
        const int points = element_points[rule][type];
        const int repeats = type == PIO_LINE3 || type == PIO_QUAD4 || type == PIO_QUAD8 || type == PIO_QUAD9;
        if (element_rdim[type] <= DIM) fem_table_of(io, type, points, io->large && repeats ? 4500 : points);
    }
}

/* ---- constants ------------------------------------------------------------------------------------------- */

/* Every law, with E and nu or with mu and lambda. */
static void case_fem_constants(case_io *io)
{
    const int n = case_size(io, 900);
    int *law = HOST(io, int, n), *form = HOST(io, int, n);
    case_array *parameters = case_uniform(io, CASE_INPUT, "parameters", PIO_LAW_CONSTANTS, n, 1e3, 2e5);
    for (int e = 0; e < n; e++) {
        const int turn = e / CASE_SOLIDS;
        law[e] = case_solid(e);
        form[e] = turn % 2 + (law[e] == PIO_HYPER_LINEAR ? turn / 2 % 2 * HYPER_PLANE_STRESS : 0);
        if (!(form[e] & HYPER_LAME_PARAMETERS) && !hyper_has_own_parameters(law[e]))
            parameters->value[n + e] = -0.3 + 0.77 * case_unit("nu", e);
    }
    fem_constants_args a;
    a.n = n;
    a.law = PUSH(io, int, law, n);
    a.parameter_form = PUSH(io, int, form, n);
    a.parameters = (real *)case_upload(io, parameters, CASE_FIELD);
    a.k = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_SET);
    LAUNCH(io, fem_constants, n, NULL, &a);
    case_out(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, n, a.k);
    if (!case_adjoint(io)) return;
    fem_constants_adj_args b;
    b.fwd = a;
    b.k_bar = FIELD_COTANGENT(io, "k");
    b.parameters_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_ADDED);
    LAUNCH(io, fem_constants_adj, n, NULL, &b);
    case_gradient(io, "parameters", CASE_FIELD, PIO_LAW_CONSTANTS, n, b.parameters_bar);
}
#define case_fem_constants_adj case_fem_constants

/* e = alpha Delta T. */
static void case_fem_heat(case_io *io)
{
    const int n = case_size(io, 900);
    fem_heat_args a;
    a.expansion = REALS(io, "expansion", 1, n, -1e-5, 2e-5);
    a.temperature = REALS(io, "temperature", 1, n, -200, 900);
    a.heat = NEW_FIELD(io, 1, n, CASE_SET);
    LAUNCH(io, fem_heat, n, NULL, &a);
    case_out(io, "heat", CASE_FIELD, 1, n, a.heat);
    if (!case_adjoint(io)) return;
    fem_heat_adj_args b;
    b.fwd = a;
    b.heat_bar = FIELD_COTANGENT(io, "heat");
    b.expansion_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b.temperature_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    LAUNCH(io, fem_heat_adj, n, NULL, &b);
    case_gradient(io, "expansion", CASE_FIELD, 1, n, b.expansion_bar);
    case_gradient(io, "temperature", CASE_FIELD, 1, n, b.temperature_bar);
}
#define case_fem_heat_adj case_fem_heat

static fem_step *fem_step_on(case_io *io, const wide *gravity)
{
    fem_step *step = HOST(io, fem_step, 1);
    step->index = 3;
    step->fault = FEM_NONE;
    step->t = 0.25;
    for (int c = 0; gravity && c < DIM; c++) step->gravity[c] = gravity[c];
    return PUSH(io, fem_step, step, 1);
}

/* One element, or two, are wrong; the fault is that of the first. */
static void case_fem_check(case_io *io)
{
    static const char *const names[] = {"in order", "inside out", "a constant",       "a density",
                                        "several",  "a modulus",  "a thermal strain", NULL};
    const int v = case_variant(io, names);
    mesh_body b = mesh_of(io, RULE_MASS, CASE_CONSTANT, CASE_CONSTANT);
    const int n = b.m.elements, third = b.m.part[2].first + 2;
    case_array *k = case_uniform(io, CASE_CONSTANT, "constants", PIO_LAW_CONSTANTS, n, 5e3, 2e4);
    case_array *density = case_uniform(io, CASE_CONSTANT, "density", 1, n, 800, 1200);
    int expected = -1;
    if (v == 1 || v == 4) { /* two of its nodes change places */
        int *node = b.m.point + b.m.part[2].first_element_node + 2 * element_nodes[b.m.part[2].type], first = node[0];
        node[0] = node[1];
        node[1] = first;
        expected = third << 4 | FEM_INVERTED_REST;
    }
    if (v == 2 || v == 4) k->value[2 * n + third + 2] = (double)NAN;
    if (v == 2) expected = (third + 2) << 4 | FEM_CONSTANT;
    if (v == 3 || v == 4) density->value[n - 1] = -1;
    if (v == 3) expected = (n - 1) << 4 | FEM_CONSTANT;
    if (v == 5) { /* every law has a first constant that is too low */
        for (int e = 2; e < n; e++) k->value[e] = -3e4;
        expected = 2 << 4 | FEM_CONSTANT;
    }
    int *law = HOST(io, int, n);
    for (int e = 0; e < n; e++) law[e] = case_solid(e);
    b.matter.law = PUSH(io, int, law, n);
    const int *nodes = PUSH(io, int, b.m.point, b.m.element_dofs);
    b.matter.elements = n;
    b.matter.k = (real *)case_upload(io, k, CASE_FIELD);
    b.matter.density = (real *)case_upload(io, density, CASE_FIELD);
    if (v == 6) { /* of -1 and of less */
        case_array *heat = case_uniform(io, CASE_CONSTANT, "heat", 1, n, -0.9, 0.5);
        heat->value[third] = -1;
        heat->value[n - 1] = -1.5;
        b.matter.heat = (real *)case_upload(io, heat, CASE_FIELD);
        expected = third << 4 | FEM_COLD;
    }
    fem_check_args a;
    a.m = b.matter;
    a.step = fem_step_on(io, NULL);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = b.block[t];
        a.b.node = nodes + b.m.part[t].first_element_node;
        LAUNCH(io, fem_check, a.b.n, NULL, &a);
    }
    case_out(io, "fault", CASE_INT64, 1, 1, &a.step->fault);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    case_expect(io, fabs(fault - expected) < 0.5, "the fault of the first element that is wrong, and of no other");
}

/* ---- forces ---------------------------------------------------------------------------------------------- */

/* The kernel for elements with a projected dilatation, or the one for those without. */
static void fem_launch_force(case_io *io, const fem_force_args *a)
{
    if (a->b.dilatations)
        LAUNCH(io, fem_dilated_force, a->b.n, NULL, a);
    else
        LAUNCH(io, fem_force, a->b.n, NULL, a);
}

static void fem_launch_force_adj(case_io *io, const fem_force_adj_args *a)
{
    if (a->fwd.b.dilatations)
        LAUNCH(io, fem_dilated_force_adj, a->fwd.b.n, NULL, a);
    else
        LAUNCH(io, fem_force_adj, a->fwd.b.n, NULL, a);
}

/* The forces that the adjoint gives besides are those of the kernel for forces alone; y is at hand, no matter what. */
static void forces_besides(case_io *io, const mesh_body *body, const fem_force_args *a)
{
    const mesh_lattice *m = &body->m;
    fem_force_adj_args b;
    b.fwd = *a;
    b.y = a->u;
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.k_bar = NULL;
    b.thick_bar = NULL;
    b.heat_bar = NULL;
    b.force = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body->block[t];
        fem_launch_force_adj(io, &b);
    }
    case_out(io, "besides", CASE_REAL, 1, m->element_dofs * DIM, b.force);
    const double *one = case_find(io, CASE_OUTPUT, "element dofs")->value;
    const double *other = case_find(io, CASE_OUTPUT, "besides")->value;
    double worst = 0, most = 0;
    for (int i = 0; i < m->element_dofs * DIM && !io->prefill; i++) {
        worst = fmax(worst, fabs(one[i] - other[i]));
        most = fmax(most, fabs(one[i]));
    }
    case_expect(io, worst <= most * (sizeof(real) == 4 ? 1e-6 : 1e-14), "forces besides cotangents are the forces");
}

/* The adjoint with all that it gives, with what Newton's method needs of it, and with forces; and of elements of one
 * law, whose batches are computed otherwise. */
static void fem_force_case(case_io *io, int dilated)
{
    const char *const names[] = {"all cotangents",
                                 "of displacement alone",
                                 "forces besides",
                                 "linear alone",
                                 "St Venant's alone",
                                 "neo-Hookean law alone",
                                 "heated",
                                 dilated || DIM == 3 ? NULL : "rings",
                                 "sheets",
                                 "rings, of displacement alone",
                                 "sheets, forces besides",
                                 "heated rings",
                                 "heated sheets",
                                 NULL};
    static const int only[] = {-1, -1, -1, PIO_HYPER_LINEAR, PIO_HYPER_ST_VENANT, PIO_HYPER_NEO_HOOKEAN, -1, -1, -1, -1,
                               -1, -1, -1};
    const int variant = case_variant(io, names), alone = variant == 1 || variant == 9;
    const int heated = variant == 6 || variant > 10;
    const case_role role = alone ? CASE_CONSTANT : CASE_INPUT;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, role, role);
    const mesh_lattice *m = &body.m;
    if (dilated) mesh_dilate(&body);
    if (variant > 6) mesh_plane(&body, variant & 1 ? PIO_AXISYMMETRIC : PIO_PLANE_STRESS);
    mesh_matter_of(io, &body, role, only[variant]);
    if (heated) mesh_heat(io, &body, CASE_INPUT);
    fem_force_args a;
    a.m = body.matter;
    a.u = dilated ? mesh_stretched(io, m) : mesh_vector(io, m, CASE_INPUT, "u", MESH_SPACING / 20);
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        fem_launch_force(io, &a);
        if (!io->prefill && !dilated) plain_force(io, &a);
    }
    mesh_out(io, m, "force", a.out);
    if (variant == 2 || variant == 10) {
        forces_besides(io, &body, &a);
        return;
    }
    if (!case_adjoint(io)) return;
    fem_force_adj_args b;
    b.fwd = a;
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = alone ? NULL : NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.k_bar = alone ? NULL : NEW_FIELD(io, PIO_LAW_CONSTANTS, m->elements, CASE_ADDED);
    b.thick_bar = alone || DIM == 3 ? NULL : NEW_FIELD(io, 1, m->elements, CASE_ADDED);
    b.heat_bar = heated ? NEW_FIELD(io, 1, m->elements, CASE_ADDED) : NULL;
    b.force = NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body.block[t];
        b.y = COTANGENT(io, real, mesh_name("force", m->part[t].type));
        fem_launch_force_adj(io, &b);
    }
    mesh_gradient(io, m, "u", b.u_bar);
    if (alone) return;
    mesh_gradient(io, m, "rest", b.rest_bar);
    case_gradient(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, m->elements, b.k_bar);
    if (b.thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, m->elements, b.thick_bar);
    if (heated) case_gradient(io, "heat", CASE_FIELD, 1, m->elements, b.heat_bar);
}

static void case_fem_force(case_io *io)
{
    fem_force_case(io, 0);
}
#define case_fem_force_adj case_fem_force
#define case_fem_node_sum case_fem_force

static void case_fem_dilated_force(case_io *io)
{
    fem_force_case(io, 1);
}
#define case_fem_dilated_force_adj case_fem_dilated_force

/* The bodies of the cases of energies: every second one has an element that is inside out. */
static int fem_body_variant(case_io *io)
{
    static const char *const names[] = {"defined",
                                        "one element inside out",
                                        "defined, projected dilatation",
                                        "one element inside out, projected dilatation",
                                        "heated",
                                        "heated, one inside out",
                                        "heated, projected dilatation",
                                        "heated, projected, one inside out",
                                        DIM == 3 ? NULL : "rings",
                                        "rings, one inside out",
                                        "sheets",
                                        "sheets, one inside out",
                                        "heated rings",
                                        "heated rings, one inside out",
                                        "heated sheets",
                                        "heated sheets, one inside out",
                                        NULL};
    return case_variant(io, names);
}

/* The body of a variant. */
static mesh_body fem_body_of(case_io *io, int variant)
{
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    if (variant / 2 == 1 || variant / 2 == 3) mesh_dilate(&body);
    if (variant > 7) mesh_plane(&body, variant / 2 % 2 ? PIO_PLANE_STRESS : PIO_AXISYMMETRIC);
    mesh_matter(io, &body, CASE_CONSTANT);
    if (variant / 4 == 1 || variant / 4 == 3) mesh_heat(io, &body, CASE_CONSTANT);
    return body;
}

/* The gradient of the energy is the force. */
static void case_fem_energy(case_io *io)
{
    const int variant = fem_body_variant(io), inside_out = variant & 1;
    mesh_body body = fem_body_of(io, variant);
    const mesh_lattice *m = &body.m;
    case_array *u = case_uniform(io, CASE_INPUT, "u", 1, m->points * DIM, -MESH_SPACING / 20, MESH_SPACING / 20);
    if (inside_out) /* the first neo-Hookean element of the third part: a corner goes far along its first edge */
        u->value[m->point[m->part[2].first_element_node + PIO_HYPER_NEO_HOOKEAN * element_nodes[m->part[2].type]] *
                 DIM] += 9;
    fem_energy_args a;
    wide *sum = NEW(io, wide, MESH_TYPES, CASE_SET);
    a.m = body.matter;
    a.u = (real *)case_upload(io, u, CASE_REAL);
    a.out = NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH_SUM(io, fem_energy, a.b.n, NULL, &a, sum + t);
        case_out(io, mesh_name("energy", m->part[t].type), CASE_WIDE, 1, 1, sum + t);
    }
    if (inside_out) {
        const double E = case_find(io, CASE_OUTPUT, mesh_name("energy", m->part[2].type))->value[0];
        case_expect(io, E > 1e299, "no energy where the law is not defined");
        return;
    }
    if (!case_adjoint(io)) return;
    real *u_bar = NEW(io, real, m->points * DIM, CASE_ADDED);
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        const wide *bar = COTANGENT(io, wide, mesh_name("energy", m->part[t].type));
        double E_bar = 0;
        case_expect(io, !io->machine->download(io->machine->stream, &E_bar, bar, sizeof E_bar), "a download");
        a.b = body.block[t];
        fem_launch_force(io, &a);
        mesh_add(io, m, t, a.out, E_bar, u_bar);
    }
    case_gradient(io, "u", CASE_REAL, 1, m->points * DIM, u_bar);
}

/* The lowest element whose law is not defined, in the step of the block. */
static void case_fem_admit(case_io *io)
{
    const int variant = fem_body_variant(io), inside_out = variant & 1;
    mesh_body body = fem_body_of(io, variant);
    const mesh_lattice *m = &body.m;
    case_array *u = case_uniform(io, CASE_CONSTANT, "u", 1, m->points * DIM, -MESH_SPACING / 20, MESH_SPACING / 20);
    const int type = m->part[2].type, at = m->part[2].first_element_node + PIO_HYPER_NEO_HOOKEAN * element_nodes[type];
    if (inside_out) u->value[m->point[at] * DIM] += 9;
    fem_admit_args a;
    a.m = body.matter;
    a.u = (real *)case_upload(io, u, CASE_REAL);
    a.step = fem_step_on(io, NULL);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH(io, fem_admit, a.b.n, NULL, &a);
    }
    case_out(io, "fault", CASE_INT64, 1, 1, &a.step->fault);
    const int64_t fault = (int64_t)case_find(io, CASE_OUTPUT, "fault")->value[0];
    const int element = (int)(fault >> 4 & 0xffffffff);
    if (!inside_out) case_expect(io, fault == -1, "no fault where every law is defined");
    if (inside_out && !io->prefill)
        case_expect(io,
                    fault >> 36 == 3 && (fault & 15) == FEM_INADMISSIBLE && element >= 0 &&
                        element <= m->part[2].first + PIO_HYPER_NEO_HOOKEAN,
                    "the fault of an element with the node that was moved, or of one before it");
}

/* ---- weight ---------------------------------------------------------------------------------------------- */

/* The sum of each component of a field, as a gradient. */
static void fem_field_sums(case_io *io, const char *input, int n, int components, const real *in)
{
    const int parts = case_find(io, CASE_INPUT, input)->parts;
    wide *sum = NEW(io, wide, parts, CASE_SET);
    for (int c = 0; c < parts; c++) {
        field_sum_args a;
        a.n = n;
        a.components = components;
        a.component = c;
        a.in = in;
        LAUNCH_SUM(io, field_sum, n, NULL, &a, sum + c);
    }
    case_gradient(io, input, CASE_WIDE, parts, 1, sum);
}

static void case_fem_weight(case_io *io)
{
    static const char *const names[] = {"no rings", DIM == 3 ? NULL : "rings", NULL};
    mesh_body body = mesh_of(io, RULE_MASS, CASE_INPUT, CASE_INPUT);
    const mesh_lattice *m = &body.m;
    if (case_variant(io, names)) mesh_plane(&body, PIO_AXISYMMETRIC);
    const int n = m->elements;
    const wide *gravity =
        (const wide *)case_pack(io, case_uniform(io, CASE_INPUT, "gravity", DIM, 1, -9, 4), CASE_WIDE);
    fem_weight_args a;
    a.m = body.matter;
    a.m.elements = n;
    a.m.density = REALS(io, "density", 1, n, 800, 1200);
    a.step = fem_step_on(io, gravity);
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH(io, fem_weight, a.b.n, NULL, &a);
    }
    mesh_out(io, m, "weight", a.out);
    if (!case_adjoint(io)) return;
    fem_weight_adj_args b;
    b.fwd = a;
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.density_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b.thick_bar = DIM == 2 ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    b.gravity_contribution = NEW_FIELD(io, DIM, n, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body.block[t];
        b.y = COTANGENT(io, real, mesh_name("weight", m->part[t].type));
        LAUNCH(io, fem_weight_adj, b.fwd.b.n, NULL, &b);
    }
    mesh_gradient(io, m, "rest", b.rest_bar);
    case_gradient(io, "density", CASE_FIELD, 1, n, b.density_bar);
    if (b.thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, n, b.thick_bar);
    fem_field_sums(io, "gravity", n, DIM, b.gravity_contribution);
}
#define case_fem_weight_adj case_fem_weight
#define case_field_sum case_fem_weight

#endif
