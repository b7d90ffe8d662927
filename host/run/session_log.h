/* session_log.h -- what a session logs of an evaluation: changes of the linear solver, and calls of the device. */
#ifndef PIOLA_HOST_SESSION_LOG_H
#define PIOLA_HOST_SESSION_LOG_H

#include "host/run/session.h"

/* Reads where the linear solver changed in the last evaluation, and logs it: once in a session. */
void pio_session_note_change(pio_session *s);
/* Logs what each step gave the device to do, forward and in the adjoint, whose calls have the steps that were computed
 * again. */
void pio_session_log_calls(const pio_session *s);

#endif
