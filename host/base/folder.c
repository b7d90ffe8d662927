/* folder.c -- see folder.h. */
#include "host/base/folder.h"

#include "host/base/fail.h"
#include "host/base/new_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 1024, ATTEMPTS = 100, WAIT_US = 10000, MOST_WAITS = 300 };
static const char lock_name[] = ".piola-lock";

struct pio_folder {
    int folder, lock; /* descriptors */
    char notice[TEXT + 300];
};

piola_status pio_folder_make(const char *directory, piola_error *error)
{
    char *path = strdup(directory);
    if (!path) return pio_fail_memory(error, strlen(directory) + 1, "a folder's name");
    piola_status rc = PIOLA_OK;
    for (char *at = path + 1; !rc && *path; at++) {
        if (*at && *at != '/') continue;
        const char kept = *at;
        *at = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            rc = pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create the folder %s: %s", path, strerror(errno));
        *at = kept;
        if (!kept) break;
    }
    free(path);
    struct stat about;
    if (!rc && !stat(directory, &about) && !S_ISDIR(about.st_mode))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot write into %s: it is a file, not a folder", directory);
    if (!rc && access(directory, W_OK | X_OK))
        rc = pio_fail(error, PIOLA_CANNOT_CREATE, "cannot write into %s: %s", directory, strerror(errno));
    return rc;
}

/* ---- who holds it ---------------------------------------------------------------------------------------- */

typedef struct {
    char text[TEXT]; /* contents of the file; "": empty */
    long pid;
    char host[256];
} holder;

/* Copies the value of a line `key value`, printable and cut to size; "" if there is none. */
static void line_of(const char *text, const char *key, char *to, size_t size)
{
    const size_t n = strlen(key);
    *to = '\0';
    for (const char *at = text; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
        if (strncmp(at, key, n) || at[n] != ' ') continue;
        size_t k = 0;
        for (at += n + 1; *at && *at != '\n' && k + 1 < size; at++) to[k++] = isprint((unsigned char)*at) ? *at : '?';
        to[k] = '\0';
        return;
    }
}

static void read_holder(int fd, holder *h)
{
    char pid[32];
    const ssize_t n = pread(fd, h->text, sizeof h->text - 1, 0);
    h->text[n > 0 ? n : 0] = '\0';
    line_of(h->text, "pid", pid, sizeof pid);
    line_of(h->text, "host", h->host, sizeof h->host);
    h->pid = atol(pid);
}

/* "piola grad (pid 4711 on node17, since 2026-11-22T12:00:00Z)". */
static const char *describe(const holder *h, char *to, size_t size)
{
    char command[200], start[64];
    line_of(h->text, "command", command, sizeof command);
    line_of(h->text, "start", start, sizeof start);
    if (*h->text)
        snprintf(to, size, "%s (pid %ld on %s, since %s)", *command ? command : "a run", h->pid, h->host, start);
    else
        snprintf(to, size, "a run that has not written its name yet");
    return to;
}

static bool write_holder(int fd, const char *command)
{
    char text[TEXT], host[256] = "", start[64] = "";
    const time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &utc)) strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const int n = snprintf(text, sizeof text, "pid %ld\nhost %s\nstart %s\ncommand %.200s\n", (long)getpid(), host,
                           start, command);
    return !ftruncate(fd, 0) && pwrite(fd, text, (size_t)n, 0) == n;
}

/* ---- the lock -------------------------------------------------------------------------------------------- */

typedef enum {
    LOCKED,
    AGAIN,
    HELD,
    UNKNOWN,
    NOT_THERE
} outcome; /* UNKNOWN: it cannot be found out whether the holder lives */

/* Returns whether the file still has its name. */
static bool has_its_name(const pio_folder *f)
{
    struct stat own, named;
    return !fstat(f->lock, &own) && !fstatat(f->folder, lock_name, &named, AT_SYMLINK_NOFOLLOW) &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/* Locks on a file system without locks: the file is ours if we created it, or if its process is dead on this machine.
 */
static outcome lock_by_name(pio_folder *f, bool created, const holder *h)
{
    char host[256] = "", aside[64];
    static const char none[] = "this file system has no locks, so " /* of both messages */
                               "runs on other machines are known by the file .piola-lock alone";
    snprintf(f->notice, sizeof f->notice, "%s", none);
    if (created) return LOCKED;
    gethostname(host, sizeof host - 1);
    if (strcmp(host, h->host) || h->pid <= 0) return UNKNOWN;
    if (!kill((pid_t)h->pid, 0) || errno != ESRCH) return HELD;
    snprintf(aside, sizeof aside, "%s.dead-%ld", lock_name, (long)getpid());
    if (renameat(f->folder, lock_name, f->folder, aside)) return AGAIN;
    struct stat own, moved;
    if (!fstat(f->lock, &own) && !fstatat(f->folder, aside, &moved, AT_SYMLINK_NOFOLLOW) && own.st_ino != moved.st_ino)
        (void)!linkat(f->folder, aside, f->folder, lock_name, 0); /* it belongs to a run that came in between */
    unlinkat(f->folder, aside, 0);
    return AGAIN;
}

/* Tries once to lock; the contents of the file go to *h. */
static outcome try_lock(pio_folder *f, holder *h)
{
    const int how = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat there;
    bool created = true;
    f->lock = openat(f->folder, lock_name, how | O_CREAT | O_EXCL, 0666);
    if (f->lock < 0 && errno == EEXIST) {
        created = false;
        f->lock = openat(f->folder, lock_name, how);
        if (f->lock < 0 && errno == ENOENT) return AGAIN;
    }
    if (f->lock < 0) return NOT_THERE;
    if (fstat(f->lock, &there) || !S_ISREG(there.st_mode)) {
        errno = EINVAL;
        return NOT_THERE;
    }
    const bool got = !flock(f->lock, LOCK_EX | LOCK_NB);
    const int why = errno;
    read_holder(f->lock, h);
    if (got) return has_its_name(f) ? LOCKED : AGAIN;
    return why == EWOULDBLOCK ? HELD : why == EINTR ? AGAIN : lock_by_name(f, created, h);
}

/* Fails because another run holds the lock, or may hold it. */
static piola_status explain_lock(outcome o, const char *directory, const holder *h, piola_error *error)
{
    char who[700];
    describe(h, who, sizeof who);
    if (o == UNKNOWN)
        return pio_fail(
            error, PIOLA_CANNOT_CREATE,
            "%s is in use by %s, and the file system has no locks by which to know whether that lives; if it does "
            "not, remove %s/%s; else choose another folder (-o)",
            directory, who, directory, lock_name);
    return pio_fail(error, PIOLA_CANNOT_CREATE, "%s is in use by %s; wait for its end, or choose another folder (-o)",
                    directory, who);
}

static outcome acquire(pio_folder *f, holder *h)
{
    outcome o = AGAIN;
    for (int attempt = 0; o == AGAIN && attempt < ATTEMPTS; attempt++) {
        if (f->lock >= 0) close(f->lock);
        o = try_lock(f, h);
    }
    return o;
}

/* Returns whether the holder was a process of this machine that has ended. */
static bool has_ended(const holder *h)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return h->pid > 0 && !strcmp(host, h->host) && kill((pid_t)h->pid, 0) && errno == ESRCH;
}

/* Locks like acquire(), but waits up to `seconds` for the holder, and a moment where that has ended, since a child of
 * a dead process ends shortly after it and holds the lock until then. */
static outcome acquire_with_wait(pio_folder *f, holder *h, double seconds)
{
    const int most = (int)(seconds * 1e6 / WAIT_US);
    outcome o = acquire(f, h);
    for (int wait = 0; o == HELD || o == UNKNOWN; wait++) {
        if (wait >= most && (o == UNKNOWN || wait >= MOST_WAITS || !has_ended(h))) break;
        (void)usleep(WAIT_US);
        close(f->lock);
        f->lock = -1;
        o = acquire(f, h);
    }
    return o;
}

static piola_status lock(pio_folder *f, const char *directory, const char *command, double seconds, piola_error *error)
{
    holder h = {.pid = 0};
    char who[700];
    f->folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->folder < 0)
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot open the folder %s: %s", directory, strerror(errno));
    const outcome o = acquire_with_wait(f, &h, seconds);
    if (o == NOT_THERE)
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot write into %s: %s: %s", directory, lock_name,
                        strerror(errno));
    if (o != LOCKED) return explain_lock(o, directory, &h, error);
    if (*h.text)
        snprintf(f->notice, sizeof f->notice, "%s was killed, or its machine stopped; its folder %s is taken over",
                 describe(&h, who, sizeof who), directory);
    if (write_holder(f->lock, command)) return PIOLA_OK;
    const int why = errno;
    unlinkat(f->folder, lock_name, 0);
    return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot write into %s: %s: %s", directory, lock_name, strerror(why));
}

static void close_descriptors(const pio_folder *f)
{
    if (f->lock >= 0) close(f->lock);
    if (f->folder >= 0) close(f->folder);
}

static void release(pio_folder *f)
{
    close_descriptors(f);
    free(f);
}

/* The description of a killed run is kept for the run that takes the folder over. */
void pio_folder_remove(const char *directory, const char *old)
{
    pio_folder f = {.folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .lock = -1};
    holder h = {.pid = 0};
    if (f.folder >= 0 && acquire(&f, &h) == LOCKED) {
        unlinkat(f.folder, old, 0);
        if (!*h.text) unlinkat(f.folder, lock_name, 0);
    }
    close_descriptors(&f);
}

piola_status pio_folder_lock(pio_folder **out, const char *directory, const char *command, piola_error *error)
{
    return pio_folder_lock_within(out, directory, command, 0, error);
}

piola_status pio_folder_lock_within(pio_folder **out, const char *directory, const char *command, double seconds,
                                    piola_error *error)
{
    pio_folder *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f) return pio_fail_memory(error, sizeof *f, "the lock of a folder");
    f->folder = f->lock = -1;
    const piola_status rc = lock(f, directory, command, seconds, error);
    if (rc)
        release(f);
    else
        *out = f;
    return rc;
}

const char *pio_folder_notice(const pio_folder *f)
{
    return f->notice;
}

void pio_folder_unlock(pio_folder *f)
{
    if (!f) return;
    if (has_its_name(f)) unlinkat(f->folder, lock_name, 0); /* while it is locked */
    release(f);
}

/* ---- leftovers ------------------------------------------------------------------------------------------- */

/* Returns whether this is the name of an unfinished snapshot of a run in this folder: states or history, PID-COUNT,
 * partial.vtkhdf. */
static bool is_partial(const char *name)
{
    static const char *const stems[] = {"states.", "history."};
    static const char tail[] = "partial.vtkhdf";
    for (int k = 0; k < 2; k++) {
        const char *at = name + strlen(stems[k]);
        if (strncmp(name, stems[k], strlen(stems[k]))) continue;
        if (!strcmp(at, tail)) return true; /* from versions that had only one name */
        for (int part = 0; part < 2; part++) {
            const char *digits = at;
            while (isdigit((unsigned char)*at)) at++;
            if (at == digits || *at++ != (part ? '.' : '-')) return false;
        }
        return !strcmp(at, tail);
    }
    return false;
}

/* Returns whether this is the name of a file of states on disk, which has one only for a moment (disk_states.c). */
static bool is_of_states(const char *name)
{
    static const char stem[] = "states-on-disk.h5.";
    const size_t n = sizeof stem - 1;
    return !strncmp(name, stem, n) && strlen(name) == n + 6 &&
           strspn(name + n, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == 6;
}

/* Returns a directory stream with a descriptor of its own, which the caller closes. */
static DIR *stream_of(int folder)
{
    const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own >= 0 ? fdopendir(own) : NULL;
    if (own >= 0 && !stream) close(own);
    return stream;
}

int pio_folder_clean(const pio_folder *f, const char *old)
{
    unlinkat(f->folder, old, 0);
    int removed = pio_new_file_leftovers(f->folder);
    DIR *stream = stream_of(f->folder);
    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry; entry = readdir(stream))
        if (is_partial(entry->d_name) || is_of_states(entry->d_name)) removed += !unlinkat(f->folder, entry->d_name, 0);
    if (stream) closedir(stream);
    return removed;
}

char **pio_folder_partials(const char *directory, size_t *n)
{
    enum { MOST = 8 };
    char **names = calloc(1, MOST * (sizeof *names + NAME_MAX + 1));
    DIR *stream = names ? opendir(directory) : NULL;
    *n = 0;
    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry && *n < MOST; entry = readdir(stream)) {
        if (!is_partial(entry->d_name)) continue;
        names[*n] = (char *)(names + MOST) + *n * (NAME_MAX + 1);
        strcpy(names[(*n)++], entry->d_name);
    }
    if (stream) closedir(stream);
    return names;
}
