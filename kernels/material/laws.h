/* laws.h -- the numbers of material laws, and how many constants a law has at most: what fields of laws and constants
 * are made of. The laws themselves are in hyperelastic.h, law.h and plasticity.h. */
#ifndef PIOLA_KERNELS_LAWS_H
#define PIOLA_KERNELS_LAWS_H

/* Hyperelastic solids. */
enum {
    HYPER_LINEAR,
    HYPER_ST_VENANT,
    HYPER_FIXED_COROTATED,
    HYPER_NEO_HOOKEAN,
    HYPER_NEO_HOOKEAN_ISO,
    HYPER_STABLE_NEO_HOOKEAN,
    HYPER_MOONEY_RIVLIN,
    HYPER_OGDEN,
    HYPER_HENCKY,
    HYPER_LAWS
};
/* Fluids; their numbers follow those of solids. */
enum { LAW_LINEAR_FLUID = HYPER_LAWS, LAW_TAIT, LAWS };
/* Plastic flow, of a solid. */
enum { PLASTIC_NONE, PLASTIC_VON_MISES, PLASTIC_DRUCKER_PRAGER, PLASTIC_HERSCHEL_BULKLEY, PLASTIC_SNOW, PLASTIC_LAWS };

/* Most constants of a hyperelastic law; of a fluid, and mu and lambda of a solid; and of plastic flow. */
enum { HYPER_CONSTANTS = 5, LAW_CONSTANTS = 3, PLASTIC_CONSTANTS = 3 };

/* Bits of the parameter form of a hyperelastic law: the first two are Lame's constants mu and lambda, Pa, instead of
 * Young's modulus and Poisson's ratio; a plane state is one of stress instead of strain. */
enum { HYPER_LAME_PARAMETERS = 1, HYPER_PLANE_STRESS = 2 };

#endif
