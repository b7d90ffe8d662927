/* disk_states.c -- see disk_states.h. */
#include "host/run/disk_states.h"

#include "host/base/fail.h"
#include "host/base/path.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_BYTES = 65536 }; /* upper bound of the bytes of HDF5 besides the dataset */

struct pio_disk_states {
    char path[PIO_PATH];
    hid_t file, set;
    int64_t slots;
    size_t bytes;
    unsigned char *buffer;
    uint64_t *sum; /* [slots] checksum of the state that was written there */
    int *there;    /* [slots] whether a state was written there */
};

/* Returns two sums of words, of which the second depends on their order (Fletcher 1982, IEEE Trans. Commun. 30, 247).
 */
static uint64_t checksum(const unsigned char *data, size_t bytes)
{
    uint64_t a = 1, b = 0, word;
    for (size_t i = 0; i < bytes; i += sizeof word) {
        const size_t n = bytes - i < sizeof word ? bytes - i : sizeof word;
        word = 0;
        memcpy(&word, data + i, n);
        a += word;
        b += a;
    }
    return a ^ (b << 32 | b >> 32);
}

double pio_disk_states_bytes(int64_t slots, size_t bytes)
{
    return slots > 0 ? (double)slots * (double)bytes + HEADER_BYTES : 0;
}

static piola_status fail(const pio_disk_states *d, const char *what, piola_error *error)
{
    return pio_fail(error, PIOLA_IO, "%s: %s of a state failed; is the disk full?", d->path, what);
}

/* Creates the dataset [slots][bytes], whose space is allocated at once. */
static hid_t create_set(const pio_disk_states *d)
{
    const hsize_t shape[2] = {(hsize_t)d->slots, d->bytes};
    const hid_t space = H5Screate_simple(2, shape, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    if (space >= 0 && how >= 0 && H5Pset_layout(how, H5D_CONTIGUOUS) >= 0 &&
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0)
        set = H5Dcreate2(d->file, "states", H5T_NATIVE_UCHAR, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    return set;
}

/* Returns whether HDF5, which opens by name, opened the file that was created, not one that replaced it. */
static int is_that_file(hid_t file, int made)
{
    struct stat ours, its;
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && !fstat(*(int *)handle, &its) && !fstat(made, &ours) &&
           its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/* Creates a file under a name that no file had, and unlinks it. */
static hid_t nameless_file(const pio_disk_states *d)
{
    char name[sizeof d->path + 8];
    snprintf(name, sizeof name, "%s.XXXXXX", d->path); /* it fits */
    const int made = mkstemp(name);
    if (made < 0) return -1;
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    unlink(name);
    if (file >= 0 && !is_that_file(file, made)) {
        H5Fclose(file);
        file = -1;
    }
    close(made);
    return file;
}

/* Returns the file's descriptor; -1 if HDF5 does not provide it. */
static int descriptor(const pio_disk_states *d)
{
    void *handle = NULL;
    return H5Fget_vfd_handle(d->file, H5P_DEFAULT, &handle) < 0 ? -1 : *(int *)handle;
}

static piola_status open_file(pio_disk_states *d, piola_error *error)
{
    const double need = pio_disk_states_bytes(d->slots, d->bytes);
    d->file = nameless_file(d);
    if (d->file < 0)
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot create the file of states on disk", d->path);
    const int fd = descriptor(d);
    if (fd < 0) return fail(d, "reserving its space", error);
    const int code = posix_fallocate(fd, 0, (off_t)need);
    if (code)
        return pio_fail(error, PIOLA_IO, "%s: %.0f bytes of disk for %lld states cannot be reserved: %s", d->path, need,
                        (long long)d->slots, strerror(code));
    d->set = create_set(d);
    return d->set < 0 ? fail(d, "allocating its space", error) : PIOLA_OK;
}

piola_status pio_disk_states_create(pio_disk_states **out, const char *path, int64_t slots, size_t bytes,
                                    piola_error *error)
{
    pio_disk_states *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return pio_fail_memory(error, sizeof *d, "states on disk");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(d->path, sizeof d->path, "%s", path);
    d->file = d->set = -1;
    d->slots = slots;
    d->bytes = bytes;
    d->buffer = malloc(bytes);
    d->sum = calloc((size_t)slots, sizeof *d->sum);
    d->there = calloc((size_t)slots, sizeof *d->there);
    const piola_status rc = d->buffer && d->sum && d->there
                                ? open_file(d, error)
                                : pio_fail_memory(error, bytes + 12 * (size_t)slots, "states on disk");
    if (rc)
        pio_disk_states_free(d);
    else
        *out = d;
    return rc;
}

void pio_disk_states_free(pio_disk_states *d)
{
    if (!d) return;
    if (d->set >= 0) H5Dclose(d->set);
    if (d->file >= 0) H5Fclose(d->file);
    free(d->buffer);
    free(d->sum);
    free(d->there);
    free(d);
}

/* Copies row `slot` of the dataset from or to the buffer. Returns 0 on failure. */
static int transfer(pio_disk_states *d, int64_t slot, int write)
{
    const hsize_t start[2] = {(hsize_t)slot, 0}, count[2] = {1, d->bytes};
    const hid_t file = H5Dget_space(d->set), memory = H5Screate_simple(2, count, NULL);
    herr_t rc = -1;
    if (file >= 0 && memory >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
        rc = write ? H5Dwrite(d->set, H5T_NATIVE_UCHAR, memory, file, H5P_DEFAULT, d->buffer)
                   : H5Dread(d->set, H5T_NATIVE_UCHAR, memory, file, H5P_DEFAULT, d->buffer);
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    return rc >= 0;
}

/* Writes the buffer to a slot. */
static piola_status put(pio_disk_states *d, int64_t slot, piola_error *error)
{
    if (slot < 0 || slot >= d->slots)
        return pio_fail(error, PIOLA_INTERNAL, "%s has no slot %lld", d->path, (long long)slot);
    d->sum[slot] = checksum(d->buffer, d->bytes);
    d->there[slot] = 1;
    return transfer(d, slot, 1) ? PIOLA_OK : fail(d, "writing", error);
}

/* Reads a slot into the buffer. */
static piola_status get(pio_disk_states *d, int64_t slot, piola_error *error)
{
    if (slot < 0 || slot >= d->slots || !d->there[slot])
        return pio_fail(error, PIOLA_INTERNAL, "%s: nothing was kept in slot %lld", d->path, (long long)slot);
    if (!transfer(d, slot, 0)) return fail(d, "reading", error);
    if (checksum(d->buffer, d->bytes) != d->sum[slot])
        return pio_fail(error, PIOLA_IO, "%s: a state was read from the disk with other bytes than were written",
                        d->path);
    return PIOLA_OK;
}

piola_status pio_disk_states_sync(pio_disk_states *d, piola_error *error)
{
    const int fd = descriptor(d);
    if (fd < 0 || H5Fflush(d->file, H5F_SCOPE_LOCAL) < 0 || fdatasync(fd) ||
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
        return fail(d, "writing", error);
    return PIOLA_OK;
}

piola_status pio_disk_states_keep(pio_disk_states *d, int64_t slot, const pio_engine *engine, pio_sim *sim,
                                  piola_error *error)
{
    const piola_status rc = engine->state_out(sim, d->buffer, error);
    return rc ? rc : put(d, slot, error);
}

piola_status pio_disk_states_fetch(pio_disk_states *d, int64_t slot, int64_t step, const pio_engine *engine,
                                   pio_sim *sim, piola_error *error)
{
    const piola_status rc = get(d, slot, error);
    return rc ? rc : engine->state_in(sim, d->buffer, step, error);
}
