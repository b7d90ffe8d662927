/* evaluations.h -- evaluations.h5: every (z, J, gradient) that an optimisation computed, so that a killed run continues.
 *
 *   /z [k, n]   /J [k]   /gradient [k, n]   doubles, one row per evaluation; `identity` (bytes) says of which run.
 *   /constraints [k, m]   /constraint_gradients [k, m n]   where there are m > 0 constraints
 *
 * A row counts when J has it, and J is extended last and flushed; so a killed run leaves whole rows. */
#ifndef PIOLA_HOST_EVALUATIONS_H
#define PIOLA_HOST_EVALUATIONS_H

#include "host/optimizer.h"

typedef struct pio_evaluations pio_evaluations;

/* Begin a new file at `path`; `identity`: of pio_identity_of_run, what a run that continues it must have. */
piola_status pio_evaluations_create(pio_evaluations **out, const char *path, size_t n, size_t m, const char *identity,
                                    piola_error *error);
/* Continue a file: PIOLA_NO_INPUT when there is none, PIOLA_BAD_DATA when it is of another run or damaged, and unless `accept`
 * PIOLA_REFUSED when it is of the same run on another machine. */
piola_status pio_evaluations_continue(pio_evaluations **out, const char *path, size_t n, size_t m, const char *identity,
                                      bool accept, piola_error *error);
/* In what the machine differs from the one that the file is of, for a warning; "" where they are the same. */
const char *pio_evaluations_differ(const pio_evaluations *log);
/* What the file held when it was opened: [*count], valid until close. */
const pio_evaluation *pio_evaluations_list(const pio_evaluations *log, size_t *count);
/* Append one and flush. */
piola_status pio_evaluations_add(pio_evaluations *log, const pio_evaluation *at, piola_error *error);
piola_status pio_evaluations_close(pio_evaluations *log, piola_error *error); /* NULL is allowed */

#endif
