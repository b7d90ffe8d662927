/* snapshot_reread.c -- reads frames of a file that is being written, for callers that keep them elsewhere too. */
#include "host/snapshot/snapshot_private.h"

#include <string.h>

static const pio_snapshot_column *column_of(const pio_snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->n_columns; i++)
        if (s->columns[i].when != PIO_SNAPSHOT_STATIC && !strcmp(s->columns[i].name, name)) return &s->columns[i];
    return NULL;
}

/* Reads rows [first, first + rows) of a dataset [..] or [..][stored] as doubles. */
static bool read_rows(pio_h5_log *log, hid_t id, int64_t first, int64_t rows, int stored, double *values)
{
    const hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)rows, (hsize_t)stored};
    const int rank = stored > 1 ? 2 : 1;
    const hid_t file = H5Dget_space(id), memory = H5Screate_simple(rank, count, NULL);
    const bool ok = pio_h5_ok(log, file) && pio_h5_ok(log, memory) &&
                    pio_h5_ok(log, H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL)) &&
                    pio_h5_ok(log, H5Dread(id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values));
    if (file >= 0) (void)H5Sclose(file);
    if (memory >= 0) (void)H5Sclose(memory);
    return ok;
}

piola_status pio_snapshot_reread(pio_snapshot *s, const char *name, int64_t frame, double *values, piola_error *error)
{
    pio_h5_log log = {0};
    const piola_status status = pio_snapshot_usable(s, error);
    if (status) return status;
    const pio_snapshot_column *c = name ? column_of(s, name) : NULL;
    if ((name && !c) || frame < 0 || frame >= s->frames)
        return pio_fail(error, PIOLA_INTERNAL, "%s: frame %lld of %lld has no '%s'", s->partial, (long long)frame,
                        (long long)s->frames, name ? name : "Points");
    const int64_t rows = c ? c->rows : s->n, at = !c && s->static_points ? 0 : frame * rows;
    const size_t components = (size_t)(c ? c->components : s->dimension), stored = (size_t)(c ? c->stored : 3);
    const bool matrix = components == 4 && stored == 9;
    double *padded = s->scratch;
    const pio_h5_handler handler = pio_h5_silence();
    const bool ok = read_rows(&log, c ? c->id : s->points, at, rows, (int)stored, padded);
    pio_h5_restore(handler);
    if (!ok)
        return pio_fail(error, PIOLA_IO, "%s: reading frame %lld back: %s", s->partial, (long long)frame, log.cause);
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t k = 0; k < components; k++)
            values[i * components + k] = padded[i * stored + (matrix ? k / 2 * 3 + k % 2 : k)];
    return PIOLA_OK;
}
