/* Room host/bench: measurements of engines and of files. */
/* bench.h -- measurements of an MPM engine: times, bytes, kernels. */
#ifndef PIOLA_HOST_BENCH_H
#define PIOLA_HOST_BENCH_H

#include "host/bench/bench_calls.h"
#include "host/bench/bench_case.h"

/* TIMERS: more than an engine has; KERNELS: more than a benchmark calls. */
enum { PIO_BENCH_REPETITIONS = 5, PIO_BENCH_ROWS = 16, PIO_BENCH_TIMERS = 512, PIO_BENCH_KERNELS = 128 };

typedef struct {
    double best, median; /* least and median of the repetitions */
} pio_spread;

/* The times for one number of threads. `cpu`: CPU time of the process (GPU: wall time) per particle and step, ns;
 * `wall`: wall time per step, s. */
typedef struct {
    int threads;                                                    /* number of threads */
    pio_spread forward_cpu, storing_cpu, adjoint_cpu, gradient_cpu; /* storing: forward, with every state kept */
    pio_spread forward_wall, gradient_wall;                         /* of a step, without and with its adjoint */
    double copy; /* B/s that these threads (GPU: the device) copy, bytes read plus bytes written */
    double fma;  /* operations/s of multiplications and additions by these threads (pio_bench_fma); GPU: 0, not known */
} pio_bench_row;

typedef struct {
    const char *name;         /* name of the kernel */
    double forward, gradient; /* s in the forward sweep; in both sweeps */
} pio_bench_kernel;

/* What one call of a hot kernel does, for all particles (bench_traffic.c). */
typedef struct {
    const char *kernel;       /* name of the kernel */
    bool adjoint;             /* called once in an adjoint step, otherwise once in a forward step */
    double bytes, operations; /* bytes that must be moved; multiplications, additions, divisions and roots */
} pio_kernel_work;
enum { PIO_BENCH_WORKS = 8 };

/* Bytes of device memory that one step must move. */
typedef struct {
    double forward, store, restore, adjoint; /* a step; keeping its state; restoring it; its adjoint */
} pio_traffic;

typedef struct {
    pio_engine_module engine;                    /* engine that is measured */
    pio_bench_case_options options;              /* of the benchmark case; threads: the greatest number */
    pio_engine_bytes bytes;                      /* memory of the simulation */
    int64_t particles, cells, nodes;             /* particles; occupied cells and active nodes at the start */
    int64_t box;                                 /* nodes of the box */
    bool on_cpu;                                 /* the engine runs on the processor */
    bool only_most;                              /* the most threads alone are measured, and no kernels */
    pio_bench_row rows[PIO_BENCH_ROWS];          /* [n_rows] times, one row for each number of threads */
    int n_rows;                                  /* number of rows */
    pio_bench_kernel kernels[PIO_BENCH_KERNELS]; /* [n_kernels] times of kernels, with the most threads */
    int n_kernels;                               /* number of kernels */
    double kernel_forward, kernel_gradient;      /* s, sums over all kernels */
    double slope, duration;                      /* s: d(mean position)/d(velocity), which must equal the duration */
    pio_bench_calls calls;                       /* what the steps of a gradient give the device to do */
    pio_traffic traffic;                         /* bytes that a step must move */
    pio_kernel_work works[PIO_BENCH_WORKS];      /* [n_works] what hot kernels do */
    int n_works;                                 /* number of these */
} pio_bench;

/* Measures, and fills all members except `engine`, `options` and `only_most`, which the caller sets. Returns
 * PIOLA_INTERNAL if the gradient is wrong, PIOLA_NO_MEMORY, and the errors of the engine. */
piola_status pio_bench_measure(pio_bench *b, piola_error *error);
/* Returns PIOLA_INTERNAL if the engine has more timers than PIO_BENCH_TIMERS, of which the others would be left out. */
piola_status pio_bench_has_room(const pio_engine *engine, pio_sim *sim, piola_error *error);

/* Measures the B/s, read plus written, of a copy by `threads` threads that is larger than the caches. Returns
 * PIOLA_NO_MEMORY without memory for them. */
piola_status pio_bench_copy_cpu(int threads, double *rate, piola_error *error);
/* Measures the same on the device, by save() of a state of `state` bytes. Returns PIOLA_UNAVAILABLE after an error of
 * the device, and the other errors of save(). */
piola_status pio_bench_copy_gpu(const pio_engine *engine, pio_sim *sim, size_t state, double *rate, piola_error *error);

/* Measures the operations/s, two for each multiplication with addition, of a loop that stays in registers, by `threads`
 * threads, in the vectors of instruction set `isa` and in f64 or f32. The loop is the host's, not the engine's; it is
 * built for x86-64-v4, for x86-64-v3 and, for another `isa`, for what the host is built for. */
double pio_bench_fma(int threads, const char *isa, bool f64);

/* Returns the least time, s, that a machine needs for this work, by its operations/s `fma` and the B/s `copy`
 * (Williams, Waterman and Patterson 2009). */
double pio_bench_least(const pio_kernel_work *work, double fma, double copy);
/* Returns the work of a kernel, or NULL if it is not counted. */
const pio_kernel_work *pio_bench_work(const pio_bench *b, const char *kernel);
/* Returns by what share a kernel reaches that least time with the most threads, or 0 where that is not known. */
double pio_bench_share(const pio_bench *b, const pio_bench_kernel *kernel);

/* Counts cells, nodes, traffic and the work of kernels from the particles' positions at the start (bench_traffic.c).
 * Returns PIOLA_NO_MEMORY without memory for that. */
piola_status pio_bench_count(pio_bench *b, const pio_bench_case *bench_case, piola_error *error);

#endif
