/* study_fit.h -- what a fit by least squares to all experiments of a study determined. */
#ifndef PIOLA_HOST_STUDY_FIT_H
#define PIOLA_HOST_STUDY_FIT_H

#include "host/study/problem.h"

/* Computes the statistics of the last evaluation, which was at z [n], from the weighted residuals of all experiments,
 * one after another. Those of experiments of weight 0 are none. The problem must outlive the fit. Returns
 * PIOLA_NO_MEMORY; *out can be freed in any case. */
piola_status pio_study_fit(pio_fit *out, const pio_study_problem *p, const double *z, piola_error *error);

#endif
