/* scene_vary.h -- the values of a scene that are expressions of place, time and constants (host/expression). */
#ifndef PIOLA_HOST_SCENE_VARY_H
#define PIOLA_HOST_SCENE_VARY_H

#include "host/expression/expression.h"
#include "host/scene/scene.h"

typedef enum {
    SCENE_VARY_LOAD,
    SCENE_VARY_BOUNDARY,
    SCENE_VARY_ANGLE, /* of a boundary that is a rotation */
    SCENE_VARY_DISPLACEMENT,
    SCENE_VARY_VELOCITY,
    SCENE_VARY_THICKNESS,
    SCENE_VARY_TEMPERATURE,
    SCENE_VARY_RELATIVE_DENSITY,
    SCENE_VARY_MATERIAL
} scene_vary_kind;

/* One expression. */
typedef struct {
    scene_vary_kind kind;
    size_t index;           /* of the load, boundary, body or material in its list */
    size_t component;       /* number in its value; of the key */
    const char *text;       /* the expression */
    const cfg_field *field; /* of a material: the key; else NULL */
    char path[80];          /* of the key, such as loads[0].value[1] */
} scene_vary;

/* Finds expression number i of the scene, in the order of kinds, lists and components. Returns false past the last. */
bool pio_scene_vary(const pio_scene *scene, size_t i, scene_vary *out);
/* Compiles an expression of the scene. Returns false with the fault, see pio_expression_compile(); after the scene was
 * validated there is none. */
bool pio_scene_vary_compile(const pio_scene *scene, const scene_vary *vary, pio_expression *out,
                            pio_expression_fault *fault);
/* Returns whether the constant of a material with this key is an expression. */
bool pio_scene_material_varies(const scene_material *material, const cfg_field *field);
/* Returns whether a constant of the law or the density of a material is an expression. */
bool pio_scene_material_has_text(const scene_material *material);
/* Returns whether the value of a load, boundary or body of this kind has an expression. */
bool pio_scene_varies(const pio_scene *scene, scene_vary_kind kind, size_t index);

#endif
