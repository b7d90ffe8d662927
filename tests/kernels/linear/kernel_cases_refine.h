/* kernel_cases_refine.h -- cases of the corrections of an iterative solve. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_REFINE_H
#define PIOLA_TESTS_KERNEL_CASES_REFINE_H

#include "tests/kernels/linear/kernel_cases_direct.h"

static void case_refine_begin(case_io *io)
{
    const int n = case_size(io, 2100);
    case_array *x = case_uniform(io, CASE_CONSTANT, "x", 1, n, -1, 1);
    const double *from = representable(io, x, n);
    int wrong = 0;
    refine_begin_args a;
    a.x = (real *)case_upload(io, x, CASE_REAL);
    a.high = NEW(io, wide, n, CASE_SET);
    a.low = NEW(io, wide, n, CASE_SET);
    LAUNCH(io, refine_begin, n, NULL, &a);
    case_out(io, "high", CASE_WIDE, 1, n, a.high);
    case_out(io, "low", CASE_WIDE, 1, n, a.low);
    const double *high = case_find(io, CASE_OUTPUT, "high")->value, *low = case_find(io, CASE_OUTPUT, "low")->value;
    for (int i = 0; i < n; i++) wrong += fabs(high[i] - from[i]) > 0 || fabs(low[i]) > 0;
    case_expect(io, !wrong, "high is x and low is 0, to the bit");
}

/* A residual whose square is far below what a float can hold. */
static void case_refine_scale(case_io *io)
{
    const int n = case_size(io, 2100);
    const double scale = 1e-30;
    case_array *r = case_uniform(io, CASE_CONSTANT, "r", 1, n, -scale, scale);
    case_array *square = case_uniform(io, CASE_CONSTANT, "square", 1, 1, 0, 1);
    double sum = 0, length = 0;
    for (int i = 0; i < n; i++) sum += r->value[i] * r->value[i];
    square->value[0] = sum;
    refine_scale_args a;
    a.r = (wide *)case_upload(io, r, CASE_WIDE);
    a.square = (wide *)case_upload(io, square, CASE_WIDE);
    a.b = NEW(io, real, n, CASE_SET);
    LAUNCH(io, refine_scale, n, NULL, &a);
    case_out(io, "b", CASE_REAL, 1, n, a.b);
    const double *b = case_find(io, CASE_OUTPUT, "b")->value;
    for (int i = 0; i < n; i++) length += b[i] * b[i];
    case_expect(io, fabs(length - 1) <= (io->build->size[CASE_REAL] == 4 ? 1e-6 : 1e-13), "|b| is 1");
}

static void case_refine_add(case_io *io)
{
    const int n = case_size(io, 2100);
    case_array *d = case_uniform(io, CASE_CONSTANT, "d", 1, n, -1, 1);
    case_array *square = case_uniform(io, CASE_CONSTANT, "square", 1, 1, 0, 1);
    case_array *high = case_uniform(io, CASE_CONSTANT, "high before", 1, n, -1, 1);
    case_array *low = case_uniform(io, CASE_CONSTANT, "low before", 1, n, -1e-17, 1e-17);
    const double *by = representable(io, d, n);
    square->value[0] = 0x1p-60; /* of which the root is exact */
    refine_add_args a;
    a.d = (real *)case_upload(io, d, CASE_REAL);
    a.square = (wide *)case_upload(io, square, CASE_WIDE);
    a.high = (wide *)case_upload(io, high, CASE_WIDE);
    a.low = (wide *)case_upload(io, low, CASE_WIDE);
    a.x = NEW(io, real, n, CASE_SET);
    LAUNCH(io, refine_add, n, NULL, &a);
    case_out(io, "high", CASE_WIDE, 1, n, a.high);
    case_out(io, "low", CASE_WIDE, 1, n, a.low);
    case_out(io, "x", CASE_REAL, 1, n, a.x);
    const double *x = case_find(io, CASE_OUTPUT, "high")->value, *y = case_find(io, CASE_OUTPUT, "low")->value;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        const long double wanted =
            (long double)high->value[i] + (long double)low->value[i] + 0x1p-30L * (long double)by[i];
        const double wrong = (double)fabsl((long double)x[i] + (long double)y[i] - wanted);
        worst = wrong > worst ? wrong : worst;
    }
    case_expect(io, worst <= 2e-19, "high + low + |r| d is kept in more digits than a double has");
}

#endif
