/* sample_terms.h -- the objective of tests: J = sum_k linear_k y_k + square_k y_k^2 / 2 of the samples y. */
#ifndef PIOLA_TESTS_SAMPLE_TERMS_H
#define PIOLA_TESTS_SAMPLE_TERMS_H

#include "solvers/driver/driver.h"

typedef struct {
    int samples;
    const double *linear, *square; /* square NULL: zero */
} sample_terms;

/* J, and dJ/dy in y_bar unless that is NULL. */
static inline double sample_terms_value(const sample_terms *t, const double *y, double *y_bar)
{
    double J = 0;
    for (int k = 0; k < t->samples; k++) {
        J += t->square ? t->linear[k] * y[k] + 0.5 * t->square[k] * y[k] * y[k] : t->linear[k] * y[k];
        if (y_bar) y_bar[k] = t->linear[k] + (t->square ? t->square[k] * y[k] : 0);
    }
    return J;
}

/* The same for a sweep, whose context begins with the terms. */
static inline piola_status sample_terms_objective(void *context, int64_t sweep, const double *samples, double *J,
                                                  double *samples_bar, piola_error *error)
{
    (void)error, (void)sweep;
    *J = sample_terms_value(context, samples, samples_bar);
    return PIOLA_OK;
}

#endif
