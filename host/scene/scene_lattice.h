/* scene_lattice.h -- parts of meshes, what of them has a design variable, and lattices of control points that deform
 * them: part of a scene. */
#ifndef PIOLA_HOST_SCENE_LATTICE_H
#define PIOLA_HOST_SCENE_LATTICE_H

#include "host/scene/scene_map.h"

#include <stddef.h>

typedef enum { SCENE_ALONG_ALL, SCENE_ALONG_X, SCENE_ALONG_Y, SCENE_ALONG_Z, SCENE_ALONG_NORMAL } scene_along;
typedef enum { SCENE_MESH_STAYS, SCENE_MESH_ELASTIC } scene_mesh_update;
/* What has one value of a design variable each. PARTICLE is an element in FEM; NODE, LATTICE are
 * FEM, GROUP MPM alone. */
typedef enum {
    SCENE_PER_TARGET,
    SCENE_PER_BODY,
    SCENE_PER_PARTICLE,
    SCENE_PER_NODE,
    SCENE_PER_GROUP,
    SCENE_PER_LATTICE
} scene_per;

/* A part of a mesh that a lattice leaves where it is. */
typedef struct {
    scene_where on; /* which nodes of the body */
} scene_hold;

/* FEM: a box of control points, of which a design has a displacement each. */
typedef struct {
    double cells[3];       /* along each axis; one control point more; 0: there is no lattice */
    double min[3], max[3]; /* corners of the box, m; NaN: the box around the body */
    scene_hold *hold;      /* [n_hold] parts of the body that stay */
    size_t n_hold;         /* number of them */
    double ease;           /* distance from them at which nodes move in full, m */
} scene_lattice;

#endif
