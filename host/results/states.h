/* states.h -- states.vtkhdf: the frames of a run, and the fields that a gradient adds to them. */
#ifndef PIOLA_HOST_STATES_H
#define PIOLA_HOST_STATES_H

#include "host/run/session.h"

typedef struct pio_states pio_states;

/* Creates DIRECTORY/states.vtkhdf. With `gradient` it has fields for gradients per particle, element or node, the
 * design of each particle or element (design_fields.h) and, if output.adjoint.every is set, adjoint frames. Returns
 * PIOLA_NO_MEMORY, and the errors of pio_snapshot_create(). */
piola_status pio_states_create(pio_states **out, pio_session *s, bool gradient, piola_error *error);
/* Logs about how much of the disk the file will take, from the scene and the plan alone. */
void pio_states_log_size(pio_session *s, bool gradient);
/* Sets the frames of `sweep` and the callbacks that write them to the file: frame k is the model's frame k. */
void pio_states_sweep(pio_states *f, pio_sweep *sweep);
/* Returns the bytes of a frame, or with `adjoint` of its adjoint fields (0: it has none), for storage elsewhere. */
size_t pio_states_bytes(const pio_states *f, int64_t frame, bool adjoint);
/* Copies those bytes, in the file's precision, of a frame that was written; an adjoint field that was not written is
 * NaN. Returns the errors of pio_snapshot_reread(). */
piola_status pio_states_out(pio_states *f, int64_t frame, bool adjoint, void *bytes, piola_error *error);
/* Writes those bytes to the file: as the next frame, or with `adjoint` as the adjoint fields of an existing frame, of
 * which fields that are NaN are left out. Returns the errors of pio_snapshot_frame() and pio_snapshot_adjoint(). */
piola_status pio_states_in(pio_states *f, int64_t frame, bool adjoint, const void *bytes, piola_error *error);
/* Writes, after a gradient, its fields, the design's fields, values and derivatives, the objective and the certificate
 * (JSON). Returns PIOLA_NUMERICAL if a derivative is not finite, the errors of pio_gradient_field_read() and
 * pio_design_field_read(), and those of the functions of snapshot.h that write. */
piola_status pio_states_gradient(pio_states *f, const char *certificate, piola_error *error);
/* Writes, after a run without gradient, the objective and its terms if the scene has one. Returns PIOLA_NO_MEMORY, or
 * the errors of pio_snapshot_objective(). */
piola_status pio_states_objective(pio_states *f, piola_error *error);
/* Finishes the file. `f` is freed in any case. Returns the errors of pio_snapshot_finish(). */
piola_status pio_states_finish(pio_states *f, piola_error *error);
/* Closes the file as it is and keeps the .partial file. `f` is freed and may be NULL. */
void pio_states_abandon(pio_states *f);

#endif
