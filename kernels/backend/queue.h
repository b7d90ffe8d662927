/* queue.h -- where kernels are launched: dispatch, the sticky error, timers and the NaN watch. One queue per
 * simulation.
 *
 *     pio_map(q, mpm_grid, nodes, &step->nodes, .l = lists, .step = step, ..., .velocity = v);
 *
 * Launches return nothing: the first failure stays in q->error, later launches are skipped, and it surfaces from the
 * function that is running (pio_queue_failed). */
#ifndef PIOLA_KERNELS_BACKEND_QUEUE_H
#define PIOLA_KERNELS_BACKEND_QUEUE_H

#include "kernels/backend/memory.h"

enum {
#define MAP(name, adjoint) KERNEL_##name,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
    KERNEL_COUNT,
    KERNEL_COPY = KERNEL_COUNT, /* device-to-device copies and fills, timed with the kernels */
    KERNEL_DIRECT,              /* calls of a library of direct solves */
    KERNEL_PRODUCT,             /* products by a library */
    KERNEL_TIMERS
};

/* Launches of one kernel so far, and the time that they took, each waited for. */
typedef struct {
    int64_t calls;
    double seconds;
} pio_timer;

/* A device array that must stay finite. */
typedef struct {
    const real *field; /* [count] */
    size_t count;
    const char *name; /* for the message */
} pio_watch;

typedef struct {
    const pio_backend *backend;
    pio_stream stream;
    pio_arena *arena;
    double *sum_work; /* device; PIO_SUM_WORK of the largest SUM */
    int *scan_work;   /* device; PIO_SCAN_WORK of the largest SCAN */
    double *sum_out;  /* device; result of the NaN watch */
    struct {
        int code; /* 0: none */
        char message[256];
    } error;
    int64_t downloads;     /* copies to the host so far, those of the NaN watch not counted */
    double (*clock)(void); /* s, steady; every launch is waited for and measured. NULL: none is */
    double started;
    pio_timer timer[KERNEL_TIMERS];
    const pio_watch *watch; /* after every launch these fields must be finite; NULL: no watch */
    int n_watch;
} pio_queue;

/* The name of each timer, as messages and reports have it. */
extern const char *const pio_kernel_names[KERNEL_TIMERS];

/* Prepares a launch. Returns 0 when an earlier failure forbids it, else 1. */
int pio_queue_begin(pio_queue *q);
/* Ends a launch of kernel KERNEL_... at that line of a source, which returned `rc`: timer, error and NaN watch. */
void pio_queue_end(pio_queue *q, int kernel, const char *file, int line, int rc);

#define PIO_LAUNCH(q, kernel, call)                                                                                    \
    do {                                                                                                               \
        if (pio_queue_begin(q)) pio_queue_end((q), (kernel), __FILE__, __LINE__, (call));                              \
    } while (0)

/* MAP and TEAM kernels over the first min(n, *limit) items (limit may be NULL). */
#define pio_map(q, name, n, limit, ...)                                                                                \
    PIO_LAUNCH(q, KERNEL_##name, (q)->backend->kernels.name((q)->stream, (n), (limit), &(name##_args){__VA_ARGS__}))
/* `result`: a device double. This is where contributions of several processes would be added. */
#define pio_sum(q, name, n, limit, result, ...)                                                                        \
    PIO_LAUNCH(                                                                                                        \
        q, KERNEL_##name,                                                                                              \
        (q)->backend->kernels.name((q)->stream, (n), (limit), &(name##_args){__VA_ARGS__}, (result), (q)->sum_work))
/* `out`: n + 1 device ints. */
#define pio_scan(q, name, n, out, ...)                                                                                 \
    PIO_LAUNCH(q, KERNEL_##name,                                                                                       \
               (q)->backend->kernels.name((q)->stream, (n), &(name##_args){__VA_ARGS__}, (out), (q)->scan_work))

/* Sums over the borders of neighbouring processes would be exchanged here; with one process there are none. */
#define pio_halo(q, field) ((void)(q), (void)(field))

/* Sets device memory to zero. */
void pio_queue_zero(pio_queue *q, void *target, size_t bytes);
/* Copies from device to device; the ranges do not overlap. */
void pio_queue_copy(pio_queue *q, void *target, const void *source, size_t bytes);
/* Copies from the host to the device, and waits. */
void pio_queue_upload(pio_queue *q, void *target, const void *source, size_t bytes);
/* Copies from the device to the host, and waits; counted in q->downloads. After a failure `target` is unchanged. */
void pio_queue_download(pio_queue *q, void *target, const void *source, size_t bytes);
/* Waits for all launches. Returns 1 when q->error is set, else 0. */
int pio_queue_failed(pio_queue *q);

#endif
