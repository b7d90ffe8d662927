/* blocks.cpp -- the blocks of a launch, one after another. A block's lanes run in an order that is chosen until each
 * waits at a barrier; then all go on. What a barrier must hold is checked: all lanes of the warp, or of the block, come
 * to the same one. */
#include "tests/cuda_stand_in/runtime.h"

#include <link.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <vector>
#if STAND_IN_ASAN
#include <sanitizer/asan_interface.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
/* What kernels declare as an array of no size. */
alignas(1024) thread_local unsigned char shared[MOST_SHARED];

namespace
{
enum lane_state { READY, AT_WARP_BARRIER, AT_BLOCK_BARRIER, ENDED };

struct lane {
    fibre *on; /* NULL: it has not begun */
    uint3 index;
    lane_state state;
    const char *file; /* of the barrier at which it waits */
    int line;
};
lane lanes[MOST_LANES];
int lane_count, running = -1;
const stand_in_work *now;
std::vector<fibre *> idle;

/* Lanes of the warp that has its turn, from which a fibre takes the next one when its own has ended. */
int turn[WARP], turn_length, turn_next;

/* For the thread sanitizer. */
char launch_token, end_token, block_token, warp_token[MOST_LANES / WARP];

void begin(int i)
{
    running = i;
    threadIdx = lanes[i].index;
}

/* The next lane of the turn that has not begun, or -1. With the thread sanitizer each lane has its own fibre. */
int next_lane()
{
    while (!STAND_IN_TSAN && turn_next < turn_length) {
        const int i = turn[turn_next++];
        if (lanes[i].state == READY && !lanes[i].on) return i;
    }
    return -1;
}

void run_lanes(fibre *self)
{
    for (;;) {
        for (int i = running; i >= 0; i = next_lane()) {
            begin(i);
            lanes[i].on = self;
            fibre_acquire(&launch_token);
            now->lane();
            fibre_release(&end_token);
            lanes[i].state = ENDED;
        }
        fibre_pause(self);
    }
}

void resume(int i)
{
    fibre *f = lanes[i].on;
    begin(i);
    if (!f && idle.empty()) {
        f = fibre_create(run_lanes);
    } else if (!f) {
        f = idle.back();
        idle.pop_back();
    }
    fibre_resume(f);
    if (lanes[running].state == ENDED) idle.push_back(f);
    running = -1;
}

void shuffle(int *list, int n)
{
    if (order == BACKWARD) std::reverse(list, list + n);
    if (order == RANDOM)
        for (int i = n - 1; i > 0; i--) std::swap(list[i], list[roll((unsigned)i + 1)]);
}

/* Every lane of the warp that can go on does, until it waits or ends. */
void advance(int first, int end)
{
    int list[WARP];
    for (int i = first; i < end; i++) list[i - first] = i;
    shuffle(list, end - first);
    for (int k = 0; k < end - first; k++) {
        lane &l = lanes[list[k]];
        if (l.state != READY) continue;
        turn_length = turn_next = 0;
        if (!l.on) { /* it may go on with others that have not begun */
            memcpy(turn, list, sizeof turn);
            turn_length = end - first;
            turn_next = k + 1;
        }
        resume(list[k]);
    }
}

bool elsewhere(const lane &a, const lane &b)
{
    return a.line != b.line || (a.file != b.file && strcmp(a.file, b.file));
}

/* Lanes first .. end-1 go on if they wait at this kind of barrier. Returns whether they do. */
bool release(int first, int end, lane_state kind)
{
    const lane *at = nullptr;
    int ended = 0;
    for (int i = first; i < end; i++)
        if (lanes[i].state == kind) at = &lanes[i];
    if (!at) return false;
    for (int i = first; i < end; i++) {
        const lane &l = lanes[i];
        ended += l.state == ENDED;
        if (l.state != ENDED && (l.state != kind || elsewhere(l, *at)))
            stand_in_stop("a divergent barrier in %s: lanes %d and %d wait at %s:%d and %s:%d", kernel_name(*now),
                          (int)(at - lanes), i, at->file, at->line, l.file, l.line);
    }
    if (ended)
        stand_in_stop("a divergent barrier in %s: %d of %d lanes end, and others wait at %s:%d", kernel_name(*now),
                      ended, end - first, at->file, at->line);
    for (int i = first; i < end; i++) lanes[i].state = READY;
    counts.barriers++;
    return true;
}

/* ---- shared memory ---------------------------------------------------------------------------------------- */

/* The variables of the calling thread that belong to the module of a kernel and that nothing initialises, which no
 * shared memory is: there, they are shared memory alone. */
struct thread_part {
    const void *kernel;
    unsigned char *base;
    size_t size;
};

int find_part(struct dl_phdr_info *info, size_t, void *context)
{
    thread_part *part = (thread_part *)context;
    const uintptr_t kernel = (uintptr_t)part->kernel;
    size_t initialised = 0, size = 0;
    bool here = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &p = info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + p.p_vaddr;
        here |= p.p_type == PT_LOAD && kernel >= from && kernel < from + p.p_memsz;
        if (p.p_type != PT_TLS) continue;
        initialised = p.p_filesz;
        size = p.p_memsz - p.p_filesz;
    }
    if (!here) return 0;
    if (!info->dlpi_tls_data) return 1; /* the thread has not used it so far */
    part->base = (unsigned char *)info->dlpi_tls_data + initialised;
    part->size = size;
    return 1;
}

/* Shared memory of fixed size that a kernel uses. */
struct fixed_shared {
    unsigned char *base; /* of all there is in its module, and how much */
    size_t size;
    size_t from, to; /* what its blocks were seen to use: base + from .. base + to */
    unsigned launches;
};
std::map<const void *, fixed_shared> fixed_of;

/* Fills what a kernel uses; in launch 1, 2, 4, 8, ... all there is, to see what that is. Returns whether it did. A
 * module that was closed and opened again has its variables elsewhere, and is a new one. */
bool fill_fixed(fixed_shared &f, const void *kernel)
{
    thread_part part = {kernel, nullptr, 0};
    dl_iterate_phdr(find_part, &part);
    if (part.base != f.base || part.size != f.size) f = {part.base, part.size, 0, 0, 0};
    const bool all = f.launches++ == 0 || (f.launches & (f.launches - 1)) == 0;
    if (all && f.size) memset(f.base, POISON, f.size);
    if (!all && f.from < f.to) memset(f.base + f.from, POISON, f.to - f.from);
    return all;
}

/* After a block of a launch that had all of it filled. */
void learn_fixed(fixed_shared &f)
{
    size_t from = 0, to = f.size;
    while (from < to && f.base[from] == POISON) from++;
    while (from < to && f.base[to - 1] == POISON) to--;
    if (from == to) return;
    f.from = f.from < f.to ? std::min(f.from, from) : from;
    f.to = std::max(f.to, to);
}

/* Shared memory whose size the launch gives. */
void fill_shared(size_t bytes)
{
#if STAND_IN_ASAN
    __asan_unpoison_memory_region(shared, sizeof shared);
    __asan_poison_memory_region(shared + bytes, sizeof shared - bytes);
#endif
    memset(shared, POISON, bytes);
}

/* ---- a launch --------------------------------------------------------------------------------------------- */

void run_block()
{
    int warps[MOST_LANES / WARP], left = (lane_count + WARP - 1) / WARP;
    for (int i = 0; i < lane_count; i++) {
        lanes[i].on = nullptr;
        lanes[i].state = READY;
    }
    fibre_release(&launch_token);
    for (bool more = true; more;) {
        for (int w = 0; w < left; w++) warps[w] = w;
        shuffle(warps, left);
        more = false;
        for (int k = 0; k < left; k++) { /* a warp goes on alone, or, by chance, another has its turn first */
            const int first = warps[k] * WARP, end = std::min(lane_count, first + WARP);
            do {
                advance(first, end);
                const bool on = release(first, end, AT_WARP_BARRIER);
                more |= on;
                if (!on || (order == RANDOM && roll(2))) break;
            } while (true);
        }
        more = more || release(0, lane_count, AT_BLOCK_BARRIER);
    }
    fibre_acquire(&end_token);
}
} // namespace

void stand_in_barrier(int whole_block, const char *file, int line)
{
    if (running < 0) stand_in_stop("a barrier outside of a kernel, at %s:%d", file, line);
    lane &l = lanes[running];
    char *token = whole_block ? &block_token : &warp_token[running / WARP];
    l.state = whole_block ? AT_BLOCK_BARRIER : AT_WARP_BARRIER;
    l.file = file;
    l.line = line;
    fibre_release(token);
    fibre_pause(l.on);
    fibre_acquire(token);
}

double stand_in_from_lane(unsigned mask, double value, unsigned delta, const char *file, int line)
{
    static double of_lane[MOST_LANES];
    if (mask != ~0u) stand_in_stop("a shuffle of some lanes of a warp, at %s:%d, is not modelled", file, line);
    if (running >= 0) of_lane[running] = value;
    stand_in_barrier(0, file, line);
    const double got = running % WARP + delta < WARP ? of_lane[running + (int)delta] : value;
    stand_in_barrier(0, file, line);
    return got;
}

void run_grid(const stand_in_work &work)
{
    const unsigned blocks = work.grid.x * work.grid.y * work.grid.z;
    const unsigned shift = order == RANDOM ? roll(blocks) : 0, turned = order == RANDOM && roll(2);
    now = &work;
    blockDim = work.block;
    gridDim = work.grid;
    lane_count = (int)(work.block.x * work.block.y * work.block.z);
    for (unsigned i = 0; i < (unsigned)lane_count; i++)
        lanes[i].index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
    fixed_shared &fixed = fixed_of[work.kernel];
    const bool learns = fill_fixed(fixed, work.kernel);
    for (unsigned at = 0; at < blocks; at++) {
        const unsigned turn_of = (at + shift) % blocks;
        const unsigned b = order == BACKWARD || turned ? blocks - 1 - turn_of : turn_of;
        blockIdx = {b % gridDim.x, b / gridDim.x % gridDim.y, b / (gridDim.x * gridDim.y)};
        if (at && fixed.from < fixed.to) memset(fixed.base + fixed.from, POISON, fixed.to - fixed.from);
        fill_shared(work.shared);
        run_block();
        if (!at && learns) learn_fixed(fixed);
    }
    counts.blocks += blocks;
    now = nullptr;
}
