/* pool.h -- memory that is allocated in pieces and freed all at once. */
#ifndef PIOLA_HOST_POOL_H
#define PIOLA_HOST_POOL_H

#include <stddef.h>

/* A pool; all zero, it is empty. */
typedef struct pio_pool {
    struct pio_pool_block *blocks; /* list of blocks; NULL: empty */
    size_t refused;                /* bytes of the first request for which there was no memory; 0: there was none */
} pio_pool;

/* Returns `bytes` bytes of zeroed memory, aligned to 16 bytes, or NULL without memory. */
void *pio_pool_take(pio_pool *pool, size_t bytes);
/* Returns a copy of `length` bytes, ended by a NUL, or NULL without memory. */
char *pio_pool_text(pio_pool *pool, const char *text, size_t length);
/* Frees all memory of the pool, which is empty then. */
void pio_pool_free(pio_pool *pool);

#endif
