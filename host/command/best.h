/* best.h -- what an optimisation leaves of its best design. */
#ifndef PIOLA_HOST_BEST_H
#define PIOLA_HOST_BEST_H

#include "host/run/session.h"

/* Computes the gradient at z [n_variables], and writes states.vtkhdf with the gradient fields, and picture.png of the
 * last state, into the folder, which exists. Returns the errors of pio_session_gradient(), pio_states_create() and
 * piola_render(). */
piola_status pio_write_best(pio_session *session, const double *z, piola_error *error);

#endif
