/* cpu.c -- the CPU backend: its table of kernels, and device memory as (guardable) pages. The kernels' loops are in
 * the other files of this name. */
#include "kernels/backend/cpu_entries.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

/* The bytes of the first processor's largest cache by Linux's list, or else by the C library, which on some processors
 * sums the caches of all groups of cores, though one core reaches one of them. */
static size_t cache_bytes(void)
{
    size_t most = 0;
    for (int i = 0; i < 8; i++) {
        char path[80];
        size_t kib = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        FILE *size = fopen(path, "r");
        if (size && fscanf(size, "%zuK", &kib) == 1 && kib * 1024 > most) most = kib * 1024;
        if (size) fclose(size);
    }
    if (most) return most;
    const long largest = sysconf(_SC_LEVEL3_CACHE_SIZE), smaller = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (size_t)(largest > 0 ? largest : smaller > 0 ? smaller : 0);
}

#if defined(__x86_64__)
/* The processor's brand string (AMD64 Architecture Programmer's Manual 3, appendix E.4.3), which needs no file that
 * could fail to open, since a run is continued only on the processor that began it. */
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
/* The first processor of /proc/cpuinfo: its model's name, or where Linux writes the fields of the register MIDR_EL1
 * instead, as on arm64, implementer, part, variant and revision (Arm Architecture Reference Manual for A-profile). */
static void processor_name(char *name, size_t size)
{
    static const char *const keys[] = {"CPU implementer", "CPU part", "CPU variant", "CPU revision"};
    char numbers[4][16] = {""}, line[256];
    FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
    while (cpuinfo && fgets(line, sizeof line, cpuinfo)) {
        const char *colon = strstr(line, ": ");
        if (!colon && line[0] == '\n') break; /* the others follow */
        if (!colon) continue;
        const int length = (int)strcspn(colon + 2, "\n");
        if (!strncmp(line, "model name", 10)) snprintf(name, size, "%.*s", length, colon + 2);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!strncmp(line, keys[k], strlen(keys[k])))
                snprintf(numbers[k], sizeof numbers[k], "%.*s", length < 15 ? length : 15, colon + 2);
    }
    if (cpuinfo) fclose(cpuinfo);
    if (numbers[0][0] && numbers[1][0])
        snprintf(name, size, "implementer %s, part %s, variant %s, revision %s", numbers[0], numbers[1], numbers[2],
                 numbers[3]);
}
#endif

static int cpu_open(int ordinal, int wanted, pio_device_info *info, pio_stream *stream)
{
    (void)ordinal;
    pio_cpu_use_threads(wanted);
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
    madvise(*base, bytes, MADV_HUGEPAGE); /* fewer address look-ups in streams; a kernel without them may fail */
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

/* A copy of `bytes` bytes, in chunks of COPY_CHUNK, of which a small copy has one. */
typedef struct {
    char *target;
    const char *source;
    size_t bytes;
} copy_job;
enum { COPY_CHUNK = 1 << 20 };

static void copy_chunks(int begin, int end, const pio_cpu_job *job)
{
    const copy_job *c = job->args;
    const size_t from = (size_t)begin * COPY_CHUNK, to = (size_t)end * COPY_CHUNK;
    memcpy(c->target + from, c->source + from, (to < c->bytes ? to : c->bytes) - from);
}

static int cpu_copy(pio_stream stream, void *target, const void *source, size_t bytes)
{
    (void)stream;
    const copy_job copy = {target, source, bytes};
    const pio_cpu_job job = {.args = &copy};
    pio_cpu_run(copy_chunks, (int)((bytes + COPY_CHUNK - 1) / COPY_CHUNK), 1, &job);
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
#define MAP(name, adjoint) .name = CPU_ENTRY(name),
#define TEAM(name, adjoint) .name = CPU_ENTRY(name),
#define SUM(name, adjoint) .name = CPU_ENTRY(name),
#define SCAN(name, adjoint) .name = CPU_ENTRY(name),
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
    .eigen = "arpack",
};
