/* snapshot_io.c -- the file of a writer: space is reserved before anything is changed, and after a failed write nothing
 * reaches it. */
#include "host/snapshot/snapshot_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* HDF5 cannot close a file without writing what it holds, and after a failed write that would damage the earlier
 * frames. So its descriptor is redirected to a temporary file in memory: the file on disk remains as the last
 * successful flush left it. */
void pio_snapshot_break(pio_snapshot *s)
{
    void *handle = NULL;
    s->broken = true;
    int scratch = memfd_create("snapshot", MFD_CLOEXEC);
    if (scratch < 0) scratch = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (scratch < 0) return;
    if (H5Fget_vfd_handle(s->file, H5P_DEFAULT, &handle) >= 0 && handle) (void)dup3(scratch, *(int *)handle, O_CLOEXEC);
    (void)close(scratch);
}

piola_status pio_snapshot_io(pio_snapshot *s, const pio_h5_log *log, const char *what, piola_error *error)
{
    pio_snapshot_break(s);
    return pio_fail(error, PIOLA_IO, "%s: %s: %s", s->partial, what, log->cause[0] ? log->cause : "write failed");
}

piola_status pio_snapshot_usable(const pio_snapshot *s, piola_error *error)
{
    if (!s) return pio_fail(error, PIOLA_INTERNAL, "snapshot: NULL where an open snapshot belongs");
    if (!s->broken) return PIOLA_OK;
    return pio_fail(error, PIOLA_IO, "%s: an earlier write failed; nothing more is written to it", s->partial);
}

piola_status pio_snapshot_reserve(pio_snapshot *s, int64_t bytes, const char *what, piola_error *error)
{
    hsize_t end = 0;
    pio_h5_log log = {.cause = ""};
    if (!pio_h5_ok(&log, H5Fget_filesize(s->file, &end))) return pio_snapshot_io(s, &log, what, error);
    int code = end > (hsize_t)(INT64_MAX - bytes) ? EFBIG : posix_fallocate(s->fd, (off_t)end, (off_t)bytes);
    /* Not every file system can; the present free space is then all there is. */
    if (code == EINVAL || code == EOPNOTSUPP) code = ftruncate(s->fd, (off_t)end + (off_t)bytes) == 0 ? 0 : errno;
    if (code == 0) return PIOLA_OK;
    int kept =
        ftruncate(s->fd, (off_t)end); /* a reservation may have succeeded in part; if it remains, it does no harm */
    (void)kept;
    return pio_fail(error, PIOLA_IO, "%s: %s: cannot reserve %lld bytes: %s", s->partial, what, (long long)bytes,
                    strerror(code));
}
