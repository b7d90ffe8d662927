/* nearest.h -- which word was meant. */
#ifndef PIOLA_HOST_NEAREST_H
#define PIOLA_HOST_NEAREST_H

#include <stddef.h>

/* The likeliest of n candidates for a mistyped word, or NULL. */
const char *pio_nearest(const char *word, const char *const *candidates, size_t n);

#endif
