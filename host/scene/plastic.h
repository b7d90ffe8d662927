/* plastic.h -- the constants of plastic laws: their keys in a material, and their numbers in engines. */
#ifndef PIOLA_HOST_PLASTIC_H
#define PIOLA_HOST_PLASTIC_H

#include "host/scene/law.h"

/* Returns the constant of the material's plastic law that has this key, or NULL. */
const pio_law_constant *pio_plastic_constant_of(const scene_material *material, const char *key);
/* Returns constant i of all plastic laws, each key once; NULL past the last. */
const pio_law_constant *pio_plastic_every_constant(int i);
/* Sets the parameters of engines, yield[PIO_PLASTIC_CONSTANTS] in the SI units of the constants, 0 where the law has
 * none. */
void pio_plastic_parameters(const scene_material *material, double *yield);
/* Returns whether a body of the scene is made of a plastic material; false for FEM. */
bool pio_scene_is_plastic(const pio_scene *scene);

#endif
