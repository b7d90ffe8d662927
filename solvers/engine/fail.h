/* fail.h -- fills a piola_error: the one place where engines, the driver and the host (host/base/fail.h) do. */
#ifndef PIOLA_SOLVERS_FAIL_H
#define PIOLA_SOLVERS_FAIL_H

#include "piola_status.h"

#include <stdarg.h>

/* Fills `error`, which may be NULL, with a failure of no kind, and returns `status`. The middle of a message that does
 * not fit is left out. */
piola_status sim_fail(piola_error *error, piola_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As sim_fail(), with the failure `what`; returns `status`. */
piola_status sim_fail_as(piola_error *error, piola_status status, piola_failure what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* As sim_fail_as(), with a list of arguments; returns `status`. */
piola_status sim_fail_list(piola_error *error, piola_status status, piola_failure what, const char *format,
                           va_list list) __attribute__((format(printf, 4, 0)));

/* Returns a failure of this kind, without step and item. */
piola_failure sim_failure(piola_failure_kind kind);

#endif
