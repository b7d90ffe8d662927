/* residual_file.h -- residuals.csv: what a fit by least squares compares, for plots. */
#ifndef PIOLA_HOST_RESIDUAL_FILE_H
#define PIOLA_HOST_RESIDUAL_FILE_H

#include "host/run/session.h"

#define PIO_RESIDUAL_FILE "residuals.csv"

/* Returns PIOLA_CANNOT_CREATE if the folder has a file of that name which is another one. */
piola_status pio_residual_file_replaces(const char *folder, piola_error *error);
/* Writes residuals.csv of the last evaluation, one row for each residual: term, of, sample, time in s, component,
 * measured, computed, sigma, in SI units, and residual = (computed - measured)/sigma; sample, time and component are
 * empty for priors. Returns PIOLA_NO_MEMORY, and the errors of pio_write_file_atomically(). */
piola_status pio_residual_file_write(const pio_session *s, piola_error *error);

#endif
