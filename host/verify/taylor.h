/* Room host/verify: the Taylor test of a gradient. */
/* taylor.h -- is an adjoint the derivative? The statistics of `piola check` for one direction h.
 *
 * The remainder r(e) = J(m + e h) - J(m) - e <g,h> of a right gradient has no part that is linear in e. So
 * r(e) = a e + b e^2 + ... is fitted by least squares and the gradient passes when |a| <= tolerance * |<g,h>|. Rates
 * are reported but decide nothing: a gradient that is wrong by 1e-4 shows a rate near 2 as long as e is large, and an
 * affine J leaves rounding only. With J(m - e h) too, the odd part (J(m + e h) - J(m - e h))/2 - e <g,h> = a e + c e^3
 * + ... is fitted: the curvature drops out and far less of the window is lost to truncation; and the even part must
 * have no linear term, or J has a kink at m.
 *
 * Models of two, three or four powers are tried on windows that drop the largest steps; the one with the smallest
 * uncertainty of a is used. That uncertainty is 13 standard errors, from the larger of the fit's own scatter and the
 * rounding of J: 13 is Student's t for 99.9 % at the least freedom allowed (3), and covers the bias of the first power
 * left out, which is at most 0.75 of it for any of the models and windows. If it exceeds the tolerance nothing was
 * decided: inconclusive, which is no pass, and says nothing against the gradient.
 *
 * When <g,h> is zero, nothing is relative to it. It is called zero when it is below 1e-10 of `scale`, and then a true
 * zero has to show |a| <= tolerance * scale.
 *
 * A J that does not depend on the direction shows nothing but rounding, in the adjoint and in every difference. That
 * they are equal is then seen as well as differences can see it: the derivative is less than that rounding over the
 * largest step. It passes where that is less than tolerance * weight. A J that does depend on it has differences, and a
 * missing adjoint fails. */
#ifndef PIOLA_HOST_TAYLOR_H
#define PIOLA_HOST_TAYLOR_H

#include "piola.h"

#include <stdio.h>

enum { PIO_TAYLOR_STEPS = 32, PIO_TAYLOR_WINDOW = 6 }; /* most steps; fewest in a fit, so fewest that are accepted */

typedef struct pio_taylor_direction {
    const char *name;
    double J0;           /* J(m) */
    double adjoint;      /* <g,h>, unit of J */
    size_t n;            /* PIO_TAYLOR_WINDOW ... PIO_TAYLOR_STEPS; 11 for a first step halved ten times */
    const double *step;  /* [n] e_k > 0, falling; the first should change J visibly but stay where J is smooth */
    const double *plus;  /* [n] J(m + e_k h) */
    const double *minus; /* [n] J(m - e_k h), or NULL: one-sided */
    double tolerance;    /* > 0; 1e-6 for smooth J in double */
    double noise;        /* standard deviation of J by other causes than the rounding of its value, unit of J; 0: none
                            known. It is a floor: what the data show is used when it is more. */
    double scale;  /* size that <g,h> would have if nothing cancelled, unit of J: sum_i |g_i h_i|, or where g is all
                     zero the derivative that would matter, as |J(m)| over the range of the parameter along h.
                     0: not known, and then a zero adjoint is inconclusive. */
    double doubt;  /* by how much each value of J may be off, in whatever way the steps make it go together, unit of J:
                            differences that it explains accuse no gradient; 0: none known */
    double weight; /* size of a derivative that would matter, unit of J, as the largest entry of g: with it, a direction
                            that J does not depend on passes; 0: not known */
} pio_taylor_direction;

typedef enum { PIO_TAYLOR_PASSED, PIO_TAYLOR_FAILED, PIO_TAYLOR_INCONCLUSIVE } pio_taylor_verdict;

typedef struct pio_taylor_row {
    char name[128];
    double adjoint;        /* <g,h> */
    double difference;     /* the best plain difference quotient: where neighbours agree most, chosen without <g,h> */
    double relative_error; /* |difference - adjoint| / the larger magnitude; 0 when both are 0 */
    double fitted;         /* <g,h> + a: the derivative that the fit sees */
    double remainder;      /* |a| / |<g,h>|; when `absolute`, |a| / scale */
    double uncertainty;    /* of `remainder`, same denominator */
    double tolerance;
    double first_order;  /* median log2 of J(m + e h) - J(m) per halving; NaN when all is rounding */
    double second_order; /* the same of r; about 2 for a right gradient, NaN when r is rounding (affine J) */
    bool absolute;       /* <g,h> is zero: compared with scale */
    bool central;        /* J(m - e h) was used */
    pio_taylor_verdict verdict;
    double first_step; /* e_0 */
    char reason[640];
} pio_taylor_row;

/* Judge one direction. Never fails: input that cannot be judged is inconclusive and the reason says why; a J that is
 * not finite has failed. */
void pio_taylor_check(const pio_taylor_direction *direction, pio_taylor_row *row);

/* "passed", "FAILED", "inconclusive". */
const char *pio_taylor_verdict_name(pio_taylor_verdict verdict);

/* A table for people: the header, then one line per row, with the reason below a row that did not pass. */
void pio_taylor_print_header(FILE *to);
void pio_taylor_print_row(FILE *to, const pio_taylor_row *row);

#endif
