/* cpu_loops.c -- what all loops share, see cpu_entries.h. */
#include "kernels/backend/cpu_loops.h"

#include <omp.h>
#include <string.h>

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

void pio_cpu_run(pio_cpu_part part, int n, int serial, const pio_cpu_job *job)
{
    if (n <= serial || pio_cpu_threads() == 1) {
        if (n > 0) part(0, n, job);
        return;
    }
#pragma omp parallel num_threads(pio_cpu_threads())
    {
        const int64_t at = omp_get_thread_num(), all = omp_get_num_threads();
        part((int)(n * at / all), (int)(n * (at + 1) / all), job);
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
