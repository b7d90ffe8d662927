/* fields_args.h -- what launches pass to the kernels of fields.h. */
#ifndef PIOLA_KERNELS_FIELDS_ARGS_H
#define PIOLA_KERNELS_FIELDS_ARGS_H

#include "kernels/base/base.h"

/* One component of a field, as doubles in the order of ids: one item for each item of the field. `out` may be one
 * component of several that lie side by side. */
typedef struct {
    const int *id;                /* [n] particle stored at i; NULL: i itself */
    int n, components, component; /* items; components of the field, and which of them */
    int stride;                   /* doubles from one item of out to the next */
    const real *in;               /* [n][components], of which `component` is read */
    double scale;                 /* out = scale in */
    double *out;                  /* [n][stride], of which the first is set, at id */
} field_read_args;

/* One component of a field from doubles in the order of ids, the inverse of field_read with scale 1: one item each. */
typedef struct {
    const int *id;                /* [n] as in field_read_args */
    const double *in;             /* [n] in id order */
    int n, components, component; /* items; components of the field, and which of them */
    real *out;                    /* [n][components] as stored; `component` is set */
} field_write_args;

/* How many of n numbers are not finite: the NaN watch. The padding of a field is zeros. */
typedef struct {
    const real *in; /* [n] */
} count_not_finite_args;

/* In how many of n words two pieces of memory differ: states that ought to be the same, to the bit. */
typedef struct {
    const uint32_t *a, *b; /* [n], [n] */
} words_differ_args;

#endif
