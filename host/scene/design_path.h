/* design_path.h -- the quantities of a scene that a design may change, and the paths that name them. The table in
 * design_table.c has a row for each: its owner, its key, the quantity of the engine, unit and range. A path of a
 * scene file is parsed once, when the scene is completed, into design[i].path[k], which all later code reads. */
#ifndef PIOLA_HOST_DESIGN_PATH_H
#define PIOLA_HOST_DESIGN_PATH_H

#include "host/config/config.h"
#include "host/scene/scene.h"

/* What a path names. */
typedef struct scene_target {
    cfg_quantity quantity; /* its physical quantity, which has the SI unit */
    int components;        /* 1, or the dimension for vectors, or as many as a list has */
    double value[3];       /* [components] the scene's own values, SI, where `all` is NULL */
    cfg_range range;       /* legal values, SI */
    const double *all;     /* [components] the scene's own values, SI, of long lists; else NULL */
    const char *item;      /* name of one component of a long list: knot, weight; NULL: an axis */
} scene_target;

/* Returns component c of the scene's own value, SI. */
static inline double pio_target_value(const scene_target *target, size_t c)
{
    return target->all ? target->all[c] : target->value[c];
}

/* Returns the key of the design entry that has its targets. */
static inline const char *pio_design_targets_key(const scene_design *design)
{
    return design->targets.n ? "targets" : "target";
}

/* Parses LIST.NAME.KEY, or a key of the whole scene such as gravity; of some vectors, .x, .y or .z may follow, for one
 * component. Returns false, without a key in *out, where the scene has no such quantity. */
bool pio_design_path_parse(const pio_scene *scene, const char *text, scene_path *out);
/* Finds only the owner that LIST.NAME.KEY names: `out` gets it and its number, *key the text behind its name. Returns
 * false where the scene has none of that name. */
bool pio_design_path_owner(const pio_scene *scene, const char *text, scene_path *out, const char **key);
/* Fills in what a parsed path names, with the scene's own values; `out` refers to the scene. */
void pio_design_path_target(const pio_scene *scene, const scene_path *path, scene_target *out);
/* As pio_design_path_target(), of target number k of a design entry: rest positions per node or control point are
 * shifts, which start at 0. */
void pio_design_target(const pio_scene *scene, const scene_design *design, size_t k, scene_target *out);
/* Writes the text of a parsed path into out[size], cut off where it does not fit. */
void pio_design_path_text(const pio_scene *scene, const scene_path *path, char *out, size_t size);
/* Returns whether both parsed paths name the same quantity of the same owner. */
bool pio_design_path_same(const scene_path *a, const scene_path *b);
/* Returns whether both parsed paths name the same number, as a vector and one of its components do. */
bool pio_design_path_overlaps(const scene_path *a, const scene_path *b);
/* Lists every quantity of the scene that a design may change, vectors as a whole unless a part of them alone may, owner
 * after owner in the order of the table: fills in out[most], and returns how many there are. `out` may be NULL where
 * `most` is 0. */
size_t pio_design_paths(const pio_scene *scene, scene_path *out, size_t most);
/* Returns the material whose constants a path of a material or a body names; NULL for other owners. */
const scene_material *pio_design_path_material(const pio_scene *scene, const scene_path *path);
/* Returns the first design entry of the scene that has the owner's quantity as a target, or NULL. */
const scene_design *pio_design_of(const pio_scene *scene, scene_owner owner, int32_t index, pio_quantity quantity);
/* For a path that does not parse: finds the row of the table with its key, a quantity that the owner would have in
 * another scene, and fills in *out. Returns false where there is none. */
bool pio_design_path_missing(const pio_scene *scene, const char *text, scene_path *out);
/* Returns the physical quantity, and so the unit, of a row of the table in this scene: a material's is that of its
 * key. */
cfg_quantity pio_design_row_unit(const pio_scene *scene, const struct design_row *row);
/* Returns whether a scene of meshes has the quantity at nodes, not at elements. */
bool pio_nodal(pio_quantity quantity);

#endif
