/* threads.h -- the numbers of threads that a caller may request. */
#ifndef PIOLA_HOST_THREADS_H
#define PIOLA_HOST_THREADS_H

#include "piola_status.h"

/* Returns PIOLA_USAGE for a number of threads that cannot be: below 0 or above PIOLA_MOST_THREADS of piola.h. More
 * threads than can be created would end the process. */
piola_status pio_threads_check(int threads, piola_error *error);

#endif
