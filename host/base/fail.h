/* Room host/base: errors, logs, JSON, files, records, checksums, clocks and signals; it knows nothing of scenes. */
/* fail.h -- filling a piola_error. */
#ifndef PIOLA_HOST_FAIL_H
#define PIOLA_HOST_FAIL_H

#include "piola.h"

/* Fill `error` (may be NULL) and return `status`; after memory was refused, as pio_fail_attribute() says. */
piola_status pio_fail(piola_error *error, piola_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* PIOLA_NUMERICAL: a result of this kind is not finite. */
piola_status pio_fail_result(piola_error *error, piola_failure_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for memory that could not be had; `bytes` is what was asked for. */
piola_status pio_fail_memory(piola_error *error, size_t bytes, const char *what);

/* What a failure is told as: PIOLA_NO_MEMORY, with the bytes at the end of the message, where memory was refused to
 * anyone in this process before and that can be why; else `status`. */
piola_status pio_fail_attribute(piola_error *error, piola_status status);

#endif
