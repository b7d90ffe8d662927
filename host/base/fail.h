/* Room host/base: errors, logs, JSON, files, records, checksums and signals; it knows nothing of scenes. */
/* fail.h -- functions that fill a piola_error. */
#ifndef PIOLA_HOST_FAIL_H
#define PIOLA_HOST_FAIL_H

#include "piola_status.h"

/* Fills `error` (may be NULL) with `status` and a message, and passes it through pio_fail_attribute(). Returns
 * `status`, or PIOLA_NO_MEMORY where lack of memory explains the failure. */
piola_status pio_fail(piola_error *error, piola_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills `error` with PIOLA_NUMERICAL for a result of this kind that is not finite, and returns that status. */
piola_status pio_fail_result(piola_error *error, piola_failure_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills `error` with PIOLA_NO_MEMORY for `bytes` of memory for `what` that could not be had, and returns that status.
 */
piola_status pio_fail_memory(piola_error *error, size_t bytes, const char *what);

/* Adds text to the end of the message of *error, as far as there is room. */
void pio_fail_append(piola_error *error, const char *more);

/* Attributes a failure to lack of memory where that can explain it: if memory was refused anywhere in this process
 * before, and `status` is one that a library may report in that case, it makes `error` PIOLA_NO_MEMORY, adds the bytes
 * to its message and returns PIOLA_NO_MEMORY. Otherwise it returns `status`. */
piola_status pio_fail_attribute(piola_error *error, piola_status status);

#endif
