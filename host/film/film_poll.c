/* film_poll.c -- whether a film is to stop. */
#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/film/film_parts.h"

piola_status pio_film_poll(const pio_film_format *format, piola_error *error)
{
    const char *why = pio_interruption();
    return why ? pio_fail(error, PIOLA_INTERRUPTED, "%s: the film was stopped by %s; nothing is written", format->path,
                          why)
               : PIOLA_OK;
}
