/* kernel_plain.h -- kernels that work on batches of items, compared with what their formulas say, written down once
 * more for one item at a time. Case text: C11 and C++17. */
#ifndef PIOLA_TESTS_KERNEL_PLAIN_H
#define PIOLA_TESTS_KERNEL_PLAIN_H

#include "kernels/backend/table.h"
#include "kernels/base/vec.h"
#include "tests/kernels/base/kernel_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest difference from the plain version, as a fraction of its largest number: a few roundings of sums over the
 * particles of a cell and over cells, or over the points of an element. */
#define PLAIN_BOUND (sizeof(real) == 4 ? 4e-6 : 1e-14)

/* Only where the kernels are those of the CPU, whose memory can be read here, and without derivatives. */
static int plain_compares(const case_io *io)
{
    return !io->build->dual && io->machine->kernels == &pio_backend_cpu.kernels;
}

/* Compares `components` fields of n items with plain numbers, up to a bound. */
static void plain_expect_within(case_io *io, double bound, const char *what, const real *field, const double *plain,
                                int components, int n)
{
    double most = 0, size = 0;
    char text[200];
    for (int c = 0; c < components; c++)
        for (int i = 0; i < n; i++) {
            const double p = plain[(size_t)c * (size_t)n + (size_t)i];
            const double value = (double)field[field_at(n, components, c, i)], d = fabs(value - p);
            if (fabs(p) > size) size = fabs(p);
            if (memcmp(&value, &p, sizeof p) == 0) continue; /* also what no kernel sets */
            if (!(d <= most)) most = d;
        }
    snprintf(text, sizeof text, "%s: %.1e of the largest from the plain version, bound %.1e", what, most / size, bound);
    case_expect(io, size > 0 && most <= bound * size, text);
}

/* The same up to PLAIN_BOUND. */
static void plain_expect(case_io *io, const char *what, const real *field, const double *plain, int components, int n)
{
    plain_expect_within(io, PLAIN_BOUND, what, field, plain, components, n);
}

#endif
