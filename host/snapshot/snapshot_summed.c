/* snapshot_summed.c -- rows of arrays that nobody vouches for, compared with the checksums that the file has of them. */
#include "host/base/crc32c.h"
#include "host/snapshot/snapshot_checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunk number at[] is as large as all are, or was never written. The length in the index has no checksum, and HDF5 reads a
 * chunk into as many bytes as the index says, however many it then takes out. */
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

/* Every chunk that holds some of these rows. Compressed ones have zlib's checksum. */
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

/* Read into `out` as the file has them, compare, and convert in place: `memory` is no smaller than the type of the file. */
static bool read_and_compare(pio_checked_file *f, const pio_checked_array *d, const char *name, hid_t spaces[2],
                             hid_t memory, int64_t sum, void *out)
{
    hid_t stored = H5Dget_type(d->id);
    const hssize_t n = H5Sget_select_npoints(spaces[0]);
    bool ok = pio_h5_ok(&f->log, stored) && n >= 0;
    if (ok && H5Tget_size(stored) > H5Tget_size(memory)) ok = pio_checked_bad(f, "'%s' has too long numbers", name);
    ok = ok && pio_h5_ok(&f->log, H5Dread(d->id, stored, spaces[0], spaces[1], H5P_DEFAULT, out));
    if (ok && (int64_t)pio_crc32c(0, out, (size_t)n * H5Tget_size(stored)) != sum)
        ok = pio_checked_bad(f,
                             "'%s' does not match its checksum: it is damaged, or the run was ended while it was "
                             "written",
                             name);
    ok = ok && pio_h5_ok(&f->log, H5Tconvert(stored, memory, (size_t)n, out, NULL, H5P_DEFAULT));
    if (stored >= 0) (void)H5Tclose(stored);
    return ok;
}

bool pio_checked_rows(pio_checked_file *f, const pio_checked_array *d, const char *name, int64_t first, int64_t rows,
                      hid_t memory, int64_t sum, void *out)
{
    if (f->status != PIOLA_OK) return false;
    if (d->rank > 0 &&
        (first < 0 || rows < 1 || (hsize_t)rows > d->dims[0] || (hsize_t)first > d->dims[0] - (hsize_t)rows))
        return pio_checked_bad(f, "'%s' has %llu rows, too few for row %lld", name, (unsigned long long)d->dims[0],
                               (long long)first);
    if (d->rank > 0 && !whole_chunks(f, d, (hsize_t)first, (hsize_t)rows))
        return pio_checked_bad(f, "'%s' has a chunk of another length than it says", name);
    hsize_t start[6] = {(hsize_t)first}, count[6];
    memcpy(count, d->dims, sizeof count);
    count[0] = (hsize_t)rows;
    hid_t space = H5Dget_space(d->id), block = d->rank ? H5Screate_simple(d->rank, count, NULL) : H5Screate(H5S_SCALAR);
    bool ok = pio_h5_ok(&f->log, space) && pio_h5_ok(&f->log, block);
    if (ok && d->rank) ok = pio_h5_ok(&f->log, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    if (ok && sum < 0)
        ok = pio_h5_ok(&f->log, H5Dread(d->id, memory, block, space, H5P_DEFAULT, out));
    else if (ok)
        ok = read_and_compare(f, d, name, (hid_t[]){block, space}, memory, sum, out);
    if (space >= 0) (void)H5Sclose(space);
    if (block >= 0) (void)H5Sclose(block);
    return ok || pio_checked_bad(f, "'%s' cannot be read", name);
}

/* ---- checksums of arrays -------------------------------------------------------------------------------- */

int64_t pio_checked_sum(pio_checked_file *f, hid_t dataset)
{
    int64_t sum = -1;
    if (f->status != PIOLA_OK || H5Aexists(dataset, PIO_SNAPSHOT_SUM) <= 0) return -1;
    return pio_checked_int(f, dataset, PIO_SNAPSHOT_SUM, -1, UINT32_MAX, &sum) ? sum : -1;
}

/* A table [rows, columns] of checksums into f's own memory; NULL on a fault. */
static int64_t *read_table(pio_checked_file *f, const pio_checked_array *d, int64_t first, int64_t rows)
{
    const char *name = "checksums";
    if (!d->integer || d->rank != 2 || d->dims[1] < 1 || d->dims[1] > (hsize_t)f->bytes) {
        (void)pio_checked_bad(f, "'%s' is no table of them", name);
        return NULL;
    }
    if (!pio_checked_holds(f, d, name, rows)) return NULL;
    int64_t *sums = pio_checked_make(f, (size_t)rows * (size_t)d->dims[1], sizeof *sums);
    if (!sums || pio_checked_rows(f, d, name, first, rows, H5T_NATIVE_INT64, -1, sums)) return sums;
    free(sums);
    return NULL;
}

int64_t pio_checked_sum_of_row(pio_checked_file *f, hid_t group, int64_t row, int64_t column)
{
    pio_checked_array d;
    int64_t sum = -1;
    if (f->status != PIOLA_OK || H5Lexists(group, "checksums", H5P_DEFAULT) <= 0) return -1;
    if (!pio_checked_data(f, group, "checksums", &d)) return -1;
    int64_t *sums = column < (int64_t)d.dims[1] ? read_table(f, &d, row, 1) : NULL;
    if (sums) sum = sums[column];
    free(sums);
    pio_checked_leave(d.id);
    return sum;
}

int64_t pio_checked_sum_of_frame(const pio_checked_file *f, const char *column, int64_t frame)
{
    char word[PIO_SNAPSHOT_NAME + 2];
    size_t place = 0;
    if (!f->sums || frame < 0 || frame >= f->info.n_frames) return -1;
    snprintf(word, sizeof word, " %s ", column);
    const char *found = strstr(f->sum_names, word);
    for (const char *at = f->sum_names; found && at < found; at++) place += *at == ' ';
    return found && place < f->n_sums ? f->sums[(size_t)frame * f->n_sums + place] : -1;
}

static void compare_times(pio_checked_file *f)
{
    for (int64_t k = 0; k < f->info.n_frames && f->status == PIOLA_OK; k++) {
        const int64_t sum = pio_checked_sum_of_frame(f, "Values", k);
        if (sum >= 0 && sum != (int64_t)pio_crc32c(0, &f->info.times[k], sizeof *f->info.times))
            (void)pio_checked_bad(f, "the time of frame %lld does not match its checksum: it is damaged", (long long)k);
    }
}

void pio_checked_frame_sums(pio_checked_file *f)
{
    pio_checked_array d = {.id = -1};
    hid_t root = f->status == PIOLA_OK && f->info.n_frames ? pio_checked_enter(f, f->file, "piola", H5I_GROUP) : -1;
    const bool there = root >= 0 && H5Lexists(root, "checksums", H5P_DEFAULT) > 0;
    hid_t group = there ? pio_checked_enter(f, root, "checksums", H5I_GROUP) : -1;
    if (group >= 0 && pio_checked_data(f, group, "frames", &d)) {
        char *names = pio_checked_text(f, d.id, "columns");
        const size_t length = names ? strlen(names) : 0;
        f->sum_names = names ? pio_checked_make(f, length + 3, 1) : NULL;
        if (f->sum_names) snprintf(f->sum_names, length + 3, " %s ", names);
        free(names);
        if (f->sum_names) f->sums = read_table(f, &d, 0, f->info.n_frames);
        f->n_sums = (size_t)d.dims[1];
        if (f->sums) compare_times(f);
    }
    pio_checked_leave(d.id);
    pio_checked_leave(group);
    pio_checked_leave(root);
}
