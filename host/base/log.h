/* log.h -- what a run tells: messages and progress for people, and one JSON object per line for programs.
 *
 * People read `human` (stderr). On a terminal, errors and warnings are coloured unless NO_COLOR is set, and progress is
 * one line that is rewritten; elsewhere there is never an escape code or a carriage return, and progress is a line
 * every 10 s. The JSON file is appended to, so that a resumed run continues it, and gets everything whatever `level`
 * is:
 * {"time": "2025-01-31T12:00:00.000Z", "level": "info", "message": "...", fields ...}
 * Progress has level "progress" and the fields stage, done, total, unit, seconds.
 *
 * For one caller at a time. A JSON file that cannot be written does not stop a run: pio_log_close tells of it. That
 * people cannot be told any more, as on a terminal that was closed, is no failure. */
#ifndef PIOLA_HOST_LOG_H
#define PIOLA_HOST_LOG_H

#include "piola.h"

#include <stdio.h>

typedef enum { PIO_ERROR, PIO_WARNING, PIO_INFO, PIO_DETAIL } pio_log_level;

typedef struct pio_log pio_log;

typedef struct pio_log_options {
    FILE *human;             /* NULL: stderr; stays the caller's */
    pio_log_level level;     /* the least important that people see; below PIO_INFO there is no progress either */
    const char *json_path;   /* NULL: none */
    double (*clock)(void *); /* s, steady; NULL: the system's */
    void *clock_context;
} pio_log_options;

/* The level for -q (once: warnings, twice: errors only) and -v: PIO_INFO - quiet + verbose, within the range. */
pio_log_level pio_log_level_from(int quiet, int verbose);

/* PIOLA_CANNOT_CREATE for a JSON file that cannot be opened, or that is there, is not empty and is no such log. */
piola_status pio_log_create(pio_log **out, const pio_log_options *options, piola_error *error);
/* PIOLA_IO when something could not be written to the JSON file so far. */
piola_status pio_log_failed(const pio_log *log, piola_error *error);
/* Close and release; *log becomes NULL. PIOLA_IO when something could not be written to the JSON file. NULL inside is
 * allowed. */
piola_status pio_log_close(pio_log **log, piola_error *error);

typedef struct pio_log_field {
    const char *key; /* unlike "time", "level", "message" */
    enum { PIO_FIELD_TEXT, PIO_FIELD_DOUBLE, PIO_FIELD_INTEGER } type;
    const char *text;
    double number;
    int64_t integer;
} pio_log_field;

/* Tell. Control characters in the message (a name from a file may hold some) are shown as '?'. `log` may be NULL. */
void pio_log_message(pio_log *log, pio_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with fields, which only the JSON file shows. */
void pio_log_message_fields(pio_log *log, pio_log_level level, const pio_log_field *fields, size_t n,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));

/* `done` of `total` (0: not known) units of a stage are done: "forward", 1040, 2000, "steps". Cheap: draws at most ten
 * times a second. A new stage ends the one before. */
void pio_log_progress(pio_log *log, const char *stage, int64_t done, int64_t total, const char *unit);
/* The stage has ended: its last line stays. */
void pio_log_progress_end(pio_log *log);

#endif
