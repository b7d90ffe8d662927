/* Room kernels/base: the dialect of kernel text, the names of laws and types, vectors and matrices, decompositions,
 * whole numbers on lattices, and the design's transforms. */
/* base.h -- the dialect that every kernel is written in: the common subset of C11, C++17 and CUDA.
 *
 * gcc reads this text as C for the CPU engine, nvcc as CUDA for the GPU engine, and g++ with `real` = a dual number for
 * the tests, where it gives exact directional derivatives. So in kernel text:
 *   - no designated initialisers, compound literals, VLAs, _Generic, `restrict`, templates or references;
 *   - sqrt, exp, floor, fabs without suffix: <tgmath.h> in C and overloads in C++ pick the precision;
 *   - every floating constant is written R(0.5), or W(0.5) in the double accumulators of sums;
 *   - no floating-point atomics, ever: a sum has a fixed order.
 *
 * The build sets PIO_REAL (float, double) and PIO_DIM (2, 3). */
#ifndef PIOLA_KERNELS_BASE_H
#define PIOLA_KERNELS_BASE_H

#include <stddef.h>
#include <stdint.h>

enum { DIM = PIO_DIM };

#ifdef PIO_DUAL
#include PIO_DUAL /* defines pio_dual and its arithmetic */
typedef pio_dual real;
typedef pio_dual wide;
typedef pio_dual narrow;
#else
typedef PIO_REAL real; /* what fields are stored and computed in */
typedef double wide;   /* what sums are accumulated in */
typedef float narrow;  /* what preconditioners are stored and computed in */
#endif

#define R(value) ((real)(value))
#define W(value) ((wide)(value))
#define NARROW(value) ((narrow)(value))

/* A team is TEAM_LANES lanes that share memory: a warp on CUDA, a plain loop on the CPU.
 *   LANES(j, n) {...}   runs the body for j = 0 .. n-1, spread over the lanes; iterations are independent. Where a
 *                       compiler knows that n <= TEAM_LANES, there is no loop on CUDA, and what depends on the lane
 *                       alone stays in registers.
 *   BY_LANE(entry, value)  a number that depends on the lane alone, as the entry of a PIO_TABLE and as an expression of
 *                       the same value: a CPU reads entries side by side; on CUDA lanes that read different entries of
 *                       a table wait for each other.
 *   TEAM_SYNC();        what lanes wrote to shared memory before is seen by all lanes after.
 *   PIO_VECTOR          before a short loop of independent iterations: a CPU is to run them side by side in one
 *                       register, where gcc would lay them one after the other.
 *   PIO_PREFETCH(p, w);  p is read soon, or where w is 1 written: a hint that changes no value, and p may lie past an
 *                       array's end.
 *   PIO_SHARED_FN       a PIO_FN of many branches, a law of every material: a CPU has one body of it that all kernels
 *                       of a group call (the copies would be most of an engine's text); CUDA inlines it.
 *   PIO_OUTLINE_FN      the same, and one body on CUDA, too: what is large and seldom a kernel's whole time.
 *   PER_LANE(T, name, k)  k variables of its own for each j < TEAM_LANES: name[0..k-1][LANE(j)], registers on CUDA.
 *   PIO_LANE_LOOPS      1 where a thread works on all lanes, a CPU; 0 where a lane is a thread.
 *   PIO_VECTOR_QUADS    1 where the compiler has vectors of four numbers: not in C++, nor below AVX, which has not four
 *                       doubles.
 *   PIO_WIDE_ROWS       1 where it has registers of four quads, which are of floats.
 *   PIO_QUAD_ROWS       1 where, in 3D, a row of nodes is such a register.
 *   PIO_NODE_ROWS       1 where, in 2D, such a register has one number of all nodes of a row of a tile, of which any
 *                       can be picked for any lane.
 *   PIO_PACK_BYTES      bytes of a pack of pack.h, a register of the CPU; 0 where a pack is one number: CUDA and C++.
 * A batch is what the lanes of a team work on at a time, one particle each:
 *   FULL_LANES(j)       all lanes, whether the batch fills them or not: a CPU computes with whole vectors.
 *   RUNS(r, n, own)     the runs r = 0 .. n-1 of neighbouring lanes that have something in common. `own` is that of the
 *                       calling lane: on CUDA all runs are worked on at a time, each lane in its own.
 *   RUN_LANES(j, a, b)  the lanes a .. b-1 of a run. A CPU goes on to the end of its last vector, at most RUN_WIDTH - 1
 *                       lanes more: what they hold may be set once more by the run after.
 *   NODE_LANES(q, n)    for q = 0 .. n-1, n <= TEAM_LANES a constant, each lane for one q on CUDA; a CPU writes the
 *                       bodies out. Variables T name[NODE_ROOM(n)] are name[NODE(q)], and stay in registers. */
enum { TEAM_LANES = 32, RUN_WIDTH = 8, NODE_ROW = 16 };

#ifdef __CUDACC__
#define PIO_FN static __device__ __forceinline__
#define PIO_SHARED_FN PIO_FN
#define PIO_OUTLINE_FN static __device__ __attribute__((noinline, unused))
#define PIO_TABLE static __device__ __constant__ const
#define PIO_UNROLL _Pragma("unroll")
#define PIO_UNROLL_ALL _Pragma("unroll")
#define PIO_VECTOR
#define LANES(j, n) for (int j = (int)threadIdx.x; j < (n); j = (n) <= TEAM_LANES ? (n) : j + TEAM_LANES)
#define BY_LANE(entry, value) (value)
#define TEAM_SYNC() __syncwarp()
#define PIO_LANE_LOOPS 0
#define PIO_VECTOR_QUADS 0
#define PIO_WIDE_ROWS 0
#define PIO_QUAD_ROWS 0
#define PIO_NODE_ROWS 0
#define PIO_PACK_BYTES 0
#define LANE_ROOM 1
#define PER_LANE(type, name, count) type name[count][LANE_ROOM]
#define LANE(j) ((j)&0)
#define FULL_LANES(j) for (int j = (int)threadIdx.x, once_ = 1; once_; once_ = 0)
#define OWN_LANE ((int)threadIdx.x)
#define RUNS(r, n, own) for (int r = (own); r < (n); r = (n))
#define RUN_LANES(j, begin, end) for (int j = OWN_LANE; j >= (begin) && j < (end); j = (end))
#define NODE_LANES(q, n) for (int q = OWN_LANE; q < (n); q = (n))
#define NODE_ROOM(n) 1
#define NODE(q) 0
#define PIO_PREFETCH(address, writes) ((void)(address))
#else
#ifndef __cplusplus
#include <tgmath.h>
#endif
#ifdef PIO_DUAL /* run for their answers alone */
#define PIO_FN static inline __attribute__((unused))
#else
#define PIO_FN static inline __attribute__((always_inline, unused))
#endif
#define PIO_SHARED_FN static __attribute__((noinline, unused))
#define PIO_OUTLINE_FN PIO_SHARED_FN
#define PIO_TABLE static const
#define PIO_UNROLL _Pragma("GCC unroll 4")
#define PIO_UNROLL_ALL _Pragma("GCC unroll 16")
#define PIO_VECTOR _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#define LANES(j, n) _Pragma("GCC ivdep") for (int j = 0; j < (n); j++)
#define BY_LANE(entry, value) (entry)
#define TEAM_SYNC() ((void)0)
#define PIO_LANE_LOOPS 1
#if defined(__cplusplus) || (defined(__x86_64__) && !defined(__AVX__))
#define PIO_VECTOR_QUADS 0
#else
#define PIO_VECTOR_QUADS 1
#endif
#define PIO_IS_float 1
#define PIO_IS_(type) PIO_IS_##type
#define PIO_IS(type) PIO_IS_(type)
#if PIO_VECTOR_QUADS && PIO_IS(PIO_REAL) && defined(__AVX512F__) && defined(__GNUC__) && __GNUC__ >= 12
#define PIO_WIDE_ROWS 1
#else
#define PIO_WIDE_ROWS 0
#endif
#define PIO_QUAD_ROWS (PIO_WIDE_ROWS && PIO_DIM == 3)
#define PIO_NODE_ROWS (PIO_WIDE_ROWS && PIO_DIM == 2)
#if defined(__cplusplus)
#define PIO_PACK_BYTES 0
#elif defined(__AVX512F__)
#define PIO_PACK_BYTES 64
#elif defined(__AVX__)
#define PIO_PACK_BYTES 32
#else
#define PIO_PACK_BYTES 16
#endif
#define LANE_ROOM (TEAM_LANES + RUN_WIDTH)
#define PER_LANE(type, name, count) type name[count][LANE_ROOM]
#define LANE(j) (j)
#define FULL_LANES(j) PIO_VECTOR for (int j = 0; j < TEAM_LANES; j++)
#define OWN_LANE 0
#define RUNS(r, n, own) for (int r = 0; r < (n); r++)
#define RUN_LANES(j, begin, end)                                                                                       \
    for (int vector_ = (begin); vector_ < (end) && read_anew(); vector_ += RUN_WIDTH)                                  \
    PIO_VECTOR for (int j = vector_; j < vector_ + RUN_WIDTH; j++)
#define NODE_LANES(q, n) _Pragma("GCC unroll 27") for (int q = 0; q < (n); q++)
#define NODE_ROOM(n) (n)
#define NODE(q) (q)
#define PIO_PREFETCH(address, writes) __builtin_prefetch(address, writes)
#endif

#if PIO_LANE_LOOPS
/* Returns 1; what is read from memory after it is read there again. What all lanes of a run have in common is so an
 * operand of instructions, where gcc would keep it in more registers than there are, on the stack. */
PIO_FN int read_anew(void)
{
    __asm__ volatile("" ::: "memory");
    return 1;
}
#endif

/* Adds to an integer that other items add to at the same time; returns the value before. The final value does not
 * depend on the order; the returned value does, and whoever uses it puts its results in order afterwards. */
PIO_FN int atomic_add_int(int *target, int value)
{
#ifdef __CUDACC__
    return atomicAdd(target, value);
#else
    return __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
#endif
}

/* Returns how many bits of a mask are set. */
PIO_FN int bits_set(uint64_t mask)
{
#ifdef __CUDACC__
    return __popcll(mask);
#else
    return __builtin_popcountll(mask);
#endif
}

/* Returns the number of the lowest bit that is set in a mask which is not 0. */
PIO_FN int first_bit(uint64_t mask)
{
#ifdef __CUDACC__
    return __popcll(~mask & (mask - 1));
#else
    return __builtin_ctzll(mask);
#endif
}

/* Adds `value` to *target while other items do the same; the sum, modulo 2^64, does not depend on their order. */
PIO_FN void atomic_add_u64(uint64_t *target, uint64_t value)
{
#ifdef __CUDACC__
    atomicAdd((unsigned long long *)target, (unsigned long long)value);
#else
    __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
#endif
}

/* Sets bits of *target while other items do the same; the result does not depend on their order. */
PIO_FN void atomic_or_u64(uint64_t *target, uint64_t bits)
{
#ifdef __CUDACC__
    atomicOr((unsigned long long *)target, (unsigned long long)bits);
#else
    __atomic_fetch_or(target, bits, __ATOMIC_RELAXED);
#endif
}

/* Sets *target to min(*target, value) while other items do the same; the result does not depend on their order. */
PIO_FN void atomic_min_u64(uint64_t *target, uint64_t value)
{
#ifdef __CUDACC__
    atomicMin((unsigned long long *)target, (unsigned long long)value);
#else
    uint64_t seen = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(target, &seen, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

/* Returns 1 where x is neither infinite nor NaN, else 0. */
PIO_FN int is_finite(real x)
{
    const real y = x - x;
    return y >= 0 && y <= 0;
}

#endif
