/* scene_map.h -- parts of bodies, and what ties or fixes the elements of a design field. */
#ifndef PIOLA_HOST_SCENE_MAP_H
#define PIOLA_HOST_SCENE_MAP_H

#include <stddef.h>

/* A part of a mesh: of a body, by the name of a group or by a box. */
typedef struct {
    char *group;           /* name of the group; NULL: the box */
    double min[3], max[3]; /* corners of the box, m; NaN where not given */
} scene_where;

typedef struct {
    scene_where on; /* which elements of the field */
    double value;   /* that they keep, SI */
} scene_fixed;

typedef enum { SCENE_EXTRUDED_NOT, SCENE_EXTRUDED_X, SCENE_EXTRUDED_Y, SCENE_EXTRUDED_Z } scene_extrusion;

/* FEM: what the elements of a design field have in common, or keep. */
typedef struct {
    scene_fixed *fixed;        /* [n_fixed] parts that keep a value; of several that have an element the last counts */
    size_t n_fixed;            /* number of parts */
    double symmetry[3];        /* m, planes x, y and z = ... of symmetry; NaN where there is none */
    scene_extrusion extrusion; /* axis along which values are the same */
} scene_design_map;

#endif
