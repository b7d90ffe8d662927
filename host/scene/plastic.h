/* plastic.h -- the constants of plastic laws: their keys in a material, and their numbers in an engine. */
#ifndef PIOLA_HOST_PLASTIC_H
#define PIOLA_HOST_PLASTIC_H

#include "host/scene/law.h"

/* The constant of the material's plastic law that has this key, or NULL. */
const pio_law_constant *pio_plastic_constant_of(const scene_material *material, const char *key);
/* Constant i of all that there are, each key once; NULL past the last. */
const pio_law_constant *pio_plastic_every_constant(int i);
/* What engines take: yield[PIO_PLASTIC_CONSTANTS], 0 where the law has none. */
void pio_plastic_given(const scene_material *material, double *yield);
/* Is anything of what bodies are made of plastic? */
bool pio_scene_is_plastic(const pio_scene *scene);

#endif
