/* new_file.c -- see new_file.h. */
#include "host/base/new_file.h"

#include "host/base/fail.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 1000 };
static const char mark[] = ".piola-", tail[] = ".tmp";

/* Returns the folder of a path, "." or "DIR"; NULL without memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    return length ? strndup(path, length) : strdup(".");
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int pio_sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (fd < 0) return -1;
    int result = fsync(fd);
    if (result && errno == EINVAL) result = 0; /* a file system that cannot sync folders (fsync(2)) */
    const int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

/* Returns whether the descriptor's file may be kept: we hold its lock, and nobody removed it before we had the lock. */
static bool is_ours(int fd)
{
    struct stat there;
    if (flock(fd, LOCK_EX | LOCK_NB)) return errno != EWOULDBLOCK; /* a file system without locks */
    return !fstat(fd, &there) && there.st_nlink > 0;
}

/* Creates a file with a new name. Returns -1 with errno. */
static int open_new(pio_new_file *f, const char *folder)
{
    static unsigned count;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        free(f->name);
        if (asprintf(&f->name, "%s/.%s%s%ld-%u%s", folder, base_of(f->path), mark, (long)getpid(), count++, tail) < 0) {
            f->name = NULL;
            errno = ENOMEM;
            return -1;
        }
        const int fd = open(f->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) return -1;
        if (fd >= 0 && is_ours(fd)) return fd;
        if (fd >= 0) close(fd);
    }
    errno = EEXIST;
    return -1;
}

piola_status pio_new_file_replaces(const char *path, const void *head, size_t size, const char *kind,
                                   piola_error *error)
{
    char there[16];
    struct stat found;
    const char *what = strrchr(kind, ' ') ? strrchr(kind, ' ') + 1 : kind;
    if (stat(path, &found) || (S_ISREG(found.st_mode) && found.st_size == 0)) return PIOLA_OK;
    if (!S_ISREG(found.st_mode)) /* renaming would replace a device or a pipe */
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: is not a regular file: give a path for the %s", path, what);
    FILE *file = fopen(path, "rbe");
    const bool same = file && size <= sizeof there && fread(there, 1, size, file) == size && !memcmp(there, head, size);
    if (file) fclose(file);
    if (same) return PIOLA_OK;
    return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: exists and is not a %s: remove it, or give the %s another name",
                    path, kind, what);
}

piola_status pio_new_file_begin(pio_new_file *f, const char *path, piola_error *error)
{
    struct stat there;
    *f = (pio_new_file){.fd = -1};
    if (!*base_of(path)) return pio_fail(error, PIOLA_CANNOT_CREATE, "'%s' names a folder, a file was expected", path);
    if (!lstat(path, &there) && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: is a folder, device or pipe; only a file can be replaced",
                        path);
    char *folder = folder_of(path);
    f->path = strdup(path);
    f->fd = folder && f->path ? open_new(f, folder) : -1;
    const int why = folder && f->path ? errno : ENOMEM;
    const piola_status rc = f->fd >= 0 ? PIOLA_OK
                                       : pio_fail(error, why == ENOMEM ? PIOLA_NO_MEMORY : PIOLA_CANNOT_CREATE,
                                                  "%s: cannot create a file in %s: %s", path,
                                                  folder ? folder : "its folder", strerror(why));
    free(folder);
    if (rc) {
        free(f->name);
        f->name = NULL;
        pio_new_file_drop(f);
    }
    return rc;
}

piola_status pio_new_file_write(pio_new_file *f, const void *bytes, size_t size, piola_error *error)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t n = write(f->fd, at, size < ((size_t)1 << 30) ? size : (size_t)1 << 30);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return pio_fail(error, PIOLA_IO, "%s: writing %zu bytes failed, the file is as it was: %s", f->path, size,
                            strerror(errno));
        at += n;
        size -= (size_t)n;
    }
    return PIOLA_OK;
}

piola_status pio_new_file_place(pio_new_file *f, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    if (fsync(f->fd))
        return pio_fail(error, PIOLA_IO, "%s: syncing it to disk failed, the file is as it was: %s", f->path,
                        strerror(errno));
    if (rename(f->name, f->path))
        return pio_fail(error, PIOLA_IO, "%s: renaming %s to it failed, the file is as it was: %s", f->path, f->name,
                        strerror(errno));
    flock(f->fd, LOCK_UN);
    if (pio_sync_folder_of(f->path))
        rc = pio_fail(error, PIOLA_IO, "%s: written, but its folder could not be synced to disk: %s", f->path,
                      strerror(errno));
    free(f->path);
    free(f->name);
    f->path = f->name = NULL;
    return rc;
}

void pio_new_file_drop(pio_new_file *f)
{
    if (f->name) unlink(f->name); /* while the lock is held */
    if (f->fd >= 0) close(f->fd);
    free(f->path);
    free(f->name);
    *f = (pio_new_file){.fd = -1};
}

piola_status pio_write_file_atomically(const char *path, const void *bytes, size_t size, piola_error *error)
{
    pio_new_file file;
    piola_status rc = pio_new_file_begin(&file, path, error);
    if (!rc) rc = pio_new_file_write(&file, bytes, size, error);
    if (!rc) rc = pio_new_file_place(&file, error);
    pio_new_file_drop(&file);
    return rc;
}

/* ---- leftovers ------------------------------------------------------------------------------------------- */

/* Returns whether a name is that of a temporary file, `.NAME.piola-PID-COUNT.tmp`. */
static bool is_temporary(const char *name)
{
    const size_t size = strlen(name), end = sizeof tail - 1;
    if (name[0] != '.' || size < end || strcmp(name + size - end, tail)) return false;
    const char *at = NULL;
    for (const char *next = strstr(name, mark); next; next = strstr(next + 1, mark)) at = next + sizeof mark - 1;
    for (int part = 0; at && part < 2; part++) {
        const char *digits = at;
        while (isdigit((unsigned char)*at)) at++;
        if (at == digits || *at++ != (part ? '.' : '-')) return false;
    }
    return at && at == name + size - end + 1;
}

/* Removes a temporary file if its lock is free, since then its process is dead. */
static bool remove_dead(int folder, const char *name)
{
    struct stat there;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    const bool dead = !fstat(fd, &there) && S_ISREG(there.st_mode) && !flock(fd, LOCK_EX | LOCK_NB);
    const bool removed = dead && !unlinkat(folder, name, 0);
    close(fd);
    return removed;
}

int pio_new_file_leftovers(int folder)
{
    const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own >= 0 ? fdopendir(own) : NULL;
    int removed = 0;
    if (!stream && own >= 0) close(own);
    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry; entry = readdir(stream))
        if (is_temporary(entry->d_name)) removed += remove_dead(dirfd(stream), entry->d_name);
    if (stream) closedir(stream);
    return removed;
}

int pio_new_file_leftovers_beside(const char *path)
{
    char *name = folder_of(path);
    const int folder = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const int removed = folder >= 0 ? pio_new_file_leftovers(folder) : 0;
    if (folder >= 0) close(folder);
    free(name);
    return removed;
}
