/* cuda_grids.cuh -- a kernel as a grid: what cuda_mpm_gather.cu and its like make of a group of kernels each. Groups
 * are separate files so that a change to a kernel compiles its group alone, and that several are compiled at a time.
 *
 * Four launch templates, instantiated once per line of a list of kernels. Each grid states the threads of its blocks,
 * so that no kernel takes more registers than such a block can have. Built without relocatable device code;
 * contraction to FMA is the default, as on the CPU. */
#ifndef PIOLA_KERNELS_BACKEND_CUDA_GRIDS_CUH
#define PIOLA_KERNELS_BACKEND_CUDA_GRIDS_CUH

#include "kernels/backend/cuda_put.cuh"

/* MAP and TEAM grids have at most so many blocks, which go on to items a grid further: a limit on the device often
 * leaves few items of many, and blocks without any would still have to be started. It is 62 blocks for each of the 132
 * multiprocessors of an H100 or H200, so that items of unequal cost still even out. Tests make it small. */
#ifndef PIO_MOST_BLOCKS
#define PIO_MOST_BLOCKS 8192
#endif
enum { MOST_TEAMS = 4, STATIC_SHARED = 48 * 1024 };

/* Blocks that a multiprocessor is to hold at least, of a kernel whose file says so; 0: it does not. */
template <typename Shared> struct held_for {
    enum { BLOCKS = 0 };
};

/* Teams in a block of threads: as many as have room for their memory in what a block shares without opting in. */
template <typename Shared> struct teams_of {
    enum { TEAMS = MOST_TEAMS * sizeof(Shared) <= STATIC_SHARED ? MOST_TEAMS : MOST_TEAMS / 2 };
    enum { THREADS = TEAM_LANES * TEAMS };
    /* Blocks that a multiprocessor is to hold at least, 1 where that is left to the compiler. Where f32 teams take much
     * shared memory it would save registers for more of them than that memory has room for, and need local memory. */
    static const bool MUCH = sizeof(real) == sizeof(float) && TEAMS * sizeof(Shared) > STATIC_SHARED / 2;
    static const int HELD = held_for<Shared>::BLOCKS, BLOCKS = HELD > 0 ? HELD : MUCH ? 4 : 1;
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
    return n > 0 ? launch(map_grid<Args, body>, blocks, PIO_CHUNK, stream, n, limit, *args) : 0;
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
    return n > 0 ? launch(team_grid<Shared, Args, body>, blocks, block, stream, n, limit, *args) : 0;
}

/* ---- sums ------------------------------------------------------------------------------------------------- *
 *
 * A sum is one launch: each warp adds a chunk of items, the last block of PIO_CHUNK neighbouring chunks adds their
 * sums, and the last of those the levels above; which block is last differs from run to run, and what it adds, and in
 * which order, does not. The tree is that of cpu_loops.c. `work` has a counter before each group of PIO_CHUNK sums, and
 * one for the groups in front: places that do not depend on the number of items. Counters are 0 between launches:
 * memory begins as zeros, and who counts last sets them back. */

/* A block of few warps: a sum of some ten thousand items still has blocks for many multiprocessors. */
enum { WARP_LANES = 32, OF_LANE = PIO_CHUNK / WARP_LANES, SUM_WARPS = 2, SUM_THREADS = SUM_WARPS * WARP_LANES };
static_assert(PIO_CHUNK % SUM_WARPS == 0, "a block has chunks of one group alone");

/* Sum number k of the first level. */
static __device__ __forceinline__ volatile double *chunk_sum(double *work, unsigned k)
{
    return work + 2 + k + k / PIO_CHUNK;
}

/* The counter of group number g, or, g = -1, of the groups. */
static __device__ __forceinline__ unsigned *sum_counter(double *work, int g)
{
    return (unsigned *)(g < 0 ? work : work + 1 + (size_t)g * (PIO_CHUNK + 1));
}

/* Whether the calling block is the last of `expected` that call this for a counter. What each of them wrote before can
 * be read by the last one (CUDA C++ programming guide, memory fence functions). */
static __device__ __forceinline__ bool is_last(unsigned *counter, unsigned expected)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1u) == expected - 1;
        if (last) *(volatile unsigned *)counter = 0;
    }
    __syncthreads();
    const bool is = last;
    __threadfence();
    __syncthreads();
    return is;
}

/* The sum of a chunk by halving, of which this lane has the values lane, lane + WARP_LANES, ...: the order of
 * cpu_loops.h, hence the same rounding. Lane 0 has it. */
static __device__ __forceinline__ double halve(double own[OF_LANE])
{
#pragma unroll
    for (int half = OF_LANE / 2; half > 0; half /= 2) {
#pragma unroll
        for (int k = 0; k < half; k++) own[k] += own[k + half];
    }
#pragma unroll
    for (int half = WARP_LANES / 2; half > 0; half /= 2) own[0] += __shfl_down_sync(~0u, own[0], half);
    return own[0];
}

/* Adds PIO_CHUNK values, of which value k is chunk_sum(stride k), and those from `count` on are 0, from first to first
 * + PIO_CHUNK - 1, into the place of the first. The first warp calls this. */
static __device__ __forceinline__ void add_chunk(double *work, unsigned first, unsigned count, unsigned stride)
{
    double own[OF_LANE];
#pragma unroll
    for (int k = 0; k < OF_LANE; k++) {
        const unsigned i = first + threadIdx.x + k * WARP_LANES;
        own[k] = i < count ? *chunk_sum(work, i * stride) : 0;
    }
    const double sum = halve(own);
    if (threadIdx.x == 0) *chunk_sum(work, first * stride) = sum;
}

/* The calling block has added its chunks of a sum of that many. Returns whether it is the last one of all, whose first
 * warp has added the sums of the chunks: the result is in the place of the first. */
static __device__ __forceinline__ bool finish_sum(double *work, unsigned chunks)
{
    const unsigned groups = (chunks + PIO_CHUNK - 1) / PIO_CHUNK,
                   first = blockIdx.x * SUM_WARPS / PIO_CHUNK * PIO_CHUNK;
    const unsigned in_group = (min(chunks - first, (unsigned)PIO_CHUNK) + SUM_WARPS - 1) / SUM_WARPS;
    const bool adds = threadIdx.x < WARP_LANES;
    if (!is_last(sum_counter(work, (int)(first / PIO_CHUNK)), in_group)) return false;
    if (adds) add_chunk(work, first, chunks, 1);
    if (groups == 1) return true;
    if (!is_last(sum_counter(work, -1), groups)) return false;
    if (!adds) return true;
    unsigned stride = PIO_CHUNK;
    for (unsigned count = groups; count > 1; count = (count + PIO_CHUNK - 1) / PIO_CHUNK, stride *= PIO_CHUNK)
        for (unsigned from = 0; from < count; from += PIO_CHUNK) {
            add_chunk(work, from, count, stride);
            __syncwarp(); /* the next level reads what lane 0 wrote */
        }
    return true;
}

template <typename Args, double (*term)(int, const Args *)>
static __global__ void __launch_bounds__(SUM_THREADS)
    sum_grid(int n, const int *limit, const __grid_constant__ Args args, double *result, double *work)
{
    const unsigned lane = threadIdx.x % WARP_LANES, chunks = ((unsigned)n + PIO_CHUNK - 1) / PIO_CHUNK;
    const unsigned chunk = blockIdx.x * SUM_WARPS + threadIdx.x / WARP_LANES, count = limited(n, limit);
    double own[OF_LANE];
#pragma unroll
    for (int k = 0; k < OF_LANE; k++) {
        const unsigned i = chunk * PIO_CHUNK + lane + k * WARP_LANES;
        own[k] = i < count ? term((int)i, &args) : 0;
    }
    const double sum = halve(own);
    if (lane == 0 && chunk < chunks) *(chunks == 1 ? result : chunk_sum(work, chunk)) = sum;
    if (chunks == 1 || !finish_sum(work, chunks)) return;
    if (threadIdx.x == 0) *result = *chunk_sum(work, 0);
}

template <typename Args, double (*term)(int, const Args *)>
static int sum(pio_stream stream, int n, const int *limit, const Args *args, double *result, double *work)
{
    if (n <= 0) return pio_cuda_fill(stream, result, sizeof *result);
    const int blocks = blocks_of(n, SUM_WARPS * PIO_CHUNK);
    return launch(sum_grid<Args, term>, blocks, SUM_THREADS, stream, n, limit, *args, result, work);
}

/* ---- scans ------------------------------------------------------------------------------------------------ *
 *
 * A scan is one launch, by decoupled look-back (Merrill and Garland 2016): a block takes the next chunk, publishes its
 * total, and adds up those before until one whose prefix is known. Chunks are taken in the order in which blocks begin,
 * so that no block waits for one that has not begun. Whole numbers: how far a block looks back changes no bit.
 *
 * `work` has two counters, of the chunks taken and of those that are done, and a word for each chunk: PUBLISHED or
 * PREFIX in the upper two bits, the number in the others. All are 0 between launches: memory begins as zeros, and the
 * last block sets them back. */
typedef unsigned long long scan_word;
enum { LOOK_BACK = PIO_SCAN_CHUNK, SCAN_BITS = 62, PUBLISHED = 1, PREFIX = 2 };

static __device__ __forceinline__ scan_word scan_word_of(int state, scan_word value)
{
    return (scan_word)state << SCAN_BITS | value;
}

/* The number of a word. */
static __device__ __forceinline__ scan_word scan_value(scan_word word)
{
    return word & (((scan_word)1 << SCAN_BITS) - 1);
}

/* The word of a chunk that is published, or will be by a block that runs. */
static __device__ __forceinline__ scan_word wait_for_word(const volatile scan_word *word)
{
    scan_word seen = *word;
    while (seen == 0) seen = *word;
    return seen;
}

/* The sum of the totals before chunk number `chunk`; all threads of the block call this. */
static __device__ __forceinline__ scan_word look_back(const scan_word *words, int chunk)
{
    __shared__ int nearest;
    __shared__ scan_word before;
    const int j = (int)threadIdx.x;
    if (chunk == 0) return 0;
    if (j == 0) before = 0;
    for (int from = chunk - 1; from >= 0; from -= LOOK_BACK) { /* chunks from, from - 1, ... */
        const int k = from - j;
        scan_word word = 0;
        if (j == 0) nearest = LOOK_BACK;
        __syncthreads();
        if (k >= 0) word = wait_for_word(words + k);
        if (word >> SCAN_BITS == PREFIX) atomicMin(&nearest, j);
        __syncthreads();
        if (word && j <= nearest) atomicAdd(&before, scan_value(word));
        const bool found = nearest < LOOK_BACK;
        __syncthreads();
        if (found) break;
    }
    return before;
}

/* The chunk that the calling block takes. */
static __device__ __forceinline__ int take_chunk(unsigned *counter)
{
    __shared__ int chunk;
    if (threadIdx.x == 0) chunk = gridDim.x == 1 ? 0 : (int)atomicAdd(counter, 1u);
    __syncthreads();
    return chunk;
}

/* Inclusive prefix sum of this thread's number among those of the block (Hillis and Steele 1986). */
static __device__ __forceinline__ scan_word prefix_in_block(scan_word t[2][PIO_SCAN_CHUNK], scan_word own)
{
    const int j = (int)threadIdx.x;
    int from = 0;
    t[0][j] = own;
    __syncthreads();
    for (int d = 1; d < PIO_SCAN_CHUNK; d *= 2) {
        t[1 - from][j] = t[from][j] + (j >= d ? t[from][j - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    return t[from][j];
}

template <typename Args, uint64_t (*number)(int, const Args *), void (*put)(int, uint64_t, const Args *)>
static __global__ void __launch_bounds__(PIO_SCAN_CHUNK) scan_grid(int n, const __grid_constant__ Args args, int *work)
{
    __shared__ scan_word t[2][PIO_SCAN_CHUNK];
    unsigned *counter = (unsigned *)work;
    scan_word *words = (scan_word *)work + 1;
    const int j = (int)threadIdx.x, chunks = (int)gridDim.x, chunk = take_chunk(counter);
    const int i = chunk * PIO_SCAN_CHUNK + j;
    const scan_word own = i < n ? number(i, &args) : 0, upto = prefix_in_block(t, own);
    scan_word before = 0;
    if (chunks > 1) {
        volatile scan_word *const word = words + chunk;
        if (j == PIO_SCAN_CHUNK - 1) *word = scan_word_of(chunk ? PUBLISHED : PREFIX, upto);
        before = look_back(words, chunk);
        if (j == PIO_SCAN_CHUNK - 1 && chunk) *word = scan_word_of(PREFIX, before + upto);
    }
    if (i < n) put(i, before + upto - own, &args);
    if (chunk == chunks - 1 && j == PIO_SCAN_CHUNK - 1) put(n, before + upto, &args);
    if (chunks == 1 || !is_last(counter + 1, (unsigned)chunks)) return;
    for (int k = j; k < chunks; k += PIO_SCAN_CHUNK) words[k] = 0;
    if (j == 0) *counter = 0;
}

template <typename Args, uint64_t (*number)(int, const Args *), void (*put)(int, uint64_t, const Args *)>
static int scan(pio_stream stream, int n, const Args *args, int *work)
{
    const int blocks = n > 0 ? blocks_of(n, PIO_SCAN_CHUNK) : 1;
    return launch(scan_grid<Args, number, put>, blocks, PIO_SCAN_CHUNK, stream, n, *args, work);
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
    extern "C" int name##_cuda(pio_stream stream, int n, const name##_args *args, int *work)                           \
    {                                                                                                                  \
        return scan<name##_args, name, name##_put>(stream, n, args, work);                                             \
    }

#endif
