/* history.h -- history.vtkhdf: the design and its gradient at every iteration of an optimisation. */
#ifndef PIOLA_HOST_HISTORY_H
#define PIOLA_HOST_HISTORY_H

#include "host/optimize/optimizer.h"
#include "host/run/session.h"

typedef struct pio_history pio_history;

/* Begin DIRECTORY/history.vtkhdf. Points are the particles at the start; a frame is an iteration. Designs per particle
 * are fields materials_NAME_KEY and grad_materials_NAME_KEY (or bodies_...); every design is in
 * /piola/gradient/<path>. */
piola_status pio_history_create(pio_history **out, pio_session *s, piola_error *error);
piola_status pio_history_add(pio_history *h, const pio_iteration *at, piola_error *error);
/* With the certificate of the gradients in it (JSON). Always releases. */
piola_status pio_history_finish(pio_history *h, const char *certificate, piola_error *error);
void pio_history_abandon(pio_history *h); /* keeps the .partial file; NULL is allowed */

#endif
