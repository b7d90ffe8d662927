/* runtime.h -- what the parts of the stand-in for CUDA's runtime know of each other. */
#ifndef PIOLA_TESTS_CUDA_STAND_IN_RUNTIME_H
#define PIOLA_TESTS_CUDA_STAND_IN_RUNTIME_H

#include "tests/cuda_stand_in/cuda_runtime.h"
#include "tests/cuda_stand_in/fibre.h"

#include <deque>
#include <map>

enum { WARP = 32, MOST_LANES = 1024, MOST_SHARED = 48 * 1024, POISON = 0xff };

/* In which order blocks run, and lanes between barriers. */
enum stand_in_order { FORWARD, BACKWARD, RANDOM };
extern stand_in_order order;
/* Whether work in a stream waits until the host waits for that stream. */
extern bool deferring;

/* What has happened so far. */
struct stand_in_counts {
    long launches, blocks, barriers, copies, waits, most_queued, graphs, nodes_set, downloads;
};
extern stand_in_counts counts;

/* What the last call that failed returned. */
extern cudaError_t last_error;

/* Puts work into its stream. */
void put(const stand_in_work &work);
/* Whether a launch can be made; if not, last_error says why. Stops at arguments that no kernel may have. */
bool can_be_launched(const stand_in_work &work);
/* A fill, and a copy between places of the device, but for their streams; stops at places that are not there. */
stand_in_work fill_of(void *target, int value, size_t bytes);
stand_in_work copy_of(void *target, const void *source, size_t bytes, cudaMemcpyKind kind);

/* Runs every block of a launch. */
void run_grid(const stand_in_work &work);
/* A number in [0, n). */
unsigned roll(unsigned n);
/* The kernel that runs or is launched, and its arguments, for messages; it needs no release. */
const char *kernel_name(const stand_in_work &work);
/* Stops at an argument that is an address of the host or was never set. */
void check_arguments(const stand_in_work &work);

#endif
