/* stop.h -- loops outside of steps that poll whether to stop, and a sort that does. */
#ifndef PIOLA_HOST_STOP_H
#define PIOLA_HOST_STOP_H

#include "piola_status.h"

/* Returns PIOLA_INTERRUPTED, with the reason (a signal, the time limit), if the program is to stop, otherwise PIOLA_OK.
 * `doing` completes the message "interrupted by ... while", such as "reading the scene". Any thread may call it. Long
 * loops call it about every millisecond. */
piola_status pio_stop(const char *doing, piola_error *error);

/* As pio_stop(), for item i of a loop of short items: it polls at every 1024th of them, and returns PIOLA_INTERRUPTED
 * if the program is to stop. */
static inline piola_status pio_stop_at(int64_t i, const char *doing, piola_error *error)
{
    return (i & 1023) == 1023 ? pio_stop(doing, error) : PIOLA_OK;
}

/* Sorts n items of `size` bytes as qsort_r does, in stable order. Returns PIOLA_INTERRUPTED if the program is to stop,
 * or PIOLA_NO_MEMORY if there is no memory for a copy of the items; the items are then in no particular order. */
piola_status pio_stop_sort(void *first, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
                           void *context, const char *doing, piola_error *error);

#endif
