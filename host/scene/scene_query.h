/* scene_query.h -- questions that a decoded scene answers. */
#ifndef PIOLA_HOST_SCENE_QUERY_H
#define PIOLA_HOST_SCENE_QUERY_H

#include "host/config/config.h"
#include "host/scene/scene.h"

/* Its velocity fields, 1 or more: those of the list, and one of all other bodies. */
int pio_scene_fields(const pio_scene *scene);
/* The number of the velocity field of a body, by the body's name; bodies that no field names share the last one. */
int pio_scene_field(const pio_scene *scene, const char *body);
/* Has anything of what bodies are made of a density? */
bool pio_scene_is_heavy(const pio_scene *scene);
/* Is this key of materials one that the scene's integrator cannot have? */
bool pio_scene_has_no(const pio_scene *scene, const char *key);
/* The quantity of a load's value. */
cfg_quantity pio_load_quantity(const scene_load *load);
/* Is the load made of springs? */
bool pio_load_is_springs(const scene_load *load);
/* Components of an observation: the dimension for positions and velocities, else 1. */
int pio_observe_components(const pio_scene *scene, const scene_observe *observe);
/* The quantity of an observation's values. */
cfg_quantity pio_observe_quantity(const scene_observe *observe);

#endif
