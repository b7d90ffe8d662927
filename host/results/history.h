/* history.h -- history.vtkhdf: the design and its gradient at every iteration of an optimisation. */
#ifndef PIOLA_HOST_HISTORY_H
#define PIOLA_HOST_HISTORY_H

#include "host/optimize/optimizer.h"
#include "host/run/session.h"

typedef struct pio_history pio_history;

/* Creates DIRECTORY/history.vtkhdf. Points are the particles at the start; a frame is an iteration. Designs per
 * particle are the fields materials_NAME_KEY and grad_materials_NAME_KEY (or bodies_...); every design is in
 * /piola/gradient/<path>. Returns PIOLA_NO_MEMORY, and the errors of pio_snapshot_create(). */
piola_status pio_history_create(pio_history **out, pio_session *s, piola_error *error);
/* Appends an iteration, with the terms [objective.n] of J where there are several, or NULL; on failure the file has no
 * new frame. Returns the errors of pio_snapshot_put_gradient(), pio_snapshot_objective() and pio_snapshot_frame(). */
piola_status pio_history_add(pio_history *h, const pio_iteration *at, const double *terms, piola_error *error);
/* Writes the certificate of the gradients (JSON) and finishes the file. `h` is freed in any case. Returns the errors of
 * pio_snapshot_certificate() and pio_snapshot_finish(). */
piola_status pio_history_finish(pio_history *h, const char *certificate, piola_error *error);
/* Closes the file as it is and keeps the .partial file. `h` is freed and may be NULL. */
void pio_history_abandon(pio_history *h);

#endif
