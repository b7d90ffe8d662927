/* Room host/command: one function for each command of `piola`. */
/* command.h -- functions that the commands share, besides those of the session. */
#ifndef PIOLA_HOST_COMMAND_H
#define PIOLA_HOST_COMMAND_H

#include "host/run/session.h"
#include "piola.h"

/* Removes an old result.json from the folder of the options, and installs the signal handlers and the time limit, which
 * pio_signals_restore() removes. Returns the errors of pio_signals_install() and pio_command_no_text(). */
piola_status pio_command_begin(const piola_options *options, piola_error *error);
/* Returns PIOLA_USAGE if the options have the text of a scene, which commands do not take. */
piola_status pio_command_no_text(const piola_options *options, piola_error *error);
/* Opens a session for the command `name`. On failure --json prints the error to standard output, because there may be
 * no output folder, and the message of *error is empty if it was printed already. Returns the errors of
 * pio_session_open(). */
piola_status pio_command_open(pio_session **out, const piola_options *options, const char *name,
                              pio_session_gradients gradients, const char *precision, piola_error *error);
/* Prints with --json the result of the command `name` that failed before it had an output folder. */
void pio_command_print_failure(const piola_options *options, const char *name, piola_status rc,
                               const piola_error *error);
/* Returns PIOLA_NO_PROGRESS, and says so in the message, for an interruption before anything new was on disk, where the
 * options require progress; otherwise rc. `progress`: something new is on disk. */
piola_status pio_command_stalled(const piola_options *options, piola_status rc, bool progress, piola_error *error);
/* Checks that the scene has what the session's command needs, as grad does an objective. Returns PIOLA_BAD_DATA if not.
 */
piola_status pio_command_needs(const pio_session *s, piola_error *error);
/* Writes a result.json that reports the failure rc, so that scripts need not read the log. Returns rc, also if the file
 * cannot be written. */
piola_status pio_command_failed(pio_session *s, piola_status rc, const piola_error *error);

#endif
