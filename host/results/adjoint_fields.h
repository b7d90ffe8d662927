/* adjoint_fields.h -- the derivatives with respect to states and forces that frames of a gradient may have. */
#ifndef PIOLA_HOST_ADJOINT_FIELDS_H
#define PIOLA_HOST_ADJOINT_FIELDS_H

#include "host/scene/scene.h"
#include "host/snapshot/snapshot.h"

/* Describes adjoint field i of the scene, from 0: those of a state and, for finite elements whose steps solve an
 * equilibrium, of the forces. *passed: it is known only after the adjoint sweep has passed its frame. Returns false
 * past the last. */
bool pio_adjoint_field_of(const pio_scene *scene, int i, pio_snapshot_field *out, bool *passed);

#endif
