/* model_target.h -- what observations of particles need beside a body: groups, shapes, wanted densities, other
 * bodies. */
#ifndef PIOLA_HOST_MODEL_TARGET_H
#define PIOLA_HOST_MODEL_TARGET_H

#include "host/model/model.h"

/* Sets member, field and outside of a description whose type and body are set. Returns PIOLA_BAD_DATA at the key of a
 * fault, PIOLA_NO_INPUT or PIOLA_REFUSED of a file, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_model_target(const pio_model *model, const scene_observe *observe, pio_observation_desc *desc,
                              piola_error *error);

#endif
