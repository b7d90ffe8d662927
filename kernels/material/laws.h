/* laws.h -- the sizes of fields of constants of material laws, and the bits of the parameter form; the laws' numbers
 * are in vocabulary.h. The laws themselves are in hyperelastic.h, law.h and plasticity.h. */
#ifndef PIOLA_KERNELS_LAWS_H
#define PIOLA_KERNELS_LAWS_H

#include "kernels/base/vocabulary.h"

/* Most constants of a fluid; and mu and lambda of a solid. */
enum { FLUID_CONSTANTS = 3 };

/* Bits of the parameter form of a hyperelastic law: the first two are Lame's constants mu and lambda, Pa, instead of
 * Young's modulus and Poisson's ratio; a plane state is one of stress instead of strain. */
enum { HYPER_LAME_PARAMETERS = 1, HYPER_PLANE_STRESS = 2 };

#endif
