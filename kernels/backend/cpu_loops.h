/* cpu_loops.h -- a kernel as an OpenMP loop: what cpu_mpm_gather.c and its like make of a group of kernels each.
 * Groups are separate files so that a change to a kernel compiles its group alone.
 *
 * Items are run in blocks whose borders do not depend on the number of threads: a compiler may round the vector part
 * and the remainder of a loop differently, and this way it is always the same item that is in the remainder. */
#ifndef PIOLA_KERNELS_BACKEND_CPU_LOOPS_H
#define PIOLA_KERNELS_BACKEND_CPU_LOOPS_H

#include "kernels/backend/cpu_entries.h"

/* Up to this many items, teams, or numbers of a scan, a loop runs on one thread: waking the others would take longer.
 * No bit depends on it. */
enum { SERIAL_ITEMS = 4096, SERIAL_TEAMS = 32, SERIAL_SCAN = 512 };

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

/* Returns the first of n items in part k of a scan. */
static inline int scan_border(int n, int k)
{
    return (int)((int64_t)n * k / PIO_SCAN_PARTS);
}

/* The order of additions in one chunk: by halving, as in cuda_grids.cuh, hence the same rounding. */
static inline double halve(double t[PIO_CHUNK])
{
    for (int half = PIO_CHUNK / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) t[j] += t[j + half];
    return t[0];
}

/* The name of a kernel's part. */
#define CPU_PART(name) CPU_JOIN(CPU_ENTRY(name), _part)

/* clang-format off */
#define MAP(name, adjoint)                                                                                             \
    static void CPU_PART(name)(int begin, int end, const pio_cpu_job *job)                                             \
    {                                                                                                                  \
        const name##_args a = *(const name##_args *)job->args;                                                         \
        for (int b = begin; b < end; b++) {                                                                            \
            const int last = min_int(job->count, (b + 1) * PIO_CHUNK);                                                 \
            for (int i = b * PIO_CHUNK; i < last; i++) name(i, &a);                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args)                           \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const pio_cpu_job job = {args, limited(n, limit), NULL};                                                       \
        pio_cpu_run(CPU_PART(name), blocks_of(job.count), SERIAL_ITEMS / PIO_CHUNK, &job);                             \
        return 0;                                                                                                      \
    }
#define TEAM(name, adjoint)                                                                                            \
    static void CPU_PART(name)(int begin, int end, const pio_cpu_job *job)                                             \
    {                                                                                                                  \
        const name##_args a = *(const name##_args *)job->args;                                                         \
        name##_shared shared;                                                                                          \
        for (int t = begin; t < end; t++) name(t, &shared, &a);                                                        \
    }                                                                                                                  \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args)                           \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const pio_cpu_job job = {args, limited(n, limit), NULL};                                                       \
        pio_cpu_run(CPU_PART(name), job.count, SERIAL_TEAMS, &job);                                                    \
        return 0;                                                                                                      \
    }
#define SUM(name, adjoint)                                                                                             \
    static void CPU_PART(name)(int begin, int end, const pio_cpu_job *job)                                             \
    {                                                                                                                  \
        const name##_args a = *(const name##_args *)job->args;                                                         \
        double *work = job->out;                                                                                       \
        for (int b = begin; b < end; b++) {                                                                            \
            double t[PIO_CHUNK] = {0};                                                                                 \
            const int first = b * PIO_CHUNK, m = min_int(job->count - first, PIO_CHUNK);                               \
            for (int j = 0; j < m; j++) t[j] = name(first + j, &a);                                                    \
            work[b] = halve(t);                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args, double *sum,              \
                        double *work)                                                                                  \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const pio_cpu_job job = {args, limited(n, limit), work};                                                       \
        const int blocks = blocks_of(job.count);                                                                       \
        pio_cpu_run(CPU_PART(name), blocks, SERIAL_ITEMS / PIO_CHUNK, &job);                                           \
        pio_cpu_sum_levels(blocks, work, sum, work + blocks);                                                          \
        return 0;                                                                                                      \
    }
#define SCAN(name, adjoint)                                                                                            \
    static uint64_t CPU_JOIN(CPU_ENTRY(name), _put_each)(int begin, int end, uint64_t sum, const name##_args *a)       \
    {                                                                                                                  \
        for (int i = begin; i < end; i++) {                                                                            \
            const uint64_t number = name(i, a);                                                                        \
            name##_put(i, sum, a);                                                                                     \
            sum += number;                                                                                             \
        }                                                                                                              \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void CPU_JOIN(CPU_ENTRY(name), _sum_part)(int begin, int end, const pio_cpu_job *job)                       \
    {                                                                                                                  \
        const name##_args a = *(const name##_args *)job->args;                                                         \
        uint64_t *sums = job->out;                                                                                     \
        for (int k = begin; k < end; k++) {                                                                            \
            sums[k] = 0;                                                                                               \
            for (int i = scan_border(job->count, k); i < scan_border(job->count, k + 1); i++) sums[k] += name(i, &a);  \
        }                                                                                                              \
    }                                                                                                                  \
    static void CPU_JOIN(CPU_ENTRY(name), _put_part)(int begin, int end, const pio_cpu_job *job)                       \
    {                                                                                                                  \
        const name##_args a = *(const name##_args *)job->args;                                                         \
        const uint64_t *sums = job->out;                                                                               \
        for (int k = begin; k < end; k++)                                                                              \
            CPU_JOIN(CPU_ENTRY(name), _put_each)                                                                       \
            (scan_border(job->count, k), scan_border(job->count, k + 1), sums[k], &a);                                 \
    }                                                                                                                  \
    int CPU_ENTRY(name)(pio_stream stream, int n, const name##_args *args, int *work)                                  \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        uint64_t *sums = (uint64_t *)(void *)work, sum = 0;                                                            \
        const pio_cpu_job job = {args, n, sums};                                                                       \
        if (n <= SERIAL_SCAN || pio_cpu_threads() == 1) {                                                              \
            const name##_args a = *args;                                                                               \
            sum = CPU_JOIN(CPU_ENTRY(name), _put_each)(0, n, 0, &a);                                                   \
        } else {                                                                                                       \
            pio_cpu_run(CPU_JOIN(CPU_ENTRY(name), _sum_part), PIO_SCAN_PARTS, 0, &job);                                \
            for (int k = 0; k < PIO_SCAN_PARTS; k++) {                                                                 \
                const uint64_t before = sum;                                                                           \
                sum += sums[k];                                                                                        \
                sums[k] = before;                                                                                      \
            }                                                                                                          \
            pio_cpu_run(CPU_JOIN(CPU_ENTRY(name), _put_part), PIO_SCAN_PARTS, 0, &job);                                \
        }                                                                                                              \
        name##_put(n, sum, args);                                                                                      \
        return 0;                                                                                                      \
    }
/* clang-format on */

#endif
