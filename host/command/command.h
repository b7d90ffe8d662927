/* command.h -- what the commands share besides the session. */
#ifndef PIOLA_HOST_COMMAND_H
#define PIOLA_HOST_COMMAND_H

#include "host/run/session.h"

/* Install signal handlers and the time limit; undo with pio_signals_restore. */
piola_status pio_command_begin(const piola_options *options, piola_error *error);
/* With --json: what a command says that never came to have an output folder. Returns rc. */
piola_status pio_command_refused(const piola_options *options, const char *name, piola_status rc,
                                 const piola_error *error);
/* Write a result.json that tells of the failure; returns rc. */
piola_status pio_command_failed(pio_session *s, piola_status rc, const piola_error *error);

#endif
