/* law.h -- laws of materials by name, and their constants in the order of the parameters of engines: both lists once,
 * for scenes of every method, benchmarks, designs and gradient fields. */
#ifndef PIOLA_HOST_LAW_H
#define PIOLA_HOST_LAW_H

#include "host/scene/scene.h"
#include "solvers/engine/engine.h"

#include <stddef.h>

/* piola_laws[law] (piola.h) is the name of a law in scene files. */
#define LAW_BIT(law) (1u << (law))
#define LAWS_HYPERELASTIC (LAW_BIT(PIO_LINEAR_FLUID) - 1)
#define LAWS_FLUID (LAW_BIT(PIO_LINEAR_FLUID) | LAW_BIT(PIO_TAIT))
/* Those that have a choice of the volumetric energy. */
#define LAWS_VOLUME (LAWS_OWN | LAW_BIT(PIO_HYPER_NEO_HOOKEAN) | LAW_BIT(PIO_HYPER_NEO_HOOKEAN_ISO))
#define LAWS_OWN (LAW_BIT(PIO_HYPER_MOONEY_RIVLIN) | LAW_BIT(PIO_HYPER_OGDEN)) /* neither E, nu nor mu, lambda */

/* One constant of a law. A list of them ends with a NULL key. */
typedef struct {
    const char *key, *unit, *meaning; /* key in a material, SI unit ("1" without), meaning */
    size_t offset;                    /* of its value in scene_material, bytes */
    int number;                       /* index among the parameters of the engine */
} pio_law_constant;

/* Returns the number of the material's law as engines know it: its model, and the bit of its volumetric energy. */
pio_law pio_law_of(const scene_material *material);
/* Returns the constant with this key of the material's law in its form (E, nu or mu, lambda), or NULL. */
const pio_law_constant *pio_law_constant_of(const scene_material *material, const char *key);
/* Returns constant i of all laws, each key once (its number differs from law to law); NULL past the last. */
const pio_law_constant *pio_law_every_constant(int i);
/* Sets the parameters of engines, parameters[PIO_LAW_CONSTANTS] in the SI units of the constants, 0 where the law has
 * none. */
void pio_law_parameters(const scene_material *material, double *parameters);
/* Returns the law of that name among those in `laws`, a sum of LAW_BIT(law), or -1. */
pio_law pio_law_named(const char *name, unsigned laws);
/* Returns how many parameters engines keep of the law, 0 to PIO_LAW_CONSTANTS. */
int pio_law_count(pio_law law);
/* Sets the parameters[PIO_LAW_CONSTANTS] of a law that agrees at small strains with Young's modulus E [Pa] and
 * Poisson's ratio nu; of fluids with the bulk modulus E. */
void pio_law_like(pio_law law, double E, double nu, double *parameters);
/* Returns the shear modulus at rest of a solid whose law and form are those of the material, Pa, and whose constants
 * are parameters[PIO_LAW_CONSTANTS]: the material's own, or an element's where constants vary. */
double pio_law_shear(const scene_material *material, const double *parameters);
/* Returns Poisson's ratio of such a solid at rest. */
double pio_law_poisson(const scene_material *material, const double *parameters);
/* Returns the key of a constant that is wrong beside the others of such a material, and writes what is wrong and what
 * would be right into text[size]; NULL if all go together. */
const char *pio_law_fault(const scene_material *material, const double *parameters, char *text, size_t size);

#endif
