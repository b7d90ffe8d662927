/* fields.h -- device arrays to and from the doubles of the outside, one component at a time, in id order. */
#ifndef PIOLA_KERNELS_FIELDS_H
#define PIOLA_KERNELS_FIELDS_H

#include "kernels/base/fields_args.h"
#include "kernels/base/vec.h"

/* Sets the double of item i, scaled. */
PIO_FN void field_read(int i, const field_read_args *a)
{
    a->out[(ptrdiff_t)(a->id ? a->id[i] : i) * a->stride] =
        a->scale * (double)a->in[field_at(a->n, a->components, a->component, i)];
}

/* Sets one component of item i from its double, rounded to `real`. */
PIO_FN void field_write(int i, const field_write_args *a)
{
    a->out[field_at(a->n, a->components, a->component, i)] = R(a->in[a->id ? a->id[i] : i]);
}

/* Returns 1 where number i is infinite or NaN, else 0. */
PIO_FN wide count_not_finite(int i, const count_not_finite_args *a)
{
    return is_finite(a->in[i]) ? W(0) : W(1);
}

/* Returns 1 where words i differ, else 0. */
PIO_FN wide words_differ(int i, const words_differ_args *a)
{
    return a->a[i] == a->b[i] ? W(0) : W(1);
}

#endif
