/* table_h5.c -- writes the table of a sweep as HDF5. The file is made in memory, so that it appears complete or not at
 * all. */
#include "host/sweep/table.h"

#include "host/base/fail.h"
#include "host/base/new_file.h"
#include "host/snapshot/snapshot_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE_BYTES = 1 << 20 }; /* by which the file in memory grows */

typedef struct {
    pio_h5_log log;
    hid_t file;
    bool no_memory;
} writer;

/* Writes a dataset at once, and closes it. Returns false on failure. */
static bool put_dataset(writer *w, hid_t parent, const char *name, const pio_h5_shape *shape, hid_t memory,
                        const void *values)
{
    const hid_t data = pio_h5_dataset(&w->log, parent, name, shape);
    if (data < 0) return false;
    const bool ok = pio_h5_ok(&w->log, H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    return pio_h5_ok(&w->log, H5Dclose(data)) && ok;
}

/* Writes one text for each of n members, of the length of the longest and padded with NUL. */
static bool put_texts(writer *w, hid_t parent, const char *name, char *const *texts, size_t n)
{
    size_t most = 1;
    for (size_t i = 0; i < n; i++)
        if (strlen(texts[i]) > most) most = strlen(texts[i]);
    char *all = calloc(n, most);
    const hid_t type = H5Tcopy(H5T_C_S1);
    w->no_memory |= !all;
    bool ok = all && pio_h5_ok(&w->log, type) && pio_h5_ok(&w->log, H5Tset_size(type, most)) &&
              pio_h5_ok(&w->log, H5Tset_cset(type, H5T_CSET_UTF8)) &&
              pio_h5_ok(&w->log, H5Tset_strpad(type, H5T_STR_NULLPAD));
    for (size_t i = 0; ok && i < n; i++) memcpy(all + i * most, texts[i], strlen(texts[i]));
    const pio_h5_shape shape = {.type = type, .rank = 1, .dims = {n}};
    ok = ok && put_dataset(w, parent, name, &shape, type, all);
    if (type >= 0) (void)H5Tclose(type);
    free(all);
    return ok;
}

/* ---- parameters and members ------------------------------------------------------------------------------ */

/* Returns [n] texts in one block, each of `size` bytes at most, to free(); NULL without memory. */
static char **texts_of(size_t n, size_t size)
{
    char **texts = malloc(n * (sizeof *texts + size));
    for (size_t i = 0; texts && i < n; i++) {
        texts[i] = (char *)(texts + n) + i * size;
        texts[i][0] = '\0';
    }
    return texts;
}

static bool put_axis(writer *w, hid_t parent, const pio_members *m, size_t axis)
{
    const pio_axis *a = &m->axes[axis];
    const size_t n = (size_t)m->n;
    bool ok;
    if (a->numbers) {
        const pio_h5_shape shape = {.type = H5T_IEEE_F64LE, .rank = 1, .dims = {n}};
        double *values = malloc(n * sizeof *values);
        w->no_memory |= !values;
        for (size_t i = 0; values && i < n; i++) values[i] = pio_members_value(m, (int64_t)i, axis);
        ok = values && put_dataset(w, parent, a->path, &shape, H5T_NATIVE_DOUBLE, values);
        free(values);
    } else {
        char **texts = texts_of(n, PIO_MEMBER_TEXT);
        w->no_memory |= !texts;
        for (size_t i = 0; texts && i < n; i++) pio_members_text(m, (int64_t)i, axis, texts[i]);
        ok = texts && put_texts(w, parent, a->path, texts, n);
        free(texts);
    }
    if (!ok) return false;
    const hid_t data = H5Dopen2(parent, a->path, H5P_DEFAULT);
    ok = pio_h5_ok(&w->log, data) && pio_h5_attr_text(&w->log, data, "unit", pio_quantity_unit(a->quantity)) &&
         pio_h5_attr_text(&w->log, data, "over", a->text);
    if (data >= 0) (void)H5Dclose(data);
    return ok;
}

static bool put_axes(writer *w, const pio_members *m)
{
    const hid_t group = pio_h5_group(&w->log, w->file, "parameters");
    bool ok = group >= 0;
    for (size_t a = 0; ok && a < m->n_axes; a++) ok = put_axis(w, group, m, a);
    if (group >= 0) (void)H5Gclose(group);
    return ok;
}

/* Writes how each member ended. */
static bool put_ends(writer *w, const pio_table *t)
{
    static char none[] = "";
    const size_t n = (size_t)t->members->n;
    const hid_t group = pio_h5_group(&w->log, w->file, "members");
    int64_t *codes = malloc(n * sizeof *codes);
    const char **texts = malloc(n * sizeof *texts);
    const pio_h5_shape shape = {.type = H5T_STD_I64LE, .rank = 1, .dims = {n}};
    w->no_memory |= !codes || !texts;
    bool ok = group >= 0 && codes && texts;
    for (size_t i = 0; ok && i < n; i++) codes[i] = t->ends[i].exit;
    ok = ok && put_dataset(w, group, "exit", &shape, H5T_NATIVE_INT64, codes);
    for (size_t i = 0; ok && i < n; i++) texts[i] = t->ends[i].cause ? t->ends[i].cause : none;
    ok = ok && put_texts(w, group, "cause", (char *const *)texts, n);
    for (size_t i = 0; ok && i < n; i++) texts[i] = t->ends[i].folder ? t->ends[i].folder : none;
    ok = ok && put_texts(w, group, "folder", (char *const *)texts, n);
    if (group >= 0) (void)H5Gclose(group);
    free(codes);
    free(texts);
    return ok;
}

/* ---- columns --------------------------------------------------------------------------------------------- */

/* Opens, or makes, the group of a dataset NAME, A/NAME or A/B/NAME, and returns it; *name is then the dataset's. */
static hid_t group_of(writer *w, const char *path, const char **name)
{
    hid_t at = H5Gopen2(w->file, "/", H5P_DEFAULT);
    for (const char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        char part[1100];
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        const hid_t next =
            H5Lexists(at, part, H5P_DEFAULT) > 0 ? H5Gopen2(at, part, H5P_DEFAULT) : pio_h5_group(&w->log, at, part);
        (void)H5Gclose(at);
        at = next;
    }
    (void)pio_h5_ok(&w->log, at);
    *name = path;
    return at;
}

/* Writes a column: [members], [members][values], or of an observation [members][samples] (times) and
 * [members][samples][components]. */
static bool put_column(writer *w, const pio_table *t, const pio_table_column *c)
{
    const size_t n = (size_t)t->members->n;
    const bool observed = strncmp(c->name, "observations/", 13) == 0;
    const bool samples = observed && strcmp(strrchr(c->name, '/'), "/value") == 0;
    const bool whole = c->inner && c->most % c->inner == 0;
    pio_h5_shape shape = {.type = H5T_IEEE_F64LE, .rank = c->most == 1 && !observed ? 1 : 2, .dims = {n, c->most}};
    if (samples && whole) {
        shape.rank = 3;
        shape.dims[1] = c->most / c->inner;
        shape.dims[2] = c->inner;
    }
    if (c->most == 0) return true; /* an observation without samples */
    double *all = malloc(n * c->most * sizeof *all);
    w->no_memory |= !all;
    for (size_t i = 0; all && i < n; i++)
        for (size_t k = 0; k < c->most; k++) all[i * c->most + k] = k < c->cells[i].n ? c->cells[i].v[k] : (double)NAN;
    const char *name;
    const hid_t group = all ? group_of(w, c->name, &name) : -1;
    const bool ok = group >= 0 && put_dataset(w, group, name, &shape, H5T_NATIVE_DOUBLE, all);
    if (group >= 0) (void)H5Gclose(group);
    free(all);
    return ok;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static bool put_all(writer *w, const pio_table *t, const pio_table_head *head)
{
    const pio_members *m = t->members;
    const hid_t root = H5Gopen2(w->file, "/", H5P_DEFAULT);
    int64_t finished = 0;
    for (int64_t i = 0; i < m->n; i++) finished += t->ends[i].exit >= 0 && !t->ends[i].cause;
    bool ok = pio_h5_ok(&w->log, root) && pio_h5_attr_text(&w->log, root, "layout", "piola-sweep-1") &&
              pio_h5_attr_text(&w->log, root, "program", head->program) &&
              pio_h5_attr_text(&w->log, root, "scene", head->scene) &&
              pio_h5_attr_text(&w->log, root, "command", head->command) &&
              pio_h5_attr_text(&w->log, root, "sampling", pio_members_sampling(m)) &&
              pio_h5_attr_int(&w->log, root, "seed", (int64_t)m->seed) &&
              pio_h5_attr_int(&w->log, root, "members", m->n) && pio_h5_attr_int(&w->log, root, "finished", finished);
    ok = ok && put_axes(w, m) && put_ends(w, t);
    for (size_t c = 0; ok && c < t->n_columns; c++) ok = put_column(w, t, &t->columns[c]);
    if (root >= 0) (void)H5Gclose(root);
    return ok && pio_h5_flush(&w->log, w->file);
}

/* Makes the file in memory, and returns its bytes, to free(), or NULL. */
static void *make_image(writer *w, const pio_table *t, const pio_table_head *head, size_t *size)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    void *image = NULL;
    w->file = -1;
    if (pio_h5_ok(&w->log, access) && pio_h5_ok(&w->log, H5Pset_fapl_core(access, MORE_BYTES, false)))
        w->file = H5Fcreate("sweep.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0) (void)H5Pclose(access);
    if (!pio_h5_ok(&w->log, w->file)) return NULL;
    const bool ok = put_all(w, t, head);
    const ssize_t bytes = ok ? H5Fget_file_image(w->file, NULL, 0) : -1;
    if (ok && pio_h5_ok(&w->log, bytes)) image = malloc((size_t)bytes);
    w->no_memory |= ok && bytes > 0 && !image;
    if (image && !pio_h5_ok(&w->log, H5Fget_file_image(w->file, image, (size_t)bytes))) {
        free(image);
        image = NULL;
    }
    *size = image ? (size_t)bytes : 0;
    (void)H5Fclose(w->file);
    return image;
}

piola_status pio_table_write_h5(const pio_table *t, const pio_table_head *head, const char *path, piola_error *error)
{
    writer w = {0};
    size_t size;
    const pio_h5_handler handler = pio_h5_silence();
    void *image = make_image(&w, t, head, &size);
    pio_h5_restore(handler);
    if (!image && w.no_memory) return pio_fail_memory(error, 1 << 20, "sweep.h5");
    if (!image) return pio_fail(error, PIOLA_IO, "%.1000s: cannot be made: %s", path, w.log.cause);
    const piola_status rc = pio_write_file_atomically(path, image, size, error);
    free(image);
    return rc;
}
