/* stop.h -- setting up can be stopped: what loops ask now and then, and a sort that asks too. */
#ifndef PIOLA_HOST_STOP_H
#define PIOLA_HOST_STOP_H

#include "piola.h"

/* PIOLA_OK, or PIOLA_INTERRUPTED with the reason (a signal, the time limit) where the program is to stop; `doing`
 * completes "interrupted by ... while": "reading the scene". Any thread may ask. Long loops ask every millisecond or
 * so. */
piola_status pio_stop(const char *doing, piola_error *error);

/* The same for item i of a loop of short items: asks at every 1024th. */
static inline piola_status pio_stop_at(int64_t i, const char *doing, piola_error *error)
{
    return (i & 1023) == 1023 ? pio_stop(doing, error) : PIOLA_OK;
}

/* qsort_r of n items of `size` bytes, in stable order, which can be stopped: PIOLA_INTERRUPTED, or PIOLA_NO_MEMORY for
 * as much room again, and then the items are in no order. */
piola_status pio_stop_sort(void *first, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
                           void *context, const char *doing, piola_error *error);

#endif
