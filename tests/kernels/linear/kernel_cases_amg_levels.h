/* kernel_cases_amg_levels.h -- cases of a multilevel preconditioner: from one level to the next, against sums over all
 * blocks in double on the host. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_AMG_LEVELS_H
#define PIOLA_TESTS_KERNEL_CASES_AMG_LEVELS_H

#include "tests/kernels/linear/kernel_cases_amg.h"

/* ---- structures -------------------------------------------------------------------------------------------- */

/* Two rows in turn are an aggregate; every eleventh row is in none. */
static int row_aggregate(int i)
{
    return i % 11 == 5 ? -1 : i / 2;
}

/* Rows of columns on the host. */
typedef struct {
    int *start, *column;
} mg_rows;

static mg_rows mg_rows_for(case_io *io, int rows, int most)
{
    mg_rows r;
    r.start = HOST(io, int, rows + 1);
    r.column = HOST(io, int, rows *most);
    return r;
}

/* Adds a column to the last row, which begins at start[row] and ends at start[row + 1], in ascending order. */
static void mg_add(mg_rows *r, int row, int column)
{
    int at = r->start[row];
    while (at < r->start[row + 1] && r->column[at] < column) at++;
    if (at < r->start[row + 1] && r->column[at] == column) return;
    for (int k = r->start[row + 1]++; k > at; k--) r->column[k] = r->column[k - 1];
    r->column[at] = column;
}

/* A band A, and the structures of P, P^T, A P and P^T A P, host and device. */
typedef struct {
    int rows, coarse, *aggregate, *aggregate_device;
    host_band a;
    mg_rows p, ap, next, a_device, p_device, ap_device, next_device;
    int *t_start, *t_row, *t_entry; /* device */
} mg_step;

static mg_rows mg_push(case_io *io, const mg_rows *r, int rows)
{
    mg_rows d;
    d.start = PUSH(io, int, r->start, rows + 1);
    d.column = PUSH(io, int, r->column, r->start[rows]);
    return d;
}

/* P^T to the device, and the structure of P^T A P: of aggregate g, all columns of A P of the rows that it has. */
static void mg_sample_next(case_io *io, mg_step *s)
{
    int *start = HOST(io, int, s->coarse + 1), *row = HOST(io, int, 5 * s->rows), *entry = HOST(io, int, 5 * s->rows);
    int t = 0;
    s->next = mg_rows_for(io, s->coarse, 64);
    for (int g = 0; g < s->coarse; g++) {
        s->next.start[g + 1] = s->next.start[g];
        for (int i = 2 * g - 16 > 0 ? 2 * g - 16 : 0; i < 2 * g + 18 && i < s->rows; i++) /* as far as a band reaches */
            for (int e = s->p.start[i]; e < s->p.start[i + 1]; e++) {
                if (s->p.column[e] != g) continue;
                row[t] = i;
                entry[t++] = e;
                for (int k = s->ap.start[i]; k < s->ap.start[i + 1]; k++) mg_add(&s->next, g, s->ap.column[k]);
            }
        start[g + 1] = t;
    }
    case_expect(io, t == s->p.start[s->rows], "every block of P is in P^T");
    s->t_start = PUSH(io, int, start, s->coarse + 1);
    s->t_row = PUSH(io, int, row, t);
    s->t_entry = PUSH(io, int, entry, t);
    s->next_device = mg_push(io, &s->next, s->coarse);
}

static mg_step mg_sample_step(case_io *io)
{
    mg_step s;
    s.rows = case_size(io, 1100);
    s.coarse = s.rows / 2;
    s.a = band_of(io, s.rows);
    s.aggregate = HOST(io, int, s.rows);
    s.p = mg_rows_for(io, s.rows, 5);
    s.ap = mg_rows_for(io, s.rows, 25);
    for (int i = 0; i < s.rows; i++) s.aggregate[i] = row_aggregate(i);
    for (int i = 0; i < s.rows; i++) {
        s.p.start[i + 1] = s.p.start[i];
        for (int k = s.a.row_start[i]; k < s.a.row_start[i + 1] && s.aggregate[i] >= 0; k++)
            if (s.aggregate[s.a.column[k]] >= 0) mg_add(&s.p, i, s.aggregate[s.a.column[k]]);
    }
    for (int i = 0; i < s.rows; i++) {
        s.ap.start[i + 1] = s.ap.start[i];
        for (int k = s.a.row_start[i]; k < s.a.row_start[i + 1]; k++)
            for (int e = s.p.start[s.a.column[k]]; e < s.p.start[s.a.column[k] + 1]; e++)
                mg_add(&s.ap, i, s.p.column[e]);
    }
    s.aggregate_device = PUSH(io, int, s.aggregate, s.rows);
    s.a_device.start = PUSH(io, int, s.a.row_start, s.rows + 1);
    s.a_device.column = PUSH(io, int, s.a.column, s.a.blocks);
    s.p_device = mg_push(io, &s.p, s.rows);
    s.ap_device = mg_push(io, &s.ap, s.rows);
    mg_sample_next(io, &s);
    return s;
}

/* Adds f A B to out, of blocks A [rows][inner] and B [inner][columns]; transposed: A is [inner][rows]. */
typedef struct {
    int rows, inner, columns, transposed;
} mg_shape;

static void mg_multiply(double *out, double f, const double *a, const double *b, mg_shape s)
{
    for (int r = 0; r < s.rows; r++)
        for (int k = 0; k < s.inner; k++) {
            const double factor = f * a[s.transposed ? k * s.rows + r : r * s.inner + k];
            for (int c = 0; c < s.columns; c++) out[r * s.columns + c] += factor * b[k * s.columns + c];
        }
}

/* ---- P ----------------------------------------------------------------------------------------------------- */

static void case_amg_smooth(case_io *io)
{
    static const char *const names[] = {"displacements", "amplitudes", NULL};
    const int size = mg_size(case_variant(io, names)), n = size * AMG_MODES;
    const mg_step s = mg_sample_step(io);
    const int blocks = s.p.start[s.rows];
    const mg_numbers value = mg_constants(io, "value", CASE_REAL, s.a.blocks * size * size, -1, 1);
    const mg_numbers inverse = mg_constants(io, "inverse", CASE_NARROW, s.rows * size * size, -1, 1);
    const mg_numbers lambda = mg_constants(io, "lambda", CASE_WIDE, 1, 1.5, 2);
    const mg_numbers tentative = mg_constants(io, "Q", CASE_REAL, s.rows * n, -1, 1);
    double *wanted = HOST(io, double, blocks *n);
    const mg_shape shape = {size, size, AMG_MODES, 0};
    amg_smooth_args a;
    a.size = size;
    a.row_start = s.a_device.start;
    a.column = s.a_device.column;
    a.value = (real *)value.device;
    a.inverse = (narrow *)inverse.device;
    a.lambda = (wide *)lambda.device;
    a.aggregate = s.aggregate_device;
    a.tentative = (real *)tentative.device;
    a.p_start = s.p_device.start;
    a.p_column = s.p_device.column;
    a.p = NEW(io, narrow, blocks * n, CASE_SET);
    LAUNCH(io, amg_smooth, s.rows, NULL, &a);
    case_out(io, "P", CASE_NARROW, 1, blocks * n, a.p);
    for (int i = 0; i < s.rows; i++)
        for (int e = s.p.start[i]; e < s.p.start[i + 1]; e++)
            for (int k = s.a.row_start[i]; k < s.a.row_start[i + 1]; k++) { /* (1 - f D^-1 A)_ij Q_j */
                const int j = s.a.column[k];
                double m[AMG_MODES * AMG_MODES] = {0};
                const mg_shape square = {size, size, size, 0};
                if (s.aggregate[j] != s.p.column[e]) continue;
                for (int c = 0; c < size && i == j; c++) m[c * size + c] = 1;
                mg_multiply(m, -4 / (3 * lambda.host[0]), inverse.host + i * size * size, value.host + k * size * size,
                            square);
                mg_multiply(wanted + e * n, 1, m, tentative.host + j * n, shape);
            }
    mg_expect(io, "P", wanted, mg_bound(io, CASE_NARROW));
}

/* ---- products with P --------------------------------------------------------------------------------------- */

/* The structures, numbers, and sizes of blocks. */
typedef struct {
    int size, next_size;
    mg_step s;
    mg_numbers value, p;
} mg_products;

/* (A P)_ig = sum over j of A_ij P_jg. */
static double *host_ap(case_io *io, const mg_products *m)
{
    const mg_step *s = &m->s;
    const int n = m->size * m->next_size;
    const mg_shape shape = {m->size, m->size, m->next_size, 0};
    double *out = HOST(io, double, s->ap.start[s->rows] * n);
    for (int i = 0; i < s->rows; i++)
        for (int q = s->ap.start[i]; q < s->ap.start[i + 1]; q++)
            for (int k = s->a.row_start[i]; k < s->a.row_start[i + 1]; k++)
                for (int e = s->p.start[s->a.column[k]]; e < s->p.start[s->a.column[k] + 1]; e++)
                    if (s->p.column[e] == s->ap.column[q])
                        mg_multiply(out + q * n, 1, m->value.host + k * m->size * m->size, m->p.host + e * n, shape);
    return out;
}

/* (P^T A P)_gh = sum over i of P_ig^T (A P)_ih. */
static double *host_next(case_io *io, const mg_products *m, const double *ap)
{
    const mg_step *s = &m->s;
    const int n = m->size * m->next_size, square = m->next_size * m->next_size;
    const mg_shape shape = {m->next_size, m->size, m->next_size, 1};
    double *out = HOST(io, double, s->next.start[s->coarse] * square);
    for (int i = 0; i < s->rows; i++)
        for (int e = s->p.start[i]; e < s->p.start[i + 1]; e++)
            for (int k = s->ap.start[i]; k < s->ap.start[i + 1]; k++) {
                int q = s->next.start[s->p.column[e]];
                while (s->next.column[q] != s->ap.column[k]) q++;
                mg_multiply(out + q * square, 1, m->p.host + e * n, ap + k * n, shape);
            }
    return out;
}

static mg_products mg_sample_products(case_io *io)
{
    static const char *const names[] = {"displacements to amplitudes", "amplitudes", "displacements", NULL};
    mg_products m;
    const int variant = case_variant(io, names);
    m.size = mg_size(variant == 1);
    m.next_size = mg_size(variant != 2);
    m.s = mg_sample_step(io);
    m.value = mg_constants(io, "value", CASE_REAL, m.s.a.blocks * m.size * m.size, -1, 1);
    m.p = mg_constants(io, "P", CASE_NARROW, m.s.p.start[m.s.rows] * m.size * m.next_size + AMG_SPARE, -1, 1);
    return m;
}

static void case_amg_multiply(case_io *io)
{
    const mg_products m = mg_sample_products(io);
    const mg_step *s = &m.s;
    const int ap_numbers = s->ap.start[s->rows] * m.size * m.next_size;
    const int next_numbers = s->next.start[s->coarse] * m.next_size * m.next_size;
    amg_multiply_args a;
    amg_galerkin_args g;
    a.size = g.size = m.size;
    a.next_size = g.next_size = m.next_size;
    a.row_start = s->a_device.start;
    a.column = s->a_device.column;
    a.value = (real *)m.value.device;
    a.p_start = s->p_device.start;
    a.p_column = s->p_device.column;
    a.p = g.p = (narrow *)m.p.device;
    a.ap_start = g.ap_start = s->ap_device.start;
    a.ap_column = g.ap_column = s->ap_device.column;
    a.ap = NEW(io, real, ap_numbers + AMG_SPARE, CASE_SET);
    LAUNCH(io, amg_multiply, s->rows, NULL, &a);
    g.t_start = s->t_start;
    g.t_row = s->t_row;
    g.t_entry = s->t_entry;
    g.ap = a.ap;
    g.next_start = s->next_device.start;
    g.next_column = s->next_device.column;
    g.next = NEW(io, real, next_numbers, CASE_SET);
    LAUNCH(io, amg_galerkin, s->coarse, NULL, &g);
    case_out(io, "A P", CASE_REAL, 1, ap_numbers, a.ap);
    case_out(io, "P^T A P", CASE_REAL, 1, next_numbers, g.next);
    double *ap = host_ap(io, &m), *next = host_next(io, &m, ap);
    mg_expect(io, "A P", ap, mg_bound(io, CASE_REAL));
    mg_expect(io, "P^T A P", next, mg_bound(io, CASE_REAL));
}
#define case_amg_galerkin case_amg_multiply

static void case_amg_restrict(case_io *io)
{
    const mg_products m = mg_sample_products(io);
    const mg_step *s = &m.s;
    const int n = s->rows * m.size, next_n = s->coarse * m.next_size;
    const mg_numbers r = mg_constants(io, "r", CASE_NARROW, n, -1, 1);
    const mg_numbers e = mg_constants(io, "e", CASE_NARROW, next_n, -1, 1);
    const mg_numbers x = mg_constants(io, "x before", CASE_NARROW, n, -1, 1);
    double *b = HOST(io, double, next_n), *wanted = HOST(io, double, n);
    amg_restrict_args a;
    amg_prolong_args p;
    a.size = p.size = m.size;
    a.next_size = p.next_size = m.next_size;
    a.t_start = s->t_start;
    a.t_row = s->t_row;
    a.t_entry = s->t_entry;
    a.p = p.p = (narrow *)m.p.device;
    a.r = (narrow *)r.device;
    a.b = NEW(io, narrow, next_n, CASE_SET);
    LAUNCH(io, amg_restrict, s->coarse, NULL, &a);
    p.p_start = s->p_device.start;
    p.p_column = s->p_device.column;
    p.e = (narrow *)e.device;
    p.x = (narrow *)x.device;
    LAUNCH(io, amg_prolong, s->rows, NULL, &p);
    case_out(io, "P^T r", CASE_NARROW, 1, next_n, a.b);
    case_out(io, "x + P e", CASE_NARROW, 1, n, p.x);
    memcpy(wanted, x.host, sizeof *wanted * (size_t)n);
    for (int i = 0; i < s->rows; i++)
        for (int k = s->p.start[i]; k < s->p.start[i + 1]; k++) {
            const double *block = m.p.host + k * m.size * m.next_size;
            const mg_shape down = {m.next_size, m.size, 1, 1}, up = {m.size, m.next_size, 1, 0};
            mg_multiply(b + s->p.column[k] * m.next_size, 1, block, r.host + i * m.size, down);
            mg_multiply(wanted + i * m.size, 1, block, e.host + s->p.column[k] * m.next_size, up);
        }
    mg_expect(io, "P^T r", b, mg_bound(io, CASE_NARROW));
    mg_expect(io, "x + P e", wanted, mg_bound(io, CASE_NARROW));
}
#define case_amg_prolong case_amg_restrict

#endif
