/* model_groups.h -- groups of particles: their members, and designs with one value for each. */
#ifndef PIOLA_HOST_MODEL_GROUPS_H
#define PIOLA_HOST_MODEL_GROUPS_H

#include "host/model/model.h"

/* Fills model->groups, after the particles are made. Returns PIOLA_BAD_DATA at a group that is empty, or at its file,
 * and the other errors of pio_shape_open() and pio_csv_load(). */
piola_status pio_model_groups(pio_model *model, piola_error *error);
/* Frees model->groups. */
void pio_model_groups_free(pio_model *model);
/* Returns the number of the group of that name, which must exist. */
size_t pio_model_group(const pio_model *model, const char *name);

/* Numbers the groups of a design `per: group`. On entry index[p] >= 0 where the design governs particle p; then it is
 * the number of the particle's group among those of the design, or -1, and *groups is their number. Returns
 * PIOLA_BAD_DATA at the scene's key `path` if a particle is in two of them. */
piola_status pio_model_number_groups(const pio_model *model, const scene_design *design, const char *path,
                                     int32_t *index, int32_t *groups, piola_error *error);
/* Returns whether the particle is in a group of the design. */
bool pio_model_is_grouped(const pio_model *model, const scene_design *design, int64_t particle);
/* Returns the name of the design's group number k, whose particles have index[p] == k. */
const char *pio_model_group_name(const pio_model *model, const scene_design *design, const int32_t *index, int32_t k);

#endif
