/* model_cells.h -- the elements of a model as cells of a snapshot. */
#ifndef PIOLA_HOST_MODEL_CELLS_H
#define PIOLA_HOST_MODEL_CELLS_H

#include "host/model/model.h"
#include "host/snapshot/snapshot.h"

/* Lists the cells of a model of finite elements, to free with pio_model_cells_free(). Returns PIOLA_NO_MEMORY without
 * memory for them; then *out is empty. */
piola_status pio_model_cells(const pio_model *model, pio_snapshot_mesh *out, piola_error *error);
/* Frees what pio_model_cells() listed; an empty mesh is allowed. */
void pio_model_cells_free(pio_snapshot_mesh *mesh);

#endif
