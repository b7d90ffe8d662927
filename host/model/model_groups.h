/* model_groups.h -- groups of particles: who is in them, and designs with one value for each. */
#ifndef PIOLA_HOST_MODEL_GROUPS_H
#define PIOLA_HOST_MODEL_GROUPS_H

#include "host/model/model.h"

/* Fill model->groups; the particles are there. */
piola_status pio_model_groups(pio_model *model, piola_error *error);
void pio_model_groups_free(pio_model *model);
/* Number of the group of that name. */
size_t pio_model_group(const pio_model *model, const char *name);

/* Of a design `per: group`, of the particles that the path governs: index[p] >= 0 on entry: it governs the particle;
 * then the group's number among those of the design, or -1. `path` names the design's key in a fault. */
piola_status pio_model_number_groups(const pio_model *model, const scene_design *design, const char *path,
                                     int32_t *index, int32_t *groups, piola_error *error);
/* Is the particle in a group that the design is of? */
bool pio_model_is_grouped(const pio_model *model, const scene_design *design, int64_t particle);
/* Name of the design's group number k, whose particles have index[p] == k. */
const char *pio_model_group_name(const pio_model *model, const scene_design *design, const int32_t *index, int32_t k);

#endif
