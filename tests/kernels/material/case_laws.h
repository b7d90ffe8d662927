/* case_laws.h -- the laws of solids in the cases of kernels: each of pio_hyper_law, and after them those with
 * PIO_VOLUME_QUADRATIC. Case text: C11 and C++17. */
#ifndef PIOLA_TESTS_CASE_LAWS_H
#define PIOLA_TESTS_CASE_LAWS_H

#include "kernels/base/vocabulary.h"

enum { CASE_SOLIDS = PIO_HYPER_LAWS + 4 };

/* Returns law number i, from 0 on, of these again and again. */
static inline int case_solid(int i)
{
    static const int more[CASE_SOLIDS - PIO_HYPER_LAWS] = {PIO_HYPER_NEO_HOOKEAN, PIO_HYPER_NEO_HOOKEAN_ISO,
                                                           PIO_HYPER_MOONEY_RIVLIN, PIO_HYPER_OGDEN};
    const int at = i % CASE_SOLIDS;
    return at < PIO_HYPER_LAWS ? at : more[at - PIO_HYPER_LAWS] | PIO_VOLUME_QUADRATIC;
}

/* Returns 1 for Ogden's law, with either volumetric energy. */
static inline int case_is_ogden(int law)
{
    return (law & ~PIO_VOLUME_QUADRATIC) == PIO_HYPER_OGDEN;
}

#endif
