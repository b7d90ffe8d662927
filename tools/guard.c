/* guard.c -- see guard.h. */
#include "tools/guard.h"

#include "piola.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t over; /* main has chosen an exit code */

/* Writes text without allocating and without stdio, whose locks may be held. */
static void put(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t n = write(STDERR_FILENO, text, left);
        if (n <= 0) return;
        text += n;
        left -= (size_t)n;
    }
}

static char *decimal(size_t value, char text[24])
{
    char *at = text + 23;
    *at = '\0';
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    return at;
}

static _Noreturn void end(const char *what)
{
    char text[24];
    piola_disown_result();
    put("piola: error: no memory: ");
    put(decimal(piola_refused_bytes(), text));
    put(" bytes were refused, and ");
    put(what);
    put("\n");
    _exit(PIOLA_NO_MEMORY);
}

/* Runs when a library has called exit(). */
static void on_exit_of_a_library(void)
{
    if (over) return;
    if (piola_refused_bytes()) end("a library ended the program");
    piola_disown_result();
    put("piola: error: a library ended the program; its message is above\n");
    _exit(PIOLA_INTERNAL);
}

#ifdef __SANITIZE_ADDRESS__ /* it reports crashes itself */
static void watch_crashes(void) {}
#else
/* If no memory was refused, the default action of the signal follows: the faulting instruction is executed again,
 * abort() continues. */
static void on_crash(int number)
{
    if (piola_refused_bytes())
        end(number == SIGABRT ? "a library gave up" : "a library went on without it and crashed");
}

static void watch_crashes(void)
{
    static char stack[1 << 16];
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    action.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&own, NULL)) action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}
#endif

void tool_guard_begin(void)
{
    watch_crashes();
    atexit(on_exit_of_a_library);
}

void tool_guard_end(void)
{
    over = 1;
}
