/* Room kernels/backend: the table of kernels for a device, memory, the launch queue, and the seams to libraries of
 * linear algebra. */
/* table.h -- the seam between solvers and devices: one function pointer per kernel and the few memory operations.
 *
 * A backend is one constant of type pio_backend. Solvers launch through queue.h and never know which backend runs.
 * Every entry returns 0, or the backend's own error code. `limit`, if not NULL, is a device address: only the first
 * min(n, *limit) items are run, so that counts which change from step to step never travel to the host. */
#ifndef PIOLA_KERNELS_BACKEND_TABLE_H
#define PIOLA_KERNELS_BACKEND_TABLE_H

#include "kernels/backend/product.h"
#include "kernels/base/design_args.h"
#include "kernels/base/fields_args.h"
#include "kernels/base/rice_args.h"
#include "kernels/contact/contact_pose_args.h"
#include "kernels/control/control_args.h"
#include "kernels/control/network_args.h"
#include "kernels/fem/fem_integral_args.h"
#include "kernels/fem/fem_args.h"
#include "kernels/fem/fem_contact_args.h"
#include "kernels/fem/fem_contact_seen_args.h"
#include "kernels/fem/fem_contact_show_args.h"
#include "kernels/fem/fem_friction_args.h"
#include "kernels/fem/fem_couple_args.h"
#include "kernels/fem/fem_element_args.h"
#include "kernels/fem/fem_fibre_args.h"
#include "kernels/fem/fem_follow_args.h"
#include "kernels/fem/fem_inertia_args.h"
#include "kernels/fem/fem_lattice_args.h"
#include "kernels/fem/fem_lattice_leap_args.h"
#include "kernels/fem/fem_load_args.h"
#include "kernels/fem/fem_moment_args.h"
#include "kernels/fem/fem_observe_args.h"
#include "kernels/fem/fem_pairs_args.h"
#include "kernels/fem/fem_pairs_friction_args.h"
#include "kernels/fem/fem_place_args.h"
#include "kernels/fem/fem_probe_args.h"
#include "kernels/fem/fem_sense_args.h"
#include "kernels/fem/fem_shape_args.h"
#include "kernels/fem/fem_pressure_args.h"
#include "kernels/fem/fem_solid_args.h"
#include "kernels/fem/fem_stress_args.h"
#include "kernels/fem/fem_tie_args.h"
#include "kernels/fem/fem_vary_args.h"
#include "kernels/fem/surface_args.h"
#include "kernels/linear/bsr_args.h"
#include "kernels/linear/direct_args.h"
#include "kernels/linear/krylov_args.h"
#include "kernels/linear/amg_args.h"
#include "kernels/linear/refine_args.h"
#include "kernels/mpm/mpm_bend_args.h"
#include "kernels/mpm/mpm_centroid_args.h"
#include "kernels/mpm/mpm_contact_args.h"
#include "kernels/mpm/mpm_control_args.h"
#include "kernels/mpm/mpm_deposit_args.h"
#include "kernels/mpm/mpm_derived_args.h"
#include "kernels/mpm/mpm_design_args.h"
#include "kernels/mpm/mpm_feedback_args.h"
#include "kernels/mpm/mpm_flip_args.h"
#include "kernels/mpm/mpm_g2p_args.h"
#include "kernels/mpm/mpm_grid_args.h"
#include "kernels/mpm/mpm_interpolate_args.h"
#include "kernels/mpm/mpm_observe_args.h"
#include "kernels/mpm/mpm_obstacle_args.h"
#include "kernels/mpm/mpm_p2g_args.h"
#include "kernels/mpm/mpm_plastic_args.h"
#include "kernels/mpm/mpm_push_args.h"
#include "kernels/mpm/mpm_quantile_args.h"
#include "kernels/mpm/mpm_repel_args.h"
#include "kernels/mpm/mpm_rub_args.h"
#include "kernels/mpm/mpm_reversible_args.h"
#include "kernels/mpm/mpm_reversible_force_args.h"
#include "kernels/mpm/mpm_reversible_move_args.h"
#include "kernels/mpm/mpm_slot_args.h"
#include "kernels/mpm/mpm_sort_args.h"
#include "kernels/mpm/mpm_start_args.h"
#include "kernels/mpm/mpm_target_args.h"
#include "kernels/mpm/mpm_wall_args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* pio_stream is that of direct.h: a cudaStream_t, NULL on the CPU. */

enum {
    PIO_CHUNK = 256,     /* leaf of the summation tree, items per block of a MAP */
    PIO_SCAN_CHUNK = 64, /* leaf of a scan: each item is a block of cells, and few blocks are to be spread widely */
    /* the most items of one launch: whole leaves, and no block of 1,024 items ends beyond what an int holds */
    PIO_MOST_ITEMS = INT32_MAX / 1024 * 1024
};
/* Doubles of workspace of a SUM, and ints of that of a SCAN, over n items. It begins as zeros, and only launches of the
 * same kind write to it. */
enum { PIO_SCAN_PARTS = 64 }; /* a scan on a CPU has so many parts, whatever the number of threads */
#define PIO_SUM_WORK(n) ((size_t)(n) / (PIO_CHUNK - 1) + 8)
#define PIO_SCAN_WORK(n) (2 * ((size_t)(n) / (PIO_SCAN_CHUNK - 1) + PIO_SCAN_PARTS) + 32)

/* A launch of each kernel: `n` <= PIO_MOST_ITEMS items or teams, of which a limit leaves the first. A SUM sets the
 * device double *sum and needs PIO_SUM_WORK(n) doubles at `work`; a SCAN needs PIO_SCAN_WORK(n) ints, and may compute
 * its numbers more than once, also after sums went to some items. All arrays are on the device; `args` is on the host
 * and is copied. */
typedef struct {
#define MAP(name, adjoint) int (*name)(pio_stream stream, int n, const int *limit, const name##_args *args);
#define TEAM(name, adjoint) MAP(name, adjoint)
#define SUM(name, adjoint)                                                                                             \
    int (*name)(pio_stream stream, int n, const int *limit, const name##_args *args, wide *sum, wide *work);
#define SCAN(name, adjoint) int (*name)(pio_stream stream, int n, const name##_args *args, int *work);
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
} pio_kernels;

/* A device that was opened. */
typedef struct {
    char name[128];       /* of the device, e.g. "NVIDIA H100 80GB HBM3" */
    char driver[64];      /* driver and runtime versions, or "" */
    size_t free_bytes;    /* memory that could be taken now, and kept_bytes left */
    size_t kept_bytes;    /* memory that is left to the driver, for what it takes only when kernels run */
    size_t context_bytes; /* what the driver itself occupies, not counted in any budget */
    size_t cache_bytes;   /* of the last-level cache; 0: unknown */
    char error[256];      /* why open() failed, where the text of its error code does not say enough, or "" */
} pio_device_info;

/* Launches and copies that one call puts into a stream, each of which waits for the one before. */
typedef struct pio_graph_nodes *pio_graph;

typedef struct {
    const char *name; /* "cpu" or "cuda" */
    pio_kernels kernels;
    /* Opens device number `ordinal`, if it can run the kernels of this build; describes it and sets a stream for what
     * follows. The CPU alone reads `threads`, of which 0 means as many as OpenMP takes. */
    int (*open)(int ordinal, int threads, pio_device_info *info, pio_stream *stream);
    /* Ends the use of a stream. */
    void (*close)(pio_stream stream);
    /* Sets *base to zeroed device memory, or to NULL on failure. */
    int (*allocate)(size_t bytes, void **base);
    /* Returns memory of allocate(), with the same number of bytes. */
    void (*release)(void *base, size_t bytes);
    /* Makes device memory accessible to the host (open 1) or inaccessible (0). CPU only, else NULL. */
    int (*guard)(void *base, size_t bytes, int open);
    /* Sets device memory to zero, in the order of the stream. */
    int (*zero)(pio_stream stream, void *target, size_t bytes);
    /* Copies from device to device, in the order of the stream; the ranges do not overlap. */
    int (*copy)(pio_stream stream, void *target, const void *source, size_t bytes);
    /* Copies from the host to the device, and waits. */
    int (*upload)(pio_stream stream, void *target, const void *source, size_t bytes);
    /* Copies from the device to the host, after all launches before it, and waits. */
    int (*download)(pio_stream stream, void *target, const void *source, size_t bytes);
    /* Waits until the stream is idle; returns what failed in it. */
    int (*wait)(pio_stream stream);
    /* Returns the text of an error code; it needs no release. */
    const char *(*error_text)(int code);
    /* Sets *graph to one with room for so many parts, or to NULL on failure. NULL, with the next four: no graphs. */
    int (*graph_create)(int parts, pio_graph *graph);
    /* The next launch, copy or fill is not run but becomes part number `part` of a graph. Before the graph is complete,
     * parts are added, in their order; after, the arguments of a part are set anew, for later launches of the graph: of
     * the same kernel, or another copy, or a fill of as many bytes. A part without items has to stay without. What the
     * device rejects returns an error code, and the part is as it was. graph NULL: what comes next is run again. */
    void (*graph_aim)(pio_graph graph, int part);
    /* Completes a graph; nothing is aimed at. */
    int (*graph_complete)(pio_graph graph);
    /* Puts all of a complete graph into the stream. */
    int (*graph_launch)(pio_graph graph, pio_stream stream);
    /* Returns the memory of a graph, when it has run. */
    void (*graph_release)(pio_graph graph);
    /* Modules of sparse direct solves for this device, the best first, see direct.h; then NULL. */
    const char *direct[3];
    const char *product; /* module of sparse products for this device, see product.h; NULL: there is none */
    const char *eigen;   /* module of eigenproblems for this device, see eigen.h; NULL: there is none */
} pio_backend;

extern const pio_backend pio_backend_cpu;  /* cpu.c */
extern const pio_backend pio_backend_cuda; /* cuda.cu */

#ifdef __cplusplus
}
#endif
#endif
