/* residual.h -- the residuals of an objective that is a sum of squares, J = sum_j r_j^2 / 2, and their derivatives.
 *
 * With y one sample of one component of an observation, and v one value of a design entry, SI,
 *   target   r = sqrt(2 weight) (y - value)
 *   misfit   r = sqrt(weight) (y - data)/sigma
 *   prior    r = sqrt(weight) (v - mean)/sigma
 * Residuals of observations come first, and those of priors, whose derivatives are written down, after them; terms of
 * weight 0 have none. The derivatives of the former are computed by rows, an adjoint sweep for each, or by columns, two
 * forward runs for each variable (run/session_columns.h). */
#ifndef PIOLA_HOST_RESIDUAL_H
#define PIOLA_HOST_RESIDUAL_H

#include "host/model/objective.h"

enum {
    PIO_MOST_RESIDUALS = 200,      /* residuals of observations with rows by sweeps, at most */
    PIO_MOST_JACOBIAN = 100000000, /* derivatives of all residuals, at most */
};

typedef struct {
    double factor;   /* r = factor (y - expected), 1 per SI unit of y */
    double expected; /* SI */
    int at;          /* index of y among all samples, or of v among all values */
    int term;        /* its term, by number in the objective */
    int sample;      /* of an observation: number of its time; of a prior: 0 */
} pio_residual;

typedef struct {
    pio_residual *list; /* [n] residuals */
    int n;              /* number of residuals */
    int observed;       /* how many of them are of observations */
    bool by_columns;    /* their derivatives are computed by columns; otherwise by rows */
} pio_residuals;

/* Makes the residuals of an objective whose terms are all target, misfit or prior. Returns PIOLA_BAD_DATA at
 * `objective` if there are none or more than PIO_MOST_JACOBIAN derivatives, at `design` if there are more variables
 * than Levenberg and Marquardt's method takes, and PIOLA_NO_MEMORY; *out can be freed in any case. */
piola_status pio_residuals_create(pio_residuals *out, const pio_objective *objective, const pio_model *model,
                                  piola_error *error);
/* Chooses rows or columns, as the scene names or, for `auto`, by which are fewer sweeps and runs; columns need f64.
 * Returns PIOLA_BAD_DATA at `optimizer.jacobian` or `objective` if there are too many residuals for rows, or the
 * precision is too low for columns. */
piola_status pio_residuals_choose(pio_residuals *residuals, const pio_model *model, bool f32, piola_error *error);
/* Returns how many adjoint sweeps they need besides that of the objective. */
int64_t pio_residuals_sweeps(const pio_residuals *residuals);
/* Frees the residuals. */
void pio_residuals_free(pio_residuals *residuals);
/* Returns what residual j compares with what is expected, SI: y of samples [n_samples], or v of filtered variables
 * [n_variables]. */
double pio_residual_value(const pio_residuals *residuals, int j, const pio_model *model, const double *samples,
                          const double *filtered);
/* Sets r [n] at samples [n_samples] and filtered variables [n_variables]. */
void pio_residuals_evaluate(const pio_residuals *residuals, const pio_model *model, const double *samples,
                            const double *filtered, double *r);
/* Sets samples_bar [n_samples] to the derivative of residual j, one of an observation. */
void pio_residual_slope(const pio_residuals *residuals, int j, const pio_model *model, double *samples_bar);
/* Returns the sign, 1 or -1, with which residual j is a part of the sum that checks columns: it follows no pattern. */
double pio_residual_sign(int j);
/* Sets samples_bar [n_samples] to the derivative of that sum of all residuals of observations. */
void pio_residuals_sum_slope(const pio_residuals *residuals, const pio_model *model, double *samples_bar);
/* Sets z_bar [n_variables] to the derivative of residual j, one of a prior; filtered_bar [n_variables] is working
 * memory. */
void pio_residual_of_design(const pio_residuals *residuals, int j, const pio_model *model, const double *filtered,
                            double *filtered_bar, double *z_bar);

/* Returns dvalue/dz~, SI, of variable `at`, with filtered variables z~ [n_variables]. */
double pio_variable_slope(const pio_model *model, int at, const double *filtered);

#endif
