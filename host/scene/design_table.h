/* design_table.h -- the table of all quantities that a design may change, with one row for each. */
#ifndef PIOLA_HOST_DESIGN_TABLE_H
#define PIOLA_HOST_DESIGN_TABLE_H

#include "host/config/config.h"
#include "host/scene/law.h"
#include "host/scene/scene.h"

/* Where a row has its value in the struct of its owner: a number; a vector of the scene's dimension; a rotation, which
 * has one number in 2D; a list of at most three numbers, or of any number. */
typedef enum { DESIGN_NUMBER, DESIGN_VECTOR, DESIGN_ROTATION, DESIGN_FEW, DESIGN_LIST } design_shape;

typedef struct design_row {
    scene_owner owner;     /* kind of the owner; the rows of materials are those of bodies, too */
    const char *key;       /* key in the owner's mapping; NULL: every constant of a law */
    pio_quantity quantity; /* the engine's; of constants of laws: that of the first, which the others follow */
    /* SI unit. Materials: CFG_ANY, it is that of the material's key; loads: CFG_ANY, it is that of their kind. */
    cfg_quantity unit;
    cfg_range range;    /* legal values, SI; materials: those of the material's key */
    design_shape shape; /* how the owner's struct has the value */
    size_t offset;      /* of the value in the owner's struct, bytes; 0 of materials */
    /* Returns whether the owner has the quantity in this scene. NULL: always. */
    bool (*has)(const pio_scene *scene, const void *owner);
    bool parts;    /* KEY.x, KEY.y and KEY.z name single components */
    bool optional; /* of materials: the value 0 may be designed where the file has no such key */
    /* Of rows for laws, NULL where the row has a key. `constant` returns the constant of the material's law that has
     * this key, or NULL; `every` returns constant i of all laws, each key once, NULL past the last. */
    const pio_law_constant *(*constant)(const scene_material *material, const char *key);
    const pio_law_constant *(*every)(int i);
    const char *item; /* lists: name of one component */
    /* of lists the index of the first among the owner's control values, of walls the number of the face, of motions
     * that of the axis; NULL: 0 */
    size_t (*component)(const void *owner);
    /* Name of the engine's field of derivatives with respect to the quantity at each particle, element or node, and
     * meaning of the quantity; NULL: there is no such field. Of rows for laws, the number of the constant follows the
     * name, and `meaning` is the constant's. */
    const char *field, *meaning;
} design_row;

/* Returns row number i, NULL past the last. */
const design_row *pio_design_row(size_t i);

#endif
