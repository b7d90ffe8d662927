/* guarded.c -- see guarded.h. */
#include "host/base/guarded.h"

#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/base/signals.h"
#include "piola.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, SLOWEST = 4000000 }; /* size of a pipe, where the system allows it; bytes per second */

struct pio_guarded {
    const char *path;
    pid_t child;
    int to, from; /* requests, answers */
    bool over;    /* it failed and has been ended */
};

struct pio_guard {
    int from, to; /* requests, answers */
};

typedef struct {
    int64_t status, bytes; /* bytes: size of the error if the status is not 0 */
} heading;

/* ---- the child ------------------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* these reserve more than any limit */
static void limit_memory(int64_t bytes)
{
    (void)bytes;
}
#else
/* Returns the program's private memory in bytes, or 0 if the system does not report it. */
static rlim_t memory_now(void)
{
    long pages[6] = {0};
    FILE *file = fopen("/proc/self/statm", "re");
    int n = 0;
    while (file && n < 6 && fscanf(file, "%ld", &pages[n]) == 1) n++;
    if (file) fclose(file);
    return n == 6 ? (rlim_t)pages[5] * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

static void limit_memory(int64_t bytes)
{
    const rlim_t now = memory_now();
    struct rlimit limit;
    if (!now || getrlimit(RLIMIT_DATA, &limit) != 0) return;
    const rlim_t most = now + (rlim_t)bytes + ((rlim_t)1 << 30);
    if (limit.rlim_cur == RLIM_INFINITY || most < limit.rlim_cur) limit.rlim_cur = most;
    (void)setrlimit(RLIMIT_DATA, &limit);
}
#endif

/* A library that crashes because memory was refused says nothing about the file, so it is reported as such. Otherwise
 * the default action of the signal follows. */
static void on_crash(int number)
{
    if (piola_refused_bytes()) _exit(PIOLA_NO_MEMORY);
    (void)raise(number);
}

static void set_up_child(pid_t parent)
{
    enum { CRASHES = 5 };
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, /* the crashes */ SIGXCPU, SIGALRM, SIGCHLD};
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    const struct rlimit none = {0, 0};
    struct sigaction crash = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (i < CRASHES)
            (void)sigaction(fatal[i], &crash, NULL);
        else
            (void)signal(fatal[i], SIG_DFL);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) (void)signal(ours[i], SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    (void)setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) /* it reports crashes itself */
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        (void)dup2(nothing, STDOUT_FILENO);
        (void)dup2(nothing, STDERR_FILENO);
    }
#endif
}

/* Closes all files of the program except the two pipes: a lock that the child inherits would outlive the program. */
static void close_other_files(const pio_guard *guard)
{
    const int low = guard->from < guard->to ? guard->from : guard->to;
    const int high = guard->from < guard->to ? guard->to : guard->from;
    if (low > STDERR_FILENO + 1) (void)close_range(STDERR_FILENO + 1, (unsigned)low - 1, 0);
    if (high > low + 1) (void)close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    (void)close_range((unsigned)high + 1, ~0u, 0);
}

static bool receive(int fd, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = read(fd, (char *)data + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool send_bytes(int fd, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = write(fd, (const char *)data + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

bool pio_guard_request(pio_guard *guard, void *request, size_t size)
{
    return receive(guard->from, request, size);
}

void pio_guard_answer(pio_guard *guard, piola_status status, const piola_error *error, const void *data, size_t bytes)
{
    const heading h = {status, status ? (int64_t)sizeof *error : (int64_t)bytes};
    if (!send_bytes(guard->to, &h, sizeof h) ||
        !send_bytes(guard->to, status ? (const void *)error : data, (size_t)h.bytes))
        _exit(0);
}

/* ---- the program ---------------------------------------------------------------------------------------- */

static void close_pair(const int fds[2])
{
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0) (void)close(fds[i]);
}

static piola_status no_process(const char *path, int why, piola_error *error)
{
    return pio_fail(error, PIOLA_NO_MEMORY, "%.1000s: no process can be started to read it: %s", path, strerror(why));
}

piola_status pio_guarded_start(pio_guarded **out, const char *path, int64_t bytes, pio_guarded_work *work,
                               void *context, piola_error *error)
{
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    const pid_t parent = getpid();
    *out = NULL;
    pio_guarded *g = malloc(sizeof *g);
    if (!g) return pio_fail_memory(error, sizeof *g, "a process that reads");
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0 || (g->child = fork()) < 0) {
        const int why = errno;
        close_pair(down);
        close_pair(up);
        free(g);
        return no_process(path, why, error);
    }
    if (g->child == 0) {
        pio_guard guard = {down[0], up[1]};
        set_up_child(parent);
        close_other_files(&guard);
        limit_memory(bytes);
        work(&guard, context);
        _exit(0);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    (void)fcntl(up[0], F_SETPIPE_SZ, PIPE_BYTES);
    g->path = path;
    g->to = down[1];
    g->from = up[0];
    g->over = false;
    *out = g;
    return PIOLA_OK;
}

/* Ends the child and returns how it ended, or -1 if that is unknown. */
static int end(pio_guarded *g)
{
    int status = -1;
    (void)kill(g->child, SIGKILL);
    while (waitpid(g->child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    g->over = true;
    return status;
}

void pio_guarded_end(pio_guarded *g)
{
    if (!g) return;
    if (!g->over) (void)end(g);
    (void)close(g->to);
    (void)close(g->from);
    free(g);
}

/* Reports a child that stopped answering: how it ended says why. It is given a moment to end by itself. */
static piola_status crashed(pio_guarded *g, piola_error *error)
{
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < 1000 && !(ended = waitpid(g->child, &status, WNOHANG)); i++) (void)usleep(1000);
    g->over = ended > 0;
    if (!g->over) {
        (void)end(g);
        return pio_fail(error, PIOLA_IO, "%.1000s: the process that reads it could not be reached any more", g->path);
    }
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == PIOLA_NO_MEMORY)
        return pio_fail(error, PIOLA_NO_MEMORY,
                        "%.1000s: no memory for the HDF5 library: the process that read it was refused some, and ended",
                        g->path);
    if (by == SIGKILL)
        return pio_fail(error, PIOLA_NO_MEMORY,
                        "%.1000s: the process that read it was killed (signal 9), as a system without memory does",
                        g->path);
    if (by)
        return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: damaged: the HDF5 library crashed on it (signal %d, %s)",
                        g->path, by, strsignal(by));
    return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: damaged: the HDF5 library gave up on it (exit code %d)", g->path,
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static piola_status stopped(pio_guarded *g, piola_error *error)
{
    const char *why = pio_interruption();
    (void)end(g);
    return pio_fail(error, PIOLA_INTERRUPTED, "%.1000s: interrupted by %s while it was read", g->path,
                    why ? why : "a signal");
}

/* Receives until `deadline`, and polls twice per second whether the program is to stop. */
static piola_status receive_until(pio_guarded *g, void *out, size_t bytes, double deadline, piola_error *error)
{
    for (size_t done = 0; done < bytes;) {
        struct pollfd wait = {.fd = g->from, .events = POLLIN};
        const double left = deadline - pio_clock();
        if (pio_interrupted()) return stopped(g, error);
        const int ready = left > 0 ? poll(&wait, 1, left < 0.5 ? (int)(1000 * left) + 1 : 500) : 0;
        if (left > 0 && (ready == 0 || (ready < 0 && errno == EINTR))) continue;
        if (ready <= 0) {
            (void)end(g);
            return pio_fail(error, PIOLA_BAD_DATA,
                            "%.1000s: damaged: the HDF5 library did not come to an end with it in %d s", g->path,
                            PIO_GUARDED_SECONDS);
        }
        const ssize_t n = read(g->from, (char *)out + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return crashed(g, error);
        done += (size_t)n;
    }
    return PIOLA_OK;
}

static double deadline_for(size_t bytes)
{
    return pio_clock() + PIO_GUARDED_SECONDS + (double)bytes / SLOWEST;
}

/* Sends with SIGPIPE blocked: writing to a dead child must not end the program. */
static bool send_quietly(int fd, const void *data, size_t bytes)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    (void)sigaction(SIGPIPE, &ignore, &before);
    const bool sent = send_bytes(fd, data, bytes);
    (void)sigaction(SIGPIPE, &before, NULL);
    return sent;
}

piola_status pio_guarded_call(pio_guarded *g, const void *request, size_t size, size_t expected, size_t *bytes,
                              piola_error *error)
{
    heading h;
    piola_error answered;
    *bytes = 0;
    if (g->over)
        return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: damaged: the process that read it has ended", g->path);
    if (!send_quietly(g->to, request, size)) return crashed(g, error);
    piola_status rc = receive_until(g, &h, sizeof h, deadline_for(expected), error);
    if (rc) return rc;
    const bool sane = h.bytes >= 0 && (!h.status || h.bytes == (int64_t)sizeof answered);
    if (sane && h.status) rc = receive_until(g, &answered, sizeof answered, deadline_for(0), error);
    if (rc) return rc;
    if (!sane || (h.status && answered.status != (piola_status)h.status)) {
        (void)end(g);
        return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: damaged: the process that read it sent an impossible answer",
                        g->path);
    }
    *bytes = h.status ? 0 : (size_t)h.bytes;
    if (!h.status) return PIOLA_OK;
    answered.message[sizeof answered.message - 1] = '\0';
    if (error) *error = answered;
    return answered.status;
}

piola_status pio_guarded_take(pio_guarded *g, void *out, size_t bytes, piola_error *error)
{
    return receive_until(g, out, bytes, deadline_for(bytes), error);
}

piola_status pio_guarded_read(pio_guarded *g, const void *request, size_t size, void *out, size_t bytes,
                              piola_error *error)
{
    size_t got = 0;
    const piola_status rc = pio_guarded_call(g, request, size, bytes, &got, error);
    if (rc) return rc;
    if (got == bytes) return pio_guarded_take(g, out, bytes, error);
    (void)end(g);
    return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: damaged: %zu bytes of it were read where %zu belong", g->path, got,
                    bytes);
}
