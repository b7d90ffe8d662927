/* design_args.h -- what launches pass to the kernels of design.h. */
#ifndef PIOLA_KERNELS_DESIGN_ARGS_H
#define PIOLA_KERNELS_DESIGN_ARGS_H

#include "kernels/base/base.h"

/* The transform of a design's variables and, with the last two arrays, its adjoint: one item for each variable. */
typedef struct {
    const wide *z;                 /* [variables] */
    int logarithmic;               /* T(z) is exp(a + b z), else a + b z */
    double a, b;                   /* of T */
    const wide *start, *reference; /* [variables], or both NULL */
    wide *value;                   /* [variables]; set */
    const wide *value_bar;         /* [variables], for the adjoint */
    wide *z_bar;                   /* [variables]; set by the adjoint */
} design_value_args;
typedef design_value_args design_value_adj_args;

/* A filter: each variable becomes a weighted sum of variables and of constants, out = H z + c, or with the lists of its
 * transpose and no c z_bar = H^T out_bar. */
typedef struct {
    const int *start;     /* [variables + 1] */
    const int *from;      /* [start[variables]] ascending for each variable */
    const double *weight; /* [start[variables]] */
    const double *offset; /* [variables] c; NULL: 0 */
    const wide *in;       /* [variables] */
    wide *out;            /* [variables]; set, not in */
} design_filter_args;

/* The projection of filtered variables, out = P(in), see design_project: one item for each variable. */
typedef struct {
    double sharpness, threshold; /* beta > 0; eta, 0 < eta < 1 */
    const wide *in;              /* [variables] */
    wide *out;                   /* [variables]; set, may be in */
} design_project_args;

/* The adjoint of design_project. */
typedef struct {
    design_project_args fwd; /* out is not read */
    const wide *out_bar;     /* [variables] cotangent of out */
    wide *in_bar;            /* [variables] that of in; set, may be out_bar */
} design_project_adj_args;

/* q_p = value, or reference_p + (value - base) where there is a reference */
typedef struct {
    int n, components, first; /* components first .. first + components - 1 of the fields are set */
    int stored;               /* components of the fields */
    const int *index;         /* [n] group or -1 */
    const wide *value;        /* [groups][components] */
    const real *reference;    /* [n][stored] or NULL */
    double base[DIM];         /* value at which the quantity is its reference */
    real *out;                /* [n][stored]; set where index >= 0 */
} design_set_args;

/* Adjoint of set, and of design_move of mpm_design.h. A term of one value's cotangent: the particles of its group. */
typedef struct {
    const int *index;         /* [n] */
    int group;                /* whose value it is */
    int n, stored, component; /* items; components of the field, and which of them */
    const real *bar;          /* [n][stored] cotangents, of which those of `component` are summed */
} design_sum_args;

/* The same where every particle is a group of its own: value_bar[index] = bar. */
typedef struct {
    int n, components, first, stored; /* as in design_set_args */
    const int *index;                 /* [n] group or -1 */
    const real *bar;                  /* [n][stored] */
    wide *value_bar;                  /* [groups][components]; set */
} design_each_args;

/* The same where groups are many and have few members: one item for each group. */
typedef struct {
    int n, components, first, stored; /* as in design_set_args */
    const int *start, *member;        /* [groups + 1]; [start[groups]] members of each group, ascending */
    const real *bar;                  /* [n][stored] */
    wide *value_bar;                  /* [groups][components]; set */
} design_members_args;

/* One number of a step block as a design (one item). */
typedef struct {
    const wide *value; /* [1] */
    real *out;         /* [1]; set */
} design_number_args;

/* A running total on the device: one item. */
typedef struct {
    const wide *term; /* [1] */
    wide *total;      /* [1]; added to */
} add_scalar_args;

#endif
