/* cuda_fem_observe.cu -- the grids of the kernels of what is observed and shown of meshes. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/fem/fem_observe_kernels.h"

#include "kernels/fem/fem_observe_kernels.def"
