/* cuda_mpm_gather.cu -- the grids of the kernels of transfers from nodes to particles. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_gather_kernels.h"

#include "kernels/mpm/mpm_gather_kernels.def"
