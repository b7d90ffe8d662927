/* cuda_mpm_boundary.cu -- the grids of the kernels of the grid and what acts on it: walls, obstacles, contact. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/mpm/mpm_boundary_kernels.h"

#include "kernels/mpm/mpm_boundary_kernels.def"
