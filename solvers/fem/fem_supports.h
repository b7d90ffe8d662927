/* fem_supports.h -- supports against rigid motions. */
#ifndef PIOLA_SOLVERS_FEM_SUPPORTS_H
#define PIOLA_SOLVERS_FEM_SUPPORTS_H

#include "solvers/engine/engine.h"

/* Returns PIOLA_BAD_DATA, with the body and its motions in words, if the supports leave a rigid motion of a body, or of
 * a part of it, free; PIOLA_INTERRUPTED if `interrupted` (pio_engine_desc; may be NULL) requests to stop. */
piola_status fem_check_supports(const pio_fem_desc *mesh, const char *(*interrupted)(void), piola_error *error);

#endif
