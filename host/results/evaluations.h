/* evaluations.h -- evaluations.record: every evaluation that an optimisation computed, so that a killed run continues.
 *
 * A record (record.h) of kind "EVAL". A row of type 1 is an evaluation, its number counts from 0, and its payload is
 *   z [n], J, gradient [n], c [m], c_gradient [m][n], beside [k]     little-endian doubles, with n variables, m
 *   constraints or residuals, and k numbers that no optimiser reads
 * A row replaces an earlier one of the same number, so that an evaluation whose row was damaged on the disk can be
 * computed and added again. */
#ifndef PIOLA_HOST_EVALUATIONS_H
#define PIOLA_HOST_EVALUATIONS_H

#include "host/optimize/optimizer.h"

typedef struct pio_evaluations pio_evaluations;

/* Numbers in a row. */
typedef struct {
    size_t n, m, beside; /* variables; constraints or residuals; further numbers beside each evaluation */
} pio_evaluation_size;

/* Creates a file at `path` and replaces an existing one. `identity`, from pio_identity_of_run(), is what a run that
 * continues the file must have. Returns PIOLA_NO_MEMORY, and the errors of pio_record_create(). */
piola_status pio_evaluations_create(pio_evaluations **out, const char *path, const pio_evaluation_size *size,
                                    const char *identity, piola_error *error);
/* Opens a file to continue it; on failure the file is not changed. Returns PIOLA_NO_INPUT if it does not exist,
 * PIOLA_NO if it belongs to another run, PIOLA_REFUSED, unless `accept`, if it belongs to the same run on another
 * machine, PIOLA_BAD_DATA if its heading is damaged, so that its run is unknown, or its rows have another size,
 * PIOLA_IO if it cannot be opened, read or truncated, or PIOLA_NO_MEMORY. */
piola_status pio_evaluations_continue(pio_evaluations **out, const char *path, const pio_evaluation_size *size,
                                      const char *identity, bool accept, piola_error *error);
/* Returns for a warning in what this machine differs from the one that made the file; "" if they are the same. */
const char *pio_evaluations_differ(const pio_evaluations *log);
/* Returns the evaluations [*count] that the file held when it was opened, valid until it is closed. One whose z is NULL
 * was damaged and must be computed again. */
const pio_evaluation *pio_evaluations_list(const pio_evaluations *log, size_t *count);
/* Returns the bytes of an unfinished evaluation that were cut off the end of the file, or 0. */
int64_t pio_evaluations_cut(const pio_evaluations *log);
/* Returns how many evaluations before the last whole one are damaged; `text` [size] describes them. */
size_t pio_evaluations_damaged(const pio_evaluations *log, char *text, size_t size);
/* Appends the evaluation of this number, with the numbers [beside], which are NaN where J is, and syncs the file.
 * Returns the errors of pio_record_add(). */
piola_status pio_evaluations_add(pio_evaluations *log, size_t number, const pio_evaluation *at, const double *beside,
                                 piola_error *error);
/* Returns the numbers [beside] of the evaluation of this number, if the file held it when it was opened and it is not
 * damaged, or if it was the last to be added; else NULL. */
const double *pio_evaluations_beside(const pio_evaluations *log, size_t number);
/* Closes the file and frees `log`, which may be NULL. Every evaluation was written when it was added. */
void pio_evaluations_close(pio_evaluations *log);

#endif
