/* Room host/verify: the Taylor test of a gradient. */
/* taylor.h -- tests whether an adjoint is the derivative: the statistics of `piola check` for one direction h.
 *
 * The remainder r(e) = J(m + e h) - J(m) - e <g,h> of a correct gradient has no part that is linear in e. So
 * r(e) = a e + b e^2 + ... is fitted by least squares, and the gradient passes if |a| <= tolerance * |<g,h>|. Rates are
 * reported but decide nothing: a gradient with a relative error of 1e-4 shows a rate near 2 as long as e is large, and
 * an affine J leaves only rounding. If J(m - e h) is known too, the odd part (J(m + e h) - J(m - e h))/2 - e <g,h> =
 * a e + c e^3 + ... is fitted: the curvature drops out and far less of the window is lost to truncation; and the even
 * part must have no linear term, or J has a kink at m.
 *
 * Models of two, three or four powers are tried on windows without the largest steps; the one with the smallest
 * uncertainty of a is used. That uncertainty is 13 standard errors, from the larger of the fit's own scatter and the
 * rounding of J: 13 is Student's t for 99.9 % at the least number of degrees of freedom (3), and covers the bias of the
 * first power left out, which is at most 0.75 of it for any of the models and windows. If it exceeds the tolerance the
 * result is inconclusive, which is not a pass, and is no evidence against the gradient.
 *
 * If <g,h> is zero, it is no reference. It counts as zero if it is below 1e-10 of `scale`, and then a true zero has to
 * show |a| <= tolerance * scale.
 *
 * If J does not depend on the direction, the adjoint and every difference are only rounding. They then agree as well
 * as differences can show: the derivative is less than that rounding over the largest step. It passes if that is less
 * than tolerance * weight. A J that does depend on the direction has differences, and a missing adjoint fails. */
#ifndef PIOLA_HOST_TAYLOR_H
#define PIOLA_HOST_TAYLOR_H

#include "piola_status.h"

#include <stdio.h>

/* The greatest number of steps; the least number in a fit, and so of steps. */
enum { PIO_TAYLOR_STEPS = 32, PIO_TAYLOR_WINDOW = 6 };

typedef struct pio_taylor_direction {
    const char *name; /* name of the direction in the table */
    double J0;        /* J(m) */
    double adjoint;   /* <g,h>, unit of J */
    /* Number of steps, PIO_TAYLOR_WINDOW to PIO_TAYLOR_STEPS; 11 for a first step that is halved ten times. */
    size_t n;
    const double *step;  /* [n] e_k > 0, decreasing; the first should change J visibly but remain where J is smooth */
    const double *plus;  /* [n] J(m + e_k h) */
    const double *minus; /* [n] J(m - e_k h), or NULL: one-sided */
    double tolerance;    /* relative tolerance, > 0; 1e-6 for smooth J in double precision */
    /* Standard deviation of J by causes other than the rounding of its value, unit of J; 0: unknown. It is a floor: if
     * the data show more, that is used. */
    double noise;
    /* The size that <g,h> would have without cancellation, unit of J: sum_i |g_i h_i| or, if g is all zero, a
     * derivative that would matter, such as |J(m)| over the range of the parameter along h. 0: unknown, and then a zero
     * adjoint is inconclusive. */
    double scale;
    /* A bound of the error of each value of J, however the errors at different steps are correlated, unit of J;
     * differences within it do not count against the gradient. 0: unknown. */
    double error_bound;
    /* The size of a derivative that would matter, unit of J, such as the largest entry of g: with it, a direction on
     * which J does not depend passes. 0: unknown. */
    double weight;
} pio_taylor_direction;

typedef enum { PIO_TAYLOR_PASSED, PIO_TAYLOR_FAILED, PIO_TAYLOR_INCONCLUSIVE } pio_taylor_verdict;

typedef struct pio_taylor_row {
    char name[128]; /* name of the direction */
    double adjoint; /* <g,h> */
    /* The best difference quotient, where neighbours agree most, chosen without <g,h>. */
    double difference;
    double relative_error; /* |difference - adjoint| / the larger magnitude; 0 when both are 0 */
    double fitted;         /* <g,h> + a, the derivative by the fit */
    double remainder;      /* |a| / |<g,h>|; if `absolute`, |a| / scale */
    double uncertainty;    /* uncertainty of `remainder`, with the same denominator */
    double tolerance;      /* the tolerance of the direction */
    double first_order;    /* median log2 of the decrease of J(m + e h) - J(m) per halving; NaN if all is rounding */
    double second_order;   /* the same for r; about 2 for a correct gradient, NaN if r is rounding (affine J) */
    bool absolute;         /* <g,h> is zero, and `scale` is the reference */
    bool central;          /* J(m - e h) was used */
    pio_taylor_verdict verdict;
    double first_step; /* e_0 */
    char reason[640];  /* reason of the verdict, in words */
} pio_taylor_row;

/* Tests one direction. It never fails: input that cannot be tested is inconclusive, and the reason says why; a J that
 * is not finite has failed. */
void pio_taylor_check(const pio_taylor_direction *direction, pio_taylor_row *row);

/* Returns "passed", "FAILED" or "inconclusive". */
const char *pio_taylor_verdict_name(pio_taylor_verdict verdict);

/* Prints the header of a table for people. */
void pio_taylor_print_header(FILE *to);
/* Prints one line of the table, with the reason below a row that did not pass. */
void pio_taylor_print_row(FILE *to, const pio_taylor_row *row);

#endif
