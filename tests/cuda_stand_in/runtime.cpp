/* runtime.cpp -- CUDA's runtime on a CPU: streams, device memory, launches. It executes what it is given, or stops at
 * what CUDA forbids or leaves undefined. The environment chooses what CUDA leaves open:
 *
 *     STAND_IN_ORDER=forward|backward|random   of blocks, of warps, and of lanes between barriers
 *     STAND_IN_SEED=N                          of the random order
 *     STAND_IN_DEFER=1                         work in a stream waits until the host waits for that stream
 *     STAND_IN_REPORT=1                        what was done, to stderr at the end
 *
 * Device memory lies in a range of addresses of its own, each piece at the end of its pages and before a page that
 * nobody may access. The host may not access it either: the pages are open while the work of a stream is done. An
 * argument of a kernel that is any other address of the process is one of the host. Deferred copies to the device by
 * cudaMemcpy wait for the default stream, as CUDA permits for memory that is not pinned. All other streams are of the
 * kind that does not wait for the default one. */
#include "tests/cuda_stand_in/runtime.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#if STAND_IN_ASAN
#include <sanitizer/asan_interface.h>
#endif

cudaError_t last_error;
stand_in_order order;
stand_in_counts counts;
bool deferring;

namespace
{
const size_t RANGE = (size_t)16 << 30, MEMORY = (size_t)2 << 30; /* bytes: of addresses, of memory that there is */
enum { ALIGNED = 256, MOST_ARGUMENTS = 32764, SMALL = 1 << 20 };
const uint64_t NEVER_SET = 0xfefefefefefefefe; /* by -ftrivial-auto-var-init=pattern */

struct piece {
    size_t bytes;
    char *pages;
    size_t length;
};

uint64_t dice = 88172645463325252u;
long page;
char *range, *unused; /* device memory, and the part that was never taken */
size_t taken;         /* bytes */
uintptr_t lowest;     /* no address of the host is below */
std::map<char *, piece> memory;
std::map<cudaStream_t, std::deque<stand_in_work>> streams; /* NULL: the default stream */

void report()
{
    fprintf(stderr,
            "CUDA stand-in: %ld launches of %ld blocks with %ld barriers, %ld copies, %ld waits, %ld graphs, %ld nodes "
            "set, at most %ld queued\n",
            counts.launches, counts.blocks, counts.barriers, counts.copies, counts.waits, counts.graphs,
            counts.nodes_set, counts.most_queued);
}

const char *wish(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

bool in_range(const void *address)
{
    return (const char *)address >= range && (const char *)address < range + RANGE;
}

/* What stops the host at an access of device memory; any other one ends the process as it would without this. */
void stopped(int signal, siginfo_t *info, void *)
{
    if (in_range(info->si_addr)) stand_in_stop("the host reads or writes %p, which is on the device", info->si_addr);
    ::signal(signal, SIG_DFL);
}

struct start {
    start()
    {
        const std::string wanted = wish("STAND_IN_ORDER");
        order = wanted == "backward" ? BACKWARD : wanted == "random" ? RANDOM : FORWARD;
        if (!wanted.empty() && wanted != "forward" && order == FORWARD)
            stand_in_stop("unknown order %s", wanted.c_str());
        dice ^= strtoull(wish("STAND_IN_SEED"), nullptr, 10) * 0x9e3779b97f4a7c15u;
        deferring = !strcmp(wish("STAND_IN_DEFER"), "1");
        page = sysconf(_SC_PAGESIZE);
        range = unused = (char *)mmap(nullptr, RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) stand_in_stop("there are no addresses for device memory");
        void *heap = malloc(1);
        lowest = std::min({(uintptr_t)heap, (uintptr_t)&memory, (uintptr_t)&heap, (uintptr_t)getauxval(AT_PHDR)}) -
                 ((uintptr_t)1 << 32);
        free(heap);
        streams[nullptr];
        struct sigaction action = {};
        action.sa_sigaction = stopped;
        action.sa_flags = SA_SIGINFO;
        if (sigaction(SIGSEGV, &action, nullptr)) stand_in_stop("there is no handler of signals");
        if (!strcmp(wish("STAND_IN_REPORT"), "1")) atexit(report);
    }
} started;

/* The piece with this address, or NULL. */
const piece *piece_of(const void *address, const char **base)
{
    auto next = memory.upper_bound((char *)(uintptr_t)address);
    if (next == memory.begin()) return nullptr;
    --next;
    *base = next->first;
    return (const char *)address < next->first + next->second.bytes ? &next->second : nullptr;
}

/* A word whose lower half is a small number is an int and four bytes that are nobody's. */
bool is_of_host(uint64_t word)
{
    unsigned char in;
    return word >= lowest && word < (uint64_t)1 << 48 && llabs((int32_t)word) >= SMALL &&
           !in_range((void *)(uintptr_t)word) && !mincore((void *)(uintptr_t)(word & ~(uint64_t)(page - 1)), 1, &in);
}

void need_device(const void *address, size_t bytes, const char *call)
{
    if (bytes && !stand_in_on_device(address, bytes))
        stand_in_stop("%s: %zu bytes at %p are not on the device", call, bytes, address);
}

void need_host(const void *address, const char *call)
{
    if (in_range(address)) stand_in_stop("%s: %p is on the device", call, address);
}

std::deque<stand_in_work> &queue_of(cudaStream_t stream)
{
    auto found = streams.find(stream == cudaStreamLegacy ? nullptr : stream);
    if (found == streams.end()) stand_in_stop("there is no stream %p", (void *)stream);
    return found->second;
}

void finish_all()
{
    for (auto &stream : streams) stand_in_finish(stream.first);
}

stand_in_work copy_by(cudaStream_t stream, std::function<void()> copy)
{
    return {"a copy", nullptr, dim3(0), dim3(0), 0, stream, nullptr, nullptr, 0, std::move(copy)};
}

void need_places(void *target, const void *source, size_t bytes, cudaMemcpyKind kind)
{
    const bool to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (to) need_device(target, bytes, "the target of a copy");
    if (!to) need_host(target, "the target of a copy");
    if (from) need_device(source, bytes, "the source of a copy");
    if (!from) need_host(source, "the source of a copy");
}
} // namespace

void put(const stand_in_work &work)
{
    (work.grid.x ? counts.launches : counts.copies)++;
    auto &queue = queue_of(work.stream);
    queue.push_back(work);
    counts.most_queued = std::max(counts.most_queued, (long)queue.size());
    if (!deferring) stand_in_finish(work.stream);
}

static int showing; /* how many calls of stand_in_show wait for their stand_in_hide */

static void protect(int access)
{
    for (const auto &piece : memory)
        if (mprotect(piece.second.pages, piece.second.length, access))
            stand_in_stop("the access to device memory cannot be set");
}

int stand_in_show(void)
{
    if (showing++ == 0) protect(PROT_READ | PROT_WRITE);
    return showing;
}

void stand_in_hide(const int *shown)
{
    if (*shown != showing) stand_in_stop("device memory is hidden out of turn");
    if (--showing == 0) protect(PROT_NONE);
}

unsigned roll(unsigned n) /* xorshift (Marsaglia 2003) */
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice % n);
}

/* ---- what the stand-ins share ----------------------------------------------------------------------------- */

void stand_in_stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("CUDA stand-in: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

int stand_in_on_device(const void *address, size_t bytes)
{
    const char *base;
    const piece *p = piece_of(address, &base);
    return p && (size_t)((const char *)address - base) + bytes <= p->bytes;
}

struct stand_in_counted stand_in_count(void)
{
    return {counts.launches, counts.copies, counts.waits, counts.graphs, counts.nodes_set, counts.downloads};
}

void stand_in_finish(cudaStream_t stream)
{
    auto &queue = queue_of(stream);
    if (queue.empty()) return;
    const int shown = stand_in_show();
    while (!queue.empty()) {
        const stand_in_work work = queue.front();
        queue.pop_front();
        if (work.grid.x)
            run_grid(work);
        else
            work.lane();
    }
    stand_in_hide(&shown);
}

/* ---- launches --------------------------------------------------------------------------------------------- */

const char *kernel_name(const stand_in_work &work)
{
    static char name[256];
    const std::string types = work.types;
    const size_t end = types.find("_args"), from = types.find_last_of(" {,", end);
    const std::string of = end == std::string::npos ? "" : types.substr(from + 1, end - from - 1);
    snprintf(name, sizeof name, "%s%s%s", work.name, of.empty() ? "" : " of ", of.c_str());
    return name;
}

void check_arguments(const stand_in_work &work)
{
    const uint64_t *word = (const uint64_t *)work.arguments;
    for (size_t i = 0; i < work.bytes / sizeof *word; i++) {
        if (word[i] == NEVER_SET) stand_in_stop("word %zu of the arguments of %s was never set", i, kernel_name(work));
        if (is_of_host(word[i]))
            stand_in_stop("word %zu of the arguments of %s, %p, is an address of the host", i, kernel_name(work),
                          (void *)(uintptr_t)word[i]);
    }
}

/* Limits of compute capability 9.0 (CUDA C++ programming guide, technical specifications). */
bool can_be_launched(const stand_in_work &work)
{
    const dim3 &b = work.block, &g = work.grid;
    const size_t lanes = (size_t)b.x * b.y * b.z;
    const char *wrong = nullptr;
    if (lanes == 0 || lanes > MOST_LANES || b.x > 1024 || b.y > 1024 || b.z > 64) wrong = "threads of a block";
    if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > INT32_MAX || g.y > UINT16_MAX || g.z > UINT16_MAX) wrong = "blocks";
    if (work.shared > MOST_SHARED) wrong = "bytes of shared memory";
    if (work.bytes > MOST_ARGUMENTS) wrong = "bytes of arguments";
    if (wrong) {
        fprintf(stderr, "CUDA stand-in: %s cannot be launched: %s\n", kernel_name(work), wrong);
        last_error = wrong[0] == 'b' && wrong[1] == 'y' ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
        return false;
    }
    check_arguments(work);
    return true;
}

void stand_in_enqueue(const stand_in_work &work)
{
    if (can_be_launched(work)) put(work);
}

stand_in_work fill_of(void *target, int value, size_t bytes)
{
    need_device(target, bytes, "the target of a fill");
    return copy_by(nullptr, [=] { memset(target, value, bytes); });
}

stand_in_work copy_of(void *target, const void *source, size_t bytes, cudaMemcpyKind kind)
{
    need_places(target, source, bytes, kind);
    counts.downloads += kind == cudaMemcpyDeviceToHost;
    return copy_by(nullptr, [=] { memmove(target, source, bytes); });
}

/* ---- the runtime's functions ------------------------------------------------------------------------------ */

cudaError_t cudaSetDevice(int device)
{
    return last_error = device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int)
{
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "no GPU: the tests' stand-in for CUDA on a CPU");
    properties->multiProcessorCount = 1;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (flags != cudaStreamNonBlocking) stand_in_stop("a stream that waits for the default one is not modelled");
    *stream = (cudaStream_t)malloc(1); /* an address that nothing else has */
    streams[*stream];
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (!stream) stand_in_stop("the default stream is destroyed");
    stand_in_finish(stream);
    streams.erase(stream);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    counts.waits++;
    stand_in_finish(stream);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    counts.waits++;
    finish_all();
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    *total = MEMORY;
    *free_bytes = MEMORY - taken;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    *out = nullptr;
    if (bytes == 0) return cudaSuccess;
    const size_t room = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    const size_t length = (room + (size_t)page - 1) / (size_t)page * (size_t)page;
    if (bytes > MEMORY - taken || length + (size_t)page > (size_t)(range + RANGE - unused))
        return last_error = cudaErrorMemoryAllocation;
    char *const pages = unused, *const base = pages + length - room;
    if (mmap(pages, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
        pages)
        return last_error = cudaErrorMemoryAllocation;
    unused += length + (size_t)page;
    memset(base, POISON, bytes);
#if STAND_IN_ASAN
    __asan_poison_memory_region(base + bytes, room - bytes);
#endif
    memory[base] = {bytes, pages, length};
    if (!showing && mprotect(pages, length, PROT_NONE)) stand_in_stop("the access to device memory cannot be set");
    taken += bytes;
    *out = base;
    return cudaSuccess;
}

cudaError_t cudaFree(void *base)
{
    if (!base) return cudaSuccess;
    finish_all();
    auto found = memory.find((char *)base);
    if (found == memory.end()) stand_in_stop("cudaFree: %p was not taken, or was returned before", base);
    const piece p = found->second;
    memory.erase(found);
    taken -= p.bytes;
#if STAND_IN_ASAN
    __asan_unpoison_memory_region(p.pages, p.length);
#endif
    if (mmap(p.pages, p.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != p.pages)
        stand_in_stop("cudaFree: %zu bytes cannot be returned", p.bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *target, int value, size_t bytes)
{
    return cudaMemsetAsync(target, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *target, int value, size_t bytes, cudaStream_t stream)
{
    stand_in_work work = fill_of(target, value, bytes);
    work.stream = stream;
    put(work);
    return cudaSuccess;
}

/* To the device, the source is read before the call returns, and the target may be written after. */
cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
    need_places(target, source, bytes, kind);
    if (kind == cudaMemcpyHostToDevice) {
        const std::string staged((const char *)source, bytes);
        put(copy_by(nullptr, [=] { memcpy(target, staged.data(), bytes); }));
    } else {
        put(copy_of(target, source, bytes, kind));
        if (kind != cudaMemcpyDeviceToDevice) stand_in_finish(nullptr);
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    stand_in_work work = copy_of(target, source, bytes, kind);
    work.stream = stream;
    put(work);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    default:
        return "invalid device ordinal";
    }
}
