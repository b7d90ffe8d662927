/* cuda_base.cu -- the grids of the kernels of design variables, fields and Rice codes. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/base/base_kernels.h"

#include "kernels/base/base_kernels.def"
