/* signals.h -- one question for every loop: should I stop now? By a signal, or because the time is up.
 *
 * SIGINT, SIGTERM, SIGXCPU, SIGHUP and SIGQUIT set a flag; the loop that polls pio_interrupted writes its checkpoint
 * and returns PIOLA_INTERRUPTED. A second SIGINT or SIGQUIT kills. One that was ignored when the program started
 * (SIGINT of a shell's background job, SIGHUP under nohup) stays ignored. System calls go on after a signal
 * (SA_RESTART), so that files are not torn; and SIGXFSZ is ignored, so that a file at its size limit is an error and
 * not a death. */
#ifndef PIOLA_HOST_SIGNALS_H
#define PIOLA_HOST_SIGNALS_H

#include "piola.h"

/* Install the handlers and forget earlier signals and deadlines. On failure nothing is installed. */
piola_status pio_signals_install(piola_error *error);
/* Put back the handlers that were there; nothing to do when none are installed. */
void pio_signals_restore(void);

/* Ignore SIGXFSZ alone, for commands that never ask whether to stop; and put back what was there. */
void pio_file_limit_begin(void);
void pio_file_limit_end(void);

/* Stop `seconds` of wall time from now (steady clock); 0 or less, or infinite: no limit. */
void pio_signals_deadline(double seconds);

/* Whether to stop. Cheap (a flag, and a clock where there is a deadline); may be called by any thread. */
bool pio_interrupted(void);
/* Why, as words for a message: "SIGINT (Ctrl-C)", "the time limit of 60 s", ...; NULL when not interrupted. Valid until
 * the next call. */
const char *pio_interruption(void);

/* For what is asked within the steps of a run that looks between them, and only there can end without loss: the same
 * words, but NULL for the first second after a step began. */
void pio_step_begins(void);
const char *pio_slow_step_interruption(void);

#endif
