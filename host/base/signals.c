/* signals.c -- the flag, the deadline and the handlers. */
#include "host/base/signals.h"

#include "solvers/engine/clock.h"
#include "host/base/fail.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { N_SIGNALS = 6 };
static const int signals[N_SIGNALS] = {SIGINT, SIGTERM, SIGXCPU, SIGUSR1, SIGHUP, SIGQUIT};
static const char *const words[N_SIGNALS] = {"SIGINT (Ctrl-C)",
                                             "SIGTERM",
                                             "SIGXCPU (CPU time limit)",
                                             "SIGUSR1 (a batch system warns)",
                                             "SIGHUP (the terminal is gone)",
                                             "SIGQUIT"};

static volatile sig_atomic_t caught; /* 0, or the first signal that was received */
static struct sigaction before[N_SIGNALS];
static struct sigaction before_file_limit;
static bool installed;
static double limit = HUGE_VAL;         /* s, as requested */
static double deadline = HUGE_VAL;      /* s on the steady clock */
static _Thread_local double step_began; /* s, likewise */
static _Thread_local pio_call *present; /* what stops the call that this thread has begun; or NULL */

static void on_signal(int number)
{
    if (!caught) caught = number;
}

/* A file that grows beyond RLIMIT_FSIZE then makes its write fail, which is reported. */
void pio_file_limit_begin(void)
{
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &before_file_limit);
}

void pio_file_limit_end(void)
{
    sigaction(SIGXFSZ, &before_file_limit, NULL);
}

void pio_signals_restore(void)
{
    for (int i = 0; i < N_SIGNALS && installed; i++) sigaction(signals[i], &before[i], NULL);
    if (installed) pio_file_limit_end();
    installed = false;
    caught = 0;
    limit = deadline = HUGE_VAL;
}

piola_status pio_signals_install(piola_error *error)
{
    pio_signals_restore();
    caught = 0;
    limit = deadline = HUGE_VAL;
    for (int i = 0; i < N_SIGNALS; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        if (signals[i] == SIGINT || signals[i] == SIGQUIT)
            action.sa_flags |= (int)SA_RESETHAND; /* the second signal has the default action, which ends the program */
        sigemptyset(&action.sa_mask);
        int wrong = sigaction(signals[i], NULL, &before[i]);
        if (wrong == 0 && before[i].sa_handler != SIG_IGN) wrong = sigaction(signals[i], &action, NULL);
        if (wrong == 0) continue;
        const piola_status rc = pio_fail(error, PIOLA_INTERNAL, "cannot handle %s: %s", words[i], strerror(errno));
        while (--i >= 0) sigaction(signals[i], &before[i], NULL);
        return rc;
    }
    pio_file_limit_begin();
    installed = true;
    return PIOLA_OK;
}

void pio_signals_deadline(double seconds)
{
    limit = seconds > 0 ? seconds : HUGE_VAL;
    deadline = pio_clock() + limit;
}

/* ---- one call of one thread ---------------------------------------------------------------------------------- */

void pio_call_begin(pio_call *of, double seconds)
{
    of->limit = seconds > 0 ? seconds : HUGE_VAL;
    of->deadline = pio_clock() + of->limit;
    if (of->number >= SIG_ATOMIC_MAX) of->number = of->ended = 0;
    of->number = of->number + 1;
    present = of;
}

void pio_call_end(void)
{
    present = NULL;
}

void pio_call_stop(pio_call *of)
{
    of->ended = of->number;
}

/* ---- whether to stop ----------------------------------------------------------------------------------------- */

static bool is_over(double time)
{
    return time < HUGE_VAL && pio_clock() >= time;
}

/* Returns whether the end of this thread's call was requested. */
static bool call_is_to_end(void)
{
    return present && present->ended == present->number;
}

bool pio_interrupted(void)
{
    return caught != 0 || is_over(deadline) || call_is_to_end() || (present && is_over(present->deadline));
}

const char *pio_interruption(void)
{
    static _Thread_local char text[64];
    for (int i = 0; i < N_SIGNALS; i++) {
        if (caught == signals[i]) return words[i];
    }
    if (!pio_interrupted()) return NULL;
    if (call_is_to_end()) return "piola_interrupt";
    snprintf(text, sizeof text, "the time limit of %g s", is_over(deadline) ? limit : present->limit);
    return text;
}

void pio_step_begins(void)
{
    step_began = pio_clock();
}

const char *pio_slow_step_interruption(void)
{
    const char *why = pio_interruption();
    return why && pio_clock() - step_began > 1 ? why : NULL;
}
