/* cuda_mpm_scatter.cu -- the grids of the kernels of transfers from particles to nodes. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_scatter_kernels.h"

#include "kernels/mpm/mpm_scatter_kernels.def"
