/* large.h -- memory for the contents of large files. */
#ifndef PIOLA_HOST_LARGE_H
#define PIOLA_HOST_LARGE_H

#include <stddef.h>

/* Allocates memory as malloc() does; free() and realloc() accept the result. A block of many megabytes is requested in
 * pages of 2 MiB, for which the first write takes a fifth of the time. */
void *pio_large_alloc(size_t bytes);

#endif
