/* kernel_cases_fem_face.h -- cases of loads on faces and on points. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_FACE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_FACE_H

#include "tests/kernels/fem/kernel_cases_fem.h"
#include "tests/kernels/base/kernel_cases_host.h"

/* ---- loads on faces -------------------------------------------------------------------------------------- */

/* The faces of one type; their thickness is set. */
static void fem_faces(case_io *io, const mesh_lattice *m, fem_face_args *f, int t, const int *owner)
{
    const mesh_part *p = &m->part[t];
    f->rule = mesh_rule(io, RULE_MASS, p->type);
    f->first_element_node = p->first_element_node;
    f->vertex = m->nodes + p->first_element_node;
    f->owner = owner + p->first;
}

/* value_bar += the contributions of n faces, as the solver does it. */
static void fem_add_values(case_io *io, int n, const real *contribution, wide *value_bar)
{
    for (int c = 0; c < DIM; c++) {
        field_sum_args s;
        add_scalar_args add;
        wide *sum = NEW(io, wide, 1, CASE_SET);
        s.n = n;
        s.components = DIM;
        s.component = c;
        s.in = contribution;
        LAUNCH_SUM(io, field_sum, n, NULL, &s, sum);
        add.term = sum;
        add.total = value_bar + c;
        LAUNCH(io, add_scalar, 1, NULL, &add);
    }
}

static void fem_add_thick(case_io *io, int n, const int *owner, const real *contribution, real *thick_bar)
{
    fem_face_thick_args h;
    h.faces = n;
    h.owner = owner;
    h.contribution = contribution;
    h.thick_bar = thick_bar;
    LAUNCH(io, fem_face_thick, 1, NULL, &h);
}

/* Forces on single nodes: neither place nor thickness matters. */
static void fem_points(case_io *io)
{
    const int n = case_size(io, 700);
    int *vertex = HOST(io, int, n);
    for (int i = 0; i < n; i++) vertex[i] = n - 1 - i;
    fem_face_args a;
    fem_face_adj_args b;
    a.rule = mesh_rule(io, RULE_MASS, PIO_POINT1);
    a.kind = PIO_TRACTION;
    a.plane = DIM == 2 ? PIO_AXISYMMETRIC : 0; /* points of rings have forces of the whole ring */
    a.first_element_node = 0;
    a.vertex = a.owner = PUSH(io, int, vertex, n);
    a.rest = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "rest", 1, n * DIM, -1, 1), CASE_REAL);
    a.thick = DIM == 2 ? REALS(io, "thickness", 1, n, 0.5, 1.5) : NULL;
    a.value = WIDES(io, "value", DIM, 1, -3, 5);
    a.factor = (const wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "factor", 1, 1, 0.7, 0.8), CASE_WIDE);
    a.scale = 0.7;
    a.stride = 0;
    a.area = NULL;
    a.out = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_face, n, NULL, &a);
    case_out(io, "force", CASE_REAL, 1, n * DIM, a.out);
    if (!case_adjoint(io)) return;
    b.fwd = a;
    real *y = NEW(io, real, n * DIM, CASE_ZERO), *thick_bar = DIM == 2 ? NEW_FIELD(io, 1, n, CASE_ADDED) : NULL;
    surface_vertex_args turn; /* cotangents of element degrees of freedom, by vertex */
    memset(&turn, 0, sizeof turn);
    int *start = HOST(io, int, n + 1);
    for (int i = 0; i <= n; i++) start[i] = i;
    case_array *ones = case_uniform(io, CASE_CONSTANT, "ones", 1, n, 1, 1);
    turn.map.start = PUSH(io, int, start, n + 1);
    turn.map.from = a.vertex;
    turn.map.weight = (real *)case_upload(io, ones, CASE_REAL);
    turn.in = COTANGENT(io, real, "force");
    turn.out = y;
    LAUNCH(io, surface_vertex, n, NULL, &turn);
    b.y = y;
    b.faces = n;
    b.rest_bar = NEW(io, real, n * DIM, CASE_SET);
    b.value_contribution = NEW_FIELD(io, DIM, n, CASE_SET);
    b.point_bar = NULL;
    b.thick_contribution = DIM == 2 ? NEW_FIELD(io, 1, n, CASE_SET) : NULL;
    LAUNCH(io, fem_face_adj, n, NULL, &b);
    fem_field_sums(io, "value", n, DIM, b.value_contribution);
    case_gradient(io, "rest", CASE_REAL, 1, n * DIM, b.rest_bar);
    if (DIM == 3) return;
    fem_add_thick(io, n, a.owner, b.thick_contribution, thick_bar);
    case_gradient(io, "thickness", CASE_FIELD, 1, n, thick_bar);
}

/* Of all faces. */
static wide *fem_total_area(case_io *io, const mesh_lattice *m, fem_face_args f, const int *owner)
{
    wide *area = NEW(io, wide, 1, CASE_ZERO);
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        fem_face_area_args a;
        add_scalar_args add;
        fem_faces(io, m, &f, t, owner);
        a.f = f;
        add.term = NEW(io, wide, 1, CASE_SET);
        add.total = area;
        LAUNCH_SUM(io, fem_face_area, m->part[t].n, NULL, &a, (wide *)(uintptr_t)add.term);
        LAUNCH(io, add_scalar, 1, NULL, &add);
    }
    case_out(io, "area", CASE_WIDE, 1, 1, area);
    return area;
}

/* The cotangents that a total force adds by its area, beside those of fem_face_adj at constant area. */
static void fem_total_adjoint(case_io *io, const mesh_lattice *m, fem_face_args f, const int *owner,
                              const wide *value_bar, real *rest_bar, real *thick_bar)
{
    fem_face_area_adj_args b;
    point_axpby_args add;
    b.value_bar = value_bar;
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < mesh_parts(m->dim); t++) {
        const int n = m->part[t].n;
        fem_faces(io, m, &f, t, owner);
        b.fwd = f;
        b.thick_contribution = thick_bar ? NEW_FIELD(io, 1, n, CASE_SET) : NULL;
        LAUNCH(io, fem_face_area_adj, n, NULL, &b);
        if (thick_bar) fem_add_thick(io, n, f.owner, b.thick_contribution, thick_bar);
    }
    add.a = add.b = R(1);
    add.x = rest_bar;
    add.y = b.rest_bar;
    add.out = rest_bar;
    LAUNCH(io, point_axpby, m->element_dofs, NULL, &add);
}

/* Sets the values at the points of faces of one type, where they vary. */
static void fem_varied(case_io *io, const mesh_part *p, fem_face_args *f, int varies)
{
    if (!varies) return;
    f->stride = f->kind == PIO_PRESSURE ? 1 : (int)DIM;
    f->value = WIDES(io, mesh_name("value", p->type), 1, p->n * f->rule.points * f->stride, -3, 5);
}

/* Tractions, pressures, or total forces; or values of each point; or on faces of rings. */
static void fem_face_loads(case_io *io, int pressure, int total, int varies, int ring)
{
    mesh_lattice m = mesh_make(io, DIM - 1);
    const int parts = mesh_parts(m.dim), owners = m.elements / 5 + 1;
    int *owner = HOST(io, int, m.elements);
    for (int i = 0; i < m.elements; i++) owner[i] = (3 * i + i / 7) % owners;
    fem_face_args a;
    fem_face_adj_args b;
    const wide *value[MESH_TYPES];
    const int *behind = PUSH(io, int, owner, m.elements);
    memset(&a, 0, sizeof a);
    a.thick = DIM == 2 ? REALS(io, "thickness", 1, owners, 0.5, 1.5) : NULL;
    a.plane = ring ? PIO_AXISYMMETRIC : 0;
    a.kind = pressure ? PIO_PRESSURE : PIO_TRACTION;
    a.rest = mesh_rest(io, &m, CASE_INPUT, "rest");
    a.value = varies ? NULL : WIDES(io, "value", pressure ? 1 : DIM, 1, -3, 5);
    a.factor = (const wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "factor", 1, 1, 0.7, 0.8), CASE_WIDE);
    a.scale = 0.7;
    a.area = total ? fem_total_area(io, &m, a, behind) : NULL;
    a.out = NEW(io, real, m.element_dofs * DIM, CASE_SET);
    for (int t = 0; t < parts; t++) {
        fem_faces(io, &m, &a, t, behind);
        fem_varied(io, &m.part[t], &a, varies);
        value[t] = a.value;
        LAUNCH(io, fem_face, m.part[t].n, NULL, &a);
    }
    mesh_out(io, &m, "force", a.out);
    if (!case_adjoint(io)) return;
    wide *value_bar = NEW(io, wide, DIM, total ? CASE_ZERO : CASE_ADDED);
    real *thick_bar = DIM == 2 ? NEW_FIELD(io, 1, owners, CASE_ADDED) : NULL;
    b.fwd = a;
    b.rest_bar = NEW(io, real, m.element_dofs * DIM, CASE_SET);
    for (int t = 0; t < parts; t++) {
        const int n = m.part[t].n;
        fem_faces(io, &m, &b.fwd, t, behind);
        const int values = n * b.fwd.rule.points * a.stride;
        b.fwd.value = value[t];
        b.point_bar = varies ? NEW(io, wide, values, CASE_SET) : NULL;
        b.y = COTANGENT(io, real, mesh_name("force", m.part[t].type));
        b.faces = n;
        b.value_contribution = NEW_FIELD(io, DIM, n, CASE_SET);
        b.thick_contribution = DIM == 2 ? NEW_FIELD(io, 1, n, CASE_SET) : NULL;
        LAUNCH(io, fem_face_adj, n, NULL, &b);
        if (varies) case_gradient(io, mesh_name("value", m.part[t].type), CASE_WIDE, 1, values, b.point_bar);
        fem_add_values(io, n, b.value_contribution, value_bar);
        if (DIM == 2) fem_add_thick(io, n, b.fwd.owner, b.thick_contribution, thick_bar);
    }
    if (total) fem_total_adjoint(io, &m, a, behind, value_bar, b.rest_bar, thick_bar);
    mesh_gradient(io, &m, "rest", b.rest_bar);
    if (!varies) case_gradient(io, "value", CASE_WIDE, pressure ? 1 : DIM, 1, value_bar);
    if (DIM == 2) case_gradient(io, "thickness", CASE_FIELD, 1, owners, thick_bar);
}

static void case_fem_face(case_io *io)
{
    static const char *const names[] = {"traction",
                                        "pressure",
                                        "on points",
                                        "traction of each point",
                                        "pressure of a point",
                                        DIM == 3 ? NULL : "traction of rings",
                                        "pressure of rings",
                                        NULL};
    const int kind = case_variant(io, names);
    if (kind == 2)
        fem_points(io);
    else
        fem_face_loads(io, kind == 1 || kind == 4 || kind == 6, 0, kind == 3 || kind == 4, kind > 4);
}

static void case_fem_face_area(case_io *io)
{
    static const char *const names[] = {"no rings", DIM == 3 ? NULL : "rings", NULL};
    fem_face_loads(io, 0, 1, 0, case_variant(io, names));
}
#define case_fem_face_area_adj case_fem_face_area
#define case_fem_face_adj case_fem_face

/* In 3D, too, where no solver needs it. */
static void case_fem_face_thick(case_io *io)
{
    enum { FACES = 200, ELEMENTS = 70 };
    int *owner = HOST(io, int, FACES);
    double worst = 0;
    for (int i = 0; i < FACES; i++) owner[i] = (int)(ELEMENTS * case_unit("owner", i));
    fem_face_thick_args a;
    a.faces = FACES;
    a.owner = PUSH(io, int, owner, FACES);
    a.contribution = CONSTANTS(io, "contribution", 1, FACES, -1, 1);
    a.thick_bar = NEW_FIELD(io, 1, ELEMENTS, CASE_ADDED);
    LAUNCH(io, fem_face_thick, 1, NULL, &a);
    case_out(io, "thickness_bar", CASE_FIELD, 1, ELEMENTS, a.thick_bar);
    const double *contribution = case_find(io, CASE_CONSTANT, "contribution")->value;
    const double *out = case_find(io, CASE_OUTPUT, "thickness_bar")->value;
    for (int e = 0; e < ELEMENTS && !io->prefill; e++) {
        double sum = 0;
        for (int i = 0; i < FACES; i++) sum += owner[i] == e ? contribution[i] : 0;
        worst = fmax(worst, fabs(sum - out[e]));
    }
    case_expect(io, worst < 1e-6, "every element has the sum of its faces");
}

#endif
