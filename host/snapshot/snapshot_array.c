/* snapshot_array.c -- untrusted arrays of HDF5: where they are stored, how large they are, and rows of them, which are
 * compared with their checksums in the file. */
#include "host/base/crc32c.h"
#include "host/snapshot/snapshot_checked.h"

#include <string.h>

bool pio_checked_is_local(pio_checked_file *f, hid_t dataset, const char *name)
{
    hid_t plist = H5Dget_create_plist(dataset);
    bool ok = plist >= 0 && H5Pget_layout(plist) != H5D_VIRTUAL && H5Pget_external_count(plist) == 0;
    if (!ok) pio_h5_note(&f->log);
    if (plist >= 0) (void)H5Pclose(plist);
    return ok || pio_checked_fail(f, "the data of '%s' do not lie in this file", name);
}

/* Compares the size of the file with what `rows` rows need, or could need when compressed. */
bool pio_checked_fits(pio_checked_file *f, const pio_checked_array *d, const char *name, int64_t rows)
{
    hid_t plist = H5Dget_create_plist(d->id);
    if (plist < 0) pio_h5_note(&f->log);
    hid_t type = H5Dget_type(d->id);
    double bytes = type >= 0 ? (double)H5Tget_size(type) * (double)rows : 0;
    bool ok = plist >= 0 && type >= 0 && pio_checked_is_local(f, d->id, name);
    for (int a = 1; a < d->rank; a++) bytes *= (double)d->dims[a];
    if (ok && H5Pget_nfilters(plist) == 0)
        ok = bytes <= (double)H5Dget_storage_size(d->id) && bytes <= (double)f->bytes;
    else
        ok = ok && bytes <= (double)f->bytes * PIO_CHECKED_RATIO;
    if (!ok) pio_h5_note(&f->log);
    if (plist >= 0) (void)H5Pclose(plist);
    if (type >= 0) (void)H5Tclose(type);
    return ok || pio_checked_fail(f, "'%s' claims more data than the file holds", name);
}

/* Opens a dataset of real numbers or integers with at most 5 axes. */
bool pio_checked_data(pio_checked_file *f, hid_t parent, const char *name, pio_checked_array *d)
{
    *d = (pio_checked_array){.id = pio_checked_open_member(f, parent, name, H5I_DATASET)};
    if (d->id < 0) return false;
    hid_t space = H5Dget_space(d->id);
    if (space < 0) pio_h5_note(&f->log); /* at once, since the next call of HDF5 clears the cause */
    hid_t type = H5Dget_type(d->id);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    d->integer = class == H5T_INTEGER;
    bool ok = space >= 0 && (d->integer || class == H5T_FLOAT) && H5Tget_size(type) <= 8;
    d->rank = ok ? H5Sget_simple_extent_ndims(space) : -1;
    ok = d->rank >= 0 && d->rank <= 1 + PIO_SNAPSHOT_MAX_RANK && H5Sget_simple_extent_type(space) != H5S_NULL &&
         H5Sget_simple_extent_dims(space, d->dims, NULL) == d->rank;
    for (int a = 0; a < d->rank && ok; a++) ok = d->dims[a] <= (hsize_t)INT64_MAX / 64;
    if (!ok) pio_h5_note(&f->log);
    if (space >= 0) (void)H5Sclose(space);
    if (type >= 0) (void)H5Tclose(type);
    if (ok) return true;
    pio_checked_close(d->id);
    d->id = -1;
    return pio_checked_fail(f, "'%s' is no array of numbers", name);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Returns whether chunk number at[] has the size of all chunks, or was never written. The length in the index has no
 * checksum, and HDF5 reads a chunk into as many bytes as the index says, however many it then uses. */
static bool whole_chunk(pio_checked_file *f, const pio_checked_array *d, const hsize_t *chunk, const hsize_t *at,
                        hsize_t bytes)
{
    hsize_t offset[6], length = 0;
    haddr_t address = HADDR_UNDEF;
    unsigned skipped = 0;
    for (int a = 0; a < d->rank; a++) offset[a] = at[a] * chunk[a];
    if (!pio_h5_ok(&f->log, H5Dget_chunk_info_by_coord(d->id, offset, &skipped, &address, &length))) return false;
    return address == HADDR_UNDEF || length == bytes;
}

/* Checks every chunk that holds some of these rows. Compressed ones have zlib's checksum. */
static bool whole_chunks(pio_checked_file *f, const pio_checked_array *d, hsize_t first, hsize_t rows)
{
    hid_t plist = H5Dget_create_plist(d->id), type = H5Dget_type(d->id);
    hsize_t chunk[6], at[6] = {0}, last[6], bytes = type >= 0 ? H5Tget_size(type) : 0;
    bool ok = plist >= 0 && type >= 0,
         chunked = ok && H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_nfilters(plist) == 0;
    if (chunked) ok = H5Pget_chunk(plist, d->rank, chunk) == d->rank;
    for (int a = 0; a < d->rank && chunked && ok; a++) {
        if (d->dims[a] == 0) ok = false;
        bytes *= chunk[a];
        at[a] = a ? 0 : first / chunk[0];
        last[a] = ((a ? d->dims[a] : first + rows) - 1) / chunk[a];
    }
    for (bool more = chunked; more && ok;) {
        int a = d->rank - 1;
        ok = whole_chunk(f, d, chunk, at, bytes);
        for (; a >= 0 && at[a] == last[a]; a--) at[a] = a ? 0 : first / chunk[0];
        more = a >= 0;
        if (more) at[a]++;
    }
    if (plist >= 0) (void)H5Pclose(plist);
    if (type >= 0) (void)H5Tclose(type);
    return ok;
}

/* Reads into `out` as the file stores them, compares, and converts in place: `memory` is not smaller than the type of
 * the file. */
static bool read_and_compare(pio_checked_file *f, const pio_checked_array *d, const char *name, hid_t spaces[2],
                             hid_t memory, int64_t sum, void *out)
{
    hid_t stored = H5Dget_type(d->id);
    const hssize_t n = H5Sget_select_npoints(spaces[0]);
    bool ok = pio_h5_ok(&f->log, stored) && n >= 0;
    if (ok && H5Tget_size(stored) > H5Tget_size(memory)) ok = pio_checked_fail(f, "'%s' has too long numbers", name);
    ok = ok && pio_h5_ok(&f->log, H5Dread(d->id, stored, spaces[0], spaces[1], H5P_DEFAULT, out));
    if (ok && (int64_t)pio_crc32c(0, out, (size_t)n * H5Tget_size(stored)) != sum)
        ok = pio_checked_fail(f,
                              "'%s' does not match its checksum: it is damaged, or the run was ended while it was "
                              "written",
                              name);
    ok = ok && pio_h5_ok(&f->log, H5Tconvert(stored, memory, (size_t)n, out, NULL, H5P_DEFAULT));
    if (stored >= 0) (void)H5Tclose(stored);
    return ok;
}

bool pio_checked_rows(pio_checked_file *f, const pio_checked_array *d, const char *name, pio_checked_block block,
                      hid_t memory, void *out)
{
    const int64_t first = block.first, rows = block.rows;
    if (f->status != PIOLA_OK) return false;
    if (d->rank > 0 &&
        (first < 0 || rows < 1 || (hsize_t)rows > d->dims[0] || (hsize_t)first > d->dims[0] - (hsize_t)rows))
        return pio_checked_fail(f, "'%s' has %llu rows, too few for row %lld", name, (unsigned long long)d->dims[0],
                                (long long)first);
    if (d->rank > 0 && !whole_chunks(f, d, (hsize_t)first, (hsize_t)rows))
        return pio_checked_fail(f, "'%s' has a chunk of another length than it says", name);
    hsize_t start[6] = {(hsize_t)first}, count[6];
    memcpy(count, d->dims, sizeof count);
    count[0] = (hsize_t)rows;
    hid_t space = H5Dget_space(d->id), room = d->rank ? H5Screate_simple(d->rank, count, NULL) : H5Screate(H5S_SCALAR);
    bool ok = pio_h5_ok(&f->log, space) && pio_h5_ok(&f->log, room);
    if (ok && d->rank) ok = pio_h5_ok(&f->log, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    if (ok && block.sum < 0)
        ok = pio_h5_ok(&f->log, H5Dread(d->id, memory, room, space, H5P_DEFAULT, out));
    else if (ok)
        ok = read_and_compare(f, d, name, (hid_t[]){room, space}, memory, block.sum, out);
    if (space >= 0) (void)H5Sclose(space);
    if (room >= 0) (void)H5Sclose(room);
    return ok || pio_checked_fail(f, "'%s' cannot be read", name);
}

/* Reads one entry of an offset array. */
bool pio_checked_offset(pio_checked_file *f, hid_t group, const char *name, int64_t frame, int64_t *out)
{
    pio_checked_array d;
    if (!pio_checked_data(f, group, name, &d)) return false;
    bool ok = (d.integer && d.rank == 1) || pio_checked_fail(f, "'%s' is no list of offsets", name);
    ok = ok && pio_checked_rows(f, &d, name, (pio_checked_block){frame, 1, -1}, H5T_NATIVE_INT64, out);
    pio_checked_close(d.id);
    return ok;
}
