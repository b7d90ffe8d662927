/* cuda_fem_load.cu -- the grids of the kernels of loads, motion and vectors of meshes. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/fem/fem_load_kernels.h"

#include "kernels/fem/fem_load_kernels.def"
