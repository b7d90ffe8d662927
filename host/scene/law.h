/* law.h -- laws of materials by name, and their constants in the order in which engines take them: both lists once, for
 * scenes of every method, benchmarks, designs and gradient fields. */
#ifndef PIOLA_HOST_LAW_H
#define PIOLA_HOST_LAW_H

#include "host/scene/scene.h"
#include "solvers/engine/engine.h"

#include <stddef.h>

/* piola_laws[law] (piola.h) is the word for a law. */
#define LAW_BIT(law) (1u << (law))
#define LAWS_HYPERELASTIC (LAW_BIT(PIO_LINEAR_FLUID) - 1)
#define LAWS_FLUID (LAW_BIT(PIO_LINEAR_FLUID) | LAW_BIT(PIO_TAIT))
#define LAWS_OWN (LAW_BIT(PIO_HYPER_MOONEY_RIVLIN) | LAW_BIT(PIO_HYPER_OGDEN)) /* neither E, nu nor mu, lambda */

/* One constant: its key in a material, and its number among the engine's `given`. */
typedef struct {
    const char *key, *unit, *meaning;
    size_t offset; /* in scene_material */
    int number;
} pio_law_constant;

/* The constant of the material's law, as it was given, that has this key, or NULL. */
const pio_law_constant *pio_law_constant_of(const scene_material *material, const char *key);
/* Constant i of all that there are, each key once (its number differs from law to law); NULL past the last. */
const pio_law_constant *pio_law_every_constant(int i);
/* What engines take: given[PIO_LAW_CONSTANTS], 0 where the law has none. */
void pio_law_given(const scene_material *material, double *given);
/* The law of that name among those in `laws`, LAW_BIT of each; -1: none. */
pio_law pio_law_named(const char *name, unsigned laws);
/* How many an engine keeps of the law. */
int pio_law_count(pio_law law);
/* Constants, as engines take them, of a body that has these of small strains: E in Pa and nu; fluids with that bulk
 * modulus E. */
void pio_law_like(pio_law law, double E, double nu, double *given);
/* Shear modulus at rest, Pa; of a solid. */
double pio_law_shear(const scene_material *material);

#endif
