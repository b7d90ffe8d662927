/* random.h -- random numbers that depend on their indices alone, not on the numbers drawn before. */
#ifndef PIOLA_HOST_RANDOM_H
#define PIOLA_HOST_RANDOM_H

#include <stdint.h>

/* Returns a random number, uniformly distributed over [0, 1), that depends only on the seed, the stream, the item and
 * the axis. */
double pio_uniform(uint64_t seed, uint64_t stream, uint64_t item, uint64_t axis);

#endif
