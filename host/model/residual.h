/* residual.h -- the residuals of an objective that is a sum of squares, J = sum_j r_j^2 / 2, and their derivatives.
 *
 * With y one sample of one component of an observation, and v one value of a design entry, SI,
 *   target   r = sqrt(2 weight) (y - value)
 *   misfit   r = sqrt(weight) (y - data)/sigma
 *   prior    r = sqrt(weight) (v - mean)/sigma
 * Residuals of observations come first, each of which needs an adjoint sweep for its derivative, and those of priors,
 * which do not, after them; terms of weight 0 have none. */
#ifndef PIOLA_HOST_RESIDUAL_H
#define PIOLA_HOST_RESIDUAL_H

#include "host/model/objective.h"

enum { PIO_MOST_RESIDUALS = 200 }; /* residuals of observations, at most */

typedef struct {
    double factor;   /* r = factor (y - expected), 1 per SI unit of y */
    double expected; /* SI */
    int at;          /* index of y among all samples, or of v among all values */
} pio_residual;

typedef struct {
    pio_residual *list; /* [n] residuals */
    int n;              /* number of residuals */
    int observed;       /* how many of them are of observations */
} pio_residuals;

/* Makes the residuals of an objective whose terms are all target, misfit or prior. Returns PIOLA_BAD_DATA at
 * `objective` if there are none or more than PIO_MOST_RESIDUALS of observations, at `design` if there are more
 * variables than Levenberg and Marquardt's method takes, and PIOLA_NO_MEMORY; *out can be freed in any case. */
piola_status pio_residuals_create(pio_residuals *out, const pio_objective *objective, const pio_model *model,
                                  piola_error *error);
/* Frees the residuals. */
void pio_residuals_free(pio_residuals *residuals);
/* Sets r [n] at samples [n_samples] and filtered variables [n_variables]. */
void pio_residuals_evaluate(const pio_residuals *residuals, const pio_model *model, const double *samples,
                            const double *filtered, double *r);
/* Sets samples_bar [n_samples] to the derivative of residual j, one of an observation. */
void pio_residual_slope(const pio_residuals *residuals, int j, const pio_model *model, double *samples_bar);
/* Sets z_bar [n_variables] to the derivative of residual j, one of a prior; filtered_bar [n_variables] is working
 * memory. */
void pio_residual_of_design(const pio_residuals *residuals, int j, const pio_model *model, const double *filtered,
                            double *filtered_bar, double *z_bar);

/* Returns dvalue/dz~, SI, of variable `at`, with filtered variables z~ [n_variables]. */
double pio_variable_slope(const pio_model *model, int at, const double *filtered);

#endif
