/* covariance.h -- how well a fit by least squares determines its variables: singular values and covariance of the
 * linear model at its end. */
#ifndef PIOLA_HOST_COVARIANCE_H
#define PIOLA_HOST_COVARIANCE_H

#include "piola_status.h"

#include <stddef.h>

#define PIO_NOT_IDENTIFIABLE 1e-8 /* of the largest singular value: combinations below it are not identifiable */

typedef struct {
    size_t n;            /* variables */
    double *singular;    /* [n] singular values of the derivatives with columns scaled to length 1, descending */
    double *combination; /* [n][n] row k: right singular vector k, of the scaled variables */
    size_t unknown;      /* how many of the last of them are not identifiable */
    double *covariance;  /* [n][n] of the residuals' variance 1: the inverse of A^T A, NaN where it does not exist */
} pio_covariance;

/* Computes them for the derivatives `rows` [m][n] of m residuals. A variable that takes part by more than 1e-3 in a
 * combination that is not identifiable has the covariance NaN. Returns PIOLA_NO_MEMORY; *out can be freed in any case.
 */
piola_status pio_covariance_create(pio_covariance *out, const double *rows, size_t m, size_t n, piola_error *error);
/* Frees the arrays. */
void pio_covariance_free(pio_covariance *covariance);

#endif
