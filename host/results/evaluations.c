/* evaluations.c -- see evaluations.h. */
#include "host/results/evaluations.h"

#include "host/base/fail.h"
#include "host/results/identity.h"
#include "host/base/record.h"

#include <endian.h>
#include <stdlib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { EVALUATION = 1 }; /* type of the rows */
static const char kind[] = "EVAL";

struct pio_evaluations {
    char *path;         /* name of the file */
    pio_record *record; /* the file */
    pio_evaluation_size size;
    double *last;         /* [beside] numbers of the evaluation that was added last */
    size_t added;         /* its number; SIZE_MAX: none was added */
    size_t width;         /* number of doubles in a row */
    double *row;          /* [width] one row in the file's order of bytes */
    double *rows;         /* [listed][width] rows that the file held when it was opened */
    pio_evaluation *list; /* [listed] evaluations of those rows; z is NULL for a damaged one */
    /* How many evaluations the file held, how many of them are damaged, and the number of the first of those. */
    size_t listed, damaged, first_damaged;
    char differs[400]; /* in what the machine that made the file differs from this one, or "" */
};

void pio_evaluations_close(pio_evaluations *log)
{
    if (!log) return;
    pio_record_close(log->record);
    free(log->path);
    free(log->row);
    free(log->last);
    free(log->rows);
    free(log->list);
    free(log);
}

static pio_evaluations *new_log(const char *path, const pio_evaluation_size *size, piola_error *error)
{
    pio_evaluations *log = calloc(1, sizeof *log);
    const size_t width = 2 * size->n + 1 + size->m + size->m * size->n + size->beside;
    if (log) {
        log->size = *size;
        log->added = SIZE_MAX;
        log->last = calloc(size->beside + 1, sizeof *log->last);
        log->width = width;
        log->path = strdup(path);
        log->row = malloc(sizeof *log->row * width);
    }
    if (log && log->path && log->row && log->last) return log;
    pio_evaluations_close(log);
    pio_fail_memory(error, sizeof *log + sizeof(double) * width, "the evaluations");
    return NULL;
}

piola_status pio_evaluations_create(pio_evaluations **out, const char *path, const pio_evaluation_size *size,
                                    const char *identity, piola_error *error)
{
    pio_evaluations *log = new_log(path, size, error);
    *out = NULL;
    if (!log) return PIOLA_NO_MEMORY;
    const piola_status rc = pio_record_create(&log->record, path, kind, identity, error);
    if (rc)
        pio_evaluations_close(log);
    else
        *out = log;
    return rc;
}

/* Converts doubles between the file's order of bytes and this machine's, in either direction. */
static void reorder(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits = le64toh(bits);
        memcpy(values + i, &bits, sizeof bits);
    }
}

static pio_evaluation evaluation(const pio_evaluations *log, const double *row)
{
    const size_t n = log->size.n, m = log->size.m;
    const double *c = m ? row + 2 * n + 1 : NULL;
    return (pio_evaluation){row, row[n], row + n + 1, c, c ? c + m : NULL};
}

/* Returns the number of evaluations in the rows; 0 if a row has another size than this run's, or a number that cannot
 * be right. Each number below the largest had a row once, and no row but the last is ever removed. */
static size_t count_evaluations(const pio_evaluations *log, const pio_record_row *rows, size_t n_rows)
{
    const size_t bytes = sizeof(double) * log->width;
    const int64_t end = n_rows ? rows[n_rows - 1].at + (int64_t)bytes : 0;
    uint64_t count = 0;
    for (size_t k = 0; k < n_rows; k++) {
        if (rows[k].type != EVALUATION || rows[k].bytes != bytes || rows[k].number >= (uint64_t)end / bytes) return 0;
        if (rows[k].number >= count) count = rows[k].number + 1;
    }
    return (size_t)count;
}

static piola_status read_all(pio_evaluations *log, piola_error *error)
{
    size_t n_rows;
    const pio_record_row *rows = pio_record_rows(log->record, &n_rows);
    log->listed = count_evaluations(log, rows, n_rows);
    if (n_rows && !log->listed)
        return pio_fail(error, PIOLA_BAD_DATA,
                        "%s: its evaluations are not of %zu variables and %zu constraints or residuals", log->path,
                        log->size.n, log->size.m);
    log->list = calloc(log->listed + 1, sizeof *log->list);
    log->rows = malloc(sizeof *log->rows * (log->listed * log->width + 1));
    if (!log->list || !log->rows)
        return pio_fail_memory(error, sizeof *log->rows * log->listed * log->width, "the evaluations on record");
    for (size_t k = 0; k < n_rows; k++) {
        double *row = log->rows + rows[k].number * log->width;
        const piola_status rc = pio_record_read(log->record, &rows[k], row, error);
        if (rc) return rc;
        reorder(row, log->width);
        log->list[rows[k].number] = evaluation(log, row);
    }
    for (size_t k = log->listed; k-- > 0;) {
        if (log->list[k].z) continue;
        log->damaged++;
        log->first_damaged = k;
    }
    return PIOLA_OK;
}

/* Returns whether a run of `identity` may continue this record; log->differs describes a difference of machines. */
static piola_status admit(pio_evaluations *log, const char *identity, bool accept, piola_error *error)
{
    const piola_status rc = pio_identity_admit(log->path, pio_record_identity(log->record), identity, accept,
                                               log->differs, sizeof log->differs, error);
    if (rc == PIOLA_BAD_DATA && error) error->status = PIOLA_NO;
    return rc == PIOLA_BAD_DATA ? PIOLA_NO : rc;
}

const char *pio_evaluations_differ(const pio_evaluations *log)
{
    return log->differs;
}

piola_status pio_evaluations_continue(pio_evaluations **out, const char *path, const pio_evaluation_size *size,
                                      const char *identity, bool accept, piola_error *error)
{
    pio_evaluations *log = new_log(path, size, error);
    *out = NULL;
    if (!log) return PIOLA_NO_MEMORY;
    piola_status rc = pio_record_open(&log->record, path, kind, error);
    if (!rc) rc = admit(log, identity, accept, error);
    if (!rc) rc = pio_record_recover(log->record, error);
    if (!rc) rc = read_all(log, error);
    if (rc)
        pio_evaluations_close(log);
    else
        *out = log;
    return rc;
}

const pio_evaluation *pio_evaluations_list(const pio_evaluations *log, size_t *count)
{
    *count = log->listed;
    return log->list;
}

const double *pio_evaluations_beside(const pio_evaluations *log, size_t number)
{
    if (number == log->added) return log->last;
    return number < log->listed && log->list[number].z ? log->rows + (number + 1) * log->width - log->size.beside
                                                       : NULL;
}

int64_t pio_evaluations_cut(const pio_evaluations *log)
{
    return pio_record_found(log->record).cut;
}

size_t pio_evaluations_damaged(const pio_evaluations *log, char *text, size_t size)
{
    const pio_record_condition found = pio_record_found(log->record);
    snprintf(
        text, size,
        "%s: %zu of %zu evaluations, the first of them number %zu, are damaged (%lld bytes from byte %lld on, by their "
        "checksums); they are computed again, the others are replayed",
        log->path, log->damaged, log->listed, log->first_damaged, (long long)found.damaged_bytes,
        (long long)found.damaged_at);
    return log->damaged;
}

piola_status pio_evaluations_add(pio_evaluations *log, size_t number, const pio_evaluation *at, const double *beside,
                                 piola_error *error)
{
    const size_t n = log->size.n, m = log->size.m, k = log->size.beside;
    double *row = log->row;
    memcpy(row, at->z, sizeof *row * n);
    row[n] = at->J;
    memcpy(row + n + 1, at->gradient, sizeof *row * n);
    if (m) memcpy(row + 2 * n + 1, at->c, sizeof *row * m);
    if (m) memcpy(row + 2 * n + 1 + m, at->c_gradient, sizeof *row * m * n);
    for (size_t i = 0; i < k; i++) row[log->width - k + i] = log->last[i] = isnan(at->J) ? (double)NAN : beside[i];
    log->added = number;
    reorder(row, log->width);
    const pio_record_part part = {row, sizeof *row * log->width};
    return pio_record_add(log->record, EVALUATION, number, &part, 1, error);
}
