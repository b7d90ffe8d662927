/* cuda_calls.h -- what the modules over CUDA's libraries share: chains of calls that end at the first failure, and
 * device memory that is counted.
 *
 * Every library numbers its own failures; 0 is success everywhere. A module defines, for the library whose calls it
 * makes,
 *
 *     #define SPARSE(f, call) CALL(&(f)->calls, CUSPARSE_STATUS_ALLOC_FAILED, call)
 */
#ifndef PIOLA_KERNELS_BACKEND_CUDA_CALLS_H
#define PIOLA_KERNELS_BACKEND_CUDA_CALLS_H

#include "kernels/backend/direct.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

typedef struct {
    const char *library;        /* "cuSPARSE" */
    pio_direct_outcome outcome; /* the first failure stays; calls after it are not made */
    char *message;              /* [PIO_DIRECT_TEXT] */
    size_t bytes;               /* of device memory taken so far */
} cuda_calls;

/* `no_memory`: the code that means it. */
static inline void cuda_judge(cuda_calls *c, int code, int no_memory, const char *what)
{
    if (!code) return;
    c->outcome = code == no_memory ? PIO_DIRECT_NO_MEMORY : PIO_DIRECT_FAILED;
    snprintf(c->message, PIO_DIRECT_TEXT, "%.200s failed with code %d", what, code);
}

#define CALL(calls, no_memory, call)                                                                                   \
    do {                                                                                                               \
        if (!(calls)->outcome) cuda_judge((calls), (int)(call), (int)(no_memory), #call);                              \
    } while (0)
#define CUDA(f, call) CALL(&(f)->calls, cudaErrorMemoryAllocation, call)

/* A chain of calls begins. */
static inline void cuda_begin(cuda_calls *c, const char *library, char *message)
{
    c->library = library;
    c->outcome = PIO_DIRECT_OK;
    c->message = message;
}

/* NULL where there was a failure, or nothing is requested. */
static inline void *cuda_take(cuda_calls *c, size_t bytes)
{
    void *memory = NULL;
    if (c->outcome || bytes == 0) return NULL;
    if (cudaMalloc(&memory, bytes)) {
        (void)cudaGetLastError();
        c->outcome = PIO_DIRECT_NO_MEMORY;
        snprintf(c->message, PIO_DIRECT_TEXT, "%s's %zu bytes after %zu could not be allocated", c->library, bytes,
                 c->bytes);
        return NULL;
    }
    c->bytes += bytes;
    return memory;
}

/* Waits for the default stream, whose copies from memory of the host and whose settings of memory may go on after the
 * call that began them; the streams of simulations do not wait for it. */
static inline void cuda_settle(cuda_calls *c)
{
    CALL(c, cudaErrorMemoryAllocation, cudaStreamSynchronize(cudaStreamLegacy));
}

/* Memory with these ints of the host. */
static inline int *cuda_take_ints(cuda_calls *c, const int *host, size_t count)
{
    int *device = (int *)cuda_take(c, sizeof *host * count);
    CALL(c, cudaErrorMemoryAllocation, cudaMemcpy(device, host, sizeof *host * count, cudaMemcpyHostToDevice));
    cuda_settle(c);
    return device;
}

/* The device is there and the library's version is known (`missing`: no), or why not. */
static inline pio_direct_outcome cuda_probe(int device, const char *library, int missing, char *message)
{
    if (!missing && !cudaSetDevice(device)) return PIO_DIRECT_OK;
    (void)cudaGetLastError();
    snprintf(message, PIO_DIRECT_TEXT, "%s: device %d cannot be opened", library, device);
    return PIO_DIRECT_UNAVAILABLE;
}

#endif
