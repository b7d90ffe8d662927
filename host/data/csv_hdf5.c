/* csv_hdf5.c -- a table of an HDF5 file: its one-dimensional datasets of numbers in the root group are the columns.
 *
 * HDF5 reads it in a child process (host/base/guarded.h). Only data of the file itself count: a link to another place
 * or file is not a column. */
#include "host/data/csv.h"

#include "host/base/fail.h"
#include "host/snapshot/snapshot_checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1000, NAME = 256 };
static const int64_t most_rows = (int64_t)1 << 25;

typedef struct {
    int64_t length;
    char name[NAME];
} column;

/* ---- in the process that reads --------------------------------------------------------------------------- */

/* Returns the length of a dataset that is a column, -1 for any other. */
static int64_t length_of(hid_t set)
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int64_t length = -1;
    if (space >= 0 && (class == H5T_INTEGER || class == H5T_FLOAT) && H5Sget_simple_extent_ndims(space) == 1)
        length = (int64_t)H5Sget_simple_extent_npoints(space);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return length;
}

static int64_t length_of_member(hid_t file, const char *name)
{
    H5L_info_t link;
    if (H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return -1;
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    const int64_t length = object >= 0 && H5Iget_type(object) == H5I_DATASET ? length_of(object) : -1;
    if (object >= 0) H5Oclose(object);
    return length;
}

/* Returns the columns in the order of their names, at most MOST_COLUMNS; NULL on a fault. */
static column *find_columns(pio_checked_file *f, size_t *found)
{
    size_t n = 0;
    hid_t root = f->status == PIOLA_OK ? H5Gopen2(f->file, "/", H5P_DEFAULT) : -1;
    if (f->status == PIOLA_OK && !pio_h5_ok(&f->log, root)) (void)pio_checked_fail(f, "damaged");
    char **names = root >= 0 ? pio_checked_members(f, root, &n) : NULL;
    column *columns = names ? pio_checked_alloc(f, MOST_COLUMNS, sizeof *columns) : NULL;
    *found = 0;
    for (size_t i = 0; columns && i < n && *found < MOST_COLUMNS; i++) {
        const int64_t length = strlen(names[i]) < NAME ? length_of_member(root, names[i]) : -1;
        if (length < 0) continue;
        columns[*found].length = length;
        strcpy(columns[*found].name, names[i]);
        ++*found;
    }
    if (names) pio_checked_free_names(names, n);
    if (root >= 0) H5Gclose(root);
    return columns;
}

static double *read_column(pio_checked_file *f, const column *c)
{
    pio_checked_array d = {.id = -1};
    double *out = pio_checked_alloc(f, (size_t)c->length, sizeof *out);
    if (out && pio_checked_data(f, f->file, c->name, &d)) {
        if (d.rank != 1 || (int64_t)d.dims[0] != c->length)
            (void)pio_checked_fail(f, "/%s has changed its length", c->name);
        else if (pio_checked_fits(f, &d, c->name, c->length))
            (void)pio_checked_rows(f, &d, c->name, (pio_checked_block){0, c->length, -1}, H5T_NATIVE_DOUBLE, out);
    }
    pio_checked_close(d.id);
    return out;
}

/* Answers requests: -1 is for the list of columns, k for the numbers of column k. */
static void serve(pio_guard *guard, void *context)
{
    pio_checked_file *f = context;
    piola_error error = {.status = PIOLA_OK};
    size_t n = 0;
    int64_t wanted;
    pio_h5_handler handler = pio_checked_begin(f, &error);
    column *columns = pio_checked_open(f) ? find_columns(f, &n) : NULL;
    while (pio_guard_request(guard, &wanted, sizeof wanted)) {
        double *values = wanted < 0 || f->status ? NULL : read_column(f, &columns[wanted]);
        const void *data = wanted < 0 ? (const void *)columns : values;
        const size_t bytes = wanted < 0 ? n * sizeof *columns
                             : values   ? (size_t)columns[wanted].length * sizeof *values
                                        : 0;
        pio_guard_answer(guard, f->status, &error, data, bytes);
        free(values);
    }
    free(columns);
    (void)pio_checked_end(f, handler);
}

/* ---- in the program -------------------------------------------------------------------------------------- */

/* Takes the names of the columns and checks that all have one length. */
static piola_status take_columns(pio_csv *csv, const column *list, size_t n, piola_error *error)
{
    csv->columns = calloc(n + 1, sizeof *csv->columns);
    if (!csv->columns) return pio_fail_memory(error, (n + 1) * sizeof *csv->columns, "a table");
    for (size_t i = 0; i < n; i++) {
        if (list[i].length != list[0].length)
            return pio_fail(error, PIOLA_BAD_DATA,
                            "%.1000s: /%.255s has %lld numbers and /%s %lld; all columns must be as long", csv->path,
                            list[i].name, (long long)list[i].length, csv->columns[0], (long long)list[0].length);
        csv->columns[i] = strndup(list[i].name, NAME - 1);
        if (!csv->columns[i]) return pio_fail_memory(error, NAME, "a table");
        csv->n_columns++;
    }
    const int64_t rows = n ? list[0].length : 0;
    if (rows < 1 || rows > most_rows)
        return pio_fail(error, PIOLA_BAD_DATA,
                        rows < 1 ? "%.1000s: no columns: no one-dimensional datasets of numbers in the root group"
                                 : "%.1000s: too many rows for a table",
                        csv->path);
    csv->n_rows = (size_t)rows;
    return PIOLA_OK;
}

static piola_status request_columns(pio_csv *csv, pio_guarded *g, piola_error *error)
{
    const int64_t request = -1;
    size_t bytes = 0;
    piola_status rc = pio_guarded_call(g, &request, sizeof request, 0, &bytes, error);
    column *list = rc ? NULL : malloc(bytes + 1);
    if (!rc && !list) rc = pio_fail_memory(error, bytes, "a table");
    if (!rc) rc = pio_guarded_take(g, list, bytes, error);
    if (!rc) rc = take_columns(csv, list, bytes / sizeof *list, error);
    free(list);
    return rc;
}

static piola_status request_values(pio_csv *csv, pio_guarded *g, piola_error *error)
{
    const size_t bytes = csv->n_rows * csv->n_columns * sizeof(double), one = csv->n_rows * sizeof(double);
    double *values = malloc(one);
    piola_status rc = PIOLA_OK;
    csv->values = malloc(bytes);
    if (!csv->values || !values) rc = pio_fail_memory(error, bytes, "a table");
    for (size_t c = 0; !rc && c < csv->n_columns; c++) {
        const int64_t request = (int64_t)c;
        rc = pio_guarded_read(g, &request, sizeof request, values, one, error);
        for (size_t r = 0; !rc && r < csv->n_rows; r++) {
            csv->values[r * csv->n_columns + c] = values[r];
            if (!isfinite(values[r])) rc = pio_csv_fault(csv, r, c, error, "%g is not a finite number", values[r]);
        }
    }
    free(values);
    return rc;
}

piola_status pio_csv_load_hdf5(pio_csv *csv, piola_error *error)
{
    pio_checked_file f = {.path = csv->path, .kind = "", .file = -1, .verify = true};
    pio_guarded *g = NULL;
    piola_status rc = pio_checked_compare(&f, error);
    if (!rc) rc = pio_guarded_start(&g, csv->path, 64 * f.bytes, serve, &f, error);
    if (!rc) rc = request_columns(csv, g, error);
    if (!rc) rc = request_values(csv, g, error);
    pio_guarded_end(g);
    return rc;
}
