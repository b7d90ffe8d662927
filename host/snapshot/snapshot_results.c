/* snapshot_results.c -- the writer: gradients, objective and certificate under /piola.
 *
 * In a history every result has one row per iteration. Rows are flushed before the group's attribute `iterations`
 * counts them, as frames are before NSteps does. Their checksums are the group's `checksums`, [iterations, arrays] in
 * the order value, grad or value, terms; elsewhere each array has its own as the attribute `crc32c`. */
#include "host/snapshot/snapshot_private.h"
#include "host/base/crc32c.h"
#include "host/base/fail.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALAR_CHUNK = 64 }; /* iterations per chunk of a scalar */

static void free_result(pio_snapshot_result *r)
{
    free(r->path);
    free(r->data);
    *r = (pio_snapshot_result){.path = NULL};
}

static void free_terms(pio_snapshot *s)
{
    for (size_t i = 0; s->term_names && i + 1 < s->objective_result.n_data; i++) free(s->term_names[i]);
    free(s->term_names);
    s->term_names = NULL;
    free_result(&s->objective_result);
}

void pio_snapshot_results_free(pio_snapshot *s)
{
    free_terms(s);
    for (size_t i = 0; i < s->n_results; i++) free_result(&s->results[i]);
    free(s->results);
}

/* Creates a dataset of [shape], or [iterations, shape] in a history, of f64. */
static hid_t create_data(const pio_snapshot *s, pio_h5_log *log, hid_t group, const char *name,
                         const pio_snapshot_result *r)
{
    static const double nan64 = NAN;
    const bool grows = s->kind == PIO_SNAPSHOT_HISTORY;
    pio_h5_shape shape = {
        .type = H5T_IEEE_F64LE, .rank = r->rank + grows, .grows = grows, .fill = grows ? NULL : &nan64};
    if (grows) shape.chunk[0] = r->rank ? 1 : SCALAR_CHUNK;
    for (int a = 0; a < r->rank; a++) {
        shape.dims[a + grows] = (hsize_t)r->shape[a];
        if (grows) shape.chunk[a + grows] = (hsize_t)r->shape[a];
    }
    return pio_h5_dataset(log, group, name, &shape);
}

/* Creates the table of checksums of a history's rows; does nothing elsewhere. */
static bool create_sums(const pio_snapshot *s, pio_h5_log *log, pio_snapshot_result *r)
{
    const hsize_t columns = r->n_data;
    const pio_h5_shape shape = {
        .type = H5T_STD_I64LE, .rank = 2, .dims = {0, columns}, .chunk = {SCALAR_CHUNK, columns}, .grows = true};
    r->sums = s->kind == PIO_SNAPSHOT_HISTORY ? pio_h5_dataset(log, r->group, "checksums", &shape) : -1;
    return s->kind != PIO_SNAPSHOT_HISTORY || r->sums >= 0;
}

/* Returns the column of array i in the table: terms are in the order of their names, in which a reader lists them. */
static size_t column_of(const pio_snapshot *s, const pio_snapshot_result *r, size_t i)
{
    size_t column = 1;
    if (r != &s->objective_result || i == 0) return i;
    for (size_t k = 0; k + 1 < r->n_data; k++) column += strcmp(s->term_names[k], s->term_names[i - 1]) < 0;
    return column;
}

/* Writes the checksums of what was just written. */
static bool write_sums(const pio_snapshot *s, pio_h5_log *log, pio_snapshot_result *r, const double *const *values)
{
    size_t bytes = sizeof **values;
    bool ok = true;
    for (int a = 0; a < r->rank; a++) bytes *= (size_t)r->shape[a];
    if (r->sums < 0) {
        for (size_t i = 0; i < r->n_data && ok; i++) ok = pio_h5_attr_sum(log, r->data[i], values[i], bytes);
        return ok;
    }
    int64_t *sums = malloc(r->n_data * sizeof *sums);
    for (size_t i = 0; sums && i < r->n_data; i++) sums[column_of(s, r, i)] = (int64_t)pio_crc32c(0, values[i], bytes);
    ok = sums && pio_h5_set_rows(log, r->sums, r->rows + 1) &&
         pio_h5_write_rows(log, r->sums, r->rows, 1, H5T_NATIVE_INT64, sums);
    free(sums);
    return ok;
}

/* Writes the next row (history) or the whole of every dataset, flushes, and counts it. */
static piola_status append(pio_snapshot *s, pio_snapshot_result *r, const double *const *values, const char *what,
                           piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    const bool grows = s->kind == PIO_SNAPSHOT_HISTORY;
    bool ok = true;
    for (size_t i = 0; i < r->n_data && ok; i++)
        ok = (!grows || pio_h5_set_rows(&log, r->data[i], r->rows + 1)) &&
             pio_h5_write_rows(&log, r->data[i], grows ? r->rows : 0, grows || !r->rank ? 1 : r->shape[0],
                               H5T_NATIVE_DOUBLE, values[i]);
    ok = ok && write_sums(s, &log, r, values) && pio_h5_flush(&log, s->file);
    if (grows) ok = ok && pio_h5_attr_int(&log, r->group, "iterations", r->rows + 1) && pio_h5_flush(&log, s->file);
    if (!ok) return pio_snapshot_io(s, &log, what, error);
    r->rows++;
    return PIOLA_OK;
}

/* ---- gradients ----------------------------------------------------------------------------------------- */

static piola_status check_gradient(const pio_snapshot *s, const pio_snapshot_gradient *g, piola_error *error)
{
    const char *wrong = NULL, *path = g->path;
    int64_t size = 1;
    if (!path || !*path || strchr(path, '/') || strspn(path, ".") == strlen(path))
        wrong = "is no path of a parameter";
    else if (!g->value || !g->grad || (g->rank && !g->shape))
        wrong = "has no values";
    else if (g->rank < 0 || g->rank > PIO_SNAPSHOT_MAX_RANK)
        wrong = "has more axes than 4";
    for (int a = 0; a < g->rank && !wrong; a++) {
        if (g->shape[a] < 1 || g->shape[a] > INT64_MAX / 64 / size)
            wrong = "has an empty axis or is too large";
        else
            size *= g->shape[a];
    }
    if (!wrong) return PIOLA_OK;
    return pio_fail(error, PIOLA_INTERNAL, "%s: gradient '%s' %s", s->partial, path ? path : "", wrong);
}

static pio_snapshot_result *find_result(const pio_snapshot *s, const char *path)
{
    for (size_t i = 0; i < s->n_results; i++)
        if (strcmp(s->results[i].path, path) == 0) return &s->results[i];
    return NULL;
}

static bool create_gradient(const pio_snapshot *s, pio_h5_log *log, pio_snapshot_result *r,
                            const pio_snapshot_gradient *g)
{
    r->group = pio_h5_group(log, s->gradients, r->path);
    if (r->group < 0) return false;
    r->data[0] = create_data(s, log, r->group, "value", r);
    r->data[1] = r->data[0] >= 0 ? create_data(s, log, r->group, "grad", r) : -1;
    return r->data[1] >= 0 && create_sums(s, log, r) && pio_h5_attr_text(log, r->data[0], "units", g->units) &&
           pio_h5_attr_text(log, r->data[1], "units", g->grad_units) &&
           pio_h5_attr_text(log, r->data[1], "of", r->path) &&
           pio_h5_attr_text(log, r->data[1], "objective", s->objective_name) &&
           (s->kind != PIO_SNAPSHOT_HISTORY || pio_h5_attr_int(log, r->group, "iterations", 0));
}

/* Adds an entry to the list, with its group in the file. */
static piola_status add_gradient(pio_snapshot *s, const pio_snapshot_gradient *g, piola_error *error)
{
    if (s->n_results == s->room_results) {
        size_t room = s->room_results ? 2 * s->room_results : 8;
        pio_snapshot_result *grown = realloc(s->results, room * sizeof *grown);
        if (!grown) return pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory for %zu gradients", s->partial, room);
        s->results = grown;
        s->room_results = room;
    }
    pio_snapshot_result *r = &s->results[s->n_results];
    *r =
        (pio_snapshot_result){.path = strdup(g->path), .data = malloc(2 * sizeof(hid_t)), .n_data = 2, .rank = g->rank};
    for (int a = 0; a < g->rank; a++) r->shape[a] = g->shape[a];
    s->n_results++;
    pio_h5_log log = {.cause = ""};
    if (!r->path || !r->data) {
        free_result(&s->results[--s->n_results]);
        return pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory for gradient '%s'", s->partial, g->path);
    }
    return create_gradient(s, &log, r, g) ? PIOLA_OK : pio_snapshot_io(s, &log, g->path, error);
}

/* Writes a new gradient, or for a history the next row of a known one. */
static piola_status put_gradient(pio_snapshot *s, const pio_snapshot_gradient *g, piola_error *error)
{
    const char *path = g->path;
    const size_t axes = (size_t)g->rank;
    int64_t bytes = 16;
    for (size_t a = 0; a < axes; a++) bytes *= g->shape[a];
    pio_snapshot_result *r = find_result(s, path);
    bool same = r && r->rank == g->rank && (!axes || memcmp(r->shape, g->shape, axes * sizeof *g->shape) == 0);
    if (r && s->kind != PIO_SNAPSHOT_HISTORY)
        return pio_fail(error, PIOLA_INTERNAL, "%s: gradient '%s' is written already", s->partial, path);
    if (r && !same) return pio_fail(error, PIOLA_INTERNAL, "%s: gradient '%s' has changed its shape", s->partial, path);
    piola_status status = pio_snapshot_reserve(s, bytes + 262144, path, error);
    if (status == PIOLA_OK && !r) {
        status = add_gradient(s, g, error);
        r = find_result(s, path);
    }
    if (status != PIOLA_OK) return status;
    return append(s, r, (const double *const[]){g->value, g->grad}, path, error);
}

piola_status pio_snapshot_put_gradient(pio_snapshot *s, const pio_snapshot_gradient *g, piola_error *error)
{
    piola_status status = pio_snapshot_usable(s, error);
    if (status == PIOLA_OK) status = check_gradient(s, g, error);
    if (status != PIOLA_OK) return status;
    pio_h5_handler handler = pio_h5_silence();
    status = put_gradient(s, g, error);
    pio_h5_restore(handler);
    return status;
}

/* ---- objective ----------------------------------------------------------------------------------------- */

static piola_status check_terms(const pio_snapshot *s, const pio_snapshot_number *terms, size_t n, piola_error *error)
{
    const char *wrong = NULL;
    if (n && !terms) wrong = "the terms are NULL";
    for (size_t i = 0; i < n && !wrong; i++) {
        const char *key = terms[i].key;
        if (!key || !*key || strchr(key, '/') || strspn(key, ".") == strlen(key)) wrong = "a term has no usable name";
        for (size_t j = 0; j < i && !wrong; j++)
            if (strcmp(terms[j].key, key) == 0) wrong = "two terms have one name";
        if (!wrong && s->term_names && i + 1 < s->objective_result.n_data && strcmp(s->term_names[i], key) != 0)
            wrong = "the terms have changed";
    }
    if (!wrong && s->objective_result.data && n + 1 != s->objective_result.n_data) wrong = "the terms have changed";
    if (!wrong && s->objective_result.data && s->kind != PIO_SNAPSHOT_HISTORY) wrong = "it is written already";
    return wrong ? pio_fail(error, PIOLA_INTERNAL, "%s: objective: %s", s->partial, wrong) : PIOLA_OK;
}

static bool create_objective(pio_snapshot *s, pio_h5_log *log)
{
    pio_snapshot_result *r = &s->objective_result;
    r->data[0] = create_data(s, log, s->objective, "value", r);
    bool ok = r->data[0] >= 0;
    for (size_t i = 1; i < r->n_data && ok; i++) {
        r->data[i] = create_data(s, log, s->terms, s->term_names[i - 1], r);
        ok = r->data[i] >= 0;
    }
    return ok && create_sums(s, log, r) &&
           (s->kind != PIO_SNAPSHOT_HISTORY || pio_h5_attr_int(log, s->objective, "iterations", 0));
}

static piola_status add_objective(pio_snapshot *s, const pio_snapshot_number *terms, size_t n, piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    s->objective_result =
        (pio_snapshot_result){.group = s->objective, .n_data = n + 1, .data = malloc((n + 1) * sizeof(hid_t))};
    s->term_names = calloc(n + 1, sizeof *s->term_names);
    bool room = s->objective_result.data && s->term_names;
    for (size_t i = 0; i < n && room; i++) room = (s->term_names[i] = strdup(terms[i].key)) != NULL;
    if (!room) {
        free_terms(s);
        return pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory for %zu terms", s->partial, n);
    }
    return create_objective(s, &log) ? PIOLA_OK : pio_snapshot_io(s, &log, "objective", error);
}

static piola_status put_objective(pio_snapshot *s, double value, const pio_snapshot_number *terms, size_t n,
                                  piola_error *error)
{
    piola_status status = pio_snapshot_reserve(s, (int64_t)n * 4096 + 262144, "objective", error);
    if (status == PIOLA_OK && !s->objective_result.data) status = add_objective(s, terms, n, error);
    if (status != PIOLA_OK) return status;
    const double **values = malloc((n + 1) * sizeof *values);
    if (!values) return pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory for %zu terms", s->partial, n);
    values[0] = &value;
    for (size_t i = 0; i < n; i++) values[i + 1] = &terms[i].value;
    status = append(s, &s->objective_result, values, "objective", error);
    free(values);
    return status;
}

piola_status pio_snapshot_objective(pio_snapshot *s, double value, const pio_snapshot_number *terms, size_t n_terms,
                                    piola_error *error)
{
    piola_status status = pio_snapshot_usable(s, error);
    if (status == PIOLA_OK) status = check_terms(s, terms, n_terms, error);
    if (status != PIOLA_OK) return status;
    pio_h5_handler handler = pio_h5_silence();
    status = put_objective(s, value, terms, n_terms, error);
    pio_h5_restore(handler);
    return status;
}

/* ---- certificate --------------------------------------------------------------------------------------- */

piola_status pio_snapshot_certificate(pio_snapshot *s, const char *json, const pio_snapshot_number *numbers,
                                      size_t n_numbers, piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    piola_status status = pio_snapshot_usable(s, error);
    if (status != PIOLA_OK) return status;
    bool right = json && !s->certified && (numbers || !n_numbers);
    for (size_t i = 0; i < n_numbers && right; i++) right = numbers[i].key && numbers[i].key[0];
    if (!right)
        return pio_fail(error, PIOLA_INTERNAL, "%s: certificate: written once, with a text and named numbers",
                        s->partial);
    pio_h5_handler handler = pio_h5_silence();
    status = pio_snapshot_reserve(s, (int64_t)(strlen(json) + n_numbers * 1024) + 262144, "certificate", error);
    if (status == PIOLA_OK) {
        bool ok = pio_h5_text(&log, s->certificate, "json", json);
        for (size_t i = 0; i < n_numbers && ok; i++)
            ok = pio_h5_attr_real(&log, s->certificate, numbers[i].key, numbers[i].value);
        if (!ok || !pio_h5_flush(&log, s->file)) status = pio_snapshot_io(s, &log, "certificate", error);
    }
    s->certified = status == PIOLA_OK;
    pio_h5_restore(handler);
    return status;
}
