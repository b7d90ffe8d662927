/* cuda_mpm_reversible.cu -- the grids of the kernels of the reversible integrator of particles. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_reversible_kernels.h"

#include "kernels/mpm/mpm_reversible_kernels.def"
