/* kernel_cases_beside.h -- cases of blocks beside a matrix. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_BESIDE_H
#define PIOLA_TESTS_KERNEL_CASES_BESIDE_H

#include "tests/kernels/linear/kernel_cases_linalg.h"

enum { BESIDE_SIZE = 3, BESIDE_NUMBERS = BESIDE_SIZE * DIM * DIM };

/* Groups of three of the rows but every eighth, which have from no place to several; the same on the host. */
typedef struct {
    int rows, groups;
    int *row, *member;   /* host [items], [places] */
    case_array *numbers; /* [places][size][DIM][DIM] */
    bsr_beside b;
} beside_sample;

/* The places of each item, ascending. */
static void beside_lists(case_io *io, beside_sample *s)
{
    const int places = s->groups * BESIDE_SIZE;
    int *start = HOST(io, int, s->b.items + 1), *list = HOST(io, int, places), n = 0;
    for (int k = 0; k < s->b.items; k++) {
        start[k] = n;
        for (int g = k > 60 ? (k - 60) / 2 : 0; g < s->groups && 2 * g < k + 60; g++)
            for (int a = 0; a < BESIDE_SIZE; a++)
                if (s->member[g * BESIDE_SIZE + a] == k) list[n++] = g * BESIDE_SIZE + a;
    }
    start[s->b.items] = n;
    case_expect(io, n == places, "each place is of an item");
    s->b.start = PUSH(io, int, start, s->b.items + 1);
    s->b.list = PUSH(io, int, list, places);
}

static beside_sample beside_sampled(case_io *io, int rows)
{
    beside_sample s;
    memset(&s, 0, sizeof s);
    s.rows = rows;
    s.b.items = rows - (rows + 7) / 8;
    s.b.size = BESIDE_SIZE;
    s.groups = s.b.items / 2;
    const int places = s.groups * BESIDE_SIZE;
    int *item = HOST(io, int, rows), n = 0;
    s.row = HOST(io, int, s.b.items);
    s.member = HOST(io, int, places);
    for (int i = 0; i < rows; i++) item[i] = -1;
    for (int i = rows - 1; i >= 0; i--)
        if (i % 8) {
            item[i] = n;
            s.row[n++] = i;
        }
    for (int g = 0; g < s.groups; g++) /* three different items near 2 g */
        for (int a = 0; a < BESIDE_SIZE; a++)
            s.member[g * BESIDE_SIZE + a] = (2 * g + (a == 2 ? 7 + g % 5 : a)) % s.b.items;
    for (int g = 0; g < s.groups; g++)
        for (int a = 0; a < BESIDE_SIZE; a++)
            if (s.member[g * BESIDE_SIZE + a] < 2 * g - 50) s.member[g * BESIDE_SIZE + a] = 2 * g - 10 - a;
    beside_lists(io, &s);
    s.numbers = case_uniform(io, CASE_CONSTANT, "beside", 1, places * BESIDE_NUMBERS, -2, 3);
    s.b.row = PUSH(io, int, s.row, s.b.items);
    s.b.item = PUSH(io, int, item, rows);
    s.b.member = PUSH(io, int, s.member, places);
    s.b.value = (real *)case_upload(io, s.numbers, CASE_REAL);
    return s;
}

/* The product with the transpose is the adjoint of that with the blocks, which are not symmetric. */
static void case_bsr_beside_apply(case_io *io)
{
    beside_sample s = beside_sampled(io, case_size(io, 700));
    bsr_beside_apply_args a;
    a.b = s.b;
    a.transposed = 0;
    a.x = REALS(io, "x", 1, s.rows * DIM, -1, 1);
    a.y = NEW(io, real, s.rows * DIM, CASE_ADDED);
    LAUNCH(io, bsr_beside_apply, s.b.items, NULL, &a);
    case_out(io, "y", CASE_REAL, 1, s.rows * DIM, a.y);
    if (!case_adjoint(io)) return;
    a.transposed = 1;
    a.x = COTANGENT(io, real, "y");
    a.y = NEW(io, real, s.rows * DIM, CASE_ADDED);
    LAUNCH(io, bsr_beside_apply, s.b.items, NULL, &a);
    case_gradient(io, "x", CASE_REAL, 1, s.rows * DIM, a.y);
}

/* Against the product of positive numbers, in which nothing cancels. */
static void case_bsr_beside_magnitude(case_io *io)
{
    beside_sample s = beside_sampled(io, case_size(io, 700));
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, s.rows * DIM, -1, 1);
    double worst = 0;
    bsr_beside_apply_args a;
    a.b = s.b;
    a.transposed = 0;
    a.x = (real *)case_upload(io, x, CASE_REAL);
    a.y = NEW(io, real, s.rows * DIM, CASE_ZERO);
    LAUNCH(io, bsr_beside_magnitude, s.b.items, NULL, &a);
    case_out(io, "|B| |x|", CASE_REAL, 1, s.rows * DIM, a.y);
    for (int k = 0; k < s.groups * BESIDE_SIZE * BESIDE_NUMBERS; k++) s.numbers->value[k] = fabs(s.numbers->value[k]);
    for (int k = 0; k < s.rows * DIM; k++) x->value[k] = fabs(x->value[k]);
    a.b.value = (real *)case_upload(io, s.numbers, CASE_REAL);
    a.x = (real *)case_upload(io, x, CASE_REAL);
    a.y = NEW(io, real, s.rows * DIM, CASE_ZERO);
    LAUNCH(io, bsr_beside_apply, s.b.items, NULL, &a);
    case_out(io, "of the absolute values", CASE_REAL, 1, s.rows * DIM, a.y);
    const double *got = case_find(io, CASE_OUTPUT, "|B| |x|")->value;
    const double *wanted = case_find(io, CASE_OUTPUT, "of the absolute values")->value;
    for (int k = 0; k < s.rows * DIM; k++)
        worst = fmax(worst, fabs(got[k] - wanted[k]) / (wanted[k] > 0 ? wanted[k] : 1));
    case_expect(io, worst < (io->build->size[CASE_REAL] == 4 ? 1e-6 : 1e-14), "|B| |x| is that of the absolute values");
}

/* Adds B (high + low), or B^T (high + low), to sums of rows. */
static void beside_sum(const beside_sample *s, int transposed, const double *high, const double *low, long double *sum)
{
    for (int p = 0; p < s->groups * BESIDE_SIZE; p++)
        for (int m = 0; m < BESIDE_SIZE; m++)
            for (int c = 0; c < DIM * DIM && m != p % BESIDE_SIZE; c++) {
                const int row = s->row[s->member[p]] * DIM + c / DIM,
                          column = s->row[s->member[p - p % BESIDE_SIZE + m]] * DIM + c % DIM,
                          to = transposed ? column : row, from = transposed ? row : column;
                sum[to] += (long double)s->numbers->value[p * BESIDE_NUMBERS + m * DIM * DIM + c] *
                           ((long double)high[from] + (long double)low[from]);
            }
}

#endif
