/* export_npy.c -- a folder of NumPy arrays (format version 1.0: magic, version, length of the header, a Python
 * dictionary padded to a multiple of 64 bytes, the numbers), and fields.json, which has the units and marks the folder
 * as ours. */
#include "host/export/export.h"
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/new_file.h"
#include "host/base/path.h"
#include "host/snapshot/snapshot_words.h"
#include "piola.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MARK "\"program\": \"piola export\""

static const char *const dtypes[] = {"<f4", "<f8", "<i8"};

/* Points and cells are arrays too, with names that no field can have. */
static const char *const grid_names[] = {"grid-points", "grid-types", "grid-offsets", "grid-connectivity"};

typedef struct {
    const pio_export *e;
    const char *folder;
    char *known; /* previous contents of fields.json, or NULL */
    char path[PIO_PATH];
} writer;

static piola_status name_file(writer *w, const char *name, const char *ending, piola_error *error)
{
    const int n = snprintf(w->path, sizeof w->path, "%s/%s%s", w->folder, name, ending);
    if (n > 0 && (size_t)n < sizeof w->path) return PIOLA_OK;
    return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: the name is too long", w->folder);
}

/* ---- whose folder ---------------------------------------------------------------------------------------- */

static char *slurp(const char *path)
{
    enum { MOST = 1 << 22 };
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, MOST + 1) : NULL;
    if (text && fread(text, 1, MOST, file) == 0) text[0] = '\0';
    if (file) fclose(file);
    return text;
}

/* An existing file must be listed in the folder's fields.json. */
static piola_status may_write(writer *w, const char *name, piola_error *error)
{
    struct stat st;
    char listed[100];
    piola_status rc = name_file(w, name, ".npy", error);
    if (rc || lstat(w->path, &st) != 0) return rc;
    snprintf(listed, sizeof listed, "\"%.80s.npy\"", name);
    if (S_ISREG(st.st_mode) && w->known && strstr(w->known, listed)) return PIOLA_OK;
    return pio_fail(error, PIOLA_CANNOT_CREATE,
                    "%s exists and was not written by this command: remove it, or name another folder with -o",
                    w->path);
}

static int grids(const pio_export *e)
{
    return e->mesh ? 4 : 1;
}

/* Creates the folder, and checks that no file that will be written belongs to someone else. */
static piola_status claim(writer *w, piola_error *error)
{
    if (mkdir(w->folder, 0777) != 0 && errno != EEXIST)
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot be created: %s", w->folder, strerror(errno));
    struct stat st;
    if (stat(w->folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: arrays are written into a folder, and this is not a folder",
                        w->folder);
    piola_status rc = name_file(w, "fields", ".json", error);
    if (!rc && lstat(w->path, &st) == 0) {
        w->known = slurp(w->path);
        if (!w->known || !strstr(w->known, MARK))
            rc = pio_fail(error, PIOLA_CANNOT_CREATE,
                          "%s exists and was not written by this command: remove it, or name another folder with -o",
                          w->path);
    }
    for (int i = 0; i < grids(w->e) && !rc; i++) rc = may_write(w, grid_names[i], error);
    for (size_t i = 0; i < w->e->info->n_fields && !rc; i++) rc = may_write(w, w->e->info->fields[i].name, error);
    return rc;
}

/* ---- fields.json ----------------------------------------------------------------------------------------- */

static void describe_array(pio_json *json, const char *name, const char *units, const char *meaning,
                           const char *location)
{
    char file[100];
    snprintf(file, sizeof file, "%.80s.npy", name);
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "file", file);
    pio_json_string(json, "unit", units);
    pio_json_string(json, "meaning", meaning);
    pio_json_string(json, "location", location);
    pio_json_end_object(json);
}

static void describe_field(pio_json *json, const pio_export *e)
{
    static const char *const meanings[] = {"position; of a mesh at rest", "kind of each cell, as VTK numbers them",
                                           "where each cell begins in connectivity, and where the last ends",
                                           "nodes of the cells"};
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "program", "piola export");
    pio_json_string(json, "version", PIOLA_VERSION);
    pio_json_string(json, "snapshot", e->path);
    pio_json_integer(json, "frame", e->frame);
    pio_json_double(json, e->info->kind == PIO_SNAPSHOT_HISTORY ? "iteration" : "time", e->time);
    pio_json_begin_array(json, "arrays");
    for (int i = 0; i < grids(e); i++)
        describe_array(json, grid_names[i], i ? "" : "m", meanings[i], i ? "cell" : "point");
    for (size_t i = 0; i < e->info->n_fields; i++) {
        const pio_snapshot_field_info *v = &e->info->fields[i];
        describe_array(json, v->name, v->units, v->meaning, pio_snapshot_location_words[v->location]);
    }
    pio_json_end_array(json);
    pio_json_end_object(json);
}

static piola_status put_list(writer *w, piola_error *error)
{
    pio_json json;
    pio_json_to_memory(&json, 2);
    describe_field(&json, w->e);
    piola_status rc = pio_json_finish(&json, error);
    if (!rc) rc = name_file(w, "fields", ".json", error);
    if (!rc) rc = pio_write_file_atomically(w->path, json.text, json.size, error);
    if (!rc) printf("wrote %s\n", w->path);
    pio_json_free(&json);
    return rc;
}

/* ---- arrays ---------------------------------------------------------------------------------------------- */

/* An array of [rows], [rows, second] or [rows, second, third] numbers; missing axes have length 1. */
typedef struct {
    const char *name, *dtype; /* name without .npy; type in NumPy's notation, such as "<f8" */
    int64_t rows;
    int second, third;
} array;

/* Opens NAME.npy and writes its header. */
static piola_status begin_array(writer *w, pio_export_file *f, const array *a, piola_error *error)
{
    char shape[80], head[192];
    piola_status rc = name_file(w, a->name, ".npy", error);
    if (!rc) rc = pio_export_begin(f, w->path, NULL, error);
    if (rc) return rc;
    if (a->third > 1)
        snprintf(shape, sizeof shape, "(%lld, %d, %d)", (long long)a->rows, a->second, a->third);
    else if (a->second > 1)
        snprintf(shape, sizeof shape, "(%lld, %d)", (long long)a->rows, a->second);
    else
        snprintf(shape, sizeof shape, "(%lld,)", (long long)a->rows);
    const int n =
        snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", a->dtype, shape);
    const int padded = (10 + n + 1 + 63) / 64 * 64 - 10;
    fwrite("\x93NUMPY\x01\x00", 1, 8, f->file);
    fputc(padded & 255, f->file);
    fputc(padded >> 8, f->file);
    fprintf(f->file, "%-*s\n", padded - 1, head);
    return PIOLA_OK;
}

static piola_status put_bytes(writer *w, const char *name, const char *dtype, const void *data, int64_t rows,
                              size_t size, piola_error *error)
{
    pio_export_file f;
    const piola_status rc = begin_array(w, &f, &(array){name, dtype, rows, 1, 1}, error);
    if (rc) return rc;
    fwrite(data, size, (size_t)rows, f.file); /* a failure shows when the file is closed */
    return pio_export_end(&f, PIOLA_OK, error);
}

/* Writes the declared components instead of the stored ones: a vector is [rows, d], a matrix [rows, d, d]. */
static piola_status put_field(writer *w, const pio_snapshot_field_info *v, piola_error *error)
{
    double *values = NULL;
    pio_export_file f;
    const int n = v->components, d = n == 9 ? 3 : w->e->info->dimension; /* a matrix in 2D may have three rows too */
    const bool matrix = n == d * d;
    const pio_export_type type = pio_export_type_of(w->e, v);
    piola_status rc = pio_export_field(w->e, v, &values, error);
    if (rc) return rc;
    for (int64_t row = 0; row < v->rows; row++)
        for (int c = 0; c < n; c++) { /* never overwrites values that are still to be read */
            char letters[16];
            values[row * n + c] = values[row * v->stored + pio_export_component(w->e, v, c, letters)];
        }
    rc = begin_array(w, &f, &(array){v->name, dtypes[type], v->rows, matrix ? d : n, matrix ? d : 1}, error);
    if (!rc) {
        (void)pio_export_put(&f, values, (size_t)(v->rows * n), type); /* a failure shows when the file is closed */
        rc = pio_export_end(&f, PIOLA_OK, error);
    }
    free(values);
    return rc;
}

static piola_status put_grid(writer *w, piola_error *error)
{
    const pio_export *e = w->e;
    const pio_snapshot_mesh *m = e->mesh;
    const int d = e->info->dimension;
    const pio_export_type type = e->info->precision == PIO_SNAPSHOT_F32 ? PIO_EXPORT_F32 : PIO_EXPORT_F64;
    pio_export_file f;
    const array points = {grid_names[0], dtypes[type], e->info->n_points, d, 1};
    piola_status rc = begin_array(w, &f, &points, error);
    if (rc) return rc;
    for (int64_t i = 0; i < e->info->n_points; i++) (void)pio_export_put(&f, e->points + 3 * i, (size_t)d, type);
    rc = pio_export_end(&f, PIOLA_OK, error);
    if (!rc && m) rc = put_bytes(w, grid_names[1], "|u1", m->types, m->n_cells, 1, error);
    if (!rc && m) rc = put_bytes(w, grid_names[2], "<i8", m->offsets, m->n_cells + 1, 8, error);
    if (!rc && m) rc = put_bytes(w, grid_names[3], "<i8", m->connectivity, e->info->n_connectivity, 8, error);
    return rc;
}

piola_status pio_export_npy(const pio_export *e, const char *out, piola_error *error)
{
    writer w = {.e = e, .folder = out};
    piola_status rc = claim(&w, error);
    if (!rc) rc = put_list(&w, error); /* first, so that the files of an interrupted export are known to be ours */
    if (!rc) rc = put_grid(&w, error);
    for (size_t i = 0; i < e->info->n_fields && !rc; i++) rc = put_field(&w, &e->info->fields[i], error);
    free(w.known);
    return rc;
}
