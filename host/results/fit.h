/* fit.h -- what a fit by least squares determined: errors, intervals and covariance, in result.json and in the log. */
#ifndef PIOLA_HOST_FIT_H
#define PIOLA_HOST_FIT_H

#include "host/optimize/covariance.h"
#include "host/run/session.h"

/* How the residuals' derivatives were computed. */
typedef struct {
    int64_t sweeps, runs; /* adjoint sweeps of an evaluation, and forward runs of the last one for differences */
    bool by_columns;      /* some of the derivatives are differences of runs */
    double columns_error; /* of those, by how much they differ at most from an adjoint sweep, relative */
    double rows_error;    /* by how much sum r dr/dz differs at most from the gradient, relative */
} pio_fit_cost;

/* The end of a fit of `rows` residuals by n variables. */
typedef struct {
    size_t n, rows;
    const double *z, *lower, *upper; /* [n] variables and their bounds */
    const double *value, *slope;     /* [n] values, and dvalue/dz, SI */
    const double *r, *r_bar;         /* [rows] residuals, and [rows][n] dr/dz */
    pio_fit_cost cost;
    /* Writes the name of a variable, at most size - 1 bytes, and returns the unit of its value. */
    const char *(*name)(const void *context, size_t variable, char *out, size_t size);
    const void *context; /* argument of it */
} pio_fit_end;

/* A variable that the fit determined. */
typedef struct {
    char name[256];
    const char *unit; /* "": 1 */
    double value, slope;
} pio_fitted;

/* The statistics at a design, by the linear model of the residuals there. Variables at a bound count as known. */
typedef struct {
    size_t n, rows;        /* free variables: those between their bounds; residuals */
    pio_fitted *variable;  /* [n] */
    double variance;       /* s^2 = |r|^2/(rows - n); NaN if there are no more residuals than free variables */
    double student;        /* of 95 %; NaN likewise */
    pio_covariance linear; /* of z, without s^2 */
    pio_fit_cost cost;
} pio_fit;

/* Computes them. Returns PIOLA_NO_MEMORY; *out can be freed in any case. */
piola_status pio_fit_create(pio_fit *out, const pio_fit_end *at, piola_error *error);
/* Computes them for the last gradient of a session, which was at z [n_variables] and must outlive the fit. Returns
 * PIOLA_NO_MEMORY; *out can be freed in any case. */
piola_status pio_fit_of_session(pio_fit *out, const pio_session *s, const double *z, piola_error *error);
/* Frees the arrays. */
void pio_fit_free(pio_fit *fit);
/* Writes the object "least_squares". */
void pio_fit_json(const pio_fit *fit, pio_json *json);
/* Logs each value with its error, of the first twelve free variables, and what is not identifiable. */
void pio_fit_log(const pio_fit *fit, pio_log *log);

#endif
