/* design.h -- from the normalised design vector z to what a solver uses, and back.
 *
 * value = T(z): linear a + b z, or log exp(a + b z); where z = start, the described value, which T meets only to
 * rounding. A design entry has groups of `components` values; index[p] says which group particle p belongs to (-1:
 * none). A quantity is
 * all components of a field or one of them; it is either set to its value or moved by value - base from where it
 * was. */
#ifndef PIOLA_KERNELS_DESIGN_H
#define PIOLA_KERNELS_DESIGN_H

#include "kernels/base/vec.h"

typedef struct {
    const wide *z; /* [variables] */
    int logarithmic;
    double a, b;
    const wide *start, *described; /* [variables], or both NULL */
    wide *value;                   /* [variables]; set */
    const wide *value_bar;         /* [variables], for the adjoint */
    wide *z_bar;                   /* [variables]; set by the adjoint */
} design_value_args;
typedef design_value_args design_value_adj_args;

PIO_FN void design_value(int i, const design_value_args *d)
{
    const wide t = fma(W(d->b), d->z[i], W(d->a));
    d->value[i] = d->logarithmic ? exp(t) : t;
    if (d->start && d->z[i] == d->start[i]) d->value[i] = d->described[i];
}

PIO_FN void design_value_adj(int i, const design_value_adj_args *d)
{
    d->z_bar[i] = d->value_bar[i] * d->b * (d->logarithmic ? d->value[i] : W(1));
}

/* A filter: each variable becomes a weighted sum of variables, out = H z, or with the lists of its transpose z_bar =
 * H^T out_bar. */
typedef struct {
    const int *start;     /* [variables + 1] */
    const int *from;      /* [start[variables]] ascending for each variable */
    const double *weight; /* [start[variables]] */
    const wide *in;       /* [variables] */
    wide *out;            /* [variables]; set, not in */
} design_filter_args;

PIO_FN void design_filter(int i, const design_filter_args *a)
{
    wide sum = W(0);
    for (int j = a->start[i]; j < a->start[i + 1]; j++) sum += W(a->weight[j]) * a->in[a->from[j]];
    a->out[i] = sum;
}

/* q_p = value, or reference_p + (value - base) where there is a reference */
typedef struct {
    int n, components, first; /* components first .. first + components - 1 of the fields are set */
    int stored;               /* components of the fields */
    const int *index;         /* [n] group or -1 */
    const wide *value;        /* [groups][components] */
    const real *reference;    /* [stored][n] or NULL */
    double base[DIM];         /* value at which the quantity is its reference */
    real *out;                /* [stored][n]; set where index >= 0 */
} design_set_args;

PIO_FN void design_set(int p, const design_set_args *a)
{
    if (a->index[p] < 0) return;
    for (int c = 0; c < a->components; c++) {
        const ptrdiff_t at = field_at(a->n, a->stored, a->first + c, p);
        const wide v = a->value[(ptrdiff_t)a->index[p] * a->components + c];
        a->out[at] = a->reference ? a->reference[at] + R(v - a->base[c]) : R(v);
    }
}

/* Adjoint of set, and of design_move of mpm_design.h. A term of one value's cotangent: the particles of its group. */
typedef struct {
    const int *index; /* [n] */
    int group;
    int n, stored, component;
    const real *bar; /* [stored][n] cotangents, of which those of `component` are summed */
} design_sum_args;

PIO_FN wide design_sum(int p, const design_sum_args *a)
{
    return a->index[p] == a->group ? W(a->bar[field_at(a->n, a->stored, a->component, p)]) : W(0);
}

/* The same where every particle is a group of its own: value_bar[index] = bar. */
typedef struct {
    int n, components, first, stored; /* as in design_set_args */
    const int *index;
    const real *bar; /* [stored][n] */
    wide *value_bar; /* [groups][components]; set */
} design_each_args;

PIO_FN void design_each(int p, const design_each_args *a)
{
    if (a->index[p] < 0) return;
    for (int c = 0; c < a->components; c++)
        a->value_bar[(ptrdiff_t)a->index[p] * a->components + c] =
            W(a->bar[field_at(a->n, a->stored, a->first + c, p)]);
}

/* One number of a step block as a design (one item). */
typedef struct {
    const wide *value; /* [1] */
    real *out;         /* [1]; set */
} design_number_args;

PIO_FN void design_number(int i, const design_number_args *a)
{
    a->out[i] = R(a->value[i]);
}

typedef struct {
    const wide *term; /* [1] */
    wide *total;      /* [1]; added to */
} add_scalar_args;

PIO_FN void add_scalar(int i, const add_scalar_args *a)
{
    a->total[i] += a->term[i];
}

#endif
