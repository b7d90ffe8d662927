/* pool.c -- see pool.h. */
#include "host/base/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pio_pool_block {
    struct pio_pool_block *next;
    size_t used, size;
    _Alignas(16) char bytes[];
};

static void *refuse(pio_pool *pool, size_t bytes)
{
    if (!pool->refused) pool->refused = bytes;
    return NULL;
}

void *pio_pool_take(pio_pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return refuse(pool, bytes);
    bytes = (bytes + 15) & ~(size_t)15;
    struct pio_pool_block *block = pool->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;
        block = calloc(1, sizeof *block + size);
        if (!block) return refuse(pool, bytes);
        block->size = size;
        block->next = pool->blocks;
        pool->blocks = block;
    }
    void *got = block->bytes + block->used;
    block->used += bytes;
    return got;
}

char *pio_pool_text(pio_pool *pool, const char *text, size_t length)
{
    char *copy = pio_pool_take(pool, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void pio_pool_free(pio_pool *pool)
{
    for (struct pio_pool_block *block = pool->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *pool = (pio_pool){0};
}
