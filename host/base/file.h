/* file.h -- files read whole. */
#ifndef PIOLA_HOST_FILE_H
#define PIOLA_HOST_FILE_H

#include "piola.h"

/* The whole of a regular file of at most `most` bytes, ended by a NUL that `size` does not count; free() it.
 * PIOLA_NO_INPUT when it cannot be read, PIOLA_BAD_DATA when it is longer, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED; *text
 * is NULL then. */
piola_status pio_file_read(const char *path, size_t most, char **text, size_t *size, piola_error *error);

#endif
