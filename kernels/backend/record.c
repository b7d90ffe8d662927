/* record.c -- lists of launches that are recorded and replayed: see queue.h.
 *
 * A list is the exact bytes of what was to be launched: which kernel, over how many items, with which arguments. It is
 * run as it was recorded, or by a graph that was captured from a list of the same bytes, which does the same: a graph
 * has the arguments of its capture. So nothing needs to be known of what a list depends on. A list that comes for the
 * second time is captured; one that never comes again costs a comparison. */
#include "kernels/backend/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 8, LIST_BYTES = 64 * 1024, ALIGNMENT = 16 };

/* What is to be launched; `bytes` of arguments follow, up to the next multiple of ALIGNMENT. */
typedef struct {
    int kernel, n;    /* KERNEL_...; number of items */
    const int *limit; /* of a kernel */
    void *out, *work; /* result of a SUM, workspace of a SUM or SCAN; target of a copy or fill */
    const void *from; /* source of a copy; NULL: a fill with zeros */
    size_t size;      /* bytes of a copy or fill */
    const char *file; /* of the launch, for messages */
    int line, bytes;
} entry;

_Static_assert(sizeof(entry) == 2 * sizeof(int) + 6 * sizeof(void *) + 2 * sizeof(int),
               "nothing lies between the members of an entry");

typedef struct {
    size_t used;     /* bytes */
    int64_t last;    /* when it came last, counted in lists */
    pio_graph graph; /* captured from this list; NULL: it was not */
    _Alignas(ALIGNMENT) char bytes[LIST_BYTES];
} list;

struct pio_recorder {
    list known[LISTS], now; /* lists that came, and the one that is being recorded */
    int64_t count;          /* lists so far */
};

pio_recorder *pio_recorder_create(const pio_backend *backend)
{
    const char *wanted = getenv("PIOLA_GRAPH");
    if (!backend->capture_begin || (wanted && wanted[0] == '0')) return NULL;
    return calloc(1, sizeof(pio_recorder));
}

void pio_recorder_free(pio_recorder *r, const pio_backend *backend)
{
    for (int i = 0; r && i < LISTS; i++)
        if (r->known[i].graph) backend->graph_release(r->known[i].graph);
    free(r);
}

/* ---- recording --------------------------------------------------------------------------------------------- */

static size_t padded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Adds an entry with its arguments to the list. Returns 0 where there is no room: the list was run. */
static int add(pio_queue *q, const entry *e, const void *arguments)
{
    list *l = &q->recorder->now;
    const size_t head = padded(sizeof *e), bytes = head + padded((size_t)e->bytes);
    if (q->error.code) return 1; /* launches after a failure are skipped */
    if (bytes > LIST_BYTES - l->used) {
        pio_queue_stop_recording(q);
        return 0;
    }
    char *at = l->bytes + l->used;
    memset(at, 0, bytes);
    memcpy(at, e, sizeof *e); /* nothing lies between its members */
    if (e->bytes) memcpy(at + head, arguments, (size_t)e->bytes);
    l->used += bytes;
    *(e->kernel == KERNEL_COPY ? &q->counts.copies : &q->counts.launches) += 1;
    return 1;
}

int pio_record_kernel(pio_queue *q, const pio_recorded *what, const void *args, size_t bytes)
{
    const entry e = {.kernel = what->kernel,
                     .n = what->n,
                     .limit = what->limit,
                     .out = what->out,
                     .work = what->work,
                     .file = what->file,
                     .line = what->line,
                     .bytes = (int)bytes};
    return add(q, &e, args);
}

int pio_record_copy(pio_queue *q, void *target, const void *source, size_t bytes)
{
    const entry e = {
        .kernel = KERNEL_COPY, .out = target, .from = source, .size = bytes, .file = __FILE__, .line = __LINE__};
    return add(q, &e, &e); /* it has no arguments */
}

/* ---- running ----------------------------------------------------------------------------------------------- */

static int launch_kernel(const pio_queue *q, const entry *e, const void *args)
{
    const pio_kernels *k = &q->backend->kernels;
    switch (e->kernel) {
#define MAP(name, adjoint)                                                                                             \
    case KERNEL_##name:                                                                                                \
        return k->name(q->stream, e->n, e->limit, args);
#define TEAM MAP
#define SUM(name, adjoint)                                                                                             \
    case KERNEL_##name:                                                                                                \
        return k->name(q->stream, e->n, e->limit, args, e->out, e->work);
#define SCAN(name, adjoint)                                                                                            \
    case KERNEL_##name:                                                                                                \
        return k->name(q->stream, e->n, args, e->work);
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
    default:
        return -1;
    }
}

static int launch(const pio_queue *q, const entry *e, const void *args)
{
    if (e->kernel != KERNEL_COPY) return launch_kernel(q, e, args);
    return e->from ? q->backend->copy(q->stream, e->out, e->from, e->size)
                   : q->backend->zero(q->stream, e->out, e->size);
}

/* Launches all of a list, up to the first failure, which it returns. */
static int run(pio_queue *q, const list *l, const entry **failed)
{
    int rc = 0;
    for (size_t at = 0; !rc && at < l->used;) {
        const entry *e = (const entry *)(const void *)(l->bytes + at);
        at += padded(sizeof *e);
        rc = launch(q, e, l->bytes + at);
        at += padded((size_t)e->bytes);
        *failed = e;
    }
    return rc;
}

static void run_now(pio_queue *q, const list *l)
{
    const entry *e = NULL;
    const int rc = run(q, l, &e);
    if (!rc || q->error.code) return;
    q->error.code = rc;
    snprintf(q->error.message, sizeof q->error.message, "%s failed on %s (%s:%d): %s", pio_kernel_names[e->kernel],
             q->backend->name, e->file, e->line, q->backend->error_text(rc));
}

/* Captures a list. Returns 0 if that fails: nothing of the list has run then, and no other is captured. */
static int capture(pio_queue *q, list *l)
{
    const entry *e;
    int rc = q->backend->capture_begin(q->stream);
    if (!rc) {
        rc = run(q, l, &e);
        const int ended = q->backend->capture_end(q->stream, &l->graph);
        rc = rc ? rc : ended;
    }
    if (!rc) return 1;
    if (l->graph) q->backend->graph_release(l->graph);
    l->graph = NULL;
    q->captures_failed = 1;
    return 0;
}

static void replay(pio_queue *q, const list *l)
{
    const int rc = q->backend->graph_launch(l->graph, q->stream);
    q->counts.graphs++;
    if (!rc || q->error.code) return;
    q->error.code = rc;
    snprintf(q->error.message, sizeof q->error.message, "a graph of launches failed on %s: %s", q->backend->name,
             q->backend->error_text(rc));
}

/* Returns the known list of the same bytes, or NULL. */
static list *find(pio_recorder *r)
{
    for (int i = 0; i < LISTS; i++)
        if (r->known[i].used == r->now.used && !memcmp(r->known[i].bytes, r->now.bytes, r->now.used))
            return &r->known[i];
    return NULL;
}

/* Keeps the list in place of the one that came the longest time ago. */
static void keep(pio_queue *q)
{
    pio_recorder *r = q->recorder;
    list *oldest = r->known;
    for (int i = 1; i < LISTS; i++)
        if (r->known[i].last < oldest->last) oldest = &r->known[i];
    if (oldest->graph) {
        (void)q->backend->wait(q->stream); /* it may run */
        q->backend->graph_release(oldest->graph);
        q->counts.waits++;
    }
    oldest->graph = NULL;
    oldest->used = r->now.used;
    oldest->last = r->count;
    memcpy(oldest->bytes, r->now.bytes, r->now.used);
}

void pio_queue_record(pio_queue *q)
{
    if (!q->recorder || q->captures_failed || q->clock || q->watch || q->error.code) return;
    q->recording = 1;
    q->recorder->now.used = 0;
}

void pio_queue_stop_recording(pio_queue *q)
{
    if (!q->recording) return;
    q->recording = 0;
    if (!q->error.code) run_now(q, &q->recorder->now);
}

void pio_queue_play(pio_queue *q)
{
    pio_recorder *r = q->recorder;
    if (!q->recording) return;
    q->recording = 0;
    if (q->error.code || !r->now.used) return;
    list *same = find(r);
    r->count++;
    if (same) same->last = r->count;
    if (!same) keep(q);
    if (same && (same->graph || capture(q, same)))
        replay(q, same);
    else
        run_now(q, &r->now);
}
