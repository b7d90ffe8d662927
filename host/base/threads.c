/* threads.c -- see threads.h. */
#include "host/base/threads.h"

#include "host/base/fail.h"
#include "piola.h"

piola_status pio_threads_check(int threads, piola_error *error)
{
    if (threads >= 0 && threads <= PIOLA_MOST_THREADS) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE,
                    "%d threads: it must be a number from 1 to %d, or 0 for as many as OpenMP offers", threads,
                    PIOLA_MOST_THREADS);
}
