/* signals.h -- whether the program is to stop, because of a signal or because its time is up; every long loop polls it.
 *
 * SIGINT, SIGTERM, SIGXCPU, SIGUSR1, SIGHUP and SIGQUIT set a flag; the loop that polls pio_interrupted() writes its
 * checkpoint and returns PIOLA_INTERRUPTED. A second SIGINT or SIGQUIT kills. A signal that was ignored when the
 * program started (SIGINT of a shell's background job, SIGHUP under nohup) stays ignored. System calls are restarted
 * after a signal (SA_RESTART), so that files are not torn, and SIGXFSZ is ignored, so that reaching the limit of a
 * file's size is an error and does not end the program. */
#ifndef PIOLA_HOST_SIGNALS_H
#define PIOLA_HOST_SIGNALS_H

#include "piola_status.h"

#include <signal.h>

/* Installs the handlers and clears earlier signals and deadlines. Returns PIOLA_INTERNAL if the system does not permit
 * a handler; then nothing is installed. */
piola_status pio_signals_install(piola_error *error);
/* Restores the previous handlers; does nothing if none are installed. */
void pio_signals_restore(void);

/* Ignores SIGXFSZ alone, for commands that do not poll whether to stop. */
void pio_file_limit_begin(void);
/* Restores the previous handler of SIGXFSZ. */
void pio_file_limit_end(void);

/* Requests a stop `seconds` of wall time from now (steady clock); 0 or less, or infinite: no limit. */
void pio_signals_deadline(double seconds);

/* What stops one call of a library function: a request, or its own time limit. All zero at first. Calls are numbered,
 * so that a request that comes when none runs is one for a call that has ended. */
typedef struct {
    volatile sig_atomic_t number; /* of the call that runs, or of the last one */
    volatile sig_atomic_t ended;  /* number of the call that is to end, or of an earlier one */
    double limit;                 /* s, as requested */
    double deadline;              /* s on the steady clock */
} pio_call;

/* Begins a call on this thread, with a time limit of `seconds`; 0 or less, or infinite: none. Until pio_call_end() the
 * functions below heed `of` on this thread, beside what the whole program heeds. */
void pio_call_begin(pio_call *of, double seconds);
/* Ends the call that this thread has begun. */
void pio_call_end(void);
/* Requests the end of the call that runs; does nothing if none runs. Any thread and signal handlers may call it. */
void pio_call_stop(pio_call *of);

/* Returns whether the program, or this thread's call, is to stop. It is cheap (a flag, and a clock where there is a
 * deadline), and any thread may call it. */
bool pio_interrupted(void);
/* Returns the reason as words for a message: "SIGINT (Ctrl-C)", "the time limit of 60 s", ...; NULL if the program is
 * not to stop. Valid until the next call on this thread. */
const char *pio_interruption(void);

/* Marks the start of a step of a run that polls between its steps, where it can end without loss. */
void pio_step_begins(void);
/* Returns what pio_interruption() does, but NULL for the first second after a step began. For loops within steps. */
const char *pio_slow_step_interruption(void);

#endif
