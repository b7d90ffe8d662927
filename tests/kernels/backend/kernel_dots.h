/* kernel_dots.h -- the dot product test of a case:  <w, J v> = <J^T w, v>,  J v by dual numbers, J^T w by the adjoint.
 *
 * It is made for every component of every output (w is zero elsewhere) and of every input (v is zero elsewhere),
 * so that a wrong small term cannot hide behind a large one; and once per input with all of w along the gradient
 * itself, where no term of the sum can cancel another. */
#ifndef PIOLA_TESTS_KERNEL_DOTS_H
#define PIOLA_TESTS_KERNEL_DOTS_H

#include "tests/kernels/base/kernel_cases.h"

/* Largest |<w, J v> - <J^T w, v>|, relative to the largest of both sides and of the root sum of squares of the terms of
 * the right one, which is what the sum of terms of random sign is like: chance cancellation is no error. */
#define DOT_BOUND 1e-12

typedef struct {
    int input, part; /* number of the gradient; part of it, or -1: all parts along the gradient, with all of w */
    double *v;       /* [parts * count] of the input */
    double *forward; /* <w, J v>: [blocks], or [1] where part is -1 */
} dot_direction;

typedef struct {
    case_io base; /* plain run, all cotangents */
    int n_inputs; /* gradients of `base`, in its order */
    const case_array *input[CASE_MAX_ARRAYS];
    int n_blocks, n_directions;
    struct {
        int output, part;
        double **gradient; /* [n_inputs][parts * count] of this block alone */
    } * blocks;
    dot_direction *directions;
    double largest_difference; /* of the outputs of the two builds, relative to the output's root mean square */
} dot_table;

/* What to do to a gradient before it is checked. */
typedef enum { DOT_AS_IT_IS, DOT_SCALED, DOT_ONE_ENTRY, DOT_NOT_FINITE, DOT_LOST_PART } dot_damage;
typedef struct {
    dot_damage damage;
    int input, at; /* which gradient; entry or part */
} dot_control;

typedef struct {
    int products, zero, failed; /* products made, of which both sides are exactly zero, beyond the bound */
    double worst;               /* relative error */
} dot_result;

/* Run variant `variant` of the case of `kernel` with these plain kernels. The table is to be freed. */
void dot_measure(dot_table *t, int kernel, int variant, const void *kernels);
void dot_free(dot_table *t);
/* The check: result[input] for every input; returns how many products fail. */
int dot_check(const dot_table *t, const dot_control *control, dot_result *result);
/* An entry of this gradient that is neither large nor small: the median of those that are not zero, or -1. */
int dot_middle_entry(const dot_table *t, int input);

#endif
