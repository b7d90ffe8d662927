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
    long launches, blocks, barriers, copies, waits, most_queued, graphs;
};
extern stand_in_counts counts;

/* What the last call that failed returned. */
extern cudaError_t last_error;

/* Work of a stream that is captured, and whether a call has spoiled that. */
struct stand_in_capture {
    std::deque<stand_in_work> work;
    bool spoiled;
};
extern std::map<cudaStream_t, stand_in_capture> captures;
/* Whether this thread captures, in which case the capture fails: for calls that may not be made then. */
bool spoils_capture();
/* Puts work into its stream, or, where that is captured, into the capture. */
void put(const stand_in_work &work);

/* Runs every block of a launch. */
void run_grid(const stand_in_work &work);
/* A number in [0, n). */
unsigned roll(unsigned n);
/* The kernel that runs or is launched, and its arguments, for messages; it needs no release. */
const char *kernel_name(const stand_in_work &work);
/* Stops at an argument that is an address of the host or was never set. */
void check_arguments(const stand_in_work &work);

#endif
