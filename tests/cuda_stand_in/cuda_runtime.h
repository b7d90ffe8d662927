/* cuda_runtime.h -- CUDA's words for g++, so that the text of kernels/backend/cuda*.cu compiles for the CPU. Lanes of a
 * block are fibres of one thread: what is shared is a variable of that thread. */
#ifndef PIOLA_TESTS_CUDA_RUNTIME_H
#define PIOLA_TESTS_CUDA_RUNTIME_H

#include "tests/cuda_stand_in/cuda_runtime_api.h"

#ifdef __cplusplus
#include <math.h>
#include <stdlib.h>

#include <cmath>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ thread_local
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
/* A barrier is known by its place, since compilers copy and merge calls. */
#define __syncthreads() stand_in_barrier(1, __FILE__, __LINE__)
#define __syncwarp() stand_in_barrier(0, __FILE__, __LINE__)
#define __shfl_down_sync(mask, value, delta) stand_in_from_lane(mask, value, delta, __FILE__, __LINE__)

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

/* The calling lane waits for those of its warp, or of the whole block. */
extern "C" void stand_in_barrier(int whole_block, const char *file, int line);
/* The number of the lane that many further in the warp, or, beyond its end, the own one; all lanes call this. */
double stand_in_from_lane(unsigned mask, double value, unsigned delta, const char *file, int line);

/* There is code for the only device. */
template <typename K> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, K)
{
    *attributes = cudaFuncAttributes();
    return cudaSuccess;
}

/* Bits that are set. */
static inline int __popcll(unsigned long long mask)
{
    return __builtin_popcountll(mask);
}

/* What this lane wrote is seen by all others before what it writes next. Blocks run one after another here. A
 * read-modify-write of one word for all, since the thread sanitizer knows no fences: it sees what is written before as
 * written before what follows any later call. */
static inline void __threadfence()
{
    static int word;
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
}

template <typename T> static inline T min(T a, T b)
{
    return b < a ? b : a;
}

template <typename T> static inline T atomicAdd(T *target, T value)
{
    return __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
}

template <typename T> static inline T atomicOr(T *target, T bits)
{
    return __atomic_fetch_or(target, bits, __ATOMIC_RELAXED);
}

template <typename T> static inline T atomicMin(T *target, T value)
{
    T seen = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(target, &seen, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen;
}

/* A launch, or, with a grid of no blocks, a copy or a fill that waits in a stream. */
struct stand_in_work {
    const char *name, *types; /* of the kernel, and what its arguments are */
    dim3 grid, block;
    size_t shared; /* bytes */
    cudaStream_t stream;
    const void *kernel;
    const void *arguments;
    size_t bytes; /* of the arguments */
    std::function<void()> lane;
};

/* Checks a launch and puts it into its stream; cudaGetLastError reports what is wrong. */
void stand_in_enqueue(const stand_in_work &work);

/* What packs the arguments at these addresses for a launch that is described but for them: they are copied when a
 * kernel is launched. Between their members is what lay there before, which could look like an address: the copies have
 * zeros there. */
typedef void (*stand_in_packer)(stand_in_work &work, void **given);
template <typename... P> struct stand_in_arguments {
    template <size_t... I> static void at(stand_in_work &work, void **given, std::index_sequence<I...>)
    {
        typedef std::tuple<P...> tuple;
        void (*const kernel)(P...) = (void (*)(P...))work.kernel;
        std::shared_ptr<tuple> copy(new (calloc(1, sizeof(tuple))) tuple(*static_cast<const P *>(given[I])...), free);
        std::apply([](auto &...argument) { (__builtin_clear_padding(&argument), ...); }, *copy);
        work.types = __PRETTY_FUNCTION__;
        work.arguments = copy.get();
        work.bytes = sizeof(tuple);
        work.lane = [kernel, copy] { std::apply(kernel, *copy); };
    }
    static void pack(stand_in_work &work, void **given) { at(work, given, std::index_sequence_for<P...>()); }
};

/* A kernel by its address alone, as nodes of graphs have it, is one that was launched before. */
void stand_in_known(const void *kernel, stand_in_packer packer);

template <typename... P>
static inline cudaError_t stand_in_launch(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, void **given,
                                          size_t dynamic, cudaStream_t stream)
{
    stand_in_work work = {name, nullptr, grid, block, dynamic, stream, (const void *)kernel, nullptr, 0, nullptr};
    stand_in_known(work.kernel, stand_in_arguments<P...>::pack);
    stand_in_arguments<P...>::pack(work, given);
    stand_in_enqueue(work);
    return cudaSuccess; /* cudaGetLastError says what is wrong */
}
#define cudaLaunchKernel(kernel, ...) stand_in_launch(#kernel, kernel, __VA_ARGS__)
#endif
#endif
