/* cuda_mpm_transfer.cu -- the grids of the kernels of transfers between particles and grid. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_transfer_kernels.h"

#include "kernels/mpm/mpm_transfer_kernels.def"
