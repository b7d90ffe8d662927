/* scene_query.h -- questions that a decoded scene answers. */
#ifndef PIOLA_HOST_SCENE_QUERY_H
#define PIOLA_HOST_SCENE_QUERY_H

#include "host/config/config.h"
#include "host/scene/scene.h"
#include "host/scene/words.h"

/* Returns the number of velocity fields, 1 or more: those of the list, and one of all other bodies. */
int pio_scene_fields(const pio_scene *scene);
/* Returns the number of the velocity field of a body, by its name; bodies that no field names share the last one. */
int pio_scene_field(const pio_scene *scene, const char *body);
/* Returns whether a wall of the grid of this kind can have friction. */
static inline bool pio_wall_can_rub(pio_wall kind)
{
    return kind == PIO_WALL_SLIP || kind == PIO_WALL_SEPARATE;
}
/* Returns whether a wall of the grid, of an axis and side, sticks while pressed or has friction, be it by a design. */
bool pio_wall_is_rough(const pio_scene *scene, int axis, int side);
/* Returns whether a material that bodies are made of has a density. */
bool pio_scene_is_heavy(const pio_scene *scene);
/* Returns whether a material, a scene_material, has a thermal expansion. */
bool pio_scene_material_expands(const void *material);
/* Returns whether a body, a scene_body, has a temperature. */
bool pio_scene_body_is_heated(const void *body);
/* Returns whether a scene_body of meshes has a relative density, by which its stiffness is interpolated. */
bool pio_scene_body_is_partial(const void *body);
/* Returns whether a body of the scene is. */
bool pio_scene_has_partial_bodies(const pio_scene *scene);
/* Returns whether a body chooses between its own material and a second one. */
bool pio_scene_has_second_materials(const pio_scene *scene);
/* Returns whether a material of a body, or of its regions, has a thermal expansion. */
bool pio_scene_body_expands(const pio_scene *scene, size_t body);
/* Returns whether a body of a mesh has a temperature, as it is or by a design. */
bool pio_scene_is_heated(const pio_scene *scene);
/* Returns whether designs of this scene may not change this key of materials, which its integrator or its velocity
 * fields do not support. */
bool pio_scene_has_no(const pio_scene *scene, const char *key);
/* Returns the physical quantity, and so the SI unit, of a load's value. */
cfg_quantity pio_load_quantity(const scene_load *load);
/* Returns whether the load is made of springs. */
bool pio_load_is_springs(const scene_load *load);
/* Returns whether frames of a mesh have a field of this name besides displacements and forces. */
bool pio_scene_has_state(const pio_scene *scene, scene_state field);
/* Returns whether frames of a mesh have fields of stress or strain: some that not only nodes have. */
bool pio_scene_has_stress(const pio_scene *scene);
/* Returns where these are: pio_stress_place, or-ed; 0 if there are none. */
int pio_scene_stress_places(const pio_scene *scene);
/* Returns the number of components of an observation: the dimension for positions, displacements, velocities and
 * reactions; of moments and rotations 1 in 2D and 3 in 3D; of tensors 4 and 6; 3 principal stresses; else 1. */
int pio_observe_components(const pio_scene *scene, const scene_observe *observe);
enum { PIO_ALL_COMPONENTS = -1, PIO_NO_COMPONENT = -2 };
/* Returns the component that the word behind a name means, its number in pio_component_words or -1; an observation may
 * have none of that name. */
int pio_observe_component(const pio_scene *scene, const scene_observe *observe, int word);
/* Returns the word of a component; NULL if there is only one, or no such component. */
const char *pio_observe_component_name(const pio_scene *scene, const scene_observe *observe, int component);
/* Returns the physical quantity, and so the SI unit, of an observation's values. */
cfg_quantity pio_observe_quantity(const scene_observe *observe);

/* Returns whether a term of the objective is of a design entry, not of an observation; `of` of minimize and maximize is
 * first looked for among the observations. */
bool pio_term_of_design(const pio_scene *scene, const scene_term *term);

/* Returns whether the integrator is explicit, so that its steps solve no equations. */
static inline bool scene_leaps(pio_integrator integrator)
{
    return integrator == PIO_LEAPFROG || integrator == PIO_REVERSIBLE_LEAPFROG;
}

/* Returns whether two paths of overrides name one key of the scene, as materials[0].E and materials.rubber.E may. */
bool pio_scene_same_key(const pio_scene *scene, const char *a, const char *b);

#endif
