/* nearest.h -- suggestions for mistyped words. */
#ifndef PIOLA_HOST_NEAREST_H
#define PIOLA_HOST_NEAREST_H

#include <stddef.h>

/* Returns the most similar of n candidates for a mistyped word, or NULL if none is similar. */
const char *pio_nearest(const char *word, const char *const *candidates, size_t n);

#endif
