/* sobol.h -- points of Sobol's sequence, each computed from its number alone. */
#ifndef PIOLA_HOST_SOBOL_H
#define PIOLA_HOST_SOBOL_H

#include <stdint.h>

enum { PIO_SOBOL_DIMENSIONS = 21 };

/* Returns coordinate `dimension`, below PIO_SOBOL_DIMENSIONS, of point `index` in units of 2^-32. The points come in
 * the order of Gray's code (Antonov, Saleev 1979), and point 0 is the origin. */
uint32_t pio_sobol(uint32_t index, int dimension);

#endif
