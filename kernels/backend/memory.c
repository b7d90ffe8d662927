/* memory.c -- see memory.h. */
#include "kernels/backend/memory.h"

#include "kernels/backend/fault.h"

#include <stdlib.h>

int pio_device_memory(const pio_backend *backend, size_t size, void **memory)
{
    *memory = NULL;
    const int rc = pio_device_fault ? pio_device_fault("allocate") : 0;
    return rc ? rc : backend->allocate(size, memory);
}

int pio_arena_create(pio_arena *arena, const pio_backend *backend, size_t size)
{
    const char *guard = getenv("PIOLA_GUARD");
    void *base = NULL;
    const int rc = pio_device_memory(backend, size, &base);
    *arena = (pio_arena){.backend = backend, .base = rc ? NULL : base, .size = rc ? 0 : size};
    if (rc) return rc;
    arena->guarded = backend->guard && guard && guard[0] == '1';
    return arena->guarded ? backend->guard(base, size, 0) : 0;
}

void pio_arena_destroy(pio_arena *arena)
{
    if (arena->base) arena->backend->release(arena->base, arena->size);
    *arena = (pio_arena){0};
}

void *pio_arena_take(pio_arena *arena, size_t bytes)
{
    const size_t at = arena->used;
    arena->used += (bytes + 255) & ~(size_t)255;
    return arena->base && arena->used <= arena->size ? arena->base + at : NULL;
}

void pio_arena_open(pio_arena *arena)
{
    if (arena->guarded && arena->opened++ == 0) arena->backend->guard(arena->base, arena->size, 1);
}

void pio_arena_close(pio_arena *arena)
{
    if (arena->guarded && --arena->opened == 0) arena->backend->guard(arena->base, arena->size, 0);
}
