/* kernel_cases_fem_tangent.h -- cases of the tangents of elements and the matrix that is made of them. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_TANGENT_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_TANGENT_H

#include "tests/kernels/fem/kernel_cases_fem.h"
#include "tests/kernels/fem/kernel_cases_fem_plain.h"

typedef struct {
    int row, column, code;
} fem_source;

static int fem_by_block(const void *a, const void *b)
{
    const fem_source *x = (const fem_source *)a, *y = (const fem_source *)b;
    if (x->row != y->row) return x->row - y->row;
    return x->column != y->column ? x->column - y->column : x->code - y->code;
}

/* Every ordered node pair of every element is a source of one block: 2 pair + (1: transposed), pairs b >= a. */
static int fem_sources(const mesh_lattice *m, fem_source *out)
{
    int n = 0, pair = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        const int nodes = element_nodes[m->part[t].type];
        for (int i = 0; i < m->part[t].n; i++) {
            const int *node = m->point + m->part[t].first_element_node + i * nodes;
            for (int a = 0; a < nodes; a++)
                for (int b = a; b < nodes; b++, pair++)
                    for (int transposed = 0; transposed < (a == b ? 1 : 2); transposed++, n++) {
                        if (!out) continue;
                        out[n].row = node[transposed ? b : a];
                        out[n].column = node[transposed ? a : b];
                        out[n].code = 2 * pair + transposed;
                    }
        }
    }
    if (out) qsort(out, (size_t)n, sizeof *out, fem_by_block);
    return n;
}

typedef struct {
    int n, *row, *column; /* host [blocks] */
    int *start;           /* host [blocks + 1] first source of each */
    fem_assemble_args a;  /* its integers */
} fem_blocks;

static fem_blocks fem_blocks_of(case_io *io, const mesh_lattice *m)
{
    const int sources = fem_sources(m, NULL);
    fem_source *s = HOST(io, fem_source, sources);
    int *start = HOST(io, int, sources + 1), *code = HOST(io, int, sources);
    fem_blocks b;
    fem_sources(m, s);
    b.n = 0;
    b.row = HOST(io, int, sources);
    b.column = HOST(io, int, sources);
    for (int i = 0; i < sources; i++) {
        if (i == 0 || s[i].row != s[i - 1].row || s[i].column != s[i - 1].column) {
            b.row[b.n] = s[i].row;
            b.column[b.n] = s[i].column;
            start[b.n++] = i;
        }
        code[i] = s[i].code;
    }
    start[b.n] = sources;
    b.a.blocks = b.n;
    b.a.row = PUSH(io, int, b.row, b.n);
    b.a.column = PUSH(io, int, b.column, b.n);
    b.a.start = PUSH(io, int, start, b.n + 1);
    b.a.source = PUSH(io, int, code, sources);
    b.a.weight = NULL;
    b.start = start;
    return b;
}

/* What a column is multiplied by, in the case of weights. */
static double fem_column_weight(int node)
{
    return 0.3 + 0.2 * (node % 7) - 0.7 * (node % 3 == 1);
}

/* Weights of all sources: those of their columns, so that the matrix is K times them. */
static const real *fem_source_weights(case_io *io, const fem_blocks *b)
{
    real *weight = HOST(io, real, b->start[b->n]);
    for (int k = 0; k < b->n; k++)
        for (int j = b->start[k]; j < b->start[k + 1]; j++) weight[j] = R(fem_column_weight(b->column[k]));
    return PUSH(io, real, weight, b->start[b->n]);
}

static void fem_launch_tangent(case_io *io, const fem_tangent_args *a, int projected)
{
    if (a->b.dilatations && projected)
        LAUNCH(io, fem_dilated_tangent_projected, a->b.n, NULL, a);
    else if (a->b.dilatations)
        LAUNCH(io, fem_dilated_tangent, a->b.n, NULL, a);
    else if (projected)
        LAUNCH(io, fem_tangent_projected, a->b.n, NULL, a);
    else
        LAUNCH(io, fem_tangent, a->b.n, NULL, a);
}

/* The element matrices at displacements u, by which the body is `crushed` or hardly moves; sets how many node pairs
 * they have. */
static real *fem_pairs(case_io *io, const mesh_body *body, const real *u, int projected, int crushed, int *pairs)
{
    fem_tangent_args a[MESH_TYPES];
    *pairs = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        const int nodes = body->block[t].rule.nodes;
        int *pair = HOST(io, int, nodes *(nodes + 1) / 2);
        a[t].b = body->block[t];
        a[t].m = body->matter;
        a[t].u = u;
        a[t].reduced = NULL;
        a[t].node_pairs = 0;
        a[t].first_node_pair = *pairs;
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++) pair[a[t].node_pairs++] = 256 * i + j;
        a[t].node_pair = PUSH(io, int, pair, a[t].node_pairs);
        *pairs += a[t].b.n * a[t].node_pairs;
    }
    real *out = NEW(io, real, *pairs * MATRIX, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        a[t].out = out;
        fem_launch_tangent(io, &a[t], projected);
        if (!io->prefill && !a[t].b.dilatations) plain_tangent(io, &a[t], projected, crushed);
    }
    return out;
}

/* (df/du) x of all element types, by the adjoint: the Hessian of an energy is symmetric. */
static real *fem_product(case_io *io, const mesh_body *body, const real *u, const real *x)
{
    fem_force_adj_args b;
    real *y = NEW(io, real, body->m.points * DIM, CASE_ADDED);
    b.fwd.m = body->matter;
    b.fwd.u = u;
    b.fwd.out = NULL;
    b.y = x;
    b.u_bar = NEW(io, real, body->m.element_dofs * DIM, CASE_SET);
    b.rest_bar = b.k_bar = b.thick_bar = b.heat_bar = b.force = NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.b = body->block[t];
        fem_launch_force_adj(io, &b);
        mesh_add(io, &body->m, t, b.u_bar, 1, y);
    }
    return y;
}

/* |K x - expected|, constrained unknowns being those of x; and whether their rows and columns are those of a
 * unit. */
static void fem_compare(case_io *io, const fem_blocks *b, int points, const int *constrained, const double *x)
{
    const double *K = case_find(io, CASE_OUTPUT, "K")->value, *y = case_find(io, CASE_OUTPUT, "(df/du) x")->value;
    double *sum = HOST(io, double, points *DIM), *size = HOST(io, double, points *DIM), worst = 0;
    int unit = 1;
    for (int k = 0; k < b->n; k++)
        for (int c = 0; c < MATRIX; c++) {
            const int i = b->row[k] * DIM + c / DIM, j = b->column[k] * DIM + c % DIM;
            const int closed = (constrained[b->row[k]] >> c / DIM & 1) || (constrained[b->column[k]] >> c % DIM & 1);
            sum[i] += K[k * MATRIX + c] * x[j];
            size[i] += fabs(K[k * MATRIX + c] * x[j]);
            if (closed && fabs(K[k * MATRIX + c] - (i == j)) > 0) unit = 0;
        }
    for (int i = 0; i < points * DIM; i++)
        if (!(constrained[i / DIM] >> i % DIM & 1))
            worst = fmax(worst, fabs(sum[i] - y[i]) / (size[i] > 0 ? size[i] : 1));
    case_expect(io, unit, "constrained unknowns have the unit row and column");
    case_expect(io, worst < (sizeof(real) == 4 ? 1e-5 : 1e-12), "K x is the product by the adjoint of the force");
}

/* Batches of elements of one law are computed otherwise than those of several. */
static void fem_tangent_case(case_io *io, int dilated)
{
    const char *const names[] = {"all free",
                                 "some constrained",
                                 "linear alone",
                                 "St Venant's alone",
                                 "neo-Hookean law alone",
                                 "weighted sources",
                                 "heated",
                                 dilated || DIM == 3 ? NULL : "rings",
                                 "sheets",
                                 "heated rings",
                                 "heated sheets",
                                 NULL};
    static const int only[] = {-1, -1, PIO_HYPER_LINEAR, PIO_HYPER_ST_VENANT, PIO_HYPER_NEO_HOOKEAN, -1, -1, -1, -1,
                               -1, -1};
    const int variant = case_variant(io, names), some = variant == 1, weighted = variant == 5;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    if (dilated) mesh_dilate(&body);
    if (variant > 6) mesh_plane(&body, variant & 1 ? PIO_AXISYMMETRIC : PIO_PLANE_STRESS);
    mesh_matter_of(io, &body, CASE_CONSTANT, only[variant]);
    if (variant == 6 || variant > 8) mesh_heat(io, &body, CASE_CONSTANT);
    const real *u = mesh_vector(io, m, CASE_CONSTANT, "u", MESH_SPACING / 20);
    int *constrained = HOST(io, int, m->points), pairs;
    for (int i = 0; i < m->points && some; i++) constrained[i] = i % 5 == 2 ? (1 << DIM) - 1 : i % 7 == 1 ? 2 : 0;
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, m->points * DIM, -1, 1);
    for (int i = 0; i < m->points * DIM; i++)
        if (constrained[i / DIM] >> i % DIM & 1) x->value[i] = 0;
    fem_blocks b = fem_blocks_of(io, m);
    b.a.element_matrices = fem_pairs(io, &body, u, 0, 0, &pairs);
    b.a.constrained = PUSH(io, int, constrained, m->points);
    if (weighted) b.a.weight = fem_source_weights(io, &b);
    b.a.out = NEW(io, real, b.n * MATRIX, CASE_SET);
    LAUNCH(io, fem_assemble, b.n, NULL, &b.a);
    case_out(io, "pairs", CASE_REAL, 1, pairs * MATRIX, b.a.element_matrices);
    case_out(io, "K", CASE_REAL, 1, b.n * MATRIX, b.a.out);
    case_array *plain = x;
    if (weighted) x = case_uniform(io, CASE_CONSTANT, "weighted x", 1, m->points * DIM, -1, 1);
    for (int i = 0; i < m->points * DIM && weighted; i++) x->value[i] = plain->value[i] * fem_column_weight(i / DIM);
    const real *y = fem_product(io, &body, u, (real *)case_upload(io, x, CASE_REAL));
    case_out(io, "(df/du) x", CASE_REAL, 1, m->points * DIM, y);
    if (!io->prefill) fem_compare(io, &b, m->points, constrained, plain->value);
}

static void case_fem_tangent(case_io *io)
{
    fem_tangent_case(io, 0);
}
#define case_fem_assemble case_fem_tangent

static void case_fem_dilated_tangent(case_io *io)
{
    fem_tangent_case(io, 1);
}

/* The least x . K x of some x [points * DIM], relative to sum |x_i K_ij x_j|. */
static double fem_least_product(case_io *io, const fem_blocks *b, int points, const double *K, int tries)
{
    double least = 1, *x = HOST(io, double, points *DIM);
    for (int t = 0; t < tries; t++) {
        double product = 0, size = 0;
        for (int i = 0; i < points * DIM; i++) x[i] = sin(1 + 0.37 * t + 1.7 * i);
        for (int k = 0; k < b->n; k++)
            for (int c = 0; c < MATRIX; c++) {
                const double xKy = x[b->row[k] * DIM + c / DIM] * K[k * MATRIX + c] * x[b->column[k] * DIM + c % DIM];
                product += xKy;
                size += fabs(xKy);
            }
        least = fmin(least, product / size);
    }
    return least;
}

/* At rest it is the tangent, to the bit; where the body is crushed it is another, and not negative. */
static void fem_tangent_projected_case(case_io *io, int dilated)
{
    const char *const names[] = {"at rest",
                                 "crushed",
                                 "one law at rest",
                                 "one law crushed",
                                 dilated || DIM == 3 ? NULL : "rings at rest",
                                 "rings crushed",
                                 "sheets at rest",
                                 "sheets crushed",
                                 NULL};
    const int variant = case_variant(io, names), crushed = variant & 1;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_CONSTANT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    int pairs;
    if (dilated) mesh_dilate(&body);
    if (variant > 3) mesh_plane(&body, variant > 5 ? PIO_PLANE_STRESS : PIO_AXISYMMETRIC);
    mesh_matter_of(io, &body, CASE_CONSTANT, variant == 2 || variant == 3 ? PIO_HYPER_NEO_HOOKEAN : -1);
    const double size = crushed ? MESH_SPACING / 8 : 0;
    case_array *u = case_uniform(io, CASE_CONSTANT, "u", 1, m->points * DIM, -size, size);
    const real *at = (real *)case_upload(io, u, CASE_REAL);
    fem_blocks b = fem_blocks_of(io, m);
    real *plain = fem_pairs(io, &body, at, 0, crushed, &pairs);
    b.a.element_matrices = fem_pairs(io, &body, at, 1, crushed, &pairs);
    b.a.constrained = PUSH(io, int, HOST(io, int, m->points), m->points);
    b.a.out = NEW(io, real, b.n * MATRIX, CASE_SET);
    LAUNCH(io, fem_assemble, b.n, NULL, &b.a);
    case_out(io, "pairs", CASE_REAL, 1, pairs * MATRIX, b.a.element_matrices);
    case_out(io, "plain", CASE_REAL, 1, pairs * MATRIX, plain);
    case_out(io, "K", CASE_REAL, 1, b.n * MATRIX, b.a.out);
    if (io->prefill) return;
    const double *projected = case_find(io, CASE_OUTPUT, "pairs")->value,
                 *tangent = case_find(io, CASE_OUTPUT, "plain")->value;
    int differ = 0;
    for (int i = 0; i < pairs * MATRIX; i++) differ += fabs(projected[i] - tangent[i]) > 0;
    case_expect(io, crushed ? differ > 0 : differ == 0, "it differs from the tangent where that is negative alone");
    const double least = fem_least_product(io, &b, m->points, case_find(io, CASE_OUTPUT, "K")->value, 20);
    case_expect(io, least > (sizeof(real) == 4 ? -1e-6 : -1e-15), "x . K x is not negative");
}

static void case_fem_tangent_projected(case_io *io)
{
    fem_tangent_projected_case(io, 0);
}

static void case_fem_dilated_tangent_projected(case_io *io)
{
    fem_tangent_projected_case(io, 1);
}

#endif
