/* control_weights.c -- see control_weights.h. HDF5 reads the file in a process of its own (host/base/guarded.h),
 * follows no link to another place or file, and of a snapshot the bytes are compared with its checksums first. */
#include "host/scene/control_weights.h"

#include "host/base/fail.h"
#include "host/snapshot/snapshot_checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pio_checked_file file; /* the HDF5 file */
    const char *dataset;   /* path of the dataset in it */
    size_t count;          /* wanted number of weights */
} work;

/* ---- in the process that reads --------------------------------------------------------------------------- */

/* Replaces the message of a fault so far by one that names the dataset. */
static void say(pio_checked_file *f, const char *dataset, const char *format)
{
    if (f->status != PIOLA_OK && f->status != PIOLA_BAD_DATA) return;
    f->status = PIOLA_OK;
    f->log.cause[0] = '\0';
    (void)pio_checked_fail(f, format, dataset);
}

/* Opens the group that holds the dataset "/a/b/c"; *name gets its own name, which lies in `path`. Returns -1 after a
 * fault. */
static hid_t enter_group(pio_checked_file *f, char *path, char **name)
{
    char *rest = NULL, *word = strtok_r(path, "/", &rest);
    hid_t group = H5Gopen2(f->file, "/", H5P_DEFAULT);
    if (!pio_h5_ok(&f->log, group)) (void)pio_checked_fail(f, "damaged");
    for (char *next; group >= 0 && word && (next = strtok_r(NULL, "/", &rest)); word = next) {
        const hid_t inner = pio_checked_open_member(f, group, word, H5I_GROUP);
        pio_checked_close(group);
        group = inner;
    }
    *name = word;
    return group;
}

static void read_numbers(pio_checked_file *f, const work *w, hid_t group, const char *name, double *out)
{
    pio_checked_array d = {.id = -1};
    const hid_t set = name ? pio_checked_open_member(f, group, name, H5I_DATASET) : -1;
    pio_checked_close(set);
    if (set < 0) {
        say(f, w->dataset, "there is no dataset %.300s");
        return;
    }
    if (!pio_checked_data(f, group, name, &d)) {
        say(f, w->dataset, "%.300s holds no numbers");
        return;
    }
    const int64_t rows = d.rank ? (int64_t)d.dims[0] : 1;
    double length = (double)rows;
    for (int a = 1; a < d.rank; a++) length *= (double)d.dims[a];
    if (length < (double)w->count || length > (double)w->count)
        (void)pio_checked_fail(f, "%.300s has %.0f numbers; the network has %zu weights", w->dataset, length, w->count);
    else if (pio_checked_fits(f, &d, w->dataset, rows))
        (void)pio_checked_rows(f, &d, w->dataset, (pio_checked_block){0, rows, -1}, H5T_NATIVE_DOUBLE, out);
    pio_checked_close(d.id);
}

static void serve(pio_guard *guard, void *context)
{
    work *w = context;
    pio_checked_file *f = &w->file;
    piola_error error = {.status = PIOLA_OK};
    char request, *path = strdup(w->dataset), *name = NULL;
    pio_h5_handler handler = pio_checked_begin(f, &error);
    double *out = pio_checked_alloc(f, w->count, sizeof *out);
    if (!path) (void)pio_checked_no_memory(f, strlen(w->dataset));
    const hid_t group = f->status == PIOLA_OK && pio_checked_open(f) ? enter_group(f, path, &name) : -1;
    if (group >= 0)
        read_numbers(f, w, group, name, out);
    else if (f->file >= 0)
        say(f, w->dataset, "there is no dataset %.300s");
    if (pio_guard_request(guard, &request, 1)) pio_guard_answer(guard, f->status, &error, out, w->count * sizeof *out);
    free(out);
    free(path);
    (void)pio_checked_end(f, handler);
}

/* ---- in the program -------------------------------------------------------------------------------------- */

piola_status pio_control_weights(const char *path, const char *dataset, double *weights, size_t count,
                                 piola_error *error)
{
    work w = {.file = {.path = path, .kind = "", .file = -1, .verify = true}, .dataset = dataset, .count = count};
    pio_guarded *g = NULL;
    piola_status rc = pio_checked_compare(&w.file, error);
    if (!rc) rc = pio_guarded_start(&g, path, 64 * w.file.bytes, serve, &w, error);
    if (!rc) rc = pio_guarded_read(g, "", 1, weights, count * sizeof *weights, error);
    pio_guarded_end(g);
    for (size_t i = 0; !rc && i < count; i++)
        if (!isfinite(weights[i]))
            rc = pio_fail(error, PIOLA_BAD_DATA, "%.400s: %.300s[%zu]: %g is not a finite number", path, dataset, i,
                          weights[i]);
    return rc;
}
