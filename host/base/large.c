/* large.c -- see large.h. */
#include "host/base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20, LEAST = 8 << 20 };

void *pio_large_alloc(size_t bytes)
{
    if (bytes < LEAST || bytes > SIZE_MAX / 2) return malloc(bytes);
    const size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
    void *block = aligned_alloc(PAGE, whole);
    if (block) (void)madvise(block, whole, MADV_HUGEPAGE); /* a kernel without them may fail */
    return block;
}
