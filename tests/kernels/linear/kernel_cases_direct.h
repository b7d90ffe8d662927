/* kernel_cases_direct.h -- cases of what a direct solve does besides eliminating. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_DIRECT_H
#define PIOLA_TESTS_KERNEL_CASES_DIRECT_H

#include "tests/kernels/linear/kernel_cases_beside.h"

/* The structure of a band on the host. */
typedef struct {
    int rows, blocks, *row_start, *column;
} host_band;

static host_band band_of(case_io *io, int rows)
{
    host_band h;
    h.rows = rows;
    h.blocks = 0;
    h.row_start = HOST(io, int, rows + 1);
    h.column = HOST(io, int, 5 * rows);
    for (int i = 0; i < rows; i++) {
        h.row_start[i] = h.blocks;
        for (int k = 0; k < 5; k++)
            if (band_column(i, k) >= 0 && band_column(i, k) < rows) h.column[h.blocks++] = band_column(i, k);
    }
    h.row_start[rows] = h.blocks;
    return h;
}

/* The numbers that the build's `real` represents. */
static double *representable(const case_io *io, case_array *a, int n)
{
    for (int i = 0; i < n; i++)
        if (io->build->size[CASE_REAL] == 4) a->value[i] = (double)(float)a->value[i];
    return a->value;
}

static void case_direct_expand(case_io *io)
{
    static const char *const names[] = {"all of A", "the lower triangle", "A^T", NULL};
    const int variant = case_variant(io, names), D2 = DIM * DIM;
    const band b = sample_band(io);
    const host_band h = band_of(io, b.rows);
    case_array *value = case_uniform(io, CASE_CONSTANT, "value", 1, b.blocks * D2, -2, 3);
    const double *v = representable(io, value, b.blocks * D2);
    int *start = HOST(io, int, b.rows *DIM + 1), n = 0, wrong = 0;
    double *wanted = HOST(io, double, b.blocks *D2);
    for (int r = 0; r < b.rows * DIM; r++) {
        start[r] = n;
        for (int k = h.row_start[r / DIM]; k < h.row_start[r / DIM + 1]; k++)
            for (int d = 0; d < DIM; d++) {
                int from = k * D2 + r % DIM * DIM + d;
                if (variant == 1 && h.column[k] * DIM + d > r) continue;
                const int end = variant == 2 ? h.row_start[h.column[k] + 1] : 0;
                for (int m = h.row_start[h.column[k]]; m < end; m++) /* entry (j,i) of the band */
                    if (h.column[m] == r / DIM) from = m * D2 + d * DIM + r % DIM;
                wanted[n++] = v[from];
            }
    }
    start[b.rows * DIM] = n;
    direct_expand_args a;
    a.row_start = b.row_start;
    a.column = b.column;
    a.mirror = b.mirror;
    a.value = (real *)case_upload(io, value, CASE_REAL);
    a.start = PUSH(io, int, start, b.rows *DIM + 1);
    a.lower = variant == 1;
    a.transposed = variant == 2;
    a.out = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, direct_expand, b.rows, NULL, &a);
    case_out(io, "entries", CASE_WIDE, 1, n, a.out);
    const double *got = case_find(io, CASE_OUTPUT, "entries")->value;
    for (int k = 0; k < n; k++) wrong += fabs(got[k] - wanted[k]) > 0;
    case_expect(io, !wrong, "every entry is where the rows say, to the bit");
}

/* r = b - A (high + low) with b the nearest numbers to A (high + low): what is left is rounding of b alone, and a
 * residual in the digits of a double would be wrong by as much as it is. */
static void case_direct_residual(case_io *io)
{
    static const char *const names[] = {"A x", "A^T x", "A x + B x", "A^T x + B^T x", NULL};
    const int variant = case_variant(io, names), transposed = variant % 2, D2 = DIM * DIM;
    const band b = sample_band(io);
    const host_band h = band_of(io, b.rows);
    const int n = b.rows * DIM;
    direct_residual_args a;
    memset(&a, 0, sizeof a);
    case_array *value = case_uniform(io, CASE_CONSTANT, "value", 1, b.blocks * D2, -2, 3);
    case_array *high = case_uniform(io, CASE_CONSTANT, "high", 1, n, -1, 1);
    case_array *low = case_uniform(io, CASE_CONSTANT, "low", 1, n, -1e-17, 1e-17);
    case_array *right = case_uniform(io, CASE_CONSTANT, "b", 1, n, 0, 1);
    const double *v = representable(io, value, b.blocks * D2);
    long double *sum = HOST(io, long double, n);
    for (int i = 0; i < b.rows; i++)
        for (int k = h.row_start[i]; k < h.row_start[i + 1]; k++)
            for (int c = 0; c < D2; c++) {
                const int row = i * DIM + c / DIM, col = h.column[k] * DIM + c % DIM;
                const int to = transposed ? col : row, from = transposed ? row : col;
                sum[to] +=
                    (long double)v[k * D2 + c] * ((long double)high->value[from] + (long double)low->value[from]);
            }
    if (variant >= 2) {
        const beside_sample s = beside_sampled(io, b.rows);
        representable(io, s.numbers, s.groups * BESIDE_SIZE * BESIDE_NUMBERS);
        beside_sum(&s, transposed, high->value, low->value, sum);
        a.beside = s.b;
    }
    for (int i = 0; i < n; i++) right->value[i] = (double)sum[i];
    representable(io, right, n);
    a.row_start = b.row_start;
    a.column = b.column;
    a.mirror = b.mirror;
    a.transposed = transposed;
    a.value = (real *)case_upload(io, value, CASE_REAL);
    a.b = (real *)case_upload(io, right, CASE_REAL);
    a.high = (wide *)case_upload(io, high, CASE_WIDE);
    a.low = (wide *)case_upload(io, low, CASE_WIDE);
    a.r = NEW(io, wide, n, CASE_SET);
    wide *square = NEW(io, wide, 1, CASE_SET);
    direct_square_args s;
    s.r = a.r;
    LAUNCH(io, direct_residual, b.rows, NULL, &a);
    LAUNCH_SUM(io, direct_square, n, NULL, &s, square);
    case_out(io, "r", CASE_WIDE, 1, n, a.r);
    case_out(io, "r . r", CASE_WIDE, 1, 1, square);
    const double *r = case_find(io, CASE_OUTPUT, "r")->value;
    double error = 0, length = 0;
    for (int i = 0; i < n; i++) {
        const double d = r[i] - (double)((long double)right->value[i] - sum[i]);
        error += d * d;
        length += r[i] * r[i];
    }
    case_expect(io, length > 0 && error <= 1e-4 * length, "a residual of rounding alone has two digits at least");
}
#define case_direct_square case_direct_residual

static void case_direct_add(case_io *io)
{
    const int n = case_size(io, 2100);
    case_array *d = case_uniform(io, CASE_CONSTANT, "d", 1, n, -1e-9, 1e-9);
    case_array *high = case_uniform(io, CASE_CONSTANT, "high before", 1, n, -1, 1);
    case_array *low = case_uniform(io, CASE_CONSTANT, "low before", 1, n, -1e-17, 1e-17);
    direct_add_args a;
    a.d = (wide *)case_upload(io, d, CASE_WIDE);
    a.high = (wide *)case_upload(io, high, CASE_WIDE);
    a.low = (wide *)case_upload(io, low, CASE_WIDE);
    a.x = NEW(io, real, n, CASE_SET);
    LAUNCH(io, direct_add, n, NULL, &a);
    case_out(io, "high", CASE_WIDE, 1, n, a.high);
    case_out(io, "low", CASE_WIDE, 1, n, a.low);
    case_out(io, "x", CASE_REAL, 1, n, a.x);
    const double *x = case_find(io, CASE_OUTPUT, "high")->value, *y = case_find(io, CASE_OUTPUT, "low")->value;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        const long double wanted = (long double)high->value[i] + (long double)low->value[i] + (long double)d->value[i];
        const double wrong = (double)fabsl((long double)x[i] + (long double)y[i] - wanted);
        worst = wrong > worst ? wrong : worst;
    }
    case_expect(io, worst <= 2e-19, "high + low + d is kept in more digits than a double has");
}

#endif
