/* rigid_mode.h -- finds objectives and constraints that depend on the frequency of a rigid motion. */
#ifndef PIOLA_HOST_RIGID_MODE_H
#define PIOLA_HOST_RIGID_MODE_H

#include "host/run/session.h"

/* Checks that what is differentiated does not depend on the frequency of a rigid motion, which is 0 whatever the
 * constants are: sqrt(lambda) has no derivative at 0. samples_bar [n_samples]: its derivatives with respect to the
 * samples of the last run. Returns PIOLA_NUMERICAL, with the kind PIOLA_FAILED_REPEATED and the number of the mode, at
 * the `mode` of the observation; PIOLA_OK where the scene has no modes. */
piola_status pio_rigid_mode_check(const pio_session *s, const double *samples_bar, piola_error *error);

#endif
