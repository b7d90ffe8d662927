/* equilibrium.h -- equilibrium check: the residual forces of the last run's implicit steps, and their effect. */
#ifndef PIOLA_HOST_EQUILIBRIUM_H
#define PIOLA_HOST_EQUILIBRIUM_H

#include "host/run/session.h"

/* Logs a warning if rounding, not solver.tolerance, limits the equilibrium of a step, and if its residual forces change
 * the displacement by more than solver.tolerance of itself, as measured by one more solve with these forces
 * (pio_step_record.displacement_error); and likewise of adjoints, solver.adjoint_tolerance and
 * pio_step_record.adjoint_error. */
void pio_equilibrium_report(const pio_session *s);

/* Returns an upper bound of the error of J of the last run, or of the constraint of adjoint sweep number `sweep`, in
 * its unit. A residual force r changes it by lambda . r, which is bounded by the norms; that of lambda is from the last
 * gradient. The rounding of the samples is added. */
double pio_equilibrium_error_bound(const pio_session *s, int64_t sweep);

#endif
