/* kernel_cases_fem_pressure.h -- cases of the pressures of nearly incompressible elements. Case text: C11 and C++17. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PRESSURE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PRESSURE_H

#include "tests/kernels/fem/kernel_cases_fem_tangent.h"

/* Makes every element but each fifth nearly incompressible. */
static void pressure_matter(case_io *io, mesh_body *b)
{
    const int n = b->m.elements;
    case_array *k = case_uniform(io, CASE_CONSTANT, "k", PIO_LAW_CONSTANTS, n, 5e3, 2e4);
    b->law = HOST(io, int, n);
    for (int e = 0; e < n; e++) {
        b->law[e] = case_solid(e);
        const int bulk = hyper_count(b->law[e]) - 1;
        if (e % 5) k->value[bulk * n + e] *= 3000;
        if (!case_is_ogden(b->law[e])) continue;
        k->value[n + e] = 1.4 + 1.6 * case_unit("alpha 1", e);
        k->value[2 * n + e] *= -0.5;
        k->value[3 * n + e] = -1.5 - case_unit("alpha 2", e);
    }
    b->matter.elements = n;
    b->matter.law = PUSH(io, int, b->law, n);
    b->matter.k = (real *)case_upload(io, k, CASE_FIELD);
    b->matter.density = b->matter.heat = b->matter.relative = b->matter.choice = NULL;
}

/* Returns out = sum_e K_e x for the tangents, without moduli [elements] where they are not NULL; no unknown is held. */
static const double *pressure_product(case_io *io, const mesh_body *body, const real *u, const real *moduli,
                                      const char *name, const double *x)
{
    const mesh_lattice *m = &body->m;
    int pairs = 0;
    fem_tangent_args a;
    double *y = HOST(io, double, m->points *DIM);
    a.m = body->matter;
    a.u = u;
    a.reduced = moduli;
    for (int t = 0; t < MESH_TYPES; t++)
        pairs += body->block[t].n * body->block[t].rule.nodes * (body->block[t].rule.nodes + 1) / 2;
    a.out = NEW(io, real, pairs * MATRIX, CASE_SET);
    a.first_node_pair = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        const int nodes = body->block[t].rule.nodes;
        int *pair = HOST(io, int, nodes *(nodes + 1) / 2);
        a.b = body->block[t];
        a.node_pairs = 0;
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++) pair[a.node_pairs++] = 256 * i + j;
        a.node_pair = PUSH(io, int, pair, a.node_pairs);
        LAUNCH(io, fem_dilated_tangent, a.b.n, NULL, &a);
        a.first_node_pair += a.b.n * a.node_pairs;
    }
    case_out(io, name, CASE_REAL, 1, pairs * MATRIX, a.out);
    const double *K = case_find(io, CASE_OUTPUT, name)->value;
    for (int t = 0, at = 0; t < MESH_TYPES; t++) {
        const int nodes = body->block[t].rule.nodes;
        for (int e = 0; e < body->block[t].n; e++)
            for (int i = 0; i < nodes; i++)
                for (int j = i; j < nodes; j++, at++) {
                    const int *node = m->point + m->part[t].first_element_node + e * nodes;
                    for (int c = 0; c < MATRIX; c++) {
                        const int row = node[i] * DIM + c / DIM, column = node[j] * DIM + c % DIM;
                        y[row] += K[at * MATRIX + c] * x[column];
                        if (i != j) y[column] += K[at * MATRIX + c] * x[row];
                    }
                }
    }
    return y;
}

/* A body with pressures, at u; a vector x, and the arrays of its system. Some components are prescribed: there x is 0.
 * */
typedef struct {
    mesh_body body;
    const real *u;
    int *constrained, pressures; /* [points] host; their number */
    case_array *x;
    real *moduli, *B;
    fem_pressure_open_args open; /* of all blocks: B and first_pressure are those of the first */
    fem_pressure_apply_args apply;
} pressure_body;

static void pressure_open(case_io *io, pressure_body *s)
{
    int numbers = 0;
    s->body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &s->body.m;
    mesh_dilate(&s->body);
    pressure_matter(io, &s->body);
    s->u = mesh_vector(io, m, CASE_CONSTANT, "u", MESH_SPACING / 20);
    s->constrained = HOST(io, int, m->points);
    for (int i = 0; i < m->points; i++) s->constrained[i] = i % 5 == 2 ? (1 << DIM) - 1 : i % 7 == 1 ? 2 : 0;
    s->x = case_uniform(io, CASE_CONSTANT, "x", 1, m->points * DIM, -1, 1);
    for (int i = 0; i < m->points * DIM; i++)
        if (s->constrained[i / DIM] >> i % DIM & 1) s->x->value[i] = 0;
    s->pressures = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        s->pressures += s->body.block[t].n * s->body.block[t].dilatations;
        numbers += s->body.block[t].n * s->body.block[t].dilatations * s->body.block[t].rule.nodes * DIM;
    }
    s->moduli = NEW_FIELD(io, 1, m->elements, CASE_SET);
    s->open.m = s->body.matter;
    s->open.u = s->u;
    s->open.moduli = s->moduli;
    s->open.constrained = PUSH(io, int, s->constrained, m->points);
    s->open.B = s->B = NEW(io, real, numbers, CASE_SET);
    s->open.compliance = NEW(io, real, s->pressures, CASE_SET);
    s->open.inverse = NEW(io, real, s->pressures, CASE_SET);
    s->apply.compliance = s->open.compliance;
    s->apply.u = (real *)case_upload(io, s->x, CASE_REAL);
    s->apply.p = NEW(io, real, s->pressures, CASE_ZERO);
    s->apply.out = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    s->apply.p_out = NEW(io, real, s->pressures, CASE_SET);
}

/* The product, with `first` after what it needs. */
static void pressure_apply(case_io *io, pressure_body *s, int first)
{
    s->open.first_pressure = 0;
    s->open.B = s->B;
    for (int t = 0; t < MESH_TYPES; t++) {
        fem_pressure_moduli_args k;
        k.b = s->open.b = s->apply.b = s->body.block[t];
        k.m = s->body.matter;
        k.moduli = s->moduli;
        if (first) LAUNCH(io, fem_pressure_moduli, k.b.n, NULL, &k);
        if (first) LAUNCH(io, fem_pressure_open, k.b.n, NULL, &s->open);
        s->apply.first_pressure = s->open.first_pressure;
        s->apply.B = s->open.B;
        LAUNCH(io, fem_pressure_apply, k.b.n, NULL, &s->apply);
        s->open.first_pressure += k.b.n * k.b.dilatations;
        s->open.B += k.b.n * k.b.dilatations * k.b.rule.nodes * DIM;
    }
}

/* Without p, what the pressures add to K x is what the tangent without their moduli has less. */
static void pressure_compare(case_io *io, const pressure_body *s, const double *whole, const double *reduced)
{
    const mesh_lattice *m = &s->body.m;
    const double *added = case_find(io, CASE_OUTPUT, "added")->value, bound = sizeof(real) == 4 ? 1e-5 : 1e-13;
    double *sum = HOST(io, double, m->points *DIM), worst = 0, most = 0;
    for (int i = 0; i < m->element_dofs; i++)
        for (int c = 0; c < DIM; c++) sum[m->point[i] * DIM + c] += added[i * DIM + c];
    for (int i = 0; i < m->points * DIM; i++) {
        const int open = !(s->constrained[i / DIM] >> i % DIM & 1);
        worst = fmax(worst, fabs(sum[i] - (open ? reduced[i] - whole[i] : 0)));
        most = fmax(most, fabs(whole[i]));
    }
    case_expect(io, most > 0 && worst <= bound * most, "pressures take from K x what the tangent is reduced by");
}

/* The rows of p = B x/C + q have the residual -C q; the preconditioner is a scale. */
static void pressure_rows(case_io *io, const pressure_body *s, const double *q)
{
    const double *Bx = case_find(io, CASE_OUTPUT, "Bx")->value, *C = case_find(io, CASE_OUTPUT, "compliance")->value;
    const double *scaled = case_find(io, CASE_OUTPUT, "scaled")->value, bound = sizeof(real) == 4 ? 1e-5 : 1e-13;
    const double *inverse = case_find(io, CASE_OUTPUT, "inverse")->value;
    const double *r = q ? case_find(io, CASE_OUTPUT, "residual")->value : Bx;
    double residual = 0, largest = 0;
    for (int i = 0; i < s->pressures; i++) {
        residual = fmax(residual, fabs(q ? r[i] + C[i] * q[i] : scaled[i] - inverse[i] * Bx[i]));
        largest = fmax(largest, fabs(q ? C[i] * q[i] : scaled[i]));
    }
    case_expect(io, largest > 0 && residual <= bound * largest, "rows of the pressures and their preconditioner");
}

/* With p = 0, and with p = B x/C + q. */
static void case_fem_pressure_open(case_io *io)
{
    static const char *const names[] = {"no pressure", "the pressures of x", NULL};
    const int with = case_variant(io, names);
    pressure_body s;
    fem_pressure_scale_args scale;
    pressure_open(io, &s);
    pressure_apply(io, &s, 1);
    case_out(io, "compliance", CASE_REAL, 1, s.pressures, s.open.compliance);
    case_out(io, "Bx", CASE_REAL, 1, s.pressures, s.apply.p_out);
    scale.inverse = s.open.inverse;
    scale.in = s.apply.p_out;
    scale.out = NEW(io, real, s.pressures, CASE_SET);
    LAUNCH(io, fem_pressure_scale, s.pressures, NULL, &scale);
    case_out(io, "inverse", CASE_REAL, 1, s.pressures, s.open.inverse);
    case_out(io, "scaled", CASE_REAL, 1, s.pressures, scale.out);
    case_out(io, "moduli", CASE_FIELD, 1, s.body.m.elements, s.moduli);
    const double *C = case_find(io, CASE_OUTPUT, "compliance")->value, *Bx = case_find(io, CASE_OUTPUT, "Bx")->value;
    double *q = HOST(io, double, s.pressures);
    case_array *p = case_uniform(io, CASE_CONSTANT, "p", 1, s.pressures, -1, 1);
    for (int i = 0; i < s.pressures && with; i++) {
        q[i] = p->value[i];
        p->value[i] += C[i] > 0 ? Bx[i] / C[i] : 0;
    }
    if (with) {
        s.apply.p = (real *)case_upload(io, p, CASE_REAL);
        pressure_apply(io, &s, 0);
        case_out(io, "residual", CASE_REAL, 1, s.pressures, s.apply.p_out);
    }
    case_out(io, "added", CASE_REAL, 1, s.body.m.element_dofs * DIM, s.apply.out);
    const double *whole = pressure_product(io, &s.body, s.u, NULL, "K", s.x->value);
    const double *reduced = pressure_product(io, &s.body, s.u, s.moduli, "A", s.x->value);
    if (io->prefill) return;
    if (!with) pressure_compare(io, &s, whole, reduced);
    pressure_rows(io, &s, with ? q : NULL);
}
#define case_fem_pressure_moduli case_fem_pressure_open
#define case_fem_pressure_apply case_fem_pressure_open
#define case_fem_pressure_scale case_fem_pressure_open

#endif
