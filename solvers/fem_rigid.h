/* fem_rigid.h -- supports against rigid motions. */
#ifndef PIOLA_SOLVERS_FEM_RIGID_H
#define PIOLA_SOLVERS_FEM_RIGID_H

#include "solvers/fem.h"

/* PIOLA_BAD_DATA when the supports leave a body free to move as it is: which one, and its motions in words. */
piola_status fem_check_supports(const pio_fem_desc *mesh, piola_error *error);

#endif
