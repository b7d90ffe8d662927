/* engine_variables.h -- the linear map from the variables of the optimiser, of which targets may share some and a
 * lattice has few, to those of the engine, of which each target has its own. */
#ifndef PIOLA_HOST_ENGINE_VARIABLES_H
#define PIOLA_HOST_ENGINE_VARIABLES_H

#include "host/model/model.h"

/* Sets the engine's variables [n_engine] of those of the optimiser, z [n_variables]. */
void pio_engine_variables(const pio_model *model, const double *z, double *engine_z);
/* Sets bar [n_variables] to the adjoint of that map of derivatives engine_bar [n_engine], with respect to variables or
 * to values: the sum over all targets that share a variable, or over the nodes that a control point moves. */
void pio_engine_variables_adj(const pio_model *model, const double *engine_bar, double *bar);
/* Sets those of values [n_variables], SI, that the engine has to its bits, engine_values [n_engine]; displacements of
 * control points stay. */
void pio_engine_values(const pio_model *model, const double *engine_values, double *values);

#endif
