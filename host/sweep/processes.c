/* processes.c -- see processes.h. */
#include "host/sweep/processes.h"

#include "host/base/fail.h"
#include "host/base/signals.h"
#include "solvers/engine/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 100 };
static const double AGAIN = 1; /* s between two requests to stop: one that comes before the handlers is lost */

/* What a child sends. */
typedef struct {
    int64_t status;
    piola_error error;
    char answer[PIO_PROCESS_ANSWER];
} message;

/* A child that runs. */
typedef struct {
    pid_t pid; /* 0: none */
    int from;  /* its message */
    int64_t item;
    double began; /* s, by the steady clock */
    size_t got;   /* bytes of the message so far */
    message said;
} slot;

/* ---- the child ------------------------------------------------------------------------------------------- */

static void send_message(int to, const message *m)
{
    for (size_t done = 0; done < sizeof *m;) {
        const ssize_t n = write(to, (const char *)m + done, sizeof *m - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        done += (size_t)n;
    }
}

/* Does the item and ends. Standard output is the program's alone. */
static _Noreturn void be_child(const pio_processes *p, int64_t item, int to, pid_t parent)
{
    static message m;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(PIOLA_INTERRUPTED);
    (void)signal(SIGPIPE, SIG_IGN);
    if (to > STDERR_FILENO + 1) (void)close_range(STDERR_FILENO + 1, (unsigned)to - 1, 0);
    (void)close_range((unsigned)to + 1, ~0u, 0);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) (void)dup2(nothing, STDOUT_FILENO);
    if (nothing > STDERR_FILENO) (void)close(nothing);
    m.status = p->work(p->context, item, m.answer, &m.error);
    send_message(to, &m);
    _exit((int)m.status);
}

/* ---- the program ----------------------------------------------------------------------------------------- */

/* Starts an item. Returns false if the system permits no further process. */
static bool start(const pio_processes *p, slot *s, int64_t item)
{
    int fds[2];
    const pid_t parent = getpid();
    fflush(NULL); /* or the child would write it again */
    if (pipe2(fds, O_CLOEXEC) != 0) return false;
    const pid_t pid = fork();
    if (pid == 0) be_child(p, item, fds[1], parent);
    (void)close(fds[1]);
    if (pid < 0) {
        (void)close(fds[0]);
        return false;
    }
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
    memset(s, 0, sizeof *s);
    s->pid = pid;
    s->from = fds[0];
    s->item = item;
    s->began = pio_clock();
    return true;
}

/* Says how a process ended that gave no message. */
static void explain(int status, pio_process_end *end)
{
    if (WIFSIGNALED(status)) {
        const int by = WTERMSIG(status);
        end->exit = 128 + by;
        pio_fail(&end->error, PIOLA_INTERNAL, "its process was ended by signal %d (%s)%s", by, strsignal(by),
                 by == SIGKILL ? ", as a system without memory does" : "");
        return;
    }
    end->exit = WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : PIOLA_INTERNAL;
    pio_fail(&end->error, PIOLA_INTERNAL, "its process ended with exit code %d and gave no result", end->exit);
}

/* Receives what a child has sent so far. Returns whether it sends no more. */
static bool receive(slot *s)
{
    for (;;) {
        char rest[64];
        const size_t room = sizeof s->said - s->got;
        char *to = room ? (char *)&s->said + s->got : rest;
        const ssize_t n = read(s->from, to, room ? room : sizeof rest);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
        if (n == 0) return true;
        if (room) s->got += (size_t)n;
    }
}

/* Waits for a child that sends no more, and reports its end unless it was stopped with the program. Returns whether it
 * was reported. */
static bool reap(const pio_processes *p, slot *s)
{
    static pio_process_end end;
    int status = 0;
    memset(&end, 0, sizeof end);
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR) continue;
    (void)close(s->from);
    s->pid = 0;
    end.seconds = pio_clock() - s->began;
    if (s->got == sizeof s->said) {
        end.exit = (int)s->said.status;
        end.error = s->said.error;
        end.error.message[sizeof end.error.message - 1] = '\0';
        memcpy(end.answer, s->said.answer, sizeof end.answer);
    } else {
        explain(status, &end);
    }
    const bool stopped = end.exit == PIOLA_INTERRUPTED || end.exit == PIOLA_NO_PROGRESS || end.exit == 128 + SIGTERM ||
                         end.exit == 128 + SIGINT;
    if (stopped && pio_interrupted()) {
        if (p->stopped) p->stopped(p->context, s->item, end.exit);
        return false;
    }
    p->ended(p->context, s->item, &end);
    return true;
}

/* Waits a moment for any child, and reports those that ended. Returns the number of those that were stopped. */
static int64_t attend(const pio_processes *p, slot *slots, struct pollfd *wait)
{
    int64_t stopped = 0;
    int n = 0;
    for (int j = 0; j < p->jobs; j++)
        if (slots[j].pid) wait[n++] = (struct pollfd){.fd = slots[j].from, .events = POLLIN};
    if (n) (void)poll(wait, (nfds_t)n, POLL_MS);
    for (int j = 0; j < p->jobs; j++)
        if (slots[j].pid && receive(&slots[j])) stopped += !reap(p, &slots[j]);
    return stopped;
}

static void request_stop(const pio_processes *p, const slot *slots, double *again)
{
    if (pio_clock() < *again) return;
    for (int j = 0; j < p->jobs; j++)
        if (slots[j].pid) (void)kill(slots[j].pid, SIGTERM);
    *again = pio_clock() + AGAIN;
}

static int running(const pio_processes *p, const slot *slots)
{
    int n = 0;
    for (int j = 0; j < p->jobs; j++) n += slots[j].pid != 0;
    return n;
}

/* Starts items in free slots. Returns false if no process can be started and none runs. */
static bool fill(const pio_processes *p, slot *slots, int64_t *next)
{
    for (int j = 0; j < p->jobs && *next < p->n; j++) {
        if (slots[j].pid) continue;
        if (!start(p, &slots[j], p->items[*next])) return running(p, slots) > 0;
        ++*next;
    }
    return true;
}

piola_status pio_processes_run(const pio_processes *p, piola_error *error)
{
    slot *slots = calloc((size_t)p->jobs, sizeof *slots);
    struct pollfd *wait = calloc((size_t)p->jobs, sizeof *wait);
    int64_t next = 0, stopped = 0;
    double again = 0;
    bool started = slots && wait;
    while (started && (next < p->n || running(p, slots))) {
        if (pio_interrupted()) {
            if (!running(p, slots)) break;
            request_stop(p, slots, &again);
        } else {
            started = fill(p, slots, &next);
        }
        if (started) stopped += attend(p, slots, wait);
    }
    free(slots);
    free(wait);
    if (!started) return pio_fail(error, PIOLA_NO_MEMORY, "no process can be started: %s", strerror(errno));
    if (next == p->n && !stopped) return PIOLA_OK;
    return pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s with %lld of %lld members left; run again to go on",
                    pio_interruption(), (long long)(p->n - next + stopped), (long long)p->n);
}
