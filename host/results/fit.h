/* fit.h -- what a fit by least squares determined: errors, intervals and covariance, in result.json and in the log. */
#ifndef PIOLA_HOST_FIT_H
#define PIOLA_HOST_FIT_H

#include "host/optimize/covariance.h"
#include "host/run/session.h"

/* The statistics at a design, by the linear model of the residuals there. Variables at a bound count as known. */
typedef struct {
    int n;                 /* free variables: those between their bounds */
    int *variable;         /* [n] their numbers in the model */
    double *slope;         /* [n] dvalue/dz, SI */
    double variance;       /* s^2 = |r|^2/(residuals - n); NaN if there are no more residuals than free variables */
    double student;        /* of 95 %; NaN likewise */
    pio_covariance linear; /* of z, without s^2 */
} pio_fit;

/* Computes them for the last gradient of the session, which was at z [n_variables]. Returns PIOLA_NO_MEMORY; *out can
 * be freed in any case. */
piola_status pio_fit_create(pio_fit *out, const pio_session *s, const double *z, piola_error *error);
/* Frees the arrays. */
void pio_fit_free(pio_fit *fit);
/* Writes the object "least_squares". */
void pio_fit_json(const pio_fit *fit, const pio_session *s, pio_json *json);
/* Logs each value with its error, of the first twelve free variables, and what is not identifiable. */
void pio_fit_log(const pio_fit *fit, const pio_session *s);

#endif
