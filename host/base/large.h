/* large.h -- memory for what is read from large files. */
#ifndef PIOLA_HOST_LARGE_H
#define PIOLA_HOST_LARGE_H

#include <stddef.h>

/* As malloc(); a block of many megabytes is asked for in pages of 2 MiB, which cost a fifth of the time to be first
 * written to. free() and realloc() take it. */
void *pio_large_alloc(size_t bytes);

#endif
