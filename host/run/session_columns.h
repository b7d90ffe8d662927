/* session_columns.h -- an evaluation of residuals with their derivatives, by rows or by columns.
 *
 * Columns are central differences of forward runs at z_v +- h, at a bound differences to one side of second order, with
 * h = 1e-4 of the change of a variable that learning rates count as 1: about a ten thousandth of its value. Nothing of
 * an adjoint is a difference: the gradient is that of its own sweep. One more sweep has the exact derivative of a sum
 * of all residuals with signs that follow no pattern, to which every column is compared. One that differs by more than
 * PIO_COLUMN_GOOD of the sum of its magnitudes is computed again with 10 h and h/10, and the best is taken. All of it
 * is a function of z alone, so that a resumed run has the same bits. */
#ifndef PIOLA_HOST_SESSION_COLUMNS_H
#define PIOLA_HOST_SESSION_COLUMNS_H

#include "host/run/session.h"

#define PIO_COLUMN_GOOD 1e-6 /* a column with this error is not computed again */

/* Evaluates J, c, their gradients, the residuals and their derivatives at z [n_variables], for which `extra` is as in
 * pio_session_gradient(), the last thing that the simulation does. Without residuals, or with rows, this is
 * pio_session_gradient(). Returns PIOLA_NUMERICAL also if columns, or the sum of r dr/dz, differ from adjoint sweeps by
 * more than pio_session_jacobian_limit(), or the simulation fails near z; PIOLA_NO_MEMORY, and its other errors. */
piola_status pio_session_jacobian(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);

#endif
