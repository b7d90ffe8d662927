/* fields.h -- device arrays to and from the doubles of the outside, one component at a time, in id order. */
#ifndef PIOLA_KERNELS_FIELDS_H
#define PIOLA_KERNELS_FIELDS_H

#include "kernels/base/vec.h"

typedef struct {
    const int *id; /* [n] particle stored at i; NULL: i itself */
    int n, components, component;
    const real *in; /* [components][n], of which `component` is read */
    double scale;
    double *out; /* [n]; set at id */
} field_read_args;

PIO_FN void field_read(int i, const field_read_args *a)
{
    a->out[a->id ? a->id[i] : i] = a->scale * (double)a->in[field_at(a->n, a->components, a->component, i)];
}

typedef struct {
    const int *id;
    const double *in; /* [n] in id order */
    int n, components, component;
    real *out; /* [components][n] as stored; `component` is set */
} field_write_args;

PIO_FN void field_write(int i, const field_write_args *a)
{
    a->out[field_at(a->n, a->components, a->component, i)] = R(a->in[a->id ? a->id[i] : i]);
}

/* How many of n numbers are not finite: the NaN watch. The padding of a field is zeros. */
typedef struct {
    const real *in;
} count_not_finite_args;

PIO_FN wide count_not_finite(int i, const count_not_finite_args *a)
{
    return is_finite(a->in[i]) ? W(0) : W(1);
}

/* In how many of n words two pieces of memory differ: states that ought to be the same, to the bit. */
typedef struct {
    const uint32_t *a, *b;
} words_differ_args;

PIO_FN wide words_differ(int i, const words_differ_args *a)
{
    return a->a[i] == a->b[i] ? W(0) : W(1);
}

#endif
