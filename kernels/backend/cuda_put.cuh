/* cuda_put.cuh -- launches and fills on a GPU, which go into a stream or become parts of a graph.
 *
 * A graph is a chain of nodes. It is built by aiming at its parts in their order, and completed; later a part is aimed
 * at again to set its arguments anew, which needs the node that was added (CUDA runtime API, graph management). */
#ifndef PIOLA_KERNELS_BACKEND_CUDA_PUT_CUH
#define PIOLA_KERNELS_BACKEND_CUDA_PUT_CUH

#include "kernels/backend/table.h"

#include <cuda_runtime.h>

extern "C" {
/* Returns whether what the calling thread launches next is a part of a graph. */
int pio_cuda_aimed(void);
/* Makes a launch the part that is aimed at. Returns CUDA's error code. */
int pio_cuda_part(const cudaKernelNodeParams *launch);
/* Sets device memory to zero, in the stream or as that part. */
int pio_cuda_fill(pio_stream stream, void *target, size_t bytes);
}

/* The type of an argument, which is not deduced from what is given for it. */
template <typename T> struct given_as {
    typedef T type;
};

/* Launches a kernel, or makes the launch a part of a graph; returns CUDA's error code. */
template <typename... P>
static int launch(void (*kernel)(P...), int blocks, dim3 block, pio_stream stream, typename given_as<P>::type... given)
{
    void *arguments[] = {(void *)&given...};
    if (!pio_cuda_aimed()) {
        (void)cudaLaunchKernel(kernel, dim3((unsigned)blocks), block, arguments, 0, stream);
        return cudaGetLastError();
    }
    cudaKernelNodeParams part = {};
    part.func = (void *)kernel;
    part.gridDim = dim3((unsigned)blocks);
    part.blockDim = block;
    part.kernelParams = arguments;
    return pio_cuda_part(&part);
}

#endif
