/* fail.c -- see fail.h. */
#include "solvers/engine/fail.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

piola_status sim_fail_list(piola_error *error, piola_status status, piola_failure what, const char *format,
                           va_list list)
{
    char whole[3 * PATH_MAX];
    const char mark[] = " ... ";
    if (!error) return status;
    const size_t room = sizeof error->message - 1, last = room / 3, first = room - last - strlen(mark);
    vsnprintf(whole, sizeof whole, format, list);
    const size_t length = strlen(whole);
    error->status = status;
    error->failure = what;
    if (length <= room)
        memcpy(error->message, whole, length + 1);
    else /* the middle of a long name is left out, since what is wrong with it comes after it */
        snprintf(error->message, sizeof error->message, "%.*s%s%s", (int)first, whole, mark, whole + length - last);
    return status;
}

piola_status sim_fail(piola_error *error, piola_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    sim_fail_list(error, status, (piola_failure){0}, format, list);
    va_end(list);
    return status;
}

piola_status sim_fail_as(piola_error *error, piola_status status, piola_failure what, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    sim_fail_list(error, status, what, format, list);
    va_end(list);
    return status;
}

piola_failure sim_failure(piola_failure_kind kind)
{
    return (piola_failure){.kind = kind, .step = -1, .residual = (double)NAN};
}
