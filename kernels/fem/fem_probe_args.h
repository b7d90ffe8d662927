/* fem_probe_args.h -- what launches pass to the kernels of fem_probe.h. */
#ifndef PIOLA_KERNELS_FEM_PROBE_ARGS_H
#define PIOLA_KERNELS_FEM_PROBE_ARGS_H

#include "kernels/fem/fem_args.h"

/* Most numbers of a field. */
enum { PROBE_NUMBERS = 6 };

/* Returns how many numbers a field has: of tensors those that may differ from 0, in the order xx, yy, zz, xy, yz,
 * xz. */
PIO_FN int fem_field_numbers(int field)
{
    switch (field) {
    case PIO_CAUCHY_STRESS:
    case PIO_GREEN_STRAIN:
        return DIM == 3 ? 6 : 4;
    case PIO_PRINCIPAL_STRESS:
        return 3;
    case PIO_ROTATION:
        return DIM == 3 ? 3 : 1;
    default:
        return 1;
    }
}

/* A field (kernels/material/hyper_field.h) at the points of a block's elements, each of which has a volume V: at the
 * integration points of the elements, or with V = 1 at one point of an element, of which the block then consists. */
typedef struct {
    fem_block b;     /* with the rule of stiffnesses, over which a dilatation is projected */
    fem_matter m;    /* law, k and heat are read */
    const int *form; /* [elements] see hyper_from_parameters: which plane state */
    const real *u;   /* [nodes][DIM] displacement m */
    int field;       /* a pio_stress_field */
    fem_rule at;     /* the points: those of b.rule, or one */
    const real *xi;  /* [3] that point in the reference element; NULL: they are those of b.rule */
    /* [elements] w; NULL: 1 */
    const real *weight;
} fem_probe_at;

/* Terms of A = sum_e w_e sum_q V_q f(phi), one for each element of the block. */
typedef struct {
    fem_probe_at s; /* the field and its points */
    int component;  /* number of phi; -1: f = 1 */
    double power;   /* p > 0: f = |phi/s0|^p; 0: f = phi */
    double size;    /* s0 > 0, in the unit of phi */
} fem_probe_args;

/* With Phi = df/dF and H the gradient of a change of X: dV = V tr H, d(grad u) = -(grad u) H, so that
 *     u_bar_a = sum_q V Phi g_a,    X_bar_a = sum_q V ((f + B_bar) I - (grad u)^T Phi) g_a
 *     thickness_bar = sum_q area (f + B_bar),
 * of one point and of a maximum without the terms that change V. Phi is that of the sum of all numbers of the field,
 * each times its cotangent. */
typedef struct {
    fem_probe_args fwd;    /* as of fem_probe; component is not read */
    int first, count;      /* numbers of the field whose cotangents are given */
    const wide *sums_bar;  /* [count + 1] dJ/dA of each, and dJ/dB of the volume B; one point and maximum: [count] */
    double scale;          /* of all sums_bar */
    const uint64_t *which; /* [1] maximum: the element, all others have no part in it; NULL: all have */
    const int *best;       /* [elements] maximum: the point in it */
    real *u_bar;           /* [element nodes][DIM]; set for the block's element nodes */
    real *rest_bar;        /* [element nodes][DIM]; the same */
    real *k_bar;           /* [elements][PIO_LAW_CONSTANTS]; added to */
    real *thick_bar;       /* [elements]; added to, or NULL */
    real *heat_bar;        /* [elements] of the thermal strain; added to, or NULL */
    real *relative_bar;    /* [elements] of the relative density; added to, or NULL */
    real *choice_bar;      /* [elements] of the choice between two materials; added to, or NULL */
} fem_probe_adj_args;

/* The largest value of a number of the field in each element of the block that has a weight. */
typedef struct {
    fem_probe_at s; /* the field and its points */
    int component;  /* number of phi */
    wide *top;      /* [elements] the value; set for those elements */
    int *best;      /* [elements] its point, the first of equal ones; likewise */
    uint64_t *key;  /* [1] lowered to that of the largest, see probe_key */
} fem_probe_top_args;

/* Lowers `which` to the first element whose value is the largest: one item for each element. */
typedef struct {
    const real *weight;  /* [elements] as above */
    const wide *top;     /* [elements] what fem_probe_top sets */
    const uint64_t *key; /* [1] likewise */
    uint64_t *which;     /* [1] the element */
} fem_probe_which_args;

/* Adds weight times the largest value to the sample (one item). */
typedef struct {
    const wide *top;       /* [elements] as above */
    const uint64_t *which; /* [1] the element */
    double weight;         /* of the step in the sample */
    wide *sample;          /* [1]; added to */
} fem_probe_top_add_args;

/* Adds weight y to the samples of all numbers, y = A/B, or s0 (A/B)^(1/p); one item. */
typedef struct {
    int count;          /* numbers */
    const wide *sums;   /* [count + 1] A of each, and B > 0 */
    double power, size; /* p and s0, as in fem_probe_args */
    double weight;      /* of the step in the samples */
    wide *sample;       /* [count]; added to */
} fem_probe_mean_args;

/* Sets A_bar = y_bar y/(p A), of a mean y_bar/B, and B_bar = -sum y_bar y/(p B), y_bar = weight sample_bar; a norm of
 * nothing has no direction, and its A_bar is 0. One item. */
typedef struct {
    fem_probe_mean_args fwd; /* sample is not read */
    const wide *sample_bar;  /* [count] dJ/dsample */
    wide *sums_bar;          /* [count + 1]; set */
} fem_probe_mean_adj_args;

/* Sets rules of one point each, of one element type: one item for each point. */
typedef struct {
    int type;         /* a pio_element_type */
    const real *xi;   /* [n][3] the points in the reference element */
    real *w, *N, *dN; /* [n], which are 1, [n][nodes], [n][nodes][rdim] as in fem_rule; set */
} fem_probe_rule_args;

#endif
