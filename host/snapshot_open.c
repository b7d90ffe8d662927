/* snapshot_open.c -- opening a snapshot: its bytes are compared with their checksums before HDF5 sees them. */
#include "host/fail.h"
#include "host/snapshot_checked.h"
#include "host/snapshot_digest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_info(pio_snapshot_info *info)
{
    for (size_t i = 0; i < info->n_fields; i++) {
        pio_snapshot_field_info *v = &info->fields[i];
        free(v->name), free(v->units), free(v->meaning), free(v->of), free(v->objective);
    }
    for (size_t i = 0; i < info->n_pairs; i++) free(info->pairs[i].key), free(info->pairs[i].value);
    for (size_t i = 0; i < info->n_gradients; i++)
        free(info->gradients[i].path), free(info->gradients[i].units), free(info->gradients[i].grad_units);
    free(info->fields);
    free(info->pairs);
    free(info->gradients);
    free(info->times);
    free(info->objective);
    pio_checked_free_names(info->terms, info->n_terms);
}

/* The bytes of the file agree with the checksums at its end, when it has some. What cannot be opened is told later. */
static piola_status compare_bytes(pio_snapshot_file *f, piola_error *error)
{
    struct stat st;
    pio_digest digest = {.there = false};
    const int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    piola_status rc = PIOLA_OK;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) rc = pio_digest_compare(fd, f->path, &digest, error);
    if (fd >= 0) (void)close(fd);
    f->digest = digest.there;
    return rc;
}

const char *pio_snapshot_vouched_text(pio_snapshot_vouched vouched)
{
    static const char *const texts[] = {"every byte agrees with the checksums at the end of the file",
                                        "not compared, as --no-verify says", "none: the file was never finished",
                                        "none: the file is of a version of Piola that wrote none"};
    return texts[vouched];
}

piola_status pio_snapshot_open(pio_snapshot_file **out, const char *path, piola_error *error)
{
    return pio_snapshot_open_as(out, path, true, error);
}

piola_status pio_snapshot_open_as(pio_snapshot_file **out, const char *path, bool verify, piola_error *error)
{
    if (!out || !path) return pio_fail(error, PIOLA_INTERNAL, "snapshot: no file name, or no place for the result");
    *out = NULL;
    pio_snapshot_file *f = calloc(1, sizeof *f);
    if (f) f->file = -1;
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory to open it", path);
    }
    f->verify = verify;
    piola_status status = verify ? compare_bytes(f, error) : PIOLA_OK;
    if (status == PIOLA_OK) status = pio_checked_read_all(f, error);
    if (status == PIOLA_OK)
        *out = f;
    else
        pio_snapshot_close(f);
    return status;
}

void pio_snapshot_close(pio_snapshot_file *f)
{
    if (!f) return;
    pio_h5_voice voice = pio_h5_silence();
    if (f->file >= 0) (void)H5Fclose(f->file);
    pio_h5_restore(voice);
    free_info(&f->info);
    free(f->path);
    free(f);
}

const pio_snapshot_info *pio_snapshot_describe(const pio_snapshot_file *f)
{
    return f ? &f->info : NULL;
}
