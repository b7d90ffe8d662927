/* pool.h -- memory that is taken in pieces and freed all at once. */
#ifndef PIOLA_HOST_POOL_H
#define PIOLA_HOST_POOL_H

#include <stddef.h>

/* All zero: empty. */
typedef struct pio_pool {
    struct pio_pool_block *blocks;
} pio_pool;

void *pio_pool_take(pio_pool *pool, size_t bytes); /* zeroed, aligned to 16 bytes; NULL when out of memory */
/* A copy of `length` bytes, ended by a NUL; NULL when out of memory. */
char *pio_pool_text(pio_pool *pool, const char *text, size_t length);
void pio_pool_free(pio_pool *pool); /* which is empty then */

#endif
