/* cpu_loops.c -- what all loops share, see cpu_entries.h. */
#include "kernels/backend/cpu_loops.h"

#include <omp.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

_Static_assert(PIO_MOST_ITEMS % PIO_CHUNK == 0 && PIO_MOST_ITEMS <= INT32_MAX - PIO_SCAN_CHUNK + 1,
               "the loops add up to a leaf to a number of items");

/* What the last call of pio_cpu_use_threads wanted. */
static int wanted_threads;

int pio_cpu_threads(void)
{
    return wanted_threads > 0 ? wanted_threads : omp_get_max_threads();
}

void pio_cpu_use_threads(int wanted)
{
    wanted_threads = wanted;
}

/* The bits of the control register of floating point by which subnormal operands and results are 0: DAZ and FTZ of
 * MXCSR (Intel 64 and IA-32 Architectures Software Developer's Manual 1, section 10.2.3), FZ of FPCR (Arm Architecture
 * Reference Manual for A-profile, C5.2.8). No bits where there is no such register. */
#if defined(__x86_64__)
typedef unsigned control_word;
static const control_word subnormals_are_zero = 1u << 6 | 1u << 15;
#define CONTROL() _mm_getcsr()
#define SET_CONTROL(word) _mm_setcsr(word)
#elif defined(__aarch64__)
typedef unsigned control_word;
static const control_word subnormals_are_zero = 1u << 24;
#define CONTROL() __builtin_aarch64_get_fpcr()
#define SET_CONTROL(word) __builtin_aarch64_set_fpcr(word)
#else
typedef unsigned control_word;
static const control_word subnormals_are_zero = 0;
#define CONTROL() 0
#define SET_CONTROL(word) ((void)(word))
#endif

/* Runs a part in which subnormal numbers are 0; the thread computes with them again afterwards, if it did before. */
static void run_part(pio_cpu_part part, int begin, int end, const pio_cpu_job *job)
{
    const control_word before = CONTROL();
    SET_CONTROL(before | subnormals_are_zero);
    part(begin, end, job);
    SET_CONTROL(before);
}

void pio_cpu_run(pio_cpu_part part, int n, int serial, const pio_cpu_job *job)
{
    if (n <= serial || pio_cpu_threads() == 1) {
        if (n > 0) run_part(part, 0, n, job);
        return;
    }
#pragma omp parallel num_threads(pio_cpu_threads())
    {
        const int64_t at = omp_get_thread_num(), all = omp_get_num_threads();
        run_part(part, (int)(n * at / all), (int)(n * (at + 1) / all), job);
    }
}

void pio_cpu_sum_levels(int n, const double *in, double *sum, double *work)
{
    while (n > 1) {
        const int chunks = blocks_of(n);
        for (int b = 0; b < chunks; b++) {
            double t[PIO_CHUNK] = {0};
            memcpy(t, in + (size_t)b * PIO_CHUNK, sizeof *in * (size_t)min_int(PIO_CHUNK, n - b * PIO_CHUNK));
            work[b] = halve(t);
        }
        in = work;
        work += chunks;
        n = chunks;
    }
    *sum = n == 1 ? in[0] : 0;
}
