/* kernel_cases_linalg.h -- cases of the sparse products and of what Krylov methods do between them. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_LINALG_H
#define PIOLA_TESTS_KERNEL_CASES_LINALG_H

#include "kernels/backend/table.h"
#include "tests/kernels/base/kernel_cases.h"

static real *constants(case_io *io, const char *name, int n, double lo, double hi)
{
    return (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, name, 1, n, lo, hi), CASE_REAL);
}

/* ---- sparse products: a band of blocks at -7, -1, 0, 1, 7, with rows of three to five entries ---------------- */

typedef struct {
    int rows, blocks;
    int *row_start, *column, *mirror, *diagonal; /* device */
} band;

static int band_column(int row, int k)
{
    static const int reach[5] = {-7, -1, 0, 1, 7};
    return row + reach[k];
}

static band sample_band(case_io *io)
{
    band b;
    b.rows = case_size(io, 700);
    int *start = HOST(io, int, b.rows + 1), *column = HOST(io, int, 5 * b.rows), *mirror = HOST(io, int, 5 * b.rows);
    int *diagonal = HOST(io, int, b.rows), n = 0;
    for (int i = 0; i < b.rows; i++) {
        start[i] = n;
        for (int k = 0; k < 5; k++) {
            const int j = band_column(i, k);
            if (j < 0 || j >= b.rows) continue;
            if (j == i) diagonal[i] = n;
            column[n++] = j;
        }
    }
    start[b.rows] = b.blocks = n;
    for (int i = 0; i < b.rows; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            for (int m = start[column[k]]; m < start[column[k] + 1]; m++)
                if (column[m] == i) mirror[k] = m;
    b.row_start = PUSH(io, int, start, b.rows + 1);
    b.column = PUSH(io, int, column, n);
    b.mirror = PUSH(io, int, mirror, n);
    b.diagonal = PUSH(io, int, diagonal, b.rows);
    return b;
}

/* Each product is checked against the other as its transposed: <w, A v> = <A^T w, v>. */
static void case_bsr_apply(case_io *io)
{
    static const char *const names[] = {"A x", "A^T x", NULL};
    const int transposed = case_variant(io, names);
    const band b = sample_band(io);
    bsr_apply_args a;
    a.rows = b.rows;
    a.row_start = b.row_start;
    a.column = b.column;
    a.mirror = b.mirror;
    a.value = constants(io, "value", b.blocks * DIM * DIM, -2, 3);
    a.x = REALS(io, "x", 1, b.rows * DIM, -1, 1);
    a.y = NEW(io, real, b.rows * DIM, CASE_SET);
    if (transposed)
        LAUNCH(io, bsr_apply_transposed, b.rows, NULL, &a);
    else
        LAUNCH(io, bsr_apply, BSR_TEAMS(b.rows), NULL, &a);
    case_out(io, "y", CASE_REAL, 1, b.rows * DIM, a.y);
    if (!case_adjoint(io)) return;
    a.x = COTANGENT(io, real, "y");
    a.y = NEW(io, real, b.rows * DIM, CASE_SET);
    if (transposed)
        LAUNCH(io, bsr_apply, BSR_TEAMS(b.rows), NULL, &a);
    else
        LAUNCH(io, bsr_apply_transposed, b.rows, NULL, &a);
    case_gradient(io, "x", CASE_REAL, 1, b.rows * DIM, a.y);
}
#define case_bsr_apply_transposed case_bsr_apply

/* Against the product of positive numbers, in which nothing cancels. */
static void case_bsr_magnitude(case_io *io)
{
    const band b = sample_band(io);
    case_array *value = case_uniform(io, CASE_CONSTANT, "value", 1, b.blocks * DIM * DIM, -2, 3);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, b.rows * DIM, -1, 1);
    double worst = 0;
    bsr_apply_args a;
    a.rows = b.rows;
    a.row_start = b.row_start;
    a.column = b.column;
    a.mirror = b.mirror;
    a.value = (real *)case_upload(io, value, CASE_REAL);
    a.x = (real *)case_upload(io, x, CASE_REAL);
    a.y = NEW(io, real, b.rows * DIM, CASE_SET);
    LAUNCH(io, bsr_magnitude, b.rows, NULL, &a);
    case_out(io, "|A| |x|", CASE_REAL, 1, b.rows * DIM, a.y);
    for (int k = 0; k < b.blocks * DIM * DIM; k++) value->value[k] = fabs(value->value[k]);
    for (int k = 0; k < b.rows * DIM; k++) x->value[k] = fabs(x->value[k]);
    a.value = (real *)case_upload(io, value, CASE_REAL);
    a.x = (real *)case_upload(io, x, CASE_REAL);
    a.y = NEW(io, real, b.rows * DIM, CASE_SET);
    LAUNCH(io, bsr_apply, BSR_TEAMS(b.rows), NULL, &a);
    case_out(io, "of the absolute values", CASE_REAL, 1, b.rows * DIM, a.y);
    const double *got = case_find(io, CASE_OUTPUT, "|A| |x|")->value;
    const double *wanted = case_find(io, CASE_OUTPUT, "of the absolute values")->value;
    for (int k = 0; k < b.rows * DIM; k++) worst = fmax(worst, fabs(got[k] / wanted[k] - 1));
    case_expect(io, worst < (io->build->size[CASE_REAL] == 4 ? 1e-6 : 1e-14), "|A| |x| is that of the absolute values");
}

/* |A inv(A) - I|, the largest entry over the blocks that are right */
static double inverse_error(const case_io *io, const band *b, const int *diagonal, int wrong)
{
    const double *value = case_find(io, CASE_CONSTANT, "value")->value;
    const double *inverse = case_find(io, CASE_OUTPUT, "inverse")->value;
    double worst = 0;
    for (int i = 0; i < b->rows; i++)
        for (int r = 0; r < DIM * DIM && i != wrong; r++) {
            double s = r / DIM == r % DIM ? -1 : 0;
            for (int k = 0; k < DIM; k++)
                s += value[diagonal[i] * DIM * DIM + r / DIM * DIM + k] * inverse[(i * DIM + k) * DIM + r % DIM];
            worst = fabs(s) > worst ? fabs(s) : worst;
        }
    return worst;
}

/* Scales of the blocks go from 1e-6 to 1e6. */
static void case_bsr_invert_diagonal(case_io *io)
{
    static const char *const names[] = {"regular", "one singular", "one not finite", NULL};
    const int variant = case_variant(io, names), wrong = variant ? 333 : -1, D2 = DIM * DIM;
    const band b = sample_band(io);
    int *diagonal = HOST(io, int, b.rows);
    int64_t *right = HOST(io, int64_t, 1);
    case_array *value = case_uniform(io, CASE_CONSTANT, "value", 1, b.blocks * D2, -1, 1);
    for (int i = 0, k = 0; i < b.rows; i++)
        for (int e = 0; e < 5; e++) {
            const int j = band_column(i, e);
            if (j < 0 || j >= b.rows) continue;
            double *m = value->value + k * D2;
            for (int c = 0; c < DIM && j == i; c++) m[c * (DIM + 1)] += 3;
            for (int c = 0; c < D2 && j == i; c++) m[c] *= pow(10, i % 13 - 6);
            if (j == i) diagonal[i] = k;
            for (int c = 0; c < DIM && j == i && i == wrong && variant == 1; c++) m[D2 - DIM + c] = -2 * m[c];
            if (j == i && i == wrong && variant == 2) m[1] = (double)INFINITY;
            k++;
        }
    right[0] = -1;
    bsr_invert_diagonal_args a;
    a.diagonal = b.diagonal;
    a.value = (real *)case_upload(io, value, CASE_REAL);
    a.threshold = R(io->build->size[CASE_REAL] == 4 ? 2e-6 : 3.6e-15);
    a.inverse = NEW(io, real, b.rows * D2, CASE_SET);
    a.fault = (uint64_t *)case_push(io, right, sizeof *right);
    LAUNCH(io, bsr_invert_diagonal, b.rows, NULL, &a);
    case_out(io, "inverse", CASE_REAL, 1, b.rows * D2, a.inverse);
    case_out(io, "fault", CASE_INT64, 1, 1, a.fault);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    case_expect(io, fabs(fault - (variant ? 2 * wrong + variant - 1 : -1)) < 0.5, "the fault names block and kind");
    case_expect(io, inverse_error(io, &b, diagonal, wrong) < (io->build->size[CASE_REAL] == 4 ? 1e-5 : 1e-13),
                "inverses are inverses");
}

static void case_bsr_jacobi(case_io *io)
{
    static const char *const names[] = {"D^-1 x", "D^-T x", NULL};
    const int n = case_size(io, 700);
    bsr_jacobi_args a;
    a.transposed = case_variant(io, names);
    a.inverse = constants(io, "inverse", n * DIM * DIM, -2, 3);
    a.x = REALS(io, "x", 1, n * DIM, -1, 1);
    a.y = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, bsr_jacobi, n, NULL, &a);
    case_out(io, "y", CASE_REAL, 1, n * DIM, a.y);
    if (!case_adjoint(io)) return;
    a.transposed = !a.transposed;
    a.x = COTANGENT(io, real, "y");
    a.y = NEW(io, real, n * DIM, CASE_SET);
    LAUNCH(io, bsr_jacobi, n, NULL, &a);
    case_gradient(io, "x", CASE_REAL, 1, n * DIM, a.y);
}

/* ---- scalars: one kernel on a state in the middle of a solve -------------------------------------------------- */

enum { KRYLOV_WIDES = 26 };

/* A device state with numbers in [0.5, 1.5) in every scalar. */
static krylov_state *sample_krylov(case_io *io, int n)
{
    const case_array *numbers = case_uniform(io, CASE_CONSTANT, "state", 1, KRYLOV_WIDES, 0.5, 1.5);
    const wide *v = (const wide *)case_pack(io, numbers, CASE_WIDE);
    krylov_state *s = HOST(io, krylov_state, 1);
    wide *const field[KRYLOV_WIDES] = {
        &s->target, &s->rhs,   &s->residual, &s->checked,  &s->value, &s->dot_b, &s->dot_r,   &s->dot_a,  &s->dot_z,
        &s->rz,     &s->alpha, &s->beta,     &s->c,        &s->s,     &s->dbar,  &s->epsilon, &s->phibar, &s->inv_beta,
        &s->ratio,  &s->by_v,  &s->by_w,     &s->by_older, &s->phi,   &s->by_r,  &s->by_next, &s->dot_v};
    for (int i = 0; i < KRYLOV_WIDES; i++) *field[i] = v[i];
    s->scale = v[0];
    s->target = v[0] * W(1e-6);
    s->unknowns = s->active = n;
    s->active_rows = n / DIM;
    s->started = 1;
    s->max_iterations = 100;
    s->iterations = 11;
    s->columns = 5;
    return (krylov_state *)case_push(io, s, sizeof *s);
}

/* Room for another state. */
static krylov_state *empty_krylov(case_io *io)
{
    return (krylov_state *)case_push(io, HOST(io, krylov_state, 1), sizeof(krylov_state));
}

static void krylov_out(case_io *io, const krylov_state *s)
{
    case_out(io, "integers", CASE_INT, 1, (int)(offsetof(krylov_state, target) / sizeof(int)), s);
    case_out(io, "scalars", CASE_WIDE, 1, (int)((sizeof *s - offsetof(krylov_state, target)) / sizeof(wide)),
             &s->target);
}

static int stopped_by(const case_io *io)
{
    return (int)case_find(io, CASE_OUTPUT, "integers")->value[offsetof(krylov_state, stop) / sizeof(int)];
}

/* All kernels of one item, one after the other on the same state, which each finds as the others left it. */
static void case_krylov_begin(case_io *io)
{
    static const char *const names[] = {"goes on", "meets its limit", NULL};
    enum { M = 8 };
    const int bad = case_variant(io, names);
    krylov_state *s = sample_krylov(io, 1000);
    wide *small =
        (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "small", 1, M * (M + 1) + 4 * M + 1, 1, 2), CASE_WIDE);
    gmres_small t;
    t.m = M;
    t.h = small;
    t.c = t.h + M * (M + 1);
    t.s = t.c + M;
    t.g = t.s + M;
    t.y = t.g + M + 1;
    krylov_begin_args begin = {s, 1000, bad ? 1 : 100, 1e-3};
    krylov_verify_args verify = {s, bad ? 1e-9 : 1};
    pcg_beta_args beta = {s, 0};
    pcg_alpha_args alpha = {s};
    pcg_verify_args check = {s, 1, NULL};
    minres_open_args open = {s};
    minres_rotate_args rotate = {s};
    minres_judge_args judge = {s};
    gmres_open_args cycle = {s, t};
    gmres_rotate_args column = {s, t, 5};
    gmres_solve_args solution = {s, t};
    LAUNCH(io, krylov_begin, 1, NULL, &begin);
    LAUNCH(io, pcg_alpha, 1, NULL, &alpha);
    LAUNCH(io, pcg_beta, 1, NULL, &beta);
    LAUNCH(io, pcg_verify, 1, NULL, &check);
    LAUNCH(io, krylov_verify, 1, NULL, &verify);
    LAUNCH(io, minres_open, 1, NULL, &open);
    LAUNCH(io, minres_rotate, 1, NULL, &rotate);
    LAUNCH(io, minres_judge, 1, NULL, &judge);
    LAUNCH(io, gmres_open, 1, NULL, &cycle);
    LAUNCH(io, gmres_rotate, 1, NULL, &column);
    LAUNCH(io, gmres_solve, 1, NULL, &solution);
    krylov_out(io, s);
    case_out(io, "small", CASE_WIDE, 1, M * (M + 1) + 4 * M + 1, small);
    case_expect(io, stopped_by(io) == (bad ? KRYLOV_LIMIT : KRYLOV_RUNNING), "stops where it should, and only there");
}
#define case_krylov_verify case_krylov_begin
#define case_pcg_alpha case_krylov_begin
#define case_pcg_beta case_krylov_begin
#define case_pcg_verify case_krylov_begin
#define case_minres_open case_krylov_begin
#define case_minres_rotate case_krylov_begin
#define case_minres_judge case_krylov_begin
#define case_gmres_open case_krylov_begin
#define case_gmres_rotate case_krylov_begin
#define case_gmres_solve case_krylov_begin

/* ---- vectors ----------------------------------------------------------------------------------------------- */

static void case_krylov_residual(case_io *io)
{
    const int n = case_size(io, 2100);
    wide *dot = NEW(io, wide, 1, CASE_SET), *length = NEW(io, wide, 1, CASE_SET);
    krylov_dot_args d;
    krylov_residual_args a;
    krylov_add_args add;
    a.b = constants(io, "b", n, -1, 1);
    a.r = constants(io, "A x", n, -1, 1);
    LAUNCH_SUM(io, krylov_residual, n, NULL, &a, length);
    d.a = a.b;
    d.b = a.r;
    LAUNCH_SUM(io, krylov_dot, n, NULL, &d, dot);
    add.z = a.r;
    add.x = constants(io, "x before", n, -1, 1);
    LAUNCH(io, krylov_add, n, NULL, &add);
    case_out(io, "r", CASE_REAL, 1, n, a.r);
    case_out(io, "r . r", CASE_WIDE, 1, 1, length);
    case_out(io, "b . r", CASE_WIDE, 1, 1, dot);
    case_out(io, "x", CASE_REAL, 1, n, add.x);
}
#define case_krylov_dot case_krylov_residual
#define case_krylov_add case_krylov_residual

static void case_pcg_update(case_io *io)
{
    const int n = case_size(io, 2100);
    krylov_state *s = sample_krylov(io, n);
    wide *length = NEW(io, wide, 1, CASE_SET);
    pcg_update_args a;
    pcg_direction_args d;
    a.state = s;
    real *p = constants(io, "p before", n, -1, 1);
    a.p = p;
    a.q = constants(io, "q", n, -1, 1);
    a.x = constants(io, "x before", n, -1, 1);
    a.r = constants(io, "r before", n, -1, 1);
    LAUNCH_SUM(io, pcg_update, n, &s->active, &a, length);
    d.state = s;
    d.z = a.q;
    d.p = p;
    LAUNCH(io, pcg_direction, n, &s->active, &d);
    case_out(io, "x", CASE_REAL, 1, n, a.x);
    case_out(io, "r", CASE_REAL, 1, n, a.r);
    case_out(io, "p", CASE_REAL, 1, n, p);
    case_out(io, "r . r", CASE_WIDE, 1, 1, length);
}
#define case_pcg_direction case_pcg_update

/* An iteration in few launches, preconditioned or not. */
static void case_pcg_advance(case_io *io)
{
    static const char *const names[] = {"block-Jacobi", "no preconditioner", NULL};
    const int n = DIM * case_size(io, 2100), alone = case_variant(io, names);
    const krylov_state *from = sample_krylov(io, n);
    krylov_state *to = empty_krylov(io);
    pcg_advance_args a;
    pcg_conjugate_args d;
    real *p = constants(io, "p before", n, -1, 1);
    a.from = from;
    a.to = to;
    a.p = p;
    a.q = constants(io, "q", n, -1, 1);
    a.r = constants(io, "r", n, -1, 1);
    a.inverse = alone ? NULL : constants(io, "inverse", n * DIM, -2, 3);
    a.x = constants(io, "x before", n, -1, 1);
    a.next_r = NEW(io, real, n, CASE_SET);
    a.z = NEW(io, real, n, CASE_SET);
    LAUNCH_SUM(io, pcg_advance, n, NULL, &a, &to->dot_z);
    d.state = to;
    d.z = a.z;
    d.r = a.next_r;
    d.p = p;
    LAUNCH_SUM(io, pcg_conjugate, n, &to->active, &d, &to->dot_r);
    krylov_out(io, to);
    case_out(io, "x", CASE_REAL, 1, n, a.x);
    case_out(io, "r", CASE_REAL, 1, n, a.next_r);
    case_out(io, "z", CASE_REAL, 1, n, a.z);
    case_out(io, "p", CASE_REAL, 1, n, p);
}
#define case_pcg_conjugate case_pcg_advance

static void case_minres_update(case_io *io)
{
    const int n = case_size(io, 2100);
    krylov_state *s = sample_krylov(io, n);
    wide *projection = NEW(io, wide, 1, CASE_SET), *length = NEW(io, wide, 1, CASE_SET);
    real *p = constants(io, "p before", n, -1, 1);
    minres_project_args a;
    a.state = s;
    a.z = constants(io, "z", n, -1, 1);
    a.older = constants(io, "y older", n, -1, 1);
    a.p = p;
    LAUNCH_SUM(io, minres_project, n, &s->active, &a, projection);
    minres_orthogonalise_args o;
    o.state = s;
    o.y = constants(io, "y", n, -1, 1);
    o.p = p;
    LAUNCH(io, minres_orthogonalise, n, &s->active, &o);
    minres_update_args u;
    u.state = s;
    u.z = a.z;
    u.w = constants(io, "w", n, -1, 1);
    u.next = p;
    u.older = constants(io, "w older", n, -1, 1);
    u.x = constants(io, "x before", n, -1, 1);
    u.r = constants(io, "r before", n, -1, 1);
    LAUNCH_SUM(io, minres_update, n, &s->active, &u, length);
    case_out(io, "p", CASE_REAL, 1, n, p);
    case_out(io, "v . p", CASE_WIDE, 1, 1, projection);
    case_out(io, "w", CASE_REAL, 1, n, u.older);
    case_out(io, "x", CASE_REAL, 1, n, u.x);
    case_out(io, "r", CASE_REAL, 1, n, u.r);
    case_out(io, "r . r", CASE_WIDE, 1, 1, length);
}
#define case_minres_project case_minres_update
#define case_minres_orthogonalise case_minres_update

static void case_gmres_combine(case_io *io)
{
    enum { COLUMNS = 5 }; /* of sample_krylov */
    const int n = case_size(io, 2100);
    krylov_state *s = sample_krylov(io, n);
    wide *h = (wide *)case_upload(io, case_uniform(io, CASE_CONSTANT, "y", 1, COLUMNS, -1, 1), CASE_WIDE);
    wide *first = NEW(io, wide, 1, CASE_SET), *last = NEW(io, wide, 1, CASE_SET);
    const real *v = constants(io, "v", COLUMNS * n, -1, 1);
    gmres_project_args a;
    a.w = constants(io, "w before", n, -1, 1);
    a.h = NULL;
    a.v = NULL;
    a.u = v;
    LAUNCH_SUM(io, gmres_project, n, NULL, &a, first);
    a.h = h;
    a.v = v;
    a.u = NULL;
    LAUNCH_SUM(io, gmres_project, n, NULL, &a, last);
    gmres_normalise_args b;
    b.state = s;
    b.v = a.w;
    LAUNCH(io, gmres_normalise, n, &s->active, &b);
    gmres_combine_args c;
    c.state = s;
    c.n = n;
    c.v = v;
    c.y = h;
    c.u = NEW(io, real, n, CASE_SET);
    LAUNCH(io, gmres_combine, n, &s->active, &c);
    case_out(io, "w . v", CASE_WIDE, 1, 1, first);
    case_out(io, "w . w", CASE_WIDE, 1, 1, last);
    case_out(io, "w", CASE_REAL, 1, n, a.w);
    case_out(io, "u", CASE_REAL, 1, n, c.u);
}
#define case_gmres_project case_gmres_combine
#define case_gmres_normalise case_gmres_combine

#endif
