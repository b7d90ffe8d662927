/* model_shape.h -- rest positions of a part of a body's surface as a design, and the nodes that follow them. */
#ifndef PIOLA_HOST_MODEL_SHAPE_H
#define PIOLA_HOST_MODEL_SHAPE_H

#include "host/model/model_fem.h"

/* A design of rest positions per node, of the body that its path names. Keeps the nodes of `on` alone, numbers their
 * groups anew, and finds the directions in which they move. `index` [nodes] is that of d; `at` is the scene's path of
 * the entry. */
piola_status pio_model_shape(const pio_model *model, const scene_design *design, const scene_path *path, const char *at,
                             int32_t *index, pio_design_desc *d, piola_error *error);
/* After all designs: which nodes follow, and how stiff the mesh is against it; into model->fem->desc. */
piola_status pio_model_follow(pio_model *model, piola_error *error);

#endif
