/* log.h -- messages and progress of a run: text for people, and one JSON object per line for programs.
 *
 * Text goes to `human` (stderr). On a terminal, errors and warnings are coloured unless NO_COLOR is set, and progress
 * is one line that is rewritten. Elsewhere there are neither escape codes nor carriage returns, and progress is a line
 * every 10 s. The JSON file is appended to, so that a resumed run continues it, and gets everything whatever `level`
 * is:
 * {"time": "2025-01-31T12:00:00.000Z", "level": "info", "message": "..."}
 * Progress has level "progress" and the fields stage, done, total, unit, seconds.
 *
 * A log is for one thread at a time. If the JSON file cannot be written, the run goes on and pio_log_close() reports
 * it. If the text cannot be written, for instance because the terminal was closed, that is not a failure. */
#ifndef PIOLA_HOST_LOG_H
#define PIOLA_HOST_LOG_H

#include "piola_status.h"

#include <stdio.h>

typedef enum { PIO_ERROR, PIO_WARNING, PIO_INFO, PIO_DETAIL } pio_log_level;

typedef struct pio_log pio_log;

typedef struct pio_log_options {
    FILE *human;             /* stream of the text; NULL: stderr; it is not closed */
    pio_log_level level;     /* least important level of the text; below PIO_INFO there is no progress either */
    const char *json_path;   /* file of JSON lines; NULL: none */
    const char *subject;     /* what every message is about, which it begins with; NULL: nothing. It outlives the log */
    double (*clock)(void *); /* steady clock in s; NULL: the system's */
    void *clock_context;     /* argument of `clock` */
} pio_log_options;

/* Returns the level for -q (once: warnings, twice: errors only) and -v: PIO_INFO - quiet + verbose, within the range of
 * levels. */
pio_log_level pio_log_level_from(int quiet, int verbose);

/* Creates a log. Returns PIOLA_CANNOT_CREATE if the JSON file cannot be opened, or if a file of that name is neither
 * empty nor such a log. */
piola_status pio_log_create(pio_log **out, const pio_log_options *options, piola_error *error);
/* Returns PIOLA_IO if something could not be written to the JSON file so far. */
piola_status pio_log_failed(const pio_log *log, piola_error *error);
/* Closes and frees *log, which becomes NULL and may be NULL. Returns PIOLA_IO if something could not be written to the
 * JSON file. */
piola_status pio_log_close(pio_log **log, piola_error *error);

/* Writes a message. Control characters in it (a name from a file may have some) are shown as '?'. `log` may be NULL. */
void pio_log_message(pio_log *log, pio_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reports that `done` of `total` (0: unknown) units of a stage are done, such as "forward", 1040, 2000, "steps". It is
 * cheap, as it draws at most ten times per second. A new stage ends the one before. */
void pio_log_progress(pio_log *log, const char *stage, int64_t done, int64_t total, const char *unit);
/* From now on stages come again and again, such as the sweeps of an optimisation: they leave no last line, and the 10 s
 * between two lines count on from stage to stage. */
void pio_log_progress_recurs(pio_log *log);
/* Ends the stage; its last line remains, unless stages recur. */
void pio_log_progress_end(pio_log *log);

#endif
