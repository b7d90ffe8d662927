/* team.c -- see team.h. */
#include "host/study/team.h"

#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/study/ranks.h"
#include "solvers/engine/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 100 };
static const double AGAIN = 1; /* s between two requests to stop */

/* What goes before the bytes of a request or an answer. */
typedef struct {
    uint64_t member, size; /* of an answer its member; bytes that follow */
} header;

/* A process. */
typedef struct {
    pid_t pid;    /* 0: none */
    int socket;   /* to it and from it */
    size_t owes;  /* answers that it has not sent yet */
    header begun; /* of the answer that it sends */
    size_t got;   /* bytes of that answer, with its header */
} process;

struct pio_team {
    const pio_team_work *work;
    process *processes;  /* [jobs] */
    struct pollfd *wait; /* [jobs] */
    int jobs;
    bool broken; /* a process has ended */
};

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static bool send_all(int to, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = send(to, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool receive_all(int from, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = recv(from, (char *)bytes + done, size - done, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool send_blob(int to, size_t member, const pio_blob *b)
{
    const header h = {.member = member, .size = b->size};
    return send_all(to, &h, sizeof h) && send_all(to, b->data, b->size);
}

/* ---- the child ------------------------------------------------------------------------------------------- */

/* Answers requests until the program has no more. Standard output is the program's alone. */
static _Noreturn void be_child(const pio_team_work *work, size_t number, size_t jobs, int socket, pid_t parent)
{
    pio_blob request = {0}, answer = {0};
    header h;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(PIOLA_INTERRUPTED);
    if (socket > STDERR_FILENO + 1) (void)close_range(STDERR_FILENO + 1, (unsigned)socket - 1, 0);
    (void)close_range((unsigned)socket + 1, ~0u, 0);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) (void)dup2(nothing, STDOUT_FILENO);
    if (nothing > STDERR_FILENO) (void)close(nothing);
    while (receive_all(socket, &h, sizeof h)) {
        if (!pio_blob_resize(&request, (size_t)h.size)) _exit(PIOLA_NO_MEMORY);
        if (!receive_all(socket, request.data, request.size)) break;
        for (size_t member = number; member < work->n; member += jobs) {
            request.at = 0;
            pio_blob_clear(&answer);
            work->work(work->context, member, &request, &answer);
            if (answer.failed) _exit(PIOLA_NO_MEMORY);
            if (!send_blob(socket, member, &answer)) _exit(PIOLA_OK);
        }
    }
    if (work->end) work->end(work->context);
    _exit(PIOLA_OK);
}

/* ---- the program ----------------------------------------------------------------------------------------- */

static bool start(pio_team *t, int number)
{
    int fds[2];
    const pid_t parent = getpid();
    fflush(NULL); /* or the child would write it again */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return false;
    const pid_t pid = fork();
    if (pid == 0) be_child(t->work, (size_t)number, (size_t)t->jobs, fds[1], parent);
    (void)close(fds[1]);
    if (pid < 0) {
        (void)close(fds[0]);
        return false;
    }
    t->processes[number] = (process){.pid = pid, .socket = fds[0]};
    return true;
}

piola_status pio_team_start(pio_team **out, const pio_team_work *work, int jobs, piola_error *error)
{
    pio_team *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return pio_fail_memory(error, sizeof *t, "the processes of a study");
    t->work = work;
    *out = t;
    if (work->ranks) return PIOLA_OK;
    *out = NULL;
    t->jobs = jobs;
    t->processes = calloc((size_t)jobs, sizeof *t->processes);
    t->wait = calloc((size_t)jobs, sizeof *t->wait);
    bool started = t->processes && t->wait;
    for (int j = 0; started && j < jobs; j++) started = start(t, j);
    if (!started) {
        const int why = errno;
        pio_team_end(t);
        return pio_fail(error, PIOLA_NO_MEMORY, "no process can be started: %s", strerror(why));
    }
    *out = t;
    return PIOLA_OK;
}

/* Names the members of a process, cut to fit. */
static void list_members(const pio_team *t, size_t number, char *out, size_t size)
{
    size_t used = 0;
    for (size_t m = number; m < t->work->n && used < size; m += (size_t)t->jobs) {
        const int n = snprintf(out + used, size - used, "%s%s", used ? ", " : "", t->work->name(t->work->context, m));
        used += n > 0 ? (size_t)n : 0;
    }
}

/* Says how a process ended that owed answers. Those that were killed can go on another time. */
static piola_status explain(pio_team *t, int number, piola_error *error)
{
    process *p = &t->processes[number];
    char members[600] = "", how[200] = "";
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) continue;
    (void)close(p->socket);
    p->pid = 0;
    t->broken = true;
    list_members(t, (size_t)number, members, sizeof members);
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool crashed = by == SIGSEGV || by == SIGBUS || by == SIGFPE || by == SIGILL || by == SIGABRT;
    if (by)
        snprintf(how, sizeof how, "was ended by signal %d (%s)%s", by, strsignal(by),
                 by == SIGKILL ? ", as a system without memory does" : "");
    else
        snprintf(how, sizeof how, "ended with exit code %d", WEXITSTATUS(status));
    return pio_fail(error, by && !crashed ? PIOLA_INTERRUPTED : PIOLA_INTERNAL,
                    "process %d of %d, of the experiments %s, %s", number + 1, t->jobs, members, how);
}

/* Receives what a process has sent so far. Returns false if it has ended, or there is no memory. */
static bool receive(process *p, pio_blob *answers, size_t n)
{
    for (;;) {
        const bool head = p->got < sizeof p->begun;
        pio_blob *to = head ? NULL : &answers[p->begun.member];
        char *at = head ? (char *)&p->begun + p->got : to->data + (p->got - sizeof p->begun);
        const size_t rest = head ? sizeof p->begun - p->got : sizeof p->begun + to->size - p->got;
        const ssize_t got = recv(p->socket, at, rest, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        if (got <= 0) return false;
        p->got += (size_t)got;
        if (head && p->got == sizeof p->begun &&
            (p->begun.member >= n || !pio_blob_resize(&answers[p->begun.member], (size_t)p->begun.size)))
            return false;
        if (p->got < sizeof p->begun + (p->got < sizeof p->begun ? 0 : p->begun.size)) continue;
        p->got = 0;
        if (--p->owes == 0) return true;
    }
}

/* Requests those that are at work to stop. */
static void request_stop(const pio_team *t, double *again)
{
    if (!pio_interrupted() || pio_clock() < *again) return;
    for (int j = 0; j < t->jobs; j++)
        if (t->processes[j].owes) (void)kill(t->processes[j].pid, SIGTERM);
    *again = pio_clock() + AGAIN;
}

static size_t owed(const pio_team *t)
{
    size_t n = 0;
    for (int j = 0; j < t->jobs; j++) n += t->processes[j].owes;
    return n;
}

/* Waits a moment, and receives what has come. */
static piola_status attend(pio_team *t, pio_blob *answers, piola_error *error)
{
    nfds_t n = 0;
    for (int j = 0; j < t->jobs; j++)
        if (t->processes[j].owes) t->wait[n++] = (struct pollfd){.fd = t->processes[j].socket, .events = POLLIN};
    (void)poll(t->wait, n, POLL_MS);
    for (int j = 0; j < t->jobs; j++)
        if (t->processes[j].owes && !receive(&t->processes[j], answers, t->work->n)) return explain(t, j, error);
    return PIOLA_OK;
}

piola_status pio_team_request(pio_team *t, const pio_blob *request, pio_blob *answers, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    double again = 0;
    if (t->work->ranks) return pio_ranks_request(t->work->ranks, t->work, request, answers, error);
    if (request->failed) return pio_fail_memory(error, request->size, "a request to the experiments");
    if (t->broken) return pio_fail(error, PIOLA_INTERNAL, "a process of the study has ended before");
    for (size_t m = 0; m < t->work->n; m++) pio_blob_clear(&answers[m]);
    for (int j = 0; j < t->jobs && !rc; j++) {
        t->processes[j].owes = (t->work->n - (size_t)j + (size_t)t->jobs - 1) / (size_t)t->jobs;
        if (!send_blob(t->processes[j].socket, 0, request)) rc = explain(t, j, error);
    }
    while (!rc && owed(t)) {
        request_stop(t, &again);
        rc = attend(t, answers, error);
        if (!rc && t->work->progress) t->work->progress(t->work->context, t->work->n - owed(t));
    }
    return rc;
}

void pio_team_end(pio_team *t)
{
    if (!t) return;
    for (int j = 0; j < t->jobs && t->processes; j++) {
        process *p = &t->processes[j];
        if (!p->pid) continue;
        (void)close(p->socket);
        if (t->broken) (void)kill(p->pid, SIGKILL); /* it may be in the middle of its work */
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    free(t->processes);
    free(t->wait);
    free(t);
}
