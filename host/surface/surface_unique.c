/* surface_unique.c -- finds vertices of a file with equal coordinates: they are distributed by a hash of their
 * coordinates, and each part, which fits into the processor's cache, is searched by itself. See surface_parts.h. */
#include "host/base/large.h"
#include "host/base/stop.h"
#include "host/surface/surface_parts.h"

#include <stdlib.h>

enum { CHUNKS = 16, MOST_BITS = 12, PART = 1 << 13, POLL = 1 << 13 };

typedef struct {
    double (*x)[3];
    size_t n;
    int bits;        /* bits of the hash that select the part */
    uint32_t *hash;  /* [n] */
    uint64_t *entry; /* [n] hash and number of the vertices of one part after another, sorted */
    /* [parts] start of those of a part and a chunk; after the distribution, their end */
    size_t (*start)[CHUNKS];
    int32_t *place;                 /* [n] */
    bool several, stopped, no_room; /* some vertices have equal coordinates; conditions that threads found */
} search;

static size_t part_of(const search *s, uint32_t hash)
{
    return (uint64_t)hash >> (32 - s->bits);
}

static size_t chunk_begin(const search *s, int c)
{
    return s->n / CHUNKS * (size_t)c + (s->n % CHUNKS < (size_t)c ? s->n % CHUNKS : (size_t)c);
}

/* Scales one chunk of vertices, computes their hashes, and counts how many belong to each part. */
static bool hash_chunk(search *s, const uint64_t key[8], double scale, int c)
{
    bool goes_on = true;
    for (size_t i = chunk_begin(s, c); i < chunk_begin(s, c + 1) && goes_on; i++) {
        for (int a = 0; a < 3; a++) s->x[i][a] = scale * s->x[i][a] + 0.0; /* no -0 */
        s->hash[i] = (uint32_t)(pio_place_hash(key, s->x[i]) >> 32);
        s->start[part_of(s, s->hash[i])][c]++;
        goes_on = i % POLL || pio_stop(PIO_ORDERING, NULL) == PIOLA_OK;
    }
    return goes_on;
}

static void part_chunk(search *s, int c)
{
    for (size_t i = chunk_begin(s, c); i < chunk_begin(s, c + 1); i++)
        s->entry[s->start[part_of(s, s->hash[i])][c]++] = (uint64_t)s->hash[i] << 32 | i;
}

/* Gives every vertex of a part the number of the first with equal coordinates. */
static bool search_part(search *s, size_t part, uint32_t *slot, size_t slots, bool *several)
{
    const size_t from = part ? s->start[part - 1][CHUNKS - 1] : 0, to = s->start[part][CHUNKS - 1];
    memset(slot, 0, slots * sizeof *slot);
    for (size_t e = from; e < to; e++) {
        const uint32_t hash = (uint32_t)(s->entry[e] >> 32);
        const size_t i = (size_t)(uint32_t)s->entry[e];
        size_t at = hash & (slots - 1);
        if (e % POLL == POLL - 1 && pio_stop(PIO_ORDERING, NULL)) return false;
        for (; slot[at]; at = (at + 1) & (slots - 1)) {
            const uint64_t other = s->entry[from + slot[at] - 1];
            if (other >> 32 == hash && !memcmp(s->x[(uint32_t)other], s->x[i], sizeof s->x[i])) break;
        }
        if (!slot[at]) slot[at] = (uint32_t)(e - from) + 1;
        s->place[i] = (int32_t)(uint32_t)s->entry[from + slot[at] - 1];
        *several = *several || (size_t)s->place[i] != i;
    }
    return true;
}

static void search_parts(search *s)
{
    const int64_t parts = (int64_t)1 << s->bits;
    size_t most = 0, slots = 1;
    for (size_t p = 0, before = 0; p < (size_t)parts; p++) {
        const size_t own = s->start[p][CHUNKS - 1] - before;
        most = own > most ? own : most;
        before = s->start[p][CHUNKS - 1];
    }
    while (slots < 2 * most) slots *= 2;
#pragma omp parallel
    {
        uint32_t *slot = malloc(slots * sizeof *slot);
        bool several = false, goes_on = slot != NULL;
#pragma omp for schedule(dynamic)
        for (int64_t p = 0; p < parts; p++) goes_on = goes_on && search_part(s, (size_t)p, slot, slots, &several);
#pragma omp critical
        {
            s->several = s->several || several;
            s->no_room = s->no_room || !slot;
            s->stopped = s->stopped || !goes_on;
        }
        free(slot);
    }
}

/* Turns counts into starts. */
static void add_up(search *s)
{
    size_t sum = 0;
    for (size_t p = 0; p < (size_t)1 << s->bits; p++)
        for (int c = 0; c < CHUNKS; c++) {
            const size_t own = s->start[p][c];
            s->start[p][c] = sum;
            sum += own;
        }
}

void pio_triangles_whole(pio_triangles *t, pio_input *in, double *x, size_t n)
{
    search s = {.x = (double(*)[3])(void *)x, .n = n};
    while (s.bits < MOST_BITS && n >> s.bits > PART) s.bits++;
    const size_t parts = (size_t)1 << s.bits, bytes = (n + 1) * (sizeof *s.hash + sizeof *s.entry + sizeof *s.place);
    t->vertex = x;
    t->n_vertices = t->n_places = n;
    s.hash = pio_large_alloc((n + 1) * sizeof *s.hash);
    s.entry = pio_large_alloc((n + 1) * sizeof *s.entry);
    s.place = pio_large_alloc((n + 1) * sizeof *s.place);
    s.start = calloc(parts, sizeof *s.start);
    s.no_room = !s.hash || !s.entry || !s.place || !s.start;
    if (!s.no_room) {
        pio_place_key(t->key);
#pragma omp parallel for schedule(static)
        for (int c = 0; c < CHUNKS; c++) {
            if (hash_chunk(&s, t->key, t->scale, c)) continue;
#pragma omp critical
            s.stopped = true;
        }
    }
    if (!s.no_room && !s.stopped) {
        add_up(&s);
#pragma omp parallel for schedule(static)
        for (int c = 0; c < CHUNKS; c++) part_chunk(&s, c);
        search_parts(&s);
    }
    if (s.no_room) pio_input_no_memory(in, bytes, "a surface");
    if (s.stopped && !in->status) in->status = pio_stop(PIO_ORDERING, in->error);
    if (s.several && !in->status) {
        t->place = s.place;
        t->place_room = n;
        s.place = NULL;
    }
    free(s.hash);
    free(s.entry);
    free(s.start);
    free(s.place);
}
