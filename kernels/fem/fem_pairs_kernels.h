/* fem_pairs_kernels.h -- the text of the kernels of contact of surfaces with each other, for the backends and for the
 * dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_KERNELS_H
#define PIOLA_KERNELS_FEM_PAIRS_KERNELS_H

#include "kernels/fem/fem_pairs.h"
#include "kernels/fem/fem_pairs_find.h"
#include "kernels/fem/fem_pairs_implicit.h"
#include "kernels/fem/fem_pairs_friction.h"
#include "kernels/fem/fem_pairs_drag.h"

#endif
