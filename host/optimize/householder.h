/* householder.h -- small dense systems of least squares by Householder's reflections. Matrices are stored by columns.
 */
#ifndef PIOLA_HOST_HOUSEHOLDER_H
#define PIOLA_HOST_HOUSEHOLDER_H

#include <stddef.h>

/* Reduces `a` [columns][rows] to upper triangular form, R of a = Q R, and replaces b [rows] by Q^T b (Golub and Van
 * Loan 2013, algorithm 5.2.1, without pivots). Below its diagonal `a` is set to 0. */
void pio_householder(double *a, size_t rows, size_t columns, double *b);

/* Replaces the first `columns` numbers of b by the solution x of R x = b, for `a` [columns][rows] after
 * pio_householder(); rows >= columns, and no number of the diagonal may be 0. */
void pio_back_substitute(const double *a, size_t rows, size_t columns, double *b);

#endif
