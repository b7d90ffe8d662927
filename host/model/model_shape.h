/* model_shape.h -- rest positions of a part of a body's surface as a design, and the nodes that follow them. */
#ifndef PIOLA_HOST_MODEL_SHAPE_H
#define PIOLA_HOST_MODEL_SHAPE_H

#include "host/model/model_fem.h"

/* Completes a design of rest positions per node, of the body that its path names: keeps only the nodes of `on`, numbers
 * their groups anew, and finds the directions in which they move, d->direction, which the caller frees. `index` [nodes]
 * is that of d; `at` is the scene's path of the entry. Returns PIOLA_BAD_DATA if there are no nodes or a node has no
 * normal, or PIOLA_NO_MEMORY. */
piola_status pio_model_shape(const pio_model *model, const scene_design *design, const scene_path *path, const char *at,
                             int32_t *index, pio_design_desc *d, piola_error *error);
/* Sets, after all designs are made, which nodes follow, and the stiffness of the mesh for it, in model->fem->desc.
 * Returns PIOLA_NO_MEMORY without memory for that. */
piola_status pio_model_follow(pio_model *model, piola_error *error);

#endif
