/* memory.h -- the arena: all device memory of one simulation, sized before the first step, one reservation.
 *
 * Its layout is made twice by the same code: first without memory, to learn the size, then in memory.
 * With PIOLA_GUARD=1 the CPU backend makes the arena inaccessible except while a kernel or a copy runs: host code that
 * reads a device pointer then faults here, on a machine without a GPU, at the line that did it. */
#ifndef PIOLA_KERNELS_BACKEND_MEMORY_H
#define PIOLA_KERNELS_BACKEND_MEMORY_H

#include "kernels/backend/table.h"

typedef struct {
    const pio_backend *backend;
    char *base;        /* NULL while the layout is only measured */
    size_t used, size; /* bytes */
    int guarded, opened;
} pio_arena;

/* Sets *memory to `size` bytes of device memory outside any arena, zeroed, which are for backend->release(). Returns 0,
 * or the backend's error code; *memory is then NULL. */
int pio_device_memory(const pio_backend *backend, size_t size, void **memory);

/* Reserves `size` bytes, zeroed. Returns 0, or the backend's error code; the arena is then empty. */
int pio_arena_create(pio_arena *arena, const pio_backend *backend, size_t size);
/* Releases the memory of an arena, also of one that is empty. */
void pio_arena_destroy(pio_arena *arena);

/* Returns the next `bytes` bytes, at a multiple of 256; NULL while measuring, or when they exceed the size that was
 * measured. */
void *pio_arena_take(pio_arena *arena, size_t bytes);

/* Sets `pointer` to room for `count` of what it points to, as pio_arena_take. */
#define TAKE(arena, pointer, count) ((pointer) = pio_arena_take((arena), sizeof *(pointer) * (size_t)(count)))

/* Makes guarded memory accessible, before whatever may access device memory; calls nest. */
void pio_arena_open(pio_arena *arena);
/* The end of what pio_arena_open began. */
void pio_arena_close(pio_arena *arena);

#endif
