/* design_table.h -- the table of all that a design may change: one row for each quantity. */
#ifndef PIOLA_HOST_DESIGN_TABLE_H
#define PIOLA_HOST_DESIGN_TABLE_H

#include "host/config/config.h"
#include "host/scene/law.h"
#include "host/scene/scene.h"

/* Where a row has its value in the struct of its owner: a number; a vector of the scene's dimension; a rotation, which
 * has one number in 2D; a list of at most three numbers, or of any number. */
typedef enum { DESIGN_NUMBER, DESIGN_VECTOR, DESIGN_ROTATION, DESIGN_FEW, DESIGN_LIST } design_shape;

typedef struct design_row {
    scene_owner owner;
    const char *key;       /* NULL: every constant of a law */
    pio_quantity quantity; /* of constants of laws: that of the first, which the others follow */
    /* SI unit, and legal values. Materials: CFG_ANY, both are those of the material's key; loads: CFG_ANY, the unit is
     * that of their kind */
    cfg_quantity unit;
    cfg_range range;
    design_shape shape;
    size_t offset; /* of the value in the owner's struct; not of materials */
    /* Has the owner, of this scene, the quantity? NULL: yes. */
    bool (*has)(const pio_scene *scene, const void *owner);
    bool optional; /* of materials: 0 may be designed where the file has no such key */
    /* Of rows for laws: the constant of the material's law that has this key, or NULL; constant i of all laws, each key
     * once, NULL past the last. NULL where the row has a key. */
    const pio_law_constant *(*constant)(const scene_material *material, const char *key);
    const pio_law_constant *(*every)(int i);
    const char *item;                       /* lists: what one of several numbers is called */
    size_t (*component)(const void *owner); /* lists: where they begin among the owner's control values; NULL: at 0 */
    /* The engine's field of the derivatives by each particle, element or node, and what these are taken of; NULL: there
     * is no such field. Of rows for laws, its name goes on with the number of the constant. */
    const char *field, *meaning;
} design_row;

/* Row number i, NULL past the last. */
const design_row *pio_design_row(size_t i);

#endif
