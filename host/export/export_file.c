/* export_file.c -- files of exports, which are never incomplete and never replace someone else's. */
#include "host/export/export.h"
#include "host/base/fail.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "exports are written as the numbers lie in memory, lowest byte first"
#endif

enum { MARK_WITHIN = 512 };

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
    *f = (pio_export_file){.path = strdup(path), .new = {.fd = -1}};
    piola_status rc = PIOLA_OK;
    if (!f->path)
        rc = pio_fail_memory(error, strlen(path), "a file's name");
    else if (mark && pio_export_foreign(path, mark, MARK_WITHIN))
        rc = pio_fail(error, PIOLA_CANNOT_CREATE,
                      "%s exists and was not written by this command: remove it, or give another name with -o", path);
    if (!rc) pio_new_file_leftovers_beside(path);
    if (!rc) rc = pio_new_file_begin(&f->new, path, error);
    if (!rc) {
        const int own = dup(f->new.fd);
        f->file = own >= 0 ? fdopen(own, "wb") : NULL;
        if (!f->file) rc = pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
        if (!f->file && own >= 0) (void)close(own);
    }
    if (!rc) return rc;
    pio_new_file_drop(&f->new);
    free(f->path);
    *f = (pio_export_file){.path = NULL, .new = {.fd = -1}};
    return rc;
}

piola_status pio_export_end(pio_export_file *f, piola_status rc, piola_error *error)
{
    if (!f->file) return rc;
    errno = 0;
    const bool flushed = fflush(f->file) == 0 && !ferror(f->file);
    const int why = errno;
    const bool closed = fclose(f->file) == 0;
    if (!rc && !(flushed && closed))
        rc = pio_fail(error, PIOLA_IO, "%s: writing failed: %s", f->path, strerror(why ? why : errno));
    if (!rc) rc = pio_new_file_place(&f->new, error);
    if (!rc) printf("wrote %s\n", f->path);
    pio_new_file_drop(&f->new);
    free(f->path);
    *f = (pio_export_file){.path = NULL, .new = {.fd = -1}};
    return rc;
}

pio_export_type pio_export_type_of(const pio_export *e, const pio_snapshot_field_info *v)
{
    return v->integer ? PIO_EXPORT_I64 : e->info->precision == PIO_SNAPSHOT_F32 ? PIO_EXPORT_F32 : PIO_EXPORT_F64;
}

/* Converts to int64. Values beyond its range and NaN become its least value: they are from an unwritten field of a file
 * that was cut off, or from damage. */
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
