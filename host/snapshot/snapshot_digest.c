/* snapshot_digest.c -- see snapshot_digest.h. */
#include "host/snapshot/snapshot_digest.h"

#include "host/base/crc32c.h"
#include "host/base/fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

/* The part of the table after the sums. */
typedef struct {
    int64_t covered;
    uint32_t block, own;
    char mark[16];
} trailer;
_Static_assert(sizeof(trailer) == 32, "the trailer has no padding");

static const char mark[16] = "piola-crc32c-1";

static int64_t blocks_of(int64_t bytes)
{
    return bytes / BLOCK + (bytes % BLOCK != 0);
}

/* Reads all of [at, at + bytes). Returns false with errno, which is 0 if the file is shorter. */
static bool read_bytes(int fd, int64_t at, void *out, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = pread(fd, (char *)out + done, bytes - done, (off_t)at + (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = 0;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_bytes(int fd, int64_t at, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = pwrite(fd, (const char *)data + done, bytes - done, (off_t)at + (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static piola_status unreadable(const char *path, piola_error *error)
{
    return pio_fail(error, PIOLA_IO, "%s: cannot be read: %s", path,
                    errno ? strerror(errno) : "it became shorter meanwhile");
}

/* Computes sums[0 .. blocks) of the first `bytes` bytes. */
static piola_status sum_blocks(int fd, const char *path, int64_t bytes, uint32_t *sums, piola_error *error)
{
    char *buffer = malloc(BLOCK);
    if (!buffer) return pio_fail_memory(error, BLOCK, "a checksum");
    piola_status rc = PIOLA_OK;
    for (int64_t at = 0, i = 0; !rc && at < bytes; at += BLOCK, i++) {
        const size_t n = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;
        if (read_bytes(fd, at, buffer, n))
            sums[i] = pio_crc32c(0, buffer, n);
        else
            rc = unreadable(path, error);
    }
    free(buffer);
    return rc;
}

static uint32_t own_sum(const uint32_t *sums, size_t bytes, const trailer *e)
{
    return pio_crc32c(pio_crc32c(0, sums, bytes), e, offsetof(trailer, own));
}

piola_status pio_digest_append(int fd, const char *path, piola_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return unreadable(path, error);
    trailer e = {.covered = (int64_t)st.st_size, .block = BLOCK};
    const size_t bytes = (size_t)blocks_of(e.covered) * sizeof(uint32_t);
    uint32_t *sums = malloc(bytes + sizeof e);
    if (!sums) return pio_fail_memory(error, bytes + sizeof e, "checksums");
    piola_status rc = sum_blocks(fd, path, e.covered, sums, error);
    if (!rc) {
        e.own = own_sum(sums, bytes, &e);
        memcpy(e.mark, mark, sizeof mark);
        memcpy((char *)sums + bytes, &e, sizeof e);
        if (!write_bytes(fd, e.covered, sums, bytes + sizeof e))
            rc = pio_fail(error, PIOLA_IO, "%s: writing its checksums: %s", path, strerror(errno));
    }
    free(sums);
    return rc;
}

/* Reads the trailer of a file of `bytes` bytes. Returns false, with errno 0 if it has none. */
static bool read_trailer(int fd, int64_t bytes, trailer *e)
{
    errno = 0;
    return bytes >= (int64_t)sizeof *e && read_bytes(fd, bytes - (int64_t)sizeof *e, e, sizeof *e) &&
           memcmp(e->mark, mark, sizeof mark) == 0;
}

/* Reports the blocks that differ, by the first and their number. */
static piola_status report_blocks(const char *path, const pio_digest *d, int64_t first, int64_t wrong,
                                  piola_error *error)
{
    const int64_t from = first * BLOCK, to = from + BLOCK < d->covered ? from + BLOCK : d->covered;
    return pio_fail(error, PIOLA_BAD_DATA,
                    "%s: damaged: bytes %lld to %lld do not match their checksum (%lld of %lld blocks do not); "
                    "take a copy that is whole, or run again",
                    path, (long long)from, (long long)(to - 1), (long long)wrong, (long long)d->blocks);
}

static piola_status compare_blocks(int fd, const char *path, const pio_digest *d, const uint32_t *stored,
                                   uint32_t *found, piola_error *error)
{
    int64_t wrong = 0, first = -1;
    const piola_status rc = sum_blocks(fd, path, d->covered, found, error);
    for (int64_t i = 0; !rc && i < d->blocks; i++)
        if (stored[i] != found[i] && wrong++ == 0) first = i;
    return rc || !wrong ? rc : report_blocks(path, d, first, wrong, error);
}

piola_status pio_digest_compare(int fd, const char *path, pio_digest *digest, piola_error *error)
{
    struct stat st;
    trailer e;
    *digest = (pio_digest){.there = false};
    if (fstat(fd, &st) != 0) return unreadable(path, error);
    if (!read_trailer(fd, (int64_t)st.st_size, &e)) return errno ? unreadable(path, error) : PIOLA_OK;
    const int64_t room = (int64_t)st.st_size - (int64_t)sizeof e;
    const bool sized = e.block == BLOCK && e.covered >= 0 && e.covered <= room &&
                       blocks_of(e.covered) * (int64_t)sizeof(uint32_t) == room - e.covered;
    const size_t bytes = sized ? (size_t)(room - e.covered) : 0;
    *digest = (pio_digest){true, e.covered, blocks_of(e.covered)};
    uint32_t *sums = sized ? malloc(2 * bytes + 1) : NULL;
    piola_status rc = PIOLA_OK;
    if (sized && !sums)
        rc = pio_fail_memory(error, 2 * bytes, "checksums");
    else if (sized && !read_bytes(fd, e.covered, sums, bytes))
        rc = unreadable(path, error);
    else if (!sized || own_sum(sums, bytes, &e) != e.own)
        rc = pio_fail(error, PIOLA_BAD_DATA,
                      "%s: damaged: the checksums at its end do not agree with themselves; take a copy that is whole, "
                      "or run again",
                      path);
    if (!rc) rc = compare_blocks(fd, path, digest, sums, sums + digest->blocks, error);
    free(sums);
    return rc;
}
