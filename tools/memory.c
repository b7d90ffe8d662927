/* memory.c -- malloc and its kin, in front of the C library's: they do what those do, and note what is refused, to
 * whichever library (piola_memory_refused). `free` is the C library's own. */
#include "tools/guard.h"

#include "piola.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer has its own, and ends the process if memory is refused */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    bool ready;
} next;

/* Finds the next functions. The loader calls malloc before there is a second thread, and dlsym allocates nothing unless
 * it fails. */
static void find_next(void)
{
    static bool looking;
    if (looking) return;
    looking = true;
    *(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next.memalign = dlsym(RTLD_NEXT, "memalign");
    *(void **)&next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    next.ready = next.malloc && next.calloc && next.realloc && next.memalign && next.posix_memalign;
}

static bool ready(void)
{
    if (!next.ready) find_next();
    if (!next.ready) errno = ENOMEM;
    return next.ready;
}

static void *noted(void *got, size_t bytes)
{
    if (!got && bytes) piola_memory_refused(bytes);
    return got;
}

void *malloc(size_t size)
{
    return ready() ? noted(next.malloc(size), size) : NULL;
}

void *calloc(size_t n, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(n, size, &bytes)) bytes = (size_t)-1;
    return ready() ? noted(next.calloc(n, size), bytes) : NULL;
}

void *realloc(void *old, size_t size)
{
    return ready() ? noted(next.realloc(old, size), size) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return ready() ? noted(next.memalign(alignment, size), size) : NULL;
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return ready() ? noted(next.memalign(alignment, size), size) : NULL;
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (!ready()) return ENOMEM;
    const int code = next.posix_memalign(out, alignment, size);
    if (code == ENOMEM) piola_memory_refused(size);
    return code;
}

#endif
