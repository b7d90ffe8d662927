/* checkpoint_file.c -- see checkpoint_file.h. */
#include "host/run/checkpoint_file.h"

#include "host/base/fail.h"
#include "host/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 1 << 22, MOST_IDENTITY = 1 << 26 };

static const char magic[8] = "PIOCKP1\n";
static const char *const names[2] = {"even", "odd"};

/* The first bytes of a checkpoint, before its head. The checksum of both comes after the identity. */
typedef struct {
    char magic[8];
    uint64_t head, identity; /* bytes of the head and of the identity */
} opening;

typedef struct {
    uint32_t magic, adjoint;
    int64_t frame;
    uint64_t bytes;
    uint32_t sum, own; /* checksum of the frame; checksum of the members before it */
} row;

enum { ROW_MAGIC = 0x4d524650 };

typedef struct {
    const char *folder, *name;
    int file;
    uint32_t sum;
} open_file;

static piola_status failed(const open_file *f, const char *what, piola_error *error)
{
    return pio_fail(error, PIOLA_IO, "%s/%s: %s: %s", f->folder, f->name, what, strerror(errno));
}

static piola_status damaged(const open_file *f, const char *what, piola_error *error)
{
    return pio_fail(error, PIOLA_BAD_DATA, "%s/%s is damaged: %s", f->folder, f->name, what);
}

static int path_of(const open_file *f, char *out, size_t size)
{
    const int n = snprintf(out, size, "%s/%s", f->folder, f->name);
    if (n >= 0 && (size_t)n < size) return 1;
    errno = ENAMETOOLONG;
    return 0;
}

static int open_at(open_file *f, int flags)
{
    char path[PIO_PATH];
    f->file = path_of(f, path, sizeof path) ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
    return f->file >= 0;
}

static int write_all(int file, const void *bytes, size_t n, off_t at)
{
    const char *from = bytes;
    while (n > 0) {
        const ssize_t done = pwrite(file, from, n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        from += done;
        at += done;
        n -= (size_t)done;
    }
    return 1;
}

/* Reads n bytes. Returns 1, 0 if the file ends before them, or -1 on an error. */
static int read_all(int file, void *bytes, size_t n, off_t at)
{
    char *to = bytes;
    while (n > 0) {
        const ssize_t done = pread(file, to, n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return -1;
        if (done == 0) return 0;
        to += done;
        at += done;
        n -= (size_t)done;
    }
    return 1;
}

static uint32_t summed(uint32_t sum, const void *bytes, size_t n)
{
    return (uint32_t)crc32_z(sum, bytes, n);
}

/* Writes n bytes at *at, which then moves behind them, and updates the checksum. */
static piola_status append(open_file *f, const void *bytes, size_t n, off_t *at, piola_error *error)
{
    if (!write_all(f->file, bytes, n, *at)) return failed(f, "writing", error);
    f->sum = summed(f->sum, bytes, n);
    *at += (off_t)n;
    return PIOLA_OK;
}

static piola_status fetch(open_file *f, void *bytes, size_t n, off_t *at, piola_error *error)
{
    const int rc = read_all(f->file, bytes, n, *at);
    if (rc < 0) return failed(f, "reading", error);
    if (rc == 0) return damaged(f, "it ends too early", error);
    f->sum = summed(f->sum, bytes, n);
    *at += (off_t)n;
    return PIOLA_OK;
}

/* Writes the checksum of all bytes so far. */
static piola_status append_sum(open_file *f, off_t *at, piola_error *error)
{
    const uint32_t sum = f->sum;
    return append(f, &sum, sizeof sum, at, error);
}

static piola_status fetch_sum(open_file *f, off_t *at, const char *of, piola_error *error)
{
    const uint32_t expected = f->sum;
    uint32_t there = 0;
    const piola_status rc = fetch(f, &there, sizeof there, at, error);
    return rc || there == expected ? rc : damaged(f, of, error);
}

static piola_status sync_folder(const char *folder, piola_error *error)
{
    open_file f = {.folder = folder, .name = ".", .file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (f.file < 0) return failed(&f, "opening the folder", error);
    const int rc = fsync(f.file) && errno != EINVAL ? -1 : 0; /* EINVAL: this file system cannot sync folders */
    const piola_status status = rc ? failed(&f, "syncing the folder", error) : PIOLA_OK;
    close(f.file);
    return status;
}

/* ---- checkpoints -------------------------------------------------------------------------------------------- */

static piola_status write_parts(open_file *f, const pio_checkpoint_head *head, const char *identity,
                                pio_checkpoint_stream *out, void *context, piola_error *error)
{
    opening start = {.head = sizeof *head, .identity = strlen(identity)};
    char *piece = malloc(PIECE);
    off_t at = 0;
    if (!piece) return pio_fail_memory(error, PIECE, "a checkpoint");
    memcpy(start.magic, magic, sizeof magic);
    piola_status rc = append(f, &start, sizeof start, &at, error);
    if (!rc) rc = append(f, head, sizeof *head, &at, error);
    if (!rc) rc = append(f, identity, start.identity, &at, error);
    if (!rc) rc = append_sum(f, &at, error);
    for (size_t i = 0, n; !rc && i < head->memory; i += n) {
        n = head->memory - i < PIECE ? head->memory - i : PIECE;
        rc = out(context, i, n, piece, error);
        if (!rc) rc = append(f, piece, n, &at, error);
    }
    if (!rc) rc = append_sum(f, &at, error);
    free(piece);
    if (!rc && fsync(f->file)) rc = failed(f, "syncing", error);
    return rc;
}

piola_status pio_checkpoint_write(const char *folder, const pio_checkpoint_head *head, const char *identity,
                                  pio_checkpoint_stream *out, void *context, piola_error *error)
{
    open_file f = {.folder = folder, .name = "new"};
    const open_file named = {.folder = folder, .name = names[head->number % 2]};
    char from[PIO_PATH], to[PIO_PATH];
    if (!path_of(&f, from, sizeof from) || !path_of(&named, to, sizeof to)) return failed(&f, "its name", error);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create the folder %s: %s", folder, strerror(errno));
    unlink(from);
    if (!open_at(&f, O_WRONLY | O_CREAT | O_EXCL))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create %s: %s", from, strerror(errno));
    piola_status rc = write_parts(&f, head, identity, out, context, error);
    if (close(f.file) && !rc) rc = failed(&f, "closing", error);
    if (!rc && rename(from, to)) rc = failed(&f, "renaming", error);
    if (rc) unlink(from);
    return rc ? rc : sync_folder(folder, error);
}

/* Reads the head and the identity at the beginning of the file; *at is where the memory begins. */
static piola_status read_head(open_file *f, pio_checkpoint_head *head, char **identity, off_t *at, piola_error *error)
{
    opening start;
    piola_status rc = fetch(f, &start, sizeof start, at, error);
    if (rc) return rc;
    if (memcmp(start.magic, magic, sizeof magic)) return damaged(f, "it does not begin as a checkpoint does", error);
    if (start.head != sizeof *head || start.identity > MOST_IDENTITY)
        return damaged(f, "its beginning has another size", error);
    char *text = calloc(1, start.identity + 1);
    if (!text) return pio_fail_memory(error, start.identity, "a checkpoint's identity");
    rc = fetch(f, head, sizeof *head, at, error);
    if (!rc) rc = fetch(f, text, start.identity, at, error);
    if (!rc) rc = fetch_sum(f, at, "the checksum of its beginning is wrong", error);
    if (rc || !identity)
        free(text);
    else
        *identity = text;
    return rc;
}

static piola_status read_memory(open_file *f, const pio_checkpoint_head *head, off_t *at, pio_checkpoint_stream *in,
                                void *context, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    char *piece = malloc(PIECE);
    if (!piece) return pio_fail_memory(error, PIECE, "a checkpoint");
    for (size_t i = 0, n; !rc && i < head->memory; i += n) {
        n = head->memory - i < PIECE ? head->memory - i : PIECE;
        rc = fetch(f, piece, n, at, error);
        if (!rc && in) rc = in(context, i, n, piece, error);
    }
    free(piece);
    return rc ? rc : fetch_sum(f, at, "the checksum of the simulation's memory is wrong", error);
}

static piola_status read_file(const char *folder, int odd, pio_checkpoint_head *head, char **identity,
                              pio_checkpoint_stream *in, void *context, piola_error *error)
{
    open_file f = {.folder = folder, .name = names[odd]};
    off_t at = 0;
    if (identity) *identity = NULL;
    if (!open_at(&f, O_RDONLY)) {
        if (errno == ENOENT) return pio_fail(error, PIOLA_NO_INPUT, "there is no %s/%s", folder, f.name);
        return failed(&f, "opening", error);
    }
    piola_status rc = read_head(&f, head, identity, &at, error);
    if (!rc) rc = read_memory(&f, head, &at, in, context, error);
    close(f.file);
    if (rc && identity) {
        free(*identity);
        *identity = NULL;
    }
    return rc;
}

piola_status pio_checkpoint_read(const char *folder, int odd, pio_checkpoint_head *head, char **identity,
                                 piola_error *error)
{
    return read_file(folder, odd, head, identity, NULL, NULL, error);
}

piola_status pio_checkpoint_memory(const char *folder, const pio_checkpoint_head *head, pio_checkpoint_stream *in,
                                   void *context, piola_error *error)
{
    pio_checkpoint_head again;
    return read_file(folder, (int)(head->number % 2), &again, NULL, in, context, error);
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

int pio_checkpoint_frames(const char *folder, uint64_t bytes, piola_error *error)
{
    open_file f = {.folder = folder, .name = "frames"};
    if (mkdir(folder, 0777) && errno != EEXIST)
        pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create the folder %s: %s", folder, strerror(errno));
    else if (!open_at(&f, O_RDWR | O_CREAT))
        pio_fail(error, PIOLA_CANNOT_CREATE, "cannot open %s/frames: %s", folder, strerror(errno));
    else if (ftruncate(f.file, (off_t)bytes)) {
        failed(&f, "cutting it to length", error);
        close(f.file);
        f.file = -1;
    }
    return f.file;
}

piola_status pio_checkpoint_add(int file, const char *folder, uint64_t *end, const pio_checkpoint_frame *frame,
                                piola_error *error)
{
    open_file f = {.folder = folder, .name = "frames", .file = file};
    row r = {.magic = ROW_MAGIC,
             .adjoint = (uint32_t)frame->adjoint,
             .frame = frame->number,
             .bytes = frame->n,
             .sum = summed(0, frame->bytes, frame->n)};
    off_t at = (off_t)*end;
    r.own = summed(0, &r, offsetof(row, own));
    piola_status rc = append(&f, &r, sizeof r, &at, error);
    if (!rc) rc = append(&f, frame->bytes, frame->n, &at, error);
    if (!rc) *end = (uint64_t)at;
    return rc;
}

piola_status pio_checkpoint_sync(int file, const char *folder, piola_error *error)
{
    const open_file f = {.folder = folder, .name = "frames", .file = file};
    return fsync(file) ? failed(&f, "syncing", error) : sync_folder(folder, error);
}

piola_status pio_checkpoint_walk(const char *folder, uint64_t bytes,
                                 piola_status (*each)(void *context, const pio_checkpoint_frame *frame,
                                                      piola_error *error),
                                 void *context, piola_error *error)
{
    open_file f = {.folder = folder, .name = "frames"};
    void *payload = NULL;
    off_t at = 0;
    piola_status rc = PIOLA_OK;
    if (bytes == 0) return PIOLA_OK;
    if (!open_at(&f, O_RDONLY))
        return errno == ENOENT ? damaged(&f, "it is not there", error) : failed(&f, "opening", error);
    while (!rc && (uint64_t)at < bytes) {
        row r;
        rc = fetch(&f, &r, sizeof r, &at, error);
        if (!rc &&
            (r.magic != ROW_MAGIC || r.own != summed(0, &r, offsetof(row, own)) || r.bytes > bytes - (uint64_t)at))
            rc = damaged(&f, "where a frame should begin none does", error);
        if (rc) break;
        free(payload);
        payload = malloc(r.bytes + 1);
        if (!payload) rc = pio_fail_memory(error, r.bytes, "a frame");
        if (!rc) rc = fetch(&f, payload, r.bytes, &at, error);
        if (!rc && summed(0, payload, r.bytes) != r.sum) rc = damaged(&f, "the checksum of a frame is wrong", error);
        const pio_checkpoint_frame frame = {r.adjoint != 0, r.frame, payload, r.bytes};
        if (!rc && each) rc = each(context, &frame, error);
    }
    free(payload);
    close(f.file);
    return rc;
}

/* ---- single states ------------------------------------------------------------------------------------------ */

typedef struct {
    char magic[8];
    int64_t step;
    uint64_t bytes;
} state_opening;

static state_opening opening_of(int64_t step, size_t n)
{
    state_opening o = {.step = step, .bytes = n};
    memcpy(o.magic, "PIOSTA1\n", sizeof o.magic);
    return o;
}

piola_status pio_checkpoint_put_state(const char *folder, int64_t step, const void *bytes, size_t n, piola_error *error)
{
    const state_opening o = opening_of(step, n);
    open_file f = {.folder = folder, .name = "new-state"};
    char name[40], from[PIO_PATH], to[PIO_PATH];
    snprintf(name, sizeof name, "state-%lld", (long long)step);
    const open_file named = {.folder = folder, .name = name};
    off_t at = 0;
    if (!path_of(&f, from, sizeof from) || !path_of(&named, to, sizeof to)) return failed(&f, "its name", error);
    unlink(from);
    if (!open_at(&f, O_WRONLY | O_CREAT | O_EXCL)) return failed(&f, "creating", error);
    piola_status rc = append(&f, &o, sizeof o, &at, error);
    if (!rc) rc = append(&f, bytes, n, &at, error);
    if (!rc) rc = append_sum(&f, &at, error);
    if (close(f.file) && !rc) rc = failed(&f, "closing", error);
    if (!rc && rename(from, to)) rc = failed(&f, "renaming", error);
    if (rc) unlink(from);
    return rc;
}

piola_status pio_checkpoint_get_state(const char *folder, int64_t step, void *bytes, size_t n, piola_error *error)
{
    const state_opening expected = opening_of(step, n);
    state_opening o;
    char name[40];
    snprintf(name, sizeof name, "state-%lld", (long long)step);
    open_file f = {.folder = folder, .name = name};
    off_t at = 0;
    if (!open_at(&f, O_RDONLY)) return failed(&f, "opening", error);
    piola_status rc = fetch(&f, &o, sizeof o, &at, error);
    if (!rc && memcmp(&o, &expected, sizeof o)) rc = damaged(&f, "its beginning is another", error);
    if (!rc) rc = fetch(&f, bytes, n, &at, error);
    if (!rc) rc = fetch_sum(&f, &at, "its checksum is wrong", error);
    close(f.file);
    return rc;
}

void pio_checkpoint_drop_state(const char *folder, int64_t step)
{
    char path[PIO_PATH], name[40];
    snprintf(name, sizeof name, "state-%lld", (long long)step);
    const open_file f = {.folder = folder, .name = name};
    if (path_of(&f, path, sizeof path)) unlink(path);
}

int pio_checkpoint_list_states(const char *folder, int64_t *steps, int most)
{
    DIR *list = opendir(folder);
    int n = 0;
    for (const struct dirent *e; list && n < most && (e = readdir(list)) != NULL;) {
        char *end = NULL;
        if (strncmp(e->d_name, "state-", 6)) continue;
        const long long step = strtoll(e->d_name + 6, &end, 10);
        if (*end == '\0' && step > 0) steps[n++] = step;
    }
    if (list) closedir(list);
    return n;
}

void pio_checkpoint_remove(const char *folder)
{
    static const char *const all[] = {"even", "odd", "new", "new-state", "frames"};
    int64_t steps[64];
    for (int n; (n = pio_checkpoint_list_states(folder, steps, 64)) > 0;) {
        for (int i = 0; i < n; i++) pio_checkpoint_drop_state(folder, steps[i]);
        if (n < 64) break;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const open_file f = {.folder = folder, .name = all[i]};
        char path[PIO_PATH];
        if (path_of(&f, path, sizeof path)) unlink(path);
    }
    rmdir(folder);
}

bool pio_checkpoint_same_place(const pio_place *a, const pio_place *b)
{
    return a->sweep == b->sweep && a->done == b->done && a->position == b->position && a->passed == b->passed;
}
