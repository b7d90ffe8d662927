/* clock.c -- see clock.h. */
#include "solvers/engine/clock.h"

#include <time.h>

double pio_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
