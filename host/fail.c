/* fail.c -- see fail.h. */
#include "host/fail.h"

#include <stdarg.h>
#include <stdio.h>

piola_status pio_fail(piola_error *error, piola_status status, const char *format, ...)
{
    if (error) {
        va_list list;
        va_start(list, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, list);
        va_end(list);
    }
    return status;
}

piola_status pio_fail_memory(piola_error *error, size_t bytes, const char *what)
{
    return pio_fail(error, PIOLA_NO_MEMORY, "no memory for %s: %zu bytes", what, bytes);
}
