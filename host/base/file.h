/* file.h -- reads a whole file into memory. */
#ifndef PIOLA_HOST_FILE_H
#define PIOLA_HOST_FILE_H

#include "piola_status.h"

/* Reads a regular file of at most `most` bytes into *text, which the caller frees; a NUL follows that *size does not
 * count. On failure *text is NULL: PIOLA_NO_INPUT if the file cannot be read, PIOLA_BAD_DATA if it is longer,
 * PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_file_read(const char *path, size_t most, char **text, size_t *size, piola_error *error);

#endif
