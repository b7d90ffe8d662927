/* cpu_loops.h -- a kernel as an OpenMP loop: what cpu_mpm_gather.c and its like make of a group of kernels each.
 * Groups are separate files so that a change to a kernel compiles its group alone.
 *
 * Items are run in blocks whose borders do not depend on the number of threads: a compiler may round the vector part
 * and the remainder of a loop differently, and this way it is always the same item that is in the remainder. */
#ifndef PIOLA_KERNELS_BACKEND_CPU_LOOPS_H
#define PIOLA_KERNELS_BACKEND_CPU_LOOPS_H

#include "kernels/backend/cpu_entries.h"

/* Below this many items, or teams, a loop runs on one thread: waking the others would take longer. No bit depends on
 * it. */
enum { SERIAL_ITEMS = 4096, SERIAL_TEAMS = 32 };

/* Returns min(n, *limit), or n without a limit. */
static inline int limited(int n, const int *limit)
{
    return limit && *limit < n ? *limit : n;
}

/* Returns the number of blocks of PIO_CHUNK items that n <= PIO_MOST_ITEMS items fill. */
static inline int blocks_of(int n)
{
    return (n + PIO_CHUNK - 1) / PIO_CHUNK;
}

/* Returns the smaller one. */
static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* The order of additions in one chunk: by halving, as in cuda_grids.cuh, hence the same rounding. */
static inline double halve(double t[PIO_CHUNK])
{
    for (int half = PIO_CHUNK / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) t[j] += t[j + half];
    return t[0];
}

/* clang-format off */
#define PARALLEL_BLOCKS \
    _Pragma("omp parallel for schedule(static) num_threads(pio_cpu_threads()) if (blocks * PIO_CHUNK > SERIAL_ITEMS)")
#define MAP(name, adjoint)                                                                                             \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args)                           \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const int count = limited(n, limit), blocks = blocks_of(count);                                                \
        PARALLEL_BLOCKS                                                                                                \
        for (int b = 0; b < blocks; b++) {                                                                             \
            const name##_args a = *args;                                                                               \
            const int end = min_int(count, (b + 1) * PIO_CHUNK);                                                       \
            for (int i = b * PIO_CHUNK; i < end; i++) name(i, &a);                                                     \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
#define TEAM(name, adjoint)                                                                                            \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args)                           \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const int count = limited(n, limit);                                                                           \
        _Pragma("omp parallel num_threads(pio_cpu_threads()) if (count > SERIAL_TEAMS)")                               \
        {                                                                                                              \
            const name##_args a = *args;                                                                               \
            name##_shared shared;                                                                                      \
            _Pragma("omp for schedule(static)")                                                                        \
            for (int t = 0; t < count; t++) name(t, &shared, &a);                                                      \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
#define SUM(name, adjoint)                                                                                             \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args, double *sum,              \
                        double *work)                                                                                  \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const int count = limited(n, limit), blocks = blocks_of(count);                                                \
        PARALLEL_BLOCKS                                                                                                \
        for (int b = 0; b < blocks; b++) {                                                                             \
            double t[PIO_CHUNK] = {0};                                                                                 \
            const int first = b * PIO_CHUNK, m = min_int(count - first, PIO_CHUNK);                                    \
            for (int j = 0; j < m; j++) t[j] = name(first + j, args);                                                  \
            work[b] = halve(t);                                                                                        \
        }                                                                                                              \
        pio_cpu_sum_levels(blocks, work, sum, work + blocks);                                                          \
        return 0;                                                                                                      \
    }
#define SCAN(name, adjoint)                                                                                            \
    int CPU_ENTRY(name)(pio_stream stream, int n, const name##_args *args, int *out, int *work)                        \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const int blocks = blocks_of(n);                                                                               \
        PARALLEL_BLOCKS                                                                                                \
        for (int b = 0; b < blocks; b++)                                                                               \
            for (int i = b * PIO_CHUNK; i < min_int(n, (b + 1) * PIO_CHUNK); i++) out[i] = name(i, args);              \
        pio_cpu_scan(n, out, work);                                                                                    \
        return 0;                                                                                                      \
    }
/* clang-format on */

#endif
