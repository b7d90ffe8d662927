/* record.c -- see record.h. */
#include "host/base/record.h"

#include "host/base/fail.h"
#include "host/base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { HEAD = 32, SUMMED = 28, VERSION = 1, PIECE = 1 << 16, MARK = 4 };
static const unsigned char file_mark[8] = {0x89, 'P', 'I', 'O', 'R', 'E', 'C', '\n'},
                           row_mark[MARK] = {0xC5, 'R', 'O', 'W'};

struct pio_record {
    char *path, *identity; /* the identity is that of an opened record */
    int fd;
    uint32_t seed; /* checksum of the file's beginning, from which the checksums of rows continue */
    int64_t end;   /* byte where the next row begins */
    bool broken;   /* a write failed */
    pio_record_row *rows;
    size_t count, room;
    pio_record_condition found;
};

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static void put32(unsigned char *to, uint32_t value)
{
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(value >> 8 * k);
}

static void put64(unsigned char *to, uint64_t value)
{
    for (int k = 0; k < 8; k++) to[k] = (unsigned char)(value >> 8 * k);
}

static uint32_t get32(const unsigned char *from)
{
    uint32_t value = 0;
    for (int k = 0; k < 4; k++) value |= (uint32_t)from[k] << 8 * k;
    return value;
}

static uint64_t get64(const unsigned char *from)
{
    return get32(from) | (uint64_t)get32(from + 4) << 32;
}

/* zlib takes at most 2^32 - 1 bytes at once. */
static uint32_t sum(uint32_t seed, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        const size_t part = bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30;
        seed = (uint32_t)crc32(seed, at, (uInt)part);
        at += part;
        bytes -= part;
    }
    return seed;
}

/* Appends the checksum to the first 28 bytes of a file or a row. */
static void add_checksum(unsigned char head[HEAD], uint32_t seed)
{
    put32(head + SUMMED, sum(seed, head, SUMMED));
}

static bool checksum_matches(const unsigned char head[HEAD], uint32_t seed)
{
    return get32(head + SUMMED) == sum(seed, head, SUMMED);
}

/* Reads to[size] from the file. Returns false with errno, which is EIO if the file ends before. */
static bool read_at(int fd, void *to, size_t size, int64_t from)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = pread(fd, (char *)to + done, size - done, (off_t)(from + (int64_t)done));
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_at(int fd, const void *bytes, size_t size, int64_t to)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = pwrite(fd, (const char *)bytes + done, size - done, (off_t)(to + (int64_t)done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* ---- a new file ------------------------------------------------------------------------------------------ */

static pio_record *new_record(const char *path)
{
    pio_record *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->fd = -1;
    r->found.damaged_at = -1;
    r->path = strdup(path);
    if (r->path) return r;
    free(r);
    return NULL;
}

static void head_of_file(unsigned char head[HEAD], const char *kind, const char *identity)
{
    const size_t bytes = strlen(identity);
    memcpy(head, file_mark, sizeof file_mark);
    put32(head + 8, VERSION);
    memcpy(head + 12, kind, 4);
    put64(head + 16, bytes);
    put32(head + 24, sum(0, identity, bytes));
    add_checksum(head, 0);
}

piola_status pio_record_create(pio_record **out, const char *path, const char *kind, const char *identity,
                               piola_error *error)
{
    unsigned char head[HEAD];
    pio_new_file file = {.fd = -1};
    pio_record *r = new_record(path);
    *out = NULL;
    if (!r) return pio_fail_memory(error, sizeof *r, "a record");
    head_of_file(head, kind, identity);
    piola_status rc = pio_new_file_begin(&file, path, error);
    if (!rc) rc = pio_new_file_write(&file, head, sizeof head, error);
    if (!rc) rc = pio_new_file_write(&file, identity, strlen(identity), error);
    if (!rc) rc = pio_new_file_place(&file, error);
    if (rc) {
        pio_new_file_drop(&file);
        pio_record_close(r);
        return rc;
    }
    r->fd = file.fd;
    r->seed = get32(head + SUMMED);
    r->end = HEAD + (int64_t)strlen(identity);
    *out = r;
    return PIOLA_OK;
}

/* ---- an old file ----------------------------------------------------------------------------------------- */

static piola_status fail(const pio_record *r, piola_error *error, const char *what)
{
    const int why = errno;
    return pio_fail(error, PIOLA_IO, "%s: %s failed, it is left as it is: %s", r->path, what, strerror(why));
}

/* Reads the beginning of the file and the identity. */
static piola_status read_head(pio_record *r, int64_t size, const char *kind, piola_error *error)
{
    unsigned char head[HEAD];
    if (size >= HEAD && !read_at(r->fd, head, sizeof head, 0)) return fail(r, error, "reading");
    if (size < HEAD || memcmp(head, file_mark, sizeof file_mark))
        return pio_fail(error, PIOLA_BAD_DATA, "%s is no record of Piola, or its first bytes are damaged", r->path);
    const uint64_t bytes = get64(head + 16);
    if (!checksum_matches(head, 0))
        return pio_fail(error, PIOLA_BAD_DATA, "%s is damaged: the checksum of its first 32 bytes is wrong", r->path);
    if (get32(head + 8) != VERSION || memcmp(head + 12, kind, 4))
        return pio_fail(error, PIOLA_NO, "%s is of version %u and kind %.4s of records, not of %d and %.4s", r->path,
                        get32(head + 8), (const char *)head + 12, VERSION, kind);
    if (bytes > (uint64_t)(size - HEAD))
        return pio_fail(error, PIOLA_BAD_DATA, "%s is damaged: it ends within its identity", r->path);
    r->identity = calloc((size_t)bytes + 1, 1);
    if (!r->identity) return pio_fail_memory(error, (size_t)bytes + 1, "the identity of a record");
    if (!read_at(r->fd, r->identity, (size_t)bytes, HEAD)) return fail(r, error, "reading");
    if (sum(0, r->identity, (size_t)bytes) != get32(head + 24))
        return pio_fail(error, PIOLA_BAD_DATA, "%s is damaged: the checksum of its identity is wrong", r->path);
    r->seed = get32(head + SUMMED);
    r->end = HEAD + (int64_t)bytes;
    return PIOLA_OK;
}

/* Reads the row at byte `at`. Returns 1 if a complete row begins there, which *row then describes; 0 if none does; -1
 * with errno. */
static int row_at(const pio_record *r, int64_t at, int64_t size, pio_record_row *row)
{
    unsigned char piece[PIECE];
    if (size - at < HEAD) return 0;
    if (!read_at(r->fd, piece, HEAD, at)) return -1;
    const uint64_t bytes = get64(piece + 16);
    if (memcmp(piece, row_mark, MARK) || !checksum_matches(piece, r->seed) || bytes > (uint64_t)(size - at - HEAD))
        return 0;
    *row = (pio_record_row){get32(piece + 4), get64(piece + 8), (size_t)bytes, at + HEAD};
    const uint32_t want = get32(piece + 24);
    uint32_t got = r->seed;
    for (size_t done = 0; done < bytes;) {
        const size_t part = bytes - done < PIECE ? (size_t)bytes - done : PIECE;
        if (!read_at(r->fd, piece, part, row->at + (int64_t)done)) return -1;
        got = sum(got, piece, part);
        done += part;
    }
    return got == want;
}

/* Returns the first byte from `at` on where a complete row begins; `size` if there is none, -1 with errno. */
static int64_t next_row(const pio_record *r, int64_t at, int64_t size, pio_record_row *row)
{
    unsigned char piece[PIECE];
    while (size - at >= HEAD) {
        const int64_t left = size - at, n = left < PIECE ? left : PIECE;
        if (!read_at(r->fd, piece, (size_t)n, at)) return -1;
        for (const unsigned char *from = piece; from < piece + n;) {
            const unsigned char *mark = memmem(from, (size_t)(piece + n - from), row_mark, MARK);
            if (!mark) break;
            const int is_row = row_at(r, at + (mark - piece), size, row);
            if (is_row) return is_row < 0 ? -1 : at + (mark - piece);
            from = mark + 1;
        }
        at += n < PIECE ? n : n - (MARK - 1); /* a mark may extend over two pieces */
    }
    return size;
}

static bool keep_row(pio_record *r, const pio_record_row *row)
{
    if (r->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 64;
        pio_record_row *more = realloc(r->rows, room * sizeof *more);
        if (!more) return false;
        r->rows = more;
        r->room = room;
    }
    r->rows[r->count++] = *row;
    return true;
}

/* Finds all complete rows; bytes between two of them are damage. */
static piola_status find_rows(pio_record *r, int64_t size, piola_error *error)
{
    pio_record_row row;
    while (r->end < size) {
        const int64_t at = next_row(r, r->end, size, &row);
        if (at < 0) return fail(r, error, "reading");
        if (at == size) break;
        if (!keep_row(r, &row)) return pio_fail_memory(error, 2 * r->room * sizeof row, "the rows of a record");
        if (at > r->end && r->found.damaged++ == 0) r->found.damaged_at = r->end;
        r->found.damaged_bytes += at - r->end;
        r->end = row.at + (int64_t)row.bytes;
    }
    return PIOLA_OK;
}

piola_status pio_record_recover(pio_record *r, piola_error *error)
{
    struct stat there;
    if (fstat(r->fd, &there)) return fail(r, error, "reading");
    const piola_status rc = find_rows(r, there.st_size, error);
    if (rc) return rc;
    r->found.cut = there.st_size - r->end;
    if (r->found.cut && ftruncate(r->fd, (off_t)r->end))
        return fail(r, error, "cutting off what a kill left at its end");
    if (r->found.cut && fsync(r->fd)) {
        const int why = errno;
        return pio_fail(error, PIOLA_IO, "%s: syncing it to disk failed: %s", r->path, strerror(why));
    }
    return PIOLA_OK;
}

piola_status pio_record_open(pio_record **out, const char *path, const char *kind, piola_error *error)
{
    struct stat there;
    pio_record *r = new_record(path);
    *out = NULL;
    if (!r) return pio_fail_memory(error, sizeof *r, "a record");
    r->fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    piola_status rc = PIOLA_OK;
    if (r->fd < 0 && errno == ENOENT)
        rc = pio_fail(error, PIOLA_NO_INPUT, "there is no %s to continue from", path);
    else if (r->fd < 0)
        rc = fail(r, error, errno == ELOOP ? "opening it, a symbolic link," : "opening");
    else if (fstat(r->fd, &there))
        rc = fail(r, error, "reading");
    else if (!S_ISREG(there.st_mode))
        rc = pio_fail(error, PIOLA_BAD_DATA, "%s is no file", path);
    else
        rc = read_head(r, there.st_size, kind, error);
    if (rc)
        pio_record_close(r);
    else
        *out = r;
    return rc;
}

const char *pio_record_identity(const pio_record *r)
{
    return r->identity;
}

const pio_record_row *pio_record_rows(const pio_record *r, size_t *count)
{
    *count = r->count;
    return r->rows;
}

pio_record_condition pio_record_found(const pio_record *r)
{
    return r->found;
}

piola_status pio_record_read(const pio_record *r, const pio_record_row *row, void *payload, piola_error *error)
{
    return read_at(r->fd, payload, row->bytes, row->at) ? PIOLA_OK : fail(r, error, "reading");
}

/* ---- one more row ---------------------------------------------------------------------------------------- */

static bool write_row(const pio_record *r, const unsigned char head[HEAD], const pio_record_part *parts, size_t n)
{
    int64_t at = r->end + HEAD;
    if (!write_at(r->fd, head, HEAD, r->end)) return false;
    for (size_t k = 0; k < n; k++) {
        if (!write_at(r->fd, parts[k].data, parts[k].bytes, at)) return false;
        at += (int64_t)parts[k].bytes;
    }
    return fdatasync(r->fd) == 0;
}

piola_status pio_record_add(pio_record *r, uint32_t type, uint64_t number, const pio_record_part *parts, size_t n,
                            piola_error *error)
{
    unsigned char head[HEAD];
    uint32_t check = r->seed;
    size_t bytes = 0;
    if (r->broken)
        return pio_fail(error, PIOLA_IO, "%s: an earlier write failed; nothing more is written to it", r->path);
    for (size_t k = 0; k < n; k++) {
        check = sum(check, parts[k].data, parts[k].bytes);
        bytes += parts[k].bytes;
    }
    memcpy(head, row_mark, MARK);
    put32(head + 4, type);
    put64(head + 8, number);
    put64(head + 16, bytes);
    put32(head + 24, check);
    add_checksum(head, r->seed);
    if (!write_row(r, head, parts, n)) {
        const int why = errno;
        const bool whole = !ftruncate(r->fd, (off_t)r->end);
        r->broken = true;
        return pio_fail(error, PIOLA_IO, "%s: writing row %llu, %zu bytes, failed: %s; %s", r->path,
                        (unsigned long long)number, bytes + HEAD, strerror(why),
                        whole ? "the rows before it are there"
                              : "the rows before it are there; a part of it may be too");
    }
    r->end += HEAD + (int64_t)bytes;
    return PIOLA_OK;
}

void pio_record_close(pio_record *r)
{
    if (!r) return;
    if (r->fd >= 0) close(r->fd);
    free(r->path);
    free(r->identity);
    free(r->rows);
    free(r);
}
