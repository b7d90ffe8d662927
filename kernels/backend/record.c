/* record.c -- lists of launches that are recorded and replayed: see queue.h.
 *
 * A list is the exact bytes of what was to be launched: which kernel, over how many items, with which arguments. It is
 * run as it was recorded, or by a graph of the same bytes, which does the same. So nothing needs to be known of what a
 * list depends on.
 *
 * A list that comes for the second time becomes a graph. Lists of the same kernels in the same order have one shape: of
 * one, two lists are kept, since steps often alternate between two states; a third becomes a graph in place of the one
 * that differs from it in the fewest parts, or if that is a graph, these parts of it are set anew. */
#include "kernels/backend/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 8, OF_A_SHAPE = 2, LIST_BYTES = 64 * 1024, ALIGNMENT = 16 };

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
    int parts;       /* launches, copies and fills */
    int64_t last;    /* when it came last, counted in lists */
    pio_graph graph; /* of these bytes; NULL: there is none */
    _Alignas(ALIGNMENT) char bytes[LIST_BYTES];
} list;

struct pio_recorder {
    list known[LISTS], now; /* lists that came, and the one that is being recorded */
    int64_t count;          /* lists so far */
};

pio_recorder *pio_recorder_create(const pio_backend *backend)
{
    const char *wanted = getenv("PIOLA_GRAPH");
    if (!backend->graph_create || (wanted && wanted[0] == '0')) return NULL;
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
    l->parts++;
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

/* A place in a list: a part and its arguments. */
typedef struct {
    size_t at; /* byte of the list where the next part begins */
    const entry *part;
    const void *args;
    size_t bytes; /* of the part with its arguments */
} cursor;

/* Moves on to the next part; returns 0 where there is none. */
static int next_part(const list *l, cursor *c)
{
    if (c->at >= l->used) return 0;
    const char *from = l->bytes + c->at;
    c->part = (const entry *)(const void *)from;
    c->args = from + padded(sizeof *c->part);
    c->bytes = padded(sizeof *c->part) + padded((size_t)c->part->bytes);
    c->at += c->bytes;
    return 1;
}

static void copy_list(list *to, const list *from)
{
    to->used = from->used;
    to->parts = from->parts;
    memcpy(to->bytes, from->bytes, from->used);
}

static void run_now(pio_queue *q, const list *l)
{
    int rc = 0;
    cursor c = {0};
    while (!rc && next_part(l, &c)) rc = launch(q, c.part, c.args);
    if (!rc || q->error.code) return;
    q->error.code = rc;
    snprintf(q->error.message, sizeof q->error.message, "%s failed on %s (%s:%d): %s", pio_kernel_names[c.part->kernel],
             q->backend->name, c.part->file, c.part->line, q->backend->error_text(rc));
}

/* ---- graphs ------------------------------------------------------------------------------------------------ */

/* Aims at a part of a graph; returns what launching it returns. */
static int put(pio_queue *q, pio_graph graph, int part, const cursor *c)
{
    q->backend->graph_aim(graph, part);
    const int rc = launch(q, c->part, c->args);
    q->backend->graph_aim(NULL, 0);
    return rc;
}

/* Releases the graph of a list, if there is one, when it has run. */
static void drop_graph(pio_queue *q, list *l)
{
    if (!l->graph) return;
    (void)q->backend->wait(q->stream);
    q->counts.waits++;
    q->backend->graph_release(l->graph);
    l->graph = NULL;
}

/* Makes the graph of a list. Returns 0 if the device fails to: nothing of it has run, and no other is made any more,
 * since lists that are run as they are give the same results. */
static int build(pio_queue *q, list *l)
{
    cursor c = {0};
    int rc = q->backend->graph_create(l->parts, &l->graph);
    for (int part = 0; !rc && next_part(l, &c); part++) rc = put(q, l->graph, part, &c);
    if (!rc) rc = q->backend->graph_complete(l->graph);
    if (!rc) return 1;
    if (l->graph) q->backend->graph_release(l->graph);
    l->graph = NULL;
    q->graphs_failed = 1;
    return 0;
}

/* Makes a list the same as another of its shape, and sets the parts of its graph that differ. Where the device rejects
 * one, which it may (CUDA runtime API, cudaGraphExecMemsetNodeSetParams), the graph is lost. */
static void renew(pio_queue *q, list *l, const list *to)
{
    cursor old = {0}, c = {0};
    int rc = 0;
    for (int part = 0; l->graph && !rc && next_part(l, &old) && next_part(to, &c); part++)
        if (memcmp(old.part, c.part, c.bytes)) rc = put(q, l->graph, part, &c);
    if (rc) drop_graph(q, l);
    copy_list(l, to);
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

/* ---- lists that came ---------------------------------------------------------------------------------------- */

/* Returns the known list of the same bytes, or NULL. */
static list *find(pio_recorder *r)
{
    for (int i = 0; i < LISTS; i++)
        if (r->known[i].used == r->now.used && !memcmp(r->known[i].bytes, r->now.bytes, r->now.used))
            return &r->known[i];
    return NULL;
}

/* Returns whether a graph of one part can be set to the other: the same kernel, both with items or both without, or two
 * copies, or two fills of as many bytes. */
static int same_kind(const entry *a, const entry *b)
{
    const int fill = a->kernel == KERNEL_COPY && !a->from;
    return a->kernel == b->kernel && a->bytes == b->bytes && (a->n > 0) == (b->n > 0) && !a->from == !b->from &&
           !a->size == !b->size && (!fill || a->size == b->size);
}

/* Returns in how many parts two lists differ, -1 if they are not of one shape. */
static int parts_apart(const list *a, const list *b)
{
    cursor x = {0}, y = {0};
    int apart = 0;
    if (a->used != b->used || a->parts != b->parts) return -1;
    while (next_part(a, &x) && next_part(b, &y)) {
        if (!same_kind(x.part, y.part)) return -1;
        apart += memcmp(x.part, y.part, x.bytes) != 0;
    }
    return apart;
}

/* Returns the list of the same shape that differs in the fewest parts; NULL where more of the shape are to be kept. */
static list *nearest(pio_recorder *r)
{
    list *best = NULL;
    int least = 0, known = 0;
    for (int i = 0; i < LISTS; i++) {
        const int apart = parts_apart(&r->known[i], &r->now);
        if (apart < 0) continue;
        known++;
        if (best && apart >= least) continue;
        best = &r->known[i];
        least = apart;
    }
    return known < OF_A_SHAPE ? NULL : best;
}

/* Keeps the list in place of the one that came the longest time ago. */
static void keep(pio_queue *q)
{
    pio_recorder *r = q->recorder;
    list *oldest = r->known;
    for (int i = 1; i < LISTS; i++)
        if (r->known[i].last < oldest->last) oldest = &r->known[i];
    drop_graph(q, oldest);
    oldest->last = r->count;
    copy_list(oldest, &r->now);
}

/* Returns the list whose graph is that of the list that is recorded, or NULL: it is run as it is. */
static list *graph_of_now(pio_queue *q)
{
    pio_recorder *r = q->recorder;
    list *l = find(r);
    if (!l) {
        l = nearest(r);
        if (!l) {
            keep(q);
            return NULL;
        }
        renew(q, l, &r->now);
    }
    l->last = r->count;
    return l->graph || build(q, l) ? l : NULL;
}

void pio_queue_record(pio_queue *q)
{
    if (!q->recorder || q->graphs_failed || q->clock || q->watch || q->error.code) return;
    q->recording = 1;
    q->recorder->now.used = 0;
    q->recorder->now.parts = 0;
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
    r->count++;
    const list *known = graph_of_now(q);
    if (known)
        replay(q, known);
    else
        run_now(q, &r->now);
}
