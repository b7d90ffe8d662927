/* cpu_entries.h -- what the files of the CPU backend share: the loops of all kernels, and functions that loops use. */
#ifndef PIOLA_KERNELS_BACKEND_CPU_ENTRIES_H
#define PIOLA_KERNELS_BACKEND_CPU_ENTRIES_H

#include "kernels/backend/table.h"

/* The name of a kernel's loop. A test builds the loops twice, under names of its own. */
#ifndef PIO_CPU_TAG
#define PIO_CPU_TAG _cpu
#endif
#define CPU_JOIN_NOW(name, tag) name##tag
#define CPU_JOIN(name, tag) CPU_JOIN_NOW(name, tag)
#define CPU_ENTRY(name) CPU_JOIN(name, PIO_CPU_TAG)

/* The loops' entries in the table of kernels. */
#define MAP(name, adjoint) int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args);
#define TEAM(name, adjoint) MAP(name, adjoint)
#define SUM(name, adjoint)                                                                                             \
    int CPU_ENTRY(name)(pio_stream stream, int n, const int *limit, const name##_args *args, double *sum, double *work);
#define SCAN(name, adjoint) int CPU_ENTRY(name)(pio_stream stream, int n, const name##_args *args, int *work);
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN

/* Returns the number of threads of this engine's loops, >= 1. */
int pio_cpu_threads(void);
/* Sets that number; `wanted` <= 0: as many as OpenMP takes. */
void pio_cpu_use_threads(int wanted);

/* What the parts of a loop share: the arguments of a kernel, its number of items, and what it writes to, or NULL. */
typedef struct {
    const void *args; /* arguments of the kernel */
    int count;        /* number of items */
    void *out;        /* array of its results */
} pio_cpu_job;

/* A part of a loop: its steps begin to end - 1, which no other part has. */
typedef void (*pio_cpu_part)(int begin, int end, const pio_cpu_job *job);

/* Runs the n >= 0 steps of a loop, each thread a part of consecutive ones; up to `serial` of them on this thread alone,
 * without a team of OpenMP, which costs half a microsecond even if it has one thread. A part is called by its address,
 * so that its code, and with it each rounding, is the same for any number of threads. In parts, subnormal numbers are 0
 * (docs/decisions/042-subnormal-numbers.md); the caller's thread computes as before afterwards. */
void pio_cpu_run(pio_cpu_part part, int n, int serial, const pio_cpu_job *job);

/* Sets *sum to in[0] + ... + in[n - 1]: sums of chunks of PIO_CHUNK numbers, and sums of those, until one is left.
 * `work` holds PIO_SUM_WORK(PIO_CHUNK n) numbers, of which `in` may be the first n. */
void pio_cpu_sum_levels(int n, const double *in, double *sum, double *work);

#endif
