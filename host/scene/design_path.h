/* design_path.h -- the quantities of a scene that a design may change, and the paths that name them. The table in
 * design_table.c has a row for each: whose it is, its key, the quantity of the engine, unit and range. A path of a
 * scene file is parsed once, when the scene is completed, into design[i].path[k]; whoever works with designs reads
 * that. */
#ifndef PIOLA_HOST_DESIGN_PATH_H
#define PIOLA_HOST_DESIGN_PATH_H

#include "host/config/config.h"
#include "host/scene/scene.h"

/* What a path names. */
typedef struct scene_target {
    cfg_quantity quantity;
    int components;    /* 1, or the dimension for vectors, or as many as a list has */
    double value[3];   /* the scene's own, SI */
    cfg_range range;   /* of the quantity */
    const double *all; /* [components] the scene's own, SI, where they are not in `value`; else NULL */
    const char *item;  /* what one of several is called: knot, weight; NULL: an axis */
} scene_target;

/* Number c of the scene's own values. */
static inline double pio_target_value(const scene_target *target, size_t c)
{
    return target->all ? target->all[c] : target->value[c];
}

/* Parses LIST.NAME.KEY, or a key of the whole scene such as gravity. False: the scene has no such quantity. */
bool pio_design_path_parse(const pio_scene *scene, const char *text, scene_path *out);
/* Finds the owner alone that LIST.NAME.KEY names: `out` gets it and its number, *key what follows its name. False: the
 * scene has none of that name. */
bool pio_design_path_owner(const pio_scene *scene, const char *text, scene_path *out, const char **key);
/* What a parsed path names, with the scene's own values. */
void pio_design_path_target(const pio_scene *scene, const scene_path *path, scene_target *out);
/* The same of target number k of a design entry: nodes that are designed one by one have shifts, which start at 0. */
void pio_design_target(const pio_scene *scene, const scene_design *design, size_t k, scene_target *out);
/* The text of a parsed path, cut off where it does not fit. */
void pio_design_path_text(const pio_scene *scene, const scene_path *path, char *out, size_t size);
/* Do both, parsed, name the same quantity of the same owner? */
bool pio_design_path_same(const scene_path *a, const scene_path *b);
/* Every quantity of the scene that a design may change, owner after owner in the order of the table: fills in the first
 * `most`, and returns how many there are. `out` may be NULL where `most` is 0. */
size_t pio_design_paths(const pio_scene *scene, scene_path *out, size_t most);
/* The material whose constants a path of a material or a body names; NULL for other owners. */
const scene_material *pio_design_path_material(const pio_scene *scene, const scene_path *path);
/* Has a design entry of the scene this target: an owner's quantity? The entry, or NULL. */
const scene_design *pio_design_of(const pio_scene *scene, scene_owner owner, int32_t index, pio_quantity quantity);
/* A path that does not parse, though the table has a row for its key: that row, which the owner could have if the scene
 * were another. False: there is none. */
bool pio_design_path_missing(const pio_scene *scene, const char *text, scene_path *out);
/* The unit of a row of the table in this scene: a material's quantity has it from its key. */
cfg_quantity pio_design_row_unit(const pio_scene *scene, const struct design_row *row);
/* Is it of nodes where the scene is of meshes, and not of elements? */
bool pio_nodal(pio_quantity quantity);

#endif
