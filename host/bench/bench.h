/* Room host/bench: measures engines and files. */
/* bench.h -- measuring an MPM engine: times, bytes, kernels. */
#ifndef PIOLA_HOST_BENCH_H
#define PIOLA_HOST_BENCH_H

#include "host/bench/trial.h"

enum { PIO_BENCH_REPETITIONS = 5, PIO_BENCH_ROWS = 16, PIO_BENCH_KERNELS = 64 };

typedef struct {
    double best, median;
} pio_spread;

/* One number of threads. `cpu`: ns of CPU time of the process (GPU: of wall time) per particle-step; `wall`: s per
 * step. */
typedef struct {
    int threads;
    pio_spread forward_cpu, storing_cpu, reverse_cpu, gradient_cpu; /* storing: forward, keeping every state */
    pio_spread forward_wall, gradient_wall;
    double copy; /* B/s that this many threads (GPU: the device) copy, read and written bytes counted */
} pio_bench_row;

typedef struct {
    const char *name;
    double forward, gradient; /* s */
} pio_bench_kernel;

/* Bytes of device memory that one step must move, in all. */
typedef struct {
    double forward, store, restore, reverse;
} pio_traffic;

typedef struct {
    pio_engine_module engine;
    pio_trial_options options; /* of the trial; threads: the most */
    pio_engine_bytes bytes;
    int64_t particles, cells, nodes; /* cells occupied and nodes active at the start */
    bool on_cpu;
    pio_bench_row rows[PIO_BENCH_ROWS];
    int n_rows;
    pio_bench_kernel kernels[PIO_BENCH_KERNELS];
    int n_kernels;
    double kernel_forward, kernel_gradient; /* s, of all kernels */
    double slope, duration;                 /* s: d(mean position)/d(velocity), which must be the duration */
    pio_traffic traffic;
} pio_bench;

/* Fill everything but `engine` and `options`, which are given. */
piola_status pio_bench_measure(pio_bench *b, piola_error *error);

/* Bytes read and written per second by a copy that no cache holds: by threads of our own; by save() of a state. */
piola_status pio_bench_copy_cpu(int threads, double *rate, piola_error *error);
piola_status pio_bench_copy_gpu(const pio_engine *engine, pio_sim *sim, size_t state, double *rate, piola_error *error);

/* bench_traffic.c: cells, nodes and traffic, counted from the trial's positions at the start. */
piola_status pio_bench_count(pio_bench *b, const pio_trial *trial, piola_error *error);

#endif
