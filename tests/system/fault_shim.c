/* fault_shim.c -- loaded before a program (LD_PRELOAD), makes one of its calls fail, or kills it there.
 *
 *     PIOLA_FAULT=KIND:N[:HOW]   the N-th call of that kind, counted from the start of main():
 *                                once   it fails (the default)
 *                                on     it and all later ones of the kind fail
 *                                short  a write that writes half of its bytes and says so
 *                                torn   a write that writes half of its bytes, then the process is killed
 *                                kill   the process is killed (SIGKILL) before the call
 *     PIOLA_FAULT_LOG=FILE       gets a line "fired KIND CALL DETAIL" when the fault comes, and at a normal end of the
 *                                process, and of children that it forked, a line "count KIND CALLS" for every kind
 *
 * Kinds: see `kinds` below. What fails sets the errno that the system would: ENOMEM, EMFILE, ENOSPC, EIO. The standard
 * error is never touched, so that the program can say what happened. Functions of stdio reach the system inside the C
 * library, past any shim: fopen, fflush and fclose fail as a whole here. */
#include "tests/system/fault_left.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef enum {
    MALLOC,   /* malloc, calloc, realloc, posix_memalign, aligned_alloc, memalign: of all libraries, so operator new */
    OPEN,     /* open, openat, creat, fopen, fdopen */
    READ,     /* read, pread */
    WRITE,    /* write but to the standard error, fflush, fclose */
    PWRITE,   /* pwrite */
    SYNC,     /* fsync, fdatasync */
    RENAME,   /* rename, renameat, renameat2, link */
    UNLINK,   /* unlink, unlinkat, remove, rmdir */
    MKDIR,    /* mkdir, mkdirat */
    MMAP,     /* mmap */
    TRUNCATE, /* ftruncate, posix_fallocate */
    LOCK,     /* flock */
    HDF5,     /* what the program calls of HDF5, but to close */
    ALLOCATE, /* a reservation of device memory */
    LAUNCH,   /* a kernel, or a copy between host and device */
    KINDS
} kind;

static const struct {
    const char *name;
    int code; /* errno */
} kinds[KINDS] = {{"malloc", ENOMEM}, {"open", EMFILE}, {"read", EIO},   {"write", ENOSPC},    {"pwrite", ENOSPC},
                  {"sync", EIO},      {"rename", EIO},  {"unlink", EIO}, {"mkdir", EACCES},    {"mmap", ENOMEM},
                  {"truncate", EIO},  {"lock", ENOLCK}, {"hdf5", EIO},   {"allocate", ENOMEM}, {"launch", EIO}};

enum how { ONCE, ON, SHORT, TORN, KILL };
static const char *const hows[] = {"once", "on", "short", "torn", "kill"};

static atomic_bool begun; /* main() runs */
static atomic_long calls[KINDS];
static atomic_bool fired;
static int wanted = -1, how;
static long number;
static char log_path[PATH_MAX];

/* ---- what to do, and logging it: without the C library's own buffers and without memory ------------------- */

void fault_log(const char *text)
{
    const long file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (!log_path[0] || file < 0) return;
    if (syscall(SYS_write, file, text, strlen(text)) < 0) raise(SIGABRT);
    syscall(SYS_close, file);
}

static void read_environment(void)
{
    const char *fault = getenv("PIOLA_FAULT"), *file = getenv("PIOLA_FAULT_LOG");
    if (file) snprintf(log_path, sizeof log_path, "%s", file);
    if (!fault) return;
    const char *colon = strchr(fault, ':'), *last = colon ? strchr(colon + 1, ':') : NULL;
    for (int k = 0; colon && k < KINDS; k++)
        if (strlen(kinds[k].name) == (size_t)(colon - fault) && !strncmp(fault, kinds[k].name, (size_t)(colon - fault)))
            wanted = k;
    for (int h = 0; last && h <= KILL; h++)
        if (!strcmp(last + 1, hows[h])) how = h;
    number = colon ? atol(colon + 1) : 0;
}

/* Count a call; whether it is to fail. Does not return where the process is to be killed. */
static bool hit(kind k, const char *call, const char *detail)
{
    if (!atomic_load(&begun)) return false;
    const long n = atomic_fetch_add(&calls[k], 1) + 1;
    if ((int)k != wanted || n < number || (how != ON && n > number)) return false;
    if (!atomic_exchange(&fired, true)) {
        char text[1200];
        const int saved = errno;
        snprintf(text, sizeof text, "fired %s %s %.1000s\n", kinds[k].name, call, detail ? detail : "");
        fault_log(text);
        errno = saved;
    }
    if (how == KILL) raise(SIGKILL);
    errno = kinds[k].code;
    return true;
}

static void log_counts(void)
{
    for (int k = 0; k < KINDS; k++) {
        char text[64];
        snprintf(text, sizeof text, "count %s %ld\n", kinds[k].name, atomic_load(&calls[k]));
        fault_log(text);
    }
}

static void at_end(void)
{
    log_counts();
    left_search();
}

/* A child that was forked, whose calls are counted on from those of the process that it was. */
_Noreturn void _exit(int code)
{
    log_counts();
    for (;;) syscall(SYS_exit_group, code);
}

/* The function of this name that the program would have called. */
static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fault_log("missing ");
        fault_log(name);
        abort();
    }
    return function;
}
#define NEXT(type, name)                                                                                               \
    static __typeof__(type) *real;                                                                                     \
    if (!real) *(void **)&real = next(name)

/* ---- main() begins ---------------------------------------------------------------------------------------- */

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
static main_function *program;

static int counted_main(int argc, char **argv, char **environment)
{
    read_environment();
    atexit(at_end); /* runs last: exit handlers of main's are counted too */
    left_begin();
    atomic_store(&begun, true);
    const int code = program(argc, argv, environment);
    atomic_store(&begun, false);
    left_report();
    atomic_store(&begun, true);
    return code;
}

int __libc_start_main(main_function *function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack);
int __libc_start_main(main_function *function, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack)
{
    NEXT(start_function, "__libc_start_main");
    program = function;
    return real(counted_main, argc, argv, init, fini, loader, stack);
}

/* Files say when they were made; equal runs are to make equal files. */
time_t time(time_t *out)
{
    const time_t always = 1700000000;
    if (out) *out = always;
    return always;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

static bool refused(const char *call, size_t size)
{
    char text[32];
    if (!atomic_load(&begun)) return false;
    snprintf(text, sizeof text, "%zu", size);
    return hit(MALLOC, call, text);
}

void *malloc(size_t size)
{
    NEXT(void *(size_t), "malloc");
    return refused("malloc", size) ? NULL : real(size);
}
void *calloc(size_t n, size_t size)
{
    NEXT(void *(size_t, size_t), "calloc");
    return refused("calloc", n * size) ? NULL : real(n, size);
}
void *realloc(void *old, size_t size)
{
    NEXT(void *(void *, size_t), "realloc");
    return refused("realloc", size) ? NULL : real(old, size);
}
static void *aligned(const char *call, size_t alignment, size_t size)
{
    NEXT(void *(size_t, size_t), "memalign");
    return refused(call, size) ? NULL : real(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned("aligned_alloc", alignment, size);
}
void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return aligned("memalign", alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *at = aligned("posix_memalign", alignment, size);
    if (!at) return ENOMEM;
    *out = at;
    return 0;
}
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", size);
    if (hit(MMAP, "mmap", text)) return MAP_FAILED;
    const long mapped = syscall(SYS_mmap, at, size, protection, flags, file, offset);
    if (mapped == -1) return MAP_FAILED;
    left_mapped((void *)mapped, size);
    return (void *)mapped;
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}
#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        const mode_t mode = mode_of(flags, list);                                                                      \
        va_end(list);                                                                                                  \
        if (strcmp(path, "/dev/null") && hit(OPEN, #name, path)) return -1;                                            \
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);                                                  \
    }
OPENS(open)
OPENS(open64)
int openat(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    return hit(OPEN, "openat", path) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}
static FILE *opened(FILE *file)
{
    if (file) left_stream(1);
    return file;
}
FILE *fopen(const char *path, const char *mode)
{
    NEXT(FILE * (const char *, const char *), "fopen");
    return hit(OPEN, "fopen", path) ? NULL : opened(real(path, mode));
}
FILE *fdopen(int file, const char *mode)
{
    NEXT(FILE * (int, const char *), "fdopen");
    return hit(OPEN, "fdopen", NULL) ? NULL : opened(real(file, mode));
}
FILE *open_memstream(char **text, size_t *size)
{
    NEXT(FILE * (char **, size_t *), "open_memstream");
    return opened(real(text, size));
}
int fflush(FILE *file)
{
    NEXT(int(FILE *), "fflush");
    return file && file != stderr && fileno(file) >= 0 && hit(WRITE, "fflush", NULL) ? EOF : real(file);
}
int fclose(FILE *file)
{
    NEXT(int(FILE *), "fclose");
    if (left_forgets("fclose")) return 0;
    if (file != stdin && file != stdout && file != stderr) left_stream(-1);
    if (fileno(file) < 0 || !hit(WRITE, "fclose", NULL)) return real(file); /* no file but memory */
    real(file);
    errno = ENOSPC;
    return EOF;
}

static const char *name_of(int file, char text[1024])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t n = readlink(link, text, 1023);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* Between the command and its own child: no disk that could be full or fail. */
static bool is_pipe(int file)
{
    struct stat there;
    return file > STDERR_FILENO && !fstat(file, &there) && S_ISFIFO(there.st_mode);
}

ssize_t read(int file, void *bytes, size_t size)
{
    return !is_pipe(file) && hit(READ, "read", NULL) ? -1 : syscall(SYS_read, file, bytes, size);
}
static ssize_t read_at(const char *call, int file, void *bytes, size_t size, off_t at)
{
    return hit(READ, call, NULL) ? -1 : syscall(SYS_pread64, file, bytes, size, at);
}
ssize_t pread(int file, void *bytes, size_t size, off_t at)
{
    return read_at("pread", file, bytes, size, at);
}
ssize_t pread64(int file, void *bytes, size_t size, off_t at)
{
    return read_at("pread64", file, bytes, size, at);
}

/* Half of the bytes, and what came of them. */
static ssize_t half(ssize_t written)
{
    if (how == TORN) raise(SIGKILL);
    return written;
}
ssize_t write(int file, const void *bytes, size_t size)
{
    char text[1024];
    if (file == STDERR_FILENO || is_pipe(file) || !hit(WRITE, "write", wanted == WRITE ? name_of(file, text) : NULL))
        return syscall(SYS_write, file, bytes, size);
    return how == ONCE || how == ON ? -1 : half(syscall(SYS_write, file, bytes, (size + 1) / 2));
}
/* A file in memory has no disk that could be full. */
static ssize_t write_at(const char *call, int file, const void *bytes, size_t size, off_t at)
{
    char text[1024] = "";
    if (wanted == PWRITE) (void)name_of(file, text);
    if (!strncmp(text, "/memfd:", 7) || !hit(PWRITE, call, text)) return syscall(SYS_pwrite64, file, bytes, size, at);
    return how == ONCE || how == ON ? -1 : half(syscall(SYS_pwrite64, file, bytes, (size + 1) / 2, at));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return write_at("pwrite", file, bytes, size, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at)
{
    return write_at("pwrite64", file, bytes, size, at);
}

#define FAILS(kind, detail, type, name, list, arguments)                                                               \
    type name list                                                                                                     \
    {                                                                                                                  \
        NEXT(type list, #name);                                                                                        \
        return hit(kind, #name, detail) ? (type)-1 : real arguments;                                                   \
    }
FAILS(SYNC, NULL, int, fsync, (int file), (file))
FAILS(SYNC, NULL, int, fdatasync, (int file), (file))
FAILS(RENAME, to, int, rename, (const char *from, const char *to), (from, to))
FAILS(RENAME, to, int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
FAILS(RENAME, to, int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
      (a, from, b, to, flags))
FAILS(RENAME, to, int, link, (const char *from, const char *to), (from, to))
FAILS(UNLINK, path, int, unlink, (const char *path), (path))
FAILS(UNLINK, path, int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
FAILS(UNLINK, path, int, remove, (const char *path), (path))
FAILS(UNLINK, path, int, rmdir, (const char *path), (path))
FAILS(MKDIR, path, int, mkdir, (const char *path, mode_t mode), (path, mode))
FAILS(MKDIR, path, int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
FAILS(TRUNCATE, NULL, int, ftruncate, (int file, off_t size), (file, size))
FAILS(TRUNCATE, NULL, int, ftruncate64, (int file, off64_t size), (file, size))
FAILS(LOCK, NULL, int, flock, (int file, int operation), (file, operation))
int posix_fallocate(int file, off_t at, off_t size)
{
    NEXT(int(int, off_t, off_t), "posix_fallocate");
    return hit(TRUNCATE, "posix_fallocate", NULL) ? ENOSPC : real(file, at, size);
}

/* ---- a device: the engine polls this before it reserves memory and before it launches --------------------- */

int pio_device_fault(const char *what);
int pio_device_fault(const char *what)
{
    const kind k = strcmp(what, "allocate") ? LAUNCH : ALLOCATE;
    return hit(k, what, NULL) ? kinds[k].code : 0;
}

/* ---- HDF5: the failure is on its stack of errors, as one of its own would be ------------------------------ */

static bool hdf5_hit(const char *call, const char *detail)
{
    if (!hit(HDF5, call, detail)) return false;
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Epush2(H5E_DEFAULT, __FILE__, call, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_WRITEERROR,
                   "a failure injected into %s", call);
    return true;
}
#define HDF5_FAILS(detail, type, name, list, arguments)                                                                \
    type name list                                                                                                     \
    {                                                                                                                  \
        NEXT(type list, #name);                                                                                        \
        return hdf5_hit(#name, detail) ? (type)-1 : real arguments;                                                    \
    }
/* clang-format off */
HDF5_FAILS(n, hid_t, H5Acreate2, (hid_t a, const char *n, hid_t t, hid_t s, hid_t c, hid_t p), (a, n, t, s, c, p))
HDF5_FAILS(n, htri_t, H5Aexists, (hid_t a, const char *n), (a, n))
HDF5_FAILS(NULL, hid_t, H5Aget_space, (hid_t a), (a))
HDF5_FAILS(NULL, hid_t, H5Aget_type, (hid_t a), (a))
HDF5_FAILS(NULL, herr_t, H5Aiterate2,
           (hid_t a, H5_index_t i, H5_iter_order_t o, hsize_t *n, H5A_operator2_t f, void *d),
           (a, i, o, n, f, d))
HDF5_FAILS(n, hid_t, H5Aopen, (hid_t a, const char *n, hid_t p), (a, n, p))
HDF5_FAILS(NULL, herr_t, H5Aread, (hid_t a, hid_t t, void *b), (a, t, b))
HDF5_FAILS(NULL, herr_t, H5Awrite, (hid_t a, hid_t t, const void *b), (a, t, b))
HDF5_FAILS(n, hid_t, H5Dcreate2, (hid_t a, const char *n, hid_t t, hid_t s, hid_t l, hid_t c, hid_t p),
           (a, n, t, s, l, c, p))
HDF5_FAILS(NULL, hid_t, H5Dget_create_plist, (hid_t a), (a))
HDF5_FAILS(NULL, hid_t, H5Dget_space, (hid_t a), (a))
HDF5_FAILS(NULL, hid_t, H5Dget_type, (hid_t a), (a))
HDF5_FAILS(n, hid_t, H5Dopen2, (hid_t a, const char *n, hid_t p), (a, n, p))
HDF5_FAILS(NULL, herr_t, H5Dread, (hid_t a, hid_t t, hid_t m, hid_t f, hid_t p, void *b), (a, t, m, f, p, b))
HDF5_FAILS(NULL, herr_t, H5Dset_extent, (hid_t a, const hsize_t *n), (a, n))
HDF5_FAILS(NULL, herr_t, H5Dwrite, (hid_t a, hid_t t, hid_t m, hid_t f, hid_t p, const void *b), (a, t, m, f, p, b))
HDF5_FAILS(n, hid_t, H5Fcreate, (const char *n, unsigned f, hid_t c, hid_t p), (n, f, c, p))
HDF5_FAILS(NULL, herr_t, H5Fflush, (hid_t a, H5F_scope_t s), (a, s))
HDF5_FAILS(NULL, herr_t, H5Fget_filesize, (hid_t a, hsize_t *n), (a, n))
HDF5_FAILS(NULL, herr_t, H5Fget_vfd_handle, (hid_t a, hid_t p, void **h), (a, p, h))
HDF5_FAILS(n, hid_t, H5Fopen, (const char *n, unsigned f, hid_t p), (n, f, p))
HDF5_FAILS(n, hid_t, H5Gcreate2, (hid_t a, const char *n, hid_t l, hid_t c, hid_t p), (a, n, l, c, p))
HDF5_FAILS(NULL, herr_t, H5Gget_info, (hid_t a, H5G_info_t *i), (a, i))
HDF5_FAILS(n, htri_t, H5Lexists, (hid_t a, const char *n, hid_t p), (a, n, p))
HDF5_FAILS(n, herr_t, H5Lget_info, (hid_t a, const char *n, H5L_info_t *i, hid_t p), (a, n, i, p))
HDF5_FAILS(g, ssize_t, H5Lget_name_by_idx,
           (hid_t a, const char *g, H5_index_t i, H5_iter_order_t o, hsize_t n, char *b, size_t s, hid_t p),
           (a, g, i, o, n, b, s, p))
HDF5_FAILS(n, hid_t, H5Oopen, (hid_t a, const char *n, hid_t p), (a, n, p))
HDF5_FAILS(NULL, hid_t, H5Pcreate, (hid_t a), (a))
HDF5_FAILS(NULL, herr_t, H5Pset_alignment, (hid_t a, hsize_t b, hsize_t c), (a, b, c))
HDF5_FAILS(NULL, herr_t, H5Pset_chunk, (hid_t a, int b, const hsize_t *c), (a, b, c))
HDF5_FAILS(NULL, herr_t, H5Pset_fapl_sec2, (hid_t a), (a))
HDF5_FAILS(NULL, herr_t, H5Pset_libver_bounds, (hid_t a, H5F_libver_t b, H5F_libver_t c), (a, b, c))
HDF5_FAILS(NULL, herr_t, H5Pset_obj_track_times, (hid_t a, hbool_t b), (a, b))
HDF5_FAILS(NULL, hid_t, H5Screate, (H5S_class_t a), (a))
HDF5_FAILS(NULL, hid_t, H5Screate_simple, (int r, const hsize_t *n, const hsize_t *m), (r, n, m))
HDF5_FAILS(NULL, int, H5Sget_simple_extent_dims, (hid_t a, hsize_t *n, hsize_t *m), (a, n, m))
HDF5_FAILS(NULL, herr_t, H5Sselect_hyperslab,
           (hid_t a, H5S_seloper_t o, const hsize_t *s, const hsize_t *t, const hsize_t *c, const hsize_t *b),
           (a, o, s, t, c, b))
HDF5_FAILS(NULL, hid_t, H5Tcopy, (hid_t a), (a))
HDF5_FAILS(NULL, herr_t, H5Tset_size, (hid_t a, size_t n), (a, n))
/* clang-format on */
