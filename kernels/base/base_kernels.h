/* base_kernels.h -- the text of the kernels of design variables, fields and Rice codes, for the backends and for the
 * dual build of tests. What launches them includes kernels/backend/table.h, which has their arguments alone. */
#ifndef PIOLA_KERNELS_BASE_KERNELS_H
#define PIOLA_KERNELS_BASE_KERNELS_H

#include "kernels/base/design.h"
#include "kernels/base/fields.h"
#include "kernels/base/rice.h"

#endif
