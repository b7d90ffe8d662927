/* output_folder.h -- creates and locks the folder of a session's results, and removes unfinished files of earlier
 * runs. */
#ifndef PIOLA_HOST_OUTPUT_FOLDER_H
#define PIOLA_HOST_OUTPUT_FOLDER_H

#include "host/run/session.h"
#include "piola.h"

/* Removes an old result.json from the folder, unless options->dry_run, because it must not be mistaken for this run's.
 */
void pio_forget_result(const piola_options *options, const char *directory);

/* Locks the output folder if it exists and is not locked yet, and removes files of earlier runs that must not be
 * mistaken for this run's. Returns PIOLA_CANNOT_CREATE if another run has locked it, and the other errors of
 * pio_folder_lock(). */
piola_status pio_session_lock_folder(pio_session *s, piola_error *error);
/* Creates the output folder and its parents, and locks it. Returns PIOLA_CANNOT_CREATE if it cannot be created, or
 * another run has locked it, or PIOLA_NO_MEMORY. */
piola_status pio_session_make_directory(pio_session *s, piola_error *error);
/* Writes "DIRECTORY/name" to out[size], in which it always fits if size is PIO_PATH. */
void pio_session_path(const pio_session *s, const char *name, char *out, size_t size);

#endif
