/* random.c -- see random.h. */
#include "host/base/random.h"

/* SplitMix64 (Steele, Lea, Flood 2014) of a counter: the same number whatever was drawn before. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

double pio_uniform(uint64_t seed, uint64_t stream, uint64_t item, uint64_t axis)
{
    return (double)(mix(mix(mix(mix(seed) + stream) + item) + axis) >> 11) * 0x1p-53;
}
