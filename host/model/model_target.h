/* model_target.h -- what observations of particles need beside a body: groups, shapes, wanted densities, other
 * bodies. */
#ifndef PIOLA_HOST_MODEL_TARGET_H
#define PIOLA_HOST_MODEL_TARGET_H

#include "host/model/model.h"

/* Fill member, field and outside of the description; its type and body are set. */
piola_status pio_model_target(const pio_model *model, const scene_observe *observe, pio_observation_desc *desc,
                              piola_error *error);

#endif
