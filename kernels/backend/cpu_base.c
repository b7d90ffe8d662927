/* cpu_base.c -- the loops of the kernels of design variables, fields and Rice codes. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/base/base_kernels.h"

#include "kernels/base/base_kernels.def"
