/* cuda_fem_pairs.cu -- the grids of the kernels of contact of surfaces with each other. */
#include "kernels/backend/cuda_grids.cuh"
#include "kernels/fem/fem_pairs_kernels.h"

#include "kernels/fem/fem_pairs_kernels.def"
