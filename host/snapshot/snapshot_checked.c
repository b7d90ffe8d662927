/* snapshot_checked.c -- reads untrusted HDF5: every object, type, shape and count is checked.
 *
 * Only hard links are followed, and data must be stored in this file: a link to another file, a virtual dataset or
 * external storage is an error. Each count is compared with the size of the file before memory is allocated for it. */
#include "host/snapshot/snapshot_checked.h"
#include "host/base/crc32c.h"
#include "host/base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 20, MAX_LINKS = 1 << 20 }; /* bytes of an attribute or name; members of a group */

const char *const pio_checked_data_group[PIO_SNAPSHOT_LOCATIONS] = {"PointData", "CellData", "FieldData"};

pio_h5_handler pio_checked_begin(pio_checked_file *f, piola_error *error)
{
    f->status = PIOLA_OK;
    f->error = error;
    f->log.cause[0] = 0;
    return pio_h5_silence();
}

piola_status pio_checked_end(pio_checked_file *f, pio_h5_handler handler)
{
    pio_h5_restore(handler);
    f->error = NULL;
    return f->status;
}

/* The first fault of a call is kept. `format` says what is wrong; HDF5's message is added if one of its calls failed.
 */
bool pio_checked_fail(pio_checked_file *f, const char *format, ...)
{
    if (f->status != PIOLA_OK) return false;
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pio_h5_note(&f->log);
    f->status = pio_fail(f->error, f->log.system ? PIOLA_IO : PIOLA_BAD_DATA, "%s: %s%s%s", f->path, text,
                         f->log.cause[0] ? ": " : "", f->log.cause);
    return false;
}

static bool no_input(pio_checked_file *f, const char *why)
{
    if (f->status == PIOLA_OK) f->status = pio_fail(f->error, PIOLA_NO_INPUT, "%s: %s", f->path, why);
    return false;
}

bool pio_checked_no_memory(pio_checked_file *f, size_t bytes)
{
    if (f->status == PIOLA_OK)
        f->status = pio_fail(f->error, PIOLA_NO_MEMORY, "%s: no memory for %zu bytes", f->path, bytes);
    return false;
}

/* Allocates n zeroed elements; n was compared with the size of the file. */
void *pio_checked_alloc(pio_checked_file *f, size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) (void)pio_checked_no_memory(f, n * size);
    return p;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* Checks that this is a regular file that nobody is writing, and that it begins as HDF5 does (format specification,
 * section II.A: our files have nothing before the superblock). */
static bool check_regular(pio_checked_file *f, int fd)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    struct stat st;
    char head[sizeof signature] = "";
    if (fstat(fd, &st) != 0) return no_input(f, strerror(errno));
    if (S_ISDIR(st.st_mode)) return no_input(f, "a folder; name a file in it, such as states.vtkhdf");
    if (!S_ISREG(st.st_mode)) return no_input(f, "not a file");
    if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return no_input(f, "another process is still writing this file");
    f->bytes = (int64_t)st.st_size;
    const ssize_t got = pread(fd, head, sizeof head, 0);
    if (got < 0) return no_input(f, strerror(errno));
    if (got == sizeof head && memcmp(head, signature, sizeof head) == 0) return true;
    return pio_checked_fail(f, "not an HDF5 file%s", f->kind);
}

/* Checks that HDF5 opened the file whose checksums were compared before. */
static bool same_file(pio_checked_file *f)
{
    void *handle = NULL;
    struct stat st;
    if (!f->inode) return true;
    if (H5Fget_vfd_handle(f->file, H5P_DEFAULT, &handle) >= 0 && handle && fstat(*(int *)handle, &st) == 0 &&
        st.st_dev == f->device && st.st_ino == f->inode)
        return true;
    return no_input(f, "another file took its place while it was opened; try again");
}

bool pio_checked_open(pio_checked_file *f)
{
    const int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return no_input(f, strerror(errno));
    const bool good = check_regular(f, fd);
    (void)close(fd); /* releases the lock */
    if (!good) return false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        f->file = H5Fopen(f->path, H5F_ACC_RDONLY, access);
    const bool opened = pio_h5_ok(&f->log, f->file); /* now: the next call forgets why not */
    if (access >= 0) (void)H5Pclose(access);
    return (opened || pio_checked_fail(f, "damaged or cut off")) && same_file(f);
}

/* ---- objects and attributes ---------------------------------------------------------------------------- */

/* Opens the member `name` if it is a hard link to an object of this type; returns -1 otherwise. */
hid_t pio_checked_open_member(pio_checked_file *f, hid_t parent, const char *name, H5I_type_t type)
{
    H5L_info_t link;
    if (f->status != PIOLA_OK) return -1;
    if (!pio_h5_ok(&f->log, H5Lget_info(parent, name, &link, H5P_DEFAULT)) || link.type != H5L_TYPE_HARD) {
        (void)pio_checked_fail(f, "'%s' is missing", name);
        return -1;
    }
    hid_t id = H5Oopen(parent, name, H5P_DEFAULT);
    if (pio_h5_ok(&f->log, id) && H5Iget_type(id) == type) return id;
    if (id >= 0) (void)H5Oclose(id);
    (void)pio_checked_fail(f, "'%s' cannot be opened as a %s", name, type == H5I_GROUP ? "group" : "dataset");
    return -1;
}

void pio_checked_close(hid_t id)
{
    if (id >= 0) (void)H5Oclose(id);
}

hid_t pio_checked_path(pio_checked_file *f, const char *first, const char *second)
{
    hid_t group = pio_checked_open_member(f, f->file, first, H5I_GROUP),
          inner = group >= 0 ? pio_checked_open_member(f, group, second, H5I_GROUP) : -1;
    pio_checked_close(group);
    return inner;
}

/* Opens a scalar attribute of this type class, with its type; any other is a fault, and returns false. */
static bool open_attr(pio_checked_file *f, hid_t object, const char *key, H5T_class_t class, hid_t *attr, hid_t *type)
{
    *attr = *type = -1;
    if (f->status != PIOLA_OK) return false;
    *attr = H5Aopen(object, key, H5P_DEFAULT);
    hid_t space = pio_h5_ok(&f->log, *attr) ? H5Aget_space(*attr) : -1;
    *type = space >= 0 ? H5Aget_type(*attr) : -1;
    bool ok = *type >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(*type) == class;
    if (!ok) pio_h5_note(&f->log); /* now: the next call forgets why not */
    if (space >= 0) (void)H5Sclose(space);
    return ok || pio_checked_fail(f, "attribute '%s' is missing or of another type", key);
}

static void close_attr(hid_t attr, hid_t type)
{
    if (attr >= 0) (void)H5Aclose(attr);
    if (type >= 0) (void)H5Tclose(type);
}

bool pio_checked_int(pio_checked_file *f, hid_t object, const char *key, int64_t least, int64_t most, int64_t *out)
{
    hid_t attr, type;
    int64_t value = 0;
    bool ok = open_attr(f, object, key, H5T_INTEGER, &attr, &type);
    if (ok && !pio_h5_ok(&f->log, H5Aread(attr, H5T_NATIVE_INT64, &value)))
        ok = pio_checked_fail(f, "attribute '%s'", key);
    if (ok && (value < least || value > most))
        ok = pio_checked_fail(f, "attribute '%s' is %lld, not within %lld to %lld", key, (long long)value,
                              (long long)least, (long long)most);
    close_attr(attr, type);
    *out = ok ? value : 0;
    return ok;
}

int64_t pio_checked_sum(pio_checked_file *f, hid_t dataset)
{
    int64_t sum = -1;
    if (f->status != PIOLA_OK || H5Aexists(dataset, PIO_SNAPSHOT_SUM) <= 0) return -1;
    return pio_checked_int(f, dataset, PIO_SNAPSHOT_SUM, -1, UINT32_MAX, &sum) ? sum : -1;
}

/* Reads a text of fixed length with the function `read`, from an attribute or a dataset; returns a copy that ends with
 * a NUL. */
char *pio_checked_fixed_text(pio_checked_file *f, hid_t id, hid_t type, bool dataset, int64_t most, const char *key)
{
    size_t size = H5Tget_size(type);
    if (size == 0 || size > (size_t)most) {
        (void)pio_checked_fail(f, "'%s' has a text of %zu bytes", key, size);
        return NULL;
    }
    char *text = pio_checked_alloc(f, size + 1, 1);
    if (!text) return NULL;
    herr_t got = dataset ? H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) : H5Aread(id, type, text);
    const int64_t sum = dataset ? pio_checked_sum(f, id) : -1;
    if (pio_h5_ok(&f->log, got) && f->status == PIOLA_OK && (sum < 0 || sum == (int64_t)pio_crc32c(0, text, size)))
        return text;
    free(text);
    (void)pio_checked_fail(f, "text '%s' is damaged", key);
    return NULL;
}

/* Texts of variable length are never written by Piola, and HDF5 crashes on a damaged one. */
char *pio_checked_text(pio_checked_file *f, hid_t object, const char *key)
{
    hid_t attr, type;
    char *out = NULL;
    if (open_attr(f, object, key, H5T_STRING, &attr, &type)) {
        if (H5Tis_variable_str(type) != 0)
            (void)pio_checked_fail(f, "attribute '%s' is a text of variable length", key);
        else
            out = pio_checked_fixed_text(f, attr, type, false, MAX_TEXT, key);
    }
    close_attr(attr, type);
    return out;
}

/* As pio_checked_text(); a missing attribute is "". */
char *pio_checked_optional(pio_checked_file *f, hid_t object, const char *key)
{
    const htri_t there = f->status == PIOLA_OK ? H5Aexists(object, key) : 0;
    if (there < 0) return pio_checked_fail(f, "attribute '%s'", key), NULL;
    return there > 0 ? pio_checked_text(f, object, key) : pio_checked_alloc(f, 1, 1);
}

int pio_checked_choice(pio_checked_file *f, hid_t object, const char *key, const char *const *names, int n)
{
    char *text = pio_checked_text(f, object, key);
    int found = -1;
    for (int i = 0; i < n && text; i++)
        if (strcmp(text, names[i]) == 0) found = i;
    if (found < 0) (void)pio_checked_fail(f, "attribute '%s' is '%.40s': unknown", key, text ? text : "");
    free(text);
    return found;
}

/* Returns the names of a group's members, [*n], each malloc'd. */
char **pio_checked_members(pio_checked_file *f, hid_t group, size_t *n)
{
    H5G_info_t info;
    *n = 0;
    if (!pio_h5_ok(&f->log, H5Gget_info(group, &info)) || info.nlinks > MAX_LINKS ||
        (int64_t)info.nlinks > f->bytes / 8) {
        (void)pio_checked_fail(f, "a group with an impossible number of members");
        return NULL;
    }
    char **names = pio_checked_alloc(f, (size_t)info.nlinks, sizeof *names);
    for (hsize_t i = 0; names && i < info.nlinks; i++) {
        ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
        if (!pio_h5_ok(&f->log, length) || length > MAX_TEXT ||
            !(names[i] = pio_checked_alloc(f, (size_t)length + 1, 1)))
            break;
        if (!pio_h5_ok(&f->log, H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, names[i],
                                                   (size_t)length + 1, H5P_DEFAULT)))
            break;
        ++*n;
    }
    if (names && *n < info.nlinks) (void)pio_checked_fail(f, "the members of a group cannot be listed");
    if (names && *n < info.nlinks) free(names[*n]);
    return names;
}

void pio_checked_free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++) free(names[i]);
    free(names);
}
