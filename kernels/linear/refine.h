/* refine.h -- corrections of what an iterative solve has reached. The solution is a sum high + low of two doubles, as
 * in direct.h, whose residual r is small where the solution itself is large (Wilkinson 1963, chapter 3): A d = r/|r|
 * is solved in the digits of the fields, and |r| d is added. */
#ifndef PIOLA_KERNELS_REFINE_H
#define PIOLA_KERNELS_REFINE_H

#include "kernels/linear/refine_args.h"
#include "kernels/linear/direct.h"

/* Sets unknown i of high + low to x. */
PIO_FN void refine_begin(int i, const refine_begin_args *a)
{
    a->high[i] = W(a->x[i]);
    a->low[i] = W(0);
}

/* Sets number i of r/|r|. */
PIO_FN void refine_scale(int i, const refine_scale_args *a)
{
    a->b[i] = (real)(a->r[i] / sqrt(*a->square));
}

/* Adds |r| d to unknown i of high + low, renormalised so that the two do not overlap, and sets the number that the
 * fields have. */
PIO_FN void refine_add(int i, const refine_add_args *a)
{
    const twofold s = two_sum(a->high[i], sqrt(*a->square) * W(a->d[i])), t = two_sum(s.high, s.low + a->low[i]);
    a->high[i] = t.high;
    a->low[i] = t.low;
    a->x[i] = (real)t.high;
}

#endif
