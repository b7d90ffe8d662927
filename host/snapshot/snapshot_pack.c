/* snapshot_pack.c -- see snapshot_pack.h. One function for all members serves both directions. */
#include "host/snapshot/snapshot_pack.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *data;
    size_t at, bytes; /* next byte; number of bytes, or the space allocated when writing */
    bool reading, failed;
} archive;

/* ---- the members ---------------------------------------------------------------------------------------- */

static void archive_bytes(archive *p, void *value, size_t n)
{
    if (p->failed) return;
    if (p->reading) {
        p->failed = n > p->bytes - p->at;
        if (!p->failed) memcpy(value, p->data + p->at, n);
    } else if (n > p->bytes - p->at) {
        const size_t room = 2 * (p->bytes + n);
        char *grown = realloc(p->data, room);
        p->failed = !grown;
        if (!grown) return;
        p->data = grown;
        p->bytes = room;
    }
    if (!p->failed && !p->reading) memcpy(p->data + p->at, value, n);
    if (!p->failed) p->at += n;
}

/* Archives an integer within these bounds. */
static void archive_int(archive *p, int64_t *value, int64_t least, int64_t most)
{
    archive_bytes(p, value, sizeof *value);
    if (!p->failed && (*value < least || *value > most)) p->failed = true;
    if (p->failed && p->reading) *value = least;
}

static int64_t archived(archive *p, int64_t value, int64_t least, int64_t most)
{
    archive_int(p, &value, least, most);
    return value;
}

static void archive_text(archive *p, char **text)
{
    const int64_t most = p->reading ? (int64_t)p->bytes : INT64_MAX; /* the space grows when writing */
    const int64_t length = archived(p, p->reading ? 0 : (int64_t)strlen(*text), 0, most);
    if (p->failed) return;
    if (p->reading && ((size_t)length > p->bytes - p->at || !(*text = calloc((size_t)length + 1, 1)))) {
        p->failed = true;
        return;
    }
    archive_bytes(p, *text, (size_t)length);
}

/* Archives a count and, when reading, allocates that many entries, each of which takes at least a byte there. */
static size_t archive_list(archive *p, size_t count, size_t entry, void **list)
{
    const int64_t n = archived(p, (int64_t)count, 0, p->reading ? (int64_t)(p->bytes - p->at) : INT64_MAX);
    if (!p->reading || p->failed) return p->failed ? 0 : (size_t)n;
    *list = calloc((size_t)n + 1, entry);
    p->failed = !*list;
    return p->failed ? 0 : (size_t)n;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static const int64_t most_rows = (int64_t)1 << 52;

int64_t pio_snapshot_info_rows(const pio_snapshot_info *info, pio_snapshot_location location)
{
    return location == PIO_SNAPSHOT_CELL    ? info->n_cells
           : location == PIO_SNAPSHOT_POINT ? info->n_points
                                            : info->n_integration;
}

static void archive_field(archive *p, const pio_snapshot_info *info, pio_snapshot_field_info *v)
{
    char **const texts[] = {&v->name, &v->units, &v->meaning, &v->of, &v->objective};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) archive_text(p, texts[i]);
    v->stored = (int)archived(p, v->stored, 1, 9);
    v->components = (int)archived(p, v->components, 1, v->stored);
    v->when = (pio_snapshot_when)archived(p, (int64_t)v->when, 0, PIO_SNAPSHOT_ADJOINT);
    v->integer = archived(p, v->integer, 0, 1);
    v->location = (pio_snapshot_location)archived(p, (int64_t)v->location, 0, PIO_SNAPSHOT_INTEGRATION);
    const int64_t rows = pio_snapshot_info_rows(info, v->location);
    archive_int(p, &v->rows, rows > 1 ? rows : 1, rows);
}

static void archive_gradient(archive *p, pio_snapshot_gradient_info *g)
{
    archive_text(p, &g->path);
    archive_text(p, &g->units);
    archive_text(p, &g->grad_units);
    g->rank = (int)archived(p, g->rank, 0, PIO_SNAPSHOT_MAX_RANK);
    int64_t size = 1;
    for (int a = 0; a < g->rank && !p->failed; a++) {
        archive_int(p, &g->shape[a], 1, most_rows / size);
        size *= g->shape[a];
    }
    archive_int(p, &g->size, size, size);
    archive_int(p, &g->iterations, 0, most_rows);
}

static void archive_counts(archive *p, pio_snapshot_info *info)
{
    info->kind = (pio_snapshot_kind)archived(p, (int64_t)info->kind, 0, PIO_SNAPSHOT_CHECKPOINT);
    info->precision = (pio_snapshot_precision)archived(p, (int64_t)info->precision, 0, PIO_SNAPSHOT_F64);
    info->integrity = (pio_snapshot_integrity)archived(p, (int64_t)info->integrity, 0, PIO_SNAPSHOT_EARLIER);
    info->complete = archived(p, info->complete, 0, 1);
    info->dimension = (int)archived(p, info->dimension, 2, 3);
    archive_int(p, &info->n_points, 1, most_rows);
    archive_int(p, &info->n_cells, 0, most_rows / 27);
    archive_int(p, &info->n_connectivity, 0, 27 * info->n_cells);
    archive_int(p, &info->n_integration, 0, most_rows / 27);
    archive_int(p, &info->n_objectives, 0, most_rows);
}

/* A list is counted only when it is complete, so that a failure in between frees what was filled. */
static void archive_info(archive *p, pio_snapshot_info *info)
{
    archive_counts(p, info);
    info->n_frames = (int64_t)archive_list(p, (size_t)info->n_frames, sizeof *info->times, (void **)&info->times);
    if (info->n_frames) archive_bytes(p, info->times, (size_t)info->n_frames * sizeof *info->times);
    info->n_fields = archive_list(p, info->n_fields, sizeof *info->fields, (void **)&info->fields);
    for (size_t i = 0; i < info->n_fields; i++) archive_field(p, info, &info->fields[i]);
    info->n_pairs = archive_list(p, info->n_pairs, sizeof *info->pairs, (void **)&info->pairs);
    for (size_t i = 0; i < info->n_pairs; i++) {
        archive_text(p, &info->pairs[i].key);
        archive_text(p, &info->pairs[i].value);
    }
    info->n_gradients = archive_list(p, info->n_gradients, sizeof *info->gradients, (void **)&info->gradients);
    for (size_t i = 0; i < info->n_gradients; i++) archive_gradient(p, &info->gradients[i]);
    info->n_terms = archive_list(p, info->n_terms, sizeof *info->terms, (void **)&info->terms);
    for (size_t i = 0; i < info->n_terms; i++) archive_text(p, &info->terms[i]);
    archive_text(p, &info->objective);
}

bool pio_snapshot_pack(const pio_snapshot_info *info, char **data, size_t *bytes)
{
    archive p = {.reading = false};
    pio_snapshot_info copy = *info; /* archiving writes the same values back */
    char none[1] = "";
    if (!copy.objective) copy.objective = none;
    archive_info(&p, &copy);
    *data = p.data;
    *bytes = p.at;
    if (p.failed) free(p.data);
    return !p.failed;
}

bool pio_snapshot_unpack(pio_snapshot_info *info, char *data, size_t bytes)
{
    archive p = {data, 0, bytes, true, false};
    memset(info, 0, sizeof *info);
    archive_info(&p, info);
    return !p.failed && p.at == bytes;
}

void pio_snapshot_info_free(pio_snapshot_info *info)
{
    for (size_t i = 0; i < info->n_fields; i++) {
        pio_snapshot_field_info *v = &info->fields[i];
        free(v->name), free(v->units), free(v->meaning), free(v->of), free(v->objective);
    }
    for (size_t i = 0; i < info->n_pairs; i++) free(info->pairs[i].key), free(info->pairs[i].value);
    for (size_t i = 0; i < info->n_gradients; i++)
        free(info->gradients[i].path), free(info->gradients[i].units), free(info->gradients[i].grad_units);
    for (size_t i = 0; i < info->n_terms; i++) free(info->terms[i]);
    free(info->fields);
    free(info->pairs);
    free(info->gradients);
    free(info->times);
    free(info->terms);
    free(info->objective);
    memset(info, 0, sizeof *info);
}
