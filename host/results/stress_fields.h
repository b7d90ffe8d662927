/* stress_fields.h -- the fields of stress, strain and relative density that frames of a mesh have, and of its
 * integration points. */
#ifndef PIOLA_HOST_STRESS_FIELDS_H
#define PIOLA_HOST_STRESS_FIELDS_H

#include "host/scene/scene.h"
#include "host/snapshot/snapshot.h"

/* Describes field i of the frames, from 0: stress and strain at each place of the scene, reactions, and relative
 * densities where bodies have them. Returns false past the last. */
bool pio_stress_field_of(const pio_scene *scene, int i, pio_snapshot_field *out);
/* Describes field i of what does not change, from 0: where integration points are, their volumes and elements. Returns
 * false past the last, or if no field is there. */
bool pio_integration_field_of(const pio_scene *scene, int i, pio_snapshot_field *out);

#endif
