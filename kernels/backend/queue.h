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

/* What was put into a stream so far, and how often the host waited for it; what the NaN watch does is not counted. */
typedef struct {
    int64_t launches; /* of kernels, and of products and direct solves by a library */
    int64_t copies;   /* copies and fills */
    int64_t waits;    /* of the host for the device: each copy to or from the host, and each wait for all launches */
    int64_t graphs;   /* lists of launches and copies, counted above, that were begun by one call each */
} pio_queue_counts;

/* A device array that must stay finite. */
typedef struct {
    const real *field; /* [count] */
    size_t count;
    const char *name; /* for the message */
} pio_watch;

/* Lists of launches that came so far, and their graphs (record.c). */
typedef struct pio_recorder pio_recorder;

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
    pio_queue_counts counts;
    int64_t downloads;     /* copies to the host so far, those of the NaN watch not counted */
    double (*clock)(void); /* s, steady; every launch is waited for and measured. NULL: none is */
    double started;
    pio_timer timer[KERNEL_TIMERS];
    const pio_watch *watch; /* after every launch these fields must be finite; NULL: no watch */
    int n_watch;
    pio_recorder *recorder; /* NULL: nothing is recorded */
    int recording;          /* launches and copies go into a list */
    int graphs_failed;      /* the device could not make a graph of a list: none is recorded any more */
} pio_queue;

/* The name of each timer, as messages and reports have it. */
extern const char *const pio_kernel_names[KERNEL_TIMERS];

/* Prepares a launch. Returns 0 when an earlier failure forbids it, else 1. */
int pio_queue_begin(pio_queue *q);
/* Ends a launch of kernel KERNEL_... at that line of a source, which returned `rc`: timer, error and NaN watch. */
void pio_queue_end(pio_queue *q, int kernel, const char *file, int line, int rc);

/* ---- recorded launches ------------------------------------------------------------------------------------- *
 *
 *     pio_queue_record(q);    what is launched from here on is only listed
 *     ...                     kernels, copies on the device, fills
 *     pio_queue_play(q);      the list is run: by one call, where lists of the same kernels came before
 *
 * The host may do in between what it likes: whatever needs the list to have run, such as a copy to the host or a wait,
 * runs it at once, and what follows up to pio_queue_play() is launched as always. Results are the same bits either way.
 * Nothing is listed with timers or the NaN watch, on devices without graphs, and with PIOLA_GRAPH=0. */

/* Returns the lists of a queue, or NULL where nothing is to be recorded, or there is no host memory for them. */
pio_recorder *pio_recorder_create(const pio_backend *backend);
/* Returns the memory of lists, and their graphs; NULL: there are none. */
void pio_recorder_free(pio_recorder *recorder, const pio_backend *backend);
/* Begins a list. */
void pio_queue_record(pio_queue *q);
/* Ends the list, and runs it. */
void pio_queue_play(pio_queue *q);
/* Runs what is listed so far, and lists no more of it. */
void pio_queue_stop_recording(pio_queue *q);

/* A launch of a kernel, without its arguments. */
typedef struct {
    int kernel, n;    /* KERNEL_...; number of items */
    const int *limit; /* device; NULL: none, or a SCAN */
    void *out, *work; /* device; result of a SUM, workspace of a SUM or a SCAN */
    const char *file; /* where it is launched, for messages */
    int line;
} pio_recorded;

/* Lists a launch with `bytes` of arguments. Returns 0 where it has to be launched at once. */
int pio_record_kernel(pio_queue *q, const pio_recorded *what, const void *args, size_t bytes);
/* Likewise a copy on the device, or, without a source, a fill with zeros. */
int pio_record_copy(pio_queue *q, void *target, const void *source, size_t bytes);
/* Arguments are compared by their bytes, hence those between members are set, where the compiler can do that: they
 * would make lists differ that do the same. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define PIO_CLEAR_PADDING(args) __builtin_clear_padding(args)
#endif
#endif
#ifndef PIO_CLEAR_PADDING
#define PIO_CLEAR_PADDING(args) ((void)(args))
#endif

/* Whether a launch with arguments pio_given was listed. */
#define PIO_LISTED(q, kernel, n, limit, out, work)                                                                     \
    ((q)->recording &&                                                                                                 \
     (PIO_CLEAR_PADDING(&pio_given),                                                                                   \
      pio_record_kernel((q), &(pio_recorded){(kernel), (n), (limit), (out), (work), __FILE__, __LINE__}, &pio_given,   \
                        sizeof pio_given)))

#define PIO_LAUNCH(q, kernel, call)                                                                                    \
    do {                                                                                                               \
        if (pio_queue_begin(q)) pio_queue_end((q), (kernel), __FILE__, __LINE__, (call));                              \
    } while (0)

/* MAP and TEAM kernels over the first min(n, *limit) items (limit may be NULL). */
#define pio_map(q, name, n, limit, ...)                                                                                \
    do {                                                                                                               \
        name##_args pio_given = {__VA_ARGS__};                                                                         \
        if (!PIO_LISTED((q), KERNEL_##name, (n), (limit), NULL, NULL))                                                 \
            PIO_LAUNCH(q, KERNEL_##name, (q)->backend->kernels.name((q)->stream, (n), (limit), &pio_given));           \
    } while (0)
/* The same with arguments that are there already: a pointer to them. */
#define pio_map_with(q, name, n, limit, args)                                                                          \
    do {                                                                                                               \
        name##_args pio_given = *(args);                                                                               \
        if (!PIO_LISTED((q), KERNEL_##name, (n), (limit), NULL, NULL))                                                 \
            PIO_LAUNCH(q, KERNEL_##name, (q)->backend->kernels.name((q)->stream, (n), (limit), &pio_given));           \
    } while (0)
/* `result`: a device double. This is where contributions of several processes would be added. */
#define pio_sum(q, name, n, limit, result, ...)                                                                        \
    do {                                                                                                               \
        name##_args pio_given = {__VA_ARGS__};                                                                         \
        if (!PIO_LISTED((q), KERNEL_##name, (n), (limit), (result), (q)->sum_work))                                    \
            PIO_LAUNCH(q, KERNEL_##name,                                                                               \
                       (q)->backend->kernels.name((q)->stream, (n), (limit), &pio_given, (result), (q)->sum_work));    \
    } while (0)
#define pio_scan(q, name, n, ...)                                                                                      \
    do {                                                                                                               \
        name##_args pio_given = {__VA_ARGS__};                                                                         \
        if (!PIO_LISTED((q), KERNEL_##name, (n), NULL, NULL, (q)->scan_work))                                          \
            PIO_LAUNCH(q, KERNEL_##name, (q)->backend->kernels.name((q)->stream, (n), &pio_given, (q)->scan_work));    \
    } while (0)

#define pio_scan_with(q, name, n, args)                                                                                \
    do {                                                                                                               \
        name##_args pio_given = *(args);                                                                               \
        if (!PIO_LISTED((q), KERNEL_##name, (n), NULL, NULL, (q)->scan_work))                                          \
            PIO_LAUNCH(q, KERNEL_##name, (q)->backend->kernels.name((q)->stream, (n), &pio_given, (q)->scan_work));    \
    } while (0)

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
