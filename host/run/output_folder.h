/* output_folder.h -- the folder of a session's results: made, locked for one run, and cleared of what an earlier run
 * left. */
#ifndef PIOLA_HOST_OUTPUT_FOLDER_H
#define PIOLA_HOST_OUTPUT_FOLDER_H

#include "host/run/session.h"

/* Remove an old result.json from the folder: it must not be taken for this run's, however this run ends. */
void pio_forget_result(const piola_options *options, const char *directory);

/* Lock the output folder where it is there already and not locked, and remove from it what must not be taken for this
 * run's: PIOLA_CANNOT_CREATE where another run has it. */
piola_status pio_session_lock_folder(pio_session *s, piola_error *error);
/* Create the output folder and its parents, and lock it: PIOLA_CANNOT_CREATE where another run has it. */
piola_status pio_session_make_directory(pio_session *s, piola_error *error);
/* "DIRECTORY/name" into out[size] of PIO_PATH bytes, where it always fits. */
void pio_session_path(const pio_session *s, const char *name, char *out, size_t size);

#endif
