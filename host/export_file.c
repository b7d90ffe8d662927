/* export_file.c -- files of exports: never half written, never in the place of someone else's. */
#include "host/export.h"
#include "host/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "exports are written as the numbers lie in memory, lowest byte first"
#endif

enum { LOOKED_AT = 512 };

bool pio_export_foreign(const char *path, const char *mark, size_t most)
{
    struct stat st;
    if (lstat(path, &st) != 0) return errno != ENOENT && errno != ENOTDIR;
    if (!S_ISREG(st.st_mode)) return true;
    FILE *file = fopen(path, "rb");
    char *head = malloc(most);
    const size_t n = file && head ? fread(head, 1, most, file) : 0;
    const bool ours = n && memmem(head, n, mark, strlen(mark));
    if (file) fclose(file);
    free(head);
    return !ours;
}

piola_status pio_export_begin(pio_export_file *f, const char *path, const char *mark, piola_error *error)
{
    const size_t size = strlen(path) + 40;
    *f = (pio_export_file){.path = strdup(path), .temporary = malloc(size)};
    piola_status rc = PIOLA_OK;
    if (!f->path || !f->temporary)
        rc = pio_fail_memory(error, size, "a file's name");
    else if (mark && pio_export_foreign(path, mark, LOOKED_AT))
        rc = pio_fail(error, PIOLA_CANNOT_CREATE,
                      "%s is there, and not written by this command: remove it, or give another name with -o", path);
    if (!rc) {
        int fd = -1;
        for (int k = 0; k < 100 && (k == 0 || (fd < 0 && errno == EEXIST)); k++) {
            snprintf(f->temporary, size, "%s.%ld-%d.part", path, (long)getpid(), k);
            fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        }
        f->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
        if (!f->file) rc = pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
        if (!f->file && fd >= 0) {
            (void)close(fd);
            (void)unlink(f->temporary);
        }
    }
    if (!rc) return rc;
    free(f->path);
    free(f->temporary);
    *f = (pio_export_file){.path = NULL};
    return rc;
}

/* fsync of the folder that holds `path`; a file system without it (EINVAL) counts as done. */
static bool sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    if (fd >= 0) (void)close(fd);
    free(folder);
    return ok;
}

piola_status pio_export_end(pio_export_file *f, piola_status rc, piola_error *error)
{
    if (!f->file) return rc;
    errno = 0;
    const bool flushed = fflush(f->file) == 0 && !ferror(f->file) && fsync(fileno(f->file)) == 0;
    const int why = errno;
    const bool closed = fclose(f->file) == 0;
    if (!rc && !(flushed && closed))
        rc = pio_fail(error, PIOLA_IO, "%s: writing failed: %s", f->path, strerror(why ? why : errno));
    if (!rc && rename(f->temporary, f->path) != 0)
        rc = pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot be created: %s", f->path, strerror(errno));
    if (rc)
        (void)unlink(f->temporary);
    else if (!sync_folder(f->path))
        rc = pio_fail(error, PIOLA_IO, "%s: is written, but its folder could not be flushed: %s", f->path,
                      strerror(errno));
    else
        printf("wrote %s\n", f->path);
    free(f->path);
    free(f->temporary);
    *f = (pio_export_file){.path = NULL};
    return rc;
}

pio_export_type pio_export_type_of(const pio_export *e, const pio_snapshot_field_info *v)
{
    return v->integer ? PIO_EXPORT_I64 : e->info->precision == PIO_SNAPSHOT_F32 ? PIO_EXPORT_F32 : PIO_EXPORT_F64;
}

/* A whole number beyond int64, or none: an unwritten field of a file that was cut off, or damage. */
static int64_t whole(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

bool pio_export_put(pio_export_file *f, const double *values, size_t n, pio_export_type type)
{
    enum { BLOCK = 4096 };
    double doubles[BLOCK];
    float floats[BLOCK];
    int64_t integers[BLOCK];
    const void *from = type == PIO_EXPORT_F32 ? (void *)floats : type == PIO_EXPORT_I64 ? (void *)integers : doubles;
    const size_t size = type == PIO_EXPORT_F32 ? sizeof *floats : sizeof *doubles;
    for (size_t at = 0; at < n; at += BLOCK) {
        const size_t count = n - at < BLOCK ? n - at : BLOCK;
        for (size_t i = 0; i < count; i++) {
            if (type == PIO_EXPORT_F32)
                floats[i] = (float)values[at + i];
            else if (type == PIO_EXPORT_I64)
                integers[i] = whole(values[at + i]);
            else
                doubles[i] = values[at + i];
        }
        if (fwrite(from, size, count, f->file) != count) return false;
    }
    return true;
}
