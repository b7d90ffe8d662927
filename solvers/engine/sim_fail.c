/* sim_fail.c -- failures of a simulation, to who asked for it. */
#include "solvers/engine/sim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void fill(piola_error *error, piola_status status, piola_failure what, const char *format, va_list list)
{
    if (!error) return;
    error->status = status;
    error->failure = what;
    vsnprintf(error->message, sizeof error->message, format, list);
}

piola_status sim_fail(piola_error *error, piola_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fill(error, status, (piola_failure){0}, format, list);
    va_end(list);
    return status;
}

piola_failure sim_failure(piola_failure_kind kind)
{
    return (piola_failure){.kind = kind, .step = -1, .residual = (double)NAN};
}

piola_status sim_fail_as(piola_error *error, piola_status status, piola_failure what, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fill(error, status, what, format, list);
    va_end(list);
    return status;
}

piola_status sim_failed(const pio_sim *sim, piola_error *error)
{
    if (!sim->queue.error.code) return PIOLA_OK;
    return sim_fail(error, PIOLA_UNAVAILABLE, "%s", sim->queue.error.message);
}
