/* snapshot.c -- the writer: frames in time order, each on disk before NSteps counts it. */
#include "host/snapshot/snapshot_private.h"
#include "solvers/engine/clock.h"
#include "host/base/crc32c.h"
#include "host/base/fail.h"
#include "host/base/new_file.h"
#include "host/snapshot/snapshot_digest.h"
#include "host/snapshot/snapshot_words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pio_snapshot_release(pio_snapshot *s)
{
    if (s->fd >= 0) (void)close(s->fd);
    pio_snapshot_results_free(s);
    free(s->columns);
    free(s->tracks);
    free(s->scratch);
    free(s->frame_sums);
    free(s->objective_name);
    free(s->partial);
    free(s->path);
    free(s);
}

pio_snapshot_column pio_snapshot_points(const pio_snapshot *s)
{
    return (pio_snapshot_column){.name = "Points",
                                 .components = s->dimension,
                                 .stored = 3,
                                 .when = s->static_points ? PIO_SNAPSHOT_STATIC : PIO_SNAPSHOT_FRAME,
                                 .location = PIO_SNAPSHOT_POINT,
                                 .rows = s->n,
                                 .id = s->points};
}

/* ---- values as they are stored ------------------------------------------------------------------------- */

int64_t pio_snapshot_rows(const pio_snapshot *s, pio_snapshot_location location)
{
    return location == PIO_SNAPSHOT_CELL ? s->n_cells : location == PIO_SNAPSHOT_POINT ? s->n : s->n_integration;
}

static bool fits(const pio_snapshot *s, bool integer, double value)
{
    if (integer) return fabs(value) <= 0x1p53 && !(fabs(value - rint(value)) > 0);
    return s->f64 || !isfinite(value) || isfinite((float)value);
}

/* Checks that every value of [rows][components] can be stored. */
static piola_status check_column(const pio_snapshot *s, const pio_snapshot_column *c, const double *values,
                                 piola_error *error)
{
    for (int64_t i = 0; i < c->rows * c->components; i++)
        if (!fits(s, c->integer, values[i]))
            return pio_fail_result(error, PIOLA_FAILED_NOT_FINITE,
                                   "%s: %s of %s %lld, component %lld, is %.9g: not a value of type %s", s->partial,
                                   c->name, pio_snapshot_location_words[c->location], (long long)(i / c->components),
                                   (long long)(i % c->components), values[i], c->integer ? "int64" : "f32");
    return PIOLA_OK;
}

static void store_value(const pio_snapshot *s, bool integer, size_t at, double value)
{
    if (integer)
        ((int64_t *)s->scratch)[at] = (int64_t)value;
    else if (s->f64)
        ((double *)s->scratch)[at] = value;
    else
        ((float *)s->scratch)[at] = (float)value;
}

/* Converts [rows][components] to the scratch memory's [rows][stored]; component c of a padded matrix goes to row c / 2,
 * column c % 2. NULL stands for NaN, an adjoint field that is not yet written. */
static void stage(const pio_snapshot *s, const pio_snapshot_column *column, const double *values)
{
    const size_t n = (size_t)column->rows, width = (size_t)column->stored, count = (size_t)column->components;
    const bool integer = column->integer, matrix = count == 4 && width == 9;
    if (width > count) memset(s->scratch, 0, n * width * sizeof(double));
    for (size_t i = 0; i < n * width && !values; i++) store_value(s, integer, i, NAN);
    for (size_t i = 0; i < n && values; i++)
        for (size_t c = 0; c < count; c++)
            store_value(s, integer, i * width + (matrix ? c / 2 * 3 + c % 2 : c), values[i * count + c]);
}

/* ---- checksums, and what they cost ---------------------------------------------------------------------- */

static double begin_cost(const pio_snapshot *s)
{
    return s->costs ? pio_clock() : 0;
}

static void end_cost(const pio_snapshot *s, double begun, size_t bytes)
{
    if (!s->costs) return;
    s->costs->arrays += pio_clock() - begun;
    s->costs->array_bytes += (int64_t)bytes;
}

/* Returns the checksum of the first bytes of the scratch memory. */
static int64_t sum_scratch(const pio_snapshot *s, size_t bytes)
{
    const double begun = begin_cost(s);
    const int64_t sum = (int64_t)pio_crc32c(0, s->scratch, bytes);
    end_cost(s, begun, bytes);
    return sum;
}

/* Writes the same into the attribute of the dataset that was written. */
static bool write_own_sum(const pio_snapshot *s, pio_h5_log *log, hid_t id, size_t bytes)
{
    const double begun = begin_cost(s);
    const bool ok = pio_h5_attr_sum(log, id, s->scratch, bytes);
    end_cost(s, begun, bytes);
    return ok;
}

/* Converts and writes rows [first, first + rows) of a dataset, values[rows][components]. Their checksum goes to *sum
 * or, if that is NULL, to the dataset's own attribute. */
static bool write_rows(const pio_snapshot *s, pio_h5_log *log, const pio_snapshot_column *c, const double *values,
                       int64_t first, int64_t *sum)
{
    const size_t bytes = (size_t)c->rows * (size_t)c->stored * (c->integer || s->f64 ? 8 : 4);
    stage(s, c, values);
    hid_t memory = c->integer ? H5T_NATIVE_INT64 : s->f64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    if (sum) *sum = sum_scratch(s, bytes);
    return pio_h5_write_rows(log, c->id, first, c->rows, memory, s->scratch) &&
           (sum || write_own_sum(s, log, c->id, bytes));
}

/* Returns the checksums of frame k: of its time, its points, and its fields in the order of the definition; -1 for
 * static ones. */
static int64_t *sums_of(const pio_snapshot *s, int64_t k)
{
    return s->frame_sums + (size_t)k * (s->n_columns + 2);
}

/* Writes the rows of a field that belong to a frame; those of a static one to frame 0. */
static bool write_column(const pio_snapshot *s, pio_h5_log *log, size_t i, const double *values, int64_t frame)
{
    const pio_snapshot_column *c = &s->columns[i];
    return write_rows(s, log, c, values, frame * c->rows,
                      c->when == PIO_SNAPSHOT_STATIC ? NULL : &sums_of(s, frame)[i + 2]);
}

static bool write_sums(const pio_snapshot *s, pio_h5_log *log, int64_t frame)
{
    const double begun = begin_cost(s);
    const bool ok = pio_h5_write_rows(log, s->sums, frame, 1, H5T_NATIVE_INT64, sums_of(s, frame));
    end_cost(s, begun, 0);
    return ok;
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static piola_status check_frame(const pio_snapshot *s, double time, const double *points, const double *const *values,
                                piola_error *error)
{
    const char *wrong = NULL, *name = "";
    if (!isfinite(time) || (s->frames > 0 && !(time > s->last_time)))
        wrong = "times must be finite and rise";
    else if (s->frames >= INT64_MAX / (s->frame_bytes + 1) - 1)
        wrong = "too many frames for 64-bit sizes";
    else if (s->static_points ? (points != NULL) == (s->frames > 0) : !points)
        wrong =
            s->static_points ? "static points are given with the first frame and only then" : "the points are missing";
    for (size_t i = 0; i < s->n_columns && !wrong; i++) {
        name = s->columns[i].name;
        bool given = values && values[i], needed = s->columns[i].when == PIO_SNAPSHOT_FRAME;
        if (given != needed) wrong = needed ? "its values are missing" : "is not given with the frame";
    }
    if (wrong)
        return pio_fail(error, PIOLA_INTERNAL, "%s: frame %lld at time %g: %s%s%s", s->partial, (long long)s->frames,
                        time, name, *name ? ": " : "", wrong);
    piola_status status = PIOLA_OK;
    const pio_snapshot_column places = pio_snapshot_points(s);
    if (points) status = check_column(s, &places, points, error);
    for (size_t i = 0; i < s->n_columns && status == PIOLA_OK; i++)
        if (values && values[i]) status = check_column(s, &s->columns[i], values[i], error);
    return status;
}

/* Writes the frame's rows and offsets and flushes them; only then NSteps counts the frame, and is flushed too. */
static bool write_frame(pio_snapshot *s, double time, const double *points, const double *const *values,
                        pio_h5_log *log)
{
    const int64_t k = s->frames;
    int64_t *sums = sums_of(s, k);
    bool ok = true;
    for (size_t i = 0; i < s->n_columns + 2; i++) sums[i] = -1;
    sums[0] = (int64_t)pio_crc32c(0, &time, sizeof time);
    for (size_t i = 0; i < s->n_tracks && ok; i++)
        ok = pio_h5_set_rows(log, s->tracks[i].id, (k + 1) * s->tracks[i].rows);
    const pio_snapshot_column places = pio_snapshot_points(s);
    if (points && ok)
        ok = write_rows(s, log, &places, points, s->static_points ? 0 : k * s->n, s->static_points ? NULL : &sums[1]);
    for (size_t i = 0; i < s->n_columns && ok; i++)
        if (s->columns[i].when != PIO_SNAPSHOT_STATIC) ok = write_column(s, log, i, values ? values[i] : NULL, k);
    for (size_t i = 0; i < s->n_tracks && ok; i++) {
        const pio_snapshot_track *t = &s->tracks[i];
        const int64_t offset[] = {t->first + k * t->stride, t->second};
        if (t->id == s->times)
            ok = pio_h5_write_rows(log, t->id, k, 1, H5T_NATIVE_DOUBLE, &time);
        else if (t->step)
            ok = pio_h5_write_rows(log, t->id, k, 1, H5T_NATIVE_INT64, offset);
    }
    return ok && write_sums(s, log, k) && pio_h5_flush(log, s->file) &&
           pio_h5_attr_int(log, s->steps, "NSteps", k + 1) && pio_h5_flush(log, s->file);
}

/* Makes room for the checksums of one more frame. */
static piola_status grow_sums(pio_snapshot *s, piola_error *error)
{
    const size_t bytes = (size_t)(s->frames + 1) * (s->n_columns + 2) * sizeof *s->frame_sums;
    int64_t *grown = realloc(s->frame_sums, bytes);
    if (!grown) return pio_fail_memory(error, bytes, "the checksums of frames");
    s->frame_sums = grown;
    return PIOLA_OK;
}

piola_status pio_snapshot_frame(pio_snapshot *s, double time, const double *points, const double *const *values,
                                piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    piola_status status = pio_snapshot_usable(s, error);
    if (status == PIOLA_OK) status = check_frame(s, time, points, values, error);
    if (status == PIOLA_OK) status = grow_sums(s, error);
    if (status != PIOLA_OK) return status;
    pio_h5_handler handler = pio_h5_silence();
    status = pio_snapshot_reserve(s, s->frame_bytes, "writing a frame", error);
    if (status == PIOLA_OK && !write_frame(s, time, points, values, &log))
        status = pio_snapshot_io(s, &log, "writing a frame", error);
    pio_h5_restore(handler);
    if (status != PIOLA_OK) return status;
    s->frames++;
    s->last_time = time;
    return PIOLA_OK;
}

/* ---- fields written by name ---------------------------------------------------------------------------- */

static pio_snapshot_column *find_column(const pio_snapshot *s, const char *name, pio_snapshot_when when)
{
    for (size_t i = 0; i < s->n_columns && name; i++)
        if (s->columns[i].when == when && strcmp(s->columns[i].name, name) == 0) return &s->columns[i];
    return NULL;
}

static piola_status write_named(pio_snapshot *s, const pio_snapshot_column *c, const double *values, int64_t frame,
                                piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    piola_status status = check_column(s, c, values, error);
    if (status != PIOLA_OK) return status;
    pio_h5_handler handler = pio_h5_silence();
    const bool written = write_column(s, &log, (size_t)(c - s->columns), values, frame) &&
                         (c->when == PIO_SNAPSHOT_STATIC || write_sums(s, &log, frame));
    if (!written || !pio_h5_flush(&log, s->file)) status = pio_snapshot_io(s, &log, c->name, error);
    pio_h5_restore(handler);
    return status;
}

piola_status pio_snapshot_static(pio_snapshot *s, const char *name, const double *values, piola_error *error)
{
    piola_status status = pio_snapshot_usable(s, error);
    if (status != PIOLA_OK) return status;
    pio_snapshot_column *c = find_column(s, name, PIO_SNAPSHOT_STATIC);
    if (!c || !values)
        return pio_fail(error, PIOLA_INTERNAL, "%s: '%s' is no static field, or has no values", s->partial,
                        name ? name : "");
    status = write_named(s, c, values, 0, error);
    c->written = status == PIOLA_OK;
    return status;
}

piola_status pio_snapshot_adjoint(pio_snapshot *s, int64_t frame, const char *name, const double *values,
                                  piola_error *error)
{
    piola_status status = pio_snapshot_usable(s, error);
    if (status != PIOLA_OK) return status;
    const pio_snapshot_column *c = find_column(s, name, PIO_SNAPSHOT_ADJOINT);
    if (!c || !values || frame < 0 || frame >= s->frames)
        return pio_fail(error, PIOLA_INTERNAL, "%s: frame %lld of %lld: '%s' is no adjoint field, or has no values",
                        s->partial, (long long)frame, (long long)s->frames, name ? name : "");
    for (int64_t i = 0; i < c->rows * c->components; i++)
        if (!isfinite(values[i]))
            return pio_fail_result(error, PIOLA_FAILED_GRADIENT,
                                   "%s: frame %lld: %s of %s %lld is %g: an adjoint must be finite", s->partial,
                                   (long long)frame, name, pio_snapshot_location_words[c->location],
                                   (long long)(i / c->components), values[i]);
    return write_named(s, c, values, frame, error);
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* Frees the reserved space that was not used, and closes the file. HDF5 may still write while it closes; it then
 * extends the file itself. */
static bool close_file(pio_snapshot *s, pio_h5_log *log)
{
    hsize_t end = 0;
    bool ok = s->broken || (pio_h5_flush(log, s->file) && pio_h5_ok(log, H5Fget_filesize(s->file, &end)));
    if (ok && !s->broken && ftruncate(s->fd, (off_t)end) != 0) {
        snprintf(log->cause, sizeof log->cause, "trimming: %s", strerror(errno));
        ok = false;
    }
    ok = pio_h5_ok(log, H5Fclose(s->file)) && ok;
    s->file = -1;
    return ok;
}

static piola_status check_finished(const pio_snapshot *s, piola_error *error)
{
    piola_status status = pio_snapshot_usable(s, error);
    for (size_t i = 0; i < s->n_columns && status == PIOLA_OK; i++)
        if (s->columns[i].when == PIO_SNAPSHOT_STATIC && !s->columns[i].written)
            status = pio_fail(error, PIOLA_INTERNAL, "%s: the static field '%s' was never written", s->partial,
                              s->columns[i].name);
    return status;
}

static piola_status finish(pio_snapshot *s, piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    bool marked = pio_h5_flush(&log, s->file) && pio_h5_attr_int(&log, s->root_piola, "complete", 1);
    if (!close_file(s, &log) || !marked) return pio_snapshot_io(s, &log, "finishing", error);
    const double begun = begin_cost(s);
    const piola_status rc = pio_digest_append(s->fd, s->partial, error);
    if (s->costs) s->costs->file += pio_clock() - begun;
    if (rc) return rc;
    if (fsync(s->fd) != 0) return pio_fail(error, PIOLA_IO, "%s: fsync: %s", s->partial, strerror(errno));
    if (rename(s->partial, s->path) != 0)
        return pio_fail(error, PIOLA_IO, "%s: cannot rename to %s: %s", s->partial, s->path, strerror(errno));
    if (pio_sync_folder_of(s->path))
        return pio_fail(error, PIOLA_IO, "%s: fsync of its folder: %s", s->path, strerror(errno));
    return PIOLA_OK;
}

piola_status pio_snapshot_finish(pio_snapshot *s, piola_error *error)
{
    if (!s) return pio_fail(error, PIOLA_INTERNAL, "snapshot: NULL where an open snapshot belongs");
    piola_status status = check_finished(s, error);
    if (status != PIOLA_OK) {
        pio_snapshot_abandon(s);
        return status;
    }
    pio_h5_handler handler = pio_h5_silence();
    status = finish(s, error);
    pio_snapshot_release(s);
    pio_h5_restore(handler);
    return status;
}

void pio_snapshot_abandon(pio_snapshot *s)
{
    if (!s) return;
    pio_h5_log log = {.cause = ""};
    pio_h5_handler handler = pio_h5_silence();
    (void)close_file(s, &log); /* the file remains as its last flush left it */
    pio_snapshot_release(s);
    pio_h5_restore(handler);
}
