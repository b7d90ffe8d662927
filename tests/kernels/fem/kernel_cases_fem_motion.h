/* kernel_cases_fem_motion.h -- cases of inertia, damping, rates, the explicit step and the start of a motion. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_MOTION_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_MOTION_H

#include "tests/kernels/fem/kernel_cases_fem_tangent.h"
#include "tests/kernels/base/kernel_cases_host.h"

/* ---- inertia --------------------------------------------------------------------------------------------- */

static void case_fem_inertia(case_io *io)
{
    static const char *const names[] = {
        "consistent",    "lumped", "consistent, damping", "lumped, damping", DIM == 3 ? NULL : "consistent, rings",
        "lumped, rings", NULL};
    const int v = case_variant(io, names);
    mesh_body body = mesh_of(io, RULE_MASS, CASE_INPUT, CASE_INPUT);
    const mesh_lattice *m = &body.m;
    const int n = m->elements;
    if (v > 3) mesh_plane(&body, PIO_AXISYMMETRIC);
    fem_inertia_args a;
    a.lumped = v % 2;
    a.density = REALS(io, "density", 1, n, 800, 1200);
    a.factor = v / 2 ? REALS(io, "alpha", 1, n, 0.1, 3) : NULL;
    a.x = mesh_vector(io, m, CASE_INPUT, "a", 5);
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH(io, fem_inertia, a.b.n, NULL, &a);
    }
    mesh_out(io, m, "inertia", a.out);
    if (!case_adjoint(io)) return;
    fem_inertia_adj_args b;
    b.fwd = a;
    b.x_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.density_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    b.factor_bar = a.factor ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    b.thick_bar = DIM == 2 ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body.block[t];
        b.y = COTANGENT(io, real, mesh_name("inertia", m->part[t].type));
        LAUNCH(io, fem_inertia_adj, b.fwd.b.n, NULL, &b);
    }
    mesh_gradient(io, m, "a", b.x_bar);
    mesh_gradient(io, m, "rest", b.rest_bar);
    case_gradient(io, "density", CASE_FIELD, 1, n, b.density_bar);
    if (b.factor_bar) case_gradient(io, "alpha", CASE_FIELD, 1, n, b.factor_bar);
    if (b.thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, n, b.thick_bar);
}
#define case_fem_inertia_adj case_fem_inertia

/* ---- the matrix: its product with x is that of the forces ------------------------------------------------- */

static const double motion_ca = 700, motion_cv = 30;

/* Node pairs of every element type, numbered as fem_blocks_of does. Returns how many there are. */
static int motion_pairs(case_io *io, const mesh_body *body, const int *pair[MESH_TYPES], int pairs[MESH_TYPES],
                        int first[MESH_TYPES])
{
    int total = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        const int nodes = body->block[t].rule.nodes;
        int *list = HOST(io, int, nodes *(nodes + 1) / 2);
        pairs[t] = 0;
        first[t] = total;
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++) list[pairs[t]++] = 256 * i + j;
        pair[t] = PUSH(io, int, list, pairs[t]);
        total += body->block[t].n * pairs[t];
    }
    return total;
}

/* Outputs K, from element matrices, and the product y with x of the same by forces; compared. */
static void motion_compare(case_io *io, const mesh_lattice *m, const real *pair_out, int pairs, const real *y,
                           const double *x)
{
    fem_blocks b = fem_blocks_of(io, m);
    int *constrained = HOST(io, int, m->points);
    b.a.element_matrices = pair_out;
    b.a.constrained = PUSH(io, int, constrained, m->points);
    b.a.out = NEW(io, real, b.n * MATRIX, CASE_SET);
    LAUNCH(io, fem_assemble, b.n, NULL, &b.a);
    case_out(io, "pairs", CASE_REAL, 1, pairs * MATRIX, pair_out);
    case_out(io, "K", CASE_REAL, 1, b.n * MATRIX, b.a.out);
    case_out(io, "(df/du) x", CASE_REAL, 1, m->points * DIM, y);
    if (!io->prefill) fem_compare(io, &b, m->points, constrained, x);
}

static void case_fem_mass_matrix(case_io *io)
{
    static const char *const names[] = {"consistent", "lumped", DIM == 3 ? NULL : "rings", NULL};
    const int variant = case_variant(io, names), lumped = variant == 1;
    mesh_body body = mesh_of(io, RULE_MASS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    if (variant == 2) mesh_plane(&body, PIO_AXISYMMETRIC);
    const int *pair[MESH_TYPES], n = m->elements;
    int pairs[MESH_TYPES], first[MESH_TYPES];
    const int total = motion_pairs(io, &body, pair, pairs, first);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, m->points * DIM, -1, 1);
    fem_mass_matrix_args a;
    fem_inertia_args f;
    f.lumped = a.lumped = lumped;
    f.density = a.density = CONSTANTS(io, "density", 1, n, 800, 1200);
    a.alpha = CONSTANTS(io, "alpha", 1, n, 0.1, 3);
    a.ca = motion_ca;
    a.cv = motion_cv;
    a.out = NEW(io, real, total * MATRIX, CASE_ZERO);
    f.x = (real *)case_upload(io, x, CASE_REAL);
    f.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    real *y = NEW(io, real, m->points * DIM, CASE_ADDED);
    for (int t = 0; t < MESH_TYPES; t++) {
        f.b = a.b = body.block[t];
        a.node_pair = pair[t];
        a.node_pairs = pairs[t];
        a.first_node_pair = first[t];
        LAUNCH(io, fem_mass_matrix, a.b.n, NULL, &a);
        for (int damping = 0; damping < 2; damping++) {
            f.factor = damping ? a.alpha : NULL;
            LAUNCH(io, fem_inertia, f.b.n, NULL, &f);
            mesh_add(io, m, t, f.out, damping ? motion_cv : motion_ca, y);
        }
    }
    motion_compare(io, m, a.out, total, y, x->value);
}

/* Beta times the moduli at rest, as every law's own stiffness at rest would give them. */
static void case_fem_damping_matrix(case_io *io)
{
    static const char *const names[] = {"dilatation of F", "projected dilatation", DIM == 3 ? NULL : "rings", "sheets",
                                        NULL};
    const int variant = case_variant(io, names);
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    if (variant == 1) mesh_dilate(&body);
    if (variant > 1) mesh_plane(&body, variant == 2 ? PIO_AXISYMMETRIC : PIO_PLANE_STRESS);
    mesh_matter(io, &body, CASE_CONSTANT);
    const int *pair[MESH_TYPES], n = m->elements;
    int pairs[MESH_TYPES], first[MESH_TYPES], *linear = HOST(io, int, n);
    const int total = motion_pairs(io, &body, pair, pairs, first);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, m->points * DIM, -1, 1);
    fem_damping_args d;
    d.m = body.matter;
    d.plane = body.block[0].plane;
    case_array *beta = case_uniform(io, CASE_CONSTANT, "beta", 1, n, 1, 1);
    d.beta = (real *)case_upload(io, beta, CASE_FIELD);
    d.out = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_SET);
    LAUNCH(io, fem_damping, n, NULL, &d);
    fem_damping_matrix_args a;
    a.m = body.matter;
    a.m.law = PUSH(io, int, linear, n);
    a.m.k = d.out;
    a.cv = 1;
    a.out = NEW(io, real, total * MATRIX, CASE_ZERO);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        a.node_pair = pair[t];
        a.node_pairs = pairs[t];
        a.first_node_pair = first[t];
        LAUNCH(io, fem_damping_matrix, a.b.n, NULL, &a);
    }
    const real *zero = NEW(io, real, m->points * DIM, CASE_ZERO);
    const real *y = fem_product(io, &body, zero, (real *)case_upload(io, x, CASE_REAL));
    motion_compare(io, m, a.out, total, y, x->value);
}

/* A node of a bar: V (2 mu + lambda) |g|, so the forces of a strain along one axis are not larger; 0 of the linear
 * law. */
static void case_fem_rigidity(case_io *io)
{
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    mesh_matter(io, &body, CASE_CONSTANT);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, m->points * DIM, 0, 0);
    const double *rest = case_find(io, CASE_CONSTANT, "rest")->value;
    for (int i = 0; i < m->points; i++) x->value[i * DIM] = rest[i * DIM];
    fem_rigidity_args a;
    a.m = body.matter;
    a.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        a.b = body.block[t];
        LAUNCH(io, fem_rigidity, a.b.n, NULL, &a);
    }
    mesh_out(io, m, "rigidity", a.out);
    const real *zero = NEW(io, real, m->points * DIM, CASE_ZERO);
    fem_force_adj_args b;
    memset(&b, 0, sizeof b);
    b.fwd.m = body.matter;
    b.fwd.u = zero;
    b.y = (real *)case_upload(io, x, CASE_REAL);
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body.block[t];
        LAUNCH(io, fem_force_adj, b.fwd.b.n, NULL, &b);
    }
    case_out(io, "strained", CASE_REAL, 1, m->element_dofs * DIM, b.u_bar);
    const double *most = case_find(io, CASE_OUTPUT, "element dofs")->value;
    const double *force = case_find(io, CASE_OUTPUT, "strained")->value;
    int beyond = 0, of_linear = 0;
    for (int t = 0; t < MESH_TYPES && !io->prefill; t++) {
        const int numbers = element_nodes[m->part[t].type] * DIM; /* of an element */
        for (int k = 0; k < m->part[t].n * numbers; k++) {
            const int i = m->part[t].first_element_node * DIM + k;
            if (body.law[m->part[t].first + k / numbers] == PIO_HYPER_LINEAR)
                of_linear += most[i] > 0;
            else
                beyond += fabs(force[i]) > most[i] * (1 + 1e-5);
        }
    }
    case_expect(io, beyond == 0, "the force of a unit strain is within the rigidity");
    case_expect(io, of_linear == 0, "the linear law, of which F is no part, has no rigidity");
}

static void case_fem_damping(case_io *io)
{
    static const char *const names[] = {"no sheets", DIM == 3 ? NULL : "sheets", NULL};
    const int n = case_size(io, 900);
    int *law = HOST(io, int, n);
    for (int e = 0; e < n; e++) law[e] = case_solid(e);
    fem_damping_args a;
    a.plane = case_variant(io, names) ? PIO_PLANE_STRESS : 0;
    a.m.elements = n;
    a.m.law = PUSH(io, int, law, n);
    a.m.k = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "k", PIO_LAW_CONSTANTS, n, 1, 3), CASE_FIELD);
    a.m.density = a.m.heat = a.m.relative = a.m.choice = NULL;
    a.beta = REALS(io, "beta", 1, n, 0.1, 0.4);
    a.out = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_SET);
    LAUNCH(io, fem_damping, n, NULL, &a);
    case_out(io, "moduli", CASE_FIELD, PIO_LAW_CONSTANTS, n, a.out);
    if (!case_adjoint(io)) return;
    fem_damping_adj_args b;
    b.fwd = a;
    b.out_bar = FIELD_COTANGENT(io, "moduli");
    b.k_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, n, CASE_ADDED);
    b.beta_bar = NEW_FIELD(io, 1, n, CASE_ADDED);
    LAUNCH(io, fem_damping_adj, n, NULL, &b);
    case_gradient(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, n, b.k_bar);
    case_gradient(io, "beta", CASE_FIELD, 1, n, b.beta_bar);
}
#define case_fem_damping_adj case_fem_damping

/* ---- rates ----------------------------------------------------------------------------------------------- */

static const real *motion_points(case_io *io, const char *name, int n, double size)
{
    return (real *)case_upload(io, case_uniform(io, CASE_INPUT, name, 1, n * DIM, -size, size), CASE_REAL);
}

static void case_fem_rates(case_io *io)
{
    static const char *const names[] = {"two steps", "one step", NULL};
    const int one = case_variant(io, names), n = case_size(io, 700);
    fem_rates_args a;
    int *constrained = HOST(io, int, n);
    for (int i = 0; i < n; i++) constrained[i] = (i * 5 + 3) % (1 << DIM); /* all combinations of axes */
    a.constrained = PUSH(io, int, constrained, n);
    a.r.v.d = 3, a.r.v.p = one ? 0 : -0.5, a.r.v.v = -1, a.r.v.a = 0.25, a.r.v.w = one ? 0 : 0.125;
    a.r.a.d = 9, a.r.a.p = one ? 0 : 1.5, a.r.a.v = -2, a.r.a.a = -1, a.r.a.w = one ? 0 : 0.75;
    a.r.constrained_v.d = 2, a.r.constrained_v.p = one ? 0 : 0.75, a.r.constrained_v.v = 0.5,
    a.r.constrained_v.a = -0.5, a.r.constrained_v.w = one ? 0 : 1.5;
    a.r.constrained_a.d = 4, a.r.constrained_a.p = one ? 0 : -2, a.r.constrained_a.v = -1.5, a.r.constrained_a.a = 3,
    a.r.constrained_a.w = one ? 0 : 0.25;
    a.u1 = motion_points(io, "u1", n, 1);
    a.u = motion_points(io, "u0", n, 1);
    a.vel = motion_points(io, "v0", n, 2);
    a.acc = motion_points(io, "a0", n, 3);
    a.past = one ? NULL : motion_points(io, "u before", n, 1);
    a.rate = one ? NULL : motion_points(io, "v before", n, 2);
    a.v1 = NEW(io, real, n * DIM, CASE_SET);
    a.a1 = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_rates, n, NULL, &a);
    case_out(io, "v1", CASE_REAL, 1, n * DIM, a.v1);
    case_out(io, "a1", CASE_REAL, 1, n * DIM, a.a1);
    if (!case_adjoint(io)) return;
    fem_rates_adj_args b;
    b.r = a.r;
    b.constrained = a.constrained;
    b.v1_bar = COTANGENT(io, real, "v1");
    b.a1_bar = COTANGENT(io, real, "a1");
    b.u1_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.u_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.vel_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.acc_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.past_bar = one ? NULL : NEW(io, real, n * DIM, CASE_ADDED);
    b.rate_bar = one ? NULL : NEW(io, real, n * DIM, CASE_ADDED);
    LAUNCH(io, fem_rates_adj, n, NULL, &b);
    case_gradient(io, "u1", CASE_REAL, 1, n * DIM, b.u1_bar);
    case_gradient(io, "u0", CASE_REAL, 1, n * DIM, b.u_bar);
    case_gradient(io, "v0", CASE_REAL, 1, n * DIM, b.vel_bar);
    case_gradient(io, "a0", CASE_REAL, 1, n * DIM, b.acc_bar);
    if (one) return;
    case_gradient(io, "u before", CASE_REAL, 1, n * DIM, b.past_bar);
    case_gradient(io, "v before", CASE_REAL, 1, n * DIM, b.rate_bar);
}
#define case_fem_rates_adj case_fem_rates

/* ---- the explicit step ----------------------------------------------------------------------------------- */

static void case_fem_leap(case_io *io)
{
    static const char *const names[] = {"finite", "one velocity is not", NULL};
    const int not_finite = case_variant(io, names), n = case_size(io, 700);
    int *constrained = HOST(io, int, n);
    for (int i = 0; i < n; i++) constrained[i] = i % 5 == 2 ? (1 << DIM) - 1 : i % 7 == 1 ? 2 : 0;
    case_array *force = case_uniform(io, CASE_INPUT, "force", 1, n * DIM, -5, 5);
    if (not_finite) force->value[300 * DIM] = (double)INFINITY;
    fem_leap_args a;
    a.constrained = PUSH(io, int, constrained, n);
    a.h = 0.25;
    a.kick = 0.375;
    a.mass = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "mass", 1, n * DIM, 1, 3), CASE_REAL);
    a.force = (real *)case_upload(io, force, CASE_REAL);
    a.target = motion_points(io, "target", n, 1);
    a.u = motion_points(io, "u0", n, 1);
    a.v = motion_points(io, "v0", n, 2);
    a.u1 = NEW(io, real, n * DIM, CASE_SET);
    a.v1 = NEW(io, real, n * DIM, CASE_SET);
    a.step = fem_step_on(io, NULL);
    LAUNCH(io, fem_leap, n, NULL, &a);
    case_out(io, "fault", CASE_INT64, 1, 1, &a.step->fault);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    if (not_finite) {
        case_expect(io, fabs(fault - ldexp(3, 36) - (300 * 16 + FEM_NOT_FINITE)) < 0.5, "the step and the node");
        return;
    }
    case_expect(io, fabs(fault + 1) < 0.5, "no fault");
    case_out(io, "u1", CASE_REAL, 1, n * DIM, a.u1);
    case_out(io, "v1", CASE_REAL, 1, n * DIM, a.v1);
    if (!case_adjoint(io)) return;
    fem_leap_adj_args b;
    b.fwd = a;
    b.u1_bar = COTANGENT(io, real, "u1");
    b.v1_bar = COTANGENT(io, real, "v1");
    b.u_bar = NEW(io, real, n * DIM, CASE_SET);
    b.v_bar = NEW(io, real, n * DIM, CASE_SET);
    b.force_bar = NEW(io, real, n * DIM, CASE_SET);
    b.target_bar = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_leap_adj, n, NULL, &b);
    fem_leap_mass_args m;
    m.mass = a.mass;
    m.force = a.force;
    m.force_bar = b.force_bar;
    m.mass_bar = NEW(io, real, n * DIM, CASE_ADDED);
    LAUNCH(io, fem_leap_mass, n, NULL, &m);
    case_gradient(io, "u0", CASE_REAL, 1, n * DIM, b.u_bar);
    case_gradient(io, "v0", CASE_REAL, 1, n * DIM, b.v_bar);
    case_gradient(io, "force", CASE_REAL, 1, n * DIM, b.force_bar);
    case_gradient(io, "target", CASE_REAL, 1, n * DIM, b.target_bar);
    case_gradient(io, "mass", CASE_REAL, 1, n * DIM, m.mass_bar);
}
#define case_fem_leap_adj case_fem_leap
#define case_fem_leap_mass case_fem_leap

/* ---- weights at nodes ------------------------------------------------------------------------------------ */

static void case_fem_node_weight(case_io *io)
{
    const int n = case_size(io, 700);
    const wide *gravity =
        (const wide *)case_pack(io, case_uniform(io, CASE_INPUT, "gravity", DIM, 1, -9, 4), CASE_WIDE);
    fem_node_weight_args a;
    a.step = fem_step_on(io, gravity);
    a.mass = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "mass", 1, n * DIM, 1, 3), CASE_REAL);
    a.out = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_node_weight, n, NULL, &a);
    case_out(io, "weight", CASE_REAL, 1, n * DIM, a.out);
    if (!case_adjoint(io)) return;
    fem_node_weight_adj_args b;
    b.fwd = a;
    b.out_bar = COTANGENT(io, real, "weight");
    b.mass_bar = NEW(io, real, n * DIM, CASE_ADDED);
    b.gravity_contribution = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_node_weight_adj, n, NULL, &b);
    case_gradient(io, "mass", CASE_REAL, 1, n * DIM, b.mass_bar);
    wide *sum = NEW(io, wide, DIM, CASE_SET);
    real *unit = NEW(io, real, n * DIM, CASE_SET);
    for (int c = 0; c < DIM; c++) {
        point_uniform_args along;
        along.step = NULL;
        along.axis = c;
        along.out = unit;
        LAUNCH(io, point_uniform, n, NULL, &along);
        point_dot_args d;
        d.x = b.gravity_contribution;
        d.y = unit;
        LAUNCH_SUM(io, point_dot, n, NULL, &d, sum + c);
    }
    case_gradient(io, "gravity", CASE_WIDE, DIM, 1, sum);
}
#define case_fem_node_weight_adj case_fem_node_weight

/* ---- nodal vectors --------------------------------------------------------------------------------------- */

static void case_point_uniform(case_io *io)
{
    static const char *const names[] = {"gravity", "an axis", NULL};
    const int axis = case_variant(io, names), n = case_size(io, 700);
    const wide *gravity =
        (const wide *)case_pack(io, case_uniform(io, CASE_CONSTANT, "gravity", DIM, 1, -9, 4), CASE_WIDE);
    point_uniform_args a;
    a.step = fem_step_on(io, gravity);
    a.axis = axis ? 1 : -1;
    a.out = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, point_uniform, n, NULL, &a);
    case_out(io, "x", CASE_REAL, 1, n * DIM, a.out);
    const double *x = case_find(io, CASE_OUTPUT, "x")->value, *g = case_find(io, CASE_CONSTANT, "gravity")->value;
    double worst = 0;
    for (int i = 0; i < n * DIM && !io->prefill; i++)
        worst = fmax(worst, fabs(x[i] - (axis ? (double)(i % DIM == 1) : g[i % DIM])));
    case_expect(io, worst < 1e-5, "the same vector everywhere");
}

static void case_point_over_root(case_io *io)
{
    const int n = case_size(io, 700);
    point_over_root_args a;
    a.x = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "x", 1, n * DIM, -1, 1), CASE_REAL);
    a.m = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "m", 1, n * DIM, 1, 4), CASE_REAL);
    a.out = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, point_over_root, n, NULL, &a);
    case_out(io, "x/sqrt(m)", CASE_REAL, 1, n * DIM, a.out);
    const double *x = case_find(io, CASE_CONSTANT, "x")->value, *m = case_find(io, CASE_CONSTANT, "m")->value;
    const double *out = case_find(io, CASE_OUTPUT, "x/sqrt(m)")->value;
    double worst = 0;
    for (int i = 0; i < n * DIM && !io->prefill; i++) worst = fmax(worst, fabs(out[i] - x[i] / sqrt(m[i])));
    case_expect(io, worst < 1e-6, "x over the root of m");
}

/* Numbers of [-1, 1) with the mean and the mean square of a uniform distribution. */
static void case_point_set(case_io *io)
{
    const int n = case_size(io, 4000);
    point_set_args a;
    a.value = 0.5;
    a.noise = 2;
    a.x = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, point_set, n, NULL, &a);
    case_out(io, "x", CASE_REAL, 1, n * DIM, a.x);
    const double *x = case_find(io, CASE_OUTPUT, "x")->value;
    double mean = 0, square = 0;
    int outside = 0;
    for (int i = 0; i < n * DIM; i++) {
        mean += (x[i] - 0.5) / 2 / (n * DIM);
        square += (x[i] - 0.5) * (x[i] - 0.5) / 4 / (n * DIM);
        outside += !(x[i] >= -1.5 && x[i] <= 2.5);
    }
    case_expect(io, io->prefill || (outside == 0 && fabs(mean) < 0.05 && fabs(square - 1.0 / 3) < 0.03),
                "uniform noise");
}

#endif
