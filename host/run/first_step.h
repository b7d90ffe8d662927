/* first_step.h -- what a run would refuse at step 0, found out without a run. */
#ifndef PIOLA_HOST_FIRST_STEP_H
#define PIOLA_HOST_FIRST_STEP_H

#include "host/model/model.h"

/* Ask the CPU engine of this precision ("f32" or "f64") to start the model where its design starts: that checks
 * constants, places and the limits of the time step by the very rules of a run. PIOLA_BAD_DATA at time.dt, with the
 * number of steps that every particle accepts, or at the design entry or the materials that are wrong. Any other
 * failure (no engine runs here, no memory) says that nothing was found out. */
piola_status pio_first_step(const pio_model *model, const char *precision, piola_error *error);

#endif
