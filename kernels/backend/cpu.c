/* cpu.c -- the CPU backend: every kernel as an OpenMP loop, device memory as (guardable) pages.
 *
 * Items are run in blocks whose borders do not depend on the number of threads: a compiler may round the vector part
 * and the remainder of a loop differently, and this way it is always the same item that is in the remainder. */
#include "kernels/backend/table.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Below this many items, or teams, a loop runs on one thread: waking the others would take longer. No bit depends on
 * it. */
enum { SERIAL_ITEMS = 4096, SERIAL_TEAMS = 128 };

/* Threads of this engine's loops: what the last open() asked for. */
static int asked_threads;
static int threads(void)
{
    return asked_threads > 0 ? asked_threads : omp_get_max_threads();
}

static int limited(int n, const int *limit)
{
    return limit && *limit < n ? *limit : n;
}

static int blocks_of(int n)
{
    return (n + PIO_CHUNK - 1) / PIO_CHUNK;
}
static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* The order of additions in one chunk: by halving, as in cuda.cu, hence the same rounding. */
static double halve(double t[PIO_CHUNK])
{
    for (int half = PIO_CHUNK / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) t[j] += t[j + half];
    return t[0];
}

/* Sums of chunks of `in`, and sums of those, until one is left in *sum. */
static void sum_levels(int n, const double *in, double *sum, double *work)
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

/* counts[0..n) -> exclusive prefix sums out[0..n]. `out` holds the terms on entry. */
static void scan_in_place(int n, int *out, int *work)
{
    const int blocks = (n + PIO_SCAN_CHUNK - 1) / PIO_SCAN_CHUNK;
#pragma omp parallel for schedule(static) num_threads(threads()) if (n > SERIAL_ITEMS)
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
#pragma omp parallel for schedule(static) num_threads(threads()) if (n > SERIAL_ITEMS)
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

/* clang-format off */
#define PARALLEL_BLOCKS \
    _Pragma("omp parallel for schedule(static) num_threads(threads()) if (blocks * PIO_CHUNK > SERIAL_ITEMS)")
#define MAP(name, adjoint)                                                                                             \
    static int name##_cpu(pio_stream stream, int n, const int *limit, const name##_args *args)                         \
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
    static int name##_cpu(pio_stream stream, int n, const int *limit, const name##_args *args)                         \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const int count = limited(n, limit);                                                                           \
        _Pragma("omp parallel num_threads(threads()) if (count > SERIAL_TEAMS)")                                       \
        {                                                                                                              \
            const name##_args a = *args;                                                                               \
            name##_shared shared;                                                                                      \
            _Pragma("omp for schedule(static)")                                                                        \
            for (int t = 0; t < count; t++) name(t, &shared, &a);                                                      \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
#define SUM(name, adjoint)                                                                                             \
    static int name##_cpu(pio_stream stream, int n, const int *limit, const name##_args *args, double *sum,            \
                          double *work)                                                                                \
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
        sum_levels(blocks, work, sum, work + blocks);                                                                  \
        return 0;                                                                                                      \
    }
#define SCAN(name, adjoint)                                                                                            \
    static int name##_cpu(pio_stream stream, int n, const name##_args *args, int *out, int *work)                      \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const int blocks = blocks_of(n);                                                                               \
        PARALLEL_BLOCKS                                                                                                \
        for (int b = 0; b < blocks; b++)                                                                               \
            for (int i = b * PIO_CHUNK; i < min_int(n, (b + 1) * PIO_CHUNK); i++) out[i] = name(i, args);              \
        scan_in_place(n, out, work);                                                                                   \
        return 0;                                                                                                      \
    }
/* clang-format on */
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN

/* ---- device memory is host memory here ------------------------------------------------------------------ */

/* What /proc/meminfo calls available: free pages and those that only cache files. */
static size_t available_bytes(void)
{
    size_t kib = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 1024;
    FILE *meminfo = fopen("/proc/meminfo", "r");
    char line[256];
    while (meminfo && fgets(line, sizeof line, meminfo))
        if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) break;
    if (meminfo) fclose(meminfo);
    return kib * 1024;
}

static size_t cache_bytes(void)
{
    const long largest = sysconf(_SC_LEVEL3_CACHE_SIZE), smaller = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (size_t)(largest > 0 ? largest : smaller > 0 ? smaller : 0);
}

#if defined(__x86_64__)
/* The processor's own words (AMD64 Architecture Programmer's Manual 3, appendix E.4.3): no file that could fail to
 * open, since a run is continued only on the processor that began it. */
static void processor_name(char *name, size_t size)
{
    unsigned words[13] = {0};
    if (__get_cpuid_max(0x80000000, NULL) < 0x80000004) return;
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
    const char *text = (const char *)words + strspn((const char *)words, " ");
    int length = (int)strlen(text);
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length > 0) snprintf(name, size, "%.*s", length, text);
}
#else
static void processor_name(char *name, size_t size)
{
    FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (cpuinfo && fgets(line, sizeof line, cpuinfo)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (cpuinfo) fclose(cpuinfo);
}
#endif

static int cpu_open(int ordinal, int wanted, pio_device_info *info, pio_stream *stream)
{
    (void)ordinal;
    asked_threads = wanted;
    *stream = NULL;
    *info = (pio_device_info){.name = "CPU"};
    processor_name(info->name, sizeof info->name);
    info->free_bytes = available_bytes();
    info->cache_bytes = cache_bytes();
    return 0;
}

static void cpu_close(pio_stream stream)
{
    (void)stream;
}

static int cpu_allocate(size_t bytes, void **base)
{
    *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*base == MAP_FAILED) {
        *base = NULL;
        return errno;
    }
    madvise(*base, bytes, MADV_HUGEPAGE); /* fewer address look-ups in streams; a kernel without them may refuse */
    return 0;
}

static void cpu_release(void *base, size_t bytes)
{
    munmap(base, bytes);
}

static int cpu_guard(void *base, size_t bytes, int open)
{
    return mprotect(base, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE) ? errno : 0;
}

static int cpu_zero(pio_stream stream, void *target, size_t bytes)
{
    (void)stream;
    memset(target, 0, bytes);
    return 0;
}

static int cpu_copy(pio_stream stream, void *target, const void *source, size_t bytes)
{
    (void)stream;
    const size_t chunk = (size_t)1 << 20;
#pragma omp parallel for schedule(static) num_threads(threads()) if (bytes > chunk)
    for (size_t at = 0; at < bytes; at += chunk)
        memcpy((char *)target + at, (const char *)source + at, bytes - at < chunk ? bytes - at : chunk);
    return 0;
}

static int cpu_wait(pio_stream stream)
{
    (void)stream;
    return 0;
}

static const char *cpu_error_text(int code)
{
    return strerror(code);
}

const pio_backend pio_backend_cpu = {
    .name = "cpu",
    .kernels =
        {
#define MAP(name, adjoint) .name = name##_cpu,
#define TEAM(name, adjoint) .name = name##_cpu,
#define SUM(name, adjoint) .name = name##_cpu,
#define SCAN(name, adjoint) .name = name##_cpu,
#include "kernels/kernels.def"
        },
    .open = cpu_open,
    .close = cpu_close,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .guard = cpu_guard,
    .zero = cpu_zero,
    .copy = cpu_copy,
    .upload = cpu_copy,
    .download = cpu_copy,
    .wait = cpu_wait,
    .error_text = cpu_error_text,
    .direct = {"mumps"},
};
