/* scene_path.h -- what a target of a design names, parsed; design_path.h reads and writes the text. */
#ifndef PIOLA_HOST_SCENE_PATH_H
#define PIOLA_HOST_SCENE_PATH_H

#include "solvers/engine/vocabulary.h"

#include <stdint.h>

/* Whose quantity a design changes. */
typedef enum {
    SCENE_OWNER_ALL, /* the scene itself: gravity and the like */
    SCENE_OWNER_MATERIAL,
    SCENE_OWNER_BODY,
    SCENE_OWNER_CONTROL,
    SCENE_OWNER_LOAD,
    SCENE_OWNER_BOUNDARY,
    SCENE_OWNER_CONSTANT,
    SCENE_OWNER_OBSTACLE,
    SCENE_OWNERS
} scene_owner;

/* A target of a design. */
typedef struct scene_path {
    scene_owner owner;            /* kind of the owner */
    int32_t index;                /* of the owner in its list; 0 of the scene */
    pio_quantity quantity;        /* what the engine changes */
    int32_t component;            /* of lists of control: the first among the owner's control values; else 0 */
    int32_t part;                 /* number of the only component that is meant, -1: all are */
    const char *key;              /* of the quantity; NULL: the path names nothing, and loading the scene fails */
    const struct design_row *row; /* of the table of design paths */
} scene_path;

#endif
