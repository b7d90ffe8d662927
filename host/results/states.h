/* states.h -- states.vtkhdf: the frames of a run, and what a gradient adds to them. */
#ifndef PIOLA_HOST_STATES_H
#define PIOLA_HOST_STATES_H

#include "host/run/session.h"

typedef struct pio_states pio_states;

/* Begin DIRECTORY/states.vtkhdf. `gradient`: with fields for gradients per particle and, where output.adjoint.every
 * asks for them, adjoint frames. */
piola_status pio_states_create(pio_states **out, pio_session *s, bool gradient, piola_error *error);
/* Hook the frames of `sweep` to the file: frame k is the model's frame k. */
void pio_states_sweep(pio_states *f, pio_sweep *sweep);
/* To keep frames elsewhere: bytes of the state frame, or of its adjoint fields (0: it has none); these bytes, in the
 * file's precision, of a frame that was written; and from them into a file where it is the next one, or is there
 * (`adjoint`: what was known of it). */
size_t pio_states_bytes(const pio_states *f, int64_t frame, bool adjoint);
piola_status pio_states_out(pio_states *f, int64_t frame, bool adjoint, void *bytes, piola_error *error);
piola_status pio_states_in(pio_states *f, int64_t frame, bool adjoint, const void *bytes, piola_error *error);
/* After a gradient: fields per particle, the design's values and gradients, the objective and the certificate. */
piola_status pio_states_gradient(pio_states *f, const char *certificate, piola_error *error);
/* After a plain run: the objective, if the scene has one. */
piola_status pio_states_objective(pio_states *f, piola_error *error);
piola_status pio_states_finish(pio_states *f, piola_error *error); /* always releases */
void pio_states_abandon(pio_states *f);                            /* keeps the .partial file; NULL is allowed */

#endif
