/* fail.c -- see fail.h. */
#include "host/base/fail.h"

#include "solvers/engine/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *piola_failure_name(piola_failure_kind kind)
{
    static const char *const names[] = {[PIOLA_FAILED_NOT] = "none",
                                        [PIOLA_FAILED_CONSTANTS] = "constants",
                                        [PIOLA_FAILED_TIME_STEP] = "time_step",
                                        [PIOLA_FAILED_NOT_FINITE] = "not_finite",
                                        [PIOLA_FAILED_INVERTED] = "inverted",
                                        [PIOLA_FAILED_REST_SHAPE] = "rest_shape",
                                        [PIOLA_FAILED_RIGID_MOTION] = "rigid_motion",
                                        [PIOLA_FAILED_LINE_SEARCH] = "line_search",
                                        [PIOLA_FAILED_NEWTON] = "newton_limit",
                                        [PIOLA_FAILED_ADJOINT] = "adjoint",
                                        [PIOLA_FAILED_EIGENVALUES] = "eigenvalues",
                                        [PIOLA_FAILED_REPEATED] = "repeated_frequency",
                                        [PIOLA_FAILED_LINEAR_LIMIT] = "linear_limit",
                                        [PIOLA_FAILED_STAGNATION] = "stagnation",
                                        [PIOLA_FAILED_NEGATIVE_CURVATURE] = "negative_curvature",
                                        [PIOLA_FAILED_SINGULAR] = "singular",
                                        [PIOLA_FAILED_PRECONDITIONER] = "preconditioner",
                                        [PIOLA_FAILED_START_OUTSIDE] = "start_outside",
                                        [PIOLA_FAILED_LEFT_GRID] = "left_grid",
                                        [PIOLA_FAILED_CFL] = "cfl",
                                        [PIOLA_FAILED_OBJECTIVE] = "objective",
                                        [PIOLA_FAILED_GRADIENT] = "gradient",
                                        [PIOLA_FAILED_REVERSAL] = "reversal",
                                        [PIOLA_FAILED_CONTACT] = "contact"};
    _Static_assert(sizeof names / sizeof *names == PIOLA_FAILURES, "every failure has a name");
    return kind >= 0 && kind < PIOLA_FAILURES ? names[kind] : "unknown";
}

/* ---- memory that was refused, anywhere in the process ---------------------------------------------------- */

static volatile size_t refused_bytes; /* bytes of the first refusal; of two at the same time, either */

void piola_memory_refused(size_t bytes)
{
    if (!refused_bytes) refused_bytes = bytes ? bytes : 1;
}

size_t piola_refused_bytes(void)
{
    return refused_bytes;
}

/* Returns whether a library may report this status after it was refused memory. */
static bool explained_by_memory(piola_status status)
{
    switch (status) {
    case PIOLA_BAD_DATA:
    case PIOLA_NO_INPUT:
    case PIOLA_UNAVAILABLE:
    case PIOLA_INTERNAL:
    case PIOLA_CANNOT_CREATE:
    case PIOLA_IO:
    case PIOLA_NUMERICAL:
        return true;
    default:
        return false;
    }
}

piola_status pio_fail_attribute(piola_error *error, piola_status status)
{
    const size_t bytes = piola_refused_bytes();
    if (!bytes || !explained_by_memory(status)) return status;
    if (error) {
        char cause[96];
        const int size = snprintf(cause, sizeof cause, " (no memory: %zu bytes were refused before)", bytes);
        const size_t room = sizeof error->message - (size_t)size - 1, length = strnlen(error->message, room);
        memcpy(error->message + length, cause, (size_t)size + 1);
        error->status = PIOLA_NO_MEMORY;
        error->failure = (piola_failure){0};
    }
    return PIOLA_NO_MEMORY;
}

/* ---- failures ---------------------------------------------------------------------------------------------- */

piola_status pio_fail(piola_error *error, piola_status status, const char *format, ...)
{
    if (error) {
        va_list list;
        va_start(list, format);
        sim_fail_list(error, status, (piola_failure){0}, format, list);
        va_end(list);
    }
    return pio_fail_attribute(error, status);
}

piola_status pio_fail_result(piola_error *error, piola_failure_kind kind, const char *format, ...)
{
    if (error) {
        va_list list;
        va_start(list, format);
        sim_fail_list(error, PIOLA_NUMERICAL, sim_failure(kind), format, list);
        va_end(list);
    }
    return pio_fail_attribute(error, PIOLA_NUMERICAL);
}

piola_status pio_fail_memory(piola_error *error, size_t bytes, const char *what)
{
    return pio_fail(error, PIOLA_NO_MEMORY, "no memory for %s: %zu bytes", what, bytes);
}

void pio_fail_append(piola_error *error, const char *more)
{
    const size_t n = strlen(error->message);
    snprintf(error->message + n, sizeof error->message - n, "%s", more);
}
