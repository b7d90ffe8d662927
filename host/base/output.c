/* output.c -- see output.h. */
#include "host/base/output.h"

#include "host/base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

piola_status pio_output_flush(piola_error *error)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return PIOLA_OK;
    return pio_fail(error, PIOLA_IO, "cannot write to standard output: %s",
                    errno ? strerror(errno) : "output was lost");
}
