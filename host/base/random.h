/* random.h -- random numbers that depend on their place alone, not on what was drawn before. */
#ifndef PIOLA_HOST_RANDOM_H
#define PIOLA_HOST_RANDOM_H

#include <stdint.h>

/* A random number, evenly spread over [0, 1), that depends on these alone: the number `axis` of the item `item` in the
 * stream `stream`, for the seed `seed`. */
double pio_uniform(uint64_t seed, uint64_t stream, uint64_t item, uint64_t axis);

#endif
