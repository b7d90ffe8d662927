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

void pio_cpu_scan(int n, int *out, int *work)
{
    const int blocks = (n + PIO_SCAN_CHUNK - 1) / PIO_SCAN_CHUNK;
#pragma omp parallel for schedule(static) num_threads(pio_cpu_threads()) if (n > SERIAL_ITEMS)
    for (int b = 0; b < blocks; b++) {
        int s = 0;
        for (int i = b * PIO_SCAN_CHUNK; i < min_int(n, (b + 1) * PIO_SCAN_CHUNK); i++) s += out[i];
        work[b] = s;
    }
    int total = 0;
    for (int b = 0; b < blocks; b++) {
        const int s = work[b];
        work[b] = total;
        total += s;
    }
#pragma omp parallel for schedule(static) num_threads(pio_cpu_threads()) if (n > SERIAL_ITEMS)
    for (int b = 0; b < blocks; b++) {
        int s = work[b];
        for (int i = b * PIO_SCAN_CHUNK; i < min_int(n, (b + 1) * PIO_SCAN_CHUNK); i++) {
            const int t = out[i];
            out[i] = s;
            s += t;
        }
    }
    out[n] = total;
}
