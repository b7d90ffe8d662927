/* mpm_quantile.h -- the search for the quantile of a front, the root y of
 *
 *     f(y) = sum_p m_p S(s (x_pa - y)) - (1 - Q) M          (mpm_observe.h)
 *
 * f falls from Q M to -(1 - Q) M, everywhere. The search is Newton's method where its step stays in the interval that
 * holds y and is at most half of the step before, otherwise bisection (Press et al., "Numerical Recipes", section
 * 9.4), all on the device: sums over particles and a step of one item, in turn. Once y is found, the sums are
 * over no particles. Derivatives of y are those of mpm_observe_adj, by the implicit function theorem. */
#ifndef PIOLA_KERNELS_MPM_QUANTILE_H
#define PIOLA_KERNELS_MPM_QUANTILE_H

#include "kernels/mpm/mpm_observe.h"
#include "kernels/mpm/mpm_quantile_args.h"

/* Begins a search in the whole box and 40/s beyond, where S is below 2^-53; the one item is 0. */
PIO_FN void mpm_quantile_begin(int i, const mpm_quantile_begin_args *a)
{
    const wide beyond = W(40) / W(a->sharpness);
    const wide low = W(a->box.origin[a->axis]) - beyond;
    const wide length = W(a->box.nodes[a->axis]) * W(a->box.dx) + W(2) * beyond;
    (void)i;
    a->search[QUANTILE_PLACE] = low + length / W(2);
    a->search[QUANTILE_LOW] = low;
    a->search[QUANTILE_HIGH] = low + length;
    a->search[QUANTILE_STEP] = length;
    *a->particles = a->step->particles;
}

/* Returns the term of stored particle p in the mass beyond y, m_p S(s (x_pa - y)), kg. */
PIO_FN wide mpm_quantile_beyond(int p, const mpm_quantile_beyond_args *a)
{
    const int id = a->s.id[p];
    wide slope;
    return a->body[id] == a->of ? W(a->matter.mass[id]) * observe_beyond(a, p, &slope) : W(0);
}

/* Takes a step of the search; the one item is 0. y is found where it changes by less than 1e-12/s, or where f is below
 * 1e-14 M, about its rounding. */
PIO_FN void mpm_quantile_step(int i, const mpm_quantile_step_args *a)
{
    const wide y = a->search[QUANTILE_PLACE], M = *a->total, f = *a->beyond - (W(1) - W(a->quantile)) * M;
    const int found = fabs(f) <= W(1e-14) * M;
    (void)i;
    if (!*a->particles) return;
    a->search[f > W(0) ? QUANTILE_LOW : QUANTILE_HIGH] = y;
    const wide low = a->search[QUANTILE_LOW], high = a->search[QUANTILE_HIGH];
    const wide newton = *a->slope > W(0) ? y + f / *a->slope : low - W(1);
    const int halves = W(2) * fabs(newton - y) <= fabs(a->search[QUANTILE_STEP]);
    const wide next = (found | halves) && newton >= low && newton <= high ? newton : low + (high - low) / W(2);
    a->search[QUANTILE_STEP] = next - y;
    a->search[QUANTILE_PLACE] = next;
    if (found || fabs(next - y) * W(a->sharpness) <= W(1e-12)) *a->particles = 0;
}

#endif
