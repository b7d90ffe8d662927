/* pool.c -- see pool.h. */
#include "host/base/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cfg_block {
    struct cfg_block *next;
    size_t used, size;
    _Alignas(16) char bytes[];
};

void *pio_arena_take(cfg_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    struct cfg_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;
        block = calloc(1, sizeof *block + size);
        if (!block) return NULL;
        block->size = size;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *got = block->bytes + block->used;
    block->used += bytes;
    return got;
}

char *pio_arena_text(cfg_arena *arena, const char *text, size_t length)
{
    char *copy = pio_arena_take(arena, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void pio_arena_free(cfg_arena *arena)
{
    for (struct cfg_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    arena->blocks = NULL;
}
