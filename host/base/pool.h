/* pool.h -- memory that is taken in pieces and freed all at once. */
#ifndef PIOLA_HOST_POOL_H
#define PIOLA_HOST_POOL_H

#include <stddef.h>

/* All zero: empty. */
typedef struct cfg_arena {
    struct cfg_block *blocks;
} cfg_arena;

void *pio_arena_take(cfg_arena *arena, size_t bytes); /* zeroed, aligned to 16 bytes; NULL when out of memory */
/* A copy of `length` bytes, ended by a NUL; NULL when out of memory. */
char *pio_arena_text(cfg_arena *arena, const char *text, size_t length);
void pio_arena_free(cfg_arena *arena); /* which is empty then */

#endif
