/* first_step.h -- finds errors that a run would report at step 0, without a run. */
#ifndef PIOLA_HOST_FIRST_STEP_H
#define PIOLA_HOST_FIRST_STEP_H

#include "host/model/model.h"

/* Starts the model at the initial design with the CPU engine of this precision ("f32" or "f64"), which checks
 * constants, positions and the limits of the time step as a run does. Returns PIOLA_BAD_DATA at time.dt, with a number
 * of steps that is enough, or at the design entry or the materials that are wrong. Any other failure, such as
 * PIOLA_UNAVAILABLE if no engine runs, PIOLA_NO_MEMORY or PIOLA_INTERRUPTED, means that the check was not done. */
piola_status pio_first_step(const pio_model *model, const char *precision, piola_error *error);

#endif
