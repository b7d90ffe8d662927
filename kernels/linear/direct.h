/* direct.h -- what a direct solve does besides eliminating: the matrix spread out for a library, and refinement.
 *
 * A solution is carried as an unevaluated sum high + low of two doubles, and its residual is computed as if in twice
 * the digits. That is what makes the residual b - A x small at all where A is stiff in some directions and soft in
 * others: x rounded to one double alone leaves eps |A| |x|, which in a slender body is 1e6 times the right-hand side's
 * eps and more. */
#ifndef PIOLA_KERNELS_DIRECT_H
#define PIOLA_KERNELS_DIRECT_H

#include "kernels/linear/direct_args.h"
#include "kernels/linear/bsr.h"

/* Sets the DIM rows of single numbers of block row i, of A or A^T: all their entries, or with `lower` those up to the
 * diagonal, columns ascending. */
PIO_FN void direct_expand(int i, const direct_expand_args *a)
{
    for (int c = 0; c < DIM; c++) {
        wide *out = a->out + a->start[i * DIM + c];
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const int j = a->column[k], last = a->lower && j >= i ? (j == i ? c : -1) : DIM - 1;
            const mat m = block_load(a->value, a->transposed ? a->mirror[k] : k);
            for (int d = 0; d <= last; d++) *out++ = a->transposed ? W(m.m[d][c]) : W(m.m[c][d]);
        }
    }
}

/* A sum of two numbers that do not overlap. */
typedef struct {
    wide high, low; /* the rounded sum, and what it lacks */
} twofold;

/* Returns a + b exactly: high is the rounded sum and low its error (Knuth 1969, section 4.2.2). a and b are finite and
 * their sum does not overflow. */
PIO_FN twofold two_sum(wide a, wide b)
{
    twofold r;
    r.high = a + b;
    const wide z = r.high - a;
    r.low = (a - (r.high - z)) + (b - z);
    return r;
}

/* Returns a b exactly: high is the rounded product and low its error, where neither overflows nor underflows. The
 * product is an fma of its own: no compiler may contract it into the addition that follows. */
PIO_FN twofold two_product(wide a, wide b)
{
    twofold r;
    r.high = fma(a, b, W(0));
    r.low = fma(a, b, -r.high);
    return r;
}

/* Takes the product of a number with an unknown from the sum. */
PIO_FN void direct_take(twofold *s, wide entry, wide high, wide low)
{
    const twofold p = two_product(-entry, high), t = two_sum(s->high, p.high);
    s->high = t.high;
    s->low += t.low + p.low - entry * low;
}

/* Takes from the sum of row c of block row i what the blocks beside A have there. */
PIO_FN void direct_take_beside(twofold *s, int i, int c, const direct_residual_args *a)
{
    const bsr_beside *b = &a->beside;
    const int item = b->items ? b->item[i] : -1;
    for (int j = item < 0 ? 0 : b->start[item]; item >= 0 && j < b->start[item + 1]; j++) {
        const int place = b->list[j], own = place % b->size, first = place - own;
        for (int n = 0; n < b->size; n++) {
            const mat m = block_load(b->value, bsr_beside_block(b, place, n, a->transposed));
            const ptrdiff_t at = (ptrdiff_t)b->row[b->member[first + n]] * DIM;
            for (int d = 0; d < DIM && n != own; d++)
                direct_take(s, W(a->transposed ? m.m[d][c] : m.m[c][d]), a->high[at + d], a->low[at + d]);
        }
    }
}

/* Sets r = b - A x of block row i, by the compensated dot product of Ogita, Rump and Oishi (2005, algorithm 5.3). */
PIO_FN void direct_residual(int i, const direct_residual_args *a)
{
    const vec b = point_load(a->b, i);
    for (int c = 0; c < DIM; c++) {
        twofold s;
        s.high = W(b.x[c]);
        s.low = W(0);
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const mat m = block_load(a->value, a->transposed ? a->mirror[k] : k);
            for (int d = 0; d < DIM; d++) {
                const ptrdiff_t at = (ptrdiff_t)a->column[k] * DIM + d;
                const wide entry = a->transposed ? W(m.m[d][c]) : W(m.m[c][d]);
                direct_take(&s, entry, a->high[at], a->low[at]);
            }
        }
        direct_take_beside(&s, i, c, a);
        a->r[(ptrdiff_t)i * DIM + c] = s.high + s.low;
    }
}

/* Adds d to unknown i of x = high + low, renormalised so that the two do not overlap, and sets the number that the
 * fields have. */
PIO_FN void direct_add(int i, const direct_add_args *a)
{
    const twofold s = two_sum(a->high[i], a->d[i]), t = two_sum(s.high, s.low + a->low[i]);
    a->high[i] = t.high;
    a->low[i] = t.low;
    a->x[i] = (real)t.high;
}

/* Returns the square of number i of r, a term of |r|^2. */
PIO_FN wide direct_square(int i, const direct_square_args *a)
{
    return a->r[i] * a->r[i];
}

#endif
