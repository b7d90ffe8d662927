/* sobol.c -- see sobol.h. */
#include "host/sweep/sobol.h"

enum { BITS = 32, DEGREE = 7 };

/* A primitive polynomial over GF(2), x^degree + ... + 1, whose inner coefficients are the bits of `inner`, and the
 * first direction numbers, which are odd. */
typedef struct {
    uint8_t degree, inner;
    uint8_t first[DEGREE];
} direction;

/* Dimensions 2 to 21 of the direction numbers `new-joe-kuo-6` of S. Joe and F. Y. Kuo, "Constructing Sobol sequences
 * with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), 2635-2654. */
static const direction directions[PIO_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* Computes the direction numbers of a dimension, in units of 2^-32, by the recurrence of Joe and Kuo 2008, equation 2.
 * The first dimension is van der Corput's sequence. */
static void find_directions(int dimension, uint32_t v[BITS])
{
    for (int i = 0; i < BITS; i++) v[i] = UINT32_C(1) << (BITS - 1 - i);
    if (dimension == 0) return;
    const direction *d = &directions[dimension - 1];
    const int degree = d->degree;
    for (int i = 0; i < BITS; i++) {
        if (i < degree) {
            v[i] = (uint32_t)d->first[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (int k = 1; k < degree; k++)
            if (d->inner >> (degree - 1 - k) & 1) v[i] ^= v[i - k];
    }
}

uint32_t pio_sobol(uint32_t index, int dimension)
{
    uint32_t v[BITS], x = 0;
    find_directions(dimension, v);
    const uint32_t gray = index ^ (index >> 1);
    for (int i = 0; i < BITS; i++)
        if (gray >> i & 1) x ^= v[i];
    return x;
}
