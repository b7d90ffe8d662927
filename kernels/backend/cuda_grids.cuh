/* cuda_grids.cuh -- a kernel as a grid: what cuda_mpm_gather.cu and its like make of a group of kernels each. Groups
 * are separate files so that a change to a kernel compiles its group alone, and that several are compiled at a time.
 *
 * Four launch templates, instantiated once per line of a list of kernels. Each grid states the threads of its blocks,
 * so that no kernel takes more registers than such a block can have. Built without relocatable device code;
 * contraction to FMA is the default, as on the CPU. */
#ifndef PIOLA_KERNELS_BACKEND_CUDA_GRIDS_CUH
#define PIOLA_KERNELS_BACKEND_CUDA_GRIDS_CUH

#include "kernels/backend/table.h"

/* MAP and TEAM grids have at most so many blocks, which go on to items a grid further: a limit on the device often
 * leaves few items of many, and blocks without any would still have to be started. It is 62 blocks for each of the 132
 * multiprocessors of an H100 or H200, so that items of unequal cost still even out. Tests make it small. */
#ifndef PIO_MOST_BLOCKS
#define PIO_MOST_BLOCKS 8192
#endif
enum { MOST_TEAMS = 4, STATIC_SHARED = 48 * 1024 };

/* Teams in a block of threads: as many as have room for their memory in what a block shares without opting in. */
template <typename Shared> struct teams_of {
    enum { TEAMS = MOST_TEAMS * sizeof(Shared) <= STATIC_SHARED ? MOST_TEAMS : MOST_TEAMS / 2 };
    enum { THREADS = TEAM_LANES * TEAMS };
    /* Blocks that a multiprocessor is to hold at least, 1 where that is left to the compiler. Where f32 teams take much
     * shared memory it would save registers for more of them than that memory has room for, and need local memory. */
    enum { BLOCKS = sizeof(real) == sizeof(float) && TEAMS * sizeof(Shared) > STATIC_SHARED / 2 ? 4 : 1 };
};

static_assert(PIO_MOST_ITEMS % PIO_CHUNK == 0 && PIO_MOST_ITEMS <= INT32_MAX - PIO_SCAN_CHUNK + 1,
              "the grids add up to a leaf to a number of items");

/* Blocks that n <= PIO_MOST_ITEMS items fill. */
static int blocks_of(int n, int per_block)
{
    return (n + per_block - 1) / per_block;
}

static int capped(int blocks)
{
    return blocks < PIO_MOST_BLOCKS ? blocks : PIO_MOST_BLOCKS;
}

/* Items that are run, in a number that can go a grid further without overflow. */
static __device__ __forceinline__ unsigned limited(int n, const int *limit)
{
    const int count = limit && *limit < n ? *limit : n;
    return count > 0 ? (unsigned)count : 0;
}

template <typename Args, void (*body)(int, const Args *)>
static __global__ void __launch_bounds__(PIO_CHUNK) map_grid(int n, const int *limit, const __grid_constant__ Args args)
{
    const unsigned count = limited(n, limit);
    for (unsigned i = blockIdx.x * PIO_CHUNK + threadIdx.x; i < count; i += gridDim.x * PIO_CHUNK) body((int)i, &args);
}

template <typename Args, void (*body)(int, const Args *)>
static int map(pio_stream stream, int n, const int *limit, const Args *args)
{
    const int blocks = capped(blocks_of(n, PIO_CHUNK));
    if (n > 0) map_grid<Args, body><<<blocks, PIO_CHUNK, 0, stream>>>(n, limit, *args);
    return cudaGetLastError();
}

/* One warp per team, several teams per block; teams never wait for one another. The compiler refuses more shared memory
 * than a block has without opting in. */
template <typename Shared, typename Args, void (*body)(int, Shared *, const Args *)>
static __global__ void __launch_bounds__(teams_of<Shared>::THREADS, teams_of<Shared>::BLOCKS)
    team_grid(int n, const int *limit, const __grid_constant__ Args args)
{
    const int teams = teams_of<Shared>::TEAMS;
    __shared__ Shared shared[teams];
    const unsigned count = limited(n, limit);
    for (unsigned t = blockIdx.x * teams + threadIdx.y; t < count; t += gridDim.x * teams) {
        body((int)t, shared + threadIdx.y, &args);
        TEAM_SYNC(); /* the next team's lanes write where those of this one still read */
    }
}

template <typename Shared, typename Args, void (*body)(int, Shared *, const Args *)>
static int team(pio_stream stream, int n, const int *limit, const Args *args)
{
    const int teams = teams_of<Shared>::TEAMS;
    const dim3 block(TEAM_LANES, teams);
    const int blocks = capped(blocks_of(n, teams));
    if (n > 0) team_grid<Shared, Args, body><<<blocks, block, 0, stream>>>(n, limit, *args);
    return cudaGetLastError();
}

/* One chunk by halving: the order of cpu_loops.h, hence the same rounding. */
template <typename Args, double (*term)(int, const Args *)>
static __global__ void __launch_bounds__(PIO_CHUNK)
    sum_grid(int n, const int *limit, const __grid_constant__ Args args, double *out)
{
    __shared__ double t[PIO_CHUNK];
    const int j = (int)threadIdx.x, i = (int)blockIdx.x * PIO_CHUNK + j;
    t[j] = (unsigned)i < limited(n, limit) ? term(i, &args) : 0;
    for (int half = PIO_CHUNK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (j < half) t[j] += t[j + half];
    }
    if (j == 0) out[blockIdx.x] = t[0];
}

struct partials {
    const double *value;
};
PIO_FN double partial(int i, const partials *p)
{
    return p->value[i];
}

template <typename Args, double (*term)(int, const Args *)>
static int sum(pio_stream stream, int n, const int *limit, const Args *args, double *result, double *work)
{
    const int chunks = blocks_of(n, PIO_CHUNK);
    if (n <= 0) return cudaMemsetAsync(result, 0, sizeof *result, stream);
    sum_grid<Args, term><<<chunks, PIO_CHUNK, 0, stream>>>(n, limit, *args, chunks > 1 ? work : result);
    if (chunks == 1) return cudaGetLastError();
    const partials level = {work};
    return sum<partials, partial>(stream, chunks, NULL, &level, result, work + chunks);
}

/* Exclusive prefix sums of one chunk (Hillis and Steele 1986), and the chunk's total. */
template <typename Args, int (*term)(int, const Args *)>
static __global__ void __launch_bounds__(PIO_SCAN_CHUNK)
    scan_grid(int n, const __grid_constant__ Args args, int *out, int *totals)
{
    __shared__ int t[2][PIO_SCAN_CHUNK];
    const int j = (int)threadIdx.x, i = (int)blockIdx.x * PIO_SCAN_CHUNK + j;
    const int own = i < n ? term(i, &args) : 0;
    int from = 0;
    t[0][j] = own;
    __syncthreads();
    for (int d = 1; d < PIO_SCAN_CHUNK; d *= 2) {
        t[1 - from][j] = t[from][j] + (j >= d ? t[from][j - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = t[from][j] - own;
    if (j == PIO_SCAN_CHUNK - 1) totals[blockIdx.x] = t[from][j];
}

static __global__ void __launch_bounds__(PIO_SCAN_CHUNK) scan_add(int n, int *out, const int *offsets, int chunks)
{
    const int i = (int)(blockIdx.x * PIO_SCAN_CHUNK + threadIdx.x);
    if (i < n) out[i] += offsets[blockIdx.x];
    if (i == 0) out[n] = offsets[chunks];
}

struct chunk_totals {
    const int *value;
};
PIO_FN int chunk_total(int i, const chunk_totals *c)
{
    return c->value[i];
}

static __global__ void set_int(int *target, const int *source)
{
    *target = *source;
}

/* totals of this level are work[0..chunks), their prefix sums work[chunks..2 chunks] */
template <typename Args, int (*term)(int, const Args *)>
static int scan(pio_stream stream, int n, const Args *args, int *out, int *work)
{
    const int chunks = blocks_of(n, PIO_SCAN_CHUNK);
    if (n <= 0) return cudaMemsetAsync(out, 0, sizeof *out, stream);
    scan_grid<Args, term><<<chunks, PIO_SCAN_CHUNK, 0, stream>>>(n, *args, out, work);
    if (chunks == 1) {
        set_int<<<1, 1, 0, stream>>>(out + n, work);
        return cudaGetLastError();
    }
    const chunk_totals level = {work};
    const int rc = scan<chunk_totals, chunk_total>(stream, chunks, &level, work + chunks, work + 2 * chunks + 1);
    if (rc) return rc;
    scan_add<<<chunks, PIO_SCAN_CHUNK, 0, stream>>>(n, out, work + chunks, chunks);
    return cudaGetLastError();
}

#define MAP(name, adjoint)                                                                                             \
    extern "C" int name##_cuda(pio_stream stream, int n, const int *limit, const name##_args *args)                    \
    {                                                                                                                  \
        return map<name##_args, name>(stream, n, limit, args);                                                         \
    }
#define TEAM(name, adjoint)                                                                                            \
    extern "C" int name##_cuda(pio_stream stream, int n, const int *limit, const name##_args *args)                    \
    {                                                                                                                  \
        return team<name##_shared, name##_args, name>(stream, n, limit, args);                                         \
    }
#define SUM(name, adjoint)                                                                                             \
    extern "C" int name##_cuda(pio_stream stream, int n, const int *limit, const name##_args *args, double *result,    \
                               double *work)                                                                           \
    {                                                                                                                  \
        return sum<name##_args, name>(stream, n, limit, args, result, work);                                           \
    }
#define SCAN(name, adjoint)                                                                                            \
    extern "C" int name##_cuda(pio_stream stream, int n, const name##_args *args, int *out, int *work)                 \
    {                                                                                                                  \
        return scan<name##_args, name>(stream, n, args, out, work);                                                    \
    }

#endif
