/* planted.cu -- kernels with faults, which the stand-in must find, and the same without. Compiled as
 * kernels/backend/cuda*.cu are. */
#include "tests/cuda_stand_in/planted.h"

/* out[i] = 100 - i by way of shared memory, whose fixed part and whose part of a given size are used alike. */
template <int barrier> static __global__ void mirrored(double *out)
{
    __shared__ double fixed[PLANTED_LANES];
    extern __shared__ __align__(16) unsigned char shared[];
    double *sized = (double *)shared;
    const int i = (int)threadIdx.x, last = PLANTED_LANES - 1;
    fixed[i] = i;
    sized[i] = 100 - last;
    if (barrier) __syncthreads();
    out[blockIdx.x * PLANTED_LANES + i] = sized[last - i] + fixed[last - i];
}

void planted_mirrored(cudaStream_t stream, int barrier, double *out)
{
    const size_t bytes = PLANTED_LANES * sizeof *out;
    void *given[] = {&out};
    if (barrier)
        cudaLaunchKernel(mirrored<1>, PLANTED_BLOCKS, PLANTED_LANES, given, bytes, stream);
    else
        cudaLaunchKernel(mirrored<0>, PLANTED_BLOCKS, PLANTED_LANES, given, bytes, stream);
}

/* Lanes of one warp part ways. */
static __global__ void divergent(int way)
{
    const int first = threadIdx.x % WARP_LANES < 16;
    if (way == PLANTED_ONE_LEAVES && threadIdx.x == 3) return;
    if (way == PLANTED_TWO_PLACES && first)
        __syncwarp();
    else if (way == PLANTED_TWO_KINDS && first)
        __syncthreads();
    else if (way != PLANTED_HALF_OF_BLOCK || threadIdx.x < WARP_LANES)
        __syncwarp();
    if (way != PLANTED_HALF_OF_BLOCK || threadIdx.x < WARP_LANES) __syncthreads();
}

void planted_divergent(cudaStream_t stream, int way)
{
    void *given[] = {&way};
    cudaLaunchKernel(divergent, 1, PLANTED_LANES, given, 0, stream);
}

static __global__ void last_block(int *out)
{
    *out = (int)blockIdx.x;
}

void planted_last_block(cudaStream_t stream, int *out)
{
    void *given[] = {&out};
    cudaLaunchKernel(last_block, PLANTED_BLOCKS, 1, given, 0, stream);
}

/* out[at] = value */
static __global__ void store(double *out, const double *value, int at)
{
    out[at] = *value;
}

void planted_store(cudaStream_t stream, double *out, const double *value, int at)
{
    void *given[] = {&out, &value, &at};
    cudaLaunchKernel(store, 1, 1, given, 0, stream);
}

static __global__ void nothing() {}

void planted_shape(cudaStream_t stream, planted_grid grid)
{
    const dim3 block(grid.lanes, 1, grid.deep);
    cudaLaunchKernel(nothing, dim3(grid.blocks, grid.rows), block, nullptr, grid.shared, stream);
}
