/* cuda_linear.cu -- the grids of the kernels of linear solves. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/linear/linear_kernels.h"

#include "kernels/linear/linear_kernels.def"
