/* bench_roofline.c -- what the machine computes at most, and which share of that kernels reach. */
#include "host/bench/bench.h"
#include "solvers/engine/clock.h"

#include <math.h>
#include <string.h>

enum { REPETITIONS = 5, TURNS = 2000000, CHAINS = 12 }; /* 12 chains hide the latency of an FMA, in 16 registers too */

/* One loop: each of CHAINS vectors of `bytes` bytes is multiplied and added to TURNS times. The sum of all is returned,
 * so that no compiler leaves the loop out. */
#define FMA_LOOP(name, real, bytes, isa)                                                                               \
    isa static double name(real factor)                                                                                \
    {                                                                                                                  \
        typedef real vector __attribute__((vector_size(bytes)));                                                       \
        vector f = {0}, c0 = {1}, c1 = c0 + 1, c2 = c0 + 2, c3 = c0 + 3, c4 = c0 + 4, c5 = c0 + 5, c6 = c0 + 6,        \
               c7 = c0 + 7, c8 = c0 + 8, c9 = c0 + 9, c10 = c0 + 10, c11 = c0 + 11;                                    \
        f += factor;                                                                                                   \
        for (int i = 0; i < TURNS; i++) {                                                                              \
            c0 = c0 * f + f, c1 = c1 * f + f, c2 = c2 * f + f, c3 = c3 * f + f, c4 = c4 * f + f, c5 = c5 * f + f;      \
            c6 = c6 * f + f, c7 = c7 * f + f, c8 = c8 * f + f, c9 = c9 * f + f, c10 = c10 * f + f, c11 = c11 * f + f;  \
        }                                                                                                              \
        const vector sum = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9 + c10 + c11;                                \
        return (double)sum[0];                                                                                         \
    }

/* clang-format off */
FMA_LOOP(plain_f32, float, 16, )
FMA_LOOP(plain_f64, double, 16, )
#if defined(__x86_64__)
FMA_LOOP(v3_f32, float, 32, __attribute__((target("avx2,fma"))))
FMA_LOOP(v3_f64, double, 32, __attribute__((target("avx2,fma"))))
FMA_LOOP(v4_f32, float, 64, __attribute__((target("avx512f,fma"))))
FMA_LOOP(v4_f64, double, 64, __attribute__((target("avx512f,fma"))))
#endif
/* clang-format on */

double pio_bench_fma(int threads, const char *isa, bool f64)
{
    double bytes = 16, best = HUGE_VAL;
    double (*f32_loop)(float) = plain_f32, (*f64_loop)(double) = plain_f64;
#if defined(__x86_64__)
    if (!strcmp(isa, "x86-64-v3")) bytes = 32, f32_loop = v3_f32, f64_loop = v3_f64;
    if (!strcmp(isa, "x86-64-v4")) bytes = 64, f32_loop = v4_f32, f64_loop = v4_f64;
#else
    (void)isa;
#endif
    for (int i = 0; i < REPETITIONS; i++) {
        const double start = pio_clock();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int t = 0; t < threads; t++) {
            const volatile double kept = f64 ? f64_loop(0.5) : f32_loop(0.5f);
            (void)kept;
        }
        best = fmin(best, pio_clock() - start);
    }
    const double each = 2.0 * CHAINS * (bytes / (f64 ? 8 : 4)) * TURNS;
    return threads * each / best;
}

double pio_bench_least(const pio_kernel_work *work, double fma, double copy)
{
    return fmax(work->bytes / copy, work->operations / fma);
}

const pio_kernel_work *pio_bench_work(const pio_bench *b, const char *kernel)
{
    for (int i = 0; i < b->n_works; i++)
        if (!strcmp(b->works[i].kernel, kernel)) return &b->works[i];
    return NULL;
}

double pio_bench_share(const pio_bench *b, const pio_bench_kernel *kernel)
{
    const pio_bench_row *most = &b->rows[b->n_rows - 1];
    const pio_kernel_work *work = pio_bench_work(b, kernel->name);
    const double seconds = work && work->adjoint ? kernel->gradient : kernel->forward;
    if (!work || !(most->fma > 0) || !(seconds > 0)) return 0;
    return (double)b->options.steps * pio_bench_least(work, most->fma, most->copy) / seconds;
}
