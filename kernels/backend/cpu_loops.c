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

/* Replaces n terms by their exclusive prefix sums on top of `sum`, and returns the sum of all. */
static int scan_each(int n, int *out, int sum)
{
    for (int i = 0; i < n; i++) {
        const int term = out[i];
        out[i] = sum;
        sum += term;
    }
    return sum;
}

/* The same; most terms are 0, because most cells of a box are empty, and a group of zeros is filled in vectors. */
static int scan_terms(int n, int *out, int sum)
{
    enum { GROUP = 16 };
    int first = 0;
    for (; first + GROUP <= n; first += GROUP) {
        int *group = out + first, any = 0;
        for (int j = 0; j < GROUP; j++) any |= group[j];
        if (any)
            sum = scan_each(GROUP, group, sum);
        else
            for (int j = 0; j < GROUP; j++) group[j] = sum;
    }
    return scan_each(n - first, out + first, sum);
}

/* The first pass over chunks: the sum of each. */
static void sum_chunks(int begin, int end, const pio_cpu_job *job)
{
    const int *terms = job->args;
    int *sums = job->out;
    for (int b = begin; b < end; b++) {
        int s = 0;
        for (int i = b * PIO_SCAN_CHUNK; i < min_int(job->count, (b + 1) * PIO_SCAN_CHUNK); i++) s += terms[i];
        sums[b] = s;
    }
}

/* The second one: prefix sums within each chunk, on top of the sum of all before it. */
static void scan_chunks(int begin, int end, const pio_cpu_job *job)
{
    const int *sums = job->args;
    int *out = job->out;
    for (int b = begin; b < end; b++) {
        const int first = b * PIO_SCAN_CHUNK;
        scan_terms(min_int(job->count - first, PIO_SCAN_CHUNK), out + first, sums[b]);
    }
}

void pio_cpu_scan(int n, int *out, int *work)
{
    const int blocks = (n + PIO_SCAN_CHUNK - 1) / PIO_SCAN_CHUNK, serial = SERIAL_ITEMS / PIO_SCAN_CHUNK;
    if (blocks <= serial || pio_cpu_threads() == 1) {
        out[n] = scan_terms(n, out, 0);
        return;
    }
    pio_cpu_run(sum_chunks, blocks, serial, &(pio_cpu_job){out, n, work});
    const int total = scan_each(blocks, work, 0);
    pio_cpu_run(scan_chunks, blocks, serial, &(pio_cpu_job){work, n, out});
    out[n] = total;
}
