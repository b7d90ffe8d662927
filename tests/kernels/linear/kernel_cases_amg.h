/* kernel_cases_amg.h -- cases of a multilevel preconditioner: its matrices and inverses, against sums in double on the
 * host. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_AMG_H
#define PIOLA_TESTS_KERNEL_CASES_AMG_H

#include "tests/kernels/linear/kernel_cases_direct.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------- */

/* The size of blocks, of displacements or amplitudes. */
static int mg_size(int amplitudes)
{
    return amplitudes ? (int)AMG_MODES : (int)DIM;
}

/* An array of constants on the host, with the digits of its type, and on the device. */
typedef struct {
    double *host;
    void *device;
} mg_numbers;

static mg_numbers mg_upload(case_io *io, case_array *a, case_type type)
{
    mg_numbers r;
    for (int i = 0; i < a->parts * a->count; i++)
        if (io->build->size[type] == 4) a->value[i] = (double)(float)a->value[i];
    r.host = a->value;
    r.device = case_upload(io, a, type);
    return r;
}

static mg_numbers mg_constants(case_io *io, const char *name, case_type type, int n, double lo, double hi)
{
    return mg_upload(io, case_uniform(io, CASE_CONSTANT, name, 1, n, lo, hi), type);
}

static double mg_bound(const case_io *io, case_type type)
{
    return io->build->size[type] == 4 ? 2e-6 : 1e-13;
}

/* The largest difference, as a fraction of the largest number. */
static double mg_apart(const double *got, const double *wanted, int n)
{
    double most = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        const double d = fabs(got[i] - wanted[i]);
        if (!(d <= most)) most = d;
        if (fabs(wanted[i]) > largest) largest = fabs(wanted[i]);
    }
    return most / largest;
}

/* Compares numbers, once more with one of them spoiled, which must be found. */
static void mg_compare(case_io *io, const char *what, const double *got, double *wanted, int n, double bound)
{
    char text[200];
    double largest = 0;
    const double apart = mg_apart(got, wanted, n), one = wanted[n / 2];
    for (int i = 0; i < n; i++)
        if (fabs(wanted[i]) > largest) largest = fabs(wanted[i]);
    wanted[n / 2] += (one > 0 ? -4 : 4) * bound * largest;
    snprintf(text, sizeof text, "%s: %.1e of the largest apart, bound %.1e; one of them spoiled: %.1e", what, apart,
             bound, mg_apart(got, wanted, n));
    case_expect(io, apart <= bound && mg_apart(got, wanted, n) > bound, text);
    wanted[n / 2] = one;
}

static void mg_expect(case_io *io, const char *output, double *wanted, double bound)
{
    const case_array *a = case_find(io, CASE_OUTPUT, output);
    mg_compare(io, output, a->value, wanted, a->parts * a->count, bound);
}

/* The number of block (i,j), or -1. */
static int mg_at(const host_band *h, int i, int j)
{
    for (int k = h->row_start[i]; k < h->row_start[i + 1]; k++)
        if (h->column[k] == j) return k;
    return -1;
}

/* Makes a block of numbers in [-1, 1) positive definite, but for zeros in row and column `dropped`. */
static void mg_definite(double *m, int size, int dropped)
{
    double g[AMG_MODES * AMG_MODES];
    memcpy(g, m, sizeof *g * (size_t)(size * size));
    for (int c = 0; c < size; c++)
        for (int d = 0; d < size; d++) {
            double s = c == d ? 0.5 : 0;
            for (int k = 0; k < size; k++) s += g[c * size + k] * g[d * size + k];
            m[c * size + d] = c == dropped || d == dropped ? 0 : s;
        }
}

/* ---- matrices ---------------------------------------------------------------------------------------------- */

static void case_amg_narrow(case_io *io)
{
    static const char *const names[] = {"displacements", "amplitudes", "sums of rows", "not made symmetric", NULL};
    const int variant = case_variant(io, names), size = mg_size(variant % 2), n = size * size;
    const band b = sample_band(io);
    const host_band h = band_of(io, b.rows);
    int *diagonal = HOST(io, int, b.rows);
    const mg_numbers value = mg_constants(io, "value", CASE_REAL, b.blocks * n, -2, 3);
    double *wanted = HOST(io, double, b.blocks *n);
    int wrong = 0;
    amg_narrow_args a;
    a.size = size;
    a.row_start = b.row_start;
    a.mirror = variant == 3 ? NULL : b.mirror;
    for (int i = 0; i < b.rows; i++) diagonal[i] = mg_at(&h, i, i);
    a.diagonal = variant == 2 ? PUSH(io, int, diagonal, b.rows) : NULL;
    a.value = (real *)value.device;
    a.out = NEW(io, narrow, b.blocks * n, CASE_SET);
    LAUNCH(io, amg_narrow, b.rows, NULL, &a);
    case_out(io, "out", CASE_NARROW, 1, b.blocks * n, a.out);
    const double *out = case_find(io, CASE_OUTPUT, "out")->value;
    for (int i = 0; i < b.rows; i++)
        for (int k = h.row_start[i]; k < h.row_start[i + 1]; k++)
            for (int c = 0; c < n; c++) {
                const int other = variant == 3 ? k * n + c : mg_at(&h, h.column[k], i) * n + c % size * size + c / size;
                const int summed = variant == 2 && h.column[k] == i;
                wanted[k * n + c] = 0.5 * (value.host[k * n + c] + value.host[other]);
                wrong += !summed && fabs(out[k * n + c] - out[other]) > 0;
            }
    for (int i = 0; i < b.rows && variant == 2; i++)
        for (int k = h.row_start[i]; k < h.row_start[i + 1]; k++)
            for (int c = 0; c < n && k != diagonal[i]; c++) wanted[diagonal[i] * n + c] += wanted[k * n + c];
    mg_expect(io, "out", wanted, mg_bound(io, CASE_NARROW));
    case_expect(io, !wrong, "it is symmetric to the bit");
}

/* Scales of the blocks go from 1e-6 to 1e6, every fifth has a row of zeros, and none is quite symmetric. */
static void case_amg_invert(case_io *io)
{
    static const char *const names[] = {"displacements", "amplitudes", "two not positive definite", "one not finite",
                                        NULL};
    const int variant = case_variant(io, names), size = mg_size(variant % 2), n = size * size, bad = 333;
    const band b = sample_band(io);
    const host_band h = band_of(io, b.rows);
    int64_t *right = HOST(io, int64_t, 1);
    double *product = HOST(io, double, b.rows *n), *wanted = HOST(io, double, b.rows *n);
    case_array *blocks = case_uniform(io, CASE_CONSTANT, "value", 1, b.blocks * n, -1, 1);
    for (int i = 0; i < b.rows; i++) {
        double *m = blocks->value + mg_at(&h, i, i) * n;
        const int dropped = i % 5 == 2 ? i % size : -1;
        mg_definite(m, size, dropped);
        if (dropped != 0 && dropped != 1) m[1] += 0.05;
        for (int c = 0; c < n; c++) m[c] *= pow(10, i % 13 - 6);
        if (variant == 2 && (i == bad || i == bad + 111)) m[n - 1] *= -1;
        if (variant == 3 && i == bad) m[1] = (double)INFINITY;
    }
    right[0] = -1;
    const mg_numbers value = mg_upload(io, blocks, CASE_REAL);
    amg_invert_args a;
    a.size = size;
    a.diagonal = b.diagonal;
    a.value = (real *)value.device;
    a.inverse = NEW(io, narrow, b.rows * n, CASE_SET);
    a.fault = (uint64_t *)case_push(io, right, sizeof *right);
    LAUNCH(io, amg_invert, b.rows, NULL, &a);
    case_out(io, "inverse", CASE_NARROW, 1, b.rows * n, a.inverse);
    case_out(io, "fault", CASE_INT64, 1, 1, a.fault);
    const double *inverse = case_find(io, CASE_OUTPUT, "inverse")->value;
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    int not_zero = 0;
    for (int i = 0; i < b.rows; i++) {
        const double *m = value.host + mg_at(&h, i, i) * n, *v = inverse + i * n;
        const int none = variant >= 2 && (i == bad || (variant == 2 && i == bad + 111));
        const int dropped = i % 5 == 2 ? i % size : -1;
        for (int c = 0; c < n; c++) {
            wanted[i * n + c] = c / size == c % size && c / size != dropped && !none;
            for (int k = 0; k < size && !none; k++)
                product[i * n + c] += v[c / size * size + k] * (m[k * size + c % size] + m[c % size * size + k]) / 2;
            not_zero += (none || c / size == dropped || c % size == dropped) && fabs(v[c]) > 0;
        }
    }
    mg_compare(io, "D^-1 D", product, wanted, b.rows * n, io->build->size[CASE_NARROW] == 4 ? 1e-5 : 1e-12);
    case_expect(io, !not_zero, "rows of zeros and blocks that are not positive definite have zeros");
    case_expect(io, fabs(fault - (variant >= 2 ? bad : -1)) < 0.5, "the fault names the lowest block");
}

/* Blocks 3 and 7 have a row of zeros; all of the rest is diagonally dominant. */
static void dense_sample(double *value, double *dense, const host_band *h, int size, int bad)
{
    const int n = h->rows * size;
    for (int i = 0; i < h->rows; i++)
        for (int k = h->row_start[i]; k < h->row_start[i + 1]; k++)
            for (int c = 0; c < size; c++)
                for (int d = 0; d < size; d++) {
                    const int r = i * size + c, s = h->column[k] * size + d;
                    double *m = value + (k * size + c) * size + d;
                    if (r > s) *m = value[(mg_at(h, h->column[k], i) * size + d) * size + c];
                    if (r == s) *m = 5 * size;
                    if (r == s && i == bad) *m = -1;
                    if (r == 3 * size || s == 3 * size || r == 8 * size - 1 || s == 8 * size - 1) *m = 0;
                    dense[r * n + s] = *m;
                }
}

static void case_amg_dense(case_io *io)
{
    static const char *const names[] = {"displacements", "amplitudes", "not positive definite", NULL};
    const int variant = case_variant(io, names), size = mg_size(variant), rows = AMG_DENSE / size;
    const int n = rows * size;
    const host_band h = band_of(io, rows);
    int64_t *right = HOST(io, int64_t, 1);
    case_array *blocks = case_uniform(io, CASE_CONSTANT, "value", 1, h.blocks * size * size, -1, 1);
    double *dense = HOST(io, double, n *n), *product = HOST(io, double, n *n), *wanted = HOST(io, double, n *n);
    dense_sample(blocks->value, dense, &h, size, variant == 2 ? rows / 2 : -1);
    right[0] = -1;
    amg_dense_args a;
    a.rows = rows;
    a.size = size;
    a.row_start = PUSH(io, int, h.row_start, rows + 1);
    a.column = PUSH(io, int, h.column, h.blocks);
    const mg_numbers value = mg_upload(io, blocks, CASE_REAL);
    a.value = (real *)value.device;
    wide *inverse_of[2];
    inverse_of[0] = NEW(io, wide, n * n, CASE_SET);
    inverse_of[1] = NEW(io, wide, n * n, CASE_SET);
    a.dense = inverse_of[n & 1];
    a.own = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, amg_dense, rows, NULL, &a);
    amg_eliminate_args e;
    e.n = n;
    e.own = a.own;
    e.fault = (uint64_t *)case_push(io, right, sizeof *right);
    for (e.k = 0; e.k < n; e.k++) {
        e.from = inverse_of[(n - e.k) & 1];
        e.to = inverse_of[(n - e.k - 1) & 1];
        LAUNCH(io, amg_eliminate, n, NULL, &e);
    }
    case_out(io, "fault", CASE_INT64, 1, 1, e.fault);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    case_expect(io, fabs(fault - (variant == 2 ? 0 : -1)) < 0.5, "a matrix that is not positive definite is a fault");
    if (variant == 2) return;
    case_out(io, "inverse", CASE_WIDE, 1, n * n, inverse_of[0]);
    const double *inverse = case_find(io, CASE_OUTPUT, "inverse")->value;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++)
            for (int s = 0; s < n; s++) product[r * n + s] += dense[r * n + k] * inverse[k * n + s];
    for (int r = 0; r < n; r++) wanted[r * n + r] = r != 3 * size && r != 8 * size - 1;
    mg_compare(io, "A A^-1", product, wanted, n * n, io->build->size[CASE_REAL] == 4 ? 1e-6 : 1e-11);
    double left = 0;
    for (int s = 0; s < n; s++) left += fabs(inverse[3 * size * n + s]) + fabs(inverse[s * n + 3 * size]);
    case_expect(io, !(left > 0), "a row of zeros has zeros");
}

#define case_amg_eliminate case_amg_dense

/* More rows than columns, so that several threads have some: as many unknowns of a level are not inverted. */
static void case_amg_coarsest(case_io *io)
{
    const int rows = case_size(io, 700), n = 40;
    const mg_numbers inverse = mg_constants(io, "inverse", CASE_WIDE, rows * n, -1, 1);
    const mg_numbers b = mg_constants(io, "b", CASE_NARROW, n, -1, 1);
    double *wanted = HOST(io, double, rows);
    amg_coarsest_args a;
    a.n = n;
    a.inverse = (wide *)inverse.device;
    a.b = (narrow *)b.device;
    a.x = NEW(io, narrow, rows, CASE_SET);
    LAUNCH(io, amg_coarsest, rows, NULL, &a);
    case_out(io, "x", CASE_NARROW, 1, rows, a.x);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) wanted[i] += inverse.host[i * n + j] * b.host[j];
    mg_expect(io, "x", wanted, mg_bound(io, CASE_NARROW));
}

#endif
