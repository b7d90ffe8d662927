/* disk_log.c -- a library to preload, which writes down what a program does to files of one folder, or kills it there.
 *
 *   DISK_LOG_FOLDER   the folder, an absolute path; files that end in .vtkhdf or .png are left out
 *   DISK_LOG          where to write it down: one record per call that succeeded, for tests/system/test_kills.py:
 *                     u8 what, u32 bytes of the first name, u32 of the second, i64 place or size, u64 bytes of data;
 *                     names, data
 *   DISK_LOG_KILL     the number of the call, from 1, at which the program gets SIGKILL
 *   DISK_LOG_HOW      before | half | after: whether that call is done; half of it is half of the bytes that are to be
 *   written
 *   DISK_LOG_ONLY     calls that do not concern a name with this text are not counted */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum {
    CREATE = 'C',
    WRITE = 'W',
    TRUNCATE = 'T',
    SYNC = 'S',
    SYNC_FOLDER = 'D',
    RENAME = 'R',
    UNLINK = 'U'
} what;
typedef enum { GO_ON, HALF } verdict;

int fdatasync(int fd);

static int log_file = -1;
static const char *folder, *only, *how;
static long countdown;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("DISK_LOG"), *number = getenv("DISK_LOG_KILL");
    folder = getenv("DISK_LOG_FOLDER");
    only = getenv("DISK_LOG_ONLY");
    how = getenv("DISK_LOG_HOW");
    countdown = number ? atol(number) : 0;
    if (path) log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    unsetenv("LD_PRELOAD"); /* not for programs that it starts */
}

static int ends_in(const char *name, const char *tail)
{
    const size_t n = strlen(name), m = strlen(tail);
    return n >= m && !strcmp(name + n - m, tail);
}

static int concerns(const char *name)
{
    return folder && !strncmp(name, folder, strlen(folder)) && !ends_in(name, ".vtkhdf") && !ends_in(name, ".png");
}

/* The name of an open file as it is now, "" where it has none. */
static const char *name_of(int fd, char name[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, name, PATH_MAX - 1);
    name[n > 0 ? n : 0] = '\0';
    return name;
}

/* The name that `name` has in the folder `at`, absolute. */
static void name_at(int at, const char *name, char out[PATH_MAX])
{
    char base[PATH_MAX] = "";
    if (*name != '/' && (at == AT_FDCWD ? !getcwd(base, sizeof base) : !*name_of(at, base))) base[0] = '\0';
    if ((size_t)snprintf(out, PATH_MAX, "%s%s%s", base, *base ? "/" : "", name) >= PATH_MAX) out[0] = '\0';
}

/* Called before: is it the one? With `half` the caller does half of it and comes again with kill_now. */
static verdict count(const char *name, const char *other)
{
    if (!concerns(name) || (only && !strstr(name, only) && !strstr(other, only))) return GO_ON;
    if (countdown == 0 || --countdown > 0) return GO_ON;
    countdown = how && !strcmp(how, "after") ? -1 : 0;
    if (how && !strcmp(how, "half")) return HALF;
    if (countdown == 0) raise(SIGKILL);
    return GO_ON;
}

static void put(const void *data, size_t n)
{
    if (n) (void)!syscall(SYS_write, log_file, data, n);
}

/* Called after a call that succeeded. */
static void record(what w, const char *name, const char *other, int64_t place, const void *data, size_t n)
{
    if (!concerns(name)) return;
    if (log_file >= 0) {
        unsigned char head[25];
        const uint32_t first = (uint32_t)strlen(name), second = (uint32_t)strlen(other);
        const uint64_t bytes = n;
        head[0] = (unsigned char)w;
        memcpy(head + 1, &first, 4);
        memcpy(head + 5, &second, 4);
        memcpy(head + 9, &place, 8);
        memcpy(head + 17, &bytes, 8);
        put(head, sizeof head);
        put(name, first);
        put(other, second);
        put(data, n);
    }
    if (countdown < 0) raise(SIGKILL);
}

#define REAL(type, name, ...)                                                                                          \
    static type (*real)(__VA_ARGS__);                                                                                  \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

static int created(int fd, int flags)
{
    char name[PATH_MAX];
    const int saved = errno;
    if (fd >= 0 && (flags & O_CREAT) && (flags & O_EXCL)) record(CREATE, name_of(fd, name), "", 0, NULL, 0);
    errno = saved;
    return fd;
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & O_CREAT ? (mode_t)va_arg(list, int) : 0;
}

int open(const char *path, int flags, ...)
{
    char name[PATH_MAX];
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    REAL(int, open, const char *, int, ...);
    name_at(AT_FDCWD, path, name);
    if ((flags & O_CREAT) && count(name, "") == HALF) raise(SIGKILL);
    return created(real(path, flags, mode), flags);
}

int openat(int at, const char *path, int flags, ...)
{
    char name[PATH_MAX];
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    REAL(int, openat, int, const char *, int, ...);
    name_at(at, path, name);
    if ((flags & O_CREAT) && count(name, "") == HALF) raise(SIGKILL);
    return created(real(at, path, flags, mode), flags);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    char name[PATH_MAX];
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    if (count(name_of(fd, name), "") == HALF) {
        (void)!real(fd, data, n / 2, at);
        raise(SIGKILL);
    }
    const ssize_t done = real(fd, data, n, at);
    if (done > 0) record(WRITE, name, "", at, data, (size_t)done);
    return done;
}

ssize_t write(int fd, const void *data, size_t n)
{
    char name[PATH_MAX];
    REAL(ssize_t, write, int, const void *, size_t);
    if (count(name_of(fd, name), "") == HALF) {
        (void)!real(fd, data, n / 2);
        raise(SIGKILL);
    }
    const ssize_t done = real(fd, data, n);
    if (done > 0 && concerns(name)) record(WRITE, name, "", lseek(fd, 0, SEEK_CUR) - done, data, (size_t)done);
    return done;
}

int ftruncate(int fd, off_t size)
{
    char name[PATH_MAX];
    REAL(int, ftruncate, int, off_t);
    if (count(name_of(fd, name), "") == HALF) raise(SIGKILL);
    const int rc = real(fd, size);
    if (!rc) record(TRUNCATE, name, "", size, NULL, 0);
    return rc;
}

static void synced(int fd, const char *name)
{
    struct stat there;
    record(!fstat(fd, &there) && S_ISDIR(there.st_mode) ? SYNC_FOLDER : SYNC, name, "", 0, NULL, 0);
}

int fsync(int fd)
{
    char name[PATH_MAX];
    REAL(int, fsync, int);
    if (count(name_of(fd, name), "") == HALF) raise(SIGKILL);
    const int rc = real(fd);
    if (!rc) synced(fd, name);
    return rc;
}

int fdatasync(int fd)
{
    char name[PATH_MAX];
    REAL(int, fdatasync, int);
    if (count(name_of(fd, name), "") == HALF) raise(SIGKILL);
    const int rc = real(fd);
    if (!rc) synced(fd, name);
    return rc;
}

int rename(const char *from, const char *to)
{
    char a[PATH_MAX], b[PATH_MAX];
    REAL(int, rename, const char *, const char *);
    name_at(AT_FDCWD, from, a);
    name_at(AT_FDCWD, to, b);
    if (count(a, b) == HALF) raise(SIGKILL);
    const int rc = real(from, to);
    if (!rc) record(RENAME, a, b, 0, NULL, 0);
    return rc;
}

int unlink(const char *path)
{
    char name[PATH_MAX];
    REAL(int, unlink, const char *);
    name_at(AT_FDCWD, path, name);
    if (count(name, "") == HALF) raise(SIGKILL);
    const int rc = real(path);
    if (!rc) record(UNLINK, name, "", 0, NULL, 0);
    return rc;
}

int unlinkat(int at, const char *path, int flags)
{
    char name[PATH_MAX];
    REAL(int, unlinkat, int, const char *, int);
    name_at(at, path, name);
    if (count(name, "") == HALF) raise(SIGKILL);
    const int rc = real(at, path, flags);
    if (!rc) record(UNLINK, name, "", 0, NULL, 0);
    return rc;
}
