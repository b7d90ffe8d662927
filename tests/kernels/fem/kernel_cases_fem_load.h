/* kernel_cases_fem_load.h -- cases of surface vertices, time, supports, observations, shape and nodal vectors. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_LOAD_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_LOAD_H

#include "tests/kernels/fem/kernel_cases_fem_face.h"
#include "tests/kernels/base/kernel_cases_host.h"

/* ---- surface vertices ------------------------------------------------------------------------------------ */

/* Rows of a map: each vertex is a mean of one to four degrees of freedom; or its transpose. */
static surface_map surface_sample(case_io *io, int vertices, int dofs, int transposed)
{
    const int rows = transposed ? dofs : vertices;
    int *start = HOST(io, int, rows + 1), *from = HOST(io, int, 4 * vertices), n = 0;
    real *weight = HOST(io, real, 4 * vertices);
    for (int row = 0; row < rows; row++) {
        for (int v = transposed ? 0 : row; v < (transposed ? vertices : row + 1); v++)
            for (int j = 0; j <= v % 4; j++) {
                const int dof = (37 * v + 11 * j) % dofs;
                if (transposed && dof != row) continue;
                from[n] = transposed ? v : dof;
                weight[n++] = R(0.2 + case_unit("weight of a vertex", 4 * v + j));
            }
        start[row + 1] = n;
    }
    surface_map m;
    m.start = PUSH(io, int, start, rows + 1);
    m.from = PUSH(io, int, from, n);
    m.weight = PUSH(io, real, weight, n);
    return m;
}

static void case_surface_vertex(case_io *io)
{
    static const char *const names[] = {"identity", "a map", NULL};
    const int a_map = case_variant(io, names), dofs = case_size(io, 600), vertices = a_map ? dofs - 37 : dofs;
    surface_vertex_args a;
    memset(&a, 0, sizeof a);
    if (a_map) a.map = surface_sample(io, vertices, dofs, 0);
    a.in = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "dofs", 1, dofs * DIM, -1, 1), CASE_REAL);
    a.out = NEW(io, real, vertices * DIM, CASE_SET);
    LAUNCH(io, surface_vertex, vertices, NULL, &a);
    case_out(io, "vertices", CASE_REAL, 1, vertices * DIM, a.out);
    if (!case_adjoint(io)) return;
    surface_vertex_adj_args b;
    memset(&b, 0, sizeof b);
    if (a_map) b.map = surface_sample(io, vertices, dofs, 1);
    b.in = COTANGENT(io, real, "vertices");
    b.out = NEW(io, real, dofs * DIM, CASE_ADDED);
    LAUNCH(io, surface_vertex_adj, dofs, NULL, &b);
    case_gradient(io, "dofs", CASE_REAL, 1, dofs * DIM, b.out);
}
#define case_surface_vertex_adj case_surface_vertex

/* ---- time ------------------------------------------------------------------------------------------------ */

/* Curves of one to five points, times about that of the step: before, within, on a point, after. */
static void case_fem_curve(case_io *io)
{
    const int n = case_size(io, 700);
    int *start = HOST(io, int, n + 1);
    double *t = HOST(io, double, 5 * n), *value = HOST(io, double, 5 * n), worst = 0;
    for (int c = 0, at = 0; c < n; c++) {
        double time = 0.5 * case_unit("first time", c);
        for (int i = 0; i <= c % 5; i++, at++) {
            t[at] = c % 7 == 3 && i == 1 ? 0.375 : time;
            value[at] = 2 * case_unit("curve", at) - 1;
            time = t[at] + 0.01 + 0.2 * case_unit("later", at);
            if (c % 7 == 3 && i == 0 && time > 0.37) time = 0.37;
        }
        start[c + 1] = at;
    }
    fem_curve_args a;
    a.step = fem_step_on(io, NULL);
    a.h = 0.125;
    a.index = 2;
    a.substep = 3, a.substeps = 4; /* ends at 0.375 */
    a.start = PUSH(io, int, start, n + 1);
    a.t = PUSH(io, double, t, start[n]);
    a.value = PUSH(io, double, value, start[n]);
    a.out = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, fem_curve, n, NULL, &a);
    case_out(io, "factor", CASE_WIDE, 1, n, a.out);
    case_out(io, "index", CASE_INT64, 1, 1, &a.step->index);
    case_out(io, "time", CASE_DOUBLE, 1, 1, &a.step->t);
    const double *factor = case_find(io, CASE_OUTPUT, "factor")->value;
    for (int c = 0; c < n && !io->prefill; c++) { /* the same by sums of clamped slopes */
        double expected = value[start[c]];
        for (int i = start[c]; i + 1 < start[c + 1]; i++)
            expected += (value[i + 1] - value[i]) * fmin(1, fmax(0, (0.375 - t[i]) / (t[i + 1] - t[i])));
        worst = fmax(worst, fabs(expected - factor[c]));
    }
    case_expect(io, worst < 1e-12, "curves are piecewise linear and constant outside");
    case_expect(io, fabs(case_find(io, CASE_OUTPUT, "time")->value[0] - 0.375) <= 0, "the time at the end of the step");
}

/* ---- supports -------------------------------------------------------------------------------------------- */

/* The displacement at the end: what it was, plus what is missing to the value. Some supports follow a curve. */
static void case_fem_prescribe(case_io *io)
{
    enum { SUPPORTS = 6, CURVES = 3 };
    const int nodes = case_size(io, 900), n = nodes * 7 / 9;
    int *node = HOST(io, int, n), *axis = HOST(io, int, n), *support = HOST(io, int, n), curve[SUPPORTS];
    for (int i = 0; i < n; i++) {
        node[i] = (i * 9 / 7 * 11) % nodes; /* 11 is prime to nodes: different ones */
        axis[i] = i % DIM;
        support[i] = (int)(SUPPORTS * case_unit("support", i));
    }
    for (int s = 0; s < SUPPORTS; s++) curve[s] = s % (CURVES + 1) - 1;
    fem_prescribe_args a;
    a.node = PUSH(io, int, node, n);
    a.axis = PUSH(io, int, axis, n);
    a.support = PUSH(io, int, support, n);
    a.curve = PUSH(io, int, curve, SUPPORTS);
    a.value = WIDES(io, "value", 1, SUPPORTS, -0.3, 0.5);
    a.factor = (const wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "factor", 1, CURVES, -1, 2), CASE_WIDE);
    a.u = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "u", 1, nodes * DIM, -1, 1), CASE_REAL);
    a.du = NEW(io, real, nodes * DIM, CASE_ZERO);
    LAUNCH(io, fem_prescribe, n, NULL, &a);
    point_axpby_args add;
    add.a = add.b = R(1);
    add.x = a.u;
    add.y = a.du;
    add.out = NEW(io, real, nodes * DIM, CASE_SET);
    LAUNCH(io, point_axpby, nodes, NULL, &add);
    case_out(io, "u at the end", CASE_REAL, 1, nodes * DIM, add.out);
    if (!case_adjoint(io)) return;
    fem_prescribe_adj_args b;
    b.node = a.node;
    b.axis = a.axis;
    b.support = a.support;
    b.curve = a.curve;
    b.factor = a.factor;
    b.u_bar = COTANGENT(io, real, "u at the end");
    b.contribution = NEW_FIELD(io, 1, n, CASE_SET);
    LAUNCH(io, fem_prescribe_adj, n, NULL, &b);
    wide *value_bar = NEW(io, wide, SUPPORTS, CASE_SET);
    for (int s = 0; s < SUPPORTS; s++) {
        design_sum_args d;
        d.index = a.support;
        d.group = s;
        d.n = n;
        d.stored = 1;
        d.component = 0;
        d.bar = b.contribution;
        LAUNCH_SUM(io, design_sum, n, NULL, &d, value_bar + s);
    }
    case_gradient(io, "value", CASE_WIDE, 1, SUPPORTS, value_bar);
}
#define case_fem_prescribe_adj case_fem_prescribe

static real *fem_masked(case_io *io, const int *constrained, int keep, int nodes, const real *x)
{
    fem_mask_args a;
    point_axpby_args copy;
    copy.a = R(1);
    copy.b = R(0);
    copy.x = copy.y = x;
    copy.out = NEW(io, real, nodes * DIM, CASE_SET);
    LAUNCH(io, point_axpby, nodes, NULL, &copy);
    a.constrained = constrained;
    a.keep_constrained = keep;
    a.x = copy.out;
    LAUNCH(io, fem_mask, nodes, NULL, &a);
    return copy.out;
}

static void case_fem_mask(case_io *io)
{
    static const char *const names[] = {"free unknowns", "constrained unknowns", NULL};
    const int keep = case_variant(io, names), nodes = case_size(io, 700);
    int *constrained = HOST(io, int, nodes), wrong = 0;
    for (int i = 0; i < nodes; i++) constrained[i] = (int)((1 << DIM) * case_unit("constrained", i));
    const int *bits = PUSH(io, int, constrained, nodes);
    const real *x = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "x", 1, nodes * DIM, -1, 1), CASE_REAL);
    case_out(io, "kept", CASE_REAL, 1, nodes * DIM, fem_masked(io, bits, keep, nodes, x));
    const double *out = case_find(io, CASE_OUTPUT, "kept")->value;
    for (int i = 0; i < nodes * DIM; i++)
        wrong += (fabs(out[i]) > 0) != ((constrained[i / DIM] >> i % DIM & 1) == keep);
    case_expect(io, wrong == 0, "what is kept is not zero, the rest is");
    if (!case_adjoint(io)) return;
    case_gradient(io, "x", CASE_REAL, 1, nodes * DIM, fem_masked(io, bits, keep, nodes, COTANGENT(io, real, "kept")));
}

/* ---- observations ---------------------------------------------------------------------------------------- */

static void case_fem_observe(case_io *io)
{
    static const char *const names[] = {
        "displacement", "reaction", "distance", "compliance", "kinetic", "distance between two steps", NULL};
    enum { ROWS = 400 };
    static const int types[] = {PIO_DISPLACEMENT, PIO_REACTION,       PIO_DISTANCE,
                                PIO_COMPLIANCE,   PIO_KINETIC_ENERGY, PIO_DISTANCE};
    const int nodes = case_size(io, 1100), variant = case_variant(io, names), between = variant == 5;
    fem_observe_args a;
    a.type = types[variant];
    a.axis = DIM - 1;
    int *marker = HOST(io, int, nodes);
    double *points = HOST(io, double, ROWS *DIM), *weights = HOST(io, double, ROWS), given = 0;
    for (int i = 0; i < nodes; i++) marker[i] = i < 2 * ROWS && i % 2 ? i / 2 : -1;
    for (int r = 0; r < ROWS; r++) {
        weights[r] = r % 3;
        given += r % 7 != 4 ? weights[r] : 0;
        for (int c = 0; c < DIM; c++)
            points[r * DIM + c] = r % 7 == 4 ? (double)NAN : 2 * case_unit("points", r * DIM + c) - 1;
    }
    a.rest = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "rest", 1, nodes * DIM, -1, 1), CASE_REAL);
    a.u = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "u", 1, nodes * DIM, -0.3, 0.3), CASE_REAL);
    a.force = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "force", 1, nodes * DIM, -5, 5), CASE_REAL);
    a.weight = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "weight", 1, nodes * DIM, -1, 2), CASE_REAL);
    a.marker = PUSH(io, int, marker, nodes);
    a.points = PUSH(io, double, points, ROWS *DIM);
    a.point_weight = PUSH(io, double, weights, ROWS);
    a.markers = given;
    const real *past =
        (real *)case_upload(io, case_uniform(io, CASE_INPUT, "past", 1, nodes * DIM, -0.3, 0.3), CASE_REAL);
    a.past = between ? past : NULL;
    a.past_weight = between ? 0.3 : 0;
    wide *sum = NEW(io, wide, 1, CASE_SET), *total = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH_SUM(io, fem_observe, nodes, NULL, &a, sum);
    fem_observe_add_args add;
    add.sum = sum;
    add.weight = 0.7;
    add.sample = total;
    LAUNCH(io, fem_observe_add, 1, NULL, &add);
    case_out(io, "sum", CASE_WIDE, 1, 1, sum);
    case_out(io, "sample", CASE_WIDE, 1, 1, total);
    if (!case_adjoint(io)) return;
    fem_observe_adj_args b;
    b.o = a;
    b.sample_bar = COTANGENT(io, wide, "sample");
    b.weight = 0.7;
    b.u_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    b.force_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    b.rest_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    b.past_bar = NEW(io, real, nodes * DIM, CASE_ADDED);
    LAUNCH(io, fem_observe_adj, nodes, NULL, &b);
    case_gradient(io, "u", CASE_REAL, 1, nodes * DIM, b.u_bar);
    case_gradient(io, "force", CASE_REAL, 1, nodes * DIM, b.force_bar);
    case_gradient(io, "rest", CASE_REAL, 1, nodes * DIM, b.rest_bar);
    case_gradient(io, "past", CASE_REAL, 1, nodes * DIM, b.past_bar);
}
#define case_fem_observe_adj case_fem_observe
#define case_fem_observe_add case_fem_observe

/* ---- shape ----------------------------------------------------------------------------------------------- */

static void case_fem_rest(case_io *io)
{
    static const char *const names[] = {"groups", "each node its own", "groups, along one axis", "each, along one axis",
                                        NULL};
    const int variant = case_variant(io, names), each = variant % 2, n = case_size(io, 700);
    int *index = design_index(io, n);
    for (int i = 0; i < n && each; i++)
        if (index[i] >= 0) index[i] = (i + 300) % n;
    const int groups = each ? n : (int)DESIGN_GROUPS;
    fem_rest_args a;
    a.components = variant < 2 ? DIM : 1;
    a.first = variant >= 2;
    a.index = PUSH(io, int, index, n);
    a.value = WIDES(io, "value", 1, groups * a.components, -0.2, 0.3);
    for (int c = 0; c < DIM; c++) a.base[c] = 0.1 * (c + 1);
    a.reference = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "reference", 1, n * DIM, -1, 1), CASE_REAL);
    a.rest = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_rest, n, NULL, &a);
    case_out(io, "rest", CASE_REAL, 1, n * DIM, a.rest);
    if (!case_adjoint(io)) return;
    wide *value_bar = NEW(io, wide, groups * a.components, CASE_SET);
    fem_rest_sum_args s;
    fem_rest_each_args e;
    e.components = a.components;
    e.first = a.first;
    e.index = s.index = a.index;
    e.bar = s.bar = COTANGENT(io, real, "rest");
    e.value_bar = value_bar;
    if (each) LAUNCH(io, fem_rest_each, n, NULL, &e);
    for (s.group = 0; s.group < groups && !each; s.group++)
        for (s.component = a.first; s.component < a.first + a.components; s.component++)
            LAUNCH_SUM(io, fem_rest_sum, n, NULL, &s, value_bar + s.group * a.components + s.component - a.first);
    case_gradient(io, "value", CASE_WIDE, 1, groups * a.components, value_bar);
}
#define case_fem_rest_sum case_fem_rest
#define case_fem_rest_each case_fem_rest

static void case_fem_along(case_io *io)
{
    const int n = case_size(io, 700);
    int *index = design_index(io, n);
    fem_along_args a;
    for (int i = 0; i < n; i++)
        if (index[i] >= 0) index[i] = (i + 300) % n;
    a.index = PUSH(io, int, index, n);
    a.value = WIDES(io, "value", 1, n, -0.2, 0.3);
    a.direction = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "direction", 1, n * DIM, -1, 1), CASE_REAL);
    a.reference = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "reference", 1, n * DIM, -1, 1), CASE_REAL);
    a.rest = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, fem_along, n, NULL, &a);
    case_out(io, "rest", CASE_REAL, 1, n * DIM, a.rest);
    if (!case_adjoint(io)) return;
    fem_along_adj_args b;
    b.index = a.index;
    b.direction = a.direction;
    b.rest_bar = COTANGENT(io, real, "rest");
    b.value_bar = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, fem_along_adj, n, NULL, &b);
    case_gradient(io, "value", CASE_WIDE, 1, n, b.value_bar);
}
#define case_fem_along_adj case_fem_along

/* ---- nodal vectors --------------------------------------------------------------------------------------- */

static void case_point_axpby(case_io *io)
{
    const int n = case_size(io, 700);
    point_axpby_args a;
    a.a = R(1.25);
    a.b = R(-0.5);
    a.x = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "x", 1, n * DIM, -1, 1), CASE_REAL);
    a.y = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "y", 1, n * DIM, -1, 1), CASE_REAL);
    a.out = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, point_axpby, n, NULL, &a);
    case_out(io, "a x + b y", CASE_REAL, 1, n * DIM, a.out);
    if (!case_adjoint(io)) return;
    const real *bar = COTANGENT(io, real, "a x + b y"), factor[2] = {a.a, a.b};
    for (int k = 0; k < 2; k++) {
        a.a = factor[k];
        a.b = R(0);
        a.x = a.y = bar;
        a.out = NEW(io, real, n * DIM, CASE_SET);
        LAUNCH(io, point_axpby, n, NULL, &a);
        case_gradient(io, k ? "y" : "x", CASE_REAL, 1, n * DIM, a.out);
    }
}

static void case_point_dot(case_io *io)
{
    const int n = case_size(io, 700);
    point_dot_args a;
    wide *sum = NEW(io, wide, 1, CASE_SET);
    a.x = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "x", 1, n * DIM, -1, 1), CASE_REAL);
    a.y = (real *)case_upload(io, case_uniform(io, CASE_INPUT, "y", 1, n * DIM, -1, 1), CASE_REAL);
    LAUNCH_SUM(io, point_dot, n, NULL, &a, sum);
    case_out(io, "x . y", CASE_WIDE, 1, 1, sum);
    if (!case_adjoint(io)) return;
    double bar = 0;
    const wide *cotangent = COTANGENT(io, wide, "x . y");
    case_expect(io, !io->machine->download(io->machine->stream, &bar, cotangent, sizeof bar), "a download");
    for (int k = 0; k < 2; k++) {
        point_axpby_args b;
        b.a = R(bar);
        b.b = R(0);
        b.x = b.y = k ? a.x : a.y;
        b.out = NEW(io, real, n * DIM, CASE_SET);
        LAUNCH(io, point_axpby, n, NULL, &b);
        case_gradient(io, k ? "y" : "x", CASE_REAL, 1, n * DIM, b.out);
    }
}

/* A component as it is read, with and without a field that is added, and written again. */
static void case_point_read(case_io *io)
{
    const int n = case_size(io, 700);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, n * DIM, -1, 1);
    case_array *y = case_uniform(io, CASE_CONSTANT, "y", 1, n * DIM, -1, 1);
    double worst = 0;
    point_read_args a;
    point_write_args b;
    a.component = 1;
    a.stride = 1;
    a.scale = 1;
    a.x = (real *)case_upload(io, x, CASE_REAL);
    a.y = NULL;
    a.out = NEW(io, double, n, CASE_SET);
    LAUNCH(io, point_read, n, NULL, &a);
    case_out(io, "x alone", CASE_DOUBLE, 1, n, a.out);
    b.component = DIM - 1;
    b.in = a.out;
    b.x = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, point_write, n, NULL, &b);
    case_out(io, "written", CASE_REAL, 1, n * DIM, b.x);
    a.scale = 0.25;
    a.y = (real *)case_upload(io, y, CASE_REAL);
    a.out = NEW(io, double, n, CASE_SET);
    LAUNCH(io, point_read, n, NULL, &a);
    case_out(io, "y + x/4", CASE_DOUBLE, 1, n, a.out);
    const double *sum = case_find(io, CASE_OUTPUT, "y + x/4")->value;
    const double *written = case_find(io, CASE_OUTPUT, "written")->value;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(written[i * DIM + DIM - 1] - x->value[i * DIM + 1]));
        worst = fmax(worst, fabs(sum[i] - y->value[i * DIM + 1] - 0.25 * x->value[i * DIM + 1]));
    }
    case_expect(io, worst < 1e-6, "a component is read and written");
}
#define case_point_write case_point_read

#endif
