/* evaluations.h -- evaluations.record: every evaluation that an optimisation computed, so that a killed run continues.
 *
 * A record (record.h) of kind "EVAL". A row of type 1 is an evaluation, its number counts from 0, and its payload is
 *   z [n], J, gradient [n], c [m], c_gradient [m][n]     little-endian doubles, with m constraints
 * A row whose number was there before takes that one's place: so a row that was damaged on the disk is computed
 * again. */
#ifndef PIOLA_HOST_EVALUATIONS_H
#define PIOLA_HOST_EVALUATIONS_H

#include "host/optimize/optimizer.h"

typedef struct pio_evaluations pio_evaluations;

/* Begin a new file at `path`, in place of one that is there; `identity`: of pio_identity_of_run, what a run that
 * continues it must have. */
piola_status pio_evaluations_create(pio_evaluations **out, const char *path, size_t n, size_t m, const char *identity,
                                    piola_error *error);
/* Continue a file. In all other cases it is left as it is. PIOLA_NO_INPUT: there is none. PIOLA_NO: it is of another
 * run. PIOLA_REFUSED, unless `accept`: it is of the same run on another machine. PIOLA_BAD_DATA: it is damaged so that
 * it does not tell of which. PIOLA_IO: it cannot be opened, read or cut back. */
piola_status pio_evaluations_continue(pio_evaluations **out, const char *path, size_t n, size_t m, const char *identity,
                                      bool accept, piola_error *error);
/* In what the machine differs from the one that the file is of, for a warning; "" where they are the same. */
const char *pio_evaluations_differ(const pio_evaluations *log);
/* What the file held when it was opened: [*count], valid until close. One whose z is NULL was damaged, and is to be
 * computed again. */
const pio_evaluation *pio_evaluations_list(const pio_evaluations *log, size_t *count);
/* How the file was found: bytes of an unfinished evaluation that were cut off its end, or 0; and how many evaluations
 * before the last whole one are damaged, of which `text` tells. */
int64_t pio_evaluations_cut(const pio_evaluations *log);
size_t pio_evaluations_damaged(const pio_evaluations *log, char *text, size_t size);
/* Append one, of this number, and sync. PIOLA_IO. */
piola_status pio_evaluations_add(pio_evaluations *log, size_t number, const pio_evaluation *at, piola_error *error);
void pio_evaluations_close(pio_evaluations *log); /* NULL is allowed; nothing is left to be written */

#endif
