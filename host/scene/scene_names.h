/* scene_names.h -- the entry of a scene's list that has a name. The names of a list differ. */
#ifndef PIOLA_HOST_SCENE_NAMES_H
#define PIOLA_HOST_SCENE_NAMES_H

#include "host/scene/scene.h"

/* Returns the number of a name, which may be NULL, in a list [n] of structs of `size` bytes that begin with their name;
 * n where no entry has it. */
size_t pio_scene_find(const char *name, const void *items, size_t n, size_t size);

/* Returns the geometry of that name, or NULL. */
const scene_geometry *pio_scene_geometry(const pio_scene *scene, const char *name);
/* Returns the material of that name, or NULL. */
const scene_material *pio_scene_material(const pio_scene *scene, const char *name);
/* Returns the body of that name, or NULL. */
const scene_body *pio_scene_body(const pio_scene *scene, const char *name);

/* Returns the number of the body of that name in scene->bodies, or -1. */
int pio_scene_body_number(const pio_scene *scene, const char *name);
/* Returns whether something of a body, all of it or a region, is made of the material. */
bool pio_body_is_made_of(const scene_body *body, const scene_material *material);
/* Returns the number of the material of that name in scene->materials, or -1. */
int pio_scene_material_number(const pio_scene *scene, const char *name);

#endif
