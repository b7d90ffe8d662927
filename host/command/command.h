/* Room host/command: one function for each command of `piola`. */
/* command.h -- what the commands share besides the session. */
#ifndef PIOLA_HOST_COMMAND_H
#define PIOLA_HOST_COMMAND_H

#include "host/run/session.h"

/* Install signal handlers and the time limit; undo with pio_signals_restore. */
piola_status pio_command_begin(const piola_options *options, piola_error *error);
/* pio_session_open() for the command `name`. Where it fails, --json prints to stdout what went wrong, for there may be
 * no output folder; and the message of *error is empty where it was printed already. */
piola_status pio_command_open(pio_session **out, const piola_options *options, const char *name,
                              pio_session_gradients gradients, const char *precision, piola_error *error);
/* Write a result.json that tells of the failure, so that scripts need not read the log. What went wrong first is what
 * is returned: rc. */
piola_status pio_command_failed(pio_session *s, piola_status rc, const piola_error *error);

#endif
