/* linear_kernels.h -- the text of the kernels of linear solves, for the backends and for the dual build of tests.
 * What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_LINEAR_KERNELS_H
#define PIOLA_KERNELS_LINEAR_KERNELS_H

#include "kernels/linear/bsr.h"
#include "kernels/linear/krylov.h"
#include "kernels/linear/direct.h"
#include "kernels/linear/refine.h"
#include "kernels/linear/amg.h"

#endif
