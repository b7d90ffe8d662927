/* snapshot_h5.c -- the HDF5 functions that the writer and the reader share. They use only calls of the 1.10 API that
 * 1.14 and 2.0 have kept. */
#include "host/base/crc32c.h"
#include "host/snapshot/snapshot_private.h"

#include <stdio.h>
#include <string.h>

/* HDF5's own exit handler is not installed if we are its first user: everything that must be on disk was flushed
 * before, and the handler crashes on a file whose last flush failed. */
pio_h5_handler pio_h5_silence(void)
{
    static bool first = true;
    if (first) (void)H5dont_atexit();
    first = false;
    pio_h5_handler handler = {NULL, NULL};
    (void)H5Eget_auto2(H5E_DEFAULT, &handler.function, &handler.data);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return handler;
}

void pio_h5_restore(pio_h5_handler handler)
{
    (void)H5Eset_auto2(H5E_DEFAULT, handler.function, handler.data);
}

/* Called from the innermost message outwards; keeps the first. The message of a driver quotes the system's after "error
 * message = '", which is what a person needs. */
static herr_t innermost(unsigned n, const H5E_error2_t *entry, void *data)
{
    pio_h5_log *log = data;
    if (n > 0 || !entry->desc) return 0;
    const char *text = entry->desc, *mark = "error message = '";
    size_t length = strlen(text);
    const char *system = strstr(text, mark);
    if (system) {
        text = system + strlen(mark);
        log->system = true;
        const char *end = strchr(text, '\'');
        length = end ? (size_t)(end - text) : strlen(text);
    }
    snprintf(log->cause, sizeof log->cause, "%.*s", length < 300 ? (int)length : 300, text);
    return 0;
}

void pio_h5_note(pio_h5_log *log)
{
    if (!log->cause[0]) (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, log);
}

bool pio_h5_ok(pio_h5_log *log, int64_t result)
{
    if (result >= 0) return true;
    pio_h5_note(log);
    if (!log->cause[0]) snprintf(log->cause, sizeof log->cause, "HDF5 gave no reason");
    return false;
}

/* Object times are not stored, so that equal input gives equal bytes. */
static hid_t untimed(pio_h5_log *log, hid_t class)
{
    hid_t plist = H5Pcreate(class);
    if (!pio_h5_ok(log, plist)) return -1;
    if (pio_h5_ok(log, H5Pset_obj_track_times(plist, false))) return plist;
    (void)H5Pclose(plist);
    return -1;
}

hid_t pio_h5_group(pio_h5_log *log, hid_t parent, const char *name)
{
    hid_t plist = untimed(log, H5P_GROUP_CREATE);
    if (plist < 0) return -1;
    hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, plist, H5P_DEFAULT);
    (void)pio_h5_ok(log, group);
    (void)H5Pclose(plist);
    return group;
}

/* Halves the longest axis until a chunk has at most 1 GiB (HDF5 does not accept 4 GiB). */
static void limit_chunk(hsize_t *chunk, int rank, size_t element)
{
    for (;;) {
        double bytes = (double)element;
        int longest = 0;
        for (int a = 0; a < rank; a++) {
            bytes *= (double)chunk[a];
            if (chunk[a] > chunk[longest]) longest = a;
        }
        if (bytes <= 0x1p30) return;
        chunk[longest] = (chunk[longest] + 1) / 2;
    }
}

static bool describe_storage(pio_h5_log *log, hid_t plist, const pio_h5_shape *shape)
{
    if (shape->chunk[0] > 0) {
        hsize_t chunk[5];
        memcpy(chunk, shape->chunk, sizeof chunk);
        limit_chunk(chunk, shape->rank, H5Tget_size(shape->type));
        if (!pio_h5_ok(log, H5Pset_chunk(plist, shape->rank, chunk))) return false;
    }
    if (shape->deflate && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 &&
        (!pio_h5_ok(log, H5Pset_shuffle(plist)) || !pio_h5_ok(log, H5Pset_deflate(plist, 4))))
        return false;
    return !shape->fill || (pio_h5_ok(log, H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY)) &&
                            pio_h5_ok(log, H5Pset_fill_value(plist, shape->type, shape->fill)));
}

/* Whole chunks are written at once, so that a chunk cache would only copy them; chunks of a few values keep the default
 * one. */
static hid_t access_plist(pio_h5_log *log, const pio_h5_shape *shape)
{
    hid_t plist = H5Pcreate(H5P_DATASET_ACCESS);
    if (!pio_h5_ok(log, plist)) return -1;
    if (shape->chunk[0] <= 64 || pio_h5_ok(log, H5Pset_chunk_cache(plist, 1, 0, 1.0))) return plist;
    (void)H5Pclose(plist);
    return -1;
}

hid_t pio_h5_dataset(pio_h5_log *log, hid_t parent, const char *name, const pio_h5_shape *shape)
{
    hsize_t most[5];
    memcpy(most, shape->dims, sizeof most);
    if (shape->grows) most[0] = H5S_UNLIMITED;
    hid_t plist = untimed(log, H5P_DATASET_CREATE), access = access_plist(log, shape), dataset = -1;
    hid_t space = shape->rank ? H5Screate_simple(shape->rank, shape->dims, most) : H5Screate(H5S_SCALAR);
    if (plist >= 0 && access >= 0 && pio_h5_ok(log, space) && describe_storage(log, plist, shape)) {
        dataset = H5Dcreate2(parent, name, shape->type, space, H5P_DEFAULT, plist, access);
        (void)pio_h5_ok(log, dataset);
    }
    if (space >= 0) (void)H5Sclose(space);
    if (access >= 0) (void)H5Pclose(access);
    if (plist >= 0) (void)H5Pclose(plist);
    return dataset;
}

/* Creates the attribute, or opens it if it exists, and writes one value. */
static bool set_attr(pio_h5_log *log, hid_t object, const char *key, hid_t type, const void *value)
{
    hid_t attr = -1;
    htri_t there = H5Aexists(object, key);
    if (!pio_h5_ok(log, there)) return false;
    if (there > 0) {
        attr = H5Aopen(object, key, H5P_DEFAULT);
        (void)pio_h5_ok(log, attr);
    } else {
        hid_t space = H5Screate(H5S_SCALAR);
        if (!pio_h5_ok(log, space)) return false;
        attr = H5Acreate2(object, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
        (void)pio_h5_ok(log, attr);
        (void)H5Sclose(space);
    }
    if (attr < 0) return false;
    bool ok = pio_h5_ok(log, H5Awrite(attr, type, value));
    return pio_h5_ok(log, H5Aclose(attr)) && ok;
}

bool pio_h5_attr_int(pio_h5_log *log, hid_t object, const char *key, int64_t value)
{
    return set_attr(log, object, key, H5T_STD_I64LE, &value);
}

bool pio_h5_attr_real(pio_h5_log *log, hid_t object, const char *key, double value)
{
    return set_attr(log, object, key, H5T_IEEE_F64LE, &value);
}

/* Returns the type of a UTF-8 text of fixed length, padded with NUL; "" has one NUL. Texts of variable length would be
 * stored in HDF5's global heap, which has no checksum: one wrong bit there crashes or hangs a reader. */
static hid_t text_type(pio_h5_log *log, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (!pio_h5_ok(log, type)) return -1;
    if (pio_h5_ok(log, H5Tset_size(type, *text ? strlen(text) : 1)) &&
        pio_h5_ok(log, H5Tset_cset(type, H5T_CSET_UTF8)) && pio_h5_ok(log, H5Tset_strpad(type, H5T_STR_NULLPAD)))
        return type;
    (void)H5Tclose(type);
    return -1;
}

bool pio_h5_attr_text(pio_h5_log *log, hid_t object, const char *key, const char *text)
{
    const char *value = text ? text : "";
    hid_t type = text_type(log, value);
    if (type < 0) return false;
    bool ok = set_attr(log, object, key, type, value);
    (void)H5Tclose(type);
    return ok;
}

bool pio_h5_text(pio_h5_log *log, hid_t parent, const char *name, const char *text)
{
    const char *value = text ? text : "";
    pio_h5_shape shape = {.type = text_type(log, value)};
    if (shape.type < 0) return false;
    hid_t dataset = pio_h5_dataset(log, parent, name, &shape);
    bool ok = dataset >= 0 && pio_h5_ok(log, H5Dwrite(dataset, shape.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value)) &&
              pio_h5_attr_sum(log, dataset, value, *value ? strlen(value) : 1);
    if (dataset >= 0) ok = pio_h5_ok(log, H5Dclose(dataset)) && ok;
    (void)H5Tclose(shape.type);
    return ok;
}

bool pio_h5_attr_sum(pio_h5_log *log, hid_t object, const void *data, size_t bytes)
{
    return pio_h5_attr_int(log, object, PIO_SNAPSHOT_SUM, data ? (int64_t)pio_crc32c(0, data, bytes) : -1);
}

static bool write_slab(pio_h5_log *log, hid_t dataset, hid_t space, int64_t first, int64_t rows, hid_t memory,
                       const void *values)
{
    hsize_t dims[5] = {0}, start[5] = {(hsize_t)first};
    int rank = H5Sget_simple_extent_ndims(space);
    if (!pio_h5_ok(log, rank) || rank > 5 || !pio_h5_ok(log, H5Sget_simple_extent_dims(space, dims, NULL)))
        return false;
    if (rank == 0) return pio_h5_ok(log, H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    dims[0] = (hsize_t)rows;
    hid_t block = H5Screate_simple(rank, dims, NULL);
    bool ok = pio_h5_ok(log, block) &&
              pio_h5_ok(log, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL)) &&
              pio_h5_ok(log, H5Dwrite(dataset, memory, block, space, H5P_DEFAULT, values));
    if (block >= 0) (void)H5Sclose(block);
    return ok;
}

bool pio_h5_write_rows(pio_h5_log *log, hid_t dataset, int64_t first, int64_t rows, hid_t memory, const void *values)
{
    hid_t space = H5Dget_space(dataset);
    if (!pio_h5_ok(log, space)) return false;
    bool ok = write_slab(log, dataset, space, first, rows, memory, values);
    (void)H5Sclose(space);
    return ok;
}

bool pio_h5_set_rows(pio_h5_log *log, hid_t dataset, int64_t rows)
{
    hsize_t dims[5] = {0};
    hid_t space = H5Dget_space(dataset);
    if (!pio_h5_ok(log, space)) return false;
    const bool known = pio_h5_ok(log, H5Sget_simple_extent_dims(space, dims, NULL));
    (void)H5Sclose(space);
    if (!known) return false;
    dims[0] = (hsize_t)rows;
    return pio_h5_ok(log, H5Dset_extent(dataset, dims));
}

bool pio_h5_flush(pio_h5_log *log, hid_t file)
{
    return pio_h5_ok(log, H5Fflush(file, H5F_SCOPE_LOCAL));
}

bool pio_snapshot_is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return name && *name && strlen(name) < PIO_SNAPSHOT_NAME && strchr(letters, *name) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(name);
}
