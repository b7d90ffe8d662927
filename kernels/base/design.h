/* design.h -- from the normalised design vector z to the parameters of a solver, and the adjoint.
 *
 * value = T(z): linear a + b z, or log exp(a + b z); where z = start it is the reference value, which T gives only
 * up to rounding. A design entry has groups of `components` values; index[p] says which group particle p belongs to
 * (-1: none). A quantity is all components of a field or one of them; it is either set to its value or moved by
 * value - base from where it was. */
#ifndef PIOLA_KERNELS_DESIGN_H
#define PIOLA_KERNELS_DESIGN_H

#include "kernels/base/design_args.h"
#include "kernels/base/vec.h"

/* Sets value i = T(z_i), or the reference where z_i is the start. */
PIO_FN void design_value(int i, const design_value_args *d)
{
    const wide t = fma(W(d->b), d->z[i], W(d->a));
    d->value[i] = d->logarithmic ? exp(t) : t;
    if (d->start && d->z[i] == d->start[i]) d->value[i] = d->reference[i];
}

/* Sets z_bar_i = value_bar_i dT/dz_i: b where T is linear, b value_i where it is logarithmic. */
PIO_FN void design_value_adj(int i, const design_value_adj_args *d)
{
    d->z_bar[i] = d->value_bar[i] * d->b * (d->logarithmic ? d->value[i] : W(1));
}

/* Sets variable i of the filtered vector, c_i + sum_j H_ij in_j. */
PIO_FN void design_filter(int i, const design_filter_args *a)
{
    wide sum = a->offset ? W(a->offset[i]) : W(0);
    for (int j = a->start[i]; j < a->start[i + 1]; j++) sum += W(a->weight[j]) * a->in[a->from[j]];
    a->out[i] = sum;
}

/* Sets the projection of variable i on 0 and 1, a smooth step about the threshold eta (Wang, Lazarov and Sigmund 2011,
 * eq. 9):
 *     P(x) = (tanh(beta eta) + tanh(beta (x - eta))) / (tanh(beta eta) + tanh(beta (1 - eta)))
 * P(0) = 0 and P(1) = 1; for small beta P(x) is near x. */
PIO_FN void design_project(int i, const design_project_args *a)
{
    const wide below = tanh(W(a->sharpness * a->threshold)), above = tanh(W(a->sharpness * (1 - a->threshold)));
    a->out[i] = (below + tanh(W(a->sharpness) * (a->in[i] - W(a->threshold)))) / (below + above);
}

/* Sets in_bar_i = out_bar_i dP/dx at in_i. */
PIO_FN void design_project_adj(int i, const design_project_adj_args *b)
{
    const design_project_args *a = &b->fwd;
    const wide below = tanh(W(a->sharpness * a->threshold)), above = tanh(W(a->sharpness * (1 - a->threshold)));
    const wide t = tanh(W(a->sharpness) * (a->in[i] - W(a->threshold)));
    b->in_bar[i] = b->out_bar[i] * W(a->sharpness) * (W(1) - t * t) / (below + above);
}

/* Sets the quantity of particle or element p: to its value, or to its reference plus value - base. Where p has no group
 * it stays. */
PIO_FN void design_set(int p, const design_set_args *a)
{
    if (a->index[p] < 0) return;
    for (int c = 0; c < a->components; c++) {
        const ptrdiff_t at = field_at(a->n, a->stored, a->first + c, p);
        const wide v = a->value[(ptrdiff_t)a->index[p] * a->components + c];
        a->out[at] = a->reference ? a->reference[at] + R(v - a->base[c]) : R(v);
    }
}

/* Returns the term of item p in the cotangent of one value: its own cotangent where p is of the group, else 0. */
PIO_FN wide design_sum(int p, const design_sum_args *a)
{
    return a->index[p] == a->group ? W(a->bar[field_at(a->n, a->stored, a->component, p)]) : W(0);
}

/* Sets the cotangent of the value that item p alone has. */
PIO_FN void design_each(int p, const design_each_args *a)
{
    if (a->index[p] < 0) return;
    for (int c = 0; c < a->components; c++)
        a->value_bar[(ptrdiff_t)a->index[p] * a->components + c] =
            W(a->bar[field_at(a->n, a->stored, a->first + c, p)]);
}

/* Sets the cotangent of the values that all members of group g have: the sum of theirs, in ascending order. */
PIO_FN void design_members(int g, const design_members_args *a)
{
    for (int c = 0; c < a->components; c++) {
        wide sum = W(0);
        for (int j = a->start[g]; j < a->start[g + 1]; j++)
            sum += W(a->bar[field_at(a->n, a->stored, a->first + c, a->member[j])]);
        a->value_bar[(ptrdiff_t)g * a->components + c] = sum;
    }
}

/* Sets the number; the one item is 0. */
PIO_FN void design_number(int i, const design_number_args *a)
{
    a->out[i] = R(a->value[i]);
}

/* Adds the term to the total; the one item is 0. */
PIO_FN void add_scalar(int i, const add_scalar_args *a)
{
    a->total[i] += a->term[i];
}

#endif
