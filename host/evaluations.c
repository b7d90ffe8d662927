/* evaluations.c -- see evaluations.h. */
#include "host/evaluations.h"

#include "host/fail.h"
#include "host/path.h"
#include "host/identity.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 16, LONGEST_IDENTITY = 1 << 30 };

enum { Z, VALUE, GRADIENT, CONSTRAINTS, CONSTRAINT_GRADIENTS, SETS };

struct pio_evaluations {
    char path[PIO_PATH];
    hid_t file, set[SETS];
    size_t width[SETS], count; /* numbers of an evaluation in each set; evaluations in the file */
    int sets;                  /* without constraints the last two are missing */
    double *rows[SETS];        /* what was there when it was opened */
    pio_evaluation *list;
    size_t listed;
    char differs[400]; /* the machine it is of, where that is another */
};

static const char *const names[SETS] = {"z", "J", "gradient", "constraints", "constraint_gradients"};

static int rank_of(int which)
{
    return which == VALUE ? 1 : 2;
}

static piola_status fail(const pio_evaluations *log, piola_error *error, const char *what)
{
    return pio_fail(error, PIOLA_IO, "%s: %s failed; is the disk full?", log->path, what);
}

static void release(pio_evaluations *log)
{
    for (int i = 0; i < SETS; i++) {
        if (log->set[i] >= 0) H5Dclose(log->set[i]);
        free(log->rows[i]);
    }
    if (log->file >= 0) H5Fclose(log->file);
    free(log->list);
    free(log);
}

static pio_evaluations *new_log(const char *path, size_t n, size_t m)
{
    const size_t width[SETS] = {n, 1, n, m, m * n};
    pio_evaluations *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    snprintf(log->path, sizeof log->path, "%s", path);
    log->sets = m ? SETS : CONSTRAINTS;
    log->file = -1;
    for (int i = 0; i < SETS; i++) {
        log->set[i] = -1;
        log->width[i] = width[i];
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return log;
}

static hid_t create_set(const pio_evaluations *log, int which)
{
    const int rank = rank_of(which);
    const hsize_t width = log->width[which], rows = CHUNK_BYTES / 8 / width > 0 ? CHUNK_BYTES / 8 / width : 1;
    const hsize_t now[2] = {0, width}, most[2] = {H5S_UNLIMITED, width},
                  chunk[2] = {which == VALUE ? 1024 : rows, width};
    const hid_t space = H5Screate_simple(rank, now, most), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    if (space >= 0 && how >= 0 && H5Pset_chunk(how, rank, chunk) >= 0)
        set = H5Dcreate2(log->file, names[which], H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    return set;
}

/* The identity is a dataset of bytes: attributes are limited to 64 KiB. */
static int write_identity(const pio_evaluations *log, const char *identity)
{
    const hsize_t size = strlen(identity) + 1;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(log->file, "identity", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, identity) >= 0;
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    return ok;
}

piola_status pio_evaluations_create(pio_evaluations **out, const char *path, size_t n, size_t m, const char *identity,
                                    piola_error *error)
{
    pio_evaluations *log = new_log(path, n, m);
    *out = NULL;
    if (!log) return pio_fail_memory(error, sizeof *log, "the evaluations");
    log->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (log->file < 0) {
        release(log);
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create %s", path);
    }
    int ok = write_identity(log, identity);
    for (int i = 0; i < log->sets; i++) {
        log->set[i] = create_set(log, i);
        ok = ok && log->set[i] >= 0;
    }
    if (!ok || H5Fflush(log->file, H5F_SCOPE_GLOBAL) < 0) {
        const piola_status rc = fail(log, error, "writing");
        release(log);
        return rc;
    }
    *out = log;
    return PIOLA_OK;
}

/* Of whom the record says that it is; NULL when it cannot be read. */
static char *read_identity(const pio_evaluations *log)
{
    const hid_t set = H5Dopen2(log->file, "identity", H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    const hssize_t size = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    char *text = size > 0 && size <= LONGEST_IDENTITY ? malloc((size_t)size + 1) : NULL;
    const int ok = text && H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (ok) text[size] = '\0';
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    if (ok) return text;
    free(text);
    return NULL;
}

/* May a run of `identity` go on with this record? Of which machine it is otherwise is told in log->differs. */
static piola_status admit(pio_evaluations *log, const char *identity, bool accept, piola_error *error)
{
    char *there = read_identity(log);
    if (!there) return pio_fail(error, PIOLA_BAD_DATA, "%s is damaged: it does not say of which run it is", log->path);
    const piola_status rc =
        pio_identity_admit(log->path, there, identity, accept, log->differs, sizeof log->differs, error);
    free(there);
    return rc;
}

/* Rows of a set, or -1 when its shape is not [rows, width]. */
static int64_t rows_of(hid_t set, size_t width)
{
    hsize_t size[2] = {0, 0};
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    const int ok = rank == (width ? 2 : 1) && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    H5Sclose(space);
    return ok && (!width || size[1] == width) ? (int64_t)size[0] : -1;
}

/* Read rows [0, count) of a set, whatever lies behind them. */
static double *read_rows(hid_t set, size_t count, size_t width, int rank)
{
    const hsize_t start[2] = {0, 0}, size[2] = {count, width};
    double *values = malloc(sizeof(double) * (count * width + 1));
    if (!values || count == 0) return values;
    const hid_t from = H5Dget_space(set), to = H5Screate_simple(rank, size, NULL);
    const int ok = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                   H5Dread(set, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, values) >= 0;
    H5Sclose(from);
    H5Sclose(to);
    if (ok) return values;
    free(values);
    return NULL;
}

static piola_status read_all(pio_evaluations *log, piola_error *error)
{
    for (int i = 0; i < log->sets; i++) {
        log->set[i] = H5Dopen2(log->file, names[i], H5P_DEFAULT);
        if (log->set[i] < 0)
            return pio_fail(error, PIOLA_BAD_DATA, "%s is damaged: the dataset %s is missing", log->path, names[i]);
    }
    const int64_t count = rows_of(log->set[VALUE], 0);
    int fits = count >= 0;
    for (int i = 0; i < log->sets; i++) fits &= i == VALUE || rows_of(log->set[i], log->width[i]) >= count;
    if (!fits) return pio_fail(error, PIOLA_BAD_DATA, "%s is damaged: its datasets do not fit", log->path);
    log->count = log->listed = (size_t)count;
    log->list = calloc(log->count + 1, sizeof *log->list);
    for (int i = 0; i < log->sets; i++) {
        log->rows[i] = read_rows(log->set[i], log->count, log->width[i], rank_of(i));
        fits &= log->rows[i] != NULL;
    }
    if (!fits || !log->list)
        return pio_fail(error, PIOLA_IO, "%s: %zu evaluations could not be read", log->path, log->count);
    for (size_t k = 0; k < log->count; k++) {
        const double *at[SETS] = {NULL};
        for (int i = 0; i < log->sets; i++) at[i] = log->rows[i] + k * log->width[i];
        log->list[k] = (pio_evaluation){at[Z], *at[VALUE], at[GRADIENT], at[CONSTRAINTS], at[CONSTRAINT_GRADIENTS]};
    }
    return PIOLA_OK;
}

piola_status pio_evaluations_continue(pio_evaluations **out, const char *path, size_t n, size_t m, const char *identity,
                                      bool accept, piola_error *error)
{
    *out = NULL;
    if (access(path, R_OK)) return pio_fail(error, PIOLA_NO_INPUT, "there is no %s to continue from", path);
    pio_evaluations *log = new_log(path, n, m);
    if (!log) return pio_fail_memory(error, sizeof *log, "the evaluations");
    log->file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    piola_status rc = PIOLA_OK;
    if (log->file < 0)
        rc = pio_fail(error, PIOLA_BAD_DATA, "%s cannot be opened as HDF5", path);
    else
        rc = admit(log, identity, accept, error);
    if (!rc) rc = read_all(log, error);
    if (rc)
        release(log);
    else
        *out = log;
    return rc;
}

const char *pio_evaluations_differ(const pio_evaluations *log)
{
    return log->differs;
}

const pio_evaluation *pio_evaluations_list(const pio_evaluations *log, size_t *count)
{
    *count = log->listed;
    return log->list;
}

static int write_row(pio_evaluations *log, int which, const double *values)
{
    const int rank = rank_of(which);
    const hsize_t width = log->width[which], total[2] = {log->count + 1, width}, start[2] = {log->count, 0},
                  size[2] = {1, width};
    if (H5Dset_extent(log->set[which], total) < 0) return 0;
    const hid_t to = H5Dget_space(log->set[which]), from = H5Screate_simple(rank, size, NULL);
    const int ok = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                   H5Dwrite(log->set[which], H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, values) >= 0;
    H5Sclose(to);
    H5Sclose(from);
    return ok;
}

piola_status pio_evaluations_add(pio_evaluations *log, const pio_evaluation *at, piola_error *error)
{
    if (!write_row(log, Z, at->z) || !write_row(log, GRADIENT, at->gradient) ||
        (log->sets == SETS &&
         (!write_row(log, CONSTRAINTS, at->c) || !write_row(log, CONSTRAINT_GRADIENTS, at->c_gradient))) ||
        H5Fflush(log->file, H5F_SCOPE_GLOBAL) < 0 || !write_row(log, VALUE, &at->J) ||
        H5Fflush(log->file, H5F_SCOPE_GLOBAL) < 0)
        return fail(log, error, "writing an evaluation");
    log->count++;
    return PIOLA_OK;
}

piola_status pio_evaluations_close(pio_evaluations *log, piola_error *error)
{
    if (!log) return PIOLA_OK;
    const int ok = H5Fflush(log->file, H5F_SCOPE_GLOBAL) >= 0;
    const piola_status rc = ok ? PIOLA_OK : fail(log, error, "closing");
    release(log);
    return rc;
}
