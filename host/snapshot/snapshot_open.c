/* snapshot_open.c -- opens a snapshot: its bytes are compared with their checksums, and HDF5 reads it in a child
 * process, so that a damaged file can crash only that process. */
#include "host/base/fail.h"
#include "host/snapshot/snapshot_checked.h"
#include "host/snapshot/snapshot_digest.h"
#include "host/snapshot/snapshot_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pio_snapshot_file {
    char *path;
    pio_guarded *reader;
    pio_snapshot_info info;
};

/* ---- opening -------------------------------------------------------------------------------------------- */

const char *pio_snapshot_integrity_text(pio_snapshot_integrity integrity)
{
    static const char *const texts[] = {"every byte agrees with the checksums at the end of the file",
                                        "not compared, as --no-verify says", "none: the file was never finished",
                                        "none: the file is of a version of Piola that wrote none"};
    return texts[integrity];
}

piola_status pio_checked_compare(pio_checked_file *f, piola_error *error)
{
    struct stat st;
    pio_digest digest = {.there = false};
    const int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    piola_status rc = PIOLA_OK;
    if (fd < 0) return pio_fail(error, PIOLA_NO_INPUT, "%s: %s", f->path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        f->device = st.st_dev;
        f->inode = st.st_ino;
        f->bytes = (int64_t)st.st_size;
        if (f->verify) rc = pio_digest_compare(fd, f->path, &digest, error);
    }
    (void)close(fd);
    f->digest = digest.there;
    return rc;
}

/* Sends the first request of a reader, for the description of the file. */
static piola_status fetch_info(pio_snapshot_file *f, piola_error *error)
{
    const pio_checked_request request = {.what = PIO_REQUEST_POINTS};
    size_t bytes = 0;
    piola_status rc = pio_guarded_call(f->reader, &request, sizeof request, 0, &bytes, error);
    char *packed = rc ? NULL : malloc(bytes + 1);
    if (!rc && !packed) rc = pio_fail_memory(error, bytes, "what a snapshot holds");
    if (!rc) rc = pio_guarded_take(f->reader, packed, bytes, error);
    if (!rc && !pio_snapshot_unpack(&f->info, packed, bytes))
        rc = pio_fail(error, PIOLA_BAD_DATA, "%s: damaged: what it holds does not fit together", f->path);
    free(packed);
    return rc;
}

piola_status pio_snapshot_open(pio_snapshot_file **out, const char *path, bool verify, piola_error *error)
{
    if (!out || !path) return pio_fail(error, PIOLA_INTERNAL, "snapshot: no file name, or no place for the result");
    *out = NULL;
    pio_snapshot_file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory to open it", path);
    }
    pio_checked_file direct = {.path = f->path,
                               .kind = "; the files that Piola writes for this are states.vtkhdf and history.vtkhdf",
                               .file = -1,
                               .verify = verify};
    piola_status rc = pio_checked_compare(&direct, error);
    if (!rc) rc = pio_guarded_start(&f->reader, f->path, 64 * direct.bytes, pio_checked_serve, &direct, error);
    if (!rc) rc = fetch_info(f, error);
    if (rc)
        pio_snapshot_close(f);
    else
        *out = f;
    return rc;
}

void pio_snapshot_close(pio_snapshot_file *f)
{
    if (!f) return;
    pio_guarded_end(f->reader);
    pio_snapshot_info_free(&f->info);
    free(f->path);
    free(f);
}

const pio_snapshot_info *pio_snapshot_describe(const pio_snapshot_file *f)
{
    return f ? &f->info : NULL;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static piola_status no_frame(const pio_snapshot_file *f, int64_t frame, piola_error *error)
{
    return pio_fail(error, PIOLA_USAGE, "%s: no frame %lld: there are %lld, counted from 0", f->path, (long long)frame,
                    (long long)f->info.n_frames);
}

static bool has_frame(const pio_snapshot_file *f, int64_t frame)
{
    return frame >= 0 && frame < f->info.n_frames;
}

piola_status pio_snapshot_read_points(pio_snapshot_file *f, int64_t frame, double *out, piola_error *error)
{
    const pio_checked_request request = {.what = PIO_REQUEST_POINTS, .frame = frame};
    if (!has_frame(f, frame)) return no_frame(f, frame, error);
    return pio_guarded_read(f->reader, &request, sizeof request, out, 3 * sizeof *out * (size_t)f->info.n_points,
                            error);
}

piola_status pio_snapshot_read_field(pio_snapshot_file *f, const char *name, int64_t frame, double *out,
                                     piola_error *error)
{
    const pio_snapshot_info *info = &f->info;
    size_t i = 0;
    while (i < info->n_fields && !(name && strcmp(info->fields[i].name, name) == 0)) i++;
    if (i == info->n_fields) return pio_fail(error, PIOLA_USAGE, "%s: no field '%s'", f->path, name ? name : "");
    const pio_snapshot_field_info *v = &info->fields[i];
    const pio_checked_request request = {.what = PIO_REQUEST_FIELD, .which = (int64_t)i, .frame = frame};
    if (v->when != PIO_SNAPSHOT_STATIC && !has_frame(f, frame)) return no_frame(f, frame, error);
    return pio_guarded_read(f->reader, &request, sizeof request, out, sizeof *out * (size_t)v->rows * (size_t)v->stored,
                            error);
}

piola_status pio_snapshot_read_mesh(pio_snapshot_file *f, uint8_t *types, int64_t *offsets, int64_t *connectivity,
                                    piola_error *error)
{
    const pio_snapshot_info *info = &f->info;
    void *const outs[] = {types, offsets, connectivity};
    const size_t cells = (size_t)info->n_cells, bytes[] = {cells, 8 * (cells + 1), 8 * (size_t)info->n_connectivity};
    piola_status rc = PIOLA_OK;
    if (!info->n_cells) return pio_fail(error, PIOLA_USAGE, "%s: holds particles, no mesh", f->path);
    for (int i = 0; i < 3 && !rc; i++) {
        const pio_checked_request request = {.what = PIO_REQUEST_MESH, .which = i};
        if (outs[i]) rc = pio_guarded_read(f->reader, &request, sizeof request, outs[i], bytes[i], error);
    }
    return rc;
}

piola_status pio_snapshot_read_gradient(pio_snapshot_file *f, const char *path, int64_t iteration, double *value,
                                        double *grad, piola_error *error)
{
    const pio_snapshot_info *info = &f->info;
    double *const outs[] = {value, grad};
    size_t i = 0;
    while (i < info->n_gradients && !(path && strcmp(info->gradients[i].path, path) == 0)) i++;
    if (i == info->n_gradients || iteration < 0 || iteration >= info->gradients[i].iterations)
        return pio_fail(error, PIOLA_USAGE, "%s: no gradient '%s' of iteration %lld", f->path, path ? path : "",
                        (long long)iteration);
    const size_t bytes = sizeof *value * (size_t)info->gradients[i].size;
    piola_status rc = PIOLA_OK;
    for (int part = 0; part < 2 && !rc; part++) {
        const pio_checked_request request = {
            .what = PIO_REQUEST_GRADIENT, .part = part, .which = (int64_t)i, .frame = iteration};
        if (outs[part]) rc = pio_guarded_read(f->reader, &request, sizeof request, outs[part], bytes, error);
    }
    return rc;
}

piola_status pio_snapshot_read_objective(pio_snapshot_file *f, int64_t iteration, const char *term, double *out,
                                         piola_error *error)
{
    const pio_snapshot_info *info = &f->info;
    int64_t which = -1;
    if (iteration < 0 || iteration >= info->n_objectives)
        return pio_fail(error, PIOLA_USAGE, "%s: no objective of iteration %lld: there are %lld", f->path,
                        (long long)iteration, (long long)info->n_objectives);
    for (size_t i = 0; term && i < info->n_terms; i++)
        if (strcmp(info->terms[i], term) == 0) which = (int64_t)i;
    if (term && which < 0) return pio_fail(error, PIOLA_USAGE, "%s: no term '%s' of the objective", f->path, term);
    const pio_checked_request request = {.what = PIO_REQUEST_OBJECTIVE, .which = which, .frame = iteration};
    return pio_guarded_read(f->reader, &request, sizeof request, out, sizeof *out, error);
}

piola_status pio_snapshot_read_document(pio_snapshot_file *f, pio_snapshot_document which, char **out,
                                        piola_error *error)
{
    const pio_checked_request request = {.what = PIO_REQUEST_DOCUMENT, .which = (int64_t)which};
    size_t bytes = 0;
    *out = NULL;
    piola_status rc = pio_guarded_call(f->reader, &request, sizeof request, 0, &bytes, error);
    char *text = rc ? NULL : calloc(bytes + 1, 1);
    if (!rc && !text) return pio_fail_memory(error, bytes, "a text");
    if (!rc) rc = pio_guarded_take(f->reader, text, bytes, error);
    if (rc)
        free(text);
    else
        *out = text;
    return rc;
}
