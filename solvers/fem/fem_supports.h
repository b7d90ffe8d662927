/* fem_supports.h -- supports against rigid motions. */
#ifndef PIOLA_SOLVERS_FEM_SUPPORTS_H
#define PIOLA_SOLVERS_FEM_SUPPORTS_H

#include "solvers/engine/engine.h"

/* PIOLA_BAD_DATA when the supports leave a body, or a part of it that is hinged to the rest, free to move as it is:
 * which one,
 * and its motions in words. PIOLA_INTERRUPTED when `interrupted` (pio_engine_desc; may be NULL) says to stop. */
piola_status fem_check_supports(const pio_fem_desc *mesh, const char *(*interrupted)(void), piola_error *error);

#endif
