/* kernel_cases_fem_follow.h -- cases of body forces, of follower pressures, and of springs. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_FOLLOW_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_FOLLOW_H

#include "tests/kernels/fem/kernel_cases_fem_face.h"

/* ---- body force ------------------------------------------------------------------------------------------ */

/* Of each type's elements all but every fiftieth, the last first. */
static int body_force_elements(case_io *io, const mesh_part *p, const int **list)
{
    int *element = HOST(io, int, p->n), n = 0;
    for (int i = p->n - 1; i >= 0; i--)
        if (i % 50 != 7) element[n++] = p->first + i;
    *list = PUSH(io, int, element, n);
    return n;
}

static void case_fem_body_force(case_io *io)
{
    mesh_body body = mesh_of(io, RULE_MASS, CASE_INPUT, CASE_INPUT);
    const mesh_lattice *m = &body.m;
    static const char *const names[] = {"the same everywhere", "of each point", DIM == 3 ? NULL : "rings", NULL};
    const int variant = case_variant(io, names), varies = variant == 1;
    if (variant == 2) mesh_plane(&body, PIO_AXISYMMETRIC);
    fem_body_force_args a[MESH_TYPES];
    const wide *value = varies ? NULL : WIDES(io, "value", DIM, 1, -3, 5);
    const wide *factor =
        (const wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "factor", 1, 1, 0.7, 0.8), CASE_WIDE);
    real *out = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    for (int t = 0; t < MESH_TYPES; t++) {
        a[t].b = body.block[t];
        a[t].n = body_force_elements(io, &m->part[t], &a[t].element);
        a[t].scale = 0.7;
        a[t].value = value;
        a[t].stride = varies ? (int)DIM : 0;
        if (varies)
            a[t].value = WIDES(io, mesh_name("value", m->part[t].type), 1, a[t].n * a[t].b.rule.points * DIM, -3, 5);
        a[t].factor = varies ? NULL : factor;
        a[t].out = out;
        LAUNCH(io, fem_body_force, a[t].n, NULL, &a[t]);
    }
    mesh_out(io, m, "force", out);
    if (!case_adjoint(io)) return;
    fem_body_force_adj_args b;
    wide *value_bar = NEW(io, wide, DIM, CASE_ADDED);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
    b.thick_bar = DIM == 2 ? NEW_FIELD(io, 1, m->elements, CASE_ADDED) : NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd = a[t];
        b.y = COTANGENT(io, real, mesh_name("force", m->part[t].type));
        b.value_contribution = NEW_FIELD(io, DIM, a[t].n, CASE_SET);
        const int values = a[t].n * a[t].b.rule.points * DIM;
        b.point_bar = varies ? NEW(io, wide, values, CASE_SET) : NULL;
        LAUNCH(io, fem_body_force_adj, a[t].n, NULL, &b);
        if (varies) case_gradient(io, mesh_name("value", m->part[t].type), CASE_WIDE, 1, values, b.point_bar);
        fem_add_values(io, a[t].n, b.value_contribution, value_bar);
    }
    mesh_gradient(io, m, "rest", b.rest_bar);
    if (!varies) case_gradient(io, "value", CASE_WIDE, DIM, 1, value_bar);
    if (b.thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, m->elements, b.thick_bar);
}
#define case_fem_body_force_adj case_fem_body_force

/* ---- element matrices ------------------------------------------------------------------------------------ */

static int follow_pairs(const mesh_lattice *m)
{
    int pairs = 0;
    for (int t = 0; t < mesh_parts(m->dim); t++)
        pairs += m->part[t].n * element_nodes[m->part[t].type] * element_nodes[m->part[t].type];
    return pairs;
}

/* The product of the element matrix of every face with x is `sign` times the element vector. */
static void follow_compare(case_io *io, const mesh_lattice *m, const double *pairs, const double *x, const double *dofs,
                           double sign)
{
    double worst = 0;
    const double *K = pairs;
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        const int nodes = element_nodes[m->part[t].type];
        for (int i = 0; i < m->part[t].n; i++)
            for (int a = 0; a < nodes; a++) {
                const int first = m->part[t].first_element_node + i * nodes;
                double sum[DIM] = {0}, size = 1e-30;
                for (int n = 0; n < nodes; n++, K += DIM * DIM)
                    for (int c = 0; c < DIM * DIM; c++) {
                        const double term = K[c] * x[m->point[first + n] * DIM + c % DIM];
                        sum[c / DIM] += term;
                        size += fabs(term);
                    }
                for (int c = 0; c < DIM; c++)
                    worst = fmax(worst, fabs(sum[c] - sign * dofs[(first + a) * DIM + c]) / size);
            }
    }
    case_expect(io, worst < (sizeof(real) == 4 ? 1e-5 : 1e-12), "the product with the pairs is that without them");
}

/* ---- follower pressures ---------------------------------------------------------------------------------- */

/* Owners behind the faces, thicknesses in 2D, and the arguments of all element types. */
static fem_face_args follow_faces(case_io *io, const mesh_lattice *m, case_role role, int values, const int **behind)
{
    const int owners = m->elements / 5 + 1;
    int *owner = HOST(io, int, m->elements);
    for (int i = 0; i < m->elements; i++) owner[i] = (3 * i + i / 7) % owners;
    fem_face_args a;
    memset(&a, 0, sizeof a);
    *behind = PUSH(io, int, owner, m->elements);
    a.kind = PIO_PRESSURE;
    a.rest = mesh_rest(io, m, role, "rest");
    a.thick =
        DIM == 2 ? (real *)case_upload(io, case_uniform(io, role, "thickness", 1, owners, 0.5, 1.5), CASE_FIELD) : NULL;
    a.value = (const wide *)case_upload(io, case_uniform(io, role, "value", values, 1, 2, 5), CASE_WIDE);
    a.scale = 0.7;
    return a;
}

static void case_fem_face_tan(case_io *io)
{
    static const char *const names[] = {"no rings", DIM == 3 ? NULL : "rings", NULL};
    mesh_lattice m = mesh_make(io, DIM - 1);
    const int *behind, total = follow_pairs(&m);
    int first = 0;
    fem_face_tan_args a;
    fem_face_matrix_args p;
    a.fwd = follow_faces(io, &m, CASE_CONSTANT, 1, &behind);
    if (case_variant(io, names)) a.fwd.plane = PIO_AXISYMMETRIC;
    case_array *du = case_uniform(io, CASE_INPUT, "du", 1, m.points * DIM, -0.1, 0.1);
    a.du = (real *)case_upload(io, du, CASE_REAL);
    a.out = NEW(io, real, m.element_dofs * DIM, CASE_SET);
    p.out = NEW(io, real, total * DIM * DIM, CASE_SET);
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        fem_faces(io, &m, &a.fwd, t, behind);
        LAUNCH(io, fem_face_tan, m.part[t].n, NULL, &a);
        p.fwd = a.fwd;
        p.first_node_pair = first;
        LAUNCH(io, fem_face_matrix, m.part[t].n, NULL, &p);
        first += m.part[t].n * element_nodes[m.part[t].type] * element_nodes[m.part[t].type];
    }
    mesh_out(io, &m, "force", a.out);
    if (!io->build->dual) {
        case_out(io, "pairs", CASE_REAL, 1, total * DIM * DIM, p.out);
        if (!io->prefill)
            follow_compare(io, &m, case_find(io, CASE_OUTPUT, "pairs")->value, du->value,
                           case_find(io, CASE_OUTPUT, "element dofs")->value, -1);
    }
    if (!case_adjoint(io)) return;
    fem_face_adj_args b;
    b.rest_bar = NEW(io, real, m.element_dofs * DIM, CASE_SET);
    b.thick_contribution = NULL;
    b.point_bar = NULL;
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        b.fwd = a.fwd;
        fem_faces(io, &m, &b.fwd, t, behind);
        b.y = COTANGENT(io, real, mesh_name("force", m.part[t].type));
        b.faces = m.part[t].n;
        b.value_contribution = NEW_FIELD(io, DIM, m.part[t].n, CASE_SET);
        LAUNCH(io, fem_face_adj, m.part[t].n, NULL, &b);
    }
    mesh_gradient(io, &m, "du", b.rest_bar);
}
#define case_fem_face_matrix case_fem_face_tan

/* ---- springs --------------------------------------------------------------------------------------------- */

static void spring_points(case_io *io)
{
    const int n = case_size(io, 700);
    int *vertex = HOST(io, int, n);
    for (int i = 0; i < n; i++) vertex[i] = i;
    fem_spring_args a;
    memset(&a, 0, sizeof a);
    a.f.rule = mesh_rule(io, RULE_MASS, PIO_POINT1);
    a.f.vertex = a.f.owner = PUSH(io, int, vertex, n);
    a.f.rest = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "rest", 1, n * DIM, -1, 1), CASE_REAL);
    a.f.value = WIDES(io, "value", DIM, 1, 2, 5);
    a.f.scale = 0.7;
    a.f.out = NEW(io, real, n * DIM, CASE_SET);
    a.u = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "u", 1, n * DIM, -1, 1), CASE_REAL);
    LAUNCH(io, fem_spring, n, NULL, &a);
    case_out(io, "force", CASE_REAL, 1, n * DIM, a.f.out);
    if (!case_adjoint(io)) return;
    fem_spring_adj_args b;
    wide *value_bar = NEW(io, wide, DIM, CASE_ADDED);
    b.fwd = a;
    b.y = COTANGENT(io, real, "force");
    b.u_bar = NEW(io, real, n * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, n * DIM, CASE_SET);
    b.faces = n;
    b.value_contribution = NEW_FIELD(io, DIM, n, CASE_SET);
    b.thick_contribution = NULL;
    LAUNCH(io, fem_spring_adj, n, NULL, &b);
    fem_add_values(io, n, b.value_contribution, value_bar);
    case_gradient(io, "u", CASE_REAL, 1, n * DIM, b.u_bar);
    case_gradient(io, "value", CASE_WIDE, DIM, 1, value_bar);
}

/* The forces by element matrices are the same: they are linear in u. */
static void spring_pairs(case_io *io, const mesh_lattice *m, fem_spring_args a, const int *behind, const double *u)
{
    const int total = follow_pairs(m);
    fem_spring_matrix_args p;
    p.first_node_pair = 0;
    p.out = NEW(io, real, total * DIM * DIM, CASE_SET);
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        fem_faces(io, m, &a.f, t, behind);
        p.fwd = a;
        LAUNCH(io, fem_spring_matrix, m->part[t].n, NULL, &p);
        p.first_node_pair += m->part[t].n * element_nodes[m->part[t].type] * element_nodes[m->part[t].type];
    }
    if (io->build->dual) return;
    case_out(io, "pairs", CASE_REAL, 1, total * DIM * DIM, p.out);
    if (!io->prefill)
        follow_compare(io, m, case_find(io, CASE_OUTPUT, "pairs")->value, u,
                       case_find(io, CASE_OUTPUT, "element dofs")->value, 1);
}

static void spring_adjoint(case_io *io, const mesh_lattice *m, fem_spring_args a, const int *behind, int alone)
{
    const int owners = m->elements / 5 + 1;
    fem_spring_adj_args b;
    wide *value_bar = NEW(io, wide, DIM, CASE_ADDED);
    real *thick_bar = DIM == 2 ? NEW_FIELD(io, 1, owners, CASE_ADDED) : NULL;
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = alone ? NULL : NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        const int n = m->part[t].n;
        fem_faces(io, m, &a.f, t, behind);
        b.fwd = a;
        b.y = COTANGENT(io, real, mesh_name("force", m->part[t].type));
        b.faces = n;
        b.value_contribution = alone ? NULL : NEW_FIELD(io, DIM, n, CASE_SET);
        b.thick_contribution = alone || DIM == 3 ? NULL : NEW_FIELD(io, 1, n, CASE_SET);
        LAUNCH(io, fem_spring_adj, n, NULL, &b);
        if (alone) continue;
        fem_add_values(io, n, b.value_contribution, value_bar);
        if (DIM == 2) fem_add_thick(io, n, a.f.owner, b.thick_contribution, thick_bar);
    }
    mesh_gradient(io, m, "u", b.u_bar);
    if (alone) return;
    mesh_gradient(io, m, "rest", b.rest_bar);
    case_gradient(io, "value", CASE_WIDE, a.normal ? 1 : DIM, 1, value_bar);
    if (DIM == 2) case_gradient(io, "thickness", CASE_FIELD, 1, owners, thick_bar);
}

static void case_fem_spring(case_io *io)
{
    static const char *const names[] = {"along the axes",
                                        "along the normal",
                                        "on points",
                                        "of displacement alone",
                                        DIM == 3 ? NULL : "rings, along the axes",
                                        "rings, along the normal",
                                        NULL};
    const int variant = case_variant(io, names), alone = variant == 3;
    if (variant == 2) {
        spring_points(io);
        return;
    }
    mesh_lattice m = mesh_make(io, DIM - 1);
    const int *behind;
    fem_spring_args a;
    a.normal = variant == 1 || variant == 5;
    a.f = follow_faces(io, &m, alone ? CASE_CONSTANT : CASE_INPUT, a.normal ? 1 : DIM, &behind);
    if (variant > 3) a.f.plane = PIO_AXISYMMETRIC;
    case_array *u = case_uniform(io, CASE_INPUT, "u", 1, m.points * DIM, -0.1, 0.1);
    a.u = (real *)case_upload(io, u, CASE_REAL);
    a.f.out = NEW(io, real, m.element_dofs * DIM, CASE_SET);
    for (int t = 0; t < mesh_parts(m.dim); t++) {
        fem_faces(io, &m, &a.f, t, behind);
        LAUNCH(io, fem_spring, m.part[t].n, NULL, &a);
    }
    mesh_out(io, &m, "force", a.f.out);
    if (!alone) spring_pairs(io, &m, a, behind, u->value);
    if (case_adjoint(io)) spring_adjoint(io, &m, a, behind, alone);
}
#define case_fem_spring_adj case_fem_spring
#define case_fem_spring_matrix case_fem_spring

#endif
