/* kernel_cases_amg_cycle.h -- cases of a multilevel preconditioner: the estimate of an eigenvalue, and the steps of a
 * cycle on one level. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_AMG_CYCLE_H
#define PIOLA_TESTS_KERNEL_CASES_AMG_CYCLE_H

#include "tests/kernels/linear/kernel_cases_amg.h"

/* ---- the largest eigenvalue -------------------------------------------------------------------------------- */

/* A_ij = l_i l_j T_ij S with T = (-1, 2, -1) and S = 1 + J/2, J all ones, S^-1 = 1 - J/(2 + size): the eigenvalues of
 * D^-1 A are those of T/2, 1 + cos(k pi/(rows + 1)). */
typedef struct {
    int rows, size, blocks;
    int *row_start, *column; /* device */
    mg_numbers value, inverse;
} mg_laplacian;

static mg_laplacian mg_sample_laplacian(case_io *io, int rows, int size)
{
    mg_laplacian m;
    const int n = size * size;
    int *start = HOST(io, int, rows + 1), *column = HOST(io, int, 3 * rows), k = 0;
    case_array *value = case_uniform(io, CASE_CONSTANT, "A", 1, (3 * rows - 2) * n, 0, 1);
    case_array *inverse = case_uniform(io, CASE_CONSTANT, "D^-1", 1, rows * n, 0, 1);
    for (int i = 0; i < rows; i++) {
        for (int j = i ? i - 1 : 0; j <= i + 1 && j < rows; j++) {
            const double f = ldexp(i == j ? 2 : -1, i % 5 + j % 5 - 4);
            for (int c = 0; c < n; c++) value->value[k * n + c] = f * (c / size == c % size ? 1.5 : 0.5);
            column[k++] = j;
        }
        for (int c = 0; c < n; c++)
            inverse->value[i * n + c] = ldexp((c / size == c % size) - 1.0 / (2 + size), 3 - 2 * (i % 5));
        start[i + 1] = k;
    }
    m.rows = rows;
    m.size = size;
    m.blocks = k;
    m.row_start = PUSH(io, int, start, rows + 1);
    m.column = PUSH(io, int, column, k);
    m.value = mg_upload(io, value, CASE_NARROW);
    m.inverse = mg_upload(io, inverse, CASE_NARROW);
    return m;
}

/* D^-1 times a vector. */
static void mg_scaled(double *out, const double *inverse, const double *x, int rows, int size)
{
    for (int i = 0; i < rows * size; i++) {
        out[i] = 0;
        for (int d = 0; d < size; d++) out[i] += inverse[i * size + d] * x[i / size * size + d];
    }
}

/* Two steps from x = 0 leave r(x) = T_2((c - x)/h)/T_2(c/h) of each part with eigenvalue x (Saad 2003, section 12.3),
 * [c - h, c + h] being the interval. */
static void expect_chebyshev(case_io *io, const double *coefficients, double lambda)
{
    const double c = 0.55 * lambda, h = 0.45 * lambda;
    double got[8], wanted[8];
    for (int k = 0; k < 8; k++) {
        const double x = k / 7.0 * lambda, s = (c - x) / h, d = coefficients[AMG_FIRST], r = 1 - x * d;
        got[k] = r - x * (coefficients[AMG_KEEP] * d + coefficients[AMG_SECOND] * r);
        wanted[k] = (2 * s * s - 1) / (2 * c / h * c / h - 1);
    }
    mg_compare(io, "Chebyshev polynomial", got, wanted, 8, mg_bound(io, CASE_NARROW));
}

static void sum_products(case_io *io, const narrow *x, const narrow *y, int n, wide *sum)
{
    amg_dot_args d;
    d.a = x;
    d.b = y;
    LAUNCH_SUM(io, amg_dot, n, NULL, &d, sum);
}

/* All of an estimate: a twentieth above an eigenvalue that ten steps come near to. */
static void case_amg_lanczos_begin(case_io *io)
{
    static const char *const names[] = {"displacements", "amplitudes", NULL};
    const int size = mg_size(case_variant(io, names)), rows = case_size(io, 700), n = rows * size;
    const mg_laplacian m = mg_sample_laplacian(io, rows, size);
    narrow *r = NEW(io, narrow, n, CASE_SET), *z = NEW(io, narrow, n, CASE_SET);
    narrow *p = NEW(io, narrow, n + AMG_SPARE, CASE_SET), *q = NEW(io, narrow, n, CASE_SET);
    wide *dots = NEW(io, wide, 2 * AMG_LANCZOS + 1, CASE_SET);
    double *wanted = HOST(io, double, n), dot = 0, most = 0;
    amg_lanczos_begin_args begin = {size, (narrow *)m.inverse.device, r, z, p};
    amg_residual_args product = {{rows, size, m.row_start, m.column, NULL, (narrow *)m.value.device}, p, NULL, q};
    amg_lanczos_end_args end = {dots, NEW(io, wide, 1, CASE_SET), NEW(io, narrow, AMG_COEFFICIENTS, CASE_SET)};
    LAUNCH(io, amg_lanczos_begin, rows, NULL, &begin);
    sum_products(io, r, z, n, dots);
    case_out(io, "r", CASE_NARROW, 1, n, r);
    case_out(io, "z", CASE_NARROW, 1, n, z);
    case_out(io, "p", CASE_NARROW, 1, n, p);
    for (int k = 0; k < AMG_LANCZOS; k++) {
        amg_lanczos_advance_args advance = {size, (narrow *)m.inverse.device, dots + 2 * k, q, r, z};
        amg_lanczos_direction_args direction = {dots + 2 * k, z, p};
        LAUNCH(io, amg_residual, AMG_TEAMS(rows, size), NULL, &product);
        sum_products(io, p, q, n, dots + 2 * k + 1);
        LAUNCH(io, amg_lanczos_advance, rows, NULL, &advance);
        sum_products(io, r, z, n, dots + 2 * k + 2);
        LAUNCH(io, amg_lanczos_direction, n, NULL, &direction);
    }
    LAUNCH(io, amg_lanczos_end, 1, NULL, &end);
    case_out(io, "first r . z", CASE_ROUGH, 1, 1, dots);
    case_out(io, "lambda", CASE_ROUGH, 1, 1, end.lambda);
    case_out(io, "coefficients", CASE_NARROW, 1, AMG_COEFFICIENTS, end.coefficients);
    const double *first = case_find(io, CASE_OUTPUT, "r")->value, *scaled = case_find(io, CASE_OUTPUT, "z")->value;
    const double lambda = case_find(io, CASE_OUTPUT, "lambda")->value[0], exact = 1 + cos(acos(-1.0) / (rows + 1));
    mg_scaled(wanted, m.inverse.host, first, rows, size);
    mg_expect(io, "z", wanted, mg_bound(io, CASE_NARROW));
    mg_expect(io, "p", wanted, mg_bound(io, CASE_NARROW));
    for (int i = 0; i < n; i++) {
        dot += first[i] * scaled[i];
        most = fmax(most, fabs(first[i]) * sqrt(m.inverse.host[(i * size) + i % size]));
    }
    case_expect(io, most > 0.49 && most < 0.50001, "r . z is of numbers in [-1/2, 1/2), and not all small");
    case_expect(io, fabs(case_find(io, CASE_OUTPUT, "first r . z")->value[0] / dot - 1) < 1e-12, "amg_dot sums up");
    case_expect(io, fabs(lambda / (1.05 * exact) - 1) < 0.03, "lambda is 1.05 times the largest eigenvalue, within 3%");
    case_expect(io, fabs(lambda / exact - 1) > 0.01, "negative control: it is not that eigenvalue");
    expect_chebyshev(io, case_find(io, CASE_OUTPUT, "coefficients")->value, lambda);
}
#define case_amg_dot case_amg_lanczos_begin

/* One step with dots that are given, and one with zeros, which changes no r. */
static void case_amg_lanczos_advance(case_io *io)
{
    static const char *const names[] = {"displacements", "amplitudes", "zeros", NULL};
    const int variant = case_variant(io, names), size = mg_size(variant == 1), rows = case_size(io, 900);
    const int n = rows * size;
    const double scale = variant == 2 ? 0 : 1, step = 0.75 / 1.25 * scale, keep = 0.5 / 0.75 * scale;
    case_array *of_dots = case_uniform(io, CASE_CONSTANT, "dots", 1, 3, 0, 1);
    of_dots->value[0] = 0.75 * scale;
    of_dots->value[1] = -1.25 * scale;
    of_dots->value[2] = 0.5 * scale;
    const mg_numbers dots = mg_upload(io, of_dots, CASE_WIDE);
    const mg_numbers inverse = mg_constants(io, "inverse", CASE_NARROW, n * size, -1, 1);
    const mg_numbers q = mg_constants(io, "q", CASE_NARROW, n, -1, 1);
    const mg_numbers r = mg_constants(io, "r before", CASE_NARROW, n, -1, 1);
    const mg_numbers p = mg_constants(io, "p before", CASE_NARROW, n, -1, 1);
    double *wanted_r = HOST(io, double, n), *wanted_z = HOST(io, double, n), *wanted_p = HOST(io, double, n);
    amg_lanczos_advance_args a;
    amg_lanczos_direction_args d;
    a.size = size;
    a.inverse = (narrow *)inverse.device;
    a.dots = d.dots = (wide *)dots.device;
    a.q = (narrow *)q.device;
    a.r = (narrow *)r.device;
    a.z = NEW(io, narrow, n, CASE_SET);
    LAUNCH(io, amg_lanczos_advance, rows, NULL, &a);
    d.z = a.z;
    d.p = (narrow *)p.device;
    LAUNCH(io, amg_lanczos_direction, n, NULL, &d);
    case_out(io, "r", CASE_NARROW, 1, n, a.r);
    case_out(io, "z", CASE_NARROW, 1, n, a.z);
    case_out(io, "p", CASE_NARROW, 1, n, d.p);
    for (int i = 0; i < n; i++) wanted_r[i] = r.host[i] + step * q.host[i];
    mg_scaled(wanted_z, inverse.host, wanted_r, rows, size);
    for (int i = 0; i < n; i++) wanted_p[i] = wanted_z[i] + keep * p.host[i];
    mg_expect(io, "r", wanted_r, mg_bound(io, CASE_NARROW));
    mg_expect(io, "z", wanted_z, mg_bound(io, CASE_NARROW));
    mg_expect(io, "p", wanted_p, mg_bound(io, CASE_NARROW));
}
#define case_amg_lanczos_direction case_amg_lanczos_advance

/* r . z = p . A p = 1 is the matrix (-1, 2, -1) but for a 1 in its first row, whose largest eigenvalue is
 * 2 + 2 cos(2 pi/(2 n + 1)) of n rows; a pair of zeros ends it, and without any pair 1 stands for the eigenvalue. */
static void case_amg_lanczos_end(case_io *io)
{
    static const char *const names[] = {"all steps", "five steps", "none", NULL};
    static const int steps[] = {AMG_LANCZOS, 5, 0};
    const int n = steps[case_variant(io, names)];
    case_array *of_dots = case_uniform(io, CASE_CONSTANT, "dots", 1, 2 * AMG_LANCZOS + 1, 0, 1);
    for (int k = 0; k <= 2 * AMG_LANCZOS; k++) of_dots->value[k] = k >= 2 * n ? 0 : k % 2 ? -1 : 1;
    if (n == AMG_LANCZOS) of_dots->value[2 * n] = 1;
    amg_lanczos_end_args a;
    a.dots = (wide *)mg_upload(io, of_dots, CASE_WIDE).device;
    a.lambda = NEW(io, wide, 1, CASE_SET);
    a.coefficients = NEW(io, narrow, AMG_COEFFICIENTS, CASE_SET);
    LAUNCH(io, amg_lanczos_end, 1, NULL, &a);
    case_out(io, "lambda", CASE_WIDE, 1, 1, a.lambda);
    case_out(io, "coefficients", CASE_NARROW, 1, AMG_COEFFICIENTS, a.coefficients);
    const double lambda = case_find(io, CASE_OUTPUT, "lambda")->value[0];
    double wanted[1] = {1.05 * (n ? 2 + 2 * cos(2 * acos(-1.0) / (2 * n + 1)) : 1)};
    mg_compare(io, "lambda", &lambda, wanted, 1, 1e-10);
    expect_chebyshev(io, case_find(io, CASE_OUTPUT, "coefficients")->value, lambda);
}

/* ---- the cycle --------------------------------------------------------------------------------------------- */

/* A residual whose square is far below what a float can hold, and one of zeros. */
static void case_amg_enter(case_io *io)
{
    static const char *const names[] = {"tiny", "zeros", NULL};
    const int zeros = case_variant(io, names), n = case_size(io, 2100);
    const double scale = zeros ? 0 : 1e-30;
    const mg_numbers r = mg_constants(io, "r", CASE_REAL, n, -scale, scale);
    const mg_numbers x = mg_constants(io, "x", CASE_NARROW, n, -1, 1);
    case_array *square = case_uniform(io, CASE_CONSTANT, "square", 1, 1, 0, 0);
    double *wanted_b = HOST(io, double, n), *wanted_y = HOST(io, double, n), length = 0;
    for (int i = 0; i < n; i++) square->value[0] += r.host[i] * r.host[i];
    amg_enter_args a;
    amg_leave_args l;
    a.r = (real *)r.device;
    a.square = l.square = (wide *)mg_upload(io, square, CASE_WIDE).device;
    a.b = NEW(io, narrow, n, CASE_SET);
    LAUNCH(io, amg_enter, n, NULL, &a);
    l.x = (narrow *)x.device;
    l.y = NEW(io, real, n, CASE_SET);
    LAUNCH(io, amg_leave, n, NULL, &l);
    case_out(io, "b", CASE_NARROW, 1, n, a.b);
    case_out(io, "y", CASE_REAL, 1, n, l.y);
    const double *b = case_find(io, CASE_OUTPUT, "b")->value, *y = case_find(io, CASE_OUTPUT, "y")->value;
    for (int i = 0; i < n; i++) length += zeros ? fabs(b[i]) + fabs(y[i]) : b[i] * b[i];
    if (zeros) case_expect(io, !(length > 0), "of nothing comes nothing");
    if (zeros) return;
    const double root = sqrt(square->value[0]);
    for (int i = 0; i < n; i++) wanted_b[i] = r.host[i] / root;
    for (int i = 0; i < n; i++) wanted_y[i] = root * x.host[i];
    mg_expect(io, "b", wanted_b, mg_bound(io, CASE_NARROW));
    mg_expect(io, "y", wanted_y, mg_bound(io, CASE_REAL));
    case_expect(io, fabs(length - 1) < 1e-5, "|b| is 1");
}
#define case_amg_leave case_amg_enter

/* What a smoother works with, of a matrix that is a band. */
typedef struct {
    int size, rows, second;
    int *diagonal; /* device; of displacements, whose diagonal blocks are sums of rows */
    band b;
    host_band h;
    mg_numbers value, inverse, coefficients, v, r, x;
} mg_smoother;

/* Sets the arguments of a step, whose results are new memory. */
static amg_smoothen_args smoothen_args(case_io *io, const mg_smoother *s)
{
    const int n = s->rows * s->size;
    amg_smoothen_args a;
    a.a.rows = s->rows;
    a.a.size = s->size;
    a.a.row_start = s->b.row_start;
    a.a.column = s->b.column;
    a.a.diagonal = s->diagonal;
    a.a.value = (narrow *)s->value.device;
    a.inverse = (narrow *)s->inverse.device;
    a.coefficients = (narrow *)s->coefficients.device;
    a.second = s->second;
    a.v = (narrow *)s->v.device;
    a.r = (narrow *)s->r.device;
    a.x = (narrow *)s->x.device;
    a.r_out = NEW(io, narrow, n, CASE_SET);
    a.d = NEW(io, narrow, n, CASE_SET);
    a.x_out = NEW(io, narrow, n, CASE_SET);
    return a;
}

static mg_smoother mg_sample_smoother(case_io *io)
{
    static const char *const names[] = {"displacements, first", "displacements, second", "amplitudes, first",
                                        "amplitudes, second", NULL};
    const int variant = case_variant(io, names);
    mg_smoother s;
    s.size = mg_size(variant >= 2);
    s.second = variant % 2;
    s.b = sample_band(io);
    s.rows = s.b.rows;
    s.h = band_of(io, s.rows);
    int *diagonal = HOST(io, int, s.rows);
    for (int i = 0; i < s.rows; i++) diagonal[i] = mg_at(&s.h, i, i);
    s.diagonal = s.size == DIM ? PUSH(io, int, diagonal, s.rows) : NULL;
    const int n = s.rows * s.size;
    s.value = mg_constants(io, "value", CASE_NARROW, s.b.blocks * s.size * s.size, -1, 1);
    s.inverse = mg_constants(io, "inverse", CASE_NARROW, n * s.size, -1, 1);
    s.coefficients = mg_constants(io, "coefficients", CASE_NARROW, AMG_COEFFICIENTS, 0.5, 1);
    s.v = mg_constants(io, "v", CASE_NARROW, n + AMG_SPARE, -1, 1);
    s.r = mg_constants(io, "r before", CASE_NARROW, n, -1, 1);
    s.x = mg_constants(io, "x before", CASE_NARROW, n, -1, 1);
    return s;
}

/* A v by the blocks, each entry of them; of sums of rows, with differences of v. */
static double *mg_product(case_io *io, const mg_smoother *s)
{
    double *out = HOST(io, double, s->rows * s->size);
    for (int i = 0; i < s->rows; i++)
        for (int k = s->h.row_start[i]; k < s->h.row_start[i + 1]; k++)
            for (int c = 0; c < s->size * s->size; c++) {
                double v = s->v.host[s->h.column[k] * s->size + c % s->size];
                if (s->diagonal && s->h.column[k] != i) v -= s->v.host[i * s->size + c % s->size];
                out[i * s->size + c / s->size] += s->value.host[k * s->size * s->size + c] * v;
            }
    return out;
}

/* Once into memory of its own, and once over r and x, which gives the same bits. */
static void case_amg_smoothen(case_io *io)
{
    const mg_smoother s = mg_sample_smoother(io);
    const int n = s.rows * s.size;
    amg_smoothen_args a = smoothen_args(io, &s), over = smoothen_args(io, &s);
    LAUNCH(io, amg_smoothen, AMG_TEAMS(s.rows, s.size), NULL, &a);
    over.r_out = (narrow *)s.r.device;
    over.x_out = (narrow *)s.x.device;
    LAUNCH(io, amg_smoothen, AMG_TEAMS(s.rows, s.size), NULL, &over);
    case_out(io, "r", CASE_NARROW, 1, n, a.r_out);
    case_out(io, "d", CASE_NARROW, 1, n, a.d);
    case_out(io, "x", CASE_NARROW, 1, n, a.x_out);
    case_out(io, "r over", CASE_NARROW, 1, n, over.r_out);
    case_out(io, "d over", CASE_NARROW, 1, n, over.d);
    case_out(io, "x over", CASE_NARROW, 1, n, over.x_out);
    double *r = mg_product(io, &s), *d = HOST(io, double, n), *x = HOST(io, double, n);
    for (int i = 0; i < n; i++) r[i] = s.r.host[i] - r[i];
    mg_scaled(d, s.inverse.host, r, s.rows, s.size);
    for (int i = 0; i < n; i++) {
        d[i] *= s.coefficients.host[s.second ? AMG_SECOND : AMG_FIRST];
        if (s.second) d[i] += s.coefficients.host[AMG_KEEP] * s.v.host[i];
        x[i] = s.x.host[i] + d[i];
    }
    mg_expect(io, "r", r, mg_bound(io, CASE_NARROW));
    mg_expect(io, "d", d, mg_bound(io, CASE_NARROW));
    mg_expect(io, "x", x, mg_bound(io, CASE_NARROW));
    const size_t bytes = case_find(io, CASE_OUTPUT, "r")->size;
    const int same =
        !memcmp(case_find(io, CASE_OUTPUT, "r")->bytes, case_find(io, CASE_OUTPUT, "r over")->bytes, bytes) &&
        !memcmp(case_find(io, CASE_OUTPUT, "d")->bytes, case_find(io, CASE_OUTPUT, "d over")->bytes, bytes) &&
        !memcmp(case_find(io, CASE_OUTPUT, "x")->bytes, case_find(io, CASE_OUTPUT, "x over")->bytes, bytes);
    case_expect(io, same, "r and x may be changed in place");
}

/* r - A v, of zeros too, and the first step from x = 0. */
static void case_amg_residual(case_io *io)
{
    const mg_smoother s = mg_sample_smoother(io);
    const int n = s.rows * s.size;
    const amg_smoothen_args from = smoothen_args(io, &s);
    double *r = mg_product(io, &s), *minus = HOST(io, double, n), *d = HOST(io, double, n);
    amg_residual_args a = {from.a, from.v, from.r, from.r_out};
    amg_open_args open = {s.size, from.inverse, from.coefficients, from.r, from.d};
    LAUNCH(io, amg_residual, AMG_TEAMS(s.rows, s.size), NULL, &a);
    case_out(io, "r - A v", CASE_NARROW, 1, n, a.out);
    a.r = NULL;
    a.out = from.x_out;
    LAUNCH(io, amg_residual, AMG_TEAMS(s.rows, s.size), NULL, &a);
    case_out(io, "-A v", CASE_NARROW, 1, n, a.out);
    LAUNCH(io, amg_open, s.rows, NULL, &open);
    case_out(io, "d", CASE_NARROW, 1, n, open.d);
    mg_scaled(d, s.inverse.host, s.r.host, s.rows, s.size);
    for (int i = 0; i < n; i++) {
        minus[i] = -r[i];
        r[i] = s.r.host[i] - r[i];
        d[i] *= s.coefficients.host[AMG_FIRST];
    }
    mg_expect(io, "r - A v", r, mg_bound(io, CASE_NARROW));
    mg_expect(io, "-A v", minus, mg_bound(io, CASE_NARROW));
    mg_expect(io, "d", d, mg_bound(io, CASE_NARROW));
    a.r = from.r;
    a.out = (narrow *)s.r.device;
    LAUNCH(io, amg_residual, AMG_TEAMS(s.rows, s.size), NULL, &a);
    case_out(io, "over r", CASE_NARROW, 1, n, a.out);
    mg_expect(io, "over r", r, mg_bound(io, CASE_NARROW));
}
#define case_amg_open case_amg_residual

#endif
